#include "backend/cuda/measure.h"

#include "backend/cuda/device_mem.h"
#include "backend/cuda/encoding.h"
#include "backend/cuda/fixed_base.h"
#include "backend/cuda/key.h"
#include "backend/cuda/msm.h"
#include "backend/cuda/quotient.h"
#include "base/clock.h"
#include "curve/g1.h"
#include "curve/g2.h"

enum { LOG_DISTINCT = 16 }; /* points repeat after 2^16: enough for every path to be random */

static const char *const names[CUZK_CUDA_WORKS] = {
    "ntt, down", "ntt, up", "quotient", "g1 msm", "g2 msm", "g1, half of the bits", "g2, half of the bits"};

const char *cuzk_cuda_work_name(enum cuzk_cuda_work work)
{
    return names[work];
}

/* ---- data ---- */

static CUZK_HD uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 254 random bits: below r */
static CUZK_HD struct cuzk_fr random_fr(uint64_t seed, uint64_t i)
{
    struct cuzk_fr v;
    for (int k = 0; k < 4; k++)
        v.l[k] = mix(seed ^ mix(4 * i + (uint64_t)k));
    v.l[3] &= UINT64_C(0x3fffffffffffffff);
    return v;
}

static __global__ void fill(struct cuzk_fr *out, uint64_t n, uint64_t seed)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = random_fr(seed, i);
}

static __global__ void fill_bits(uint64_t *out, uint64_t words, uint64_t seed)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < words)
        out[i] = mix(seed ^ mix(i));
}

static __global__ void fill_numbers(uint32_t *out, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = i;
}

/* sums[j] = sum of the scalars (or bits) i = j mod distinct */
static __global__ void sum_scalars(const struct cuzk_fr *scalars, const uint64_t *bits, uint64_t n,
                                   uint32_t distinct, struct cuzk_fr *sums)
{
    const uint32_t j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= distinct)
        return;
    struct cuzk_fr sum;
    uint64_t count = 0;
    cuzk_fr_zero(&sum);
    for (uint64_t i = j; i < n; i += distinct)
        if (bits != NULL)
            count += bits[i / 64] >> (i % 64) & 1;
        else
            cuzk_fr_add(&sum, &scalars[i], &sum);
    if (bits != NULL) {
        const struct cuzk_fr plain = {{count, 0, 0, 0}};
        sum = plain;
    }
    sums[j] = sum;
}

/* differs[0] = whether a and b times a factor differ anywhere */
static __global__ void compare(const struct cuzk_fr *a, uint64_t seed, struct cuzk_fr factor, uint64_t n,
                               uint32_t *differs)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct cuzk_fr v = random_fr(seed, i);
    cuzk_fr_mul(&v, &factor, &v);
    if (!cuzk_fr_equal(&a[i], &v))
        *differs = 1;
}

static unsigned grid(uint64_t n)
{
    return (unsigned)((n + 255) / 256);
}

/* ---- transforms ---- */

struct vectors {
    struct cuzk_fr *x[3];
    uint32_t *differs;
};

static enum cuzk_status wrong(const char *what, struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_DEVICE, "%s: the result is wrong", what);
}

/* ---- the quotient against its definition ---- */

/* Parts of the values at x of A, B and C, which take a_i, b_i and a_i b_i at w^i (barycentric: without the
 * factor (x^n - 1) / n), and of H, whose coefficients are the plain numbers h: sums[part][thread], `run`
 * neighbours to a thread. a and b are those of `fill` with seed and seed + 1. */
