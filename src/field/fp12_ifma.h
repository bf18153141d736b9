/*
 * Eight elements of Fp2, Fp6 and Fp12 at once, a lane for each: the arithmetic of field/fp12.h for products
 * of many pairings and for testing many points.
 *
 * Everything here takes and gives kept numbers (field/fp_ifma.h): sums and differences are not reduced, and
 * products make their inputs ready first. A coefficient that goes around a loop comes out of products, so it
 * stays below a few hundred p, far from the 2^13 p that kept numbers may reach.
 * Only for files compiled with CUZK_IFMA_FLAGS, called after cuzk_cpu_level() said CUZK_CPU_IFMA.
 */
#ifndef CUZK_FIELD_FP12_IFMA_H
#define CUZK_FIELD_FP12_IFMA_H

#include "field/fp12.h"
#include "field/fp2_ifma.h"

struct cuzk_fp2_8 {
    struct cuzk_fp8 c[2];
};

struct cuzk_fp6_8 {
    struct cuzk_fp2_8 c[3];
};

struct cuzk_fp12_8 {
    struct cuzk_fp6_8 c[2];
};

#define CUZK_FP8_CALL static __attribute__((noinline, unused))

/* ---- Fp ---- */

CUZK_FP8_CALL void cuzk_fp_8_mul(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b, struct cuzk_fp8 *out)
{
    struct cuzk_fp8 s, t;

    cuzk_fp8_ready(a, &s);
    cuzk_fp8_ready(b, &t);
    cuzk_fp8_mul(&s, &t, out);
}

CUZK_FP8_CALL void cuzk_fp_8_sqr(const struct cuzk_fp8 *a, struct cuzk_fp8 *out)
{
    struct cuzk_fp8 s;

    cuzk_fp8_ready(a, &s);
    cuzk_fp8_sqr(&s, out);
}

CUZK_FP8_FN void cuzk_fp8_zero(struct cuzk_fp8 *out)
{
    for (int i = 0; i < CUZK_FP8_LIMBS; i++)
        out->l[i] = _mm512_setzero_si512();
}

CUZK_FP8_FN void cuzk_fp_8_neg(const struct cuzk_fp8 *a, struct cuzk_fp8 *out)
{
    struct cuzk_fp8 zero;

    cuzk_fp8_zero(&zero);
    cuzk_fp8_sub(&zero, a, out);
}

CUZK_FP8_FN void cuzk_fp_8_double(const struct cuzk_fp8 *a, struct cuzk_fp8 *out)
{
    cuzk_fp8_add(a, a, out);
}

CUZK_FP8_FN void cuzk_fp_8_add(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b, struct cuzk_fp8 *out)
{
    cuzk_fp8_add(a, b, out);
}

CUZK_FP8_FN void cuzk_fp_8_sub(const struct cuzk_fp8 *a, const struct cuzk_fp8 *b, struct cuzk_fp8 *out)
{
    cuzk_fp8_sub(a, b, out);
}

CUZK_FP8_FN void cuzk_fp_8_select(__mmask8 mask, const struct cuzk_fp8 *a, const struct cuzk_fp8 *b,
                                  struct cuzk_fp8 *out)
{
    cuzk_fp8_select(mask, a, b, out);
}

/* the same element in every lane */
CUZK_FP8_FN void cuzk_fp8_broadcast(const struct cuzk_fp *a, struct cuzk_fp8 *out)
{
    const struct cuzk_fp *from[CUZK_FP8_LANES];

    for (int i = 0; i < CUZK_FP8_LANES; i++)
        from[i] = a;
    cuzk_fp8_load(from, out);
}

CUZK_FP8_CALL __mmask8 cuzk_fp_8_zero_lanes(const struct cuzk_fp8 *a)
{
    struct cuzk_fp8 t;

    cuzk_fp8_ready(a, &t);
    return cuzk_fp8_zero_lanes(&t);
}

CUZK_FP8_CALL void cuzk_fp_8_store(const struct cuzk_fp8 *a, struct cuzk_fp *const to[CUZK_FP8_LANES])
{
    struct cuzk_fp8 t;

    cuzk_fp8_ready(a, &t);
    cuzk_fp8_store(&t, to);
}

/* ---- Fp2 ---- */

CUZK_FP8_CALL void cuzk_fp2_8_mul(const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *b,
                                  struct cuzk_fp2_8 *out)
{
    struct cuzk_fp2_8 s, t;

