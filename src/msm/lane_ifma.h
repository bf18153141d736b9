/*
 * The arithmetic that the engine templates are written in, eight lanes: AVX-512 IFMA over field/fp_ifma.h,
 * for coordinates in Fp (GROUP_DEGREE 1) and Fp2 (2). lane_portable.h says what each function means; "ready"
 * and "kept" are those of fp_ifma.h, except that the limbs of kept elements may be any signed number below
 * 2^62: each addition of a point adds 2^52 to that of y, so a lane may add about a thousand points.
 */
#ifndef CUZK_MSM_LANE_H
#define CUZK_MSM_LANE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "field/fp2_ifma.h"
#include "field/fp_ifma.h"

/* Vectors of additions that share an inversion: sums, denominators and products fill half of a 1 MiB L2. */
enum { BATCH_VECTORS = GROUP_DEGREE == 1 ? 192 : 96 };

enum {
    LANES = 8,
    ALL_LANES = 0xff,
    CHAINS = 2, /* independent running products */
    LIMBS = CUZK_FP8_LIMBS
};

typedef struct {
    struct cuzk_fp8 c[GROUP_DEGREE];
} fe;
typedef uint8_t lane_mask;

/* An affine point that is not infinity: limbs of 52 bits, below 4.1 p. */
struct row {
    uint64_t x[GROUP_DEGREE][LIMBS], y[GROUP_DEGREE][LIMBS];
} __attribute__((aligned(64)));

#define LANE_FN CUZK_LANE_INLINE

enum { DIGIT_BLOCK = 32 };

/* Of the next DIGIT_BLOCK digits (those there are, if fewer than that are left), the ones whose bucket is in
 * [low, low + range); a digit is its stored word minus bias, its bucket its magnitude minus one. */
LANE_FN uint32_t digits_in_range(const uint16_t *digits, size_t left, int32_t bias, uint32_t low,
                                 uint32_t range)
{
    const __mmask32 there = left < DIGIT_BLOCK ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
    const __m512i stored = _mm512_maskz_loadu_epi16(there, digits);
    const __m512i digit = _mm512_sub_epi16(stored, _mm512_set1_epi16((short)bias));
    const __m512i bucket = _mm512_sub_epi16(_mm512_abs_epi16(digit), _mm512_set1_epi16((short)(low + 1)));

    return _mm512_mask_cmplt_epu16_mask(there, bucket, _mm512_set1_epi16((short)range));
}

LANE_FN void fe_one(fe *out)
{
    memset(out, 0, sizeof *out);
    cuzk_fp8_one(&out->c[0]);
}

LANE_FN void fe_mul(const fe *a, const fe *b, fe *out)
{
#if GROUP_FP2
    cuzk_fp8_mul_fp2(a->c, b->c, out->c);
#else
    cuzk_fp8_mul(&a->c[0], &b->c[0], &out->c[0]);
#endif
}

LANE_FN void fe_sqr(const fe *a, fe *out)
{
#if GROUP_FP2
    cuzk_fp8_sqr_fp2(a->c, out->c);
#else
    cuzk_fp8_sqr(&a->c[0], &out->c[0]);
#endif
}

LANE_FN void fe_sub_ready(const fe *a, const fe *b, fe *out)
{
    for (int k = 0; k < GROUP_DEGREE; k++)
        cuzk_fp8_sub_ready(&a->c[k], &b->c[k], &out->c[k]);
}

LANE_FN void fe_add_ready(const fe *a, const fe *b, fe *out)
{
    for (int k = 0; k < GROUP_DEGREE; k++)
        cuzk_fp8_add_ready(&a->c[k], &b->c[k], &out->c[k]);
}

/* not carried: see above */
LANE_FN void fe_sub(const fe *a, const fe *b, fe *out)
{
    for (int k = 0; k < GROUP_DEGREE; k++)
        for (int i = 0; i < LIMBS; i++)
            out->c[k].l[i] = _mm512_sub_epi64(a->c[k].l[i], b->c[k].l[i]);
}

