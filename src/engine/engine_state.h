/*
 * What the engine remembers: private to the files engine/engine*.c.
 *
 * One lock (`lock`) guards the core and everything here that has no other guard written beside it; it is held
 * for bookkeeping only, never across a stage, a file or a callback. Order where two are held: circuits_lock,
 * lock, then keys_lock or a unit's own. Everything slow happens in the stages, on lanes: one thread each.
 */
#ifndef CUZK_ENGINE_ENGINE_STATE_H
#define CUZK_ENGINE_ENGINE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "circuit/circuit.h"
#include "engine/engine.h"
#include "engine/journal.h"
#include "engine/proof_kind.h"
#include "engine/request_file.h"
#include "groth16/verify.h"
#include "srs/directory.h"
#include "srs/tiers.h"

struct cuzk_engine;

enum {
    ENGINE_NONE = -1,
    ENGINE_DRAINS_MOST = 8,
    ENGINE_COLLECTED_MOST = 1024, /* results kept for repeated asking */
    ENGINE_COLLECTED_KEEP_MS = 60000,
    ENGINE_FACTS_MS = 1000, /* what a device says of itself is asked again after this */
};

/* ---- circuits and keys ---- */

/* A circuit that requests have asked for. Written once, under circuits_lock, then published under lock; the
 * layout is made when the first witness needs it. */
struct engine_circuit {
    struct cuzk_circuit_id id;
    uint32_t index; /* also of its key in `tiers` */
    char name[CUZK_CIRCUIT_NAME];
    char path[CUZK_PARAMETER_PATH]; /* of the parameters */
    uint64_t path_bytes;
    atomic_uint suspect; /* bits of devices that found bad points in its key: it is loaded anew */
    struct cuzk_circuit circuit;
    struct cuzk_prepared_vk *vk;
    uint64_t witness_bytes;       /* of a partition */
    struct cuzk_device_need need; /* the largest of any device */
    bool has_layout;              /* circuits_lock */
    struct cuzk_witness_layout layout;
    struct cuzk_device_need device_need[CUZK_SCHED_DEVICES_MOST];
    struct cuzk_file_map warm; /* its parameter file, where that is warm; whoever moves it */
    bool warm_pinned;          /* the same */
    uint32_t domain;           /* of the quotient, from the parameters */
    bool derive_asked;         /* keys_lock */
    struct engine_circuit *next_derive;
};

/* ---- jobs ---- */

enum engine_case_state { ENGINE_CASE_CLOSED, ENGINE_CASE_OPENING, ENGINE_CASE_OPEN };

struct engine_watch {
    struct engine_watch *next, **back; /* of the same job */
    struct engine_watch *in_table;
    uint64_t number;
    cuzk_job_callback callback;
    void *context;
    bool calling; /* the callback runs now */
};

struct engine_job {
    struct cuzk_engine *engine; /* once it ends */
    uint64_t id;
    uint8_t key[32], digest[32];
    enum cuzk_proof_kind kind;
    enum cuzk_priority priority;
    uint64_t sector_size, payload_bytes;
    struct engine_circuit *circuit;
    unsigned partitions;
    enum cuzk_job_state state;
    bool accepting; /* not durable yet: nobody knows of it */
    bool answered;  /* its end is durable: watchers may be told */
    bool collected, forgotten;
    uint32_t users; /* units, callbacks and calls that hold a pointer to it */
    uint64_t accepted_ns, accepted_ms, started_ns, ended_ns, ended_ms, listed_ns;
    uint64_t srs_ns, synthesis_ns, device_ns;
    enum cuzk_status failure; /* the last one; OK where the core alone had a reason */
    char *error;              /* of it */
    uint8_t *proof;           /* [partitions][CUZK_PROOF_BYTES], from the first witness on */
    size_t proof_length;
    struct cuzk_partition_times *times; /* [partitions], from the first witness on; NULL after a restart */
    struct engine_watch *watches;
    struct cuzk_request_file *payload; /* where no journal keeps it; until the case is open */
    enum engine_case_state case_state;
    struct cuzk_case *the_case;         /* open until the job is forgotten by all its units */
    bool lent;                          /* the_case is somebody else's */
    struct engine_job *by_id, *by_key;  /* chains of the tables */
    struct engine_job *next, *previous; /* list of the ended ones, or the queue to the notifier */
    struct engine_job *next_idle;       /* whose case is to be closed */
    bool idle;
    char request_id[]; /* terminated */
};

struct engine_job_list {
    struct engine_job *head, *tail;
    size_t count;
};

/* ---- units and tasks ---- */

