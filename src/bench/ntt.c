#include "bench/ntt.h"

#include <stdio.h>

#include "base/mem.h"
#include "poly/quotient.h"

struct work {
    struct cuzk_pool *pool;
    struct cuzk_ntt *ntt;
    struct cuzk_fr *a, *b, *product;
};

/* Any values do: the time does not depend on them, and results of one run are as good for the next. */
static void fill(struct cuzk_fr *data, size_t n)
{
    struct cuzk_fr value = cuzk_fr_generator;

    for (size_t k = 0; k < n; k++) {
        cuzk_fr_mul(&value, &cuzk_fr_generator, &value);
        data[k] = value;
    }
}

static enum cuzk_status run_scramble(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    const struct cuzk_ntt_twist twist = {*cuzk_ntt_inverse_size(work->ntt), cuzk_fr_generator};

    return cuzk_ntt_scramble(work->ntt, work->pool, CUZK_NTT_INVERSE, &twist, work->a, err);
}

static enum cuzk_status run_unscramble(void *context, struct cuzk_error *err)
{
    const struct work *work = context;

    return cuzk_ntt_unscramble(work->ntt, work->pool, CUZK_NTT_FORWARD, NULL, work->a, err);
}

static enum cuzk_status run_natural(void *context, struct cuzk_error *err)
{
    const struct work *work = context;

    return cuzk_ntt_transform(work->ntt, work->pool, CUZK_NTT_INVERSE, 1, work->a, err);
}

static enum cuzk_status run_quotient(void *context, struct cuzk_error *err)
{
    const struct work *work = context;

    return cuzk_quotient(work->ntt, work->pool, work->a, work->b, work->product, err);
}

enum cuzk_status cuzk_bench_ntt(struct cuzk_pool *pool, unsigned log_n, const struct cuzk_progress *progress,
                                struct cuzk_bench_result results[CUZK_BENCH_NTT_CASES],
                                struct cuzk_error *err)
{
    static const struct {
        const char *name;
        enum cuzk_status (*run)(void *context, struct cuzk_error *err);
    } cases[CUZK_BENCH_NTT_CASES] = {
        {"inverse, coset, scrambled", run_scramble},
        {"forward from scrambled", run_unscramble},
        {"inverse, coset, natural", run_natural},
        {"quotient", run_quotient},
    };
    struct work work = {.pool = pool};
    enum cuzk_status status = CUZK_OK;

    CUZK_TRY_OUT(cuzk_ntt_create(log_n, &work.ntt, err));
    const size_t n = cuzk_ntt_size(work.ntt);
    CUZK_TRY_OUT(CUZK_NEW(&work.a, n, "elements to transform", err));
    CUZK_TRY_OUT(CUZK_NEW(&work.b, n, "elements to transform", err));
    CUZK_TRY_OUT(CUZK_NEW(&work.product, n, "elements to transform", err));
    fill(work.a, n);
    fill(work.b, n);
    for (size_t k = 0; k < CUZK_BENCH_NTT_CASES; k++) {
        char name[64];
        snprintf(name, sizeof name, "2^%u %s", log_n, cases[k].name);
        const struct cuzk_bench_case what = {name, "element", n, cases[k].run, &work};
        CUZK_TRY_OUT(cuzk_bench_measure(&what, &cuzk_bench_default, progress, &results[k], err));
    }
out:
    cuzk_mem_free(work.a);
    cuzk_mem_free(work.b);
    cuzk_mem_free(work.product);
    cuzk_ntt_destroy(work.ntt);
    return status;
}
