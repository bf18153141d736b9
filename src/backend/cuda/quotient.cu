#include "backend/cuda/quotient.h"

#include "backend/cuda/cuda_error.h"
#include "backend/cuda/ntt_plan.cuh"

static __global__ void multiply(struct cuzk_fr *out, const struct cuzk_fr *a, const struct cuzk_fr *b,
                                uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    struct cuzk_fr x = load(&a[i]);
    const struct cuzk_fr y = load(&b[i]);
    cuzk_fr_mul(&x, &y, &x);
    store(&out[i], &x);
}

/* out[i] = plain number of (c_i - d_i shift^-i) factor: c and d in digit-reversed order, powers = factor *
 * shift^-i in two tables, out in natural order */
static __global__ void finish_quotient(const struct cuzk_fr *__restrict__ c,
                                       const struct cuzk_fr *__restrict__ d,
                                       const struct cuzk_fr *__restrict__ powers, unsigned half,
                                       struct cuzk_fr factor, struct digits digits, uint64_t n,
                                       struct cuzk_fr *__restrict__ out)
{
    const uint64_t p = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n)
        return;
    const uint64_t i = natural_index(digits, p);
    const struct cuzk_fr lo = load(&powers[i & ((UINT64_C(1) << half) - 1)]);
    const struct cuzk_fr hi = load(&powers[(UINT64_C(1) << half) + (i >> half)]);
    struct cuzk_fr x = load(&c[p]), y = load(&d[p]), plain;
    cuzk_fr_mul(&x, &factor, &x);
    cuzk_fr_mul(&y, &lo, &y);
    cuzk_fr_mul(&y, &hi, &y);
    cuzk_fr_sub(&x, &y, &x);
    cuzk_fr_to_words(&x, plain.l);
    store(&out[i], &plain);
}

enum cuzk_status cuzk_cuda_quotient(const struct cuzk_cuda_ntt_plan *plan, struct cuzk_fr *a,
                                    struct cuzk_fr *b, struct cuzk_fr *c, cudaStream_t stream,
                                    struct cuzk_error *err)
{
    const uint64_t n = UINT64_C(1) << plan->log_n;
    const unsigned half = plan->log_n / 2;
    const uint64_t count = (UINT64_C(1) << half) + (UINT64_C(1) << (plan->log_n - half));
    struct cuzk_fr shift_n, one, factor, inverse_shift, *powers = NULL;
    enum cuzk_status status;

    /* H = (C - D) / (1 - g^n), and both sums come undivided by n */
    cuzk_fr_one(&one);
    cuzk_fr_pow_u64(&cuzk_fr_generator, n, &shift_n);
    cuzk_fr_sub(&one, &shift_n, &factor);
    cuzk_fr_inverse(&factor, &factor);
    cuzk_fr_mul(&factor, &plan->inverse_n, &factor);
    cuzk_fr_inverse(&cuzk_fr_generator, &inverse_shift);

    multiply<<<blocks(n, 256), 256, 0, stream>>>(c, a, b, n);
    CUZK_TRY(cuzk_cuda_launched("multiply", stream, err));
    CUZK_TRY(cuzk_cuda_ntt_inverse_dif(plan, c, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_inverse_dif(plan, a, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_scale(plan, a, &cuzk_fr_generator, &plan->inverse_n, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_forward_dit(plan, a, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_inverse_dif(plan, b, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_scale(plan, b, &cuzk_fr_generator, &plan->inverse_n, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_forward_dit(plan, b, stream, err));
    multiply<<<blocks(n, 256), 256, 0, stream>>>(a, a, b, n);
    CUZK_TRY(cuzk_cuda_launched("multiply", stream, err));
    CUZK_TRY(cuzk_cuda_ntt_inverse_dif(plan, a, stream, err));
    CUZK_TRY(cuzk_cuda_check(cudaMallocAsync(&powers, count * sizeof *powers, stream), "coset powers", err));
    fill_powers<<<blocks(count, 128), 128, 0, stream>>>(powers, inverse_shift, factor, half, plan->log_n);
    CUZK_TRY_OUT(cuzk_cuda_launched("fill_powers", stream, err));
    finish_quotient<<<blocks(n, 256), 256, 0, stream>>>(c, a, powers, half, factor, plan_digits(plan), n, b);
    CUZK_TRY_OUT(cuzk_cuda_launched("finish_quotient", stream, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemcpyAsync(c, b, n * sizeof *c, cudaMemcpyDeviceToDevice, stream),
                                 "quotient", err));
out:
    (void)cudaFreeAsync(powers, stream);
    return status;
}

/* out[i] = plain number of a_j b_j - c_j with 2 j + 1 = step (2 i + 1) mod 2 n */
static __global__ void finish_odd_coset(const struct cuzk_fr *__restrict__ a,
                                        const struct cuzk_fr *__restrict__ b,
                                        const struct cuzk_fr *__restrict__ c, uint64_t step, uint64_t n,
                                        struct cuzk_fr *__restrict__ out)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const uint64_t j = (step * (2 * i + 1) & (2 * n - 1)) >> 1;
    struct cuzk_fr x = load(&a[j]), plain;
    const struct cuzk_fr y = load(&b[j]), z = load(&c[j]);
    cuzk_fr_mul(&x, &y, &x);
    cuzk_fr_sub(&x, &z, &x);
    cuzk_fr_to_words(&x, plain.l);
    store(&out[i], &plain);
}

enum cuzk_status cuzk_cuda_odd_coset_values(const struct cuzk_cuda_ntt_plan *plan, uint64_t step,
                                            struct cuzk_fr *a, struct cuzk_fr *b, struct cuzk_fr *c,
                                            cudaStream_t stream, struct cuzk_error *err)
{
    const uint64_t n = UINT64_C(1) << plan->log_n;
    struct cuzk_fr *const vectors[3] = {a, b, c}, *out = NULL;
    enum cuzk_status status;
    struct cuzk_fr shift;

    cuzk_fr_root_of_unity(plan->log_n + 1, &shift);
    multiply<<<blocks(n, 256), 256, 0, stream>>>(c, a, b, n);
    CUZK_TRY(cuzk_cuda_launched("multiply", stream, err));
    for (int k = 0; k < 3; k++) {
        CUZK_TRY(cuzk_cuda_ntt_inverse_dif(plan, vectors[k], stream, err));
        CUZK_TRY(cuzk_cuda_ntt_scale(plan, vectors[k], &shift, &plan->inverse_n, stream, err));
        CUZK_TRY(cuzk_cuda_ntt_forward_dit(plan, vectors[k], stream, err));
    }
    CUZK_TRY(cuzk_cuda_check(cudaMallocAsync(&out, n * sizeof *out, stream), "values on the odd coset", err));
    finish_odd_coset<<<blocks(n, 256), 256, 0, stream>>>(a, b, c, step, n, out);
    CUZK_TRY_OUT(cuzk_cuda_launched("finish_odd_coset", stream, err));
    CUZK_TRY_OUT(cuzk_cuda_check(cudaMemcpyAsync(c, out, n * sizeof *c, cudaMemcpyDeviceToDevice, stream),
                                 "values on the odd coset", err));
out:
    (void)cudaMemsetAsync(out, 0, n * sizeof *out, stream); /* they come from the witness */
    (void)cudaFreeAsync(out, stream);
    return status;
}
