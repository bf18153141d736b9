/*
 * The Miller loop over few pairs, and the final exponentiation, with each element of Fp12 spread over the
 * lanes of vectors (field/fp12_spread.h). For kernel_ifma.c only.
 */
#ifndef CUZK_PAIRING_MILLER_SPREAD_H
#define CUZK_PAIRING_MILLER_SPREAD_H

#include "field/fp12_spread.h"
#include "pairing/pairing_kernel.h"

enum {
    CUZK_PAIRING_SPREAD_TERMS = 12,   /* of each kind in one loop */
    CUZK_PAIRING_SPREAD_PREPARED = 3, /* whose lines are scaled at once, in lanes 2 k and 2 k + 1 */
};

/* A pair whose second point is not prepared. */
struct cuzk_pairing_spread {
    const struct cuzk_pairing_term *term;
    struct cuzk_fp2_8 t;     /* x, y, z of a multiple of Q, homogeneous, in lanes 0, 1, 2 */
    struct cuzk_fp2_8 point; /* x and y of P in lanes 4 and 5 */
    struct cuzk_fp2_8 line;  /* l0 and l1 in lanes 0 and 1 */
    struct cuzk_fp2_8 l4;    /* in all lanes */
};

/* out = a << bits in the lanes of mask; limbs of any sign */
CUZK_FP8_FN void cuzk_pairing_spread_shift(const struct cuzk_fp2_8 *a, unsigned bits, struct cuzk_fp2_8 *out)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < CUZK_FP8_LIMBS; i++)
            out->c[k].l[i] = _mm512_slli_epi64(a->c[k].l[i], bits);
}

CUZK_FP8_FN void cuzk_pairing_spread_blend(struct cuzk_fp2_8 *a, __mmask8 mask, const struct cuzk_fp2_8 *b)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < CUZK_FP8_LIMBS; i++)
            a->c[k].l[i] = _mm512_mask_mov_epi64(a->c[k].l[i], mask, b->c[k].l[i]);
}

/* cuzk_pairing_double_step and the line at P: one squaring and one product of whole vectors */
CUZK_KERNEL void cuzk_pairing_spread_double_step(struct cuzk_pairing_spread *s)
{
    struct cuzk_fp2_8 d, q, x, y, e12, e36, t;

    /* y^2, z^2, x^2, (x + y)^2, (y + z)^2: b, c, j and two more */
    cuzk_spread_permute(&s->t, cuzk_spread_index(1, 2, 0, 0, 1, 1), &d);
    cuzk_spread_permute(&s->t, cuzk_spread_index(1, 2, 0, 1, 2, 1), &t);
    cuzk_spread_add(&d, 0x18, &t);
    cuzk_fp2_8_sqr(&d, &q);
    /* e = 12 xi c and f = 36 xi c, everywhere */
    cuzk_spread_permute(&q, cuzk_spread_index(1, 1, 1, 1, 1, 1), &t);
    cuzk_spread_mul_by_xi(&t, 0xff);
    cuzk_pairing_spread_shift(&t, 2, &t);
    cuzk_pairing_spread_shift(&t, 1, &e12);
    cuzk_spread_add(&e12, 0xff, &t);
    cuzk_pairing_spread_shift(&e12, 1, &e36);
    cuzk_spread_add(&e36, 0xff, &e12);
    /* x: b - f, b, b + f, e, 3 j, -2 y z */
    cuzk_spread_permute(&q, cuzk_spread_index(0, 0, 0, 0, 2, 0), &x);
    cuzk_spread_sub(&x, 0x01, &e36);
    cuzk_spread_add(&x, 0x04, &e36);
    cuzk_pairing_spread_blend(&x, 0x08, &e12);
    cuzk_spread_permute(&q, cuzk_spread_index(2, 2, 2, 2, 2, 1), &t);
    cuzk_spread_add(&x, 0x30, &t);
    cuzk_spread_add(&x, 0x10, &t);
    cuzk_spread_permute(&q, cuzk_spread_index(4, 4, 4, 4, 4, 4), &t);
    cuzk_spread_sub(&x, 0x20, &t);
    /* y: 2 x y, 2 y z, b + f, e, x_P, y_P */
    cuzk_spread_permute(&q, cuzk_spread_index(3, 4, 0, 0, 0, 0), &y);
    cuzk_spread_permute(&q, cuzk_spread_index(2, 1, 0, 0, 0, 0), &t);
    cuzk_spread_sub(&y, 0x03, &t);
    cuzk_spread_permute(&q, cuzk_spread_index(0, 0, 0, 0, 0, 0), &t); /* b, everywhere */
    cuzk_spread_sub(&y, 0x03, &t);
    cuzk_pairing_spread_blend(&y, 0x0c, &x);
    cuzk_pairing_spread_blend(&y, 0x30, &s->point);
    cuzk_fp2_8_mul(&x, &y, &d);
    cuzk_spread_permute_two(&x, &d, cuzk_spread_index(3, 12, 0, 0, 0, 0), &s->line);
    cuzk_spread_sub(&s->line, 0x01, &t); /* e - b */
    cuzk_spread_permute(&d, cuzk_spread_index(5, 5, 5, 5, 5, 5), &s->l4);
    /* T: (b - f) 2 x y, (b + f)^2 - 12 e^2, 4 b 2 y z */
    cuzk_spread_permute(&d, cuzk_spread_index(0, 2, 1, 0, 0, 0), &s->t);
    cuzk_spread_permute(&d, cuzk_spread_index(3, 3, 1, 3, 3, 3), &t);
    cuzk_pairing_spread_shift(&t, 2, &t);
    cuzk_pairing_spread_blend(&s->t, 0x04, &t);
    cuzk_spread_sub(&s->t, 0x02, &t);
    cuzk_spread_sub(&s->t, 0x02, &t);
    cuzk_spread_sub(&s->t, 0x02, &t);
}

