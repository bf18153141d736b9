/*
 * Montgomery multiplication in 32-bit limbs with explicit carry chains: the form that a GPU's multiplier
 * wants.
 *
 * Two accumulators, one for products that start at even limbs and one for odd, so that every chain is a run
 * of wide multiply-adds whose carry goes straight to the next: the assembler fuses each low/high pair into
 * one wide instruction. R is the same as in the 64-bit headers (2^256, 2^384), so values mix freely.
 *
 * On the device a chain step is one PTX instruction and the carry is the hardware's flag. On the host the
 * same functions run with the flag as a variable, so that the algorithm is tested without a GPU; `cc` is then
 * what carries it from step to step, and is unused on the device.
 *
 * Source: the even/odd arrangement is folklore of GPU bignum code (NVIDIA CGBN; sppark).
 */
#ifndef CUZK_FIELD_MONT32_H
#define CUZK_FIELD_MONT32_H

#include <stdint.h>

#include "field/limb.h"

#ifdef __CUDA_ARCH__
#define CUZK_PTX3(name, op)                                                                                  \
    static CUZK_HD uint32_t name(uint32_t a, uint32_t b, uint32_t c, uint32_t *cc)                           \
    {                                                                                                        \
        uint32_t r;                                                                                          \
        (void)cc;                                                                                            \
        __asm__ volatile(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));                          \
        return r;                                                                                            \
    }
