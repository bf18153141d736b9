#include "backend/cuda/job.h"

#include <string.h>

#include "backend/cuda/msm.h"
#include "backend/cuda/quotient.h"
#include "base/clock.h"
#include "base/mem.h"

static const struct cuda_key *key_of(const struct cuda_job *job)
{
    return (const struct cuda_key *)job->base.key;
}

static struct cuda_backend *backend_of(const struct cuda_job *job)
{
    return (struct cuda_backend *)job->base.key->backend;
}

/* ---- life ---- */

enum cuzk_status cuda_job_create(struct cuzk_backend_key *base, struct cuzk_backend_job **out,
                                 struct cuzk_error *err)
{
    struct cuda_key *key = (struct cuda_key *)base;
    struct cuda_backend *backend = (struct cuda_backend *)base->backend;
    const size_t domain = (size_t)1 << key->log_domain;
    enum cuzk_status status = CUZK_OK;
    struct cuda_job *job = NULL;
    void *block;

    *out = NULL;
    CUZK_TRY(cuda_use(backend, err));
    CUZK_TRY(CUZK_NEW(&job, 1, "device job", err));
    job->base.key = base;
    job->bits_bytes = ((size_t)key->bit_count + 63) / 64 * 8;
    job->wide_bytes = (size_t)key->wide_count * sizeof *job->wide;
    job->inputs_bytes = (size_t)key->inputs * sizeof *job->inputs;
    CUZK_TRY_OUT(
        cuzk_cuda_check(cudaStreamCreateWithFlags(&job->stream, cudaStreamNonBlocking), "stream", err));
    CUZK_TRY_OUT(cuda_mem_take(backend, job->bits_bytes, "witness bits", (void **)&job->bits, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, job->wide_bytes, "witness values", (void **)&job->wide, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, job->inputs_bytes, "public inputs", (void **)&job->inputs, err));
    job->arena.size = key->arena_bytes;
    block = __atomic_exchange_n(&key->spare, NULL, __ATOMIC_ACQ_REL);
    if (block == NULL)
        CUZK_TRY_OUT(cuda_mem_take(backend, job->arena.size, "buffers of a proof", &block, err));
    job->arena.base = (unsigned char *)block;
    CUZK_TRY_OUT(cuzk_cuda_arena_take(&job->arena, domain, "values of A", &job->a, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(&job->arena, domain, "values of B", &job->b, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(&job->arena, domain, "quotient", &job->c, err));
    *out = &job->base;
    job = NULL;
out:
    if (job != NULL)
        cuda_job_destroy(&job->base);
    return status;
}

void cuda_job_destroy(struct cuzk_backend_job *base)
{
    struct cuda_job *job = (struct cuda_job *)base;

    if (job == NULL)
        return;
    struct cuda_backend *backend = backend_of(job);
    (void)cuda_use(backend, NULL);
    if (job->stream != NULL)
        (void)cudaStreamSynchronize(job->stream);
    /* the witness and all that was computed from it */
    if (job->bits != NULL)
        (void)cudaMemset(job->bits, 0, job->bits_bytes);
    if (job->wide != NULL)
        (void)cudaMemset(job->wide, 0, job->wide_bytes);
    if (job->arena.base != NULL)
        (void)cudaMemset(job->arena.base, 0, job->arena.peak);
    cuda_mem_drop(backend, job->bits, job->bits_bytes);
    cuda_mem_drop(backend, job->wide, job->wide_bytes);
    cuda_mem_drop(backend, job->inputs, job->inputs_bytes);
    if (job->arena.base != NULL) { /* allocating it anew costs more than a proof of a small circuit */
        struct cuda_key *key = (struct cuda_key *)job->base.key;
        (void)cudaStreamSynchronize(0);
        key->spare_bytes = job->arena.size;
        void *older = __atomic_exchange_n(&key->spare, (void *)job->arena.base, __ATOMIC_ACQ_REL);
        cuda_mem_drop(backend, older, job->arena.size);
    }
    if (job->stream != NULL)
        (void)cudaStreamDestroy(job->stream);
    cuzk_mem_free(job);
}

static enum cuzk_status finish(struct cuda_job *job, uint64_t start, uint64_t *time, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_cuda_check(cudaStreamSynchronize(job->stream), "work on the device", err));
    *time += cuzk_clock_ns() - start;
    return CUZK_OK;
}

enum cuzk_status cuda_job_wait(struct cuzk_backend_job *base, struct cuzk_error *err)
{
    return cuzk_cuda_check(cudaStreamSynchronize(((struct cuda_job *)base)->stream), "work on the device",
                           err);
}

void cuda_job_times(const struct cuzk_backend_job *base, struct cuzk_backend_times *out)
{
    *out = ((const struct cuda_job *)base)->times;
}

enum cuzk_status cuda_job_upload(struct cuzk_backend_job *base, const struct cuzk_witness *witness,
                                 struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const uint64_t start = cuzk_clock_ns();

    CUZK_TRY(cuda_use(backend_of(job), err));
    CUZK_TRY(cuzk_cuda_check(
        cudaMemcpyAsync(job->bits, witness->bits, job->bits_bytes, cudaMemcpyHostToDevice, job->stream),
        "upload of the witness", err));
    CUZK_TRY(cuzk_cuda_check(
        cudaMemcpyAsync(job->wide, witness->wide, job->wide_bytes, cudaMemcpyHostToDevice, job->stream),
        "upload of the witness", err));
    CUZK_TRY(cuzk_cuda_check(
        cudaMemcpyAsync(job->inputs, witness->inputs, job->inputs_bytes, cudaMemcpyHostToDevice, job->stream),
        "upload of the inputs", err));
    job->uploaded = true;
    job->evaluated = job->divided = false;
    return finish(job, start, &job->times.upload, err);
}

/* ---- values on the domain ---- */

struct values {
    const uint64_t *bits;
    const struct cuzk_fr *wide, *inputs, *pool;
};

/* out[row_step * row mod domain] = <row, z>; a thread a row. Rows from `rows` on are those of the inputs. */
static __global__ void evaluate(const uint32_t *__restrict__ row_start, const uint32_t *__restrict__ terms,
                                const uint32_t *__restrict__ coefficients, struct values values,
                                uint32_t rows, uint32_t input_rows, uint64_t row_step, uint64_t mask,
                                struct cuzk_fr *__restrict__ out)
{
    const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows + input_rows)
        return;
    struct cuzk_fr *const to = out + (row_step * row & mask);
    if (row >= rows) {
        *to = values.inputs[row - rows];
        return;
    }
    struct cuzk_fr sum;
    cuzk_fr_zero(&sum);
    for (uint32_t k = row_start[row]; k < row_start[row + 1]; k++) {
        const uint32_t name = terms[k], i = name & ~(uint32_t)CUDA_VALUE_KIND, c = coefficients[k];
        struct cuzk_fr t;
        if ((name & CUDA_VALUE_KIND) == CUDA_VALUE_BIT) {
            if (!(values.bits[i / 64] >> (i % 64) & 1))
                continue;
            if (c == CUZK_COEFFICIENT_ONE)
                cuzk_fr_one(&t);
            else
                t = values.pool[c];
        } else {
            t = (name & CUDA_VALUE_KIND) == CUDA_VALUE_WIDE ? values.wide[i] : values.inputs[i];
            if (c == CUZK_COEFFICIENT_MINUS_ONE)
                cuzk_fr_neg(&t, &t);
            else if (c != CUZK_COEFFICIENT_ONE)
                cuzk_fr_mul(&t, &values.pool[c], &t);
        }
        cuzk_fr_add(&sum, &t, &sum);
    }
    *to = sum;
}