/* d holds the offset of fp_ifma.h, a multiple of p that has to come off again to stay in bounds */
LANE_FN void fe_sub_sum(const fe *square, const fe *d, const fe *a, fe *out)
{
    const uint64_t offset[LIMBS] = CUZK_FP8_OFFSET;

    for (int k = 0; k < GROUP_DEGREE; k++) {
        for (int i = 0; i < LIMBS; i++) {
            const __m512i twice = _mm512_add_epi64(a->c[k].l[i], a->c[k].l[i]);
            const __m512i plus = _mm512_add_epi64(square->c[k].l[i], cuzk_fp8_word(offset[i]));
            out->c[k].l[i] = _mm512_sub_epi64(_mm512_sub_epi64(plus, d->c[k].l[i]), twice);
        }
        cuzk_fp8_carry(&out->c[k]);
    }
}

LANE_FN void fe_sub_two(const fe *square, const fe *a, const fe *b, fe *out)
{
    for (int k = 0; k < GROUP_DEGREE; k++) {
        for (int i = 0; i < LIMBS; i++)
            out->c[k].l[i] =
                _mm512_sub_epi64(_mm512_sub_epi64(square->c[k].l[i], a->c[k].l[i]), b->c[k].l[i]);
        cuzk_fp8_carry(&out->c[k]);
    }
}

LANE_FN void fe_ready(const fe *a, fe *out)
{
    for (int k = 0; k < GROUP_DEGREE; k++)
        cuzk_fp8_ready(&a->c[k], &out->c[k]);
}

LANE_FN void fe_triple(const fe *a, fe *out)
{
    for (int k = 0; k < GROUP_DEGREE; k++) {
        for (int i = 0; i < LIMBS; i++)
            out->c[k].l[i] = _mm512_add_epi64(a->c[k].l[i], _mm512_add_epi64(a->c[k].l[i], a->c[k].l[i]));
        cuzk_fp8_carry(&out->c[k]);
    }
}

LANE_FN void fe_select(lane_mask mask, const fe *a, const fe *b, fe *out)
{
    for (int k = 0; k < GROUP_DEGREE; k++)
        cuzk_fp8_select(mask, &a->c[k], &b->c[k], &out->c[k]);
}

LANE_FN lane_mask fe_zero_lanes(const fe *a)
{
    lane_mask zero = ALL_LANES;
    for (int k = 0; k < GROUP_DEGREE; k++)
        zero &= (lane_mask)cuzk_fp8_zero_lanes(&a->c[k]);
    return zero;
}

/* Eight inversions through one, on one lane. */
static inline bool fp8_invert(const struct cuzk_fp8 *a, struct cuzk_fp8 *out)
{
    struct cuzk_fp values[LANES], scratch[LANES], *to[LANES];
    const struct cuzk_fp *from[LANES];

    for (int l = 0; l < LANES; l++)
        from[l] = to[l] = &values[l];
    cuzk_fp8_store(a, to);
    for (int l = 0; l < LANES; l++)
        if (cuzk_fp_is_zero(&values[l]))
            return false;
    cuzk_fp_batch_inverse(values, LANES, scratch);
    cuzk_fp8_load(from, out);
    return true;
}

static inline bool fe_invert(const fe *a, fe *out)
{
#if GROUP_FP2
    /* (c0 - c1 u) / (c0^2 + c1^2) */
    struct cuzk_fp8 norm, t, zero;
    memset(&zero, 0, sizeof zero);
    cuzk_fp8_sqr(&a->c[0], &norm);
    cuzk_fp8_sqr(&a->c[1], &t);
    cuzk_fp8_add(&norm, &t, &norm);
    if (!fp8_invert(&norm, &norm))
        return false;
    cuzk_fp8_settle(&a->c[1], &t); /* keeps the negation below within a ready number's bound */
    cuzk_fp8_sub_ready(&zero, &t, &t);
    cuzk_fp8_mul(&a->c[0], &norm, &out->c[0]);
    cuzk_fp8_mul(&t, &norm, &out->c[1]);
    return true;
#else
    return fp8_invert(&a->c[0], &out->c[0]);
#endif
}

/* Limbs of eight rows as vectors: the halves of rows l and l + 4 meet in the load, two rounds of shuffles do
 * the rest. */
