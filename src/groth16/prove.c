#include "groth16/prove.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/random.h"
#include "groth16/prove_fixed.h"
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
};

/* ---- binding circuit and key ---- */

static enum cuzk_status full_bitmap(uint32_t n, uint64_t **out, struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(out, (size_t)n / 64 + 1, "map of all variables", err));
    for (uint32_t k = 0; k < n; k++)
        (*out)[k / 64] |= UINT64_C(1) << (k % 64);
    return CUZK_OK;
}

enum cuzk_status cuzk_prover_create(struct cuzk_backend *backend, const struct cuzk_r1cs *r1cs,
                                    const struct cuzk_witness_layout *layout,
                                    const struct cuzk_params *params, const struct cuzk_key_form *form,
                                    struct cuzk_prover **out, struct cuzk_error *err)
{
    static const struct cuzk_key_form own = {1, CUZK_H_MONOMIAL, NULL};
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
    plan.query[CUZK_QUERY_A].inputs = prover->all_inputs; /* the rows appended for inputs */
    plan.query[CUZK_QUERY_A].aux = prover->a.aux;
    for (int q = CUZK_QUERY_B_G1; q <= CUZK_QUERY_B_G2; q++) {
        plan.query[q].inputs = prover->b.inputs;
        plan.query[q].aux = prover->b.aux;
    }
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

/* ---- sums ---- */

/* The sums over the bits and over the wide variables come apart and are put together here. */
static enum cuzk_status make_sums(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                                  const struct cuzk_progress *progress, struct cuzk_proof_sums *sums,
                                  struct cuzk_backend_times *times, struct cuzk_error *err)
{
    enum { AUX = CUZK_QUERY_SET_L | CUZK_QUERY_SET_A | CUZK_QUERY_SET_B };
    enum cuzk_status status = CUZK_OK;
    const struct cuzk_backend_ops *ops = prover->backend->ops;
    struct cuzk_backend_job *job = NULL;
    union cuzk_backend_point quotient[CUZK_QUERIES], wide[CUZK_QUERIES], bits[CUZK_QUERIES],
        inputs[CUZK_QUERIES];