enum cuzk_status cuda_job_eval_ab(struct cuzk_backend_job *base, struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const struct cuda_key *key = key_of(job);
    const size_t domain = (size_t)1 << key->log_domain;
    const uint64_t start = cuzk_clock_ns();
    struct cuzk_fr *const out[2] = {job->a, job->b};

    if (!job->uploaded)
        return cuzk_error_set(err, CUZK_ARGUMENT, "no witness was uploaded");
    CUZK_TRY(cuda_use(backend_of(job), err));
    for (int m = 0; m < 2; m++) {
        const struct cuda_matrix *matrix = &key->matrix[m];
        const uint32_t input_rows = m == 0 ? key->inputs : 0;
        CUZK_TRY(cuzk_cuda_check(cudaMemsetAsync(out[m], 0, domain * sizeof(struct cuzk_fr), job->stream),
                                 "values on the domain", err));
        evaluate<<<(key->constraints + input_rows + 127) / 128 + 1, 128, 0, job->stream>>>(
            matrix->row_start, matrix->values, matrix->coefficients,
            {job->bits, job->wide, job->inputs, key->pool}, key->constraints, input_rows, key->row_step,
            domain - 1, out[m]);
        CUZK_TRY(cuzk_cuda_launched("evaluate", job->stream, err));
    }
    job->evaluated = true;
    return finish(job, start, &job->times.eval, err);
}

