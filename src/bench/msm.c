#include "bench/msm.h"

#include <stdio.h>

#include "base/mem.h"
#include "curve/encoding.h"
#include "field/fr.h"
#include "msm/fixed_base.h"
#include "msm/msm.h"

enum { LOG_MOST = 26, LOG_MOST_G2 = 22 };

struct work {
    struct cuzk_pool *pool;
    size_t n;
    uint64_t (*scalars)[4];
    uint64_t *bitmap;
    struct cuzk_g1_affine *g1;
    struct cuzk_g2_affine *g2;
    uint8_t *raw;
    struct cuzk_fixed_base_g1 *g1_table;
    struct cuzk_fixed_base_g2 *g2_table;
};

/* splitmix64, four words a scalar, the top one below r's */
void cuzk_bench_msm_scalars(uint64_t seed, size_t n, uint64_t (*scalars)[4])
{
    const uint64_t r[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;

    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
            z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
            z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
            scalars[i][k] = z ^ z >> 31;
        }
        scalars[i][3] %= r[3];
    }
}

enum cuzk_status cuzk_bench_msm_bases(struct cuzk_pool *pool, size_t n, struct cuzk_g1_affine *g1,
                                      struct cuzk_g2_affine *g2, struct cuzk_error *err)
{
    struct cuzk_fixed_base_g1 *g1_table = NULL;
    struct cuzk_fixed_base_g2 *g2_table = NULL;
    uint64_t(*factors)[4] = NULL;
    enum cuzk_status status;

    CUZK_TRY_OUT(CUZK_NEW(&factors, n, "factors of bases", err));
    cuzk_bench_msm_scalars(1, n, factors);
    if (g1 != NULL) {
        CUZK_TRY_OUT(cuzk_fixed_base_g1_create(pool, &cuzk_g1_generator, n, &g1_table, err));
        CUZK_TRY_OUT(cuzk_fixed_base_g1_mul(pool, g1_table, (const uint64_t(*)[4])factors, n, g1, err));
    }
    if (g2 != NULL) {
        CUZK_TRY_OUT(cuzk_fixed_base_g2_create(pool, &cuzk_g2_generator, n, &g2_table, err));
        CUZK_TRY_OUT(cuzk_fixed_base_g2_mul(pool, g2_table, (const uint64_t(*)[4])factors, n, g2, err));
    }
out:
    cuzk_mem_free(factors);
    cuzk_fixed_base_g1_destroy(g1_table);
    cuzk_fixed_base_g2_destroy(g2_table);
    return status;
}

static enum cuzk_status run_g1(void *context, struct cuzk_error *err)
{
    const struct work *w = context;
    struct cuzk_g1 sum;

    return cuzk_msm_g1(w->pool, w->g1, (const uint64_t(*)[4])w->scalars, w->n, &sum, err);
}

static enum cuzk_status run_g1_raw(void *context, struct cuzk_error *err)
{
    const struct work *w = context;
    const struct cuzk_msm_raw raw = {.bytes = w->raw, .n = w->n};
    struct cuzk_g1 sum;

    return cuzk_msm_g1_raw(w->pool, &raw, (const uint64_t(*)[4])w->scalars, &sum, err);
}

static enum cuzk_status run_g1_bits(void *context, struct cuzk_error *err)
{
    const struct work *w = context;
    struct cuzk_g1 sum;

    return cuzk_msm_g1_sum_bits(w->pool, w->g1, w->bitmap, w->n, &sum, err);
}

static enum cuzk_status run_g1_fixed(void *context, struct cuzk_error *err)
{
    const struct work *w = context;

    return cuzk_fixed_base_g1_mul_raw(w->pool, w->g1_table, (const uint64_t(*)[4])w->scalars, w->n, w->raw,
                                      err);
}

static enum cuzk_status run_g2(void *context, struct cuzk_error *err)
{
    const struct work *w = context;
    struct cuzk_g2 sum;

    return cuzk_msm_g2(w->pool, w->g2, (const uint64_t(*)[4])w->scalars, w->n, &sum, err);
}

static enum cuzk_status run_g2_raw(void *context, struct cuzk_error *err)
{
    const struct work *w = context;
    const struct cuzk_msm_raw raw = {.bytes = w->raw, .n = w->n};
    struct cuzk_g2 sum;

    return cuzk_msm_g2_raw(w->pool, &raw, (const uint64_t(*)[4])w->scalars, &sum, err);
}

static enum cuzk_status run_g2_bits(void *context, struct cuzk_error *err)
{
    const struct work *w = context;
    struct cuzk_g2 sum;

    return cuzk_msm_g2_sum_bits(w->pool, w->g2, w->bitmap, w->n, &sum, err);
}