    for (int i = 0; i < 2; i++) {
        cuzk_fp8_ready(&a->c[i], &s.c[i]);
        cuzk_fp8_ready(&b->c[i], &t.c[i]);
    }
    cuzk_fp8_mul_fp2(s.c, t.c, out->c);
}

CUZK_FP8_CALL void cuzk_fp2_8_sqr(const struct cuzk_fp2_8 *a, struct cuzk_fp2_8 *out)
{
    struct cuzk_fp2_8 s;

    for (int i = 0; i < 2; i++)
        cuzk_fp8_ready(&a->c[i], &s.c[i]);
    cuzk_fp8_sqr_fp2(s.c, out->c);
}

CUZK_FP8_CALL void cuzk_fp2_8_mul_by_fp(const struct cuzk_fp2_8 *a, const struct cuzk_fp8 *b,
                                        struct cuzk_fp2_8 *out)
{
    struct cuzk_fp8 s, t;

    cuzk_fp8_ready(b, &t);
    for (int i = 0; i < 2; i++) {
        cuzk_fp8_ready(&a->c[i], &s);
        cuzk_fp8_mul(&s, &t, &out->c[i]);
    }
}

CUZK_FP8_FN void cuzk_fp2_8_add(const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *b,
                                struct cuzk_fp2_8 *out)
{
    cuzk_fp8_add(&a->c[0], &b->c[0], &out->c[0]);
    cuzk_fp8_add(&a->c[1], &b->c[1], &out->c[1]);
}

CUZK_FP8_FN void cuzk_fp2_8_sub(const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *b,
                                struct cuzk_fp2_8 *out)
{
    cuzk_fp8_sub(&a->c[0], &b->c[0], &out->c[0]);
    cuzk_fp8_sub(&a->c[1], &b->c[1], &out->c[1]);
}

CUZK_FP8_FN void cuzk_fp2_8_neg(const struct cuzk_fp2_8 *a, struct cuzk_fp2_8 *out)
{
    cuzk_fp_8_neg(&a->c[0], &out->c[0]);
    cuzk_fp_8_neg(&a->c[1], &out->c[1]);
}

CUZK_FP8_FN void cuzk_fp2_8_double(const struct cuzk_fp2_8 *a, struct cuzk_fp2_8 *out)
{
    cuzk_fp2_8_add(a, a, out);
}

CUZK_FP8_FN void cuzk_fp2_8_mul_by_xi(const struct cuzk_fp2_8 *a, struct cuzk_fp2_8 *out)
{
    struct cuzk_fp8 t;

    cuzk_fp8_sub(&a->c[0], &a->c[1], &t);
    cuzk_fp8_add(&a->c[0], &a->c[1], &out->c[1]);
    out->c[0] = t;
}

CUZK_FP8_FN void cuzk_fp2_8_one(struct cuzk_fp2_8 *out)
{
    cuzk_fp8_one(&out->c[0]);
    cuzk_fp8_zero(&out->c[1]);
}

CUZK_FP8_FN void cuzk_fp2_8_load(const struct cuzk_fp2 *const from[CUZK_FP8_LANES], struct cuzk_fp2_8 *out)
{
    const struct cuzk_fp *c0[CUZK_FP8_LANES], *c1[CUZK_FP8_LANES];

    for (int i = 0; i < CUZK_FP8_LANES; i++) {
        c0[i] = &from[i]->c0;
        c1[i] = &from[i]->c1;
    }
    cuzk_fp8_load(c0, &out->c[0]);
    cuzk_fp8_load(c1, &out->c[1]);
}

CUZK_FP8_FN void cuzk_fp2_8_broadcast(const struct cuzk_fp2 *a, struct cuzk_fp2_8 *out)
{
    cuzk_fp8_broadcast(&a->c0, &out->c[0]);
    cuzk_fp8_broadcast(&a->c1, &out->c[1]);
}

CUZK_FP8_FN void cuzk_fp2_8_store(const struct cuzk_fp2_8 *a, struct cuzk_fp2 *const to[CUZK_FP8_LANES])
{
    struct cuzk_fp *c0[CUZK_FP8_LANES], *c1[CUZK_FP8_LANES];

    for (int i = 0; i < CUZK_FP8_LANES; i++) {
        c0[i] = &to[i]->c0;
        c1[i] = &to[i]->c1;
    }
    cuzk_fp_8_store(&a->c[0], c0);
    cuzk_fp_8_store(&a->c[1], c1);
}

