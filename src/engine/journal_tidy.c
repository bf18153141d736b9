#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "engine/journal_state.h"

enum {
    TIDY_PAGES = 512,       /* of the log: they are brought in once nothing was written for IDLE_MS */
    TIDY_PAGES_BUSY = 2048, /* they are brought in beside the writer */
    TIDY_PAGES_MOST = 4096, /* the writer waits until the rest is brought in, so that the log begins anew */
    TIDY_ROUNDS = 16,       /* each brings in what came during the one before */
    IDLE_MS = 100,
    SHRINK_PAGES = 64,    /* given back to the disk at once */
    LOG_BYTES = 20 << 20, /* its length before any of it is needed */
};

/* ---- the tidier ---- */

static void warn_of(struct cuzk_journal *journal, enum cuzk_status status, const struct cuzk_error *error)
{
    if (status != CUZK_OK)
        cuzk_log_line(journal->log, CUZK_LOG_WARNING, "%s", error->message);
}

/* The log's file is made as long as it gets: writing over what is there takes one flush of the disk, writing
 * at a file's end a commit of the file system's journal too. */
static void reserve(struct cuzk_journal *journal)
{
    pthread_mutex_lock(&journal->write_lock);
    if (journal->store != NULL)
        cuzk_journal_store_reserve(journal->store, LOG_BYTES);
    pthread_mutex_lock(&journal->tidy_lock);
    pthread_mutex_unlock(&journal->write_lock);
    if (journal->store != NULL)
        cuzk_journal_store_settle(journal->store);
    pthread_mutex_unlock(&journal->tidy_lock);
}

/* Beside the writer. The number of pages that the database has of the log; 0 where it cannot be brought in.
 */
static unsigned bring_in(struct cuzk_journal *journal)
{
    unsigned moved = 0;

    for (int round = 0; round < TIDY_ROUNDS && moved < atomic_load(&journal->log_pages); round++) {
        struct cuzk_error error;
        enum cuzk_status status = CUZK_OK;

        pthread_mutex_lock(&journal->tidy_lock);
        if (journal->store != NULL)
            status = cuzk_journal_store_checkpoint(journal->store, &moved, &error);
        pthread_mutex_unlock(&journal->tidy_lock);
        warn_of(journal, status, &error);
        if (status != CUZK_OK)
            return 0;
    }
    return moved;
}

void journal_shrink(struct cuzk_journal *journal, unsigned pages, bool *more)
{
    struct cuzk_error error;
    enum cuzk_status status = CUZK_OK;

    *more = false;
    pthread_mutex_lock(&journal->write_lock);
    if (journal->store != NULL)
        status = cuzk_journal_store_shrink(journal->store, pages, more, &error);
    journal_note_log(journal);
    pthread_mutex_unlock(&journal->write_lock);
    warn_of(journal, status, &error);
    *more = *more && status == CUZK_OK;
}

static void tidy(struct cuzk_journal *journal)
{
    for (bool more = true; more && atomic_load(&journal->log_pages) < TIDY_PAGES_MOST;)
        journal_shrink(journal, SHRINK_PAGES, &more);
    const unsigned moved = bring_in(journal);

    if (moved > 0 && atomic_load(&journal->log_pages) >= TIDY_PAGES_MOST) {
        pthread_mutex_lock(&journal->write_lock); /* what came since is little, and then that is all */
        (void)bring_in(journal);
        pthread_mutex_unlock(&journal->write_lock);
    }
}

/* Pages of the log that the database lacks, or nearly so. */
static unsigned untidy_pages(const struct cuzk_journal *journal)
{
    const unsigned pages = atomic_load(&journal->log_pages);

    return pages > journal->tidied ? pages - journal->tidied : 0;
}

void journal_tell_tidier(struct cuzk_journal *journal)
{
    if (atomic_load(&journal->log_pages) < journal->tidied)
        journal->tidied = 0;
    if (!journal->reserved || untidy_pages(journal) >= TIDY_PAGES)
        pthread_cond_signal(&journal->grown);
}

/* Under the lock. Whether nothing was written for a while. */
static bool is_idle(struct cuzk_journal *journal)
{
    const uint64_t groups = journal->facts.groups, end = cuzk_clock_ns() + IDLE_MS * CUZK_NS_PER_MS;
    const struct timespec until = cuzk_clock_timespec(end);

    while (!journal->closing && untidy_pages(journal) < TIDY_PAGES_BUSY)
        if (pthread_cond_timedwait(&journal->grown, &journal->lock, &until) == ETIMEDOUT)
            return journal->facts.groups == groups;
    return false;
}

void *journal_run_tidier(void *context)
{
    struct cuzk_journal *const journal = context;

    pthread_mutex_lock(&journal->lock);
    while (!journal->closing) {
        const bool room = !journal->reserved;

        if (!room && untidy_pages(journal) < TIDY_PAGES) {
            pthread_cond_wait(&journal->grown, &journal->lock);
            continue;
        }
        if (!room && untidy_pages(journal) < TIDY_PAGES_BUSY && !is_idle(journal))
            continue;
        pthread_mutex_unlock(&journal->lock);
        if (room)
            reserve(journal);
        else
            tidy(journal);
        pthread_mutex_lock(&journal->lock);
        if (room)
            journal->reserved = true;
        else
            journal->tidied = atomic_load(&journal->log_pages);
    }
    pthread_mutex_unlock(&journal->lock);
    return NULL;
}
