#include "cli/trace_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/event_parts.h"

static int by_lane(const void *one, const void *other)
{
    const struct cuzk_timeline_event *a = *(const struct cuzk_timeline_event *const *)one,
                                     *b = *(const struct cuzk_timeline_event *const *)other;
    const int order = strverscmp(a->lane, b->lane);

    if (order != 0)
        return order;
    return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static int by_number(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return a < b ? -1 : a > b;
}

/* Spans in order of lane and begin. */
static void add_lanes(const struct cuzk_timeline_event *const *order, size_t count,
                      struct cli_trace_summary *out)
{
    struct cli_trace_lane *lane = NULL;
    uint64_t until = 0;

    for (size_t i = 0; i < count; i++) {
        const struct cuzk_timeline_event *event = order[i];

        if (lane == NULL || (strcmp(lane->name, event->lane) != 0 && out->lanes < CLI_TRACE_LANES_MOST)) {
            lane = &out->lane[out->lanes++];
            *lane = (struct cli_trace_lane){.name = event->lane};
            until = 0;
        }
        lane->spans++;
        lane->kernels_ns += event->kernels_ns;
        lane->transfer_ns += event->transfer_ns;
        if (event->end_ns > until) {
            lane->busy_ns += event->end_ns - (event->begin_ns > until ? event->begin_ns : until);
            until = event->end_ns;
        }
    }
}

static bool stage_of(const char *name, enum cuzk_sched_stage *out)
{
    for (int stage = 0; stage < CUZK_STAGES; stage++)
        if (strcmp(name, cuzk_sched_stage_name((enum cuzk_sched_stage)stage)) == 0) {
            *out = (enum cuzk_sched_stage)stage;
            return true;
        }
    return false;
}

/* ---- while there was a job ---- */

/* From a job's first event to its last; then, joined, a stretch of time with a job. */
struct stretch {
    uint64_t begin_ns, end_ns;
    uint64_t before_ns; /* sum of the stretches before it */
};

static int by_job(const void *one, const void *other)
{
    const struct cuzk_timeline_event *a = one, *b = other;

    return (a->job > b->job) - (a->job < b->job);
}

static int by_begin(const void *one, const void *other)
{
    const struct stretch *a = one, *b = other;

    return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* The stretches, ascending and apart; `sorted` is put in order of jobs. Returns how many. */
static size_t join_jobs(struct cuzk_timeline_event *sorted, size_t count, struct stretch *out)
{
    size_t jobs = 0, joined = 0;

    qsort(sorted, count, sizeof *sorted, by_job);
    for (size_t i = 0; i < count; i++) {
        const struct stretch own = {sorted[i].begin_ns, sorted[i].end_ns, 0};

        if (sorted[i].job == 0)
            continue;
        if (jobs == 0 || sorted[i].job != sorted[i - 1].job)
            out[jobs++] = own;
        if (own.begin_ns < out[jobs - 1].begin_ns)
            out[jobs - 1].begin_ns = own.begin_ns;
        if (own.end_ns > out[jobs - 1].end_ns)
            out[jobs - 1].end_ns = own.end_ns;
    }
    qsort(out, jobs, sizeof *out, by_begin);
    for (size_t i = 0; i < jobs; i++) {
        if (joined == 0 || out[i].begin_ns > out[joined - 1].end_ns)
            out[joined++] = out[i];
        else if (out[i].end_ns > out[joined - 1].end_ns)
            out[joined - 1].end_ns = out[i].end_ns;
    }
    for (size_t i = 1; i < joined; i++)
        out[i].before_ns = out[i - 1].before_ns + out[i - 1].end_ns - out[i - 1].begin_ns;
    return joined;
}

/* How much of the time before a moment had a job. */
static uint64_t with_job(const struct stretch *stretches, size_t count, uint64_t at_ns)
{
    size_t first = 0, end = count; /* stretches before `first` begin earlier, those from `end` on do not */

    while (first < end) {
        const size_t middle = first + (end - first) / 2;

        if (stretches[middle].begin_ns < at_ns)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == 0)
        return 0;
    const struct stretch *last = &stretches[first - 1];

    return last->before_ns + (last->end_ns < at_ns ? last->end_ns : at_ns) - last->begin_ns;
}

/* Workers are lanes; which ones are told by the stages on them. */
static uint32_t count_lanes(const struct cuzk_timeline_event *const *order, size_t count,
                            enum cuzk_sched_stage stage)
{
    const char *name = cuzk_sched_stage_name(stage), *last = NULL;
    uint32_t lanes = 0;

    for (size_t i = 0; i < count; i++)
        if (strcmp(order[i]->stage, name) == 0 && (last == NULL || strcmp(last, order[i]->lane) != 0)) {
            last = order[i]->lane;
            lanes++;
        }
    return lanes;
}

/* Nobody waits for a device while there is no job: such time is no part of what it lost. */
static enum cuzk_status add_parts(const struct cuzk_timeline_event *const *order, size_t count,
                                  const struct stretch *stretches, size_t stretch_count,
                                  struct cli_trace_summary *out, struct cuzk_error *err)
{
    const uint64_t whole = with_job(stretches, stretch_count, UINT64_MAX);
    const struct cuzk_event_parts_load load = {
        .proofs = (uint32_t)(out->jobs > 0 ? out->jobs : 1),
        .begin_ns = 0,
        .end_ns = whole,
        .witness_workers = count_lanes(order, count, CUZK_STAGE_WITNESS),
        .device_workers = count_lanes(order, count, CUZK_STAGE_MSM),
    };
    struct cuzk_engine_event *events;
    size_t stages = 0;

    if (load.device_workers == 0 || out->jobs == 0)
        return CUZK_OK;
    CUZK_TRY(CUZK_NEW(&events, count, "stages", err));
    for (size_t i = 0; i < count; i++) {
        struct cuzk_engine_event *event = &events[stages];

        event->type = CUZK_EVENT_TYPE_STAGE;
        if (!stage_of(order[i]->stage, &event->stage))
            continue;
        event->begin_ns = with_job(stretches, stretch_count, order[i]->begin_ns);
        event->end_ns = with_job(stretches, stretch_count, order[i]->end_ns);
        event->job = order[i]->job;
        event->partition = order[i]->partition;
        event->kernels_ns = order[i]->kernels_ns;
        event->transfer_ns = order[i]->transfer_ns;
        stages++;
    }
    const enum cuzk_status status = cuzk_event_parts(events, stages, &load, &out->parts, err);

    cuzk_mem_free(events);
    out->engine = status == CUZK_OK;
    if (out->engine)
        out->idle_ns = out->end_ns - out->begin_ns - whole;
    return status == CUZK_ARGUMENT ? CUZK_OK : status;
}

enum cuzk_status cli_trace_summarise(const struct cuzk_timeline *timeline, struct cli_trace_summary *out,
                                     struct cuzk_error *err)
{
    enum cuzk_status status;
    size_t count;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);
    const struct cuzk_timeline_event **order = NULL;
    struct cuzk_timeline_event *sorted = NULL;
    struct stretch *stretches = NULL;
    uint64_t *jobs = NULL;

    *out = (struct cli_trace_summary){.begin_ns = count > 0 ? UINT64_MAX : 0};
    CUZK_TRY_OUT(CUZK_NEW(&order, count, "order of events", err));
    CUZK_TRY_OUT(CUZK_NEW(&jobs, count, "jobs", err));
    CUZK_TRY_OUT(CUZK_NEW(&sorted, count, "events", err));
    CUZK_TRY_OUT(CUZK_NEW(&stretches, count, "stretches of time", err));
    for (size_t i = 0; i < count; i++) {
        out->begin_ns = events[i].begin_ns < out->begin_ns ? events[i].begin_ns : out->begin_ns;
        out->end_ns = events[i].end_ns > out->end_ns ? events[i].end_ns : out->end_ns;
        jobs[i] = events[i].job;
        if (events[i].mark)
            out->marks++;
        else
            order[out->spans++] = &events[i];
    }
    qsort(jobs, count, sizeof *jobs, by_number);
    for (size_t i = 0; i < count; i++)
        out->jobs += jobs[i] != 0 && (i == 0 || jobs[i] != jobs[i - 1]);
    qsort((void *)order, out->spans, sizeof *order, by_lane);
    add_lanes(order, out->spans, out);
    if (count > 0)
        memcpy(sorted, events, count * sizeof *sorted);
    status = add_parts(order, out->spans, stretches, join_jobs(sorted, count, stretches), out, err);
out:
    cuzk_mem_free(jobs);
    cuzk_mem_free(sorted);
    cuzk_mem_free(stretches);
    cuzk_mem_free((void *)order);
    return status;
}
