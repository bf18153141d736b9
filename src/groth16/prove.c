#include "groth16/prove.h"

#include "base/clock.h"
#include "base/mem.h"
#include "groth16/prove_fixed.h"
#include "groth16/proving.h"
#include "groth16/qap.h"
#include "groth16/verify.h"

struct cuzk_prover {
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_witness_layout *layout;
    const struct cuzk_params *params;
    struct cuzk_backend *backend;
    struct cuzk_backend_key *key;
    struct cuzk_prepared_vk *vk;
    struct cuzk_density a, b;
    uint64_t *all_inputs, *all_aux;
    unsigned input_queries;
};

/* ---- binding circuit and key ---- */

static enum cuzk_status full_bitmap(uint32_t n, uint64_t **out, struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(out, (size_t)n / 64 + 1, "map of all variables", err));
    for (uint32_t k = 0; k < n; k++)
        (*out)[k / 64] |= UINT64_C(1) << (k % 64);
    return CUZK_OK;
}

static enum cuzk_status check_derived(const struct cuzk_derived *derived, const struct cuzk_r1cs *r1cs,
                                      unsigned log_domain, struct cuzk_error *err)
{
    const struct cuzk_derived_shape *shape = &derived->shape;

    if (shape->log_domain == log_domain && shape->inputs == r1cs->inputs && shape->aux == r1cs->aux)
        return CUZK_OK;
    return cuzk_error_set(err, CUZK_INPUT,
                          "%s: expected a domain of 2^%u, %u inputs and %u aux variables for this circuit, "
                          "found 2^%u, %u and %u",
                          derived->name, log_domain, r1cs->inputs, r1cs->aux, shape->log_domain,
                          shape->inputs, shape->aux);
}

enum cuzk_status cuzk_prover_create(struct cuzk_backend *backend, const struct cuzk_r1cs *r1cs,
                                    const struct cuzk_witness_layout *layout,
                                    const struct cuzk_params *params, const struct cuzk_key_form *form,
                                    struct cuzk_prover **out, struct cuzk_error *err)
{
    static const struct cuzk_key_form own = {1, CUZK_H_MONOMIAL, NULL, NULL};
    enum cuzk_status status = CUZK_OK;
    struct cuzk_prover *prover = NULL;
    struct cuzk_backend_plan plan = {.r1cs = r1cs, .layout = layout};

    *out = NULL;
    if (form == NULL)
        form = &own;
    if (params->vk.ic_count != r1cs->inputs)
        return cuzk_error_set(err, CUZK_INPUT, "%s: ic: expected %u points for this circuit, found %u",
                              params->name, r1cs->inputs, params->vk.ic_count);
    CUZK_TRY(cuzk_qap_log_domain(r1cs, &plan.log_domain, err));
    if (form->derived != NULL)
        CUZK_TRY(check_derived(form->derived, r1cs, plan.log_domain, err));
    CUZK_TRY(CUZK_NEW(&prover, 1, "prover", err));
    prover->r1cs = r1cs;
    prover->layout = layout;
    prover->params = params;
    prover->backend = backend;
    CUZK_TRY_OUT(cuzk_prepared_vk_create(NULL, &params->vk, &prover->vk, err));
    CUZK_TRY_OUT(cuzk_r1cs_density(r1cs, CUZK_MATRIX_A, &prover->a, err));
    CUZK_TRY_OUT(cuzk_r1cs_density(r1cs, CUZK_MATRIX_B, &prover->b, err));
    CUZK_TRY_OUT(full_bitmap(r1cs->inputs, &prover->all_inputs, err));
    CUZK_TRY_OUT(full_bitmap(r1cs->aux, &prover->all_aux, err));

    plan.row_step = form->row_step;
    plan.h_basis = form->h_basis;
    cuzk_params_plan(params, plan.query);
    plan.query[CUZK_QUERY_L].aux = form->l_aux != NULL ? form->l_aux : prover->all_aux;
    if (form->derived != NULL)
        cuzk_derived_plan(form->derived, plan.query);
    plan.query[CUZK_QUERY_A].inputs = prover->all_inputs; /* the rows appended for inputs */
    plan.query[CUZK_QUERY_A].aux = prover->a.aux;
    for (int q = CUZK_QUERY_B_G1; q <= CUZK_QUERY_B_G2; q++) {
        plan.query[q].inputs = prover->b.inputs;
        plan.query[q].aux = prover->b.aux;
    }
    prover->input_queries = CUZK_QUERY_SET_A | CUZK_QUERY_SET_B;
    if (plan.query[CUZK_QUERY_L].inputs != NULL)
        prover->input_queries |= CUZK_QUERY_SET_L;
    status = backend->ops->key_create(backend, &plan, &prover->key, err);
    if (status == CUZK_ARGUMENT) /* the numbers come from the file */
        status = cuzk_error_prefix(err, CUZK_INPUT, "%s", params->name);
    if (status != CUZK_OK)
        goto out;
    *out = prover;
    prover = NULL;
out:
    cuzk_prover_destroy(prover);
    return status;
}

