#include "bench/points.h"

#include <string.h>

#include "base/mem.h"
#include "curve/encoding.h"
#include "field/fr.h"
#include "msm/fixed_base.h"

enum { DISTINCT = 1 << 16 };

enum cuzk_status cuzk_bench_points(struct cuzk_pool *pool, size_t n, uint8_t *bytes, struct cuzk_error *err)
{
    const size_t distinct = n < DISTINCT ? n : DISTINCT;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_fixed_base_g1 *table = NULL;
    struct cuzk_fr value = cuzk_fr_generator;
    uint64_t(*scalars)[4] = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&scalars, distinct, "scalars of points", err));
    for (size_t k = 0; k < distinct; k++) {
        cuzk_fr_mul(&value, &cuzk_fr_generator, &value);
        cuzk_fr_to_words(&value, scalars[k]);
    }
    CUZK_TRY_OUT(cuzk_fixed_base_g1_create(pool, &cuzk_g1_generator, distinct, &table, err));
    CUZK_TRY_OUT(
        cuzk_fixed_base_g1_mul_raw(pool, table, (const uint64_t(*)[4])scalars, distinct, bytes, err));
    for (size_t k = distinct; k < n; k += distinct)
        memcpy(bytes + k * CUZK_G1_RAW_BYTES, bytes,
               (n - k < distinct ? n - k : distinct) * CUZK_G1_RAW_BYTES);
out:
    cuzk_fixed_base_g1_destroy(table);
    cuzk_mem_free(scalars);
    return status;
}
