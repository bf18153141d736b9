#include "engine/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "engine/journal_salvage.h"
#include "engine/journal_state.h"

static const char file_name[] = "journal.sqlite";

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

enum cuzk_status journal_heal(struct cuzk_journal *journal, uint64_t salvages, struct cuzk_error *err)
{
    const uint64_t sequence = journal->sequence;
    enum cuzk_status status;

    if (journal->facts.salvages != salvages && journal->store != NULL)
        return CUZK_OK;
    pthread_mutex_lock(&journal->tidy_lock);
    cuzk_journal_store_close(journal->store, false);
    journal->store = NULL;
    CUZK_TRY_OUT(cuzk_journal_salvage(journal->path, journal->log, err));
    pthread_mutex_lock(&journal->lock);
    journal->facts.salvages++;
    journal->reserved = false;
    journal->tidied = 0;
    pthread_mutex_unlock(&journal->lock);
    status = open_whole(journal, false, err);
    if (journal->sequence < sequence)
        journal->sequence = sequence;
out:
    pthread_mutex_unlock(&journal->tidy_lock);
    return status;
}

/* The writer may be preferred to who holds a lock that it waits for: that one goes on in its stead. */
static void init_locks(struct cuzk_journal *journal)
{
    pthread_mutexattr_t inherit;
    pthread_condattr_t clock;

    pthread_mutexattr_init(&inherit);
    (void)pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&journal->write_lock, &inherit);
    pthread_mutex_init(&journal->read_lock, &inherit);
    pthread_mutex_init(&journal->tidy_lock, &inherit);
    pthread_mutex_init(&journal->lock, &inherit);
    pthread_mutexattr_destroy(&inherit);
    pthread_cond_init(&journal->filled, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&journal->grown, &clock);
    pthread_condattr_destroy(&clock);
}

static enum cuzk_status start_threads(struct cuzk_journal *journal, struct cuzk_error *err)
{
    journal->writer_runs = pthread_create(&journal->writer, NULL, journal_run_writer, journal) == 0;
    journal->tidier_runs =
        journal->writer_runs && pthread_create(&journal->tidier, NULL, journal_run_tidier, journal) == 0;
    if (!journal->tidier_runs)
        return cuzk_error_set(err, CUZK_IO, "journal: no thread can be started");
    return CUZK_OK;
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
    journal->reserved = true; /* until recovery is over */
    init_locks(journal);
    snprintf(journal->directory, sizeof journal->directory, "%s", directory);
    snprintf(journal->path, sizeof journal->path, "%s/%s", directory, file_name);
    snprintf(journal->spool_path, sizeof journal->spool_path, "%s/spool", directory);
    CUZK_TRY_OUT(take_lock(journal, err));
    CUZK_TRY_OUT(cuzk_file_make_directory(journal->spool_path, err));
    CUZK_TRY_OUT(cuzk_journal_spool_create(journal->spool_path, &journal->spool, err));
    CUZK_TRY_OUT(CUZK_NEW(&journal->scratch, 1, "row of the journal", err));
    CUZK_TRY_OUT(open_store(journal, err));
    CUZK_TRY_OUT(start_threads(journal, err));
    *out = journal;
out:
    if (status != CUZK_OK)
        cuzk_journal_close(journal);
    return status;
}

void cuzk_journal_close(struct cuzk_journal *journal)
{
    bool more;

    if (journal == NULL)
        return;
    pthread_mutex_lock(&journal->lock);
    journal->closing = true;
    pthread_cond_signal(&journal->filled);
    pthread_cond_signal(&journal->grown);
    pthread_mutex_unlock(&journal->lock);
    if (journal->writer_runs)
        pthread_join(journal->writer, NULL);
    if (journal->tidier_runs)
        pthread_join(journal->tidier, NULL);
    journal_shrink(journal, UINT_MAX, &more);
    cuzk_journal_store_close(journal->store, true);
    cuzk_journal_spool_destroy(journal->spool);
    cuzk_mem_free(journal->scratch);
    if (journal->lock_fd >= 0)
        close(journal->lock_fd);
    pthread_cond_destroy(&journal->filled);
    pthread_cond_destroy(&journal->grown);
    pthread_mutex_destroy(&journal->lock);
    pthread_mutex_destroy(&journal->tidy_lock);
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
    pthread_mutex_lock(&journal->lock);
    journal->reserved = false; /* while others still start */
    journal_tell_tidier(journal);
    pthread_mutex_unlock(&journal->lock);
    cuzk_mem_free(recovery.row);
    return status;
}

/* ---- jobs ---- */

enum cuzk_status cuzk_journal_accept(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                     const struct cuzk_request *request, struct cuzk_error *err)
{
    const bool spooled = cuzk_request_form_bytes(request) >= CUZK_JOURNAL_INLINE_BYTES;
    struct journal_write write = {.action = ACCEPT, .id = job->id};
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
    status = journal_write_and_wait(journal, &write, err);
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
    status = journal_heal(journal, salvages, err);
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
    struct journal_write write = {.action = END, .id = job->id};

    CUZK_TRY(check_ended(job, err));
    CUZK_TRY(cuzk_journal_row_encode(job, 0, false, &write.row, &write.row_length, err));
    return journal_write_and_wait(journal, &write, err);
}

static enum cuzk_status hand_over(struct cuzk_journal *journal, struct journal_write *write)
{
    pthread_mutex_lock(&journal->lock);
    journal_enqueue(journal, write);
    pthread_mutex_unlock(&journal->lock);
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_end_later(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                        void (*done)(void *context, enum cuzk_status status,
                                                     const struct cuzk_error *error),
                                        void *context, struct cuzk_error *err)
{
    struct journal_write *write;

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
    struct journal_write *write;

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
    out->journal_bytes = bytes_on_disk(journal->path, "") +
                         atomic_load(&journal->log_pages) * (uint64_t)CUZK_JOURNAL_STORE_FRAME;
    out->spool_bytes = cuzk_journal_spool_bytes(journal->spool);
}
