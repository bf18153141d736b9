#include "groth16/derived.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "curve/encoding.h"

enum {
    MAGIC_BYTES = 8,
    HEADER_BYTES = MAGIC_BYTES + 4 * 4 + CUZK_DERIVED_PARAMS_BYTES + CUZK_DERIVED_CIRCUIT_BYTES,
    DOMAIN_LOG_MOST = 31,
};

/* ---- reading ---- */

static uint64_t bitmap_words(uint32_t n)
{
    return ((uint64_t)n + 63) / 64;
}

void cuzk_derived_shape_place(struct cuzk_derived_shape *shape)
{
    const uint64_t l_count = (uint64_t)shape->c_input_count + shape->aux;

    shape->bitmap_offset = HEADER_BYTES;
    shape->h_offset = shape->bitmap_offset + 8 * bitmap_words(shape->inputs);
    shape->l_offset = shape->h_offset + ((uint64_t)CUZK_G1_RAW_BYTES << shape->log_domain);
    shape->table_offset = shape->l_offset + l_count * CUZK_G1_RAW_BYTES;
    const uint64_t chunks = (shape->table_offset + CUZK_DERIVED_CHUNK - 1) / CUZK_DERIVED_CHUNK;
    shape->bytes = shape->table_offset + (chunks + 1) * CUZK_DERIVED_CHECKSUM_BYTES;
}

static enum cuzk_status read_fields(struct cuzk_bytes *bytes, struct cuzk_derived_shape *out,
                                    struct cuzk_error *err)
{
    uint32_t version, log_domain;

    CUZK_TRY(cuzk_bytes_expect(bytes, "magic", CUZK_DERIVED_MAGIC, MAGIC_BYTES, err));
    CUZK_TRY(cuzk_bytes_u32le(bytes, "version", &version, err));
    if (version != CUZK_DERIVED_VERSION)
        return cuzk_bytes_fail(bytes, "version", MAGIC_BYTES, err, "expected %d, found %u",
                               CUZK_DERIVED_VERSION, version);
    CUZK_TRY(cuzk_bytes_u32le(bytes, "domain", &log_domain, err));
    if (log_domain > DOMAIN_LOG_MOST)
        return cuzk_bytes_fail(bytes, "domain", MAGIC_BYTES + 4, err, "expected 2^%d at most, found 2^%u",
                               DOMAIN_LOG_MOST, log_domain);
    out->log_domain = log_domain;
    CUZK_TRY(cuzk_bytes_u32le(bytes, "inputs", &out->inputs, err));
    if (out->inputs == 0)
        return cuzk_bytes_fail(bytes, "inputs", MAGIC_BYTES + 8, err, "expected at least one, found none");
    CUZK_TRY(cuzk_bytes_u32le(bytes, "aux variables", &out->aux, err));
    CUZK_TRY(cuzk_bytes_copy(bytes, "digest of the parameters", out->identity.params,
                             CUZK_DERIVED_PARAMS_BYTES, err));
    return cuzk_bytes_copy(bytes, "fingerprint of the circuit", out->identity.circuit,
                           CUZK_DERIVED_CIRCUIT_BYTES, err);
}

static enum cuzk_status count_inputs(struct cuzk_bytes *bytes, struct cuzk_derived_shape *out,
                                     struct cuzk_error *err)
{
    const uint64_t words = bitmap_words(out->inputs), at = bytes->position;
    const uint8_t *bitmap;

