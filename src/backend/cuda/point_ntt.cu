/*
 * Butterflies over points: t = w hi, lo + t, lo - t. Points stay Jacobian from the first level to the last,
 * so that nothing is inverted in between; a product by a root of unity is split by the endomorphism
 * (curve/split.h), 128 doublings and 66 additions. A warp's butterflies share their root wherever there are
 * as many, so that its lanes take the same way.
 */
#include "backend/cuda/point_ntt.h"

#include "backend/cuda/encoding.h"
#include "backend/cuda/key.h"
#include "backend/cuda/ntt_plan.cuh"
#include "backend/cuda/points.cuh"
#include "curve/split.h"

enum {
    PRODUCT_THREADS = 128,
    AT_ONCE = 1 << 21, /* butterflies of a launch: a few tenths of a second */
    NORMAL_RUN = 16,   /* points that share an inversion */
};

/* ---- the group law, operands in registers, products by calls ---- */

static __device__ __noinline__ struct cuzk_fp times(struct cuzk_fp a, struct cuzk_fp b)
{
    cuzk_fp_mul(&a, &b, &a);
    return a;
}

static __device__ __noinline__ struct cuzk_fp squared(struct cuzk_fp a)
{
    cuzk_fp_sqr(&a, &a);
    return a;
}

static __device__ __forceinline__ struct cuzk_fp twice(const struct cuzk_fp &a)
{
    return a + a;
}

/* dbl-2009-l; infinity stays infinity */
static __device__ __forceinline__ void double_point(struct cuzk_g1 *p)
{
    const struct cuzk_fp a = squared(p->x), b = squared(p->y), c = squared(b);
    const struct cuzk_fp d = twice(squared(p->x + b) - a - c), e = twice(a) + a;
    p->z = twice(times(p->y, p->z));
    p->x = squared(e) - twice(d);
    p->y = times(e, d - p->x) - twice(twice(twice(c)));
}

/* add-2007-bl, complete */
static __device__ __noinline__ void add_point(struct cuzk_g1 *p, const struct cuzk_g1 *q)
{
    if (field_is_zero(q->z))
        return;
    if (field_is_zero(p->z)) {
        *p = *q;
        return;
    }
    const struct cuzk_fp z1z1 = squared(p->z), z2z2 = squared(q->z);
    const struct cuzk_fp u1 = times(p->x, z2z2), h = times(q->x, z1z1) - u1;
    const struct cuzk_fp s1 = times(times(p->y, q->z), z2z2);
    struct cuzk_fp r = times(times(q->y, p->z), z1z1) - s1;
    if (field_is_zero(h)) {
        if (field_is_zero(r))
            double_point(p);
        else
            field_zero(&p->z);
        return;
    }
    r = twice(r);
    const struct cuzk_fp i = squared(twice(h)), j = times(h, i), v = times(u1, i);
    p->z = times(squared(p->z + q->z) - z1z1 - z2z2, h);
    p->x = squared(r) - j - twice(v);
    p->y = times(r, v - p->x) - twice(times(s1, j));
}

static __device__ __forceinline__ struct cuzk_g1 load_point(const struct cuzk_g1 *p)
{
    return {field_load(&p->x), field_load(&p->y), field_load(&p->z)};
}

static __device__ __forceinline__ void store_point(struct cuzk_g1 *p, const struct cuzk_g1 &v)
{
    field_store(&p->x, v.x);
    field_store(&p->y, v.y);
    field_store(&p->z, v.z);
}

/* Adds digit times the table's point, or times its image under x^2. */
static __device__ __noinline__ void add_digit(struct cuzk_g1 *sum, const struct cuzk_g1 *table, int digit,
                                              bool image)
{
    if (digit == 0)
        return;
    struct cuzk_g1 t = table[(digit < 0 ? -digit : digit) - 1];
    if (image)
        cuzk_split_times_beta(&t.x);
    if ((digit < 0) != image)
        t.y = field_negate(t.y);
    add_point(sum, &t);
}

