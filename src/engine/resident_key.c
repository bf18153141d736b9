#include "engine/resident_key.h"

#include "base/clock.h"
#include "base/mem.h"
#include "circuit/record.h"

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
    begin = cuzk_clock_ns();
    CUZK_TRY_OUT(cuzk_circuit_open(id, &key->circuit, err));
    CUZK_TRY_OUT(cuzk_circuit_record(&key->circuit, NULL, progress, &key->r1cs, &key->layout, err));
    cuzk_timeline_add(timeline, "host", "record circuit", CUZK_TIMELINE_NO_PARTITION, begin);
    begin = cuzk_clock_ns();
    CUZK_TRY_OUT(cuzk_progress_check(progress, err));
    cuzk_progress_report(progress, "binding the key", 0, 0);
    CUZK_TRY_OUT(cuzk_prover_create(backend, key->r1cs, &key->layout, &key->params, NULL, &key->prover, err));
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
    cuzk_mem_free(key);
}
