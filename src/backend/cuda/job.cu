#include "backend/cuda/job.h"

#include <string.h>

#include "backend/cuda/msm.h"
#include "backend/cuda/needs.h"
#include "backend/cuda/pass.h"
#include "backend/cuda/quotient.h"
#include "base/clock.h"
#include "base/mem.h"
#include "curve/g1.h"
#include "curve/g2.h"

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
    enum cuzk_status status = CUZK_OK;
    struct cuda_job *job = NULL;

    *out = NULL;
    CUZK_TRY(cuda_use(backend, err));
    CUZK_TRY(CUZK_NEW(&job, 1, "device job", err));
    job->base.key = base;
    CUZK_TRY_OUT(
        cuzk_cuda_check(cudaStreamCreateWithFlags(&job->stream, cudaStreamNonBlocking), "stream", err));
    job->witness = __atomic_exchange_n(&key->spare, NULL, __ATOMIC_ACQ_REL);
    if (job->witness == NULL)
        CUZK_TRY_OUT(cuda_mem_take(backend, cuda_job_bytes(key->bit_count, key->wide_count, key->inputs),
                                   "witness", &job->witness, err));
    job->wide = (struct cuzk_fr *)job->witness;
    job->inputs = job->wide + key->wide_count;
    job->bits = (uint64_t *)(job->inputs + key->inputs);
    *out = &job->base;
    job = NULL;
out:
    if (job != NULL)
        cuda_job_destroy(&job->base);
    return status;
}

/* The key's memory becomes this job's until its wait. Another job may have it: the call then waits. */
static enum cuzk_status hold(struct cuda_job *job, struct cuzk_error *err)
{
    struct cuda_work *work = &((struct cuda_key *)job->base.key)->work;
    const size_t domain = (size_t)1 << key_of(job)->log_domain;

    CUZK_TRY(cuda_use(backend_of(job), err));
    if (job->holds)
        return CUZK_OK;
    cuda_work_take(work);
    job->holds = true;
    job->evaluated = job->divided = false;
    job->arena = {work->base, work->bytes, 0, 0};
    CUZK_TRY(cuzk_cuda_arena_take(&job->arena, domain, "values of B", &job->b, err));
    CUZK_TRY(cuzk_cuda_arena_take(&job->arena, domain, "values of A", &job->a, err));
    return cuzk_cuda_arena_take(&job->arena, domain, "products", &job->c, err);
}

static void release(struct cuda_job *job)
{
    if (!job->holds)
        return;
    job->holds = job->evaluated = job->divided = false;
    cuda_work_give(&((struct cuda_key *)job->base.key)->work, job->arena.peak);
}

void cuda_job_destroy(struct cuzk_backend_job *base)
{
    struct cuda_job *job = (struct cuda_job *)base;

    if (job == NULL)
        return;
    struct cuda_backend *backend = backend_of(job);
    struct cuda_key *key = (struct cuda_key *)job->base.key;
    const size_t bytes = cuda_job_bytes(key->bit_count, key->wide_count, key->inputs);
    (void)cuda_use(backend, NULL);
    if (job->stream != NULL)
        (void)cudaStreamSynchronize(job->stream);
    release(job);
    if (job->witness != NULL) { /* allocating it anew would wait for the other jobs */
        (void)cudaMemsetAsync(job->witness, 0, bytes, job->stream);
        (void)cudaStreamSynchronize(job->stream);
        cuda_mem_drop(backend, __atomic_exchange_n(&key->spare, job->witness, __ATOMIC_ACQ_REL), bytes);
        cuda_work_wipe(&key->work, job->stream);
    }
    if (job->stream != NULL)
        (void)cudaStreamDestroy(job->stream);
    cuzk_mem_free_wiped(job);
}

static enum cuzk_status finish(struct cuda_job *job, uint64_t start, uint64_t *time, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_cuda_check(cudaStreamSynchronize(job->stream), "work on the device", err));
    *time += cuzk_clock_ns() - start;
    return CUZK_OK;
}