/* One partition of a unit. */
struct engine_partition {
    struct engine_job *job;
    unsigned number; /* in its job */
    struct cuzk_device_unit device;
    struct cuzk_fr *inputs;        /* public ones, as a verifier derives them */
    bool finished;                 /* device.proof is there */
    uint64_t witness_ns, ready_ns; /* how long its witness took, and when it was there */
    uint64_t finish_ns;
};

struct engine_member {
    struct engine_job *job;
    uint32_t first, count;
};

struct engine_task {
    struct engine_task *next;
    uint32_t unit, generation;
    enum cuzk_sched_stage stage;
    uint32_t device, worker; /* UINT32_MAX: none */
    int slot;                /* of the unit when it was started */
};

/* What the core's unit of the same number is made of. The generation's own stages are run one at a time but
 * for PREPARE and HOST_MSM, which run beside the others. */
struct engine_unit {
    uint32_t generation; /* of the last command */
    bool abandoned;
    struct engine_circuit *circuit;
    unsigned member_count, partitions;
    struct engine_member members[CUZK_SCHED_BATCH_MOST];
    struct engine_partition *part; /* [partitions], from WITNESS to RELEASE; whoever runs a stage has it */
    unsigned current;              /* the partition that is on the device */
    int device, slot;              /* ENGINE_NONE: holds none */
    int key_device;                /* where it holds a reference to the key */
    uint64_t held_since;           /* start of UPLOAD: the device's lock */
    bool waits_for_slot;
    struct engine_task *parked;
    struct engine_unit *next_waiting;
    unsigned calls; /* of the device that run for it now, in call_slot */
    unsigned call_device, call_slot;
    enum engine_give_up { GIVE_UP_NONE, GIVE_UP_WANTED, GIVE_UP_RUNS } give_up; /* of those calls */
    struct engine_unit *next_given_up;

    pthread_mutex_t lock; /* guards: */
    pthread_cond_t free;
    bool in_stage;
    uint64_t claimed, left; /* stages that were taken from queues, and those that are over */
};

enum engine_lane_kind { ENGINE_LANE_WITNESS, ENGINE_LANE_DEVICE, ENGINE_LANE_HOST };

struct engine_queue {
    struct engine_task *head, *tail;
    pthread_cond_t filled;
};

struct engine_lane {
    struct cuzk_engine *engine;
    enum engine_lane_kind kind;
    unsigned device, worker;
    char name[CUZK_TIMELINE_NAME];
    struct engine_queue own;
    struct engine_queue *queue; /* own, or the one that all host lanes share */
    pthread_t thread;
    bool started;
};

/* ---- devices ---- */

struct engine_device {
    struct cuzk_engine *engine;
    unsigned number;
    struct cuzk_device *device;
    uint64_t budget;                       /* bytes; 0: no limit */
    uint64_t keys_bytes;                   /* of keys that are loaded or being loaded */
    struct engine_circuit *waits_for_room; /* keys_lock: goes before others */
    bool *slot_taken;                      /* [device->slots] */
    unsigned slots_free;
    struct engine_unit *waiting;  /* for a slot; higher classes first */
    struct engine_unit *given_up; /* their calls are to end early */
    pthread_cond_t gave_up;
    uint32_t in_flight; /* tasks that may call the device */
    bool lost, facts_wanted;
    uint64_t facts_ns;
    uint32_t restarts;
    uint32_t unverified; /* proofs in a row that did not verify, their requests being right */
    struct cuzk_device_facts facts;
    uint64_t work_job; /* under the device's lock now; 0: none */
    enum cuzk_proof_kind work_kind;
    uint64_t busy_ns, held_ns, transfer_ns, units, failures;
    pthread_t keeper;
    pthread_cond_t keeper_wake;
    bool keeper_started;
    struct engine_lane lanes[8];
};

/* ---- the engine ---- */

struct engine_drain {
    void (*drained)(void *context);
    void *context;
};

struct cuzk_engine {
    struct cuzk_knobs knobs; /* resolved */
    char preset[16];
    uint32_t stages;
    bool verify;
    uint64_t host_stage_ns[CUZK_STAGES];
    unsigned threads;
    char *params_directory; /* NULL: the default */
    uint64_t host_budget, device_budget, result_keep_ns;
    uint32_t jobs_most, jobs_room; /* now; at the start */
    const struct cuzk_log *log;
    char **preload;
    size_t preload_count;
    bool winning_hot;

    struct cuzk_pool *pool;       /* of witnesses */
    pthread_mutex_t pool_lock;    /* one witness has the pool, others their own thread */
    struct cuzk_journal *journal; /* NULL: nothing survives */
    struct cuzk_event_log *events;
    uint64_t created_ns;

