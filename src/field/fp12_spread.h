/*
 * One element of Fp12 spread over the lanes of AVX-512 vectors: its six coefficients in Fp2 are multiplied at
 * once.
 *
 * Lanes 0 to 2 hold c0, lanes 3 to 5 c1 (field/fp12.h); what lanes 6 and 7 hold does not matter. Numbers are
 * kept, but their limbs are not carried between a sum and the next product (fp_ifma.h's ready form is made
 * from limbs of any sign): a coefficient is a sum of few products, except where a comment says otherwise.
 * Only for files compiled with CUZK_IFMA_FLAGS, called after cuzk_cpu_level() said CUZK_CPU_IFMA.
 */
#ifndef CUZK_FIELD_FP12_SPREAD_H
#define CUZK_FIELD_FP12_SPREAD_H

#include "field/fp12_ifma.h"

/* masks of lanes */
enum { CUZK_SPREAD_C0 = 0x07, CUZK_SPREAD_C1 = 0x38 };

CUZK_FP8_FN __m512i cuzk_spread_index(int a, int b, int c, int d, int e, int f)
{
    return _mm512_set_epi64(7, 6, f, e, d, c, b, a);
}

/* lane i of out is lane index[i] of a */
CUZK_FP8_FN void cuzk_spread_permute(const struct cuzk_fp2_8 *a, __m512i index, struct cuzk_fp2_8 *out)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < CUZK_FP8_LIMBS; i++)
            out->c[k].l[i] = _mm512_permutexvar_epi64(index, a->c[k].l[i]);
}

/* the same over two sources: index 8 + i is lane i of b */
CUZK_FP8_FN void cuzk_spread_permute_two(const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *b,
                                         __m512i index, struct cuzk_fp2_8 *out)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < CUZK_FP8_LIMBS; i++)
            out->c[k].l[i] = _mm512_permutex2var_epi64(a->c[k].l[i], index, b->c[k].l[i]);
}

/* a += b in the lanes of mask */
CUZK_FP8_FN void cuzk_spread_add(struct cuzk_fp2_8 *a, __mmask8 mask, const struct cuzk_fp2_8 *b)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < CUZK_FP8_LIMBS; i++)
            a->c[k].l[i] = _mm512_mask_add_epi64(a->c[k].l[i], mask, a->c[k].l[i], b->c[k].l[i]);
}

/* a -= b in the lanes of mask */
CUZK_FP8_FN void cuzk_spread_sub(struct cuzk_fp2_8 *a, __mmask8 mask, const struct cuzk_fp2_8 *b)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < CUZK_FP8_LIMBS; i++)
            a->c[k].l[i] = _mm512_mask_sub_epi64(a->c[k].l[i], mask, a->c[k].l[i], b->c[k].l[i]);
}

/* a *= 1 + u in the lanes of mask */
CUZK_FP8_FN void cuzk_spread_mul_by_xi(struct cuzk_fp2_8 *a, __mmask8 mask)
{
    for (int i = 0; i < CUZK_FP8_LIMBS; i++) {
        const __m512i re = a->c[0].l[i], im = a->c[1].l[i];
        a->c[0].l[i] = _mm512_mask_sub_epi64(re, mask, re, im);
        a->c[1].l[i] = _mm512_mask_add_epi64(im, mask, re, im);
    }
}

/* Two products in Fp6, of lanes 0 to 2 and of lanes 3 to 5. */
CUZK_FP8_FN void cuzk_spread_mul_fp6(const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *b,
                                     struct cuzk_fp2_8 *out)
{
    const __m512i p = cuzk_spread_index(1, 0, 0, 4, 3, 3), q = cuzk_spread_index(2, 2, 1, 5, 5, 4);
    struct cuzk_fp2_8 diagonal, cross, x, y, t;

    cuzk_fp2_8_mul(a, b, &diagonal);
    cuzk_spread_permute(a, p, &x);
    cuzk_spread_permute(a, q, &t);
    cuzk_spread_add(&x, 0xff, &t);
    cuzk_spread_permute(b, p, &y);
    cuzk_spread_permute(b, q, &t);
    cuzk_spread_add(&y, 0xff, &t);
    cuzk_fp2_8_mul(&x, &y, &cross);
    /* a1 b2 + a2 b1, a0 b2 + a2 b0, a0 b1 + a1 b0 */
    cuzk_spread_permute(&diagonal, p, &t);
    cuzk_spread_sub(&cross, 0xff, &t);
    cuzk_spread_permute(&diagonal, q, &t);
    cuzk_spread_sub(&cross, 0xff, &t);
    cuzk_spread_permute_two(&diagonal, &cross, cuzk_spread_index(0, 10, 9, 3, 13, 12), out);
    cuzk_spread_permute_two(&diagonal, &cross, cuzk_spread_index(8, 2, 1, 11, 5, 4), &t);
    cuzk_spread_mul_by_xi(&t, 0x1b);
    cuzk_spread_add(out, 0xff, &t);
}

