/*
 * Eight elements of Fr at once with AVX-512 IFMA.
 *
 * struct cuzk_fr8 holds eight numbers in five limbs of 52 bits, one vector a limb, least significant first.
 * Limbs are normalised (below 2^52) at every function's entry and exit; the numbers are NOT kept below r:
 * each comment says how large a result gets. 2^260 is 35.3 r, so sums of up to 35 reduced numbers fit.
 *
 * cuzk_fr8_mul divides by 2^260, while struct cuzk_fr is in Montgomery form for 2^256. Three ways to live
 * with that:
 *   - multiply by constants kept as w * 2^260 (cuzk_fr8_load_shifted of a struct cuzk_fr): the other operand
 *     may be anything, and keeps its form. Transforms do this: data stay as loaded.
 *   - load one factor of a product with cuzk_fr8_load, the other with cuzk_fr8_load_shifted: the product is
 * in the form of struct cuzk_fr again.
 *   - load everything with cuzk_fr8_load_shifted, compute in the 2^260 form, multiply by 2^256 at the end
 *     (cuzk_fr8_leave).
 *
 * Only for files compiled with CUZK_IFMA_FLAGS, called after cuzk_cpu_level() said CUZK_CPU_IFMA.
 * Source of the carry-free product: Gueron and Krasnov, "Accelerating big integer arithmetic using Intel IFMA
 * extensions" (ARITH 2016).
 */
#ifndef CUZK_FIELD_FR_IFMA_H
#define CUZK_FIELD_FR_IFMA_H

#include <immintrin.h>

#include "field/fr.h"

enum { CUZK_FR8_LIMBS = 5, CUZK_FR8_LANES = 8 };

struct cuzk_fr8 {
    __m512i l[CUZK_FR8_LIMBS];
};

#define CUZK_FR8_MASK UINT64_C(0xfffffffffffff)
/* r in limbs of 52 bits */
#define CUZK_FR8_MODULUS                                                                                     \
    {UINT64_C(0xfffff00000001), UINT64_C(0x02fffe5bfefff), UINT64_C(0x9a1d80553bda4),                        \
     UINT64_C(0x7d483339d8080), UINT64_C(0x073eda753299d)}
/* -1/r mod 2^52 */
#define CUZK_FR8_INV UINT64_C(0xffffeffffffff)

#define CUZK_FR8_FN CUZK_LANE_INLINE

CUZK_FR8_FN __m512i cuzk_fr8_word(uint64_t word)
{
    return _mm512_set1_epi64((long long)word);
}

/* Carries so that every limb but the top one is below 2^52; limbs may be negative before (two's complement),
 * the number itself may not. */
CUZK_FR8_FN void cuzk_fr8_carry(struct cuzk_fr8 *a)
{
    const __m512i mask = cuzk_fr8_word(CUZK_FR8_MASK);
#pragma GCC unroll 8
    for (int i = 0; i + 1 < CUZK_FR8_LIMBS; i++) {
        a->l[i + 1] = _mm512_add_epi64(a->l[i + 1], _mm512_srai_epi64(a->l[i], 52));
        a->l[i] = _mm512_and_si512(a->l[i], mask);
    }
}

/* a + b; not reduced: the sizes add up */
CUZK_FR8_FN void cuzk_fr8_add(const struct cuzk_fr8 *a, const struct cuzk_fr8 *b, struct cuzk_fr8 *out)
{
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++)
        out->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
    cuzk_fr8_carry(out);
}

/* a - b + k r: k (a constant, at most 32) must be large enough to keep it from being negative */
CUZK_FR8_FN void cuzk_fr8_sub(const struct cuzk_fr8 *a, const struct cuzk_fr8 *b, int k, struct cuzk_fr8 *out)
{
    const uint64_t m[CUZK_FR8_LIMBS] = CUZK_FR8_MODULUS;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++) {
        const __m512i offset = cuzk_fr8_word(m[i] * (uint64_t)k);
        out->l[i] = _mm512_add_epi64(_mm512_sub_epi64(a->l[i], b->l[i]), offset);
    }
    cuzk_fr8_carry(out);
}

/* Brings a < 2 k r (k a power of two, a constant) below r. */
CUZK_FR8_FN void cuzk_fr8_reduce(struct cuzk_fr8 *a, int k)
{
    const uint64_t m[CUZK_FR8_LIMBS] = CUZK_FR8_MODULUS;
#pragma GCC unroll 8
    for (; k > 0; k /= 2) {
        struct cuzk_fr8 t;
#pragma GCC unroll 8
        for (int i = 0; i < CUZK_FR8_LIMBS; i++)
            t.l[i] = _mm512_sub_epi64(a->l[i], cuzk_fr8_word(m[i] * (uint64_t)k));
        cuzk_fr8_carry(&t);
        const __mmask8 negative = _mm512_movepi64_mask(t.l[CUZK_FR8_LIMBS - 1]);
#pragma GCC unroll 8
        for (int i = 0; i < CUZK_FR8_LIMBS; i++)
            a->l[i] = _mm512_mask_mov_epi64(t.l[i], negative, a->l[i]);
    }
}

