/*
 * Sums of segments of points: the one primitive under multi-scalar multiplication, bit sums and bucket
 * reduction.
 *
 * A segment is a run of elements with the same key; an element names a point by a word: bit 31 negates it,
 * bit 30 says that it lies among the results of earlier rounds, the rest is its index. Each round pairs
 * neighbours inside their segments and adds the pairs as affine points with shared inversions (5M + 1S an
 * addition); odd elements move on by name, uncopied. So skewed segments cost what even ones do.
 *
 * A round is three kernels: forward (differences of x, running products in chains), inversion of the chains'
 * products, backward (the additions). Equal points (doubling), opposite ones and infinity are handled in
 * line.
 */
#ifndef CUZK_BACKEND_CUDA_SEGMENTS_CUH
#define CUZK_BACKEND_CUDA_SEGMENTS_CUH

#include <cub/cub.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "backend/cuda/arena.h"
#include "backend/cuda/points.cuh"
#include "backend/cuda/staging.cuh"

enum : uint32_t {
    SEGMENT_NEGATE = UINT32_C(1) << 31,
    SEGMENT_RESULT = UINT32_C(1) << 30,
    SEGMENT_INDEX = SEGMENT_RESULT - 1,
};

enum {
    SEGMENT_MAX_ROUNDS = 31,
    SEGMENT_THREADS = 128,
    SEGMENT_CHAIN = 128, /* pairs that share an inversion, where there are enough */
    SEGMENT_CHAINS =
        132 * 1024,          /* chains of a round at least, as long as there are pairs: two waves of lanes */
    SEGMENT_INVERSIONS = 16, /* chains at most that a thread inverts together */
    SEGMENT_INVERTERS = 132 * 256,
};

static inline uint32_t segment_chains(uint32_t pairs)
{
    return pairs / SEGMENT_CHAIN > SEGMENT_CHAINS ? pairs / SEGMENT_CHAIN
           : pairs > SEGMENT_CHAINS               ? (uint32_t)SEGMENT_CHAINS
                                                  : pairs;
}

/* Few chains to a thread where there are few: an inversion's latency is then all that counts. */
static inline uint32_t segment_inverters(uint32_t chains)
{
    const uint32_t each = (chains + SEGMENT_INVERTERS - 1) / SEGMENT_INVERTERS;
    return (chains + (each < SEGMENT_INVERSIONS ? each : SEGMENT_INVERSIONS) - 1) /
           (each < SEGMENT_INVERSIONS ? each : SEGMENT_INVERSIONS);
}

/* Elements sorted by key; keys of `segments` and above are left out and come last. The buffers with a second
 * copy are overwritten. */
struct cuzk_cuda_segments {
    uint32_t *keys, *keys_next;   /* [count] */
    uint32_t *names, *names_next; /* [count] */
    uint32_t *begin, *end;        /* [segments]: range of each; begin = end where empty */
    uint32_t count, segments;
};

/* Elements at the start and pairs of each round, counted ahead so that the host knows every launch. */
struct segment_totals {
    uint32_t elements, pairs[SEGMENT_MAX_ROUNDS];
};

static inline void segment_swap(struct cuzk_cuda_segments *seg)
{
    uint32_t *const keys = seg->keys, *const names = seg->names;
    seg->keys = seg->keys_next;
    seg->keys_next = keys;
    seg->names = seg->names_next;
    seg->names_next = names;
}

static inline unsigned segment_blocks(uint64_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

static __global__ void segment_bounds(const uint32_t *__restrict__ keys, uint32_t count, uint32_t segments,
                                      uint32_t *__restrict__ begin, uint32_t *__restrict__ end)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const uint32_t key = keys[i];
    if (key >= segments)
        return;
    if (i == 0 || keys[i - 1] != key)
        begin[key] = i;
    if (i + 1 == count || keys[i + 1] != key)
        end[key] = i + 1;
}

