/*
 * Fp products with BMI2 and ADX: mulx with two carry chains, adcx for the low and adox for the high halves.
 *
 * Included by field/fp.h and field/fp_wide.h in files that are compiled with CUZK_FP_ADX and called after a
 * run-time check only. Each function is one copy for each such file.
 */
#ifndef CUZK_FIELD_FP_ADX_H
#define CUZK_FIELD_FP_ADX_H

#include <stdint.h>

#include "field/limb.h"

/* the modulus, then -p^-1 mod 2^64 */
static const uint64_t cuzk_fp_adx_constants[7] = {UINT64_C(0xb9feffffffffaaab), UINT64_C(0x1eabfffeb153ffff),
                                                  UINT64_C(0x6730d2a0f6b0f624), UINT64_C(0x64774b84f38512bf),
                                                  UINT64_C(0x4b1ba7b6434bacd7), UINT64_C(0x1a0111ea397fe69a),
                                                  UINT64_C(0x89f3fffcfffcfffd)};

/* low half of rdx * p[j] into accumulator x, high half into y */
#define ADX_STEP(p, j, x, y)                                                                                 \
    "mulxq " #j "(%[" #p "]), %[lo], %[hi]\n\t"                                                              \
    "adcxq %[lo], %[" #x "]\n\t"                                                                             \
    "adoxq %[hi], %[" #y "]\n\t"

/* x0..x6 += rdx * p, x6 starting at zero; x6 takes both last carries */
#define ADX_ROW(p, x0, x1, x2, x3, x4, x5, x6)                                                               \
    ADX_STEP(p, 0, x0, x1)                                                                                   \
    ADX_STEP(p, 8, x1, x2)                                                                                   \
    ADX_STEP(p, 16, x2, x3)                                                                                  \
    ADX_STEP(p, 24, x3, x4)                                                                                  \
    ADX_STEP(p, 32, x4, x5)                                                                                  \
    ADX_STEP(p, 40, x5, x6)                                                                                  \
    "movl $0, %k[lo]\n\t"                                                                                    \
    "adcxq %[lo], %[" #x6 "]\n\t"

/* rdx = b[i]; x0..x6 += a * rdx */
#define ADX_MULTIPLY(at, x0, x1, x2, x3, x4, x5, x6)                                                         \
    "movq " #at "(%[b]), %%rdx\n\t"                                                                          \
    "xorl %k[" #x6 "], %k[" #x6 "]\n\t" ADX_ROW(a, x0, x1, x2, x3, x4, x5, x6)

/* rdx = a[0] * b[i]'s row without accumulators to add to: sets x0..x6 */
#define ADX_MULTIPLY_FIRST(x0, x1, x2, x3, x4, x5, x6)                                                       \
    "movq (%[b]), %%rdx\n\t"                                                                                 \
    "mulxq (%[a]), %[" #x0 "], %[" #x1 "]\n\t"                                                               \
    "mulxq 8(%[a]), %[lo], %[" #x2 "]\n\t"                                                                   \
    "addq %[lo], %[" #x1 "]\n\t"                                                                             \
    "mulxq 16(%[a]), %[lo], %[" #x3 "]\n\t"                                                                  \
    "adcq %[lo], %[" #x2 "]\n\t"                                                                             \
    "mulxq 24(%[a]), %[lo], %[" #x4 "]\n\t"                                                                  \
    "adcq %[lo], %[" #x3 "]\n\t"                                                                             \
    "mulxq 32(%[a]), %[lo], %[" #x5 "]\n\t"                                                                  \
    "adcq %[lo], %[" #x4 "]\n\t"                                                                             \
    "mulxq 40(%[a]), %[lo], %[" #x6 "]\n\t"                                                                  \
    "adcq %[lo], %[" #x5 "]\n\t"                                                                             \
    "adcq $0, %[" #x6 "]\n\t"

/* x += (x0 * -p^-1) p, which makes x0 zero; x6 += the last carries */
#define ADX_REDUCE(x0, x1, x2, x3, x4, x5, x6)                                                               \
    "movq 48(%[m]), %%rdx\n\t"                                                                               \
    "imulq %[" #x0 "], %%rdx\n\t"                                                                            \
    "xorl %k[lo], %k[lo]\n\t" ADX_ROW(m, x0, x1, x2, x3, x4, x5, x6)

