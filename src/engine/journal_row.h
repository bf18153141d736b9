/*
 * The rows of the journal as bytes, each with a checksum, so that nothing damaged is ever taken for a job and
 * rows can be found again in the pages of a broken database.
 *
 * A job, little-endian: "cuzkjob1", u64 sequence (of the write; the highest of an id is the newest), u64 id,
 * key, digest, u32 kind, priority, state, 1 where the request is a file of the spool, u64 sector_size,
 * accepted_ms, ended_ms, u32 lengths of request id and result (proof or error), their bytes, 16 bytes of
 * check. The mark: "cuzkmark", u64 sequence, u64 an id that no job has gone beyond, 16 bytes of check. The
 * check is the beginning of SHA-256 of all before. Thread-safe.
 */
#ifndef CUZK_ENGINE_JOURNAL_ROW_H
#define CUZK_ENGINE_JOURNAL_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/journal.h"
#include "engine/request.h"

enum {
    CUZK_JOURNAL_MARK_BYTES = 40,
    CUZK_JOURNAL_ROW_MOST = 256 + CUZK_REQUEST_ID_MOST + CUZK_JOURNAL_PROOF_MOST,
};

struct cuzk_journal_row {
    uint64_t sequence;
    bool spooled;
    struct cuzk_journal_job job; /* strings point below, proof into the bytes that were read */
    char request_id[CUZK_REQUEST_ID_MOST + 1];
    char error[CUZK_JOURNAL_ERROR_MOST + 1];
};

/* The row of a job in a block of cuzk_mem_alloc. Errors: ARGUMENT (a field out of its range), MEMORY. */
enum cuzk_status cuzk_journal_row_encode(const struct cuzk_journal_job *job, uint64_t sequence, bool spooled,
                                         uint8_t **bytes, size_t *length, struct cuzk_error *err);

/* Gives another sequence to an encoded row. */
void cuzk_journal_row_stamp(uint8_t *bytes, size_t length, uint64_t sequence);

/* Errors: INPUT with field and offset. */
enum cuzk_status cuzk_journal_row_decode(const uint8_t *bytes, size_t length, struct cuzk_journal_row *out,
                                         struct cuzk_error *err);

void cuzk_journal_mark_encode(uint64_t sequence, uint64_t id, uint8_t bytes[CUZK_JOURNAL_MARK_BYTES]);
enum cuzk_status cuzk_journal_mark_decode(const uint8_t *bytes, size_t length, uint64_t *sequence,
                                          uint64_t *id, struct cuzk_error *err);

#endif
