/*
 * Multi-scalar multiplication and bit sums on a device, G1 and G2.
 *
 * Points are affine in Montgomery form, whole structures (96 and 192 bytes), in device memory; infinity is x
 * = y = 0. Every point must lie in the prime-order subgroup (there, x = 0 means infinity and nothing else).
 * Scalars are four 64-bit words, least significant first, below r, not in Montgomery form. Results come back
 * to the host, so each call waits for its stream. Scratch comes from the arena: cuzk_cuda_msm_scratch says
 * how much.
 */
#ifndef CUZK_BACKEND_CUDA_MSM_H
#define CUZK_BACKEND_CUDA_MSM_H

#include "backend/cuda/arena.h"
#include "curve/g1_law.h"
#include "curve/g2_law.h"

/* Window bits that the cost model picks for n points. */
unsigned cuzk_cuda_msm_window(size_t n);

/* Arena bytes that an MSM of n points with this window takes at most. g2: 0 or 1. */
size_t cuzk_cuda_msm_scratch(size_t n, unsigned window, int g2);

/* out = sum of scalars[i] * points[index[i]], i below n < 2^30 (index NULL: points[i]); window 0 means the
 * model's choice. Errors: MEMORY (arena too small), DEVICE. */
enum cuzk_status cuzk_cuda_msm_g1(const struct cuzk_g1_affine *points, const uint32_t *index,
                                  const uint64_t *scalars, size_t n, unsigned window,
                                  struct cuzk_cuda_arena *arena, cudaStream_t stream, struct cuzk_g1 *out,
                                  struct cuzk_error *err);
enum cuzk_status cuzk_cuda_msm_g2(const struct cuzk_g2_affine *points, const uint32_t *index,
                                  const uint64_t *scalars, size_t n, unsigned window,
                                  struct cuzk_cuda_arena *arena, cudaStream_t stream, struct cuzk_g2 *out,
                                  struct cuzk_error *err);

/* out = sum of points[index[i]] over the i below n whose bit rank[i] of `bits` is set (bit k % 64 of word k /
 * 64); all in device memory. */
enum cuzk_status cuzk_cuda_sum_bits_g1(const struct cuzk_g1_affine *points, const uint32_t *index,
                                       const uint32_t *rank, const uint64_t *bits, size_t n,
                                       struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                       struct cuzk_g1 *out, struct cuzk_error *err);
enum cuzk_status cuzk_cuda_sum_bits_g2(const struct cuzk_g2_affine *points, const uint32_t *index,
                                       const uint32_t *rank, const uint64_t *bits, size_t n,
                                       struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                       struct cuzk_g2 *out, struct cuzk_error *err);

/* Arena bytes that a bit sum over n candidates takes at most. */
size_t cuzk_cuda_sum_bits_scratch(size_t n, int g2);

#endif
