/*
 * Eight elements of Fp at once with AVX-512 IFMA.
 *
 * struct cuzk_fp8 holds eight numbers in eight limbs of 52 bits, one vector a limb, least significant first;
 * the Montgomery factor is 2^416 (struct cuzk_fp has 2^384: cuzk_fp8_load and cuzk_fp8_store convert). The
 * 416 bits leave room for 2^35 multiples of p, so nothing is reduced fully until it is stored. Two forms:
 *
 *   ready  limbs below 2^52, the number from 0 to below 2^17 p: what products take; products give less than
 *          2.1 p
 *   kept   all limbs but the top one below 2^52, the top one signed, the number between -2^13 p and 2^13 p:
 *          what differences give. Each addition or subtraction of products moves the bound by a few p, so a
 *          kept number stands for about a thousand of them; cuzk_fp8_settle makes it small again.
 *
 * Only for files compiled with CUZK_IFMA_FLAGS, called after cuzk_cpu_level() said CUZK_CPU_IFMA.
 * Reduction: limb i of the product is worth limb * 2^-52 mod p one limb higher, so seven of the eight steps
 * add limb * (2^-52 mod p) and need no quotient; they leave the eighth, an ordinary Montgomery step, to end
 * below a b / 2^416 + 2 p.
 */
#ifndef CUZK_FIELD_FP_IFMA_H
#define CUZK_FIELD_FP_IFMA_H

#include <immintrin.h>

#include "field/fp.h"

enum { CUZK_FP8_LIMBS = 8, CUZK_FP8_LANES = 8 };

struct cuzk_fp8 {
    __m512i l[CUZK_FP8_LIMBS];
};

#define CUZK_FP8_MASK UINT64_C(0xfffffffffffff)
/* p in limbs of 52 bits */
#define CUZK_FP8_MODULUS                                                                                     \
    {UINT64_C(0xeffffffffaaab), UINT64_C(0xfeb153ffffb9f), UINT64_C(0x6b0f6241eabff),                        \
     UINT64_C(0x12bf6730d2a0f), UINT64_C(0x764774b84f385), UINT64_C(0x1ba7b6434bacd),                        \
     UINT64_C(0x1ea397fe69a4b), UINT64_C(0x1a011)}
/* 2^-52 mod p: what a limb is worth one limb higher */
#define CUZK_FP8_FOLD                                                                                        \
    {UINT64_C(0x4be07d2027cb),  UINT64_C(0xd7786e39002d4), UINT64_C(0xf51047083c4dd),                        \
     UINT64_C(0x96079a7670223), UINT64_C(0x4ca513044b79),  UINT64_C(0x6615d3780ea11),                        \
     UINT64_C(0xf9a5623d6a279), UINT64_C(0x6803)}
/* -1/p mod 2^52 */
#define CUZK_FP8_INV UINT64_C(0x3fffcfffcfffd)
/* 2^416 mod p: one */
#define CUZK_FP8_ONE                                                                                         \
    {UINT64_C(0x6480ea8e9b9af), UINT64_C(0x65766c8fe444f), UINT64_C(0x8b540fea96f7d),                        \
     UINT64_C(0x3b2ee82efd422), UINT64_C(0xa6723e5f0ade5), UINT64_C(0xff6eb6fdd4230),                        \
     UINT64_C(0xe06ef23c24a25), UINT64_C(0x14c8e)}
/* 2^15 p */
#define CUZK_FP8_OFFSET                                                                                      \
    {UINT64_C(0xfffffd5558000), UINT64_C(0xa9ffffdcff7ff), UINT64_C(0xb120f55ffff58),                        \
     UINT64_C(0xb39869507b587), UINT64_C(0xba5c279c2895f), UINT64_C(0xdb21a5d66bb23),                        \
     UINT64_C(0xcbff34d258dd3), UINT64_C(0xd0088f51)}
/* 2^448 mod p: from x 2^384 to x 2^416 */
#define CUZK_FP8_ENTER                                                                                       \
    {UINT64_C(0x7fde37dba9366), UINT64_C(0x4e27525bc342b), UINT64_C(0x1f5b1e9778489),                        \
     UINT64_C(0xb872b2b91b9dc), UINT64_C(0xb206f497dfcaf), UINT64_C(0x4137cc89a9b0b),                        \
     UINT64_C(0xd9d20d7e39959), UINT64_C(0x411c)}
