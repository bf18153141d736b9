#include "engine/sched.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "engine/sched_state.h"

enum { JOBS_MOST = 1 << 24, UNITS_MOST = 1 << 16, ROOM_BESIDE_UNITS = 160, ROOM_PER_UNIT = 24 };

static enum cuzk_status check_config(const struct cuzk_sched_config *config, struct cuzk_error *err)
{
    const uint32_t needed = CUZK_STAGE_BIT(CUZK_STAGE_WITNESS) | CUZK_STAGE_BIT(CUZK_STAGE_MSM) |
                            CUZK_STAGE_BIT(CUZK_STAGE_FINISH);
    const uint32_t *knobs = config->knobs.value;

    if (config->devices < 1 || config->devices > CUZK_SCHED_DEVICES_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "scheduler: expected 1 to %d devices, found %" PRIu32,
                              CUZK_SCHED_DEVICES_MOST, config->devices);
    if (config->jobs_most < 1 || config->jobs_most > JOBS_MOST || config->units_most < 1 ||
        config->units_most > UNITS_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "scheduler: expected 1 to %d jobs and 1 to %d units, found %" PRIu32
                              " and %" PRIu32,
                              JOBS_MOST, UNITS_MOST, config->jobs_most, config->units_most);
    if ((config->stages & needed) != needed || config->stages >= CUZK_STAGE_BIT(CUZK_STAGES))
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "scheduler: stages 0x%" PRIx32 " lack witness, msm or finish, or are unknown",
                              config->stages);
    if (knobs[CUZK_KNOB_PARTITION_WORKERS] < 1 || knobs[CUZK_KNOB_CHANNEL_CAPACITY] < 1 ||
        knobs[CUZK_KNOB_SYNTHESIS_CONCURRENCY] < 1 || knobs[CUZK_KNOB_WORKERS_PER_DEVICE] < 1 ||
        knobs[CUZK_KNOB_WORKERS_PER_DEVICE] > DEVICE_WORKERS_MOST || knobs[CUZK_KNOB_BATCH_MAX] < 1 ||
        knobs[CUZK_KNOB_BATCH_MAX] > CUZK_SCHED_BATCH_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "scheduler: knobs are not resolved");
    if (config->aging_ns == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "scheduler: aging time is zero");
    if (config->host_budget != 0 && config->host_budget < config->host_base)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "scheduler: host budget %" PRIu64 " is below the %" PRIu64 " bytes resident",
                              config->host_budget, config->host_base);
    for (uint32_t d = 0; d < config->devices; d++)
        if (config->device_memory[d] != 0 && config->device_memory[d] < config->device_base[d])
            return cuzk_error_set(err, CUZK_ARGUMENT,
                                  "scheduler: device %" PRIu32 " has %" PRIu64 " bytes, %" PRIu64
                                  " are resident",
                                  d, config->device_memory[d], config->device_base[d]);
    return CUZK_OK;
}

/* The stages that the knobs leave of those that the backend has. */
static uint32_t stages_of(const struct cuzk_sched_config *config)
{
    uint32_t stages = config->stages;

    if (config->knobs.value[CUZK_KNOB_STAGING] != CUZK_STAGING_PINNED)
        stages &= ~(CUZK_STAGE_BIT(CUZK_STAGE_PIN) | CUZK_STAGE_BIT(CUZK_STAGE_UNPIN));
    if (config->knobs.value[CUZK_KNOB_FINALIZE] != CUZK_FINALIZE_ASYNC)
        stages &= ~CUZK_STAGE_BIT(CUZK_STAGE_DROP);
    return stages;
}

static enum cuzk_status make_table(struct table *table, uint32_t entries, struct cuzk_error *err)
{
    uint32_t size = 4;

    while (size < 2 * entries)
        size *= 2;
    CUZK_TRY(CUZK_NEW(&table->slots, size, "scheduler table", err));
    memset(table->slots, 0xff, size * sizeof *table->slots);
    table->mask = size - 1;
    return CUZK_OK;
}

static enum cuzk_status allocate(struct cuzk_sched *sched, struct cuzk_error *err)
{
    const uint32_t jobs = sched->config.jobs_most, units = sched->config.units_most;

