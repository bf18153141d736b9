/*
 * Fp12 = Fp6[w] / (w^2 - v): c0 + c1 w. The pairing's values.
 *
 * The conventions of field/fp.h hold: reduced values in and out, `out` last and free to be an input. An
 * element is also the sum of g_k w^k, k below 6, with (g0, g2, g4) = c0 and (g1, g3, g5) = c1. Compiles for
 * the host and the device.
 */
#ifndef CUZK_FIELD_FP12_H
#define CUZK_FIELD_FP12_H

#include "field/fp6.h"

struct cuzk_fp12 {
    struct cuzk_fp6 c0, c1;
};

static CUZK_HD void cuzk_fp12_one(struct cuzk_fp12 *out)
{
    cuzk_fp6_one(&out->c0);
    cuzk_fp6_zero(&out->c1);
}

static CUZK_HD bool cuzk_fp12_equal(const struct cuzk_fp12 *a, const struct cuzk_fp12 *b)
{
    return cuzk_fp6_equal(&a->c0, &b->c0) && cuzk_fp6_equal(&a->c1, &b->c1);
}

static CUZK_HD bool cuzk_fp12_is_one(const struct cuzk_fp12 *a)
{
    struct cuzk_fp12 one;

    cuzk_fp12_one(&one);
    return cuzk_fp12_equal(a, &one);
}

/* c0 - c1 w, which is a^(p^6); the inverse of an element of the cyclotomic subgroup */
static CUZK_HD void cuzk_fp12_conjugate(const struct cuzk_fp12 *a, struct cuzk_fp12 *out)
{
    out->c0 = a->c0;
    cuzk_fp6_neg(&a->c1, &out->c1);
}

/* Karatsuba, three products in Fp6. */
static CUZK_HD_CALL void cuzk_fp12_mul(const struct cuzk_fp12 *a, const struct cuzk_fp12 *b,
                                       struct cuzk_fp12 *out)
{
    struct cuzk_fp6 v0, v1, s, t;

    cuzk_fp6_mul(&a->c0, &b->c0, &v0);
    cuzk_fp6_mul(&a->c1, &b->c1, &v1);
    cuzk_fp6_add(&a->c0, &a->c1, &s);
    cuzk_fp6_add(&b->c0, &b->c1, &t);
    cuzk_fp6_mul(&s, &t, &s);
    cuzk_fp6_sub(&s, &v0, &s);
    cuzk_fp6_sub(&s, &v1, &out->c1);
    cuzk_fp6_mul_by_v(&v1, &v1);
    cuzk_fp6_add(&v0, &v1, &out->c0);
}

/* (c0 + c1)(c0 + v c1) - c0 c1 - v c0 c1 and 2 c0 c1: two products in Fp6. */
static CUZK_HD_CALL void cuzk_fp12_sqr(const struct cuzk_fp12 *a, struct cuzk_fp12 *out)
{
    struct cuzk_fp6 m, s, t;

    cuzk_fp6_mul(&a->c0, &a->c1, &m);
    cuzk_fp6_add(&a->c0, &a->c1, &s);
    cuzk_fp6_mul_by_v(&a->c1, &t);
    cuzk_fp6_add(&a->c0, &t, &t);
    cuzk_fp6_mul(&s, &t, &s);
    cuzk_fp6_mul_by_v(&m, &t);
    cuzk_fp6_sub(&s, &m, &s);
    cuzk_fp6_sub(&s, &t, &out->c0);
    cuzk_fp6_add(&m, &m, &out->c1);
}

/* a * (b0 + b1 v + b4 v w): a line in projective coordinates. Thirteen products in Fp2. */
static CUZK_HD_CALL void cuzk_fp12_mul_by_014(const struct cuzk_fp12 *a, const struct cuzk_fp2 *b0,
                                              const struct cuzk_fp2 *b1, const struct cuzk_fp2 *b4,
                                              struct cuzk_fp12 *out)
{
    struct cuzk_fp2_wide m, n;
    struct cuzk_fp2 t;
    struct cuzk_fp6 v0, v1, s, e;

