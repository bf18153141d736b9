#include "engine/porep_prover.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "circuit/porep.h"
#include "r1cs/r1cs.h"

struct cuzk_porep_prover {
    struct cuzk_engine_context context;
    struct cuzk_circuit_id id;
    struct cuzk_porep_plan plan;
    struct cuzk_witness_layout layout;
    struct cuzk_r1cs *r1cs;
    struct cuzk_params params;
    struct cuzk_prover *prover;
};

/* ---- circuits as matrices ---- */

/* Stands before the builder to report and to notice a request to stop. */
struct relay {
    struct cuzk_constraint_sink sink;
    const struct cuzk_progress *progress;
    const struct cuzk_cs *cs;
    uint64_t total_aux, seen;
};

enum { REPORT_EVERY = 1 << 16 };

static enum cuzk_status relay_constraint(void *context, struct cuzk_combination a, struct cuzk_combination b,
                                         struct cuzk_combination c, struct cuzk_error *err)
{
    struct relay *relay = context;

    if (relay->seen++ % REPORT_EVERY == 0) {
        CUZK_TRY(cuzk_progress_check(relay->progress, err));
        cuzk_progress_report(relay->progress, "recording the circuit", relay->cs->at.aux, relay->total_aux);
    }
    return relay->sink.constraint(relay->sink.context, a, b, c, err);
}

static enum cuzk_status plan_circuit(const struct cuzk_circuit_id *id, struct cuzk_porep_plan *plan,
                                     struct cuzk_error *err)
{
    struct cuzk_porep_shape shape;

    if (!cuzk_porep_shape_of(id->sector_size, &shape))
        return cuzk_error_set(err, CUZK_ARGUMENT, "circuit: no PoRep circuit for sectors of %llu bytes",
                              (unsigned long long)id->sector_size);
    return cuzk_porep_plan(&shape, plan, err);
}

static enum cuzk_status record(const struct cuzk_porep_plan *plan, const struct cuzk_progress *progress,
                               struct cuzk_r1cs **r1cs, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_r1cs_builder *builder = NULL;
    struct cuzk_cs cs = {0};

    *r1cs = NULL;
    CUZK_TRY(cuzk_r1cs_builder_create(&builder, err));
    struct relay relay = {cuzk_r1cs_builder_sink(builder), progress, &cs, plan->total.aux, 0};
    const struct cuzk_constraint_sink front = {relay_constraint, &relay};

    cuzk_cs_record(&cs, &front);
    cuzk_porep_synthesise(&cs, &plan->shape, NULL);
    CUZK_TRY_OUT(cuzk_cs_finish(&cs, err));
    CUZK_TRY_OUT(cuzk_r1cs_builder_finish(builder, cs.at.inputs, cs.at.aux, r1cs, err));
out:
    cuzk_cs_destroy(&cs);
    cuzk_r1cs_builder_destroy(builder);
    return status;
}

enum cuzk_status cuzk_circuit_record(const struct cuzk_circuit_id *id, const struct cuzk_progress *progress,
                                     struct cuzk_r1cs **r1cs, struct cuzk_witness_layout *layout,
                                     struct cuzk_error *err)
{
    struct cuzk_porep_plan plan;

    *r1cs = NULL;
    memset(layout, 0, sizeof *layout);
    CUZK_TRY(plan_circuit(id, &plan, err));
    CUZK_TRY(cuzk_porep_layout(&plan, layout, err));
    const enum cuzk_status status = record(&plan, progress, r1cs, err);

    if (status != CUZK_OK)
        cuzk_witness_layout_destroy(layout);
    return status;
}

/* ---- the prover ---- */

enum cuzk_status cuzk_porep_prover_create(const struct cuzk_engine_context *context,
                                          const struct cuzk_circuit_id *id, const char *params_path,
                                          struct cuzk_porep_prover **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_porep_prover *prover;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&prover, 1, "PoRep prover", err));
    prover->context = *context;
    prover->id = *id;
    uint64_t begin = cuzk_clock_ns();

    CUZK_TRY_OUT(cuzk_params_open(params_path, &prover->params, err));
    cuzk_timeline_add(context->timeline, "host", "open key", CUZK_TIMELINE_NO_PARTITION, begin);
    begin = cuzk_clock_ns();
    CUZK_TRY_OUT(plan_circuit(id, &prover->plan, err));
    CUZK_TRY_OUT(cuzk_porep_layout(&prover->plan, &prover->layout, err));
    CUZK_TRY_OUT(record(&prover->plan, context->progress, &prover->r1cs, err));
    cuzk_timeline_add(context->timeline, "host", "record circuit", CUZK_TIMELINE_NO_PARTITION, begin);
    begin = cuzk_clock_ns();
    CUZK_TRY_OUT(cuzk_prover_create(context->backend, prover->r1cs, &prover->layout, &prover->params, NULL,
                                    &prover->prover, err));
    /* C z is never evaluated; an unsatisfied constraint is named by recording the circuit again. */
    cuzk_r1cs_drop_matrix(prover->r1cs, CUZK_MATRIX_C);
    cuzk_timeline_add(context->timeline, "host", "bind key", CUZK_TIMELINE_NO_PARTITION, begin);
    *out = prover;
    return CUZK_OK;
