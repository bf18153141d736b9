/*
 * The scheduler's core: events in, commands out. No threads, no clock, no input or output.
 *
 * A job is one proof of some partitions. Its work is done in units: one partition, or all partitions of one
 * or more jobs where whole proofs go to the device (overlap none and proof). A unit is synthesised on a
 * witness worker, waits in the channel, is picked up by a worker of a device, passes its stages there under
 * the device's lock, is finished, verified and released. Each stage is started by a command and ends with an
 * event. Whoever runs the commands (threads and devices, or a simulator) reports every started stage exactly
 * once, except those of a generation that was abandoned because its device was lost.
 *
 * The same events give the same commands: time is a number that comes with each event. All memory is taken
 * when the scheduler is made. One thread at a time.
 */
#ifndef CUZK_ENGINE_SCHED_H
#define CUZK_ENGINE_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/knobs.h"

enum {
    CUZK_SCHED_DEVICES_MOST = 16,
    CUZK_SCHED_CIRCUITS_MOST = 32,
    CUZK_SCHED_PARTITIONS_MOST = 256,
    CUZK_SCHED_BATCH_MOST = 8, /* jobs in a unit */
    CUZK_SCHED_KEY_BYTES = 32,
};

enum cuzk_priority {
    CUZK_PRIORITY_LOW,
    CUZK_PRIORITY_NORMAL,
    CUZK_PRIORITY_HIGH,
    CUZK_PRIORITY_CRITICAL,
    CUZK_PRIORITIES,
};

/* What happens to a unit. Which of them exist is the configuration's business; WITNESS, MSM and FINISH always
 * do. */
enum cuzk_sched_stage {
    CUZK_STAGE_WITNESS,  /* assignment, and constraint values where the host evaluates them; witness worker */
    CUZK_STAGE_SETUP,    /* a device call begins */
    CUZK_STAGE_PREPARE,  /* host: scalars sorted for the device; runs beside the stages below up to MSM */
    CUZK_STAGE_PIN,      /* host pages registered; staging pinned only */
    CUZK_STAGE_UPLOAD,   /* first stage under the device lock (split: under the memory lock) */
    CUZK_STAGE_QUOTIENT, /* evaluation, transforms, MSM of h; split: under the compute lock */
    CUZK_STAGE_MSM,      /* other MSMs; waits for PREPARE under the lock; the lock ends with it */
    CUZK_STAGE_UNPIN,    /* staging pinned only */
    CUZK_STAGE_HOST_MSM, /* host: the G2 MSM where the device leaves it; begins when PREPARE is done */
    CUZK_STAGE_DROP,     /* finalize async only: the worker frees what the device no longer needs */
    CUZK_STAGE_FINISH,   /* after UNPIN and HOST_MSM: the proof is assembled */
    CUZK_STAGE_VERIFY,
    CUZK_STAGE_RELEASE, /* the unit's host memory is given back */
    CUZK_STAGES,
};

/* Bits of a stage set. */
#define CUZK_STAGE_BIT(stage) (UINT32_C(1) << (stage))

struct cuzk_sched_config {
    struct cuzk_knobs knobs; /* resolved: no zeros that stand for "computed" */
    uint32_t stages;         /* bits of the stages that exist */
    uint32_t devices;        /* at least 1 */
    uint32_t jobs_most;      /* jobs known at once, ended ones that were not forgotten included */
    uint32_t units_most;     /* units alive at once */
    uint32_t failures_most;  /* failed attempts that a job survives */
    uint64_t aging_ns;       /* a class that was not served this long counts as one class higher */
    uint64_t host_budget;    /* bytes; 0: no limit */
    uint64_t host_base;      /* resident, part of the budget */
    uint64_t device_memory[CUZK_SCHED_DEVICES_MOST]; /* bytes; 0: no limit */
    uint64_t device_base[CUZK_SCHED_DEVICES_MOST];
};