enum cuzk_status cuda_job_quotient(struct cuzk_backend_job *base, struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const uint64_t start = cuzk_clock_ns();

    if (!job->evaluated)
        return cuzk_error_set(err, CUZK_ARGUMENT, "no values of A and B to take the quotient of");
    CUZK_TRY(cuda_use(backend_of(job), err));
    const struct cuda_key *key = key_of(job);
    CUZK_TRY(
        key->h_basis == CUZK_H_MONOMIAL
            ? cuzk_cuda_quotient(key->ntt, job->a, job->b, job->c, job->stream, err)
            : cuzk_cuda_odd_coset_values(key->ntt, key->row_step, job->a, job->b, job->c, job->stream, err));
    job->evaluated = false;
    job->divided = true;
    return finish(job, start, &job->times.quotient, err);
}

enum cuzk_status cuda_job_download(struct cuzk_backend_job *base, enum cuzk_backend_data what, size_t first,
                                   size_t n, struct cuzk_fr *out, struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const bool there = what == CUZK_DATA_QUOTIENT ? job->divided : job->evaluated;
    const struct cuzk_fr *from = what == CUZK_DATA_A ? job->a : what == CUZK_DATA_B ? job->b : job->c;
    const size_t domain = (size_t)1 << key_of(job)->log_domain;

    if (!there || first > domain || n > domain - first)
        return cuzk_error_set(err, CUZK_ARGUMENT, "nothing to download at [%zu, %zu)", first, first + n);
    CUZK_TRY(cuda_use(backend_of(job), err));
    CUZK_TRY(cuzk_cuda_check(
        cudaMemcpyAsync(out, from + first, n * sizeof *out, cudaMemcpyDeviceToHost, job->stream), "download",
        err));
    return cuzk_cuda_check(cudaStreamSynchronize(job->stream), "download", err);
}

/* ---- sums over the key ---- */

/* out[i] = values[index[i]] as a plain number */
static __global__ void plain_scalars(const struct cuzk_fr *__restrict__ values,
                                     const uint32_t *__restrict__ index, uint32_t n,
                                     uint64_t *__restrict__ out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cuzk_fr_to_words(&values[index[i]], out + 4 * (size_t)i);
}

static enum cuzk_status part_msm(struct cuda_job *job, const struct cuda_query *query, bool g2,
                                 const struct cuda_part *part, const struct cuzk_fr *values,
                                 union cuzk_backend_point *out, struct cuzk_error *err)
{
    const size_t mark = job->arena.used;
    enum cuzk_status status = CUZK_OK;
    uint64_t *scalars;

