/* Units: how they are started, moved through the channel and a device, and how they end. */
#include <string.h>

#include "engine/sched_state.h"

static uint32_t knob(const struct cuzk_sched *sched, enum cuzk_knob which)
{
    return sched->config.knobs.value[which];
}

void sched_wake(struct cuzk_sched *sched, uint32_t u)
{
    if (!sched->units[u].awake) {
        sched->units[u].awake = true;
        sched->awake[sched->awake_count++] = u;
    }
}

static void set_host_bytes(struct cuzk_sched *sched, struct unit *unit, uint64_t bytes)
{
    sched->host_used = sched->host_used - unit->host_bytes + bytes;
    unit->host_bytes = bytes;
}

/* ---- stages ---- */

static void start(struct cuzk_sched *sched, uint32_t u, enum cuzk_sched_stage stage)
{
    struct unit *unit = &sched->units[u];
    struct cuzk_sched_command *command = sched_emit(sched, CUZK_COMMAND_START);

    unit->running |= CUZK_STAGE_BIT(stage);
    command->unit = u;
    command->generation = unit->generation;
    command->stage = stage;
    command->worker = stage == CUZK_STAGE_WITNESS ? unit->witness_worker : unit->worker;
    command->device = unit->device;
    command->job = unit->members[0].id;
}

/* Whether a stage is behind the unit; where not, it is started unless it runs. */
static bool passed(struct cuzk_sched *sched, uint32_t u, enum cuzk_sched_stage stage)
{
    const struct unit *unit = &sched->units[u];
    const uint32_t bit = CUZK_STAGE_BIT(stage);

    if ((sched->stages & bit) == 0 || (unit->done & bit) != 0)
        return true;
    if ((unit->running & bit) == 0)
        start(sched, u, stage);
    return false;
}

/* The same without starting it. */
static bool is_passed(const struct cuzk_sched *sched, const struct unit *unit, enum cuzk_sched_stage stage)
{
    return ((sched->stages & ~unit->done) & CUZK_STAGE_BIT(stage)) == 0;
}

/* ---- what a unit holds ---- */

static void leave_witness_worker(struct cuzk_sched *sched, struct unit *unit)
{
    if (unit->witness_worker == NOWHERE)
        return;
    sched->witness_free[sched->witness_slots - sched->witness_busy] = unit->witness_worker;
    sched->witness_busy--;
    unit->witness_worker = NOWHERE;
}

static void leave_lock(struct cuzk_sched *sched, struct unit *unit, enum sched_lock lock)
{
    struct device *device = &sched->devices[unit->device];

    if (unit->wants[lock]) {
        unit->wants[lock] = false;
        device->waiting--;
    }
    if (unit->holds[lock]) {
        unit->holds[lock] = false;
        device->holder[lock] = NOWHERE;
    }
}

static void leave_section(struct cuzk_sched *sched, struct unit *unit)
{
    if (unit->device == NOWHERE)
        return;
    leave_lock(sched, unit, LOCK_MEMORY);
    leave_lock(sched, unit, LOCK_COMPUTE);
    sched->devices[unit->device].used -= unit->device_bytes;
    unit->device_bytes = 0;
}

static void leave_device(struct cuzk_sched *sched, struct unit *unit)
{
    if (unit->worker == NOWHERE)
        return;
    leave_section(sched, unit);
    sched->devices[unit->device].unit[unit->worker] = NOWHERE;
    sched->devices[unit->device].busy--;
    unit->worker = NOWHERE;
}

static void leave_queue(struct cuzk_sched *sched, uint32_t u)
{
    struct unit *unit = &sched->units[u];

    if (unit->place == PLACE_CHANNEL) {
        level_queue_remove(&sched->channel, sched->unit_links, unit->priority, u);
        sched->channel_count--;
    } else if (unit->place == PLACE_BLOCKED) {
        level_queue_remove(&sched->blocked, sched->unit_links, unit->priority, u);
    }
}

static void begin_release(struct cuzk_sched *sched, uint32_t u)
{
    sched->units[u].place = PLACE_RELEASE;
    sched->releasing++;
    start(sched, u, CUZK_STAGE_RELEASE);
}

