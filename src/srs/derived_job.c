#include "srs/derived_job.h"

#include "backend/choice.h"
#include "base/thread.h"
#include "circuit/record.h"
#include "srs/derived_key.h"

static enum cuzk_status make(const struct cuzk_derived_job *job, struct cuzk_pool *pool,
                             const struct cuzk_r1cs *r1cs, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_backend *backend = NULL;
    struct cuzk_params params = {0};

    CUZK_TRY_OUT(cuzk_params_open(job->params_path, &params, err));
    CUZK_TRY_OUT(cuzk_backend_open(job->device, pool, &backend, err));
    CUZK_TRY_OUT(cuzk_derived_build(backend, pool, r1cs, &params, job->params_path, job->progress, err));
out:
    cuzk_backend_destroy(backend);
    cuzk_params_close(&params);
    return status;
}

static enum cuzk_status find_or_make(const struct cuzk_derived_job *job, struct cuzk_pool *pool, bool *made,
                                     struct cuzk_error *note, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_witness_layout layout;
    struct cuzk_derived derived;
    struct cuzk_circuit circuit;
    struct cuzk_r1cs *r1cs;
    bool found;

    CUZK_TRY(cuzk_circuit_open(job->id, &circuit, err));
    CUZK_TRY(cuzk_circuit_record(&circuit, pool, job->progress, &r1cs, &layout, err));
    CUZK_TRY_OUT(cuzk_derived_find(job->params_path, r1cs, pool, job->progress, &found, &derived, note, err));
    cuzk_derived_close(&derived);
    if (!found)
        CUZK_TRY_OUT(make(job, pool, r1cs, err));
    *made = !found;
out:
    cuzk_r1cs_destroy(r1cs);
    cuzk_witness_layout_destroy(&layout);
    return status;
}

enum cuzk_status cuzk_derived_job_run(const struct cuzk_derived_job *job, bool *made, struct cuzk_error *note,
                                      struct cuzk_error *err)
{
    struct cuzk_pool *pool;

    *made = false;
    *note = (struct cuzk_error){0};
    if (job->background)
        cuzk_thread_prefer_late();
    CUZK_TRY(cuzk_pool_create(job->threads, &pool, err));
    const enum cuzk_status status = find_or_make(job, pool, made, note, err);

    cuzk_pool_destroy(pool);
    return status;
}