    cuzk_fp6_mul_by_01(&a->c0, b0, b1, &v0);
    /* v1 = c1 b4 v */
    cuzk_fp2_mul_wide(&a->c1.c2, b4, &m);
    cuzk_fp_wide_sub(&m.c0, &m.c1, &n.c0);
    cuzk_fp_wide_add(&m.c0, &m.c1, &n.c1);
    cuzk_fp2_redc(&n, &v1.c0);
    cuzk_fp2_mul(&a->c1.c0, b4, &v1.c1);
    cuzk_fp2_mul(&a->c1.c1, b4, &v1.c2);
    cuzk_fp6_add(&a->c0, &a->c1, &s);
    cuzk_fp2_add(b1, b4, &t);
    cuzk_fp6_mul_by_01(&s, b0, &t, &e);
    cuzk_fp6_sub(&e, &v0, &e);
    cuzk_fp6_sub(&e, &v1, &out->c1);
    cuzk_fp6_mul_by_v(&v1, &v1);
    cuzk_fp6_add(&v0, &v1, &out->c0);
}

/* a * (b0 + b1 v + v w): a line scaled so that its last coefficient is one. Ten products in Fp2. */
static CUZK_HD_CALL void cuzk_fp12_mul_by_01_line(const struct cuzk_fp12 *a, const struct cuzk_fp2 *b0,
                                                  const struct cuzk_fp2 *b1, struct cuzk_fp12 *out)
{
    struct cuzk_fp6 m, n, t;

    cuzk_fp6_mul_by_01(&a->c0, b0, b1, &m);
    cuzk_fp6_mul_by_01(&a->c1, b0, b1, &n);
    cuzk_fp6_mul_by_v(&a->c0, &t);
    cuzk_fp6_add(&n, &t, &n);
    cuzk_fp6_mul_by_v(&a->c1, &t);
    cuzk_fp6_mul_by_v(&t, &t);
    cuzk_fp6_add(&m, &t, &out->c0);
    out->c1 = n;
}

/* (a + b s)^2 in Fp4 = Fp2[s] / (s^2 - xi) */
static CUZK_HD_CALL void cuzk_fp4_sqr(const struct cuzk_fp2 *a, const struct cuzk_fp2 *b, struct cuzk_fp2 *c0,
                                      struct cuzk_fp2 *c1)
{
    struct cuzk_fp2_wide aa, bb, t;
    struct cuzk_fp2 s;

    cuzk_fp2_add(a, b, &s);
    cuzk_fp2_sqr_wide(a, &aa);
    cuzk_fp2_sqr_wide(b, &bb);
    cuzk_fp2_sqr_wide(&s, &t);
    /* (a + b)^2 - a^2 - b^2: (-8, 4) and (-4, 2) */
    cuzk_fp2_wide_sub(&t, &aa, &t);
    cuzk_fp2_wide_sub(&t, &bb, &t);
    cuzk_fp2_redc(&t, c1);
    /* a^2 + xi b^2: (-2, 8) and [0, 8) */
    cuzk_fp2_wide_add_xi(&aa, &bb, &t);
    cuzk_fp2_redc(&t, c0);
}

/* 3 t - 2 z */
static CUZK_HD void cuzk_fp2_triple_minus_twice(const struct cuzk_fp2 *t, const struct cuzk_fp2 *z,
                                                struct cuzk_fp2 *out)
{
    struct cuzk_fp2 d;

    cuzk_fp2_sub(t, z, &d);
    cuzk_fp2_double(&d, &d);
    cuzk_fp2_add(&d, t, out);
}

/* 3 t + 2 z */
static CUZK_HD void cuzk_fp2_triple_plus_twice(const struct cuzk_fp2 *t, const struct cuzk_fp2 *z,
                                               struct cuzk_fp2 *out)
{
    struct cuzk_fp2 s;

    cuzk_fp2_add(t, z, &s);
    cuzk_fp2_double(&s, &s);
    cuzk_fp2_add(&s, t, out);
}

