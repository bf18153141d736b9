#include "engine/sim.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum {
    UNITS = 512,
    TASKS_MOST = 4096, /* of one class at a time */
    DRIVER_QUEUE = 64,
    HOST_POOL_QUEUE = UNITS,
    HOST_KIND_MOST = 3, /* of one kind of host work, more do not slow others further */
    SEEDED_BYTES = 8,
};

static const double ns_per_s = 1e9, gib = 1073741824.0;

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

static const double host_weight[HOST_KINDS] = {0, 1, 1, 0.5, 0.5};

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

/* ---- numbers ---- */

static uint64_t next_random(struct sim *sim)
{
    uint64_t *s = sim->random; /* xoshiro256**, Blackman and Vigna */
    const uint64_t x = s[1] * 5, result = (x << 7 | x >> 57) * 9, t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

static void seed_random(struct sim *sim, uint64_t seed)
{
    for (unsigned i = 0; i < 4; i++) {
        seed += UINT64_C(0x9e3779b97f4a7c15);
        uint64_t z = seed;

        z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
        sim->random[i] = z ^ z >> 31;
    }
}

/* About 1, normally distributed, within 6 deviations: the sum of twelve uniform numbers. */
static double jitter(struct sim *sim, double deviation)
{
    double sum = 0;

    if (deviation == 0)
        return 1;
    for (unsigned i = 0; i < 12; i++)
        sum += (double)(next_random(sim) >> 11) * 0x1p-53;
    const double factor = 1 + deviation * (sum - 6);

    return factor > 0.1 ? factor : 0.1;
}

/* ---- tasks ---- */

static bool before(const struct task *a, const struct task *b)
{
    return a->end != b->end ? a->end < b->end : a->order < b->order;
}

static void heap_push(struct heap *heap, struct task task)
{
    size_t i = heap->count++;

    while (i > 0 && before(&task, &heap->tasks[(i - 1) / 2])) {
        heap->tasks[i] = heap->tasks[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    heap->tasks[i] = task;
}

static struct task heap_pop(struct heap *heap)
{
    const struct task top = heap->tasks[0], last = heap->tasks[--heap->count];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= heap->count)
            break;
        if (child + 1 < heap->count && before(&heap->tasks[child + 1], &heap->tasks[child]))
            child++;
        if (!before(&heap->tasks[child], &last))
            break;
        heap->tasks[i] = heap->tasks[child];
        i = child;
    }
    heap->tasks[i] = last;
    return top;
}

static enum cuzk_status add_task(struct sim *sim, enum task_class class, double seconds, struct task task)
{
    struct heap *heap = &sim->heaps[class];

    if (heap->count == TASKS_MOST)
        return cuzk_error_set(sim->err, CUZK_INTERNAL, "simulation: more than %d tasks at once", TASKS_MOST);
    task.end = heap->clock + seconds;
    task.order = ++sim->order;
    if (class == CLASS_HOST || class == CLASS_PAGEABLE)
        sim->host[task.kind]++;
    if (class != CLASS_FIXED)
        sim->rates_stale = true;
    heap_push(heap, task);
    return CUZK_OK;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Speeds of the moment (machine.h: slow_*). */
static void set_rates(struct sim *sim)
{
    const struct cuzk_machine_model *m = sim->model;
    const double witnesses = (double)sim->heaps[CLASS_WITNESS].count + (double)sim->enforcing;
    const double products = (double)sim->heaps[CLASS_PRODUCT].count;
    const bool throttled =
        sim->knobs.value[CUZK_KNOB_MEMBW_THROTTLE] == CUZK_THROTTLE_ON && sim->host[HOST_MSM] > 0;
    const double load = (witnesses + 0.5 * products) / 10;
    double work = 0;

    for (unsigned kind = 0; kind < HOST_KINDS; kind++)
        work += host_weight[kind] * smaller((double)sim->host[kind], HOST_KIND_MOST);
    const double beyond = work > 1 ? work - 1 : 0;

    sim->slow_synthesis = 1 + m->slow_synthesis_square * load * load + m->slow_synthesis_host * work;
    sim->slow_host =
        1 + m->slow_host_synthesis * load + m->slow_host_square * load * load + m->slow_host_host * beyond;
    const double threads = witnesses > m->processors ? m->processors / witnesses : 1;

    sim->heaps[CLASS_FIXED].rate = 1;
    sim->heaps[CLASS_WITNESS].rate = threads / sim->slow_synthesis;
    sim->heaps[CLASS_PRODUCT].rate = smaller(1, products > 0 ? m->product_streams / products : 1) *
                                     (throttled ? 1 - m->throttle_yield : 1) / sim->slow_synthesis;
    /* a group's length was measured with its own partitions at work: only work for the device slows it */
    sim->heaps[CLASS_ENFORCE].rate = threads / (1 + m->slow_synthesis_host * work);
    sim->heaps[CLASS_HOST].rate = 1 / sim->slow_host;
    sim->heaps[CLASS_PAGEABLE].rate = 1 / (1 + m->pageable_share * (sim->slow_host - 1));
    sim->rates_stale = false;
}

/* ---- stages ---- */

static struct task stage_task(uint32_t unit, uint32_t generation, enum cuzk_sched_stage stage,
                              enum host_kind kind)
{
    return (struct task){.unit = unit, .generation = generation, .stage = stage, .kind = kind};
}

static void set_memory(struct sim *sim, struct sim_unit *unit, double gib_now)
{
    sim->memory += gib_now - unit->memory;
    unit->memory = gib_now;
    if (sim->memory > sim->out->host_peak)
        sim->out->host_peak = sim->memory;
}

static enum cuzk_status start_witness(struct sim *sim, uint32_t u, uint32_t generation)
{
    const struct cuzk_machine_model *m = sim->model;
    struct sim_unit *unit = &sim->units[u];
    const struct task task = stage_task(u, generation, CUZK_STAGE_WITNESS, HOST_QUIET);

    unit->products = false;
    sim->synthesising++;
    sim->last_synthesis = sim->now;
    sim->synthesis_time += sim->synthesis_tail;
    sim->synthesis_tail = 0;
    if (sim->enforce) {
        set_memory(sim, unit, unit->partitions * m->gib_held);
        unit->running_parts = 1;
        sim->enforcing += unit->partitions;
        return add_task(sim, CLASS_ENFORCE,
                        (m->enforce + unit->partitions * m->enforce_per_partition) *
                            jitter(sim, m->jitter_synthesis),
                        task);
    }
    set_memory(sim, unit, unit->partitions * (sim->compact ? m->gib_compact : m->gib_witness));
    unit->running_parts = unit->partitions;
    for (uint32_t p = 0; p < unit->partitions; p++)
        CUZK_TRY(add_task(sim, CLASS_WITNESS,
                          (sim->compact ? m->compact_witness : m->witness) * jitter(sim, m->jitter_synthesis),
                          task));
    return CUZK_OK;
}

/* A part of WITNESS is done; *ended when all is. Constraint values follow when every assignment is there. */
static enum cuzk_status witness_part(struct sim *sim, uint32_t u, uint32_t generation, bool *ended)
{
    const struct cuzk_machine_model *m = sim->model;
    struct sim_unit *unit = &sim->units[u];

    *ended = false;
    if (--unit->running_parts > 0)
        return CUZK_OK;
    if (sim->enforce)
        sim->enforcing -= unit->partitions;
    if (sim->enforce || sim->compact || unit->products) {
        *ended = true;
        sim->synthesising--;
        set_memory(sim, unit, unit->partitions * (sim->compact ? m->gib_compact : m->gib_held));
        return CUZK_OK;
    }
    unit->products = true;
    unit->running_parts = unit->partitions;
    set_memory(sim, unit, unit->partitions * m->gib_peak);
    for (uint32_t p = 0; p < unit->partitions; p++)
        CUZK_TRY(add_task(sim, CLASS_PRODUCT, m->product * jitter(sim, m->jitter_synthesis),
                          stage_task(u, generation, CUZK_STAGE_WITNESS, HOST_QUIET)));
    return CUZK_OK;
}

/* Seconds of a device stage. */
static double device_seconds(const struct sim *sim, const struct sim_unit *unit, enum cuzk_sched_stage stage)
{
    const struct cuzk_machine_model *m = sim->model;
    const bool resident = sim->knobs.value[CUZK_KNOB_SRS] == CUZK_SRS_RESIDENT_DEVICE;

    if (stage == CUZK_STAGE_QUOTIENT) {
        if (sim->whole && !sim->compact)
            return unit->partitions * m->group_kernels;
        return (sim->whole ? unit->partitions : 1) * (resident ? m->quotient_resident : m->quotient);
    }
    if (sim->whole && !sim->compact)
        return 0;
    return (sim->whole ? unit->partitions : 1) *
           ((resident ? m->batch_add_resident : m->batch_add) +
            (sim->knobs.value[CUZK_KNOB_MSM_SYNC] == CUZK_MSM_SYNC_DEFERRED ? m->tails_deferred
                                                                            : m->tails_immediate));
}

static enum cuzk_status begin_upload(struct sim *sim, uint32_t u, uint32_t generation)
{
    const struct cuzk_machine_model *m = sim->model;
    struct sim_unit *unit = &sim->units[u];
    const uint32_t staging = sim->knobs.value[CUZK_KNOB_STAGING];
    const struct task task = stage_task(u, generation, CUZK_STAGE_UPLOAD, HOST_COPY);

    unit->in_section = true;
    sim->driver_sections++;
    sim->devices[unit->device].sections++;
    sim->devices[unit->device].uploads++;
    sim->device_memory += m->gib_device;
    if (sim->device_memory > sim->out->device_peak)
        sim->out->device_peak = sim->device_memory;
    if (sim->first_section < 0)
        sim->first_section = sim->now;
    unit->started[CUZK_STAGE_UPLOAD] = sim->now;
    if (sim->whole && !sim->compact)
        return add_task(sim, CLASS_FIXED, 0, task);
    if (sim->compact)
        return add_task(sim, CLASS_FIXED, m->upload_compact * unit->partitions, task);
    if (staging == CUZK_STAGING_PAGEABLE)
        return add_task(sim, CLASS_PAGEABLE, m->upload_pageable * jitter(sim, m->jitter_host), task);
    return add_task(sim, CLASS_FIXED, m->upload_pinned, task);
}

/* Registration keeps sections out and sections keep registration out; first come, first served. */
static enum cuzk_status serve_driver(struct sim *sim)
{
    const struct cuzk_machine_model *m = sim->model;
    const bool exclusive = m->pin_exclusive > 0;

    while (sim->driver_count > 0) {
        const struct waiting first = sim->driver[0];
        const bool section = first.stage == CUZK_STAGE_UPLOAD;

        if (exclusive && (sim->driver_pins > 0 || (!section && sim->driver_sections > 0)))
            return CUZK_OK;
        sim->driver_count--;
        memmove(&sim->driver[0], &sim->driver[1], sim->driver_count * sizeof sim->driver[0]);
        if (section) {
            CUZK_TRY(begin_upload(sim, first.unit, first.generation));
            continue;
        }
        sim->driver_pins++;
        sim->devices[sim->units[first.unit].device].pins++;
        CUZK_TRY(add_task(sim, CLASS_HOST,
                          (first.stage == CUZK_STAGE_PIN ? m->pin : m->unpin) * jitter(sim, m->jitter_host),
                          stage_task(first.unit, first.generation, first.stage, HOST_QUIET)));
    }
    return CUZK_OK;
}

static enum cuzk_status ask_driver(struct sim *sim, const struct cuzk_sched_command *command)
{
    if (sim->driver_count == DRIVER_QUEUE)
        return cuzk_error_set(sim->err, CUZK_INTERNAL, "simulation: driver queue is full");
    sim->driver[sim->driver_count++] = (struct waiting){command->unit, command->generation, command->stage};
    return serve_driver(sim);
}

/* The host's threads for the device are one pool: one G2 MSM at a time. */
static enum cuzk_status serve_pool(struct sim *sim)
{
    const struct cuzk_machine_model *m = sim->model;

    if (sim->pool_busy || sim->pool_count == 0)
        return CUZK_OK;
    const struct waiting first = sim->pool[0];
    const double threads = sim->knobs.value[CUZK_KNOB_DEVICE_THREADS];
    const double seconds = sim->whole ? m->group_host_msm : m->host_msm_serial + m->host_msm_shared / threads;

    sim->pool_count--;
    memmove(&sim->pool[0], &sim->pool[1], sim->pool_count * sizeof sim->pool[0]);
    sim->pool_busy = true;
    return add_task(sim, CLASS_HOST, seconds * jitter(sim, m->jitter_host),
                    stage_task(first.unit, first.generation, first.stage, HOST_MSM));
}

/* A call lasts until its proof is assembled, or the memory freed where the worker does that too. */
static void end_call(struct sim *sim, struct sim_unit *unit)
{
    if (!unit->call_open)
        return;
    unit->call_open = false;
    sim->calls_open--;
    sim->last_call = sim->now;
    sim->call_time += sim->now - unit->call_begin;
}

/* Whether the call is the first of a proof whose key is not kept. */
static bool loads_key(const struct sim *sim, const struct sim_unit *unit)
{
    return sim->knobs.value[CUZK_KNOB_SRS] == CUZK_SRS_PER_PROOF &&
           unit->label % (uint32_t)sim->model->partitions == 0;
}

/* The worker has changed hands: the call itself begins. */
static enum cuzk_status open_call(struct sim *sim, uint32_t u, uint32_t generation)
{
    const struct cuzk_machine_model *m = sim->model;
    struct sim_unit *unit = &sim->units[u];

    unit->switching = false;
    unit->call_begin = sim->now;
    if (sim->first_call < 0)
        sim->first_call = sim->now;
    unit->call_open = true;
    sim->calls_open++;
    if (!sim->compact)
        set_memory(sim, unit, unit->memory + m->gib_call);
    return add_task(sim, CLASS_HOST,
                    m->call_setup * jitter(sim, m->jitter_host) + (loads_key(sim, unit) ? m->key_load : 0),
                    stage_task(u, generation, CUZK_STAGE_SETUP, HOST_QUIET));
}

static enum cuzk_status start_stage(struct sim *sim, const struct cuzk_sched_command *command)
{
    const struct cuzk_machine_model *m = sim->model;
    struct sim_unit *unit = &sim->units[command->unit];
    struct task task = stage_task(command->unit, command->generation, command->stage, HOST_QUIET);

    unit->started[command->stage] = sim->now;
    switch (command->stage) {
    case CUZK_STAGE_WITNESS: {
        struct cuzk_sched_member members[CUZK_SCHED_BATCH_MOST];
        const size_t count = cuzk_sched_members(sim->sched, command->unit, members);

        unit->partitions = 0;
        for (size_t i = 0; i < count; i++)
            unit->partitions += members[i].count;
        unit->label = (uint32_t)((members[0].job - 1) * (uint64_t)m->partitions + members[0].first);
        return start_witness(sim, command->unit, command->generation);
    }
    case CUZK_STAGE_SETUP:
        unit->device = command->device;
        unit->switching = true;
        return add_task(sim, CLASS_HOST, m->call_switch, task);
    case CUZK_STAGE_PREPARE:
        task.kind = HOST_PREPARE;
        return add_task(sim, CLASS_HOST, m->prepare * jitter(sim, m->jitter_host), task);
    case CUZK_STAGE_PIN:
    case CUZK_STAGE_UNPIN:
    case CUZK_STAGE_UPLOAD:
        return ask_driver(sim, command);
    case CUZK_STAGE_QUOTIENT:
    case CUZK_STAGE_MSM:
        sim->devices[unit->device].kernels++;
        return add_task(sim, CLASS_FIXED, device_seconds(sim, unit, command->stage), task);
    case CUZK_STAGE_HOST_MSM:
        sim->pool[sim->pool_count++] = (struct waiting){command->unit, command->generation, command->stage};
        return serve_pool(sim);
    case CUZK_STAGE_DROP:
        task.kind = HOST_FREE;
        return add_task(sim, CLASS_HOST, m->drop * jitter(sim, m->jitter_host), task);
    case CUZK_STAGE_RELEASE:
        task.kind = HOST_FREE;
        return add_task(sim, CLASS_HOST,
                        (sim->compact ? 0
                         : sim->whole ? unit->partitions * m->group_release
                                      : m->release) *
                            jitter(sim, m->jitter_host),
                        task);
    case CUZK_STAGE_FINISH: {
        const bool inline_finish = sim->knobs.value[CUZK_KNOB_FINALIZE] == CUZK_FINALIZE_INLINE;

        return add_task(sim, CLASS_HOST,
                        (m->finish + (inline_finish ? m->hand_over : 0)) * jitter(sim, m->jitter_host), task);
    }
    case CUZK_STAGE_VERIFY:
        return add_task(sim, CLASS_FIXED, m->verify, task);
    case CUZK_STAGES:
        break;
    }
    return cuzk_error_set(sim->err, CUZK_INTERNAL, "simulation: unknown stage %d", (int)command->stage);
}

static void record(struct sim *sim, const struct sim_unit *unit, enum cuzk_sched_stage stage)
{
    char lane[CUZK_TIMELINE_NAME];

    if (stage == CUZK_STAGE_UPLOAD || stage == CUZK_STAGE_QUOTIENT || stage == CUZK_STAGE_MSM)
        snprintf(lane, sizeof lane, "device %u", unit->device);
    else
        snprintf(lane, sizeof lane, "%s",
                 stage == CUZK_STAGE_WITNESS   ? "synthesis"
                 : stage == CUZK_STAGE_RELEASE ? "release"
                                               : "host");
    cuzk_timeline_add_span(sim->timeline, lane, cuzk_sched_stage_name(stage), (int32_t)unit->label,
                           (uint64_t)(unit->started[stage] * ns_per_s), (uint64_t)(sim->now * ns_per_s));
}

/* What changes when a stage has ended, before the core hears of it. */
static enum cuzk_status end_stage(struct sim *sim, uint32_t u, enum cuzk_sched_stage stage)
{
    const struct cuzk_machine_model *m = sim->model;
    struct sim_unit *unit = &sim->units[u];
    struct sim_device *device = &sim->devices[unit->device];

    sim->stage_time[stage] += sim->now - unit->started[stage];
    sim->stage_count[stage]++;
    if (sim->timeline != NULL)
        record(sim, unit, stage);
    switch (stage) {
    case CUZK_STAGE_PIN:
    case CUZK_STAGE_UNPIN:
        device->pins--;
        sim->driver_pins--;
        return serve_driver(sim);
    case CUZK_STAGE_UPLOAD:
        device->uploads--;
        return CUZK_OK;
    case CUZK_STAGE_QUOTIENT:
        device->kernels--;
        sim->kernel_time += sim->now - unit->started[stage];
        return CUZK_OK;
    case CUZK_STAGE_MSM:
        device->kernels--;
        sim->kernel_time += sim->now - unit->started[stage];
        sim->section_time += sim->now - unit->started[CUZK_STAGE_UPLOAD];
        device->sections--;
        unit->in_section = false;
        sim->device_memory -= m->gib_device;
        sim->last_section = sim->now;
        sim->workers_time += sim->workers_tail;
        sim->workers_tail = 0;
        for (unsigned part = 0; part < CUZK_PARTS; part++) {
            sim->parts[part] += sim->tail[part];
            sim->tail[part] = 0;
        }
        return CUZK_OK; /* the driver's lock: finish_task */
    case CUZK_STAGE_HOST_MSM:
        sim->pool_busy = false;
        return serve_pool(sim);
    case CUZK_STAGE_DROP:
        set_memory(sim, unit,
                   unit->memory - (sim->compact ? 0 : (m->gib_held - m->gib_dropped) * unit->partitions));
        return CUZK_OK;
    case CUZK_STAGE_FINISH:
        if (sim->knobs.value[CUZK_KNOB_DEALLOC] != CUZK_DEALLOC_INLINE)
            end_call(sim, unit);
        sim->partitions_done += unit->partitions;
        if (!sim->compact)
            set_memory(sim, unit, unit->memory - m->gib_call);
        return CUZK_OK;
    case CUZK_STAGE_RELEASE:
        end_call(sim, unit); /* dealloc inline: only now */
        set_memory(sim, unit, 0);
        return CUZK_OK;
    case CUZK_STAGE_WITNESS:
    case CUZK_STAGE_SETUP:
    case CUZK_STAGE_PREPARE:
    case CUZK_STAGE_VERIFY:
    case CUZK_STAGES:
        break;
    }
    return CUZK_OK;
}

/* ---- the loop ---- */

static enum cuzk_status submit_next(struct sim *sim)
{
    sim->arrival[sim->submitted] = sim->now;
    return add_task(sim, CLASS_FIXED, sim->model->parse,
                    (struct task){.arrival = true, .unit = sim->submitted++});
}

static enum cuzk_status answer(struct sim *sim, uint64_t id)
{
    const double latency = sim->now - sim->arrival[id - 1];

    if (sim->done++ == 0)
        sim->first_done = sim->now;
    sim->last_done = sim->now;
    sim->out->latency_mean += latency;
    if (latency > sim->out->latency_most)
        sim->out->latency_most = latency;
    return sim->submitted < sim->load->proofs ? submit_next(sim) : CUZK_OK;
}

static enum cuzk_status feed(struct sim *sim, struct cuzk_sched_event *event)
{
    uint64_t forget[64];
    size_t count, forgotten = 0;

    event->now_ns = (uint64_t)(sim->now * ns_per_s);
    CUZK_TRY(cuzk_sched_step(sim->sched, event, sim->commands, sim->room, &count, sim->err));
    if (sim->load->audit)
        CUZK_TRY(cuzk_sched_check(sim->sched, sim->err));
    sim->out->steps++;
    for (size_t i = 0; i < count; i++) {
        const struct cuzk_sched_command *command = &sim->commands[i];

        switch (command->kind) {
        case CUZK_COMMAND_START:
            CUZK_TRY(start_stage(sim, command));
            break;
        case CUZK_COMMAND_DONE:
            CUZK_TRY(answer(sim, command->job));
            if (forgotten < sizeof forget / sizeof forget[0])
                forget[forgotten++] = command->job;
            break;
        case CUZK_COMMAND_REJECTED: {
            char text[160];

            cuzk_sched_reason_text(command, text, sizeof text);
            return cuzk_error_set(sim->err, CUZK_MEMORY, "simulation: the proof was refused: %s", text);
        }
        default:
            break;
        }
    }
    for (size_t i = 0; i < forgotten; i++) {
        struct cuzk_sched_event gone = {.kind = CUZK_EVENT_FORGET, .now_ns = event->now_ns, .job = forget[i]};

        CUZK_TRY(cuzk_sched_step(sim->sched, &gone, sim->commands, sim->room, &count, sim->err));
    }
    return CUZK_OK;
}

static enum cuzk_status arrive(struct sim *sim, uint32_t number)
{
    const struct cuzk_machine_model *m = sim->model;
    struct cuzk_sched_job job = {
        .id = (uint64_t)number + 1,
        .priority = CUZK_PRIORITY_NORMAL,
        .batchable = true,
        .partitions = (uint32_t)m->partitions,
        .host_peak = (uint64_t)((sim->compact ? m->gib_compact : m->gib_peak) * gib),
        .host_held = (uint64_t)((sim->compact ? m->gib_compact : m->gib_held) * gib),
        .host_dropped = (uint64_t)((sim->compact ? m->gib_compact : m->gib_dropped) * gib),
        .device_memory = (uint64_t)(m->gib_device * gib),
    };
    struct cuzk_sched_event event = {.kind = CUZK_EVENT_SUBMIT, .submit = &job};

    memcpy(job.key, &job.id, SEEDED_BYTES);
    return feed(sim, &event);
}

/* Which part a moment of a device belongs to. */
static enum cuzk_sim_part part_now(const struct sim *sim, const struct sim_device *device)
{
    if (device->kernels > 0)
        return CUZK_PART_KERNELS;
    if (device->uploads > 0)
        return CUZK_PART_UPLOAD;
    if (device->sections > 0)
        return CUZK_PART_PREPARE;
    if (sim->first_section < 0)
        return CUZK_PART_FILL;
    if (sim->driver_pins > 0)
        return CUZK_PART_PIN;
    return sim->calls_open > 0 ? CUZK_PART_CALL : CUZK_PART_SYNTHESIS;
}

static void pass_time(struct sim *sim, double seconds)
{
    const double synthesis = (double)(sim->heaps[CLASS_WITNESS].count + sim->heaps[CLASS_PRODUCT].count);
    const double host = (double)sim->heaps[CLASS_HOST].count;
    const double share = seconds / sim->model->devices;

    for (uint32_t d = 0; d < (uint32_t)sim->model->devices; d++) {
        const struct sim_device *device = &sim->devices[d];
        const enum cuzk_sim_part part = part_now(sim, device);

        /* what follows the last section is drain, whatever it looks like: so keep it apart until one ends */
        if (device->sections > 0 || sim->first_section < 0)
            sim->parts[part] += share;
        else
            sim->tail[part] += share;
        sim->held_time += device->sections > 0 ? share : 0;
        sim->busy_time += device->kernels > 0 ? share : 0;
    }
    struct cuzk_sched_stats stats;

    cuzk_sched_stats(sim->sched, &stats);
    for (uint32_t d = 0; d < (uint32_t)sim->model->devices; d++)
        if (sim->first_section >= 0)
            sim->workers_tail += stats.device_workers_busy[d] * seconds;
    sim->synthesis_tail += sim->synthesising * seconds;
    if (sim->calls_open > 0)
        sim->calls_open_time += seconds;
    sim->busy_synthesis += synthesis * seconds;
    sim->weighted_synthesis += synthesis * seconds * sim->slow_synthesis;
    sim->busy_host += host * seconds;
    sim->weighted_host += host * seconds * sim->slow_host;
    sim->now += seconds;
    for (unsigned class = 0; class < CLASSES; class ++)
        sim->heaps[class].clock += seconds * sim->heaps[class].rate;
}

static enum cuzk_status finish_task(struct sim *sim, enum task_class class, const struct task *task)
{
    struct cuzk_sched_event event = {.kind = CUZK_EVENT_STAGE};
    bool ended = true;

    if (class == CLASS_HOST || class == CLASS_PAGEABLE)
        sim->host[task->kind]--;
    if (class != CLASS_FIXED)
        sim->rates_stale = true;
    if (task->arrival)
        return arrive(sim, task->unit);
    if (task->stage == CUZK_STAGE_WITNESS)
        CUZK_TRY(witness_part(sim, task->unit, task->generation, &ended));
    if (!ended)
        return CUZK_OK;
    if (task->stage == CUZK_STAGE_SETUP && sim->units[task->unit].switching)
        return open_call(sim, task->unit, task->generation);
    event.stage.unit = task->unit;
    event.stage.generation = task->generation;
    event.stage.stage = task->stage;
    CUZK_TRY(end_stage(sim, task->unit, task->stage));
    CUZK_TRY(feed(sim, &event));
    if (task->stage != CUZK_STAGE_MSM)
        return CUZK_OK;
    /* the driver's lock passes on after the core has said who is next: a section before this unit's UNPIN */
    sim->driver_sections--;
    return serve_driver(sim);
}

static enum cuzk_status loop(struct sim *sim)
{
    while (sim->done < sim->load->proofs) {
        const uint64_t deadline = cuzk_sched_deadline(sim->sched);
        double least = deadline == UINT64_MAX ? -1 : (double)deadline / ns_per_s - sim->now;
        enum task_class next = CLASSES;

        if (sim->rates_stale)
            set_rates(sim);
        for (unsigned class = 0; class < CLASSES; class ++) {
            const struct heap *heap = &sim->heaps[class];

            if (heap->count == 0)
                continue;
            const double in = (heap->tasks[0].end - heap->clock) / heap->rate;

            if (least < 0 || in < least) {
                least = in > 0 ? in : 0;
                next = (enum task_class) class;
            }
        }
        if (least < 0)
            return cuzk_error_set(sim->err, CUZK_INTERNAL, "simulation: nothing runs and %u proofs are open",
                                  sim->load->proofs - sim->done);
        pass_time(sim, least);
        if (next == CLASSES) {
            struct cuzk_sched_event tick = {.kind = CUZK_EVENT_TICK};

            sim->now = (double)(deadline + 1000) / ns_per_s; /* surely past it, rounding or not */
            CUZK_TRY(feed(sim, &tick));
            continue;
        }
        const struct task task = heap_pop(&sim->heaps[next]);

        CUZK_TRY(finish_task(sim, next, &task));
    }
    return CUZK_OK;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

static void sum_up(struct sim *sim)
{
    struct cuzk_sim_result *out = sim->out;
    const double proofs = sim->load->proofs, partitions = (double)sim->partitions_done;
    const double sections = sim->last_section - sim->first_section;
    double tail = 0;

    out->wall = sim->last_done;
    out->per_proof = out->wall / proofs;
    out->steady = proofs > 1 ? (sim->last_done - sim->first_done) / (proofs - 1) : 0;
    out->latency_mean /= proofs;
    out->calls_per_proof = sim->call_time / proofs;
    out->call = ratio(sim->call_time, (double)sim->stage_count[CUZK_STAGE_FINISH]);
    out->section = ratio(sim->section_time, partitions);
    out->kernels = ratio(sim->kernel_time, partitions);
    for (unsigned stage = 0; stage < CUZK_STAGES; stage++)
        out->stage[stage] = ratio(sim->stage_time[stage], (double)sim->stage_count[stage]);
    out->synthesis = out->stage[CUZK_STAGE_WITNESS];
    out->calls_utilisation = ratio(sim->calls_open_time, sim->last_call - sim->first_call);
    out->gaps = sim->last_call - sim->first_call - sim->calls_open_time;
    out->device_held = ratio(sim->held_time, sections);
    out->device_busy = ratio(sim->busy_time, sections);
    const double slots =
        sim->knobs.value[sim->whole ? CUZK_KNOB_SYNTHESIS_CONCURRENCY : CUZK_KNOB_PARTITION_WORKERS];
    const double workers = sim->knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE] * sim->model->devices;

    out->synthesis_busy = ratio(sim->synthesis_time, sim->last_synthesis * slots);
    out->workers_busy = ratio(sim->workers_time, sections * workers);
    for (unsigned part = 0; part < CUZK_PARTS; part++) {
        out->part[part] = sim->parts[part] / proofs;
        tail += sim->tail[part];
    }
    out->part[CUZK_PART_DRAIN] = tail / proofs;
    out->slow_synthesis = ratio(sim->weighted_synthesis, sim->busy_synthesis);
    out->slow_host = ratio(sim->weighted_host, sim->busy_host);
    out->units = sim->stage_count[CUZK_STAGE_WITNESS];
}

void cuzk_sim_facts(const struct cuzk_machine_model *model, const struct cuzk_knobs *knobs,
                    struct cuzk_knob_machine *out)
{
    const bool compact = knobs->value[CUZK_KNOB_SYNTHESIS] == CUZK_SYNTHESIS_COMPACT_DEVICE;
    const bool resident = knobs->value[CUZK_KNOB_SRS] == CUZK_SRS_RESIDENT_DEVICE;
    const double matrices =
        knobs->value[CUZK_KNOB_SYNTHESIS] == CUZK_SYNTHESIS_PCE_CPU ? model->gib_matrices : 0;

    memset(out, 0, sizeof *out);
    out->processors = (uint32_t)model->processors;
    out->devices = (uint32_t)model->devices;
    out->host_budget = (uint64_t)(model->host_memory * gib);
    out->host_base = (uint64_t)((model->gib_key + matrices) * gib);
    out->partition_peak = (uint64_t)((compact ? model->gib_compact : model->gib_peak) * gib);
    out->partition_held = (uint64_t)((compact ? model->gib_compact : model->gib_held) * gib);
    out->device_memory = (uint64_t)(model->device_memory * gib);
    out->device_base = (uint64_t)((model->gib_device_base + (resident ? model->gib_key : 0)) * gib);
    out->device_partition = (uint64_t)(model->gib_device * gib);
}

/* The stages that the model knows for these knobs. */
static uint32_t stages_of(const struct sim *sim)
{
    uint32_t stages = CUZK_STAGE_BIT(CUZK_STAGES) - 1;

    if (sim->model->verify == 0)
        stages &= ~CUZK_STAGE_BIT(CUZK_STAGE_VERIFY);
    if (sim->whole || sim->compact)
        stages &= ~CUZK_STAGE_BIT(CUZK_STAGE_PREPARE);
    if (sim->compact)
        stages &= ~(CUZK_STAGE_BIT(CUZK_STAGE_HOST_MSM) | CUZK_STAGE_BIT(CUZK_STAGE_PIN) |
                    CUZK_STAGE_BIT(CUZK_STAGE_UNPIN) | CUZK_STAGE_BIT(CUZK_STAGE_DROP));
    return stages;
}

static enum cuzk_status prepare(struct sim *sim, struct cuzk_error *err)
{
    struct cuzk_sched_config config = {
        .failures_most = 2,
        .units_most = UNITS,
        .aging_ns = UINT64_C(600) * 1000000000,
        .devices = (uint32_t)sim->model->devices,
        .jobs_most = sim->load->in_flight + 4,
    };
    struct cuzk_knob_machine facts;

    cuzk_sim_facts(sim->model, &sim->knobs, &facts);
    CUZK_TRY(cuzk_knobs_resolve(&sim->knobs, &facts, err));
    config.knobs = sim->knobs;
    config.stages = stages_of(sim);
    for (uint32_t d = 0; d < config.devices; d++) {
        config.device_memory[d] = facts.device_memory;
        config.device_base[d] = facts.device_base;
    }
    sim->memory = (double)facts.host_base / gib;
    sim->device_memory = (double)facts.device_base / gib;
    CUZK_TRY(CUZK_NEW(&sim->arrival, sim->load->proofs, "simulated proofs", err));
    for (unsigned class = 0; class < CLASSES; class ++)
        CUZK_TRY(CUZK_NEW(&sim->heaps[class].tasks, TASKS_MOST, "simulated tasks", err));
    CUZK_TRY(cuzk_sched_create(&config, &sim->sched, err));
    sim->room = cuzk_sched_room(sim->sched);
    return CUZK_NEW(&sim->commands, sim->room, "commands", err);
}

enum cuzk_status cuzk_sim_run(const struct cuzk_machine_model *model, const struct cuzk_knobs *knobs,
                              const struct cuzk_sim_load *load, struct cuzk_timeline *timeline,
                              struct cuzk_sim_result *out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct sim *sim;

    memset(out, 0, sizeof *out);
    if (load->proofs == 0 || load->in_flight == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "simulation: expected at least one proof, found %u, %u in flight", load->proofs,
                              load->in_flight);
    CUZK_TRY(CUZK_NEW(&sim, 1, "simulation", err));
    sim->model = model;
    sim->knobs = *knobs;
    sim->load = load;
    sim->timeline = timeline;
    sim->out = out;
    sim->err = err;
    sim->whole = knobs->value[CUZK_KNOB_OVERLAP] <= CUZK_OVERLAP_PROOF;
    sim->compact = knobs->value[CUZK_KNOB_SYNTHESIS] == CUZK_SYNTHESIS_COMPACT_DEVICE;
    sim->enforce = knobs->value[CUZK_KNOB_SYNTHESIS] == CUZK_SYNTHESIS_ENFORCE;
    sim->first_section = sim->first_call = -1;
    sim->rates_stale = true;
    seed_random(sim, load->seed);
    CUZK_TRY_OUT(prepare(sim, err));
    while (sim->submitted < load->proofs && sim->submitted < load->in_flight)
        CUZK_TRY_OUT(submit_next(sim));
    CUZK_TRY_OUT(loop(sim));
    sum_up(sim);
out:
    cuzk_sched_destroy(sim->sched);
    cuzk_mem_free(sim->commands);
    cuzk_mem_free(sim->arrival);
    for (unsigned class = 0; class < CLASSES; class ++)
        cuzk_mem_free(sim->heaps[class].tasks);
    cuzk_mem_free(sim);
    return status;
}

const char *cuzk_sim_part_name(enum cuzk_sim_part part)
{
    static const char *const names[CUZK_PARTS] = {
        "kernels",   "upload", "preparation", "registration", "host part of calls",
        "synthesis", "fill",   "drain",
    };

    return (unsigned)part < CUZK_PARTS ? names[part] : "unknown";
}
