/* Intake: a request is looked at, made durable, and given to the core. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

enum { RETRY_LEAST_MS = 100, RETRY_MOST_MS = 60000 };

static enum cuzk_status refuse_busy(struct cuzk_engine *engine, struct cuzk_submission *out,
                                    struct cuzk_error *err)
{
    const uint64_t ms = engine->job_ns / CUZK_NS_PER_MS;

    engine->rejected++;
    out->retry_after_ms = ms < RETRY_LEAST_MS ? RETRY_LEAST_MS : ms > RETRY_MOST_MS ? RETRY_MOST_MS : ms;
    return cuzk_error_set(err, CUZK_BUSY,
                          "%" PRIu32 " jobs are known, results not collected yet included; at most %" PRIu32
                          ": come back in %" PRIu64 " ms",
                          engine->job_count, engine->jobs_most, out->retry_after_ms);
}

/* Durable, or for engines that keep nothing a copy in memory. */
static enum cuzk_status keep_request(struct cuzk_engine *engine, struct engine_job *job,
                                     const struct cuzk_request *request, struct cuzk_error *err)
{
    struct cuzk_journal_job row;

    if (engine->journal != NULL) {
        engine_journal_row(job, &row);
        return cuzk_journal_accept(engine->journal, &row, request, err);
    }
    if (!engine->verify || job->lent)
        return CUZK_OK; /* never decoded */
    CUZK_TRY(CUZK_NEW(&job->payload, 1, "a payload", err));
    return cuzk_request_form_copy(request, job->digest, job->payload, err);
}

static void name_it(const struct engine_job *job, struct cuzk_submission *out)
{
    cuzk_job_id_format(job->id, out->job_id);
}

/* Under lock. Reserves the place; *known where the request is a job already. */
static enum cuzk_status enter(struct cuzk_engine *engine, struct engine_job *job, struct cuzk_submission *out,
                              struct cuzk_error *err)
{
    struct engine_job *known;

    for (;;) {
        if (engine->draining || engine->stopping)
            return cuzk_error_set(err, CUZK_CANCELLED, "the engine takes no new jobs: it is draining");
        known = engine_job_find_key(engine, job->key);
        if (known == NULL && engine->job_count >= engine->jobs_most && engine_forget_collected(engine))
            continue;
        if (known == NULL)
            break;
        if (!known->accepting) {
            name_it(known, out);
            out->duplicate = true;
            return CUZK_OK;
        }
        pthread_cond_wait(&engine->accepted, &engine->lock);
    }
    if (engine->job_count >= engine->jobs_most)
        return refuse_busy(engine, out, err);
    job->id = engine->next_id++;
    job->accepting = true;
    engine_job_insert(engine, job);
    engine->accepting++;
    return CUZK_OK;
}

/* Under lock: into the core, or out again. */
static enum cuzk_status offer(struct cuzk_engine *engine, struct engine_job *job, struct cuzk_submission *out,
                              struct cuzk_error *err)
{
    struct engine_answer answer;
    char reason[160];

    engine_job_offer(engine, job, &answer);
    if (answer.accepted) {
        out->position = answer.command.position;
        name_it(job, out);
        return CUZK_OK;
    }
    engine->rejected++;
    cuzk_sched_reason_text(&answer.command, reason, sizeof reason);
    switch (answer.command.reason) {
    case CUZK_REASON_DRAINING:
        return cuzk_error_set(err, CUZK_CANCELLED, "%s", reason);
    case CUZK_REASON_JOBS_FULL:
        return refuse_busy(engine, out, err);
    case CUZK_REASON_HOST_MEMORY:
    case CUZK_REASON_DEVICE_MEMORY:
        return cuzk_error_set(err, CUZK_MEMORY, "%s", reason);
    default:
        return cuzk_error_set(err, CUZK_INPUT, "%s", reason);
    }
}

static enum cuzk_status look(struct cuzk_engine *engine, const struct cuzk_request *request,
                             struct engine_job *job, struct cuzk_error *err)
{
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(request->kind);
    struct cuzk_circuit_id circuit;

    if (row == NULL)
        return cuzk_error_set(err, CUZK_INPUT, "proof_kind: %d is no kind of proof", (int)request->kind);
    CUZK_TRY(row->look(request, &circuit, &job->partitions, err));
    if (job->partitions < 1 || job->partitions > CUZK_SCHED_PARTITIONS_MOST)
        return cuzk_error_set(err, CUZK_INPUT, "partitions: expected 1 to %d, found %u",
                              CUZK_SCHED_PARTITIONS_MOST, job->partitions);
    job->priority = request->has_priority ? request->priority : row->priority;
    return engine_circuit_find(engine, &circuit, &job->circuit, err);
}

