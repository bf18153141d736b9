#include "backend/cpu/cpu.h"

#include <stdio.h>

#include "backend/cpu/job.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "curve/encoding.h"
#include "msm/fixed_base.h"
#include "msm/msm.h"
#include "poly/point_ntt.h"

struct cpu_table {
    struct cuzk_backend_table base;
    struct cuzk_fixed_base_g1 *g1; /* one of the two */
    struct cuzk_fixed_base_g2 *g2;
};

static struct cuzk_pool *pool_of(const struct cuzk_backend *backend)
{
    return ((const struct cpu_backend *)backend)->pool;
}

static void destroy(struct cuzk_backend *backend)
{
    cuzk_mem_free(backend);
}

static void facts(const struct cuzk_backend *backend, struct cuzk_backend_facts *out)
{
    (void)backend;
    *out = (struct cuzk_backend_facts){.id = "cpu"};
    snprintf(out->device, sizeof out->device, "%s", cuzk_cpu_name());
}

static void table_destroy(struct cuzk_backend_table *base)
{
    struct cpu_table *table = (struct cpu_table *)base;

    cuzk_fixed_base_g1_destroy(table->g1);
    cuzk_fixed_base_g2_destroy(table->g2);
    cuzk_mem_free(table);
}

static enum cuzk_status table_create(struct cuzk_backend *backend, enum cuzk_group group,
                                     const union cuzk_backend_affine *base, size_t expected,
                                     struct cuzk_backend_table **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cpu_table *table = NULL;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&table, 1, "fixed base", err));
    table->base.backend = backend;
    if (group == CUZK_GROUP_G1)
        CUZK_TRY_OUT(cuzk_fixed_base_g1_create(pool_of(backend), &base->g1, expected, &table->g1, err));
    else
        CUZK_TRY_OUT(cuzk_fixed_base_g2_create(pool_of(backend), &base->g2, expected, &table->g2, err));
    *out = &table->base;
    table = NULL;
out:
    if (table != NULL)
        table_destroy(&table->base);
    return status;
}

static enum cuzk_status setup_points(struct cuzk_backend_table *base, const uint64_t (*scalars)[4], size_t n,
                                     uint8_t *out, struct cuzk_error *err)
{
    const struct cpu_table *table = (const struct cpu_table *)base;
    struct cuzk_pool *pool = pool_of(base->backend);

    return table->g1 != NULL ? cuzk_fixed_base_g1_mul_raw(pool, table->g1, scalars, n, out, err)
                             : cuzk_fixed_base_g2_mul_raw(pool, table->g2, scalars, n, out, err);
}

/* ---- transforms of points ---- */

enum { CODING_PIECE = 1 << 8 };

struct coding {
    const uint8_t *from;
    uint8_t *to;
    struct cuzk_g1 *points;
    size_t n;
    size_t bad; /* 1 + the number of a point that is none, or 0; changed atomically */
};

static void decode_piece(void *context, size_t index, unsigned worker)
{
    struct coding *job = context;
    const size_t begin = index * CODING_PIECE,
                 end = job->n - begin < CODING_PIECE ? job->n : begin + CODING_PIECE;

    (void)worker;
    for (size_t k = begin; k < end; k++) {
        struct cuzk_g1_affine point;
        if (cuzk_g1_decode_raw_unchecked(job->from + k * CUZK_G1_RAW_BYTES, &point, NULL) != CUZK_OK ||
            !cuzk_g1_is_on_curve(&point))
            __atomic_store_n(&job->bad, k + 1, __ATOMIC_RELAXED);
        else
            cuzk_g1_from_affine(&point, &job->points[k]);
    }
}

static void encode_piece(void *context, size_t index, unsigned worker)
{
    const struct coding *job = context;
    const size_t begin = index * CODING_PIECE,
                 n = job->n - begin < CODING_PIECE ? job->n - begin : CODING_PIECE;
    struct cuzk_g1_affine affine[CODING_PIECE];

    (void)worker;
    cuzk_g1_batch_to_affine(job->points + begin, n, affine);
    for (size_t k = 0; k < n; k++)
        cuzk_g1_encode_raw(&affine[k], job->to + (begin + k) * CUZK_G1_RAW_BYTES);
}

