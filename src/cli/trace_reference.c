#include "cli/trace_reference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/sched.h"

enum { WORKERS_MOST = 256, MOMENTS = 3 /* of one span, at most */ };

/* In the order in which they follow each other where their time is the same. */
static const char *const names[] = {"GPU_END",   "SYNTH_START", "SYNTH_END",
                                    "CHAN_SEND", "GPU_PICKUP",  "GPU_START"};

enum moment_name { GPU_END, SYNTH_START, SYNTH_END, CHAN_SEND, GPU_PICKUP, GPU_START };

struct moment {
    uint64_t at_ns, took_ns;
    enum moment_name name;
    uint32_t order; /* of its event */
    uint64_t job;
    int32_t partition;
    int worker; /* -1: none */
};

struct reference {
    const struct cuzk_timeline_event *events;
    size_t event_count;
    const char *worker[WORKERS_MOST]; /* lanes that calls began on, sorted */
    int workers;
    struct moment *moments;
    size_t count;
};

static bool is_stage(const struct cuzk_timeline_event *event, enum cuzk_sched_stage stage)
{
    return !event->mark && strcmp(event->stage, cuzk_sched_stage_name(stage)) == 0;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void find_workers(struct reference *reference)
{
    for (size_t i = 0; i < reference->event_count; i++) {
        const char *const lane = reference->events[i].lane;
        int k = 0;

        if (!is_stage(&reference->events[i], CUZK_STAGE_SETUP))
            continue;
        while (k < reference->workers && strcmp(reference->worker[k], lane) != 0)
            k++;
        if (k == reference->workers && k < WORKERS_MOST)
            reference->worker[reference->workers++] = lane;
    }
    qsort((void *)reference->worker, (size_t)reference->workers, sizeof reference->worker[0], compare_names);
}

static int worker_of(const struct reference *reference, const char *lane)
{
    for (int k = 0; k < reference->workers; k++)
        if (strcmp(reference->worker[k], lane) == 0)
            return k;
    return -1;
}

static void add(struct reference *reference, enum moment_name name, size_t event, uint64_t at_ns,
                uint64_t took_ns, int worker)
{
    reference->moments[reference->count++] = (struct moment){at_ns,
                                                             took_ns,
                                                             name,
                                                             (uint32_t)event,
                                                             reference->events[event].job,
                                                             reference->events[event].partition,
                                                             worker};
}

/* The call that event ends: the last that began for its partition. NULL: it is not in the timeline. */
static const struct cuzk_timeline_event *call_of(const struct reference *reference, size_t event)
{
    const struct cuzk_timeline_event *const end = &reference->events[event];

    for (size_t i = event; i-- > 0;)
        if (reference->events[i].job == end->job && reference->events[i].partition == end->partition &&
            is_stage(&reference->events[i], CUZK_STAGE_SETUP))
            return &reference->events[i];
    return NULL;
}

static void add_event(struct reference *reference, size_t i)
{
    const struct cuzk_timeline_event *const event = &reference->events[i];
    const uint64_t took = event->end_ns - event->begin_ns;

    if (is_stage(event, CUZK_STAGE_WITNESS)) {
        add(reference, SYNTH_START, i, event->begin_ns, 0, -1);
        add(reference, SYNTH_END, i, event->end_ns, took, -1);
        add(reference, CHAN_SEND, i, event->end_ns, 0, -1);
    } else if (is_stage(event, CUZK_STAGE_SETUP)) {
        const int worker = worker_of(reference, event->lane);

        add(reference, GPU_PICKUP, i, event->begin_ns, 0, worker);
        add(reference, GPU_START, i, event->begin_ns, 0, worker);
    } else if (is_stage(event, CUZK_STAGE_FINISH)) {
        const struct cuzk_timeline_event *const call = call_of(reference, i);

        if (call != NULL)
            add(reference, GPU_END, i, event->end_ns, event->end_ns - call->begin_ns,
                worker_of(reference, call->lane));
    }
}

static int compare_moments(const void *one, const void *other)
{
    const struct moment *a = one, *b = other;

    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static void say(struct cli_session *session, const struct moment *moment, uint64_t origin_ns)
{
    char worker[24] = "", partition[24] = "", took[32] = "";
    const uint64_t ms = moment->took_ns / CUZK_NS_PER_MS;

    if (moment->worker >= 0)
        snprintf(worker, sizeof worker, "worker=%d", moment->worker);
    if (moment->partition != CUZK_TIMELINE_NO_PARTITION)
        snprintf(partition, sizeof partition, "%spartition=%" PRId32, worker[0] != '\0' ? "," : "",
                 moment->partition);
    if (moment->name == SYNTH_END || moment->name == GPU_END)
        snprintf(took, sizeof took, "%s%s=%" PRIu64, worker[0] != '\0' || partition[0] != '\0' ? "," : "",
                 moment->name == SYNTH_END ? "synth_ms" : "gpu_ms", ms);
    cli_session_say(session, "TIMELINE,%" PRIu64 ",%s,%016" PRIx64 ",%s%s%s",
                    (moment->at_ns - origin_ns) / CUZK_NS_PER_MS, names[moment->name], moment->job, worker,
                    partition, took);
}

enum cuzk_status cli_trace_say_reference(struct cli_session *session, const struct cuzk_timeline *timeline,
                                         struct cuzk_error *err)
{
    struct reference reference = {0};
    uint64_t origin_ns = UINT64_MAX;

    reference.events = cuzk_timeline_events(timeline, &reference.event_count);
    CUZK_TRY(CUZK_NEW(&reference.moments, MOMENTS * reference.event_count, "moments of a timeline", err));
    find_workers(&reference);
    for (size_t i = 0; i < reference.event_count; i++) {
        if (reference.events[i].begin_ns < origin_ns)
            origin_ns = reference.events[i].begin_ns;
        add_event(&reference, i);
    }
    qsort(reference.moments, reference.count, sizeof *reference.moments, compare_moments);
    for (size_t i = 0; i < reference.count; i++)
        say(session, &reference.moments[i], origin_ns);
    cuzk_mem_free(reference.moments);
    return CUZK_OK;
}
