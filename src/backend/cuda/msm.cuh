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

#include "backend/cuda/leaf.cuh"
#include "backend/cuda/msm.h"
#include "backend/cuda/segments.cuh"
#include "base/mem.h"

enum {
    MSM_LEAF_BITS = 5,   /* 32 points: a warp sums them */
    MSM_BATCH = 1 << 27, /* elements at once: several windows where n is small */
    MSM_MAX_WINDOWS = 64,
    MSM_RUNS = 2048, /* runs that a sum of bits is made in, at least; what is left of them, warps sum */
    MSM_RUNS_MOST = 1 << 16,
    MSM_RUN = 512,    /* elements of a run, where that gives no more runs: nine rounds */
    MSM_TOTALS = 512, /* warps at most that sum runs: they add several to a lane where there are more */
};

/* How the 256 bits of a scalar are cut: `wide` windows of c bits, the rest of c - 1. Several windows are
 * sorted at once where n is small; they are then all of c bits. */
struct msm_cut {
    unsigned c, windows, wide, batch;
};

static inline struct msm_cut msm_cut(size_t n, unsigned slots, unsigned c)
{
    struct msm_cut cut = {c, (256 + c - 1) / c, 0, 1};
    const size_t all = n * slots;

    if (all < MSM_BATCH / 2) {
        cut.batch = all == 0 ? cut.windows
                             : (unsigned)(MSM_BATCH / all < cut.windows ? MSM_BATCH / all : cut.windows);
        while (cut.batch > 1 && (size_t)(slots * cut.batch) << (c - 1) > (size_t)1 << 30)
            cut.batch--;
        cut.wide = cut.windows;
    } else {
        cut.c = (256 + cut.windows - 1) / cut.windows; /* no wider than this many windows need */
        cut.wide = 256 - cut.windows * (cut.c - 1);
    }
    return cut;
}

static CUZK_HD unsigned msm_bits(const struct msm_cut *cut, unsigned window)
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

/* Arena bytes that a sum cut so takes at most; field: of one coordinate. */
static inline size_t msm_cut_bytes(const struct msm_cut *cut, size_t n, unsigned slots, size_t field)
{
    const size_t all = slots * msm_first_bucket(cut, cut->windows), batch = slots * n * cut->batch;
    const size_t count = batch > all ? batch : all;

    /* buckets; keys and names twice, ranges and offsets; results, pairs and running products; chains; digits;
     * slack */
    return 2 * all * field + 16 * count + 8 * all + 8 * all + 2 * count * field +
           (count / 2 + 1) * (8 + field) + (count / 128 + SEGMENT_CHAINS) * field + 4 * all * field / 1024 +
           count / 8 + (cut->batch == 1 ? n * cut->windows * 4 : 0) + ((size_t)64 << 20);
}

struct msm_bias {
    uint64_t words[4];
};

/* Keys and names of `batch` windows of c bits from first_bit on. bias makes every window but the last (`top`,
 * counted from the first of the batch) a digit plus half its range. */
static __global__ void msm_digits(const uint64_t *__restrict__ scalars, uint32_t n, unsigned c,
                                  unsigned first_bit, unsigned batch, unsigned top, struct msm_bias bias,
                                  uint32_t *__restrict__ keys, uint32_t *__restrict__ names)
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
        names[at] = i | (digit < 0 ? (uint32_t)SEGMENT_NEGATE : 0);
    }
}

/* The digits of every window in one reading of the scalars, window by window: size, and the sign in bit 31.
 */