static void free_unit(struct cuzk_sched *sched, uint32_t u)
{
    struct unit *unit = &sched->units[u];

    leave_device(sched, unit);
    set_host_bytes(sched, unit, 0);
    if (unit->place == PLACE_RELEASE)
        sched->releasing--;
    unit->place = PLACE_FREE;
    unit->generation++;
    sched->unit_free[sched->unit_free_count++] = u;
    if (knob(sched, CUZK_KNOB_DEALLOC) == CUZK_DEALLOC_BOUNDED && sched->releasing == 0 &&
        sched->release.head[CUZK_PRIORITY_LOW] != NOWHERE) {
        const uint32_t next = sched->release.head[CUZK_PRIORITY_LOW];

        level_queue_remove(&sched->release, sched->unit_links, CUZK_PRIORITY_LOW, next);
        begin_release(sched, next);
    }
}

static void enter_release(struct cuzk_sched *sched, uint32_t u)
{
    struct unit *unit = &sched->units[u];

    leave_queue(sched, u);
    leave_witness_worker(sched, unit);
    if (knob(sched, CUZK_KNOB_DEALLOC) == CUZK_DEALLOC_INLINE)
        leave_section(sched, unit); /* the worker frees the memory itself */
    else
        leave_device(sched, unit);
    sched->active--;
    if ((sched->stages & CUZK_STAGE_BIT(CUZK_STAGE_RELEASE)) == 0) {
        free_unit(sched, u);
    } else if (knob(sched, CUZK_KNOB_DEALLOC) == CUZK_DEALLOC_BOUNDED && sched->releasing > 0) {
        unit->place = PLACE_RELEASE_QUEUE;
        level_queue_push(&sched->release, sched->unit_links, CUZK_PRIORITY_LOW, u, sched->now);
    } else {
        begin_release(sched, u);
    }
}

/* ---- results ---- */

static void complete(struct cuzk_sched *sched, struct unit *unit)
{
    if (unit->complete || unit->dead)
        return;
    unit->complete = true;
    for (uint32_t m = 0; m < unit->member_count; m++) {
        const struct member *member = &unit->members[m];
        struct job *job = &sched->jobs[member->job];

        if (!job_wanted(sched, member))
            continue;
        for (uint32_t p = member->first; p < member->first + member->count; p++)
            job->done[p / 64] |= UINT64_C(1) << (p % 64);
        job->done_count += member->count;
        if (job->done_count == job->given.partitions)
            sched_end_job(sched, member->job, JOB_DONE, CUZK_REASON_NONE);
    }
}

static void die(struct cuzk_sched *sched, uint32_t u)
{
    struct unit *unit = &sched->units[u];

    if (unit->dead)
        return;
    unit->dead = true;
    if ((unit->running & ~CUZK_STAGE_BIT(CUZK_STAGE_RELEASE)) != 0) {
        struct cuzk_sched_command *command = sched_emit(sched, CUZK_COMMAND_ABANDON);

        command->unit = u;
        command->generation = unit->generation;
        command->job = unit->members[0].id;
    }
    sched_wake(sched, u);
}

void sched_abandon_if_unwanted(struct cuzk_sched *sched, uint32_t u)
{
    const struct unit *unit = &sched->units[u];

    if (unit->place == PLACE_FREE || unit->complete)
        return;
    for (uint32_t m = 0; m < unit->member_count; m++)
        if (job_wanted(sched, &unit->members[m]))
            return;
    die(sched, u);
}

/* Counts a failure against every job of the unit; those that have had too many end. */
static void blame(struct cuzk_sched *sched, const struct unit *unit)
{
    for (uint32_t m = 0; m < unit->member_count; m++) {
        struct job *job = &sched->jobs[unit->members[m].job];

        if (!job_wanted(sched, &unit->members[m]))
            continue;
        if (unit->device != NOWHERE)
            job->avoid_device = unit->device;
        if (++job->failures > sched->config.failures_most)
            sched_end_job(sched, unit->members[m].job, JOB_FAILED, CUZK_REASON_ATTEMPTS);
    }
}