CUZK_FP8_CALL void cuzk_spread_mul(const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *b,
                                   struct cuzk_fp2_8 *out)
{
    const __m512i swap = cuzk_spread_index(3, 4, 5, 0, 1, 2), p = cuzk_spread_index(1, 0, 0, 4, 3, 3),
                  q = cuzk_spread_index(2, 2, 1, 5, 5, 4), p3 = cuzk_spread_index(0, 1, 2, 1, 0, 0),
                  q3 = cuzk_spread_index(0, 0, 0, 2, 2, 1);
    struct cuzk_fp2_8 both, sums, x, y, s, t;

    cuzk_spread_mul_fp6(a, b, &both); /* a0 b0, a1 b1 */
    /* (a0 + a1)(b0 + b1): the diagonal in lanes 0 to 2, the cross products in lanes 3 to 5 */
    cuzk_spread_permute(a, swap, &s);
    cuzk_spread_add(&s, 0xff, a);
    cuzk_spread_permute(&s, p3, &x);
    cuzk_spread_permute(&s, q3, &t);
    cuzk_spread_add(&x, CUZK_SPREAD_C1, &t);
    cuzk_spread_permute(b, swap, &s);
    cuzk_spread_add(&s, 0xff, b);
    cuzk_spread_permute(&s, p3, &y);
    cuzk_spread_permute(&s, q3, &t);
    cuzk_spread_add(&y, CUZK_SPREAD_C1, &t);
    cuzk_fp2_8_mul(&x, &y, &sums);
    cuzk_spread_permute(&sums, swap, &x);
    cuzk_spread_permute(&sums, p, &t);
    cuzk_spread_sub(&x, 0xff, &t);
    cuzk_spread_permute(&sums, q, &t);
    cuzk_spread_sub(&x, 0xff, &t);
    cuzk_spread_permute_two(&sums, &x, cuzk_spread_index(0, 10, 9, 0, 10, 9), &s);
    cuzk_spread_permute_two(&sums, &x, cuzk_spread_index(8, 2, 1, 8, 2, 1), &t);
    cuzk_spread_mul_by_xi(&t, 0x1b);
    cuzk_spread_add(&s, 0xff, &t); /* in lanes 0 to 2 and again in 3 to 5 */
    /* c0 = a0 b0 + v a1 b1, c1 = sums - a0 b0 - a1 b1 */
    cuzk_spread_permute(&both, cuzk_spread_index(5, 3, 4, 0, 1, 2), &t);
    cuzk_spread_mul_by_xi(&t, 0x01);
    cuzk_spread_sub(&s, CUZK_SPREAD_C1, &t);
    cuzk_spread_sub(&s, CUZK_SPREAD_C1, &both);
    cuzk_spread_add(&t, CUZK_SPREAD_C0, &both);
    cuzk_spread_permute_two(&t, &s, cuzk_spread_index(0, 1, 2, 11, 12, 13), out);
}

CUZK_FP8_CALL void cuzk_spread_sqr(const struct cuzk_fp2_8 *a, struct cuzk_fp2_8 *out)
{
    struct cuzk_fp2_8 x, y, m, t;

    /* c0 c1 and (c0 + c1)(c0 + v c1) */
    cuzk_spread_permute(a, cuzk_spread_index(0, 1, 2, 0, 1, 2), &x);
    cuzk_spread_add(&x, CUZK_SPREAD_C1, a);
    cuzk_spread_permute(a, cuzk_spread_index(3, 4, 5, 0, 1, 2), &y);
    cuzk_spread_permute(a, cuzk_spread_index(0, 1, 2, 5, 3, 4), &t);
    cuzk_spread_mul_by_xi(&t, 0x08);
    cuzk_spread_add(&y, CUZK_SPREAD_C1, &t);
    cuzk_spread_mul_fp6(&x, &y, &m);
    /* c0' = second - first - v first, c1' = twice the first */
    cuzk_spread_permute(&m, cuzk_spread_index(3, 4, 5, 0, 1, 2), out);
    cuzk_spread_sub(out, CUZK_SPREAD_C0, &m);
    cuzk_spread_permute(&m, cuzk_spread_index(2, 0, 1, 0, 1, 2), &t);
    cuzk_spread_mul_by_xi(&t, 0x01);
    cuzk_spread_sub(out, CUZK_SPREAD_C0, &t);
    cuzk_spread_add(out, CUZK_SPREAD_C1, &t);
}

