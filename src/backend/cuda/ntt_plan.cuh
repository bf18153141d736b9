/* What the kernels of ntt.cu and quotient.cu share; private to them. */
#ifndef CUZK_BACKEND_CUDA_NTT_PLAN_CUH
#define CUZK_BACKEND_CUDA_NTT_PLAN_CUH

#include "backend/cuda/ntt.h"

/*
 * Layout of one pass of 2^k points with stride S: elements whose index differs only in the k bits above
 * log2(S). Going down (decimation in frequency): X[d] = w^(low * d) * sum_j x[j] W^(j d), where low is the
 * index below S, W a root of order 2^k and w one of order S * 2^k. Going up undoes it, with the
 * multiplication first.
 */
enum {
    NTT_WIDE_BITS = 9, /* points of a shared-memory pass: 512 */
    NTT_COLUMNS = 4,   /* adjacent transforms in a block: 128 contiguous bytes a row */
    NTT_WIDE_THREADS = 64 * NTT_COLUMNS,
    NTT_MAX_PASSES = 6,
    NTT_ROOTS = 516,
    NTT_ROW = 2048 + 2048 / 64, /* words of one limb plane in shared memory, skewed */
    NTT_SHARED_BYTES = 8 * NTT_ROW * 4,
};

/* Twiddles w^(-+ low * d) of a pass, those up times shift^(d weight) with the digit's weight: whole at d * S
 * + low, or, where `high` is there, as products of two tables that are small: with low cut at `cut` bits, the
 * lower bits' at d << cut | low mod 2^cut, the upper bits' (with the shift) at d * (S >> cut) + (low >> cut).
 */
struct twiddles {
    struct cuzk_fr *whole, *high;
    unsigned cut;
};

struct pass {
    unsigned bits;
    unsigned log_stride;
    struct twiddles down, up; /* where S is 1, down has no table and up the shift's powers and the factor
                                 alone, or none */
};

struct cuzk_cuda_ntt_plan {
    unsigned log_n, passes;
    struct pass pass[NTT_MAX_PASSES];
    struct cuzk_fr *roots_down, *roots_up; /* powers 0..511 of a root of order 512 */
    struct cuzk_fr *memory;
    struct cuzk_fr inverse_n;
};

/* Position p holds digit d_i of pass i at stride S_i; the coefficient's digits go from least significant up.
 */
struct digits {
    unsigned passes, bits[NTT_MAX_PASSES], log_stride[NTT_MAX_PASSES];
};

/* The number of the coefficient at position p. */
static __device__ uint64_t natural_index(const struct digits &digits, uint64_t p)
{
    uint64_t index = 0;
    unsigned weight = 0;
    for (unsigned i = 0; i < digits.passes; i++) {
        index |= (p >> digits.log_stride[i] & ((1u << digits.bits[i]) - 1)) << weight;
        weight += digits.bits[i];
    }
    return index;
}

static inline struct digits plan_digits(const struct cuzk_cuda_ntt_plan *plan)
{
    struct digits digits = {};

    digits.passes = plan->passes;
    for (unsigned i = 0; i < plan->passes; i++) {
        digits.bits[i] = plan->pass[i].bits;
        digits.log_stride[i] = plan->pass[i].log_stride;
    }
    return digits;
}

static inline unsigned blocks(uint64_t n, unsigned threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

/* ---- device ---- */

static __device__ struct cuzk_fr power(struct cuzk_fr base, uint64_t exponent)
{
    struct cuzk_fr acc;

    cuzk_fr_one(&acc);
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1)
            cuzk_fr_mul(&acc, &base, &acc);
        cuzk_fr_mul(&base, &base, &base);
    }
    return acc;
}

static __device__ __forceinline__ struct cuzk_fr load(const struct cuzk_fr *p)
{
    const ulonglong2 *q = (const ulonglong2 *)p;
    const ulonglong2 a = q[0], b = q[1];
    struct cuzk_fr v;
    v.l[0] = a.x, v.l[1] = a.y, v.l[2] = b.x, v.l[3] = b.y;
    return v;
}

static __device__ __forceinline__ void store(struct cuzk_fr *p, const struct cuzk_fr *v)
{
    ulonglong2 *q = (ulonglong2 *)p;
    q[0] = make_ulonglong2(v->l[0], v->l[1]);
    q[1] = make_ulonglong2(v->l[2], v->l[3]);
}

/* shift^i for i below 2^half, then factor * shift^(i 2^half): any power up to 2^log_n as a product of two */
static __global__ void fill_powers(struct cuzk_fr *out, struct cuzk_fr shift, struct cuzk_fr factor,
                                   unsigned half, unsigned log_n)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t low_count = UINT64_C(1) << half, high_count = UINT64_C(1) << (log_n - half);
    if (i < low_count) {
        out[i] = power(shift, i);
    } else if (i < low_count + high_count) {
        struct cuzk_fr v = power(shift, (i - low_count) << half);
        cuzk_fr_mul(&v, &factor, &v);
        out[i] = v;
    }
}

#endif
