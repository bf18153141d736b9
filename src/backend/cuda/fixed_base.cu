/*
 * Fixed-base products: a table of d 2^(16 w) B for 16 windows of 16 bits, and each product the sum of one
 * entry a window: a segment of 16 elements (segments.cuh), 15 affine additions.
 */
#include "backend/cuda/fixed_base.h"

#include "backend/cuda/encoding.h"
#include "backend/cuda/segments.cuh"
#include "base/mem.h"
#include "curve/g1.h"
#include "curve/g2.h"

enum {
    TABLE_WINDOW = 16,
    TABLE_WINDOWS = 16,
    TABLE_HALF = TABLE_WINDOW / 2,
    TABLE_ENTRIES = TABLE_WINDOWS << TABLE_WINDOW,
    TABLE_CHUNK = 1 << 21,
};

struct cuda_table {
    struct cuzk_backend_table base;
    enum cuzk_group group;
    void *points; /* [TABLE_WINDOWS << TABLE_WINDOW] affine */
    size_t bytes;
    struct cuzk_cuda_arena arena; /* scratch of a chunk */
    uint64_t *scalars;            /* [TABLE_CHUNK][4] */
    uint8_t *raw;                 /* [TABLE_CHUNK] uncompressed */
    size_t raw_bytes;
};

namespace
{
struct g1 : cuzk_cuda_g1 {
    typedef struct cuzk_g1 point;
    static constexpr auto from_affine = cuzk_g1_from_affine;
    static constexpr auto identity = cuzk_g1_identity;
    static constexpr auto add = cuzk_g1_add;
    static constexpr auto batch_to_affine = cuzk_g1_batch_to_affine;
    static constexpr auto encode = cuzk_cuda_encode_g1;
};

struct g2 : cuzk_cuda_g2 {
    typedef struct cuzk_g2 point;
    static constexpr auto from_affine = cuzk_g2_from_affine;
    static constexpr auto identity = cuzk_g2_identity;
    static constexpr auto add = cuzk_g2_add;
    static constexpr auto batch_to_affine = cuzk_g2_batch_to_affine;
    static constexpr auto encode = cuzk_cuda_encode_g2;
};
} // namespace

/* Element k of scalar i: entry of its digit k. Entry 0 of a window is infinity. */
static __global__ void table_names(const uint64_t *__restrict__ scalars, uint32_t n,
                                   uint32_t *__restrict__ keys, uint32_t *__restrict__ names,
                                   uint32_t *__restrict__ begin, uint32_t *__restrict__ end)
{
    const uint32_t e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n * TABLE_WINDOWS)
        return;
    const uint32_t i = e / TABLE_WINDOWS, w = e % TABLE_WINDOWS;
    const uint32_t digit = (uint32_t)(scalars[4 * (size_t)i + w / 4] >> (16 * (w % 4))) & 0xffff;
    keys[e] = i;
    names[e] = w << TABLE_WINDOW | digit;
    if (w == 0) {
        begin[i] = e;
        end[i] = e + TABLE_WINDOWS;
    }
}

/* Entry e: digit d of window w, the sum of multiples of the window's lower half, 2^TABLE_HALF of them, and of
 * its upper half behind them. */
static __global__ void entry_names(uint32_t *__restrict__ keys, uint32_t *__restrict__ names,
                                   uint32_t *__restrict__ begin, uint32_t *__restrict__ end)
{
    const uint32_t e = blockIdx.x * blockDim.x + threadIdx.x, half = 1u << TABLE_HALF;
    if (e >= TABLE_ENTRIES)
        return;
    const uint32_t first = (e >> TABLE_WINDOW) * 2 * half;
    keys[2 * e] = keys[2 * e + 1] = e;
    names[2 * e] = first + (e & (half - 1));
    names[2 * e + 1] = first + half + (e >> TABLE_HALF & (half - 1));
    begin[e] = 2 * e;
    end[e] = 2 * e + 2;
}

template <class G>
static __global__ void join_planes(const struct cuzk_cuda_planes<G> from, uint32_t n,
                                   typename G::affine *__restrict__ to)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    field_store(&to[i].x, field_load(&from.x[i]));
    field_store(&to[i].y, field_load(&from.y[i]));
}