LANE_FN void load_limbs(const uint64_t *const from[LANES], struct cuzk_fp8 *out)
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);

    for (int half = 0; half < 2; half++) {
        __m512i r[4];
        for (int i = 0; i < 4; i++) {
            const __m512i a =
                _mm512_castsi256_si512(_mm256_load_si256((const __m256i *)(from[i] + 4 * half)));
            r[i] = _mm512_inserti64x4(a, _mm256_load_si256((const __m256i *)(from[i + 4] + 4 * half)), 1);
        }
        const __m512i even01 = _mm512_unpacklo_epi64(r[0], r[1]), odd01 = _mm512_unpackhi_epi64(r[0], r[1]);
        const __m512i even23 = _mm512_unpacklo_epi64(r[2], r[3]), odd23 = _mm512_unpackhi_epi64(r[2], r[3]);
        out->l[4 * half + 0] = _mm512_permutex2var_epi64(even01, low, even23);
        out->l[4 * half + 1] = _mm512_permutex2var_epi64(odd01, low, odd23);
        out->l[4 * half + 2] = _mm512_permutex2var_epi64(even01, high, even23);
        out->l[4 * half + 3] = _mm512_permutex2var_epi64(odd01, high, odd23);
    }
}

/* The converse, for the lanes in mask. */
LANE_FN void store_limbs(const struct cuzk_fp8 *a, lane_mask mask, uint64_t *const to[LANES])
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);

    for (int half = 0; half < 2; half++) {
        const __m512i *l = a->l + 4 * half;
        const __m512i even01 = _mm512_unpacklo_epi64(l[0], l[1]), odd01 = _mm512_unpackhi_epi64(l[0], l[1]);
        const __m512i even23 = _mm512_unpacklo_epi64(l[2], l[3]), odd23 = _mm512_unpackhi_epi64(l[2], l[3]);
        __m512i r[4]; /* rows 0 and 2, 4 and 6, 1 and 3, 5 and 7 */
        r[0] = _mm512_permutex2var_epi64(even01, low, even23);
        r[1] = _mm512_permutex2var_epi64(even01, high, even23);
        r[2] = _mm512_permutex2var_epi64(odd01, low, odd23);
        r[3] = _mm512_permutex2var_epi64(odd01, high, odd23);
        for (int i = 0; i < 4; i++) {
            const int first = 4 * (i % 2) + i / 2;
            if (mask >> first & 1)
                _mm256_store_si256((__m256i *)(to[first] + 4 * half), _mm512_castsi512_si256(r[i]));
            if (mask >> (first + 2) & 1)
                _mm256_store_si256((__m256i *)(to[first + 2] + 4 * half), _mm512_extracti64x4_epi64(r[i], 1));
        }
    }
}

LANE_FN void rows_load_x(const struct row *rows, const uint32_t index[LANES], fe *out)
{
    for (int k = 0; k < GROUP_DEGREE; k++) {
        const uint64_t *from[LANES];
        for (int l = 0; l < LANES; l++)
            from[l] = rows[index[l] & 0x7fffffff].x[k];
        load_limbs(from, &out->c[k]);
    }
}

LANE_FN void rows_load_y(const struct row *rows, const uint32_t index[LANES], fe *out)
{
    const __mmask8 negative = _mm256_movepi32_mask(_mm256_loadu_si256((const __m256i *)index));

    for (int k = 0; k < GROUP_DEGREE; k++) {
        const uint64_t *from[LANES];
        for (int l = 0; l < LANES; l++)
            from[l] = rows[index[l] & 0x7fffffff].y[k];
        load_limbs(from, &out->c[k]);
        for (int i = 0; i < LIMBS; i++)
            out->c[k].l[i] =
                _mm512_mask_sub_epi64(out->c[k].l[i], negative, _mm512_setzero_si512(), out->c[k].l[i]);
    }
}

/* Takes the next item of each lane's list: items[position] to index where position is before end, moving
 * position on; returns the lanes that had one. */