CUZK_FP8_FN void cuzk_fp2_8_select(__mmask8 mask, const struct cuzk_fp2_8 *a, const struct cuzk_fp2_8 *b,
                                   struct cuzk_fp2_8 *out)
{
    cuzk_fp8_select(mask, &a->c[0], &b->c[0], &out->c[0]);
    cuzk_fp8_select(mask, &a->c[1], &b->c[1], &out->c[1]);
}

CUZK_FP8_FN __mmask8 cuzk_fp2_8_zero_lanes(const struct cuzk_fp2_8 *a)
{
    return cuzk_fp_8_zero_lanes(&a->c[0]) & cuzk_fp_8_zero_lanes(&a->c[1]);
}

/* ---- Fp6 ---- */

CUZK_FP8_CALL void cuzk_fp6_8_add(const struct cuzk_fp6_8 *a, const struct cuzk_fp6_8 *b,
                                  struct cuzk_fp6_8 *out)
{
    for (int i = 0; i < 3; i++)
        cuzk_fp2_8_add(&a->c[i], &b->c[i], &out->c[i]);
}

CUZK_FP8_CALL void cuzk_fp6_8_sub(const struct cuzk_fp6_8 *a, const struct cuzk_fp6_8 *b,
                                  struct cuzk_fp6_8 *out)
{
    for (int i = 0; i < 3; i++)
        cuzk_fp2_8_sub(&a->c[i], &b->c[i], &out->c[i]);
}

CUZK_FP8_FN void cuzk_fp6_8_mul_by_v(const struct cuzk_fp6_8 *a, struct cuzk_fp6_8 *out)
{
    struct cuzk_fp2_8 t;

    cuzk_fp2_8_mul_by_xi(&a->c[2], &t);
    out->c[2] = a->c[1];
    out->c[1] = a->c[0];
    out->c[0] = t;
}

/* a_i b_j + a_j b_i from the products on the diagonal */
CUZK_FP8_FN void cuzk_fp6_8_cross(const struct cuzk_fp2_8 *ai, const struct cuzk_fp2_8 *aj,
                                  const struct cuzk_fp2_8 *bi, const struct cuzk_fp2_8 *bj,
                                  const struct cuzk_fp2_8 *vi, const struct cuzk_fp2_8 *vj,
                                  struct cuzk_fp2_8 *out)
{
    struct cuzk_fp2_8 s, t;

    cuzk_fp2_8_add(ai, aj, &s);
    cuzk_fp2_8_add(bi, bj, &t);
    cuzk_fp2_8_mul(&s, &t, out);
    cuzk_fp2_8_sub(out, vi, out);
    cuzk_fp2_8_sub(out, vj, out);
}

CUZK_FP8_CALL void cuzk_fp6_8_mul(const struct cuzk_fp6_8 *a, const struct cuzk_fp6_8 *b,
                                  struct cuzk_fp6_8 *out)
{
    struct cuzk_fp2_8 v0, v1, v2, x, y, z;

    cuzk_fp2_8_mul(&a->c[0], &b->c[0], &v0);
    cuzk_fp2_8_mul(&a->c[1], &b->c[1], &v1);
    cuzk_fp2_8_mul(&a->c[2], &b->c[2], &v2);
    cuzk_fp6_8_cross(&a->c[1], &a->c[2], &b->c[1], &b->c[2], &v1, &v2, &x);
    cuzk_fp6_8_cross(&a->c[0], &a->c[1], &b->c[0], &b->c[1], &v0, &v1, &y);
    cuzk_fp6_8_cross(&a->c[0], &a->c[2], &b->c[0], &b->c[2], &v0, &v2, &z);
    cuzk_fp2_8_mul_by_xi(&x, &x);
    cuzk_fp2_8_add(&v0, &x, &out->c[0]);
    cuzk_fp2_8_mul_by_xi(&v2, &v2);
    cuzk_fp2_8_add(&y, &v2, &out->c[1]);
    cuzk_fp2_8_add(&z, &v1, &out->c[2]);
}

