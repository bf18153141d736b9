#include "engine/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "engine/journal_row.h"
#include "engine/journal_salvage.h"
#include "engine/journal_spool.h"
#include "engine/journal_store.h"

enum {
    GROUP_MOST = 512,           /* writes committed together */
    GROUP_BYTES_MOST = 4 << 20, /* the last one may go beyond */
    TIDY_PAGES = 1000,          /* of the log: it is brought in when nothing else waits */
    TIDY_PAGES_MOST = 16384,    /* it is brought in whatever waits */
    MARK_STEP = 1024,           /* ids by which the mark runs ahead, so that it is seldom written */
};

enum action { ACCEPT, END, FORGET };

/* A write that waits. Of synchronous ones the caller's stack holds it. */
struct write {
    struct write *next;
    enum action action;
    uint64_t id;
    uint8_t *row, *body; /* owned; body: of an inline request */
    size_t row_length, body_length;
    bool ended_accepted; /* out: the job was accepted before */
    bool ended_spooled;
    uint8_t digest[32]; /* out, of such a job */
    enum cuzk_status status;
    struct cuzk_error error;
    bool waited; /* else it is a block of its own */
    bool over;
    pthread_cond_t ended; /* waited */
    void (*done)(void *context, enum cuzk_status status, const struct cuzk_error *error);
    void *context;
};

struct cuzk_journal {
    char directory[PATH_MAX / 2], path[PATH_MAX], spool_path[PATH_MAX];
    const struct cuzk_log *log;
    int lock_fd;
    struct cuzk_journal_spool *spool;

    /* Order: write_lock, then read_lock. Neither is held while `lock` is taken by who waits. */
    pthread_mutex_t write_lock, read_lock;
    struct cuzk_journal_store *store;
    struct cuzk_journal_row *scratch; /* the writer's */
    uint64_t sequence, mark, largest; /* largest: id that was written or recovered */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t filled;
    struct write *first, *last;
    bool closing, writer_runs;
    _Atomic unsigned log_pages; /* of the store, after its last group */
    pthread_t writer;
    struct cuzk_journal_facts facts;
};

static const char file_name[] = "journal.sqlite";

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

static enum cuzk_status write_row(struct cuzk_journal *journal, struct write *write, bool replace,
                                  struct cuzk_error *err)
{
    CUZK_TRY(move_mark(journal, write->id, err));
    cuzk_journal_row_stamp(write->row, write->row_length, journal->sequence++);
    return cuzk_journal_store_put(journal->store, CUZK_JOURNAL_TABLE_JOB, write->id, write->row,
                                  write->row_length, replace, err);
}

