/*
 * Fp2 = Fp[u] / (u^2 + 1): the field of G2's coordinates.
 *
 * struct cuzk_fp2 is c0 + c1 u. The conventions of field/fp.h hold: reduced values in and out, `out` last and
 * free to be an input. xi = 1 + u is the non-residue of the tower above and of the twist.
 * Compiles for the host and the device.
 */
#ifndef CUZK_FIELD_FP2_H
#define CUZK_FIELD_FP2_H

#include "field/fp.h"

struct cuzk_fp2 {
    struct cuzk_fp c0, c1;
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

/* Karatsuba: three products in Fp. */
static CUZK_HD_CALL void cuzk_fp2_mul(const struct cuzk_fp2 *a, const struct cuzk_fp2 *b,
                                      struct cuzk_fp2 *out)
{
    struct cuzk_fp v0, v1, s, t;

    cuzk_fp_mul(&a->c0, &b->c0, &v0);
    cuzk_fp_mul(&a->c1, &b->c1, &v1);
    cuzk_fp_add(&a->c0, &a->c1, &s);
    cuzk_fp_add(&b->c0, &b->c1, &t);
    cuzk_fp_mul(&s, &t, &s);
    cuzk_fp_sub(&s, &v0, &s);
    cuzk_fp_sub(&s, &v1, &out->c1);
    cuzk_fp_sub(&v0, &v1, &out->c0);
}

/* (c0 + c1)(c0 - c1) + 2 c0 c1 u: two products in Fp. */
static CUZK_HD_CALL void cuzk_fp2_sqr(const struct cuzk_fp2 *a, struct cuzk_fp2 *out)
{
    struct cuzk_fp s, d, m;

    cuzk_fp_add(&a->c0, &a->c1, &s);
    cuzk_fp_sub(&a->c0, &a->c1, &d);
    cuzk_fp_mul(&a->c0, &a->c1, &m);
    cuzk_fp_mul(&s, &d, &out->c0);
    cuzk_fp_double(&m, &out->c1);
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
