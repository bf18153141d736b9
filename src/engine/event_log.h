/*
 * What the engine did, as events: a ring of the last ones, counters and histograms of all. One source for the
 * waterfall, the metrics, --json, benches and `TIMELINE,` lines.
 *
 * Recording takes a lock and a copy. Thread-safe.
 */
#ifndef CUZK_ENGINE_EVENT_LOG_H
#define CUZK_ENGINE_EVENT_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/timeline.h"
#include "engine/request.h"
#include "engine/sched.h"

enum cuzk_event_type {
    CUZK_EVENT_TYPE_STAGE, /* a span */
    CUZK_EVENT_TYPE_ACCEPTED,
    CUZK_EVENT_TYPE_DONE,
    CUZK_EVENT_TYPE_FAILED,
    CUZK_EVENT_TYPE_CANCELLED,
    CUZK_EVENT_TYPE_RETRIED,
    CUZK_EVENT_TYPE_KEY_LOADED,
    CUZK_EVENT_TYPE_KEY_EVICTED,
    CUZK_EVENT_TYPE_DEVICE_LOST,
    CUZK_EVENT_TYPE_DEVICE_READY,
    CUZK_EVENT_TYPES,
};

struct cuzk_engine_event {
    uint64_t number; /* 1, 2, ...: gaps show what a slow reader missed */
    enum cuzk_event_type type;
    uint64_t begin_ns, end_ns; /* cuzk_clock_ns; the same where it is no span */
    uint64_t job;              /* 0: none */
    int32_t partition;         /* CUZK_TIMELINE_NO_PARTITION: none or several */
    enum cuzk_proof_kind kind;
    enum cuzk_sched_stage stage;      /* STAGE */
    char lane[CUZK_TIMELINE_NAME];    /* "gpu0", "cpu0.1", "witness 3", "host" */
    uint64_t kernels_ns, transfer_ns; /* STAGE on a device */
};

enum { CUZK_EVENT_BUCKETS = 24 }; /* bucket i: at most 2^i milliseconds; the last is infinity */

/* Everything since the start. Times in nanoseconds. */
struct cuzk_event_totals {
    uint64_t count[CUZK_EVENT_TYPES];
    uint64_t stage_count[CUZK_STAGES], stage_ns[CUZK_STAGES];
    uint64_t stage_bucket[CUZK_STAGES][CUZK_EVENT_BUCKETS];
    uint64_t job_count[CUZK_PROOF_KINDS], job_ns[CUZK_PROOF_KINDS]; /* latency of ended jobs */
    uint64_t job_bucket[CUZK_PROOF_KINDS][CUZK_EVENT_BUCKETS];
};

struct cuzk_event_log;

/* room: events that the ring keeps. Errors: MEMORY. */
enum cuzk_status cuzk_event_log_create(size_t room, struct cuzk_event_log **out, struct cuzk_error *err);
void cuzk_event_log_destroy(struct cuzk_event_log *log);

/* event->number is ignored. */
void cuzk_event_log_add(struct cuzk_event_log *log, const struct cuzk_engine_event *event);

/* Copies events numbered above `after` that are still there, oldest first, at most `room`. */
size_t cuzk_event_log_read(struct cuzk_event_log *log, uint64_t after, struct cuzk_engine_event *out,
                           size_t room);

/* The number of the newest event; 0: none yet. */
uint64_t cuzk_event_log_last(struct cuzk_event_log *log);

/* Waits until an event above `after` is there, at most timeout_ms. */
void cuzk_event_log_wait(struct cuzk_event_log *log, uint64_t after, uint64_t timeout_ms);

void cuzk_event_log_totals(struct cuzk_event_log *log, struct cuzk_event_totals *out);

/* Calls `each` with every event from now on, under the log's lock (short work only): benches and recorders.
 */
void cuzk_event_log_listen(struct cuzk_event_log *log,
                           void (*each)(void *context, const struct cuzk_engine_event *event), void *context);

/* "stage", "key loaded", ... */
const char *cuzk_event_type_name(enum cuzk_event_type type);

/* "TIMELINE,<offset_ms>,<event>,<job>,<detail>": the reference's line, without a newline. */
void cuzk_engine_event_line(const struct cuzk_engine_event *event, uint64_t origin_ns, char *text,
                            size_t room);

#endif
