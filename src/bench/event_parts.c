#include "bench/event_parts.h"

#include <stdlib.h>

#include "base/mem.h"

/* What is open at a moment, in the order in which it is asked; the parts of engine/sim.h follow from it. */
enum open_class { OPEN_KERNELS, OPEN_UPLOAD, OPEN_PREPARE, OPEN_PIN, OPEN_CALL, OPEN_SECTION, OPEN_CLASSES };

struct edge {
    uint64_t at;
    enum open_class class;
    int step; /* +1 or -1 */
};

/* One partition's way through a device. */
struct call {
    uint64_t job;
    int32_t partition;
    uint64_t begin, end, section_begin, section_end;
};

static bool is_of_call(enum cuzk_sched_stage stage)
{
    return stage >= CUZK_STAGE_SETUP && stage <= CUZK_STAGE_FINISH;
}

static bool is_of_section(enum cuzk_sched_stage stage)
{
    return stage >= CUZK_STAGE_UPLOAD && stage <= CUZK_STAGE_MSM;
}

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static int by_partition(const void *one, const void *other)
{
    const struct cuzk_engine_event *a = *(const struct cuzk_engine_event *const *)one,
                                   *b = *(const struct cuzk_engine_event *const *)other;

    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    if (a->partition != b->partition)
        return a->partition < b->partition ? -1 : 1;
    return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static int by_time(const void *one, const void *other)
{
    const struct edge *a = one, *b = other;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return b->step - a->step; /* what ends where another begins leaves no gap */
}

static void note(struct edge *edges, size_t *count, enum open_class class, uint64_t begin, uint64_t end)
{
    edges[(*count)++] = (struct edge){begin, class, 1};
    edges[(*count)++] = (struct edge){end, class, -1};
}

static void note_stage(struct edge *edges, size_t *count, const struct cuzk_engine_event *event)
{
    switch (event->stage) {
    case CUZK_STAGE_QUOTIENT:
    case CUZK_STAGE_MSM:
        note(edges, count, OPEN_KERNELS, event->begin_ns, event->end_ns);
        break;
    case CUZK_STAGE_UPLOAD:
        note(edges, count, OPEN_UPLOAD, event->begin_ns, event->end_ns);
        break;
    case CUZK_STAGE_PREPARE:
        note(edges, count, OPEN_PREPARE, event->begin_ns, event->end_ns);
        break;
    case CUZK_STAGE_PIN:
    case CUZK_STAGE_UNPIN:
        note(edges, count, OPEN_PIN, event->begin_ns, event->end_ns);
        break;
    default:
        break;
    }
}

struct sums {
    uint64_t synthesis_ns, kernels_ns, call_ns, section_ns, stage_ns[CUZK_STAGES];
    uint64_t calls, stage_count[CUZK_STAGES];
    uint64_t first_section, last_section, first_call, last_call, first_witness, last_witness;
};

/* A call is the stages of one partition, from its first on the device to its proof. */
static void take_call(const struct call *call, struct sums *sums, struct edge *edges, size_t *count)
{
    if (call->end == 0 || call->section_end == 0)
        return;
    sums->calls++;
    sums->call_ns += call->end - call->begin;
    sums->section_ns += call->section_end - call->section_begin;
    if (call->section_begin < sums->first_section)
        sums->first_section = call->section_begin;
    if (call->section_end > sums->last_section)
        sums->last_section = call->section_end;
    if (call->begin < sums->first_call)
        sums->first_call = call->begin;
    if (call->end > sums->last_call)
        sums->last_call = call->end;
    note(edges, count, OPEN_CALL, call->begin, call->end);
    note(edges, count, OPEN_SECTION, call->section_begin, call->section_end);
}

static void take_stage(const struct cuzk_engine_event *event, struct call *call, struct sums *sums)
{
    const uint64_t took = event->end_ns - event->begin_ns;

    sums->stage_ns[event->stage] += took;
    sums->stage_count[event->stage]++;
    if (event->stage == CUZK_STAGE_WITNESS) {
        sums->synthesis_ns += took;
        if (event->begin_ns < sums->first_witness)
            sums->first_witness = event->begin_ns;
        if (event->begin_ns > sums->last_witness)
            sums->last_witness = event->begin_ns;
    }
    if (!is_of_call(event->stage))
        return;
    sums->kernels_ns += event->kernels_ns;
    if (call->begin == 0 || event->begin_ns < call->begin)
        call->begin = event->begin_ns;
    if (event->end_ns > call->end)
        call->end = event->end_ns;
    if (!is_of_section(event->stage))
        return;
    if (call->section_begin == 0 || event->begin_ns < call->section_begin)
        call->section_begin = event->begin_ns;
    if (event->end_ns > call->section_end)
        call->section_end = event->end_ns;
}

static enum cuzk_sim_part part_at(const unsigned open[OPEN_CLASSES], uint64_t at, const struct sums *sums)
{
    if (open[OPEN_KERNELS] > 0)
        return CUZK_PART_KERNELS;
    if (open[OPEN_UPLOAD] > 0)
        return CUZK_PART_UPLOAD;
    if (open[OPEN_SECTION] > 0)
        return open[OPEN_PREPARE] > 0 ? CUZK_PART_PREPARE : CUZK_PART_CALL;
    if (at < sums->first_section)
        return CUZK_PART_FILL;
    if (at >= sums->last_section)
        return CUZK_PART_DRAIN;
    if (open[OPEN_PIN] > 0)
        return CUZK_PART_PIN;
    return open[OPEN_CALL] > 0 ? CUZK_PART_CALL : CUZK_PART_SYNTHESIS;
}

/* Goes through time once; what is between two edges is one thing. */
static void sweep(const struct edge *edges, size_t count, const struct cuzk_event_parts_load *load,
                  const struct sums *sums, struct cuzk_sim_result *out)
{
    uint64_t part_ns[CUZK_PARTS] = {0}, held_ns = 0, busy_ns = 0, calls_ns = 0, at = load->begin_ns;
    unsigned open[OPEN_CLASSES] = {0};

    for (size_t i = 0; i <= count; i++) {
        uint64_t next = i < count ? edges[i].at : load->end_ns;

        if (next > load->end_ns)
            next = load->end_ns;
        if (next > at) {
            part_ns[part_at(open, at, sums)] += next - at;
            held_ns += open[OPEN_SECTION] > 0 ? next - at : 0;
            busy_ns += open[OPEN_KERNELS] > 0 ? next - at : 0;
            calls_ns += open[OPEN_CALL] > 0 ? next - at : 0;
            at = next;
        }
        if (i < count)
            open[edges[i].class] += (unsigned)edges[i].step;
    }
    for (unsigned part = 0; part < CUZK_PARTS; part++)
        out->part[part] = seconds(part_ns[part]) / load->proofs;
    const double window = seconds(sums->last_section - sums->first_section);
    const double calls_window = seconds(sums->last_call - sums->first_call);

    out->device_held = window > 0 ? seconds(held_ns) / window : 0;
    out->device_busy = window > 0 ? seconds(busy_ns) / window : 0;
    out->calls_utilisation = calls_window > 0 ? seconds(calls_ns) / calls_window : 0;
    out->gaps = calls_window - seconds(calls_ns);
    out->workers_busy =
        window > 0 && load->device_workers > 0 ? seconds(sums->call_ns) / (window * load->device_workers) : 0;
    if (out->workers_busy > 1)
        out->workers_busy = 1; /* the last calls end behind the last section */
}

static void fill(const struct sums *sums, const struct cuzk_event_parts_load *load,
                 struct cuzk_sim_result *out)
{
    const double calls = (double)sums->calls;

    out->wall = seconds(load->end_ns - load->begin_ns);
    out->per_proof = out->wall / load->proofs;
    out->calls_per_proof = seconds(sums->call_ns) / load->proofs;
    out->call = seconds(sums->call_ns) / calls;
    out->section = seconds(sums->section_ns) / calls;
    out->kernels = seconds(sums->kernels_ns) / calls;
    out->synthesis = sums->stage_count[CUZK_STAGE_WITNESS] > 0
                         ? seconds(sums->synthesis_ns) / (double)sums->stage_count[CUZK_STAGE_WITNESS]
                         : 0;
    for (unsigned stage = 0; stage < CUZK_STAGES; stage++)
        out->stage[stage] = sums->stage_count[stage] > 0
                                ? seconds(sums->stage_ns[stage]) / (double)sums->stage_count[stage]
                                : 0;
    const double window = sums->last_witness > sums->first_witness
                              ? seconds(sums->last_witness - sums->first_witness) * load->witness_workers
                              : 0;

    out->synthesis_busy = window > 0 ? seconds(sums->synthesis_ns) / window : 0;
    if (out->synthesis_busy > 1)
        out->synthesis_busy = 1; /* the last ones run on behind their begin */
    out->units = sums->calls;
}

enum cuzk_status cuzk_event_parts(const struct cuzk_engine_event *events, size_t count,
                                  const struct cuzk_event_parts_load *load, struct cuzk_sim_result *out,
                                  struct cuzk_error *err)
{
    struct sums sums = {.first_section = UINT64_MAX, .first_call = UINT64_MAX, .first_witness = UINT64_MAX};
    const struct cuzk_engine_event **order = NULL;
    struct edge *edges = NULL;
    enum cuzk_status status;
    size_t stages = 0, edge_count = 0;
    struct call call = {0};

    CUZK_TRY_OUT(CUZK_NEW(&order, count, "order of events", err));
    CUZK_TRY_OUT(CUZK_NEW(&edges, 6 * count + 8, "moments", err));
    for (size_t i = 0; i < count; i++)
        if (events[i].type == CUZK_EVENT_TYPE_STAGE && (unsigned)events[i].stage < CUZK_STAGES)
            order[stages++] = &events[i];
    if (stages > 0)
        qsort((void *)order, stages, sizeof *order, by_partition);
    for (size_t i = 0; i < stages; i++) {
        const struct cuzk_engine_event *event = order[i];
        const bool same =
            i > 0 && event->job == order[i - 1]->job && event->partition == order[i - 1]->partition;

        /* a second WITNESS, or a second way over the device, is a retry: a call of its own */
        if (!same || event->stage == CUZK_STAGE_WITNESS ||
            (event->stage == CUZK_STAGE_UPLOAD && call.section_end != 0)) {
            take_call(&call, &sums, edges, &edge_count);
            call = (struct call){.job = event->job, .partition = event->partition};
        }
        take_stage(event, &call, &sums);
        note_stage(edges, &edge_count, event);
    }
    take_call(&call, &sums, edges, &edge_count);
    if (sums.calls == 0) {
        status = cuzk_error_set(err, CUZK_ARGUMENT, "events: none of %zu is a stage on a device", count);
        goto out;
    }
    qsort(edges, edge_count, sizeof *edges, by_time);
    fill(&sums, load, out);
    sweep(edges, edge_count, load, &sums, out);
out:
    cuzk_mem_free((void *)order);
    cuzk_mem_free(edges);
    return status;
}
