/* Who waits for which job. */
#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

static uint64_t ms_between(uint64_t begin_ns, uint64_t end_ns)
{
    return begin_ns != 0 && end_ns > begin_ns ? (end_ns - begin_ns) / CUZK_NS_PER_MS : 0;
}

void engine_job_result(const struct engine_job *job, struct cuzk_job_result *out)
{
    const uint64_t started = job->started_ns != 0 ? job->started_ns : job->ended_ns;

    *out = (struct cuzk_job_result){
        .state = job->state,
        .error = job->state == CUZK_JOB_FAILED ? (job->error != NULL ? job->error : "") : NULL,
        .failure = job->state == CUZK_JOB_FAILED ? job->failure : CUZK_OK,
        .queue_wait_ms = ms_between(job->accepted_ns, started),
        .srs_load_ms = job->srs_ns / CUZK_NS_PER_MS,
        .synthesis_ms = job->synthesis_ns / CUZK_NS_PER_MS,
        .device_ms = job->device_ns / CUZK_NS_PER_MS,
        .total_ms = ms_between(job->accepted_ns, job->ended_ns),
    };
    cuzk_job_id_format(job->id, out->job_id);
    if (job->state == CUZK_JOB_DONE) {
        out->proof = job->proof;
        out->proof_length = job->proof_length;
        out->times = job->times;
    }
}

static struct engine_watch **place_of(const struct cuzk_engine *engine, uint64_t number)
{
    return &engine->watches[number & engine->table_mask];
}

static void take_out(struct cuzk_engine *engine, struct engine_watch *watch)
{
    struct engine_watch **place = place_of(engine, watch->number);

    while (*place != watch)
        place = &(*place)->in_table;
    *place = watch->in_table;
    *watch->back = watch->next;
    if (watch->next != NULL)
        watch->next->back = watch->back;
}

void engine_watches_call(struct cuzk_engine *engine, struct engine_job *job)
{
    struct cuzk_job_result result;

    engine_job_result(job, &result);
    while (job->watches != NULL) {
        struct engine_watch *watch = job->watches;

        *watch->back = watch->next;
        if (watch->next != NULL)
            watch->next->back = watch->back;
        watch->calling = true;
        pthread_mutex_unlock(&engine->lock);
        watch->callback(watch->context, &result);
        pthread_mutex_lock(&engine->lock);
        struct engine_watch **place = place_of(engine, watch->number);

        while (*place != watch)
            place = &(*place)->in_table;
        *place = watch->in_table;
        cuzk_mem_free(watch);
        pthread_cond_broadcast(&engine->called);
    }
}

void cuzk_engine_watch(struct cuzk_engine *engine, const char *job_id, cuzk_job_callback callback,
                       void *context, uint64_t *watch)
{
    struct cuzk_job_result result = {0};
    struct engine_watch *made = NULL;
    struct engine_job *job;
    const enum cuzk_status status = CUZK_NEW(&made, 1, "a watch", NULL);

    *watch = 0;
    pthread_mutex_lock(&engine->lock);
    job = engine_job_find(engine, cuzk_job_id_parse(job_id));
    if (job != NULL && job->accepting)
        job = NULL;
    if (job == NULL) {
        pthread_mutex_unlock(&engine->lock);
        callback(context, &result);
        cuzk_mem_free(made);
        return;
    }
    if (job->answered) {
        engine_job_result(job, &result);
        job->users++;
        pthread_mutex_unlock(&engine->lock);
        callback(context, &result);
        pthread_mutex_lock(&engine->lock);
        engine_job_unuse(engine, job);
        pthread_mutex_unlock(&engine->lock);
        cuzk_mem_free(made);
        return;
    }
    if (status != CUZK_OK) {
        pthread_mutex_unlock(&engine->lock);
        callback(context, &result); /* no memory: it is not known here */
        return;
    }
    *made = (struct engine_watch){.number = ++engine->next_watch, .callback = callback, .context = context};
    made->next = job->watches;
    made->back = &job->watches;
    if (made->next != NULL)
        made->next->back = &made->next;
    job->watches = made;
    made->in_table = *place_of(engine, made->number);
    *place_of(engine, made->number) = made;
    *watch = made->number;
    pthread_mutex_unlock(&engine->lock);
}

bool cuzk_engine_unwatch(struct cuzk_engine *engine, uint64_t number)
{
    bool in_time = false;

    if (number == 0)
        return false;
    pthread_mutex_lock(&engine->lock);
    for (;;) {
        struct engine_watch *watch = *place_of(engine, number);

        while (watch != NULL && watch->number != number)
            watch = watch->in_table;
        if (watch == NULL)
            break;
        if (!watch->calling) {
            take_out(engine, watch);
            cuzk_mem_free(watch);
            in_time = true;
            break;
        }
        pthread_cond_wait(&engine->called, &engine->lock);
    }
    pthread_mutex_unlock(&engine->lock);
    return in_time;
}

enum cuzk_status cuzk_engine_cancel(struct cuzk_engine *engine, const char *job_id, bool *was_running,
                                    struct cuzk_error *err)
{
    struct engine_answer answer = {0};
    struct engine_job *job;
    enum cuzk_status status = CUZK_OK;

    *was_running = false;
    pthread_mutex_lock(&engine->lock);
    job = engine_job_find(engine, cuzk_job_id_parse(job_id));
    if (job == NULL || job->accepting) {
        status = cuzk_error_set(err, CUZK_NOT_FOUND, "job_id: no job '%s' is known", job_id);
    } else if (job->state < CUZK_JOB_DONE) {
        engine_step(engine, (struct cuzk_sched_event){.kind = CUZK_EVENT_CANCEL, .job = job->id}, &answer);
        *was_running = !answer.not_running;
    }
    pthread_mutex_unlock(&engine->lock);
    return status;
}
