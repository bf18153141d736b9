#include "bench/point_ntt.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "curve/encoding.h"

enum { LOG_DISTINCT = 16 };

struct work {
    struct cuzk_backend *backend;
    const struct cuzk_progress *progress;
    unsigned log_n;
    uint8_t *points, *out;
};

static enum cuzk_status run(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    struct cuzk_fr ratio;

    cuzk_fr_inverse(&cuzk_fr_generator, &ratio);
    return work->backend->ops->transform_points(work->backend, work->log_n, &cuzk_fr_generator, &ratio,
                                                work->points, (size_t)1 << work->log_n, work->out,
                                                work->progress, err);
}

/* Different multiples of the generator, copied until all are filled. */
static enum cuzk_status fill(const struct work *work, struct cuzk_error *err)
{
    const union cuzk_backend_affine base = {.g1 = cuzk_g1_generator};
    const size_t n = (size_t)1 << work->log_n, distinct = n < 1 << LOG_DISTINCT ? n : 1 << LOG_DISTINCT;
    const struct cuzk_backend_ops *ops = work->backend->ops;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_backend_table *table = NULL;
    struct cuzk_fr value = cuzk_fr_generator;
    uint64_t(*scalars)[4] = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&scalars, distinct, "scalars of points", err));
    for (size_t k = 0; k < distinct; k++) {
        cuzk_fr_mul(&value, &cuzk_fr_generator, &value);
        cuzk_fr_to_words(&value, scalars[k]);
    }
    CUZK_TRY_OUT(ops->table_create(work->backend, CUZK_GROUP_G1, &base, distinct, &table, err));
    CUZK_TRY_OUT(ops->setup_points(table, (const uint64_t(*)[4])scalars, distinct, work->points, err));
    for (size_t k = distinct; k < n; k += distinct)
        memcpy(work->points + k * CUZK_G1_RAW_BYTES, work->points, distinct * CUZK_G1_RAW_BYTES);
out:
    cuzk_backend_table_destroy(table);
    cuzk_mem_free(scalars);
    return status;
}

enum cuzk_status cuzk_bench_point_ntt(struct cuzk_backend *backend, unsigned log_n,
                                      const struct cuzk_progress *progress, struct cuzk_bench_result *out,
                                      struct cuzk_error *err)
{
    const struct cuzk_bench_rule once = {.warm_up = 0, .least = 1, .most = 1};
    const size_t n = (size_t)1 << log_n;
    struct work work = {.backend = backend, .progress = progress, .log_n = log_n};
    enum cuzk_status status = CUZK_OK;
    char name[64];

    if (backend->ops->transform_points == NULL)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "no transform of points on %s", backend->ops->name);
    CUZK_TRY_OUT(CUZK_NEW(&work.points, n * CUZK_G1_RAW_BYTES, "points to transform", err));
    CUZK_TRY_OUT(CUZK_NEW(&work.out, n * CUZK_G1_RAW_BYTES, "transformed points", err));
    CUZK_TRY_OUT(fill(&work, err));
    snprintf(name, sizeof name, "2^%u points, inverse, coset", log_n);
    const struct cuzk_bench_case what = {name, "product", n + n / 2 * log_n, run, &work};
    CUZK_TRY_OUT(cuzk_bench_measure(&what, &once, NULL, out, err));
out:
    cuzk_mem_free(work.points);
    cuzk_mem_free(work.out);
    return status;
}