/* Montgomery reduction of a ten-limb product t (columns below 2^63): t / 2^260, below t / 2^260 + r */
CUZK_FR8_FN void cuzk_fr8_reduce_product(__m512i t[2 * CUZK_FR8_LIMBS], struct cuzk_fr8 *out)
{
    const uint64_t m[CUZK_FR8_LIMBS] = CUZK_FR8_MODULUS;
    const __m512i inv = cuzk_fr8_word(CUZK_FR8_INV);
    const __m512i zero = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++) {
        const __m512i q = _mm512_madd52lo_epu64(zero, t[i], inv);
#pragma GCC unroll 8
        for (int j = 0; j < CUZK_FR8_LIMBS; j++) {
            const __m512i mj = cuzk_fr8_word(m[j]);
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], q, mj);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], q, mj);
        }
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64(t[i], 52));
    }
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++)
        out->l[i] = t[CUZK_FR8_LIMBS + i];
    cuzk_fr8_carry(out);
}

/* a b / 2^260 mod r, below a b / 2^260 + r: below 2 r wherever a b < 35 r^2 (a < 16 r and b < 2 r, say) */
CUZK_FR8_FN void cuzk_fr8_mul(const struct cuzk_fr8 *a, const struct cuzk_fr8 *b, struct cuzk_fr8 *out)
{
    __m512i t[2 * CUZK_FR8_LIMBS];
#pragma GCC unroll 16
    for (int i = 0; i < 2 * CUZK_FR8_LIMBS; i++)
        t[i] = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++) {
#pragma GCC unroll 8
        for (int j = 0; j < CUZK_FR8_LIMBS; j++) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a->l[i], b->l[j]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a->l[i], b->l[j]);
        }
    }
    cuzk_fr8_reduce_product(t, out);
}

/* a^2 / 2^260 mod r: bounds as cuzk_fr8_mul */
CUZK_FR8_FN void cuzk_fr8_sqr(const struct cuzk_fr8 *a, struct cuzk_fr8 *out)
{
    __m512i t[2 * CUZK_FR8_LIMBS];
#pragma GCC unroll 16
    for (int i = 0; i < 2 * CUZK_FR8_LIMBS; i++)
        t[i] = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++) {
#pragma GCC unroll 8
        for (int j = i + 1; j < CUZK_FR8_LIMBS; j++) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a->l[i], a->l[j]);
            t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a->l[i], a->l[j]);
        }
    }
#pragma GCC unroll 16
    for (int i = 1; i + 1 < 2 * CUZK_FR8_LIMBS; i++)
        t[i] = _mm512_add_epi64(t[i], t[i]);
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++) {
        t[2 * i] = _mm512_madd52lo_epu64(t[2 * i], a->l[i], a->l[i]);
        t[2 * i + 1] = _mm512_madd52hi_epu64(t[2 * i + 1], a->l[i], a->l[i]);
    }
    cuzk_fr8_reduce_product(t, out);
}

/* The same number in all lanes: the limbs of a struct cuzk_fr as they are. */
CUZK_FR8_FN void cuzk_fr8_broadcast(const struct cuzk_fr *a, struct cuzk_fr8 *out)
{
    const uint64_t *w = a->l;
    out->l[0] = _mm512_set1_epi64((long long)(w[0] & CUZK_FR8_MASK));
    out->l[1] = _mm512_set1_epi64((long long)((w[0] >> 52 | w[1] << 12) & CUZK_FR8_MASK));
    out->l[2] = _mm512_set1_epi64((long long)((w[1] >> 40 | w[2] << 24) & CUZK_FR8_MASK));
    out->l[3] = _mm512_set1_epi64((long long)((w[2] >> 28 | w[3] << 36) & CUZK_FR8_MASK));
    out->l[4] = _mm512_set1_epi64((long long)(w[3] >> 16));
}

/* Four vectors of 64-bit words (word i of eight numbers) to limbs of 52 bits, and back. */
CUZK_FR8_FN void cuzk_fr8_from_word_vectors(const __m512i w[CUZK_FR_LIMBS], struct cuzk_fr8 *out)
{
    const __m512i mask = cuzk_fr8_word(CUZK_FR8_MASK);
    out->l[0] = _mm512_and_si512(w[0], mask);
    out->l[1] =
        _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[0], 52), _mm512_slli_epi64(w[1], 12)), mask);
    out->l[2] =
        _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[1], 40), _mm512_slli_epi64(w[2], 24)), mask);
    out->l[3] =
        _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[2], 28), _mm512_slli_epi64(w[3], 36)), mask);
    out->l[4] = _mm512_srli_epi64(w[3], 16);
}

