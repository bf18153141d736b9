/*
 * Pippenger's method on segments.cuh, written once for G1 and G2.
 *
 * Signed digits of c bits; each window's digits are sorted by bucket and every bucket is a segment. The
 * buckets of all windows are then reduced together: with buckets as a matrix of rows r and columns k of width
 * C, sum (r C + k + 1) B = C sum r Row_r + sum (k + 1) Col_k, where row and column sums are segments again
 * (two additions a bucket, spread over the whole device), down to arrays that the host finishes.
 */
#ifndef CUZK_BACKEND_CUDA_MSM_CUH
#define CUZK_BACKEND_CUDA_MSM_CUH

#include "backend/cuda/msm.h"
#include "backend/cuda/segments.cuh"
#include "base/mem.h"

enum {
    MSM_LEAF_BITS = 5,   /* arrays that the host sums: 32 points a window */
    MSM_BATCH = 1 << 27, /* elements sorted at once: several windows where n is small */
    MSM_MAX_WINDOWS = 64,
};

/* How the 256 bits of a scalar are cut: `wide` windows of c bits, the rest of c - 1. Several windows are
 * sorted at once where n is small; they are then all of c bits. */
struct msm_cut {
    unsigned c, windows, wide, batch;
};

static inline struct msm_cut msm_cut(size_t n, unsigned c)
{
    struct msm_cut cut = {c, (256 + c - 1) / c, 0, 1};

    if (n < MSM_BATCH / 2) {
        cut.batch =
            n == 0 ? cut.windows : (unsigned)(MSM_BATCH / n < cut.windows ? MSM_BATCH / n : cut.windows);
        while (cut.batch > 1 && (size_t)cut.batch << (c - 1) > (size_t)1 << 30)
            cut.batch--;
        cut.wide = cut.windows;
    } else {
        cut.c = (256 + cut.windows - 1) / cut.windows; /* no wider than this many windows need */
        cut.wide = 256 - cut.windows * (cut.c - 1);
    }
    return cut;
}

static inline unsigned msm_bits(const struct msm_cut *cut, unsigned window)
{
    return window < cut->wide ? cut->c : cut->c - 1;
}

static inline unsigned msm_first_bit(const struct msm_cut *cut, unsigned window)
{
    return window < cut->wide ? window * cut->c : cut->wide + window * (cut->c - 1);
}

/* Buckets of all windows before this one; of all, for window = windows. */
static inline size_t msm_first_bucket(const struct msm_cut *cut, unsigned window)
{
    return window < cut->wide ? (size_t)window << (cut->c - 1) : ((size_t)cut->wide + window) << (cut->c - 2);
}

struct msm_bias {
    uint64_t words[4];
};

/* Keys and names of `batch` windows of c bits from first_bit on. bias makes every window but the last (`top`,
 * counted from the first of the batch) a digit plus half its range. */
static __global__ void msm_digits(const uint64_t *__restrict__ scalars, const uint32_t *__restrict__ index,
                                  uint32_t n, unsigned c, unsigned first_bit, unsigned batch, unsigned top,
                                  struct msm_bias bias, uint32_t *__restrict__ keys,
                                  uint32_t *__restrict__ names)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const ulonglong2 *p = (const ulonglong2 *)(scalars + 4 * (size_t)i);
    const ulonglong2 lo = p[0], hi = p[1];
    uint64_t s[5] = {lo.x, lo.y, hi.x, hi.y, 0}, carry = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        s[k] = cuzk_limb_adc(s[k], bias.words[k], &carry);
    const uint32_t half = UINT32_C(1) << (c - 1), none = batch << (c - 1);
    for (unsigned w = 0; w < batch; w++) {
        const unsigned bit = first_bit + w * c;
        uint64_t word = s[bit / 64] >> (bit % 64);
        if (bit % 64 != 0)
            word |= s[bit / 64 + 1] << (64 - bit % 64);
        int64_t digit = (int64_t)(word & ((UINT64_C(1) << c) - 1));
        if (w != top)
            digit -= half;
        const uint32_t size = (uint32_t)(digit < 0 ? -digit : digit);
        const size_t at = (size_t)w * n + i;
        keys[at] = size == 0 ? none : (w << (c - 1)) + size - 1;
        names[at] = (index != NULL ? index[i] : i) | (digit < 0 ? (uint32_t)SEGMENT_NEGATE : 0);
    }
}

/* Rows: segment = row of 2^log_columns neighbours. Columns: the same points, transposed within each group of
 * 2^bits. */