enum cuzk_status cuda_job_wait(struct cuzk_backend_job *base, struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const cudaError_t result = cudaStreamSynchronize(job->stream);

    release(job);
    return cuzk_cuda_check(result, "work on the device", err);
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
    const struct cuda_key *key = key_of(job);
    CUZK_TRY(cuzk_cuda_check(cudaMemcpyAsync(job->bits, witness->bits, ((size_t)key->bit_count + 63) / 64 * 8,
                                             cudaMemcpyHostToDevice, job->stream),
                             "upload of the witness", err));
    CUZK_TRY(
        cuzk_cuda_check(cudaMemcpyAsync(job->wide, witness->wide, (size_t)key->wide_count * sizeof *job->wide,
                                        cudaMemcpyHostToDevice, job->stream),
                        "upload of the witness", err));
    CUZK_TRY(cuzk_cuda_check(cudaMemcpyAsync(job->inputs, witness->inputs,
                                             (size_t)key->inputs * sizeof *job->inputs,
                                             cudaMemcpyHostToDevice, job->stream),
                             "upload of the inputs", err));
    job->uploaded = true;
    job->summed = job->summed_h = false;
    job->evaluated = job->divided = false;
    return finish(job, start, &job->times.upload, err);
}

/* ---- values on the domain ---- */

enum cuzk_status cuda_job_eval_ab(struct cuzk_backend_job *base, struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const struct cuda_key *key = key_of(job);

    if (!job->uploaded)
        return cuzk_error_set(err, CUZK_ARGUMENT, "no witness was uploaded");
    CUZK_TRY(hold(job, err));
    const uint64_t start = cuzk_clock_ns();
    const struct cuda_values values = {job->bits, job->wide, job->inputs, key->pool};
    CUZK_TRY(cuda_matrix_evaluate(&key->matrix[0], &key->copies, &values, key->constraints, key->inputs,
                                  key->row_step, key->log_domain, job->a, job->stream, err));
    CUZK_TRY(cuda_matrix_evaluate(&key->matrix[1], &key->copies, &values, key->constraints, 0, key->row_step,
                                  key->log_domain, job->b, job->stream, err));
    job->evaluated = true;
    job->summed_h = false;
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
    switch (key->h_basis) {
    case CUZK_H_MONOMIAL:
        CUZK_TRY(cuzk_cuda_quotient(key->quotient, job->a, job->b, job->c, job->stream, err));
        break;
    case CUZK_H_ODD_COSET:
        CUZK_TRY(cuzk_cuda_odd_coset_values(key->quotient, key->row_step, job->a, job->b, job->c, job->stream,
                                            err));
        break;
    case CUZK_H_COSET:
        CUZK_TRY(cuzk_cuda_coset_products(key->quotient, job->a, job->b, job->stream, err));
        break;
    }
    job->evaluated = false;
    job->divided = true;
    return finish(job, start, &job->times.quotient, err);
}