static __global__ void msm_all_digits(const uint64_t *__restrict__ scalars, uint32_t n, struct msm_cut cut,
                                      struct msm_bias bias, uint32_t *__restrict__ out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const ulonglong2 *p = (const ulonglong2 *)(scalars + 4 * (size_t)i);
    const ulonglong2 lo = p[0], hi = p[1];
    uint64_t s[4] = {lo.x, lo.y, hi.x, hi.y}, carry = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        s[k] = cuzk_limb_adc(s[k], bias.words[k], &carry);
    for (unsigned w = 0; w < cut.windows; w++) {
        const unsigned c = msm_bits(&cut, w);
        int64_t digit = (int64_t)(s[0] & ((UINT64_C(1) << c) - 1));
        if (w + 1 != cut.windows)
            digit -= INT64_C(1) << (c - 1);
        out[(size_t)w * n + i] =
            (uint32_t)(digit < 0 ? -digit : digit) | (digit < 0 ? (uint32_t)SEGMENT_NEGATE : 0);
#pragma unroll
        for (int k = 0; k < 3; k++)
            s[k] = s[k] >> c | s[k + 1] << (64 - c);
        s[3] >>= c;
    }
}

/* Keys and names of one window of c bits from its digits. */
static __global__ void msm_take_digits(const uint32_t *__restrict__ digits, uint32_t n, unsigned c,
                                       uint32_t *__restrict__ keys, uint32_t *__restrict__ names)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uint32_t digit = digits[i], size = digit & ~(uint32_t)SEGMENT_NEGATE;
    keys[i] = size == 0 ? 1u << (c - 1) : size - 1;
    names[i] = i | (digit & (uint32_t)SEGMENT_NEGATE);
}

/* Which point a scalar meets in each of several sums under the same scalars. */
struct msm_maps {
    const uint32_t *of[CUZK_CUDA_SLOTS];
};

/* Sorted elements, named by scalar, once for each sum: named by point, sums behind one another. */
static __global__ void msm_spread(const uint32_t *__restrict__ keys, const uint32_t *__restrict__ names,
                                  uint32_t n, struct msm_maps maps, unsigned slots, uint32_t segments,
                                  uint32_t *__restrict__ keys_out, uint32_t *__restrict__ names_out)
{
    const uint32_t e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= n)
        return;
    const uint32_t key = keys[e], name = names[e], i = name & SEGMENT_INDEX;
    for (unsigned s = 0; s < slots; s++) {
        const size_t at = (size_t)s * n + e;
        keys_out[at] = key < segments ? s * segments + key : slots * segments;
        names_out[at] = maps.of[s][i] | (name & (uint32_t)SEGMENT_NEGATE);
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

/* sum of (i + 1) A_i and of A_i over a group of 2^bits points; the members lie as leaf_sums leaves them */
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
        struct leaf_point<typename G::field> *sums;
        static_assert(sizeof *sums == sizeof(typename G::point) && sizeof *out == 2 * sizeof *sums,
                      "points of a leaf are those of the host");
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, 2 * (size_t)groups, "sums of leaves", &sums, err));
        leaf_sums<G><<<groups, 32, 0, stream>>>(points, bits, sums);
        CUZK_TRY_OUT(cuzk_cuda_launched("leaf_sums", stream, err));
        CUZK_TRY_OUT(
            cuzk_cuda_check(cudaMemcpyAsync(out, sums, groups * sizeof *out, cudaMemcpyDeviceToHost, stream),
                            "bucket sums", err));
        CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "bucket sums", err));
    out:
        arena->used = mark;
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

