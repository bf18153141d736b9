/*
 * A scalar below r cut in two halves of 128 bits by the endomorphism, so that a product takes half the
 * doublings: k P = low P + high Q with Q = x^2 P = (beta X, -Y), x being the curve's parameter (Gallant,
 * Lambert and Vanstone, CRYPTO 2001). Each half is read as 32 signed digits of four bits and a carry. For
 * kernels on host and device.
 */
#ifndef CUZK_CURVE_SPLIT_H
#define CUZK_CURVE_SPLIT_H

#include "field/fp.h"

enum { CUZK_SPLIT_DIGITS = 33, CUZK_SPLIT_WINDOW = 4, CUZK_SPLIT_LARGEST = 8 };

/* A half plus 8 at every digit, so that digits come out unsigned, and what that carried. */
struct cuzk_split_half {
    uint64_t biased[2];
    uint32_t carry;
};

struct cuzk_split {
    struct cuzk_split_half low, high;
};

static CUZK_HD void cuzk_split_bias(const uint64_t half[2], struct cuzk_split_half *out)
{
    const uint64_t eights = UINT64_C(0x8888888888888888);
    const uint64_t lo = half[0] + eights, hi = half[1] + eights, carry = lo < eights;

    out->biased[0] = lo;
    out->biased[1] = hi + carry;
    out->carry = hi < eights || (hi == UINT64_MAX && carry);
}

/* k: four plain words, below r. */
static CUZK_HD void cuzk_split_scalar(const uint64_t k[4], struct cuzk_split *out)
{
    const uint64_t x2_low = UINT64_C(0x0000000100000000), x2_high = UINT64_C(0xac45a4010001a402);
    uint64_t quotient[2] = {0, 0}, rest[2] = {0, 0};

    /* long division by x^2, whose highest bit is bit 127 */
    for (int bit = 255; bit >= 0; bit--) {
        const uint64_t top = rest[1] >> 63;
        rest[1] = rest[1] << 1 | rest[0] >> 63;
        rest[0] = rest[0] << 1 | (k[bit / 64] >> (bit % 64) & 1);
        quotient[1] = quotient[1] << 1 | quotient[0] >> 63;
        quotient[0] <<= 1;
        if (top || rest[1] > x2_high || (rest[1] == x2_high && rest[0] >= x2_low)) {
            const uint64_t borrow = rest[0] < x2_low;
            rest[0] -= x2_low;
            rest[1] -= x2_high + borrow;
            quotient[0] |= 1;
        }
    }
    cuzk_split_bias(rest, &out->low);
    cuzk_split_bias(quotient, &out->high);
}

/* Digit i below CUZK_SPLIT_DIGITS, of weight 16^i: -8 to 7; the last one 0 or 1. */
static CUZK_HD int cuzk_split_digit(const struct cuzk_split_half *half, int i)
{
    if (i == CUZK_SPLIT_DIGITS - 1)
        return (int)half->carry;
    return (int)(half->biased[i / 16] >> (4 * (i % 16)) & 15) - 8;
}

/* X of the image of a point. */
static CUZK_HD void cuzk_split_times_beta(struct cuzk_fp *x)
{
    const struct cuzk_fp beta = {{UINT64_C(0x30f1361b798a64e8), UINT64_C(0xf3b8ddab7ece5a2a),
                                  UINT64_C(0x16a8ca3ac61577f7), UINT64_C(0xc26a2ff874fd029b),
                                  UINT64_C(0x3636b76660701c6e), UINT64_C(0x051ba4ab241b6160)}};

    cuzk_fp_mul(x, &beta, x);
}

#endif
