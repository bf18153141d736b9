/*
 * The scheduler's core under a virtual clock: its commands are run by a machine model instead of threads and
 * devices. Deterministic: the same model, knobs, load and seed give the same result, bit for bit.
 *
 * Host work slows other host work down (machine.h); a stage's progress is followed at the speed of the
 * moment. Errors of all: ARGUMENT (knobs that the model cannot do), MEMORY.
 */
#ifndef CUZK_ENGINE_SIM_H
#define CUZK_ENGINE_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/timeline.h"
#include "engine/knobs.h"
#include "engine/machine.h"
#include "engine/sched.h"

/* Some client keeps `in_flight` proofs submitted until `proofs` are done: the reference's c and j. */
struct cuzk_sim_load {
    uint32_t proofs, in_flight;
    uint64_t seed;
    bool audit; /* check the core after every step: for tests, slow */
};

/* Where a device's time goes; at each moment the first that applies. They add up to the wall time. */
enum cuzk_sim_part {
    CUZK_PART_KERNELS,
    CUZK_PART_UPLOAD,    /* copying under the lock, no kernel running */
    CUZK_PART_PREPARE,   /* the lock is held and waits for host preparation */
    CUZK_PART_PIN,       /* pages are registered, which keeps the device's section out */
    CUZK_PART_CALL,      /* a call is open, in its host stages */
    CUZK_PART_SYNTHESIS, /* no call is open: nothing is synthesised yet */
    CUZK_PART_FILL,      /* before the first section began */
    CUZK_PART_DRAIN,     /* after the last ended */
    CUZK_PARTS,
};

/* Seconds, GiB and fractions. "call" is a device call from its entry to the assembled proof, lock waits
 * included; "section" is the time under the device's lock; "kernels" is the device working. */
struct cuzk_sim_result {
    double wall;         /* first submission to last answer */
    double per_proof;    /* wall / proofs: fill and drain included */
    double steady;       /* between answers, first and last; 0 for one proof */
    double latency_mean; /* submission to answer */
    double latency_most;
    double calls_per_proof;                   /* summed length of calls: no wall time */
    double call, section, kernels, synthesis; /* means per partition */
    double stage[CUZK_STAGES];                /* means per unit */
    double calls_utilisation; /* time with a call open, of first pick-up to last end: counts lock waits */
    double gaps;              /* the rest of that, seconds */
    double device_held;       /* section open, of the time from first section to last */
    double device_busy;       /* kernels, of the same */
    double synthesis_busy; /* witness workers synthesising, until the last began; 0 where none began later */
    double workers_busy;   /* device workers in a call, from first section to last */
    double part[CUZK_PARTS];          /* per proof; sum is per_proof */
    double slow_synthesis, slow_host; /* mean slowdowns while there was such work */
    double host_peak, device_peak;
    /* Counted while a measured load ran (bench/counters.h); 0: not counted. Processors at work; instructions
     * a cycle; cache lines from memory, GB/s; the share of them from another node's memory. */
    double processors, ipc, cache_gb_s, remote_share;
    uint64_t units, steps; /* events that the core took */
};

/* Runs a load. timeline (may be NULL) receives every stage as a span; its times are virtual. */
enum cuzk_status cuzk_sim_run(const struct cuzk_machine_model *model, const struct cuzk_knobs *knobs,
                              const struct cuzk_sim_load *load, struct cuzk_timeline *timeline,
                              struct cuzk_sim_result *out, struct cuzk_error *err);

/* The facts of a model that settings are checked against (cuzk_knobs_resolve). */
void cuzk_sim_facts(const struct cuzk_machine_model *model, const struct cuzk_knobs *knobs,
                    struct cuzk_knob_machine *out);

/* "kernels", "upload", ... */
const char *cuzk_sim_part_name(enum cuzk_sim_part part);

#endif
