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

enum { CUZK_CUDA_SLOTS = 4 }; /* sums at once */

/* Window bits that the cost model picks for n points, `slots` sums at once. */
unsigned cuzk_cuda_msm_window(size_t n, unsigned slots);

/* How many of several sums under the same n scalars are best made in one run: all of them while there is room
 * to fill a device with, else one after the other. */
unsigned cuzk_cuda_msm_together(size_t n, unsigned slots);

/* Arena bytes that an MSM of n scalars with this window takes at most. g2: 0 or 1. */
size_t cuzk_cuda_msm_scratch(size_t n, unsigned slots, unsigned window, int g2);

/* The least that will do: fewer windows are then worked on at once. */
size_t cuzk_cuda_msm_scratch_least(size_t n, unsigned slots, int g2);

/* Several sums under the same n < 2^30 scalars: *out[s] = sum of scalars[i] * points[maps[s][i]], maps in
 * device memory, s below slots. maps NULL: one sum over points[i]. A map leads to infinity where a sum has no
 * point for a scalar. window 0 means the model's choice. Errors: MEMORY (arena too small), DEVICE. */
enum cuzk_status cuzk_cuda_msm_g1(const struct cuzk_g1_affine *points, const uint32_t *const *maps,
                                  unsigned slots, const uint64_t *scalars, size_t n, unsigned window,
                                  struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                  struct cuzk_g1 *const out[], struct cuzk_error *err);
enum cuzk_status cuzk_cuda_msm_g2(const struct cuzk_g2_affine *points, const uint32_t *const *maps,
                                  unsigned slots, const uint64_t *scalars, size_t n, unsigned window,
                                  struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                  struct cuzk_g2 *const out[], struct cuzk_error *err);

/* Points beside the bits that choose them; in device memory. */
struct cuzk_cuda_bits {
    const uint32_t *point; /* [n] number of the point; NULL: i */
    const uint32_t *rank;  /* [n] number of the bit */
    size_t n;
};

/* *out[s] = sum of points[parts[s].point[i]] over the i whose bit parts[s].rank[i] of `bits` is set (bit k %
 * 64 of word k / 64). */
enum cuzk_status cuzk_cuda_sum_bits_g1(const struct cuzk_g1_affine *points,
                                       const struct cuzk_cuda_bits *parts, unsigned slots,
                                       const uint64_t *bits, struct cuzk_cuda_arena *arena,
                                       cudaStream_t stream, struct cuzk_g1 *const out[],
                                       struct cuzk_error *err);
enum cuzk_status cuzk_cuda_sum_bits_g2(const struct cuzk_g2_affine *points,
                                       const struct cuzk_cuda_bits *parts, unsigned slots,
                                       const uint64_t *bits, struct cuzk_cuda_arena *arena,
                                       cudaStream_t stream, struct cuzk_g2 *const out[],
                                       struct cuzk_error *err);

/* Arena bytes that a sum over n candidates takes at most: of several sums, the largest's n is enough. */
size_t cuzk_cuda_sum_bits_scratch(size_t n, int g2);

#endif
