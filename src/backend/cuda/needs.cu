#include "backend/cuda/needs.h"

#include "backend/cuda/device_mem.h"
#include "backend/cuda/evaluate.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/quotient.h"

enum { SLACK = 4096, CUDA_G1_SLOTS = 3 }; /* rounding of the arena's blocks; l, a and b_g1 at once */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

size_t cuda_work_bytes(unsigned log_domain, const uint32_t bits[CUZK_QUERIES], uint32_t wide, uint32_t inputs,
                       uint32_t h)
{
    const size_t vector = (sizeof(struct cuzk_fr) << log_domain) + 256;
    const size_t scalars = (size_t)(wide > inputs ? wide : inputs) * sizeof(struct cuzk_fr) + SLACK;
    size_t scratch = cuzk_cuda_msm_scratch(h, 1, 0, 0);

    for (int q = CUZK_QUERY_L; q < CUZK_QUERIES; q++)
        scratch = larger(scratch, cuzk_cuda_sum_bits_scratch(bits[q], cuzk_query_is_g2((enum cuzk_query)q)));
    for (unsigned slots = 1; slots <= CUDA_G1_SLOTS; slots++) {
        scratch = larger(scratch, cuzk_cuda_msm_scratch(wide, slots, 0, 0) + scalars);
        scratch = larger(scratch, cuzk_cuda_msm_scratch(inputs, slots, 0, 0) + scalars);
    }
    scratch = larger(scratch, cuzk_cuda_msm_scratch(wide, 1, 0, 1) + scalars);
    scratch = larger(scratch, cuzk_cuda_msm_scratch(inputs, 1, 0, 1) + scalars);
    return vector + larger(2 * vector, scratch) + SLACK;
}

size_t cuda_job_bytes(uint32_t bits, uint32_t wide, uint32_t inputs)
{
    return ((size_t)wide + inputs) * sizeof(struct cuzk_fr) + ((size_t)bits + 63) / 64 * 8;
}

/* Upper bounds: whatever the densities, a query has no more points of a kind than it has points, or than
 * there are variables of the kind. */
static size_t work_of_shape(const struct cuzk_backend_shape *shape)
{
    uint32_t bits[CUZK_QUERIES];

    for (int q = 0; q < CUZK_QUERIES; q++)
        bits[q] = smaller(shape->bits, shape->points[q]);
    return cuda_work_bytes(shape->log_domain, bits, shape->wide, shape->inputs, shape->points[CUZK_QUERY_H]);
}

enum cuzk_status cuda_needs(const struct cuzk_backend *base, const struct cuzk_backend_shape *shape,
                            struct cuzk_backend_needs *out, struct cuzk_error *err)
{
    const struct cuda_backend *backend = (const struct cuda_backend *)base;
    const uint64_t limit = base->memory_limit != 0 ? base->memory_limit : backend->device.total_bytes;

    *out = {};
    out->key = cuzk_cuda_quotient_plan_bytes(shape->log_domain, false) +
               shape->coefficients * sizeof(struct cuzk_fr);
    for (int m = 0; m < 2; m++)
        out->key += cuda_matrix_bytes(shape->rows, shape->terms[m]);
    out->key += (uint64_t)shape->parts * 4;
    for (int q = 0; q < CUZK_QUERIES; q++)
        out->key +=
            shape->points[q] * (cuzk_query_is_g2((enum cuzk_query)q) ? sizeof(struct cuzk_g2_affine)
                                                                     : sizeof(struct cuzk_g1_affine)) +
            (q == CUZK_QUERY_H
                 ? 0
                 : (uint64_t)shape->points[q] * 8 + ((uint64_t)shape->wide + shape->inputs) * 4);
    out->work = work_of_shape(shape);
    out->job = cuda_job_bytes(shape->bits, shape->wide, shape->inputs);
    if (out->key + out->work + out->job > limit)
        return cuzk_error_set(
            err, CUZK_MEMORY,
            "a proof of this circuit takes %llu MiB of device memory, the limit is %llu MiB",
            (unsigned long long)((out->key + out->work + out->job) >> 20), (unsigned long long)(limit >> 20));
    return CUZK_OK;
}
