#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/thread.h"
#include "engine/journal_state.h"

enum {
    GROUP_MOST = 512,           /* writes committed together */
    GROUP_BYTES_MOST = 4 << 20, /* the last one may go beyond */
    MARK_STEP = 1024,           /* ids by which the mark runs ahead, so that it is seldom written */
};

/* ---- a group ---- */

/* The row as it is now, if it is there and whole. */
static enum cuzk_status look_at(struct cuzk_journal *journal, uint64_t id, bool *found,
                                struct cuzk_error *err)
{
    const uint8_t *bytes;
    size_t length;

    CUZK_TRY(cuzk_journal_store_get(journal->store, CUZK_JOURNAL_TABLE_JOB, id, &bytes, &length, err));
    *found = bytes != NULL && cuzk_journal_row_decode(bytes, length, journal->scratch, NULL) == CUZK_OK &&
             journal->scratch->job.id == id;
    return CUZK_OK;
}

/* The mark is written before ids beyond it are. */
static enum cuzk_status move_mark(struct cuzk_journal *journal, uint64_t id, struct cuzk_error *err)
{
    uint8_t bytes[CUZK_JOURNAL_MARK_BYTES];

    if (id <= journal->mark)
        return CUZK_OK;
    const uint64_t mark = id > INT64_MAX - MARK_STEP ? INT64_MAX : id + MARK_STEP;

    cuzk_journal_mark_encode(journal->sequence++, mark, bytes);
    CUZK_TRY(
        cuzk_journal_store_put(journal->store, CUZK_JOURNAL_TABLE_JOB, 0, bytes, sizeof bytes, true, err));
    journal->mark = mark;
    return CUZK_OK;
}

static enum cuzk_status write_row(struct cuzk_journal *journal, struct journal_write *write, bool replace,
                                  struct cuzk_error *err)
{
    CUZK_TRY(move_mark(journal, write->id, err));
    cuzk_journal_row_stamp(write->row, write->row_length, journal->sequence++);
    return cuzk_journal_store_put(journal->store, CUZK_JOURNAL_TABLE_JOB, write->id, write->row,
                                  write->row_length, replace, err);
}

static enum cuzk_status end_or_forget(struct cuzk_journal *journal, struct journal_write *write,
                                      struct cuzk_error *err)
{
    bool found;

    CUZK_TRY(look_at(journal, write->id, &found, err));
    write->ended_accepted = found && journal->scratch->job.state == CUZK_JOURNAL_ACCEPTED;
    write->ended_spooled = write->ended_accepted && journal->scratch->spooled;
    memcpy(write->digest, journal->scratch->job.digest, sizeof write->digest);
    if (write->action == END)
        CUZK_TRY(write_row(journal, write, true, err));
    else
        CUZK_TRY(cuzk_journal_store_delete(journal->store, CUZK_JOURNAL_TABLE_JOB, write->id, err));
    if (!write->ended_spooled)
        CUZK_TRY(cuzk_journal_store_delete(journal->store, CUZK_JOURNAL_TABLE_REQUEST, write->id, err));
    return CUZK_OK;
}

static enum cuzk_status accept(struct cuzk_journal *journal, struct journal_write *write,
                               struct cuzk_error *err)
{
    CUZK_TRY(write_row(journal, write, false, err));
    if (write->body != NULL)
        CUZK_TRY(cuzk_journal_store_put(journal->store, CUZK_JOURNAL_TABLE_REQUEST, write->id, write->body,
                                        write->body_length, true, err));
    return CUZK_OK;
}

/* All of a group or, but for an id that is taken, nothing of it. */
static enum cuzk_status commit_group(struct cuzk_journal *journal, struct journal_write *first,
                                     struct cuzk_error *err)
{
    const uint64_t mark = journal->mark;
    enum cuzk_status status;

    CUZK_TRY(cuzk_journal_store_begin(journal->store, err));
    for (struct journal_write *write = first; write != NULL; write = write->next) {
        status = write->action == ACCEPT ? accept(journal, write, err) : end_or_forget(journal, write, err);
        write->status = status == CUZK_EXISTS ? status : CUZK_OK;
        if (status == CUZK_EXISTS) {
            cuzk_error_set(&write->error, status, "journal: job %" PRIu64 " is there already", write->id);
            status = CUZK_OK;
        }
        CUZK_TRY_OUT(status);
    }
    CUZK_TRY_OUT(cuzk_journal_store_commit(journal->store, err));
    return CUZK_OK;
out:
    cuzk_journal_store_rollback(journal->store);
    journal->mark = mark;
    return status;
}

static void set_all(struct journal_write *first, enum cuzk_status status, const struct cuzk_error *error)
{
    for (struct journal_write *write = first; write != NULL; write = write->next) {
        write->status = status;
        write->error = *error;
    }
}