static __global__ void evaluate_parts(const struct cuzk_fr *h, uint64_t seed, struct cuzk_fr root,
                                      struct cuzk_fr x, uint64_t run, uint32_t threads, struct cuzk_fr *sums)
{
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= threads)
        return;
    const uint64_t first = thread * run;
    const uint64_t r_minus_2[4] = {UINT64_C(0xfffffffeffffffff), UINT64_C(0x53bda402fffe5bfe),
                                   UINT64_C(0x3339d80809a1d805), UINT64_C(0x73eda753299d7d48)};
    struct cuzk_fr sum[4] = {}, w, x_power, t;
    cuzk_fr_one(&w);
    x_power = w;
    for (int bit = 63; bit >= 0; bit--) {
        cuzk_fr_mul(&w, &w, &w);
        cuzk_fr_mul(&x_power, &x_power, &x_power);
        if (first >> bit & 1) {
            cuzk_fr_mul(&w, &root, &w);
            cuzk_fr_mul(&x_power, &x, &x_power);
        }
    }
    for (uint64_t i = first; i < first + run; i++) {
        struct cuzk_fr weight, a = random_fr(seed, i), b = random_fr(seed + 1, i), difference;
        cuzk_fr_sub(&x, &w, &difference);
        weight = w; /* w / (x - w) */
        cuzk_fr_one(&t);
        for (int bit = 254; bit >= 0; bit--) {
            cuzk_fr_mul(&t, &t, &t);
            if (r_minus_2[bit / 64] >> (bit % 64) & 1)
                cuzk_fr_mul(&t, &difference, &t);
        }
        cuzk_fr_mul(&weight, &t, &weight);
        cuzk_fr_mul(&a, &weight, &a);
        cuzk_fr_add(&sum[0], &a, &sum[0]);
        cuzk_fr_mul(&a, &b, &a);
        cuzk_fr_add(&sum[2], &a, &sum[2]);
        cuzk_fr_mul(&b, &weight, &b);
        cuzk_fr_add(&sum[1], &b, &sum[1]);
        cuzk_fr_from_words(h[i].l, &t);
        cuzk_fr_mul(&t, &x_power, &t);
        cuzk_fr_add(&sum[3], &t, &sum[3]);
        cuzk_fr_mul(&w, &root, &w);
        cuzk_fr_mul(&x_power, &x, &x_power);
    }
    for (int part = 0; part < 4; part++)
        sums[(size_t)part * threads + thread] = sum[part];
}

/* Whether A B = C + (x^n - 1) H at a point. */
static enum cuzk_status check_quotient(struct cuda_backend *backend, const struct cuzk_fr *h, unsigned log_n,
                                       uint64_t seed, bool *right, struct cuzk_error *err)
{
    const unsigned log_run = log_n < 7 ? 0 : log_n - 7 < 10 ? log_n - 7 : 10;
    const uint32_t threads = UINT32_C(1) << (log_n - log_run);
    const size_t bytes = 4 * (size_t)threads * sizeof(struct cuzk_fr);
    const struct cuzk_fr x = random_fr(99, log_n);
    enum cuzk_status status = CUZK_OK;
    struct cuzk_fr *sums = NULL, *device = NULL, at[4] = {}, root, one, z, t;

    cuzk_fr_one(&one);
    cuzk_fr_root_of_unity(log_n, &root);
    CUZK_TRY_OUT(CUZK_NEW(&sums, 4 * (size_t)threads, "parts of values", err));
    CUZK_TRY_OUT(cuda_mem_take(backend, bytes, "parts of values", (void **)&device, err));
    evaluate_parts<<<grid(threads), 256, 0, backend->stream>>>(h, seed, root, x, UINT64_C(1) << log_run,
                                                               threads, device);
    CUZK_TRY_OUT(cuzk_cuda_launched("evaluate_parts", backend->stream, err));
    CUZK_TRY_OUT(
        cuzk_cuda_check(cudaMemcpyAsync(sums, device, bytes, cudaMemcpyDeviceToHost, backend->stream),
                        "parts of values", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(backend->stream), "parts of values", err));
    for (int part = 0; part < 4; part++)
        for (uint32_t k = 0; k < threads; k++)
            cuzk_fr_add(&at[part], &sums[(size_t)part * threads + k], &at[part]);
    cuzk_fr_pow_u64(&x, UINT64_C(1) << log_n, &z);
    cuzk_fr_sub(&z, &one, &z);
    cuzk_fr_from_u64(UINT64_C(1) << log_n, &t);
    cuzk_fr_inverse(&t, &t);
    cuzk_fr_mul(&t, &z, &t);
    for (int part = 0; part < 3; part++)
        cuzk_fr_mul(&at[part], &t, &at[part]);
    cuzk_fr_mul(&at[0], &at[1], &at[0]);
    cuzk_fr_mul(&at[3], &z, &at[3]);
    cuzk_fr_add(&at[3], &at[2], &at[3]);
    *right = cuzk_fr_equal(&at[0], &at[3]);
out:
    cuda_mem_drop(backend, device, bytes);
    cuzk_mem_free(sums);
    return status;
}

