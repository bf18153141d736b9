#include "backend/cuda/needs.h"

#include "backend/cuda/device_mem.h"
#include "backend/cuda/encoding.h"
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

/* Scratch of the sums over wide values of the queries of one group. */
static size_t wide_scratch(const uint32_t points[CUZK_QUERIES], uint32_t wide, int g2)
{
    size_t scratch = 0;

    for (int q = CUZK_QUERY_L; q < CUZK_QUERIES;
         q++) { /* one by one: all values, or a list of those with points */
        const size_t n = cuda_is_sparse(points[q], wide) ? points[q] : wide;
        if (cuzk_query_is_g2((enum cuzk_query)q) == (g2 != 0))
            scratch = larger(scratch, cuzk_cuda_msm_scratch(n, 1, 0, g2) + n * (sizeof(struct cuzk_fr) + 8) +
                                          wide / 8);
    }
    for (unsigned slots = 2; !g2 && slots <= CUDA_G1_SLOTS; slots++)
        if (cuzk_cuda_msm_together(wide, slots) == slots)
            scratch = larger(scratch, cuzk_cuda_msm_scratch(wide, slots, 0, 0) +
                                          (size_t)wide * sizeof(struct cuzk_fr));
    return scratch + SLACK;
}

size_t cuda_work_bytes(unsigned log_domain, const uint32_t bits[CUZK_QUERIES],
                       const uint32_t wide_points[CUZK_QUERIES], uint32_t wide, uint32_t inputs, uint32_t h)
{
    const size_t vector = (sizeof(struct cuzk_fr) << log_domain) + 256;
    const uint32_t all_inputs[CUZK_QUERIES] = {inputs, inputs, inputs, inputs, inputs};
    size_t scratch = cuzk_cuda_msm_scratch(h, 1, 0, 0);

    for (int q = CUZK_QUERY_L; q < CUZK_QUERIES; q++)
        scratch = larger(scratch, cuzk_cuda_sum_bits_scratch(bits[q], cuzk_query_is_g2((enum cuzk_query)q)));
    for (int g2 = 0; g2 < 2; g2++) {
        scratch = larger(scratch, wide_scratch(wide_points, wide, g2));
        scratch = larger(scratch, wide_scratch(all_inputs, inputs, g2));
    }
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
    uint32_t bits[CUZK_QUERIES], wide[CUZK_QUERIES];

    for (int q = 0; q < CUZK_QUERIES; q++) {
        bits[q] = smaller(shape->bits, shape->points[q]);
        wide[q] = smaller(shape->wide, shape->points[q]);
    }
    return cuda_work_bytes(shape->log_domain, bits, wide, shape->wide, shape->inputs,
                           shape->points[CUZK_QUERY_H]);
}

/* ---- the key, whole ---- */

static uint64_t matrix_bytes(const struct cuzk_backend_shape *shape)
{
    uint64_t bytes = (uint64_t)shape->parts * 4;

    for (int m = 0; m < 2; m++)
        bytes += cuda_matrix_bytes(shape->rows, shape->terms[m]);
    return bytes;
}

static size_t point_bytes(int q)
{
    return cuda_point_bytes(cuzk_query_is_g2((enum cuzk_query)q));
}

static uint64_t whole_key_bytes(const struct cuzk_backend_shape *shape)
{
    uint64_t bytes = CUDA_CONTEXT_BYTES + cuzk_cuda_quotient_plan_bytes(shape->log_domain, false) +
                     shape->coefficients * sizeof(struct cuzk_fr) + matrix_bytes(shape);

    for (int q = 0; q < CUZK_QUERIES; q++) {
        bytes += shape->points[q] * point_bytes(q);
        if (q != CUZK_QUERY_H) /* numbers beside bits, and maps of values and inputs */
            bytes += (uint64_t)shape->points[q] * 8 + ((uint64_t)shape->wide + shape->inputs) * 4;
    }
    return bytes;
}

/* ---- the key, in chunks ---- */

enum {
    JOBS = 3,                 /* in flight: room for so many is kept where there is any */
    CHUNK_POINTS = 1 << 23,   /* of h in a chunk: smaller ones cost more additions a point */
    CHUNK_LEAST = 1 << 14,    /* bytes */
    CHUNKS_MOST = 1 << 14,    /* a key of more is not worth having */
    ROUNDED = 32,             /* chunks that are not full, at most: the last of each kind and query */
    INDEX = sizeof(uint32_t), /* beside each point: the number of its bit or value */
};

/* All chunks together, but for the rounding of each. */
static uint64_t chunks_bytes(const struct cuzk_backend_shape *shape)
{
    uint64_t bytes = 0;

    for (int q = 0; q < CUZK_QUERIES; q++)
        bytes += (uint64_t)shape->points[q] * (point_bytes(q) + (q == CUZK_QUERY_H ? 0 : INDEX));
    return bytes;
}

