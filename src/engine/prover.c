#include "engine/prover.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/resident_key.h"

struct cuzk_circuit_prover {
    struct cuzk_engine_context context;
    struct cuzk_resident_key *key;
};

enum cuzk_status cuzk_circuit_prover_create(const struct cuzk_engine_context *context,
                                            const struct cuzk_circuit_id *id, const char *params_path,
                                            struct cuzk_circuit_prover **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_circuit_prover *prover;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&prover, 1, "prover", err));
    prover->context = *context;
    CUZK_TRY_OUT(cuzk_resident_key_open(context->backend, id, params_path, context->progress,
                                        context->timeline, &prover->key, err));
    *out = prover;
    return CUZK_OK;
out:
    cuzk_circuit_prover_destroy(prover);
    return status;
}

void cuzk_circuit_prover_destroy(struct cuzk_circuit_prover *prover)
{
    if (prover == NULL)
        return;
    cuzk_resident_key_close(prover->key);
    cuzk_mem_free(prover);
}

const struct cuzk_vk *cuzk_circuit_prover_vk(const struct cuzk_circuit_prover *prover)
{
    return &prover->key->params.vk;
}

/* Names the first constraint that the witness breaks, by its path in the circuit. */
static enum cuzk_status explain_unsatisfied(const struct cuzk_circuit_prover *prover,
                                            const struct cuzk_witness *witness, struct cuzk_error *err)
{
    const enum cuzk_status status =
        cuzk_circuit_check(&prover->key->circuit, &prover->key->layout, witness, err);

    if (status == CUZK_OK)
        return cuzk_error_set(
            err, CUZK_INPUT,
            "%s: the witness satisfies the circuit, yet its proof does not verify: the parameters are not "
            "those of this circuit, or damaged",
            prover->key->params.name);
    return status;
}

/* The prover's stages as spans, one behind the other: the processor does them in this order. */
static void record_stages(struct cuzk_timeline *timeline, const struct cuzk_backend *backend,
                          const struct cuzk_prove_times *times, int32_t partition, uint64_t begin)
{
    static const char *const queries[CUZK_QUERIES] = {"msm h", "msm l", "msm a", "msm b1", "msm b2"};

    struct {
        const char *stage;
        uint64_t ns;
    } stages[4 + CUZK_QUERIES] = {
        {"upload", times->backend.upload}, {"eval", times->backend.eval}, {"ntt", times->backend.quotient}};

    for (int q = 0; q < CUZK_QUERIES; q++) {
        stages[3 + q].stage = queries[q];
        stages[3 + q].ns = times->backend.msm[q];
    }
    stages[3 + CUZK_QUERIES].stage = "finish";
    stages[3 + CUZK_QUERIES].ns = times->finish;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        cuzk_timeline_add_span(timeline, backend->ops->name, stages[i].stage, partition, begin,
                               begin + stages[i].ns);
        begin += stages[i].ns;
    }
}

enum cuzk_status cuzk_circuit_prover_prove(struct cuzk_circuit_prover *prover, const struct cuzk_case *that,
                                           unsigned partition, struct cuzk_partition_times *times,
                                           uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err)
{
    const struct cuzk_circuit_id *own = &prover->key->circuit.id;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_witness witness = {0};

    memset(times, 0, sizeof *times);
    if (that->circuit.kind != own->kind || that->circuit.sector_size != own->sector_size ||
        partition >= that->partitions)
        return cuzk_error_set(err, CUZK_ARGUMENT, "partition %u of this sector is not for this prover",
                              partition);
    cuzk_progress_report(prover->context.progress, "witness", 0, 0);
    uint64_t begin = cuzk_clock_ns();

    CUZK_TRY_OUT(cuzk_witness_create(&prover->key->layout, &witness, err));
    CUZK_TRY_OUT(
        that->ops->witness(that, partition, &prover->key->circuit, prover->context.pool, &witness, err));
    times->witness_ns = cuzk_clock_ns() - begin;
    cuzk_timeline_add(prover->context.timeline, "host", "witness", (int32_t)partition, begin);
    begin = cuzk_clock_ns();
    status =
        cuzk_prover_prove(prover->key->prover, &witness, prover->context.progress, &times->prove, proof, err);
    if (status == CUZK_UNSATISFIED)
        status = explain_unsatisfied(prover, &witness, err);
    if (status == CUZK_OK)
        record_stages(prover->context.timeline, prover->context.backend, &times->prove, (int32_t)partition,
                      begin);
out:
    cuzk_witness_destroy(&witness);
    return status;
}