#define CUZK_PTX2(name, op)                                                                                  \
    static CUZK_HD uint32_t name(uint32_t a, uint32_t b, uint32_t *cc)                                       \
    {                                                                                                        \
        uint32_t r;                                                                                          \
        (void)cc;                                                                                            \
        __asm__ volatile(op " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                                      \
        return r;                                                                                            \
    }
CUZK_PTX3(cuzk_mad_lo_cc, "mad.lo.cc.u32")
CUZK_PTX3(cuzk_madc_lo_cc, "madc.lo.cc.u32")
CUZK_PTX3(cuzk_madc_hi_cc, "madc.hi.cc.u32")
CUZK_PTX3(cuzk_madc_hi, "madc.hi.u32")
CUZK_PTX2(cuzk_add_cc, "add.cc.u32")
CUZK_PTX2(cuzk_addc_cc, "addc.cc.u32")
CUZK_PTX2(cuzk_addc, "addc.u32")
CUZK_PTX2(cuzk_sub_cc, "sub.cc.u32")
CUZK_PTX2(cuzk_subc_cc, "subc.cc.u32")
CUZK_PTX2(cuzk_subc, "subc.u32")
static CUZK_HD uint32_t cuzk_mul_hi(uint32_t a, uint32_t b)
{
    return __umulhi(a, b);
}
#else
static CUZK_HD uint32_t cuzk_split_(uint64_t t, uint32_t *cc)
{
    *cc = (uint32_t)(t >> 32);
    return (uint32_t)t;
}
static CUZK_HD uint32_t cuzk_mul_hi(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}
static CUZK_HD uint32_t cuzk_mad_lo_cc(uint32_t a, uint32_t b, uint32_t c, uint32_t *cc)
{
    return cuzk_split_((uint64_t)(a * b) + c, cc);
}
static CUZK_HD uint32_t cuzk_madc_lo_cc(uint32_t a, uint32_t b, uint32_t c, uint32_t *cc)
{
    return cuzk_split_((uint64_t)(a * b) + c + *cc, cc);
}
static CUZK_HD uint32_t cuzk_madc_hi_cc(uint32_t a, uint32_t b, uint32_t c, uint32_t *cc)
{
    return cuzk_split_((uint64_t)cuzk_mul_hi(a, b) + c + *cc, cc);
}
static CUZK_HD uint32_t cuzk_madc_hi(uint32_t a, uint32_t b, uint32_t c, uint32_t *cc)
{
    return cuzk_mul_hi(a, b) + c + *cc;
}
static CUZK_HD uint32_t cuzk_add_cc(uint32_t a, uint32_t b, uint32_t *cc)
{
    return cuzk_split_((uint64_t)a + b, cc);
}
static CUZK_HD uint32_t cuzk_addc_cc(uint32_t a, uint32_t b, uint32_t *cc)
{
    return cuzk_split_((uint64_t)a + b + *cc, cc);
}
static CUZK_HD uint32_t cuzk_addc(uint32_t a, uint32_t b, uint32_t *cc)
{
    return a + b + *cc;
}
/* borrow: cc is 1 where the subtraction borrowed */
static CUZK_HD uint32_t cuzk_sub_cc(uint32_t a, uint32_t b, uint32_t *cc)
{
    *cc = a < b;
    return a - b;
}
static CUZK_HD uint32_t cuzk_subc_cc(uint32_t a, uint32_t b, uint32_t *cc)
{
    const uint64_t t = (uint64_t)a - b - *cc;
    *cc = (uint32_t)(t >> 32) & 1;
    return (uint32_t)t;
}
static CUZK_HD uint32_t cuzk_subc(uint32_t a, uint32_t b, uint32_t *cc)
{
    return a - b - *cc;
}
#endif

/* -modulus^-1 mod 2^32 as the multiplier sees it. On the device it is read from constant memory, which the
 * assembler cannot look into: shown that Fr's is -1, it turns the products into negations and splits the wide
 * multiply-adds (52 instead of 62 G/s on an H200). */
#ifdef __CUDACC__
#define CUZK_MONT32_INVERSE(name, value) static __constant__ uint32_t name = (value)
#else
#define CUZK_MONT32_INVERSE(name, value) static const uint32_t name = (value)
#endif
#if defined(__CUDA_ARCH__) || !defined(__CUDACC__)
#define CUZK_MONT32_OPAQUE(name, value) (name)
#else
#define CUZK_MONT32_OPAQUE(name, value) (value)
#endif

/* acc[j], acc[j+1] = a[j] * b for even j below n */
#define CUZK_MONT32_MUL_ROW(n, acc, a, b)                                                                    \
    do {                                                                                                     \
        CUZK_UNROLL for (int j_ = 0; j_ < (n); j_ += 2)                                                      \
        {                                                                                                    \
            (acc)[j_] = (a)[j_] * (b);                                                                       \
            (acc)[j_ + 1] = cuzk_mul_hi((a)[j_], (b));                                                       \
        }                                                                                                    \
    } while (0)

/* acc += sum over even j below n of a[j] * b * 2^(32 j); the carry out stays in the flag */
#define CUZK_MONT32_MAD_ROW(n, acc, a, b, cc)                                                                \
    do {                                                                                                     \
        (acc)[0] = cuzk_mad_lo_cc((a)[0], (b), (acc)[0], (cc));                                              \
        (acc)[1] = cuzk_madc_hi_cc((a)[0], (b), (acc)[1], (cc));                                             \
        CUZK_UNROLL for (int j_ = 2; j_ < (n); j_ += 2)                                                      \
        {                                                                                                    \
            (acc)[j_] = cuzk_madc_lo_cc((a)[j_], (b), (acc)[j_], (cc));                                      \
            (acc)[j_ + 1] = cuzk_madc_hi_cc((a)[j_], (b), (acc)[j_ + 1], (cc));                              \
        }                                                                                                    \
    } while (0)

/* acc = (acc >> 64) + row, continuing a carry that is in the flag */
#define CUZK_MONT32_MAD_ROW_SHIFT(n, acc, a, b, cc)                                                          \
    do {                                                                                                     \
        CUZK_UNROLL for (int j_ = 0; j_ < (n) - 2; j_ += 2)                                                  \
        {                                                                                                    \
            (acc)[j_] = cuzk_madc_lo_cc((a)[j_], (b), (acc)[j_ + 2], (cc));                                  \
            (acc)[j_ + 1] = cuzk_madc_hi_cc((a)[j_], (b), (acc)[j_ + 3], (cc));                              \
        }                                                                                                    \
        (acc)[(n) - 2] = cuzk_madc_lo_cc((a)[(n) - 2], (b), 0, (cc));                                        \
        (acc)[(n) - 1] = cuzk_madc_hi((a)[(n) - 2], (b), 0, (cc));                                           \
    } while (0)

/* One word of b, with its reduction: even and odd change roles from word to word. */
#define CUZK_MONT32_STEP(n, even, odd, a, bi, m, inv, first)                                                 \
    do {                                                                                                     \
        uint32_t cc_ = 0;                                                                                    \
        if (first) {                                                                                         \
            CUZK_MONT32_MUL_ROW(n, odd, (a) + 1, bi);                                                        \
            CUZK_MONT32_MUL_ROW(n, even, a, bi);                                                             \
        } else {                                                                                             \
            (even)[0] = cuzk_add_cc((even)[0], (odd)[1], &cc_);                                              \
            CUZK_MONT32_MAD_ROW_SHIFT(n, odd, (a) + 1, bi, &cc_);                                            \
            CUZK_MONT32_MAD_ROW(n, even, a, bi, &cc_);                                                       \
            (odd)[(n) - 1] = cuzk_addc((odd)[(n) - 1], 0, &cc_);                                             \
        }                                                                                                    \
        const uint32_t q_ = (even)[0] * (inv);                                                               \
        CUZK_MONT32_MAD_ROW(n, odd, (m) + 1, q_, &cc_);                                                      \
        CUZK_MONT32_MAD_ROW(n, even, m, q_, &cc_);                                                           \
        (odd)[(n) - 1] = cuzk_addc((odd)[(n) - 1], 0, &cc_);                                                 \
    } while (0)

/* Defines `static void name(a, b, out)`: out = a * b / 2^(32 n) mod m, all below m; out may alias. n is even.
 */
#define CUZK_MONT32_DEFINE(name, n, modulus, inv)                                                            \
    static CUZK_HD void name(const uint32_t a[n], const uint32_t b[n], uint32_t out[n])                      \
    {                                                                                                        \
        const uint32_t m[n] = modulus;                                                                       \
        uint32_t even[n], odd[n + 1], t[n], cc = 0;                                                          \
        CUZK_UNROLL for (int i = 0; i < (n); i += 2)                                                         \
        {                                                                                                    \
            CUZK_MONT32_STEP(n, even, odd, a, b[i], m, inv, i == 0);                                         \
            CUZK_MONT32_STEP(n, odd, even, a, b[i + 1], m, inv, 0);                                          \
        }                                                                                                    \
        even[0] = cuzk_add_cc(even[0], odd[1], &cc);                                                         \
        CUZK_UNROLL for (int i = 1; i < (n) - 1; i++) even[i] = cuzk_addc_cc(even[i], odd[i + 1], &cc);      \
        even[(n) - 1] = cuzk_addc(even[(n) - 1], 0, &cc);                                                    \
        t[0] = cuzk_sub_cc(even[0], m[0], &cc);                                                              \
        CUZK_UNROLL for (int i = 1; i < (n); i++) t[i] = cuzk_subc_cc(even[i], m[i], &cc);                   \
        const uint32_t borrow = cuzk_subc(0, 0, &cc);                                                        \
        CUZK_UNROLL for (int i = 0; i < (n); i++) out[i] = borrow ? even[i] : t[i];                          \
    }

/* One step of a reduction by itself: as CUZK_MONT32_STEP without a word of b. */
#define CUZK_MONT32_FOLD(n, even, odd, m, inv, first)                                                        \
    do {                                                                                                     \
        uint32_t cc_ = 0;                                                                                    \
        if (first) {                                                                                         \
            const uint32_t q_ = (even)[0] * (inv);                                                           \
            CUZK_MONT32_MUL_ROW(n, odd, (m) + 1, q_);                                                        \
            CUZK_MONT32_MAD_ROW(n, even, m, q_, &cc_);                                                       \
        } else {                                                                                             \
            const uint32_t q_ = ((even)[0] + (odd)[1]) * (inv);                                              \
            (even)[0] = cuzk_add_cc((even)[0], (odd)[1], &cc_);                                              \
            CUZK_MONT32_MAD_ROW_SHIFT(n, odd, (m) + 1, q_, &cc_);                                            \
            CUZK_MONT32_MAD_ROW(n, even, m, q_, &cc_);                                                       \
        }                                                                                                    \
        (odd)[(n) - 1] = cuzk_addc((odd)[(n) - 1], 0, &cc_);                                                 \
    } while (0)

/* even and odd += a[i] * a[j] for j above i: even[k] is word k, odd[k] is word k + 1. What is above the last
 * word that a row touches is zero, so a carry goes no further than there. */
#define CUZK_MONT32_SQUARE_ROW(n, even, odd, a, i)                                                           \
    do {                                                                                                     \
        uint32_t cc_ = 0;                                                                                    \
        CUZK_UNROLL for (int j_ = (i) + 1; j_ < (n); j_ += 2)                                                \
        {                                                                                                    \
            const int k_ = (i) + j_ - 1;                                                                     \
            (odd)[k_] = j_ == (i) + 1 ? cuzk_mad_lo_cc((a)[j_], (a)[i], (odd)[k_], &cc_)                     \
                                      : cuzk_madc_lo_cc((a)[j_], (a)[i], (odd)[k_], &cc_);                   \
            (odd)[k_ + 1] = cuzk_madc_hi_cc((a)[j_], (a)[i], (odd)[k_ + 1], &cc_);                           \
        }                                                                                                    \
        if ((i) % 2 == 1)                                                                                    \
            (odd)[(i) + (n) - 1] = cuzk_addc((odd)[(i) + (n) - 1], 0, &cc_);                                 \
        CUZK_UNROLL for (int j_ = (i) + 2; j_ < (n); j_ += 2)                                                \
        {                                                                                                    \
            const int k_ = (i) + j_;                                                                         \
            (even)[k_] = j_ == (i) + 2 ? cuzk_mad_lo_cc((a)[j_], (a)[i], (even)[k_], &cc_)                   \
                                       : cuzk_madc_lo_cc((a)[j_], (a)[i], (even)[k_], &cc_);                 \
            (even)[k_ + 1] = cuzk_madc_hi_cc((a)[j_], (a)[i], (even)[k_ + 1], &cc_);                         \
        }                                                                                                    \
        if ((i) % 2 == 0 && (i) + 2 < (n))                                                                   \
            (even)[(i) + (n)] = cuzk_addc((even)[(i) + (n)], 0, &cc_);                                       \
    } while (0)

/* Defines `static void name(a, out)`: out = a^2 / 2^(32 n) mod m, with three quarters of a product's
 * multiplications; out may alias. n is even, and m at most a quarter of 2^(32 n). */
#define CUZK_MONT32_DEFINE_SQUARE(name, n, modulus, inv)                                                     \
    static CUZK_HD void name(const uint32_t a[n], uint32_t out[n])                                           \
    {                                                                                                        \
        const uint32_t m[n] = modulus;                                                                       \
        uint32_t even[2 * (n)] = {0}, odd[2 * (n)] = {0}, low[n], t[n], cc = 0;                              \
        CUZK_UNROLL for (int j = 1; j < (n); j += 2)                                                         \
        {                                                                                                    \
            odd[j - 1] = a[j] * a[0];                                                                        \
            odd[j] = cuzk_mul_hi(a[j], a[0]);                                                                \
        }                                                                                                    \
        CUZK_UNROLL for (int j = 2; j < (n); j += 2)                                                         \
        {                                                                                                    \
            even[j] = a[j] * a[0];                                                                           \
            even[j + 1] = cuzk_mul_hi(a[j], a[0]);                                                           \
        }                                                                                                    \
        CUZK_UNROLL for (int i = 1; i < (n) - 1; i++) CUZK_MONT32_SQUARE_ROW(n, even, odd, a, i);            \
        even[1] = odd[0];                                                                                    \
        even[2] = cuzk_add_cc(even[2], odd[1], &cc);                                                         \
        CUZK_UNROLL for (int k = 3; k < 2 * (n) - 1; k++) even[k] = cuzk_addc_cc(even[k], odd[k - 1], &cc);  \
        even[2 * (n) - 1] = cuzk_addc(even[2 * (n) - 1], 0, &cc);                                            \
        even[1] = cuzk_add_cc(even[1], even[1], &cc);                                                        \
        CUZK_UNROLL for (int k = 2; k < 2 * (n) - 1; k++) even[k] = cuzk_addc_cc(even[k], even[k], &cc);     \
        even[2 * (n) - 1] = cuzk_addc(even[2 * (n) - 1], even[2 * (n) - 1], &cc);                            \
        even[0] = cuzk_mad_lo_cc(a[0], a[0], even[0], &cc);                                                  \
        even[1] = cuzk_madc_hi_cc(a[0], a[0], even[1], &cc);                                                 \
        CUZK_UNROLL for (int i = 1; i < (n); i++)                                                            \
        {                                                                                                    \
            even[2 * i] = cuzk_madc_lo_cc(a[i], a[i], even[2 * i], &cc);                                     \
            even[2 * i + 1] = cuzk_madc_hi_cc(a[i], a[i], even[2 * i + 1], &cc);                             \
        }                                                                                                    \
        CUZK_UNROLL for (int i = 0; i < (n); i += 2)                                                         \
        {                                                                                                    \
            CUZK_MONT32_FOLD(n, even, low, m, inv, i == 0);                                                  \
            CUZK_MONT32_FOLD(n, low, even, m, inv, 0);                                                       \
        }                                                                                                    \
        even[0] = cuzk_add_cc(even[0], low[1], &cc);                                                         \
        CUZK_UNROLL for (int i = 1; i < (n) - 1; i++) even[i] = cuzk_addc_cc(even[i], low[i + 1], &cc);      \
        even[(n) - 1] = cuzk_addc(even[(n) - 1], 0, &cc);                                                    \
        even[0] = cuzk_add_cc(even[0], even[n], &cc);                                                        \
        CUZK_UNROLL for (int i = 1; i < (n) - 1; i++) even[i] = cuzk_addc_cc(even[i], even[(n) + i], &cc);   \
        even[(n) - 1] = cuzk_addc(even[(n) - 1], even[2 * (n) - 1], &cc);                                    \
        t[0] = cuzk_sub_cc(even[0], m[0], &cc);                                                              \
        CUZK_UNROLL for (int i = 1; i < (n); i++) t[i] = cuzk_subc_cc(even[i], m[i], &cc);                   \
        const uint32_t borrow = cuzk_subc(0, 0, &cc);                                                        \
        CUZK_UNROLL for (int i = 0; i < (n); i++) out[i] = borrow ? even[i] : t[i];                          \
    }

/* Defines NAME_add and NAME_sub: (a +- b) mod m; out may alias. */
#define CUZK_MONT32_DEFINE_ADD_SUB(name, n, modulus)                                                         \
    static CUZK_HD void name##_add(const uint32_t a[n], const uint32_t b[n], uint32_t out[n])                \
    {                                                                                                        \
        const uint32_t m[n] = modulus;                                                                       \
        uint32_t s[n], t[n], cc = 0;                                                                         \
        s[0] = cuzk_add_cc(a[0], b[0], &cc);                                                                 \
        CUZK_UNROLL for (int i = 1; i < (n) - 1; i++) s[i] = cuzk_addc_cc(a[i], b[i], &cc);                  \
        s[(n) - 1] = cuzk_addc(a[(n) - 1], b[(n) - 1], &cc);                                                 \
        t[0] = cuzk_sub_cc(s[0], m[0], &cc);                                                                 \
        CUZK_UNROLL for (int i = 1; i < (n); i++) t[i] = cuzk_subc_cc(s[i], m[i], &cc);                      \
        const uint32_t borrow = cuzk_subc(0, 0, &cc);                                                        \
        CUZK_UNROLL for (int i = 0; i < (n); i++) out[i] = borrow ? s[i] : t[i];                             \
    }                                                                                                        \
    static CUZK_HD void name##_sub(const uint32_t a[n], const uint32_t b[n], uint32_t out[n])                \
    {                                                                                                        \
        const uint32_t m[n] = modulus;                                                                       \
        uint32_t s[n], cc = 0;                                                                               \
        s[0] = cuzk_sub_cc(a[0], b[0], &cc);                                                                 \
        CUZK_UNROLL for (int i = 1; i < (n); i++) s[i] = cuzk_subc_cc(a[i], b[i], &cc);                      \
        const uint32_t borrow = cuzk_subc(0, 0, &cc);                                                        \
        out[0] = cuzk_add_cc(s[0], m[0] & borrow, &cc);                                                      \
        CUZK_UNROLL for (int i = 1; i < (n) - 1; i++) out[i] = cuzk_addc_cc(s[i], m[i] & borrow, &cc);       \
        out[(n) - 1] = cuzk_addc(s[(n) - 1], m[(n) - 1] & borrow, &cc);                                      \
    }

#endif
