#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "engine/request_form.h"
#include "hash/sha256.h"

enum {
    MAGIC_BYTES = 8,
    SCALAR_BYTES = MAGIC_BYTES + 4 * 4 + 4 * 8,
    BLOBS = 5, /* besides vanilla_proofs */
    HEAD_BYTES = SCALAR_BYTES + BLOBS * 8,
};

static const char magic[] = "cuzkreq1";

static const char *const blob_names[BLOBS] = {"vanilla_proof", "randomness", "comm_r_old", "comm_r_new",
                                              "comm_d_new"};

/* The blobs of a request in the order of the form. */
static void blobs_of(const struct cuzk_request *request, const struct cuzk_request_blob *blobs[BLOBS])
{
    blobs[0] = &request->vanilla_proof;
    blobs[1] = &request->randomness;
    blobs[2] = &request->comm_r_old;
    blobs[3] = &request->comm_r_new;
    blobs[4] = &request->comm_d_new;
}

uint64_t cuzk_request_form_bytes(const struct cuzk_request *request)
{
    const struct cuzk_request_blob *blobs[BLOBS];
    uint64_t bytes = HEAD_BYTES + CUZK_SHA256_BYTES;

    blobs_of(request, blobs);
    for (int i = 0; i < BLOBS; i++)
        bytes += blobs[i]->length;
    for (size_t i = 0; i < request->vanilla_proof_count; i++)
        bytes += 8 + request->vanilla_proofs[i].length;
    return bytes;
}

static void put_head(const struct cuzk_request *request, uint8_t head[HEAD_BYTES])
{
    const struct cuzk_request_blob *blobs[BLOBS];

    memcpy(head, magic, MAGIC_BYTES);
    cuzk_store_u32le((uint32_t)request->kind, head + 8);
    cuzk_store_u32le(request->has_priority ? 1 + (uint32_t)request->priority : 0, head + 12);
    cuzk_store_u32le(request->partition_index, head + 16);
    cuzk_store_u32le((uint32_t)request->vanilla_proof_count, head + 20);
    cuzk_store_u64le(request->sector_size, head + 24);
    cuzk_store_u64le(request->registered_proof, head + 32);
    cuzk_store_u64le(request->sector_number, head + 40);
    cuzk_store_u64le(request->miner_id, head + 48);
    blobs_of(request, blobs);
    for (int i = 0; i < BLOBS; i++)
        cuzk_store_u64le(blobs[i]->length, head + SCALAR_BYTES + (size_t)i * 8);
}

static enum cuzk_status emit_blob(const struct cuzk_request_blob *blob, struct cuzk_sink sink,
                                  struct cuzk_error *err)
{
    for (size_t i = 0; i < blob->count; i++)
        if (blob->parts[i].length > 0)
            CUZK_TRY(sink.write(sink.context, blob->parts[i].data, blob->parts[i].length, err));
    return CUZK_OK;
}

enum cuzk_status cuzk_request_form_emit(const struct cuzk_request *request, struct cuzk_sink sink,
                                        struct cuzk_error *err)
{
    const struct cuzk_request_blob *blobs[BLOBS];
    uint8_t head[HEAD_BYTES], length[8];

    put_head(request, head);
    CUZK_TRY(sink.write(sink.context, head, sizeof head, err));
    for (size_t i = 0; i < request->vanilla_proof_count; i++) {
        cuzk_store_u64le(request->vanilla_proofs[i].length, length);
        CUZK_TRY(sink.write(sink.context, length, sizeof length, err));
    }
    blobs_of(request, blobs);
    for (int i = 0; i < BLOBS; i++)
        CUZK_TRY(emit_blob(blobs[i], sink, err));
    for (size_t i = 0; i < request->vanilla_proof_count; i++)
        CUZK_TRY(emit_blob(&request->vanilla_proofs[i], sink, err));
    return CUZK_OK;
}

/* ---- in memory ---- */

struct block {
    uint8_t *bytes;
    size_t used;
};

