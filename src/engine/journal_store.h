/*
 * The journal's database: one SQLite connection that writes, one that reads, one that brings the log in, and
 * the rows between.
 *
 * Table job: id 0 is the mark, others jobs (engine/journal_row.h). Table request: the forms
 * (engine/request_form.h) of small requests by job id. A database appears whole: it is made under another
 * name. Functions that write, read and tidy may run beside each other, each kind by one thread
 * at a time.
 */
#ifndef CUZK_ENGINE_JOURNAL_STORE_H
#define CUZK_ENGINE_JOURNAL_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cuzk_journal_store;

enum { CUZK_JOURNAL_STORE_FRAME = 4096 + 24 }; /* bytes of a page in the log */

enum cuzk_journal_table {
    CUZK_JOURNAL_TABLE_JOB,
    CUZK_JOURNAL_TABLE_REQUEST,
    CUZK_JOURNAL_TABLES,
};

/* Makes an empty database at a path where none is; durable but for its name. Errors: IO, MEMORY. */
enum cuzk_status cuzk_journal_store_make(const char *path, struct cuzk_error *err);

/* Opens one. check: every page and row is looked at. Errors: INPUT (damaged), UNSUPPORTED (a later version),
 * IO, MEMORY. */
enum cuzk_status cuzk_journal_store_open(const char *path, bool check, struct cuzk_journal_store **out,
                                         struct cuzk_error *err);

/* tidy: what waits in the log is brought into the database first; false for one that is damaged. */
void cuzk_journal_store_close(struct cuzk_journal_store *store, bool tidy);

/* ---- writing: errors INPUT (damaged), IO, MEMORY; after an error only rollback may follow ---- */

enum cuzk_status cuzk_journal_store_begin(struct cuzk_journal_store *store, struct cuzk_error *err);

/* Durable when it returns. */
enum cuzk_status cuzk_journal_store_commit(struct cuzk_journal_store *store, struct cuzk_error *err);
void cuzk_journal_store_rollback(struct cuzk_journal_store *store);

/* replace: a row of this id may be there. Errors: EXISTS (it is, and replace is false; the group goes on). */
enum cuzk_status cuzk_journal_store_put(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                        uint64_t id, const void *bytes, size_t length, bool replace,
                                        struct cuzk_error *err);
enum cuzk_status cuzk_journal_store_delete(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                           uint64_t id, struct cuzk_error *err);

/* A row as the group sees it; *bytes is NULL where there is none, and valid until the next call. */
enum cuzk_status cuzk_journal_store_get(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                        uint64_t id, const uint8_t **bytes, size_t *length,
                                        struct cuzk_error *err);

/* Requests of jobs that have no row go. A group of its own. */
enum cuzk_status cuzk_journal_store_drop_orphans(struct cuzk_journal_store *store, struct cuzk_error *err);

/* Pages in the log after the last group, those that the database has too among them. */
unsigned cuzk_journal_store_log_pages(const struct cuzk_journal_store *store);

/* Makes the log's file `bytes` long, or longer. What is there already is written over: a sync then need not
 * wait for the file system's own journal. Where the disk has little room
 * nothing is done. */
void cuzk_journal_store_reserve(struct cuzk_journal_store *store, uint64_t bytes);

/* Gives at most so many free pages back to the disk, beyond some that are kept for what comes next. */
enum cuzk_status cuzk_journal_store_shrink(struct cuzk_journal_store *store, unsigned pages_most, bool *more,
                                           struct cuzk_error *err);

/* ---- tidying: errors as for writing ---- */

/* What was reserved is made durable. */
void cuzk_journal_store_settle(struct cuzk_journal_store *store);

/* Brings what the log has when this begins into the database, beside whoever writes; *moved: pages of the log
 * that the database has now. Where that is all of it the next group begins the log anew. */
enum cuzk_status cuzk_journal_store_checkpoint(struct cuzk_journal_store *store, unsigned *moved,
                                               struct cuzk_error *err);

/* ---- reading ---- */

/* Every row of a table in the order of ids. A status other than OK from `each` ends it. */
enum cuzk_status cuzk_journal_store_each(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                         enum cuzk_status (*each)(void *context, uint64_t id,
                                                                  const uint8_t *bytes, size_t length,
                                                                  struct cuzk_error *err),
                                         void *context, struct cuzk_error *err);

/* A committed row in a block of cuzk_mem_alloc. Errors: NOT_FOUND, INPUT, IO, MEMORY. */
enum cuzk_status cuzk_journal_store_read(struct cuzk_journal_store *store, enum cuzk_journal_table table,
                                         uint64_t id, uint8_t **bytes, size_t *length,
                                         struct cuzk_error *err);

#endif
