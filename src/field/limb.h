/* 64-bit limb arithmetic that both field headers are built from. Compiles for the host and, under nvcc, for
 * the device (CUZK_HD). Limbs are least significant first.
 * CUZK_HD functions are inlined always; CUZK_HD_CALL is for the large ones (a product in an extension field,
 * a group addition), of which every translation unit keeps one copy. */
#ifndef CUZK_FIELD_LIMB_H
#define CUZK_FIELD_LIMB_H

#include <stdint.h>

#ifdef __CUDACC__
#define CUZK_HD      __host__ __device__ __forceinline__
#define CUZK_HD_CALL __host__ __device__ inline
#define CUZK_UNROLL  _Pragma("unroll")
#define CUZK_ROLLED  _Pragma("unroll 1")
#else
#define CUZK_HD_CALL __attribute__((noinline, unused))
#define CUZK_UNROLL  _Pragma("GCC unroll 8")
#define CUZK_ROLLED
#endif

/* Arithmetic is inlined into the loops that use it, except under sanitizers: their checks make such functions
 * so large that compiling one takes many minutes. The limbs below are inlined there too: they end up in
 * registers, where there is nothing to check. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CUZK_LANE_INLINE static __attribute__((noinline, unused))
#ifndef CUZK_HD
#define CUZK_HD __attribute__((noinline, unused))
#endif
#endif
#endif
#ifndef CUZK_LANE_INLINE
#define CUZK_LANE_INLINE static inline __attribute__((always_inline))
#endif
#ifndef CUZK_HD
#define CUZK_HD inline __attribute__((always_inline))
#endif

#ifdef __CUDACC__
#define CUZK_LIMB CUZK_HD
#else
#define CUZK_LIMB inline __attribute__((always_inline))
#endif

__extension__ typedef unsigned __int128 cuzk_u128;

/* low limb of a + b * c + *carry; the high limb goes to *carry. Cannot overflow. */
static CUZK_LIMB uint64_t cuzk_limb_mac(uint64_t a, uint64_t b, uint64_t c, uint64_t *carry)
{
    const cuzk_u128 t = (cuzk_u128)b * c + a + *carry;
    *carry = (uint64_t)(t >> 64);
    return (uint64_t)t;
}

#if defined(__clang__) && !defined(__CUDACC__)

/* a + b + *carry, carry in and out 0 or 1. The builtins are what clang makes add-with-carry chains of. */
static CUZK_LIMB uint64_t cuzk_limb_adc(uint64_t a, uint64_t b, uint64_t *carry)
{
    unsigned long long out;
    const uint64_t sum = __builtin_addcll(a, b, *carry, &out);
    *carry = out;
    return sum;
}

/* a - b - *borrow, borrow in and out 0 or 1 */
static CUZK_LIMB uint64_t cuzk_limb_sbb(uint64_t a, uint64_t b, uint64_t *borrow)
{
    unsigned long long out;
    const uint64_t difference = __builtin_subcll(a, b, *borrow, &out);
    *borrow = out;
    return difference;
}

#else

/* a + b + *carry, carry in and out 0 or 1 */
static CUZK_LIMB uint64_t cuzk_limb_adc(uint64_t a, uint64_t b, uint64_t *carry)
{
    const cuzk_u128 t = (cuzk_u128)a + b + *carry;
    *carry = (uint64_t)(t >> 64);
    return (uint64_t)t;
}

/* a - b - *borrow, borrow in and out 0 or 1 */
static CUZK_LIMB uint64_t cuzk_limb_sbb(uint64_t a, uint64_t b, uint64_t *borrow)
{
    const cuzk_u128 t = (cuzk_u128)a - b - *borrow;
    *borrow = (uint64_t)(t >> 64) & 1;
    return (uint64_t)t;
}

#endif

#endif