enum cuzk_status cuda_job_download(struct cuzk_backend_job *base, enum cuzk_backend_data what, size_t first,
                                   size_t n, struct cuzk_fr *out, struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const bool there = what == CUZK_DATA_QUOTIENT ? job->divided : job->evaluated;
    const struct cuzk_fr *from = what == CUZK_DATA_A ? job->a : job->b;
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

/* out[i] = values[i] as a plain number */
static __global__ void plain_scalars(const struct cuzk_fr *__restrict__ values, uint32_t n,
                                     uint64_t *__restrict__ out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cuzk_fr_to_words(&values[i], out + 4 * (size_t)i);
}

/* The members of a set that lie in one group. */
struct members {
    unsigned count;
    enum cuzk_query query[CUZK_CUDA_SLOTS];
    struct cuzk_g1 *g1[CUZK_CUDA_SLOTS];
    struct cuzk_g2 *g2[CUZK_CUDA_SLOTS];
};

static struct members members_of(unsigned queries, bool g2, union cuzk_backend_point out[CUZK_QUERIES])
{
    struct members m = {};

    for (int q = CUZK_QUERY_L; q < CUZK_QUERIES; q++) {
        if (!(queries >> q & 1) || cuzk_query_is_g2((enum cuzk_query)q) != g2)
            continue;
        m.query[m.count] = (enum cuzk_query)q;
        m.g1[m.count] = &out[q].g1;
        m.g2[m.count++] = &out[q].g2;
    }
    return m;
}

/* Waits and shares the time out. */
static enum cuzk_status finish_members(struct cuda_job *job, const struct members *m, uint64_t start,
                                       struct cuzk_error *err)
{
    uint64_t time = 0;

    CUZK_TRY(finish(job, start, &time, err));
    for (unsigned s = 0; s < m->count; s++)
        job->times.msm[m->query[s]] += time / m->count;
    return CUZK_OK;
}

/* The sums of one group under the wide values or the inputs. */
static enum cuzk_status values_msm(struct cuda_job *job, bool wide, const uint64_t *scalars, uint32_t n,
                                   bool g2, const struct members *m, struct cuzk_error *err)
{
    const struct cuda_key *key = key_of(job);
    const uint32_t *maps[CUZK_CUDA_SLOTS];

    for (unsigned s = 0; s < m->count; s++)
        maps[s] = wide ? key->query[m->query[s]].wide : key->query[m->query[s]].inputs;
    return g2 ? cuzk_cuda_msm_g2((const struct cuzk_g2_affine *)key->group[1].points, maps, m->count, scalars,
                                 n, 0, &job->arena, job->stream, m->g2, err)
              : cuzk_cuda_msm_g1((const struct cuzk_g1_affine *)key->group[0].points, maps, m->count, scalars,
                                 n, 0, &job->arena, job->stream, m->g1, err);
}

/* Members whose map leads nowhere are done at once. */
static void drop_empty(const struct cuda_key *key, bool wide, struct members *m)
{
    unsigned kept = 0;

    for (unsigned s = 0; s < m->count; s++) {
        const struct cuda_query *query = &key->query[m->query[s]];
        if ((wide ? query->wide_n : query->input_n) == 0) {
            if (cuzk_query_is_g2(m->query[s]))
                cuzk_g2_identity(m->g2[s]);
            else
                cuzk_g1_identity(m->g1[s]);
            continue;
        }
        m->query[kept] = m->query[s];
        m->g1[kept] = m->g1[s];
        m->g2[kept++] = m->g2[s];
    }
    m->count = kept;
}

/* The sums take the room behind the quotient, whose values it has used up. */
static enum cuzk_status start_sums(struct cuda_job *job, struct cuzk_error *err)
{
    if (job->evaluated)
        return cuzk_error_set(err, CUZK_ARGUMENT, "a sum before the quotient would overwrite its values");
    CUZK_TRY(hold(job, err));
    job->arena.used = (size_t)((unsigned char *)job->a - job->arena.base);
    return cuzk_progress_check(job->base.progress, err); /* between sums: each is a fraction of a second */
}

/* The sums of some queries under one kind of scalars, from a key in chunks. */
static enum cuzk_status chunked_sums(struct cuda_job *job, enum cuda_chunk_kind kind, unsigned queries,
                                     union cuzk_backend_point out[CUZK_QUERIES], struct cuzk_error *err)
{
    if (!(kind == CUDA_CHUNK_H ? job->summed_h : job->summed)) {
        CUZK_TRY(start_sums(job, err));
        CUZK_TRY(cuda_pass_run(job, err));
    }
    for (int q = 0; q < CUZK_QUERIES; q++)
        if (queries >> q & 1)
            out[q] = job->sums[kind][q];
    return CUZK_OK;
}

static enum cuzk_status quotient_msm(struct cuda_job *job, union cuzk_backend_point out[CUZK_QUERIES],
                                     struct cuzk_error *err)
{
    const struct cuda_key *key = key_of(job);
    const struct cuda_query *h = &key->query[CUZK_QUERY_H];
    struct cuzk_g1 *const sum[] = {&out[CUZK_QUERY_H].g1};

    CUZK_TRY(start_sums(job, err));
    const uint64_t start = cuzk_clock_ns();
    CUZK_TRY(cuzk_cuda_msm_g1((const struct cuzk_g1_affine *)key->group[0].points + h->first, NULL, 1,
                              (const uint64_t *)job->b, h->count, 0, &job->arena, job->stream, sum, err));
    return finish(job, start, &job->times.msm[CUZK_QUERY_H], err);
}

enum cuzk_status cuda_job_msm_group(struct cuzk_backend_job *base, enum cuzk_scalar_set scalars,
                                    unsigned queries, union cuzk_backend_point out[CUZK_QUERIES],
                                    struct cuzk_error *err)
{
    struct cuda_job *job = (struct cuda_job *)base;
    const struct cuda_key *key = key_of(job);
    const bool quotient = scalars == CUZK_SCALARS_QUOTIENT, wide = scalars == CUZK_SCALARS_WIDE;
    const uint32_t n = wide ? key->wide_count : key->inputs;
    const struct cuzk_fr *const values = wide ? job->wide : job->inputs;

    if (quotient ? !job->divided : !job->uploaded)
        return cuzk_error_set(err, CUZK_ARGUMENT, "the scalars of this sum were not made yet");
    for (int q = 0; q < CUZK_QUERIES; q++)
        if (queries >> q & 1 && quotient != (q == CUZK_QUERY_H))
            return cuzk_error_set(err, CUZK_ARGUMENT, "query %d has no such scalars", q);
    if (key->stream != NULL)
        return chunked_sums(job,
                            quotient ? CUDA_CHUNK_H
                            : wide   ? CUDA_CHUNK_WIDE
                                     : CUDA_CHUNK_INPUTS,
                            queries, out, err);
    if (quotient)
        return queries == 0 ? CUZK_OK : quotient_msm(job, out, err);
    for (int g2 = 0; g2 < 2; g2++) {
        struct members m = members_of(queries, g2 != 0, out);
        uint64_t *words;
        drop_empty(key, wide, &m);
        if (m.count == 0)
            continue;
        CUZK_TRY(start_sums(job, err));
        const uint64_t start = cuzk_clock_ns();
        CUZK_TRY(cuzk_cuda_arena_take(&job->arena, (size_t)n * 4, "scalars", &words, err));
        plain_scalars<<<(n + 127) / 128, 128, 0, job->stream>>>(values, n, words);
        CUZK_TRY(cuzk_cuda_launched("plain_scalars", job->stream, err));
        CUZK_TRY(values_msm(job, wide, words, n, g2 != 0, &m, err));
        CUZK_TRY(finish_members(job, &m, start, err));
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
    if (queries & CUZK_QUERY_SET_H)
        return cuzk_error_set(err, CUZK_ARGUMENT, "query h belongs to no variables");
    if (key->stream != NULL)
        return chunked_sums(job, CUDA_CHUNK_BITS, queries, out, err);
    for (int g2 = 0; g2 < 2; g2++) {
        const struct members m = members_of(queries, g2 != 0, out);
        struct cuzk_cuda_bits parts[CUZK_CUDA_SLOTS];
        if (m.count == 0)
            continue;
        CUZK_TRY(start_sums(job, err));
        const uint64_t start = cuzk_clock_ns();
        for (unsigned s = 0; s < m.count; s++) {
            const struct cuda_part *part = &key->query[m.query[s]].bits;
            parts[s] = {part->point, part->value, part->n};
        }
        CUZK_TRY(g2 ? cuzk_cuda_sum_bits_g2((const struct cuzk_g2_affine *)key->group[1].points, parts,
                                            m.count, job->bits, &job->arena, job->stream, m.g2, err)
                    : cuzk_cuda_sum_bits_g1((const struct cuzk_g1_affine *)key->group[0].points, parts,
                                            m.count, job->bits, &job->arena, job->stream, m.g1, err));
        CUZK_TRY(finish_members(job, &m, start, err));
    }
    return CUZK_OK;
}