/* Multiples of the two halves of each window on the host, all entries from them on the device. */
template <class G>
static enum cuzk_status fill_table(struct cuda_table *table, const typename G::affine *base,
                                   struct cuzk_error *err)
{
    struct cuda_backend *const backend = (struct cuda_backend *)table->base.backend;
    const size_t half = (size_t)1 << TABLE_HALF, few = 2 * TABLE_WINDOWS * half;
    struct cuzk_cuda_arena *arena = &table->arena;
    enum cuzk_status status = CUZK_OK;
    typename G::point *multiples = NULL, step;
    typename G::affine *affine = NULL, *halves;
    struct cuzk_cuda_segments seg;
    struct cuzk_cuda_planes<G> sums;

    CUZK_TRY_OUT(CUZK_NEW(&multiples, few, "multiples of a base", err));
    CUZK_TRY_OUT(CUZK_NEW(&affine, few, "multiples of a base", err));
    G::from_affine(base, &step);
    for (size_t first = 0; first < few; first += half) {
        G::identity(&multiples[first]);
        for (size_t d = 1; d < half; d++)
            G::add(&multiples[first + d - 1], &step, &multiples[first + d]);
        G::add(&multiples[first + half - 1], &step, &step);
    }
    G::batch_to_affine(multiples, few, affine);
    seg.count = 2 * TABLE_ENTRIES;
    seg.segments = TABLE_ENTRIES;
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, few, "multiples of a base", &halves, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg.segments, "table entries (x)", &sums.x, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg.segments, "table entries (y)", &sums.y, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg.count, "table keys", &seg.keys, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg.count, "table keys", &seg.keys_next, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg.count, "table names", &seg.names, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg.count, "table names", &seg.names_next, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg.segments, "table ranges", &seg.begin, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, seg.segments, "table ranges", &seg.end, err));
    CUZK_TRY_OUT(cuda_mem_copy_in(backend, halves, affine, few * sizeof *affine, "multiples of a base", err));
    entry_names<<<segment_blocks(TABLE_ENTRIES, 256), 256, 0, backend->stream>>>(seg.keys, seg.names,
                                                                                 seg.begin, seg.end);
    CUZK_TRY_OUT(cuzk_cuda_launched("entry_names", backend->stream, err));
    CUZK_TRY_OUT(cuzk_cuda_segment_sum<G>(&seg, halves, {NULL, NULL}, sums, arena, backend->stream, err));
    join_planes<G><<<segment_blocks(TABLE_ENTRIES, 128), 128, 0, backend->stream>>>(
        sums, TABLE_ENTRIES, (typename G::affine *)table->points);
    CUZK_TRY_OUT(cuzk_cuda_launched("join_planes", backend->stream, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(backend->stream), "table of a base", err));
out:
    cuzk_mem_free(multiples);
    cuzk_mem_free(affine);
    return status;
}

static size_t chunk_scratch(size_t field)
{
    const size_t elements = (size_t)TABLE_CHUNK * TABLE_WINDOWS;
    /* keys and names twice, ranges, offsets, sums; then results, pairs, running products and chains */
    return 16 * elements + 16 * (size_t)TABLE_CHUNK + 2 * TABLE_CHUNK * field + 2 * elements * field +
           (elements / 2) * (8 + field) + (elements / 64 + SEGMENT_CHAINS) * field + ((size_t)64 << 20);
}

enum cuzk_status cuda_table_create(struct cuzk_backend *base, enum cuzk_group group,
                                   const union cuzk_backend_affine *point, size_t expected,
                                   struct cuzk_backend_table **out, struct cuzk_error *err)
{
    struct cuda_backend *backend = (struct cuda_backend *)base;
    const size_t field = group == CUZK_GROUP_G1 ? sizeof(struct cuzk_fp) : sizeof(struct cuzk_fp2);
    enum cuzk_status status = CUZK_OK;
    struct cuda_table *table = NULL;
    void *block;

