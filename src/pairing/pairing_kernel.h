/*
 * The pairing's loops as static functions, so that files compiled for different instruction sets each have
 * their own (pairing/kernel.h). Other code calls pairing/pairing.h. The contracts are there.
 */
#ifndef CUZK_PAIRING_PAIRING_KERNEL_H
#define CUZK_PAIRING_PAIRING_KERNEL_H

#include "curve/g1_kernel.h"
#include "curve/g2_kernel.h"
#include "field/fp12_kernel.h"
#include "pairing/pairing.h"

/* |x|; x is negative */
#define CUZK_PAIRING_X UINT64_C(0xd201000000010000)

enum { CUZK_PAIRING_GROUP = 32 }; /* terms that share the squarings */

/* A line through Q, in projective coordinates, at a point P: l0 + l1 x_P v + l4 y_P v w. */
struct cuzk_pairing_projective_line {
    struct cuzk_fp2 l0, l1, l4;
};

/* T = 2T and the tangent at T; T is homogeneous, (x / z, y / z). Two products and seven squarings. */
CUZK_KERNEL void cuzk_pairing_double_step(struct cuzk_g2 *t, struct cuzk_pairing_projective_line *line)
{
    struct cuzk_fp2 a, b, c, e, f, h, j;

    cuzk_fp2_sqr(&t->y, &b);
    cuzk_fp2_sqr(&t->z, &c);
    cuzk_fp2_sqr(&t->x, &j);
    cuzk_fp2_add(&t->x, &t->y, &a);
    cuzk_fp2_sqr(&a, &a);
    cuzk_fp2_sub(&a, &j, &a);
    cuzk_fp2_sub(&a, &b, &a); /* 2 x y */
    cuzk_fp2_add(&t->y, &t->z, &h);
    cuzk_fp2_sqr(&h, &h);
    cuzk_fp2_sub(&h, &b, &h);
    cuzk_fp2_sub(&h, &c, &h); /* 2 y z */
    cuzk_fp2_mul_by_xi(&c, &c);
    cuzk_fp2_double(&c, &e);
    cuzk_fp2_add(&e, &c, &e);
    cuzk_fp2_double(&e, &e);
    cuzk_fp2_double(&e, &e); /* 3 b' z^2, b' = 4 xi */
    cuzk_fp2_sub(&e, &b, &line->l0);
    cuzk_fp2_double(&j, &line->l1);
    cuzk_fp2_add(&line->l1, &j, &line->l1);
    cuzk_fp2_neg(&h, &line->l4);
    cuzk_fp2_double(&e, &f);
    cuzk_fp2_add(&f, &e, &f); /* 9 b' z^2 */
    cuzk_fp2_sub(&b, &f, &j);
    cuzk_fp2_mul(&j, &a, &t->x); /* 4 times the usual x, y and z: no halving */
    cuzk_fp2_mul(&b, &h, &t->z);
    cuzk_fp2_double(&t->z, &t->z);
    cuzk_fp2_double(&t->z, &t->z);
    cuzk_fp2_add(&b, &f, &b);
    cuzk_fp2_sqr(&b, &b);
    cuzk_fp2_sqr(&e, &e);
    cuzk_fp2_double(&e, &f);
    cuzk_fp2_add(&f, &e, &f);
    cuzk_fp2_double(&f, &f);
    cuzk_fp2_double(&f, &f);
    cuzk_fp2_sub(&b, &f, &t->y);
}

/* T = T + Q and the line through them. */
CUZK_KERNEL void cuzk_pairing_add_step(struct cuzk_g2 *t, const struct cuzk_g2_affine *q,
                                       struct cuzk_pairing_projective_line *line)
{
    struct cuzk_fp2 o, l, c, d, e, f, g, h;

    cuzk_fp2_mul(&q->y, &t->z, &o);
    cuzk_fp2_sub(&t->y, &o, &o);
    cuzk_fp2_mul(&q->x, &t->z, &l);
    cuzk_fp2_sub(&t->x, &l, &l);
    cuzk_fp2_mul(&q->x, &o, &c);
    cuzk_fp2_mul(&q->y, &l, &d);
    cuzk_fp2_sub(&c, &d, &line->l0);
    cuzk_fp2_neg(&o, &line->l1);
    line->l4 = l;
    cuzk_fp2_sqr(&o, &c);
    cuzk_fp2_sqr(&l, &d);
    cuzk_fp2_mul(&l, &d, &e);
    cuzk_fp2_mul(&t->z, &c, &f);
    cuzk_fp2_mul(&t->x, &d, &g);
    cuzk_fp2_add(&e, &f, &h);
    cuzk_fp2_sub(&h, &g, &h);
    cuzk_fp2_sub(&h, &g, &h);
    cuzk_fp2_mul(&l, &h, &t->x);
    cuzk_fp2_sub(&g, &h, &g);
    cuzk_fp2_mul(&g, &o, &g);
    cuzk_fp2_mul(&t->y, &e, &f);
    cuzk_fp2_sub(&g, &f, &t->y);
    cuzk_fp2_mul(&t->z, &e, &t->z);
}