LANE_FN lane_mask lanes_next(const uint32_t *items, uint32_t position[LANES], const uint32_t end[LANES],
                             uint32_t index[LANES])
{
    const __m256i at = _mm256_loadu_si256((const __m256i *)position);
    const __mmask8 more = _mm256_cmplt_epu32_mask(at, _mm256_loadu_si256((const __m256i *)end));
    const __m256i next =
        _mm256_mmask_i32gather_epi32(_mm256_setzero_si256(), more, at, (const int *)items, 4);

    _mm256_storeu_si256((__m256i *)index, next);
    _mm256_storeu_si256((__m256i *)position, _mm256_mask_add_epi32(at, more, at, _mm256_set1_epi32(1)));
    return (lane_mask)more;
}

LANE_FN void rows_prefetch(const struct row *rows, const uint32_t index[LANES])
{
    for (int l = 0; l < LANES; l++) {
        const struct row *row = &rows[index[l] & 0x7fffffff];
        for (int k = 0; k < GROUP_DEGREE; k++) {
            __builtin_prefetch(row->x[k], 0, 3);
            __builtin_prefetch(row->y[k], 0, 2); /* not before the way back */
        }
    }
}

LANE_FN void rows_prefetch_y(const struct row *rows, const uint32_t index[LANES])
{
    for (int l = 0; l < LANES; l++) {
        const struct row *row = &rows[index[l] & 0x7fffffff];
        for (int k = 0; k < GROUP_DEGREE; k++)
            __builtin_prefetch(row->y[k], 0, 3);
    }
}

LANE_FN void rows_store(const fe *x, const fe *y, lane_mask mask, struct row *const to[LANES])
{
    uint64_t *at[LANES];
    struct cuzk_fp8 t;

    for (int k = 0; k < GROUP_DEGREE; k++) {
        for (int l = 0; l < LANES; l++)
            at[l] = to[l]->x[k];
        cuzk_fp8_settle(&x->c[k], &t);
        store_limbs(&t, mask, at);
        for (int l = 0; l < LANES; l++)
            at[l] = to[l]->y[k];
        cuzk_fp8_settle(&y->c[k], &t);
        store_limbs(&t, mask, at);
    }
}

/* Component k of a coordinate of fp.h or fp2.h */
LANE_FN const struct cuzk_fp *component(const group_field *a, int k)
{
    return (const struct cuzk_fp *)a + k;
}

static inline void rows_to_affine(const fe *x, const fe *y, group_affine out[LANES])
{
    struct cuzk_fp *to[LANES];
    struct cuzk_fp8 t;

    for (int k = 0; k < GROUP_DEGREE; k++) {
        for (int l = 0; l < LANES; l++)
            to[l] = (struct cuzk_fp *)&out[l].x + k;
        cuzk_fp8_ready(&x->c[k], &t);
        cuzk_fp8_store(&t, to);
        for (int l = 0; l < LANES; l++)
            to[l] = (struct cuzk_fp *)&out[l].y + k;
        cuzk_fp8_ready(&y->c[k], &t);
        cuzk_fp8_store(&t, to);
    }
}

/* Writes coordinates below 2.1 p as rows, y as 4 p - y in the lanes of `negative`. */
LANE_FN void write_rows(const fe *x, fe *y, lane_mask negative, struct row *const to[LANES])
{
    const uint64_t m[LIMBS] = CUZK_FP8_MODULUS;
    uint64_t *at[LANES];

    for (int k = 0; k < GROUP_DEGREE; k++) {
        if (negative) {
            for (int i = 0; i < LIMBS; i++)
                y->c[k].l[i] =
                    _mm512_mask_sub_epi64(y->c[k].l[i], negative, cuzk_fp8_word(4 * m[i]), y->c[k].l[i]);
            cuzk_fp8_carry(&y->c[k]);
        }
        for (int l = 0; l < LANES; l++)
            at[l] = to[l]->x[k];
        store_limbs(&x->c[k], ALL_LANES, at);
        for (int l = 0; l < LANES; l++)
            at[l] = to[l]->y[k];
        store_limbs(&y->c[k], ALL_LANES, at);
    }
}

static inline lane_mask rows_from_affine(const group_affine *const from[LANES], lane_mask negative,
                                         struct row *const to[LANES])
{
    const struct cuzk_fp *at[LANES];
    lane_mask infinity = 0;
    fe x, y;