/* The sum over a whole warp, in every lane. */
static __device__ __forceinline__ uint32_t warp_sum(uint32_t v)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, v);
#else
    for (int lane = 16; lane > 0; lane /= 2)
        v += __shfl_xor_sync(~0u, v, lane);
    return v;
#endif
}

static __global__ void segment_count(const uint32_t *__restrict__ begin, const uint32_t *__restrict__ end,
                                     uint32_t segments, struct segment_totals *totals)
{
    __shared__ struct segment_totals block;
    uint32_t *const words = (uint32_t *)&block;
    const unsigned n = sizeof block / 4;

    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        words[i] = 0;
    __syncthreads();
    for (uint32_t base = blockIdx.x * blockDim.x; base < segments; base += gridDim.x * blockDim.x) {
        const uint32_t s = base + threadIdx.x;
        uint32_t count = s < segments ? end[s] - begin[s] : 0;
        const uint32_t all = warp_sum(count);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&block.elements, all);
#pragma unroll 1
        for (int r = 0; __any_sync(~0u, count > 1); r++) {
            const uint32_t pairs = warp_sum(count / 2);
            count = (count + 1) / 2;
            if (threadIdx.x % 32 == 0)
                atomicAdd(&block.pairs[r], pairs);
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
        if (words[i] != 0)
            atomicAdd((uint32_t *)totals + i, words[i]);
}

/* (pairs, elements after the round) of a segment in one word, for one scan */
struct segment_weight {
    const uint32_t *begin, *end;
    __device__ __forceinline__ uint64_t operator()(uint32_t s) const
    {
        const uint32_t count = end[s] - begin[s];
        return (uint64_t)(count / 2) << 32 | (count + 1) / 2;
    }
};

/* Writes the pairs of this round and the elements of the next. */
static __global__ void segment_schedule(const uint32_t *__restrict__ keys, const uint32_t *__restrict__ names,
                                        uint32_t count, uint32_t segments, const uint32_t *__restrict__ begin,
                                        const uint32_t *__restrict__ end,
                                        const uint64_t *__restrict__ offsets, uint32_t results,
                                        uint2 *__restrict__ pairs, uint32_t *__restrict__ keys_next,
                                        uint32_t *__restrict__ names_next)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const uint32_t key = keys[i];
    if (key >= segments)
        return;
    const uint32_t rank = i - begin[key];
    if (rank & 1)
        return;
    const uint64_t offset = offsets[key];
    const uint32_t out = (uint32_t)offset + rank / 2;
    keys_next[out] = key;
    if (i + 1 < end[key]) {
        const uint32_t pair = (uint32_t)(offset >> 32) + rank / 2;
        pairs[pair] = make_uint2(names[i], names[i + 1]);
        names_next[out] = SEGMENT_RESULT | (results + pair);
    } else {
        names_next[out] = names[i];
    }
}

static __global__ void segment_advance(uint32_t *begin, uint32_t *end, const uint64_t *offsets,
                                       uint32_t segments)
{
    const uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments)
        return;
    const uint32_t count = end[s] - begin[s], first = (uint32_t)offsets[s];
    begin[s] = first;
    end[s] = first + (count + 1) / 2;
}

/* ---- points by name ---- */

/* Where elements that are no results lie: whole points, or planes (where `points` is NULL). */
template <class G> struct segment_source {
    const typename G::affine *points;
    struct cuzk_cuda_planes<G> planes;
    struct cuzk_cuda_planes<G> results;

    __device__ __forceinline__ const typename G::field *at_x(uint32_t name) const
    {
        const uint32_t i = name & SEGMENT_INDEX;
        return name & SEGMENT_RESULT ? &results.x[i] : points != NULL ? &points[i].x : &planes.x[i];
    }
    __device__ __forceinline__ typename G::field x(uint32_t name) const
    {
        return field_load(at_x(name));
    }
    __device__ __forceinline__ typename G::field y(uint32_t name) const
    {
        const uint32_t i = name & SEGMENT_INDEX;
        typename G::field v = field_load(name & SEGMENT_RESULT ? &results.y[i]
                                         : points != NULL      ? &points[i].y
                                                               : &planes.y[i]);
        if (name & SEGMENT_NEGATE)
            v = field_negate(v);
        return v;
    }
};