static enum cuzk_status put_in_block(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct block *block = context;

    (void)err;
    memcpy(block->bytes + block->used, bytes, n);
    block->used += n;
    return CUZK_OK;
}

enum cuzk_status cuzk_request_form_pack(const struct cuzk_request *request, const uint8_t digest[32],
                                        uint8_t **bytes, size_t *length, struct cuzk_error *err)
{
    const uint64_t total = cuzk_request_form_bytes(request);
    struct block block = {NULL, 0};

    *bytes = NULL;
    if (total > SIZE_MAX)
        return cuzk_error_set(err, CUZK_MEMORY, "request: %" PRIu64 " bytes do not fit the address space",
                              total);
    CUZK_TRY(CUZK_NEW(&block.bytes, (size_t)total, "request", err));
    (void)cuzk_request_form_emit(request, (struct cuzk_sink){put_in_block, &block}, NULL);
    memcpy(block.bytes + block.used, digest, CUZK_SHA256_BYTES);
    *bytes = block.bytes;
    *length = (size_t)total;
    return CUZK_OK;
}

/* ---- reading ---- */

static enum cuzk_status read_scalars(struct cuzk_bytes *form, struct cuzk_request *request, uint32_t *count,
                                     struct cuzk_error *err)
{
    uint32_t kind, priority;

    CUZK_TRY(cuzk_bytes_expect(form, "magic", magic, MAGIC_BYTES, err));
    CUZK_TRY(cuzk_bytes_u32le(form, "kind", &kind, err));
    if (kind >= CUZK_PROOF_KINDS)
        return cuzk_bytes_fail(form, "kind", form->position - 4, err, "expected less than %d, found %" PRIu32,
                               CUZK_PROOF_KINDS, kind);
    CUZK_TRY(cuzk_bytes_u32le(form, "priority", &priority, err));
    if (priority > CUZK_PRIORITIES)
        return cuzk_bytes_fail(form, "priority", form->position - 4, err,
                               "expected at most %d, found %" PRIu32, CUZK_PRIORITIES, priority);
    request->kind = (enum cuzk_proof_kind)kind;
    request->has_priority = priority > 0;
    request->priority = priority > 0 ? (enum cuzk_priority)(priority - 1) : CUZK_PRIORITY_LOW;
    CUZK_TRY(cuzk_bytes_u32le(form, "partition_index", &request->partition_index, err));
    CUZK_TRY(cuzk_bytes_u32le(form, "number of vanilla_proofs", count, err));
    if (*count > CUZK_REQUEST_VANILLA_MOST)
        return cuzk_bytes_fail(form, "number of vanilla_proofs", form->position - 4, err,
                               "expected at most %d, found %" PRIu32, CUZK_REQUEST_VANILLA_MOST, *count);
    CUZK_TRY(cuzk_bytes_u64le(form, "sector_size", &request->sector_size, err));
    CUZK_TRY(cuzk_bytes_u64le(form, "registered_proof", &request->registered_proof, err));
    CUZK_TRY(cuzk_bytes_u64le(form, "sector_number", &request->sector_number, err));
    return cuzk_bytes_u64le(form, "miner_id", &request->miner_id, err);
}

/* Blob and part of it over the next bytes. */
static enum cuzk_status read_blob(struct cuzk_bytes *form, const char *name, uint64_t length,
                                  struct cuzk_request_part *part, struct cuzk_request_blob *blob,
                                  struct cuzk_error *err)
{
    const uint8_t *bytes;

    CUZK_TRY(cuzk_bytes_take(form, name, length, &bytes, err));
    *part = (struct cuzk_request_part){bytes, (size_t)length};
    *blob = (struct cuzk_request_blob){part, length > 0 ? 1 : 0, length};
    return CUZK_OK;
}

/* The form without its digest; file->map is set. */
static enum cuzk_status read_form(struct cuzk_request_file *file, struct cuzk_bytes *form,
                                  struct cuzk_error *err)
{
    struct cuzk_request *request = &file->request;
    uint64_t lengths[BLOBS];
    const uint8_t *table;
    uint32_t count;

