/*
 * The retrospective: every phase of the engine's history on one machine model, alone and under load, with
 * what each was limited by; and questions that nobody could measure.
 *
 * Metrics have names and are not mixed: per_proof is batch wall / proofs, steady the time between answers,
 * calls_per_proof summed calls (no wall time), busy is kernels, held is the lock (engine/sim.h).
 */
#ifndef CUZK_BENCH_PHASES_H
#define CUZK_BENCH_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/sink.h"
#include "bench/published.h"
#include "engine/sim.h"

enum { CUZK_PHASES_MOST = 16, CUZK_PHASES_POINTS = 32, CUZK_PHASES_QUESTIONS = 16 };

struct cuzk_phase {
    const char *preset;
    bool runs;
    bool fits; /* its load fits the host's memory; else its loaded figures compare with nothing */
    char refusal[CUZK_ERROR_TEXT]; /* where it does not run on this machine */
    char note[160];                /* what had to differ from the preset; "" for nothing */
    struct cuzk_sim_result alone, loaded;
    char alone_limit[160], loaded_limit[160]; /* decided from the parts, and from counters where there are */
    double kernel_floor, host_floor; /* seconds a proof: kernels of all partitions; their serial host path */
};

/* A setting of the last phase under load. */
struct cuzk_phase_point {
    uint32_t workers;
    double per_proof, host_peak;
};

struct cuzk_phase_question {
    char question[128], answer[384];
};

/* Runs a load with some knobs: how a retrospective is measured instead of simulated. Errors: MEMORY (refused:
 * the message has the sum); others end the retrospective. */
struct cuzk_phases_runner {
    enum cuzk_status (*run)(void *context, const struct cuzk_knobs *knobs, uint32_t proofs,
                            uint32_t in_flight, struct cuzk_sim_result *out, struct cuzk_error *err);
    void *context;
    const char
        *backend;   /* "cpu", "cuda", "null": presets that differ only in what means nothing there say so */
    char what[160]; /* work and device, for the title */
    char note[512]; /* machine and commit */
    uint32_t partitions, devices, workers_most; /* of a proof; of the engine; of the curve */
    double host_memory;                         /* GiB */
};

struct cuzk_phases {
    const struct cuzk_phases_runner *runner; /* NULL: simulated */
    struct cuzk_machine_model model;
    uint32_t proofs, in_flight, seeds;
    uint32_t phase_count, point_count, question_count;
    struct cuzk_phase phases[CUZK_PHASES_MOST];
    struct cuzk_phase_point points[CUZK_PHASES_POINTS];
    uint32_t saturation; /* workers beyond which one more gains less than 1%; 0: not reached */
    double memory_base, memory_slope, memory_residual; /* GiB: base + workers x slope, worst deviation */
    struct cuzk_phase_question questions[CUZK_PHASES_QUESTIONS];
    const struct cuzk_published_figures *published; /* compared; NULL for none */
};

/* Simulates everything. Errors: those of the simulation. */
enum cuzk_status cuzk_phases_run(const struct cuzk_machine_model *model, uint32_t proofs, uint32_t in_flight,
                                 uint32_t seeds, struct cuzk_phases *out, struct cuzk_error *err);

/* The same, measured: `runs` times each, the middle one by per_proof counts. No questions: they are for the
 * model. runner is borrowed while `out` is used. */
enum cuzk_status cuzk_phases_measure(const struct cuzk_phases_runner *runner, uint32_t proofs,
                                     uint32_t in_flight, uint32_t runs, struct cuzk_phases *out,
                                     struct cuzk_error *err);

/* Knobs of a preset on a model: `auto` keeps the key on the device only where it fits; note (may be NULL, 96
 * bytes) says so. */
enum cuzk_status cuzk_phases_knobs(const struct cuzk_machine_model *model, const char *preset,
                                   struct cuzk_knobs *out, char *note, struct cuzk_error *err);

/* The report for people, as members of an open JSON object, and as a page that stands alone. */
enum cuzk_status cuzk_phases_write_text(const struct cuzk_phases *phases, struct cuzk_sink sink,
                                        struct cuzk_error *err);
void cuzk_phases_write_json(const struct cuzk_phases *phases, struct cuzk_json_writer *json);
enum cuzk_status cuzk_phases_write_html(const struct cuzk_phases *phases, struct cuzk_sink sink,
                                        struct cuzk_error *err);
enum cuzk_status cuzk_phases_write_svg(const struct cuzk_phases *phases, struct cuzk_sink sink,
                                       struct cuzk_error *err);

#endif
