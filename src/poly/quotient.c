#include "poly/quotient.h"

#include "poly/ntt_strip.h"

enum { GRAIN = 1 << 13 };

struct pointwise {
    const struct cuzk_strip_kernel *kernel;
    const struct cuzk_fr *x, *y;
    struct cuzk_fr *out;
};

static void multiply_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct pointwise *job = context;

    (void)worker;
    job->kernel->multiply(job->x + begin, job->y + begin, end - begin, job->out + begin);
}

static void subtract_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct pointwise *job = context;

    (void)worker;
    for (size_t k = begin; k < end; k++)
        cuzk_fr_sub(&job->x[k], &job->y[k], &job->out[k]);
}

/* Values on the domain to values on the coset of a shift. */
static enum cuzk_status to_coset(const struct cuzk_ntt *ntt, struct cuzk_pool *pool,
                                 const struct cuzk_fr *shift, struct cuzk_fr *data, struct cuzk_error *err)
{
    const struct cuzk_ntt_twist twist = {*cuzk_ntt_inverse_size(ntt), *shift};

    CUZK_TRY(cuzk_ntt_scramble(ntt, pool, CUZK_NTT_INVERSE, &twist, data, err));
    return cuzk_ntt_unscramble(ntt, pool, CUZK_NTT_FORWARD, NULL, data, err);
}

enum cuzk_status cuzk_quotient(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, struct cuzk_fr *a,
                               struct cuzk_fr *b, struct cuzk_fr *product, struct cuzk_error *err)
{
    const size_t n = cuzk_ntt_size(ntt);
    struct pointwise job = {.kernel = cuzk_strip_kernel_now()};
    struct cuzk_ntt_twist twist;
    struct cuzk_fr one, z;

    job.x = a;
    job.y = b;
    job.out = product;
    cuzk_pool_range(pool, n, GRAIN, multiply_range, &job);
    CUZK_TRY(to_coset(ntt, pool, &cuzk_fr_generator, a, err));
    CUZK_TRY(to_coset(ntt, pool, &cuzk_fr_generator, b, err));
    job.out = b;
    cuzk_pool_range(pool, n, GRAIN, multiply_range, &job);

    /* first = 1 / (n (1 - g^n)), as a plain number, so that products leave Montgomery form */
    cuzk_fr_one(&one);
    cuzk_fr_pow_u64(&cuzk_fr_generator, n, &z);
    cuzk_fr_sub(&one, &z, &twist.first);
    cuzk_fr_inverse(&twist.first, &twist.first);
    cuzk_fr_mul(&twist.first, cuzk_ntt_inverse_size(ntt), &twist.first);
    cuzk_fr_to_words(&twist.first, twist.first.l);
    twist.ratio = one;
    CUZK_TRY(cuzk_ntt_scramble(ntt, pool, CUZK_NTT_INVERSE, &twist, product, err));
    cuzk_fr_inverse(&cuzk_fr_generator, &twist.ratio);
    CUZK_TRY(cuzk_ntt_scramble(ntt, pool, CUZK_NTT_INVERSE, &twist, b, err));
    job.x = product;
    job.y = b;
    job.out = b;
    cuzk_pool_range(pool, n, GRAIN, subtract_range, &job);
    cuzk_ntt_reorder(ntt, pool, b, a);
    return CUZK_OK;
}

struct products {
    struct cuzk_fr *x;
    const struct cuzk_fr *y;
    struct cuzk_fr factor; /* a plain number: the product leaves Montgomery form */
};

static void scaled_products(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct products *job = context;

    (void)worker;
    for (size_t k = begin; k < end; k++) {
        cuzk_fr_mul(&job->x[k], &job->y[k], &job->x[k]);
        cuzk_fr_mul(&job->x[k], &job->factor, &job->x[k]);
    }
}

enum cuzk_status cuzk_coset_products(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, struct cuzk_fr *a,
                                     struct cuzk_fr *b, struct cuzk_error *err)
{
    struct products job = {.x = a, .y = b};

    CUZK_TRY(to_coset(ntt, pool, &cuzk_fr_generator, a, err));
    CUZK_TRY(to_coset(ntt, pool, &cuzk_fr_generator, b, err));
    cuzk_coset_vanishing(cuzk_ntt_log_size(ntt), &job.factor);
    cuzk_fr_inverse(&job.factor, &job.factor);
    cuzk_fr_to_words(&job.factor, job.factor.l);
    cuzk_pool_range(pool, cuzk_ntt_size(ntt), GRAIN, scaled_products, &job);
    return CUZK_OK;
}

void cuzk_coset_vanishing(unsigned log_n, struct cuzk_fr *out)
{
    struct cuzk_fr one;

    cuzk_fr_one(&one);
    cuzk_fr_pow_u64(&cuzk_fr_generator, UINT64_C(1) << log_n, out);
    cuzk_fr_sub(out, &one, out);
}

struct odd {
    const struct cuzk_fr *product, *values;
    struct cuzk_fr *out;
    uint64_t step;
    size_t mask; /* n - 1 */
};

static void odd_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct odd *job = context;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const size_t place = (size_t)((job->step * (2 * i + 1) - 1) / 2) & job->mask;
        cuzk_fr_sub(&job->values[place], &job->product[place], &job->out[i]);
        cuzk_fr_to_words(&job->out[i], job->out[i].l);
    }
}

enum cuzk_status cuzk_odd_coset_values(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, uint64_t step,
                                       struct cuzk_fr *a, struct cuzk_fr *b, struct cuzk_fr *product,
                                       struct cuzk_error *err)
{
    const size_t n = cuzk_ntt_size(ntt);
    struct pointwise job = {.kernel = cuzk_strip_kernel_now(), .x = a, .y = b, .out = product};
    struct cuzk_fr shift;

    cuzk_fr_root_of_unity(cuzk_ntt_log_size(ntt) + 1, &shift);
    cuzk_pool_range(pool, n, GRAIN, multiply_range, &job);
    CUZK_TRY(to_coset(ntt, pool, &shift, a, err));
    CUZK_TRY(to_coset(ntt, pool, &shift, b, err));
    CUZK_TRY(to_coset(ntt, pool, &shift, product, err));
    job.out = b;
    cuzk_pool_range(pool, n, GRAIN, multiply_range, &job);
    struct odd odd = {product, b, a, step, n - 1};
    cuzk_pool_range(pool, n, GRAIN, odd_range, &odd);
    return CUZK_OK;
}