/* The slope's denominator; false where the pair needs no slope (an operand is infinity, or they are
 * opposite). */
template <class G>
static __device__ __forceinline__ bool
segment_denominator(const struct segment_source<G> &source, uint2 pair, const typename G::field &x1,
                    const typename G::field &x2, typename G::field *out)
{
    if (field_is_zero(x1) || field_is_zero(x2))
        return false;
    *out = x2 - x1;
    if (field_is_zero(*out)) {
        const typename G::field y1 = source.y(pair.x), y2 = source.y(pair.y);
        if (!field_equal(y1, y2))
            return false;
        *out = y1 + y1;
    }
    return true;
}

/* Operands are staged in the first round, where they are scattered; in later ones most are neighbours. */
template <class G, bool STAGED>
static __global__ void __launch_bounds__(SEGMENT_THREADS)
    segment_forward(const struct segment_source<G> source, const uint2 *__restrict__ pairs, uint32_t count,
                    uint32_t chains, typename G::field *__restrict__ prefix,
                    typename G::field *__restrict__ products)
{
    typedef typename G::field field;
    enum { PIECES = sizeof(field) / 16 };
    __shared__ uint4 rooms[STAGED ? SEGMENT_THREADS / 32 * staging<PIECES>::ROOM : 1];
    uint4 *const room = rooms + (STAGED ? threadIdx.x / 32 * staging<PIECES>::ROOM : 0);
    const unsigned lane = threadIdx.x % 32;
    const uint32_t chain = blockIdx.x * blockDim.x + threadIdx.x;
    field product, d;

    field_one(&product);
    /* all lanes of a warp make as many turns as its first */
    for (uint64_t base = chain - lane; base < count; base += chains) {
        const uint64_t p = base + lane;
        const bool active = p < count && chain < chains;
        const uint2 pair = active ? pairs[p] : make_uint2(0, 0);
        const field *x1 = source.at_x(pair.x), *x2 = source.at_x(pair.y);
        if (STAGED) {
            staging_load<PIECES>(room, 0, x1);
            staging_load<PIECES>(room, 1, x2);
            staging_wait();
            x1 = (const field *)staging_row<PIECES>(room, 0);
            x2 = (const field *)staging_row<PIECES>(room, 1);
        }
        if (active) {
            field_store(&prefix[p], product);
            if (segment_denominator<G>(source, pair, field_load(x1), field_load(x2), &d))
                product = product * d;
        }
        if (STAGED)
            __syncwarp();
    }
    if (chain < chains)
        field_store(&products[chain], product);
}

/* products[i] = 1 / products[i], a few to a thread with one inversion */
template <class F>
static __global__ void __launch_bounds__(SEGMENT_THREADS)
    segment_invert(F *products, uint32_t count, uint32_t threads)
{
    const uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads)
        return;
    F prefix[SEGMENT_INVERSIONS], product;
    field_one(&product);
#pragma unroll 1
    for (int i = 0; i < SEGMENT_INVERSIONS; i++) {
        const uint32_t at = t + i * threads;
        if (at >= count)
            break;
        prefix[i] = product;
        product = product * field_load(&products[at]);
    }
    product = field_inverse(product);
#pragma unroll 1
    for (int i = SEGMENT_INVERSIONS; i-- > 0;) {
        const uint32_t at = t + i * threads;
        if (at >= count)
            continue;
        const F value = field_load(&products[at]);
        field_store(&products[at], product * prefix[i]);
        product = product * value;
    }
}

