/* Units as the executor sees them: whose partitions they are, and who is at work on them. */
#include "engine/engine_state.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

void engine_unit_begin(struct cuzk_engine *engine, const struct cuzk_sched_command *command)
{
    struct engine_unit *unit = &engine->units[command->unit];
    struct cuzk_sched_member members[CUZK_SCHED_BATCH_MOST];
    const uint64_t now = cuzk_clock_ns();

    unit->abandoned = false;
    unit->member_count = (unsigned)cuzk_sched_members(engine->sched, command->unit, members);
    unit->partitions = unit->current = 0;
    unit->device = unit->slot = unit->key_device = ENGINE_NONE;
    unit->held_since = 0;
    for (unsigned m = 0; m < unit->member_count; m++) {
        struct engine_job *job = engine_job_find(engine, members[m].job);

        unit->members[m] = (struct engine_member){job, members[m].first, members[m].count};
        unit->partitions += members[m].count;
        unit->circuit = job->circuit;
        job->users++;
        if (job->state == CUZK_JOB_QUEUED) {
            job->started_ns = now;
            engine_job_state(engine, job, CUZK_JOB_RUNNING);
        }
    }
}

void engine_unit_drop_witness(struct engine_unit *unit)
{
    for (unsigned p = 0; unit->part != NULL && p < unit->partitions; p++) {
        cuzk_shared_witness_destroy(unit->part[p].device.witness);
        unit->part[p].device.witness = NULL;
    }
}

void engine_unit_end(struct cuzk_engine *engine, struct engine_unit *unit)
{
    if (unit->key_device != ENGINE_NONE)
        engine_key_release(engine, unit->circuit, (unsigned)unit->key_device);
    unit->key_device = ENGINE_NONE;
    engine_slot_free(engine, unit);
    for (unsigned m = 0; m < unit->member_count; m++)
        engine_job_unuse(engine, unit->members[m].job);
    unit->member_count = unit->partitions = 0;
    unit->circuit = NULL;
}

static bool is_beside(enum cuzk_sched_stage stage)
{
    return stage == CUZK_STAGE_PREPARE || stage == CUZK_STAGE_HOST_MSM;
}

uint64_t engine_unit_claim(struct engine_unit *unit)
{
    pthread_mutex_lock(&unit->lock);
    const uint64_t claim = unit->claimed++;

    pthread_mutex_unlock(&unit->lock);
    return claim;
}

void engine_unit_enter(struct engine_unit *unit, enum cuzk_sched_stage stage, uint64_t claim)
{
    const bool alone = stage == CUZK_STAGE_SETUP || stage == CUZK_STAGE_RELEASE;

    if (is_beside(stage))
        return;
    pthread_mutex_lock(&unit->lock);
    while (unit->in_stage || (alone && unit->left < claim))
        pthread_cond_wait(&unit->free, &unit->lock);
    unit->in_stage = true;
    pthread_mutex_unlock(&unit->lock);
}

void engine_unit_leave(struct engine_unit *unit, enum cuzk_sched_stage stage)
{
    pthread_mutex_lock(&unit->lock);
    unit->left++;
    if (!is_beside(stage))
        unit->in_stage = false;
    pthread_cond_broadcast(&unit->free);
    pthread_mutex_unlock(&unit->lock);
}
