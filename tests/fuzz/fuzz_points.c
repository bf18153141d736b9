/* Point encodings: every accepted string of bytes is the one that encoding gives back, and the point is
 * valid. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "curve/encoding.h"
#include "curve/g1.h"
#include "curve/g2.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
    if (!truth)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_g1_affine g1;
    struct cuzk_g2_affine g2;
    uint8_t back[CUZK_G2_RAW_BYTES];

    if (size >= CUZK_G1_BYTES && cuzk_g1_decode(data, &g1, NULL) == CUZK_OK) {
        cuzk_g1_encode(&g1, back);
        require(memcmp(back, data, CUZK_G1_BYTES) == 0 && cuzk_g1_is_on_curve(&g1));
    }
    if (size >= CUZK_G1_RAW_BYTES && cuzk_g1_decode_raw(data, &g1, NULL) == CUZK_OK) {
        cuzk_g1_encode_raw(&g1, back);
        require(memcmp(back, data, CUZK_G1_RAW_BYTES) == 0 && cuzk_g1_is_on_curve(&g1));
    }
    if (size >= CUZK_G2_BYTES && cuzk_g2_decode(data, &g2, NULL) == CUZK_OK) {
        cuzk_g2_encode(&g2, back);
        require(memcmp(back, data, CUZK_G2_BYTES) == 0 && cuzk_g2_is_on_curve(&g2));
    }
    if (size >= CUZK_G2_RAW_BYTES && cuzk_g2_decode_raw(data, &g2, NULL) == CUZK_OK) {
        cuzk_g2_encode_raw(&g2, back);
        require(memcmp(back, data, CUZK_G2_RAW_BYTES) == 0 && cuzk_g2_is_on_curve(&g2));
    }
    return 0;
}