struct cuzk_sched_job {
    uint64_t id;                       /* the caller's, unique among jobs that are known */
    uint8_t key[CUZK_SCHED_KEY_BYTES]; /* digest of request id and content: the same key is the same job */
    enum cuzk_priority priority;
    uint32_t circuit; /* < CUZK_SCHED_CIRCUITS_MOST; only jobs of one circuit are batched */
    bool batchable;
    uint32_t partitions;    /* 1 to CUZK_SCHED_PARTITIONS_MOST */
    uint64_t host_peak;     /* bytes that a partition holds while it is synthesised */
    uint64_t host_held;     /* from then on; at most host_peak */
    uint64_t host_dropped;  /* after DROP; at most host_held */
    uint64_t device_memory; /* bytes on the device from UPLOAD to MSM */
};

enum cuzk_sched_event_kind {
    CUZK_EVENT_SUBMIT,
    CUZK_EVENT_STAGE,        /* a stage ended */
    CUZK_EVENT_CANCEL,       /* job */
    CUZK_EVENT_FORGET,       /* job: its result was collected or expired; ignored while it is alive */
    CUZK_EVENT_DEVICE_LOST,  /* device */
    CUZK_EVENT_DEVICE_READY, /* device: its worker was restarted */
    CUZK_EVENT_TICK,         /* time has passed */
    CUZK_EVENT_DRAIN,        /* no new jobs; DRAINED when all are ended */
    CUZK_EVENT_HOST_BASE,    /* base.bytes: what is resident changed; units wait until they fit beside it */
    CUZK_EVENT_DEVICE_BASE,  /* the same of base.device */
};

enum cuzk_sched_outcome {
    CUZK_OUTCOME_OK,
    CUZK_OUTCOME_FAILED,  /* worth another attempt: a device error, a proof that does not verify */
    CUZK_OUTCOME_INVALID, /* the job itself is bad: an unsatisfied constraint */
};

struct cuzk_sched_event {
    enum cuzk_sched_event_kind kind;
    uint64_t now_ns; /* never smaller than the last event's (else taken for it) */
    union {
        const struct cuzk_sched_job *submit;
        uint64_t job;
        uint32_t device;
        struct {
            uint32_t device;
            uint64_t bytes;
        } base;
        struct {
            uint32_t unit, generation;
            enum cuzk_sched_stage stage;
            enum cuzk_sched_outcome outcome;
        } stage;
    };
};

enum cuzk_sched_command_kind {
    CUZK_COMMAND_ACCEPTED,    /* job; position: jobs of its priority and above before it */
    CUZK_COMMAND_DUPLICATE,   /* job: the one that the key already belongs to */
    CUZK_COMMAND_REJECTED,    /* job; reason, needed, available */
    CUZK_COMMAND_START,       /* unit, generation, stage, worker, device */
    CUZK_COMMAND_ABANDON,     /* unit, generation: its result is not wanted; lost: reports nothing any more */
    CUZK_COMMAND_FLUSH,       /* job: first of a batch that waits no longer; reason, count */
    CUZK_COMMAND_DONE,        /* job: every partition is finished and verified */
    CUZK_COMMAND_FAILED,      /* job; reason */
    CUZK_COMMAND_CANCELLED,   /* job */
    CUZK_COMMAND_NOT_RUNNING, /* job: nothing to cancel */
    CUZK_COMMAND_DRAINED,
};

enum cuzk_sched_reason {
    CUZK_REASON_NONE,
    CUZK_REASON_DRAINING,
    CUZK_REASON_JOBS_FULL,     /* needed, available: jobs */
    CUZK_REASON_SHAPE,         /* a field of the job is out of its range */
    CUZK_REASON_ID_KNOWN,      /* another job has this id */
    CUZK_REASON_HOST_MEMORY,   /* needed, available: bytes beside what is resident */
    CUZK_REASON_DEVICE_MEMORY, /* the same, on the largest device */
    CUZK_REASON_ATTEMPTS,      /* failed too often */
    CUZK_REASON_INVALID,       /* an unsatisfied constraint or malformed input */
    CUZK_REASON_SIZE,          /* flush: the batch is full */
    CUZK_REASON_TIMEOUT,       /* flush: batch.wait is over */
    CUZK_REASON_PRIORITY,      /* flush: a higher priority came */
    CUZK_REASON_DRAIN,         /* flush: draining */
    CUZK_REASONS,
};