template <class G>
static __global__ void __launch_bounds__(SEGMENT_THREADS,
                                         sizeof(typename G::field) == sizeof(struct cuzk_fp) ? 4 : 2)
    segment_backward(const struct segment_source<G> source, const uint2 *__restrict__ pairs, uint32_t count,
                     uint32_t chains, const typename G::field *__restrict__ prefix,
                     const typename G::field *__restrict__ inverses, struct cuzk_cuda_planes<G> out)
{
    const uint32_t chain = blockIdx.x * blockDim.x + threadIdx.x;
    if (chain >= chains || chain >= count)
        return;
    typename G::field inverse = field_load(&inverses[chain]), d;
    for (int64_t p = chain + (int64_t)((count - 1 - chain) / chains) * chains; p >= 0; p -= chains) {
        const uint2 pair = pairs[p];
        const typename G::field x1 = source.x(pair.x), x2 = source.x(pair.y);
        if (segment_denominator<G>(source, pair, x1, x2, &d)) {
            typename G::field slope = inverse * field_load(&prefix[p]);
            inverse = inverse * d;
            const typename G::field y1 = source.y(pair.x);
            if (field_equal(x1, x2)) {
                const typename G::field s = field_square(x1);
                slope = slope * (s + s + s);
            } else {
                slope = slope * (source.y(pair.y) - y1);
            }
            const typename G::field x3 = field_square(slope) - x1 - x2;
            field_store(&out.x[p], x3);
            field_store(&out.y[p], slope * (x1 - x3) - y1);
        } else {
            /* infinity, or the operand that is not */
            typename G::field x, y;
            field_zero(&x);
            field_zero(&y);
            if (field_is_zero(x1) && !field_is_zero(x2)) {
                x = x2;
                y = source.y(pair.y);
            } else if (field_is_zero(x2) && !field_is_zero(x1)) {
                x = x1;
                y = source.y(pair.x);
            }
            field_store(&out.x[p], x);
            field_store(&out.y[p], y);
        }
    }
}

/* The one element left of each segment, infinity where there is none. */
template <class G>
static __global__ void segment_collect(const struct segment_source<G> source,
                                       const uint32_t *__restrict__ names, const uint32_t *__restrict__ begin,
                                       const uint32_t *__restrict__ end, uint32_t segments,
                                       struct cuzk_cuda_planes<G> out)
{
    const uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= segments)
        return;
    typename G::field x, y;
    field_zero(&x);
    field_zero(&y);
    if (begin[s] < end[s]) {
        x = source.x(names[begin[s]]);
        if (!field_is_zero(x))
            y = source.y(names[begin[s]]);
    }
    field_store(&out.x[s], x);
    field_store(&out.y[s], y);
}

/* Sums every segment into out[segment]. Scratch comes from the arena and is given back. The call waits for
 * the stream once (the host must know the rounds); all else is enqueued. Errors: MEMORY (arena), DEVICE. */
