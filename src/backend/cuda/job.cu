#include "backend/cuda/job.h"

#include <string.h>

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>

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
    CUZK_TRY(cuda_host_copy_run(&backend_of(job)->host_copy, job->wide, witness->wide,
                                (size_t)key->wide_count * sizeof *job->wide, true, job->stream,
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

/* whether a value has a point */
struct has_point {
    const uint32_t *map;
    __device__ __forceinline__ bool operator()(uint32_t i) const
    {
        return map[i] != 0;
    }
};

/* As plain_scalars for the values listed, with their points. */
static __global__ void listed_scalars(const struct cuzk_fr *__restrict__ values,
                                      const uint32_t *__restrict__ list, const uint32_t *__restrict__ map,
                                      uint32_t n, uint64_t *__restrict__ out, uint32_t *__restrict__ points)
{
    const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n)
        return;
    const uint32_t i = list[k];
    cuzk_fr_to_words(&values[i], out + 4 * (size_t)k);
    points[k] = map[i];
}

/* What a sum is over: scalars, and the point that each meets in every one of several sums. */
struct terms {
    uint64_t *scalars;
    const uint32_t *maps[CUZK_CUDA_SLOTS];
    uint32_t n;
};

/* All values, whether they have points or not. */
static enum cuzk_status take_all(struct cuda_job *job, const struct cuzk_fr *values, uint32_t n,
                                 struct terms *out, struct cuzk_error *err)
{
    out->n = n;
    CUZK_TRY(cuzk_cuda_arena_take(&job->arena, (size_t)n * 4, "scalars", &out->scalars, err));
    plain_scalars<<<(n + 127) / 128, 128, 0, job->stream>>>(values, n, out->scalars);
    return cuzk_cuda_launched("plain_scalars", job->stream, err);
}

/* The `count` of n values that the map gives points. */
static enum cuzk_status take_listed(struct cuda_job *job, const struct cuzk_fr *values, uint32_t n,
                                    const uint32_t *map, uint32_t count, struct terms *out,
                                    struct cuzk_error *err)
{
    const auto numbers = thrust::make_counting_iterator<uint32_t>(0);
    const struct has_point has = {map};
    uint32_t *points, *list, *found;
    unsigned char *scratch;
    size_t bytes = 0;

    out->n = count;
    CUZK_TRY(cuzk_cuda_arena_take(&job->arena, (size_t)count * 4, "scalars", &out->scalars, err));
    CUZK_TRY(cuzk_cuda_arena_take(&job->arena, count, "points of scalars", &points, err));
    const size_t mark = job->arena.used;
    CUZK_TRY(cuzk_cuda_arena_take(&job->arena, count, "values with points", &list, err));
    CUZK_TRY(cuzk_cuda_arena_take(&job->arena, 1, "count of values", &found, err));
    CUZK_TRY(cuzk_cuda_check(cub::DeviceSelect::If(NULL, bytes, numbers, list, found, n, has, job->stream),
                             "selection size", err));
    CUZK_TRY(cuzk_cuda_arena_take(&job->arena, bytes, "selection scratch", &scratch, err));
    CUZK_TRY(cuzk_cuda_check(cub::DeviceSelect::If(scratch, bytes, numbers, list, found, n, has, job->stream),
                             "selection of values", err));
    listed_scalars<<<(count + 127) / 128, 128, 0, job->stream>>>(values, list, map, count, out->scalars,
                                                                 points);
    out->maps[0] = points;
    job->arena.used = mark; /* what follows in the stream may overwrite the list */
    return cuzk_cuda_launched("listed_scalars", job->stream, err);
}

/* The sums of some members of one group, in one run. */
static enum cuzk_status values_msm(struct cuda_job *job, bool wide, bool g2, const struct members *m,
                                   unsigned first, unsigned slots, struct cuzk_error *err)
{
    const struct cuda_key *key = key_of(job);
    const uint32_t n = wide ? key->wide_count : key->inputs;
    const struct cuzk_fr *const values = wide ? job->wide : job->inputs;
    const struct cuda_query *one = &key->query[m->query[first]];
    const uint32_t count = wide ? one->wide_n : one->input_n;
    const size_t mark = job->arena.used;
    struct terms terms = {};

    for (unsigned s = 0; s < slots; s++)
        terms.maps[s] = wide ? key->query[m->query[first + s]].wide : key->query[m->query[first + s]].inputs;
    if (slots == 1 && cuda_is_sparse(count, n))
        CUZK_TRY(take_listed(job, values, n, terms.maps[0], count, &terms, err));
    else
        CUZK_TRY(take_all(job, values, n, &terms, err));
    CUZK_TRY(g2 ? cuzk_cuda_msm_g2((const struct cuzk_g2_affine *)key->group[1].points, terms.maps, slots,
                                   terms.scalars, terms.n, 0, &job->arena, job->stream, m->g2 + first, err)
                : cuzk_cuda_msm_g1((const struct cuzk_g1_affine *)key->group[0].points, terms.maps, slots,
                                   terms.scalars, terms.n, 0, &job->arena, job->stream, m->g1 + first, err));
    job->arena.used = mark;
    return CUZK_OK;
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
        drop_empty(key, wide, &m);
        if (m.count == 0)
            continue;
        CUZK_TRY(start_sums(job, err));
        const uint64_t start = cuzk_clock_ns();
        const unsigned together = cuzk_cuda_msm_together(n, m.count);
        for (unsigned first = 0; first < m.count; first += together)
            CUZK_TRY(values_msm(job, wide, g2 != 0, &m, first, together, err));
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
