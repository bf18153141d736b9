#include "curve/encoding.h"

#include <string.h>

enum { FLAG_COMPRESSED = 0x80, FLAG_INFINITY = 0x40, FLAG_LARGER_ROOT = 0x20, FLAGS = 0xe0 };

/* Fp2 as c1, c0 */
static void fp2_to_bytes(const struct cuzk_fp2 *a, uint8_t bytes[2 * CUZK_FP_BYTES])
{
    cuzk_fp_to_bytes(&a->c1, bytes);
    cuzk_fp_to_bytes(&a->c0, bytes + CUZK_FP_BYTES);
}

static bool fp2_from_bytes(const uint8_t bytes[2 * CUZK_FP_BYTES], struct cuzk_fp2 *out)
{
    return cuzk_fp_from_bytes(bytes, &out->c1) && cuzk_fp_from_bytes(bytes + CUZK_FP_BYTES, &out->c0);
}

void cuzk_g1_encode(const struct cuzk_g1_affine *a, uint8_t bytes[CUZK_G1_BYTES])
{
    cuzk_fp_to_bytes(&a->x, bytes);
    bytes[0] |= FLAG_COMPRESSED;
    if (cuzk_g1_affine_is_identity(a))
        bytes[0] |= FLAG_INFINITY;
    else if (cuzk_fp_is_larger_root(&a->y))
        bytes[0] |= FLAG_LARGER_ROOT;
}

void cuzk_g2_encode(const struct cuzk_g2_affine *a, uint8_t bytes[CUZK_G2_BYTES])
{
    fp2_to_bytes(&a->x, bytes);
    bytes[0] |= FLAG_COMPRESSED;
    if (cuzk_g2_affine_is_identity(a))
        bytes[0] |= FLAG_INFINITY;
    else if (cuzk_fp2_is_larger_root(&a->y))
        bytes[0] |= FLAG_LARGER_ROOT;
}

void cuzk_g1_encode_raw(const struct cuzk_g1_affine *a, uint8_t bytes[CUZK_G1_RAW_BYTES])
{
    cuzk_fp_to_bytes(&a->x, bytes);
    cuzk_fp_to_bytes(&a->y, bytes + CUZK_FP_BYTES);
    if (cuzk_g1_affine_is_identity(a))
        bytes[0] |= FLAG_INFINITY;
}

void cuzk_g2_encode_raw(const struct cuzk_g2_affine *a, uint8_t bytes[CUZK_G2_RAW_BYTES])
{
    fp2_to_bytes(&a->x, bytes);
    fp2_to_bytes(&a->y, bytes + 2 * CUZK_FP_BYTES);
    if (cuzk_g2_affine_is_identity(a))
        bytes[0] |= FLAG_INFINITY;
}

/* Tests the flags of a point of n bytes; *infinity says whether it is infinity (then nothing is left to
 * read). */
static enum cuzk_status read_flags(const uint8_t *bytes, size_t n, bool compressed, bool *infinity,
                                   struct cuzk_error *err)
{
    const unsigned flags = bytes[0] & FLAGS;

    *infinity = false;
    if (((flags & FLAG_COMPRESSED) != 0) != compressed)
        return cuzk_error_set(err, CUZK_INPUT, "first byte 0x%02x: expected %s point, found %s one", bytes[0],
                              compressed ? "a compressed" : "an uncompressed",
                              compressed ? "an uncompressed" : "a compressed");
    if (flags & FLAG_INFINITY) {
        unsigned any = bytes[0] & ~(unsigned)(FLAG_COMPRESSED | FLAG_INFINITY);
        for (size_t i = 1; i < n; i++)
            any |= bytes[i];
        if (any != 0)
            return cuzk_error_set(err, CUZK_INPUT, "point at infinity has other bits set");
        *infinity = true;
    } else if (!compressed && (flags & FLAG_LARGER_ROOT)) {
        return cuzk_error_set(err, CUZK_INPUT, "first byte 0x%02x: sign flag on an uncompressed point",
                              bytes[0]);
    }
    return CUZK_OK;
}

static enum cuzk_status not_reduced(const char *coordinate, struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_INPUT, "%s is not below the field's modulus", coordinate);
}

static enum cuzk_status off_curve(struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_INPUT, "point is not on the curve");
}

static enum cuzk_status off_subgroup(struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_INPUT, "point is not in the subgroup of order r");
}

enum cuzk_status cuzk_g1_decode(const uint8_t bytes[CUZK_G1_BYTES], struct cuzk_g1_affine *out,
                                struct cuzk_error *err)
{
    static const struct cuzk_g1_affine none;
    struct cuzk_g1_affine p;
    struct cuzk_fp square;
    uint8_t x[CUZK_FP_BYTES];
    bool infinity;

