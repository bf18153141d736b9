/*
 * Fp6 = Fp2[v] / (v^3 - xi), xi = 1 + u: c0 + c1 v + c2 v^2.
 *
 * The conventions of field/fp.h hold: reduced values in and out, `out` last and free to be an input. Products
 * are summed before they are reduced; the bounds in comments count p^2 for reduced inputs and must stay
 * within
 * (-9, 9) (field/fp_wide.h). Compiles for the host and the device.
 */
#ifndef CUZK_FIELD_FP6_H
#define CUZK_FIELD_FP6_H

#include "field/fp2.h"

struct cuzk_fp6 {
    struct cuzk_fp2 c0, c1, c2;
};

static CUZK_HD void cuzk_fp6_zero(struct cuzk_fp6 *out)
{
    cuzk_fp2_zero(&out->c0);
    cuzk_fp2_zero(&out->c1);
    cuzk_fp2_zero(&out->c2);
}

static CUZK_HD void cuzk_fp6_one(struct cuzk_fp6 *out)
{
    cuzk_fp2_one(&out->c0);
    cuzk_fp2_zero(&out->c1);
    cuzk_fp2_zero(&out->c2);
}

static CUZK_HD bool cuzk_fp6_equal(const struct cuzk_fp6 *a, const struct cuzk_fp6 *b)
{
    return cuzk_fp2_equal(&a->c0, &b->c0) && cuzk_fp2_equal(&a->c1, &b->c1) && cuzk_fp2_equal(&a->c2, &b->c2);
}

static CUZK_HD_CALL void cuzk_fp6_add(const struct cuzk_fp6 *a, const struct cuzk_fp6 *b,
                                      struct cuzk_fp6 *out)
{
    cuzk_fp2_add(&a->c0, &b->c0, &out->c0);
    cuzk_fp2_add(&a->c1, &b->c1, &out->c1);
    cuzk_fp2_add(&a->c2, &b->c2, &out->c2);
}

static CUZK_HD_CALL void cuzk_fp6_sub(const struct cuzk_fp6 *a, const struct cuzk_fp6 *b,
                                      struct cuzk_fp6 *out)
{
    cuzk_fp2_sub(&a->c0, &b->c0, &out->c0);
    cuzk_fp2_sub(&a->c1, &b->c1, &out->c1);
    cuzk_fp2_sub(&a->c2, &b->c2, &out->c2);
}

static CUZK_HD_CALL void cuzk_fp6_neg(const struct cuzk_fp6 *a, struct cuzk_fp6 *out)
{
    cuzk_fp2_neg(&a->c0, &out->c0);
    cuzk_fp2_neg(&a->c1, &out->c1);
    cuzk_fp2_neg(&a->c2, &out->c2);
}

/* a * v */
static CUZK_HD void cuzk_fp6_mul_by_v(const struct cuzk_fp6 *a, struct cuzk_fp6 *out)
{
    struct cuzk_fp2 t;

    cuzk_fp2_mul_by_xi(&a->c2, &t);
    out->c2 = a->c1;
    out->c1 = a->c0;
    out->c0 = t;
}

/* Karatsuba, six products in Fp2. */
static CUZK_HD_CALL void cuzk_fp6_mul(const struct cuzk_fp6 *a, const struct cuzk_fp6 *b,
                                      struct cuzk_fp6 *out)
{
    struct cuzk_fp2_wide v0, v1, v2, s, t;
    struct cuzk_fp2 x, y, c0, c1;

    cuzk_fp2_mul_wide(&a->c0, &b->c0, &v0);
    cuzk_fp2_mul_wide(&a->c1, &b->c1, &v1);
    cuzk_fp2_mul_wide(&a->c2, &b->c2, &v2);

    /* a0 b0 + xi (a1 b2 + a2 b1): (-7, 3) and (-2, 8) */
    cuzk_fp2_add_lazy(&a->c1, &a->c2, &x);
    cuzk_fp2_add_lazy(&b->c1, &b->c2, &y);
    cuzk_fp2_mul_wide(&x, &y, &t);
    cuzk_fp2_wide_sub(&t, &v1, &t);
    cuzk_fp2_wide_sub(&t, &v2, &t);
    cuzk_fp2_wide_add_xi(&v0, &t, &t);
    cuzk_fp2_redc(&t, &c0);

    /* a0 b1 + a1 b0 + xi a2 b2: (-5, 3) and (-1, 7) */
    cuzk_fp2_add_lazy(&a->c0, &a->c1, &x);
    cuzk_fp2_add_lazy(&b->c0, &b->c1, &y);
    cuzk_fp2_mul_wide(&x, &y, &t);
    cuzk_fp2_wide_add(&v0, &v1, &s);
    cuzk_fp2_wide_sub(&t, &s, &t);
    cuzk_fp2_wide_add_xi(&t, &v2, &t);
    cuzk_fp2_redc(&t, &c1);

    /* a0 b2 + a2 b0 + a1 b1: (-3, 3) and [0, 6) */
    cuzk_fp2_add_lazy(&a->c0, &a->c2, &x);
    cuzk_fp2_add_lazy(&b->c0, &b->c2, &y);
    cuzk_fp2_mul_wide(&x, &y, &t);
    cuzk_fp2_wide_sub(&t, &v0, &t);
    cuzk_fp2_wide_sub(&t, &v2, &t);
    cuzk_fp2_wide_add(&t, &v1, &t);
    cuzk_fp2_redc(&t, &out->c2);
    out->c0 = c0;
    out->c1 = c1;
}

/* a * (b0 + b1 v), five products in Fp2; out is not a */
static CUZK_HD_CALL void cuzk_fp6_mul_by_01(const struct cuzk_fp6 *a, const struct cuzk_fp2 *b0,
                                            const struct cuzk_fp2 *b1, struct cuzk_fp6 *out)
{
    struct cuzk_fp2_wide v0, v1, t;
    struct cuzk_fp2 x, y;

    cuzk_fp2_mul_wide(&a->c0, b0, &v0);
    cuzk_fp2_mul_wide(&a->c1, b1, &v1);

    /* a0 b1 + a1 b0: (-2, 2) and [0, 4) */
    cuzk_fp2_add_lazy(&a->c0, &a->c1, &x);
    cuzk_fp2_add_lazy(b0, b1, &y);
    cuzk_fp2_mul_wide(&x, &y, &t);
    cuzk_fp2_wide_sub(&t, &v0, &t);
    cuzk_fp2_wide_sub(&t, &v1, &t);
    cuzk_fp2_redc(&t, &out->c1);

    /* a0 b0 + xi a2 b1: (-4, 2) and (-1, 5) */
    cuzk_fp2_mul_wide(&a->c2, b1, &t);
    cuzk_fp2_wide_add_xi(&v0, &t, &t);
    cuzk_fp2_redc(&t, &out->c0);

    /* a1 b1 + a2 b0: (-2, 2) and [0, 4) */
    cuzk_fp2_mul_wide(&a->c2, b0, &t);
    cuzk_fp2_wide_add(&t, &v1, &t);
    cuzk_fp2_redc(&t, &out->c2);
}

#endif
