#include "backend/cuda/stream.h"

/* ---- page-locked memory ---- */

enum : size_t { SLAB_BYTES = (size_t)1 << 30, SLAB_LEAST = (size_t)2 << 20 };

struct cuda_slab {
    unsigned char *memory;
    bool locked;
};

/* Blocks of this size are mapped on their own (base/mem.h), so that no page is locked twice. Where the host
 * has no pages left to lock, another process having locked them, the slab stays as it is: copies from it are
 * slower, not wrong. */
static enum cuzk_status lock_slab(size_t bytes, struct cuda_slab *out, struct cuzk_error *err)
{
    if (bytes < SLAB_LEAST)
        bytes = SLAB_LEAST;
    CUZK_TRY(CUZK_NEW(&out->memory, bytes, "key in host memory", err));
    const cudaError_t result = cudaHostRegister(out->memory, bytes, cudaHostRegisterPortable);
    out->locked = result == cudaSuccess;
    if (!out->locked)
        (void)cudaGetLastError();
    if (result == cudaErrorMemoryAllocation)
        return CUZK_OK;
    return cuzk_cuda_check(result, "page-locked memory for the key", err);
}

/* Memory of the chunks that go round, several to a slab. */
static enum cuzk_status lock_chunks(struct cuda_stream *stream, struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(&stream->slabs, (size_t)stream->round_count + 1, "key in host memory", err));
    for (uint32_t i = 0; i < stream->round_count;) {
        const uint32_t first = i;
        size_t bytes = 0;
        for (; i < stream->round_count &&
               (bytes == 0 || bytes + stream->chunks[stream->round[i]].bytes <= SLAB_BYTES);
             i++)
            bytes += stream->chunks[stream->round[i]].bytes;
        struct cuda_slab *slab = &stream->slabs[stream->slab_count++];
        CUZK_TRY(lock_slab(bytes, slab, err));
        bytes = 0;
        for (uint32_t k = first; k < i; k++) {
            struct cuda_chunk *chunk = &stream->chunks[stream->round[k]];
            chunk->memory = slab->memory + bytes;
            bytes += chunk->bytes;
        }
    }
    return CUZK_OK;
}

/* ---- cutting ---- */

static size_t rounded(size_t bytes)
{
    return (bytes + 255) & ~(size_t)255;
}

/* Points of one kind and query that a chunk holds at most. */
static uint32_t points_in(size_t most, enum cuda_chunk_kind kind, enum cuzk_query query)
{
    return (uint32_t)(most / (cuda_point_bytes(cuzk_query_is_g2(query)) + cuda_chunk_index_bytes(kind)));
}

/* A place in the cutting of one kind of every query. */
struct cut {
    enum cuda_chunk_kind kind;
    enum cuzk_query query;
    uint32_t first;
};

/* The next chunk of a kind, or of any kind but h; false at the end. */
static bool next_points(struct cut *cut, const uint32_t points[CUDA_CHUNK_KINDS][CUZK_QUERIES], size_t most,
                        struct cuda_chunk *out)
{
    while (cut->first == points[cut->kind][cut->query]) {
        cut->first = 0;
        if (cut->kind == CUDA_CHUNK_H)
            return false;
        cut->query = (enum cuzk_query)(cut->query + 1);
        if (cut->query < CUZK_QUERIES)
            continue;
        cut->query = CUZK_QUERY_L;
        if (cut->kind == CUDA_CHUNK_INPUTS)
            return false;
        cut->kind = (enum cuda_chunk_kind)(cut->kind + 1);
    }
    const uint32_t left = points[cut->kind][cut->query] - cut->first;
    const uint32_t room = points_in(most, cut->kind, cut->query);
    *out = {};
    out->kind = cut->kind;
    out->query = cut->query;
    out->first = cut->first;
    out->n = left < room ? left : room;
    out->bytes = rounded(
        out->n * (cuda_point_bytes(cuzk_query_is_g2(cut->query)) + cuda_chunk_index_bytes(cut->kind)));
    cut->first += out->n;
    return true;
}

