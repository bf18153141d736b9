/* How jobs end: the journal first, then everyone who watches; later they are forgotten. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"
#include "engine/engine_state.h"

void engine_journal_row(const struct engine_job *job, struct cuzk_journal_job *out)
{
    memset(out, 0, sizeof *out);
    out->id = job->id;
    memcpy(out->key, job->key, sizeof out->key);
    memcpy(out->digest, job->digest, sizeof out->digest);
    out->request_id = job->request_id;
    out->kind = job->kind;
    out->priority = job->priority;
    out->sector_size = job->sector_size;
    out->accepted_ms = job->accepted_ms;
    out->ended_ms = job->ended_ms;
    out->state = job->state == CUZK_JOB_DONE        ? CUZK_JOURNAL_DONE
                 : job->state == CUZK_JOB_FAILED    ? CUZK_JOURNAL_FAILED
                 : job->state == CUZK_JOB_CANCELLED ? CUZK_JOURNAL_CANCELLED
                                                    : CUZK_JOURNAL_ACCEPTED;
    if (job->state == CUZK_JOB_DONE) {
        out->proof = job->proof;
        out->proof_length = job->proof_length;
    }
    if (job->state == CUZK_JOB_FAILED)
        out->error = job->error != NULL ? job->error : "no memory was left for the reason";
}

/* ---- the way of an ended job ---- */

/* Under lock: its end is durable. */
static void answer(struct cuzk_engine *engine, struct engine_job *job)
{
    engine_list_append(&engine->answering, job);
    pthread_cond_signal(&engine->notifier_wake);
}

/* From the journal's writer. An end that could not be written is told all the same: after a crash the job is
 * proved again. */
static void is_durable(void *context, enum cuzk_status status, const struct cuzk_error *error)
{
    struct engine_job *job = context;
    struct cuzk_engine *engine = job->engine;

    pthread_mutex_lock(&engine->lock);
    if (status != CUZK_OK)
        cuzk_log_line(engine->log, CUZK_LOG_ERROR, "journal: the end of job %016llx is not kept: %s",
                      (unsigned long long)job->id, error != NULL ? error->message : "");
    answer(engine, job);
    pthread_mutex_unlock(&engine->lock);
}

static void end(struct cuzk_engine *engine, struct engine_job *job, enum cuzk_job_state state)
{
    static const enum cuzk_event_type types[] = {
        [CUZK_JOB_DONE] = CUZK_EVENT_TYPE_DONE,
        [CUZK_JOB_FAILED] = CUZK_EVENT_TYPE_FAILED,
        [CUZK_JOB_CANCELLED] = CUZK_EVENT_TYPE_CANCELLED,
    };

    job->ended_ns = cuzk_clock_ns();
    job->ended_ms = engine_unix_ms();
    engine_job_state(engine, job, state);
    if (state == CUZK_JOB_DONE) {
        job->proof_length = (size_t)job->partitions * CUZK_PROOF_BYTES;
        engine->completed[job->kind]++;
        engine->job_ns = (7 * engine->job_ns + (job->ended_ns - job->accepted_ns)) / 8;
    } else if (state == CUZK_JOB_FAILED) {
        engine->failed[job->kind]++;
    } else {
        engine->cancelled[job->kind]++;
    }
    engine_note(engine, types[state], job, "", job->accepted_ns);
    engine->unanswered++;
    job->users++; /* until it was answered */
    if (engine->journal == NULL)
        answer(engine, job);
    else
        engine_list_append(&engine->ending, job);
    pthread_cond_signal(&engine->notifier_wake);
}

void engine_job_ended(struct cuzk_engine *engine, const struct cuzk_sched_command *command)
{
    struct engine_job *job = engine_job_find(engine, command->job);
    char reason[160], text[CUZK_ENGINE_ERROR_TEXT];

    if (job == NULL)
        return;
    if (command->kind == CUZK_COMMAND_FAILED) {
        cuzk_sched_reason_text(command, reason, sizeof reason);
        if (job->error != NULL && command->reason == CUZK_REASON_INVALID)
            snprintf(text, sizeof text, "%s", job->error);
        else if (job->error != NULL)
            snprintf(text, sizeof text, "%s: %s", reason, job->error);
        else
            snprintf(text, sizeof text, "%s", reason);
        engine_job_failure(job, text);
    }
    end(engine, job,
        command->kind == CUZK_COMMAND_DONE     ? CUZK_JOB_DONE
        : command->kind == CUZK_COMMAND_FAILED ? CUZK_JOB_FAILED
                                               : CUZK_JOB_CANCELLED);
}

void engine_job_end_now(struct cuzk_engine *engine, struct engine_job *job, enum cuzk_job_state state,
                        const char *error)
{
    if (error != NULL)
        engine_job_failure(job, error);
    end(engine, job, state);
}