static enum cuzk_status end_or_forget(struct cuzk_journal *journal, struct write *write,
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

static enum cuzk_status accept(struct cuzk_journal *journal, struct write *write, struct cuzk_error *err)
{
    CUZK_TRY(write_row(journal, write, false, err));
    if (write->body != NULL)
        CUZK_TRY(cuzk_journal_store_put(journal->store, CUZK_JOURNAL_TABLE_REQUEST, write->id, write->body,
                                        write->body_length, true, err));
    return CUZK_OK;
}

/* All of a group or, but for an id that is taken, nothing of it. */
static enum cuzk_status commit_group(struct cuzk_journal *journal, struct write *first,
                                     struct cuzk_error *err)
{
    const uint64_t mark = journal->mark;
    enum cuzk_status status;

    CUZK_TRY(cuzk_journal_store_begin(journal->store, err));
    for (struct write *write = first; write != NULL; write = write->next) {
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

static void set_all(struct write *first, enum cuzk_status status, const struct cuzk_error *error)
{
    for (struct write *write = first; write != NULL; write = write->next) {
        write->status = status;
        write->error = *error;
    }
}

static enum cuzk_status heal(struct cuzk_journal *journal, uint64_t salvages, struct cuzk_error *err);

/* A group, once more where the journal was found damaged and what can be saved was saved. */
static enum cuzk_status commit_or_heal(struct cuzk_journal *journal, struct write *first,
                                       struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_INPUT;

    if (journal->store != NULL)
        status = commit_group(journal, first, err);
    if (status != CUZK_INPUT)
        return status;
    pthread_mutex_lock(&journal->read_lock);
    status = heal(journal, journal->facts.salvages, err);
    pthread_mutex_unlock(&journal->read_lock);
    if (status == CUZK_OK)
        status = commit_group(journal, first, err);
    return status == CUZK_INPUT ? cuzk_error_prefix(err, CUZK_IO, "twice damaged") : status;
}

/* What fails together is tried one by one, so that one write that does not fit takes no other with it. */
static void write_group(struct cuzk_journal *journal, struct write *first)
{
    struct cuzk_error error;
    enum cuzk_status status = commit_or_heal(journal, first, &error);

    if (status == CUZK_OK)
        return;
    if (first->next == NULL) {
        set_all(first, status, &error);
        return;
    }
    for (struct write *write = first, *next; write != NULL; write = next) {
        next = write->next;
        write->next = NULL;
        status = commit_or_heal(journal, write, &error);
        if (status != CUZK_OK)
            set_all(write, status, &error);
        write->next = next;
    }
}

/* ---- the writer ---- */

static void free_write(struct write *write)
{
    cuzk_mem_free(write->row);
    cuzk_mem_free(write->body);
    cuzk_mem_free(write);
}

/* After the commit: request files that nobody needs any more go, and callers are told. */
static void finish_group(struct cuzk_journal *journal, struct write *first, size_t count)
{
    for (struct write *write = first; write != NULL; write = write->next) {
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
    for (struct write *write = first, *next; write != NULL; write = next) {
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
static struct write *take_group(struct cuzk_journal *journal, size_t *count)
{
    struct write *const first = journal->first, *last = first;
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

/* Under write_lock. */
static void note_log(struct cuzk_journal *journal)
{
    atomic_store(&journal->log_pages,
                 journal->store != NULL ? cuzk_journal_store_log_pages(journal->store) : 0);
}

static void tidy(struct cuzk_journal *journal)
{
    struct cuzk_error error;

    pthread_mutex_lock(&journal->write_lock);
    if (journal->store != NULL && cuzk_journal_store_tidy(journal->store, &error) != CUZK_OK)
        cuzk_log_line(journal->log, CUZK_LOG_WARNING, "%s", error.message);
    note_log(journal);
    pthread_mutex_unlock(&journal->write_lock);
}

static void *run_writer(void *context)
{
    struct cuzk_journal *const journal = context;
    unsigned tried = 0; /* pages of the log when tidying was last tried */

    pthread_mutex_lock(&journal->lock);
    for (;;) {
        const unsigned pages = atomic_load(&journal->log_pages);

        if (pages < tried)
            tried = 0;
        if (pages >= tried + (journal->first == NULL ? TIDY_PAGES : TIDY_PAGES_MOST)) {
            tried = pages;
            pthread_mutex_unlock(&journal->lock);
            tidy(journal);
            pthread_mutex_lock(&journal->lock);
            continue;
        }
        if (journal->first == NULL) {
            if (journal->closing)
                break;
            pthread_cond_wait(&journal->filled, &journal->lock);
            continue;
        }
        size_t count;
        struct write *const group = take_group(journal, &count);

        pthread_mutex_unlock(&journal->lock);
        pthread_mutex_lock(&journal->write_lock);
        write_group(journal, group);
        note_log(journal);
        pthread_mutex_unlock(&journal->write_lock);
        finish_group(journal, group, count);
        pthread_mutex_lock(&journal->lock);
    }
    pthread_mutex_unlock(&journal->lock);
    return NULL;
}

static void enqueue(struct cuzk_journal *journal, struct write *write)
{
    write->next = NULL;
    if (journal->last == NULL)
        journal->first = write;
    else
        journal->last->next = write;
    journal->last = write;
    pthread_cond_signal(&journal->filled);
}

/* Hands a write over and waits for its group. */
static enum cuzk_status write_and_wait(struct cuzk_journal *journal, struct write *write,
                                       struct cuzk_error *err)
{
    write->waited = true;
    pthread_cond_init(&write->ended, NULL);
    pthread_mutex_lock(&journal->lock);
    enqueue(journal, write);
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

/* ---- opening ---- */

static enum cuzk_status take_lock(struct cuzk_journal *journal, struct cuzk_error *err)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/lock", journal->directory);
    journal->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (journal->lock_fd < 0)
        return cuzk_error_set(err, CUZK_IO, "%s: cannot be made: %s", path, strerror(errno));
    if (flock(journal->lock_fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return cuzk_error_set(err, CUZK_EXISTS, "%s: another process works with this directory",
                                  journal->directory);
        return cuzk_error_set(err, CUZK_IO, "%s: %s", path, strerror(errno));
    }
    return CUZK_OK;
}

/* A database under its name: made whole beside it, then renamed. */
static enum cuzk_status make_store(struct cuzk_journal *journal, struct cuzk_error *err)
{
    char fresh[PATH_MAX];

    snprintf(fresh, sizeof fresh, "%s/%s.new", journal->directory, file_name);
    unlink(fresh);
    CUZK_TRY(cuzk_journal_store_make(fresh, err));
    if (rename(fresh, journal->path) != 0)
        return cuzk_error_set(err, CUZK_IO, "%s: putting in place: %s", journal->path, strerror(errno));
    return CUZK_OK;
}

struct extent {
    uint64_t sequence, mark, largest;
    struct cuzk_journal_row *row;
};

static enum cuzk_status measure_row(void *context, uint64_t id, const uint8_t *bytes, size_t length,
                                    struct cuzk_error *err)
{
    struct extent *const extent = context;
    uint64_t sequence = 0;

    if (id == 0) {
        CUZK_TRY(cuzk_journal_mark_decode(bytes, length, &sequence, &extent->mark, err));
    } else {
        CUZK_TRY(cuzk_journal_row_decode(bytes, length, extent->row, err));
        sequence = extent->row->sequence;
    }
    if (sequence > extent->sequence)
        extent->sequence = sequence;
    if (id > extent->largest)
        extent->largest = id;
    return CUZK_OK;
}

static enum cuzk_status measure(struct cuzk_journal *journal, struct cuzk_error *err)
{
    struct extent extent = {.row = journal->scratch};

    CUZK_TRY(cuzk_journal_store_each(journal->store, CUZK_JOURNAL_TABLE_JOB, measure_row, &extent, err));
    journal->sequence = extent.sequence + 1;
    journal->mark = extent.mark;
    journal->largest = extent.largest > extent.mark ? extent.largest : extent.mark;
    return CUZK_OK;
}

/* A file's length; 0 where it is not there. */
static uint64_t bytes_on_disk(const char *path, const char *ending)
{
    char whole[PATH_MAX + 8];
    struct stat facts;

    snprintf(whole, sizeof whole, "%s%s", path, ending);
    return stat(whole, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

/* Opens what is there, where it is whole: INPUT where it is not. */
static enum cuzk_status open_whole(struct cuzk_journal *journal, bool check, struct cuzk_error *err)
{
    bool hidden = false;
    enum cuzk_status status;

    /* SQLite would throw away the log of a database that has no page */
    if (bytes_on_disk(journal->path, "") == 0)
        return cuzk_error_set(err, CUZK_INPUT, "%s: the database is empty", journal->path);
    CUZK_TRY(cuzk_journal_store_open(journal->path, check, &journal->store, err));
    CUZK_TRY_OUT(measure(journal, err));
    if (check)
        CUZK_TRY_OUT(cuzk_journal_salvage_needed(journal->path, journal->sequence - 1, &hidden, err));
    if (hidden)
        status = cuzk_error_set(err, CUZK_INPUT, "%s-wal: a damaged page hides later ones", journal->path);
out:
    if (status != CUZK_OK) {
        cuzk_journal_store_close(journal->store, false);
        journal->store = NULL;
    }
    return status;
}

/* A damaged one is replaced by what can be saved of it. */
static enum cuzk_status open_store(struct cuzk_journal *journal, struct cuzk_error *err)
{
    struct cuzk_error damage;
    enum cuzk_status status;

    CUZK_TRY(cuzk_journal_salvage_resume(journal->path, err));
    if (access(journal->path, F_OK) != 0 && bytes_on_disk(journal->path, "-wal") == 0)
        CUZK_TRY(make_store(journal, err));
    status = open_whole(journal, true, &damage);
    if (status != CUZK_INPUT)
        return status == CUZK_OK ? status : cuzk_error_set(err, status, "%s", damage.message);
    cuzk_log_line(journal->log, CUZK_LOG_WARNING, "%s", damage.message);
    CUZK_TRY(cuzk_journal_salvage(journal->path, journal->log, err));
    journal->facts.salvages++;
    return open_whole(journal, false, err);
}

/* While running, under write_lock and read_lock: the same, unless somebody has done it since `salvages` was
 * looked at. */
static enum cuzk_status heal(struct cuzk_journal *journal, uint64_t salvages, struct cuzk_error *err)
{
    const uint64_t sequence = journal->sequence;
    enum cuzk_status status;

    if (journal->facts.salvages != salvages && journal->store != NULL)
        return CUZK_OK;
    cuzk_journal_store_close(journal->store, false);
    journal->store = NULL;
    CUZK_TRY(cuzk_journal_salvage(journal->path, journal->log, err));
    pthread_mutex_lock(&journal->lock);
    journal->facts.salvages++;
    pthread_mutex_unlock(&journal->lock);
    status = open_whole(journal, false, err);
    if (journal->sequence < sequence)
        journal->sequence = sequence;
    return status;
}

enum cuzk_status cuzk_journal_open(const char *directory, const struct cuzk_log *log,
                                   struct cuzk_journal **out, struct cuzk_error *err)
{
    struct cuzk_journal *journal;
    enum cuzk_status status;

    *out = NULL;
    if (strlen(directory) >= sizeof journal->directory)
        return cuzk_error_set(err, CUZK_ARGUMENT, "journal: the path is too long");
    CUZK_TRY(cuzk_file_make_directory(directory, err));
    CUZK_TRY(CUZK_NEW(&journal, 1, "journal", err));
    journal->lock_fd = -1;
    journal->log = log;
    pthread_mutex_init(&journal->write_lock, NULL);
    pthread_mutex_init(&journal->read_lock, NULL);
    pthread_mutex_init(&journal->lock, NULL);
    pthread_cond_init(&journal->filled, NULL);
    snprintf(journal->directory, sizeof journal->directory, "%s", directory);
    snprintf(journal->path, sizeof journal->path, "%s/%s", directory, file_name);
    snprintf(journal->spool_path, sizeof journal->spool_path, "%s/spool", directory);
    CUZK_TRY_OUT(take_lock(journal, err));
    CUZK_TRY_OUT(cuzk_file_make_directory(journal->spool_path, err));
    CUZK_TRY_OUT(cuzk_journal_spool_create(journal->spool_path, &journal->spool, err));
    CUZK_TRY_OUT(CUZK_NEW(&journal->scratch, 1, "row of the journal", err));
    CUZK_TRY_OUT(open_store(journal, err));
    if (pthread_create(&journal->writer, NULL, run_writer, journal) != 0) {
        status = cuzk_error_set(err, CUZK_IO, "journal: no thread can be started");
        goto out;
    }
    journal->writer_runs = true;
    *out = journal;
out:
    if (status != CUZK_OK)
        cuzk_journal_close(journal);
    return status;
}

void cuzk_journal_close(struct cuzk_journal *journal)
{
    if (journal == NULL)
        return;
    if (journal->writer_runs) {
        pthread_mutex_lock(&journal->lock);
        journal->closing = true;
        pthread_cond_signal(&journal->filled);
        pthread_mutex_unlock(&journal->lock);
        pthread_join(journal->writer, NULL);
    }
    cuzk_journal_store_close(journal->store, true);
    cuzk_journal_spool_destroy(journal->spool);
    cuzk_mem_free(journal->scratch);
    if (journal->lock_fd >= 0)
        close(journal->lock_fd);
    pthread_cond_destroy(&journal->filled);
    pthread_mutex_destroy(&journal->lock);
    pthread_mutex_destroy(&journal->read_lock);
    pthread_mutex_destroy(&journal->write_lock);
    cuzk_mem_free(journal);
}

/* ---- recovery ---- */

struct recovery {
    struct cuzk_journal *journal;
    struct cuzk_journal_row *row;
    enum cuzk_status (*each)(void *context, const struct cuzk_journal_job *job, struct cuzk_error *err);
    void *context;
};

static enum cuzk_status recover_row(void *context, uint64_t id, const uint8_t *bytes, size_t length,
                                    struct cuzk_error *err)
{
    struct recovery *const recovery = context;

    if (id == 0)
        return CUZK_OK;
    CUZK_TRY(cuzk_journal_row_decode(bytes, length, recovery->row, err));
    if (recovery->row->spooled && recovery->row->job.state == CUZK_JOURNAL_ACCEPTED)
        CUZK_TRY(cuzk_journal_spool_hold(recovery->journal->spool, recovery->row->job.digest, err));
    return recovery->each(recovery->context, &recovery->row->job, err);
}

enum cuzk_status cuzk_journal_recover(struct cuzk_journal *journal,
                                      enum cuzk_status (*each)(void *context,
                                                               const struct cuzk_journal_job *job,
                                                               struct cuzk_error *err),
                                      void *context, uint64_t *last, struct cuzk_error *err)
{
    struct recovery recovery = {journal, NULL, each, context};
    enum cuzk_status status;

    *last = journal->largest;
    CUZK_TRY(CUZK_NEW(&recovery.row, 1, "row of the journal", err));
    pthread_mutex_lock(&journal->write_lock);
    pthread_mutex_lock(&journal->read_lock);
    CUZK_TRY_OUT(
        cuzk_journal_store_each(journal->store, CUZK_JOURNAL_TABLE_JOB, recover_row, &recovery, err));
    CUZK_TRY_OUT(cuzk_journal_store_drop_orphans(journal->store, err));
    CUZK_TRY_OUT(cuzk_journal_spool_drop_orphans(journal->spool, err));
out:
    pthread_mutex_unlock(&journal->read_lock);
    pthread_mutex_unlock(&journal->write_lock);
    cuzk_mem_free(recovery.row);
    return status;
}

/* ---- jobs ---- */

enum cuzk_status cuzk_journal_accept(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                     const struct cuzk_request *request, struct cuzk_error *err)
{
    const bool spooled = cuzk_request_form_bytes(request) >= CUZK_JOURNAL_INLINE_BYTES;
    struct write write = {.action = ACCEPT, .id = job->id};
    enum cuzk_status status;

    if (job->state != CUZK_JOURNAL_ACCEPTED)
        return cuzk_error_set(err, CUZK_ARGUMENT, "journal: job %" PRIu64 ": it is not accepted", job->id);
    CUZK_TRY(cuzk_journal_row_encode(job, 0, spooled, &write.row, &write.row_length, err));
    if (spooled)
        status = cuzk_journal_spool_put(journal->spool, request, job->digest, err);
    else
        status = cuzk_request_form_pack(request, job->digest, &write.body, &write.body_length, err);
    if (status != CUZK_OK) {
        cuzk_mem_free(write.row);
        return status;
    }
    status = write_and_wait(journal, &write, err);
    if (status != CUZK_OK && spooled)
        cuzk_journal_spool_release(journal->spool, job->digest, journal->log);
    return status;
}

/* The form of a small request; NOT_FOUND where there is none. A database that turns out damaged is replaced
 * by what can be saved of it, once. */
static enum cuzk_status read_form(struct cuzk_journal *journal, uint64_t id, uint8_t **bytes, size_t *length,
                                  struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_INPUT;

    pthread_mutex_lock(&journal->read_lock);
    const uint64_t salvages = journal->facts.salvages;

    if (journal->store != NULL)
        status = cuzk_journal_store_read(journal->store, CUZK_JOURNAL_TABLE_REQUEST, id, bytes, length, err);
    pthread_mutex_unlock(&journal->read_lock);
    if (status != CUZK_INPUT)
        return status;
    pthread_mutex_lock(&journal->write_lock);
    pthread_mutex_lock(&journal->read_lock);
    status = heal(journal, salvages, err);
    if (status == CUZK_OK)
        status = cuzk_journal_store_read(journal->store, CUZK_JOURNAL_TABLE_REQUEST, id, bytes, length, err);
    pthread_mutex_unlock(&journal->read_lock);
    pthread_mutex_unlock(&journal->write_lock);
    return status;
}

static enum cuzk_status read_request(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                     struct cuzk_request_file *out, struct cuzk_error *err)
{
    uint8_t *bytes;
    size_t length;
    const enum cuzk_status status = read_form(journal, job->id, &bytes, &length, err);

    if (status == CUZK_OK)
        return cuzk_request_form_open("journal: request", bytes, length, job->digest, out, err);
    if (status == CUZK_NOT_FOUND)
        return cuzk_request_file_open(journal->spool_path, job->digest, out, err);
    return status;
}

enum cuzk_status cuzk_journal_request(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                      struct cuzk_request_file *out, struct cuzk_error *err)
{
    memset(out, 0, sizeof *out);
    CUZK_TRY(read_request(journal, job, out, err));
    out->request.request_id = job->request_id != NULL ? job->request_id : "";
    return CUZK_OK;
}

static enum cuzk_status check_ended(const struct cuzk_journal_job *job, struct cuzk_error *err)
{
    if (job->state == CUZK_JOURNAL_ACCEPTED)
        return cuzk_error_set(err, CUZK_ARGUMENT, "journal: job %" PRIu64 ": it has not ended", job->id);
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_end(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                  struct cuzk_error *err)
{
    struct write write = {.action = END, .id = job->id};

    CUZK_TRY(check_ended(job, err));
    CUZK_TRY(cuzk_journal_row_encode(job, 0, false, &write.row, &write.row_length, err));
    return write_and_wait(journal, &write, err);
}

static enum cuzk_status hand_over(struct cuzk_journal *journal, struct write *write)
{
    pthread_mutex_lock(&journal->lock);
    enqueue(journal, write);
    pthread_mutex_unlock(&journal->lock);
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_end_later(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                        void (*done)(void *context, enum cuzk_status status,
                                                     const struct cuzk_error *error),
                                        void *context, struct cuzk_error *err)
{
    struct write *write;

    CUZK_TRY(check_ended(job, err));
    CUZK_TRY(CUZK_NEW(&write, 1, "write of the journal", err));
    const enum cuzk_status status =
        cuzk_journal_row_encode(job, 0, false, &write->row, &write->row_length, err);

    if (status != CUZK_OK) {
        cuzk_mem_free(write);
        return status;
    }
    write->action = END;
    write->id = job->id;
    write->done = done;
    write->context = context;
    return hand_over(journal, write);
}

enum cuzk_status cuzk_journal_forget(struct cuzk_journal *journal, uint64_t id, struct cuzk_error *err)
{
    struct write *write;

    if (id == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "journal: no job has the id 0");
    CUZK_TRY(CUZK_NEW(&write, 1, "write of the journal", err));
    write->action = FORGET;
    write->id = id;
    return hand_over(journal, write);
}

void cuzk_journal_facts(struct cuzk_journal *journal, struct cuzk_journal_facts *out)
{
    pthread_mutex_lock(&journal->lock);
    *out = journal->facts;
    pthread_mutex_unlock(&journal->lock);
    out->journal_bytes = bytes_on_disk(journal->path, "") + bytes_on_disk(journal->path, "-wal");
    out->spool_bytes = cuzk_journal_spool_bytes(journal->spool);
}
