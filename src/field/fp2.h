/*
 * Fp2 = Fp[u] / (u^2 + 1): the field of G2's coordinates.
 *
 * struct cuzk_fp2 is c0 + c1 u. The conventions of field/fp.h hold: reduced values in and out, `out` last and
 * free to be an input. xi = 1 + u is the non-residue of the tower above and of the twist.
 * Compiles for the host and the device.
 */
#ifndef CUZK_FIELD_FP2_H
#define CUZK_FIELD_FP2_H

#include "field/fp_wide.h"

struct cuzk_fp2 {
    struct cuzk_fp c0, c1;
};

/* an unreduced product; bounds are counted in p^2, as in fp_wide.h */
struct cuzk_fp2_wide {
    struct cuzk_fp_wide c0, c1;
};

static CUZK_HD void cuzk_fp2_zero(struct cuzk_fp2 *out)
{
    cuzk_fp_zero(&out->c0);
    cuzk_fp_zero(&out->c1);
}

static CUZK_HD void cuzk_fp2_one(struct cuzk_fp2 *out)
{
    cuzk_fp_one(&out->c0);
    cuzk_fp_zero(&out->c1);
}

static CUZK_HD bool cuzk_fp2_is_zero(const struct cuzk_fp2 *a)
{
    return cuzk_fp_is_zero(&a->c0) && cuzk_fp_is_zero(&a->c1);
}

static CUZK_HD bool cuzk_fp2_equal(const struct cuzk_fp2 *a, const struct cuzk_fp2 *b)
{
    return cuzk_fp_equal(&a->c0, &b->c0) && cuzk_fp_equal(&a->c1, &b->c1);
}

static CUZK_HD void cuzk_fp2_add(const struct cuzk_fp2 *a, const struct cuzk_fp2 *b, struct cuzk_fp2 *out)
{
    cuzk_fp_add(&a->c0, &b->c0, &out->c0);
    cuzk_fp_add(&a->c1, &b->c1, &out->c1);
}

static CUZK_HD void cuzk_fp2_double(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    cuzk_fp_double(&a->c0, &out->c0);
    cuzk_fp_double(&a->c1, &out->c1);
}

static CUZK_HD void cuzk_fp2_sub(const struct cuzk_fp2 *a, const struct cuzk_fp2 *b, struct cuzk_fp2 *out)
{
    cuzk_fp_sub(&a->c0, &b->c0, &out->c0);
    cuzk_fp_sub(&a->c1, &b->c1, &out->c1);
}

static CUZK_HD void cuzk_fp2_neg(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    cuzk_fp_neg(&a->c0, &out->c0);
    cuzk_fp_neg(&a->c1, &out->c1);
}

/* c0 - c1 u, which is a^p */
static CUZK_HD void cuzk_fp2_conjugate(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    out->c0 = a->c0;
    cuzk_fp_neg(&a->c1, &out->c1);
}

/* a * (1 + u) */
static CUZK_HD void cuzk_fp2_mul_by_xi(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    struct cuzk_fp t;

    cuzk_fp_sub(&a->c0, &a->c1, &t);
    cuzk_fp_add(&a->c0, &a->c1, &out->c1);
    out->c0 = t;
}

static CUZK_HD void cuzk_fp2_mul_by_fp(const struct cuzk_fp2 *a, const struct cuzk_fp *b,
                                       struct cuzk_fp2 *out)
{
    cuzk_fp_mul(&a->c0, b, &out->c0);
    cuzk_fp_mul(&a->c1, b, &out->c1);
}

/* a + b, not reduced */
static CUZK_HD void cuzk_fp2_add_lazy(const struct cuzk_fp2 *a, const struct cuzk_fp2 *b,
                                      struct cuzk_fp2 *out)
{
    cuzk_fp_add_lazy(&a->c0, &b->c0, &out->c0);
    cuzk_fp_add_lazy(&a->c1, &b->c1, &out->c1);
}

static CUZK_HD void cuzk_fp2_wide_add(const struct cuzk_fp2_wide *a, const struct cuzk_fp2_wide *b,
                                      struct cuzk_fp2_wide *out)
{
    cuzk_fp_wide_add(&a->c0, &b->c0, &out->c0);
    cuzk_fp_wide_add(&a->c1, &b->c1, &out->c1);
}

static CUZK_HD void cuzk_fp2_wide_sub(const struct cuzk_fp2_wide *a, const struct cuzk_fp2_wide *b,
                                      struct cuzk_fp2_wide *out)
{
    cuzk_fp_wide_sub(&a->c0, &b->c0, &out->c0);
    cuzk_fp_wide_sub(&a->c1, &b->c1, &out->c1);
}

