/*
 * How much device memory a key and its jobs take: the same arithmetic for the plan and for the allocations.
 *
 * A key is held in one of two ways. Whole: points, matrices and large tables of twiddles stay on the device,
 * and each sum is one run. In chunks, where the whole does not fit the limit: points are cut into chunks, as
 * many of them stay on the device as the limit leaves room for, and the others wait in page-locked host
 * memory and pass through a few slots of device memory for each proof (stream.h).
 */
#ifndef CUZK_BACKEND_CUDA_NEEDS_H
#define CUZK_BACKEND_CUDA_NEEDS_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One slot is at work, the others are being filled: the sums over h take longer than their copies. */
enum { CUDA_SLOTS = 4 };

/* What the driver and this program's kernels take of a device before anything is allocated, bytes. */
#define CUDA_CONTEXT_BYTES ((uint64_t)900 << 20)

struct cuda_plan {
    bool chunked;
    size_t chunk_bytes; /* chunked: of one chunk at most, and of a slot */
    unsigned slots;     /* 0: every chunk stays */
    uint64_t stays;     /* chunked: bytes for chunks that stay on the device */
    size_t work;        /* vectors and scratch of one proof at a time */
    struct cuzk_backend_needs needs;
};

/* Vectors and scratch of one proof at a time where the key is whole: the quotient, then two vectors of the
 * domain or what the largest sum takes, whichever is more. bits, wide_points: points of each query that meet
 * bits or wide values (upper bounds will do). */
size_t cuda_work_bytes(unsigned log_domain, const uint32_t bits[CUZK_QUERIES],
                       const uint32_t wide_points[CUZK_QUERIES], uint32_t wide, uint32_t inputs, uint32_t h);

/* Whether a sum over n of very many values is made over these alone: the others would meet infinity. */
static inline bool cuda_is_sparse(uint32_t n, uint32_t values)
{
    return values > UINT32_C(1) << 25 && n < values - values / 8;
}

/* One witness. */
size_t cuda_job_bytes(uint32_t bits, uint32_t wide, uint32_t inputs);

/* What is decided from a shape and a limit alone; needs no device. Errors: MEMORY (the least that would do is
 * more than the limit; both are named). */
enum cuzk_status cuda_plan_make(const struct cuzk_backend_shape *shape, uint64_t limit, struct cuda_plan *out,
                                struct cuzk_error *err);

/* cuda_plan_make under the backend's limit, or its device's memory. */
enum cuzk_status cuda_plan_of(const struct cuzk_backend *backend, const struct cuzk_backend_shape *shape,
                              struct cuda_plan *out, struct cuzk_error *err);

enum cuzk_status cuda_needs(const struct cuzk_backend *backend, const struct cuzk_backend_shape *shape,
                            struct cuzk_backend_needs *out, struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