    CUZK_TRY(CUZK_NEW(&sched->jobs, jobs, "jobs", err));
    CUZK_TRY(CUZK_NEW(&sched->job_links, jobs, "queue of jobs", err));
    CUZK_TRY(CUZK_NEW(&sched->job_free, jobs, "free jobs", err));
    CUZK_TRY(make_table(&sched->by_id, jobs, err));
    CUZK_TRY(make_table(&sched->by_key, jobs, err));
    CUZK_TRY(CUZK_NEW(&sched->units, units, "units", err));
    CUZK_TRY(CUZK_NEW(&sched->unit_links, units, "queues of units", err));
    CUZK_TRY(CUZK_NEW(&sched->unit_free, units, "free units", err));
    CUZK_TRY(CUZK_NEW(&sched->awake, units, "units to look at", err));
    return CUZK_NEW(&sched->witness_free, sched->witness_slots, "witness workers", err);
}

enum cuzk_status cuzk_sched_create(const struct cuzk_sched_config *config, struct cuzk_sched **out,
                                   struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_sched *sched;

    *out = NULL;
    CUZK_TRY(check_config(config, err));
    CUZK_TRY(CUZK_NEW(&sched, 1, "scheduler", err));
    sched->config = *config;
    sched->host_base = config->host_base;
    sched->stages = stages_of(config);
    sched->whole = config->knobs.value[CUZK_KNOB_OVERLAP] <= CUZK_OVERLAP_PROOF;
    sched->witness_slots =
        config->knobs.value[sched->whole ? CUZK_KNOB_SYNTHESIS_CONCURRENCY : CUZK_KNOB_PARTITION_WORKERS];
    CUZK_TRY_OUT(allocate(sched, err));
    /* free lists are stacks: the lowest numbers are on top */
    for (uint32_t i = 0; i < config->jobs_most; i++)
        sched->job_free[i] = config->jobs_most - 1 - i;
    sched->job_free_count = config->jobs_most;
    for (uint32_t i = 0; i < config->units_most; i++)
        sched->unit_free[i] = config->units_most - 1 - i;
    sched->unit_free_count = config->units_most;
    for (uint32_t i = 0; i < sched->witness_slots; i++)
        sched->witness_free[i] = sched->witness_slots - 1 - i;
    level_queue_init(&sched->queue);
    level_queue_init(&sched->channel);
    level_queue_init(&sched->blocked);
    level_queue_init(&sched->release);
    for (unsigned circuit = 0; circuit < CUZK_SCHED_CIRCUITS_MOST; circuit++)
        for (unsigned p = 0; p < CUZK_PRIORITIES; p++)
            sched->batches[circuit][p].leader = NOWHERE;
    for (uint32_t d = 0; d < config->devices; d++) {
        sched->devices[d].online = true;
        sched->devices[d].base = config->device_base[d];
        sched->devices[d].holder[LOCK_MEMORY] = sched->devices[d].holder[LOCK_COMPUTE] = NOWHERE;
        for (unsigned w = 0; w < DEVICE_WORKERS_MOST; w++)
            sched->devices[d].unit[w] = NOWHERE;
    }
    *out = sched;
    return CUZK_OK;
out:
    cuzk_sched_destroy(sched);
    return status;
}

void cuzk_sched_tune(struct cuzk_sched *sched, uint32_t failures_most, uint64_t aging_ns)
{
    sched->config.failures_most = failures_most;
    sched->config.aging_ns = aging_ns;
}

void cuzk_sched_destroy(struct cuzk_sched *sched)
{
    if (sched == NULL)
        return;
    cuzk_mem_free(sched->jobs);
    cuzk_mem_free(sched->job_links);
    cuzk_mem_free(sched->job_free);
    cuzk_mem_free(sched->by_id.slots);
    cuzk_mem_free(sched->by_key.slots);
    cuzk_mem_free(sched->units);
    cuzk_mem_free(sched->unit_links);
    cuzk_mem_free(sched->unit_free);
    cuzk_mem_free(sched->awake);
    cuzk_mem_free(sched->witness_free);
    cuzk_mem_free(sched);
}