/* Chunks of points: those of h evenly among the others, one first. */
static void cut_points(struct cuda_stream *stream, const uint32_t points[CUDA_CHUNK_KINDS][CUZK_QUERIES],
                       size_t most, bool count_only)
{
    const struct cut start_h = {CUDA_CHUNK_H, CUZK_QUERY_H, 0}, start = {CUDA_CHUNK_BITS, CUZK_QUERY_L, 0};
    struct cut h = start_h, other = start;
    struct cuda_chunk chunk;
    uint64_t h_count = 0, other_count = 0, h_done = 0, other_done = 0;

    while (next_points(&h, points, most, &chunk))
        h_count++;
    while (next_points(&other, points, most, &chunk))
        other_count++;
    if (count_only) {
        stream->count += (uint32_t)(h_count + other_count);
        return;
    }
    h = start_h;
    other = start;
    while (h_done + other_done < h_count + other_count) {
        /* whichever is behind its share */
        const bool h_next =
            other_done == other_count || (h_done < h_count && h_done * other_count <= other_done * h_count);
        if (h_next)
            h_done += next_points(&h, points, most, &chunk);
        else
            other_done += next_points(&other, points, most, &chunk);
        stream->chunks[stream->count++] = chunk;
    }
}

/* Which chunks stay: as many bytes as there is room for, evenly over all. */
static void choose(struct cuda_stream *stream, uint64_t room)
{
    uint64_t all = 0, passed = 0, taken = 0;

    for (uint32_t i = 0; i < stream->count; i++)
        all += stream->chunks[i].bytes;
    for (uint32_t i = 0; i < stream->count; i++) {
        struct cuda_chunk *chunk = &stream->chunks[i];
        passed += chunk->bytes;
        const uint64_t share =
            room >= all ? passed : (uint64_t)((double)room * ((double)passed / (double)all));
        chunk->stays = taken + chunk->bytes <= share;
        if (chunk->stays)
            taken += chunk->bytes;
        else
            stream->round[stream->round_count++] = i;
    }
    stream->resident_bytes = taken;
}

static enum cuzk_status take_memory(struct cuda_stream *stream, const struct cuda_plan *plan,
                                    struct cuzk_error *err)
{
    struct cuda_backend *backend = stream->backend;
    size_t used = 0;

    if (stream->resident_bytes != 0)
        CUZK_TRY(cuda_mem_take(backend, stream->resident_bytes, "parts of the key that stay",
                               (void **)&stream->resident, err));
    for (uint32_t i = 0; i < stream->count; i++)
        if (stream->chunks[i].stays) {
            stream->chunks[i].memory = stream->resident + used;
            used += stream->chunks[i].bytes;
        }
    if (stream->round_count == 0)
        return CUZK_OK;
    stream->slot_bytes = plan->chunk_bytes;
    CUZK_TRY(cuda_mem_take(backend, CUDA_SLOTS * stream->slot_bytes, "slots for parts of the key",
                           (void **)&stream->slots, err));
    CUZK_TRY(
        cuzk_cuda_check(cudaStreamCreateWithFlags(&stream->copies, cudaStreamNonBlocking), "stream", err));
    for (int s = 0; s < CUDA_SLOTS; s++) {
        CUZK_TRY(cuzk_cuda_check(cudaEventCreateWithFlags(&stream->arrived[s], cudaEventDisableTiming),
                                 "event", err));
        CUZK_TRY(cuzk_cuda_check(cudaEventCreateWithFlags(&stream->used[s], cudaEventDisableTiming), "event",
                                 err));
    }
    return lock_chunks(stream, err);
}

enum cuzk_status cuda_stream_create(struct cuda_backend *backend, const struct cuda_plan *plan,
                                    const uint32_t points[CUDA_CHUNK_KINDS][CUZK_QUERIES],
                                    struct cuda_stream **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuda_stream *stream = NULL;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&stream, 1, "key in chunks", err));
    stream->backend = backend;
    cut_points(stream, points, plan->chunk_bytes, true);
    CUZK_TRY_OUT(CUZK_NEW(&stream->chunks, stream->count, "chunks of the key", err));
    CUZK_TRY_OUT(CUZK_NEW(&stream->round, stream->count, "chunks of the key", err));
    stream->count = 0;
    cut_points(stream, points, plan->chunk_bytes, false);
    choose(stream, plan->stays);
    CUZK_TRY_OUT(take_memory(stream, plan, err));
    *out = stream;
    stream = NULL;
