/*
 * Where a device's time went, from what an engine noted: a pure function of its events, so the same for every
 * preset, for measured runs, recorded ones and tests.
 *
 * The figures are those of the simulator (struct cuzk_sim_result), so that a measured retrospective has the
 * same tables as a simulated one. Slowdowns by contention cannot be seen from events: they stay 0.
 */
#ifndef CUZK_BENCH_EVENT_PARTS_H
#define CUZK_BENCH_EVENT_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/event_log.h"
#include "engine/sim.h"

struct cuzk_event_parts_load {
    uint32_t proofs;
    uint64_t begin_ns, end_ns; /* first submission, last answer */
    uint32_t witness_workers;  /* 0: not known */
    uint32_t device_workers;   /* of all devices */
};

/* Fills everything that events tell: per_proof, calls_per_proof, call, section, kernels, synthesis, stage,
 * calls_utilisation, gaps, device_held, device_busy, synthesis_busy, workers_busy, part, units. The parts add
 * up to per_proof. Latencies, steady and peaks stay as they were. Stages that ran twice (a retry) count
 * twice. Errors: MEMORY, ARGUMENT (no stage of a device among the events). */
enum cuzk_status cuzk_event_parts(const struct cuzk_engine_event *events, size_t count,
                                  const struct cuzk_event_parts_load *load, struct cuzk_sim_result *out,
                                  struct cuzk_error *err);

#endif