static __device__ __noinline__ void multiply(struct cuzk_g1 *p, const struct cuzk_split *split)
{
    struct cuzk_g1 table[CUZK_SPLIT_LARGEST], sum = *p;

    table[0] = sum;
#pragma unroll 1
    for (int d = 2; d <= CUZK_SPLIT_LARGEST; d++) {
        add_point(&sum, p);
        table[d - 1] = sum;
    }
    field_zero(&sum.z);
#pragma unroll 1
    for (int i = CUZK_SPLIT_DIGITS - 1; i >= 0; i--) {
        if (i < CUZK_SPLIT_DIGITS - 1)
#pragma unroll 1
            for (int k = 0; k < CUZK_SPLIT_WINDOW; k++)
                double_point(&sum);
        add_digit(&sum, table, cuzk_split_digit(&split->low, i), false);
        add_digit(&sum, table, cuzk_split_digit(&split->high, i), true);
    }
    *p = sum;
}

/* ---- passes ---- */

/* powers: as fill_powers leaves them */
static __device__ struct cuzk_split power_split(const struct cuzk_fr *powers, unsigned half, uint64_t i)
{
    struct cuzk_fr v = load(&powers[i & ((UINT64_C(1) << half) - 1)]);
    const struct cuzk_fr high = load(&powers[(UINT64_C(1) << half) + (i >> half)]);
    struct cuzk_split split;
    uint64_t words[4];

    cuzk_fr_mul(&v, &high, &v);
    cuzk_fr_to_words(&v, words);
    cuzk_split_scalar(words, &split);
    return split;
}

static __device__ uint64_t reversed(uint64_t i, unsigned bits)
{
    return bits == 0 ? 0 : __brevll(i) >> (64 - bits);
}

/* Points first to first + n, times powers, to where the transform wants them. */
static __global__ void __launch_bounds__(PRODUCT_THREADS)
    scale_points(const struct cuzk_g1_affine *__restrict__ from, uint32_t n, uint64_t first,
                 const struct cuzk_fr *__restrict__ powers, unsigned half, unsigned log_n,
                 struct cuzk_g1 *__restrict__ to)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct cuzk_g1 p = {field_load(&from[i].x), field_load(&from[i].y), {}};
    const struct cuzk_split split = power_split(powers, half, first + i);
    field_one(&p.z);
    multiply(&p, &split);
    store_point(&to[reversed(first + i, log_n)], p);
}

static __global__ void fill_infinity(struct cuzk_g1 *points, uint64_t first, uint64_t n, unsigned log_n)
{
    const uint64_t i = first + (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    struct cuzk_g1 p;
    if (i >= n)
        return;
    field_one(&p.x);
    field_one(&p.y);
    field_zero(&p.z);
    store_point(&points[reversed(i, log_n)], p);
}

/* Butterflies [first, first + n) of a level: number b is of root b / groups in group b % groups. */
static __global__ void __launch_bounds__(PRODUCT_THREADS)
    butterflies(struct cuzk_g1 *__restrict__ points, uint64_t first, uint32_t n, unsigned level,
                unsigned log_n, const struct cuzk_fr *__restrict__ powers, unsigned half)
{
    const uint32_t at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= n)
        return;
    const uint64_t b = first + at, groups = UINT64_C(1) << (log_n - 1 - level);
    const uint64_t j = b / groups, lo = ((b & (groups - 1)) << (level + 1)) + j,
                   hi = lo + (UINT64_C(1) << level);
    struct cuzk_g1 t = load_point(&points[hi]), sum = load_point(&points[lo]);
    if (j != 0) {
        const struct cuzk_split split = power_split(powers, half, j * groups);
        multiply(&t, &split);
    }
    struct cuzk_g1 difference = sum;
    add_point(&sum, &t);
    store_point(&points[lo], sum);
    t.y = field_negate(t.y);
    add_point(&difference, &t);
    store_point(&points[hi], difference);
}

/* Affine planes of the points first to first + n; infinity gets x = 0. */
static __global__ void to_planes(const struct cuzk_g1 *__restrict__ points, uint32_t n,
                                 struct cuzk_fp *__restrict__ x, struct cuzk_fp *__restrict__ y)
{
    const uint32_t begin = (blockIdx.x * blockDim.x + threadIdx.x) * NORMAL_RUN;
    struct cuzk_fp before[NORMAL_RUN], all;

