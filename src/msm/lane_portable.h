/*
 * The arithmetic that the engine templates are written in, one lane: plain C over field/fp.h or field/fp2.h.
 *
 * A lane header (this one or lane_ifma*.h) gives
 *   fe          LANES field elements; `struct row` one stored point; lane_mask a bit a lane
 *   forms       "ready" (may be multiplied) and "kept" (what sums are held in; fe_ready makes it ready).
 *               Here both are simply reduced elements.
 * and the functions below with the same names and meanings.
 */
#ifndef CUZK_MSM_LANE_H
#define CUZK_MSM_LANE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LANES = 1,
    ALL_LANES = 1,
    BATCH_VECTORS = 1024, /* additions that share an inversion */
    CHAINS = 1            /* independent running products */
};

typedef group_field fe;
typedef uint8_t lane_mask;

/* An affine point that is not infinity. */
struct row {
    fe x, y;
};

#define LANE_FN CUZK_LANE_INLINE

enum { DIGIT_BLOCK = 32 };

/* Of the next DIGIT_BLOCK digits (those there are, if fewer than that are left), the ones whose bucket is in
 * [low, low + range); a digit is its stored word minus bias, its bucket its magnitude minus one. */
LANE_FN uint32_t digits_in_range(const uint16_t *digits, size_t left, int32_t bias, uint32_t low,
                                 uint32_t range)
{
    const int n = left < DIGIT_BLOCK ? (int)left : DIGIT_BLOCK;
    uint32_t hits = 0;

    for (int i = 0; i < n; i++) {
        const int32_t digit = digits[i] - bias;
        const uint32_t bucket = (uint32_t)(digit < 0 ? -digit : digit) - 1 - low;
        hits |= (uint32_t)(bucket < range) << i;
    }
    return hits;
}

LANE_FN void fe_one(fe *out)
{
    FIELD(one)(out);
}

/* ready x ready to ready */
LANE_FN void fe_mul(const fe *a, const fe *b, fe *out)
{
    FIELD(mul)(a, b, out);
}

LANE_FN void fe_sqr(const fe *a, fe *out)
{
    FIELD(sqr)(a, out);
}

/* a - b of kept elements, ready */
LANE_FN void fe_sub_ready(const fe *a, const fe *b, fe *out)
{
    FIELD(sub)(a, b, out);
}

/* a + b of kept elements, ready */
LANE_FN void fe_add_ready(const fe *a, const fe *b, fe *out)
{
    FIELD(add)(a, b, out);
}

/* ready minus kept, kept */
LANE_FN void fe_sub(const fe *a, const fe *b, fe *out)
{
    FIELD(sub)(a, b, out);
}

/* square - d - 2 a, kept, where d came from fe_sub_ready(b, a): that is square - a - b */
LANE_FN void fe_sub_sum(const fe *square, const fe *d, const fe *a, fe *out)
{
    fe t;
    FIELD(sub)(square, d, &t);
    FIELD(sub)(&t, a, &t);
    FIELD(sub)(&t, a, out);
}

/* square - a - b, kept */
LANE_FN void fe_sub_two(const fe *square, const fe *a, const fe *b, fe *out)
{
    fe t;
    FIELD(sub)(square, a, &t);
    FIELD(sub)(&t, b, out);
}

/* kept to ready */
LANE_FN void fe_ready(const fe *a, fe *out)
{
    *out = *a;
}

/* 3 a, a freshly multiplied; ready */
LANE_FN void fe_triple(const fe *a, fe *out)
{
    fe t;
    FIELD(double)(a, &t);
    FIELD(add)(&t, a, out);
}

/* Lanes in mask from a, the others from b. */
LANE_FN void fe_select(lane_mask mask, const fe *a, const fe *b, fe *out)
{
    *out = mask ? *a : *b;
}

/* The lanes that are zero; a is ready. */
LANE_FN lane_mask fe_zero_lanes(const fe *a)
{
    return FIELD(is_zero)(a) ? 1 : 0;
}

/* 1/a for a ready a; false if a lane is zero */
static inline bool fe_invert(const fe *a, fe *out)
{
    if (FIELD(is_zero)(a))
        return false;
    FIELD(inverse)(a, out);
    return true;
}

/* The coordinates of the points rows[index & 0x7fffffff] of each lane, kept; y negated where bit 31 is set.
 */
LANE_FN void rows_load_x(const struct row *rows, const uint32_t index[LANES], fe *out)
{
    *out = rows[index[0] & 0x7fffffff].x;
}

LANE_FN void rows_load_y(const struct row *rows, const uint32_t index[LANES], fe *out)
{
    *out = rows[index[0] & 0x7fffffff].y;
    if (index[0] >> 31)
        FIELD(neg)(out, out);
}

/* Takes the next item of each lane's list: items[position] to index where position is before end, moving
 * position on; returns the lanes that had one. */
LANE_FN lane_mask lanes_next(const uint32_t *items, uint32_t position[LANES], const uint32_t end[LANES],
                             uint32_t index[LANES])
{
    const bool more = position[0] < end[0];

    index[0] = more ? items[position[0]] : 0;
    position[0] += more;
    return more;
}

LANE_FN void rows_prefetch(const struct row *rows, const uint32_t index[LANES])
{
    const char *row = (const char *)&rows[index[0] & 0x7fffffff];
    __builtin_prefetch(row);
    __builtin_prefetch(row + sizeof(struct row) - 1);
}

/* The same for y only, on the way back. */
LANE_FN void rows_prefetch_y(const struct row *rows, const uint32_t index[LANES])
{
    __builtin_prefetch(&rows[index[0] & 0x7fffffff].y);
}

/* Writes the kept points (x, y) of the lanes in mask. */
LANE_FN void rows_store(const fe *x, const fe *y, lane_mask mask, struct row *const to[LANES])
{
    if (mask) {
        to[0]->x = *x;
        to[0]->y = *y;
    }
}

/* The kept points (x, y) as affine points. */
LANE_FN void rows_to_affine(const fe *x, const fe *y, group_affine out[LANES])
{
    out[0].x = *x;
    out[0].y = *y;
}

/* Points as rows, negated in the lanes of `negative`; returns the lanes that are infinity, whose rows are
 * then without meaning. */
LANE_FN lane_mask rows_from_affine(const group_affine *const from[LANES], lane_mask negative,
                                   struct row *const to[LANES])
{
    to[0]->x = from[0]->x;
    to[0]->y = from[0]->y;
    if (negative)
        FIELD(neg)(&to[0]->y, &to[0]->y);
    return GROUP(affine_is_identity)(from[0]) ? 1 : 0;
}

/* Uncompressed bytes as rows; returns the lanes that are malformed, infinity or off the curve. */
static inline lane_mask rows_from_raw(const uint8_t *const from[LANES], lane_mask negative,
                                      struct row *const to[LANES])
{
    group_affine point;

    if (GROUP(decode_raw_unchecked)(from[0], &point, NULL) != CUZK_OK || GROUP(affine_is_identity)(&point) ||
        !GROUP(is_on_curve)(&point))
        return 1;
    const group_affine *const source[1] = {&point};
    (void)rows_from_affine(source, negative, to);
    return 0;
}

/* Uncompressed bytes of the kept points (x, y); lanes in `infinity` are written as infinity. */
static inline void rows_to_raw(const fe *x, const fe *y, lane_mask infinity, uint8_t *const to[LANES])
{
    group_affine point;

    rows_to_affine(x, y, &point);
    if (infinity) {
        FIELD(zero)(&point.x);
        FIELD(zero)(&point.y);
    }
    GROUP(encode_raw)(&point, to[0]);
}

#endif
