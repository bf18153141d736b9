/* The jobs that are known, by number and by key. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"

enum cuzk_status engine_jobs_create(struct cuzk_engine *engine, struct cuzk_error *err)
{
    size_t size = 16;

    while (size < engine->jobs_most)
        size *= 2;
    engine->table_mask = size - 1;
    CUZK_TRY(CUZK_NEW(&engine->by_id, size, "table of jobs", err));
    CUZK_TRY(CUZK_NEW(&engine->by_key, size, "table of keys", err));
    return CUZK_NEW(&engine->watches, size, "table of watches", err);
}

void engine_job_destroy(struct engine_job *job)
{
    if (job == NULL)
        return;
    if (job->payload != NULL)
        cuzk_request_file_close(job->payload);
    cuzk_mem_free(job->payload);
    if (!job->lent)
        cuzk_case_close(job->the_case);
    cuzk_mem_free(job->error);
    cuzk_mem_free(job->proof);
    cuzk_mem_free(job->times);
    while (job->watches != NULL) {
        struct engine_watch *watch = job->watches;

        job->watches = watch->next;
        cuzk_mem_free(watch);
    }
    cuzk_mem_free(job);
}

void engine_jobs_destroy(struct cuzk_engine *engine)
{
    /* those that are not forgotten are in the table as well */
    while (engine->idle != NULL) {
        struct engine_job *job = engine->idle;

        engine->idle = job->next_idle;
        if (job->forgotten)
            engine_job_destroy(job);
    }
    for (size_t i = 0; engine->by_id != NULL && i <= engine->table_mask; i++)
        while (engine->by_id[i] != NULL) {
            struct engine_job *job = engine->by_id[i];

            engine->by_id[i] = job->by_id;
            engine_job_destroy(job);
        }
    cuzk_mem_free((void *)engine->by_id);
    cuzk_mem_free((void *)engine->by_key);
    cuzk_mem_free((void *)engine->watches);
}

/* ---- tables ---- */

static struct engine_job **id_place(const struct cuzk_engine *engine, uint64_t id)
{
    return &engine->by_id[(id ^ id >> 20) & engine->table_mask];
}

static struct engine_job **key_place(const struct cuzk_engine *engine, const uint8_t key[32])
{
    uint64_t word;

    memcpy(&word, key, sizeof word);
    return &engine->by_key[word & engine->table_mask];
}

struct engine_job *engine_job_find(const struct cuzk_engine *engine, uint64_t id)
{
    struct engine_job *job = *id_place(engine, id);

    while (job != NULL && job->id != id)
        job = job->by_id;
    return job;
}

struct engine_job *engine_job_find_key(const struct cuzk_engine *engine, const uint8_t key[32])
{
    struct engine_job *job = *key_place(engine, key);

    /* what failed or was cancelled may be asked for again */
    while (job != NULL && (job->state == CUZK_JOB_FAILED || job->state == CUZK_JOB_CANCELLED ||
                           memcmp(job->key, key, sizeof job->key) != 0))
        job = job->by_key;
    return job;
}

void engine_job_insert(struct cuzk_engine *engine, struct engine_job *job)
{
    struct engine_job **id = id_place(engine, job->id), **key = key_place(engine, job->key);

    job->by_id = *id;
    *id = job;
    job->by_key = *key;
    *key = job;
    engine->job_count++;
}

void engine_job_remove(struct cuzk_engine *engine, struct engine_job *job)
{
    struct engine_job **place = id_place(engine, job->id);

    while (*place != job)
        place = &(*place)->by_id;
    *place = job->by_id;
    place = key_place(engine, job->key);
    while (*place != job)
        place = &(*place)->by_key;
    *place = job->by_key;
    engine->job_count--;
}

void engine_list_append(struct engine_job_list *list, struct engine_job *job)
{
    job->next = NULL;
    job->previous = list->tail;
    if (list->tail != NULL)
        list->tail->next = job;
    else
        list->head = job;
    list->tail = job;
    list->count++;
}

void engine_list_remove(struct engine_job_list *list, struct engine_job *job)
{
    if (job->previous != NULL)
        job->previous->next = job->next;
    else
        list->head = job->next;
    if (job->next != NULL)
        job->next->previous = job->previous;
    else
        list->tail = job->previous;
    list->count--;
}

/* ---- a job ---- */

void engine_job_unuse(struct cuzk_engine *engine, struct engine_job *job)
{
    const bool ended = job->state >= CUZK_JOB_DONE;

    job->users--;
    if (job->users > 0 || job->idle || !ended)
        return;
    if ((job->the_case == NULL || job->lent) && job->payload == NULL && !job->forgotten)
        return;
    /* freeing takes long: not here */
    job->idle = true;
    job->next_idle = engine->idle;
    engine->idle = job;
    pthread_cond_signal(&engine->timer_wake);
}

static void count_state(struct cuzk_engine *engine, const struct engine_job *job, int change)
{
    struct cuzk_engine_queue_status *kind = &engine->queue[job->kind],
                                    *priority = &engine->priority[job->priority];

    if (job->state == CUZK_JOB_QUEUED) {
        kind->pending += (uint32_t)change;
        priority->pending += (uint32_t)change;
    } else if (job->state == CUZK_JOB_RUNNING) {
        kind->running += (uint32_t)change;
        priority->running += (uint32_t)change;
    }
}

void engine_job_state(struct cuzk_engine *engine, struct engine_job *job, enum cuzk_job_state state)
{
    count_state(engine, job, -1);
    job->state = state;
    count_state(engine, job, 1);
}

void engine_job_failure(struct engine_job *job, const char *text)
{
    if (job->error == NULL && CUZK_NEW(&job->error, CUZK_ENGINE_ERROR_TEXT, "a job's error", NULL) != CUZK_OK)
        return;
    snprintf(job->error, CUZK_ENGINE_ERROR_TEXT, "%s", text);
}

enum cuzk_status engine_job_create(const struct cuzk_request *request, struct engine_job **out,
                                   struct cuzk_error *err)
{
    const size_t length = strlen(request->request_id);
    struct engine_job *job;

    *out = NULL;
    CUZK_TRY(cuzk_mem_alloc(1, sizeof *job + length + 1, "a job", (void **)&job, err));
    memcpy(job->request_id, request->request_id, length);
    job->kind = request->kind;
    job->sector_size = request->sector_size;
    job->payload_bytes = request->vanilla_proof.length;
    for (size_t i = 0; i < request->vanilla_proof_count; i++)
        job->payload_bytes += request->vanilla_proofs[i].length;
    *out = job;
    return CUZK_OK;
}

void engine_job_offer(struct cuzk_engine *engine, struct engine_job *job, struct engine_answer *answer)
{
    const uint64_t bytes = engine_circuit_host_peak(job->circuit, job->payload_bytes, job->partitions);
    struct cuzk_sched_job given = {
        .id = job->id,
        .priority = job->priority,
        .circuit = job->circuit->index,
        .batchable = cuzk_proof_kind_row(job->kind)->batchable,
        .partitions = job->partitions,
        .host_peak = bytes,
        .host_held = bytes,
        .host_dropped = bytes,
        .device_memory = job->circuit->need.unit_device,
    };

    memcpy(given.key, job->key, sizeof given.key);
    memset(answer, 0, sizeof *answer);
    job->state = CUZK_JOB_QUEUED;
    count_state(engine, job, 1);
    engine_step(engine, (struct cuzk_sched_event){.kind = CUZK_EVENT_SUBMIT, .submit = &given}, answer);
    if (answer->accepted)
        return;
    count_state(engine, job, -1);
    job->state = CUZK_JOB_UNKNOWN;
}