/* All partitions of the unit must be done again, one by one. */
static void redo(struct cuzk_sched *sched, uint32_t u)
{
    const struct unit *unit = &sched->units[u];

    for (uint32_t m = 0; m < unit->member_count; m++) {
        const struct member *member = &unit->members[m];
        struct job *job = &sched->jobs[member->job];

        if (!job_wanted(sched, member))
            continue;
        for (uint32_t p = member->first; p < member->first + member->count; p++)
            job->redo[p / 64] |= UINT64_C(1) << (p % 64);
        job->redo_count += member->count;
        sched_requeue_job(sched, member->job);
    }
    die(sched, u);
}

void sched_stage_ended(struct cuzk_sched *sched, uint32_t u, uint32_t generation, enum cuzk_sched_stage stage,
                       enum cuzk_sched_outcome outcome)
{
    struct unit *unit;

    if (u >= sched->config.units_most || (unsigned)stage >= CUZK_STAGES ||
        sched->units[u].generation != generation || (sched->units[u].running & CUZK_STAGE_BIT(stage)) == 0) {
        sched->stale++;
        return;
    }
    unit = &sched->units[u];
    unit->running &= ~CUZK_STAGE_BIT(stage);
    if (stage == CUZK_STAGE_RELEASE) {
        complete(sched, unit);
        free_unit(sched, u);
        return;
    }
    sched_wake(sched, u);
    if (unit->dead)
        return;
    if (unit->complete)
        outcome = CUZK_OUTCOME_OK; /* the result is out already */
    if (outcome == CUZK_OUTCOME_INVALID) {
        for (uint32_t m = 0; m < unit->member_count; m++)
            if (job_wanted(sched, &unit->members[m]) && unit->member_count == 1)
                sched_end_job(sched, unit->members[m].job, JOB_FAILED, CUZK_REASON_INVALID);
        if (!unit->dead)
            redo(sched, u); /* one of several jobs is bad: each shows alone whether it is the one */
        return;
    }
    if (outcome != CUZK_OUTCOME_OK) {
        blame(sched, unit);
        if (!unit->dead)
            redo(sched, u);
        return;
    }
    unit->done |= CUZK_STAGE_BIT(stage);
    if (stage == CUZK_STAGE_DROP)
        set_host_bytes(sched, unit, unit->host_dropped);
    if (stage != CUZK_STAGE_WITNESS)
        return;
    set_host_bytes(sched, unit, unit->host_held);
    /* one task per proof synthesises and sends, whatever the permit of partition workers does */
    if (!sched->whole && knob(sched, CUZK_KNOB_BACKPRESSURE) == CUZK_BACKPRESSURE_UNTIL_SYNTH)
        leave_witness_worker(sched, unit);
    unit->place = PLACE_BLOCKED;
    level_queue_push(&sched->blocked, sched->unit_links, unit->priority, u, sched->now);
}

void sched_device_lost(struct cuzk_sched *sched, uint32_t d)
{
    struct device *device = &sched->devices[d];

    if (!device->online)
        return;
    device->online = false;
    for (uint32_t w = 0; w < DEVICE_WORKERS_MOST; w++) {
        const uint32_t u = device->unit[w];
        struct unit *unit = u == NOWHERE ? NULL : &sched->units[u];

        if (unit == NULL || unit->place != PLACE_DEVICE || (unit->done & CUZK_STAGE_BIT(CUZK_STAGE_MSM)) != 0)
            continue; /* what comes after MSM happens on the host */
        struct cuzk_sched_command *command = sched_emit(sched, CUZK_COMMAND_ABANDON);

        command->unit = u;
        command->generation = unit->generation;
        command->job = unit->members[0].id;
        command->lost = true;
        unit->generation++;
        unit->running = 0;
        unit->done &= CUZK_STAGE_BIT(CUZK_STAGE_WITNESS);
        leave_device(sched, unit);
        if (!unit->dead)
            blame(sched, unit);
        unit->device = NOWHERE;
        unit->avoid_device = d;
        if (unit->dead) {
            sched_wake(sched, u);
        } else {
            unit->place = PLACE_BLOCKED; /* its witness is still there */
            level_queue_push_front(&sched->blocked, sched->unit_links, unit->priority, u, sched->now);
        }
    }
}

