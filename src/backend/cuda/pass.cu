#include "backend/cuda/pass.h"

#include "backend/cuda/msm.h"
#include "base/clock.h"
#include "curve/g1.h"
#include "curve/g2.h"

/* out[i] = values[index[i]] as a plain number */
static __global__ void gather_scalars(const struct cuzk_fr *__restrict__ values,
                                      const uint32_t *__restrict__ index, uint32_t n,
                                      uint64_t *__restrict__ out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        cuzk_fr_to_words(&values[index[i]], out + 4 * (size_t)i);
}

static enum cuzk_status sum_values(struct cuda_job *job, const struct cuda_chunk *chunk, const void *points,
                                   const uint32_t *index, union cuzk_backend_point *out,
                                   struct cuzk_error *err)
{
    struct cuzk_g1 *const g1[] = {&out->g1};
    struct cuzk_g2 *const g2[] = {&out->g2};
    const uint64_t *scalars = (const uint64_t *)(job->b + chunk->first);

    if (chunk->kind != CUDA_CHUNK_H) {
        uint64_t *words;
        CUZK_TRY(cuzk_cuda_arena_take(&job->arena, (size_t)chunk->n * 4, "scalars", &words, err));
        gather_scalars<<<(chunk->n + 127) / 128, 128, 0, job->stream>>>(
            chunk->kind == CUDA_CHUNK_WIDE ? job->wide : job->inputs, index, chunk->n, words);
        CUZK_TRY(cuzk_cuda_launched("gather_scalars", job->stream, err));
        scalars = words;
    }
    return cuzk_query_is_g2(chunk->query)
               ? cuzk_cuda_msm_g2((const struct cuzk_g2_affine *)points, NULL, 1, scalars, chunk->n, 0,
                                  &job->arena, job->stream, g2, err)
               : cuzk_cuda_msm_g1((const struct cuzk_g1_affine *)points, NULL, 1, scalars, chunk->n, 0,
                                  &job->arena, job->stream, g1, err);
}

static enum cuzk_status sum_bits(struct cuda_job *job, const struct cuda_chunk *chunk, const void *points,
                                 const uint32_t *index, union cuzk_backend_point *out, struct cuzk_error *err)
{
    struct cuzk_g1 *const g1[] = {&out->g1};
    struct cuzk_g2 *const g2[] = {&out->g2};
    const struct cuzk_cuda_bits part = {NULL, index, chunk->n};

    return cuzk_query_is_g2(chunk->query)
               ? cuzk_cuda_sum_bits_g2((const struct cuzk_g2_affine *)points, &part, 1, job->bits,
                                       &job->arena, job->stream, g2, err)
               : cuzk_cuda_sum_bits_g1((const struct cuzk_g1_affine *)points, &part, 1, job->bits,
                                       &job->arena, job->stream, g1, err);
}

static void identity(enum cuzk_query query, union cuzk_backend_point *out)
{
    if (cuzk_query_is_g2(query))
        cuzk_g2_identity(&out->g2);
    else
        cuzk_g1_identity(&out->g1);
}

static void add(enum cuzk_query query, const union cuzk_backend_point *term, union cuzk_backend_point *sum)
{
    if (cuzk_query_is_g2(query))
        cuzk_g2_add(&sum->g2, &term->g2, &sum->g2);
    else
        cuzk_g1_add(&sum->g1, &term->g1, &sum->g1);
}

static enum cuzk_status sum_chunk(struct cuda_job *job, struct cuda_stream *stream, uint32_t i,
                                  struct cuzk_error *err)
{
    const struct cuda_chunk *chunk = &stream->chunks[i];
    const size_t mark = job->arena.used;
    const uint64_t start = cuzk_clock_ns();
    union cuzk_backend_point term;
    const unsigned char *points;

    CUZK_TRY(cuda_stream_take(stream, i, job->stream, &points, err));
    const uint32_t *index =
        (const uint32_t *)(points + chunk->n * cuda_point_bytes(cuzk_query_is_g2(chunk->query)));
    CUZK_TRY(chunk->kind == CUDA_CHUNK_BITS ? sum_bits(job, chunk, points, index, &term, err)
                                            : sum_values(job, chunk, points, index, &term, err));
    CUZK_TRY(cuda_stream_give(stream, i, job->stream, err));
    job->arena.used = mark;
    add(chunk->query, &term, &job->sums[chunk->kind][chunk->query]);
    job->times.msm[chunk->query] += cuzk_clock_ns() - start;
    return CUZK_OK;
}

enum cuzk_status cuda_pass_run(struct cuda_job *job, struct cuzk_error *err)
{
    struct cuda_stream *stream = ((struct cuda_key *)job->base.key)->stream;
    const bool h = job->divided && !job->summed_h, others = !job->summed;

    for (int kind = 0; kind < CUDA_CHUNK_KINDS; kind++)
        for (int q = 0; q < CUZK_QUERIES; q++)
            if (kind == CUDA_CHUNK_H ? h : others)
                identity((enum cuzk_query)q, &job->sums[kind][q]);
    for (uint32_t i = 0; i < stream->count; i++) {
        if (!(stream->chunks[i].kind == CUDA_CHUNK_H ? h : others))
            continue;
        CUZK_TRY(cuzk_progress_check(job->base.progress, err));
        CUZK_TRY(sum_chunk(job, stream, i, err));
    }
    job->summed_h = job->summed_h || h;
    job->summed = true;
    return CUZK_OK;
}
