/* Lanes: threads that run stages. A witness worker and a device worker are one thread each; what belongs to
 * no worker is shared among the host's threads. */
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

enum { HOST_LANES_LEAST = 2, HOST_LANES_MOST = 64 };

struct engine_task *engine_task_take(struct cuzk_engine *engine)
{
    struct engine_task *task = engine->task_free;

    if (task != NULL)
        engine->task_free = task->next;
    return task;
}

void engine_task_give(struct cuzk_engine *engine, struct engine_task *task)
{
    task->next = engine->task_free;
    engine->task_free = task;
}

/* ---- which lane a task goes to ---- */

static bool calls_device(enum cuzk_sched_stage stage)
{
    return stage >= CUZK_STAGE_SETUP && stage <= CUZK_STAGE_FINISH;
}

static struct engine_queue *queue_for(struct cuzk_engine *engine, const struct engine_task *task)
{
    const bool beside = task->stage == CUZK_STAGE_PREPARE || task->stage == CUZK_STAGE_HOST_MSM;
    const bool handed_over = engine->knobs.value[CUZK_KNOB_FINALIZE] == CUZK_FINALIZE_ASYNC &&
                             (task->stage == CUZK_STAGE_FINISH || task->stage == CUZK_STAGE_VERIFY);

    if (task->stage == CUZK_STAGE_WITNESS)
        return &engine->witness_lanes[task->worker].own;
    if (task->worker == UINT32_MAX || beside || handed_over)
        return &engine->host_queue;
    return &engine->devices[task->device].lanes[task->worker].own;
}

void engine_lane_push(struct cuzk_engine *engine, struct engine_task *task)
{
    struct engine_queue *queue = queue_for(engine, task);

    if (calls_device(task->stage))
        engine->devices[task->device].in_flight++;
    task->slot = engine->units[task->unit].slot;
    task->next = NULL;
    if (queue->tail != NULL)
        queue->tail->next = task;
    else
        queue->head = task;
    queue->tail = task;
    pthread_cond_signal(&queue->filled);
}

static bool pop(struct engine_queue *queue, struct engine_task **task)
{
    *task = queue->head;
    if (queue->head == NULL)
        return false;
    queue->head = queue->head->next;
    if (queue->head == NULL)
        queue->tail = NULL;
    return true;
}

/* ---- running ---- */

static enum cuzk_sched_outcome outcome_of(enum cuzk_status status, enum cuzk_sched_stage stage)
{
    if (status == CUZK_OK)
        return CUZK_OUTCOME_OK;
    if (status == CUZK_UNSATISFIED || status == CUZK_INVALID)
        return CUZK_OUTCOME_INVALID;
    /* a device that finds bad points in a key is no fault of the job's */
    if (status == CUZK_INPUT && stage == CUZK_STAGE_WITNESS)
        return CUZK_OUTCOME_INVALID;
    return CUZK_OUTCOME_FAILED;
}

static enum cuzk_status run(struct engine_lane *lane, struct engine_unit *unit,
                            const struct engine_task *task, struct cuzk_error *err)
{
    switch (task->stage) {
    case CUZK_STAGE_WITNESS:
        return engine_run_witness(lane, unit, err);
    case CUZK_STAGE_VERIFY:
        return engine_run_verify(lane, unit, err);
    case CUZK_STAGE_RELEASE:
        engine_run_release(lane, unit, task->slot);
        return CUZK_OK;
    default:
        return engine_run_device(lane, unit, task, err);
    }
}

/* Under lock. A device whose proofs do not verify, one after the other, has a key or kernels that are not
 * what they were: it begins anew, with its keys loaded again. */
static void judge(struct cuzk_engine *engine, unsigned number, enum cuzk_status status)
{
    enum { UNVERIFIED_MOST = 2 };
    struct engine_device *device = &engine->devices[number];

    if (status == CUZK_OK) {
        device->unverified = 0;
    } else if (status == CUZK_DEVICE && ++device->unverified >= UNVERIFIED_MOST) {
        device->unverified = 0;
        cuzk_log_line(engine->log, CUZK_LOG_WARNING, "device %u: %d proofs in a row do not verify", number,
                      UNVERIFIED_MOST);
        engine_device_lost(engine, number);
    }
}