    if (begin >= n)
        return;
    const uint32_t count = n - begin < NORMAL_RUN ? n - begin : NORMAL_RUN;
    field_one(&all);
    for (uint32_t k = 0; k < count; k++) {
        const struct cuzk_fp z = field_load(&points[begin + k].z);
        before[k] = all;
        if (!field_is_zero(z))
            all = times(all, z);
    }
    all = field_inverse(all);
    for (uint32_t k = count; k-- > 0;) {
        const struct cuzk_g1 p = load_point(&points[begin + k]);
        struct cuzk_fp zero, z_inverse, square;
        field_zero(&zero);
        if (field_is_zero(p.z)) {
            field_store(&x[begin + k], zero);
            field_store(&y[begin + k], zero);
            continue;
        }
        z_inverse = times(all, before[k]);
        all = times(all, p.z);
        square = squared(z_inverse);
        field_store(&x[begin + k], times(p.x, square));
        field_store(&y[begin + k], times(p.y, times(square, z_inverse)));
    }
}

/* ---- the transform ---- */

struct transform {
    struct cuda_backend *backend;
    cudaStream_t stream;
    const struct cuzk_progress *progress;
    uint64_t done, total; /* products */
    unsigned log_n, half;
    struct cuzk_g1 *points;
    struct cuzk_fr *powers;        /* of the twist, then of the root */
    struct cuzk_g1_affine *affine; /* of a chunk; later its planes */
    uint8_t *raw;
    uint32_t *worst;
};

/* What was started is done; more is. */
static enum cuzk_status turn(struct transform *job, uint64_t products, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_cuda_check(cudaStreamSynchronize(job->stream), "transform of points", err));
    job->done += products;
    cuzk_progress_report(job->progress, "transform of the points of h", job->done, job->total);
    return cuzk_progress_check(job->progress, err);
}

static enum cuzk_status fill(struct transform *job, const struct cuzk_fr *base, const struct cuzk_fr *factor,
                             struct cuzk_error *err)
{
    const uint64_t count = (UINT64_C(1) << job->half) + (UINT64_C(1) << (job->log_n - job->half));

    fill_powers<<<blocks(count, 128), 128, 0, job->stream>>>(job->powers, *base, *factor, job->half,
                                                             job->log_n);
    return cuzk_cuda_launched("fill_powers", job->stream, err);
}

static enum cuzk_status take_in(struct transform *job, const uint8_t *points, size_t given,
                                struct cuzk_error *err)
{
    const struct cuzk_backend_query query = {.bytes = points, .count = (uint32_t)given, .name = "points"};
    const uint64_t n = UINT64_C(1) << job->log_n;

    for (size_t first = 0; first < given; first += CUDA_POINTS_AT_ONCE) {
        const uint32_t now =
            given - first < CUDA_POINTS_AT_ONCE ? (uint32_t)(given - first) : CUDA_POINTS_AT_ONCE;
        CUZK_TRY(cuda_points_decode(job->backend, &query, false, (uint32_t)first, now, job->raw, job->affine,
                                    job->worst, err));
        scale_points<<<blocks(now, PRODUCT_THREADS), PRODUCT_THREADS, 0, job->stream>>>(
            job->affine, now, first, job->powers, job->half, job->log_n, job->points);
        CUZK_TRY(cuzk_cuda_launched("scale_points", job->stream, err));
        CUZK_TRY(turn(job, now, err));
    }
    if (given < n) {
        fill_infinity<<<blocks(n - given, 128), 128, 0, job->stream>>>(job->points, given, n, job->log_n);
        CUZK_TRY(cuzk_cuda_launched("fill_infinity", job->stream, err));
    }
    return CUZK_OK;
}

static enum cuzk_status run_level(struct transform *job, unsigned level, struct cuzk_error *err)
{
    const uint64_t n = UINT64_C(1) << (job->log_n - 1);