size_t cuzk_sched_room(const struct cuzk_sched *sched)
{
    return ROOM_BESIDE_UNITS + (size_t)ROOM_PER_UNIT * sched->config.units_most;
}

struct cuzk_sched_command *sched_emit(struct cuzk_sched *sched, enum cuzk_sched_command_kind kind)
{
    struct cuzk_sched_command *command;

    if (sched->command_count == sched->command_room) {
        sched->overflow = true;
        sched->command_count--;
    }
    command = &sched->commands[sched->command_count++];
    memset(command, 0, sizeof *command);
    command->kind = kind;
    command->unit = command->worker = command->device = NOWHERE;
    return command;
}

static void take(struct cuzk_sched *sched, const struct cuzk_sched_event *event)
{
    switch (event->kind) {
    case CUZK_EVENT_SUBMIT:
        sched_submit(sched, event->submit);
        break;
    case CUZK_EVENT_STAGE:
        sched_stage_ended(sched, event->stage.unit, event->stage.generation, event->stage.stage,
                          event->stage.outcome);
        break;
    case CUZK_EVENT_CANCEL:
        sched_cancel(sched, event->job);
        break;
    case CUZK_EVENT_FORGET:
        sched_forget(sched, event->job);
        break;
    case CUZK_EVENT_DEVICE_LOST:
        if (event->device < sched->config.devices)
            sched_device_lost(sched, event->device);
        break;
    case CUZK_EVENT_DEVICE_READY:
        if (event->device < sched->config.devices)
            sched->devices[event->device].online = true;
        break;
    case CUZK_EVENT_TICK:
        break;
    case CUZK_EVENT_HOST_BASE:
        sched->host_base = event->base.bytes;
        break;
    case CUZK_EVENT_DEVICE_BASE:
        if (event->base.device < sched->config.devices)
            sched->devices[event->base.device].base = event->base.bytes;
        break;
    case CUZK_EVENT_DRAIN:
        sched->draining = true;
        sched_flush_all(sched, CUZK_REASON_DRAIN);
        break;
    }
}

enum cuzk_status cuzk_sched_step(struct cuzk_sched *sched, const struct cuzk_sched_event *event,
                                 struct cuzk_sched_command *commands, size_t room, size_t *count,
                                 struct cuzk_error *err)
{
    bool moved;

    *count = 0;
    if (room < cuzk_sched_room(sched))
        return cuzk_error_set(err, CUZK_ARGUMENT, "scheduler: room for %zu commands, %zu may come", room,
                              cuzk_sched_room(sched));
    sched->commands = commands;
    sched->command_count = 0;
    sched->command_room = room;
    sched->host_short = false;
    if (event->now_ns > sched->now)
        sched->now = event->now_ns;
    take(sched, event);
    if (sched->batches_open > 0)
        sched_flush_due(sched);
    do {
        while (sched->awake_count > 0) {
            const uint32_t u = sched->awake[--sched->awake_count];

            sched->units[u].awake = false;
            sched_advance(sched, u);
        }
        moved = sched_move(sched);
        while (sched_start_next(sched))
            moved = true;
    } while (moved || sched->awake_count > 0);
    if (sched->draining && !sched->drained && sched->alive == 0 &&
        sched->unit_free_count == sched->config.units_most) {
        sched->drained = true;
        sched_emit(sched, CUZK_COMMAND_DRAINED);
    }
    *count = sched->command_count;
    sched->commands = NULL;
    if (sched->overflow)
        return cuzk_error_set(err, CUZK_INTERNAL, "scheduler: more than %zu commands in one step", room);
    return CUZK_OK;
}

uint64_t cuzk_sched_deadline(const struct cuzk_sched *sched)
{
    uint64_t deadline = UINT64_MAX;

    for (unsigned circuit = 0; circuit < CUZK_SCHED_CIRCUITS_MOST && sched->batches_open > 0; circuit++)
        for (unsigned p = 0; p < CUZK_PRIORITIES; p++) {
            const struct batch *batch = &sched->batches[circuit][p];

            if (batch->leader != NOWHERE && batch->deadline_ns < deadline)
                deadline = batch->deadline_ns;
        }
    return deadline;
}