/* Under lock: the outcome goes to the jobs, then to the core. */
static void report(struct cuzk_engine *engine, const struct engine_task *task, enum cuzk_status status,
                   const struct cuzk_error *err)
{
    struct engine_unit *unit = &engine->units[task->unit];
    const bool current = unit->generation == task->generation;
    const unsigned maker = unit->device; /* of the proofs, where they are made */
    const enum cuzk_sched_outcome outcome = outcome_of(status, task->stage);

    if (calls_device(task->stage)) {
        struct engine_device *device = &engine->devices[task->device];

        if (--device->in_flight == 0 && device->lost)
            pthread_cond_signal(&device->keeper_wake);
        if (status == CUZK_DEVICE || status == CUZK_DEVICE_LOST)
            device->failures++;
    }
    if (current && status != CUZK_OK && !unit->abandoned)
        for (unsigned m = 0; m < unit->member_count; m++) {
            struct engine_job *job = unit->members[m].job;

            if (job->state >=
                CUZK_JOB_DONE) /* ended by another's unit: its reason is being written and told */
                continue;
            job->failure = status;
            engine_job_failure(job, err->message);
        }
    if (current && outcome == CUZK_OUTCOME_FAILED && status != CUZK_DEVICE_LOST && !unit->abandoned) {
        engine->retries++;
        engine_note(engine, CUZK_EVENT_TYPE_RETRIED, unit->members[0].job, "", 0);
    }
    if (current && status == CUZK_INPUT && calls_device(task->stage) && task->stage > CUZK_STAGE_SETUP)
        atomic_fetch_or(&unit->circuit->suspect, 1U << task->device); /* its file is not what it was */
    if (task->stage == CUZK_STAGE_FINISH && current)
        engine_slot_free(engine, unit);
    if (task->stage == CUZK_STAGE_RELEASE)
        engine_unit_end(engine, unit);
    if (status == CUZK_DEVICE_LOST)
        engine_device_lost(engine, task->device);
    engine_step(engine,
                (struct cuzk_sched_event){.kind = CUZK_EVENT_STAGE,
                                          .stage = {.unit = task->unit,
                                                    .generation = task->generation,
                                                    .stage = task->stage,
                                                    .outcome = outcome}},
                NULL);
    if (task->stage == CUZK_STAGE_VERIFY && current && engine->verify)
        judge(engine, maker, status);
}

/* An attempt that failed and may be made again; what is wrong with a request is said when its job ends. Not
 * under lock: the unit is in its stage. */
static void log_attempt(const struct engine_lane *lane, const struct engine_unit *unit,
                        enum cuzk_sched_stage stage, enum cuzk_status status, const struct cuzk_error *err)
{
    if (outcome_of(status, stage) == CUZK_OUTCOME_FAILED && status != CUZK_CANCELLED)
        cuzk_log_line(lane->engine->log, CUZK_LOG_WARNING, "job %016llx: %s on %s: %s",
                      (unsigned long long)unit->members[0].job->id, cuzk_sched_stage_name(stage), lane->name,
                      err->message);
}