/* ---- on the device and after ---- */

static void want(struct cuzk_sched *sched, struct unit *unit, enum sched_lock lock)
{
    if (unit->wants[lock])
        return;
    unit->wants[lock] = true;
    unit->lock_order = ++sched->lock_order;
    sched->devices[unit->device].waiting++;
}

/* Through the stages under the lock; true when they are behind the unit. */
static bool pass_section(struct cuzk_sched *sched, uint32_t u)
{
    struct unit *unit = &sched->units[u];
    const bool split = knob(sched, CUZK_KNOB_DEVICE_LOCK) == CUZK_DEVICE_LOCK_SPLIT;

    if (split && !unit->holds[LOCK_COMPUTE] && !unit->wants[LOCK_COMPUTE]) {
        if (!unit->holds[LOCK_MEMORY]) {
            want(sched, unit, LOCK_MEMORY);
            return false;
        }
        if (!passed(sched, u, CUZK_STAGE_UPLOAD))
            return false;
        leave_lock(sched, unit, LOCK_MEMORY);
    }
    if (!unit->holds[LOCK_COMPUTE]) {
        want(sched, unit, LOCK_COMPUTE);
        return false;
    }
    return passed(sched, u, CUZK_STAGE_UPLOAD) && passed(sched, u, CUZK_STAGE_QUOTIENT) &&
           is_passed(sched, unit, CUZK_STAGE_PREPARE) && passed(sched, u, CUZK_STAGE_MSM);
}

/* FINISH and VERIFY; true when the result is there. */
static bool pass_finish(struct cuzk_sched *sched, uint32_t u)
{
    return is_passed(sched, &sched->units[u], CUZK_STAGE_HOST_MSM) && passed(sched, u, CUZK_STAGE_FINISH) &&
           passed(sched, u, CUZK_STAGE_VERIFY);
}

static void advance_on_device(struct cuzk_sched *sched, uint32_t u)
{
    struct unit *unit = &sched->units[u];

    if (!passed(sched, u, CUZK_STAGE_SETUP))
        return;
    if (passed(sched, u, CUZK_STAGE_PREPARE))
        passed(sched, u, CUZK_STAGE_HOST_MSM);
    if (!passed(sched, u, CUZK_STAGE_PIN))
        return;
    if ((unit->done & CUZK_STAGE_BIT(CUZK_STAGE_MSM)) == 0) {
        if (!pass_section(sched, u))
            return;
    }
    if (unit->holds[LOCK_COMPUTE]) {
        leave_section(sched, unit);
        sched_wake(sched,
                   u); /* the list is a stack: who gets the lock now goes on before this unit's UNPIN */
        sched_move(sched);
        return;
    }
    if (!passed(sched, u, CUZK_STAGE_UNPIN))
        return;
    if (knob(sched, CUZK_KNOB_FINALIZE) == CUZK_FINALIZE_INLINE) {
        if (!pass_finish(sched, u))
            return;
        if (knob(sched, CUZK_KNOB_DEALLOC) != CUZK_DEALLOC_INLINE ||
            (sched->stages & CUZK_STAGE_BIT(CUZK_STAGE_RELEASE)) == 0)
            complete(sched, unit); /* else when the memory is freed: the call returns only then */
        enter_release(sched, u);
        return;
    }
    if (passed(sched, u, CUZK_STAGE_DROP)) {
        leave_device(sched, unit);
        unit->place = PLACE_HOST;
    }
    if (!pass_finish(sched, u))
        return;
    complete(sched, unit);
    if (unit->place == PLACE_HOST)
        enter_release(sched, u);
}