/* as ADX_REDUCE for a window of six limbs: x0, zero by then, becomes the top one */
#define ADX_REDUCE_WINDOW(x0, x1, x2, x3, x4, x5)                                                            \
    "movq 48(%[m]), %%rdx\n\t"                                                                               \
    "imulq %[" #x0 "], %%rdx\n\t"                                                                            \
    "xorl %k[lo], %k[lo]\n\t" ADX_ROW(m, x0, x1, x2, x3, x4, x5, x0)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored                                                                               \
    "-Woverlength-strings" /* beyond what ISO C promises; both compilers take them */

/* out = t - p if t >= p, else t, where t < 2p */
static inline __attribute__((always_inline)) void cuzk_fp_adx_reduce_once(uint64_t t0, uint64_t t1,
                                                                          uint64_t t2, uint64_t t3,
                                                                          uint64_t t4, uint64_t t5,
                                                                          uint64_t out[6])
{
    const uint64_t *m = cuzk_fp_adx_constants;
    uint64_t borrow = 0;
    const uint64_t s0 = cuzk_limb_sbb(t0, m[0], &borrow), s1 = cuzk_limb_sbb(t1, m[1], &borrow),
                   s2 = cuzk_limb_sbb(t2, m[2], &borrow), s3 = cuzk_limb_sbb(t3, m[3], &borrow),
                   s4 = cuzk_limb_sbb(t4, m[4], &borrow), s5 = cuzk_limb_sbb(t5, m[5], &borrow);

    out[0] = borrow ? t0 : s0;
    out[1] = borrow ? t1 : s1;
    out[2] = borrow ? t2 : s2;
    out[3] = borrow ? t3 : s3;
    out[4] = borrow ? t4 : s4;
    out[5] = borrow ? t5 : s5;
}

/* a b / 2^384 mod p, for any a b < p 2^384. */
static __attribute__((noinline, unused)) void cuzk_fp_adx_mul(const uint64_t a[6], const uint64_t b[6],
                                                              uint64_t out[6])
{
    uint64_t t0, t1, t2, t3, t4, t5, t6, lo, hi;

    __asm__ volatile(ADX_MULTIPLY_FIRST(t0, t1, t2, t3, t4, t5, t6) //
                     ADX_REDUCE(t0, t1, t2, t3, t4, t5, t6)         //
                     ADX_MULTIPLY(8, t1, t2, t3, t4, t5, t6, t0)    //
                     ADX_REDUCE(t1, t2, t3, t4, t5, t6, t0)         //
                     ADX_MULTIPLY(16, t2, t3, t4, t5, t6, t0, t1)   //
                     ADX_REDUCE(t2, t3, t4, t5, t6, t0, t1)         //
                     ADX_MULTIPLY(24, t3, t4, t5, t6, t0, t1, t2)   //
                     ADX_REDUCE(t3, t4, t5, t6, t0, t1, t2)         //
                     ADX_MULTIPLY(32, t4, t5, t6, t0, t1, t2, t3)   //
                     ADX_REDUCE(t4, t5, t6, t0, t1, t2, t3)         //
                     ADX_MULTIPLY(40, t5, t6, t0, t1, t2, t3, t4)   //
                     ADX_REDUCE(t5, t6, t0, t1, t2, t3, t4)         //
                     : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
                       [t5] "=&r"(t5), [t6] "=&r"(t6), [lo] "=&r"(lo), [hi] "=&r"(hi)
                     : [a] "r"(a), [b] "r"(b), [m] "r"(cuzk_fp_adx_constants)
                     : "rdx", "cc",
                       "memory"); /* operands in memory would take registers that -O0 does not have */
    cuzk_fp_adx_reduce_once(t6, t0, t1, t2, t3, t4, out);
}