static size_t coding_pieces(size_t n)
{
    return (n + CODING_PIECE - 1) / CODING_PIECE;
}

static enum cuzk_status transform_points(struct cuzk_backend *backend, unsigned log_n,
                                         const struct cuzk_fr *first, const struct cuzk_fr *ratio,
                                         const uint8_t *points, size_t given, uint8_t *out,
                                         const struct cuzk_progress *progress, struct cuzk_error *err)
{
    const struct cuzk_ntt_twist twist = {*first, *ratio};
    const size_t n = (size_t)1 << log_n;
    struct coding job = {.from = points, .to = out, .n = given};
    struct cuzk_pool *pool = pool_of(backend);
    enum cuzk_status status = CUZK_OK;

    if (given > n)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%zu points for a transform of 2^%u", given, log_n);
    CUZK_TRY(CUZK_NEW(&job.points, n, "points to transform", err));
    cuzk_pool_run(pool, coding_pieces(given), decode_piece, &job);
    for (size_t k = given; k < n; k++)
        cuzk_g1_identity(&job.points[k]);
    if (job.bad != 0) {
        status = cuzk_error_set(err, CUZK_INPUT, "point %zu is not on the curve or not encoded as one",
                                job.bad - 1);
        goto out;
    }
    CUZK_TRY_OUT(cuzk_point_ntt_inverse(pool, log_n, &twist, job.points, progress, err));
    job.n = n;
    cuzk_pool_run(pool, coding_pieces(n), encode_piece, &job);
out:
    cuzk_mem_free(job.points);
    return status;
}

static enum cuzk_status ntt(struct cuzk_backend *backend, unsigned log_n, bool inverse, bool coset,
                            struct cuzk_fr *data, struct cuzk_error *err)
{
    struct cuzk_ntt *tables;

    CUZK_TRY(cuzk_ntt_create(log_n, &tables, err));
    const enum cuzk_status status = cuzk_ntt_transform(
        tables, pool_of(backend), inverse ? CUZK_NTT_INVERSE : CUZK_NTT_FORWARD, coset, data, err);
    cuzk_ntt_destroy(tables);
    return status;
}

static enum cuzk_status msm(struct cuzk_backend *backend, enum cuzk_group group, const uint8_t *bases,
                            size_t n, const uint64_t (*scalars)[4], union cuzk_backend_point *out,
                            struct cuzk_error *err)
{
    const struct cuzk_msm_raw raw = {.bytes = bases, .n = n};

    return group == CUZK_GROUP_G1 ? cuzk_msm_g1_raw(pool_of(backend), &raw, scalars, &out->g1, err)
                                  : cuzk_msm_g2_raw(pool_of(backend), &raw, scalars, &out->g2, err);
}

/* Works in host memory: the key is the file's own pages. */
static enum cuzk_status needs(const struct cuzk_backend *backend, const struct cuzk_backend_shape *shape,
                              struct cuzk_backend_needs *out, struct cuzk_error *err)
{
    (void)backend;
    (void)shape;
    (void)err;
    *out = (struct cuzk_backend_needs){0};
    return CUZK_OK;
}

static const struct cuzk_backend_ops ops = {
    .name = "cpu",
    .destroy = destroy,
    .facts = facts,
    .needs = needs,
    .key_create = cpu_key_create,
    .key_destroy = cpu_key_destroy,
    .job_create = cpu_job_create,
    .job_destroy = cpu_job_destroy,
    .upload = cpu_job_upload,
    .eval_ab = cpu_job_eval_ab,
    .quotient = cpu_job_quotient,
    .msm_group = cpu_job_msm_group,
    .sum_bits = cpu_job_sum_bits,
    .download = cpu_job_download,
    .wait = cpu_job_wait,
    .times = cpu_job_times,
    .table_create = table_create,
    .table_destroy = table_destroy,
    .setup_points = setup_points,
    .transform_points = transform_points,
    .ntt = ntt,
    .msm = msm,
};

enum cuzk_status cuzk_backend_cpu_create(struct cuzk_pool *pool, struct cuzk_backend **out,
                                         struct cuzk_error *err)
{
    struct cpu_backend *backend;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&backend, 1, "CPU backend", err));
    backend->base.ops = &ops;
    backend->pool = pool;
    *out = &backend->base;
    return CUZK_OK;
}