    CUZK_TRY_OUT(ops->job_create(prover->key, &job, err));
    job->progress = progress;
    CUZK_TRY_OUT(ops->upload(job, witness, err));
    cuzk_progress_report(progress, "evaluating constraints", 0, 5);
    CUZK_TRY_OUT(ops->eval_ab(job, err));
    CUZK_TRY_OUT(cuzk_progress_check(progress, err));
    cuzk_progress_report(progress, "quotient", 1, 5);
    CUZK_TRY_OUT(ops->quotient(job, err));
    CUZK_TRY_OUT(cuzk_progress_check(progress, err));
    cuzk_progress_report(progress, "sum over h", 2, 5);
    CUZK_TRY_OUT(ops->msm_group(job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_H, quotient, err));
    CUZK_TRY_OUT(cuzk_progress_check(progress, err));
    cuzk_progress_report(progress, "sums over l, a, b", 3, 5);
    CUZK_TRY_OUT(ops->msm_group(job, CUZK_SCALARS_WIDE, AUX, wide, err));
    CUZK_TRY_OUT(ops->sum_bits(job, AUX, bits, err));
    CUZK_TRY_OUT(ops->msm_group(job, CUZK_SCALARS_INPUTS, CUZK_QUERY_SET_A | CUZK_QUERY_SET_B, inputs, err));
    CUZK_TRY_OUT(ops->wait(job, err));
    cuzk_progress_report(progress, "verifying the proof", 4, 5);
    sums->h = quotient[CUZK_QUERY_H].g1;
    cuzk_g1_add(&wide[CUZK_QUERY_L].g1, &bits[CUZK_QUERY_L].g1, &sums->l);
    cuzk_g1_add(&wide[CUZK_QUERY_A].g1, &bits[CUZK_QUERY_A].g1, &sums->a_aux);
    cuzk_g1_add(&wide[CUZK_QUERY_B_G1].g1, &bits[CUZK_QUERY_B_G1].g1, &sums->b_g1_aux);
    cuzk_g2_add(&wide[CUZK_QUERY_B_G2].g2, &bits[CUZK_QUERY_B_G2].g2, &sums->b_g2_aux);
    sums->a_inputs = inputs[CUZK_QUERY_A].g1;
    sums->b_g1_inputs = inputs[CUZK_QUERY_B_G1].g1;
    sums->b_g2_inputs = inputs[CUZK_QUERY_B_G2].g2;
    ops->times(job, times);
out:
    cuzk_backend_job_destroy(job);
    cuzk_mem_wipe(quotient, sizeof quotient); /* as the sums: cuzk_prover_prove */
    cuzk_mem_wipe(wide, sizeof wide);
    cuzk_mem_wipe(bits, sizeof bits);
    cuzk_mem_wipe(inputs, sizeof inputs);
    /* What a backend finds wrong here are points of the parameters. */
    return status == CUZK_INPUT ? cuzk_error_prefix(err, status, "%s", prover->params->name) : status;
}

/* ---- from sums to bytes ---- */

static void g1_times(const struct cuzk_g1 *point, const struct cuzk_fr *scalar, struct cuzk_g1 *out)
{
    uint64_t words[4];

    cuzk_fr_to_words(scalar, words);
    cuzk_g1_mul(point, words, out);
    cuzk_mem_wipe(words, sizeof words);
}

static void g2_times(const struct cuzk_g2 *point, const struct cuzk_fr *scalar, struct cuzk_g2 *out)
{
    uint64_t words[4];

    cuzk_fr_to_words(scalar, words);
    cuzk_g2_mul(point, words, out);
    cuzk_mem_wipe(words, sizeof words);
}

static void assemble(const struct cuzk_vk *vk, const struct cuzk_proof_sums *sums, const struct cuzk_fr *r,
                     const struct cuzk_fr *s, uint8_t proof[CUZK_PROOF_BYTES])
{
    struct cuzk_g1 a, b1, c, delta, t;
    struct cuzk_g2 b2, delta2, t2;
    struct cuzk_g1_affine out1;
    struct cuzk_g2_affine out2;
    struct cuzk_fr rs;

    cuzk_g1_from_affine(&vk->delta_g1, &delta);
    cuzk_g2_from_affine(&vk->delta_g2, &delta2);
    cuzk_g1_add(&sums->a_inputs, &sums->a_aux, &a);
    cuzk_g1_add_mixed(&a, &vk->alpha_g1, &a);
    cuzk_g1_add(&sums->b_g1_inputs, &sums->b_g1_aux, &b1);
    cuzk_g1_add_mixed(&b1, &vk->beta_g1, &b1);
    cuzk_g2_add(&sums->b_g2_inputs, &sums->b_g2_aux, &b2);
    cuzk_g2_add_mixed(&b2, &vk->beta_g2, &b2);

    cuzk_g1_add(&sums->h, &sums->l, &c);
    g1_times(&a, s, &t);
    cuzk_g1_add(&c, &t, &c);
    g1_times(&b1, r, &t);
    cuzk_g1_add(&c, &t, &c);
    cuzk_fr_mul(r, s, &rs);
    g1_times(&delta, &rs, &t);
    cuzk_g1_add(&c, &t, &c);

    g1_times(&delta, r, &t);
    cuzk_g1_add(&a, &t, &a);
    g2_times(&delta2, s, &t2);
    cuzk_g2_add(&b2, &t2, &b2);

    cuzk_g1_to_affine(&a, &out1);
    cuzk_g1_encode(&out1, proof);
    cuzk_g2_to_affine(&b2, &out2);
    cuzk_g2_encode(&out2, proof + CUZK_G1_BYTES);
    cuzk_g1_to_affine(&c, &out1);
    cuzk_g1_encode(&out1, proof + CUZK_G1_BYTES + CUZK_G2_BYTES);
    cuzk_mem_wipe(&rs, sizeof rs);
    cuzk_mem_wipe(&b1, sizeof b1); /* b without s */
    cuzk_mem_wipe(&t, sizeof t);
    cuzk_mem_wipe(&t2, sizeof t2);
}

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

static enum cuzk_status prove(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                              const struct cuzk_fr *r, const struct cuzk_fr *s,
                              const struct cuzk_progress *progress, struct cuzk_proof_sums *sums,
                              struct cuzk_prove_times *times, uint8_t proof[CUZK_PROOF_BYTES],
                              struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const uint64_t start = cuzk_clock_ns();

    *times = (struct cuzk_prove_times){0};
    CUZK_TRY_OUT(make_sums(prover, witness, progress, sums, &times->backend, err));
    const uint64_t summed = cuzk_clock_ns();
    assemble(&prover->params->vk, sums, r, s, proof);
    CUZK_TRY_OUT(verify_own(prover, witness, proof, err));
    times->finish = cuzk_clock_ns() - summed;
    times->total = cuzk_clock_ns() - start;
out:
    if (status != CUZK_OK)
        cuzk_mem_wipe(proof, CUZK_PROOF_BYTES);
    return status;
}

static enum cuzk_status draw(struct cuzk_random *random, struct cuzk_fr *out, struct cuzk_error *err)
{
    uint8_t bytes[2 * CUZK_FR_BYTES];

    const enum cuzk_status status = cuzk_random_bytes(random, bytes, sizeof bytes, err);
    cuzk_fr_from_wide_bytes(bytes, out);
    cuzk_mem_wipe(bytes, sizeof bytes);
    return status;
}

enum cuzk_status cuzk_prover_prove(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                                   const struct cuzk_progress *progress, struct cuzk_prove_times *times,
                                   uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_proof_sums sums;
    struct cuzk_prove_times own;
    struct cuzk_random random;
    struct cuzk_fr r, s;

    cuzk_random_init_system(&random);
    CUZK_TRY_OUT(draw(&random, &r, err));
    CUZK_TRY_OUT(draw(&random, &s, err));
    CUZK_TRY_OUT(prove(prover, witness, &r, &s, progress, &sums, times != NULL ? times : &own, proof, err));
out:
    cuzk_random_wipe(&random);
    cuzk_mem_wipe(&r, sizeof r);
    cuzk_mem_wipe(&s, sizeof s);
    cuzk_mem_wipe(&sums, sizeof sums); /* with the proof they would give r and s away */
    return status;
}

enum cuzk_status cuzk_prover_prove_fixed(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                                         const struct cuzk_fr *r, const struct cuzk_fr *s,
                                         struct cuzk_proof_sums *sums, uint8_t proof[CUZK_PROOF_BYTES],
                                         struct cuzk_error *err)
{
    struct cuzk_proof_sums own;
    struct cuzk_prove_times times;

    return prove(prover, witness, r, s, NULL, sums != NULL ? sums : &own, &times, proof, err);
}

struct cuzk_backend_key *cuzk_prover_key(const struct cuzk_prover *prover)
{
    return prover->key;
}
