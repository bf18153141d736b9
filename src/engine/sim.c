#include "engine/sim_state.h"

#include <string.h>

#include "base/mem.h"

static const double ns_per_s = 1e9, gib = 1073741824.0;

/* ---- the loop ---- */

static enum cuzk_status submit_next(struct sim *sim)
{
    sim->arrival[sim->submitted] = sim->now;
    return sim_add_task(sim, CLASS_FIXED, sim->model->parse,
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
            CUZK_TRY(sim_start_stage(sim, command));
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
        CUZK_TRY(sim_witness_part(sim, task->unit, task->generation, &ended));
    if (!ended)
        return CUZK_OK;
    if (task->stage == CUZK_STAGE_SETUP && sim->units[task->unit].switching)
        return sim_open_call(sim, task->unit, task->generation);
    event.stage.unit = task->unit;
    event.stage.generation = task->generation;
    event.stage.stage = task->stage;
    CUZK_TRY(sim_end_stage(sim, task->unit, task->stage));
    CUZK_TRY(feed(sim, &event));
    if (task->stage != CUZK_STAGE_MSM)
        return CUZK_OK;
    /* the driver's lock passes on after the core has said who is next: a section before this unit's UNPIN */
    sim->driver_sections--;
    return sim_serve_driver(sim);
}

static enum cuzk_status loop(struct sim *sim)
{
    while (sim->done < sim->load->proofs) {
        const uint64_t deadline = cuzk_sched_deadline(sim->sched);
        double least = deadline == UINT64_MAX ? -1 : (double)deadline / ns_per_s - sim->now;
        enum task_class next = CLASSES;

        if (sim->rates_stale)
            sim_set_rates(sim);
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
        const struct task task = sim_pop_task(&sim->heaps[next]);

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
    sim_seed_random(sim, load->seed);
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
