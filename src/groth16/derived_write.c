#include "groth16/derived_write.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "curve/encoding.h"

enum { HEADER = CUZK_DERIVED_PARTS, STRETCHES };

/* Chunks that several stretches have bytes of: those that h and l begin in. */
enum { SHARED = 2 };

struct cuzk_derived_writer {
    struct cuzk_store store;
    struct cuzk_pool *pool;
    struct cuzk_derived_shape shape;
    uint64_t *c_inputs;
    struct stretch {
        uint64_t at, end;
        crypto_generichash_state hash; /* of the chunk that `at` is in the middle of */
    } stretch[STRETCHES];
    struct shared {
        uint64_t chunk;
        uint8_t *bytes; /* NULL: the other one is that chunk too, or there is none */
    } shared[SHARED];
    uint8_t *table; /* checksums */
    uint64_t chunks;
};

static uint64_t chunk_begin(uint64_t chunk)
{
    return chunk * CUZK_DERIVED_CHUNK;
}

static uint64_t chunk_end(const struct cuzk_derived_writer *writer, uint64_t chunk)
{
    const uint64_t end = chunk_begin(chunk + 1);

    return end < writer->shape.table_offset ? end : writer->shape.table_offset;
}

static uint8_t *checksum_of(const struct cuzk_derived_writer *writer, uint64_t chunk)
{
    return writer->table + chunk * CUZK_DERIVED_CHECKSUM_BYTES;
}

static struct shared *shared_of(struct cuzk_derived_writer *writer, uint64_t chunk)
{
    for (int k = 0; k < SHARED; k++)
        if (writer->shared[k].bytes != NULL && writer->shared[k].chunk == chunk)
            return &writer->shared[k];
    return NULL;
}

/* ---- whole chunks: summed and stored by all threads ---- */

struct whole {
    struct cuzk_derived_writer *writer;
    const uint8_t *bytes;
    uint64_t first; /* number of the chunk that bytes begin with */
};

static enum cuzk_status put_whole(void *context, size_t index, struct cuzk_error *err)
{
    const struct whole *job = context;
    const uint8_t *bytes = job->bytes + index * CUZK_DERIVED_CHUNK;
    const struct cuzk_store store = job->writer->store;

    crypto_generichash(checksum_of(job->writer, job->first + index), CUZK_DERIVED_CHECKSUM_BYTES, bytes,
                       CUZK_DERIVED_CHUNK, NULL, 0);
    return store.write_at(store.context, chunk_begin(job->first + index), bytes, CUZK_DERIVED_CHUNK, err);
}

/* ---- parts of chunks ---- */

/* Bytes of one chunk that only this stretch writes to. */
static enum cuzk_status put_part(struct cuzk_derived_writer *writer, struct stretch *stretch,
                                 const uint8_t *bytes, size_t n, struct cuzk_error *err)
{
    const uint64_t chunk = stretch->at / CUZK_DERIVED_CHUNK;

    if (stretch->at == chunk_begin(chunk))
        crypto_generichash_init(&stretch->hash, NULL, 0, CUZK_DERIVED_CHECKSUM_BYTES);
    crypto_generichash_update(&stretch->hash, bytes, n);
    if (stretch->at + n == chunk_end(writer, chunk))
        crypto_generichash_final(&stretch->hash, checksum_of(writer, chunk), CUZK_DERIVED_CHECKSUM_BYTES);
    return writer->store.write_at(writer->store.context, stretch->at, bytes, n, err);
}