void sched_advance(struct cuzk_sched *sched, uint32_t u)
{
    struct unit *unit = &sched->units[u];

    if (unit->place == PLACE_FREE || unit->place == PLACE_RELEASE || unit->place == PLACE_RELEASE_QUEUE)
        return;
    if (unit->dead) {
        if (unit->running == 0)
            enter_release(sched, u);
        return;
    }
    if (unit->place == PLACE_DEVICE) {
        advance_on_device(sched, u);
    } else if (unit->place == PLACE_HOST && pass_finish(sched, u)) {
        complete(sched, unit);
        enter_release(sched, u);
    }
}

/* ---- choosing ---- */

static bool device_fits(const struct cuzk_sched *sched, uint32_t d, const struct unit *unit)
{
    const struct cuzk_sched_config *config = &sched->config;

    return config->device_memory[d] == 0 ||
           unit->device_need <= config->device_memory[d] - config->device_base[d];
}

/* The device with the fewest calls that takes the unit; NOWHERE: none now. One where it failed is taken only
 * if no other could ever do. */
static uint32_t choose_device(const struct cuzk_sched *sched, const struct unit *unit)
{
    const uint32_t workers = knob(sched, CUZK_KNOB_WORKERS_PER_DEVICE);
    uint32_t best = NOWHERE;
    bool others = false;

    for (uint32_t d = 0; d < sched->config.devices; d++)
        others |= d != unit->avoid_device && sched->devices[d].online && device_fits(sched, d, unit);
    for (uint32_t d = 0; d < sched->config.devices; d++) {
        const struct device *device = &sched->devices[d];

        if (!device->online || device->busy >= workers || !device_fits(sched, d, unit) ||
            (others && d == unit->avoid_device))
            continue;
        if (best == NOWHERE || device->busy < sched->devices[best].busy)
            best = d;
    }
    return best;
}

static bool fill_channel(struct cuzk_sched *sched)
{
    enum cuzk_priority priority;
    unsigned level;
    bool moved = false;

    while (sched->channel_count < knob(sched, CUZK_KNOB_CHANNEL_CAPACITY) &&
           level_queue_next(&sched->blocked, sched->now, sched->config.aging_ns, &priority, &level)) {
        const uint32_t u = sched->blocked.head[priority];

        level_queue_remove(&sched->blocked, sched->unit_links, priority, u);
        sched->blocked.since[priority] = sched->now;
        level_queue_push(&sched->channel, sched->unit_links, priority, u, sched->now);
        sched->channel_count++;
        sched->units[u].place = PLACE_CHANNEL;
        leave_witness_worker(sched, &sched->units[u]);
        moved = true;
    }
    return moved;
}

static bool pick_up(struct cuzk_sched *sched)
{
    enum cuzk_priority in_channel, in_blocked;
    unsigned channel_level = 0, blocked_level = 0;
    const uint64_t aging = sched->config.aging_ns;
    const bool ready = level_queue_next(&sched->channel, sched->now, aging, &in_channel, &channel_level);
    const bool blocked = level_queue_next(&sched->blocked, sched->now, aging, &in_blocked, &blocked_level);

    if (!ready && !blocked)
        return false;
    const bool overtakes = blocked && (!ready || blocked_level > channel_level);
    struct level_queue *queue = overtakes ? &sched->blocked : &sched->channel;
    const enum cuzk_priority priority = overtakes ? in_blocked : in_channel;
    const uint32_t u = queue->head[priority];
    struct unit *unit = &sched->units[u];
    const uint32_t d = choose_device(sched, unit);

    if (d == NOWHERE)
        return false;
    leave_queue(sched, u);
    queue->since[priority] = sched->now;
    leave_witness_worker(sched, unit);

    uint32_t w = 0;

    while (sched->devices[d].unit[w] != NOWHERE)
        w++;
    sched->devices[d].unit[w] = u;
    sched->devices[d].busy++;
    unit->device = d;
    unit->worker = w;
    unit->place = PLACE_DEVICE;
    sched_wake(sched, u);
    return true;
}

