#include "backend/cuda/needs.h"

#include "backend/cuda/device_mem.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/ntt.h"

enum { SLACK = 4096 }; /* rounding of the arena's blocks */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

size_t cuda_work_bytes(unsigned log_domain, const uint32_t bits[CUZK_QUERIES],
                       const uint32_t wide[CUZK_QUERIES], const uint32_t inputs[CUZK_QUERIES], uint32_t h)
{
    const size_t vector = (sizeof(struct cuzk_fr) << log_domain) + 256;
    size_t scratch = cuzk_cuda_msm_scratch(h, 0, 0);

    for (int q = CUZK_QUERY_L; q < CUZK_QUERIES; q++) {
        const int g2 = cuzk_query_is_g2((enum cuzk_query)q);
        const size_t scalars = (size_t)larger(wide[q], inputs[q]) * sizeof(struct cuzk_fr) + SLACK;
        scratch = larger(scratch, cuzk_cuda_sum_bits_scratch(bits[q], g2));
        scratch = larger(scratch, cuzk_cuda_msm_scratch(wide[q], 0, g2) + scalars);
        scratch = larger(scratch, cuzk_cuda_msm_scratch(inputs[q], 0, g2) + scalars);
    }
    return 3 * vector + scratch + SLACK;
}

size_t cuda_job_bytes(uint32_t bits, uint32_t wide, uint32_t inputs)
{
    return ((size_t)bits + 63) / 64 * 8 + ((size_t)wide + inputs) * sizeof(struct cuzk_fr);
}

/* Upper bounds: whatever the densities, a query has no more points of a kind than it has points, or than
 * there are variables of the kind. */
static size_t work_of_shape(const struct cuzk_backend_shape *shape)
{
    uint32_t bits[CUZK_QUERIES], wide[CUZK_QUERIES], inputs[CUZK_QUERIES];

    for (int q = 0; q < CUZK_QUERIES; q++) {
        bits[q] = smaller(shape->bits, shape->points[q]);
        wide[q] = smaller(shape->wide, shape->points[q]);
        inputs[q] = smaller(shape->inputs, shape->points[q]);
    }
    return cuda_work_bytes(shape->log_domain, bits, wide, inputs, shape->points[CUZK_QUERY_H]);
}

enum cuzk_status cuda_needs(const struct cuzk_backend *base, const struct cuzk_backend_shape *shape,
                            struct cuzk_backend_needs *out, struct cuzk_error *err)
{
    const struct cuda_backend *backend = (const struct cuda_backend *)base;
    const uint64_t limit = base->memory_limit != 0 ? base->memory_limit : backend->device.total_bytes;

    *out = {};
    out->key = cuzk_cuda_ntt_plan_bytes(shape->log_domain) + shape->coefficients * sizeof(struct cuzk_fr);
    for (int m = 0; m < 2; m++)
        out->key += ((uint64_t)shape->constraints + 1) * 4 + shape->terms[m] * 8;
    for (int q = 0; q < CUZK_QUERIES; q++)
        out->key +=
            shape->points[q] * (cuzk_query_is_g2((enum cuzk_query)q) ? sizeof(struct cuzk_g2_affine)
                                                                     : sizeof(struct cuzk_g1_affine)) +
            (q == CUZK_QUERY_H ? 0 : (uint64_t)shape->points[q] * 8);
    out->work = work_of_shape(shape);
    out->job = cuda_job_bytes(shape->bits, shape->wide, shape->inputs);
    if (out->key + out->work + out->job > limit)
        return cuzk_error_set(
            err, CUZK_MEMORY,
            "a proof of this circuit takes %llu MiB of device memory, the limit is %llu MiB",
            (unsigned long long)((out->key + out->work + out->job) >> 20), (unsigned long long)(limit >> 20));
    return CUZK_OK;
}
