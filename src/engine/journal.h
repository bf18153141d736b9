/*
 * What survives a crash: every accepted job and every result not yet collected, in an SQLite database (WAL)
 * beside a directory of request files (engine/request_file.h).
 *
 * Writes of many threads are committed together: each call returns once its own row is durable. A journal
 * that cannot be read (a corrupt page) is moved aside with a warning, and what can be saved of it is.
 * Thread-safe.
 */
#ifndef CUZK_ENGINE_JOURNAL_H
#define CUZK_ENGINE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/request.h"

struct cuzk_journal;

enum cuzk_journal_state {
    CUZK_JOURNAL_ACCEPTED,
    CUZK_JOURNAL_DONE,
    CUZK_JOURNAL_FAILED,
    CUZK_JOURNAL_CANCELLED,
};

enum { CUZK_JOURNAL_PROOF_MOST = 256 * 192, CUZK_JOURNAL_ERROR_MOST = 1024 };

/* One job. Pointers are the caller's for writes, the journal's until the callback returns for reads. */
struct cuzk_journal_job {
    uint64_t id;
    uint8_t key[32];    /* cuzk_request_key */
    uint8_t digest[32]; /* names the request file */
    const char *request_id;
    enum cuzk_proof_kind kind;
    enum cuzk_priority priority;
    uint64_t sector_size;
    uint64_t accepted_ms, ended_ms; /* wall clock, since 1970 */
    enum cuzk_journal_state state;
    const uint8_t *proof; /* DONE */
    size_t proof_length;
    const char *error; /* FAILED */
};

/* Opens or makes DIR/journal.sqlite and DIR/spool/; one process at a time (a lock file). log may be NULL.
 * Errors: IO, EXISTS (another process has it), MEMORY. */
enum cuzk_status cuzk_journal_open(const char *directory, const struct cuzk_log *log,
                                   struct cuzk_journal **out, struct cuzk_error *err);
void cuzk_journal_close(struct cuzk_journal *journal);

/* The directory of request files. */
const char *cuzk_journal_spool(const struct cuzk_journal *journal);

/* Tells `each` of every job, oldest first; then removes request files that no accepted job names. A status
 * other than OK from `each` ends it. *last receives the largest id so far. */
enum cuzk_status cuzk_journal_recover(struct cuzk_journal *journal,
                                      enum cuzk_status (*each)(void *context,
                                                               const struct cuzk_journal_job *job,
                                                               struct cuzk_error *err),
                                      void *context, uint64_t *last, struct cuzk_error *err);

/* Durable when they return. accept: the request file is there already. */
enum cuzk_status cuzk_journal_accept(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                     struct cuzk_error *err);
enum cuzk_status cuzk_journal_end(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                  struct cuzk_error *err);

/* The job was collected or has expired: its row goes, and its request file unless another job names it. */
enum cuzk_status cuzk_journal_forget(struct cuzk_journal *journal, uint64_t id, struct cuzk_error *err);

#endif
