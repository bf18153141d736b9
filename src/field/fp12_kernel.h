/*
 * Inverses in Fp6 and Fp12, powers in Fp12.
 *
 * Static functions, so that files compiled for different instruction sets each have their own
 * (field/kernel.h). Other code calls field/fp12.h. The contracts are there.
 */
#ifndef CUZK_FIELD_FP12_KERNEL_H
#define CUZK_FIELD_FP12_KERNEL_H

#include "field/fp12.h"
#include "field/fp2_kernel.h"

CUZK_KERNEL void cuzk_fp6_kernel_inverse(const struct cuzk_fp6 *a, struct cuzk_fp6 *out)
{
    struct cuzk_fp2 t0, t1, t2, d, s;

    /* the adjoint: t0 = a0^2 - xi a1 a2, t1 = xi a2^2 - a0 a1, t2 = a1^2 - a0 a2 */
    cuzk_fp2_sqr(&a->c0, &t0);
    cuzk_fp2_mul(&a->c1, &a->c2, &s);
    cuzk_fp2_mul_by_xi(&s, &s);
    cuzk_fp2_sub(&t0, &s, &t0);
    cuzk_fp2_sqr(&a->c2, &t1);
    cuzk_fp2_mul_by_xi(&t1, &t1);
    cuzk_fp2_mul(&a->c0, &a->c1, &s);
    cuzk_fp2_sub(&t1, &s, &t1);
    cuzk_fp2_sqr(&a->c1, &t2);
    cuzk_fp2_mul(&a->c0, &a->c2, &s);
    cuzk_fp2_sub(&t2, &s, &t2);
    /* the norm: a0 t0 + xi (a2 t1 + a1 t2) */
    cuzk_fp2_mul(&a->c2, &t1, &d);
    cuzk_fp2_mul(&a->c1, &t2, &s);
    cuzk_fp2_add(&d, &s, &d);
    cuzk_fp2_mul_by_xi(&d, &d);
    cuzk_fp2_mul(&a->c0, &t0, &s);
    cuzk_fp2_add(&d, &s, &d);
    cuzk_fp2_kernel_inverse(&d, &d);
    cuzk_fp2_mul(&t0, &d, &out->c0);
    cuzk_fp2_mul(&t1, &d, &out->c1);
    cuzk_fp2_mul(&t2, &d, &out->c2);
}

CUZK_KERNEL void cuzk_fp12_kernel_inverse(const struct cuzk_fp12 *a, struct cuzk_fp12 *out)
{
    /* conjugate over norm: c0^2 - v c1^2 */
    struct cuzk_fp6 n, t;

    cuzk_fp6_mul(&a->c0, &a->c0, &n);
    cuzk_fp6_mul(&a->c1, &a->c1, &t);
    cuzk_fp6_mul_by_v(&t, &t);
    cuzk_fp6_sub(&n, &t, &n);
    cuzk_fp6_kernel_inverse(&n, &n);
    cuzk_fp6_mul(&a->c0, &n, &out->c0);
    cuzk_fp6_mul(&a->c1, &n, &t);
    cuzk_fp6_neg(&t, &out->c1);
}

CUZK_KERNEL void cuzk_fp12_kernel_pow(const struct cuzk_fp12 *base, const uint64_t *exponent, size_t limbs,
                                      struct cuzk_fp12 *out)
{
    const struct cuzk_fp12 b = *base;
    struct cuzk_fp12 acc;

    cuzk_fp12_one(&acc);
    for (size_t i = limbs * 64; i-- > 0;) {
        cuzk_fp12_sqr(&acc, &acc);
        if (exponent[i / 64] >> (i % 64) & 1)
            cuzk_fp12_mul(&acc, &b, &acc);
    }
    *out = acc;
}
#endif