/* Gives free locks to the best of those who want them. */
static bool grant(struct cuzk_sched *sched, uint32_t d, enum sched_lock lock)
{
    struct device *device = &sched->devices[d];
    const bool split = knob(sched, CUZK_KNOB_DEVICE_LOCK) == CUZK_DEVICE_LOCK_SPLIT;
    const enum sched_lock first = split ? LOCK_MEMORY : LOCK_COMPUTE;
    uint32_t best = NOWHERE;

    if (device->holder[lock] != NOWHERE)
        return false;
    for (uint32_t w = 0; w < DEVICE_WORKERS_MOST; w++) {
        const uint32_t u = device->unit[w];

        if (u == NOWHERE || !sched->units[u].wants[lock] || sched->units[u].dead)
            continue;
        if (best == NOWHERE || sched->units[u].priority > sched->units[best].priority ||
            (sched->units[u].priority == sched->units[best].priority &&
             sched->units[u].lock_order < sched->units[best].lock_order))
            best = u;
    }
    if (best == NOWHERE)
        return false;
    struct unit *unit = &sched->units[best];

    if (lock == first) {
        const uint64_t memory = sched->config.device_memory[d];

        if (memory != 0 && device->base + device->used + unit->device_need > memory)
            return false; /* until another's buffers are gone */
        unit->device_bytes = unit->device_need;
        device->used += unit->device_bytes;
    }
    unit->wants[lock] = false;
    device->waiting--;
    unit->holds[lock] = true;
    device->holder[lock] = best;
    sched_wake(sched, best);
    return true;
}

static bool grant_locks(struct cuzk_sched *sched)
{
    bool moved = false;

    for (uint32_t d = 0; d < sched->config.devices; d++)
        if (sched->devices[d].waiting > 0) {
            moved |= grant(sched, d, LOCK_COMPUTE);
            moved |= grant(sched, d, LOCK_MEMORY);
        }
    return moved;
}

bool sched_move(struct cuzk_sched *sched)
{
    bool moved = false;

    while (fill_channel(sched) || pick_up(sched) || grant_locks(sched))
        moved = true;
    return moved;
}

/* ---- starting ---- */

/* Bytes that new units may take; what is resident may have grown beyond what was planned for. */
static uint64_t host_left(const struct cuzk_sched *sched)
{
    const uint64_t budget = sched->config.host_budget, taken = sched->host_base + sched->host_used;

    if (budget == 0)
        return UINT64_MAX;
    return budget > taken ? budget - taken : 0;
}

/* Which partitions the unit is made of; false where they do not fit the host budget now. */
static bool form(struct cuzk_sched *sched, uint32_t slot, struct unit *unit)
{
    const uint64_t left = host_left(sched);
    struct job *job = &sched->jobs[slot];

    memset(unit, 0, sizeof *unit);
    if (!sched->whole || job->single) {
        uint32_t partition = job->started;

        if (job->redo_count > 0)
            for (partition = 0; !bitmap_get(job->redo, partition);)
                partition++;
        unit->members[0] = (struct member){slot, job->given.id, job->serial, partition, 1};
        unit->member_count = unit->partitions = 1;
        unit->host_bytes = job->given.host_peak;
        unit->host_held = job->given.host_held;
        unit->host_dropped = job->given.host_dropped;
        unit->device_need = job->given.device_memory;
        return unit->host_bytes <= left;
    }
    for (uint32_t other = slot; other != NOWHERE && unit->member_count < CUZK_SCHED_BATCH_MOST;
         other = sched->jobs[other].batch_next) {
        const struct cuzk_sched_job *given = &sched->jobs[other].given;

        if (unit->host_bytes + given->partitions * given->host_peak > left)
            break; /* the rest stays for the next unit */
        unit->members[unit->member_count++] =
            (struct member){other, given->id, sched->jobs[other].serial, 0, given->partitions};
        unit->partitions += given->partitions;
        unit->host_bytes += given->partitions * given->host_peak;
        unit->host_held += given->partitions * given->host_held;
        unit->host_dropped += given->partitions * given->host_dropped;
        if (given->device_memory > unit->device_need)
            unit->device_need = given->device_memory;
    }
    return unit->member_count > 0;
}