CUZK_KERNEL void cuzk_pairing_spread_load_t(struct cuzk_pairing_spread *s, const struct cuzk_g2 *t)
{
    const struct cuzk_fp2 *const from[CUZK_FP8_LANES] = {&t->x, &t->y, &t->z, &t->x,
                                                         &t->x, &t->x, &t->x, &t->x};
    cuzk_fp2_8_load(from, &s->t);
}

/* The five additions are left to the scalar step. */
CUZK_KERNEL void cuzk_pairing_spread_add_step(struct cuzk_pairing_spread *s)
{
    struct cuzk_pairing_projective_line line;
    struct cuzk_fp2 spare;
    struct cuzk_g2 t;
    struct cuzk_fp2 *const to[CUZK_FP8_LANES] = {&t.x, &t.y, &t.z, &spare, &spare, &spare, &spare, &spare};

    cuzk_fp2_8_store(&s->t, to);
    cuzk_pairing_add_step(&t, s->term->q, &line);
    cuzk_fp2_mul_by_fp(&line.l1, &s->term->p->x, &line.l1);
    cuzk_fp2_mul_by_fp(&line.l4, &s->term->p->y, &line.l4);
    cuzk_pairing_spread_load_t(s, &t);
    const struct cuzk_fp2 *const from[CUZK_FP8_LANES] = {&line.l0, &line.l1, &line.l4, &line.l4,
                                                         &line.l4, &line.l4, &line.l4, &line.l4};
    cuzk_fp2_8_load(from, &s->line);
    cuzk_spread_permute(&s->line, cuzk_spread_index(2, 2, 2, 2, 2, 2), &s->l4);
}

CUZK_KERNEL void cuzk_pairing_spread_start(const struct cuzk_pairing_term *term,
                                           struct cuzk_pairing_spread *s)
{
    const struct cuzk_fp *const from[CUZK_FP8_LANES] = {&term->p->x, &term->p->x, &term->p->x, &term->p->x,
                                                        &term->p->x, &term->p->y, &term->p->x, &term->p->x};
    struct cuzk_g2 t;

    s->term = term;
    cuzk_fp8_load(from, &s->point.c[0]);
    cuzk_fp8_zero(&s->point.c[1]);
    cuzk_g2_law_from_affine(term->q, &t);
    cuzk_pairing_spread_load_t(s, &t);
}

/* Prepared pairs, as many as one vector scales at once. */
struct cuzk_pairing_spread_prepared {
    const struct cuzk_g2_prepared *prepared[CUZK_PAIRING_SPREAD_PREPARED];
    size_t n;
    struct cuzk_fp8 factor; /* 1 / y_P and -x_P / y_P in lanes 2 k and 2 k + 1 */
};

CUZK_KERNEL void cuzk_pairing_spread_apply_prepared(const struct cuzk_pairing_spread_prepared *p, size_t line,
                                                    struct cuzk_fp2_8 *f)
{
    const struct cuzk_fp2 *from[CUZK_FP8_LANES];
    struct cuzk_fp2_8 scaled, l;

