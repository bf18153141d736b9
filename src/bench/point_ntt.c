#include "bench/point_ntt.h"

#include <stdio.h>

#include "base/mem.h"
#include "bench/points.h"
#include "curve/encoding.h"

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
    CUZK_TRY_OUT(cuzk_bench_points(NULL, n, work.points, err));
    snprintf(name, sizeof name, "2^%u points, inverse, coset", log_n);
    const struct cuzk_bench_case what = {name, "product", n + n / 2 * log_n, run, &work};
    CUZK_TRY_OUT(cuzk_bench_measure(&what, &once, NULL, out, err));
out:
    cuzk_mem_free(work.points);
    cuzk_mem_free(work.out);
    return status;
}