/* a^2 for a in the cyclotomic subgroup (a^(p^4 - p^2 + 1) = 1): Granger and Scott, "Faster squaring in the
 * cyclotomic subgroup of sixth degree extensions", IACR 2009/565. Nine squarings in Fp2. */
static CUZK_HD_CALL void cuzk_fp12_cyclotomic_sqr(const struct cuzk_fp12 *a, struct cuzk_fp12 *out)
{
    struct cuzk_fp2 t0, t1, t2, t3;

    cuzk_fp4_sqr(&a->c0.c0, &a->c1.c1, &t0, &t1);
    cuzk_fp2_triple_minus_twice(&t0, &a->c0.c0, &out->c0.c0);
    cuzk_fp2_triple_plus_twice(&t1, &a->c1.c1, &out->c1.c1);
    cuzk_fp4_sqr(&a->c1.c0, &a->c0.c2, &t0, &t1);
    cuzk_fp4_sqr(&a->c0.c1, &a->c1.c2, &t2, &t3);
    cuzk_fp2_triple_minus_twice(&t0, &a->c0.c1, &out->c0.c1);
    cuzk_fp2_triple_plus_twice(&t1, &a->c1.c2, &out->c1.c2);
    cuzk_fp2_mul_by_xi(&t3, &t3);
    cuzk_fp2_triple_plus_twice(&t3, &a->c1.c0, &out->c1.c0);
    cuzk_fp2_triple_minus_twice(&t2, &a->c0.c2, &out->c0.c2);
}

/* a^p: g_k becomes conj(g_k) xi^(k (p - 1) / 6) */
static CUZK_HD_CALL void cuzk_fp12_frobenius(const struct cuzk_fp12 *a, struct cuzk_fp12 *out)
{
    const struct cuzk_fp2 gamma[5] = {
        {.c0 = {{UINT64_C(0x07089552b319d465), UINT64_C(0xc6695f92b50a8313), UINT64_C(0x97e83cccd117228f),
                 UINT64_C(0xa35baecab2dc29ee), UINT64_C(0x1ce393ea5daace4d), UINT64_C(0x08f2220fb0fb66eb)}},
         .c1 = {{UINT64_C(0xb2f66aad4ce5d646), UINT64_C(0x5842a06bfc497cec), UINT64_C(0xcf4895d42599d394),
                 UINT64_C(0xc11b9cba40a8e8d0), UINT64_C(0x2e3813cbe5a0de89), UINT64_C(0x110eefda88847faf)}}},
        {.c0 = {{UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000),
                 UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000)}},
         .c1 = {{UINT64_C(0xcd03c9e48671f071), UINT64_C(0x5dab22461fcda5d2), UINT64_C(0x587042afd3851b95),
                 UINT64_C(0x8eb60ebe01bacb9e), UINT64_C(0x03f97d6e83d050d2), UINT64_C(0x18f0206554638741)}}},
        {.c0 = {{UINT64_C(0x7bcfa7a25aa30fda), UINT64_C(0xdc17dec12a927e7c), UINT64_C(0x2f088dd86b4ebef1),
                 UINT64_C(0xd1ca2087da74d4a7), UINT64_C(0x2da2596696cebc1d), UINT64_C(0x0e2b7eedbbfd87d2)}},
         .c1 = {{UINT64_C(0x7bcfa7a25aa30fda), UINT64_C(0xdc17dec12a927e7c), UINT64_C(0x2f088dd86b4ebef1),
                 UINT64_C(0xd1ca2087da74d4a7), UINT64_C(0x2da2596696cebc1d), UINT64_C(0x0e2b7eedbbfd87d2)}}},
        {.c0 = {{UINT64_C(0x890dc9e4867545c3), UINT64_C(0x2af322533285a5d5), UINT64_C(0x50880866309b7e2c),
                 UINT64_C(0xa20d1b8c7e881024), UINT64_C(0x14e4f04fe2db9068), UINT64_C(0x14e56d3f1564853a)}},
         .c1 = {{UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000),
                 UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000), UINT64_C(0x0000000000000000)}}},
        {.c0 = {{UINT64_C(0x82d83cf50dbce43f), UINT64_C(0xa2813e53df9d018f), UINT64_C(0xc6f0caa53c65e181),
                 UINT64_C(0x7525cf528d50fe95), UINT64_C(0x4a85ed50f4798a6b), UINT64_C(0x171da0fd6cf8eebd)}},
         .c1 = {{UINT64_C(0x3726c30af242c66c), UINT64_C(0x7c2ac1aad1b6fe70), UINT64_C(0xa04007fbba4b14a2),
                 UINT64_C(0xef517c3266341429), UINT64_C(0x0095ba654ed2226b), UINT64_C(0x02e370eccc86f7dd)}}}};
    struct cuzk_fp2 t;

    cuzk_fp2_conjugate(&a->c0.c0, &out->c0.c0);
    cuzk_fp2_conjugate(&a->c1.c0, &t);
    cuzk_fp2_mul(&t, &gamma[0], &out->c1.c0);
    cuzk_fp2_conjugate(&a->c0.c1, &t);
    cuzk_fp2_mul(&t, &gamma[1], &out->c0.c1);
    cuzk_fp2_conjugate(&a->c1.c1, &t);
    cuzk_fp2_mul(&t, &gamma[2], &out->c1.c1);
    cuzk_fp2_conjugate(&a->c0.c2, &t);
    cuzk_fp2_mul(&t, &gamma[3], &out->c0.c2);
    cuzk_fp2_conjugate(&a->c1.c2, &t);
    cuzk_fp2_mul(&t, &gamma[4], &out->c1.c2);
}