    for (size_t i = 0; i < CUZK_FP8_LANES; i++) {
        const size_t k = i / 2 < p->n ? i / 2 : 0;
        from[i] = i % 2 == 0 ? &p->prepared[k]->lines[line].constant : &p->prepared[k]->lines[line].slope;
    }
    cuzk_fp2_8_load(from, &scaled);
    cuzk_fp2_8_mul_by_fp(&scaled, &p->factor, &scaled);
    for (size_t k = 0; k < p->n; k++) {
        const int at = 2 * (int)k;
        cuzk_spread_permute(&scaled, cuzk_spread_index(at, at + 1, at, at, at, at), &l);
        cuzk_spread_mul_by_line(f, &l, f, f);
    }
}

/* n pairs of any kind, at most CUZK_PAIRING_SPREAD_TERMS, none with infinity; not conjugated */
CUZK_KERNEL void cuzk_pairing_spread_loop(const struct cuzk_pairing_term *terms, size_t n,
                                          struct cuzk_fp12 *out)
{
    struct cuzk_pairing_spread plain[CUZK_PAIRING_SPREAD_TERMS];
    struct cuzk_pairing_spread_prepared
        prepared[(CUZK_PAIRING_SPREAD_TERMS + CUZK_PAIRING_SPREAD_PREPARED - 1) /
                 CUZK_PAIRING_SPREAD_PREPARED];
    struct cuzk_fp over_y[CUZK_PAIRING_SPREAD_TERMS], scratch[CUZK_PAIRING_SPREAD_TERMS],
        minus_x_over_y[CUZK_PAIRING_SPREAD_TERMS];
    struct cuzk_fp2_8 f, last;
    struct cuzk_fp12 one;
    size_t plains = 0, groups = 0, total = 0, k = 0;

    for (size_t i = 0; i < n; i++) {
        if (terms[i].prepared == NULL)
            cuzk_pairing_spread_start(&terms[i], &plain[plains++]);
        else
            over_y[total++] = terms[i].p->y;
    }
    cuzk_fp_kernel_batch_inverse(over_y, total, scratch);
    total = 0;
    for (size_t i = 0; i < n; i++) {
        if (terms[i].prepared == NULL)
            continue;
        cuzk_fp_mul(&terms[i].p->x, &over_y[total], &minus_x_over_y[total]);
        cuzk_fp_neg(&minus_x_over_y[total], &minus_x_over_y[total]);
        if (total % CUZK_PAIRING_SPREAD_PREPARED == 0)
            prepared[groups++].n = 0;
        prepared[groups - 1].prepared[prepared[groups - 1].n++] = terms[i].prepared;
        total++;
    }
    for (size_t g = 0; g < groups; g++) {
        const struct cuzk_fp *from[CUZK_FP8_LANES];
        for (size_t i = 0; i < CUZK_FP8_LANES; i++) {
            const size_t at = CUZK_PAIRING_SPREAD_PREPARED * g + (i / 2 < prepared[g].n ? i / 2 : 0);
            from[i] = i % 2 == 0 ? &over_y[at] : &minus_x_over_y[at];
        }
        cuzk_fp8_load(from, &prepared[g].factor);
    }
    cuzk_fp12_one(&one);
    cuzk_spread_load(&one, &f);
    for (int i = 62; i >= 0; i--) {
        if (i != 62)
            cuzk_spread_sqr(&f, &f);
        for (int add = 0; add <= (int)(CUZK_PAIRING_X >> i & 1); add++, k++) {
            for (size_t j = 0; j < plains; j++) {
                if (add)
                    cuzk_pairing_spread_add_step(&plain[j]);
                else
                    cuzk_pairing_spread_double_step(&plain[j]);
                cuzk_fp2_8_mul(&f, &plain[j].l4, &last);
                cuzk_spread_mul_by_line(&f, &plain[j].line, &last, &f);
            }
            for (size_t g = 0; g < groups; g++)
                cuzk_pairing_spread_apply_prepared(&prepared[g], k, &f);
        }
    }
    cuzk_spread_store(&f, out);
}

/* ---- the final exponentiation ---- */

