/* How much device memory a key and its jobs take: the same arithmetic for the plan and for the allocations.
 */
#ifndef CUZK_BACKEND_CUDA_NEEDS_H
#define CUZK_BACKEND_CUDA_NEEDS_H

#include "backend/backend.h"

/* Vectors and scratch of one proof at a time: the quotient, then two vectors of the domain or what the
 * largest sum takes, whichever is more. bits: points of each query that meet bits (an upper bound will do).
 */
size_t cuda_work_bytes(unsigned log_domain, const uint32_t bits[CUZK_QUERIES], uint32_t wide, uint32_t inputs,
                       uint32_t h);

/* One witness. */
size_t cuda_job_bytes(uint32_t bits, uint32_t wide, uint32_t inputs);

enum cuzk_status cuda_needs(const struct cuzk_backend *backend, const struct cuzk_backend_shape *shape,
                            struct cuzk_backend_needs *out, struct cuzk_error *err);

#endif
