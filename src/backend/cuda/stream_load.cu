#include "backend/cuda/stream_load.h"

#include <string.h>

#include "backend/cuda/arena.h"
#include "backend/cuda/encoding.h"
#include "backend/cuda/key.h"

void cuda_stream_count(const struct cuzk_backend_plan *plan, uint32_t points[CUDA_CHUNK_KINDS][CUZK_QUERIES])
{
    const uint32_t words = (plan->layout->aux + 63) / 64;

    memset(points, 0, CUDA_CHUNK_KINDS * sizeof *points);
    points[CUDA_CHUNK_H][CUZK_QUERY_H] = plan->query[CUZK_QUERY_H].count;
    for (int q = CUZK_QUERY_L; q < CUZK_QUERIES; q++) {
        const struct cuzk_backend_query *query = &plan->query[q];
        uint32_t aux = 0, bits = 0;
        for (uint32_t w = 0; query->aux != NULL && w < words; w++) {
            const uint64_t last = plan->layout->aux % 64 != 0 && w + 1 == words
                                      ? (UINT64_C(1) << (plan->layout->aux % 64)) - 1
                                      : UINT64_MAX;
            aux += (uint32_t)__builtin_popcountll(query->aux[w] & last);
            bits += (uint32_t)__builtin_popcountll(query->aux[w] & last & plan->layout->is_bit[w]);
        }
        points[CUDA_CHUNK_BITS][q] = bits;
        points[CUDA_CHUNK_WIDE][q] = aux - bits;
        points[CUDA_CHUNK_INPUTS][q] = query->count - aux;
    }
}

/* ---- the variables of a query's points, in their order ---- */

struct walk {
    const struct cuzk_backend_plan *plan;
    const struct cuzk_backend_query *query;
    uint32_t input, aux; /* the next to look at */
};

/* The next selected variable, which must exist. */
static enum cuda_chunk_kind step(struct walk *walk, uint32_t *index)
{
    const struct cuzk_witness_layout *layout = walk->plan->layout;

    while (walk->query->inputs != NULL && walk->input < layout->inputs) {
        const uint32_t i = walk->input++;
        if (walk->query->inputs[i / 64] >> (i % 64) & 1) {
            *index = i;
            return CUDA_CHUNK_INPUTS;
        }
    }
    while (!(walk->query->aux[walk->aux / 64] >> (walk->aux % 64) & 1))
        walk->aux++;
    const uint32_t i = walk->aux++;
    if (cuzk_witness_is_bit(layout, i)) {
        *index = cuzk_witness_bit_rank(layout, i);
        return CUDA_CHUNK_BITS;
    }
    *index = cuzk_witness_wide_rank(layout, i);
    return CUDA_CHUNK_WIDE;
}

/* ---- appending ---- */

/* Where the next points of a kind go. */
struct end {
    uint32_t chunk, filled; /* a chunk of this kind and query, and points in it */
};

struct loader {
    struct cuda_stream *stream;
    struct cuzk_cuda_arena arena;
    cudaStream_t work;
    uint32_t at_once;
    unsigned char *raw, *points, *sorted; /* device: file bytes; decoded; kind by kind */
    uint32_t *place, *worst;              /* device: [at_once] of a decoded point among the sorted */
    uint32_t *place_host;
    uint32_t *indices[CUDA_CHUNK_KINDS]; /* host: [at_once] */
    uint8_t *kinds;                      /* host: [at_once] */
};

static enum cuzk_status append(struct loader *loader, enum cuda_chunk_kind kind, enum cuzk_query query,
                               struct end *end, const unsigned char *points, const uint32_t *indices,
                               uint32_t n, struct cuzk_error *err)
{
    const size_t size = cuda_point_bytes(cuzk_query_is_g2(query));
    struct cuda_stream *stream = loader->stream;

    while (n > 0) {
        struct cuda_chunk *chunk = &stream->chunks[end->chunk];
        if (chunk->kind != kind || chunk->query != query || end->filled == chunk->n) {
            if (chunk->kind == kind && chunk->query == query)
                end->chunk++;
            end->filled = 0;
            while (stream->chunks[end->chunk].kind != kind || stream->chunks[end->chunk].query != query)
                end->chunk++;
            continue;
        }
        const uint32_t now = n < chunk->n - end->filled ? n : chunk->n - end->filled;
        CUZK_TRY(cuzk_cuda_check(
            cudaMemcpyAsync(chunk->memory + end->filled * size, points, now * size,
                            chunk->stays ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost, loader->work),
            "points of a chunk", err));
        if (indices != NULL) {
            unsigned char *to = chunk->memory + chunk->n * size + (size_t)end->filled * sizeof *indices;
            if (chunk->stays)
                CUZK_TRY(cuzk_cuda_check(
                    cudaMemcpyAsync(to, indices, now * sizeof *indices, cudaMemcpyHostToDevice, loader->work),
                    "numbers of a chunk", err));
            else
                memcpy(to, indices, now * sizeof *indices);
            indices += now;
        }
        points += now * size;
        end->filled += now;
        n -= now;
    }
    return CUZK_OK;
}

/* to[place[i]] = from[i], words of 16 bytes */
static __global__ void sort_points(const uint4 *__restrict__ from, const uint32_t *__restrict__ place,
                                   uint32_t n, uint32_t words, uint4 *__restrict__ to)
{
    const uint32_t k = blockIdx.x * blockDim.x + threadIdx.x, i = k / words;
    if (i < n)
        to[(size_t)place[i] * words + k % words] = from[k];
}

