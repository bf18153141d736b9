/*
 * Inversion modulo an odd number by division steps, faster than Fermat's power: about 62 halvings are worked
 * out on one word, then applied to the long numbers at once. Variable time. Inside field/ only.
 *
 * Source: Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (IACR 2019/266), in
 * the variable-time form that libsecp256k1 documents (doc/safegcd_implementation.md).
 */
#ifndef CUZK_FIELD_INVERSE_H
#define CUZK_FIELD_INVERSE_H

#include <stdbool.h>
#include <stdint.h>

#include "field/limb.h"

__extension__ typedef __int128 inverse_i128;

enum { INVERSE_LIMBS = 7 }; /* signed, of 62 bits: room for 434 bits */

#define INVERSE_MASK ((int64_t)(UINT64_MAX >> 2))

struct inverse_number {
    int64_t v[INVERSE_LIMBS];
};

/* 2^62 times the matrix that a run of steps multiplies (f, g) by */
struct inverse_matrix {
    int64_t u, v, q, r;
};

static inline void inverse_from_words(const uint64_t *words, int n, struct inverse_number *out)
{
    for (int i = 0; i < INVERSE_LIMBS; i++) {
        const int bit = 62 * i, word = bit / 64, shift = bit % 64;
        uint64_t limb = word < n ? words[word] >> shift : 0;
        if (shift > 2 && word + 1 < n)
            limb |= words[word + 1] << (64 - shift);
        out->v[i] = (int64_t)(limb & (uint64_t)INVERSE_MASK);
    }
}

static inline void inverse_to_words(const struct inverse_number *a, int n, uint64_t *words)
{
    for (int i = 0; i < n; i++) {
        const int bit = 64 * i, limb = bit / 62, shift = bit % 62;
        uint64_t word = (uint64_t)a->v[limb] >> shift;
        if (limb + 1 < INVERSE_LIMBS)
            word |= (uint64_t)a->v[limb + 1] << (62 - shift);
        words[i] = word;
    }
}

