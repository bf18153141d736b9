/*
 * Fr: the scalar field of BLS12-381, integers modulo the group order r (255 bits).
 *
 * struct cuzk_fr holds x * 2^256 mod r (Montgomery form), 4 limbs of 64 bits, least significant first, always
 * below r. Every function takes and returns reduced values; `out` may be the same object as an input. Nothing
 * here fails; what can (decoding) says so by its result. Not constant-time unless a comment says so.
 * Compiles for the host and the device.
 */
#ifndef CUZK_FIELD_FR_H
#define CUZK_FIELD_FR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field/limb.h"
#include "field/mont32.h"

enum { CUZK_FR_LIMBS = 4, CUZK_FR_BYTES = 32, CUZK_FR_BITS = 255 };

struct cuzk_fr {
    uint64_t l[CUZK_FR_LIMBS];
};

/* r itself, least significant limb first */
#define CUZK_FR_MODULUS                                                                                      \
    {UINT64_C(0xffffffff00000001), UINT64_C(0x53bda402fffe5bfe), UINT64_C(0x3339d80809a1d805),               \
     UINT64_C(0x73eda753299d7d48)}
/* 2^256 mod r: one */
#define CUZK_FR_R                                                                                            \
    {UINT64_C(0x00000001fffffffe), UINT64_C(0x5884b7fa00034802), UINT64_C(0x998c4fefecbc4ff5),               \
     UINT64_C(0x1824b159acc5056f)}
/* 2^512 mod r: multiplying by it enters Montgomery form */
#define CUZK_FR_R2                                                                                           \
    {UINT64_C(0xc999e990f3f29c6d), UINT64_C(0x2b6cedcb87925c23), UINT64_C(0x05d314967254398f),               \
     UINT64_C(0x0748d9d99f59ff11)}
/* -r^-1 mod 2^64 */
#define CUZK_FR_INV UINT64_C(0xfffffffeffffffff)

/* the same modulus and -modulus^-1 mod 2^32 for 32-bit limbs (mont32.h) */
#define CUZK_FR_MODULUS_32                                                                                   \
    {UINT32_C(0x00000001), UINT32_C(0xffffffff), UINT32_C(0xfffe5bfe), UINT32_C(0x53bda402),                 \
     UINT32_C(0x09a1d805), UINT32_C(0x3339d808), UINT32_C(0x299d7d48), UINT32_C(0x73eda753)}
#define CUZK_FR_INV_32 UINT32_C(0xffffffff)

CUZK_MONT32_INVERSE(cuzk_fr_inv_32, CUZK_FR_INV_32);
CUZK_MONT32_DEFINE(cuzk_fr_mont32_mul, 8, CUZK_FR_MODULUS_32,
                   CUZK_MONT32_OPAQUE(cuzk_fr_inv_32, CUZK_FR_INV_32))
CUZK_MONT32_DEFINE_ADD_SUB(cuzk_fr_mont32, 8, CUZK_FR_MODULUS_32)

/* struct cuzk_fr to and from 32-bit limbs */
static CUZK_HD void cuzk_fr_split(const struct cuzk_fr *a, uint32_t out[8])
{
    for (int i = 0; i < CUZK_FR_LIMBS; i++) {
        out[2 * i] = (uint32_t)a->l[i];
        out[2 * i + 1] = (uint32_t)(a->l[i] >> 32);
    }
}

static CUZK_HD void cuzk_fr_join(const uint32_t in[8], struct cuzk_fr *out)
{
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        out->l[i] = in[2 * i] | (uint64_t)in[2 * i + 1] << 32;
}

static CUZK_HD void cuzk_fr_zero(struct cuzk_fr *out)
{
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        out->l[i] = 0;
}

static CUZK_HD void cuzk_fr_one(struct cuzk_fr *out)
{
    const struct cuzk_fr one = {CUZK_FR_R};
    *out = one;
}