static enum cuzk_status measure_field(struct cuda_backend *backend, enum cuzk_cuda_work work, unsigned log_n,
                                      unsigned rounds, uint64_t *ns, struct cuzk_error *err)
{
    const uint64_t n = UINT64_C(1) << log_n;
    const size_t bytes = n * sizeof(struct cuzk_fr);
    const cudaStream_t s = backend->stream;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cuda_ntt_plan *plan = NULL;
    struct cuzk_cuda_quotient_plan *quotient = NULL;
    struct vectors v = {};
    struct cuzk_fr size, one;
    uint32_t differs = 0, apart = 0;

    cuzk_fr_from_u64(n, &size);
    cuzk_fr_one(&one);
    if (work == CUZK_CUDA_QUOTIENT)
        CUZK_TRY_OUT(
            cuzk_cuda_quotient_plan_create(log_n, false, backend->base.memory_limit != 0, s, &quotient, err));
    else
        CUZK_TRY_OUT(
            cuzk_cuda_ntt_plan_create(log_n, backend->base.memory_limit != 0, &one, &one, s, &plan, err));
    for (int k = 0; k < 3; k++)
        CUZK_TRY_OUT(cuda_mem_take(backend, bytes, "transform", (void **)&v.x[k], err));
    CUZK_TRY_OUT(cuda_mem_take(backend, sizeof *v.differs, "comparison", (void **)&v.differs, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemsetAsync(v.differs, 0, sizeof *v.differs, s), "comparison", err));
    for (unsigned round = 0; round <= rounds; round++) {
        uint64_t start = 0;
        for (uint64_t k = 0; k < (work == CUZK_CUDA_QUOTIENT ? 2 : 1); k++)
            fill<<<grid(n), 256, 0, s>>>(v.x[k], n, round + k);
        CUZK_TRY_OUT(cuzk_cuda_launched("fill", s, err));
        if (work == CUZK_CUDA_NTT_UP)
            CUZK_TRY_OUT(cuzk_cuda_ntt_inverse_dif(plan, v.x[0], NULL, v.x[0], s, err));
        CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(s), "measurement", err));
        start = cuzk_clock_ns();
        CUZK_TRY_OUT(
            work == CUZK_CUDA_NTT_DOWN ? cuzk_cuda_ntt_inverse_dif(plan, v.x[0], NULL, v.x[0], s, err)
            : work == CUZK_CUDA_NTT_UP ? cuzk_cuda_ntt_forward_dit(plan, v.x[0], s, err)
                                       : cuzk_cuda_quotient(quotient, v.x[0], v.x[1], v.x[2], s, err));
        CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(s), "measurement", err));
        if (round > 0)
            ns[round - 1] = cuzk_clock_ns() - start;
        if (work == CUZK_CUDA_QUOTIENT) {
            bool right = true;
            if (round == 0)
                CUZK_TRY_OUT(check_quotient(backend, v.x[1], log_n, round, &right, err));
            differs |= !right;
            continue;
        }
        if (work == CUZK_CUDA_NTT_DOWN)
            CUZK_TRY_OUT(cuzk_cuda_ntt_forward_dit(plan, v.x[0], s, err));
        compare<<<grid(n), 256, 0, s>>>(v.x[0], round, size, n, v.differs);
        CUZK_TRY_OUT(cuzk_cuda_launched("compare", s, err));
    }
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemcpyAsync(&apart, v.differs, sizeof apart, cudaMemcpyDeviceToHost, s),
                                 "comparison", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(s), "comparison", err));
    if (differs != 0 || apart != 0)
        status = wrong(names[work], err);
out:
    for (int k = 0; k < 3; k++)
        cuda_mem_drop(backend, v.x[k], bytes);
    cuda_mem_drop(backend, v.differs, sizeof *v.differs);
    cuzk_cuda_ntt_plan_destroy(plan);
    cuzk_cuda_quotient_plan_destroy(quotient);
    return status;
}

/* ---- sums ---- */

