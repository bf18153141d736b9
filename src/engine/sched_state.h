/* What the scheduler's core remembers: private to the files engine/sched*.c. */
#ifndef CUZK_ENGINE_SCHED_STATE_H
#define CUZK_ENGINE_SCHED_STATE_H

#include "engine/sched.h"

#define NOWHERE UINT32_MAX

enum { BITMAP_WORDS = CUZK_SCHED_PARTITIONS_MOST / 64, LOCKS = 2, DEVICE_WORKERS_MOST = 8 };

enum sched_lock { LOCK_MEMORY, LOCK_COMPUTE }; /* a single lock is LOCK_COMPUTE */

struct link {
    uint32_t previous, next;
};

/* A first-in-first-out list per priority. `since`: when the class was last served, or began to wait. */
struct level_queue {
    uint32_t head[CUZK_PRIORITIES], tail[CUZK_PRIORITIES];
    uint32_t length[CUZK_PRIORITIES];
    uint64_t since[CUZK_PRIORITIES];
};

enum job_state { JOB_FREE, JOB_ALIVE, JOB_DONE, JOB_FAILED, JOB_CANCELLED };

struct job {
    struct cuzk_sched_job given;
    uint64_t serial; /* of all jobs ever taken: tells users of a slot apart */
    enum job_state state;
    bool queued;           /* in the queue of jobs: alone, or as the first of a batch */
    bool collecting;       /* in a batch that still waits for more */
    bool single;           /* partitions go one by one even where whole proofs are units: after a failure */
    uint32_t batch_next;   /* next job of the same batch */
    uint32_t batch_leader; /* its first job; NOWHERE: in no batch */
    uint32_t started;      /* partitions [0, started) were started at least once */
    uint32_t redo_count, done_count, failures;
    uint32_t avoid_device; /* where it failed last */
    uint64_t redo[BITMAP_WORDS], done[BITMAP_WORDS];
};

struct member {
    uint32_t job; /* slot */
    uint64_t id, serial;
    uint32_t first, count;
};

enum unit_place {
    PLACE_FREE,
    PLACE_WITNESS,
    PLACE_CHANNEL,
    PLACE_BLOCKED,
    PLACE_DEVICE,        /* held by a device worker */
    PLACE_HOST,          /* handed over by the device worker */
    PLACE_RELEASE_QUEUE, /* bounded deallocation: waits for its turn */
    PLACE_RELEASE,
};

struct unit {
    enum unit_place place;
    enum cuzk_priority priority;
    uint32_t generation;
    uint32_t member_count, partitions;
    struct member members[CUZK_SCHED_BATCH_MOST];
    bool dead;                               /* nobody wants its result */
    bool complete;                           /* its result was counted */
    bool awake;                              /* on the list of units to look at */
    uint32_t running, done;                  /* bits of stages */
    uint32_t witness_worker, device, worker; /* NOWHERE: none held */
    uint32_t avoid_device;
    bool holds[LOCKS], wants[LOCKS];
    uint64_t lock_order;
    uint64_t host_bytes, host_held, host_dropped; /* now; after WITNESS; after DROP */
    uint64_t device_bytes, device_need;
};

struct device {
    bool online;
    uint32_t busy;                      /* workers */
    uint32_t unit[DEVICE_WORKERS_MOST]; /* that each worker holds; NOWHERE: none */
    uint32_t holder[LOCKS];
    uint32_t waiting; /* locks that units of it want */
    uint64_t used;
    uint64_t base; /* resident now; what is admitted is judged by the configuration's */
};

struct table {
    uint32_t *slots;
    uint32_t mask;
};

struct batch {
    uint32_t leader; /* NOWHERE: none collecting */
    uint32_t last, count;
    uint64_t deadline_ns;
};

struct cuzk_sched {
    struct cuzk_sched_config config;
    uint32_t stages; /* those of the configuration that the knobs leave */
    bool whole;      /* whole proofs are units */
    uint64_t now;
    bool draining, drained;

    struct job *jobs;
    struct link *job_links;
    uint32_t *job_free;
    uint32_t job_free_count, alive;
    struct table by_id, by_key;
    struct level_queue queue;
    struct batch batches[CUZK_SCHED_CIRCUITS_MOST][CUZK_PRIORITIES];
    uint32_t batches_open;