    *out = none;
    CUZK_TRY(read_flags(bytes, CUZK_G1_BYTES, true, &infinity, err));
    if (infinity)
        return CUZK_OK;
    memcpy(x, bytes, sizeof x);
    x[0] &= (uint8_t)~FLAGS;
    if (!cuzk_fp_from_bytes(x, &p.x))
        return not_reduced("x", err);
    cuzk_g1_curve_rhs(&p.x, &square);
    if (!cuzk_fp_sqrt(&square, &p.y))
        return off_curve(err);
    if (cuzk_fp_is_larger_root(&p.y) != ((bytes[0] & FLAG_LARGER_ROOT) != 0))
        cuzk_fp_neg(&p.y, &p.y);
    if (!cuzk_g1_in_subgroup(&p))
        return off_subgroup(err);
    *out = p;
    return CUZK_OK;
}

enum cuzk_status cuzk_g2_decode(const uint8_t bytes[CUZK_G2_BYTES], struct cuzk_g2_affine *out,
                                struct cuzk_error *err)
{
    static const struct cuzk_g2_affine none;
    struct cuzk_g2_affine p;
    struct cuzk_fp2 square;
    uint8_t x[2 * CUZK_FP_BYTES];
    bool infinity;

    *out = none;
    CUZK_TRY(read_flags(bytes, CUZK_G2_BYTES, true, &infinity, err));
    if (infinity)
        return CUZK_OK;
    memcpy(x, bytes, sizeof x);
    x[0] &= (uint8_t)~FLAGS;
    if (!fp2_from_bytes(x, &p.x))
        return not_reduced("x", err);
    cuzk_g2_curve_rhs(&p.x, &square);
    if (!cuzk_fp2_sqrt(&square, &p.y))
        return off_curve(err);
    if (cuzk_fp2_is_larger_root(&p.y) != ((bytes[0] & FLAG_LARGER_ROOT) != 0))
        cuzk_fp2_neg(&p.y, &p.y);
    if (!cuzk_g2_in_subgroup(&p))
        return off_subgroup(err);
    *out = p;
    return CUZK_OK;
}

enum cuzk_status cuzk_g1_decode_raw_unchecked(const uint8_t bytes[CUZK_G1_RAW_BYTES],
                                              struct cuzk_g1_affine *out, struct cuzk_error *err)
{
    static const struct cuzk_g1_affine none;
    struct cuzk_g1_affine p;
    bool infinity;

    *out = none;
    CUZK_TRY(read_flags(bytes, CUZK_G1_RAW_BYTES, false, &infinity, err));
    if (infinity)
        return CUZK_OK;
    if (!cuzk_fp_from_bytes(bytes, &p.x))
        return not_reduced("x", err);
    if (!cuzk_fp_from_bytes(bytes + CUZK_FP_BYTES, &p.y))
        return not_reduced("y", err);
    /* all zero without the infinity flag would be read as infinity; it is no point of the curve */
    if (cuzk_g1_affine_is_identity(&p))
        return off_curve(err);
    *out = p;
    return CUZK_OK;
}

enum cuzk_status cuzk_g2_decode_raw_unchecked(const uint8_t bytes[CUZK_G2_RAW_BYTES],
                                              struct cuzk_g2_affine *out, struct cuzk_error *err)
{
    static const struct cuzk_g2_affine none;
    struct cuzk_g2_affine p;
    bool infinity;

    *out = none;
    CUZK_TRY(read_flags(bytes, CUZK_G2_RAW_BYTES, false, &infinity, err));
    if (infinity)
        return CUZK_OK;
    if (!fp2_from_bytes(bytes, &p.x))
        return not_reduced("x", err);
    if (!fp2_from_bytes(bytes + 2 * CUZK_FP_BYTES, &p.y))
        return not_reduced("y", err);
    if (cuzk_g2_affine_is_identity(&p))
        return off_curve(err);
    *out = p;
    return CUZK_OK;
}

enum cuzk_status cuzk_g1_decode_raw(const uint8_t bytes[CUZK_G1_RAW_BYTES], struct cuzk_g1_affine *out,
                                    struct cuzk_error *err)
{
    static const struct cuzk_g1_affine none;

    CUZK_TRY(cuzk_g1_decode_raw_unchecked(bytes, out, err));
    if (!cuzk_g1_is_on_curve(out)) {
        *out = none;
        return off_curve(err);
    }
    if (!cuzk_g1_in_subgroup(out)) {
        *out = none;
        return off_subgroup(err);
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_g2_decode_raw(const uint8_t bytes[CUZK_G2_RAW_BYTES], struct cuzk_g2_affine *out,
                                    struct cuzk_error *err)
{
    static const struct cuzk_g2_affine none;

    CUZK_TRY(cuzk_g2_decode_raw_unchecked(bytes, out, err));
    if (!cuzk_g2_is_on_curve(out)) {
        *out = none;
        return off_curve(err);
    }
    if (!cuzk_g2_in_subgroup(out)) {
        *out = none;
        return off_subgroup(err);
    }
    return CUZK_OK;
}
