#include "support/faulty_backend.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "backend/choice.h"

/* Keys and jobs are wrapped, so that they lead back here. */
struct faulty_backend {
    struct cuzk_backend base;
    struct cuzk_backend *inner;
};

struct faulty_key {
    struct cuzk_backend_key base;
    struct cuzk_backend_key *inner;
};

struct faulty_job {
    struct cuzk_backend_job base;
    struct cuzk_backend_job *inner;
};

static atomic_size_t countdown = SIZE_MAX, calls;
static atomic_int fault = CUZK_DEVICE;
static atomic_bool gone, happened, spoilt;

void faulty_backend_fail(size_t n, enum cuzk_status status)
{
    atomic_store(&fault, (int)status);
    atomic_store(&happened, false);
    atomic_store(&countdown, n);
}

void faulty_backend_spoil(void)
{
    atomic_store(&spoilt, true);
}

bool faulty_backend_failed(void)
{
    return atomic_load(&happened);
}

size_t faulty_backend_calls(void)
{
    return atomic_load(&calls);
}

static enum cuzk_status pass(const char *what, struct cuzk_error *err)
{
    const enum cuzk_status status = (enum cuzk_status)atomic_load(&fault);

    atomic_fetch_add(&calls, 1);
    if (atomic_load(&gone))
        return cuzk_error_set(err, CUZK_DEVICE_LOST, "%s: the device is gone (injected)", what);
    const size_t left = atomic_load(&countdown);

    if (left == SIZE_MAX)
        return CUZK_OK;
    if (left != 0) {
        atomic_fetch_sub(&countdown, 1);
        return CUZK_OK;
    }
    atomic_store(&countdown, SIZE_MAX);
    atomic_store(&happened, true);
    atomic_store(&gone, status == CUZK_DEVICE_LOST);
    return cuzk_error_set(err, status, "%s: injected", what);
}

static struct cuzk_backend_job *inner_job(struct cuzk_backend_job *job)
{
    struct faulty_job *faulty = (struct faulty_job *)job;

    faulty->inner->progress = job->progress;
    return faulty->inner;
}

static const struct cuzk_backend_ops *inner_ops(const struct cuzk_backend_job *job)
{
    return ((const struct faulty_job *)job)->inner->key->backend->ops;
}

static void destroy(struct cuzk_backend *backend)
{
    cuzk_backend_destroy(((struct faulty_backend *)backend)->inner);
    free(backend);
}

static void facts(const struct cuzk_backend *backend, struct cuzk_backend_facts *out)
{
    const struct cuzk_backend *inner = ((const struct faulty_backend *)backend)->inner;

    inner->ops->facts(inner, out);
}

static enum cuzk_status needs(const struct cuzk_backend *backend, const struct cuzk_backend_shape *shape,
                              struct cuzk_backend_needs *out, struct cuzk_error *err)
{
    const struct cuzk_backend *inner = ((const struct faulty_backend *)backend)->inner;

    return inner->ops->needs(inner, shape, out, err);
}

static enum cuzk_status key_create(struct cuzk_backend *backend, const struct cuzk_backend_plan *plan,
                                   struct cuzk_backend_key **out, struct cuzk_error *err)
{
    struct cuzk_backend *inner = ((struct faulty_backend *)backend)->inner;
    struct faulty_key *key;

    *out = NULL;
    CUZK_TRY(pass("key_create", err));
    key = calloc(1, sizeof *key);
    key->base.backend = backend;
    const enum cuzk_status status = inner->ops->key_create(inner, plan, &key->inner, err);

    if (status == CUZK_OK)
        *out = &key->base;
    else
        free(key);
    return status;
}

static void key_destroy(struct cuzk_backend_key *key)
{
    cuzk_backend_key_destroy(((struct faulty_key *)key)->inner);
    free(key);
}

static enum cuzk_status job_create(struct cuzk_backend_key *key, struct cuzk_backend_job **out,
                                   struct cuzk_error *err)
{
    struct cuzk_backend_key *inner = ((struct faulty_key *)key)->inner;
    struct faulty_job *job;