/* The twelve limbs of a * b, any a and b below 2^384. */
static __attribute__((noinline, unused)) void cuzk_fp_adx_mul_wide(const uint64_t a[6], const uint64_t b[6],
                                                                   uint64_t out[12])
{
    uint64_t t0, t1, t2, t3, t4, t5, t6, lo, hi;

#ifdef __clang_analyzer__ /* it does not see what the assembly writes */
    for (int i = 0; i < 12; i++)
        out[i] = 0;
#endif
    __asm__ volatile(ADX_MULTIPLY_FIRST(t0, t1, t2, t3, t4, t5, t6) //
                     "movq %[t0], (%[out])\n\t"                     //
                     ADX_MULTIPLY(8, t1, t2, t3, t4, t5, t6, t0)    //
                     "movq %[t1], 8(%[out])\n\t"                    //
                     ADX_MULTIPLY(16, t2, t3, t4, t5, t6, t0, t1)   //
                     "movq %[t2], 16(%[out])\n\t"                   //
                     ADX_MULTIPLY(24, t3, t4, t5, t6, t0, t1, t2)   //
                     "movq %[t3], 24(%[out])\n\t"                   //
                     ADX_MULTIPLY(32, t4, t5, t6, t0, t1, t2, t3)   //
                     "movq %[t4], 32(%[out])\n\t"                   //
                     ADX_MULTIPLY(40, t5, t6, t0, t1, t2, t3, t4)   //
                     "movq %[t5], 40(%[out])\n\t"                   //
                     "movq %[t6], 48(%[out])\n\t"                   //
                     "movq %[t0], 56(%[out])\n\t"                   //
                     "movq %[t1], 64(%[out])\n\t"                   //
                     "movq %[t2], 72(%[out])\n\t"                   //
                     "movq %[t3], 80(%[out])\n\t"                   //
                     "movq %[t4], 88(%[out])\n\t"                   //
                     : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),
                       [t5] "=&r"(t5), [t6] "=&r"(t6), [lo] "=&r"(lo), [hi] "=&r"(hi)
                     : [a] "r"(a), [b] "r"(b), [out] "r"(out)
                     : "rdx", "cc", "memory");
}

/* wide / 2^384 mod p, for a signed number between -9 p^2 and 9 p^2. */
static __attribute__((noinline, unused)) void cuzk_fp_adx_redc(const uint64_t wide[12], uint64_t out[6])
{
    const uint64_t *m = cuzk_fp_adx_constants;
    uint64_t t0 = wide[0], t1 = wide[1], t2 = wide[2], t3 = wide[3], t4 = wide[4], t5 = wide[5], lo, hi;

    __asm__ volatile(ADX_REDUCE_WINDOW(t0, t1, t2, t3, t4, t5) //
                     ADX_REDUCE_WINDOW(t1, t2, t3, t4, t5, t0) //
                     ADX_REDUCE_WINDOW(t2, t3, t4, t5, t0, t1) //
                     ADX_REDUCE_WINDOW(t3, t4, t5, t0, t1, t2) //
                     ADX_REDUCE_WINDOW(t4, t5, t0, t1, t2, t3) //
                     ADX_REDUCE_WINDOW(t5, t0, t1, t2, t3, t4) //
                     : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4),
                       [t5] "+&r"(t5), [lo] "=&r"(lo), [hi] "=&r"(hi)
                     : [m] "r"(m)
                     : "rdx", "cc", "memory");
    /* high half, plus p if negative: between 0 and p */
    const uint64_t negative = 0 - (wide[11] >> 63);
    uint64_t carry = 0;
    const uint64_t h0 = cuzk_limb_adc(wide[6], m[0] & negative, &carry),
                   h1 = cuzk_limb_adc(wide[7], m[1] & negative, &carry),
                   h2 = cuzk_limb_adc(wide[8], m[2] & negative, &carry),
                   h3 = cuzk_limb_adc(wide[9], m[3] & negative, &carry),
                   h4 = cuzk_limb_adc(wide[10], m[4] & negative, &carry),
                   h5 = cuzk_limb_adc(wide[11], m[5] & negative, &carry);
    carry = 0;
    t0 = cuzk_limb_adc(t0, h0, &carry);
    t1 = cuzk_limb_adc(t1, h1, &carry);
    t2 = cuzk_limb_adc(t2, h2, &carry);
    t3 = cuzk_limb_adc(t3, h3, &carry);
    t4 = cuzk_limb_adc(t4, h4, &carry);
    t5 = cuzk_limb_adc(t5, h5, &carry);
    cuzk_fp_adx_reduce_once(t0, t1, t2, t3, t4, t5, out);
}

#pragma GCC diagnostic pop

#undef ADX_STEP
#undef ADX_ROW
#undef ADX_MULTIPLY
#undef ADX_MULTIPLY_FIRST
#undef ADX_REDUCE
#undef ADX_REDUCE_WINDOW

#endif
