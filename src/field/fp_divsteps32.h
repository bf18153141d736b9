/*
 * Inversion in Fp by 30-bit divsteps: the form that suits a GPU's lanes (no branch depends on the value).
 *
 * Bernstein and Yang, "Fast constant-time gcd computation and modular inversion", 2019, with the half-delta
 * variant and the bound of Pieter Wuille's analysis: 879 steps suffice for 381 bits; 30 batches of 30 are
 * run. f, g, d, e are signed numbers in limbs of 30 bits, least significant first, the top limb signed.
 * Compiles for the host and the device.
 */
#ifndef CUZK_FIELD_FP_DIVSTEPS32_H
#define CUZK_FIELD_FP_DIVSTEPS32_H

#include "field/fp.h"

enum { CUZK_DIVSTEPS_LIMBS = 13, CUZK_DIVSTEPS_BATCHES = 30 };

struct cuzk_divsteps_matrix {
    int32_t u, v, q, r;
};

/* the modulus in limbs of 30 bits */
#define CUZK_FP_MODULUS_30                                                                                   \
    {0x3fffaaab, 0x27fbffff, 0x153ffffb, 0x2affffac, 0x30f6241e, 0x034a83da, 0x112bf673,                     \
     0x12e13ce1, 0x2cd76477, 0x1ed90d2e, 0x29a4b1ba, 0x3a8e5ff9, 0x001a0111}
/* modulus^-1 mod 2^30 */
#define CUZK_FP_INVERSE_30 UINT32_C(0x00030003)
/* 2^1152 mod p: takes the plain inverse of a Montgomery form back into Montgomery form */
#define CUZK_FP_R3                                                                                           \
    {UINT64_C(0xed48ac6bd94ca1e0), UINT64_C(0x315f831e03a7adf8), UINT64_C(0x9a53352a615e29dd),               \
     UINT64_C(0x34c04e5e921e1761), UINT64_C(0x2512d43565724728), UINT64_C(0x0aa6346091755d4d)}

/* 30 divsteps on the low words of f and g; returns the new zeta, with the transition matrix times 2^30 in t
 */