/* 2^832 mod p: from x to x 2^416 */
#define CUZK_FP8_ENTER_PLAIN                                                                                 \
    {UINT64_C(0xa5bf4cb89af51), UINT64_C(0x3afbba7ca31a2), UINT64_C(0x2646160ec71f1),                        \
     UINT64_C(0xa84d710465903), UINT64_C(0x3480a4a188311), UINT64_C(0x98e5907ad91f5),                        \
     UINT64_C(0x2075d74507266), UINT64_C(0x8746)}
/* 2^384 mod p: from x 2^416 to x 2^384 */
#define CUZK_FP8_LEAVE                                                                                       \
    {UINT64_C(0x900000002fffd), UINT64_C(0xbc40c0002760),  UINT64_C(0x3c758baebf400),                        \
     UINT64_C(0x57455f4898575), UINT64_C(0xd77ce58537052), UINT64_C(0x71a97a256ec6),                         \
     UINT64_C(0xec3fa80e4935c), UINT64_C(0x15f65)}
/* one as a number: from x 2^416 to x */
#define CUZK_FP8_LEAVE_PLAIN                                                                                 \
    {UINT64_C(0x1), UINT64_C(0x0), UINT64_C(0x0), UINT64_C(0x0),                                             \
     UINT64_C(0x0), UINT64_C(0x0), UINT64_C(0x0), UINT64_C(0x0)}

#define CUZK_FP8_FN CUZK_LANE_INLINE

CUZK_FP8_FN __m512i cuzk_fp8_word(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

CUZK_FP8_FN void cuzk_fp8_broadcast_limbs(const uint64_t limbs[CUZK_FP8_LIMBS], struct cuzk_fp8 *out)
{
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = cuzk_fp8_word(limbs[i]);
}

/* Limbs of any sign below 2^63 to limbs below 2^52 under a signed top limb. */
CUZK_FP8_FN void cuzk_fp8_carry(struct cuzk_fp8 *a)
{
    const __m512i mask = cuzk_fp8_word(CUZK_FP8_MASK);
#pragma GCC unroll 8
    for (int i = 0; i + 1 < CUZK_FP8_LIMBS; i++) {
        a->l[i + 1] = _mm512_add_epi64(a->l[i + 1], _mm512_srai_epi64(a->l[i], 52));
        a->l[i] = _mm512_and_si512(a->l[i], mask);
    }
}

CUZK_FP8_FN void cuzk_fp8_one(struct cuzk_fp8 *out)
{
    const uint64_t one[CUZK_FP8_LIMBS] = CUZK_FP8_ONE;
    cuzk_fp8_broadcast_limbs(one, out);
}

/* a - b, kept */
CUZK_FP8_FN void cuzk_fp8_sub(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b, struct cuzk_fp8 *out)
{
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = _mm512_sub_epi64(a->l[i], b->l[i]);
    cuzk_fp8_carry(out);
}

/* a + b, kept if they are */
CUZK_FP8_FN void cuzk_fp8_add(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b, struct cuzk_fp8 *out)
{
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
    cuzk_fp8_carry(out);
}

/* kept (or a sum or difference of two kept numbers) to ready: adds 2^15 p */
CUZK_FP8_FN void cuzk_fp8_ready(const struct cuzk_fp8 *a, struct cuzk_fp8 *out)
{
    const uint64_t offset[CUZK_FP8_LIMBS] = CUZK_FP8_OFFSET;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = _mm512_add_epi64(a->l[i], cuzk_fp8_word(offset[i]));
    cuzk_fp8_carry(out);
}

/* a - b of kept numbers, ready */
CUZK_FP8_FN void cuzk_fp8_sub_ready(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b, struct cuzk_fp8 *out)
{
    const uint64_t offset[CUZK_FP8_LIMBS] = CUZK_FP8_OFFSET;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), cuzk_fp8_word(offset[i]));
    cuzk_fp8_carry(out);
}

/* a + b of kept numbers, ready */
CUZK_FP8_FN void cuzk_fp8_add_ready(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b, struct cuzk_fp8 *out)
{
    const uint64_t offset[CUZK_FP8_LIMBS] = CUZK_FP8_OFFSET;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = _mm512_add_epi64(_mm512_add_epi64(a->l[i], b->l[i]), cuzk_fp8_word(offset[i]));
    cuzk_fp8_carry(out);
}