    *out = NULL;
    CUZK_TRY(pass("job_create", err));
    job = calloc(1, sizeof *job);
    job->base.key = key;
    const enum cuzk_status status = inner->backend->ops->job_create(inner, &job->inner, err);

    if (status == CUZK_OK)
        *out = &job->base;
    else
        free(job);
    return status;
}

static void job_destroy(struct cuzk_backend_job *job)
{
    cuzk_backend_job_destroy(((struct faulty_job *)job)->inner);
    free(job);
}

static enum cuzk_status upload(struct cuzk_backend_job *job, const struct cuzk_witness *witness,
                               struct cuzk_error *err)
{
    CUZK_TRY(pass("upload", err));
    return inner_ops(job)->upload(inner_job(job), witness, err);
}

static enum cuzk_status eval_ab(struct cuzk_backend_job *job, struct cuzk_error *err)
{
    CUZK_TRY(pass("eval_ab", err));
    return inner_ops(job)->eval_ab(inner_job(job), err);
}

static enum cuzk_status quotient(struct cuzk_backend_job *job, struct cuzk_error *err)
{
    CUZK_TRY(pass("quotient", err));
    return inner_ops(job)->quotient(inner_job(job), err);
}

static enum cuzk_status msm_group(struct cuzk_backend_job *job, enum cuzk_scalar_set scalars,
                                  unsigned queries, union cuzk_backend_point out[CUZK_QUERIES],
                                  struct cuzk_error *err)
{
    CUZK_TRY(pass("msm_group", err));
    CUZK_TRY(inner_ops(job)->msm_group(inner_job(job), scalars, queries, out, err));
    if (atomic_load(&spoilt) && (queries & CUZK_QUERY_SET_H) != 0)
        cuzk_g1_double(&out[CUZK_QUERY_H].g1, &out[CUZK_QUERY_H].g1);
    return CUZK_OK;
}

static enum cuzk_status sum_bits(struct cuzk_backend_job *job, unsigned queries,
                                 union cuzk_backend_point out[CUZK_QUERIES], struct cuzk_error *err)
{
    CUZK_TRY(pass("sum_bits", err));
    return inner_ops(job)->sum_bits(inner_job(job), queries, out, err);
}

static enum cuzk_status wait(struct cuzk_backend_job *job, struct cuzk_error *err)
{
    CUZK_TRY(pass("wait", err));
    return inner_ops(job)->wait(inner_job(job), err);
}

static void times(const struct cuzk_backend_job *job, struct cuzk_backend_times *out)
{
    inner_ops(job)->times(((const struct faulty_job *)job)->inner, out);
}

/* What no proof needs is left out. */
static const struct cuzk_backend_ops ops = {
    .name = "faulty",
    .destroy = destroy,
    .facts = facts,
    .needs = needs,
    .key_create = key_create,
    .key_destroy = key_destroy,
    .job_create = job_create,
    .job_destroy = job_destroy,
    .upload = upload,
    .eval_ab = eval_ab,
    .quotient = quotient,
    .msm_group = msm_group,
    .sum_bits = sum_bits,
    .wait = wait,
    .times = times,
};

struct cuzk_backend *faulty_backend_create(struct cuzk_backend *inner)
{
    struct faulty_backend *faulty = calloc(1, sizeof *faulty);

    faulty->base.ops = &ops;
    faulty->inner = inner;
    atomic_store(&gone, false);
    atomic_store(&spoilt, false);
    return &faulty->base;
}

enum cuzk_status faulty_backend_open(void *context, const char *choice, struct cuzk_pool *pool,
                                     struct cuzk_backend **out, struct cuzk_error *err)
{
    struct cuzk_backend *inner;

    (void)context;
    CUZK_TRY(cuzk_backend_open(choice, pool, &inner, err));
    *out = faulty_backend_create(inner);
    return CUZK_OK;
}
