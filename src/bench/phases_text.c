/* The retrospective as tables for people. */
#include <stdio.h>
#include <string.h>

#include "bench/emit.h"
#include "bench/phases.h"

#define PRINT(...) cuzk_bench_emit(out, __VA_ARGS__)

/* Measured loads are small: milliseconds and MiB count. */
static int second_decimals(const struct cuzk_phases *phases)
{
    return phases->runner != NULL ? 3 : 1;
}

static int gib_decimals(const struct cuzk_phases *phases)
{
    return phases->runner != NULL ? 3 : 0;
}

/* The phase before whose figures can be compared; NULL for the first. */
static const struct cuzk_phase *before(const struct cuzk_phases *phases, uint32_t i)
{
    while (i-- > 0)
        if (phases->phases[i].runs && phases->phases[i].fits)
            return &phases->phases[i];
    return NULL;
}

/* Values that the backend takes for others. */
static void same_values(const struct cuzk_phases *phases, enum cuzk_knob knob, struct cuzk_bench_emit *out)
{
    char value[32], other[32];
    uint32_t as;

    for (uint32_t i = 0; i < cuzk_knob_choices(knob); i++) {
        const char *why = cuzk_knob_taken_for(knob, i, phases->runner->backend, &as);

        cuzk_knob_format(knob, i, value, sizeof value);
        cuzk_knob_format(knob, as, other, sizeof other);
        if (why != NULL)
            PRINT("%s=%s is the same as %s on %s: %s\n", cuzk_knob_row(knob)->name, value, other,
                  phases->runner->backend, why);
    }
}

static void throughput(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    const int d = second_decimals(phases);

    PRINT(
        "1. Throughput. Alone: one proof. Under load: %u proofs, %u in flight, batch wall / proofs, fill and "
        "drain included.\n   Steady: time between answers under load. The step is against the last phase "
        "whose load fits the "
        "host; steps under 5%% are within the\n   noise of %s figures.\n\n",
        phases->proofs, phases->in_flight, phases->runner != NULL ? "such" : "the published");
    PRINT("%-9s %9s %9s %9s %9s %9s %8s\n", "phase", "alone s", "loaded s", "steady s", "latency s", "step s",
          "step %");
    for (uint32_t i = 0; i < phases->phase_count; i++) {
        const struct cuzk_phase *phase = &phases->phases[i], *last = before(phases, i);

        if (!phase->runs) {
            PRINT("%-9s does not run here: %s\n", phase->preset, phase->refusal);
            continue;
        }
        PRINT("%-9s %9.*f %9.*f %9.*f %9.*f", phase->preset, d, phase->alone.per_proof, d,
              phase->loaded.per_proof, d, phase->loaded.steady, d, phase->loaded.latency_mean);
        if (!phase->fits)
            PRINT("  not comparable: needs %.0f GiB of host memory", phase->loaded.host_peak);
        else if (last != NULL)
            PRINT(" %+9.*f %+7.1f%%", d, phase->loaded.per_proof - last->loaded.per_proof,
                  100 * (phase->loaded.per_proof / last->loaded.per_proof - 1));
        PRINT("%s%s\n", phase->note[0] != '\0' ? "  " : "", phase->note);
    }
    for (unsigned knob = 0; phases->runner != NULL && knob < CUZK_KNOBS; knob++) {
        const char *why = cuzk_knob_meaningless((enum cuzk_knob)knob, phases->runner->backend);

        if (why != NULL)
            PRINT("%s means nothing on %s: %s\n", cuzk_knob_row((enum cuzk_knob)knob)->name,
                  phases->runner->backend, why);
        same_values(phases, (enum cuzk_knob)knob, out);
    }
}

