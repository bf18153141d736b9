#include "groth16/derive.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/mem.h"
#include "curve/encoding.h"
#include "groth16/derived_write.h"
#include "groth16/fold.h"
#include "groth16/qap.h"
#include "poly/quotient.h"
#include "r1cs/fingerprint.h"

/* Points made or written at once. */
enum { CHUNK = 1 << 20 };

struct derive {
    struct cuzk_backend *backend;
    struct cuzk_pool *pool;
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_params *params;
    const struct cuzk_derive_digest *digest;
    const struct cuzk_progress *progress;
    struct cuzk_derived_shape shape;
    struct cuzk_derived_writer *writer;
    struct cuzk_density c_density;
    struct cuzk_fr size_inverse, z_inverse;
    struct cuzk_fold *fold;
    uint8_t *lagrange; /* phi of the domain's Lagrange basis times -1 / z: [domain] uncompressed points */
    uint8_t *coset;    /* phi of the coset's: the derived h */
    uint8_t *chunk;    /* of the derived l */
    uint8_t params_digest[CUZK_DERIVED_PARAMS_BYTES];
    unsigned transforms; /* done */
    atomic_bool failed;  /* one of two sides, so that the other stops */
    atomic_bool alone;   /* h is written: what is left tells its progress */
};

/* ---- progress of two sides ---- */

/* Transforms report; what runs beside them does not, while they run. */
static void report_transform(void *context, const char *stage, uint64_t done, uint64_t total)
{
    const struct derive *derive = context;

    (void)stage;
    cuzk_progress_report(derive->progress, "transforms of h", derive->transforms * total + done, 2 * total);
}

static void report_beside(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct derive *derive = context;

    if (atomic_load(&derive->alone))
        cuzk_progress_report(derive->progress, stage, done, total);
}

static bool should_stop(void *context)
{
    struct derive *derive = context;

    return atomic_load(&derive->failed) || cuzk_progress_check(derive->progress, NULL) != CUZK_OK;
}

/* ---- the transforms ---- */

/* The points of h, transformed under the twist. */
static enum cuzk_status transform(struct derive *derive, const struct cuzk_fr *first,
                                  const struct cuzk_fr *ratio, uint8_t *out, struct cuzk_error *err)
{
    const struct cuzk_params *params = derive->params;
    const struct cuzk_params_query *h = &params->query[CUZK_QUERY_H];
    const struct cuzk_progress progress = {report_transform, should_stop, derive};
    const enum cuzk_status status =
        derive->backend->ops->transform_points(derive->backend, derive->shape.log_domain, first, ratio,
                                               params->bytes + h->offset, h->count, out, &progress, err);

    derive->transforms++;
    cuzk_params_release(params, CUZK_QUERY_H, 0, h->count);
    return status == CUZK_INPUT ? cuzk_error_prefix(err, status, "%s: h", params->name) : status;
}

static enum cuzk_status make_lagrange(struct derive *derive, struct cuzk_error *err)
{
    struct cuzk_fr first, one;

    cuzk_fr_one(&one);
    cuzk_fr_mul(&derive->size_inverse, &derive->z_inverse, &first);
    cuzk_fr_neg(&first, &first);
    return transform(derive, &first, &one, derive->lagrange, err);
}

static enum cuzk_status write_h(struct derive *derive, struct cuzk_error *err)
{
    const struct cuzk_progress progress = {NULL, should_stop, derive};
    const size_t points = (size_t)1 << derive->shape.log_domain;

    for (size_t first = 0, n; first < points; first += n) {
        n = points - first < CHUNK ? points - first : CHUNK;
        CUZK_TRY(cuzk_progress_check(&progress, err));
        cuzk_progress_report(derive->progress, "writing the derived h", first, points);
        CUZK_TRY(cuzk_derived_write_points(derive->writer, CUZK_DERIVED_H,
                                           derive->coset + first * CUZK_G1_RAW_BYTES, n, err));
    }
    return CUZK_OK;
}