/* A group, once more where the journal was found damaged and what can be saved was saved. */
static enum cuzk_status commit_or_heal(struct cuzk_journal *journal, struct journal_write *first,
                                       struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_INPUT;

    if (journal->store != NULL)
        status = commit_group(journal, first, err);
    if (status != CUZK_INPUT)
        return status;
    pthread_mutex_lock(&journal->read_lock);
    status = journal_heal(journal, journal->facts.salvages, err);
    pthread_mutex_unlock(&journal->read_lock);
    if (status == CUZK_OK)
        status = commit_group(journal, first, err);
    return status == CUZK_INPUT ? cuzk_error_prefix(err, CUZK_IO, "twice damaged") : status;
}

/* What fails together is tried one by one, so that one write that does not fit takes no other with it. */
static void write_group(struct cuzk_journal *journal, struct journal_write *first)
{
    struct cuzk_error error;
    enum cuzk_status status = commit_or_heal(journal, first, &error);

    if (status == CUZK_OK)
        return;
    if (first->next == NULL) {
        set_all(first, status, &error);
        return;
    }
    for (struct journal_write *write = first, *next; write != NULL; write = next) {
        next = write->next;
        write->next = NULL;
        status = commit_or_heal(journal, write, &error);
        if (status != CUZK_OK)
            set_all(write, status, &error);
        write->next = next;
    }
}

/* ---- the writer ---- */

static void free_write(struct journal_write *write)
{
    cuzk_mem_free(write->row);
    cuzk_mem_free(write->body);
    cuzk_mem_free(write);
}

/* After the commit: request files that nobody needs any more go, and callers are told. */
static void finish_group(struct cuzk_journal *journal, struct journal_write *first, size_t count)
{
    for (struct journal_write *write = first; write != NULL; write = write->next) {
        if (write->status == CUZK_OK && write->ended_spooled)
            cuzk_journal_spool_release(journal->spool, write->digest, journal->log);
        if (write->status != CUZK_OK && write->action == FORGET)
            cuzk_log_line(journal->log, CUZK_LOG_WARNING, "job %" PRIu64 " is not forgotten yet: %s",
                          write->id, write->error.message);
        if (write->done != NULL)
            write->done(write->context, write->status, &write->error);
    }
    pthread_mutex_lock(&journal->lock);
    journal->facts.groups++;
    journal->facts.writes += count;
    for (struct journal_write *write = first, *next; write != NULL; write = next) {
        next = write->next;
        if (write->waited) {
            write->over = true;
            pthread_cond_signal(&write->ended); /* the caller's from here on */
        } else {
            free_write(write);
        }
    }
    pthread_mutex_unlock(&journal->lock);
}

/* Takes writes from the queue, under the lock. */
static struct journal_write *take_group(struct cuzk_journal *journal, size_t *count)
{
    struct journal_write *const first = journal->first, *last = first;
    size_t bytes = first->row_length + first->body_length;

    *count = 1;
    while (last->next != NULL && *count < GROUP_MOST && bytes < GROUP_BYTES_MOST) {
        last = last->next;
        bytes += last->row_length + last->body_length;
        ++*count;
    }
    journal->first = last->next;
    if (journal->first == NULL)
        journal->last = NULL;
    last->next = NULL;
    return first;
}

void journal_note_log(struct cuzk_journal *journal)
{
    atomic_store(&journal->log_pages,
                 journal->store != NULL ? cuzk_journal_store_log_pages(journal->store) : 0);
}

void *journal_run_writer(void *context)
{
    struct cuzk_journal *const journal = context;

    cuzk_thread_prefer_soon(true);
    pthread_mutex_lock(&journal->lock);
    for (;;) {
        if (journal->first == NULL) {
            if (journal->closing)
                break;
            pthread_cond_wait(&journal->filled, &journal->lock);
            continue;
        }
        size_t count;
        struct journal_write *const group = take_group(journal, &count);

        pthread_mutex_unlock(&journal->lock);
        pthread_mutex_lock(&journal->write_lock);
        write_group(journal, group);
        journal_note_log(journal);
        pthread_mutex_unlock(&journal->write_lock);
        finish_group(journal, group, count);
        pthread_mutex_lock(&journal->lock);
        journal_tell_tidier(journal);
    }
    pthread_mutex_unlock(&journal->lock);
    return NULL;
}

void journal_enqueue(struct cuzk_journal *journal, struct journal_write *write)
{
    write->next = NULL;
    if (journal->last == NULL)
        journal->first = write;
    else
        journal->last->next = write;
    journal->last = write;
    pthread_cond_signal(&journal->filled);
}

enum cuzk_status journal_write_and_wait(struct cuzk_journal *journal, struct journal_write *write,
                                        struct cuzk_error *err)
{
    write->waited = true;
    pthread_cond_init(&write->ended, NULL);
    pthread_mutex_lock(&journal->lock);
    journal_enqueue(journal, write);
    while (!write->over)
        pthread_cond_wait(&write->ended, &journal->lock);
    pthread_mutex_unlock(&journal->lock);
    pthread_cond_destroy(&write->ended);
    cuzk_mem_free(write->row);
    cuzk_mem_free(write->body);
    if (write->status != CUZK_OK)
        return cuzk_error_set(err, write->status, "%s", write->error.message);
    return CUZK_OK;
}
