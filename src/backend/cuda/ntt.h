/*
 * Number-theoretic transforms over Fr on a device.
 *
 * No bit reversal: a decimation-in-frequency transform takes natural order to digit-reversed order and a
 * decimation-in-time transform takes it back. Each is a few passes of up to 512 points (8 x 8 x 8), one read
 * and one write of the data a pass; digits are the passes' own, so the order in between is private to a plan.
 * Every function enqueues on the given stream and returns; data and plan must outlive the work.
 */
#ifndef CUZK_BACKEND_CUDA_NTT_H
#define CUZK_BACKEND_CUDA_NTT_H

#include <cuda_runtime.h>
#include <stddef.h>

#include "base/error.h"
#include "field/fr.h"

struct cuzk_cuda_ntt_plan;

/* Builds the tables for transforms of 2^log_n points (log_n <= 30) on the current device; those up are onto
 * the coset of `shift` and multiply by `factor`, at no pass of their own: the shift's powers are part of the
 * twiddles. small: tables of megabytes where they would take as much as two vectors, for one product more an
 * element and transform. Errors: MEMORY, DEVICE. */
enum cuzk_status cuzk_cuda_ntt_plan_create(unsigned log_n, bool small, const struct cuzk_fr *shift,
                                           const struct cuzk_fr *factor, cudaStream_t stream,
                                           struct cuzk_cuda_ntt_plan **out, struct cuzk_error *err);
void cuzk_cuda_ntt_plan_destroy(struct cuzk_cuda_ntt_plan *plan);

/* What a plan takes, bytes. */
size_t cuzk_cuda_ntt_plan_bytes(unsigned log_n, bool small);

/* Natural order in, digit-reversed order out: data_k = sum over i of x_i w^(-ik), not divided by n, where x_i
 * is from_i, or from_i times_i where times is not NULL. data may be `from` or `times`, and no other overlap.
 */
enum cuzk_status cuzk_cuda_ntt_inverse_dif(const struct cuzk_cuda_ntt_plan *plan, const struct cuzk_fr *from,
                                           const struct cuzk_fr *times, struct cuzk_fr *data,
                                           cudaStream_t stream, struct cuzk_error *err);

/* Digit-reversed order in, natural order out, in place: factor times the sum over i of x_i (shift w^k)^i. */
enum cuzk_status cuzk_cuda_ntt_forward_dit(const struct cuzk_cuda_ntt_plan *plan, struct cuzk_fr *data,
                                           cudaStream_t stream, struct cuzk_error *err);

/* Both, one behind the other: values at w^k become n factor times the values at shift w^k; natural order. The
 * last pass down and the first up are one. */
enum cuzk_status cuzk_cuda_ntt_to_coset(const struct cuzk_cuda_ntt_plan *plan, struct cuzk_fr *data,
                                        cudaStream_t stream, struct cuzk_error *err);

/* For single operations: takes and frees memory. In digit-reversed order: position p belongs to coefficient
 * i(p) and is multiplied by factor * shift^i. */
enum cuzk_status cuzk_cuda_ntt_scale(const struct cuzk_cuda_ntt_plan *plan, struct cuzk_fr *data,
                                     const struct cuzk_fr *shift, const struct cuzk_fr *factor,
                                     cudaStream_t stream, struct cuzk_error *err);

/* 1/n for a plan's n. */
const struct cuzk_fr *cuzk_cuda_ntt_inverse_n(const struct cuzk_cuda_ntt_plan *plan);

/* Copies digit-reversed order to natural order (or back, with `from_natural`); src and dst must not overlap.
 */
enum cuzk_status cuzk_cuda_ntt_reorder(const struct cuzk_cuda_ntt_plan *plan, const struct cuzk_fr *src,
                                       struct cuzk_fr *dst, int from_natural, cudaStream_t stream,
                                       struct cuzk_error *err);

#endif
