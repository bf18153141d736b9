/*
 * Fp: the base field of BLS12-381, integers modulo p (381 bits).
 *
 * struct cuzk_fp holds x * 2^384 mod p (Montgomery form), 6 limbs of 64 bits, least significant first, always
 * below p. Every function takes and returns reduced values; `out` may be the same object as an input. Nothing
 * here fails; what can (decoding) says so by its result. Not constant-time unless a comment says so.
 * Compiles for the host and the device.
 */
#ifndef CUZK_FIELD_FP_H
#define CUZK_FIELD_FP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field/limb.h"
#ifdef CUZK_FP_ADX
#include "field/fp_adx.h"
#endif
#include "field/mont32.h"

enum { CUZK_FP_LIMBS = 6, CUZK_FP_BYTES = 48, CUZK_FP_BITS = 381 };

struct cuzk_fp {
    uint64_t l[CUZK_FP_LIMBS];
};

/* p itself, least significant limb first */
#define CUZK_FP_MODULUS                                                                                      \
    {UINT64_C(0xb9feffffffffaaab), UINT64_C(0x1eabfffeb153ffff), UINT64_C(0x6730d2a0f6b0f624),               \
     UINT64_C(0x64774b84f38512bf), UINT64_C(0x4b1ba7b6434bacd7), UINT64_C(0x1a0111ea397fe69a)}
/* 2^384 mod p: one */
#define CUZK_FP_R                                                                                            \
    {UINT64_C(0x760900000002fffd), UINT64_C(0xebf4000bc40c0002), UINT64_C(0x5f48985753c758ba),               \
     UINT64_C(0x77ce585370525745), UINT64_C(0x5c071a97a256ec6d), UINT64_C(0x15f65ec3fa80e493)}
/* 2^768 mod p: multiplying by it enters Montgomery form */
#define CUZK_FP_R2                                                                                           \
    {UINT64_C(0xf4df1f341c341746), UINT64_C(0x0a76e6a609d104f1), UINT64_C(0x8de5476c4c95b6d5),               \
     UINT64_C(0x67eb88a9939d83c0), UINT64_C(0x9a793e85b519952d), UINT64_C(0x11988fe592cae3aa)}
/* -p^-1 mod 2^64 */
#define CUZK_FP_INV UINT64_C(0x89f3fffcfffcfffd)

/* the same modulus and -modulus^-1 mod 2^32 for 32-bit limbs (mont32.h) */
#define CUZK_FP_MODULUS_32                                                                                   \
    {UINT32_C(0xffffaaab), UINT32_C(0xb9feffff), UINT32_C(0xb153ffff), UINT32_C(0x1eabfffe),                 \
     UINT32_C(0xf6b0f624), UINT32_C(0x6730d2a0), UINT32_C(0xf38512bf), UINT32_C(0x64774b84),                 \
     UINT32_C(0x434bacd7), UINT32_C(0x4b1ba7b6), UINT32_C(0x397fe69a), UINT32_C(0x1a0111ea)}
#define CUZK_FP_INV_32 UINT32_C(0xfffcfffd)

CUZK_MONT32_INVERSE(cuzk_fp_inv_32, CUZK_FP_INV_32);
CUZK_MONT32_DEFINE(cuzk_fp_mont32_mul, 12, CUZK_FP_MODULUS_32,
                   CUZK_MONT32_OPAQUE(cuzk_fp_inv_32, CUZK_FP_INV_32))
CUZK_MONT32_DEFINE_SQUARE(cuzk_fp_mont32_sqr, 12, CUZK_FP_MODULUS_32,
                          CUZK_MONT32_OPAQUE(cuzk_fp_inv_32, CUZK_FP_INV_32))
CUZK_MONT32_DEFINE_ADD_SUB(cuzk_fp_mont32, 12, CUZK_FP_MODULUS_32)

/* struct cuzk_fp to and from 32-bit limbs */
static CUZK_HD void cuzk_fp_split(const struct cuzk_fp *a, uint32_t out[12])
{
    for (int i = 0; i < CUZK_FP_LIMBS; i++) {
        out[2 * i] = (uint32_t)a->l[i];
        out[2 * i + 1] = (uint32_t)(a->l[i] >> 32);
    }
}

