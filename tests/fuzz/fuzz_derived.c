/* Derived keys: what is opened lies inside its bytes and counts what it says, also under checksums that are
 * right. */
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "curve/encoding.h"
#include "groth16/derived.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_key(const uint8_t *data, size_t size)
{
    struct cuzk_backend_query query[CUZK_QUERIES] = {0};
    struct cuzk_derived derived;

    if (cuzk_derived_from_bytes("fuzz", data, size, NULL, NULL, NULL, &derived, NULL) != CUZK_OK)
        return;
    uint64_t inputs = 0;
    for (uint32_t k = 0; k < derived.shape.inputs; k++)
        inputs += derived.c_inputs[k / 64] >> (k % 64) & 1;
    cuzk_derived_plan(&derived, query);
    for (int q = CUZK_QUERY_H; q <= CUZK_QUERY_L; q++)
        if (query[q].bytes < data ||
            query[q].bytes + (size_t)query[q].count * CUZK_G1_RAW_BYTES > data + size)
            abort();
    if (query[CUZK_QUERY_L].count != inputs + derived.shape.aux || derived.shape.bytes != size)
        abort();
    cuzk_derived_close(&derived);
}

/* Puts the right checksums behind the body. */
static void repair(uint8_t *bytes, const struct cuzk_derived_shape *shape)
{
    uint8_t *sum = bytes + shape->table_offset;

    for (uint64_t at = 0; at < shape->table_offset;
         at += CUZK_DERIVED_CHUNK, sum += CUZK_DERIVED_CHECKSUM_BYTES) {
        const uint64_t left = shape->table_offset - at;
        crypto_generichash(sum, CUZK_DERIVED_CHECKSUM_BYTES, bytes + at,
                           left < CUZK_DERIVED_CHUNK ? left : CUZK_DERIVED_CHUNK, NULL, 0);
    }
    crypto_generichash(sum, CUZK_DERIVED_CHECKSUM_BYTES, bytes + shape->table_offset,
                       (size_t)(sum - bytes) - shape->table_offset, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_derived_shape shape;

    open_key(data, size);
    if (cuzk_derived_read_shape("fuzz", data, size, &shape, NULL) != CUZK_OK)
        return 0;
    uint8_t *copy = malloc(size);
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    repair(copy, &shape);
    open_key(copy, size);
    free(copy);
    return 0;
}