void cuzk_prover_destroy(struct cuzk_prover *prover)
{
    if (prover == NULL)
        return;
    cuzk_backend_key_destroy(prover->key);
    cuzk_prepared_vk_destroy(prover->vk);
    cuzk_density_destroy(&prover->a);
    cuzk_density_destroy(&prover->b);
    cuzk_mem_free(prover->all_inputs);
    cuzk_mem_free(prover->all_aux);
    cuzk_mem_free(prover);
}

/* ---- proofs ---- */

/* A proof that does not verify comes from a witness that does not satisfy the circuit; says which constraint,
 * where C is at hand. */
static enum cuzk_status verify_own(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                                   const uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err)
{
    const struct cuzk_public_inputs inputs = {witness->inputs + 1, prover->r1cs->inputs - 1};
    struct cuzk_error reason = {0};
    const enum cuzk_status status = cuzk_verify(prover->vk, &inputs, proof, CUZK_PROOF_BYTES, &reason);

    if (status == CUZK_OK)
        return CUZK_OK;
    if (status != CUZK_INVALID && status != CUZK_INPUT) /* no verdict */
        return cuzk_error_set(err, status, "verifying the proof: %s", reason.message);
    if (prover->r1cs->matrix[CUZK_MATRIX_C].row_start != NULL)
        CUZK_TRY(cuzk_r1cs_check(prover->r1cs, prover->layout, witness, NULL, err));
    return cuzk_error_set(
        err, CUZK_UNSATISFIED,
        "%s: the proof does not verify (%s): the witness does not satisfy the circuit, or the "
        "parameters are of another",
        prover->params->name, reason.message);
}

static enum cuzk_status run_stages(struct cuzk_proving *proving, const struct cuzk_witness *witness,
                                   const struct cuzk_progress *progress, struct cuzk_prove_times *times,
                                   uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err)
{
    CUZK_TRY(cuzk_proving_upload(proving, witness, err));
    CUZK_TRY(cuzk_proving_quotient(proving, err));
    CUZK_TRY(cuzk_proving_sums(proving, err));
    cuzk_progress_report(progress, "verifying the proof", 3, 4);
    times->finish = cuzk_clock_ns();
    return cuzk_proving_finish(proving, proof, err);
}

/* r, s: NULL, or those to use; sums: NULL, or room for them. */
static enum cuzk_status prove(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                              const struct cuzk_fr *r, const struct cuzk_fr *s,
                              const struct cuzk_progress *progress, struct cuzk_proof_sums *sums,
                              struct cuzk_prove_times *times, uint8_t proof[CUZK_PROOF_BYTES],
                              struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_proving *proving = NULL;
    const uint64_t start = cuzk_clock_ns();

    *times = (struct cuzk_prove_times){0};
    CUZK_TRY_OUT(cuzk_proving_create(prover, progress, &proving, err));
    if (r != NULL)
        cuzk_proving_fix(proving, r, s);
    CUZK_TRY_OUT(run_stages(proving, witness, progress, times, proof, err));
    CUZK_TRY_OUT(verify_own(prover, witness, proof, err));
    if (sums != NULL)
        *sums = *cuzk_proving_proof_sums(proving);
    cuzk_proving_times(proving, &times->backend);
    times->finish = cuzk_clock_ns() - times->finish;
    times->total = cuzk_clock_ns() - start;
out:
    cuzk_proving_destroy(proving);
    if (status != CUZK_OK)
        cuzk_mem_wipe(proof, CUZK_PROOF_BYTES);
    return status;
}

enum cuzk_status cuzk_prover_prove(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                                   const struct cuzk_progress *progress, struct cuzk_prove_times *times,
                                   uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err)
{
    struct cuzk_prove_times own;

    return prove(prover, witness, NULL, NULL, progress, NULL, times != NULL ? times : &own, proof, err);
}

enum cuzk_status cuzk_prover_prove_fixed(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                                         const struct cuzk_fr *r, const struct cuzk_fr *s,
                                         struct cuzk_proof_sums *sums, uint8_t proof[CUZK_PROOF_BYTES],
                                         struct cuzk_error *err)
{
    struct cuzk_prove_times times;

    return prove(prover, witness, r, s, NULL, sums, &times, proof, err);
}

struct cuzk_backend_key *cuzk_prover_key(const struct cuzk_prover *prover)
{
    return prover->key;
}

unsigned cuzk_prover_input_queries(const struct cuzk_prover *prover)
{
    return prover->input_queries;
}

const struct cuzk_params *cuzk_prover_params(const struct cuzk_prover *prover)
{
    return prover->params;
}