static void *lane_main(void *argument)
{
    struct engine_lane *lane = argument;
    struct cuzk_engine *engine = lane->engine;
    struct engine_task *queued;

    pthread_mutex_lock(&engine->lock);
    for (;;) {
        while (!engine->stopping && lane->queue->head == NULL)
            pthread_cond_wait(&lane->queue->filled, &engine->lock);
        if (engine->stopping || !pop(lane->queue, &queued))
            break;
        const struct engine_task task = *queued;
        struct engine_unit *unit = &engine->units[task.unit];
        const bool skip =
            task.stage != CUZK_STAGE_RELEASE && (unit->abandoned || unit->generation != task.generation);
        enum cuzk_status status = CUZK_OK;
        struct cuzk_error err = {0};

        engine_task_give(engine, queued);
        if (!skip) {
            const uint64_t claim = engine_unit_claim(unit);

            pthread_mutex_unlock(&engine->lock);
            engine_unit_enter(unit, task.stage, claim);
            status = run(lane, unit, &task, &err);
            log_attempt(lane, unit, task.stage, status, &err);
            engine_unit_leave(unit, task.stage);
            pthread_mutex_lock(&engine->lock);
        }
        /* what the engine's end cuts short is nobody's failure: the next start takes the job up */
        if (engine->closing && status != CUZK_OK)
            break;
        report(engine, &task, status, &err);
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

/* ---- starting and stopping ---- */

static enum cuzk_status start_lane(struct engine_lane *lane, struct cuzk_error *err)
{
    if (pthread_create(&lane->thread, NULL, lane_main, lane) != 0)
        return cuzk_error_set(err, CUZK_IO, "cannot start the thread of lane %s", lane->name);
    lane->started = true;
    return CUZK_OK;
}

static void init_lane(struct cuzk_engine *engine, struct engine_lane *lane, enum engine_lane_kind kind,
                      unsigned device, unsigned worker)
{
    lane->engine = engine;
    lane->kind = kind;
    lane->device = device;
    lane->worker = worker;
    pthread_cond_init(&lane->own.filled, NULL);
    lane->queue = kind == ENGINE_LANE_HOST ? &engine->host_queue : &lane->own;
    if (kind == ENGINE_LANE_WITNESS)
        snprintf(lane->name, sizeof lane->name, "witness %u", worker);
    else if (kind == ENGINE_LANE_DEVICE && worker == 0)
        snprintf(lane->name, sizeof lane->name, "%s%u",
                 cuzk_device_lane_prefix(engine->devices[device].facts.backend), device);
    else if (kind == ENGINE_LANE_DEVICE)
        snprintf(lane->name, sizeof lane->name, "%s%u.%u",
                 cuzk_device_lane_prefix(engine->devices[device].facts.backend), device, worker);
    else if (worker == 0)
        snprintf(lane->name, sizeof lane->name, "host");
    else
        snprintf(lane->name, sizeof lane->name, "host.%u", worker);
}

/* FINISH and VERIFY of handed over units, waits of PREPARE and HOST_MSM, and RELEASE. */
static unsigned host_lanes_of(const struct cuzk_engine *engine)
{
    const unsigned calls = engine->device_count * engine->workers_per_device;
    const uint32_t besides = CUZK_STAGE_BIT(CUZK_STAGE_PREPARE) | CUZK_STAGE_BIT(CUZK_STAGE_HOST_MSM);
    unsigned lanes = HOST_LANES_LEAST + calls;

    if ((engine->stages & besides) != 0)
        lanes += 2 * calls;
    return lanes < HOST_LANES_MOST ? lanes : HOST_LANES_MOST;
}

enum cuzk_status engine_lanes_start(struct cuzk_engine *engine, struct cuzk_error *err)
{
    engine->witness_lane_count =
        engine->knobs.value[engine->knobs.value[CUZK_KNOB_OVERLAP] <= CUZK_OVERLAP_PROOF
                                ? CUZK_KNOB_SYNTHESIS_CONCURRENCY
                                : CUZK_KNOB_PARTITION_WORKERS];
    CUZK_TRY(CUZK_NEW(&engine->witness_lanes, engine->witness_lane_count, "witness lanes", err));
    engine->host_lane_count = host_lanes_of(engine);
    CUZK_TRY(CUZK_NEW(&engine->host_lanes, engine->host_lane_count, "host lanes", err));
    for (unsigned w = 0; w < engine->witness_lane_count; w++)
        init_lane(engine, &engine->witness_lanes[w], ENGINE_LANE_WITNESS, 0, w);
    for (unsigned h = 0; h < engine->host_lane_count; h++)
        init_lane(engine, &engine->host_lanes[h], ENGINE_LANE_HOST, 0, h);
    for (unsigned d = 0; d < engine->device_count; d++)
        for (unsigned w = 0; w < engine->workers_per_device; w++)
            init_lane(engine, &engine->devices[d].lanes[w], ENGINE_LANE_DEVICE, d, w);
    for (unsigned w = 0; w < engine->witness_lane_count; w++)
        CUZK_TRY(start_lane(&engine->witness_lanes[w], err));
    for (unsigned h = 0; h < engine->host_lane_count; h++)
        CUZK_TRY(start_lane(&engine->host_lanes[h], err));
    for (unsigned d = 0; d < engine->device_count; d++)
        for (unsigned w = 0; w < engine->workers_per_device; w++)
            CUZK_TRY(start_lane(&engine->devices[d].lanes[w], err));
    return CUZK_OK;
}

static void stop_lane(struct engine_lane *lane)
{
    struct cuzk_engine *engine = lane->engine;

    if (!lane->started)
        return;
    pthread_mutex_lock(&engine->lock);
    pthread_cond_broadcast(&lane->queue->filled);
    pthread_mutex_unlock(&engine->lock);
    pthread_join(lane->thread, NULL);
    lane->started = false;
}

static void destroy_lane(struct engine_lane *lane)
{
    if (lane->engine != NULL)
        pthread_cond_destroy(&lane->own.filled);
    lane->engine = NULL;
}

void engine_lanes_stop(struct cuzk_engine *engine)
{
    for (unsigned w = 0; engine->witness_lanes != NULL && w < engine->witness_lane_count; w++)
        stop_lane(&engine->witness_lanes[w]);
    for (unsigned d = 0; d < engine->device_count; d++)
        for (unsigned w = 0; w < engine->workers_per_device; w++)
            stop_lane(&engine->devices[d].lanes[w]);
    for (unsigned h = 0; engine->host_lanes != NULL && h < engine->host_lane_count; h++)
        stop_lane(&engine->host_lanes[h]);
}

void engine_lanes_destroy(struct cuzk_engine *engine)
{
    for (unsigned w = 0; engine->witness_lanes != NULL && w < engine->witness_lane_count; w++)
        destroy_lane(&engine->witness_lanes[w]);
    for (unsigned d = 0; d < engine->device_count; d++)
        for (unsigned w = 0; w < engine->workers_per_device; w++)
            destroy_lane(&engine->devices[d].lanes[w]);
    for (unsigned h = 0; engine->host_lanes != NULL && h < engine->host_lane_count; h++)
        destroy_lane(&engine->host_lanes[h]);
    cuzk_mem_free(engine->witness_lanes);
    cuzk_mem_free(engine->host_lanes);
    engine->witness_lanes = engine->host_lanes = NULL;
}