/* maps NULL: one sum, scalar i meets point i. out: one point for each sum. */
template <class G>
static enum cuzk_status msm_run(const typename G::affine *points, const uint32_t *const *maps, unsigned slots,
                                const uint64_t *scalars, size_t n, unsigned c, struct cuzk_cuda_arena *arena,
                                cudaStream_t stream, typename G::point *const out[], struct cuzk_error *err)
{
    struct msm_cut cut = msm_cut(n, slots, c != 0 ? c : cuzk_cuda_msm_window(n, slots));
    while (cut.batch > 1 &&
           msm_cut_bytes(&cut, n, slots, sizeof(typename G::field)) > arena->size - arena->used)
        cut.batch--;
    const unsigned windows = cut.windows, batch = cut.batch;
    const size_t mark = arena->used, all = slots * msm_first_bucket(&cut, windows);
    const size_t count = slots * n * batch > all ? slots * n * batch : all;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cuda_planes<G> sums;
    struct cuzk_cuda_segments seg;
    struct msm_sums<G> *result = NULL;
    struct msm_bias bias = {};
    struct msm_maps map = {};
    unsigned char *scratch;
    uint32_t *digits = NULL;
    size_t scratch_bytes = 0;

    for (unsigned s = 0; s < slots; s++) {
        G::identity(out[s]);
        if (maps != NULL)
            map.of[s] = maps[s];
    }
    if (n == 0)
        return CUZK_OK;
    if (n > SEGMENT_INDEX || cut.c < 4 || cut.c > 26 || windows > MSM_MAX_WINDOWS || slots > CUZK_CUDA_SLOTS)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "MSM of %zu points with windows of %u bits: at most 2^30 and 4 to 26", n,
                              cut.c);
    for (unsigned w = 0; w + 1 < windows; w++) {
        const unsigned bit = msm_first_bit(&cut, w + 1) - 1;
        bias.words[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
    CUZK_TRY_OUT(CUZK_NEW(&result, slots * windows, "sums of windows", err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, all, "buckets (x)", &sums.x, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, all, "buckets (y)", &sums.y, err));
    CUZK_TRY_OUT(msm_take_segments<G>(arena, count, all, &seg, err));
    CUZK_TRY_OUT(msm_sort(NULL, &scratch_bytes, &seg, n * batch, 32, stream, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, scratch_bytes, "sort scratch", &scratch, err));
    if (batch == 1) {
        CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, n * windows, "digits", &digits, err));
        msm_all_digits<<<segment_blocks(n, 256), 256, 0, stream>>>(scalars, (uint32_t)n, cut, bias, digits);
        CUZK_TRY_OUT(cuzk_cuda_launched("msm_all_digits", stream, err));
    }
    for (unsigned first = 0; first < windows; first += batch) {
        const unsigned now = windows - first < batch ? windows - first : batch;
        struct cuzk_cuda_segments s = seg;
        const unsigned c_now = msm_bits(&cut, first);
        const uint32_t segments = now << (c_now - 1), elements = (uint32_t)(n * now);
        const size_t bucket = slots * msm_first_bucket(&cut, first);
        const struct cuzk_cuda_planes<G> target = {
            sums.x + bucket, sums.y + bucket
        };
        int bits = 1;
        while (segments >> bits != 0)
            bits++;
        s.count = slots * elements;
        s.segments = slots * segments;
        if (digits != NULL)
            msm_take_digits<<<segment_blocks(n, 256), 256, 0, stream>>>(digits + (size_t)first * n,
                                                                        (uint32_t)n, c_now, s.keys, s.names);
        else
            msm_digits<<<segment_blocks(n, 256), 256, 0, stream>>>(
                scalars, (uint32_t)n, c_now, msm_first_bit(&cut, first), now, windows - 1 - first, bias,
                s.keys, s.names);
        CUZK_TRY_OUT(cuzk_cuda_launched("msm_digits", stream, err));
        CUZK_TRY_OUT(msm_sort(scratch, &scratch_bytes, &s, elements, bits, stream, err));
        if (maps != NULL) {
            msm_spread<<<segment_blocks(elements, 256), 256, 0, stream>>>(
                s.keys, s.names, elements, map, slots, segments, s.keys_next, s.names_next);
            CUZK_TRY_OUT(cuzk_cuda_launched("msm_spread", stream, err));
            segment_swap(&s);
        }
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
        CUZK_TRY_OUT(msm_reduce<G>(sums, slots * cut.wide, cut.c - 1, &seg, arena, stream, result, err));
    if (cut.wide != windows) {
        const size_t bucket = slots * msm_first_bucket(&cut, cut.wide);
        CUZK_TRY_OUT(msm_reduce<G>({sums.x + bucket, sums.y + bucket}, slots * (windows - cut.wide),
                                   cut.c - 2, &seg, arena, stream, result + slots * cut.wide, err));
    }
    for (unsigned s = 0; s < slots; s++)
        for (unsigned w = windows; w-- > 0;) {
            const unsigned first = w - w % batch, now = windows - first < batch ? windows - first : batch;
            for (unsigned k = 0; k < msm_bits(&cut, w); k++)
                G::double_(out[s], out[s]);
            G::add(out[s], &result[slots * first + s * now + (w - first)].weighted, out[s]);
        }
out:
    cuzk_mem_free(result);
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

/* Runs that a sum of n points is made in. */
static inline unsigned msm_runs(size_t n)
{
    unsigned runs = MSM_RUNS;

    while (runs < MSM_RUNS_MOST && n / MSM_RUN > runs)
        runs *= 2;
    return runs;
}

/* Chosen candidates as elements: named by point, cut into runs of a length. */
static __global__ void msm_name_points(const uint32_t *__restrict__ chosen, uint32_t n,
                                       const uint32_t *__restrict__ point, uint32_t length, uint32_t first,
                                       uint32_t first_run, uint32_t *__restrict__ keys,
                                       uint32_t *__restrict__ names, uint32_t *__restrict__ begin,
                                       uint32_t *__restrict__ end)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uint32_t run = first_run + i / length;
    keys[first + i] = run;
    names[first + i] = point != NULL ? point[chosen[i]] : chosen[i];
    if (i % length == 0) {
        begin[run] = first + i;
        end[run] = first + (n - i < length ? n : i + length);
    }
}