template <class G>
static enum cuzk_status
cuzk_cuda_segment_sum(struct cuzk_cuda_segments *seg, const typename G::affine *points,
                      struct cuzk_cuda_planes<G> planes, struct cuzk_cuda_planes<G> out,
                      struct cuzk_cuda_arena *arena, cudaStream_t stream, struct cuzk_error *err)
{
    typedef typename G::field field;
    const size_t mark = arena->used;
    struct segment_totals *totals, host;
    enum cuzk_status status = CUZK_OK;
    uint64_t *offsets;
    void *scan_scratch;
    size_t scan_bytes = 0;
    const auto weights = thrust::make_transform_iterator(thrust::make_counting_iterator<uint32_t>(0),
                                                         segment_weight{seg->begin, seg->end});

    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, 1, "segment totals", &totals, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemsetAsync(totals, 0, sizeof *totals, stream), "segment totals", err));
    segment_count<<<132 * 2, 256, 0, stream>>>(seg->begin, seg->end, seg->segments, totals);
    CUZK_TRY_OUT(cuzk_cuda_launched("segment_count", stream, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemcpyAsync(&host, totals, sizeof host, cudaMemcpyDeviceToHost, stream),
                                 "segment totals", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "segment totals", err));
    CUZK_TRY_OUT(cuzk_cuda_check(
        cub::DeviceScan::ExclusiveSum(NULL, scan_bytes, weights, (uint64_t *)NULL, seg->segments, stream),
        "scan size", err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg->segments, "segment offsets", &offsets, err));
    CUZK_TRY_OUT(
        cuzk_cuda_arena_take(arena, scan_bytes, "scan scratch", (unsigned char **)&scan_scratch, err));
    {
        struct segment_source<G> source = {
            points, planes,
            {
                NULL, NULL
            }
        };
        uint64_t total_pairs = 0;
        uint32_t done = 0, count = seg->count, left = host.elements;
        uint2 *pairs;
        field *prefix, *products;
        for (int r = 0; r < SEGMENT_MAX_ROUNDS; r++)
            total_pairs += host.pairs[r];
        if (total_pairs > SEGMENT_INDEX) {
            status = cuzk_error_set(err, CUZK_ARGUMENT,
                                    "segment sum of %llu additions: at most 2^30 are supported",
                                    (unsigned long long)total_pairs);
            goto out;
        }
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, total_pairs, "sums (x)", &source.results.x, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, total_pairs, "sums (y)", &source.results.y, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, host.pairs[0], "pairs", &pairs, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, host.pairs[0], "running products", &prefix, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, (size_t)host.pairs[0] / SEGMENT_CHAIN + SEGMENT_CHAINS,
                                          "chain products", &products, err));
        for (int r = 0; r < SEGMENT_MAX_ROUNDS && host.pairs[r] != 0; r++) {
            const uint32_t n = host.pairs[r];
            const uint32_t chains = segment_chains(n), threads = segment_inverters(chains);
            const struct cuzk_cuda_planes<G> results = {
                source.results.x + done, source.results.y + done
            };
            CUZK_TRY_OUT(cuzk_cuda_check(cub::DeviceScan::ExclusiveSum(scan_scratch, scan_bytes, weights,
                                                                       offsets, seg->segments, stream),
                                         "scan of segments", err));
            segment_schedule<<<segment_blocks(count, 256), 256, 0, stream>>>(
                seg->keys, seg->names, count, seg->segments, seg->begin, seg->end, offsets, done, pairs,
                seg->keys_next, seg->names_next);
            CUZK_TRY_OUT(cuzk_cuda_launched("segment_schedule", stream, err));
            segment_advance<<<segment_blocks(seg->segments, 256), 256, 0, stream>>>(seg->begin, seg->end,
                                                                                    offsets, seg->segments);
            CUZK_TRY_OUT(cuzk_cuda_launched("segment_advance", stream, err));
            (r == 0 ? segment_forward<G, true>
                    : segment_forward<
                          G, false>)<<<segment_blocks(chains, SEGMENT_THREADS), SEGMENT_THREADS, 0, stream>>>(
                source, pairs, n, chains, prefix, products);
            CUZK_TRY_OUT(cuzk_cuda_launched("segment_forward", stream, err));
            segment_invert<field><<<segment_blocks(threads, SEGMENT_THREADS), SEGMENT_THREADS, 0, stream>>>(
                products, chains, threads);
            CUZK_TRY_OUT(cuzk_cuda_launched("segment_invert", stream, err));
            segment_backward<G><<<segment_blocks(chains, SEGMENT_THREADS), SEGMENT_THREADS, 0, stream>>>(
                source, pairs, n, chains, prefix, products, results);
            CUZK_TRY_OUT(cuzk_cuda_launched("segment_backward", stream, err));
            segment_swap(seg);
            done += n;
            left -= n;
            count = left;
        }
        segment_collect<G><<<segment_blocks(seg->segments, 128), 128, 0, stream>>>(
            source, seg->names, seg->begin, seg->end, seg->segments, out);
        CUZK_TRY_OUT(cuzk_cuda_launched("segment_collect", stream, err));
    }
out:
    arena->used = mark;
    return status;
}

#endif