    for (int k = 0; k < GROUP_DEGREE; k++) {
        for (int l = 0; l < LANES; l++)
            at[l] = component(&from[l]->x, k);
        cuzk_fp8_load(at, &x.c[k]);
        for (int l = 0; l < LANES; l++)
            at[l] = component(&from[l]->y, k);
        cuzk_fp8_load(at, &y.c[k]);
    }
    for (int l = 0; l < LANES; l++)
        infinity |= (lane_mask)(GROUP(affine_is_identity)(from[l]) << l);
    write_rows(&x, &y, negative, to);
    return infinity;
}

/* Coordinate part `part` of the raw points; returns the lanes below p. */
LANE_FN lane_mask load_part(const uint8_t *const from[LANES], int part, struct cuzk_fp8 *out)
{
    const uint8_t *at[LANES];

    for (int l = 0; l < LANES; l++)
        at[l] = from[l] + part * CUZK_FP_BYTES;
    return (lane_mask)cuzk_fp8_load_bytes(at, out);
}

/* The flag bits are above p's top bit: a coordinate below p has none. */
static inline lane_mask rows_from_raw(const uint8_t *const from[LANES], lane_mask negative,
                                      struct row *const to[LANES])
{
    const uint64_t enter[LIMBS] = CUZK_FP8_ENTER_PLAIN;
    struct cuzk_fp8 factor, one;
    lane_mask good = ALL_LANES;
    fe x, y, t, square;

    cuzk_fp8_broadcast_limbs(enter, &factor);
    for (int k = 0; k < GROUP_DEGREE; k++) {
        good &= load_part(from, GROUP_DEGREE - 1 - k, &x.c[k]); /* c1 comes before c0 */
        good &= load_part(from, 2 * GROUP_DEGREE - 1 - k, &y.c[k]);
        cuzk_fp8_mul(&x.c[k], &factor, &x.c[k]);
        cuzk_fp8_mul(&y.c[k], &factor, &y.c[k]);
    }
    /* x^3 + 4 or x^3 + 4 + 4 u, against y^2 */
    fe_sqr(&x, &t);
    fe_mul(&t, &x, &t);
    fe_sqr(&y, &square);
    cuzk_fp8_one(&one);
    for (int k = 0; k < GROUP_DEGREE; k++)
        for (int i = 0; i < LIMBS; i++)
            t.c[k].l[i] = _mm512_add_epi64(t.c[k].l[i], _mm512_slli_epi64(one.l[i], 2));
    fe_sub_ready(&t, &square, &t);
    good &= fe_zero_lanes(&t);
    write_rows(&x, &y, negative, to);
    return (lane_mask)~good;
}

static inline void rows_to_raw(const fe *x, const fe *y, lane_mask infinity, uint8_t *const to[LANES])
{
    const uint64_t leave[LIMBS] = CUZK_FP8_LEAVE_PLAIN;
    uint64_t words[CUZK_FP_LIMBS][LANES] __attribute__((aligned(64)));
    __m512i w[CUZK_FP_LIMBS];
    struct cuzk_fp8 t;

    for (int part = 0; part < 2 * GROUP_DEGREE; part++) {
        const int k = GROUP_DEGREE - 1 - part % GROUP_DEGREE;
        cuzk_fp8_ready(part < GROUP_DEGREE ? &x->c[k] : &y->c[k], &t);
        cuzk_fp8_leave(&t, leave, w);
        for (int i = 0; i < CUZK_FP_LIMBS; i++)
            _mm512_store_si512(words[i], w[i]);
        for (int l = 0; l < LANES; l++) {
            for (int i = 0; i < CUZK_FP_LIMBS; i++) {
                const uint64_t word = __builtin_bswap64(words[CUZK_FP_LIMBS - 1 - i][l]);
                memcpy(to[l] + part * CUZK_FP_BYTES + 8 * i, &word, sizeof word);
            }
        }
    }
    for (int l = 0; l < LANES; l++) {
        if (infinity >> l & 1) {
            memset(to[l], 0, GROUP_RAW_BYTES);
            to[l][0] = 0x40;
        }
    }
}

#endif
