#include "engine/journal_row.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "hash/sha256.h"

enum {
    MAGIC_BYTES = 8,
    CHECK_BYTES = 16,
    FIXED_BYTES = MAGIC_BYTES + 2 * 8 + 2 * 32 + 4 * 4 + 3 * 8 + 2 * 4,
};

static const char job_magic[] = "cuzkjob1", mark_magic[] = "cuzkmark";

/* The check of `length` bytes that it is not part of. */
static void check_of(const uint8_t *bytes, size_t length, uint8_t check[CHECK_BYTES])
{
    uint8_t digest[CUZK_SHA256_BYTES];

    cuzk_sha256_digest(bytes, length, digest);
    memcpy(check, digest, CHECK_BYTES);
}

/* What a job ended with; empty where it has not. */
static void result_of(const struct cuzk_journal_job *job, const uint8_t **bytes, size_t *length)
{
    *bytes = NULL;
    *length = 0;
    if (job->state == CUZK_JOURNAL_DONE) {
        *bytes = job->proof;
        *length = job->proof_length;
    } else if (job->state == CUZK_JOURNAL_FAILED && job->error != NULL) {
        *bytes = (const uint8_t *)job->error;
        *length = strnlen(job->error, CUZK_JOURNAL_ERROR_MOST);
    }
}

static enum cuzk_status check_job(const struct cuzk_journal_job *job, size_t id_length,
                                  struct cuzk_error *err)
{
    if (job->id == 0 || job->id > INT64_MAX)
        return cuzk_error_set(err, CUZK_ARGUMENT, "journal: job %" PRIu64 ": expected 1 to 2^63 - 1",
                              job->id);
    if (id_length > CUZK_REQUEST_ID_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "journal: request_id: expected at most %d bytes",
                              CUZK_REQUEST_ID_MOST);
    if ((unsigned)job->kind >= CUZK_PROOF_KINDS || (unsigned)job->priority >= CUZK_PRIORITIES ||
        (unsigned)job->state >= CUZK_JOURNAL_STATES)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "journal: job %" PRIu64 ": kind %d, priority %d or state %d", job->id,
                              (int)job->kind, (int)job->priority, (int)job->state);
    if (job->state == CUZK_JOURNAL_DONE && job->proof_length > CUZK_JOURNAL_PROOF_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "journal: proof: expected at most %d bytes, found %zu",
                              CUZK_JOURNAL_PROOF_MOST, job->proof_length);
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_row_encode(const struct cuzk_journal_job *job, uint64_t sequence, bool spooled,
                                         uint8_t **bytes, size_t *length, struct cuzk_error *err)
{
    const char *const request_id = job->request_id != NULL ? job->request_id : "";
    const size_t id_length = strnlen(request_id, CUZK_REQUEST_ID_MOST + 1);
    const uint8_t *result;
    size_t result_length;
    uint8_t *row;

    *bytes = NULL;
    CUZK_TRY(check_job(job, id_length, err));
    result_of(job, &result, &result_length);
    const size_t total = FIXED_BYTES + id_length + result_length + CHECK_BYTES;

    CUZK_TRY(CUZK_NEW(&row, total, "row of the journal", err));
    memcpy(row, job_magic, MAGIC_BYTES);
    cuzk_store_u64le(job->id, row + 16);
    memcpy(row + 24, job->key, 32);
    memcpy(row + 56, job->digest, 32);
    cuzk_store_u32le((uint32_t)job->kind, row + 88);
    cuzk_store_u32le((uint32_t)job->priority, row + 92);
    cuzk_store_u32le((uint32_t)job->state, row + 96);
    cuzk_store_u32le(spooled, row + 100);
    cuzk_store_u64le(job->sector_size, row + 104);
    cuzk_store_u64le(job->accepted_ms, row + 112);
    cuzk_store_u64le(job->ended_ms, row + 120);
    cuzk_store_u32le((uint32_t)id_length, row + 128);
    cuzk_store_u32le((uint32_t)result_length, row + 132);
    memcpy(row + FIXED_BYTES, request_id, id_length);
    if (result_length > 0)
        memcpy(row + FIXED_BYTES + id_length, result, result_length);
    cuzk_journal_row_stamp(row, total, sequence);
    *bytes = row;
    *length = total;
    return CUZK_OK;
}

void cuzk_journal_row_stamp(uint8_t *bytes, size_t length, uint64_t sequence)
{
    cuzk_store_u64le(sequence, bytes + MAGIC_BYTES);
    check_of(bytes, length - CHECK_BYTES, bytes + length - CHECK_BYTES);
}

/* Length, magic and check of a row; `form` is left after the magic. */
static enum cuzk_status open_row(const uint8_t *bytes, size_t length, size_t least, const char *magic,
                                 struct cuzk_bytes *form, struct cuzk_error *err)
{
    uint8_t check[CHECK_BYTES];

    cuzk_bytes_init(form, "journal", bytes, length);
    if (length < least || length > CUZK_JOURNAL_ROW_MOST)
        return cuzk_bytes_fail(form, "row", 0, err, "expected %zu to %d bytes, found %zu", least,
                               CUZK_JOURNAL_ROW_MOST, length);
    CUZK_TRY(cuzk_bytes_expect(form, "magic", magic, MAGIC_BYTES, err));
    check_of(bytes, length - CHECK_BYTES, check);
    if (memcmp(check, bytes + length - CHECK_BYTES, CHECK_BYTES) != 0)
        return cuzk_bytes_fail(form, "check", length - CHECK_BYTES, err, "the row is not what was written");
    form->length = length - CHECK_BYTES;
    return CUZK_OK;
}