static void kernels(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    PRINT("\n2. The device, seconds per partition under load. Busy: kernels; held: the lock; call: from "
          "entry to "
          "proof, waits\n   included. Utilisations are of the time from the first section to the last; calls "
          "count as the reference counted.\n\n");
    PRINT("%-9s %8s %8s %8s %8s %8s %8s | %7s %7s %7s\n", "phase", "upload", "quotient", "other", "kernels",
          "held", "call", "busy", "held", "calls");
    for (uint32_t i = 0; i < phases->phase_count; i++) {
        const struct cuzk_phase *phase = &phases->phases[i];
        const struct cuzk_sim_result *r = &phase->loaded;

        if (phase->runs)
            PRINT("%-9s %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f | %6.1f%% %6.1f%% %6.1f%%\n", phase->preset,
                  r->stage[CUZK_STAGE_UPLOAD], r->stage[CUZK_STAGE_QUOTIENT], r->stage[CUZK_STAGE_MSM],
                  r->kernels, r->section, r->call, 100 * r->device_busy, 100 * r->device_held,
                  100 * r->calls_utilisation);
    }
    if (phases->runner == NULL)
        PRINT("Where whole proofs go to the device a stage is that of the whole call.\n");
}

/* What the processors counted under load; nothing where they could not. */
static void counted(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    PRINT("\nProcessors at work, and what they counted (0: this machine does not count it), under load.\n\n");
    PRINT("%-9s %11s %14s %12s %13s\n", "phase", "processors", "instr./cycle", "lines GB/s", "another node");
    for (uint32_t i = 0; i < phases->phase_count; i++) {
        const struct cuzk_sim_result *r = &phases->phases[i].loaded;

        if (phases->phases[i].runs)
            PRINT("%-9s %11.2f %14.2f %12.2f %12.1f%%\n", phases->phases[i].preset, r->processors, r->ipc,
                  r->cache_gb_s, 100 * r->remote_share);
    }
}

static void bottlenecks(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    PRINT("\n3. What each phase is limited by, decided from where the device's time goes%s.\n\n",
          phases->runner != NULL ? " and from what the processors counted" : "");
    PRINT("%-9s %-62s %s\n", "phase", "under load", "alone");
    for (uint32_t i = 0; i < phases->phase_count; i++)
        if (phases->phases[i].runs)
            PRINT("%-9s %-62s %s\n", phases->phases[i].preset, phases->phases[i].loaded_limit,
                  phases->phases[i].alone_limit);
    if (phases->runner != NULL)
        counted(phases, out);
}

static void memory(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    const int g = gib_decimals(phases);

    PRINT("\n4. Peak memory, GiB%s.\n\n%-9s %11s %12s %13s\n",
          phases->runner != NULL ? "; host: resident memory of the whole process, key and program included"
                                 : "",
          "phase", "host alone", "host loaded", "device loaded");
    for (uint32_t i = 0; i < phases->phase_count; i++)
        if (phases->phases[i].runs)
            PRINT("%-9s %11.*f %12.*f %13.*f\n", phases->phases[i].preset, g,
                  phases->phases[i].alone.host_peak, g, phases->phases[i].loaded.host_peak, g + 1,
                  phases->phases[i].loaded.device_peak);
    if (phases->point_count > 1)
        PRINT("Phase 12 under load, fitted: %.*f GiB + partition workers x %.*f GiB, worst deviation %.*f "
              "GiB.\n",
              g, phases->memory_base, g + 1, phases->memory_slope, g, phases->memory_residual);
}

static void floors(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    const int d = second_decimals(phases);

    PRINT("\n5. Floors and the gap to them, seconds a proof under load. The kernel floor is kernels x "
          "partitions, the host floor the\n   serial host path of a call x partitions. The parts of the gap "
          "add up to it: at each moment what the device waited for.\n\n");
    PRINT("%-9s %8s %8s %8s %8s |", "phase", "kernel", "host", "observed", "gap");
    for (unsigned part = CUZK_PART_UPLOAD; part < CUZK_PARTS; part++)
        PRINT(" %*s",
              (int)strlen(cuzk_sim_part_name((enum cuzk_sim_part)part)) > 8
                  ? (int)strlen(cuzk_sim_part_name((enum cuzk_sim_part)part))
                  : 8,
              cuzk_sim_part_name((enum cuzk_sim_part)part));
    PRINT("\n");
    for (uint32_t i = 0; i < phases->phase_count; i++) {
        const struct cuzk_phase *phase = &phases->phases[i];

        if (!phase->runs)
            continue;
        PRINT("%-9s %8.*f %8.*f %8.*f %8.*f |", phase->preset, d, phase->kernel_floor, d, phase->host_floor,
              d, phase->loaded.per_proof, d, phase->loaded.per_proof - phase->kernel_floor);
        for (unsigned part = CUZK_PART_UPLOAD; part < CUZK_PARTS; part++) {
            const int width = (int)strlen(cuzk_sim_part_name((enum cuzk_sim_part)part));

            PRINT(" %*.*f", width > 8 ? width : 8, d + 1, phase->loaded.part[part]);
        }
        PRINT("\n");
    }
}