/* The points just decoded, kind by kind. */
static enum cuzk_status append_sorted(struct loader *loader, struct walk *walk, enum cuzk_query query,
                                      struct end ends[CUDA_CHUNK_KINDS], uint32_t n, struct cuzk_error *err)
{
    const uint32_t words = (uint32_t)(cuda_point_bytes(cuzk_query_is_g2(query)) / sizeof(uint4));
    uint32_t count[CUDA_CHUNK_KINDS] = {0}, first[CUDA_CHUNK_KINDS], next[CUDA_CHUNK_KINDS], before = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t index;
        const enum cuda_chunk_kind kind = step(walk, &index);
        loader->kinds[i] = (uint8_t)kind;
        loader->indices[kind][count[kind]++] = index;
    }
    for (int kind = 0; kind < CUDA_CHUNK_KINDS; kind++) {
        first[kind] = next[kind] = before;
        before += count[kind];
    }
    for (uint32_t i = 0; i < n; i++)
        loader->place_host[i] = next[loader->kinds[i]]++;
    CUZK_TRY(cuzk_cuda_check(cudaMemcpyAsync(loader->place, loader->place_host, n * sizeof *loader->place,
                                             cudaMemcpyHostToDevice, loader->work),
                             "places of points", err));
    sort_points<<<(n * words + 255) / 256, 256, 0, loader->work>>>(
        (const uint4 *)loader->points, loader->place, n, words, (uint4 *)loader->sorted);
    CUZK_TRY(cuzk_cuda_launched("sort_points", loader->work, err));
    for (int kind = CUDA_CHUNK_BITS; kind < CUDA_CHUNK_KINDS; kind++)
        CUZK_TRY(append(loader, (enum cuda_chunk_kind)kind, query, &ends[kind],
                        loader->sorted + first[kind] * cuda_point_bytes(cuzk_query_is_g2(query)),
                        loader->indices[kind], count[kind], err));
    return CUZK_OK;
}

static enum cuzk_status load_query(struct loader *loader, const struct cuzk_backend_plan *plan,
                                   enum cuzk_query q, struct cuzk_error *err)
{
    const struct cuzk_backend_query *query = &plan->query[q];
    struct walk walk = {plan, query, 0, 0};
    struct end ends[CUDA_CHUNK_KINDS] = {};

    for (uint32_t first = 0, n; first < query->count; first += n) {
        n = query->count - first < loader->at_once ? query->count - first : loader->at_once;
        CUZK_TRY(cuda_points_decode(loader->stream->backend, query, cuzk_query_is_g2(q), first, n,
                                    loader->raw, loader->points, loader->worst, err));
        CUZK_TRY(q == CUZK_QUERY_H
                     ? append(loader, CUDA_CHUNK_H, q, &ends[CUDA_CHUNK_H], loader->points, NULL, n, err)
                     : append_sorted(loader, &walk, q, ends, n, err));
        if (query->consumed != NULL)
            CUZK_TRY(query->consumed(query->context, first, first + n, err));
    }
    return CUZK_OK;
}

enum cuzk_status cuda_stream_load(struct cuda_stream *stream, const struct cuzk_backend_plan *plan,
                                  unsigned char *room, size_t room_bytes, struct cuzk_error *err)
{
    const size_t each = 3 * sizeof(struct cuzk_g2_affine) + sizeof(uint32_t);
    const size_t most = room_bytes / each - 4096 / each - 1;
    enum cuzk_status status = CUZK_OK;
    struct loader loader = {};

    loader.stream = stream;
    loader.work = stream->backend->stream;
    loader.arena = {room, room_bytes, 0, 0};
    loader.at_once = most < CUDA_POINTS_AT_ONCE ? (uint32_t)most : (uint32_t)CUDA_POINTS_AT_ONCE;
    const size_t bytes = loader.at_once * sizeof(struct cuzk_g2_affine);
    CUZK_TRY_OUT(cuzk_cuda_arena_take(&loader.arena, bytes, "points being read", &loader.raw, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(&loader.arena, bytes, "points being read", &loader.points, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(&loader.arena, bytes, "points being read", &loader.sorted, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(&loader.arena, loader.at_once, "places of points", &loader.place, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(&loader.arena, 1, "check of points", &loader.worst, err));
    CUZK_TRY_OUT(CUZK_NEW(&loader.place_host, loader.at_once, "places of points", err));
    CUZK_TRY_OUT(CUZK_NEW(&loader.kinds, loader.at_once, "kinds of points", err));
    for (int kind = 0; kind < CUDA_CHUNK_KINDS; kind++)
        CUZK_TRY_OUT(CUZK_NEW(&loader.indices[kind], loader.at_once, "numbers of points", err));
    for (int q = 0; q < CUZK_QUERIES; q++)
        CUZK_TRY_OUT(load_query(&loader, plan, (enum cuzk_query)q, err));
out:
    (void)cudaStreamSynchronize(loader.work); /* what is freed here may still be read */
    cuzk_mem_free(loader.place_host);
    cuzk_mem_free(loader.kinds);
    for (int kind = 0; kind < CUDA_CHUNK_KINDS; kind++)
        cuzk_mem_free(loader.indices[kind]);
    return status;
}
