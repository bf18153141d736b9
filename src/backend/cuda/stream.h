/*
 * A key in chunks, for a device that cannot hold it whole; private to src/backend/cuda.
 *
 * A chunk is a stretch of points of one query that meet scalars of one kind, beside the numbers of these
 * scalars. Chunks come in a fixed order, the order in which a proof uses them, those of h spread among the
 * others so that copying (which the others are bound by) and adding (which h is bound by) go on beside each
 * other. Chunks that stay are in device memory; the others lie in page-locked host memory and go round:
 * copies into a few slots run ahead on a stream of their own, from the last chunk on to the first one of the
 * next proof. Nothing in a chunk depends on a witness.
 *
 * Used by one job at a time: the one that has the key's work memory (work.h).
 */
#ifndef CUZK_BACKEND_CUDA_STREAM_H
#define CUZK_BACKEND_CUDA_STREAM_H

#include "backend/cuda/device_mem.h"
#include "backend/cuda/encoding.h"
#include "backend/cuda/needs.h"

enum cuda_chunk_kind {
    CUDA_CHUNK_H,      /* points that meet the quotient */
    CUDA_CHUNK_BITS,   /* bits of the witness */
    CUDA_CHUNK_WIDE,   /* its other values */
    CUDA_CHUNK_INPUTS, /* public inputs */
    CUDA_CHUNK_KINDS,
};

/* Memory: [n] affine points, then, but for h, [n] u32: the number of the bit or value of each. */
struct cuda_chunk {
    enum cuda_chunk_kind kind;
    enum cuzk_query query;
    uint32_t first, n; /* points of this kind and query; for h from scalar `first` on */
    size_t bytes;      /* a multiple of 256 */
    bool stays;
    unsigned char *memory; /* of the device where it stays, else page-locked */
};

struct cuda_slab; /* page-locked memory of some chunks */

struct cuda_stream {
    struct cuda_backend *backend;
    struct cuda_chunk *chunks; /* [count], in the order of use */
    uint32_t count;
    unsigned char *resident; /* of the chunks that stay */
    size_t resident_bytes;
    struct cuda_slab *slabs;
    uint32_t slab_count;
    uint32_t *round; /* [round_count] chunks that go round, in order */
    uint32_t round_count;
    unsigned char *slots;
    size_t slot_bytes;
    cudaStream_t copies;
    cudaEvent_t arrived[CUDA_SLOTS], used[CUDA_SLOTS];
    uint64_t at, issued; /* steps of the round: used so far, and asked for; slot and chunk of a step are its
                            remainders */
};

/* Cuts a key of so many points of each kind and query. No chunk has contents yet. Errors: MEMORY, DEVICE. */
enum cuzk_status cuda_stream_create(struct cuda_backend *backend, const struct cuda_plan *plan,
                                    const uint32_t points[CUDA_CHUNK_KINDS][CUZK_QUERIES],
                                    struct cuda_stream **out, struct cuzk_error *err);
void cuda_stream_destroy(struct cuda_stream *stream);

/* Bytes of what lies beside a point. */
static inline size_t cuda_chunk_index_bytes(enum cuda_chunk_kind kind)
{
    return kind == CUDA_CHUNK_H ? 0 : sizeof(uint32_t);
}

/* Chunk number i on the device, to be used by `work`: waits on that stream, not here, for what is being
 * copied. Chunks are best asked for in their order. Errors: DEVICE. */
enum cuzk_status cuda_stream_take(struct cuda_stream *stream, uint32_t i, cudaStream_t work,
                                  const unsigned char **out, struct cuzk_error *err);

/* Everything that uses the chunk just taken was enqueued on `work`. Errors: DEVICE. */
enum cuzk_status cuda_stream_give(struct cuda_stream *stream, uint32_t i, cudaStream_t work,
                                  struct cuzk_error *err);

#endif
