/* Stages of devices, the slots that units hold there, and devices that are lost. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

/* ---- slots ---- */

void engine_slot_want(struct cuzk_engine *engine, struct engine_unit *unit, struct engine_task *task)
{
    struct engine_device *device = &engine->devices[task->device];

    unit->device = (int)task->device;
    if (device->slots_free == 0) {
        struct engine_unit **place = &device->waiting;

        while (*place != NULL && (*place)->members[0].job->priority >= unit->members[0].job->priority)
            place = &(*place)->next_waiting;
        unit->waits_for_slot = true;
        unit->parked = task;
        unit->next_waiting = *place;
        *place = unit;
        return;
    }
    for (unsigned s = 0; unit->slot == ENGINE_NONE; s++)
        if (!device->slot_taken[s])
            unit->slot = (int)s;
    device->slot_taken[unit->slot] = true;
    device->slots_free--;
    engine_lane_push(engine, task);
}

static void stop_waiting(struct cuzk_engine *engine, struct engine_unit *unit)
{
    struct engine_device *device = &engine->devices[unit->device];
    struct engine_unit **place = &device->waiting;

    while (*place != unit)
        place = &(*place)->next_waiting;
    *place = unit->next_waiting;
    unit->waits_for_slot = false;
    engine_lane_push(engine, unit->parked); /* which is skipped and reported */
    unit->parked = NULL;
}

void engine_slot_free(struct cuzk_engine *engine, struct engine_unit *unit)
{
    struct engine_device *device;

    if (unit->waits_for_slot)
        stop_waiting(engine, unit);
    if (unit->slot == ENGINE_NONE)
        return;
    device = &engine->devices[unit->device];
    device->slot_taken[unit->slot] = false;
    device->slots_free++;
    unit->slot = ENGINE_NONE;
    if (device->waiting != NULL) {
        struct engine_unit *next = device->waiting;
        struct engine_task *task = next->parked;

        device->waiting = next->next_waiting;
        next->waits_for_slot = false;
        next->parked = NULL;
        engine_slot_want(engine, next, task);
    }
}

/* ---- calls, and those that nobody waits for any more ---- */

void engine_give_up_calls(struct cuzk_engine *engine, struct engine_unit *unit)
{
    if (unit->calls == 0 || unit->give_up != GIVE_UP_NONE)
        return;
    struct engine_device *device = &engine->devices[unit->call_device];

    unit->give_up = GIVE_UP_WANTED;
    unit->next_given_up = device->given_up;
    device->given_up = unit;
    pthread_cond_signal(&device->keeper_wake);
}

/* The keeper, under lock but for the call. The unit's calls wait for it, so the slot is still the unit's. */
static void give_up_call(struct cuzk_engine *engine, struct engine_device *device)
{
    struct engine_unit *unit = device->given_up;
    const unsigned slot = unit->call_slot;

    device->given_up = unit->next_given_up;
    unit->give_up = GIVE_UP_RUNS;
    pthread_mutex_unlock(&engine->lock);
    device->device->ops->abandon(device->device, slot);
    pthread_mutex_lock(&engine->lock);
    unit->give_up = GIVE_UP_NONE;
    pthread_cond_broadcast(&device->gave_up);
}

/* False: the unit was given up before, or the engine stops. */
static bool begin_call(struct cuzk_engine *engine, struct engine_unit *unit, const struct engine_task *task)
{
    pthread_mutex_lock(&engine->lock);
    const bool wanted = !unit->abandoned && !engine->stopping;

    if (wanted) {
        unit->calls++;
        unit->call_device = task->device;
        unit->call_slot = (unsigned)task->slot;
    }
    pthread_mutex_unlock(&engine->lock);
    return wanted;
}

/* Under lock. */
static void end_call(struct cuzk_engine *engine, struct engine_unit *unit)
{
    struct engine_device *device = &engine->devices[unit->call_device];

    while (unit->give_up == GIVE_UP_RUNS)
        pthread_cond_wait(&device->gave_up, &engine->lock);
    if (--unit->calls > 0 || unit->give_up == GIVE_UP_NONE)
        return;
    struct engine_unit **link = &device->given_up; /* nobody came to it in time */

    while (*link != unit)
        link = &(*link)->next_given_up;
    *link = unit->next_given_up;
    unit->give_up = GIVE_UP_NONE;
}