static CUZK_HD int32_t cuzk_divsteps_30(int32_t zeta, uint32_t f, uint32_t g, struct cuzk_divsteps_matrix *t)
{
    uint32_t u = 1, v = 0, q = 0, r = 1;

    CUZK_ROLLED
    for (int i = 0; i < 30; i++) {
        uint32_t c1 = (uint32_t)(zeta >> 31);
        const uint32_t c2 = 0u - (g & 1);
        const uint32_t x = (f ^ c1) - c1, y = (u ^ c1) - c1, z = (v ^ c1) - c1;
        g += x & c2;
        q += y & c2;
        r += z & c2;
        c1 &= c2;
        zeta = (int32_t)(((uint32_t)zeta ^ c1) - 1);
        f += g & c1;
        u += q & c1;
        v += r & c1;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    t->u = (int32_t)u;
    t->v = (int32_t)v;
    t->q = (int32_t)q;
    t->r = (int32_t)r;
    return zeta;
}

/* (d, e) = t (d, e) / 2^30 mod p, kept in (-2p, p) */
static CUZK_HD void cuzk_divsteps_update_de(int32_t d[CUZK_DIVSTEPS_LIMBS], int32_t e[CUZK_DIVSTEPS_LIMBS],
                                            const struct cuzk_divsteps_matrix *t)
{
    const int32_t m[CUZK_DIVSTEPS_LIMBS] = CUZK_FP_MODULUS_30;
    const int32_t mask = 0x3fffffff, sd = d[CUZK_DIVSTEPS_LIMBS - 1] >> 31,
                  se = e[CUZK_DIVSTEPS_LIMBS - 1] >> 31;
    int32_t md = (t->u & sd) + (t->v & se), me = (t->q & sd) + (t->r & se);
    int64_t cd = (int64_t)t->u * d[0] + (int64_t)t->v * e[0],
            ce = (int64_t)t->q * d[0] + (int64_t)t->r * e[0];

    md -= (int32_t)((CUZK_FP_INVERSE_30 * (uint32_t)cd + (uint32_t)md) & (uint32_t)mask);
    me -= (int32_t)((CUZK_FP_INVERSE_30 * (uint32_t)ce + (uint32_t)me) & (uint32_t)mask);
    cd += (int64_t)m[0] * md;
    ce += (int64_t)m[0] * me;
    cd >>= 30;
    ce >>= 30;
    CUZK_UNROLL
    for (int i = 1; i < CUZK_DIVSTEPS_LIMBS; i++) {
        cd += (int64_t)t->u * d[i] + (int64_t)t->v * e[i] + (int64_t)m[i] * md;
        ce += (int64_t)t->q * d[i] + (int64_t)t->r * e[i] + (int64_t)m[i] * me;
        d[i - 1] = (int32_t)cd & mask;
        e[i - 1] = (int32_t)ce & mask;
        cd >>= 30;
        ce >>= 30;
    }
    d[CUZK_DIVSTEPS_LIMBS - 1] = (int32_t)cd;
    e[CUZK_DIVSTEPS_LIMBS - 1] = (int32_t)ce;
}

/* (f, g) = t (f, g) / 2^30, exactly */
static CUZK_HD void cuzk_divsteps_update_fg(int32_t f[CUZK_DIVSTEPS_LIMBS], int32_t g[CUZK_DIVSTEPS_LIMBS],
                                            const struct cuzk_divsteps_matrix *t)
{
    const int32_t mask = 0x3fffffff;
    int64_t cf = (int64_t)t->u * f[0] + (int64_t)t->v * g[0],
            cg = (int64_t)t->q * f[0] + (int64_t)t->r * g[0];

    cf >>= 30;
    cg >>= 30;
    CUZK_UNROLL
    for (int i = 1; i < CUZK_DIVSTEPS_LIMBS; i++) {
        cf += (int64_t)t->u * f[i] + (int64_t)t->v * g[i];
        cg += (int64_t)t->q * f[i] + (int64_t)t->r * g[i];
        f[i - 1] = (int32_t)cf & mask;
        g[i - 1] = (int32_t)cg & mask;
        cf >>= 30;
        cg >>= 30;
    }
    f[CUZK_DIVSTEPS_LIMBS - 1] = (int32_t)cf;
    g[CUZK_DIVSTEPS_LIMBS - 1] = (int32_t)cg;
}

/* adds p to a negative number, negates where sign is negative, and carries; v in (-2p, p) leaves in [0, p)
 * after two calls */
static CUZK_HD void cuzk_divsteps_settle(int32_t v[CUZK_DIVSTEPS_LIMBS], int32_t sign)
{
    const int32_t m[CUZK_DIVSTEPS_LIMBS] = CUZK_FP_MODULUS_30;
    const int32_t add = v[CUZK_DIVSTEPS_LIMBS - 1] >> 31, negate = sign >> 31;

    CUZK_UNROLL
    for (int i = 0; i < CUZK_DIVSTEPS_LIMBS; i++)
        v[i] = ((v[i] + (m[i] & add)) ^ negate) - negate;
    CUZK_UNROLL
    for (int i = 0; i + 1 < CUZK_DIVSTEPS_LIMBS; i++) {
        v[i + 1] += v[i] >> 30;
        v[i] &= 0x3fffffff;
    }
}

/* out = 1/a in Montgomery form; zero for zero. out may be a. */
static CUZK_HD_CALL void cuzk_fp_divsteps32_inverse(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    int32_t f[CUZK_DIVSTEPS_LIMBS] = CUZK_FP_MODULUS_30, g[CUZK_DIVSTEPS_LIMBS], d[CUZK_DIVSTEPS_LIMBS],
            e[CUZK_DIVSTEPS_LIMBS];
    const struct cuzk_fp r3 = {CUZK_FP_R3};
    struct cuzk_divsteps_matrix t;
    struct cuzk_fp plain;
    int32_t zeta = -1;

    CUZK_UNROLL
    for (int i = 0; i < CUZK_DIVSTEPS_LIMBS; i++) {
        const int bit = 30 * i, word = bit / 64, shift = bit % 64;
        uint64_t limb = a->l[word] >> shift;
        if (shift > 34 && word + 1 < CUZK_FP_LIMBS)
            limb |= a->l[word + 1] << (64 - shift);
        g[i] = (int32_t)(limb & 0x3fffffff);
        d[i] = 0;
        e[i] = i == 0;
    }
    CUZK_ROLLED
    for (int i = 0; i < CUZK_DIVSTEPS_BATCHES; i++) {
        zeta = cuzk_divsteps_30(zeta, (uint32_t)f[0] | (uint32_t)f[1] << 30,
                                (uint32_t)g[0] | (uint32_t)g[1] << 30, &t);
        cuzk_divsteps_update_de(d, e, &t);
        cuzk_divsteps_update_fg(f, g, &t);
    }
    cuzk_divsteps_settle(d, f[CUZK_DIVSTEPS_LIMBS - 1]); /* f is now 1 or -1 */
    cuzk_divsteps_settle(d, 0);
    cuzk_fp_zero(&plain);
    CUZK_UNROLL
    for (int i = 0; i < CUZK_DIVSTEPS_LIMBS; i++) {
        const int bit = 30 * i, word = bit / 64, shift = bit % 64;
        plain.l[word] |= (uint64_t)(uint32_t)d[i] << shift;
        if (shift > 34 && word + 1 < CUZK_FP_LIMBS)
            plain.l[word + 1] |= (uint64_t)(uint32_t)d[i] >> (64 - shift);
    }
    cuzk_fp_mul(&plain, &r3, out);
}

#endif