/* ---- the notifier ---- */

static void tell_drained(struct cuzk_engine *engine)
{
    struct engine_drain drains[ENGINE_DRAINS_MOST];
    const unsigned count = engine->drain_count;

    if (!engine->core_drained || engine->unanswered > 0 || engine->accepting > 0 || count == 0)
        return;
    memcpy(drains, engine->drains, count * sizeof drains[0]);
    engine->drain_count = 0;
    pthread_mutex_unlock(&engine->lock);
    for (unsigned i = 0; i < count; i++)
        drains[i].drained(drains[i].context);
    pthread_mutex_lock(&engine->lock);
}

void engine_core_drained(struct cuzk_engine *engine)
{
    engine->core_drained = true;
    pthread_cond_signal(&engine->notifier_wake);
}

static void write_end(struct cuzk_engine *engine, struct engine_job *job)
{
    struct cuzk_journal_job row;
    struct cuzk_error err = {0};

    engine_journal_row(job, &row);
    job->engine = engine;
    pthread_mutex_unlock(&engine->lock);
    const enum cuzk_status status = cuzk_journal_end_later(engine->journal, &row, is_durable, job, &err);

    if (status != CUZK_OK)
        is_durable(job, status, &err);
    pthread_mutex_lock(&engine->lock);
}

/* Whoever runs the daemon hears of it too; without a journal there is only the caller, who knows of all but
 * the reason of a failure. Under lock, given up for a moment: the job is in use. */
static void log_end(struct cuzk_engine *engine, const struct engine_job *job)
{
    const unsigned long long id = (unsigned long long)job->id;
    const struct cuzk_proof_kind_row *row = cuzk_proof_kind_row(job->kind); /* NULL: of a damaged journal */
    const char *kind = row != NULL ? row->name : "no kind of proof";
    const double seconds = (double)(job->ended_ns - job->accepted_ns) / 1e9;

    pthread_mutex_unlock(&engine->lock);
    if (job->state == CUZK_JOB_FAILED)
        cuzk_log_line(engine->log, CUZK_LOG_WARNING, "job %016llx: failed: %s", id,
                      job->error != NULL ? job->error : "no memory was left for the reason");
    else if (engine->journal != NULL)
        cuzk_log_line(engine->log, CUZK_LOG_INFO, "job %016llx: %s of %u partition%s, %s after %.3f s", id,
                      kind, job->partitions, job->partitions == 1 ? "" : "s",
                      job->state == CUZK_JOB_DONE ? "done" : "cancelled", seconds);
    pthread_mutex_lock(&engine->lock);
}

static void tell(struct cuzk_engine *engine, struct engine_job *job)
{
    engine_list_remove(&engine->answering, job);
    log_end(engine, job);
    job->answered = true;
    /* who is told may collect it and expect the room: it is in its list before */
    job->listed_ns = cuzk_clock_ns();
    engine_list_append(job->collected ? &engine->collected : &engine->kept, job);
    engine_watches_call(engine, job);
    engine->unanswered--;
    engine_job_unuse(engine, job);
    pthread_cond_signal(&engine->timer_wake);
}

