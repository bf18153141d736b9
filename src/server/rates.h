/* Counters sampled once in a while, so that rates of the last minutes can be told. Thread-safe. */
#ifndef CUZK_SERVER_RATES_H
#define CUZK_SERVER_RATES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

/* Ten minutes of samples. */
enum { CUZK_RATES_EVERY_MS = 2000, CUZK_RATES_KEPT = 300 };

struct cuzk_rates_sample {
    uint64_t at_ns;
    uint64_t completed, partitions;
    uint64_t stage_count[CUZK_STAGES], stage_ns[CUZK_STAGES];
    uint64_t busy_ns[CUZK_SCHED_DEVICES_MOST], held_ns[CUZK_SCHED_DEVICES_MOST];
};

struct cuzk_rates {
    pthread_mutex_t lock;
    struct cuzk_rates_sample sample[CUZK_RATES_KEPT]; /* a ring */
    uint64_t count;
};

void cuzk_rates_init(struct cuzk_rates *rates);
void cuzk_rates_destroy(struct cuzk_rates *rates);

/* Takes a sample where the last one is old enough. */
bool cuzk_rates_due(struct cuzk_rates *rates, uint64_t now_ns);
void cuzk_rates_add(struct cuzk_rates *rates, uint64_t now_ns, const struct cuzk_engine_status *status,
                    const struct cuzk_event_totals *totals);

/* What changed over about the last `seconds`, or over what is known: the differences, at_ns the time between.
 * All zero where there are no two samples. */
void cuzk_rates_over(struct cuzk_rates *rates, unsigned seconds, struct cuzk_rates_sample *out);

#endif
