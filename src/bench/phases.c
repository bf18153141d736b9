#include "bench/phases.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURVE_MOST = 24, GAIN_PERCENT = 1, RUNS_MOST = 15 };

enum cuzk_status cuzk_phases_knobs(const struct cuzk_machine_model *model, const char *preset,
                                   struct cuzk_knobs *out, char *note, struct cuzk_error *err)
{
    struct cuzk_knob_machine facts;

    CUZK_TRY(cuzk_knobs_preset(preset, out, err));
    if (note != NULL)
        note[0] = '\0';
    cuzk_sim_facts(model, out, &facts);
    if (strcmp(preset, "auto") == 0 && facts.device_base + facts.device_partition > facts.device_memory) {
        CUZK_TRY(cuzk_knobs_set(out, "srs=resident-pinned", err));
        if (note != NULL)
            snprintf(note, 96, "the key does not fit the device: srs=resident-pinned");
    }
    return CUZK_OK;
}

/* ---- what a run is limited by ---- */

static const char *const limits[CUZK_PARTS] = {
    [CUZK_PART_KERNELS] = "device kernels",
    [CUZK_PART_UPLOAD] = "PCIe: copies under the lock",
    [CUZK_PART_PREPARE] = "host preparation under the lock",
    [CUZK_PART_PIN] = "registration of pages",
    [CUZK_PART_CALL] = "host side of device calls",
    [CUZK_PART_SYNTHESIS] = "synthesis",
    [CUZK_PART_FILL] = "synthesis (fill)",
    [CUZK_PART_DRAIN] = "drain",
};

/* Where the host is the limit and its processors counted it, what in the host: the memory of another node, or
 * memory at all where less than half an instruction ends in a cycle. */
#define REMOTE_MUCH   0.3
#define IPC_OF_MEMORY 0.5

/* A resource that is nearly always at work is the limit: the device's kernels, the witness workers, or the
 * device's workers (then what the device waits for most inside their calls). Where none is, or where one
 * proof is alone, it is what the device waits for most. Under load fill and drain are left out. */
static void decide(const struct cuzk_sim_result *result, bool loaded, bool kernels_on_host, char *text,
                   size_t room)
{
    const bool workers = loaded && result->workers_busy >= 0.97;
    const bool synthesis = loaded && !workers && result->synthesis_busy >= 0.95;
    double total = 0;
    unsigned most = CUZK_PART_UPLOAD;

    for (unsigned part = 0; part < (loaded ? CUZK_PART_FILL : CUZK_PARTS); part++) {
        total += result->part[part];
        if (part != CUZK_PART_KERNELS && !(workers && part == CUZK_PART_SYNTHESIS) &&
            result->part[part] > result->part[most])
            most = part;
    }
    const double kernels = total > 0 ? result->part[CUZK_PART_KERNELS] / total : 0;
    const double waits = total > 0 ? result->part[most] / total : 0;
    const unsigned limit = kernels >= 0.85 ? CUZK_PART_KERNELS : synthesis ? CUZK_PART_SYNTHESIS : most;
    const double slow = limit == CUZK_PART_SYNTHESIS ? result->slow_synthesis : result->slow_host;

    const bool slowed = limit != CUZK_PART_KERNELS && limit != CUZK_PART_FILL && limit != CUZK_PART_DRAIN &&
                        limit != CUZK_PART_UPLOAD && slow > 1.2;
    char by[40] = "";

    if (slowed)
        snprintf(by, sizeof by, ", %.2fx slow by contention", slow);
    if (limit == CUZK_PART_KERNELS)
        snprintf(text, room, "%s, %.0f%% of the time", limits[limit], 100 * kernels);
    else if (synthesis)
        snprintf(text, room, "%s: its workers busy %.0f%%%s", limits[limit], 100 * result->synthesis_busy,
                 by);
    else if (workers)
        snprintf(text, room, "%s: %.0f%%, device workers busy %.0f%%%s", limits[limit], 100 * waits,
                 100 * result->workers_busy, by);
    else
        snprintf(text, room, "%s: the device waits %.0f%%%s", limits[limit], 100 * waits, by);
    const size_t used = strlen(text);
    const bool on_host = limit == CUZK_PART_KERNELS ? kernels_on_host : limit != CUZK_PART_UPLOAD;

    if (on_host && result->remote_share > REMOTE_MUCH)
        snprintf(text + used, room - used, "; %.0f%% of cache lines from another node",
                 100 * result->remote_share);
    else if (on_host && result->ipc > 0 && result->ipc < IPC_OF_MEMORY)
        snprintf(text + used, room - used, "; waits for memory: %.1f GB/s, %.2f a cycle", result->cache_gb_s,
                 result->ipc);
}

/* ---- one setting ---- */