static enum cuzk_status make_h(struct derive *derive, struct cuzk_error *err)
{
    struct cuzk_fr ratio;

    cuzk_fr_inverse(&cuzk_fr_generator, &ratio);
    CUZK_TRY(transform(derive, &derive->size_inverse, &ratio, derive->coset, err));
    CUZK_TRY(write_h(derive, err));
    atomic_store(&derive->alone, true);
    return CUZK_OK;
}

/* ---- what is beside them ---- */

static enum cuzk_status prepare(struct derive *derive, struct cuzk_error *err)
{
    const struct cuzk_progress progress = {report_beside, should_stop, derive};

    CUZK_TRY(cuzk_fold_create(derive->r1cs, derive->pool, &progress, &derive->fold, err));
    return derive->digest->make(derive->digest->context, &progress, derive->params_digest, err);
}

static enum cuzk_status write_inputs(struct derive *derive, struct cuzk_error *err)
{
    uint8_t point[CUZK_G1_RAW_BYTES];

    for (uint32_t i = 0; i < derive->r1cs->inputs; i++) {
        if (!(derive->c_density.inputs[i / 64] >> (i % 64) & 1))
            continue;
        CUZK_TRY(cuzk_fold_input(derive->fold, derive->lagrange, i, point, err));
        CUZK_TRY(cuzk_derived_write_points(derive->writer, CUZK_DERIVED_L, point, 1, err));
    }
    return CUZK_OK;
}

static enum cuzk_status make_l(struct derive *derive, struct cuzk_error *err)
{
    const struct cuzk_progress progress = {report_beside, should_stop, derive};
    const struct cuzk_params *params = derive->params;
    const uint8_t *l = params->bytes + params->query[CUZK_QUERY_L].offset;
    const uint32_t aux = derive->r1cs->aux;

    CUZK_TRY(write_inputs(derive, err));
    for (uint32_t first = 0, n; first < aux; first += n) {
        n = aux - first < CHUNK ? aux - first : CHUNK;
        CUZK_TRY(cuzk_progress_check(&progress, err));
        cuzk_progress_report(&progress, "folding C into l", first, aux);
        const enum cuzk_status status =
            cuzk_fold_aux(derive->fold, derive->lagrange, first, n, l + (size_t)first * CUZK_G1_RAW_BYTES,
                          derive->chunk, err);
        if (status == CUZK_INPUT)
            return cuzk_error_prefix(err, status, "%s", params->name);
        CUZK_TRY(status);
        cuzk_params_release(params, CUZK_QUERY_L, first, first + n);
        CUZK_TRY(cuzk_derived_write_points(derive->writer, CUZK_DERIVED_L, derive->chunk, n, err));
    }
    return CUZK_OK;
}

/* ---- two sides ---- */

typedef enum cuzk_status (*step)(struct derive *derive, struct cuzk_error *err);

struct side {
    struct derive *derive;
    step run;
    enum cuzk_status status;
    struct cuzk_error err;
};

static void *run_side(void *context)
{
    struct side *side = context;

    side->status = side->run(side->derive, &side->err);
    if (side->status != CUZK_OK)
        atomic_store(&side->derive->failed, true);
    return NULL;
}

/* The failure that is not only the other one's echo. */
static enum cuzk_status outcome(const struct side *a, const struct side *b, struct cuzk_error *err)
{
    const struct side *first =
        a->status != CUZK_OK && (a->status != CUZK_CANCELLED || b->status == CUZK_OK) ? a : b;

    if (first->status != CUZK_OK && err != NULL)
        *err = first->err;
    return first->status;
}

/* device: what the backend does, processors at most little; both at once where there are threads for it. */
static enum cuzk_status run_both(struct derive *derive, step device, step beside, struct cuzk_error *err)
{
    struct side here = {.derive = derive, .run = device}, there = {.derive = derive, .run = beside};
    pthread_t thread;

    if (cuzk_pool_threads(derive->pool) > 1 && pthread_create(&thread, NULL, run_side, &there) == 0) {
        (void)run_side(&here);
        pthread_join(thread, NULL);
    } else {
        (void)run_side(&here);
        if (here.status == CUZK_OK)
            (void)run_side(&there);
    }
    return outcome(&here, &there, err);
}