/* a + b (1 + u) */
static CUZK_HD void cuzk_fp2_wide_add_xi(const struct cuzk_fp2_wide *a, const struct cuzk_fp2_wide *b,
                                         struct cuzk_fp2_wide *out)
{
    struct cuzk_fp_wide sum, difference;

    cuzk_fp_wide_add(&b->c0, &b->c1, &sum);
    cuzk_fp_wide_sub(&b->c0, &b->c1, &difference);
    cuzk_fp_wide_add(&a->c0, &difference, &out->c0);
    cuzk_fp_wide_add(&a->c1, &sum, &out->c1);
}

/* Reduces both coordinates. */
static CUZK_HD void cuzk_fp2_redc(const struct cuzk_fp2_wide *a, struct cuzk_fp2 *out)
{
    cuzk_fp_redc(&a->c0, &out->c0);
    cuzk_fp_redc(&a->c1, &out->c1);
}

/* a b by Karatsuba, three products. Coordinates of a and b may be sums of up to four reduced elements. For
 * reduced ones c0 is in (-1, 1), c1 in [0, 2). out is neither input. */
static CUZK_HD_CALL void cuzk_fp2_mul_wide(const struct cuzk_fp2 *a, const struct cuzk_fp2 *b,
                                           struct cuzk_fp2_wide *out)
{
    struct cuzk_fp_wide v0, v1;
    struct cuzk_fp s, t;

    cuzk_fp_add_lazy(&a->c0, &a->c1, &s);
    cuzk_fp_add_lazy(&b->c0, &b->c1, &t);
    cuzk_fp_mul_wide(&s, &t, &out->c1);
    cuzk_fp_mul_wide(&a->c0, &b->c0, &v0);
    cuzk_fp_mul_wide(&a->c1, &b->c1, &v1);
    cuzk_fp_wide_sub(&out->c1, &v0, &out->c1);
    cuzk_fp_wide_sub(&out->c1, &v1, &out->c1);
    cuzk_fp_wide_sub(&v0, &v1, &out->c0);
}

/* a^2 for reduced a, (c0 + c1)(c0 - c1 + p) + 2 c0 c1 u: c0 in [0, 4), c1 in [0, 2). */
static CUZK_HD_CALL void cuzk_fp2_sqr_wide(const struct cuzk_fp2 *a, struct cuzk_fp2_wide *out)
{
    struct cuzk_fp s, d, twice;

    cuzk_fp_add_lazy(&a->c0, &a->c1, &s);
    cuzk_fp_sub_lazy(&a->c0, &a->c1, &d);
    cuzk_fp_add_lazy(&a->c1, &a->c1, &twice);
    cuzk_fp_mul_wide(&s, &d, &out->c0);
    cuzk_fp_mul_wide(&a->c0, &twice, &out->c1);
}

static CUZK_HD_CALL void cuzk_fp2_mul(const struct cuzk_fp2 *a, const struct cuzk_fp2 *b,
                                      struct cuzk_fp2 *out)
{
    struct cuzk_fp2_wide t;

    cuzk_fp2_mul_wide(a, b, &t);
    cuzk_fp2_redc(&t, out);
}

/* (c0 + c1)(c0 - c1) + 2 c0 c1 u: two products in Fp. */
static CUZK_HD_CALL void cuzk_fp2_sqr(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    struct cuzk_fp s, d, twice;

    cuzk_fp_add_lazy(&a->c0, &a->c1, &s);
    cuzk_fp_sub_lazy(&a->c0, &a->c1, &d);
    cuzk_fp_add_lazy(&a->c1, &a->c1, &twice);
    cuzk_fp_mul(&a->c0, &twice, &out->c1);
    cuzk_fp_mul(&s, &d, &out->c0);
}

/* ---- host only, in fp2.c ---- */
#ifdef __cplusplus
extern "C" {
#endif

/* 1/a; zero for zero (variable time). */
void cuzk_fp2_inverse(const struct cuzk_fp2 *a, struct cuzk_fp2 *out);

/* Inverts n elements in place with one inversion; zeros stay zero. scratch holds n. */
void cuzk_fp2_batch_inverse(struct cuzk_fp2 *elements, size_t n, struct cuzk_fp2 *scratch);

/* A square root of a, either one: false (out untouched) if a is not a square. */
bool cuzk_fp2_sqrt(const struct cuzk_fp2 *a, struct cuzk_fp2 *out);

/* true if a is the larger of a and -a, comparing c1 first, then c0: the sign that the zcash encoding stores.
 */
bool cuzk_fp2_is_larger_root(const struct cuzk_fp2 *a);

#ifdef __cplusplus
}
#endif

#endif