    CUZK_TRY(cuzk_bytes_take_array(bytes, "inputs in C", words, 8, &bitmap, err));
    for (uint64_t w = 0; w < words; w++) {
        const uint64_t word = cuzk_load_u64le(bitmap + 8 * w);
        out->c_input_count += (uint32_t)__builtin_popcountll(word);
        if (w == words - 1 && out->inputs % 64 != 0 && word >> (out->inputs % 64) != 0)
            return cuzk_bytes_fail(bytes, "inputs in C", at + 8 * w, err, "a bit beyond the %u inputs is set",
                                   out->inputs);
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_derived_read_shape(const char *name, const uint8_t *bytes, uint64_t length,
                                         struct cuzk_derived_shape *out, struct cuzk_error *err)
{
    struct cuzk_bytes cursor;

    memset(out, 0, sizeof *out);
    cuzk_bytes_init(&cursor, name, bytes, length);
    CUZK_TRY(read_fields(&cursor, out, err));
    CUZK_TRY(count_inputs(&cursor, out, err));
    cuzk_derived_shape_place(out);
    if (length != out->bytes)
        return cuzk_error_set(err, CUZK_INPUT, "%s: length: expected %" PRIu64 " bytes, found %" PRIu64, name,
                              out->bytes, length);
    return CUZK_OK;
}

static enum cuzk_status check_identity(const struct cuzk_derived *derived,
                                       const struct cuzk_derived_identity *wanted, struct cuzk_error *err)
{
    const struct cuzk_derived_identity *own = &derived->shape.identity;

    if (memcmp(own->params, wanted->params, sizeof own->params) != 0)
        return cuzk_error_set(err, CUZK_INPUT, "%s: derived from other parameters", derived->name);
    if (memcmp(own->circuit, wanted->circuit, sizeof own->circuit) != 0)
        return cuzk_error_set(err, CUZK_INPUT, "%s: derived for another circuit", derived->name);
    return CUZK_OK;
}

/* ---- checksums ---- */

struct check {
    const struct cuzk_derived *derived;
    const struct cuzk_progress *progress;
};

static enum cuzk_status check_chunk(void *context, size_t index, struct cuzk_error *err)
{
    const struct check *check = context;
    const struct cuzk_derived *derived = check->derived;
    const uint64_t begin = (uint64_t)index * CUZK_DERIVED_CHUNK, left = derived->shape.table_offset - begin;
    const uint64_t n = left < CUZK_DERIVED_CHUNK ? left : CUZK_DERIVED_CHUNK;
    uint8_t sum[CUZK_DERIVED_CHECKSUM_BYTES];

    CUZK_TRY(cuzk_progress_check(check->progress, err));
    crypto_generichash(sum, sizeof sum, derived->bytes + begin, n, NULL, 0);
    if (memcmp(sum, derived->bytes + derived->shape.table_offset + index * sizeof sum, sizeof sum) != 0)
        return cuzk_error_set(err, CUZK_INPUT,
                              "%s: checksum: the file is damaged in the MiB from byte %" PRIu64 " on",
                              derived->name, begin);
    if (derived->map.mapped)
        cuzk_file_map_drop(&derived->map, begin, begin + n);
    return CUZK_OK;
}

static enum cuzk_status check_sums(const struct cuzk_derived *derived, struct cuzk_pool *pool,
                                   const struct cuzk_progress *progress, struct cuzk_error *err)
{
    const struct cuzk_derived_shape *shape = &derived->shape;
    const uint64_t table = shape->bytes - CUZK_DERIVED_CHECKSUM_BYTES - shape->table_offset;
    struct check check = {.derived = derived, .progress = progress};
    uint8_t sum[CUZK_DERIVED_CHECKSUM_BYTES];

    crypto_generichash(sum, sizeof sum, derived->bytes + shape->table_offset, table, NULL, 0);
    if (memcmp(sum, derived->bytes + shape->table_offset + table, sizeof sum) != 0)
        return cuzk_error_set(err, CUZK_INPUT, "%s: checksum of checksums: the file is damaged",
                              derived->name);
    return cuzk_pool_try(pool, table / CUZK_DERIVED_CHECKSUM_BYTES, check_chunk, &check, NULL, err);
}

/* ---- opening ---- */

static enum cuzk_status parse(struct cuzk_derived *derived, uint64_t length,
                              const struct cuzk_derived_identity *wanted, struct cuzk_pool *pool,
                              const struct cuzk_progress *progress, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_derived_read_shape(derived->name, derived->bytes, length, &derived->shape, err));
    if (wanted != NULL)
        CUZK_TRY(check_identity(derived, wanted, err));
    cuzk_progress_report(progress, "checking the derived key", 0, 0);
    CUZK_TRY(check_sums(derived, pool, progress, err));
    const uint64_t words = bitmap_words(derived->shape.inputs);
    CUZK_TRY(CUZK_NEW(&derived->c_inputs, words, "inputs in C", err));
    for (uint64_t w = 0; w < words; w++)
        derived->c_inputs[w] = cuzk_load_u64le(derived->bytes + derived->shape.bitmap_offset + 8 * w);
    return CUZK_OK;
}

enum cuzk_status cuzk_derived_from_bytes(const char *name, const uint8_t *bytes, uint64_t length,
                                         const struct cuzk_derived_identity *wanted, struct cuzk_pool *pool,
                                         const struct cuzk_progress *progress, struct cuzk_derived *out,
                                         struct cuzk_error *err)
{
    *out = (struct cuzk_derived){.name = name, .bytes = bytes};
    const enum cuzk_status status = parse(out, length, wanted, pool, progress, err);
    if (status != CUZK_OK)
        cuzk_derived_close(out);
    return status;
}

enum cuzk_status cuzk_derived_open(const char *path, const struct cuzk_derived_identity *wanted,
                                   struct cuzk_pool *pool, const struct cuzk_progress *progress,
                                   struct cuzk_derived *out, struct cuzk_error *err)
{
    *out = (struct cuzk_derived){0};
    CUZK_TRY(cuzk_file_map_open(path, "derived key", 0, &out->map, err));
    out->name = out->map.path;
    out->bytes = out->map.bytes;
    const enum cuzk_status status = parse(out, out->map.length, wanted, pool, progress, err);
    if (status != CUZK_OK)
        cuzk_derived_close(out);
    return status;
}

void cuzk_derived_close(struct cuzk_derived *derived)
{
    if (derived == NULL)
        return;
    cuzk_mem_free(derived->c_inputs);
    cuzk_file_map_close(&derived->map);
    *derived = (struct cuzk_derived){0};
}

/* ---- for a plan ---- */

static enum cuzk_status drop(const struct cuzk_derived *derived, uint64_t offset, size_t begin, size_t end)
{
    cuzk_file_map_drop(&derived->map, offset + begin * CUZK_G1_RAW_BYTES, offset + end * CUZK_G1_RAW_BYTES);
    return CUZK_OK;
}

static enum cuzk_status drop_h(void *context, size_t begin, size_t end, struct cuzk_error *err)
{
    const struct cuzk_derived *derived = context;