/* ---- the whole ---- */

static enum cuzk_status check_counts(const struct derive *derive, struct cuzk_error *err)
{
    const struct cuzk_params *params = derive->params;
    const uint64_t h = (UINT64_C(1) << derive->shape.log_domain) - 1;

    if (params->vk.ic_count == derive->r1cs->inputs && params->query[CUZK_QUERY_H].count == h &&
        params->query[CUZK_QUERY_L].count == derive->r1cs->aux)
        return CUZK_OK;
    return cuzk_error_set(
        err, CUZK_INPUT,
        "%s: expected %u, %llu and %u points of ic, h and l for this circuit, found %u, %u and %u",
        params->name, derive->r1cs->inputs, (unsigned long long)h, derive->r1cs->aux, params->vk.ic_count,
        params->query[CUZK_QUERY_H].count, params->query[CUZK_QUERY_L].count);
}

static enum cuzk_status start(struct derive *derive, struct cuzk_store store, struct cuzk_error *err)
{
    const struct cuzk_r1cs *r1cs = derive->r1cs;

    derive->shape = (struct cuzk_derived_shape){.inputs = r1cs->inputs, .aux = r1cs->aux};
    CUZK_TRY(cuzk_qap_log_domain(r1cs, &derive->shape.log_domain, err));
    CUZK_TRY(check_counts(derive, err));
    cuzk_r1cs_fingerprint(r1cs, derive->shape.identity.circuit);
    cuzk_fr_from_u64(UINT64_C(1) << derive->shape.log_domain, &derive->size_inverse);
    cuzk_fr_inverse(&derive->size_inverse, &derive->size_inverse);
    cuzk_coset_vanishing(derive->shape.log_domain, &derive->z_inverse);
    cuzk_fr_inverse(&derive->z_inverse, &derive->z_inverse);
    CUZK_TRY(cuzk_r1cs_density(r1cs, CUZK_MATRIX_C, &derive->c_density, err));
    const size_t points = (size_t)CUZK_G1_RAW_BYTES << derive->shape.log_domain;
    CUZK_TRY(CUZK_NEW(&derive->lagrange, points, "derived h", err));
    CUZK_TRY(CUZK_NEW(&derive->coset, points, "derived h", err));
    CUZK_TRY(CUZK_NEW(&derive->chunk, (size_t)(r1cs->aux < CHUNK ? r1cs->aux : CHUNK) * CUZK_G1_RAW_BYTES,
                      "derived l", err));
    return cuzk_derived_writer_create(store, derive->pool, &derive->shape, derive->c_density.inputs,
                                      &derive->writer, err);
}

enum cuzk_status cuzk_derive(struct cuzk_backend *backend, struct cuzk_pool *pool,
                             const struct cuzk_r1cs *r1cs, const struct cuzk_params *params,
                             const struct cuzk_derive_digest *digest, struct cuzk_store store,
                             const struct cuzk_progress *progress, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct derive derive = {.backend = backend,
                            .pool = pool,
                            .r1cs = r1cs,
                            .params = params,
                            .digest = digest,
                            .progress = progress};

    if (backend->ops->transform_points == NULL)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "a key cannot be derived on %s", backend->ops->name);
    CUZK_TRY_OUT(start(&derive, store, err));
    CUZK_TRY_OUT(run_both(&derive, make_lagrange, prepare, err));
    CUZK_TRY_OUT(run_both(&derive, make_h, make_l, err));
    CUZK_TRY_OUT(cuzk_derived_writer_finish(derive.writer, derive.params_digest, err));
out:
    cuzk_derived_writer_destroy(derive.writer);
    cuzk_fold_destroy(derive.fold);
    cuzk_density_destroy(&derive.c_density);
    cuzk_mem_free(derive.lagrange);
    cuzk_mem_free(derive.coset);
    cuzk_mem_free(derive.chunk);
    return status;
}
