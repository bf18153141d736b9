/*
 * The jobs of late, put together from the engine's events: what the dashboard lists. Keeps the last
 * CUZK_RECENT_MOST; the oldest go first. Thread-safe.
 */
#ifndef CUZK_SERVER_RECENT_H
#define CUZK_SERVER_RECENT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

enum { CUZK_RECENT_MOST = 256, CUZK_RECENT_REASON = 200 };

struct cuzk_recent_job {
    uint64_t job;
    enum cuzk_proof_kind kind;
    enum cuzk_job_state state;
    uint64_t accepted_ns;     /* 0: before the events that are known */
    uint64_t started_ns;      /* begin of its first stage; 0: not yet */
    uint64_t ended_ns;        /* 0: not yet */
    uint32_t partitions_done; /* verified */
    uint32_t retries;
    char reason[CUZK_RECENT_REASON]; /* FAILED; empty where it is not known */
};

struct cuzk_recent {
    pthread_mutex_t lock;
    struct cuzk_recent_job job[CUZK_RECENT_MOST]; /* a ring */
    uint64_t count;                               /* jobs that were ever put in */
};

void cuzk_recent_init(struct cuzk_recent *recent);
void cuzk_recent_destroy(struct cuzk_recent *recent);

/* Takes an event into account. reason (may be NULL) says why a FAILED job did. */
void cuzk_recent_add(struct cuzk_recent *recent, const struct cuzk_engine_event *event, const char *reason);

/* Copies at most `room` jobs, the newest first; only failed ones where `failed`. */
size_t cuzk_recent_read(struct cuzk_recent *recent, bool failed, struct cuzk_recent_job *out, size_t room);

#endif