/* A number below `end`. */
static enum cuzk_status read_below(struct cuzk_bytes *form, const char *field, uint32_t end, uint32_t *out,
                                   struct cuzk_error *err)
{
    CUZK_TRY(cuzk_bytes_u32le(form, field, out, err));
    if (*out >= end)
        return cuzk_bytes_fail(form, field, form->position - 4, err,
                               "expected less than %" PRIu32 ", found %" PRIu32, end, *out);
    return CUZK_OK;
}

/* Text without a zero byte, terminated in `text`, which has room for it. */
static enum cuzk_status read_text(struct cuzk_bytes *form, const char *field, uint32_t length, char *text,
                                  struct cuzk_error *err)
{
    const uint64_t at = form->position;

    CUZK_TRY(cuzk_bytes_copy(form, field, text, length, err));
    text[length] = '\0';
    if (strlen(text) != length)
        return cuzk_bytes_fail(form, field, at, err, "a zero byte in a text");
    return CUZK_OK;
}

static enum cuzk_status read_result(struct cuzk_bytes *form, struct cuzk_journal_row *row, uint32_t length,
                                    struct cuzk_error *err)
{
    static const uint32_t most[CUZK_JOURNAL_STATES] = {
        [CUZK_JOURNAL_DONE] = CUZK_JOURNAL_PROOF_MOST,
        [CUZK_JOURNAL_FAILED] = CUZK_JOURNAL_ERROR_MOST,
    };
    struct cuzk_journal_job *const job = &row->job;

    if (length > most[job->state])
        return cuzk_bytes_fail(form, "result", form->position, err,
                               "expected at most %" PRIu32 " bytes, found %" PRIu32, most[job->state],
                               length);
    if (job->state == CUZK_JOURNAL_DONE) {
        CUZK_TRY(cuzk_bytes_take(form, "proof", length, &job->proof, err));
        job->proof_length = length;
    } else if (job->state == CUZK_JOURNAL_FAILED) {
        CUZK_TRY(read_text(form, "error", length, row->error, err));
        job->error = row->error;
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_journal_row_decode(const uint8_t *bytes, size_t length, struct cuzk_journal_row *out,
                                         struct cuzk_error *err)
{
    struct cuzk_journal_job *const job = &out->job;
    uint32_t kind, priority, state, spooled, id_length, result_length;
    struct cuzk_bytes form;

    memset(out, 0, sizeof *out);
    CUZK_TRY(open_row(bytes, length, FIXED_BYTES + CHECK_BYTES, job_magic, &form, err));
    CUZK_TRY(cuzk_bytes_u64le(&form, "sequence", &out->sequence, err));
    CUZK_TRY(cuzk_bytes_u64le(&form, "id", &job->id, err));
    if (job->id == 0 || job->id > INT64_MAX)
        return cuzk_bytes_fail(&form, "id", form.position - 8, err, "expected 1 to 2^63 - 1, found %" PRIu64,
                               job->id);
    CUZK_TRY(cuzk_bytes_copy(&form, "key", job->key, sizeof job->key, err));
    CUZK_TRY(cuzk_bytes_copy(&form, "digest", job->digest, sizeof job->digest, err));
    CUZK_TRY(read_below(&form, "kind", CUZK_PROOF_KINDS, &kind, err));
    CUZK_TRY(read_below(&form, "priority", CUZK_PRIORITIES, &priority, err));
    CUZK_TRY(read_below(&form, "state", CUZK_JOURNAL_STATES, &state, err));
    CUZK_TRY(read_below(&form, "spooled", 2, &spooled, err));
    CUZK_TRY(cuzk_bytes_u64le(&form, "sector_size", &job->sector_size, err));
    CUZK_TRY(cuzk_bytes_u64le(&form, "accepted_ms", &job->accepted_ms, err));
    CUZK_TRY(cuzk_bytes_u64le(&form, "ended_ms", &job->ended_ms, err));
    CUZK_TRY(read_below(&form, "length of request_id", CUZK_REQUEST_ID_MOST + 1, &id_length, err));
    CUZK_TRY(cuzk_bytes_u32le(&form, "length of result", &result_length, err));
    job->kind = (enum cuzk_proof_kind)kind;
    job->priority = (enum cuzk_priority)priority;
    job->state = (enum cuzk_journal_state)state;
    job->request_id = out->request_id;
    out->spooled = spooled == 1;
    CUZK_TRY(read_text(&form, "request_id", id_length, out->request_id, err));
    CUZK_TRY(read_result(&form, out, result_length, err));
    return cuzk_bytes_end(&form, err);
}

void cuzk_journal_mark_encode(uint64_t sequence, uint64_t id, uint8_t bytes[CUZK_JOURNAL_MARK_BYTES])
{
    memcpy(bytes, mark_magic, MAGIC_BYTES);
    cuzk_store_u64le(id, bytes + 16);
    cuzk_journal_row_stamp(bytes, CUZK_JOURNAL_MARK_BYTES, sequence);
}

enum cuzk_status cuzk_journal_mark_decode(const uint8_t *bytes, size_t length, uint64_t *sequence,
                                          uint64_t *id, struct cuzk_error *err)
{
    struct cuzk_bytes form;

    CUZK_TRY(open_row(bytes, length, CUZK_JOURNAL_MARK_BYTES, mark_magic, &form, err));
    CUZK_TRY(cuzk_bytes_u64le(&form, "sequence", sequence, err));
    CUZK_TRY(cuzk_bytes_u64le(&form, "id", id, err));
    return cuzk_bytes_end(&form, err);
}
