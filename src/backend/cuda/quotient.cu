#include "backend/cuda/quotient.h"

#include "backend/cuda/cuda_error.h"
#include "backend/cuda/ntt_plan.cuh"
#include "base/mem.h"

struct cuzk_cuda_quotient_plan {
    struct cuzk_cuda_ntt_plan *ntt; /* up: onto the coset, divided by n */
    struct cuzk_fr *powers;         /* shift^-i in two tables; NULL for the odd coset */
    struct cuzk_fr factor;          /* 1 / (n (1 - shift^n)) as a plain number */
    struct cuzk_fr z_inverse;       /* 1 / (shift^n - 1) as a plain number */
};

static uint64_t power_count(unsigned log_n)
{
    return (UINT64_C(1) << (log_n / 2)) + (UINT64_C(1) << (log_n - log_n / 2));
}

size_t cuzk_cuda_quotient_plan_bytes(unsigned log_n, bool small)
{
    return cuzk_cuda_ntt_plan_bytes(log_n, small) + power_count(log_n) * sizeof(struct cuzk_fr);
}

enum cuzk_status cuzk_cuda_quotient_plan_create(unsigned log_n, bool odd_coset, bool small,
                                                cudaStream_t stream, struct cuzk_cuda_quotient_plan **out,
                                                struct cuzk_error *err)
{
    const uint64_t count = power_count(log_n);
    enum cuzk_status status = CUZK_OK;
    struct cuzk_cuda_quotient_plan *plan = NULL;
    struct cuzk_fr shift = cuzk_fr_generator, one, n, inverse_n, t;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&plan, 1, "plan of the quotient", err));
    if (odd_coset)
        cuzk_fr_root_of_unity(log_n + 1, &shift);
    cuzk_fr_from_u64(UINT64_C(1) << log_n, &n);
    cuzk_fr_inverse(&n, &inverse_n);
    CUZK_TRY_OUT(cuzk_cuda_ntt_plan_create(log_n, small, &shift, &inverse_n, stream, &plan->ntt, err));
    if (!odd_coset) {
        /* H = (C - D) / (1 - g^n), and both sums come undivided by n */
        cuzk_fr_one(&one);
        cuzk_fr_pow_u64(&shift, UINT64_C(1) << log_n, &t);
        cuzk_fr_sub(&t, &one, &plan->z_inverse);
        cuzk_fr_inverse(&plan->z_inverse, &plan->z_inverse);
        cuzk_fr_to_words(&plan->z_inverse, plan->z_inverse.l);
        cuzk_fr_sub(&one, &t, &t);
        cuzk_fr_mul(&t, &n, &t);
        cuzk_fr_inverse(&t, &t);
        cuzk_fr_to_words(&t, plan->factor.l);
        cuzk_fr_inverse(&shift, &shift);
        CUZK_TRY_OUT(
            cuzk_cuda_check(cudaMalloc(&plan->powers, count * sizeof *plan->powers), "coset powers", err));
        fill_powers<<<blocks(count, 128), 128, 0, stream>>>(plan->powers, shift, one, log_n / 2, log_n);
        CUZK_TRY_OUT(cuzk_cuda_launched("fill_powers", stream, err));
    }
    *out = plan;
    return CUZK_OK;
out:
    cuzk_cuda_quotient_plan_destroy(plan);
    return status;
}

void cuzk_cuda_quotient_plan_destroy(struct cuzk_cuda_quotient_plan *plan)
{
    if (plan == NULL)
        return;
    cuzk_cuda_ntt_plan_destroy(plan->ntt);
    cudaFree(plan->powers);
    cuzk_mem_free(plan);
}

/* out[i] = plain number of (c_i - d_i shift^-i) factor: c and d in digit-reversed order, powers = shift^-i in
 * two tables, factor a plain number, so that the last product leaves Montgomery form; out in natural order */
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
    struct cuzk_fr x = load(&c[p]), y = load(&d[p]);
    cuzk_fr_mul(&y, &lo, &y);
    cuzk_fr_mul(&y, &hi, &y);
    cuzk_fr_sub(&x, &y, &x);
    cuzk_fr_mul(&x, &factor, &x);
    store(&out[i], &x);
}

