#include "engine/resident_key.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/pool.h"
#include "circuit/pce.h"
#include "srs/cache.h"
#include "srs/derived_key.h"

enum {
    RECORDERS = 3,                  /* threads: the parts that are compared are recorded side by side */
    WORTH_A_FILE = 4 * 1000 * 1000, /* variables that are recorded: a second or more */
};

/* Where the compact circuit is kept (srs/cache.h). NULL: it is not worth a file, or is kept nowhere. */
static const char *pce_path(const struct cuzk_circuit *circuit, const char *params_path,
                            char path[CUZK_PARAMETER_PATH])
{
    if ((uint64_t)circuit->head.aux + circuit->part.aux < WORTH_A_FILE)
        return NULL;
    return cuzk_cache_place(params_path, CUZK_PCE_SUFFIX, path) ? path : NULL;
}

static enum cuzk_status obtain_circuit(struct cuzk_resident_key *key, const char *params_path,
                                       const struct cuzk_progress *progress, struct cuzk_timeline *timeline,
                                       struct cuzk_error *err)
{
    static const char *const stages[] = {[CUZK_PCE_RECORDED] = "record circuit",
                                         [CUZK_PCE_READ] = "read circuit",
                                         [CUZK_PCE_REBUILT] = "rebuild circuit"};
    const uint64_t begin = cuzk_clock_ns();
    struct cuzk_pool *pool = NULL;
    enum cuzk_pce_origin origin;
    char path[CUZK_PARAMETER_PATH];
    struct cuzk_error note;

    if (cuzk_pool_create(RECORDERS, &pool, NULL) != CUZK_OK)
        pool = NULL; /* one thread then */
    const enum cuzk_status status =
        cuzk_pce_obtain(&key->circuit, pce_path(&key->circuit, params_path, path), pool, progress, &key->r1cs,
                        &key->layout, &origin, &note, err);
    cuzk_pool_destroy(pool);
    if (status == CUZK_OK)
        cuzk_timeline_add(timeline, "host", stages[origin], CUZK_TIMELINE_NO_PARTITION, begin);
    return status;
}

/* A derived key that is no good is told and left alone: the parameters do without. */
static enum cuzk_status find_derived(struct cuzk_resident_key *key, const char *params_path,
                                     const struct cuzk_progress *progress, struct cuzk_timeline *timeline,
                                     struct cuzk_error *err)
{
    const uint64_t begin = cuzk_clock_ns();
    struct cuzk_pool *pool = NULL;
    struct cuzk_error note;

    if (cuzk_derived_mode_now() == CUZK_DERIVED_OFF)
        return CUZK_OK;
    if (cuzk_pool_create(0, &pool, NULL) != CUZK_OK)
        pool = NULL;
    const enum cuzk_status status = cuzk_derived_find(params_path, key->r1cs, pool, progress,
                                                      &key->is_derived, &key->derived, &note, err);
    cuzk_pool_destroy(pool);
    if (status == CUZK_OK && key->is_derived)
        cuzk_timeline_add(timeline, "host", "check derived key", CUZK_TIMELINE_NO_PARTITION, begin);
    if (status == CUZK_OK && note.message[0] != '\0')
        cuzk_progress_report(progress, "a derived key that is not good is left alone (cuzk derive)", 0, 0);
    return status;
}

enum cuzk_status cuzk_resident_key_open(struct cuzk_backend *backend, const struct cuzk_circuit_id *id,
                                        const char *params_path, const struct cuzk_progress *progress,
                                        struct cuzk_timeline *timeline, struct cuzk_resident_key **out,
                                        struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_resident_key *key;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&key, 1, "resident key", err));
    uint64_t begin = cuzk_clock_ns();

    CUZK_TRY_OUT(cuzk_params_open(params_path, &key->params, err));
    cuzk_timeline_add(timeline, "host", "open key", CUZK_TIMELINE_NO_PARTITION, begin);
    CUZK_TRY_OUT(cuzk_circuit_open(id, &key->circuit, err));
    CUZK_TRY_OUT(obtain_circuit(key, params_path, progress, timeline, err));
    CUZK_TRY_OUT(find_derived(key, params_path, progress, timeline, err));
    begin = cuzk_clock_ns();
    CUZK_TRY_OUT(cuzk_progress_check(progress, err));
    cuzk_progress_report(progress, "binding the key", 0, 0);
    const struct cuzk_key_form form = {1, CUZK_H_COSET, NULL, &key->derived};
    CUZK_TRY_OUT(cuzk_prover_create(backend, key->r1cs, &key->layout, &key->params,
                                    key->is_derived ? &form : NULL, &key->prover, err));
    /* C z is never evaluated; an unsatisfied constraint is named by recording the circuit again. */
    cuzk_r1cs_drop_matrix(key->r1cs, CUZK_MATRIX_C);
    cuzk_timeline_add(timeline, "host", "bind key", CUZK_TIMELINE_NO_PARTITION, begin);
    *out = key;
    key = NULL;
out:
    cuzk_resident_key_close(key);
    return status;
}

void cuzk_resident_key_close(struct cuzk_resident_key *key)
{
    if (key == NULL)
        return;
    cuzk_prover_destroy(key->prover);
    cuzk_r1cs_destroy(key->r1cs);
    cuzk_witness_layout_destroy(&key->layout);
    cuzk_params_close(&key->params);
    cuzk_derived_close(&key->derived);
    cuzk_mem_free(key);
}