bool cuzk_sched_host_short(const struct cuzk_sched *sched)
{
    return sched->host_short;
}

size_t cuzk_sched_members(const struct cuzk_sched *sched, uint32_t u,
                          struct cuzk_sched_member members[CUZK_SCHED_BATCH_MOST])
{
    if (u >= sched->config.units_most || sched->units[u].place == PLACE_FREE)
        return 0;
    const struct unit *unit = &sched->units[u];

    for (uint32_t m = 0; m < unit->member_count; m++)
        members[m] = (struct cuzk_sched_member){unit->members[m].id, unit->members[m].first,
                                                unit->members[m].count, job_wanted(sched, &unit->members[m])};
    return unit->member_count;
}

void cuzk_sched_stats(const struct cuzk_sched *sched, struct cuzk_sched_stats *out)
{
    memset(out, 0, sizeof *out);
    out->jobs = sched->config.jobs_most - sched->job_free_count;
    out->alive = sched->alive;
    for (unsigned p = 0; p < CUZK_PRIORITIES; p++) {
        out->queued[p] = sched->queue.length[p];
        out->blocked += sched->blocked.length[p];
    }
    out->units = sched->config.units_most - sched->unit_free_count;
    out->witness_busy = sched->witness_busy;
    out->witness_slots = sched->witness_slots;
    out->channel = sched->channel_count;
    out->releasing = sched->releasing + sched->release.length[CUZK_PRIORITY_LOW];
    for (uint32_t d = 0; d < sched->config.devices; d++) {
        out->device_workers_busy[d] = sched->devices[d].busy;
        out->device_used[d] = sched->devices[d].used;
    }
    out->host_used = sched->host_used;
    out->stale = sched->stale;
    out->draining = sched->draining;
}

const char *cuzk_sched_stage_name(enum cuzk_sched_stage stage)
{
    static const char *const names[CUZK_STAGES] = {
        "witness", "setup",    "prepare", "pin",    "upload", "quotient", "msm",
        "unpin",   "host msm", "drop",    "finish", "verify", "release",
    };

    return (unsigned)stage < CUZK_STAGES ? names[stage] : "unknown";
}

void cuzk_sched_reason_text(const struct cuzk_sched_command *command, char *text, size_t room)
{
    static const char *const texts[CUZK_REASONS] = {
        [CUZK_REASON_NONE] = "no reason",
        [CUZK_REASON_DRAINING] = "the engine takes no new jobs: it is draining",
        [CUZK_REASON_JOBS_FULL] = "as many jobs as the engine may know are known",
        [CUZK_REASON_SHAPE] = "partitions, priority, circuit or memory are out of range",
        [CUZK_REASON_ID_KNOWN] = "a job of this id is known already",
        [CUZK_REASON_ATTEMPTS] = "it failed as often as a job may",
        [CUZK_REASON_INVALID] = "its input is wrong or does not satisfy the circuit",
        [CUZK_REASON_SIZE] = "the batch is full",
        [CUZK_REASON_TIMEOUT] = "the batch waited long enough",
        [CUZK_REASON_PRIORITY] = "a job of a higher priority came",
        [CUZK_REASON_DRAIN] = "the engine is draining",
    };
    const double gib = (double)(UINT64_C(1) << 30);

    if (command->reason == CUZK_REASON_HOST_MEMORY || command->reason == CUZK_REASON_DEVICE_MEMORY)
        snprintf(
            text, room, "it needs %.3f GiB of %s memory beside what is resident; %.3f GiB are left for it",
            (double)command->needed / gib, command->reason == CUZK_REASON_HOST_MEMORY ? "host" : "device",
            (double)command->available / gib);
    else if (command->reason == CUZK_REASON_JOBS_FULL)
        snprintf(text, room, "%s (%" PRIu64 ")", texts[command->reason], command->available);
    else
        snprintf(text, room, "%s",
                 (unsigned)command->reason < CUZK_REASONS ? texts[command->reason] : "unknown reason");
}
