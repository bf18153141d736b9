/* Runs the scheduler by hand: keeps what was started and not yet ended, and judges every command. */
#ifndef CUZK_TESTS_SCHED_DRIVER_H
#define CUZK_TESTS_SCHED_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/sched.h"

enum { DRIVER_JOBS = 4096, DRIVER_RUNNING = 4096, DRIVER_UNITS = 4096 };

enum driver_job {
    DRIVER_UNKNOWN,
    DRIVER_ALIVE,
    DRIVER_DONE,
    DRIVER_FAILED,
    DRIVER_CANCELLED,
    DRIVER_REJECTED
};

struct driver_running {
    uint32_t unit, generation, worker, device;
    uint64_t job; /* of the first member */
    enum cuzk_sched_stage stage;
};

struct driver {
    struct cuzk_sched *sched;
    struct cuzk_sched_config config;
    struct cuzk_sched_command *commands; /* of the last step */
    size_t room, count;
    struct driver_running running[DRIVER_RUNNING];
    size_t running_count;
    enum driver_job jobs[DRIVER_JOBS]; /* by id */
    enum cuzk_priority priority[DRIVER_JOBS];
    uint64_t ready[DRIVER_UNITS]; /* first job of a unit that is synthesised and was not picked up; 0: none */
    bool given_up[DRIVER_UNITS];
    uint64_t picked[DRIVER_UNITS]; /* first jobs of the units that devices took in the last step */
    size_t picked_count;
    uint32_t starts[CUZK_STAGES]; /* commands so far */
    uint64_t now;
    uint64_t digest; /* of all commands */
    bool drained, audit;
};

/* Everything exists, every limit is wide; the caller changes what it wants to see. */
void driver_config(struct cuzk_sched_config *config, const char *preset);
void driver_open(struct driver *driver, const struct cuzk_sched_config *config);
void driver_set(struct cuzk_sched_config *config, const char *assignment);
/* With a preset and up to two assignments of knobs (NULL: none). */
void driver_open_with(struct driver *driver, const char *preset, const char *first, const char *second);
void driver_close(struct driver *driver);

/* Gives one event; asserts that every command is one that may come. */
void driver_step(struct driver *driver, const struct cuzk_sched_event *event);

/* A job of its own key. */
struct cuzk_sched_job driver_job(uint64_t id, enum cuzk_priority priority, uint32_t partitions);
void driver_submit(struct driver *driver, struct cuzk_sched_job job);
void driver_event(struct driver *driver, enum cuzk_sched_event_kind kind, uint64_t job_or_device);

/* Ends running[index]. */
void driver_end(struct driver *driver, size_t index, enum cuzk_sched_outcome outcome);
/* Ends the first running stage of this kind, of any unit; false where none runs. */
bool driver_end_stage(struct driver *driver, enum cuzk_sched_stage stage);
/* Ends all of this kind, those that begin meanwhile too. */
void driver_end_all(struct driver *driver, enum cuzk_sched_stage stage);
/* Ends all that run, oldest first, until nothing runs. */
void driver_run_out(struct driver *driver);

/* Index of a running stage of a job's unit, which must run; whether anything of the job's does. */
size_t driver_find(const struct driver *driver, uint64_t job, enum cuzk_sched_stage stage);
bool driver_job_runs(const struct driver *driver, uint64_t job);
uint32_t driver_runs(const struct driver *driver, enum cuzk_sched_stage stage);
/* The first command of this kind in the last step, or NULL. */
const struct cuzk_sched_command *driver_said(const struct driver *driver, enum cuzk_sched_command_kind kind);

#endif