static __global__ void msm_lines(uint32_t count, unsigned bits, unsigned log_columns, bool columns,
                                 uint32_t *keys, uint32_t *names, uint32_t *begin, uint32_t *end)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const unsigned log_rows = bits - log_columns, log_length = columns ? log_rows : log_columns;
    const uint32_t segment = i >> log_length;
    keys[i] = segment;
    if (columns) {
        const uint32_t group = segment >> log_columns, k = segment & ((1u << log_columns) - 1);
        names[i] = group << bits | (i & ((1u << log_rows) - 1)) << log_columns | k;
    } else {
        names[i] = i;
    }
    if ((i & ((1u << log_length) - 1)) == 0) {
        begin[segment] = i;
        end[segment] = i + (1u << log_length);
    }
}

/* sum of (i + 1) A_i and of A_i over each group of 2^bits points */
template <class G> struct msm_sums {
    typename G::point weighted, total;
};

/* The sums of `groups` groups of 2^bits points each, to out[groups] on the host. buffers are keys, names and
 * ranges for as many elements; waits for the stream. Errors: MEMORY, DEVICE. */
template <class G>
static enum cuzk_status msm_reduce(struct cuzk_cuda_planes<G> points, unsigned groups, unsigned bits,
                                   const struct cuzk_cuda_segments *buffers, struct cuzk_cuda_arena *arena,
                                   cudaStream_t stream, struct msm_sums<G> *out, struct cuzk_error *err)
{
    const size_t mark = arena->used, count = (size_t)groups << bits;
    enum cuzk_status status = CUZK_OK;

    if (bits <= MSM_LEAF_BITS) {
        typename G::field *xy = NULL;
        CUZK_TRY(CUZK_NEW(&xy, 2 * count, "bucket sums", err));
        CUZK_TRY_OUT(
            cuzk_cuda_check(cudaMemcpyAsync(xy, points.x, count * sizeof *xy, cudaMemcpyDeviceToHost, stream),
                            "bucket sums", err));
        CUZK_TRY_OUT(cuzk_cuda_check(
            cudaMemcpyAsync(xy + count, points.y, count * sizeof *xy, cudaMemcpyDeviceToHost, stream),
            "bucket sums", err));
        CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "bucket sums", err));
        for (unsigned g = 0; g < groups; g++) {
            G::identity(&out[g].weighted);
            G::identity(&out[g].total);
            for (size_t i = (size_t)1 << bits; i-- > 0;) {
                const size_t at = ((size_t)g << bits) + i;
                const typename G::affine p = {xy[at], xy[count + at]};
                G::add_mixed(&out[g].total, &p, &out[g].total);
                G::add(&out[g].weighted, &out[g].total, &out[g].weighted);
            }
        }
    out:
        cuzk_mem_free(xy);
        return status;
    }

    const unsigned log_columns = bits - bits / 2, log_rows = bits / 2;
    struct msm_sums<G> *rows = NULL;
    for (int columns = 0; columns < 2; columns++) {
        const unsigned line_bits = columns ? log_columns : log_rows;
        const uint32_t lines = groups << line_bits;
        struct cuzk_cuda_segments seg = *buffers;
        struct cuzk_cuda_planes<G> sums;
        seg.count = (uint32_t)count;
        seg.segments = lines;
        if ((status = cuzk_cuda_arena_take(arena, lines, "line sums (x)", &sums.x, err)) != CUZK_OK ||
            (status = cuzk_cuda_arena_take(arena, lines, "line sums (y)", &sums.y, err)) != CUZK_OK)
            break;
        msm_lines<<<segment_blocks(count, 256), 256, 0, stream>>>(
            (uint32_t)count, bits, log_columns, columns != 0, seg.keys, seg.names, seg.begin, seg.end);
        if ((status = cuzk_cuda_launched("msm_lines", stream, err)) != CUZK_OK ||
            (status = cuzk_cuda_segment_sum<G>(&seg, NULL, points, sums, arena, stream, err)) != CUZK_OK)
            break;
        if (!columns) {
            if ((status = CUZK_NEW(&rows, groups, "row sums", err)) != CUZK_OK)
                break;
            status = msm_reduce<G>(sums, groups, line_bits, buffers, arena, stream, rows, err);
        } else {
            status = msm_reduce<G>(sums, groups, line_bits, buffers, arena, stream, out, err);
        }
        if (status != CUZK_OK)
            break;
    }
    for (unsigned g = 0; status == CUZK_OK && g < groups; g++) {
        typename G::point t;
        G::neg(&rows[g].total, &t);
        G::add(&rows[g].weighted, &t, &t);
        for (unsigned k = 0; k < log_columns; k++)
            G::double_(&t, &t);
        G::add(&out[g].weighted, &t, &out[g].weighted);
    }
    cuzk_mem_free(rows);
    arena->used = mark;
    return status;
}

