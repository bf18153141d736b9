/* The witness stage: the partitions of a unit become assignments in memory that any device can take. */
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

void engine_pretend(uint64_t ns)
{
    struct timespec left = cuzk_clock_timespec(ns);

    if (ns > 0)
        while (nanosleep(&left, &left) != 0)
            ;
}

/* The job's room for proofs and their times, made with its first witness. */
static enum cuzk_status make_proof_room(struct cuzk_engine *engine, struct engine_job *job,
                                        struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&engine->lock);
    if (job->proof == NULL)
        status = CUZK_NEW(&job->proof, (size_t)job->partitions * CUZK_PROOF_BYTES, "a proof", err);
    if (status == CUZK_OK && job->times == NULL)
        status = CUZK_NEW(&job->times, job->partitions, "times of partitions", err);
    pthread_mutex_unlock(&engine->lock);
    return status;
}

/* Whoever makes a witness asks now and then. */
struct wish {
    struct cuzk_engine *engine;
    const struct engine_unit *unit;
};

static bool is_unwanted(void *context)
{
    const struct wish *wish = context;

    pthread_mutex_lock(&wish->engine->lock);
    const bool unwanted = wish->unit->abandoned || wish->engine->stopping;

    pthread_mutex_unlock(&wish->engine->lock);
    return unwanted;
}

/* As long as a witness would take, in steps that are no trouble to whoever wants its end. */
static enum cuzk_status pretend_witness(uint64_t ns, const struct cuzk_progress *progress,
                                        struct cuzk_error *err)
{
    static const uint64_t step = 20000000;

    for (; ns > step; ns -= step) {
        engine_pretend(step);
        CUZK_TRY(cuzk_progress_check(progress, err));
    }
    engine_pretend(ns);
    return CUZK_OK;
}

static enum cuzk_status make_witness(struct engine_lane *lane, struct engine_partition *part,
                                     const struct cuzk_progress *progress, struct cuzk_error *err)
{
    struct cuzk_engine *engine = lane->engine;
    struct engine_circuit *circuit = part->job->circuit;
    const struct cuzk_witness_layout *layout;
    const struct cuzk_case *the_case;
    enum cuzk_status status;

    CUZK_TRY(engine_case_open(engine, part->job, &the_case, err));
    CUZK_TRY(engine_circuit_layout(engine, circuit, &layout, err));
    CUZK_TRY(CUZK_NEW(&part->inputs, the_case->inputs, "public inputs", err));
    memcpy(part->inputs, the_case->ops->inputs(the_case, part->number),
           the_case->inputs * sizeof *part->inputs);
    CUZK_TRY(cuzk_shared_witness_create(layout, &part->device.witness, err));
    /* whoever comes first has the pool; the others go on by themselves beside it */
    const bool has_pool = pthread_mutex_trylock(&engine->pool_lock) == 0;

    status = the_case->ops->witness(the_case, part->number, &circuit->circuit, has_pool ? engine->pool : NULL,
                                    progress, &part->device.witness->witness, err);
    if (has_pool)
        pthread_mutex_unlock(&engine->pool_lock);
    if (status == CUZK_OK && engine->knobs.value[CUZK_KNOB_SYNTHESIS] == CUZK_SYNTHESIS_ENFORCE)
        status = cuzk_circuit_check(&circuit->circuit, layout, &part->device.witness->witness, progress, err);
    return status;
}

static enum cuzk_status make_one(struct engine_lane *lane, struct engine_partition *part,
                                 const struct cuzk_progress *progress, struct cuzk_error *err)
{
    struct cuzk_engine *engine = lane->engine;
    struct engine_span span = {.stage = CUZK_STAGE_WITNESS, .begin_ns = cuzk_clock_ns()};
    enum cuzk_status status;

    if (engine->verify)
        status = make_witness(lane, part, progress, err);
    else
        status = pretend_witness(engine->host_stage_ns[CUZK_STAGE_WITNESS], progress, err);
    span.end_ns = cuzk_clock_ns();
    part->witness_ns = span.end_ns - span.begin_ns;
    part->ready_ns = span.end_ns;
    engine_note_span(engine, lane->name, part->job, (int32_t)part->number, &span);
    pthread_mutex_lock(&engine->lock);
    part->job->synthesis_ns += span.end_ns - span.begin_ns;
    pthread_mutex_unlock(&engine->lock);
    return status;
}

enum cuzk_status engine_run_witness(struct engine_lane *lane, struct engine_unit *unit,
                                    struct cuzk_error *err)
{
    struct wish wish = {lane->engine, unit};
    const struct cuzk_progress progress = {.cancelled = is_unwanted, .context = &wish};
    unsigned p = 0;

    CUZK_TRY(CUZK_NEW(&unit->part, unit->partitions, "a unit's partitions", err));
    for (unsigned m = 0; m < unit->member_count; m++) {
        CUZK_TRY(make_proof_room(lane->engine, unit->members[m].job, err));
        for (unsigned i = 0; i < unit->members[m].count; i++, p++) {
            unit->part[p].job = unit->members[m].job;
            unit->part[p].number = unit->members[m].first + i;
            unit->part[p].device.circuit = &unit->circuit->id;
        }
    }
    for (p = 0; p < unit->partitions; p++)
        CUZK_TRY(make_one(lane, &unit->part[p], &progress, err));
    return CUZK_OK;
}