static void returns(const struct cuzk_phases *phases, struct cuzk_bench_emit *out)
{
    PRINT("\n6. Diminishing returns: phase 12 under load by partition workers.\n\n%8s %9s %9s %9s\n",
          "workers", "s/proof", "gain", "host GiB");
    for (uint32_t i = 0; i < phases->point_count; i++) {
        const struct cuzk_phase_point *point = &phases->points[i];

        PRINT("%8u %9.*f", point->workers, second_decimals(phases), point->per_proof);
        if (i > 0)
            PRINT(" %8.1f%%", 100 * (1 - point->per_proof / phases->points[i - 1].per_proof));
        else
            PRINT(" %9s", "");
        PRINT(" %9.*f\n", gib_decimals(phases), point->host_peak);
    }
}

static void published_rows(const struct cuzk_published_figures *published, struct cuzk_bench_emit *out)
{
    PRINT("\nSimulated against published, each in the metric that was published. %s.\n", published->source);
    for (uint32_t g = 0; g < published->group_count; g++) {
        const struct cuzk_published_group *group = &published->groups[g];
        const char *unit = group->unit == CUZK_PUBLISHED_POINTS ? " points" : "%";

        PRINT("\n%s: %s.\n", group->name, group->meaning);
        if (group->unit == CUZK_PUBLISHED_NONE)
            PRINT("Not matched and not judged.\n");
        else
            PRINT("Median error %.1f%s (bound %.0f), worst %.1f%s (bound %.0f), %u of %u inside.\n",
                  group->middle, unit, group->median, group->worst, unit, group->each,
                  group->rows - group->outside, group->rows);
        for (uint32_t i = 0; i < published->row_count; i++) {
            const struct cuzk_published_row *row = &published->rows[i];

            if (row->group == g)
                PRINT("  %-52s %-18s %8.1f %8.1f %+7.1f%s%s\n", row->name, row->metric, row->published,
                      row->simulated, row->error, unit, row->inside ? "" : "  outside");
        }
    }
    PRINT(
        "\nThe model was fitted to some of these figures, and its structure was chosen knowing all of them: "
        "agreement is no proof.\n");
}

enum cuzk_status cuzk_phases_write_text(const struct cuzk_phases *phases, struct cuzk_sink sink,
                                        struct cuzk_error *err)
{
    struct cuzk_bench_emit emit = {sink, err, CUZK_OK}, *out = &emit;

    if (phases->runner != NULL)
        PRINT("The phases, measured: %s. The middle of %u run%s each.\n%s\n\n", phases->runner->what,
              phases->seeds, phases->seeds == 1 ? "" : "s", phases->model.note);
    else
        PRINT("The phases on a model: %s. %u seeds.\n%s\n\n", phases->model.name, phases->seeds,
              phases->model.note);
    throughput(phases, out);
    kernels(phases, out);
    bottlenecks(phases, out);
    memory(phases, out);
    floors(phases, out);
    returns(phases, out);
    if (phases->question_count > 0)
        PRINT("\nWhat nobody could measure, asked of the model:\n");
    for (uint32_t i = 0; i < phases->question_count; i++)
        PRINT("- %s: %s.\n", phases->questions[i].question, phases->questions[i].answer);
    if (phases->published != NULL)
        published_rows(phases->published, out);
    return emit.status;
}