/* As cuzk_fr8_from_word_vectors, times 16: from the form of struct cuzk_fr to the 2^260 form. The numbers
 * must be below 2^256; results are below 16 times that. */
CUZK_FR8_FN void cuzk_fr8_from_word_vectors_shifted(const __m512i w[CUZK_FR_LIMBS], struct cuzk_fr8 *out)
{
    const __m512i mask = cuzk_fr8_word(CUZK_FR8_MASK);
    out->l[0] = _mm512_and_si512(_mm512_slli_epi64(w[0], 4), mask);
    out->l[1] =
        _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[0], 48), _mm512_slli_epi64(w[1], 16)), mask);
    out->l[2] =
        _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[1], 36), _mm512_slli_epi64(w[2], 28)), mask);
    out->l[3] =
        _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(w[2], 24), _mm512_slli_epi64(w[3], 40)), mask);
    out->l[4] = _mm512_srli_epi64(w[3], 12);
}

/* The numbers must be below 2^256. */
CUZK_FR8_FN void cuzk_fr8_to_word_vectors(const struct cuzk_fr8 *a, __m512i w[CUZK_FR_LIMBS])
{
    w[0] = _mm512_or_si512(a->l[0], _mm512_slli_epi64(a->l[1], 52));
    w[1] = _mm512_or_si512(_mm512_srli_epi64(a->l[1], 12), _mm512_slli_epi64(a->l[2], 40));
    w[2] = _mm512_or_si512(_mm512_srli_epi64(a->l[2], 24), _mm512_slli_epi64(a->l[3], 28));
    w[3] = _mm512_or_si512(_mm512_srli_epi64(a->l[3], 36), _mm512_slli_epi64(a->l[4], 16));
}

/* Eight consecutive elements as vectors of words (a transposition), and back. No alignment is needed. */
CUZK_FR8_FN void cuzk_fr8_load_words(const struct cuzk_fr *a, __m512i w[CUZK_FR_LIMBS])
{
    const __m512i low = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i high = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i a01 = _mm512_loadu_si512(a), a23 = _mm512_loadu_si512(a + 2);
    const __m512i a45 = _mm512_loadu_si512(a + 4), a67 = _mm512_loadu_si512(a + 6);
    const __m512i l03 = _mm512_permutex2var_epi64(a01, low, a23),
                  l47 = _mm512_permutex2var_epi64(a45, low, a67);
    const __m512i h03 = _mm512_permutex2var_epi64(a01, high, a23),
                  h47 = _mm512_permutex2var_epi64(a45, high, a67);
    w[0] = _mm512_shuffle_i64x2(l03, l47, 0x44);
    w[1] = _mm512_shuffle_i64x2(l03, l47, 0xee);
    w[2] = _mm512_shuffle_i64x2(h03, h47, 0x44);
    w[3] = _mm512_shuffle_i64x2(h03, h47, 0xee);
}

CUZK_FR8_FN void cuzk_fr8_store_words(const __m512i w[CUZK_FR_LIMBS], struct cuzk_fr *out)
{
    const __m512i even = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i odd = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i l03 = _mm512_shuffle_i64x2(w[0], w[1], 0x44), l47 = _mm512_shuffle_i64x2(w[0], w[1], 0xee);
    const __m512i h03 = _mm512_shuffle_i64x2(w[2], w[3], 0x44), h47 = _mm512_shuffle_i64x2(w[2], w[3], 0xee);
    /* l03 is words 0 of elements 0..3, then words 1 of them; h03 words 2 and 3 */
    _mm512_storeu_si512(out, _mm512_permutex2var_epi64(l03, even, h03));
    _mm512_storeu_si512(out + 2, _mm512_permutex2var_epi64(l03, odd, h03));
    _mm512_storeu_si512(out + 4, _mm512_permutex2var_epi64(l47, even, h47));
    _mm512_storeu_si512(out + 6, _mm512_permutex2var_epi64(l47, odd, h47));
}

/* Eight consecutive elements, limbs repacked, numbers unchanged (the 2^256 form; below r). */
CUZK_FR8_FN void cuzk_fr8_load(const struct cuzk_fr *a, struct cuzk_fr8 *out)
{
    __m512i w[CUZK_FR_LIMBS];
    cuzk_fr8_load_words(a, w);
    cuzk_fr8_from_word_vectors(w, out);
}

