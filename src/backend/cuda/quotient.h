/* The quotient of Groth16 on the device (the method and its reasons: poly/quotient.h): six transforms, no C,
 * or four where the key is derived. */
#ifndef CUZK_BACKEND_CUDA_QUOTIENT_H
#define CUZK_BACKEND_CUDA_QUOTIENT_H

#include "backend/cuda/ntt.h"

struct cuzk_cuda_quotient_plan;

/* Tables for a domain of 2^log_n, on the current device; odd_coset: for cuzk_cuda_odd_coset_values, else for
 * the other two; small: as in ntt.h. Errors: MEMORY, DEVICE. */
enum cuzk_status cuzk_cuda_quotient_plan_create(unsigned log_n, bool odd_coset, bool small,
                                                cudaStream_t stream, struct cuzk_cuda_quotient_plan **out,
                                                struct cuzk_error *err);
void cuzk_cuda_quotient_plan_destroy(struct cuzk_cuda_quotient_plan *plan);

/* What a plan takes, bytes. */
size_t cuzk_cuda_quotient_plan_bytes(unsigned log_n, bool small);

/* a, b: values on the domain, natural order, Montgomery form; c: scratch; all of the plan's size. On return b
 * holds the coefficients of H as plain numbers in natural order; a and c are used up. */
enum cuzk_status cuzk_cuda_quotient(const struct cuzk_cuda_quotient_plan *plan, struct cuzk_fr *a,
                                    struct cuzk_fr *b, struct cuzk_fr *c, cudaStream_t stream,
                                    struct cuzk_error *err);

/* The values of A B / z on the coset, as cuzk_coset_products (poly/quotient.h) gives them: four transforms;
 * plain numbers in b, natural order. a is used up. */
enum cuzk_status cuzk_cuda_coset_products(const struct cuzk_cuda_quotient_plan *plan, struct cuzk_fr *a,
                                          struct cuzk_fr *b, cudaStream_t stream, struct cuzk_error *err);

/* The values of A B - C on the odd coset, as cuzk_odd_coset_values (poly/quotient.h) gives them: plain
 * numbers in b, element i at the point w2^(step (2 i + 1)). a and c are used up. */
enum cuzk_status cuzk_cuda_odd_coset_values(const struct cuzk_cuda_quotient_plan *plan, uint64_t step,
                                            struct cuzk_fr *a, struct cuzk_fr *b, struct cuzk_fr *c,
                                            cudaStream_t stream, struct cuzk_error *err);

#endif