/* Lanes in mask from a, the others from b. */
CUZK_FP8_FN void cuzk_fp8_select(__mmask8 mask, const struct cuzk_fp8 *a, const struct cuzk_fp8 *b,
                                 struct cuzk_fp8 *out)
{
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = _mm512_mask_mov_epi64(b->l[i], mask, a->l[i]);
}

/* t / 2^416 + multiple p mod p of a sixteen-limb product (columns of any sign, below 2^58): between
 * t / 2^416 + multiple p and 2 p more. `multiple` is a constant that makes it ready where t is negative. */
CUZK_FP8_FN void cuzk_fp8_reduce_product(__m512i t[2 * CUZK_FP8_LIMBS], unsigned multiple,
                                         struct cuzk_fp8 *out)
{
    const uint64_t m[CUZK_FP8_LIMBS] = CUZK_FP8_MODULUS, f[CUZK_FP8_LIMBS] = CUZK_FP8_FOLD;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS - 1; i++) {
        const __m512i low = t[i];
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srai_epi64(low, 52));
#pragma GCC unroll 8
        for (int j = 0; j < CUZK_FP8_LIMBS; j++) {
            const __m512i fj = cuzk_fp8_word(f[j]);
            t[i + j + 1] = _mm512_madd52lo_epu64(t[i + j + 1], low, fj);
            t[i + j + 2] = _mm512_madd52hi_epu64(t[i + j + 2], low, fj);
        }
    }
    const __m512i last = t[CUZK_FP8_LIMBS - 1];
    const __m512i q = _mm512_madd52lo_epu64(_mm512_setzero_si512(), last, cuzk_fp8_word(CUZK_FP8_INV));
#pragma GCC unroll 8
    for (int j = 0; j < CUZK_FP8_LIMBS; j++) {
        const __m512i mj = cuzk_fp8_word(m[j]);
        t[CUZK_FP8_LIMBS - 1 + j] = _mm512_madd52lo_epu64(t[CUZK_FP8_LIMBS - 1 + j], q, mj);
        t[CUZK_FP8_LIMBS + j] = _mm512_madd52hi_epu64(t[CUZK_FP8_LIMBS + j], q, mj);
    }
    t[CUZK_FP8_LIMBS] = _mm512_add_epi64(t[CUZK_FP8_LIMBS], _mm512_srai_epi64(t[CUZK_FP8_LIMBS - 1], 52));
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = multiple == 0 ? t[CUZK_FP8_LIMBS + i]
                                  : _mm512_add_epi64(t[CUZK_FP8_LIMBS + i], cuzk_fp8_word(multiple * m[i]));
    cuzk_fp8_carry(out);
}

/* t = a b, columns not carried; t has sixteen limbs */
CUZK_FP8_FN void cuzk_fp8_product(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b,
                                  __m512i t[2 * CUZK_FP8_LIMBS])
{
#pragma GCC unroll 16
    for (int i = 0; i < 2 * CUZK_FP8_LIMBS; i++)
        t[i] = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++) {
#pragma GCC unroll 8
        for (int j = 0; j < CUZK_FP8_LIMBS; j++) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a->l[i], b->l[j]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a->l[i], b->l[j]);
        }
    }
}

CUZK_FP8_FN void cuzk_fp8_square(const struct cuzk_fp8 *a, __m512i t[2 * CUZK_FP8_LIMBS])
{
#pragma GCC unroll 16
    for (int i = 0; i < 2 * CUZK_FP8_LIMBS; i++)
        t[i] = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++) {
#pragma GCC unroll 8
        for (int j = i + 1; j < CUZK_FP8_LIMBS; j++) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a->l[i], a->l[j]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a->l[i], a->l[j]);
        }
    }
#pragma GCC unroll 16
    for (int i = 1; i + 1 < 2 * CUZK_FP8_LIMBS; i++)
        t[i] = _mm512_add_epi64(t[i], t[i]);
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++) {
        t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a->l[i], a->l[i]);
        t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a->l[i], a->l[i]);
    }
}

/* a b, ready and below 2.1 p, of ready numbers */
CUZK_FP8_FN void cuzk_fp8_mul(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b, struct cuzk_fp8 *out)
{
    __m512i t[2 * CUZK_FP8_LIMBS];
    cuzk_fp8_product(a, b, t);
    cuzk_fp8_reduce_product(t, 0, out);
}

