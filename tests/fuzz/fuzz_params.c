/* Parameter files: what opens lies inside the bytes, and validation stays inside too. */
#include <stdint.h>
#include <stdlib.h>

#include "groth16/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_params params;

    if (cuzk_params_from_bytes("fuzz", data, size, &params, NULL) != CUZK_OK)
        return 0;
    uint64_t end = 0;
    for (int q = 0; q < CUZK_QUERIES; q++) {
        const uint64_t point = cuzk_query_is_g2((enum cuzk_query)q) ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES;
        end = params.query[q].offset + params.query[q].count * point;
        if (end > size)
            abort();
    }
    if (end != size)
        abort();
    (void)cuzk_params_validate(&params, CUZK_PARAMS_ON_CURVE, NULL, NULL, NULL);
    cuzk_params_close(&params);
    return 0;
}