    request->request_id = "";
    CUZK_TRY(read_scalars(form, request, &count, err));
    for (int i = 0; i < BLOBS; i++)
        CUZK_TRY(cuzk_bytes_u64le(form, blob_names[i], &lengths[i], err));
    CUZK_TRY(cuzk_bytes_take_array(form, "lengths of vanilla_proofs", count, 8, &table, err));
    CUZK_TRY(CUZK_NEW(&file->parts, BLOBS + (size_t)count, "parts of a request", err));
    if (count > 0)
        CUZK_TRY(CUZK_NEW(&file->blobs, count, "vanilla proofs of a request", err));
    struct cuzk_request_blob *const blobs[BLOBS] = {&request->vanilla_proof, &request->randomness,
                                                    &request->comm_r_old, &request->comm_r_new,
                                                    &request->comm_d_new};

    for (int i = 0; i < BLOBS; i++)
        CUZK_TRY(read_blob(form, blob_names[i], lengths[i], &file->parts[i], blobs[i], err));
    for (uint32_t i = 0; i < count; i++)
        CUZK_TRY(read_blob(form, "vanilla_proofs", cuzk_load_u64le(table + 8 * (size_t)i),
                           &file->parts[BLOBS + i], &file->blobs[i], err));
    request->vanilla_proofs = file->blobs;
    request->vanilla_proof_count = count;
    return cuzk_bytes_end(form, err);
}

enum cuzk_status cuzk_request_form_read(const char *what, const uint8_t digest[32],
                                        struct cuzk_request_file *file, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_bytes form;
    uint8_t found[CUZK_SHA256_BYTES];

    cuzk_bytes_init(&form, what, file->map.bytes, file->map.length);
    if (file->map.length < HEAD_BYTES + CUZK_SHA256_BYTES) {
        status = cuzk_bytes_fail(&form, "length", 0, err, "expected at least %d bytes, found %" PRIu64,
                                 HEAD_BYTES + CUZK_SHA256_BYTES, file->map.length);
        goto out;
    }
    const uint64_t content = file->map.length - CUZK_SHA256_BYTES;

    cuzk_sha256_digest(file->map.bytes, (size_t)content, found);
    if (memcmp(found, digest, sizeof found) != 0 ||
        memcmp(found, file->map.bytes + content, sizeof found) != 0) {
        status = cuzk_bytes_fail(&form, "digest", content, err, "the content is not what was written");
        goto out;
    }
    cuzk_bytes_init(&form, what, file->map.bytes, content);
    status = read_form(file, &form, err);
out:
    if (status != CUZK_OK)
        cuzk_request_file_close(file);
    return status;
}

enum cuzk_status cuzk_request_form_open(const char *what, uint8_t *bytes, size_t length,
                                        const uint8_t digest[32], struct cuzk_request_file *out,
                                        struct cuzk_error *err)
{
    memset(out, 0, sizeof *out);
    out->map.bytes = bytes;
    out->map.length = length;
    return cuzk_request_form_read(what, digest, out, err);
}

enum cuzk_status cuzk_request_form_copy(const struct cuzk_request *request, const uint8_t digest[32],
                                        struct cuzk_request_file *out, struct cuzk_error *err)
{
    uint8_t *bytes;
    size_t length;

    memset(out, 0, sizeof *out);
    CUZK_TRY(cuzk_request_form_pack(request, digest, &bytes, &length, err));
    out->map.bytes = bytes;
    out->map.length = length;
    struct cuzk_bytes form;

    cuzk_bytes_init(&form, "request", bytes, length - CUZK_SHA256_BYTES);
    const enum cuzk_status status = read_form(out, &form, err);

    if (status != CUZK_OK)
        cuzk_request_file_close(out);
    return status;
}

void cuzk_request_file_close(struct cuzk_request_file *file)
{
    cuzk_mem_free(file->parts);
    cuzk_mem_free(file->blobs);
    cuzk_file_map_close(&file->map);
    memset(file, 0, sizeof *file);
}
