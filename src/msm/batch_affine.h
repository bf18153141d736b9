/*
 * Template: affine additions that share one inversion.
 *
 * A batch holds BATCH_VECTORS x LANES sums. batch_add adds one more point to each of the first nv vectors of
 * them: with d = x2 - x1 the inverses of all d come from one inversion and three products each (Montgomery's
 * trick), and a sum then costs two products and a square more. The fast pass assumes that no sum is infinity
 * and no d is zero; it notices when that fails (the product of all d is zero), and the careful pass then
 * treats each lane by its kind: doubling, cancellation, infinity.
 *
 * Include after a group header and a lane header.
 */
#ifndef CUZK_MSM_BATCH_AFFINE_H
#define CUZK_MSM_BATCH_AFFINE_H

#include <stddef.h>
#include <string.h>

enum { BATCH = BATCH_VECTORS * LANES, PREFETCH_VECTORS = 56 / LANES + 1, BACKWARD_VECTORS = 2 };

struct batch {
    fe x[BATCH_VECTORS], y[BATCH_VECTORS]; /* the sums, kept */
    fe d[BATCH_VECTORS];                   /* denominators, ready */
    fe prefix[BATCH_VECTORS];              /* products of the denominators before */
    uint32_t index[BATCH];                 /* the next addend of each lane: rows[], bit 31 negates */
    lane_mask active[BATCH_VECTORS];       /* lanes that have an addend */
    lane_mask infinity[BATCH_VECTORS];     /* lanes whose sum is infinity */
    lane_mask same[BATCH_VECTORS];         /* careful pass: lanes to double, */
    lane_mask opposite[BATCH_VECTORS];     /* lanes that cancel */
};

/* Where addends come from: rows by batch.index, or, if rows is NULL, the sums of another batch. */
struct addends {
    const struct row *rows;
    const struct batch *sums;
};

LANE_FN lane_mask addend_lanes(const struct batch *b, const struct addends *a, size_t v)
{
    return a->rows != NULL ? b->active[v] : (lane_mask)(ALL_LANES & ~a->sums->infinity[v]);
}

LANE_FN void addend_x(const struct batch *b, const struct addends *a, size_t v, fe *out)
{
    if (a->rows != NULL)
        rows_load_x(a->rows, &b->index[v * LANES], out);
    else
        *out = a->sums->x[v];
}

LANE_FN void addend_y(const struct batch *b, const struct addends *a, size_t v, fe *out)
{
    if (a->rows != NULL)
        rows_load_y(a->rows, &b->index[v * LANES], out);
    else
        *out = a->sums->y[v];
}

/* Finds the lanes of vector v that need no division (their denominator becomes one) or another one. */
LANE_FN void careful_denominator(struct batch *b, const struct addends *a, size_t v, const fe *x2, fe *d)
{
    const lane_mask both = addend_lanes(b, a, v) & (lane_mask)~b->infinity[v];
    const lane_mask equal = fe_zero_lanes(d) & both;
    lane_mask same = 0;
    fe one, t, y2;

    (void)x2;
    fe_one(&one);
    if (equal) {
        addend_y(b, a, v, &y2);
        fe_sub_ready(&y2, &b->y[v], &t);
        same = equal & fe_zero_lanes(&t);
        fe_add_ready(&b->y[v], &b->y[v], &t);
        fe_select(same, &t, d, d);
    }
    b->same[v] = same;
    b->opposite[v] = equal & (lane_mask)~same;
    fe_select(both & (lane_mask)~b->opposite[v], d, &one, d);
}

/* Denominators and their running products; then inverse[] gets the inverses of the chains' products. False if
 * a denominator was zero (never in the careful pass). */
LANE_FN bool batch_forward(struct batch *b, size_t nv, const struct addends *a, bool careful,
                           fe inverse[CHAINS])
{
    fe run[CHAINS], before[CHAINS], one, all;

    fe_one(&one);
    for (int c = 0; c < CHAINS; c++)
        run[c] = one;
    for (size_t v = 0; v < nv; v++) {
        fe x2, d;
        if (a->rows != NULL && v + PREFETCH_VECTORS < nv)
            rows_prefetch(a->rows, &b->index[(v + PREFETCH_VECTORS) * LANES]);
        addend_x(b, a, v, &x2);
        fe_sub_ready(&x2, &b->x[v], &d);
        if (careful) {
            careful_denominator(b, a, v, &x2, &d);
        } else {
            const lane_mask lanes = addend_lanes(b, a, v);
            if (lanes != ALL_LANES)
                fe_select(lanes, &d, &one, &d);
        }
        b->d[v] = d;
        b->prefix[v] = run[v % CHAINS];
        fe_mul(&run[v % CHAINS], &d, &run[v % CHAINS]);
    }
    all = run[0];
    for (int c = 1; c < CHAINS; c++) {
        before[c] = all;
        fe_mul(&all, &run[c], &all);
    }
    if (!fe_invert(&all, &all))
        return false;
    for (int c = CHAINS - 1; c > 0; c--) {
        fe_mul(&all, &before[c], &inverse[c]);
        fe_mul(&all, &run[c], &all);
    }
    inverse[0] = all;
    return true;
}

/* The sums of vectors [first, first + count), count <= CHAINS and first a multiple of it: vector first + k
 * goes with chain k. Step by step for all of them, so that the processor finds independent products. */