    CUZK_TRY_OUT(cuzk_cuda_arena_take(&job->arena, (size_t)part->n * 4, "scalars", &scalars, err));
    if (part->n != 0)
        plain_scalars<<<(part->n + 127) / 128, 128, 0, job->stream>>>(values, part->value, part->n, scalars);
    CUZK_TRY_OUT(cuzk_cuda_launched("plain_scalars", job->stream, err));
    CUZK_TRY_OUT(g2 ? cuzk_cuda_msm_g2((const struct cuzk_g2_affine *)query->points, part->point, scalars,
                                       part->n, 0, &job->arena, job->stream, &out->g2, err)
                    : cuzk_cuda_msm_g1((const struct cuzk_g1_affine *)query->points, part->point, scalars,
                                       part->n, 0, &job->arena, job->stream, &out->g1, err));
out:
    job->arena.used = mark;
    return status;
}

enum cuzk_status cuda_job_msm_group(struct cuzk_backend_job *base, enum cuzk_scalar_set scalars,
                                    unsigned queries, union cuzk_backend_point out[CUZK_QUERIES],
                                    struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const struct cuda_key *key = key_of(job);
    const bool quotient = scalars == CUZK_SCALARS_QUOTIENT;

    if (quotient ? !job->divided : !job->uploaded)
        return cuzk_error_set(err, CUZK_ARGUMENT, "the scalars of this sum were not made yet");
    CUZK_TRY(cuda_use(backend_of(job), err));
    for (int q = 0; q < CUZK_QUERIES; q++) {
        const struct cuda_query *query = &key->query[q];
        const uint64_t start = cuzk_clock_ns();
        if (!(queries >> q & 1))
            continue;
        CUZK_TRY(
            cuzk_progress_check(job->base.progress, err)); /* between sums: each is a fraction of a second */
        if (quotient != (q == CUZK_QUERY_H))
            return cuzk_error_set(err, CUZK_ARGUMENT, "query %d has no such scalars", q);
        if (quotient)
            CUZK_TRY(cuzk_cuda_msm_g1((const struct cuzk_g1_affine *)query->points, NULL,
                                      (const uint64_t *)job->c, query->count, 0, &job->arena, job->stream,
                                      &out[q].g1, err));
        else
            CUZK_TRY(part_msm(job, query, cuzk_query_is_g2((enum cuzk_query)q),
                              scalars == CUZK_SCALARS_WIDE ? &query->wide : &query->inputs,
                              scalars == CUZK_SCALARS_WIDE ? job->wide : job->inputs, &out[q], err));
        CUZK_TRY(finish(job, start, &job->times.msm[q], err));
    }
    return CUZK_OK;
}

enum cuzk_status cuda_job_sum_bits(struct cuzk_backend_job *base, unsigned queries,
                                   union cuzk_backend_point out[CUZK_QUERIES], struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const struct cuda_key *key = key_of(job);

    if (!job->uploaded)
        return cuzk_error_set(err, CUZK_ARGUMENT, "no witness was uploaded");
    CUZK_TRY(cuda_use(backend_of(job), err));
    for (int q = 0; q < CUZK_QUERIES; q++) {
        const struct cuda_query *query = &key->query[q];
        const uint64_t start = cuzk_clock_ns();
        if (!(queries >> q & 1))
            continue;
        CUZK_TRY(
            cuzk_progress_check(job->base.progress, err)); /* between sums: each is a fraction of a second */
        if (q == CUZK_QUERY_H)
            return cuzk_error_set(err, CUZK_ARGUMENT, "query h belongs to no variables");
        CUZK_TRY(cuzk_query_is_g2((enum cuzk_query)q)
                     ? cuzk_cuda_sum_bits_g2((const struct cuzk_g2_affine *)query->points, query->bits.point,
                                             query->bits.value, job->bits, query->bits.n, &job->arena,
                                             job->stream, &out[q].g2, err)
                     : cuzk_cuda_sum_bits_g1((const struct cuzk_g1_affine *)query->points, query->bits.point,
                                             query->bits.value, job->bits, query->bits.n, &job->arena,
                                             job->stream, &out[q].g1, err));
        CUZK_TRY(finish(job, start, &job->times.msm[q], err));
    }
    return CUZK_OK;
}
