/* Jobs: admission, batches, and how they end. */
#include <string.h>

#include "engine/sched_state.h"

#include "base/clock.h"

/* ---- admission ---- */

static void reject(struct cuzk_sched *sched, uint64_t id, enum cuzk_sched_reason reason, uint64_t needed,
                   uint64_t available)
{
    struct cuzk_sched_command *command = sched_emit(sched, CUZK_COMMAND_REJECTED);

    command->job = id;
    command->reason = reason;
    command->needed = needed;
    command->available = available;
}

static bool shape_is_good(const struct cuzk_sched_job *given)
{
    return given->partitions >= 1 && given->partitions <= CUZK_SCHED_PARTITIONS_MOST &&
           given->circuit < CUZK_SCHED_CIRCUITS_MOST && (unsigned)given->priority < CUZK_PRIORITIES &&
           given->host_peak <= UINT64_MAX / (CUZK_SCHED_PARTITIONS_MOST * (CUZK_SCHED_BATCH_MOST + 1)) &&
           given->host_held <= given->host_peak && given->host_dropped <= given->host_held &&
           given->device_memory <= UINT64_MAX / 2;
}

/* Whether a unit of the job fits the machine when nothing else is on it. */
static bool fits(struct cuzk_sched *sched, const struct cuzk_sched_job *given)
{
    const struct cuzk_sched_config *config = &sched->config;
    const uint64_t unit = given->host_peak * (sched->whole ? given->partitions : 1);
    const uint64_t host = config->host_budget - config->host_base;
    uint64_t most = 0;

    if (config->host_budget != 0 && unit > host) {
        reject(sched, given->id, CUZK_REASON_HOST_MEMORY, unit, host);
        return false;
    }
    for (uint32_t d = 0; d < config->devices; d++) {
        if (config->device_memory[d] == 0)
            return true;
        if (config->device_memory[d] - config->device_base[d] > most)
            most = config->device_memory[d] - config->device_base[d];
    }
    if (given->device_memory > most) {
        reject(sched, given->id, CUZK_REASON_DEVICE_MEMORY, given->device_memory, most);
        return false;
    }
    return true;
}

static void flush(struct cuzk_sched *sched, struct batch *batch, enum cuzk_sched_reason reason)
{
    const uint32_t leader = batch->leader;
    struct cuzk_sched_command *command = sched_emit(sched, CUZK_COMMAND_FLUSH);

    command->job = sched->jobs[leader].given.id;
    command->reason = reason;
    command->count = batch->count;
    for (uint32_t slot = leader; slot != NOWHERE; slot = sched->jobs[slot].batch_next)
        sched->jobs[slot].collecting = false;
    sched->jobs[leader].queued = true;
    level_queue_push(&sched->queue, sched->job_links, sched->jobs[leader].given.priority, leader, sched->now);
    batch->leader = NOWHERE;
    sched->batches_open--;
}

static void collect(struct cuzk_sched *sched, uint32_t slot)
{
    struct job *job = &sched->jobs[slot];
    struct batch *batch = &sched->batches[job->given.circuit][job->given.priority];

    job->collecting = true;
    if (batch->leader == NOWHERE) {
        *batch = (struct batch){
            .leader = slot,
            .deadline_ns = sched->now + sched->config.knobs.value[CUZK_KNOB_BATCH_WAIT] * CUZK_NS_PER_MS,
        };
        sched->batches_open++;
    } else {
        sched->jobs[batch->last].batch_next = slot;
    }
    job->batch_leader = batch->leader;
    batch->last = slot;
    batch->count++;
    if (batch->count == sched->config.knobs.value[CUZK_KNOB_BATCH_MAX])
        flush(sched, batch, CUZK_REASON_SIZE);
}

/* A batch that is still open must not make a job of a higher priority wait for its timeout. */
static void flush_below(struct cuzk_sched *sched, enum cuzk_priority priority)
{
    for (unsigned circuit = 0; circuit < CUZK_SCHED_CIRCUITS_MOST && sched->batches_open > 0; circuit++)
        for (unsigned p = 0; p < priority; p++)
            if (sched->batches[circuit][p].leader != NOWHERE)
                flush(sched, &sched->batches[circuit][p], CUZK_REASON_PRIORITY);
}

void sched_flush_due(struct cuzk_sched *sched)
{
    for (unsigned circuit = 0; circuit < CUZK_SCHED_CIRCUITS_MOST && sched->batches_open > 0; circuit++)
        for (unsigned p = 0; p < CUZK_PRIORITIES; p++) {
            struct batch *batch = &sched->batches[circuit][p];

            if (batch->leader != NOWHERE && batch->deadline_ns <= sched->now)
                flush(sched, batch, CUZK_REASON_TIMEOUT);
        }
}

void sched_flush_all(struct cuzk_sched *sched, enum cuzk_sched_reason reason)
{
    for (unsigned circuit = 0; circuit < CUZK_SCHED_CIRCUITS_MOST && sched->batches_open > 0; circuit++)
        for (unsigned p = 0; p < CUZK_PRIORITIES; p++)
            if (sched->batches[circuit][p].leader != NOWHERE)
                flush(sched, &sched->batches[circuit][p], reason);
}

static uint32_t jobs_before(const struct cuzk_sched *sched, enum cuzk_priority priority)
{
    uint32_t before = 0;

    for (unsigned p = priority; p < CUZK_PRIORITIES; p++)
        before += sched->queue.length[p];
    return before;
}