static CUZK_HD void cuzk_fp_join(const uint32_t in[12], struct cuzk_fp *out)
{
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = in[2 * i] | (uint64_t)in[2 * i + 1] << 32;
}

static CUZK_HD void cuzk_fp_zero(struct cuzk_fp *out)
{
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = 0;
}

static CUZK_HD void cuzk_fp_one(struct cuzk_fp *out)
{
    const struct cuzk_fp one = {CUZK_FP_R};
    *out = one;
}

static CUZK_HD bool cuzk_fp_is_zero(const struct cuzk_fp *a)
{
    uint64_t any = 0;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        any |= a->l[i];
    return any == 0;
}

static CUZK_HD bool cuzk_fp_equal(const struct cuzk_fp *a, const struct cuzk_fp *b)
{
    uint64_t any = 0;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        any |= a->l[i] ^ b->l[i];
    return any == 0;
}

/* v -= p if v >= p, where v < 2p; without branches */
static CUZK_HD void cuzk_fp_reduce_once(struct cuzk_fp *v)
{
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    uint64_t t[CUZK_FP_LIMBS], borrow = 0;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        t[i] = cuzk_limb_sbb(v->l[i], m[i], &borrow);
    const uint64_t keep = 0 - borrow;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        v->l[i] = (v->l[i] & keep) | (t[i] & ~keep);
}

static CUZK_HD void cuzk_fp_add(const struct cuzk_fp *a, const struct cuzk_fp *b, struct cuzk_fp *out)
{
#ifdef __CUDA_ARCH__
    uint32_t a32[12], b32[12];
    cuzk_fp_split(a, a32);
    cuzk_fp_split(b, b32);
    cuzk_fp_mont32_add(a32, b32, a32);
    cuzk_fp_join(a32, out);
#else
    uint64_t carry = 0;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = cuzk_limb_adc(a->l[i], b->l[i], &carry);
    cuzk_fp_reduce_once(out);
#endif
}

static CUZK_HD void cuzk_fp_double(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    cuzk_fp_add(a, a, out);
}

static CUZK_HD void cuzk_fp_sub(const struct cuzk_fp *a, const struct cuzk_fp *b, struct cuzk_fp *out)
{
#ifdef __CUDA_ARCH__
    uint32_t a32[12], b32[12];
    cuzk_fp_split(a, a32);
    cuzk_fp_split(b, b32);
    cuzk_fp_mont32_sub(a32, b32, a32);
    cuzk_fp_join(a32, out);
#else
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    uint64_t borrow = 0, carry = 0;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = cuzk_limb_sbb(a->l[i], b->l[i], &borrow);
    const uint64_t mask = 0 - borrow;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = cuzk_limb_adc(out->l[i], m[i] & mask, &carry);
#endif
}

static CUZK_HD void cuzk_fp_neg(const struct cuzk_fp *a, struct cuzk_fp *out)
{
    struct cuzk_fp zero;
    cuzk_fp_zero(&zero);
    cuzk_fp_sub(&zero, a, out);
}

#ifdef CUZK_FP_ADX
static CUZK_HD void cuzk_fp_mul(const struct cuzk_fp *a, const struct cuzk_fp *b, struct cuzk_fp *out)
{
    cuzk_fp_adx_mul(a->l, b->l, out->l);
}
#else
/* Coarsely integrated operand scanning; p leaves a spare bit at the top, so one carry word suffices. */
static CUZK_HD void cuzk_fp_mul(const struct cuzk_fp *a, const struct cuzk_fp *b, struct cuzk_fp *out)
{
#ifdef __CUDA_ARCH__
    uint32_t a32[12], b32[12];
    cuzk_fp_split(a, a32);
    cuzk_fp_split(b, b32);
    cuzk_fp_mont32_mul(a32, b32, a32);
    cuzk_fp_join(a32, out);
#else
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    uint64_t t[CUZK_FP_LIMBS] = {0};
    CUZK_UNROLL
    for (int i = 0; i < CUZK_FP_LIMBS; i++) {
        uint64_t high = 0, fold = 0;
        t[0] = cuzk_limb_mac(t[0], a->l[0], b->l[i], &high);
        const uint64_t q = t[0] * CUZK_FP_INV;
        (void)cuzk_limb_mac(t[0], q, m[0], &fold);
        CUZK_UNROLL
        for (int j = 1; j < CUZK_FP_LIMBS; j++) {
            t[j] = cuzk_limb_mac(t[j], a->l[j], b->l[i], &high);
            t[j - 1] = cuzk_limb_mac(t[j], q, m[j], &fold);
        }
        t[CUZK_FP_LIMBS - 1] = high + fold;
    }
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        out->l[i] = t[i];
    cuzk_fp_reduce_once(out);
#endif
}
#endif

