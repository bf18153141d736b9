/*
 * What survives a crash: every accepted job with its request, and every result not yet collected, in an
 * SQLite database (WAL). Requests of less than CUZK_JOURNAL_INLINE_BYTES are rows, so that one sync makes a
 * whole group of jobs durable; larger ones are files in DIR/spool (engine/request_file.h), one for each
 * content.
 *
 * Writes of many threads are committed together by one writer: accept and end return once their own row is
 * durable. Each row carries a checksum; a row that does not match is never given out. A journal that cannot
 * be read (a corrupt page) is moved aside with a warning, at the start and while running, and what can be
 * saved of it is (engine/journal_salvage.h). Thread-safe.
 */
#ifndef CUZK_ENGINE_JOURNAL_H
#define CUZK_ENGINE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/request.h"
#include "engine/request_file.h"

struct cuzk_journal;

enum cuzk_journal_state {
    CUZK_JOURNAL_ACCEPTED,
    CUZK_JOURNAL_DONE,
    CUZK_JOURNAL_FAILED,
    CUZK_JOURNAL_CANCELLED,
    CUZK_JOURNAL_STATES,
};

enum {
    CUZK_JOURNAL_PROOF_MOST = 256 * 192,
    CUZK_JOURNAL_ERROR_MOST = 1024,
    CUZK_JOURNAL_INLINE_BYTES = 64 << 10,
};

/* One job. Pointers are the caller's for writes, the journal's until the callback returns for reads. */
struct cuzk_journal_job {
    uint64_t id;        /* 1 to INT64_MAX */
    uint8_t key[32];    /* cuzk_request_key */
    uint8_t digest[32]; /* cuzk_request_digest */
    const char *request_id;
    enum cuzk_proof_kind kind;
    enum cuzk_priority priority;
    uint64_t sector_size;
    uint64_t accepted_ms, ended_ms; /* wall clock, since 1970 */
    enum cuzk_journal_state state;
    const uint8_t *proof; /* DONE */
    size_t proof_length;
    const char *error; /* FAILED; longer than CUZK_JOURNAL_ERROR_MOST: cut */
};

/* Opens or makes DIR/journal.sqlite and DIR/spool/; one process at a time (DIR/lock). log may be NULL.
 * Errors: IO, EXISTS (another process has it), UNSUPPORTED (written by a later version), MEMORY. */
enum cuzk_status cuzk_journal_open(const char *directory, const struct cuzk_log *log,
                                   struct cuzk_journal **out, struct cuzk_error *err);

/* Commits what is queued and closes; NULL is fine. No other call may be running. */
void cuzk_journal_close(struct cuzk_journal *journal);

/* Tells `each` of every job, oldest first; then removes requests that no accepted job names. Once, before
 * other calls; `each` must not call the journal. A status other than OK from `each` ends it. *last receives
 * the largest id so far. */
enum cuzk_status cuzk_journal_recover(struct cuzk_journal *journal,
                                      enum cuzk_status (*each)(void *context,
                                                               const struct cuzk_journal_job *job,
                                                               struct cuzk_error *err),
                                      void *context, uint64_t *last, struct cuzk_error *err);

/* Makes request and job durable. Errors: ARGUMENT, EXISTS (the id is taken), IO (disk full included: nothing
 * stays behind), MEMORY. */
enum cuzk_status cuzk_journal_accept(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                     const struct cuzk_request *request, struct cuzk_error *err);

/* The request of an accepted job (id, digest and request_id of it are used), checked; close it with
 * cuzk_request_file_close. job->request_id becomes the request's and must stay as long. Errors: NOT_FOUND,
 * INPUT (it is damaged), IO, MEMORY. */
enum cuzk_status cuzk_journal_request(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                      struct cuzk_request_file *out, struct cuzk_error *err);

/* Makes the end of a job durable; its request goes. `job` is whole, with its state, ended_ms and result: a
 * row that was lost is written again. Errors: ARGUMENT, IO, MEMORY. */
enum cuzk_status cuzk_journal_end(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                  struct cuzk_error *err);

/* The same without waiting: `done` is called from the writer's thread once the end is durable or has failed;
 * it must not block and must not call the journal. Everything is copied. Not called where this fails.
 * Errors: ARGUMENT, MEMORY. */
enum cuzk_status cuzk_journal_end_later(struct cuzk_journal *journal, const struct cuzk_journal_job *job,
                                        void (*done)(void *context, enum cuzk_status status,
                                                     const struct cuzk_error *error),
                                        void *context, struct cuzk_error *err);

/* The job was collected or has expired: its row goes with the next group, and its request if it was still
 * accepted. Does not wait: after a crash it may be there again. Errors: MEMORY. */
enum cuzk_status cuzk_journal_forget(struct cuzk_journal *journal, uint64_t id, struct cuzk_error *err);

struct cuzk_journal_facts {
    uint64_t journal_bytes, spool_bytes; /* on disk; of the log what is used */
    uint64_t groups, writes;             /* commits, and rows written by them, since the start */
    uint64_t salvages;                   /* times that a damaged journal was moved aside */
};

void cuzk_journal_facts(struct cuzk_journal *journal, struct cuzk_journal_facts *out);

#endif