template <class G>
static enum cuzk_status msm_take_segments(struct cuzk_cuda_arena *arena, size_t count, size_t segments,
                                          struct cuzk_cuda_segments *out, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_cuda_arena_take(arena, count, "segment keys", &out->keys, err));
    CUZK_TRY(cuzk_cuda_arena_take(arena, count, "segment keys", &out->keys_next, err));
    CUZK_TRY(cuzk_cuda_arena_take(arena, count, "segment names", &out->names, err));
    CUZK_TRY(cuzk_cuda_arena_take(arena, count, "segment names", &out->names_next, err));
    CUZK_TRY(cuzk_cuda_arena_take(arena, segments, "segment ranges", &out->begin, err));
    CUZK_TRY(cuzk_cuda_arena_take(arena, segments, "segment ranges", &out->end, err));
    out->count = (uint32_t)count;
    out->segments = (uint32_t)segments;
    return CUZK_OK;
}

/* Sorts the elements by key; the current and the spare buffers may change places. scratch NULL: only asks for
 * its size. */
static inline enum cuzk_status msm_sort(void *scratch, size_t *scratch_bytes, struct cuzk_cuda_segments *seg,
                                        size_t count, int bits, cudaStream_t stream, struct cuzk_error *err)
{
    cub::DoubleBuffer<uint32_t> keys(seg->keys, seg->keys_next), names(seg->names, seg->names_next);

    CUZK_TRY(cuzk_cuda_check(
        cub::DeviceRadixSort::SortPairs(scratch, *scratch_bytes, keys, names, count, 0, bits, stream),
        "sort of digits", err));
    if (scratch == NULL)
        return CUZK_OK;
    seg->keys = keys.Current();
    seg->keys_next = keys.Alternate();
    seg->names = names.Current();
    seg->names_next = names.Alternate();
    return CUZK_OK;
}

template <class G>
static enum cuzk_status msm_run(const typename G::affine *points, const uint32_t *index,
                                const uint64_t *scalars, size_t n, unsigned c, struct cuzk_cuda_arena *arena,
                                cudaStream_t stream, typename G::point *out, struct cuzk_error *err)
{
    const struct msm_cut cut = msm_cut(n, c != 0 ? c : cuzk_cuda_msm_window(n));
    const unsigned windows = cut.windows, batch = cut.batch;
    const size_t mark = arena->used, all = msm_first_bucket(&cut, windows);
    const size_t count = n * batch > all ? n * batch : all;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cuda_planes<G> sums;
    struct cuzk_cuda_segments seg;
    struct msm_sums<G> result[MSM_MAX_WINDOWS];
    struct msm_bias bias = {};
    unsigned char *scratch;
    size_t scratch_bytes = 0;

    G::identity(out);
    if (n == 0)
        return CUZK_OK;
    if (n > SEGMENT_INDEX || cut.c < 4 || cut.c > 26 || windows > MSM_MAX_WINDOWS)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "MSM of %zu points with windows of %u bits: at most 2^30 and 4 to 26", n,
                              cut.c);
    for (unsigned w = 0; w + 1 < windows; w++) {
        const unsigned bit = msm_first_bit(&cut, w + 1) - 1;
        bias.words[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, all, "buckets (x)", &sums.x, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, all, "buckets (y)", &sums.y, err));
    CUZK_TRY_OUT(msm_take_segments<G>(arena, count, all, &seg, err));
    CUZK_TRY_OUT(msm_sort(NULL, &scratch_bytes, &seg, n * batch, 32, stream, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, scratch_bytes, "sort scratch", &scratch, err));
    for (unsigned first = 0; first < windows; first += batch) {
        const unsigned now = windows - first < batch ? windows - first : batch;
        struct cuzk_cuda_segments s = seg;
        const unsigned c_now = msm_bits(&cut, first);
        const size_t bucket = msm_first_bucket(&cut, first);
        const struct cuzk_cuda_planes<G> target = {
            sums.x + bucket, sums.y + bucket
        };
        int bits = 1;
        while ((now << (c_now - 1)) >> bits != 0)
            bits++;
        s.count = (uint32_t)(n * now);
        s.segments = now << (c_now - 1);
        msm_digits<<<segment_blocks(n, 256), 256, 0, stream>>>(scalars, index, (uint32_t)n, c_now,
                                                               msm_first_bit(&cut, first), now,
                                                               windows - 1 - first, bias, s.keys, s.names);
        CUZK_TRY_OUT(cuzk_cuda_launched("msm_digits", stream, err));
        CUZK_TRY_OUT(msm_sort(scratch, &scratch_bytes, &s, n * now, bits, stream, err));
        CUZK_TRY_OUT(
            cuzk_cuda_check(cudaMemsetAsync(s.begin, 0, s.segments * 4, stream), "segment ranges", err));
        CUZK_TRY_OUT(
            cuzk_cuda_check(cudaMemsetAsync(s.end, 0, s.segments * 4, stream), "segment ranges", err));
        segment_bounds<<<segment_blocks(s.count, 256), 256, 0, stream>>>(s.keys, s.count, s.segments, s.begin,
                                                                         s.end);
        CUZK_TRY_OUT(cuzk_cuda_launched("segment_bounds", stream, err));
        CUZK_TRY_OUT(cuzk_cuda_segment_sum<G>(&s, points, {NULL, NULL}, target, arena, stream, err));
    }
    if (cut.wide != 0)
        CUZK_TRY_OUT(msm_reduce<G>(sums, cut.wide, cut.c - 1, &seg, arena, stream, result, err));
    if (cut.wide != windows) {
        const size_t bucket = msm_first_bucket(&cut, cut.wide);
        CUZK_TRY_OUT(msm_reduce<G>({sums.x + bucket, sums.y + bucket}, windows - cut.wide, cut.c - 2, &seg,
                                   arena, stream, result + cut.wide, err));
    }
    for (unsigned w = windows; w-- > 0;) {
        for (unsigned k = 0; k < msm_bits(&cut, w); k++)
            G::double_(out, out);
        G::add(out, &result[w].weighted, out);
    }
