/*
 * The proving engine: takes requests, answers with proofs. The scheduler's core (engine/sched.h) decides,
 * this runs its commands on threads and devices, keeps the journal, and verifies every proof before anyone
 * sees it.
 *
 * Every function is thread-safe but create and destroy. Callbacks come from the engine's own threads, must
 * not block and must not call back into the engine, except where stated.
 */
#ifndef CUZK_ENGINE_ENGINE_H
#define CUZK_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/device.h"
#include "engine/event_log.h"
#include "engine/knobs.h"
#include "engine/partition_times.h"
#include "engine/proof_kind.h"
#include "engine/request.h"
#include "engine/sched.h"
#include "srs/circuit_id.h"
#include "srs/derived_job.h"
#include "srs/tiers.h"

struct cuzk_engine;

enum { CUZK_JOB_ID_TEXT = 24, CUZK_ENGINE_ERROR_TEXT = 1024 };

/* A job's number as text, 16 hex digits, and back; parse: 0 where it is none. Numbers are never given twice,
 * restarts included. */
void cuzk_job_id_format(uint64_t job, char text[CUZK_JOB_ID_TEXT]);
uint64_t cuzk_job_id_parse(const char *text);

struct cuzk_engine_options {
    struct cuzk_knobs knobs; /* may hold zeros that stand for "computed" */
    /* Owned by the engine from create on, also where it fails; each has at least workers_per_device slots,
     * better cuzk_knobs_device_slots of them. */
    struct cuzk_device **devices;
    unsigned device_count;
    unsigned threads;             /* of the witness pool; 0: every processor */
    const char *params_directory; /* NULL: the default */
    const char *state_directory;  /* journal and spool; NULL: nothing survives (tests, benches) */
    uint64_t host_budget;         /* bytes; 0: what the machine has, less a reserve */
    uint64_t device_budget;       /* bytes on each device; 0: what it has */
    uint32_t jobs_most;           /* known at once; beyond: refused */
    uint32_t failures_most;       /* failed attempts that a job survives */
    uint64_t aging_ms; /* a class that was not served this long counts as one class higher; 0: a minute */
    uint64_t result_keep_ms; /* an uncollected result is forgotten after this */
    bool verify;             /* false: null devices only, else refused. Then requests are not decoded, and
                                the host's own stages are waits: */
    uint64_t host_stage_ns[CUZK_STAGES]; /* WITNESS, VERIFY and RELEASE where verify is false */
    const char *const *preload;          /* circuit ids, loaded before `ready` */
    size_t preload_count;
    bool winning_hot; /* keys of WinningPoSt whose parameters are there are loaded first, unasked */
    /* Makes derived keys that are missing, in the background, once their circuit's key is hot:
     * cuzk_derived_job_run, or NULL: nobody does. A key that was made is taken up when nobody uses the old
     * one. */
    enum cuzk_status (*derive)(const struct cuzk_derived_job *job, bool *made, struct cuzk_error *note,
                               struct cuzk_error *err);
    const struct cuzk_log *log; /* may be NULL */
};

/* Opens the journal, resumes what it holds, starts threads; keys are preloaded in the background. */
enum cuzk_status cuzk_engine_create(const struct cuzk_engine_options *options, struct cuzk_engine **out,
                                    struct cuzk_error *err);

/* Stops without draining: stages of devices end as early as the device can end them, others at their end.
 * What is cut short counts against no job: where a journal keeps it, the next start takes it up. */
void cuzk_engine_destroy(struct cuzk_engine *engine);

/* Before destroy, while calls are still answered: loads of keys, those that run and those to come, end with
 * CANCELLED, so that nobody waits for minutes; jobs that need one stay as they are. */
void cuzk_engine_end_loads(struct cuzk_engine *engine);

/* Whether the preloads are done; a preload that failed is named in the log and does not hold this up. */
bool cuzk_engine_ready(const struct cuzk_engine *engine);

struct cuzk_submission {
    char job_id[CUZK_JOB_ID_TEXT];
    uint32_t position;       /* jobs before it */
    bool duplicate;          /* this id and content are known: the same job */
    uint64_t retry_after_ms; /* BUSY only */
};

/* Accepts a request: durable when it returns. Errors: INPUT (names the field), BUSY (too much work now;
 * retry_after_ms), MEMORY (it never fits: the message has the sum), NOT_FOUND (no parameters of this
 * circuit), IO (disk full), CANCELLED (draining). */
enum cuzk_status cuzk_engine_submit(struct cuzk_engine *engine, const struct cuzk_request *request,
                                    struct cuzk_submission *out, struct cuzk_error *err);

/* The same for a case that the caller has open (and has checked): nothing is decoded, nothing is kept on
 * disk. It stays the caller's and must outlive the engine; a case is one job. Errors: as submit, and ARGUMENT
 * (an engine with a state directory). */
enum cuzk_status cuzk_engine_submit_case(struct cuzk_engine *engine, enum cuzk_proof_kind kind,
                                         struct cuzk_case *that, struct cuzk_submission *out,
                                         struct cuzk_error *err);

enum cuzk_job_state {
    CUZK_JOB_UNKNOWN,
    CUZK_JOB_QUEUED,
    CUZK_JOB_RUNNING,
    CUZK_JOB_DONE,
    CUZK_JOB_FAILED,
    CUZK_JOB_CANCELLED,
};