/* a^2, as cuzk_fp8_mul */
CUZK_FP8_FN void cuzk_fp8_sqr(const struct cuzk_fp8 *a, struct cuzk_fp8 *out)
{
    __m512i t[2 * CUZK_FP8_LIMBS];
    cuzk_fp8_square(a, t);
    cuzk_fp8_reduce_product(t, 0, out);
}

/* Subtracts p once from the lanes that reach it; limbs below 2^52. */
CUZK_FP8_FN void cuzk_fp8_reduce_once(struct cuzk_fp8 *a)
{
    const uint64_t m[CUZK_FP8_LIMBS] = CUZK_FP8_MODULUS;
    struct cuzk_fp8 t;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        t.l[i] = _mm512_sub_epi64(a->l[i], cuzk_fp8_word(m[i]));
    cuzk_fp8_carry(&t);
    cuzk_fp8_select(_mm512_movepi64_mask(t.l[CUZK_FP8_LIMBS - 1]), a, &t, a);
}

/* Any kept number to one below 2.1 p (ready): a product with one */
CUZK_FP8_FN void cuzk_fp8_settle(const struct cuzk_fp8 *a, struct cuzk_fp8 *out)
{
    struct cuzk_fp8 one, t;
    cuzk_fp8_one(&one);
    cuzk_fp8_ready(a, &t);
    cuzk_fp8_mul(&t, &one, out);
}

/* The lanes of a ready number that are zero modulo p. */
CUZK_FP8_FN __mmask8 cuzk_fp8_zero_lanes(const struct cuzk_fp8 *a)
{
    struct cuzk_fp8 one, t;
    __m512i any;

    cuzk_fp8_one(&one);
    cuzk_fp8_mul(a, &one, &t);
    cuzk_fp8_reduce_once(&t);
    cuzk_fp8_reduce_once(&t);
    any = t.l[0];
#pragma GCC unroll 8
    for (int i = 1; i < CUZK_FP8_LIMBS; i++)
        any = _mm512_or_si512(any, t.l[i]);
    return _mm512_testn_epi64_mask(any, any);
}

/* Six vectors of 64-bit words (word i of eight numbers below 2^384) to limbs, the numbers unchanged. */
CUZK_FP8_FN void cuzk_fp8_from_word_vectors(const __m512i w[CUZK_FP_LIMBS], struct cuzk_fp8 *out)
{
    const __m512i mask = cuzk_fp8_word(CUZK_FP8_MASK);
    out->l[0] = _mm512_and_si512(w[0], mask);
#pragma GCC unroll 8
    for (int i = 1; i < CUZK_FP8_LIMBS - 1; i++) {
        const int word = 52 * i / 64, shift = 52 * i % 64;
        __m512i v = _mm512_srli_epi64(w[word], (unsigned)shift);
        if (shift > 12)
            v = _mm512_or_si512(v, _mm512_slli_epi64(w[word + 1], (unsigned)(64 - shift)));
        out->l[i] = _mm512_and_si512(v, mask);
    }
    out->l[7] = _mm512_srli_epi64(w[5], 44);
}

/* The converse, for numbers below 2^384. */
CUZK_FP8_FN void cuzk_fp8_to_word_vectors(const struct cuzk_fp8 *a, __m512i w[CUZK_FP_LIMBS])
{
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP_LIMBS; i++) {
        const int limb = 64 * i / 52, shift = 64 * i % 52;
        __m512i v = _mm512_or_si512(_mm512_srli_epi64(a->l[limb], (unsigned)shift),
                                    _mm512_slli_epi64(a->l[limb + 1], (unsigned)(52 - shift)));
        if (104 - shift < 64)
            v = _mm512_or_si512(v, _mm512_slli_epi64(a->l[limb + 2], (unsigned)(104 - shift)));
        w[i] = v;
    }
}

/* Six 64-bit words from each of eight addresses (no alignment) as vectors: the transposition of what is
 * there. Two 256-bit loads a lane; lanes l and l + 4 share a register from the start. */
CUZK_FP8_FN void cuzk_fp8_gather_words(const void *const from[CUZK_FP8_LANES], __m512i w[CUZK_FP_LIMBS])
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);