static enum cuzk_status run_g2_fixed(void *context, struct cuzk_error *err)
{
    const struct work *w = context;

    return cuzk_fixed_base_g2_mul_raw(w->pool, w->g2_table, (const uint64_t(*)[4])w->scalars, w->n, w->raw,
                                      err);
}

struct named_case {
    const char *name;
    enum cuzk_status (*run)(void *context, struct cuzk_error *err);
};

static enum cuzk_status measure(struct work *work, unsigned log_n, const struct named_case *cases, size_t n,
                                const struct cuzk_progress *progress, struct cuzk_bench_result *results,
                                size_t *count, struct cuzk_error *err)
{
    for (size_t i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "2^%u %s", log_n, cases[i].name);
        const struct cuzk_bench_case what = {name, "point", work->n, cases[i].run, work};
        CUZK_TRY(cuzk_bench_measure(&what, &cuzk_bench_default, progress, &results[*count], err));
        ++*count;
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_bench_msm(struct cuzk_pool *pool, unsigned log_n, const struct cuzk_progress *progress,
                                struct cuzk_bench_result results[CUZK_BENCH_MSM_CASES], size_t *count,
                                struct cuzk_error *err)
{
    /* the fixed-base products write their bytes over those that the raw MSM reads: points all the same */
    static const struct named_case g1_cases[] = {{"g1, random scalars", run_g1},
                                                 {"g1, from a file's bytes", run_g1_raw},
                                                 {"g1, half of the bits set", run_g1_bits},
                                                 {"g1, fixed base", run_g1_fixed}};
    static const struct named_case g2_cases[] = {{"g2, random scalars", run_g2},
                                                 {"g2, from a file's bytes", run_g2_raw},
                                                 {"g2, half of the bits set", run_g2_bits},
                                                 {"g2, fixed base", run_g2_fixed}};
    struct work work = {.pool = pool, .n = (size_t)1 << log_n};
    enum cuzk_status status = CUZK_OK;

    *count = 0;
    if (log_n > LOG_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "an MSM of 2^%u points is too large to measure: at most 2^%d", log_n, LOG_MOST);
    CUZK_TRY_OUT(CUZK_NEW(&work.scalars, work.n, "scalars", err));
    CUZK_TRY_OUT(CUZK_NEW(&work.bitmap, work.n / 64 + 1, "bitmap", err));
    CUZK_TRY_OUT(CUZK_NEW(&work.g1, work.n, "bases", err));
    CUZK_TRY_OUT(CUZK_NEW(&work.raw, work.n * CUZK_G2_RAW_BYTES, "bases", err));
    cuzk_bench_msm_scalars(2, work.n, work.scalars);
    for (size_t i = 0; i < work.n / 64; i++)
        work.bitmap[i] = work.scalars[i][0];
    CUZK_TRY_OUT(cuzk_bench_msm_bases(pool, work.n, work.g1, NULL, err));
    for (size_t i = 0; i < work.n; i++)
        cuzk_g1_encode_raw(&work.g1[i], work.raw + i * CUZK_G1_RAW_BYTES);
    CUZK_TRY_OUT(cuzk_fixed_base_g1_create(pool, &cuzk_g1_generator, work.n, &work.g1_table, err));
    CUZK_TRY_OUT(measure(&work, log_n, g1_cases, 4, progress, results, count, err));
    if (log_n > LOG_MOST_G2)
        goto out;
    cuzk_fixed_base_g1_destroy(work.g1_table);
    cuzk_mem_free(work.g1);
    work.g1_table = NULL;
    work.g1 = NULL;
    CUZK_TRY_OUT(CUZK_NEW(&work.g2, work.n, "bases", err));
    CUZK_TRY_OUT(cuzk_bench_msm_bases(pool, work.n, NULL, work.g2, err));
    for (size_t i = 0; i < work.n; i++)
        cuzk_g2_encode_raw(&work.g2[i], work.raw + i * CUZK_G2_RAW_BYTES);
    CUZK_TRY_OUT(cuzk_fixed_base_g2_create(pool, &cuzk_g2_generator, work.n, &work.g2_table, err));
    CUZK_TRY_OUT(measure(&work, log_n, g2_cases, 4, progress, results, count, err));
out:
    cuzk_mem_free(work.scalars);
    cuzk_mem_free(work.bitmap);
    cuzk_mem_free(work.g1);
    cuzk_mem_free(work.g2);
    cuzk_mem_free(work.raw);
    cuzk_fixed_base_g1_destroy(work.g1_table);
    cuzk_fixed_base_g2_destroy(work.g2_table);
    return status;
}