static void *notifier_main(void *argument)
{
    struct cuzk_engine *engine = argument;

    cuzk_thread_prefer_soon(false);
    pthread_mutex_lock(&engine->lock);
    for (;;) {
        tell_drained(engine);
        if (engine->ending.head != NULL) {
            struct engine_job *job = engine->ending.head;

            engine_list_remove(&engine->ending, job);
            write_end(engine, job);
        } else if (engine->answering.head != NULL) {
            tell(engine, engine->answering.head);
        } else if (engine->stopping && engine->unanswered == 0) {
            break;
        } else if (!engine->core_drained || engine->drain_count == 0 || engine->unanswered > 0 ||
                   engine->accepting > 0) {
            pthread_cond_wait(&engine->notifier_wake, &engine->lock);
        }
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

/* ---- forgetting ---- */

/* Under lock, given up for a moment where there is something to do. */
static bool close_idle(struct cuzk_engine *engine)
{
    struct engine_job *job = engine->idle;
    struct cuzk_case *the_case;
    struct cuzk_request_file *payload;

    if (job == NULL)
        return false;
    engine->idle = job->next_idle;
    job->idle = false;
    the_case = job->lent ? NULL : job->the_case;
    payload = job->payload;
    job->the_case = NULL;
    job->payload = NULL;
    job->case_state = ENGINE_CASE_CLOSED;
    job->users++;
    pthread_mutex_unlock(&engine->lock);
    cuzk_case_close(the_case);
    if (payload != NULL)
        cuzk_request_file_close(payload);
    cuzk_mem_free(payload);
    pthread_mutex_lock(&engine->lock);
    job->users--;
    if (job->forgotten && job->users == 0 && !job->idle) {
        pthread_mutex_unlock(&engine->lock);
        engine_job_destroy(job);
        pthread_mutex_lock(&engine->lock);
    }
    return true;
}

static void forget(struct cuzk_engine *engine, struct engine_job_list *list)
{
    struct engine_job *job = list->head;
    const uint64_t id = job->id;
    const bool free_now = job->users == 0 && !job->idle;

    engine_list_remove(list, job);
    engine_job_remove(engine, job);
    job->forgotten = true;
    engine_step(engine, (struct cuzk_sched_event){.kind = CUZK_EVENT_FORGET, .job = id}, NULL);
    pthread_mutex_unlock(&engine->lock);
    if (engine->journal != NULL)
        (void)cuzk_journal_forget(engine->journal, id, NULL); /* not forgotten: it comes back and expires */
    if (free_now)
        engine_job_destroy(job);
    pthread_mutex_lock(&engine->lock);
}

bool engine_forget_collected(struct cuzk_engine *engine)
{
    if (engine->collected.head == NULL)
        return false;
    forget(engine, &engine->collected);
    return true;
}

/* When the oldest result is to be forgotten; UINT64_MAX: none waits. */
static uint64_t expiry(const struct cuzk_engine *engine)
{
    const struct engine_job *kept = engine->kept.head, *collected = engine->collected.head;
    uint64_t at = UINT64_MAX;

    if (kept != NULL && engine->result_keep_ns != 0)
        at = kept->listed_ns + engine->result_keep_ns;
    if (collected != NULL && collected->listed_ns + ENGINE_COLLECTED_KEEP_MS * CUZK_NS_PER_MS < at)
        at = collected->listed_ns + ENGINE_COLLECTED_KEEP_MS * CUZK_NS_PER_MS;
    if (engine->collected.count > ENGINE_COLLECTED_MOST)
        at = 0;
    return at;
}

static void forget_one(struct cuzk_engine *engine, uint64_t now)
{
    const struct engine_job *kept = engine->kept.head;
    const bool expired =
        kept != NULL && engine->result_keep_ns != 0 && kept->listed_ns + engine->result_keep_ns <= now;

    forget(engine, expired ? &engine->kept : &engine->collected);
}

/* Whatever waits for time: batches, results that expire, cases to be closed; and warm files that yield. */
static void *timer_main(void *argument)
{
    struct cuzk_engine *engine = argument;

    pthread_mutex_lock(&engine->lock);
    while (!engine->stopping) {
        const uint64_t now = cuzk_clock_ns();
        const uint64_t tick = cuzk_sched_deadline(engine->sched), gone = expiry(engine);

        if (engine->yield_wanted) {
            engine->yield_wanted = false;
            pthread_mutex_unlock(&engine->lock);
            engine_warm_yield(engine);
            pthread_mutex_lock(&engine->lock);
        } else if (tick <= now)
            engine_step(engine, (struct cuzk_sched_event){.kind = CUZK_EVENT_TICK}, NULL);
        else if (gone <= now)
            forget_one(engine, now);
        else if (!close_idle(engine))
            engine_cond_wait(&engine->timer_wake, &engine->lock, tick < gone ? tick : gone);
    }
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

void cuzk_engine_collected(struct cuzk_engine *engine, const char *job_id)
{
    struct engine_job *job;

    pthread_mutex_lock(&engine->lock);
    job = engine_job_find(engine, cuzk_job_id_parse(job_id));
    if (job != NULL && job->state >= CUZK_JOB_DONE && !job->collected) {
        job->collected = true;
        if (job->answered) {
            engine_list_remove(&engine->kept, job);
            job->listed_ns = cuzk_clock_ns();
            engine_list_append(&engine->collected, job);
            pthread_cond_signal(&engine->timer_wake);
        }
    }
    pthread_mutex_unlock(&engine->lock);
}

/* ---- threads ---- */

enum cuzk_status engine_end_start(struct cuzk_engine *engine, struct cuzk_error *err)
{
    if (pthread_create(&engine->notifier, NULL, notifier_main, engine) != 0)
        return cuzk_error_set(err, CUZK_IO, "cannot start the engine's notifier");
    engine->notifier_started = true;
    if (pthread_create(&engine->timer, NULL, timer_main, engine) != 0)
        return cuzk_error_set(err, CUZK_IO, "cannot start the engine's timer");
    engine->timer_started = true;
    return CUZK_OK;
}

void engine_end_stop(struct cuzk_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    pthread_cond_broadcast(&engine->notifier_wake);
    pthread_cond_broadcast(&engine->timer_wake);
    pthread_mutex_unlock(&engine->lock);
    if (engine->timer_started)
        pthread_join(engine->timer, NULL);
    if (engine->notifier_started)
        pthread_join(engine->notifier, NULL);
    engine->timer_started = engine->notifier_started = false;
}