/* One stage of the device. */
static enum cuzk_status call_device(struct cuzk_engine *engine, struct engine_unit *unit,
                                    const struct engine_task *task, enum cuzk_sched_stage stage,
                                    struct cuzk_device_unit *what, struct cuzk_error *err)
{
    struct cuzk_device *device = engine->devices[task->device].device;

    if (!begin_call(engine, unit, task))
        return cuzk_error_set(err, CUZK_CANCELLED, "the unit was given up");
    const enum cuzk_status status = device->ops->stage(device, (unsigned)task->slot, stage, what, err);

    pthread_mutex_lock(&engine->lock);
    end_call(engine, unit);
    pthread_mutex_unlock(&engine->lock);
    return status;
}

/* ---- stages ---- */

static enum cuzk_status call(struct engine_lane *lane, struct engine_unit *unit,
                             const struct engine_task *task, enum cuzk_sched_stage stage,
                             struct cuzk_error *err)
{
    struct cuzk_engine *engine = lane->engine;
    struct engine_device *device = &engine->devices[task->device];
    struct engine_partition *part = &unit->part[unit->current];
    const uint64_t kernels = part->device.kernels_ns, transfer = part->device.transfer_ns;
    struct engine_span span = {.stage = stage, .begin_ns = cuzk_clock_ns()};
    const enum cuzk_status status = call_device(engine, unit, task, stage, &part->device, err);

    span.end_ns = cuzk_clock_ns();
    if (stage == CUZK_STAGE_FINISH)
        part->finish_ns = span.end_ns - span.begin_ns;
    span.kernels_ns = part->device.kernels_ns - kernels;
    span.transfer_ns = part->device.transfer_ns - transfer;
    engine_note_span(engine, lane->name, part->job, (int32_t)part->number, &span);
    pthread_mutex_lock(&engine->lock);
    device->busy_ns += span.kernels_ns;
    device->transfer_ns += span.transfer_ns;
    part->job->device_ns += span.end_ns - span.begin_ns;
    if (stage == CUZK_STAGE_FINISH && status == CUZK_OK)
        device->units++;
    pthread_mutex_unlock(&engine->lock);
    return status;
}

/* Stages that run beside the others touch nothing that these touch. */
static enum cuzk_status call_beside(struct engine_lane *lane, struct engine_unit *unit,
                                    const struct engine_task *task, struct cuzk_error *err)
{
    struct cuzk_engine *engine = lane->engine;

    for (unsigned p = 0; p < unit->partitions; p++) {
        const struct engine_partition *part = &unit->part[p];
        struct engine_span span = {.stage = task->stage, .begin_ns = cuzk_clock_ns()};
        struct cuzk_device_unit copy = {.circuit = part->device.circuit, .witness = part->device.witness};
        const enum cuzk_status status = call_device(engine, unit, task, task->stage, &copy, err);

        span.end_ns = cuzk_clock_ns();
        engine_note_span(engine, lane->name, part->job, (int32_t)part->number, &span);
        CUZK_TRY(status);
    }
    return CUZK_OK;
}

static enum cuzk_status set_up(struct engine_lane *lane, struct engine_unit *unit,
                               const struct engine_task *task, struct cuzk_error *err)
{
    struct cuzk_engine *engine = lane->engine;
    const uint64_t begin = cuzk_clock_ns();

    unit->current = 0;
    CUZK_TRY(engine_key_acquire(engine, unit->circuit, task->device, err));
    pthread_mutex_lock(&engine->lock);
    const bool current = unit->generation == task->generation;

    if (current)
        unit->key_device = (int)task->device;
    for (unsigned m = 0; m < unit->member_count; m++)
        unit->members[m].job->srs_ns += cuzk_clock_ns() - begin;
    pthread_mutex_unlock(&engine->lock);
    if (!current) {
        engine_key_release(engine, unit->circuit, task->device);
        return cuzk_error_set(err, CUZK_DEVICE_LOST, "device %" PRIu32 " was lost", task->device);
    }
    return call(lane, unit, task, CUZK_STAGE_SETUP, err);
}