static CUZK_HD bool cuzk_fr_is_zero(const struct cuzk_fr *a)
{
    uint64_t any = 0;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        any |= a->l[i];
    return any == 0;
}

static CUZK_HD bool cuzk_fr_equal(const struct cuzk_fr *a, const struct cuzk_fr *b)
{
    uint64_t any = 0;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        any |= a->l[i] ^ b->l[i];
    return any == 0;
}

/* v -= r if v >= r, where v < 2r; without branches */
static CUZK_HD void cuzk_fr_reduce_once(struct cuzk_fr *v)
{
    const uint64_t m[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;
    uint64_t t[CUZK_FR_LIMBS], borrow = 0;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        t[i] = cuzk_limb_sbb(v->l[i], m[i], &borrow);
    const uint64_t keep = 0 - borrow;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        v->l[i] = (v->l[i] & keep) | (t[i] & ~keep);
}

static CUZK_HD void cuzk_fr_add(const struct cuzk_fr *a, const struct cuzk_fr *b, struct cuzk_fr *out)
{
#ifdef __CUDA_ARCH__
    uint32_t a32[8], b32[8];
    cuzk_fr_split(a, a32);
    cuzk_fr_split(b, b32);
    cuzk_fr_mont32_add(a32, b32, a32);
    cuzk_fr_join(a32, out);
#else
    uint64_t carry = 0;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        out->l[i] = cuzk_limb_adc(a->l[i], b->l[i], &carry);
    cuzk_fr_reduce_once(out);
#endif
}

static CUZK_HD void cuzk_fr_double(const struct cuzk_fr *a, struct cuzk_fr *out)
{
    cuzk_fr_add(a, a, out);
}

static CUZK_HD void cuzk_fr_sub(const struct cuzk_fr *a, const struct cuzk_fr *b, struct cuzk_fr *out)
{
#ifdef __CUDA_ARCH__
    uint32_t a32[8], b32[8];
    cuzk_fr_split(a, a32);
    cuzk_fr_split(b, b32);
    cuzk_fr_mont32_sub(a32, b32, a32);
    cuzk_fr_join(a32, out);
#else
    const uint64_t m[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;
    uint64_t borrow = 0, carry = 0;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        out->l[i] = cuzk_limb_sbb(a->l[i], b->l[i], &borrow);
    const uint64_t mask = 0 - borrow;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        out->l[i] = cuzk_limb_adc(out->l[i], m[i] & mask, &carry);
#endif
}

static CUZK_HD void cuzk_fr_neg(const struct cuzk_fr *a, struct cuzk_fr *out)
{
    struct cuzk_fr zero;
    cuzk_fr_zero(&zero);
    cuzk_fr_sub(&zero, a, out);
}

/* Coarsely integrated operand scanning; r leaves a spare bit at the top, so one carry word suffices. */
static CUZK_HD void cuzk_fr_mul(const struct cuzk_fr *a, const struct cuzk_fr *b, struct cuzk_fr *out)
{
#ifdef __CUDA_ARCH__
    uint32_t a32[8], b32[8];
    cuzk_fr_split(a, a32);
    cuzk_fr_split(b, b32);
    cuzk_fr_mont32_mul(a32, b32, a32);
    cuzk_fr_join(a32, out);
#else
    const uint64_t m[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;
    uint64_t t[CUZK_FR_LIMBS] = {0};
    CUZK_UNROLL
    for (int i = 0; i < CUZK_FR_LIMBS; i++) {
        uint64_t high = 0, fold = 0;
        t[0] = cuzk_limb_mac(t[0], a->l[0], b->l[i], &high);
        const uint64_t q = t[0] * CUZK_FR_INV;
        (void)cuzk_limb_mac(t[0], q, m[0], &fold);
        CUZK_UNROLL
        for (int j = 1; j < CUZK_FR_LIMBS; j++) {
            t[j] = cuzk_limb_mac(t[j], a->l[j], b->l[i], &high);
            t[j - 1] = cuzk_limb_mac(t[j], q, m[j], &fold);
        }
        t[CUZK_FR_LIMBS - 1] = high + fold;
    }
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        out->l[i] = t[i];
    cuzk_fr_reduce_once(out);
#endif
}

static CUZK_HD void cuzk_fr_sqr(const struct cuzk_fr *a, struct cuzk_fr *out)
{
    cuzk_fr_mul(a, a, out);
}

/* Enters Montgomery form: words is a number below r, least significant limb first. */
static CUZK_HD void cuzk_fr_from_words(const uint64_t words[CUZK_FR_LIMBS], struct cuzk_fr *out)
{
    const struct cuzk_fr r2 = {CUZK_FR_R2};
    struct cuzk_fr t;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        t.l[i] = words[i];
    cuzk_fr_mul(&t, &r2, out);
}

/* Leaves Montgomery form: the number itself, below r, least significant limb first. */
static CUZK_HD void cuzk_fr_to_words(const struct cuzk_fr *a, uint64_t words[CUZK_FR_LIMBS])
{
    struct cuzk_fr unit, t;
    cuzk_fr_zero(&unit);
    unit.l[0] = 1;
    cuzk_fr_mul(a, &unit, &t);
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        words[i] = t.l[i];
}

static CUZK_HD void cuzk_fr_from_u64(uint64_t v, struct cuzk_fr *out)
{
    const struct cuzk_fr r2 = {CUZK_FR_R2};
    struct cuzk_fr t;
    cuzk_fr_zero(&t);
    t.l[0] = v;
    cuzk_fr_mul(&t, &r2, out);
}

/* true if the number in words (not Montgomery form) is below r */
static CUZK_HD bool cuzk_fr_words_are_reduced(const uint64_t words[CUZK_FR_LIMBS])
{
    const uint64_t m[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;
    uint64_t borrow = 0;
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        (void)cuzk_limb_sbb(words[i], m[i], &borrow);
    return borrow != 0;
}

/* ---- host only, in fr.c ---- */
#ifdef __cplusplus
extern "C" {
#endif

/* The multiplicative generator 7 and the root of unity 7^((r-1)/2^32), of order 2^32. */
extern const struct cuzk_fr cuzk_fr_generator;
extern const struct cuzk_fr cuzk_fr_root_2_32;

/* base^exponent; exponent is `limbs` 64-bit words, least significant first (variable time). */
void cuzk_fr_pow(const struct cuzk_fr *base, const uint64_t *exponent, size_t limbs, struct cuzk_fr *out);

/* base^exponent for a one-word exponent. */
void cuzk_fr_pow_u64(const struct cuzk_fr *base, uint64_t exponent, struct cuzk_fr *out);

/* 1/a; zero for zero (variable time). */
void cuzk_fr_inverse(const struct cuzk_fr *a, struct cuzk_fr *out);

/* Inverts n elements in place with one inversion (Montgomery's trick); zeros stay zero. scratch holds n. */
void cuzk_fr_batch_inverse(struct cuzk_fr *elements, size_t n, struct cuzk_fr *scratch);

/* A primitive root of unity of order 2^log_n, log_n <= 32. */
void cuzk_fr_root_of_unity(unsigned log_n, struct cuzk_fr *out);

/* 32 bytes, little-endian. false (out is zero) if the number is not below r. */
bool cuzk_fr_from_bytes(const uint8_t bytes[CUZK_FR_BYTES], struct cuzk_fr *out);
void cuzk_fr_to_bytes(const struct cuzk_fr *a, uint8_t bytes[CUZK_FR_BYTES]);

/* A 64-byte little-endian number reduced mod r: uniform (to 2^-128) from uniform bytes. */
void cuzk_fr_from_wide_bytes(const uint8_t bytes[2 * CUZK_FR_BYTES], struct cuzk_fr *out);

#ifdef __cplusplus
}
#endif

#endif
