/*
 * A load on an engine: so many proofs, so many of them submitted at once (the reference's c and j).
 *
 * Metrics have names and are never mixed; the names are those of struct cuzk_sim_result (per_proof is batch
 * wall / proofs, steady the time between answers, calls_per_proof summed calls, which is no wall time, busy
 * kernels, held the lock) and the percentiles of the latency of single proofs.
 */
#ifndef CUZK_BENCH_LOAD_H
#define CUZK_BENCH_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/timeline.h"
#include "engine/device.h"
#include "engine/knobs.h"
#include "engine/sim.h"
#include "filecoin/c1.h"

/* What is proved, over and over under fresh request ids. */
struct cuzk_load_work {
    char name[64]; /* "porep-2k", "null, 10 partitions" */
    uint64_t sector_size, registered_proof;
    unsigned partitions;
    uint8_t *c1; /* encoded; owned */
    size_t c1_length;
};

/* A synthetic sector of a circuit ("porep-2k"); or, where null devices prove, only its shape. Errors:
 * ARGUMENT, MEMORY. */
enum cuzk_status cuzk_load_work_make(const char *circuit, bool shape_only, struct cuzk_pool *pool,
                                     struct cuzk_load_work *out, struct cuzk_error *err);
void cuzk_load_work_free(struct cuzk_load_work *work);

struct cuzk_load_options {
    const char *const *devices; /* "cpu", "cuda:0", "null:..."; null devices stand alone */
    unsigned device_count;      /* 1 to CUZK_SCHED_DEVICES_MOST */
    struct cuzk_knobs knobs;
    unsigned threads;
    const char *params_directory;
    uint64_t host_budget, device_budget; /* bytes; 0: not limited */
    const struct cuzk_load_work *work;
    uint32_t proofs, in_flight;
    const struct cuzk_progress *progress;
    const struct cuzk_log *log;
};

struct cuzk_load_result {
    struct cuzk_sim_result figures;
    uint32_t proofs, failed;
    double *latency; /* seconds, ascending; owned */
    double latency_p50, latency_p90, latency_p99;
    double transfer;       /* seconds a partition: the device copying */
    double resident_peak;  /* GiB: of this process while it ran */
    double planned_peak;   /* GiB: what the engine reserved at most */
    double device_planned; /* GiB of one device: key, work and the units it may hold at once; 0: none */
    double device_used; /* GiB in use on a device at most, by whichever program; looked at twice a second */
    char device[256];   /* the first one's name */
    char uncounted[96]; /* why the processor's own counts are missing (bench/counters.h); "" where they are
                           there */
    unsigned devices;
    struct cuzk_timeline *timeline; /* owned */
};

/* Makes devices and engine, loads the key on each, then runs the load: loading is not in the figures. Errors:
 * those of devices and engine (MEMORY: the knobs do not fit, with the sum), DEVICE (a proof failed: its
 * reason), CANCELLED. */
enum cuzk_status cuzk_load_run(const struct cuzk_load_options *options, struct cuzk_load_result *out,
                               struct cuzk_error *err);
void cuzk_load_result_free(struct cuzk_load_result *result);

/* Members of the object that is open. */
void cuzk_load_write(const struct cuzk_load_result *result, struct cuzk_json_writer *json);

#endif