struct cuzk_sched_command {
    enum cuzk_sched_command_kind kind;
    enum cuzk_sched_reason reason;
    uint64_t job;
    uint64_t needed, available;
    uint32_t position, count;
    uint32_t unit, generation;
    enum cuzk_sched_stage stage;
    uint32_t worker; /* WITNESS: of the witness workers; stages from SETUP to DROP: of the device's */
    uint32_t device;
    bool lost; /* ABANDON */
};

/* What a unit is made of. */
struct cuzk_sched_member {
    uint64_t job;
    uint32_t first, count; /* partitions */
    bool wanted;           /* its job is still alive */
};

struct cuzk_sched_stats {
    uint32_t jobs, alive, queued[CUZK_PRIORITIES]; /* queued: with partitions that were not started */
    uint32_t units, witness_busy, witness_slots, channel, blocked, releasing;
    uint32_t device_workers_busy[CUZK_SCHED_DEVICES_MOST];
    uint64_t host_used; /* beside what is resident */
    uint64_t device_used[CUZK_SCHED_DEVICES_MOST];
    uint64_t stale; /* events about units or stages that were not running */
    bool draining;
};

struct cuzk_sched;

/* Errors: ARGUMENT (configuration out of range), MEMORY. */
enum cuzk_status cuzk_sched_create(const struct cuzk_sched_config *config, struct cuzk_sched **out,
                                   struct cuzk_error *err);
void cuzk_sched_destroy(struct cuzk_sched *sched);

/* What may change between steps; aging_ns is not zero. */
void cuzk_sched_tune(struct cuzk_sched *sched, uint32_t failures_most, uint64_t aging_ns);

/* Commands that one step may give at most. */
size_t cuzk_sched_room(const struct cuzk_sched *sched);

/* Takes one event. commands has room for `room` of them; *count receives how many were given. Events about
 * unknown jobs, units and devices change nothing. Errors: ARGUMENT (room is smaller than cuzk_sched_room;
 * nothing was done). */
enum cuzk_status cuzk_sched_step(struct cuzk_sched *sched, const struct cuzk_sched_event *event,
                                 struct cuzk_sched_command *commands, size_t room, size_t *count,
                                 struct cuzk_error *err);

/* When the next TICK is needed at the latest; UINT64_MAX where nothing waits for time. */
uint64_t cuzk_sched_deadline(const struct cuzk_sched *sched);

/* Whether the last step left a unit unmade for want of host memory. */
bool cuzk_sched_host_short(const struct cuzk_sched *sched);

/* The members of a living unit; count 0 where there is none. Valid until the next step. */
size_t cuzk_sched_members(const struct cuzk_sched *sched, uint32_t unit,
                          struct cuzk_sched_member members[CUZK_SCHED_BATCH_MOST]);

void cuzk_sched_stats(const struct cuzk_sched *sched, struct cuzk_sched_stats *out);

/* Recounts everything from the ground and compares. Errors: INTERNAL, with what does not agree. For tests. */
enum cuzk_status cuzk_sched_check(const struct cuzk_sched *sched, struct cuzk_error *err);

/* "witness", "quotient", ... */
const char *cuzk_sched_stage_name(enum cuzk_sched_stage stage);

/* A sentence for a command with a reason: "one partition needs 20.0 GiB ...". room of 160 is enough. */
void cuzk_sched_reason_text(const struct cuzk_sched_command *command, char *text, size_t room);

#endif
