/*
 * Inverses and roots in Fp2.
 *
 * Static functions, so that files compiled for different instruction sets each have their own
 * (field/kernel.h). Other code calls field/fp2.h. The contracts are there.
 */
#ifndef CUZK_FIELD_FP2_KERNEL_H
#define CUZK_FIELD_FP2_KERNEL_H

#include "field/fp2.h"
#include "field/fp_kernel.h"

CUZK_KERNEL void cuzk_fp2_kernel_inverse(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    /* conjugate over norm */
    struct cuzk_fp n, t;

    cuzk_fp_sqr(&a->c0, &n);
    cuzk_fp_sqr(&a->c1, &t);
    cuzk_fp_add(&n, &t, &n);
    cuzk_fp_kernel_inverse(&n, &n);
    cuzk_fp_mul(&a->c0, &n, &out->c0);
    cuzk_fp_mul(&a->c1, &n, &t);
    cuzk_fp_neg(&t, &out->c1);
}

CUZK_KERNEL void cuzk_fp2_kernel_batch_inverse(struct cuzk_fp2 *elements, size_t n, struct cuzk_fp2 *scratch)
{
    struct cuzk_fp2 acc;

    cuzk_fp2_one(&acc);
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cuzk_fp2_is_zero(&elements[i]))
            cuzk_fp2_mul(&acc, &elements[i], &acc);
    }
    cuzk_fp2_kernel_inverse(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (cuzk_fp2_is_zero(&elements[i]))
            continue;
        struct cuzk_fp2 inverse;
        cuzk_fp2_mul(&acc, &scratch[i], &inverse);
        cuzk_fp2_mul(&acc, &elements[i], &acc);
        elements[i] = inverse;
    }
}

CUZK_KERNEL bool cuzk_fp2_kernel_sqrt(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    /* The complex method. With s^2 = c0^2 + c1^2, t = (c0 + s) / 2 and e = t^((p-3)/4), t e^2 is 1 or -1:
     * if 1, t e + (c1 e / 2) u is a root; if -1, -c1 e / 2 + t e u is. */
    static const uint64_t exponent[CUZK_FP_LIMBS] = {
        UINT64_C(0xee7fbfffffffeaaa), UINT64_C(0x07aaffffac54ffff),
        UINT64_C(0xd9cc34a83dac3d89), UINT64_C(0xd91dd2e13ce144af),
        UINT64_C(0x92c6e9ed90d2eb35), UINT64_C(0x0680447a8e5ff9a6)}; /* (p-3)/4 */
    static const struct cuzk_fp half = {{UINT64_C(0x1804000000015554), UINT64_C(0x855000053ab00001),
                                         UINT64_C(0x633cb57c253c276f), UINT64_C(0x6e22d1ec31ebb502),
                                         UINT64_C(0xd3916126f2d14ca2), UINT64_C(0x17fbb8571a006596)}};
    struct cuzk_fp norm, s, t, e, root, half_c1_e;
    struct cuzk_fp2 result, square;

    cuzk_fp_sqr(&a->c0, &norm);
    cuzk_fp_sqr(&a->c1, &t);
    cuzk_fp_add(&norm, &t, &norm);
    if (!cuzk_fp_kernel_sqrt(&norm, &s))
        return false;
    cuzk_fp_add(&a->c0, &s, &t);
    if (cuzk_fp_is_zero(&t)) /* c1 = 0 and s = -c0: take the other sign of s */
        cuzk_fp_double(&a->c0, &t);
    cuzk_fp_mul(&t, &half, &t);
    cuzk_fp_kernel_pow(&t, exponent, CUZK_FP_LIMBS, &e);
    cuzk_fp_mul(&t, &e, &root);
    cuzk_fp_mul(&a->c1, &half, &half_c1_e);
    cuzk_fp_mul(&half_c1_e, &e, &half_c1_e);
    result.c0 = root;
    result.c1 = half_c1_e;
    cuzk_fp2_sqr(&result, &square);
    if (!cuzk_fp2_equal(&square, a)) {
        cuzk_fp_neg(&half_c1_e, &result.c0);
        result.c1 = root;
        cuzk_fp2_sqr(&result, &square);
        if (!cuzk_fp2_equal(&square, a))
            return false;
    }
    *out = result;
    return true;
}

#endif
