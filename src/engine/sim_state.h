/* What the simulator remembers: private to the files engine/sim*.c. One thread at a time. */
#ifndef CUZK_ENGINE_SIM_STATE_H
#define CUZK_ENGINE_SIM_STATE_H

#include "engine/sim.h"

enum {
    UNITS = 512,
    TASKS_MOST = 4096, /* of one class at a time */
    DRIVER_QUEUE = 64,
    HOST_POOL_QUEUE = UNITS,
    HOST_KIND_MOST = 3, /* of one kind of host work, more do not slow others further */
    SEEDED_BYTES = 8,
};

/* Tasks of a class all go at the same speed. */
enum task_class {
    CLASS_FIXED, /* real time */
    CLASS_WITNESS,
    CLASS_PRODUCT,
    CLASS_ENFORCE,
    CLASS_HOST,
    CLASS_PAGEABLE,
    CLASSES,
};

/* Host work for the device, by what it does to others. */
enum host_kind { HOST_QUIET, HOST_PREPARE, HOST_MSM, HOST_FREE, HOST_COPY, HOST_KINDS };

struct task {
    double end; /* on the clock of its class */
    uint64_t order;
    uint32_t unit, generation;
    enum cuzk_sched_stage stage;
    enum host_kind kind;
    bool arrival; /* a request was decoded: `unit` is the proof's number */
};

struct heap {
    struct task *tasks;
    size_t count;
    double clock, rate;
};

struct sim_unit {
    uint32_t partitions, running_parts, device;
    uint32_t label; /* number of its first partition in the run */
    bool products;  /* constraint values are being made */
    bool in_section, call_open, switching;
    double memory, started[CUZK_STAGES], call_begin;
};

struct sim_device {
    uint32_t kernels, uploads, sections, pins;
};

struct waiting {
    uint32_t unit, generation;
    enum cuzk_sched_stage stage;
};

struct sim {
    const struct cuzk_machine_model *model;
    struct cuzk_knobs knobs;
    const struct cuzk_sim_load *load;
    struct cuzk_timeline *timeline;
    struct cuzk_sim_result *out;
    struct cuzk_error *err;
    struct cuzk_sched *sched;
    struct cuzk_sched_command *commands;
    size_t room;
    bool whole, compact, enforce;
    uint64_t random[4];

    double now;
    uint64_t order;
    struct heap heaps[CLASSES];
    uint32_t enforcing; /* partitions in enforce groups */
    uint32_t host[HOST_KINDS];
    bool rates_stale;
    double slow_synthesis, slow_host;

    struct sim_unit units[UNITS];
    struct sim_device devices[CUZK_SCHED_DEVICES_MOST];
    uint32_t driver_pins, driver_sections; /* of all devices: the driver is one */
    struct waiting driver[DRIVER_QUEUE];
    size_t driver_count;
    struct waiting pool[HOST_POOL_QUEUE]; /* G2 MSMs that wait for the host's one pool */
    size_t pool_count;
    bool pool_busy;

    uint32_t submitted, arrived, done;
    double *arrival; /* submission of each proof */
    double first_done, last_done, first_section, last_section, first_call, last_call;
    double calls_open_time, held_time, busy_time;
    uint32_t calls_open;
    double parts[CUZK_PARTS], tail[CUZK_PARTS]; /* tail: since the last section ended, not yet counted */
    double busy_synthesis, weighted_synthesis, busy_host, weighted_host;
    uint32_t synthesising; /* units */
    /* units and workers at work, summed up to the last start of a synthesis and the last end of a section */
    double synthesis_time, synthesis_tail, last_synthesis, workers_time, workers_tail;
    double stage_time[CUZK_STAGES], section_time, kernel_time, call_time;
    uint64_t stage_count[CUZK_STAGES], partitions_done;
    double memory, device_memory;
};

/* ---- sim_task.c: random numbers, and tasks on the clocks of their classes ---- */

void sim_seed_random(struct sim *sim, uint64_t seed);
/* A factor of about 1, normally distributed with this deviation. */
double sim_jitter(struct sim *sim, double deviation);
/* Starts a task that takes `seconds` at rate 1. Errors: INTERNAL (too many at once). */
enum cuzk_status sim_add_task(struct sim *sim, enum task_class class, double seconds, struct task task);
/* Takes out the task that ends first. */
struct task sim_pop_task(struct heap *heap);
/* Speeds of the moment, from what is at work. */
void sim_set_rates(struct sim *sim);

/* ---- sim_stage.c: what a unit does in each stage ---- */

/* Errors of all: INTERNAL. */
enum cuzk_status sim_start_stage(struct sim *sim, const struct cuzk_sched_command *command);
enum cuzk_status sim_end_stage(struct sim *sim, uint32_t u, enum cuzk_sched_stage stage);
enum cuzk_status sim_witness_part(struct sim *sim, uint32_t u, uint32_t generation, bool *ended);
enum cuzk_status sim_open_call(struct sim *sim, uint32_t u, uint32_t generation);
enum cuzk_status sim_serve_driver(struct sim *sim);

#endif
