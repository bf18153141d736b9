/*
 * Unreduced products of Fp: twelve-limb numbers, so that sums of products are reduced once.
 *
 * struct cuzk_fp_wide is a signed number in two's complement, 768 bits. With p = 0.1015 * 2^384, p * 2^384 is
 * 9.84 p^2: cuzk_fp_redc takes any number strictly between -9 p^2 and 9 p^2, which is what the tower's bounds
 * are counted in. Sums of up to nine reduced elements fit six limbs (cuzk_fp_add_lazy); products of such sums
 * may wrap around 2^768 as long as the final sum is in range.
 * Compiles for the host and the device.
 */
#ifndef CUZK_FIELD_FP_WIDE_H
#define CUZK_FIELD_FP_WIDE_H

#include "field/fp.h"

struct cuzk_fp_wide {
    uint64_t l[2 * CUZK_FP_LIMBS];
};

/* a + b, not reduced */
static CUZK_HD void cuzk_fp_add_lazy(const struct cuzk_fp *a, const struct cuzk_fp *b, struct cuzk_fp *out)
{
    uint64_t carry = 0;
#pragma GCC unroll 6
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = cuzk_limb_adc(a->l[i], b->l[i], &carry);
}

/* a - b + p, not reduced: below 2p for reduced a and b */
static CUZK_HD void cuzk_fp_sub_lazy(const struct cuzk_fp *a, const struct cuzk_fp *b, struct cuzk_fp *out)
{
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    uint64_t carry = 0, borrow = 0, t[CUZK_FP_LIMBS];
#pragma GCC unroll 6
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        t[i] = cuzk_limb_adc(a->l[i], m[i], &carry);
#pragma GCC unroll 6
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = cuzk_limb_sbb(t[i], b->l[i], &borrow);
}

static CUZK_HD void cuzk_fp_wide_add(const struct cuzk_fp_wide *a, const struct cuzk_fp_wide *b,
                                     struct cuzk_fp_wide *out)
{
    uint64_t carry = 0;
#pragma GCC unroll 12
    for (int i = 0; i < 2 * CUZK_FP_LIMBS; i++)
        out->l[i] = cuzk_limb_adc(a->l[i], b->l[i], &carry);
}

static CUZK_HD void cuzk_fp_wide_sub(const struct cuzk_fp_wide *a, const struct cuzk_fp_wide *b,
                                     struct cuzk_fp_wide *out)
{
    uint64_t borrow = 0;
#pragma GCC unroll 12
    for (int i = 0; i < 2 * CUZK_FP_LIMBS; i++)
        out->l[i] = cuzk_limb_sbb(a->l[i], b->l[i], &borrow);
}

#ifdef CUZK_FP_ADX

static CUZK_HD void cuzk_fp_mul_wide(const struct cuzk_fp *a, const struct cuzk_fp *b,
                                     struct cuzk_fp_wide *out)
{
    cuzk_fp_adx_mul_wide(a->l, b->l, out->l);
}

static CUZK_HD void cuzk_fp_redc(const struct cuzk_fp_wide *a, struct cuzk_fp *out)
{
    cuzk_fp_adx_redc(a->l, out->l);
}

#else

/* a b, any six-limb numbers; out is neither. */
static CUZK_HD_CALL void cuzk_fp_mul_wide(const struct cuzk_fp *a, const struct cuzk_fp *b,
                                          struct cuzk_fp_wide *out)
{
    uint64_t t[2 * CUZK_FP_LIMBS] = {0};
#pragma GCC unroll 6
    for (int i = 0; i < CUZK_FP_LIMBS; i++) {
        uint64_t high = 0;
#pragma GCC unroll 6
        for (int j = 0; j < CUZK_FP_LIMBS; j++)
            t[i + j] = cuzk_limb_mac(t[i + j], a->l[j], b->l[i], &high);
        t[i + CUZK_FP_LIMBS] = high;
    }
    for (int i = 0; i < 2 * CUZK_FP_LIMBS; i++)
        out->l[i] = t[i];
}

/* a / 2^384 mod p, reduced, for -9 p^2 < a < 9 p^2. */
static CUZK_HD_CALL void cuzk_fp_redc(const struct cuzk_fp_wide *a, struct cuzk_fp *out)
{
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    const uint64_t negative = 0 - (a->l[2 * CUZK_FP_LIMBS - 1] >> 63);
    uint64_t t[CUZK_FP_LIMBS], carry;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        t[i] = a->l[i];
    /* the low half becomes a number not above p */
#pragma GCC unroll 6
    for (int i = 0; i < CUZK_FP_LIMBS; i++) {
        const uint64_t q = t[0] * CUZK_FP_INV;
        uint64_t high = 0;
        (void)cuzk_limb_mac(t[0], q, m[0], &high);
#pragma GCC unroll 6
        for (int j = 1; j < CUZK_FP_LIMBS; j++)
            t[j - 1] = cuzk_limb_mac(t[j], q, m[j], &high);
        t[CUZK_FP_LIMBS - 1] = high;
    }
    carry = 0;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        t[i] = cuzk_limb_adc(t[i], m[i] & negative, &carry);
    carry = 0;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = cuzk_limb_adc(t[i], a->l[i + CUZK_FP_LIMBS], &carry);
    cuzk_fp_reduce_once(out);
}

#endif

#endif