enum cuzk_status cuzk_cuda_quotient(const struct cuzk_cuda_quotient_plan *plan, struct cuzk_fr *a,
                                    struct cuzk_fr *b, struct cuzk_fr *c, cudaStream_t stream,
                                    struct cuzk_error *err)
{
    const struct cuzk_cuda_ntt_plan *ntt = plan->ntt;
    const uint64_t n = UINT64_C(1) << ntt->log_n;

    CUZK_TRY(cuzk_cuda_ntt_inverse_dif(ntt, a, b, c, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_to_coset(ntt, a, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_to_coset(ntt, b, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_inverse_dif(ntt, a, b, a, stream, err));
    finish_quotient<<<blocks(n, 256), 256, 0, stream>>>(c, a, plan->powers, ntt->log_n / 2, plan->factor,
                                                        plan_digits(ntt), n, b);
    return cuzk_cuda_launched("finish_quotient", stream, err);
}

/* b_j = plain number of a_j b_j factor, which is a plain number */
static __global__ void scaled_products(const struct cuzk_fr *__restrict__ a, struct cuzk_fr *__restrict__ b,
                                       struct cuzk_fr factor, uint64_t n)
{
    const uint64_t j = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    struct cuzk_fr x = load(&a[j]);
    const struct cuzk_fr y = load(&b[j]);
    cuzk_fr_mul(&x, &y, &x);
    cuzk_fr_mul(&x, &factor, &x);
    store(&b[j], &x);
}

enum cuzk_status cuzk_cuda_coset_products(const struct cuzk_cuda_quotient_plan *plan, struct cuzk_fr *a,
                                          struct cuzk_fr *b, cudaStream_t stream, struct cuzk_error *err)
{
    const struct cuzk_cuda_ntt_plan *ntt = plan->ntt;
    const uint64_t n = UINT64_C(1) << ntt->log_n;

    CUZK_TRY(cuzk_cuda_ntt_to_coset(ntt, a, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_to_coset(ntt, b, stream, err));
    scaled_products<<<blocks(n, 256), 256, 0, stream>>>(a, b, plan->z_inverse, n);
    return cuzk_cuda_launched("scaled_products", stream, err);
}

/* c_j = a_j b_j - c_j */
static __global__ void subtract_products(const struct cuzk_fr *__restrict__ a,
                                         const struct cuzk_fr *__restrict__ b, struct cuzk_fr *__restrict__ c,
                                         uint64_t n)
{
    const uint64_t j = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= n)
        return;
    struct cuzk_fr x = load(&a[j]);
    const struct cuzk_fr y = load(&b[j]), z = load(&c[j]);
    cuzk_fr_mul(&x, &y, &x);
    cuzk_fr_sub(&x, &z, &x);
    store(&c[j], &x);
}

/* out[i] = plain number of c_j with 2 j + 1 = step (2 i + 1) mod 2 n */
static __global__ void order_odd_coset(const struct cuzk_fr *__restrict__ c, uint64_t step, uint64_t n,
                                       struct cuzk_fr *__restrict__ out)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const struct cuzk_fr x = load(&c[(step * (2 * i + 1) & (2 * n - 1)) >> 1]);
    struct cuzk_fr plain;
    cuzk_fr_to_words(&x, plain.l);
    store(&out[i], &plain);
}

enum cuzk_status cuzk_cuda_odd_coset_values(const struct cuzk_cuda_quotient_plan *plan, uint64_t step,
                                            struct cuzk_fr *a, struct cuzk_fr *b, struct cuzk_fr *c,
                                            cudaStream_t stream, struct cuzk_error *err)
{
    const struct cuzk_cuda_ntt_plan *ntt = plan->ntt;
    const uint64_t n = UINT64_C(1) << ntt->log_n;

    CUZK_TRY(cuzk_cuda_ntt_inverse_dif(ntt, a, b, c, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_to_coset(ntt, a, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_to_coset(ntt, b, stream, err));
    CUZK_TRY(cuzk_cuda_ntt_forward_dit(ntt, c, stream, err));
    subtract_products<<<blocks(n, 256), 256, 0, stream>>>(a, b, c, n);
    CUZK_TRY(cuzk_cuda_launched("subtract_products", stream, err));
    order_odd_coset<<<blocks(n, 256), 256, 0, stream>>>(c, step, n, b);
    return cuzk_cuda_launched("order_odd_coset", stream, err);
}