/* a^x for a cyclotomic a; out is not a */
CUZK_KERNEL void cuzk_pairing_spread_pow_x(const struct cuzk_fp2_8 *a, struct cuzk_fp2_8 *out)
{
    enum { SETTLE = 4 }; /* squarings until the coefficients must be made small */
    struct cuzk_fp2_8 z, zero = {0};
    int since = 0;

    cuzk_spread_to_pairs(a, &z);
    for (int i = 62; i >= 0; i--) {
        if (since == SETTLE) {
            cuzk_spread_settle(&z);
            since = 0;
        }
        cuzk_spread_cyclotomic_sqr(&z);
        since++;
        if (CUZK_PAIRING_X >> i & 1) {
            cuzk_spread_from_pairs(&z, &z);
            cuzk_spread_mul(&z, a, &z);
            cuzk_spread_to_pairs(&z, &z);
            since = 0;
        }
    }
    cuzk_spread_settle(&z);
    cuzk_spread_from_pairs(&z, &z);
    /* x is negative: conjugate */
    cuzk_spread_sub(&zero, CUZK_SPREAD_C1, &z);
    cuzk_spread_add(&zero, CUZK_SPREAD_C0, &z);
    *out = zero;
}

/* out = a conj(b) */
CUZK_KERNEL void cuzk_pairing_spread_divide(const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *b,
                                            struct cuzk_fp2_8 *out)
{
    struct cuzk_fp2_8 c = {0};

    cuzk_spread_add(&c, CUZK_SPREAD_C0, b);
    cuzk_spread_sub(&c, CUZK_SPREAD_C1, b);
    cuzk_spread_mul(a, &c, out);
}

/* The factors of the Frobenius map (squared or not) on the coefficients: the image of all ones. */
CUZK_KERNEL void cuzk_pairing_spread_factors(bool squared, struct cuzk_fp2_8 *out)
{
    struct cuzk_fp12 ones;

    cuzk_fp2_one(&ones.c0.c0);
    ones.c0.c1 = ones.c0.c2 = ones.c0.c0;
    ones.c1 = ones.c0;
    if (squared)
        cuzk_fp12_frobenius_squared(&ones, &ones);
    else
        cuzk_fp12_frobenius(&ones, &ones);
    cuzk_spread_load(&ones, out);
}

/* As cuzk_pairing_kernel_final_exponentiation, step by step. */
CUZK_KERNEL void cuzk_pairing_spread_final_exponentiation(const struct cuzk_fp12 *f, struct cuzk_fp12 *out)
{
    struct cuzk_fp2_8 m, a, b, t, frobenius, frobenius_squared;
    struct cuzk_fp12 u, v;

    cuzk_pairing_spread_factors(false, &frobenius);
    cuzk_pairing_spread_factors(true, &frobenius_squared);
    cuzk_fp12_kernel_inverse(f, &u);
    cuzk_fp12_conjugate(f, &v);
    cuzk_spread_load(&u, &a);
    cuzk_spread_load(&v, &b);
    cuzk_spread_mul(&a, &b, &m);
    cuzk_fp2_8_mul(&m, &frobenius_squared, &t);
    cuzk_spread_mul(&m, &t, &m);
    cuzk_pairing_spread_pow_x(&m, &a);
    cuzk_pairing_spread_divide(&a, &m, &a); /* m^(x - 1) */
    cuzk_pairing_spread_pow_x(&a, &b);
    cuzk_pairing_spread_divide(&b, &a, &b); /* m^((x - 1)^2) */
    cuzk_pairing_spread_pow_x(&b, &a);
    for (int i = 0; i < CUZK_FP8_LIMBS; i++) /* b^p */
        b.c[1].l[i] = _mm512_sub_epi64(_mm512_setzero_si512(), b.c[1].l[i]);
    cuzk_fp2_8_mul(&b, &frobenius, &t);
    cuzk_spread_mul(&a, &t, &a); /* b^(x + p) */
    cuzk_pairing_spread_pow_x(&a, &t);
    cuzk_pairing_spread_pow_x(&t, &b);
    cuzk_fp2_8_mul(&a, &frobenius_squared, &t);
    cuzk_spread_mul(&b, &t, &b);
    cuzk_pairing_spread_divide(&b, &a, &b); /* a^(x^2 + p^2 - 1) */
    cuzk_spread_sqr(&m, &t);
    cuzk_spread_mul(&t, &m, &t);
    cuzk_spread_mul(&b, &t, &b);
    cuzk_spread_store(&b, out);
}

#endif
