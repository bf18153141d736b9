/* The journal's inside, shared by the files journal*.c: what they hold and hand to each other. */
#ifndef CUZK_ENGINE_JOURNAL_STATE_H
#define CUZK_ENGINE_JOURNAL_STATE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/journal.h"
#include "engine/journal_row.h"
#include "engine/journal_spool.h"
#include "engine/journal_store.h"

enum journal_action { ACCEPT, END, FORGET };

/* A write that waits. Of synchronous ones the caller's stack holds it. */
struct journal_write {
    struct journal_write *next;
    enum journal_action action;
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

    /* Order: write_lock, read_lock, tidy_lock. None is held while `lock` is taken by who waits. */
    pthread_mutex_t write_lock, read_lock, tidy_lock;
    struct cuzk_journal_store *store;
    struct cuzk_journal_row *scratch; /* the writer's */
    uint64_t sequence, mark, largest; /* largest: id that was written or recovered */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t filled, grown;
    struct journal_write *first, *last;
    bool closing, writer_runs, tidier_runs;
    bool reserved;              /* the log's file was made long, or that is not asked for yet */
    unsigned tidied;            /* pages of the log when it was tidied last; 0: it began anew */
    _Atomic unsigned log_pages; /* of the store, after its last group */
    pthread_t writer, tidier;
    struct cuzk_journal_facts facts;
};

/* ---- journal_write.c: groups, and the thread that writes them ---- */

void *journal_run_writer(void *journal);

/* Under the lock. */
void journal_enqueue(struct cuzk_journal *journal, struct journal_write *write);

/* Hands a write over and waits for its group. */
enum cuzk_status journal_write_and_wait(struct cuzk_journal *journal, struct journal_write *write,
                                        struct cuzk_error *err);

/* Under write_lock: how long the log is after what was written. */
void journal_note_log(struct cuzk_journal *journal);

/* ---- journal_tidy.c: the log's room and end, beside the writer ---- */

void *journal_run_tidier(void *journal);

/* Under the lock, after a group: wakes the tidier where there is something to do. */
void journal_tell_tidier(struct cuzk_journal *journal);

/* Gives at most so many free pages back to the disk; *more: there are others. */
void journal_shrink(struct cuzk_journal *journal, unsigned pages, bool *more);

/* ---- journal.c ---- */

/* Under write_lock and read_lock: a damaged journal is replaced by what can be saved of it, unless somebody
 * has done so since `salvages` was looked at. */
enum cuzk_status journal_heal(struct cuzk_journal *journal, uint64_t salvages, struct cuzk_error *err);

#endif