out:
    arena->used = mark;
    return status;
}

/* whether candidate i is chosen */
struct msm_bit {
    const uint32_t *rank;
    const uint64_t *bits;
    __device__ __forceinline__ bool operator()(uint32_t i) const
    {
        const uint32_t k = rank[i];
        return bits[k / 64] >> (k % 64) & 1;
    }
};

/* Renames the chosen candidates to their points. */
static __global__ void msm_name_points(uint32_t *names, const uint32_t *__restrict__ index, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        names[i] = index[names[i]];
}

template <class G>
static enum cuzk_status msm_sum_bits(const typename G::affine *points, const uint32_t *index,
                                     const uint32_t *rank, const uint64_t *bits, size_t n,
                                     struct cuzk_cuda_arena *arena, cudaStream_t stream,
                                     typename G::point *out, struct cuzk_error *err)
{
    const size_t mark = arena->used;
    const auto numbers = thrust::make_counting_iterator<uint32_t>(0);
    const struct msm_bit bit = {rank, bits};
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cuda_planes<G> sum;
    struct cuzk_cuda_segments seg;
    typename G::affine host;
    unsigned char *scratch;
    size_t scratch_bytes = 0;
    uint32_t selected = 0;

    G::identity(out);
    if (n == 0)
        return CUZK_OK;
    if (n > SEGMENT_INDEX)
        return cuzk_error_set(err, CUZK_ARGUMENT, "bit sum of %zu points: at most 2^30", n);
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, 1, "bit sum (x)", &sum.x, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, 1, "bit sum (y)", &sum.y, err));
    CUZK_TRY_OUT(msm_take_segments<G>(arena, n, 1, &seg, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cub::DeviceSelect::If(NULL, scratch_bytes, numbers, (uint32_t *)NULL,
                                                       (uint32_t *)NULL, n, bit, stream),
                                 "selection size", err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, scratch_bytes, "selection scratch", &scratch, err));
    CUZK_TRY_OUT(cuzk_cuda_check(
        cub::DeviceSelect::If(scratch, scratch_bytes, numbers, seg.names, seg.end, n, bit, stream),
        "selection of bits", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemcpyAsync(&selected, seg.end, 4, cudaMemcpyDeviceToHost, stream),
                                 "selection", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemsetAsync(seg.begin, 0, 4, stream), "segment ranges", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemsetAsync(seg.keys, 0, n * 4, stream), "segment keys", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "selection", err));
    seg.count = selected;
    if (selected == 0)
        goto out;
    msm_name_points<<<segment_blocks(selected, 256), 256, 0, stream>>>(seg.names, index, selected);
    CUZK_TRY_OUT(cuzk_cuda_launched("msm_name_points", stream, err));
    CUZK_TRY_OUT(cuzk_cuda_segment_sum<G>(&seg, points, {NULL, NULL}, sum, arena, stream, err));
    CUZK_TRY_OUT(cuzk_cuda_check(
        cudaMemcpyAsync(&host.x, sum.x, sizeof host.x, cudaMemcpyDeviceToHost, stream), "bit sum", err));
    CUZK_TRY_OUT(cuzk_cuda_check(
        cudaMemcpyAsync(&host.y, sum.y, sizeof host.y, cudaMemcpyDeviceToHost, stream), "bit sum", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "bit sum", err));
    G::from_affine(&host, out);
out:
    arena->used = mark;
    return status;
}

#endif