    struct unit *units;
    struct link *unit_links;
    uint32_t *unit_free;
    uint32_t unit_free_count, active; /* active: not yet released or being released */
    uint64_t solo, serial;            /* serial of the job whose unit was started last; of the newest job */
    struct level_queue channel, blocked, release;
    uint32_t channel_count, releasing;
    uint32_t *awake;
    uint32_t awake_count;

    uint32_t witness_slots, witness_busy;
    uint32_t *witness_free; /* a stack of the idle ones */
    struct device devices[CUZK_SCHED_DEVICES_MOST];
    uint64_t host_used, lock_order, stale;
    uint64_t host_base; /* resident now; what is admitted is judged by the configuration's */
    bool host_short;    /* of this step */

    struct cuzk_sched_command *commands; /* of this step */
    size_t command_count, command_room;
    bool overflow; /* more commands than promised */
};

/* ---- sched_queue.c ---- */
void level_queue_init(struct level_queue *queue);
void level_queue_push(struct level_queue *queue, struct link *links, enum cuzk_priority priority,
                      uint32_t item, uint64_t now);
void level_queue_push_front(struct level_queue *queue, struct link *links, enum cuzk_priority priority,
                            uint32_t item, uint64_t now);
/* Puts `item` where `old` stands. */
void level_queue_replace(struct level_queue *queue, struct link *links, enum cuzk_priority priority,
                         uint32_t old, uint32_t item);
void level_queue_remove(struct level_queue *queue, struct link *links, enum cuzk_priority priority,
                        uint32_t item);
/* The class whose head is next, and the level it counts for; false where all are empty. */
bool level_queue_next(const struct level_queue *queue, uint64_t now, uint64_t aging,
                      enum cuzk_priority *priority, unsigned *level);

uint32_t table_find_id(const struct cuzk_sched *sched, uint64_t id);
uint32_t table_find_key(const struct cuzk_sched *sched, const uint8_t *key);
void table_insert_id(struct cuzk_sched *sched, uint32_t slot);
void table_insert_key(struct cuzk_sched *sched, uint32_t slot);
void table_remove_id(struct cuzk_sched *sched, uint32_t slot);
void table_remove_key(struct cuzk_sched *sched, uint32_t slot);

/* ---- sched.c ---- */
struct cuzk_sched_command *sched_emit(struct cuzk_sched *sched, enum cuzk_sched_command_kind kind);

/* ---- sched_job.c ---- */
void sched_submit(struct cuzk_sched *sched, const struct cuzk_sched_job *given);
void sched_cancel(struct cuzk_sched *sched, uint64_t id);
void sched_forget(struct cuzk_sched *sched, uint64_t id);
void sched_end_job(struct cuzk_sched *sched, uint32_t slot, enum job_state state,
                   enum cuzk_sched_reason reason);
/* Puts a job whose partitions must be done again back in front of its class. */
void sched_requeue_job(struct cuzk_sched *sched, uint32_t slot);
bool job_wanted(const struct cuzk_sched *sched, const struct member *member);
void sched_flush_due(struct cuzk_sched *sched);
void sched_flush_all(struct cuzk_sched *sched, enum cuzk_sched_reason reason);

/* ---- sched_unit.c ---- */
bool sched_start_next(struct cuzk_sched *sched);
void sched_wake(struct cuzk_sched *sched, uint32_t unit);
void sched_abandon_if_unwanted(struct cuzk_sched *sched, uint32_t unit);
void sched_advance(struct cuzk_sched *sched, uint32_t unit);
bool sched_move(struct cuzk_sched *sched);
void sched_stage_ended(struct cuzk_sched *sched, uint32_t unit, uint32_t generation,
                       enum cuzk_sched_stage stage, enum cuzk_sched_outcome outcome);
void sched_device_lost(struct cuzk_sched *sched, uint32_t device);

static inline bool bitmap_get(const uint64_t *bitmap, uint32_t i)
{
    return (bitmap[i / 64] >> (i % 64) & 1) != 0;
}

#endif