/* A job that was looked at: becomes known, durable, and the core's. It is this function's from here on. */
static enum cuzk_status take_in(struct cuzk_engine *engine, struct engine_job *job,
                                const struct cuzk_request *request, struct cuzk_submission *out,
                                struct cuzk_error *err)
{
    enum cuzk_status status;

    cuzk_request_key(request->request_id, job->digest, job->key);
    job->accepted_ns = cuzk_clock_ns();
    job->accepted_ms = engine_unix_ms();

    pthread_mutex_lock(&engine->lock);
    status = enter(engine, job, out, err);
    if (status != CUZK_OK || out->duplicate) {
        pthread_mutex_unlock(&engine->lock);
        engine_job_destroy(job);
        return status;
    }
    pthread_mutex_unlock(&engine->lock);
    status = keep_request(engine, job, request, err);
    const bool kept = status == CUZK_OK;

    pthread_mutex_lock(&engine->lock);
    if (kept) {
        /* before the core may start it */
        engine_note(engine, CUZK_EVENT_TYPE_ACCEPTED, job, "", 0);
        status = offer(engine, job, out, err);
    }
    job->accepting = false;
    engine->accepting--;
    if (status != CUZK_OK)
        engine_job_remove(engine, job);
    const uint64_t id = job->id;

    pthread_cond_broadcast(&engine->accepted);
    if (engine->draining)
        pthread_cond_signal(&engine->notifier_wake);
    pthread_mutex_unlock(&engine->lock);
    if (status == CUZK_OK)
        return CUZK_OK;
    if (kept && engine->journal != NULL)
        (void)cuzk_journal_forget(engine->journal, id, NULL);
    engine_job_destroy(job);
    return status;
}

enum cuzk_status cuzk_engine_submit(struct cuzk_engine *engine, const struct cuzk_request *request,
                                    struct cuzk_submission *out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct engine_job *job;

    memset(out, 0, sizeof *out);
    if (strlen(request->request_id) > CUZK_REQUEST_ID_MOST)
        return cuzk_error_set(err, CUZK_INPUT, "request_id: expected at most %d bytes, found %zu",
                              CUZK_REQUEST_ID_MOST, strlen(request->request_id));
    if (request->has_priority && (unsigned)request->priority >= CUZK_PRIORITIES)
        return cuzk_error_set(err, CUZK_INPUT, "priority: %d is none", (int)request->priority);
    CUZK_TRY(engine_job_create(request, &job, err));
    status = look(engine, request, job, err);
    if (status != CUZK_OK) {
        engine_job_destroy(job);
        return status;
    }
    cuzk_request_digest(request, job->digest);
    return take_in(engine, job, request, out, err);
}

enum cuzk_status cuzk_engine_submit_case(struct cuzk_engine *engine, enum cuzk_proof_kind kind,
                                         struct cuzk_case *that, struct cuzk_submission *out,
                                         struct cuzk_error *err)
{
    const struct cuzk_request request = {
        .request_id = "", .kind = kind, .sector_size = that->circuit.sector_size};
    enum cuzk_status status;
    struct engine_job *job;

    memset(out, 0, sizeof *out);
    if (engine->journal != NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "an engine with a journal takes requests, not open cases");
    CUZK_TRY(engine_job_create(&request, &job, err));
    job->the_case = that;
    job->case_state = ENGINE_CASE_OPEN;
    job->lent = true;
    job->partitions = that->partitions;
    job->priority = CUZK_PRIORITY_NORMAL;
    const uintptr_t address = (uintptr_t)that; /* one case, one job */

    memcpy(job->digest, &address, sizeof address);
    status = engine_circuit_find(engine, &that->circuit, &job->circuit, err);
    if (status == CUZK_OK)
        return take_in(engine, job, &request, out, err);
    engine_job_destroy(job);
    return status;
}

void cuzk_engine_drain(struct cuzk_engine *engine, void (*drained)(void *context), void *context)
{
    pthread_mutex_lock(&engine->lock);
    if (engine->drain_count < ENGINE_DRAINS_MOST)
        engine->drains[engine->drain_count++] = (struct engine_drain){drained, context};
    if (!engine->draining) {
        engine->draining = true;
        while (engine->accepting > 0) /* what is being accepted still comes in */
            pthread_cond_wait(&engine->accepted, &engine->lock);
        engine_step(engine, (struct cuzk_sched_event){.kind = CUZK_EVENT_DRAIN}, NULL);
    }
    pthread_cond_signal(&engine->notifier_wake);
    pthread_mutex_unlock(&engine->lock);
}
