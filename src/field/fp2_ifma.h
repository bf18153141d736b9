/*
 * Eight elements of Fp2 at once: c[0] + c[1] u, both as in field/fp_ifma.h. Products are below 5 p in each
 * component. Only for files compiled with CUZK_IFMA_FLAGS.
 */
#ifndef CUZK_FIELD_FP2_IFMA_H
#define CUZK_FIELD_FP2_IFMA_H

#include "field/fp_ifma.h"

/* Karatsuba on whole products, so that three products take two reductions. Ready components. */
CUZK_FP8_FN void cuzk_fp8_mul_fp2(const struct cuzk_fp8 a[2], const struct cuzk_fp8 b[2],
                                  struct cuzk_fp8 out[2])
{
    __m512i low[2 * CUZK_FP8_LIMBS], high[2 * CUZK_FP8_LIMBS], cross[2 * CUZK_FP8_LIMBS];
    struct cuzk_fp8 s, t;

    cuzk_fp8_add(&a[0], &a[1], &s);
    cuzk_fp8_add(&b[0], &b[1], &t);
    cuzk_fp8_product(&a[0], &b[0], low);
    cuzk_fp8_product(&a[1], &b[1], high);
    cuzk_fp8_product(&s, &t, cross);
#pragma GCC unroll 16
    for (int i = 0; i < 2 * CUZK_FP8_LIMBS; i++) {
        cross[i] = _mm512_sub_epi64(_mm512_sub_epi64(cross[i], low[i]), high[i]);
        low[i] = _mm512_sub_epi64(low[i], high[i]);
    }
    cuzk_fp8_reduce_product(low, 2, &out[0]);
    cuzk_fp8_reduce_product(cross, 0, &out[1]);
}

/* (c0 + c1)(c0 - c1) + 2 c0 c1 u. Ready components that differ by less than 2^15 p. */
CUZK_FP8_FN void cuzk_fp8_sqr_fp2(const struct cuzk_fp8 a[2], struct cuzk_fp8 out[2])
{
    struct cuzk_fp8 s, d, m;

    cuzk_fp8_add(&a[0], &a[1], &s);
    cuzk_fp8_sub_ready(&a[0], &a[1], &d);
    cuzk_fp8_mul(&a[0], &a[1], &m);
    cuzk_fp8_mul(&s, &d, &out[0]);
    cuzk_fp8_add(&m, &m, &out[1]);
}

#endif
