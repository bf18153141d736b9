/* What the journal holds: results are kept, accepted jobs are queued again. */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

struct recovery {
    struct cuzk_engine *engine;
    struct engine_job_list accepted, ended;
};

static enum cuzk_status copy_result(struct engine_job *job, const struct cuzk_journal_job *row,
                                    struct cuzk_error *err)
{
    if (row->error != NULL)
        engine_job_failure(job, row->error);
    if (row->proof == NULL || row->proof_length == 0)
        return CUZK_OK;
    CUZK_TRY(CUZK_NEW(&job->proof, row->proof_length, "a proof", err));
    memcpy(job->proof, row->proof, row->proof_length);
    job->proof_length = row->proof_length;
    job->partitions = (unsigned)(row->proof_length / CUZK_PROOF_BYTES);
    return CUZK_OK;
}

static enum cuzk_status take_row(void *context, const struct cuzk_journal_job *row, struct cuzk_error *err)
{
    static const enum cuzk_job_state states[CUZK_JOURNAL_STATES] = {
        [CUZK_JOURNAL_ACCEPTED] = CUZK_JOB_UNKNOWN,
        [CUZK_JOURNAL_DONE] = CUZK_JOB_DONE,
        [CUZK_JOURNAL_FAILED] = CUZK_JOB_FAILED,
        [CUZK_JOURNAL_CANCELLED] = CUZK_JOB_CANCELLED,
    };
    const struct cuzk_request request = {
        .request_id = row->request_id, .kind = row->kind, .sector_size = row->sector_size};
    struct recovery *recovery = context;
    const uint64_t now = cuzk_clock_ns(), wall = engine_unix_ms();
    struct engine_job *job;
    enum cuzk_status status;

    if ((unsigned)row->kind >= CUZK_PROOF_KINDS || (unsigned)row->priority >= CUZK_PRIORITIES)
        return CUZK_OK; /* of a later version: let it lie */
    CUZK_TRY(engine_job_create(&request, &job, err));
    job->id = row->id;
    memcpy(job->key, row->key, sizeof job->key);
    memcpy(job->digest, row->digest, sizeof job->digest);
    job->priority = row->priority;
    job->accepted_ms = row->accepted_ms;
    job->ended_ms = row->ended_ms;
    job->accepted_ns = now; /* a wait across a restart is measured from the restart */
    job->state = states[row->state];
    status = copy_result(job, row, err);
    if (status != CUZK_OK) {
        engine_job_destroy(job);
        return status;
    }
    if (row->state == CUZK_JOURNAL_ACCEPTED) {
        engine_list_append(&recovery->accepted, job);
        return CUZK_OK;
    }
    /* as old as it is: on the monotonic clock, which may be younger */
    const uint64_t age_ns = wall > row->ended_ms ? (wall - row->ended_ms) * CUZK_NS_PER_MS : 0;

    job->answered = true;
    job->ended_ns = now;
    job->listed_ns = now > age_ns ? now - age_ns : 0;
    engine_list_append(&recovery->ended, job);
    return CUZK_OK;
}

/* Looks at the kept request as submit did. */
static enum cuzk_status look_again(struct cuzk_engine *engine, struct engine_job *job, struct cuzk_error *err)
{
    const struct cuzk_proof_kind_row *kind = cuzk_proof_kind_row(job->kind);
    struct cuzk_request_file file = {0};
    struct cuzk_journal_job row;
    struct cuzk_circuit_id circuit;
    enum cuzk_status status;

    if (kind == NULL)
        return cuzk_error_set(err, CUZK_INPUT, "proof_kind: %d is no kind of proof", (int)job->kind);
    engine_journal_row(job, &row);
    CUZK_TRY(cuzk_journal_request(engine->journal, &row, &file, err));
    status = kind->look(&file.request, &circuit, &job->partitions, err);
    job->payload_bytes = file.request.vanilla_proof.length;
    for (size_t i = 0; i < file.request.vanilla_proof_count; i++)
        job->payload_bytes += file.request.vanilla_proofs[i].length;
    cuzk_request_file_close(&file);
    CUZK_TRY(status);
    return engine_circuit_find(engine, &circuit, &job->circuit, err);
}

static void queue_again(struct cuzk_engine *engine, struct engine_job *job)
{
    struct engine_answer answer = {0};
    struct cuzk_error err = {0};
    char reason[160];
    const enum cuzk_status status = look_again(engine, job, &err);

    pthread_mutex_lock(&engine->lock);
    engine_job_insert(engine, job);
    if (status == CUZK_OK) {
        engine_note(engine, CUZK_EVENT_TYPE_ACCEPTED, job, "", 0);
        engine_job_offer(engine, job, &answer);
    }
    if (!answer.accepted) {
        if (status == CUZK_OK)
            cuzk_sched_reason_text(&answer.command, reason, sizeof reason);
        cuzk_log_line(engine->log, CUZK_LOG_WARNING, "job %016llx cannot be resumed: %s",
                      (unsigned long long)job->id, status == CUZK_OK ? reason : err.message);
        engine_job_end_now(engine, job, CUZK_JOB_FAILED, status == CUZK_OK ? reason : err.message);
    }
    pthread_mutex_unlock(&engine->lock);
}

enum cuzk_status engine_recover(struct cuzk_engine *engine, struct cuzk_error *err)
{
    struct recovery recovery = {.engine = engine};
    uint64_t last = 0;
    const enum cuzk_status status = cuzk_journal_recover(engine->journal, take_row, &recovery, &last, err);
    const size_t accepted = recovery.accepted.count, ended = recovery.ended.count;

    while (recovery.ended.head != NULL) {
        struct engine_job *job = recovery.ended.head;

        engine_list_remove(&recovery.ended, job);
        if (status != CUZK_OK) {
            engine_job_destroy(job);
            continue;
        }
        pthread_mutex_lock(&engine->lock);
        engine_job_insert(engine, job);
        engine_list_append(&engine->kept, job);
        pthread_mutex_unlock(&engine->lock);
    }
    if (last >= engine->next_id)
        engine->next_id = last + 1;
    while (recovery.accepted.head != NULL) {
        struct engine_job *job = recovery.accepted.head;

        engine_list_remove(&recovery.accepted, job);
        if (status != CUZK_OK)
            engine_job_destroy(job);
        else
            queue_again(engine, job);
    }
    if (status == CUZK_OK && accepted + ended > 0)
        cuzk_log_line(engine->log, CUZK_LOG_INFO, "journal: queued again: %zu, results kept: %zu", accepted,
                      ended);
    return status;
}