out:
    cuzk_porep_prover_destroy(prover);
    return status;
}

void cuzk_porep_prover_destroy(struct cuzk_porep_prover *prover)
{
    if (prover == NULL)
        return;
    cuzk_prover_destroy(prover->prover);
    cuzk_r1cs_destroy(prover->r1cs);
    cuzk_witness_layout_destroy(&prover->layout);
    cuzk_params_close(&prover->params);
    cuzk_mem_free(prover);
}

const struct cuzk_vk *cuzk_porep_prover_vk(const struct cuzk_porep_prover *prover)
{
    return &prover->params.vk;
}

/* Names the first constraint that the witness breaks, by its path in the circuit. */
static enum cuzk_status explain_unsatisfied(const struct cuzk_porep_prover *prover,
                                            const struct cuzk_porep_assignment *assignment,
                                            const struct cuzk_witness *witness, struct cuzk_error *err)
{
    struct cuzk_cs cs = {0};

    cuzk_cs_check(&cs, &prover->layout, witness, NULL);
    cuzk_porep_synthesise(&cs, &prover->plan.shape, assignment);
    const enum cuzk_status status = cuzk_cs_finish(&cs, err);

    cuzk_cs_destroy(&cs);
    if (status == CUZK_OK)
        return cuzk_error_set(
            err, CUZK_INPUT,
            "%s: the witness satisfies the circuit, yet its proof does not verify: the parameters are not "
            "those of this circuit, or damaged",
            prover->params.name);
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

/* The inputs that the witness ends with must be those that a verifier derives. */
static enum cuzk_status compare_inputs(const struct cuzk_porep_case *porep, unsigned partition,
                                       const struct cuzk_witness *witness, struct cuzk_error *err)
{
    const struct cuzk_fr *expected = cuzk_porep_case_inputs(porep, partition);

    for (unsigned i = 0; i < porep->inputs; i++)
        if (!cuzk_fr_equal(&expected[i], &witness->inputs[i + 1]))
            return cuzk_error_set(
                err, CUZK_INVALID,
                "partition %u: public input %u of the vanilla proof is not the one that a verifier "
                "derives",
                partition, i);
    return CUZK_OK;
}

enum cuzk_status cuzk_porep_prover_prove(struct cuzk_porep_prover *prover,
                                         const struct cuzk_porep_case *porep, unsigned partition,
                                         struct cuzk_partition_times *times, uint8_t proof[CUZK_PROOF_BYTES],
                                         struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_porep_assignment assignment;
    struct cuzk_witness witness = {0};

    memset(times, 0, sizeof *times);
    if (porep->c1->sector_size != prover->id.sector_size || partition >= porep->partitions)
        return cuzk_error_set(err, CUZK_ARGUMENT, "partition %u of this sector is not for this prover",
                              partition);
    cuzk_progress_report(prover->context.progress, "witness", 0, 0);
    uint64_t begin = cuzk_clock_ns();

    cuzk_c1_assignment(porep->c1, partition, &assignment);
    CUZK_TRY_OUT(cuzk_witness_create(&prover->layout, &witness, err));
    CUZK_TRY_OUT(cuzk_porep_witness(&prover->plan, &assignment, prover->context.pool, &witness, err));
    times->witness_ns = cuzk_clock_ns() - begin;
    cuzk_timeline_add(prover->context.timeline, "host", "witness", (int32_t)partition, begin);
    CUZK_TRY_OUT(compare_inputs(porep, partition, &witness, err));
    begin = cuzk_clock_ns();
    status = cuzk_prover_prove(prover->prover, &witness, prover->context.progress, &times->prove, proof, err);
    if (status == CUZK_UNSATISFIED)
        status = explain_unsatisfied(prover, &assignment, &witness, err);
    if (status == CUZK_OK)
        record_stages(prover->context.timeline, prover->context.backend, &times->prove, (int32_t)partition,
                      begin);
out:
    cuzk_witness_destroy(&witness);
    return status;
}
