#include "engine/sim_state.h"

#include <stdio.h>
#include <string.h>

static const double ns_per_s = 1e9;

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
        return sim_add_task(sim, CLASS_ENFORCE,
                            (m->enforce + unit->partitions * m->enforce_per_partition) *
                                sim_jitter(sim, m->jitter_synthesis),
                            task);
    }
    set_memory(sim, unit, unit->partitions * (sim->compact ? m->gib_compact : m->gib_witness));
    unit->running_parts = unit->partitions;
    for (uint32_t p = 0; p < unit->partitions; p++)
        CUZK_TRY(sim_add_task(
            sim, CLASS_WITNESS,
            (sim->compact ? m->compact_witness : m->witness) * sim_jitter(sim, m->jitter_synthesis), task));
    return CUZK_OK;
}

/* A part of WITNESS is done; *ended when all is. Constraint values follow when every assignment is there. */
enum cuzk_status sim_witness_part(struct sim *sim, uint32_t u, uint32_t generation, bool *ended)
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
        CUZK_TRY(sim_add_task(sim, CLASS_PRODUCT, m->product * sim_jitter(sim, m->jitter_synthesis),
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
        return sim_add_task(sim, CLASS_FIXED, 0, task);
    if (sim->compact)
        return sim_add_task(sim, CLASS_FIXED, m->upload_compact * unit->partitions, task);
    if (staging == CUZK_STAGING_PAGEABLE)
        return sim_add_task(sim, CLASS_PAGEABLE, m->upload_pageable * sim_jitter(sim, m->jitter_host), task);
    return sim_add_task(sim, CLASS_FIXED, m->upload_pinned, task);
}

/* Registration keeps sections out and sections keep registration out; first come, first served. */
enum cuzk_status sim_serve_driver(struct sim *sim)
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
        CUZK_TRY(sim_add_task(sim, CLASS_HOST,
                              (first.stage == CUZK_STAGE_PIN ? m->pin : m->unpin) *
                                  sim_jitter(sim, m->jitter_host),
                              stage_task(first.unit, first.generation, first.stage, HOST_QUIET)));
    }
    return CUZK_OK;
}

static enum cuzk_status ask_driver(struct sim *sim, const struct cuzk_sched_command *command)
{
    if (sim->driver_count == DRIVER_QUEUE)
        return cuzk_error_set(sim->err, CUZK_INTERNAL, "simulation: driver queue is full");
    sim->driver[sim->driver_count++] = (struct waiting){command->unit, command->generation, command->stage};
    return sim_serve_driver(sim);
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
    return sim_add_task(sim, CLASS_HOST, seconds * sim_jitter(sim, m->jitter_host),
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
enum cuzk_status sim_open_call(struct sim *sim, uint32_t u, uint32_t generation)
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
    return sim_add_task(sim, CLASS_HOST,
                        m->call_setup * sim_jitter(sim, m->jitter_host) +
                            (loads_key(sim, unit) ? m->key_load : 0),
                        stage_task(u, generation, CUZK_STAGE_SETUP, HOST_QUIET));
}

enum cuzk_status sim_start_stage(struct sim *sim, const struct cuzk_sched_command *command)
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
        return sim_add_task(sim, CLASS_HOST, m->call_switch, task);
    case CUZK_STAGE_PREPARE:
        task.kind = HOST_PREPARE;
        return sim_add_task(sim, CLASS_HOST, m->prepare * sim_jitter(sim, m->jitter_host), task);
    case CUZK_STAGE_PIN:
    case CUZK_STAGE_UNPIN:
    case CUZK_STAGE_UPLOAD:
        return ask_driver(sim, command);
    case CUZK_STAGE_QUOTIENT:
    case CUZK_STAGE_MSM:
        sim->devices[unit->device].kernels++;
        return sim_add_task(sim, CLASS_FIXED, device_seconds(sim, unit, command->stage), task);
    case CUZK_STAGE_HOST_MSM:
        sim->pool[sim->pool_count++] = (struct waiting){command->unit, command->generation, command->stage};
        return serve_pool(sim);
    case CUZK_STAGE_DROP:
        task.kind = HOST_FREE;
        return sim_add_task(sim, CLASS_HOST, m->drop * sim_jitter(sim, m->jitter_host), task);
    case CUZK_STAGE_RELEASE:
        task.kind = HOST_FREE;
        return sim_add_task(sim, CLASS_HOST,
                            (sim->compact ? 0
                             : sim->whole ? unit->partitions * m->group_release
                                          : m->release) *
                                sim_jitter(sim, m->jitter_host),
                            task);
    case CUZK_STAGE_FINISH: {
        const bool inline_finish = sim->knobs.value[CUZK_KNOB_FINALIZE] == CUZK_FINALIZE_INLINE;

        return sim_add_task(
            sim, CLASS_HOST,
            (m->finish + (inline_finish ? m->hand_over : 0)) * sim_jitter(sim, m->jitter_host), task);
    }
    case CUZK_STAGE_VERIFY:
        return sim_add_task(sim, CLASS_FIXED, m->verify, task);
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
enum cuzk_status sim_end_stage(struct sim *sim, uint32_t u, enum cuzk_sched_stage stage)
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
        return sim_serve_driver(sim);
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