/* The middle one of some runs. */
static enum cuzk_status measure(const struct cuzk_phases *out, const struct cuzk_knobs *knobs,
                                uint32_t proofs, uint32_t in_flight, struct cuzk_sim_result *result,
                                struct cuzk_error *err)
{
    struct cuzk_sim_result runs[RUNS_MOST];
    const uint32_t count = out->seeds < RUNS_MOST ? out->seeds : RUNS_MOST;

    for (uint32_t i = 0; i < count; i++) {
        struct cuzk_sim_result fresh = {0};
        uint32_t at = i;

        CUZK_TRY(out->runner->run(out->runner->context, knobs, proofs, in_flight, &fresh, err));
        for (; at > 0 && runs[at - 1].per_proof > fresh.per_proof; at--)
            runs[at] = runs[at - 1];
        runs[at] = fresh;
    }
    *result = runs[count / 2];
    return CUZK_OK;
}

static enum cuzk_status run_load(const struct cuzk_phases *out, const struct cuzk_knobs *knobs,
                                 uint32_t proofs, uint32_t in_flight, struct cuzk_sim_result *result,
                                 struct cuzk_error *err)
{
    if (out->runner != NULL)
        return measure(out, knobs, proofs, in_flight, result, err);
    return cuzk_bench_simulate(&out->model, knobs, proofs, in_flight, out->seeds, result, err);
}

/* What the backend cannot tell apart is no step. */
static void compare_knobs(const struct cuzk_phases *out, struct cuzk_phase *phase,
                          const struct cuzk_knobs *knobs)
{
    for (uint32_t i = 0; i < out->phase_count; i++) {
        struct cuzk_knobs other;

        if (cuzk_knobs_preset(out->phases[i].preset, &other, NULL) == CUZK_OK &&
            cuzk_knobs_are_same(knobs, &other, out->runner->backend)) {
            snprintf(phase->note, sizeof phase->note, "%s cannot tell it from %s", out->runner->backend,
                     out->phases[i].preset);
            return;
        }
    }
}

static enum cuzk_status run_phase(struct cuzk_phases *out, struct cuzk_phase *phase, struct cuzk_error *err)
{
    const struct cuzk_machine_model *m = &out->model;
    struct cuzk_error refusal;
    struct cuzk_knobs knobs;

    if (out->runner != NULL) {
        CUZK_TRY(cuzk_knobs_preset(phase->preset, &knobs, err));
        compare_knobs(out, phase, &knobs);
    } else {
        CUZK_TRY(cuzk_phases_knobs(m, phase->preset, &knobs, phase->note, err));
    }
    const enum cuzk_status status = run_load(out, &knobs, 1, 1, &phase->alone, &refusal);

    if (status == CUZK_MEMORY) {
        memcpy(phase->refusal, refusal.message, sizeof refusal.message);
        return CUZK_OK;
    }
    if (status != CUZK_OK) {
        if (err != NULL)
            *err = refusal;
        return status;
    }
    CUZK_TRY(run_load(out, &knobs, out->proofs, out->in_flight, &phase->loaded, err));
    phase->runs = true;
    phase->fits = phase->loaded.host_peak <= m->host_memory;
    const bool kernels_on_host = out->runner != NULL && strcmp(out->runner->backend, "cpu") == 0;

    decide(&phase->alone, false, kernels_on_host, phase->alone_limit, sizeof phase->alone_limit);
    decide(&phase->loaded, true, kernels_on_host, phase->loaded_limit, sizeof phase->loaded_limit);
    phase->kernel_floor = phase->loaded.part[CUZK_PART_KERNELS];
    const double *stage = phase->alone.stage;
    const double units =
        knobs.value[CUZK_KNOB_OVERLAP] <= CUZK_OVERLAP_PROOF && out->runner == NULL ? 1 : m->partitions;

    phase->host_floor = units *
                        (stage[CUZK_STAGE_SETUP] + stage[CUZK_STAGE_PREPARE] + stage[CUZK_STAGE_HOST_MSM]) /
                        m->devices;
    return CUZK_OK;
}

/* ---- curves ---- */

static const char *last_phase(const struct cuzk_phases *out)
{
    (void)out;
    return "phase-12";
}

static enum cuzk_status at_workers(const struct cuzk_phases *out, uint32_t workers, uint32_t proofs,
                                   uint32_t in_flight, const struct cuzk_machine_model *model,
                                   struct cuzk_sim_result *result, struct cuzk_error *err)
{
    struct cuzk_knobs knobs;

    CUZK_TRY(cuzk_knobs_preset(last_phase(out), &knobs, err));
    knobs.value[CUZK_KNOB_PARTITION_WORKERS] = workers;
    return cuzk_bench_simulate(model, &knobs, proofs, in_flight, out->seeds, result, err);
}

