/*
 * Powers, inverses and roots in Fp.
 *
 * Static functions, so that files compiled for different instruction sets each have their own
 * (field/kernel.h). Other code calls field/fp.h. The contracts are there.
 */
#ifndef CUZK_FIELD_FP_KERNEL_H
#define CUZK_FIELD_FP_KERNEL_H

#include "field/fp.h"
#include "field/inverse.h"

#define CUZK_KERNEL static __attribute__((noinline, unused))

/* by sliding windows of at most five bits, odd powers from a table */
CUZK_KERNEL void cuzk_fp_kernel_pow(const struct cuzk_fp *base, const uint64_t *exponent, size_t limbs,
                                    struct cuzk_fp *out)
{
    enum { WINDOW = 5 };
    struct cuzk_fp odd[1 << (WINDOW - 1)], square, acc; /* odd[i] = base^(2 i + 1) */
    bool started = false;

    odd[0] = *base;
    cuzk_fp_sqr(base, &square);
    for (int i = 1; i < 1 << (WINDOW - 1); i++)
        cuzk_fp_mul(&odd[i - 1], &square, &odd[i]);
    cuzk_fp_one(&acc);
    for (size_t i = limbs * 64; i > 0;) { /* bits from i on are done */
        if (!(exponent[(i - 1) / 64] >> ((i - 1) % 64) & 1)) {
            if (started)
                cuzk_fp_sqr(&acc, &acc);
            i--;
            continue;
        }
        size_t low = i > WINDOW ? i - WINDOW : 0;
        while (!(exponent[low / 64] >> (low % 64) & 1))
            low++;
        unsigned value = 0;
        for (size_t k = i; k-- > low;) {
            value = value << 1 | (unsigned)(exponent[k / 64] >> (k % 64) & 1);
            if (started)
                cuzk_fp_sqr(&acc, &acc);
        }
        if (started)
            cuzk_fp_mul(&acc, &odd[value / 2], &acc);
        else
            acc = odd[value / 2];
        started = true;
        i = low;
    }
    *out = acc;
}

CUZK_KERNEL void cuzk_fp_kernel_inverse(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    /* (x R)^-1 R^2 = x^-1 R */
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS, r2[CUZK_FP_LIMBS] = CUZK_FP_R2;
    *out = *a;
    inverse_mod(out->l, r2, m, UINT64_C(0x360c000300030003), CUZK_FP_LIMBS, 7);
}

CUZK_KERNEL void cuzk_fp_kernel_batch_inverse(struct cuzk_fp *elements, size_t n, struct cuzk_fp *scratch)
{
    struct cuzk_fp acc;

    cuzk_fp_one(&acc);
    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cuzk_fp_is_zero(&elements[i]))
            cuzk_fp_mul(&acc, &elements[i], &acc);
    }
    cuzk_fp_kernel_inverse(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        if (cuzk_fp_is_zero(&elements[i]))
            continue;
        struct cuzk_fp inverse;
        cuzk_fp_mul(&acc, &scratch[i], &inverse);
        cuzk_fp_mul(&acc, &elements[i], &acc);
        elements[i] = inverse;
    }
}

CUZK_KERNEL bool cuzk_fp_kernel_sqrt(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    /* p = 3 mod 4: a^((p+1)/4) is a root if there is one */
    static const uint64_t exponent[CUZK_FP_LIMBS] = {
        UINT64_C(0xee7fbfffffffeaab), UINT64_C(0x07aaffffac54ffff), UINT64_C(0xd9cc34a83dac3d89),
        UINT64_C(0xd91dd2e13ce144af), UINT64_C(0x92c6e9ed90d2eb35), UINT64_C(0x0680447a8e5ff9a6)};
    struct cuzk_fp root, square;

    cuzk_fp_kernel_pow(a, exponent, CUZK_FP_LIMBS, &root);
    cuzk_fp_sqr(&root, &square);
    if (!cuzk_fp_equal(&square, a))
        return false;
    *out = root;
    return true;
}

#endif