    (void)expected;
    *out = NULL;
    CUZK_TRY(cuda_use(backend, err));
    CUZK_TRY(CUZK_NEW(&table, 1, "fixed base", err));
    table->base.backend = base;
    table->group = group;
    table->bytes = (size_t)(TABLE_WINDOWS << TABLE_WINDOW) * 2 * field;
    table->raw_bytes = (size_t)TABLE_CHUNK * 2 * field;
    CUZK_TRY_OUT(cuda_mem_take(backend, table->bytes, "table of a base", &table->points, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, (size_t)TABLE_CHUNK * 32, "scalars", (void **)&table->scalars, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, table->raw_bytes, "points being made", (void **)&table->raw, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, chunk_scratch(field), "scratch of products", &block, err));
    table->arena.base = (unsigned char *)block;
    table->arena.size = chunk_scratch(field);
    CUZK_TRY_OUT(group == CUZK_GROUP_G1 ? fill_table<g1>(table, &point->g1, err)
                                        : fill_table<g2>(table, &point->g2, err));
    *out = &table->base;
    table = NULL;
out:
    if (table != NULL)
        cuda_table_destroy(&table->base);
    return status;
}

void cuda_table_destroy(struct cuzk_backend_table *base)
{
    struct cuda_table *table = (struct cuda_table *)base;

    if (table == NULL)
        return;
    struct cuda_backend *backend = (struct cuda_backend *)base->backend;
    (void)cuda_use(backend, NULL);
    if (table->scalars != NULL)
        (void)cudaMemset(table->scalars, 0, (size_t)TABLE_CHUNK * 32); /* they come from toxic waste */
    if (table->arena.base != NULL)
        (void)cudaMemset(table->arena.base, 0, table->arena.peak);
    cuda_mem_drop(backend, table->points, table->bytes);
    cuda_mem_drop(backend, table->scalars, (size_t)TABLE_CHUNK * 32);
    cuda_mem_drop(backend, table->raw, table->raw_bytes);
    cuda_mem_drop(backend, table->arena.base, table->arena.size);
    cuzk_mem_free(table);
}

template <class G>
static enum cuzk_status make_points(struct cuda_table *table, const uint64_t (*scalars)[4], size_t n,
                                    uint8_t *out, struct cuzk_error *err)
{
    const cudaStream_t stream = ((struct cuda_backend *)table->base.backend)->stream;
    const size_t size = 2 * sizeof(typename G::field);
    enum cuzk_status status = CUZK_OK;

    for (size_t first = 0; first < n; first += TABLE_CHUNK) {
        const uint32_t now = n - first < TABLE_CHUNK ? (uint32_t)(n - first) : (uint32_t)TABLE_CHUNK;
        const uint32_t elements = now * TABLE_WINDOWS;
        struct cuzk_cuda_arena *arena = &table->arena;
        struct cuzk_cuda_segments seg;
        struct cuzk_cuda_planes<G> sums;
        arena->used = 0;
        seg.count = elements;
        seg.segments = now;
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, now, "products (x)", &sums.x, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, now, "products (y)", &sums.y, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, elements, "table keys", &seg.keys, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, elements, "table keys", &seg.keys_next, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, elements, "table names", &seg.names, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, elements, "table names", &seg.names_next, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, now, "table ranges", &seg.begin, err));
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, now, "table ranges", &seg.end, err));
        CUZK_TRY_OUT(cuzk_cuda_check(
            cudaMemcpyAsync(table->scalars, scalars[first], (size_t)now * 32, cudaMemcpyHostToDevice, stream),
            "scalars", err));
        table_names<<<segment_blocks(elements, 256), 256, 0, stream>>>(table->scalars, now, seg.keys,
                                                                       seg.names, seg.begin, seg.end);
        CUZK_TRY_OUT(cuzk_cuda_launched("table_names", stream, err));
        CUZK_TRY_OUT(cuzk_cuda_segment_sum<G>(&seg, (const typename G::affine *)table->points, {NULL, NULL},
                                              sums, arena, stream, err));
        CUZK_TRY_OUT(G::encode(sums.x, sums.y, now, table->raw, stream, err));
        CUZK_TRY_OUT(cuzk_cuda_check(
            cudaMemcpyAsync(out + first * size, table->raw, now * size, cudaMemcpyDeviceToHost, stream),
            "points", err));
        CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "products of a base", err));
    }
out:
    return status;
}

enum cuzk_status cuda_setup_points(struct cuzk_backend_table *base, const uint64_t (*scalars)[4], size_t n,
                                   uint8_t *out, struct cuzk_error *err)
{
    struct cuda_table *table = (struct cuda_table *)base;

    CUZK_TRY(cuda_use((struct cuda_backend *)base->backend, err));
    return table->group == CUZK_GROUP_G1 ? make_points<g1>(table, scalars, n, out, err)
                                         : make_points<g2>(table, scalars, n, out, err);
}
