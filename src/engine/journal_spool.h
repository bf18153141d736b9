/*
 * The directory of request files, and how many accepted jobs need each: a file goes when the last of them has
 * ended. Thread-safe.
 */
#ifndef CUZK_ENGINE_JOURNAL_SPOOL_H
#define CUZK_ENGINE_JOURNAL_SPOOL_H

#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/request.h"

struct cuzk_journal_spool;

/* directory must be there and outlive the spool. Errors: MEMORY. */
enum cuzk_status cuzk_journal_spool_create(const char *directory, struct cuzk_journal_spool **out,
                                           struct cuzk_error *err);

/* The files stay. NULL is fine. */
void cuzk_journal_spool_destroy(struct cuzk_journal_spool *spool);

/* One more job needs this content, whose file is there or not. Errors: MEMORY. */
enum cuzk_status cuzk_journal_spool_hold(struct cuzk_journal_spool *spool, const uint8_t digest[32],
                                         struct cuzk_error *err);

/* The same, and the file is durable when it returns. Errors: as cuzk_request_file_write; then nothing is
 * held. */
enum cuzk_status cuzk_journal_spool_put(struct cuzk_journal_spool *spool, const struct cuzk_request *request,
                                        const uint8_t digest[32], struct cuzk_error *err);

/* One job less; the file goes with the last. A file that cannot be removed is told to the log. */
void cuzk_journal_spool_release(struct cuzk_journal_spool *spool, const uint8_t digest[32],
                                const struct cuzk_log *log);

/* Removes every file that no job needs, also what a crash left half written. Errors: IO. */
enum cuzk_status cuzk_journal_spool_drop_orphans(struct cuzk_journal_spool *spool, struct cuzk_error *err);

/* Bytes of the files that are needed. */
uint64_t cuzk_journal_spool_bytes(struct cuzk_journal_spool *spool);

#endif