/* Notes that the unit's partitions are on their way. */
static void count_started(struct cuzk_sched *sched, const struct unit *unit)
{
    const uint32_t leader = unit->members[0].job;
    const enum cuzk_priority priority = sched->jobs[leader].given.priority;
    uint32_t rest = leader;

    for (uint32_t m = 0; m < unit->member_count; m++) {
        struct job *job = &sched->jobs[unit->members[m].job];
        const uint32_t first = unit->members[m].first;

        rest = job->batch_next;
        job->batch_next = job->batch_leader = NOWHERE;
        if (job->redo_count > 0 && bitmap_get(job->redo, first)) {
            job->redo[first / 64] &= ~(UINT64_C(1) << (first % 64));
            job->redo_count--;
        } else {
            job->started += unit->members[m].count;
        }
    }
    sched->queue.since[priority] = sched->now;
    if (sched->jobs[leader].started < sched->jobs[leader].given.partitions ||
        sched->jobs[leader].redo_count > 0)
        return;
    sched->jobs[leader].queued = false;
    if (rest == NOWHERE) {
        level_queue_remove(&sched->queue, sched->job_links, priority, leader);
        return;
    }
    level_queue_replace(&sched->queue, sched->job_links, priority, leader, rest);
    sched->jobs[rest].queued = true;
    for (uint32_t other = rest; other != NOWHERE; other = sched->jobs[other].batch_next)
        sched->jobs[other].batch_leader = rest;
}

/* A unit of a lower class whose witness is made and that only waits for the channel: its witness worker can
 * serve a higher one. Else that one would begin only when the channel moves, which is when a device has taken
 * the next partition. NOWHERE: none. */
static uint32_t find_lender(const struct cuzk_sched *sched, enum cuzk_priority priority)
{
    for (unsigned p = 0; p < priority; p++)
        for (uint32_t u = sched->blocked.tail[p]; u != NOWHERE; u = sched->unit_links[u].previous)
            if (sched->units[u].witness_worker != NOWHERE)
                return u;
    return NOWHERE;
}

bool sched_start_next(struct cuzk_sched *sched)
{
    const uint32_t overlap = knob(sched, CUZK_KNOB_OVERLAP);
    uint32_t lender = NOWHERE;
    enum cuzk_priority priority;
    unsigned level;

    if (sched->unit_free_count == 0 ||
        !level_queue_next(&sched->queue, sched->now, sched->config.aging_ns, &priority, &level))
        return false;
    if (sched->witness_busy == sched->witness_slots) {
        lender = find_lender(sched, priority);
        if (lender == NOWHERE)
            return false;
    }
    const uint32_t slot = sched->queue.head[priority];
    const struct job *job = &sched->jobs[slot];

    if (overlap == CUZK_OVERLAP_NONE && sched->unit_free_count < sched->config.units_most)
        return false;
    if (overlap == CUZK_OVERLAP_PARTITION && sched->active > 0 && sched->solo != job->serial)
        return false;
    const uint32_t u = sched->unit_free[sched->unit_free_count - 1];
    struct unit *unit = &sched->units[u];
    const uint32_t generation = unit->generation;
    const bool awake = unit->awake;
    const bool formed = form(sched, slot, unit);

    sched->host_short = !formed;
    if (!formed)
        memset(unit, 0, sizeof *unit);
    unit->generation = generation;
    unit->awake = awake;
    if (!formed)
        return false;
    if (lender != NOWHERE)
        leave_witness_worker(sched, &sched->units[lender]);
    sched->unit_free_count--;
    sched->active++;
    sched->solo = job->serial;
    sched->host_used += unit->host_bytes;
    unit->place = PLACE_WITNESS;
    unit->priority = priority;
    unit->avoid_device = job->avoid_device;
    unit->device = unit->worker = NOWHERE;
    sched->witness_busy++;
    unit->witness_worker = sched->witness_free[sched->witness_slots - sched->witness_busy];
    count_started(sched, unit);
    start(sched, u, CUZK_STAGE_WITNESS);
    return true;
}