struct cuzk_job_result {
    char job_id[CUZK_JOB_ID_TEXT];
    enum cuzk_job_state state;
    const uint8_t *proof; /* DONE */
    size_t proof_length;
    const char *error;        /* FAILED */
    enum cuzk_status failure; /* FAILED: what the last attempt ended in; OK where it is not known */
    uint64_t queue_wait_ms, srs_load_ms, synthesis_ms, device_ms, total_ms;
    const struct cuzk_partition_times *times; /* DONE, one a partition; NULL: proved before a restart */
};

typedef void (*cuzk_job_callback)(void *context, const struct cuzk_job_result *result);

/* Calls back once, when the job has ended (at once, from this thread, where it has or is not known). *watch
 * is for unwatch and 0 where the call is over. The result is valid during the callback. */
void cuzk_engine_watch(struct cuzk_engine *engine, const char *job_id, cuzk_job_callback callback,
                       void *context, uint64_t *watch);

/* No callback comes after this returns. False: it came already. */
bool cuzk_engine_unwatch(struct cuzk_engine *engine, uint64_t watch);

/* The result has reached the client: it may be forgotten (it is kept a while for repeated asking). */
void cuzk_engine_collected(struct cuzk_engine *engine, const char *job_id);

/* Errors: NOT_FOUND. */
enum cuzk_status cuzk_engine_cancel(struct cuzk_engine *engine, const char *job_id, bool *was_running,
                                    struct cuzk_error *err);

/* What a running engine takes anew. */
struct cuzk_engine_tuning {
    uint32_t jobs_most; /* no more than it was created with */
    uint32_t failures_most;
    uint64_t aging_ms; /* 0: the default */
    uint64_t result_keep_ms;
};

/* Jobs that are known stay known, also where there are more of them now. Returns the jobs_most in force. */
uint32_t cuzk_engine_tune(struct cuzk_engine *engine, const struct cuzk_engine_tuning *tuning);

/* ---- keys ---- */

/* Makes a circuit's key hot on every device; blocks. Errors: ARGUMENT, NOT_FOUND, MEMORY, INPUT. */
enum cuzk_status cuzk_engine_preload(struct cuzk_engine *engine, const char *circuit, bool *already,
                                     uint64_t *load_ms, struct cuzk_error *err);
/* The same; how it ended goes to the engine's log. Nothing, where the engine stops. */
void cuzk_engine_preload_noted(struct cuzk_engine *engine, const char *circuit);
/* Errors: ARGUMENT; BUSY where jobs use it. */
enum cuzk_status cuzk_engine_evict(struct cuzk_engine *engine, const char *circuit, bool *was_loaded,
                                   uint64_t *freed, struct cuzk_error *err);

/* ---- what is going on ---- */

struct cuzk_engine_device_status {
    struct cuzk_device_facts facts;
    bool lost;
    uint32_t restarts;
    char job_id[CUZK_JOB_ID_TEXT]; /* at work now; empty: none */
    enum cuzk_proof_kind kind;
    uint64_t busy_ns, held_ns, transfer_ns; /* since the start: kernels, lock held, copies */
    uint64_t units, failures;
};

struct cuzk_engine_key_status {
    struct cuzk_circuit_id circuit;
    enum cuzk_key_tier tier; /* the hottest that it is in */
    bool warm, pinned; /* its parameter file is in host memory, hot or not; and stays whatever wants that */
    uint64_t bytes;
    uint32_t references;
};

struct cuzk_engine_queue_status {
    uint32_t pending, running;
};

enum { CUZK_ENGINE_KEYS_MOST = 32 };

struct cuzk_engine_status {
    uint64_t uptime_ms;
    bool ready, draining;
    unsigned devices;
    struct cuzk_engine_device_status device[CUZK_SCHED_DEVICES_MOST];
    unsigned keys;
    struct cuzk_engine_key_status key[CUZK_ENGINE_KEYS_MOST];
    struct cuzk_engine_queue_status queue[CUZK_PROOF_KINDS];   /* by kind */
    struct cuzk_engine_queue_status priority[CUZK_PRIORITIES]; /* by priority */
    uint64_t completed[CUZK_PROOF_KINDS], failed[CUZK_PROOF_KINDS], cancelled[CUZK_PROOF_KINDS];
    uint64_t rejected, retries, partitions_done;
    uint64_t host_used, host_budget, host_peak; /* planned bytes */
    uint64_t journal_bytes, spool_bytes;
    struct cuzk_sched_stats sched;
    char preset[16];
};

void cuzk_engine_status(struct cuzk_engine *engine, struct cuzk_engine_status *out);

/* Every stage as a span with its job, partition and lane: the one source of waterfall, metrics and benches.
 */
struct cuzk_event_log *cuzk_engine_events(struct cuzk_engine *engine);

/* ---- end ---- */

/* No new jobs; calls back (as watch does) when all are ended. Jobs may go on after it. At most 8 wait at
 * once: further ones, and those that still wait when the engine is destroyed, are not called. */
void cuzk_engine_drain(struct cuzk_engine *engine, void (*drained)(void *context), void *context);

#endif