    pthread_mutex_t lock;
    struct cuzk_sched *sched;
    struct cuzk_sched_command *commands;
    size_t room;
    bool closing;  /* loads of keys end, attempts that fail are left for the next start */
    bool stopping; /* the same, and nothing is begun any more */
    bool ready, draining, core_drained;

    struct engine_unit *units;
    uint32_t units_most;
    struct engine_task *tasks, *task_free;

    struct engine_job **by_id, **by_key; /* tables of chains */
    size_t table_mask;
    uint32_t job_count; /* known, those being accepted included */
    uint32_t accepting;
    uint64_t next_id;
    pthread_cond_t accepted; /* a job is durable, or was given up */

    struct engine_watch **watches; /* by number */
    uint64_t next_watch;
    pthread_cond_t called; /* a callback has returned */

    struct engine_job_list ending;    /* to the journal */
    struct engine_job_list answering; /* to the notifier: their end is durable */
    uint32_t unanswered;              /* ended, and not yet told */
    struct engine_job_list kept, collected;
    struct engine_job *idle; /* ended, and no unit uses them: their cases go */
    pthread_cond_t notifier_wake, timer_wake;
    pthread_t notifier, timer, preloader;
    bool notifier_started, timer_started, preloader_started;
    struct engine_drain drains[ENGINE_DRAINS_MOST];
    unsigned drain_count;
    pthread_cond_t case_changed;

    struct cuzk_engine_queue_status queue[CUZK_PROOF_KINDS], priority[CUZK_PRIORITIES];
    uint64_t completed[CUZK_PROOF_KINDS], failed[CUZK_PROOF_KINDS], cancelled[CUZK_PROOF_KINDS];
    uint64_t rejected, retries, partitions_done, host_peak;
    uint64_t job_ns; /* length of an ended job, averaged */

    pthread_mutex_t circuits_lock; /* held while a circuit is opened */
    struct engine_circuit circuits[CUZK_SCHED_CIRCUITS_MOST];
    unsigned circuit_count;
    pthread_mutex_t keys_lock;
    pthread_cond_t keys_changed, warm_wake;
    bool warm_due; /* keys_lock */
    enum cuzk_status (*derive)(const struct cuzk_derived_job *job, bool *made, struct cuzk_error *note,
                               struct cuzk_error *err); /* NULL: nobody */
    struct engine_circuit *derive_queue;                /* keys_lock, all of these */
    pthread_cond_t derive_wake;
    bool derive_may;                 /* begin */
    bool derive_runs, derive_yields; /* memory is set aside for it; keys want that */
    pthread_t deriver;
    bool deriver_started;
    struct cuzk_tiers tiers; /* keys_lock */
    bool keys_stopping;
    unsigned room_waiters; /* lock: keys that wait until buffers are gone */
    pthread_cond_t room_changed;
    uint64_t keys_host;            /* bytes of host memory that keys hold; lock */
    bool keys_yield, yield_wanted; /* lock: a file is warm; units wait for what it holds */

    unsigned device_count;
    struct engine_device devices[CUZK_SCHED_DEVICES_MOST];
    unsigned workers_per_device;
    struct engine_lane *witness_lanes;
    unsigned witness_lane_count;
    struct engine_lane *host_lanes;
    unsigned host_lane_count;
    struct engine_queue host_queue;
};

/* ---- engine_core.c: events into the core, its commands out to the lanes ---- */

/* What the core said to the one who asked. */
struct engine_answer {
    bool accepted, rejected, not_running;
    struct cuzk_sched_command command;
};

/* Under lock, as is all of this file. answer may be NULL. */
void engine_step(struct cuzk_engine *engine, struct cuzk_sched_event event, struct engine_answer *answer);

/* ---- engine_lane.c: threads and their tasks ---- */

enum cuzk_status engine_lanes_start(struct cuzk_engine *engine, struct cuzk_error *err);
/* Ends all threads of lanes; `stopping` is set. Their queues stay: other threads still step the core. */
void engine_lanes_stop(struct cuzk_engine *engine);
/* Once no thread of the engine is left. */
void engine_lanes_destroy(struct cuzk_engine *engine);
/* Under lock. */
void engine_lane_push(struct cuzk_engine *engine, struct engine_task *task);
struct engine_task *engine_task_take(struct cuzk_engine *engine);
void engine_task_give(struct cuzk_engine *engine, struct engine_task *task);

/* ---- engine_unit.c ---- */

