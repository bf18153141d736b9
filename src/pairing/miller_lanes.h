/*
 * The Miller loop over many pairs, eight of them in the lanes of a vector: the steps of pairing_kernel.h, a
 * lane for each pair. For kernel_ifma.c only.
 */
#ifndef CUZK_PAIRING_MILLER_LANES_H
#define CUZK_PAIRING_MILLER_LANES_H

#include "field/fp12_ifma.h"
#include "pairing/pairing_kernel.h"

enum {
    CUZK_PAIRING_LANES = CUZK_FP8_LANES,
    CUZK_PAIRING_VECTORS = 4, /* pairs of one lane that share its squarings */
};

struct cuzk_pairing_lanes {
    struct cuzk_fp8 px, py;       /* P */
    struct cuzk_fp2_8 qx, qy;     /* Q */
    struct cuzk_fp2_8 x, y, z;    /* T, homogeneous */
    struct cuzk_fp2_8 l0, l1, l4; /* the line */
};

/* As cuzk_pairing_double_step (pairing_kernel.h). */
CUZK_KERNEL void cuzk_pairing_lanes_double_step(struct cuzk_pairing_lanes *t)
{
    struct cuzk_fp2_8 a, b, c, e, f, h, j;

    cuzk_fp2_8_sqr(&t->y, &b);
    cuzk_fp2_8_sqr(&t->z, &c);
    cuzk_fp2_8_sqr(&t->x, &j);
    cuzk_fp2_8_add(&t->x, &t->y, &a);
    cuzk_fp2_8_sqr(&a, &a);
    cuzk_fp2_8_sub(&a, &j, &a);
    cuzk_fp2_8_sub(&a, &b, &a); /* 2 x y */
    cuzk_fp2_8_add(&t->y, &t->z, &h);
    cuzk_fp2_8_sqr(&h, &h);
    cuzk_fp2_8_sub(&h, &b, &h);
    cuzk_fp2_8_sub(&h, &c, &h); /* 2 y z */
    cuzk_fp2_8_mul_by_xi(&c, &c);
    cuzk_fp2_8_double(&c, &e);
    cuzk_fp2_8_add(&e, &c, &e);
    cuzk_fp2_8_double(&e, &e);
    cuzk_fp2_8_double(&e, &e); /* 3 b' z^2 */
    cuzk_fp2_8_sub(&e, &b, &t->l0);
    cuzk_fp2_8_double(&j, &t->l1);
    cuzk_fp2_8_add(&t->l1, &j, &t->l1);
    cuzk_fp2_8_neg(&h, &t->l4);
    cuzk_fp2_8_double(&e, &f);
    cuzk_fp2_8_add(&f, &e, &f); /* 9 b' z^2 */
    cuzk_fp2_8_sub(&b, &f, &j);
    cuzk_fp2_8_mul(&j, &a, &t->x);
    cuzk_fp2_8_mul(&b, &h, &t->z);
    cuzk_fp2_8_double(&t->z, &t->z);
    cuzk_fp2_8_double(&t->z, &t->z);
    cuzk_fp2_8_add(&b, &f, &b);
    cuzk_fp2_8_sqr(&b, &b);
    cuzk_fp2_8_sqr(&e, &e);
    cuzk_fp2_8_double(&e, &f);
    cuzk_fp2_8_add(&f, &e, &f);
    cuzk_fp2_8_double(&f, &f);
    cuzk_fp2_8_double(&f, &f);
    cuzk_fp2_8_sub(&b, &f, &t->y);
}