static enum cuzk_status run_curve(struct cuzk_phases *out, struct cuzk_error *err)
{
    struct cuzk_sim_result result;

    const uint32_t most = out->runner != NULL ? out->runner->workers_most : CURVE_MOST;

    for (uint32_t workers = 1; workers <= most && workers <= CUZK_PHASES_POINTS; workers++) {
        if (out->runner != NULL) {
            struct cuzk_knobs knobs;

            CUZK_TRY(cuzk_knobs_preset(last_phase(out), &knobs, err));
            knobs.value[CUZK_KNOB_PARTITION_WORKERS] = workers;
            CUZK_TRY(run_load(out, &knobs, out->proofs, out->in_flight, &result, err));
        } else {
            CUZK_TRY(at_workers(out, workers, out->proofs, out->in_flight, &out->model, &result, err));
        }
        out->points[out->point_count++] =
            (struct cuzk_phase_point){workers, result.per_proof, result.host_peak};
    }
    for (uint32_t i = 0; i + 2 < out->point_count && out->saturation == 0; i++) {
        /* two steps at once: a single one is within the noise of the seeds */
        const double gain =
            (out->points[i].per_proof - out->points[i + 2].per_proof) / out->points[i].per_proof;

        if (gain * 100 / 2 < GAIN_PERCENT)
            out->saturation = out->points[i].workers;
    }
    return CUZK_OK;
}

/* base + workers x slope by least squares over the workers below saturation. */
static void fit_memory(struct cuzk_phases *out)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    const uint32_t last = out->saturation > 3 ? out->saturation : out->point_count;

    for (uint32_t i = 0; i < last; i++) {
        const double w = out->points[i].workers, peak = out->points[i].host_peak;

        n++;
        x += w;
        y += peak;
        xx += w * w;
        xy += w * peak;
    }
    const double spread = n * xx - x * x; /* none with one point */

    out->memory_slope = spread > 0 ? (n * xy - x * y) / spread : 0;
    out->memory_base = (y - out->memory_slope * x) / n;
    for (uint32_t i = 0; i < last; i++) {
        const double model = out->memory_base + out->points[i].workers * out->memory_slope;

        if (fabs(model - out->points[i].host_peak) > out->memory_residual)
            out->memory_residual = fabs(model - out->points[i].host_peak);
    }
}

/* ---- what nobody could measure ---- */

static struct cuzk_phase_question *ask(struct cuzk_phases *out, const char *question)
{
    struct cuzk_phase_question *next = &out->questions[out->question_count++];

    snprintf(next->question, sizeof next->question, "%s", question);
    return next;
}

static enum cuzk_status ask_phase_10(struct cuzk_phases *out, struct cuzk_error *err)
{
    static const double sizes[] = {16, 24, 32, 80};
    const uint32_t workers[] = {10, 14};

    for (unsigned w = 0; w < 2; w++) {
        char question[128];
        size_t used = 0;

        snprintf(question, sizeof question,
                 "phase 10's two locks with %u partition workers, by memory of the device", workers[w]);
        struct cuzk_phase_question *asked = ask(out, question);

        for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            struct cuzk_machine_model model = out->model;
            struct cuzk_sim_result result;
            struct cuzk_knobs knobs;
            struct cuzk_error refusal;
            char *text = asked->answer + used;
            const size_t room = sizeof asked->answer - used;

            model.device_memory = sizes[i];
            CUZK_TRY(cuzk_knobs_preset("phase-10", &knobs, err));
            knobs.value[CUZK_KNOB_PARTITION_WORKERS] = workers[w];
            const enum cuzk_status status = cuzk_bench_simulate(&model, &knobs, out->proofs, out->in_flight,
                                                                out->seeds, &result, &refusal);

            if (status == CUZK_OK)
                used += (size_t)snprintf(text, room, "%s%.0f GiB: %.1f s a proof", i > 0 ? "; " : "",
                                         sizes[i], result.per_proof);
            else
                used += (size_t)snprintf(text, room, "%s%.0f GiB: refused", i > 0 ? "; " : "", sizes[i]);
        }
        struct cuzk_sim_result single;
        struct cuzk_knobs knobs;

        CUZK_TRY(cuzk_knobs_preset("phase-9", &knobs, err));
        knobs.value[CUZK_KNOB_PARTITION_WORKERS] = workers[w];
        CUZK_TRY(
            cuzk_bench_simulate(&out->model, &knobs, out->proofs, out->in_flight, out->seeds, &single, err));
        snprintf(asked->answer + used, sizeof asked->answer - used, "; phase 9, one lock: %.1f s",
                 single.per_proof);
    }
    return CUZK_OK;
}

static enum cuzk_status ask_second_worker(struct cuzk_phases *out, struct cuzk_error *err)
{
    struct cuzk_phase_question *asked = ask(out, "what phase 9's second device worker really cost or gained");
    struct cuzk_sim_result one, two;
    struct cuzk_knobs knobs;