/* T = T + S over affine coordinates, with the slope given; the line's constant too */
static inline void cuzk_pairing_affine_step(struct cuzk_g2_affine *t, const struct cuzk_fp2 *other_x,
                                            const struct cuzk_fp2 *slope, struct cuzk_pairing_line *line)
{
    struct cuzk_fp2 x, y;

    line->slope = *slope;
    cuzk_fp2_mul(slope, &t->x, &x);
    cuzk_fp2_sub(&x, &t->y, &line->constant);
    cuzk_fp2_sqr(slope, &x);
    cuzk_fp2_sub(&x, &t->x, &x);
    cuzk_fp2_sub(&x, other_x, &x);
    cuzk_fp2_mul(slope, &x, &y);
    cuzk_fp2_sub(&line->constant, &y, &t->y); /* slope (x_T - x) - y_T */
    t->x = x;
}

CUZK_KERNEL void cuzk_pairing_kernel_prepare(const struct cuzk_g2_affine *q, struct cuzk_g2_prepared *out)
{
    struct cuzk_g2_affine t = *q;
    struct cuzk_fp2 slope, d;
    size_t line = 0;

    out->infinity = cuzk_g2_law_affine_is_identity(q);
    if (out->infinity) {
        for (size_t i = 0; i < CUZK_PAIRING_LINES; i++) {
            cuzk_fp2_zero(&out->lines[i].slope);
            cuzk_fp2_zero(&out->lines[i].constant);
        }
        return;
    }
    for (int i = 62; i >= 0; i--) {
        cuzk_fp2_double(&t.y, &d);
        cuzk_fp2_kernel_inverse(&d, &d);
        cuzk_fp2_sqr(&t.x, &slope);
        cuzk_fp2_mul(&slope, &d, &d);
        cuzk_fp2_double(&d, &slope);
        cuzk_fp2_add(&slope, &d, &slope); /* 3 x^2 / 2 y */
        const struct cuzk_fp2 x = t.x;
        cuzk_pairing_affine_step(&t, &x, &slope, &out->lines[line++]);
        if (CUZK_PAIRING_X >> i & 1) {
            cuzk_fp2_sub(&t.x, &q->x, &d);
            cuzk_fp2_kernel_inverse(&d, &d);
            cuzk_fp2_sub(&t.y, &q->y, &slope);
            cuzk_fp2_mul(&slope, &d, &slope);
            cuzk_pairing_affine_step(&t, &q->x, &slope, &out->lines[line++]);
        }
    }
}

/* One term within the loop. */
struct cuzk_pairing_state {
    const struct cuzk_g1_affine *p;
    const struct cuzk_g2_affine *q; /* NULL for a prepared one */
    const struct cuzk_g2_prepared *prepared;
    struct cuzk_g2 t;                      /* a multiple of q, homogeneous */
    struct cuzk_fp minus_x_over_y, over_y; /* of p, for a prepared q */
};

CUZK_KERNEL void cuzk_pairing_apply_line(const struct cuzk_pairing_state *s,
                                         struct cuzk_pairing_projective_line *line, struct cuzk_fp12 *f)
{
    cuzk_fp2_mul_by_fp(&line->l1, &s->p->x, &line->l1);
    cuzk_fp2_mul_by_fp(&line->l4, &s->p->y, &line->l4);
    cuzk_fp12_mul_by_014(f, &line->l0, &line->l1, &line->l4, f);
}

CUZK_KERNEL void cuzk_pairing_apply_prepared(const struct cuzk_pairing_state *s, size_t line,
                                             struct cuzk_fp12 *f)
{
    struct cuzk_fp2 l0, l1;

    cuzk_fp2_mul_by_fp(&s->prepared->lines[line].constant, &s->over_y, &l0);
    cuzk_fp2_mul_by_fp(&s->prepared->lines[line].slope, &s->minus_x_over_y, &l1);
    cuzk_fp12_mul_by_01_line(f, &l0, &l1, f);
}