/* As cuzk_pairing_add_step. */
CUZK_KERNEL void cuzk_pairing_lanes_add_step(struct cuzk_pairing_lanes *t)
{
    struct cuzk_fp2_8 o, l, c, d, e, f, g, h;

    cuzk_fp2_8_mul(&t->qy, &t->z, &o);
    cuzk_fp2_8_sub(&t->y, &o, &o);
    cuzk_fp2_8_mul(&t->qx, &t->z, &l);
    cuzk_fp2_8_sub(&t->x, &l, &l);
    cuzk_fp2_8_mul(&t->qx, &o, &c);
    cuzk_fp2_8_mul(&t->qy, &l, &d);
    cuzk_fp2_8_sub(&c, &d, &t->l0);
    cuzk_fp2_8_neg(&o, &t->l1);
    t->l4 = l;
    cuzk_fp2_8_sqr(&o, &c);
    cuzk_fp2_8_sqr(&l, &d);
    cuzk_fp2_8_mul(&l, &d, &e);
    cuzk_fp2_8_mul(&t->z, &c, &f);
    cuzk_fp2_8_mul(&t->x, &d, &g);
    cuzk_fp2_8_add(&e, &f, &h);
    cuzk_fp2_8_sub(&h, &g, &h);
    cuzk_fp2_8_sub(&h, &g, &h);
    cuzk_fp2_8_mul(&l, &h, &t->x);
    cuzk_fp2_8_sub(&g, &h, &g);
    cuzk_fp2_8_mul(&g, &o, &g);
    cuzk_fp2_8_mul(&t->y, &e, &f);
    cuzk_fp2_8_sub(&g, &f, &t->y);
    cuzk_fp2_8_mul(&t->z, &e, &t->z);
}

CUZK_KERNEL void cuzk_pairing_lanes_apply_line(struct cuzk_pairing_lanes *t, struct cuzk_fp12_8 *f)
{
    cuzk_fp2_8_mul_by_fp(&t->l1, &t->px, &t->l1);
    cuzk_fp2_8_mul_by_fp(&t->l4, &t->py, &t->l4);
    cuzk_fp12_8_mul_by_014(f, &t->l0, &t->l1, &t->l4, f);
}

CUZK_KERNEL void cuzk_pairing_lanes_load(const struct cuzk_pairing_term terms[CUZK_PAIRING_LANES],
                                         struct cuzk_pairing_lanes *out)
{
    const struct cuzk_fp *px[CUZK_PAIRING_LANES], *py[CUZK_PAIRING_LANES];
    const struct cuzk_fp2 *qx[CUZK_PAIRING_LANES], *qy[CUZK_PAIRING_LANES];

    for (int i = 0; i < CUZK_PAIRING_LANES; i++) {
        px[i] = &terms[i].p->x;
        py[i] = &terms[i].p->y;
        qx[i] = &terms[i].q->x;
        qy[i] = &terms[i].q->y;
    }
    cuzk_fp8_load(px, &out->px);
    cuzk_fp8_load(py, &out->py);
    cuzk_fp2_8_load(qx, &out->qx);
    cuzk_fp2_8_load(qy, &out->qy);
    out->x = out->qx;
    out->y = out->qy;
    cuzk_fp2_8_one(&out->z);
}

/* The product of the Miller functions of CUZK_PAIRING_LANES * vectors pairs, none prepared, none with
 * infinity; not conjugated for the negative x. */
CUZK_KERNEL void cuzk_pairing_lanes_loop(const struct cuzk_pairing_term *terms, size_t vectors,
                                         struct cuzk_fp12 *out)
{
    struct cuzk_pairing_lanes pairs[CUZK_PAIRING_VECTORS];
    struct cuzk_fp12 lanes[CUZK_PAIRING_LANES];
    struct cuzk_fp12_8 f;

    for (size_t i = 0; i < vectors; i++)
        cuzk_pairing_lanes_load(terms + CUZK_PAIRING_LANES * i, &pairs[i]);
    cuzk_fp12_8_one(&f);
    for (int i = 62; i >= 0; i--) {
        if (i != 62)
            cuzk_fp12_8_sqr(&f, &f);
        for (size_t j = 0; j < vectors; j++) {
            cuzk_pairing_lanes_double_step(&pairs[j]);
            cuzk_pairing_lanes_apply_line(&pairs[j], &f);
        }
        if (!(CUZK_PAIRING_X >> i & 1))
            continue;
        for (size_t j = 0; j < vectors; j++) {
            cuzk_pairing_lanes_add_step(&pairs[j]);
            cuzk_pairing_lanes_apply_line(&pairs[j], &f);
        }
    }
    cuzk_fp12_8_store(&f, lanes);
    *out = lanes[0];
    for (int i = 1; i < CUZK_PAIRING_LANES; i++)
        cuzk_fp12_mul(out, &lanes[i], out);
}

#endif