/* a^(p^2): g_k becomes g_k xi^(k (p^2 - 1) / 6), factors in Fp */
static CUZK_HD_CALL void cuzk_fp12_frobenius_squared(const struct cuzk_fp12 *a, struct cuzk_fp12 *out)
{
    const struct cuzk_fp gamma[5] = {
        {{UINT64_C(0xecfb361b798dba3a), UINT64_C(0xc100ddb891865a2c), UINT64_C(0x0ec08ff1232bda8e),
          UINT64_C(0xd5c13cc6f1ca4721), UINT64_C(0x47222a47bf7b5c04), UINT64_C(0x0110f184e51c5f59)}},
        {{UINT64_C(0x30f1361b798a64e8), UINT64_C(0xf3b8ddab7ece5a2a), UINT64_C(0x16a8ca3ac61577f7),
          UINT64_C(0xc26a2ff874fd029b), UINT64_C(0x3636b76660701c6e), UINT64_C(0x051ba4ab241b6160)}},
        {{UINT64_C(0x43f5fffffffcaaae), UINT64_C(0x32b7fff2ed47fffd), UINT64_C(0x07e83a49a2e99d69),
          UINT64_C(0xeca8f3318332bb7a), UINT64_C(0xef148d1ea0f4c069), UINT64_C(0x040ab3263eff0206)}},
        {{UINT64_C(0xcd03c9e48671f071), UINT64_C(0x5dab22461fcda5d2), UINT64_C(0x587042afd3851b95),
          UINT64_C(0x8eb60ebe01bacb9e), UINT64_C(0x03f97d6e83d050d2), UINT64_C(0x18f0206554638741)}},
        {{UINT64_C(0x890dc9e4867545c3), UINT64_C(0x2af322533285a5d5), UINT64_C(0x50880866309b7e2c),
          UINT64_C(0xa20d1b8c7e881024), UINT64_C(0x14e4f04fe2db9068), UINT64_C(0x14e56d3f1564853a)}}};

    out->c0.c0 = a->c0.c0;
    cuzk_fp2_mul_by_fp(&a->c1.c0, &gamma[0], &out->c1.c0);
    cuzk_fp2_mul_by_fp(&a->c0.c1, &gamma[1], &out->c0.c1);
    cuzk_fp2_mul_by_fp(&a->c1.c1, &gamma[2], &out->c1.c1);
    cuzk_fp2_mul_by_fp(&a->c0.c2, &gamma[3], &out->c0.c2);
    cuzk_fp2_mul_by_fp(&a->c1.c2, &gamma[4], &out->c1.c2);
}

#endif