/* Scratch of a sum of `chosen` points out of n candidates. */
static inline size_t msm_bits_scratch(size_t n, size_t chosen, size_t field)
{
    /* candidates; runs, with their ranges and offsets; keys and names twice; results, pairs and running
     * products; chains; selection and slack */
    return 4 * n + CUZK_CUDA_SLOTS * (size_t)msm_runs(chosen) * (2 * field + 16) + 16 * chosen +
           2 * chosen * field + (chosen / 2 + 1) * (8 + field) + (chosen / 128 + SEGMENT_CHAINS) * field +
           n / 8 + ((size_t)64 << 20);
}

/* Each sum by itself where all of them together would not fit the arena. */
template <class G>
static enum cuzk_status msm_sum_bits(const typename G::affine *points, const struct cuzk_cuda_bits *parts,
                                     unsigned slots, const uint64_t *bits, struct cuzk_cuda_arena *arena,
                                     cudaStream_t stream, typename G::point *const out[],
                                     struct cuzk_error *err)
{
    const size_t mark = arena->used;
    const auto numbers = thrust::make_counting_iterator<uint32_t>(0);
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cuda_planes<G> sums;
    struct cuzk_cuda_segments seg;
    struct leaf_point<typename G::field> *totals, *joined;
    typename G::point *host = NULL;
    unsigned char *scratch;
    unsigned runs, each, warps;
    uint32_t *candidates, *counts, chosen[CUZK_CUDA_SLOTS];
    size_t scratch_bytes = 0, n = 0, total = 0, most = 0;