/* n points on the device: `distinct` multiples of the generator, again and again */
static enum cuzk_status make_points(struct cuda_backend *backend, bool g2, size_t n, size_t distinct,
                                    uint64_t (*factors)[4], void **points, struct cuzk_error *err)
{
    const size_t size = cuda_point_bytes(g2);
    enum cuzk_status status = CUZK_OK;
    struct cuzk_backend_query query = {};
    struct cuzk_backend_table *table = NULL;
    union cuzk_backend_affine base;
    uint8_t *bytes = NULL;
    void *first = NULL;
    const size_t first_bytes = distinct * size;

    for (size_t i = 0; i < distinct; i++) {
        const struct cuzk_fr v = random_fr(77, i);
        for (int k = 0; k < 4; k++)
            factors[i][k] = v.l[k];
    }
    CUZK_TRY_OUT(CUZK_NEW(&bytes, distinct * size, "points", err));
    if (g2)
        base.g2 = cuzk_g2_generator;
    else
        base.g1 = cuzk_g1_generator;
    CUZK_TRY_OUT(
        cuda_table_create(&backend->base, g2 ? CUZK_GROUP_G2 : CUZK_GROUP_G1, &base, distinct, &table, err));
    CUZK_TRY_OUT(cuda_setup_points(table, factors, distinct, bytes, err));
    query.bytes = bytes;
    query.count = (uint32_t)distinct;
    query.name = "points";
    CUZK_TRY_OUT(cuda_mem_take(backend, first_bytes, "points", &first, err));
    CUZK_TRY_OUT(cuda_points_upload(backend, &query, g2, first, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, n * size, "points", points, err));
    for (size_t i = 0; i < n; i += distinct)
        CUZK_TRY_OUT(cuzk_cuda_check(cudaMemcpyAsync((char *)*points + i * size, first, distinct * size,
                                                     cudaMemcpyDeviceToDevice, backend->stream),
                                     "points", err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(backend->stream), "points", err));
out:
    cuda_table_destroy(table);
    cuda_mem_drop(backend, first, first_bytes);
    cuzk_mem_free(bytes);
    return status;
}

/* whether the sum is the generator times sum of factors[j] * sums[j] */
static bool is_right(bool g2, const union cuzk_backend_point *got, const uint64_t (*factors)[4],
                     const struct cuzk_fr *sums, size_t distinct)
{
    union cuzk_backend_point expected;
    struct cuzk_fr logarithm;
    uint64_t words[4];

    cuzk_fr_zero(&logarithm);
    for (size_t j = 0; j < distinct; j++) {
        struct cuzk_fr f, s;
        cuzk_fr_from_words(factors[j], &f);
        cuzk_fr_from_words(sums[j].l, &s);
        cuzk_fr_mul(&f, &s, &f);
        cuzk_fr_add(&logarithm, &f, &logarithm);
    }
    cuzk_fr_to_words(&logarithm, words);
    if (g2) {
        cuzk_g2_from_affine(&cuzk_g2_generator, &expected.g2);
        cuzk_g2_mul(&expected.g2, words, &expected.g2);
        return cuzk_g2_equal(&expected.g2, &got->g2);
    }
    cuzk_g1_from_affine(&cuzk_g1_generator, &expected.g1);
    cuzk_g1_mul(&expected.g1, words, &expected.g1);
    return cuzk_g1_equal(&expected.g1, &got->g1);
}