/* 62 division steps on the low words of f and g. */
static inline int64_t inverse_steps(int64_t eta, uint64_t f, uint64_t g, struct inverse_matrix *t)
{
    uint64_t u = 1, v = 0, q = 0, r = 1;
    int i = 62;

    for (;;) {
        const int zeros = __builtin_ctzll(g | UINT64_MAX << i);
        uint64_t w;
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= zeros;
        i -= zeros;
        if (i == 0)
            break;
        /* cancel up to six (four) low bits of g at once with a multiple of f */
        if (eta < 0) {
            uint64_t swap = f;
            eta = -eta;
            f = g;
            g = 0 - swap;
            swap = u;
            u = q;
            q = 0 - swap;
            swap = v;
            v = r;
            r = 0 - swap;
            const int limit = eta + 1 > i ? i : (int)eta + 1;
            w = f * g * (f * f - 2) & UINT64_MAX >> (64 - limit) & 63;
        } else {
            const int limit = eta + 1 > i ? i : (int)eta + 1;
            w = f + (((f + 1) & 4) << 1);
            w = (0 - w) * g & UINT64_MAX >> (64 - limit) & 15;
        }
        g += f * w;
        q += u * w;
        r += v * w;
    }
    *t = (struct inverse_matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
    return eta;
}

/* (d, e) = t (d, e) / 2^62 modulo m: multiples of m make the division exact. */
static inline void inverse_update_de(struct inverse_number *d, struct inverse_number *e,
                                     const struct inverse_matrix *t, const struct inverse_number *m,
                                     uint64_t m_inverse, int limbs)
{
    const int64_t sd = d->v[limbs - 1] >> 63, se = e->v[limbs - 1] >> 63;
    int64_t md = (t->u & sd) + (t->v & se), me = (t->q & sd) + (t->r & se);
    inverse_i128 cd = (inverse_i128)t->u * d->v[0] + (inverse_i128)t->v * e->v[0];
    inverse_i128 ce = (inverse_i128)t->q * d->v[0] + (inverse_i128)t->r * e->v[0];

    md -= (int64_t)((m_inverse * (uint64_t)cd + (uint64_t)md) & (uint64_t)INVERSE_MASK);
    me -= (int64_t)((m_inverse * (uint64_t)ce + (uint64_t)me) & (uint64_t)INVERSE_MASK);
    cd = (cd + (inverse_i128)m->v[0] * md) >> 62;
    ce = (ce + (inverse_i128)m->v[0] * me) >> 62;
    for (int i = 1; i < limbs; i++) {
        const int64_t di = d->v[i], ei = e->v[i];
        cd += (inverse_i128)t->u * di + (inverse_i128)t->v * ei + (inverse_i128)m->v[i] * md;
        ce += (inverse_i128)t->q * di + (inverse_i128)t->r * ei + (inverse_i128)m->v[i] * me;
        d->v[i - 1] = (int64_t)cd & INVERSE_MASK;
        e->v[i - 1] = (int64_t)ce & INVERSE_MASK;
        cd >>= 62;
        ce >>= 62;
    }
    d->v[limbs - 1] = (int64_t)cd;
    e->v[limbs - 1] = (int64_t)ce;
}

/* (f, g) = t (f, g) / 2^62, exact. */
static inline void inverse_update_fg(struct inverse_number *f, struct inverse_number *g,
                                     const struct inverse_matrix *t, int length)
{
    inverse_i128 cf = ((inverse_i128)t->u * f->v[0] + (inverse_i128)t->v * g->v[0]) >> 62;
    inverse_i128 cg = ((inverse_i128)t->q * f->v[0] + (inverse_i128)t->r * g->v[0]) >> 62;

    for (int i = 1; i < length; i++) {
        const int64_t fi = f->v[i], gi = g->v[i];
        cf += (inverse_i128)t->u * fi + (inverse_i128)t->v * gi;
        cg += (inverse_i128)t->q * fi + (inverse_i128)t->r * gi;
        f->v[i - 1] = (int64_t)cf & INVERSE_MASK;
        g->v[i - 1] = (int64_t)cg & INVERSE_MASK;
        cf >>= 62;
        cg >>= 62;
    }
    f->v[length - 1] = (int64_t)cf;
    g->v[length - 1] = (int64_t)cg;
}

static inline void inverse_carry(struct inverse_number *a, int limbs)
{
    for (int i = 0; i + 1 < limbs; i++) {
        a->v[i + 1] += a->v[i] >> 62;
        a->v[i] &= INVERSE_MASK;
    }
}

/*
 * words = factor / words modulo the modulus, all n words of 64 bits, least significant first, below it; zero
 * for zero. limbs is 62-bit limbs enough for the modulus and three bits more, m_inverse 1/modulus mod 2^62.
 */
static inline void inverse_mod(uint64_t *words, const uint64_t *factor, const uint64_t *modulus,
                               uint64_t m_inverse, int n, int limbs)
{
    struct inverse_number d = {{0}}, e, f, g, m;
    struct inverse_matrix t;
    int64_t eta = -1;
    int length = limbs;

    inverse_from_words(modulus, n, &m);
    inverse_from_words(factor, n, &e);
    inverse_from_words(words, n, &g);
    f = m;
    for (;;) {
        eta = inverse_steps(eta, (uint64_t)f.v[0], (uint64_t)g.v[0], &t);
        inverse_update_de(&d, &e, &t, &m, m_inverse, limbs);
        inverse_update_fg(&f, &g, &t, length);
        int64_t any = 0;
        for (int i = 0; i < length; i++)
            any |= g.v[i];
        if (any == 0)
            break;
        /* drop the top limbs of f and g where both are only a sign */
        const int64_t ft = f.v[length - 1], gt = g.v[length - 1];
        if (length > 1 && (ft ^ ft >> 63) == 0 && (gt ^ gt >> 63) == 0) {
            f.v[length - 2] |= (int64_t)((uint64_t)ft << 62);
            g.v[length - 2] |= (int64_t)((uint64_t)gt << 62);
            length--;
        }
    }
    /* f is 1 or -1 (or m, for zero) and d is its sign times the inverse, between -2 m and m */
    const int64_t negative = f.v[length - 1] >> 63;
    int64_t add = d.v[limbs - 1] >> 63;
    for (int i = 0; i < limbs; i++)
        d.v[i] = ((d.v[i] + (m.v[i] & add)) ^ negative) - negative;
    inverse_carry(&d, limbs);
    add = d.v[limbs - 1] >> 63;
    for (int i = 0; i < limbs; i++)
        d.v[i] += m.v[i] & add;
    inverse_carry(&d, limbs);
    inverse_to_words(&d, n, words);
}

#endif
