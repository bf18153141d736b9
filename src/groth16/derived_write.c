#include "groth16/derived_write.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "curve/encoding.h"

struct cuzk_derived_writer {
    struct cuzk_sink sink;
    struct cuzk_pool *pool;
    struct cuzk_derived_shape shape;
    uint64_t written;
    crypto_generichash_state hash; /* of the chunk that `written` is in the middle of */
    uint8_t *table;                /* checksums of the chunks that are complete */
    uint64_t chunks;
};

struct whole {
    struct cuzk_derived_writer *writer;
    const uint8_t *bytes;
    uint64_t first; /* number of the chunk that bytes begin with */
};

static void sum_whole(void *context, size_t index, unsigned worker)
{
    const struct whole *job = context;

    (void)worker;
    crypto_generichash(job->writer->table + (job->first + index) * CUZK_DERIVED_CHECKSUM_BYTES,
                       CUZK_DERIVED_CHECKSUM_BYTES, job->bytes + index * CUZK_DERIVED_CHUNK,
                       CUZK_DERIVED_CHUNK, NULL, 0);
}

/* Bytes that begin where a chunk does or end before it does. */
static void sum_part(struct cuzk_derived_writer *writer, const uint8_t *bytes, size_t n)
{
    if (writer->written % CUZK_DERIVED_CHUNK == 0)
        crypto_generichash_init(&writer->hash, NULL, 0, CUZK_DERIVED_CHECKSUM_BYTES);
    crypto_generichash_update(&writer->hash, bytes, n);
    writer->written += n;
    if (writer->written % CUZK_DERIVED_CHUNK == 0 || writer->written == writer->shape.table_offset)
        crypto_generichash_final(&writer->hash,
                                 writer->table +
                                     (writer->written - 1) / CUZK_DERIVED_CHUNK * CUZK_DERIVED_CHECKSUM_BYTES,
                                 CUZK_DERIVED_CHECKSUM_BYTES);
}

static enum cuzk_status put(struct cuzk_derived_writer *writer, const uint8_t *bytes, size_t n,
                            struct cuzk_error *err)
{
    if (n > writer->shape.table_offset - writer->written)
        return cuzk_error_set(err, CUZK_INTERNAL, "a derived key gets more points than it has");
    CUZK_TRY(writer->sink.write(writer->sink.context, bytes, n, err));
    while (n > 0) {
        const size_t inside = writer->written % CUZK_DERIVED_CHUNK;
        size_t now;
        if (inside == 0 && n >= CUZK_DERIVED_CHUNK) {
            struct whole job = {writer, bytes, writer->written / CUZK_DERIVED_CHUNK};
            now = n - n % CUZK_DERIVED_CHUNK;
            cuzk_pool_run(writer->pool, now / CUZK_DERIVED_CHUNK, sum_whole, &job);
            writer->written += now;
        } else {
            now = n < CUZK_DERIVED_CHUNK - inside ? n : CUZK_DERIVED_CHUNK - inside;
            sum_part(writer, bytes, now);
        }
        bytes += now;
        n -= now;
    }
    return CUZK_OK;
}

static enum cuzk_status put_start(struct cuzk_derived_writer *writer, const uint64_t *c_inputs,
                                  struct cuzk_error *err)
{
    const struct cuzk_derived_shape *shape = &writer->shape;
    const uint32_t numbers[4] = {CUZK_DERIVED_VERSION, shape->log_domain, shape->inputs, shape->aux};
    uint8_t word[8];

    CUZK_TRY(put(writer, (const uint8_t *)CUZK_DERIVED_MAGIC, sizeof word, err));
    for (int k = 0; k < 4; k++) {
        cuzk_store_u32le(numbers[k], word);
        CUZK_TRY(put(writer, word, 4, err));
    }
    CUZK_TRY(put(writer, shape->identity.params, sizeof shape->identity.params, err));
    CUZK_TRY(put(writer, shape->identity.circuit, sizeof shape->identity.circuit, err));
    for (uint32_t k = 0; k < shape->inputs; k += 64) {
        cuzk_store_u64le(c_inputs[k / 64], word);
        CUZK_TRY(put(writer, word, sizeof word, err));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_derived_writer_create(struct cuzk_sink sink, struct cuzk_pool *pool,
                                            struct cuzk_derived_shape *shape, const uint64_t *c_inputs,
                                            struct cuzk_derived_writer **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_derived_writer *writer = NULL;

    *out = NULL;
    shape->c_input_count = 0;
    for (uint32_t k = 0; k < shape->inputs; k++)
        shape->c_input_count += c_inputs[k / 64] >> (k % 64) & 1;
    cuzk_derived_shape_place(shape);
    CUZK_TRY_OUT(CUZK_NEW(&writer, 1, "derived key", err));
    writer->sink = sink;
    writer->pool = pool;
    writer->shape = *shape;
    writer->chunks = (shape->bytes - shape->table_offset) / CUZK_DERIVED_CHECKSUM_BYTES - 1;
    CUZK_TRY_OUT(CUZK_NEW(&writer->table, writer->chunks * CUZK_DERIVED_CHECKSUM_BYTES, "checksums", err));
    CUZK_TRY_OUT(put_start(writer, c_inputs, err));
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
    cuzk_mem_free(writer->table);
    cuzk_mem_free(writer);
}

enum cuzk_status cuzk_derived_write_points(struct cuzk_derived_writer *writer, const uint8_t *points,
                                           size_t n, struct cuzk_error *err)
{
    enum { INFINITY_FLAG = 0x40 };

    for (size_t k = 0; k < n; k++)
        if (points[k * CUZK_G1_RAW_BYTES] & INFINITY_FLAG)
            return cuzk_error_set(err, CUZK_INPUT,
                                  "point %" PRIu64 " of a derived key is infinity: this circuit has none",
                                  (writer->written - writer->shape.h_offset) / CUZK_G1_RAW_BYTES + k);
    return put(writer, points, n * CUZK_G1_RAW_BYTES, err);
}

enum cuzk_status cuzk_derived_writer_finish(struct cuzk_derived_writer *writer, struct cuzk_error *err)
{
    const size_t n = writer->chunks * CUZK_DERIVED_CHECKSUM_BYTES;
    uint8_t sum[CUZK_DERIVED_CHECKSUM_BYTES];

    if (writer->written != writer->shape.table_offset)
        return cuzk_error_set(err, CUZK_INTERNAL, "a derived key gets fewer points than it has");
    CUZK_TRY(writer->sink.write(writer->sink.context, writer->table, n, err));
    crypto_generichash(sum, sizeof sum, writer->table, n, NULL, 0);
    return writer->sink.write(writer->sink.context, sum, sizeof sum, err);
}
