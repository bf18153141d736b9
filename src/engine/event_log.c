#include "engine/event_log.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/event_timeline.h"

struct cuzk_event_log {
    pthread_mutex_t lock;
    pthread_cond_t added;
    struct cuzk_engine_event *ring;
    size_t room;
    uint64_t last; /* number of the newest event; it lies at (last - 1) % room */
    unsigned waiting;
    struct cuzk_event_totals totals;
    void (*each)(void *context, const struct cuzk_engine_event *event);
    void *context;
};

enum cuzk_status cuzk_event_log_create(size_t room, struct cuzk_event_log **out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_event_log *log;
    pthread_condattr_t monotonic;

    *out = NULL;
    if (room == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "event log: expected room for at least 1 event, found 0");
    CUZK_TRY(CUZK_NEW(&log, 1, "event log", err));
    pthread_mutex_init(&log->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&log->added, &monotonic);
    pthread_condattr_destroy(&monotonic);
    CUZK_TRY_OUT(CUZK_NEW(&log->ring, room, "events", err));
    log->room = room;
    *out = log;
    return CUZK_OK;
out:
    cuzk_event_log_destroy(log);
    return status;
}

void cuzk_event_log_destroy(struct cuzk_event_log *log)
{
    if (log == NULL)
        return;
    pthread_cond_destroy(&log->added);
    pthread_mutex_destroy(&log->lock);
    cuzk_mem_free(log->ring);
    cuzk_mem_free(log);
}

/* The smallest i with ns at most 2^i ms; the last for all beyond. */
static unsigned bucket_of(uint64_t ns)
{
    unsigned bucket = 0;

    while (bucket + 1 < CUZK_EVENT_BUCKETS && ns > (CUZK_NS_PER_MS << bucket))
        bucket++;
    return bucket;
}

static void count(struct cuzk_event_totals *totals, const struct cuzk_engine_event *event)
{
    const uint64_t length = event->end_ns > event->begin_ns ? event->end_ns - event->begin_ns : 0;
    const bool ended = event->type == CUZK_EVENT_TYPE_DONE || event->type == CUZK_EVENT_TYPE_FAILED ||
                       event->type == CUZK_EVENT_TYPE_CANCELLED;

    if ((unsigned)event->type < CUZK_EVENT_TYPES)
        totals->count[event->type]++;
    if (event->type == CUZK_EVENT_TYPE_STAGE && (unsigned)event->stage < CUZK_STAGES) {
        totals->stage_count[event->stage]++;
        totals->stage_ns[event->stage] += length;
        totals->stage_bucket[event->stage][bucket_of(length)]++;
    }
    if (ended && (unsigned)event->kind < CUZK_PROOF_KINDS) {
        totals->job_count[event->kind]++;
        totals->job_ns[event->kind] += length;
        totals->job_bucket[event->kind][bucket_of(length)]++;
    }
}

void cuzk_event_log_add(struct cuzk_event_log *log, const struct cuzk_engine_event *event)
{
    struct cuzk_engine_event *place;

    pthread_mutex_lock(&log->lock);
    place = &log->ring[log->last % log->room];
    *place = *event;
    place->number = ++log->last;
    count(&log->totals, place);
    if (log->each != NULL)
        log->each(log->context, place);
    if (log->waiting > 0)
        pthread_cond_broadcast(&log->added);
    pthread_mutex_unlock(&log->lock);
}

size_t cuzk_event_log_read(struct cuzk_event_log *log, uint64_t after, struct cuzk_engine_event *out,
                           size_t room)
{
    size_t read = 0;

    pthread_mutex_lock(&log->lock);
    if (log->last > log->room && after < log->last - log->room)
        after = log->last - log->room;
    while (after + read < log->last && read < room) {
        out[read] = log->ring[(after + read) % log->room];
        read++;
    }
    pthread_mutex_unlock(&log->lock);
    return read;
}

uint64_t cuzk_event_log_last(struct cuzk_event_log *log)
{
    pthread_mutex_lock(&log->lock);
    const uint64_t last = log->last;

    pthread_mutex_unlock(&log->lock);
    return last;
}

void cuzk_event_log_wait(struct cuzk_event_log *log, uint64_t after, uint64_t timeout_ms)
{
    const uint64_t longest_ms = UINT64_C(1000) * 3600 * 24;
    const uint64_t end =
        cuzk_clock_ns() + (timeout_ms < longest_ms ? timeout_ms : longest_ms) * CUZK_NS_PER_MS;
    const struct timespec until = cuzk_clock_timespec(end);
    int result = 0;

    pthread_mutex_lock(&log->lock);
    log->waiting++;
    while (log->last <= after && result != ETIMEDOUT)
        result = pthread_cond_timedwait(&log->added, &log->lock, &until);
    log->waiting--;
    pthread_mutex_unlock(&log->lock);
}

void cuzk_event_log_totals(struct cuzk_event_log *log, struct cuzk_event_totals *out)
{
    pthread_mutex_lock(&log->lock);
    *out = log->totals;
    pthread_mutex_unlock(&log->lock);
}

void cuzk_event_log_listen(struct cuzk_event_log *log,
                           void (*each)(void *context, const struct cuzk_engine_event *event), void *context)
{
    pthread_mutex_lock(&log->lock);
    log->each = each;
    log->context = context;
    pthread_mutex_unlock(&log->lock);
}

const char *cuzk_event_type_name(enum cuzk_event_type type)
{
    static const char *const names[CUZK_EVENT_TYPES] = {
        "stage",   "accepted",   "done",        "failed",      "cancelled",
        "retried", "key loaded", "key evicted", "device lost", "device ready",
    };

    return (unsigned)type < CUZK_EVENT_TYPES ? names[type] : "unknown";
}

void cuzk_engine_event_line(const struct cuzk_engine_event *event, uint64_t origin_ns, char *text,
                            size_t room)
{
    struct cuzk_timeline_event span;

    cuzk_engine_event_span(event, &span);
    span.begin_ns = event->begin_ns; /* of an end the job's length */
    memcpy(span.lane, event->lane, sizeof span.lane);
    cuzk_timeline_format_line(&span, origin_ns, text, room);
}