void sched_submit(struct cuzk_sched *sched, const struct cuzk_sched_job *given)
{
    struct cuzk_sched_command *command;
    uint32_t slot;

    if (sched->draining) {
        reject(sched, given->id, CUZK_REASON_DRAINING, 0, 0);
        return;
    }
    if (!shape_is_good(given)) {
        reject(sched, given->id, CUZK_REASON_SHAPE, 0, 0);
        return;
    }
    slot = table_find_key(sched, given->key);
    if (slot != NOWHERE) {
        command = sched_emit(sched, CUZK_COMMAND_DUPLICATE);
        command->job = sched->jobs[slot].given.id;
        return;
    }
    if (table_find_id(sched, given->id) != NOWHERE) {
        reject(sched, given->id, CUZK_REASON_ID_KNOWN, 0, 0);
        return;
    }
    if (sched->job_free_count == 0) {
        reject(sched, given->id, CUZK_REASON_JOBS_FULL, (uint64_t)sched->config.jobs_most + 1,
               sched->config.jobs_most);
        return;
    }
    if (!fits(sched, given))
        return;

    slot = sched->job_free[--sched->job_free_count];
    struct job *job = &sched->jobs[slot];

    memset(job, 0, sizeof *job);
    job->given = *given;
    job->serial = ++sched->serial;
    job->state = JOB_ALIVE;
    job->batch_next = job->batch_leader = job->avoid_device = NOWHERE;
    sched->alive++;
    table_insert_id(sched, slot);
    table_insert_key(sched, slot);
    command = sched_emit(sched, CUZK_COMMAND_ACCEPTED);
    command->job = given->id;
    command->position = jobs_before(sched, given->priority);
    flush_below(sched, given->priority);
    if (sched->whole && given->batchable && sched->config.knobs.value[CUZK_KNOB_BATCH_MAX] > 1) {
        collect(sched, slot);
    } else {
        job->queued = true;
        level_queue_push(&sched->queue, sched->job_links, given->priority, slot, sched->now);
    }
}

/* ---- the end of a job ---- */

/* Takes a job out of its batch; the batch goes on without it. */
static void leave_batch(struct cuzk_sched *sched, uint32_t slot)
{
    struct job *job = &sched->jobs[slot];
    struct batch *batch = job->collecting ? &sched->batches[job->given.circuit][job->given.priority] : NULL;

    if (slot == job->batch_leader) {
        const uint32_t next = job->batch_next;

        for (uint32_t other = next; other != NOWHERE; other = sched->jobs[other].batch_next)
            sched->jobs[other].batch_leader = next;
        if (batch != NULL) {
            batch->leader = next;
            batch->count--;
            sched->batches_open -= next == NOWHERE;
        } else if (next != NOWHERE) {
            level_queue_replace(&sched->queue, sched->job_links, job->given.priority, slot, next);
            sched->jobs[next].queued = true;
        } else {
            level_queue_remove(&sched->queue, sched->job_links, job->given.priority, slot);
        }
    } else {
        uint32_t before = job->batch_leader;

        while (sched->jobs[before].batch_next != slot)
            before = sched->jobs[before].batch_next;
        sched->jobs[before].batch_next = job->batch_next;
        if (batch != NULL) {
            batch->count--;
            if (batch->last == slot)
                batch->last = before;
        }
    }
    job->queued = job->collecting = false;
    job->batch_next = job->batch_leader = NOWHERE;
}

bool job_wanted(const struct cuzk_sched *sched, const struct member *member)
{
    const struct job *job = &sched->jobs[member->job];

    return job->state == JOB_ALIVE && job->serial == member->serial;
}

void sched_end_job(struct cuzk_sched *sched, uint32_t slot, enum job_state state,
                   enum cuzk_sched_reason reason)
{
    struct job *job = &sched->jobs[slot];
    struct cuzk_sched_command *command = sched_emit(sched, state == JOB_DONE     ? CUZK_COMMAND_DONE
                                                           : state == JOB_FAILED ? CUZK_COMMAND_FAILED
                                                                                 : CUZK_COMMAND_CANCELLED);

    command->job = job->given.id;
    command->reason = reason;
    if (job->batch_leader != NOWHERE) {
        leave_batch(sched, slot);
    } else if (job->queued) {
        level_queue_remove(&sched->queue, sched->job_links, job->given.priority, slot);
        job->queued = false;
    }
    job->state = state;
    sched->alive--;
    if (state == JOB_DONE)
        return;
    table_remove_key(sched, slot); /* the same content may be tried anew */
    for (uint32_t u = 0; u < sched->config.units_most; u++)
        sched_abandon_if_unwanted(sched, u);
}

void sched_requeue_job(struct cuzk_sched *sched, uint32_t slot)
{
    struct job *job = &sched->jobs[slot];

    job->single = true;
    if (job->queued)
        return;
    job->queued = true;
    level_queue_push_front(&sched->queue, sched->job_links, job->given.priority, slot, sched->now);
}

void sched_cancel(struct cuzk_sched *sched, uint64_t id)
{
    const uint32_t slot = table_find_id(sched, id);

    if (slot == NOWHERE || sched->jobs[slot].state != JOB_ALIVE)
        sched_emit(sched, CUZK_COMMAND_NOT_RUNNING)->job = id;
    else
        sched_end_job(sched, slot, JOB_CANCELLED, CUZK_REASON_NONE);
}

void sched_forget(struct cuzk_sched *sched, uint64_t id)
{
    const uint32_t slot = table_find_id(sched, id);

    if (slot == NOWHERE || sched->jobs[slot].state == JOB_ALIVE)
        return;
    table_remove_id(sched, slot);
    if (sched->jobs[slot].state == JOB_DONE)
        table_remove_key(sched, slot);
    sched->jobs[slot].state = JOB_FREE;
    sched->job_free[sched->job_free_count++] = slot;
}