LANE_FN void backward_step(struct batch *b, size_t first, int count, const struct addends *a, bool careful,
                           fe inverse[CHAINS])
{
    fe quotient[CHAINS], slope[CHAINS], square[CHAINS], x3[CHAINS], y2[CHAINS], t[CHAINS];

    if (a->rows != NULL && first >= BACKWARD_VECTORS)
        for (int k = 0; k < count; k++)
            rows_prefetch_y(a->rows, &b->index[(first - BACKWARD_VECTORS + (size_t)k) * LANES]);
#pragma GCC unroll 4
    for (int k = 0; k < count; k++)
        fe_mul(&inverse[k], &b->prefix[first + k], &quotient[k]);
#pragma GCC unroll 4
    for (int k = 0; k < count; k++)
        fe_mul(&inverse[k], &b->d[first + k], &inverse[k]);
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) {
        const size_t v = first + k;
        addend_y(b, a, v, &y2[k]);
        fe_sub_ready(&y2[k], &b->y[v], &t[k]);
        if (careful && b->same[v]) {
            fe ready;
            fe_ready(&b->x[v], &ready);
            fe_sqr(&ready, &square[k]);
            fe_triple(&square[k], &square[k]);
            fe_select(b->same[v], &square[k], &t[k], &t[k]);
        }
        fe_mul(&t[k], &quotient[k], &slope[k]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < count; k++)
        fe_sqr(&slope[k], &square[k]);
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) {
        const size_t v = first + k;
        if (careful) {
            fe x2;
            addend_x(b, a, v, &x2);
            fe_sub_two(&square[k], &b->x[v], &x2, &x3[k]);
        } else {
            fe_sub_sum(&square[k], &b->d[v], &b->x[v], &x3[k]);
        }
        fe_sub_ready(&b->x[v], &x3[k], &t[k]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < count; k++) {
        const size_t v = first + k;
        const lane_mask lanes = addend_lanes(b, a, v);
        fe y3;
        fe_mul(&slope[k], &t[k], &y3);
        fe_sub(&y3, &b->y[v], &y3);
        if (careful) {
            const lane_mask copy = lanes & b->infinity[v];
            if (copy) {
                fe x2;
                addend_x(b, a, v, &x2);
                fe_select(copy, &x2, &x3[k], &x3[k]);
                fe_select(copy, &y2[k], &y3, &y3);
            }
            b->infinity[v] = (b->infinity[v] & (lane_mask)~lanes) | b->opposite[v];
        }
        if (lanes != ALL_LANES) {
            fe_select(lanes, &x3[k], &b->x[v], &x3[k]);
            fe_select(lanes, &y3, &b->y[v], &y3);
        }
        b->x[v] = x3[k];
        b->y[v] = y3;
    }
}

LANE_FN void batch_backward(struct batch *b, size_t nv, const struct addends *a, bool careful,
                            fe inverse[CHAINS])
{
    size_t v = nv;

    for (; v % CHAINS != 0; v--) { /* the last chains are one vector shorter */
        fe one_inverse[CHAINS] = {inverse[(v - 1) % CHAINS]};
        backward_step(b, v - 1, 1, a, careful, one_inverse);
        inverse[(v - 1) % CHAINS] = one_inverse[0];
    }
    for (; v > 0; v -= CHAINS)
        backward_step(b, v - CHAINS, CHAINS, a, careful, inverse);
}

static inline bool any_lane(const lane_mask *masks, size_t nv)
{
    unsigned any = 0;
    for (size_t v = 0; v < nv; v++)
        any |= masks[v];
    return any != 0;
}

/* Adds rows[index] to the sums of the first nv vectors in their active lanes. */
static __attribute__((noinline)) void batch_add_rows(struct batch *b, size_t nv, const struct row *rows)
{
    const struct addends a = {rows, NULL};
    fe inverse[CHAINS];

    if (!any_lane(b->infinity, nv) && batch_forward(b, nv, &a, false, inverse)) {
        batch_backward(b, nv, &a, false, inverse);
        return;
    }
    (void)batch_forward(b, nv, &a, true, inverse);
    batch_backward(b, nv, &a, true, inverse);
}

/* Adds the sums of another batch, lane by lane. */
static __attribute__((noinline)) void batch_add_sums(struct batch *b, size_t nv, const struct batch *other)
{
    const struct addends a = {NULL, other};
    fe inverse[CHAINS];

    if (!any_lane(b->infinity, nv) && !any_lane(other->infinity, nv) &&
        batch_forward(b, nv, &a, false, inverse)) {
        batch_backward(b, nv, &a, false, inverse);
        return;
    }
    (void)batch_forward(b, nv, &a, true, inverse);
    batch_backward(b, nv, &a, true, inverse);
}

/* Sets the sums of the first nv vectors to rows[index]; inactive lanes become infinity. */
static inline void batch_load(struct batch *b, size_t nv, const struct row *rows)
{
    for (size_t v = 0; v < nv; v++) {
        if (v + PREFETCH_VECTORS < nv)
            rows_prefetch(rows, &b->index[(v + PREFETCH_VECTORS) * LANES]);
        rows_load_x(rows, &b->index[v * LANES], &b->x[v]);
        rows_load_y(rows, &b->index[v * LANES], &b->y[v]);
        b->infinity[v] = (lane_mask)(ALL_LANES & ~b->active[v]);
    }
}

/* Fills index and active for lane i (all lanes of a vector must be set, in ascending order). */
LANE_FN void batch_set(struct batch *b, size_t i, bool has, uint32_t index)
{
    const lane_mask bit = (lane_mask)(has << (i % LANES));
    b->index[i] = has ? index : 0;
    b->active[i / LANES] = i % LANES == 0 ? bit : (lane_mask)(b->active[i / LANES] | bit);
}

/* Inactive lanes from i up to the end of its vector. */
static inline void batch_pad(struct batch *b, size_t i)
{
    for (; i % LANES != 0; i++)
        batch_set(b, i, false, 0);
}

#endif