    CUZK_TRY(cuzk_knobs_preset("phase-9", &knobs, err));
    CUZK_TRY(cuzk_bench_simulate(&out->model, &knobs, out->proofs, out->in_flight, out->seeds, &two, err));
    knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE] = 1;
    CUZK_TRY(cuzk_bench_simulate(&out->model, &knobs, out->proofs, out->in_flight, out->seeds, &one, err));
    snprintf(
        asked->answer, sizeof asked->answer,
        "batch wall %.1f -> %.1f s a proof (%+.1f%%); a call %.1f -> %.1f s, of which registration and its "
        "wait %.2f -> %.2f s, the lock held %.2f -> %.2f s; synthesis %.1f -> %.1f s",
        one.per_proof, two.per_proof, 100 * (two.per_proof / one.per_proof - 1), one.call, two.call,
        one.stage[CUZK_STAGE_PIN], two.stage[CUZK_STAGE_PIN], one.section, two.section, one.synthesis,
        two.synthesis);
    return CUZK_OK;
}

static enum cuzk_status ask_registration(struct cuzk_phases *out, struct cuzk_error *err)
{
    struct cuzk_phase_question *asked = ask(out, "what dropping page registration would save at 16 workers");
    struct cuzk_machine_model model = out->model;
    struct cuzk_sim_result with, without, shared;

    CUZK_TRY(at_workers(out, 16, out->proofs, out->in_flight, &model, &with, err));
    model.pin = model.unpin = 0;
    CUZK_TRY(at_workers(out, 16, out->proofs, out->in_flight, &model, &without, err));
    model = out->model;
    model.pin_exclusive = 0;
    CUZK_TRY(at_workers(out, 16, out->proofs, out->in_flight, &model, &shared, err));
    snprintf(
        asked->answer, sizeof asked->answer,
        "%.1f -> %.1f s a proof if registration excludes the device's sections, as the model assumes (if it "
        "does not: %.1f s with registration already)",
        with.per_proof, without.per_proof, shared.per_proof);
    return CUZK_OK;
}

static void ask_saturation(struct cuzk_phases *out)
{
    struct cuzk_phase_question *asked = ask(out, "how many partition workers saturate phase 12");
    const uint32_t at = out->saturation > 0 ? out->saturation : out->point_count;
    const struct cuzk_phase_point *point = &out->points[at - 1], *last = &out->points[out->point_count - 1];

    snprintf(asked->answer, sizeof asked->answer,
             "%u: %.1f s a proof and %.0f GiB; %u workers give %.1f s and %.0f GiB", point->workers,
             point->per_proof, point->host_peak, last->workers, last->per_proof, last->host_peak);
}

enum cuzk_status cuzk_phases_run(const struct cuzk_machine_model *model, uint32_t proofs, uint32_t in_flight,
                                 uint32_t seeds, struct cuzk_phases *out, struct cuzk_error *err)
{
    memset(out, 0, sizeof *out);
    out->model = *model;
    out->proofs = proofs;
    out->in_flight = in_flight;
    out->seeds = seeds;
    for (const char *preset; (preset = cuzk_knobs_preset_name(out->phase_count)) != NULL;
         out->phase_count++) {
        out->phases[out->phase_count].preset = preset;
        CUZK_TRY(run_phase(out, &out->phases[out->phase_count], err));
    }
    CUZK_TRY(run_curve(out, err));
    fit_memory(out);
    CUZK_TRY(ask_phase_10(out, err));
    CUZK_TRY(ask_second_worker(out, err));
    ask_saturation(out);
    return ask_registration(out, err);
}

enum cuzk_status cuzk_phases_measure(const struct cuzk_phases_runner *runner, uint32_t proofs,
                                     uint32_t in_flight, uint32_t runs, struct cuzk_phases *out,
                                     struct cuzk_error *err)
{
    memset(out, 0, sizeof *out);
    out->runner = runner;
    snprintf(out->model.name, sizeof out->model.name, "%.63s", runner->what);
    snprintf(out->model.note, sizeof out->model.note, "%s", runner->note);
    out->model.partitions = runner->partitions;
    out->model.devices = runner->devices;
    out->model.host_memory = runner->host_memory;
    out->proofs = proofs;
    out->in_flight = in_flight;
    out->seeds = runs > 0 ? runs : 1;
    for (const char *preset; (preset = cuzk_knobs_preset_name(out->phase_count)) != NULL;
         out->phase_count++) {
        out->phases[out->phase_count].preset = preset;
        CUZK_TRY(run_phase(out, &out->phases[out->phase_count], err));
    }
    CUZK_TRY(run_curve(out, err));
    if (out->point_count > 1)
        fit_memory(out);
    return CUZK_OK;
}