/* Under lock: what a unit that the core just made is about; and its end. */
void engine_unit_begin(struct cuzk_engine *engine, const struct cuzk_sched_command *command);
void engine_unit_end(struct cuzk_engine *engine, struct engine_unit *unit);
/* Every stage is claimed (under the engine's lock), entered and left. SETUP and RELEASE wait for all that was
 * claimed before: a lost device may have left something running. */
uint64_t engine_unit_claim(struct engine_unit *unit);
void engine_unit_enter(struct engine_unit *unit, enum cuzk_sched_stage stage, uint64_t claim);
void engine_unit_leave(struct engine_unit *unit, enum cuzk_sched_stage stage);
/* Witness memory and all that belongs to it. */
void engine_unit_drop_witness(struct engine_unit *unit);

/* ---- engine_witness.c, engine_finish.c: stages of the host ---- */

enum cuzk_status engine_run_witness(struct engine_lane *lane, struct engine_unit *unit,
                                    struct cuzk_error *err);
enum cuzk_status engine_run_verify(struct engine_lane *lane, struct engine_unit *unit,
                                   struct cuzk_error *err);
void engine_run_release(struct engine_lane *lane, struct engine_unit *unit, int slot);
/* Sleeps; for engines that only pretend. */
void engine_pretend(uint64_t ns);

/* ---- engine_device.c: stages of devices, slots, lost devices ---- */

enum cuzk_status engine_run_device(struct engine_lane *lane, struct engine_unit *unit,
                                   const struct engine_task *task, struct cuzk_error *err);
/* Under lock: a slot for the unit's task, or the task waits for one. */
void engine_slot_want(struct cuzk_engine *engine, struct engine_unit *unit, struct engine_task *task);
void engine_slot_free(struct cuzk_engine *engine, struct engine_unit *unit);
/* Under lock: calls that run for an abandoned unit end as early as the device can end them. */
void engine_give_up_calls(struct cuzk_engine *engine, struct engine_unit *unit);
void engine_device_lost(struct cuzk_engine *engine, unsigned number);
enum cuzk_status engine_keepers_start(struct cuzk_engine *engine, struct cuzk_error *err);
void engine_keepers_stop(struct cuzk_engine *engine);

/* ---- engine_case.c: payloads, decoded when they are due ---- */

/* The job's case, decoding it first; stays until the job ends. Errors: INPUT, INVALID, MEMORY, IO. */
enum cuzk_status engine_case_open(struct cuzk_engine *engine, struct engine_job *job,
                                  const struct cuzk_case **out, struct cuzk_error *err);

/* ---- engine_circuit.c, engine_keys.c ---- */

/* Finds or opens a circuit. Errors: NOT_FOUND (no parameters), MEMORY (it never fits), INPUT. */
enum cuzk_status engine_circuit_find(struct cuzk_engine *engine, const struct cuzk_circuit_id *id,
                                     struct engine_circuit **out, struct cuzk_error *err);
/* Its layout, made by the first who asks. */
enum cuzk_status engine_circuit_layout(struct cuzk_engine *engine, struct engine_circuit *circuit,
                                       const struct cuzk_witness_layout **out, struct cuzk_error *err);
void engine_circuits_close(struct cuzk_engine *engine);

/* Makes the circuit's key hot on a device and holds it there; waits for room. */
enum cuzk_status engine_key_acquire(struct cuzk_engine *engine, struct engine_circuit *circuit,
                                    unsigned device, struct cuzk_error *err);
void engine_key_release(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device);
/* After a device was lost: no key is there. Then those that were kept, again. */
void engine_keys_lost(struct cuzk_engine *engine, unsigned device);
void engine_keys_reload(struct cuzk_engine *engine, unsigned device);
enum cuzk_status engine_preloader_start(struct cuzk_engine *engine, struct cuzk_error *err);
/* With srs per-proof: a key that nobody uses goes. Not under lock. */
void engine_key_settle(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device);
bool engine_is_stopping(void *engine);
/* Until buffers that were granted before leave what keys and others were promised. Under no lock. */
void engine_keys_await_buffers(struct cuzk_engine *engine, unsigned device);
/* Binds a key anew, at once: under no lock. Nothing where it is not there, or in use; false then. */
bool engine_key_renew(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device);
/* What keys hold changed: the core plans with the rest. */
void engine_keys_tell_core(struct cuzk_engine *engine, unsigned device);
/* Bytes of host memory that a partition of a job is planned with. */
uint64_t engine_circuit_host_peak(const struct engine_circuit *circuit, uint64_t payload,
                                  unsigned partitions);

/* ---- engine_warm.c: parameter files in host memory ---- */