static CUZK_HD void cuzk_fp_sqr(const struct cuzk_fp *a, struct cuzk_fp *out)
{
#ifdef __CUDA_ARCH__
    uint32_t a32[12];
    cuzk_fp_split(a, a32);
    cuzk_fp_mont32_sqr(a32, a32);
    cuzk_fp_join(a32, out);
#else
    cuzk_fp_mul(a, a, out);
#endif
}

/* Enters Montgomery form: words is a number below p, least significant limb first. */
static CUZK_HD void cuzk_fp_from_words(const uint64_t words[CUZK_FP_LIMBS], struct cuzk_fp *out)
{
    const struct cuzk_fp r2 = {CUZK_FP_R2};
    struct cuzk_fp t;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        t.l[i] = words[i];
    cuzk_fp_mul(&t, &r2, out);
}

/* Leaves Montgomery form: the number itself, below p, least significant limb first. */
static CUZK_HD void cuzk_fp_to_words(const struct cuzk_fp *a, uint64_t words[CUZK_FP_LIMBS])
{
    struct cuzk_fp unit, t;
    cuzk_fp_zero(&unit);
    unit.l[0] = 1;
    cuzk_fp_mul(a, &unit, &t);
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        words[i] = t.l[i];
}

static CUZK_HD void cuzk_fp_from_u64(uint64_t v, struct cuzk_fp *out)
{
    const struct cuzk_fp r2 = {CUZK_FP_R2};
    struct cuzk_fp t;
    cuzk_fp_zero(&t);
    t.l[0] = v;
    cuzk_fp_mul(&t, &r2, out);
}

/* true if the number in words (not Montgomery form) is below p */
static CUZK_HD bool cuzk_fp_words_are_reduced(const uint64_t words[CUZK_FP_LIMBS])
{
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    uint64_t borrow = 0;
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        (void)cuzk_limb_sbb(words[i], m[i], &borrow);
    return borrow != 0;
}

/* ---- host only, in fp.c ---- */
#ifdef __cplusplus
extern "C" {
#endif

/* base^exponent; exponent is `limbs` 64-bit words, least significant first (variable time). */
void cuzk_fp_pow(const struct cuzk_fp *base, const uint64_t *exponent, size_t limbs, struct cuzk_fp *out);

/* 1/a; zero for zero (variable time). */
void cuzk_fp_inverse(const struct cuzk_fp *a, struct cuzk_fp *out);

/* Inverts n elements in place with one inversion; zeros stay zero. scratch holds n. */
void cuzk_fp_batch_inverse(struct cuzk_fp *elements, size_t n, struct cuzk_fp *scratch);

/* A square root of a, either one: false (out untouched) if a is not a square. */
bool cuzk_fp_sqrt(const struct cuzk_fp *a, struct cuzk_fp *out);

/* 48 bytes, big-endian. false (out is zero) if the number is not below p. */
bool cuzk_fp_from_bytes(const uint8_t bytes[CUZK_FP_BYTES], struct cuzk_fp *out);
void cuzk_fp_to_bytes(const struct cuzk_fp *a, uint8_t bytes[CUZK_FP_BYTES]);

/* true if a > (p-1)/2 as a number: the sign that the zcash encoding stores. */
bool cuzk_fp_is_larger_root(const struct cuzk_fp *a);

#ifdef __cplusplus
}
#endif

#endif