/* Eight consecutive elements times 16 (the 2^260 form; below 16 r). */
CUZK_FR8_FN void cuzk_fr8_load_shifted(const struct cuzk_fr *a, struct cuzk_fr8 *out)
{
    __m512i w[CUZK_FR_LIMBS];
    cuzk_fr8_load_words(a, w);
    cuzk_fr8_from_word_vectors_shifted(w, out);
}

/* Stores eight numbers that are in the 2^256 form and below r (cuzk_fr8_reduce first). */
CUZK_FR8_FN void cuzk_fr8_store(const struct cuzk_fr8 *a, struct cuzk_fr *out)
{
    __m512i w[CUZK_FR_LIMBS];
    cuzk_fr8_to_word_vectors(a, w);
    cuzk_fr8_store_words(w, out);
}

/* From the 2^260 form to the 2^256 form: below a * 2^256 / 2^260 + r. */
CUZK_FR8_FN void cuzk_fr8_leave(const struct cuzk_fr8 *a, struct cuzk_fr8 *out)
{
    const struct cuzk_fr one = {CUZK_FR_R};
    struct cuzk_fr8 factor;
    cuzk_fr8_broadcast(&one, &factor);
    cuzk_fr8_mul(a, &factor, out);
}

/* From the 2^260 form to eight reduced elements in the form of struct cuzk_fr, as vectors of words: a / 16
 * mod r without a product. As r is 1 mod 16, a + (-a mod 16) r can be divided by 16. a below 17 r. */
CUZK_FR8_FN void cuzk_fr8_leave_to_words(const struct cuzk_fr8 *a, __m512i w[CUZK_FR_LIMBS])
{
    const uint64_t m[CUZK_FR8_LIMBS] = CUZK_FR8_MODULUS;
    const __m512i multiple =
        _mm512_and_si512(_mm512_sub_epi64(_mm512_setzero_si512(), a->l[0]), cuzk_fr8_word(15));
    const __m512i low = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    const __m512i high = _mm512_setr_epi64(8, 9, 10, 11, 12, 13, 14, 15);
    struct cuzk_fr8 t, less;
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++) {
        const __m512i mi = cuzk_fr8_word(m[i]);
        const __m512i product = _mm512_permutex2var_epi64(_mm512_mullo_epi64(low, mi), multiple,
                                                          _mm512_mullo_epi64(high, mi)); /* of constants */
        t.l[i] = _mm512_add_epi64(a->l[i], product);
    }
    cuzk_fr8_carry(&t); /* below 32 r */
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++)
        less.l[i] = _mm512_sub_epi64(t.l[i], cuzk_fr8_word(16 * m[i]));
    cuzk_fr8_carry(&less);
    const __mmask8 negative = _mm512_movepi64_mask(less.l[CUZK_FR8_LIMBS - 1]);
#pragma GCC unroll 8
    for (int i = 0; i < CUZK_FR8_LIMBS; i++)
        t.l[i] = _mm512_mask_mov_epi64(less.l[i], negative, t.l[i]);
    w[0] = _mm512_or_si512(_mm512_srli_epi64(t.l[0], 4), _mm512_slli_epi64(t.l[1], 48));
    w[1] = _mm512_or_si512(_mm512_srli_epi64(t.l[1], 16), _mm512_slli_epi64(t.l[2], 36));
    w[2] = _mm512_or_si512(_mm512_srli_epi64(t.l[2], 28), _mm512_slli_epi64(t.l[3], 24));
    w[3] = _mm512_or_si512(_mm512_srli_epi64(t.l[3], 40), _mm512_slli_epi64(t.l[4], 12));
}

/* One element each to eight places. */
CUZK_FR8_FN void cuzk_fr8_scatter_words(const __m512i w[CUZK_FR_LIMBS], struct cuzk_fr *const out[8],
                                        size_t at)
{
    const __m512i even = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13);
    const __m512i odd = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i l03 = _mm512_shuffle_i64x2(w[0], w[1], 0x44), l47 = _mm512_shuffle_i64x2(w[0], w[1], 0xee);
    const __m512i h03 = _mm512_shuffle_i64x2(w[2], w[3], 0x44), h47 = _mm512_shuffle_i64x2(w[2], w[3], 0xee);
    const __m512i pair[4] = {
        _mm512_permutex2var_epi64(l03, even, h03), _mm512_permutex2var_epi64(l03, odd, h03),
        _mm512_permutex2var_epi64(l47, even, h47), _mm512_permutex2var_epi64(l47, odd, h47)};
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i *)&out[2 * i][at], _mm512_castsi512_si256(pair[i]));
        _mm256_storeu_si256((__m256i *)&out[2 * i + 1][at], _mm512_extracti64x4_epi64(pair[i], 1));
    }
}

#endif