static enum cuzk_status finish(struct engine_lane *lane, struct engine_unit *unit,
                               const struct engine_task *task, struct cuzk_error *err)
{
    struct engine_partition *part = &unit->part[unit->current];

    CUZK_TRY(call(lane, unit, task, CUZK_STAGE_FINISH, err));
    part->finished = true;
    const bool read_beside = (lane->engine->stages & CUZK_STAGE_BIT(CUZK_STAGE_HOST_MSM)) != 0;

    if (read_beside && unit->current + 1 < unit->partitions)
        return CUZK_OK; /* MSM finishes it, HOST_MSM may still run: its witness goes with RELEASE */
    const bool has_pool = pthread_mutex_trylock(&lane->engine->pool_lock) == 0;

    cuzk_shared_witness_destroy_by(has_pool ? lane->engine->pool : NULL, part->device.witness);
    if (has_pool)
        pthread_mutex_unlock(&lane->engine->pool_lock);
    part->device.witness = NULL;
    return CUZK_OK;
}

/* MSM; and where a call holds more than one partition, the others from SETUP on, all under the lock. */
static enum cuzk_status msm(struct engine_lane *lane, struct engine_unit *unit,
                            const struct engine_task *task, struct cuzk_error *err)
{
    static const enum cuzk_sched_stage rest[] = {CUZK_STAGE_SETUP, CUZK_STAGE_PIN, CUZK_STAGE_UPLOAD,
                                                 CUZK_STAGE_QUOTIENT, CUZK_STAGE_MSM};

    CUZK_TRY(call(lane, unit, task, CUZK_STAGE_MSM, err));
    while (unit->current + 1 < unit->partitions) {
        CUZK_TRY(finish(lane, unit, task, err));
        unit->current++;
        for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
            if ((lane->engine->stages & CUZK_STAGE_BIT(rest[i])) != 0)
                CUZK_TRY(call(lane, unit, task, rest[i], err));
    }
    return CUZK_OK;
}

static void release_key(struct cuzk_engine *engine, struct engine_unit *unit)
{
    pthread_mutex_lock(&engine->lock);
    const int device = unit->key_device;

    unit->key_device = ENGINE_NONE;
    pthread_mutex_unlock(&engine->lock);
    if (device == ENGINE_NONE)
        return;
    engine_key_release(engine, unit->circuit, (unsigned)device);
    engine_key_settle(engine, unit->circuit, (unsigned)device);
}

static void hold(struct cuzk_engine *engine, struct engine_unit *unit, unsigned number)
{
    struct engine_device *device = &engine->devices[number];

    pthread_mutex_lock(&engine->lock);
    unit->held_since = cuzk_clock_ns();
    device->work_job = unit->members[0].job->id;
    device->work_kind = unit->members[0].job->kind;
    pthread_mutex_unlock(&engine->lock);
}

static void let_go(struct cuzk_engine *engine, struct engine_unit *unit, unsigned number)
{
    struct engine_device *device = &engine->devices[number];

    pthread_mutex_lock(&engine->lock);
    if (unit->held_since != 0)
        device->held_ns += cuzk_clock_ns() - unit->held_since;
    unit->held_since = 0;
    if (device->work_job == unit->members[0].job->id)
        device->work_job = 0;
    pthread_mutex_unlock(&engine->lock);
}

enum cuzk_status engine_run_device(struct engine_lane *lane, struct engine_unit *unit,
                                   const struct engine_task *task, struct cuzk_error *err)
{
    enum cuzk_status status;

    switch (task->stage) {
    case CUZK_STAGE_SETUP:
        return set_up(lane, unit, task, err);
    case CUZK_STAGE_PREPARE:
    case CUZK_STAGE_HOST_MSM:
        return call_beside(lane, unit, task, err);
    case CUZK_STAGE_UPLOAD:
        hold(lane->engine, unit, task->device);
        status = call(lane, unit, task, CUZK_STAGE_UPLOAD, err);
        break;
    case CUZK_STAGE_MSM:
        status = msm(lane, unit, task, err);
        let_go(lane->engine, unit, task->device);
        return status;
    case CUZK_STAGE_FINISH:
        status = finish(lane, unit, task, err);
        release_key(lane->engine, unit);
        return status;
    default:
        status = call(lane, unit, task, task->stage, err);
        break;
    }
    if (status != CUZK_OK)
        let_go(lane->engine, unit, task->device);
    return status;
}

/* ---- lost devices ---- */