/* a * (l0 + l1 v + l4 v w), l0 and l1 in lanes 0 and 1 of line; last is a l4, or a itself for l4 = 1 */
CUZK_FP8_CALL void cuzk_spread_mul_by_line(const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *line,
                                           const struct cuzk_fp2_8 *last, struct cuzk_fp2_8 *out)
{
    struct cuzk_fp2_8 v, w, x, y, t;

    /* a0 l0, a1 l1, a2 l1 */
    cuzk_spread_permute(line, cuzk_spread_index(0, 1, 1, 0, 1, 1), &y);
    cuzk_fp2_8_mul(a, &y, &v);
    /* (a0 + a1)(l0 + l1), a2 l0 */
    cuzk_spread_permute(a, cuzk_spread_index(0, 2, 2, 3, 5, 5), &x);
    cuzk_spread_permute(a, cuzk_spread_index(1, 2, 2, 4, 5, 5), &t);
    cuzk_spread_add(&x, 0x09, &t);
    cuzk_spread_permute(line, cuzk_spread_index(0, 0, 0, 0, 0, 0), &y);
    cuzk_spread_permute(line, cuzk_spread_index(1, 1, 1, 1, 1, 1), &t);
    cuzk_spread_add(&y, 0x09, &t);
    cuzk_fp2_8_mul(&x, &y, &w);
    /* v^2 a1 l4 and v a0 l4 */
    cuzk_spread_permute(last, cuzk_spread_index(4, 5, 3, 2, 0, 1), &x);
    cuzk_spread_mul_by_xi(&x, 0x0b);
    /* a0 l0 + xi a2 l1, (a0 + a1)(l0 + l1) - a0 l0 - a1 l1, a1 l1 + a2 l0 */
    cuzk_spread_permute_two(&v, &w, cuzk_spread_index(0, 8, 1, 3, 11, 4), &t);
    cuzk_spread_add(&x, 0xff, &t);
    cuzk_spread_permute_two(&v, &w, cuzk_spread_index(2, 0, 9, 5, 3, 12), &t);
    cuzk_spread_mul_by_xi(&t, 0x09);
    cuzk_spread_add(&x, 0x2d, &t);
    cuzk_spread_sub(&x, 0x12, &t);
    cuzk_spread_sub(&x, 0x12, &v);
    *out = x;
}

/* A cyclotomic element in the order of its three squarings in Fp4: lanes (g0, g1), (g2, g3), (g4, g5) of
 * Granger and Scott are 0 and 3, 1 and 4, 2 and 5. */
CUZK_FP8_FN void cuzk_spread_to_pairs(const struct cuzk_fp2_8 *a, struct cuzk_fp2_8 *out)
{
    const struct cuzk_fp2_8 t = *a;
    cuzk_spread_permute(&t, cuzk_spread_index(0, 3, 1, 4, 2, 5), out);
}

CUZK_FP8_FN void cuzk_spread_from_pairs(const struct cuzk_fp2_8 *a, struct cuzk_fp2_8 *out)
{
    const struct cuzk_fp2_8 t = *a;
    cuzk_spread_permute(&t, cuzk_spread_index(0, 2, 4, 1, 3, 5), out);
}

/* The square of a cyclotomic element in pairs. A coefficient becomes 3 t - 2 z or 3 t + 2 z: it doubles each
 * time, and cuzk_spread_settle must come after at most four squarings. */
