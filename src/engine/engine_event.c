/* What the engine notes of itself, and the clocks that it waits by. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "engine/engine_state.h"

static void fill(struct cuzk_engine_event *event, const struct engine_job *job, const char *lane)
{
    if (job != NULL) {
        event->job = job->id;
        event->kind = job->kind;
    }
    snprintf(event->lane, sizeof event->lane, "%s", lane);
}

void engine_note_span(struct cuzk_engine *engine, const char *lane, const struct engine_job *job,
                      int32_t partition, const struct engine_span *span)
{
    struct cuzk_engine_event event = {
        .type = CUZK_EVENT_TYPE_STAGE,
        .begin_ns = span->begin_ns,
        .end_ns = span->end_ns,
        .partition = partition,
        .stage = span->stage,
        .kernels_ns = span->kernels_ns,
        .transfer_ns = span->transfer_ns,
    };

    fill(&event, job, lane);
    cuzk_event_log_add(engine->events, &event);
}

void engine_note(struct cuzk_engine *engine, enum cuzk_event_type type, const struct engine_job *job,
                 const char *lane, uint64_t begin_ns)
{
    const uint64_t now = cuzk_clock_ns();
    struct cuzk_engine_event event = {
        .type = type,
        .begin_ns = begin_ns != 0 ? begin_ns : now,
        .end_ns = now,
        .partition = CUZK_TIMELINE_NO_PARTITION,
    };

    fill(&event, job, lane);
    cuzk_event_log_add(engine->events, &event);
}

uint64_t engine_unix_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / CUZK_NS_PER_MS;
}

void engine_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t monotonic;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void engine_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until)
{
    const struct timespec at = cuzk_clock_timespec(until);

    if (until == UINT64_MAX)
        pthread_cond_wait(cond, lock);
    else
        pthread_cond_timedwait(cond, lock, &at);
}
