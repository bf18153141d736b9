#include "groth16/zkey_point.h"

#include "base/bytes.h"

static bool load_fp(const uint8_t *bytes, struct cuzk_fp *out)
{
    for (int k = 0; k < CUZK_FP_LIMBS; k++)
        out->l[k] = cuzk_load_u64le(bytes + 8 * k);
    return cuzk_fp_words_are_reduced(out->l);
}

static void store_fp(const struct cuzk_fp *value, uint8_t *bytes)
{
    for (int k = 0; k < CUZK_FP_LIMBS; k++)
        cuzk_store_u64le(value->l[k], bytes + 8 * k);
}

bool cuzk_zkey_g1_decode(const uint8_t bytes[CUZK_ZKEY_G1_BYTES], struct cuzk_g1_affine *out)
{
    return load_fp(bytes, &out->x) && load_fp(bytes + 48, &out->y);
}

bool cuzk_zkey_g2_decode(const uint8_t bytes[CUZK_ZKEY_G2_BYTES], struct cuzk_g2_affine *out)
{
    return load_fp(bytes, &out->x.c0) && load_fp(bytes + 48, &out->x.c1) && load_fp(bytes + 96, &out->y.c0) &&
           load_fp(bytes + 144, &out->y.c1);
}

void cuzk_zkey_g1_encode(const struct cuzk_g1_affine *point, uint8_t bytes[CUZK_ZKEY_G1_BYTES])
{
    store_fp(&point->x, bytes);
    store_fp(&point->y, bytes + 48);
}

void cuzk_zkey_g2_encode(const struct cuzk_g2_affine *point, uint8_t bytes[CUZK_ZKEY_G2_BYTES])
{
    store_fp(&point->x.c0, bytes);
    store_fp(&point->x.c1, bytes + 48);
    store_fp(&point->y.c0, bytes + 96);
    store_fp(&point->y.c1, bytes + 144);
}