    for (uint64_t first = 0; first < n; first += AT_ONCE) {
        const uint32_t now = n - first < AT_ONCE ? (uint32_t)(n - first) : AT_ONCE;
        butterflies<<<blocks(now, PRODUCT_THREADS), PRODUCT_THREADS, 0, job->stream>>>(
            job->points, first, now, level, job->log_n, job->powers, job->half);
        CUZK_TRY(cuzk_cuda_launched("butterflies", job->stream, err));
        CUZK_TRY(turn(job, now, err));
    }
    return CUZK_OK;
}

static enum cuzk_status give_out(struct transform *job, uint8_t *out, struct cuzk_error *err)
{
    const uint64_t n = UINT64_C(1) << job->log_n;
    struct cuzk_fp *const x = (struct cuzk_fp *)job->affine, *const y = x + CUDA_POINTS_AT_ONCE;

    for (uint64_t first = 0; first < n; first += CUDA_POINTS_AT_ONCE) {
        const uint32_t now = n - first < CUDA_POINTS_AT_ONCE ? (uint32_t)(n - first) : CUDA_POINTS_AT_ONCE;
        to_planes<<<blocks((now + NORMAL_RUN - 1) / NORMAL_RUN, 64), 64, 0, job->stream>>>(
            job->points + first, now, x, y);
        CUZK_TRY(cuzk_cuda_launched("to_planes", job->stream, err));
        CUZK_TRY(cuzk_cuda_encode_g1(x, y, now, job->raw, job->stream, err));
        CUZK_TRY(cuzk_cuda_check(cudaMemcpyAsync(out + first * cuda_point_bytes(false), job->raw,
                                                 now * cuda_point_bytes(false), cudaMemcpyDeviceToHost,
                                                 job->stream),
                                 "transformed points", err));
        CUZK_TRY(turn(job, 0, err));
    }
    return CUZK_OK;
}

enum cuzk_status cuda_transform_points(struct cuzk_backend *base, unsigned log_n, const struct cuzk_fr *first,
                                       const struct cuzk_fr *ratio, const uint8_t *points, size_t given,
                                       uint8_t *out, const struct cuzk_progress *progress,
                                       struct cuzk_error *err)
{
    struct cuda_backend *backend = (struct cuda_backend *)base;
    const size_t n = (size_t)1 << log_n, chunk = CUDA_POINTS_AT_ONCE * cuda_point_bytes(false);
    enum cuzk_status status = CUZK_OK;
    struct transform job = {};
    struct cuzk_fr root, one;

    if (log_n > 30 || given > n)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%zu points for a transform of 2^%u (2^30 at most)", given,
                              log_n);
    job.backend = backend;
    job.stream = backend->stream;
    job.progress = progress;
    job.log_n = log_n;
    job.half = log_n / 2;
    job.total = given + n / 2 * log_n;
    const size_t powers = (((size_t)1 << job.half) + ((size_t)1 << (log_n - job.half))) * sizeof *job.powers;
    CUZK_TRY_OUT(cuda_use(backend, err));
    CUZK_TRY_OUT(
        cuda_mem_take(backend, n * sizeof *job.points, "points to transform", (void **)&job.points, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, powers, "roots of a transform", (void **)&job.powers, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, chunk, "points of a transform", (void **)&job.affine, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, chunk, "points of a transform", (void **)&job.raw, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, sizeof *job.worst, "check of points", (void **)&job.worst, err));
    CUZK_TRY_OUT(fill(&job, ratio, first, err));
    CUZK_TRY_OUT(take_in(&job, points, given, err));
    cuzk_fr_one(&one);
    cuzk_fr_root_of_unity(log_n, &root);
    cuzk_fr_inverse(&root, &root);
    CUZK_TRY_OUT(fill(&job, &root, &one, err));
    for (unsigned level = 0; level < log_n; level++)
        CUZK_TRY_OUT(run_level(&job, level, err));
    CUZK_TRY_OUT(give_out(&job, out, err));
out:
    (void)cudaStreamSynchronize(backend->stream);
    cuda_mem_drop(backend, job.points, n * sizeof *job.points);
    cuda_mem_drop(backend, job.powers, powers);
    cuda_mem_drop(backend, job.affine, chunk);
    cuda_mem_drop(backend, job.raw, chunk);
    cuda_mem_drop(backend, job.worst, sizeof *job.worst);
    return status;
}