/* A warm file goes; its key is as it was on devices. Under keys_lock, which is given up meanwhile. */
void engine_warm_cool(struct cuzk_engine *engine, struct engine_circuit *circuit);
/* The coolest of them goes: units wait for host memory. Under no lock. */
void engine_warm_yield(struct cuzk_engine *engine);
/* Files become warm and go until what is warm is what is to be. One thread, under no lock. */
void engine_warm_settle(struct cuzk_engine *engine);
/* The same whenever keys have moved, until the engine ends. */
void engine_warm_keep(struct cuzk_engine *engine);
/* Under keys_lock: they have. */
void engine_warm_wake(struct cuzk_engine *engine);

/* ---- engine_derive.c: derived keys that are missing ---- */

enum cuzk_status engine_deriver_start(struct cuzk_engine *engine, struct cuzk_error *err);
/* Under keys_lock: the circuit's key is hot. Once a circuit. */
void engine_derive_want(struct cuzk_engine *engine, struct engine_circuit *circuit);
/* Under keys_lock: a key waits for room. True: some is set aside, and will be given back. */
bool engine_derive_yield(struct cuzk_engine *engine);
/* Keys that were asked for before the engine is ready are there: it may begin. Under no lock. */
void engine_derive_begin(struct cuzk_engine *engine);

/* ---- engine_job.c: the jobs that are known ---- */

enum cuzk_status engine_jobs_create(struct cuzk_engine *engine, struct cuzk_error *err);
void engine_jobs_destroy(struct cuzk_engine *engine);
/* Under lock, all of them. */
struct engine_job *engine_job_find(const struct cuzk_engine *engine, uint64_t id);
struct engine_job *engine_job_find_key(const struct cuzk_engine *engine, const uint8_t key[32]);
void engine_job_insert(struct cuzk_engine *engine, struct engine_job *job);
void engine_job_remove(struct cuzk_engine *engine, struct engine_job *job);
void engine_job_unuse(struct cuzk_engine *engine, struct engine_job *job);
void engine_job_state(struct cuzk_engine *engine, struct engine_job *job, enum cuzk_job_state state);
void engine_job_failure(struct engine_job *job, const char *text);
void engine_job_destroy(struct engine_job *job);
void engine_list_append(struct engine_job_list *list, struct engine_job *job);
void engine_list_remove(struct engine_job_list *list, struct engine_job *job);
enum cuzk_status engine_job_create(const struct cuzk_request *request, struct engine_job **out,
                                   struct cuzk_error *err);
/* Gives the job to the core. */
void engine_job_offer(struct cuzk_engine *engine, struct engine_job *job, struct engine_answer *answer);

/* ---- engine_end.c: how jobs end, who is told, when they are forgotten ---- */

/* Under lock: the core has ended a job. */
void engine_job_ended(struct cuzk_engine *engine, const struct cuzk_sched_command *command);
void engine_core_drained(struct cuzk_engine *engine);
/* Ends a job that never came to the core (a journal's, that cannot be read). */
void engine_job_end_now(struct cuzk_engine *engine, struct engine_job *job, enum cuzk_job_state state,
                        const char *error);
/* Under lock, given up meanwhile: forgets the oldest collected result; false: there is none. */
bool engine_forget_collected(struct cuzk_engine *engine);
enum cuzk_status engine_end_start(struct cuzk_engine *engine, struct cuzk_error *err);
void engine_end_stop(struct cuzk_engine *engine);
void engine_journal_row(const struct engine_job *job, struct cuzk_journal_job *out);

/* ---- engine_watch.c ---- */

/* Under lock, which is given up during callbacks: tells everyone who watches an answered job. */
void engine_watches_call(struct cuzk_engine *engine, struct engine_job *job);
void engine_job_result(const struct engine_job *job, struct cuzk_job_result *out);

/* ---- engine_recover.c ---- */

enum cuzk_status engine_recover(struct cuzk_engine *engine, struct cuzk_error *err);

/* ---- engine_event.c ---- */

struct engine_span {
    enum cuzk_sched_stage stage;
    uint64_t begin_ns, end_ns, kernels_ns, transfer_ns;
};

void engine_note_span(struct cuzk_engine *engine, const char *lane, const struct engine_job *job,
                      int32_t partition, const struct engine_span *span);
void engine_note(struct cuzk_engine *engine, enum cuzk_event_type type, const struct engine_job *job,
                 const char *lane, uint64_t begin_ns);
uint64_t engine_unix_ms(void);
void engine_cond_init(pthread_cond_t *cond);
/* Waits until cuzk_clock_ns is `until`, or for ever (UINT64_MAX). */
void engine_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, uint64_t until);

#endif
