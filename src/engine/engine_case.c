/* Payloads stay where they were accepted to, and are decoded when the first partition is due. */
#include "engine/engine_state.h"

#include "base/mem.h"

/* What is said while a job's request is decoded names the job. */
struct job_log {
    const struct cuzk_log *log;
    char id[CUZK_JOB_ID_TEXT];
};

static void name_job(void *context, enum cuzk_log_level level, const char *message)
{
    const struct job_log *named = context;

    cuzk_log_line(named->log, level, "job %s: %s", named->id, message);
}

static enum cuzk_status decode(struct cuzk_engine *engine, struct engine_job *job, struct cuzk_case **out,
                               struct cuzk_error *err)
{
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(job->kind);
    struct cuzk_request_file file = {0};
    struct job_log named = {.log = engine->log};
    const struct cuzk_log log = {CUZK_LOG_DEBUG, name_job, &named};
    struct cuzk_journal_job entry;
    enum cuzk_status status;

    cuzk_job_id_format(job->id, named.id);
    if (job->payload != NULL)
        return row->open(&job->payload->request, &log, out, err);
    engine_journal_row(job, &entry);
    CUZK_TRY(cuzk_journal_request(engine->journal, &entry, &file, err));
    status = row->open(&file.request, &log, out, err);
    cuzk_request_file_close(&file);
    return status;
}

enum cuzk_status engine_case_open(struct cuzk_engine *engine, struct engine_job *job,
                                  const struct cuzk_case **out, struct cuzk_error *err)
{
    struct cuzk_request_file *payload = NULL;
    enum cuzk_status status = CUZK_OK;

    *out = NULL;
    pthread_mutex_lock(&engine->lock);
    while (job->case_state == ENGINE_CASE_OPENING)
        pthread_cond_wait(&engine->case_changed, &engine->lock);
    if (job->case_state == ENGINE_CASE_CLOSED) {
        struct cuzk_case *made = NULL;

        job->case_state = ENGINE_CASE_OPENING;
        pthread_mutex_unlock(&engine->lock);
        status = decode(engine, job, &made, err);
        pthread_mutex_lock(&engine->lock);
        job->the_case = made;
        job->case_state = status == CUZK_OK ? ENGINE_CASE_OPEN : ENGINE_CASE_CLOSED;
        if (status == CUZK_OK) {
            payload = job->payload;
            job->payload = NULL;
        }
        pthread_cond_broadcast(&engine->case_changed);
    }
    if (status == CUZK_OK)
        *out = job->the_case;
    pthread_mutex_unlock(&engine->lock);
    if (payload != NULL) {
        cuzk_request_file_close(payload);
        cuzk_mem_free(payload);
    }
    if (status == CUZK_OK && (*out)->partitions != job->partitions)
        return cuzk_error_set(err, CUZK_INPUT, "the request has %u partitions, its kind %u",
                              (*out)->partitions, job->partitions);
    return status;
}
