/*
 * Timers on one thread, as a heap: setting and stopping cost a logarithm of how many there are. Thread-safe.
 */
#ifndef CUZK_SERVER_TIMERS_H
#define CUZK_SERVER_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cuzk_timers;

/* Lives inside what it is for. */
struct cuzk_timer {
    void (*fire)(struct cuzk_timer *timer); /* on the timers' thread: short work */
    uint64_t due_ns;
    size_t place; /* in the heap, from 1; 0: not set */
};

enum cuzk_status cuzk_timers_create(struct cuzk_timers **out, struct cuzk_error *err);

/* Ends the thread; timers that are set never fire. NULL is fine. */
void cuzk_timers_destroy(struct cuzk_timers *timers);

/* Fires once, after that many milliseconds. Errors: MEMORY. */
enum cuzk_status cuzk_timer_start(struct cuzk_timers *timers, struct cuzk_timer *timer, uint64_t after_ms,
                                  struct cuzk_error *err);

/* True: it was set, and will not fire. False: it was not, or is firing now. */
bool cuzk_timer_stop(struct cuzk_timers *timers, struct cuzk_timer *timer);

#endif