#pragma GCC unroll 2
    for (int half = 0; half < 2; half++) {
        const __mmask8 words = half == 0 ? 0xf : 0x3; /* of the four in a half */
        __m512i r[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            const __m256i a = _mm256_maskz_loadu_epi64(words, (const char *)from[i] + 32 * half);
            const __m256i b = _mm256_maskz_loadu_epi64(words, (const char *)from[i + 4] + 32 * half);
            r[i] = _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
        }
        const __m512i even01 = _mm512_unpacklo_epi64(r[0], r[1]), odd01 = _mm512_unpackhi_epi64(r[0], r[1]);
        const __m512i even23 = _mm512_unpacklo_epi64(r[2], r[3]), odd23 = _mm512_unpackhi_epi64(r[2], r[3]);
        w[4 * half] = _mm512_permutex2var_epi64(even01, low, even23);
        w[4 * half + 1] = _mm512_permutex2var_epi64(odd01, low, odd23);
        if (half == 0) {
            w[2] = _mm512_permutex2var_epi64(even01, high, even23);
            w[3] = _mm512_permutex2var_epi64(odd01, high, odd23);
        }
    }
}

/* Eight elements of fp.h, each from its own address, ready. */
CUZK_FP8_FN void cuzk_fp8_load(const struct cuzk_fp *const from[CUZK_FP8_LANES], struct cuzk_fp8 *out)
{
    const uint64_t enter[CUZK_FP8_LIMBS] = CUZK_FP8_ENTER;
    const void *at[CUZK_FP8_LANES];
    __m512i w[CUZK_FP_LIMBS];
    struct cuzk_fp8 factor;

#pragma GCC unroll 8
    for (int lane = 0; lane < CUZK_FP8_LANES; lane++)
        at[lane] = from[lane];
    cuzk_fp8_gather_words(at, w);
    cuzk_fp8_from_word_vectors(w, out);
    cuzk_fp8_broadcast_limbs(enter, &factor);
    cuzk_fp8_mul(out, &factor, out);
}

/* 48 big-endian bytes from each of eight addresses as numbers, not in Montgomery form; returns the lanes
 * where they are below p. */
CUZK_FP8_FN __mmask8 cuzk_fp8_load_bytes(const uint8_t *const from[CUZK_FP8_LANES], struct cuzk_fp8 *out)
{
    const __m512i swap =
        _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
    const uint64_t m[CUZK_FP8_LIMBS] = CUZK_FP8_MODULUS;
    const void *at[CUZK_FP8_LANES];
    __m512i read[CUZK_FP_LIMBS], w[CUZK_FP_LIMBS];
    struct cuzk_fp8 t;

#pragma GCC unroll 8
    for (int lane = 0; lane < CUZK_FP8_LANES; lane++)
        at[lane] = from[lane];
    cuzk_fp8_gather_words(at, read);
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        w[i] = _mm512_shuffle_epi8(read[CUZK_FP_LIMBS - 1 - i], swap);
    cuzk_fp8_from_word_vectors(w, out);
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        t.l[i] = _mm512_sub_epi64(out->l[i], cuzk_fp8_word(m[i]));
    cuzk_fp8_carry(&t);
    return _mm512_movepi64_mask(t.l[CUZK_FP8_LIMBS - 1]);
}

/* Words of the numbers x 2^384 mod p (leave = CUZK_FP8_LEAVE) or x mod p (CUZK_FP8_LEAVE_PLAIN), reduced. */
CUZK_FP8_FN void cuzk_fp8_leave(const struct cuzk_fp8 *a, const uint64_t leave[CUZK_FP8_LIMBS],
                                __m512i w[CUZK_FP_LIMBS])
{
    struct cuzk_fp8 factor, t;

    cuzk_fp8_broadcast_limbs(leave, &factor);
    cuzk_fp8_mul(a, &factor, &t);
    cuzk_fp8_reduce_once(&t);
    cuzk_fp8_reduce_once(&t);
    cuzk_fp8_to_word_vectors(&t, w);
}

/* Eight ready numbers to elements of fp.h. */
CUZK_FP8_FN void cuzk_fp8_store(const struct cuzk_fp8 *a, struct cuzk_fp *const to[CUZK_FP8_LANES])
{
    const uint64_t leave[CUZK_FP8_LIMBS] = CUZK_FP8_LEAVE;
    uint64_t words[CUZK_FP_LIMBS][CUZK_FP8_LANES] __attribute__((aligned(64)));
    __m512i w[CUZK_FP_LIMBS];

    cuzk_fp8_leave(a, leave, w);
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        _mm512_store_si512(words[i], w[i]);
    for (int lane = 0; lane < CUZK_FP8_LANES; lane++)
        for (int i = 0; i < CUZK_FP_LIMBS; i++)
            to[lane]->l[i] = words[i][lane];
}

#endif