void engine_device_lost(struct cuzk_engine *engine, unsigned number)
{
    struct engine_device *device = &engine->devices[number];

    if (device->lost)
        return;
    device->lost = true;
    device->work_job = 0;
    engine_note(engine, CUZK_EVENT_TYPE_DEVICE_LOST, NULL, device->lanes[0].name, 0);
    cuzk_log_line(engine->log, CUZK_LOG_WARNING, "device %u is lost; it is started anew", number);
    engine_step(engine, (struct cuzk_sched_event){.kind = CUZK_EVENT_DEVICE_LOST, .device = number}, NULL);
    pthread_cond_signal(&device->keeper_wake);
}

/* Under lock, but for the calls. */
static void bring_back(struct cuzk_engine *engine, struct engine_device *device)
{
    enum { FIRST_WAIT_MS = 100, LAST_WAIT_MS = 30000 };
    uint64_t wait_ms = FIRST_WAIT_MS;
    const uint64_t begin = cuzk_clock_ns();

    while (!engine->stopping && device->in_flight > 0)
        pthread_cond_wait(&device->keeper_wake, &engine->lock);
    while (!engine->stopping) {
        struct cuzk_error err = {0};

        pthread_mutex_unlock(&engine->lock);
        engine_keys_lost(engine, device->number);
        const enum cuzk_status status = device->device->ops->restart(device->device, &err);

        if (status == CUZK_OK)
            engine_keys_reload(engine, device->number);
        pthread_mutex_lock(&engine->lock);
        if (status == CUZK_OK)
            break;
        cuzk_log_line(engine->log, CUZK_LOG_ERROR, "device %u does not start: %s", device->number,
                      err.message);
        const uint64_t until = cuzk_clock_ns() + wait_ms * CUZK_NS_PER_MS;

        while (!engine->stopping && cuzk_clock_ns() < until)
            engine_cond_wait(&device->keeper_wake, &engine->lock, until);
        wait_ms = 2 * wait_ms < LAST_WAIT_MS ? 2 * wait_ms : LAST_WAIT_MS;
    }
    if (engine->stopping)
        return;
    device->lost = false;
    device->restarts++;
    device->facts_wanted = true;
    engine_note(engine, CUZK_EVENT_TYPE_DEVICE_READY, NULL, device->lanes[0].name, begin);
    engine_step(engine, (struct cuzk_sched_event){.kind = CUZK_EVENT_DEVICE_READY, .device = device->number},
                NULL);
}

static void ask_facts(struct cuzk_engine *engine, struct engine_device *device)
{
    struct cuzk_device_facts facts;

    device->facts_wanted = false;
    pthread_mutex_unlock(&engine->lock);
    const enum cuzk_status status = device->device->ops->facts(device->device, &facts, NULL);

    pthread_mutex_lock(&engine->lock);
    device->facts_ns = cuzk_clock_ns();
    if (status == CUZK_OK)
        device->facts = facts;
}

/* One thread a device: starts it anew, and asks it for facts so that nobody else waits for it. */
static void *keeper_main(void *argument)
{
    struct engine_device *device = argument;
    struct cuzk_engine *engine = device->engine;

    pthread_mutex_lock(&engine->lock);
    for (;;) {
        if (device->lost && !engine->stopping)
            bring_back(engine, device);
        else if (device->given_up != NULL) /* where the engine stops, of every unit */
            give_up_call(engine, device);
        else if (engine->stopping)
            break;
        else if (device->facts_wanted)
            ask_facts(engine, device);
        else
            pthread_cond_wait(&device->keeper_wake, &engine->lock);
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

enum cuzk_status engine_keepers_start(struct cuzk_engine *engine, struct cuzk_error *err)
{
    for (unsigned d = 0; d < engine->device_count; d++) {
        struct engine_device *device = &engine->devices[d];

        if (pthread_create(&device->keeper, NULL, keeper_main, device) != 0)
            return cuzk_error_set(err, CUZK_IO, "cannot start the thread that keeps device %u", d);
        device->keeper_started = true;
    }
    return CUZK_OK;
}

void engine_keepers_stop(struct cuzk_engine *engine)
{
    for (unsigned d = 0; d < engine->device_count; d++) {
        struct engine_device *device = &engine->devices[d];

        if (!device->keeper_started)
            continue;
        pthread_mutex_lock(&engine->lock);
        pthread_cond_broadcast(&device->keeper_wake);
        pthread_mutex_unlock(&engine->lock);
        pthread_join(device->keeper, NULL);
        device->keeper_started = false;
    }
}