out:
    cuda_stream_destroy(stream);
    return status;
}

void cuda_stream_destroy(struct cuda_stream *stream)
{
    if (stream == NULL)
        return;
    if (stream->copies != NULL) {
        (void)cudaStreamSynchronize(stream->copies);
        (void)cudaStreamDestroy(stream->copies);
    }
    for (int s = 0; s < CUDA_SLOTS; s++) {
        if (stream->arrived[s] != NULL)
            (void)cudaEventDestroy(stream->arrived[s]);
        if (stream->used[s] != NULL)
            (void)cudaEventDestroy(stream->used[s]);
    }
    for (uint32_t k = 0; stream->slabs != NULL && k < stream->slab_count; k++) {
        if (stream->slabs[k].locked)
            (void)cudaHostUnregister(stream->slabs[k].memory);
        cuzk_mem_free(stream->slabs[k].memory);
    }
    cuda_mem_drop(stream->backend, stream->resident, stream->resident_bytes);
    cuda_mem_drop(stream->backend, stream->slots, CUDA_SLOTS * stream->slot_bytes);
    cuzk_mem_free(stream->slabs);
    cuzk_mem_free(stream->round);
    cuzk_mem_free(stream->chunks);
    cuzk_mem_free(stream);
}

/* ---- going round ---- */

static unsigned char *slot_of(const struct cuda_stream *stream, uint64_t step)
{
    return stream->slots + step % CUDA_SLOTS * stream->slot_bytes;
}

static uint32_t chunk_of(const struct cuda_stream *stream, uint64_t step)
{
    return stream->round[step % stream->round_count];
}

/* Asks for copies into every slot that is not in use. */
static enum cuzk_status run_ahead(struct cuda_stream *stream, struct cuzk_error *err)
{
    for (; stream->issued < stream->at + CUDA_SLOTS; stream->issued++) {
        const unsigned slot = (unsigned)(stream->issued % CUDA_SLOTS);
        const struct cuda_chunk *chunk = &stream->chunks[chunk_of(stream, stream->issued)];
        CUZK_TRY(cuzk_cuda_check(cudaStreamWaitEvent(stream->copies, stream->used[slot], 0),
                                 "wait for a part of the key", err));
        CUZK_TRY(cuzk_cuda_check(cudaMemcpyAsync(slot_of(stream, stream->issued), chunk->memory, chunk->bytes,
                                                 cudaMemcpyHostToDevice, stream->copies),
                                 "copy of a part of the key", err));
        CUZK_TRY(cuzk_cuda_check(cudaEventRecord(stream->arrived[slot], stream->copies), "event", err));
    }
    return CUZK_OK;
}

enum cuzk_status cuda_stream_take(struct cuda_stream *stream, uint32_t i, cudaStream_t work,
                                  const unsigned char **out, struct cuzk_error *err)
{
    *out = stream->chunks[i].memory;
    if (stream->chunks[i].stays)
        return CUZK_OK;
    while (chunk_of(stream, stream->at) != i) /* steps that nobody wants: their copies are not waited for */
        stream->at++;
    if (stream->issued < stream->at)
        stream->issued = stream->at;
    CUZK_TRY(run_ahead(stream, err));
    *out = slot_of(stream, stream->at);
    return cuzk_cuda_check(cudaStreamWaitEvent(work, stream->arrived[stream->at % CUDA_SLOTS], 0),
                           "wait for a part of the key", err);
}

enum cuzk_status cuda_stream_give(struct cuda_stream *stream, uint32_t i, cudaStream_t work,
                                  struct cuzk_error *err)
{
    if (stream->chunks[i].stays)
        return CUZK_OK;
    CUZK_TRY(cuzk_cuda_check(cudaEventRecord(stream->used[stream->at % CUDA_SLOTS], work), "event", err));
    stream->at++;
    return run_ahead(stream, err);
}
