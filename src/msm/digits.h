/*
 * Scalars as signed digits. A scalar s is first taken to the nearest of s and s - r (|s| < 2^254), then to
 * `windows` digits of c bits between -2^(c-1) and 2^(c-1) - 1. Adding 2^(c-1) at every window makes the
 * digits independent: digit w is bits [c w, c w + c) of the sum, minus 2^(c-1).
 */
#ifndef CUZK_MSM_DIGITS_H
#define CUZK_MSM_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

#include "field/fr.h"

enum { DIGITS_LEAST = 5, DIGITS_MOST = 17 }; /* bits a digit */

/* Windows of c bits for |s| <= r / 2 < 0.91 * 2^254 (5 <= c): the biased scalar fits in c * windows bits. */
static inline unsigned digits_windows(unsigned c)
{
    return (255 + c - 1) / c;
}

/* s or r - s, whichever is smaller, for any 256-bit s (reduced first); true if it was negated. */
static inline bool digits_reduce(const uint64_t s[4], uint64_t out[4])
{
    const uint64_t r[4] = CUZK_FR_MODULUS;
    const uint64_t half[4] = {UINT64_C(0x7fffffff80000000), UINT64_C(0xa9ded2017fff2dff),
                              UINT64_C(0x199cec0404d0ec02), UINT64_C(0x39f6d3a994cebea4)};
    uint64_t t[4], borrow;

    for (int i = 0; i < 4; i++)
        out[i] = s[i];
    while (out[3] >= r[3]) { /* at most three times */
        borrow = 0;
        for (int i = 0; i < 4; i++)
            t[i] = cuzk_limb_sbb(out[i], r[i], &borrow);
        if (borrow)
            break;
        for (int i = 0; i < 4; i++)
            out[i] = t[i];
    }
    borrow = 0;
    for (int i = 0; i < 4; i++)
        (void)cuzk_limb_sbb(half[i], out[i], &borrow);
    if (!borrow)
        return false;
    borrow = 0;
    for (int i = 0; i < 4; i++)
        out[i] = cuzk_limb_sbb(r[i], out[i], &borrow);
    return true;
}

/* What a form of digits adds to every scalar: 2^(c-1) at every window. */
struct digits_form {
    unsigned c, windows;
    uint64_t bias[5];
};

static inline void digits_form_init(struct digits_form *form, unsigned c)
{
    *form = (struct digits_form){.c = c, .windows = digits_windows(c)};
    for (unsigned w = 0; w < form->windows; w++) {
        const unsigned bit = c * w + c - 1;
        form->bias[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
}

/* out has one word more than the scalar, the fifth. */
static inline void digits_bias(const struct digits_form *form, const uint64_t s[4], uint64_t out[5])
{
    uint64_t carry = 0;

    for (int i = 0; i < 4; i++)
        out[i] = cuzk_limb_adc(s[i], form->bias[i], &carry);
    out[4] = form->bias[4] + carry;
}

/* Bits [c w, c w + c) of a biased scalar: the digit plus 2^(c-1). */
static inline uint32_t digits_get(const uint64_t biased[5], unsigned c, unsigned w)
{
    const unsigned bit = c * w, word = bit / 64, shift = bit % 64;
    uint64_t v = biased[word] >> shift;

    if (shift + c > 64 && word < 4)
        v |= biased[word + 1] << (64 - shift);
    return (uint32_t)(v & ((UINT64_C(1) << c) - 1));
}

#endif