/* at most CUZK_PAIRING_GROUP terms, none with infinity */
CUZK_KERNEL void cuzk_pairing_group_loop(struct cuzk_pairing_state *states, size_t n, struct cuzk_fp12 *out)
{
    struct cuzk_fp inverses[CUZK_PAIRING_GROUP], scratch[CUZK_PAIRING_GROUP];
    struct cuzk_pairing_projective_line line;
    struct cuzk_fp12 f;
    size_t k = 0;

    for (size_t i = 0; i < n; i++)
        inverses[i] = states[i].p->y;
    cuzk_fp_kernel_batch_inverse(inverses, n, scratch);
    for (size_t i = 0; i < n; i++) {
        struct cuzk_pairing_state *s = &states[i];
        s->over_y = inverses[i];
        cuzk_fp_mul(&s->p->x, &s->over_y, &s->minus_x_over_y);
        cuzk_fp_neg(&s->minus_x_over_y, &s->minus_x_over_y);
        if (s->q != NULL)
            cuzk_g2_law_from_affine(s->q, &s->t);
    }
    cuzk_fp12_one(&f);
    for (int i = 62; i >= 0; i--) {
        if (i != 62)
            cuzk_fp12_sqr(&f, &f);
        for (size_t j = 0; j < n; j++) {
            if (states[j].q == NULL) {
                cuzk_pairing_apply_prepared(&states[j], k, &f);
                continue;
            }
            cuzk_pairing_double_step(&states[j].t, &line);
            cuzk_pairing_apply_line(&states[j], &line, &f);
        }
        k++;
        if (!(CUZK_PAIRING_X >> i & 1))
            continue;
        for (size_t j = 0; j < n; j++) {
            if (states[j].q == NULL) {
                cuzk_pairing_apply_prepared(&states[j], k, &f);
                continue;
            }
            cuzk_pairing_add_step(&states[j].t, states[j].q, &line);
            cuzk_pairing_apply_line(&states[j], &line, &f);
        }
        k++;
    }
    cuzk_fp12_conjugate(&f, out); /* x is negative */
}

CUZK_KERNEL void cuzk_pairing_kernel_miller_loop(const struct cuzk_pairing_term *terms, size_t n,
                                                 struct cuzk_fp12 *out)
{
    struct cuzk_pairing_state states[CUZK_PAIRING_GROUP];
    struct cuzk_fp12 group;
    bool first = true;

    cuzk_fp12_one(out);
    for (size_t i = 0; i < n;) {
        size_t m = 0;
        for (; i < n && m < CUZK_PAIRING_GROUP; i++) {
            const struct cuzk_pairing_term *t = &terms[i];
            if (cuzk_g1_law_affine_is_identity(t->p) ||
                (t->prepared != NULL ? t->prepared->infinity : cuzk_g2_law_affine_is_identity(t->q)))
                continue;
            states[m].p = t->p;
            states[m].prepared = t->prepared;
            states[m++].q = t->prepared != NULL ? NULL : t->q;
        }
        if (m == 0)
            continue;
        cuzk_pairing_group_loop(states, m, &group);
        if (first)
            *out = group;
        else
            cuzk_fp12_mul(out, &group, out);
        first = false;
    }
}

/* a^x for a in the cyclotomic subgroup */
CUZK_KERNEL void cuzk_pairing_pow_x(const struct cuzk_fp12 *a, struct cuzk_fp12 *out)
{
    struct cuzk_fp12 acc = *a;

    for (int i = 62; i >= 0; i--) {
        cuzk_fp12_cyclotomic_sqr(&acc, &acc);
        if (CUZK_PAIRING_X >> i & 1)
            cuzk_fp12_mul(&acc, a, &acc);
    }
    cuzk_fp12_conjugate(&acc, out);
}

CUZK_KERNEL void cuzk_pairing_kernel_final_exponentiation(const struct cuzk_fp12 *f, struct cuzk_fp12 *out)
{
    struct cuzk_fp12 m, a, b, t;

    /* (p^6 - 1)(p^2 + 1) */
    cuzk_fp12_kernel_inverse(f, &t);
    cuzk_fp12_conjugate(f, &m);
    cuzk_fp12_mul(&m, &t, &m);
    cuzk_fp12_frobenius_squared(&m, &t);
    cuzk_fp12_mul(&m, &t, &m);
    /* 3 (p^4 - p^2 + 1) / r = (x - 1)^2 (x + p)(x^2 + p^2 - 1) + 3 */
    cuzk_pairing_pow_x(&m, &a);
    cuzk_fp12_conjugate(&m, &t);
    cuzk_fp12_mul(&a, &t, &a);
    cuzk_pairing_pow_x(&a, &b);
    cuzk_fp12_conjugate(&a, &t);
    cuzk_fp12_mul(&b, &t, &b);
    cuzk_pairing_pow_x(&b, &a);
    cuzk_fp12_frobenius(&b, &t);
    cuzk_fp12_mul(&a, &t, &a);
    cuzk_pairing_pow_x(&a, &b);
    cuzk_pairing_pow_x(&b, &b);
    cuzk_fp12_frobenius_squared(&a, &t);
    cuzk_fp12_mul(&b, &t, &b);
    cuzk_fp12_conjugate(&a, &t);
    cuzk_fp12_mul(&b, &t, &b);
    cuzk_fp12_cyclotomic_sqr(&m, &t);
    cuzk_fp12_mul(&t, &m, &t);
    cuzk_fp12_mul(&b, &t, out);
}

#endif