static enum cuzk_status put(struct cuzk_derived_writer *writer, struct stretch *stretch, const uint8_t *bytes,
                            size_t n, struct cuzk_error *err)
{
    if (n > stretch->end - stretch->at)
        return cuzk_error_set(err, CUZK_INTERNAL, "a derived key gets more points than it has");
    while (n > 0) {
        const uint64_t chunk = stretch->at / CUZK_DERIVED_CHUNK;
        const struct shared *shared = shared_of(writer, chunk);
        const uint64_t left = chunk_end(writer, chunk) - stretch->at;
        size_t now = n < left ? n : (size_t)left;

        if (shared != NULL) {
            memcpy(shared->bytes + (stretch->at - chunk_begin(chunk)), bytes, now);
        } else if (left < CUZK_DERIVED_CHUNK || n < CUZK_DERIVED_CHUNK) {
            CUZK_TRY(put_part(writer, stretch, bytes, now, err));
        } else {
            const size_t count = n / CUZK_DERIVED_CHUNK;
            struct whole job = {writer, bytes, chunk};
            CUZK_TRY(cuzk_pool_try(writer->pool, count, put_whole, &job, NULL, err));
            now = count * CUZK_DERIVED_CHUNK;
        }
        stretch->at += now;
        bytes += now;
        n -= now;
    }
    return CUZK_OK;
}

static enum cuzk_status put_header(struct cuzk_derived_writer *writer, struct cuzk_error *err)
{
    const struct cuzk_derived_shape *shape = &writer->shape;
    struct stretch *header = &writer->stretch[HEADER];
    const uint32_t numbers[4] = {CUZK_DERIVED_VERSION, shape->log_domain, shape->inputs, shape->aux};
    uint8_t word[8];

    CUZK_TRY(put(writer, header, (const uint8_t *)CUZK_DERIVED_MAGIC, sizeof word, err));
    for (int k = 0; k < 4; k++) {
        cuzk_store_u32le(numbers[k], word);
        CUZK_TRY(put(writer, header, word, 4, err));
    }
    CUZK_TRY(put(writer, header, shape->identity.params, sizeof shape->identity.params, err));
    CUZK_TRY(put(writer, header, shape->identity.circuit, sizeof shape->identity.circuit, err));
    for (uint32_t k = 0; k < shape->inputs; k += 64) {
        cuzk_store_u64le(writer->c_inputs[k / 64], word);
        CUZK_TRY(put(writer, header, word, sizeof word, err));
    }
    return CUZK_OK;
}

/* ---- the whole ---- */

/* Those of the chunks with h_offset and l_offset. */
static enum cuzk_status share(struct cuzk_derived_writer *writer, struct cuzk_error *err)
{
    const uint64_t offset[SHARED] = {writer->shape.h_offset, writer->shape.l_offset};

