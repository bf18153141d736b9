#include "server/recent.h"

#include <stdio.h>

void cuzk_recent_init(struct cuzk_recent *recent)
{
    pthread_mutex_init(&recent->lock, NULL);
    recent->count = 0;
}

void cuzk_recent_destroy(struct cuzk_recent *recent)
{
    pthread_mutex_destroy(&recent->lock);
}

/* The job's entry, a new one where it has none; the newest are looked at first. */
static struct cuzk_recent_job *find(struct cuzk_recent *recent, const struct cuzk_engine_event *event)
{
    const uint64_t kept = recent->count < CUZK_RECENT_MOST ? recent->count : CUZK_RECENT_MOST;

    for (uint64_t i = 1; i <= kept; i++) {
        struct cuzk_recent_job *job = &recent->job[(recent->count - i) % CUZK_RECENT_MOST];

        if (job->job == event->job)
            return job;
    }
    struct cuzk_recent_job *job = &recent->job[recent->count++ % CUZK_RECENT_MOST];

    *job = (struct cuzk_recent_job){.job = event->job, .kind = event->kind, .state = CUZK_JOB_QUEUED};
    return job;
}

static void end(struct cuzk_recent_job *job, const struct cuzk_engine_event *event, enum cuzk_job_state state)
{
    job->state = state;
    job->ended_ns = event->end_ns;
    if (job->accepted_ns == 0 && event->begin_ns < event->end_ns)
        job->accepted_ns = event->begin_ns;
}

void cuzk_recent_add(struct cuzk_recent *recent, const struct cuzk_engine_event *event, const char *reason)
{
    if (event->job == 0)
        return;
    pthread_mutex_lock(&recent->lock);
    struct cuzk_recent_job *job = find(recent, event);

    switch (event->type) {
    case CUZK_EVENT_TYPE_STAGE:
        if (job->started_ns == 0)
            job->started_ns = event->begin_ns;
        if (job->state == CUZK_JOB_QUEUED)
            job->state = CUZK_JOB_RUNNING;
        job->partitions_done += event->stage == CUZK_STAGE_VERIFY;
        break;
    case CUZK_EVENT_TYPE_ACCEPTED:
        job->accepted_ns = event->begin_ns;
        break;
    case CUZK_EVENT_TYPE_RETRIED:
        job->retries++;
        break;
    case CUZK_EVENT_TYPE_DONE:
        end(job, event, CUZK_JOB_DONE);
        break;
    case CUZK_EVENT_TYPE_FAILED:
        end(job, event, CUZK_JOB_FAILED);
        if (reason != NULL)
            snprintf(job->reason, sizeof job->reason, "%s", reason);
        break;
    case CUZK_EVENT_TYPE_CANCELLED:
        end(job, event, CUZK_JOB_CANCELLED);
        break;
    default:
        break;
    }
    pthread_mutex_unlock(&recent->lock);
}

size_t cuzk_recent_read(struct cuzk_recent *recent, bool failed, struct cuzk_recent_job *out, size_t room)
{
    size_t read = 0;

    pthread_mutex_lock(&recent->lock);
    const uint64_t kept = recent->count < CUZK_RECENT_MOST ? recent->count : CUZK_RECENT_MOST;

    for (uint64_t i = 1; i <= kept && read < room; i++) {
        const struct cuzk_recent_job *job = &recent->job[(recent->count - i) % CUZK_RECENT_MOST];

        if (!failed || job->state == CUZK_JOB_FAILED)
            out[read++] = *job;
    }
    pthread_mutex_unlock(&recent->lock);
    return read;
}