    if (slots > CUZK_CUDA_SLOTS)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%u sums at once: at most %d", slots, CUZK_CUDA_SLOTS);
    for (unsigned s = 0; s < slots; s++) {
        G::identity(out[s]);
        n += parts[s].n;
        most = parts[s].n > most ? parts[s].n : most;
    }
    if (n == 0)
        return CUZK_OK;
    if (n > SEGMENT_INDEX)
        return cuzk_error_set(err, CUZK_ARGUMENT, "bit sum of %zu points: at most 2^30", n);
    const struct msm_bit any = {NULL, NULL};
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, n, "candidates", &candidates, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, slots, "counts of bits", &counts, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cub::DeviceSelect::If(NULL, scratch_bytes, numbers, (uint32_t *)NULL,
                                                       (uint32_t *)NULL, most, any, stream),
                                 "selection size", err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, scratch_bytes, "selection scratch", &scratch, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemsetAsync(counts, 0, slots * 4, stream), "selection", err));
    for (unsigned s = 0; s < slots; s++) {
        const struct msm_bit bit = {parts[s].rank, bits};
        if (parts[s].n != 0)
            CUZK_TRY_OUT(cuzk_cuda_check(cub::DeviceSelect::If(scratch, scratch_bytes, numbers, candidates,
                                                               counts + s, parts[s].n, bit, stream),
                                         "selection of bits", err));
        candidates += parts[s].n;
    }
    candidates -= n;
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemcpyAsync(chosen, counts, slots * 4, cudaMemcpyDeviceToHost, stream),
                                 "selection", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "selection", err));
    most = 0;
    for (unsigned s = 0; s < slots; s++) {
        total += chosen[s];
        most = chosen[s] > most ? chosen[s] : most;
    }
    if (total == 0)
        goto out;
    if (slots > 1 && msm_bits_scratch(n, total, sizeof(typename G::field)) > arena->size - mark) {
        arena->used = mark;
        for (unsigned s = 0; s < slots; s++)
            CUZK_TRY_OUT(msm_sum_bits<G>(points, parts + s, 1, bits, arena, stream, out + s, err));
        goto out;
    }
    runs = msm_runs(most);
    each = runs / 32 > MSM_TOTALS ? runs / 32 / MSM_TOTALS : 1;
    warps = slots * runs / 32 / each;
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, slots * runs, "bit sums (x)", &sums.x, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, slots * runs, "bit sums (y)", &sums.y, err));
    CUZK_TRY_OUT(msm_take_segments<G>(arena, total, slots * runs, &seg, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemsetAsync(seg.begin, 0, seg.segments * 4, stream), "runs", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemsetAsync(seg.end, 0, seg.segments * 4, stream), "runs", err));
    total = 0;
    for (unsigned s = 0; s < slots; s++) {
        if (chosen[s] != 0)
            msm_name_points<<<segment_blocks(chosen[s], 256), 256, 0, stream>>>(
                candidates, chosen[s], parts[s].point, (chosen[s] + runs - 1) / runs, (uint32_t)total,
                s * runs, seg.keys, seg.names, seg.begin, seg.end);
        candidates += parts[s].n;
        total += chosen[s];
    }
    CUZK_TRY_OUT(cuzk_cuda_launched("msm_name_points", stream, err));
    CUZK_TRY_OUT(cuzk_cuda_segment_sum<G>(&seg, points, {NULL, NULL}, sums, arena, stream, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, warps, "bit sums", &totals, err));
    CUZK_TRY_OUT(cuzk_cuda_arena_take(arena, warps / 32, "bit sums", &joined, err));
    CUZK_TRY_OUT(CUZK_NEW(&host, warps / 32, "bit sums", err));
    leaf_totals<G><<<warps, 32, 0, stream>>>(sums, each, totals);
    CUZK_TRY_OUT(cuzk_cuda_launched("leaf_totals", stream, err));
    leaf_join<<<warps / 32, 32, 0, stream>>>(totals, joined);
    CUZK_TRY_OUT(cuzk_cuda_launched("leaf_join", stream, err));
    CUZK_TRY_OUT(cuzk_cuda_check(
        cudaMemcpyAsync(host, joined, warps / 32 * sizeof *host, cudaMemcpyDeviceToHost, stream), "bit sums",
        err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(stream), "bit sums", err));
    for (unsigned r = 0; r < warps / 32; r++)
        G::add(out[r / (warps / 32 / slots)], &host[r], out[r / (warps / 32 / slots)]);
out:
    cuzk_mem_free(host);
    arena->used = mark;
    return status;
}

#endif