    for (int k = 0; k < SHARED; k++) {
        const uint64_t chunk = offset[k] / CUZK_DERIVED_CHUNK;
        const bool new = shared_of(writer, chunk) == NULL &&chunk_begin(chunk) < writer->shape.table_offset;
        writer->shared[k].chunk = chunk;
        if (new)
            CUZK_TRY(CUZK_NEW(&writer->shared[k].bytes, CUZK_DERIVED_CHUNK, "derived key", err));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_derived_writer_create(struct cuzk_store store, struct cuzk_pool *pool,
                                            struct cuzk_derived_shape *shape, const uint64_t *c_inputs,
                                            struct cuzk_derived_writer **out, struct cuzk_error *err)
{
    const size_t words = ((size_t)shape->inputs + 63) / 64;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_derived_writer *writer = NULL;

    *out = NULL;
    shape->c_input_count = 0;
    for (uint32_t k = 0; k < shape->inputs; k++)
        shape->c_input_count += c_inputs[k / 64] >> (k % 64) & 1;
    cuzk_derived_shape_place(shape);
    if (store.reserve != NULL)
        CUZK_TRY(store.reserve(store.context, shape->bytes, err));
    CUZK_TRY_OUT(CUZK_NEW(&writer, 1, "derived key", err));
    writer->store = store;
    writer->pool = pool;
    writer->shape = *shape;
    writer->stretch[HEADER].end = shape->h_offset;
    writer->stretch[CUZK_DERIVED_H].at = shape->h_offset;
    writer->stretch[CUZK_DERIVED_H].end = shape->l_offset;
    writer->stretch[CUZK_DERIVED_L].at = shape->l_offset;
    writer->stretch[CUZK_DERIVED_L].end = shape->table_offset;
    writer->chunks = (shape->bytes - shape->table_offset) / CUZK_DERIVED_CHECKSUM_BYTES - 1;
    CUZK_TRY_OUT(CUZK_NEW(&writer->c_inputs, words, "derived key", err));
    memcpy(writer->c_inputs, c_inputs, words * sizeof *c_inputs);
    CUZK_TRY_OUT(CUZK_NEW(&writer->table, writer->chunks * CUZK_DERIVED_CHECKSUM_BYTES, "checksums", err));
    CUZK_TRY_OUT(share(writer, err));
    *out = writer;
    writer = NULL;
out:
    cuzk_derived_writer_destroy(writer);
    return status;
}

void cuzk_derived_writer_destroy(struct cuzk_derived_writer *writer)
{
    if (writer == NULL)
        return;
    for (int k = 0; k < SHARED; k++)
        cuzk_mem_free(writer->shared[k].bytes);
    cuzk_mem_free(writer->c_inputs);
    cuzk_mem_free(writer->table);
    cuzk_mem_free(writer);
}

enum cuzk_status cuzk_derived_write_points(struct cuzk_derived_writer *writer, enum cuzk_derived_part part,
                                           const uint8_t *points, size_t n, struct cuzk_error *err)
{
    enum { INFINITY_FLAG = 0x40 };
    struct stretch *stretch = &writer->stretch[part];

    for (size_t k = 0; k < n; k++)
        if (points[k * CUZK_G1_RAW_BYTES] & INFINITY_FLAG)
            return cuzk_error_set(err, CUZK_INPUT,
                                  "point %" PRIu64 " of a derived key is infinity: this circuit has none",
                                  (stretch->at - writer->shape.h_offset) / CUZK_G1_RAW_BYTES + k);
    return put(writer, stretch, points, n * CUZK_G1_RAW_BYTES, err);
}

static enum cuzk_status put_shared(struct cuzk_derived_writer *writer, const struct shared *shared,
                                   struct cuzk_error *err)
{
    const uint64_t begin = chunk_begin(shared->chunk);
    const size_t n = (size_t)(chunk_end(writer, shared->chunk) - begin);

    crypto_generichash(checksum_of(writer, shared->chunk), CUZK_DERIVED_CHECKSUM_BYTES, shared->bytes, n,
                       NULL, 0);
    return writer->store.write_at(writer->store.context, begin, shared->bytes, n, err);
}

enum cuzk_status cuzk_derived_writer_finish(struct cuzk_derived_writer *writer,
                                            const uint8_t params[CUZK_DERIVED_PARAMS_BYTES],
                                            struct cuzk_error *err)
{
    const struct cuzk_store store = writer->store;
    const size_t n = writer->chunks * CUZK_DERIVED_CHECKSUM_BYTES;
    uint8_t sum[CUZK_DERIVED_CHECKSUM_BYTES];

    memcpy(writer->shape.identity.params, params, CUZK_DERIVED_PARAMS_BYTES);
    CUZK_TRY(put_header(writer, err));
    for (int k = 0; k < STRETCHES; k++)
        if (writer->stretch[k].at != writer->stretch[k].end)
            return cuzk_error_set(err, CUZK_INTERNAL, "a derived key gets fewer points than it has");
    for (int k = 0; k < SHARED; k++)
        if (writer->shared[k].bytes != NULL)
            CUZK_TRY(put_shared(writer, &writer->shared[k], err));
    CUZK_TRY(store.write_at(store.context, writer->shape.table_offset, writer->table, n, err));
    crypto_generichash(sum, sizeof sum, writer->table, n, NULL, 0);
    return store.write_at(store.context, writer->shape.table_offset + n, sum, sizeof sum, err);
}