    (void)err;
    return drop(derived, derived->shape.h_offset, begin, end);
}

static enum cuzk_status drop_l(void *context, size_t begin, size_t end, struct cuzk_error *err)
{
    const struct cuzk_derived *derived = context;

    (void)err;
    return drop(derived, derived->shape.l_offset, begin, end);
}

void cuzk_derived_plan(const struct cuzk_derived *derived, struct cuzk_backend_query query[CUZK_QUERIES])
{
    const struct cuzk_derived_shape *shape = &derived->shape;
    struct cuzk_backend_query *h = &query[CUZK_QUERY_H], *l = &query[CUZK_QUERY_L];

    *h = (struct cuzk_backend_query){.bytes = derived->bytes + shape->h_offset,
                                     .count = UINT32_C(1) << shape->log_domain,
                                     .name = "h of the derived key",
                                     .consumed = derived->map.mapped ? drop_h : NULL,
                                     .context = (void *)(uintptr_t)derived};
    *l = (struct cuzk_backend_query){.bytes = derived->bytes + shape->l_offset,
                                     .count = shape->c_input_count + shape->aux,
                                     .name = "l of the derived key",
                                     .inputs = derived->c_inputs,
                                     .aux = l->aux,
                                     .consumed = derived->map.mapped ? drop_l : NULL,
                                     .context = (void *)(uintptr_t)derived};
}