static enum cuzk_status measure_sum(struct cuda_backend *backend, enum cuzk_cuda_work work, unsigned log_n,
                                    unsigned rounds, uint64_t *ns, struct cuzk_error *err)
{
    const bool g2 = work == CUZK_CUDA_MSM_G2 || work == CUZK_CUDA_BITS_G2;
    const bool bits = work == CUZK_CUDA_BITS_G1 || work == CUZK_CUDA_BITS_G2;
    const size_t n = (size_t)1 << log_n, distinct = n >> LOG_DISTINCT == 0 ? n : (size_t)1 << LOG_DISTINCT;
    const size_t point = cuda_point_bytes(g2);
    const size_t scratch = bits ? cuzk_cuda_sum_bits_scratch(n, g2) : cuzk_cuda_msm_scratch(n, 1, 0, g2);
    const size_t data_bytes = bits ? (n + 63) / 64 * 8 : n * sizeof(struct cuzk_fr);
    const cudaStream_t s = backend->stream;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cuda_arena arena = {};
    struct cuzk_fr *sums = NULL, *sums_device = NULL;
    uint64_t(*factors)[4] = NULL, *data = NULL;
    uint32_t *numbers = NULL;
    void *points = NULL, *block = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&factors, distinct, "factors", err));
    CUZK_TRY_OUT(CUZK_NEW(&sums, distinct, "sums of scalars", err));
    CUZK_TRY_OUT(make_points(backend, g2, n, distinct, factors, &points, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, data_bytes, "scalars", (void **)&data, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, n * 4, "numbers", (void **)&numbers, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, distinct * sizeof *sums, "sums", (void **)&sums_device, err));
    CUZK_TRY_OUT(cuda_mem_take(backend, scratch, "scratch of a sum", &block, err));
    arena.base = (unsigned char *)block;
    arena.size = scratch;
    fill_numbers<<<grid(n), 256, 0, s>>>(numbers, (uint32_t)n);
    CUZK_TRY_OUT(cuzk_cuda_launched("fill_numbers", s, err));
    for (unsigned round = 0; round <= rounds; round++) {
        union cuzk_backend_point out;
        struct cuzk_g1 *const to_g1[] = {&out.g1};
        struct cuzk_g2 *const to_g2[] = {&out.g2};
        const struct cuzk_cuda_bits part = {numbers, numbers, n};
        if (bits)
            fill_bits<<<grid((n + 63) / 64), 256, 0, s>>>(data, (n + 63) / 64, round);
        else
            fill<<<grid(n), 256, 0, s>>>((struct cuzk_fr *)data, n, round);
        sum_scalars<<<grid(distinct), 256, 0, s>>>((struct cuzk_fr *)data, bits ? data : NULL, n,
                                                   (uint32_t)distinct, sums_device);
        CUZK_TRY_OUT(cuzk_cuda_launched("sum_scalars", s, err));
        CUZK_TRY_OUT(cuzk_cuda_check(
            cudaMemcpyAsync(sums, sums_device, distinct * sizeof *sums, cudaMemcpyDeviceToHost, s), "sums",
            err));
        CUZK_TRY_OUT(cuzk_cuda_check(cudaStreamSynchronize(s), "measurement", err));
        const uint64_t start = cuzk_clock_ns();
        switch (work) {
        case CUZK_CUDA_MSM_G1:
            CUZK_TRY_OUT(cuzk_cuda_msm_g1((struct cuzk_g1_affine *)points, NULL, 1, data, n, 0, &arena, s,
                                          to_g1, err));
            break;
        case CUZK_CUDA_MSM_G2:
            CUZK_TRY_OUT(cuzk_cuda_msm_g2((struct cuzk_g2_affine *)points, NULL, 1, data, n, 0, &arena, s,
                                          to_g2, err));
            break;
        case CUZK_CUDA_BITS_G1:
            CUZK_TRY_OUT(cuzk_cuda_sum_bits_g1((struct cuzk_g1_affine *)points, &part, 1, data, &arena, s,
                                               to_g1, err));
            break;
        default:
            CUZK_TRY_OUT(cuzk_cuda_sum_bits_g2((struct cuzk_g2_affine *)points, &part, 1, data, &arena, s,
                                               to_g2, err));
            break;
        }
        if (round > 0)
            ns[round - 1] = cuzk_clock_ns() - start;
        if (!is_right(g2, &out, factors, sums, distinct)) {
            status = wrong(names[work], err);
            goto out;
        }
    }
out:
    cuda_mem_drop(backend, points, n * point);
    cuda_mem_drop(backend, data, data_bytes);
    cuda_mem_drop(backend, numbers, n * 4);
    cuda_mem_drop(backend, sums_device, distinct * sizeof *sums);
    cuda_mem_drop(backend, block, scratch);
    cuzk_mem_free(factors);
    cuzk_mem_free(sums);
    return status;
}

enum cuzk_status cuzk_cuda_measure(struct cuzk_backend *base, enum cuzk_cuda_work work, unsigned log_n,
                                   unsigned rounds, uint64_t *ns, struct cuzk_error *err)
{
    struct cuda_backend *backend = (struct cuda_backend *)base;

    if (log_n < 4 || log_n > 28)
        return cuzk_error_set(err, CUZK_ARGUMENT, "measurement of 2^%u elements: 2^4 to 2^28", log_n);
    CUZK_TRY(cuda_use(backend, err));
    return work <= CUZK_CUDA_QUOTIENT ? measure_field(backend, work, log_n, rounds, ns, err)
                                      : measure_sum(backend, work, log_n, rounds, ns, err);
}