CUZK_FP8_CALL void cuzk_spread_cyclotomic_sqr(struct cuzk_fp2_8 *z)
{
    const __m512i swap = cuzk_spread_index(3, 4, 5, 0, 1, 2);
    struct cuzk_fp8 plus, minus, x, y, re, im, sum_re, sum_im, squares, products, sums;
    struct cuzk_fp2_8 s, t, other, new_t;

    cuzk_fp8_ready(&z->c[0], &re);
    cuzk_fp8_ready(&z->c[1], &im);
    for (int i = 0; i < CUZK_FP8_LIMBS; i++) {
        plus.l[i] = _mm512_add_epi64(z->c[0].l[i], z->c[1].l[i]);
        minus.l[i] = _mm512_sub_epi64(z->c[0].l[i], z->c[1].l[i]);
    }
    cuzk_fp8_ready(&plus, &plus);
    cuzk_fp8_ready(&minus, &minus);
    cuzk_fp8_mul(&plus, &minus, &squares); /* real parts of all squares */
    cuzk_fp8_mul(&re, &im, &products);     /* half their imaginary parts */
    cuzk_spread_permute(z, swap, &s);
    cuzk_spread_add(&s, 0xff, z); /* a + b, twice */
    for (int i = 0; i < CUZK_FP8_LIMBS; i++) {
        x.l[i] = _mm512_mask_add_epi64(s.c[0].l[i], CUZK_SPREAD_C0, s.c[0].l[i], s.c[1].l[i]);
        y.l[i] = _mm512_mask_sub_epi64(s.c[1].l[i], CUZK_SPREAD_C0, s.c[0].l[i], s.c[1].l[i]);
    }
    cuzk_fp8_ready(&x, &sum_re);
    cuzk_fp8_ready(&y, &sum_im);
    cuzk_fp8_mul(&sum_re, &sum_im, &sums); /* of (a + b)^2: the real part, half the imaginary part */
    for (int i = 0; i < CUZK_FP8_LIMBS; i++) {
        const __m512i re2 = squares.l[i], im2 = _mm512_add_epi64(products.l[i], products.l[i]);
        const __m512i re2_other = _mm512_permutexvar_epi64(swap, re2),
                      im2_other = _mm512_permutexvar_epi64(swap, im2);
        const __m512i sum_re2 = _mm512_permutexvar_epi64(swap, sums.l[i]),
                      sum_im2 = _mm512_add_epi64(sums.l[i], sums.l[i]);
        const __m512i both_re = _mm512_add_epi64(re2, re2_other), both_im = _mm512_add_epi64(im2, im2_other);
        /* lanes 0 to 2: a^2 + xi b^2; lanes 3 to 5: (a + b)^2 - a^2 - b^2 */
        t.c[0].l[i] =
            _mm512_mask_sub_epi64(_mm512_sub_epi64(sum_re2, both_re), CUZK_SPREAD_C0, both_re, im2_other);
        t.c[1].l[i] =
            _mm512_mask_add_epi64(_mm512_sub_epi64(sum_im2, both_im), CUZK_SPREAD_C0, both_im, re2_other);
    }
    cuzk_spread_permute(&t, cuzk_spread_index(0, 5, 1, 3, 2, 4), &new_t);
    cuzk_spread_mul_by_xi(&new_t, 0x02);
    /* 3 t - 2 z in lanes 0, 2, 4 and 3 t + 2 z in lanes 1, 3, 5 */
    other = new_t;
    cuzk_spread_sub(&other, 0x15, z);
    cuzk_spread_add(&other, 0x2a, z);
    cuzk_spread_add(&other, 0xff, &other);
    cuzk_spread_add(&other, 0xff, &new_t);
    for (int k = 0; k < 2; k++)
        cuzk_fp8_carry(&other.c[k]);
    *z = other;
}

CUZK_FP8_CALL void cuzk_spread_settle(struct cuzk_fp2_8 *z)
{
    cuzk_fp8_settle(&z->c[0], &z->c[0]);
    cuzk_fp8_settle(&z->c[1], &z->c[1]);
}

CUZK_FP8_CALL void cuzk_spread_load(const struct cuzk_fp12 *a, struct cuzk_fp2_8 *out)
{
    const struct cuzk_fp2 *const from[CUZK_FP8_LANES] = {&a->c0.c0, &a->c0.c1, &a->c0.c2, &a->c1.c0,
                                                         &a->c1.c1, &a->c1.c2, &a->c0.c0, &a->c0.c0};
    cuzk_fp2_8_load(from, out);
}

CUZK_FP8_CALL void cuzk_spread_store(const struct cuzk_fp2_8 *a, struct cuzk_fp12 *out)
{
    struct cuzk_fp2 spare;
    struct cuzk_fp2 *const to[CUZK_FP8_LANES] = {&out->c0.c0, &out->c0.c1, &out->c0.c2, &out->c1.c0,
                                                 &out->c1.c1, &out->c1.c2, &spare,      &spare};
    cuzk_fp2_8_store(a, to);
}

#endif