/* Vectors and scratch where no sum is over more than a chunk. */
static size_t chunked_work_bytes(const struct cuzk_backend_shape *shape, size_t chunk)
{
    const size_t vector = (sizeof(struct cuzk_fr) << shape->log_domain) + 256;
    size_t scratch = 0;

    for (int q = 0; q < CUZK_QUERIES; q++) {
        const int g2 = cuzk_query_is_g2((enum cuzk_query)q);
        const size_t most = chunk / (point_bytes(q) + (q == CUZK_QUERY_H ? 0 : (size_t)INDEX));
        const size_t n = most < shape->points[q] ? most : shape->points[q];
        const size_t values = larger(shape->wide, shape->inputs), wide = n < values ? n : values;
        if (q == CUZK_QUERY_H) {
            scratch = larger(scratch, cuzk_cuda_msm_scratch_least(n, 1, g2));
            continue;
        }
        scratch = larger(scratch, cuzk_cuda_sum_bits_scratch(n < shape->bits ? n : shape->bits, g2));
        scratch = larger(scratch, cuzk_cuda_msm_scratch_least(wide, 1, g2) + wide * sizeof(struct cuzk_fr));
    }
    return vector + larger(2 * vector, scratch) + SLACK;
}

/* Whether chunks of this size do; fills the plan. */
static bool try_chunks(const struct cuzk_backend_shape *shape, uint64_t limit, size_t chunk, unsigned jobs,
                       struct cuda_plan *plan)
{
    const uint64_t whole = chunks_bytes(shape);
    const uint64_t all = whole + (whole / chunk + ROUNDED) * (uint64_t)SLACK;
    const uint64_t fixed = CUDA_CONTEXT_BYTES + cuzk_cuda_quotient_plan_bytes(shape->log_domain, true) +
                           matrix_bytes(shape) + shape->coefficients * sizeof(struct cuzk_fr);

    plan->chunk_bytes = chunk;
    plan->work = chunked_work_bytes(shape, chunk);
    const uint64_t least = fixed + plan->work + jobs * plan->needs.job;
    if (least + all <= limit) {
        plan->slots = 0;
        plan->stays = all;
    } else if (least + CUDA_SLOTS * (uint64_t)chunk <= limit) {
        plan->slots = CUDA_SLOTS;
        plan->stays = limit - least - CUDA_SLOTS * (uint64_t)chunk;
    } else {
        plan->needs.key = fixed + CUDA_SLOTS * (uint64_t)chunk; /* for the message */
        plan->needs.work = plan->work;
        return false;
    }
    plan->needs.key = fixed + plan->stays + plan->slots * (uint64_t)chunk;
    plan->needs.work = plan->work;
    plan->needs.host = all - plan->stays;
    plan->needs.streamed = plan->slots != 0;
    return true;
}

static enum cuzk_status plan_chunks(const struct cuzk_backend_shape *shape, uint64_t limit,
                                    struct cuda_plan *out, struct cuzk_error *err)
{
    const size_t most = (size_t)CHUNK_POINTS * (sizeof(struct cuzk_g1_affine) + INDEX);
    const size_t least = larger(CHUNK_LEAST, (size_t)(chunks_bytes(shape) / CHUNKS_MOST));

    out->chunked = true;
    for (unsigned jobs = JOBS; jobs > 0; jobs = jobs > 1 ? 1 : 0)
        for (size_t chunk = larger(most, least); chunk >= least; chunk -= chunk / 8 + 256)
            if (try_chunks(shape, limit, chunk & ~(size_t)255, jobs, out))
                return CUZK_OK;
    (void)try_chunks(shape, 0, least & ~(size_t)255, 1, out);
    return cuzk_error_set(
        err, CUZK_MEMORY,
        "a proof of this circuit takes %llu MiB of device memory at least (with its key in host memory), the "
        "limit is %llu MiB",
        (unsigned long long)((out->needs.key + out->needs.work + out->needs.job) >> 20) + 1,
        (unsigned long long)(limit >> 20));
}

enum cuzk_status cuda_plan_make(const struct cuzk_backend_shape *shape, uint64_t limit, struct cuda_plan *out,
                                struct cuzk_error *err)
{
    *out = {};
    out->needs.job = cuda_job_bytes(shape->bits, shape->wide, shape->inputs);
    out->needs.key = whole_key_bytes(shape);
    out->needs.work = out->work = work_of_shape(shape);
    if (out->needs.key + out->needs.work + out->needs.job <= limit)
        return CUZK_OK;
    return plan_chunks(shape, limit, out, err);
}

enum cuzk_status cuda_plan_of(const struct cuzk_backend *base, const struct cuzk_backend_shape *shape,
                              struct cuda_plan *out, struct cuzk_error *err)
{
    const struct cuda_backend *backend = (const struct cuda_backend *)base;

    return cuda_plan_make(shape, base->memory_limit != 0 ? base->memory_limit : backend->device.total_bytes,
                          out, err);
}

enum cuzk_status cuda_needs(const struct cuzk_backend *base, const struct cuzk_backend_shape *shape,
                            struct cuzk_backend_needs *out, struct cuzk_error *err)
{
    struct cuda_plan plan;
    const enum cuzk_status status = cuda_plan_of(base, shape, &plan, err);

    *out = plan.needs;
    return status;
}