/* a * (b0 + b1 v); out is not a */
CUZK_FP8_CALL void cuzk_fp6_8_mul_by_01(const struct cuzk_fp6_8 *a, const struct cuzk_fp2_8 *b0,
                                        const struct cuzk_fp2_8 *b1, struct cuzk_fp6_8 *out)
{
    struct cuzk_fp2_8 v0, v1, t;

    cuzk_fp2_8_mul(&a->c[0], b0, &v0);
    cuzk_fp2_8_mul(&a->c[1], b1, &v1);
    cuzk_fp6_8_cross(&a->c[0], &a->c[1], b0, b1, &v0, &v1, &out->c[1]);
    cuzk_fp2_8_mul(&a->c[2], b1, &t);
    cuzk_fp2_8_mul_by_xi(&t, &t);
    cuzk_fp2_8_add(&v0, &t, &out->c[0]);
    cuzk_fp2_8_mul(&a->c[2], b0, &t);
    cuzk_fp2_8_add(&v1, &t, &out->c[2]);
}

/* ---- Fp12 ---- */

CUZK_FP8_FN void cuzk_fp12_8_one(struct cuzk_fp12_8 *out)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++)
                cuzk_fp8_zero(&out->c[i].c[j].c[k]);
    cuzk_fp8_one(&out->c[0].c[0].c[0]);
}

CUZK_FP8_CALL void cuzk_fp12_8_sqr(const struct cuzk_fp12_8 *a, struct cuzk_fp12_8 *out)
{
    struct cuzk_fp6_8 m, s, t;

    cuzk_fp6_8_mul(&a->c[0], &a->c[1], &m);
    cuzk_fp6_8_add(&a->c[0], &a->c[1], &s);
    cuzk_fp6_8_mul_by_v(&a->c[1], &t);
    cuzk_fp6_8_add(&a->c[0], &t, &t);
    cuzk_fp6_8_mul(&s, &t, &s);
    cuzk_fp6_8_mul_by_v(&m, &t);
    cuzk_fp6_8_sub(&s, &m, &s);
    cuzk_fp6_8_sub(&s, &t, &out->c[0]);
    cuzk_fp6_8_add(&m, &m, &out->c[1]);
}

/* a * (b0 + b1 v + b4 v w) */
CUZK_FP8_CALL void cuzk_fp12_8_mul_by_014(const struct cuzk_fp12_8 *a, const struct cuzk_fp2_8 *b0,
                                          const struct cuzk_fp2_8 *b1, const struct cuzk_fp2_8 *b4,
                                          struct cuzk_fp12_8 *out)
{
    struct cuzk_fp6_8 v0, v1, s, e;
    struct cuzk_fp2_8 t;

    cuzk_fp6_8_mul_by_01(&a->c[0], b0, b1, &v0);
    cuzk_fp2_8_mul(&a->c[1].c[2], b4, &t);
    cuzk_fp2_8_mul_by_xi(&t, &v1.c[0]);
    cuzk_fp2_8_mul(&a->c[1].c[0], b4, &v1.c[1]);
    cuzk_fp2_8_mul(&a->c[1].c[1], b4, &v1.c[2]);
    cuzk_fp6_8_add(&a->c[0], &a->c[1], &s);
    cuzk_fp2_8_add(b1, b4, &t);
    cuzk_fp6_8_mul_by_01(&s, b0, &t, &e);
    cuzk_fp6_8_sub(&e, &v0, &e);
    cuzk_fp6_8_sub(&e, &v1, &out->c[1]);
    cuzk_fp6_8_mul_by_v(&v1, &v1);
    cuzk_fp6_8_add(&v0, &v1, &out->c[0]);
}

CUZK_FP8_CALL void cuzk_fp12_8_store(const struct cuzk_fp12_8 *a, struct cuzk_fp12 out[CUZK_FP8_LANES])
{
    struct cuzk_fp2 *to[CUZK_FP8_LANES];

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            for (int lane = 0; lane < CUZK_FP8_LANES; lane++) {
                struct cuzk_fp6 *half = i == 0 ? &out[lane].c0 : &out[lane].c1;
                to[lane] = j == 0 ? &half->c0 : j == 1 ? &half->c1 : &half->c2;
            }
            cuzk_fp2_8_store(&a->c[i].c[j], to);
        }
}

CUZK_FP8_CALL void cuzk_fp12_8_load(const struct cuzk_fp12 from[CUZK_FP8_LANES], struct cuzk_fp12_8 *out)
{
    const struct cuzk_fp2 *at[CUZK_FP8_LANES];

    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) {
            for (int lane = 0; lane < CUZK_FP8_LANES; lane++) {
                const struct cuzk_fp6 *half = i == 0 ? &from[lane].c0 : &from[lane].c1;
                at[lane] = j == 0 ? &half->c0 : j == 1 ? &half->c1 : &half->c2;
            }
            cuzk_fp2_8_load(at, &out->c[i].c[j]);
        }
}

#endif
