#include "groth16/proving.h"

#include "base/mem.h"
#include "base/random.h"
#include "groth16/prove_fixed.h"

/* What was done last. */
enum state { CREATED, UPLOADED, DIVIDED, SUMMED, FINISHED };

struct cuzk_proving {
    const struct cuzk_prover *prover;
    const struct cuzk_progress *progress;
    struct cuzk_backend_job *job; /* from upload to sums */
    enum state state;
    struct cuzk_proof_sums sums;
    struct cuzk_backend_times times;
    struct cuzk_fr r, s;
};

/* ---- life ---- */

static enum cuzk_status draw(struct cuzk_random *random, struct cuzk_fr *out, struct cuzk_error *err)
{
    uint8_t bytes[2 * CUZK_FR_BYTES];

    const enum cuzk_status status = cuzk_random_bytes(random, bytes, sizeof bytes, err);
    cuzk_fr_from_wide_bytes(bytes, out);
    cuzk_mem_wipe(bytes, sizeof bytes);
    return status;
}

enum cuzk_status cuzk_proving_create(const struct cuzk_prover *prover, const struct cuzk_progress *progress,
                                     struct cuzk_proving **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_proving *proving = NULL;
    struct cuzk_random random;

    *out = NULL;
    cuzk_random_init_system(&random);
    CUZK_TRY_OUT(CUZK_NEW(&proving, 1, "proof", err));
    proving->prover = prover;
    proving->progress = progress;
    CUZK_TRY_OUT(draw(&random, &proving->r, err));
    CUZK_TRY_OUT(draw(&random, &proving->s, err));
    *out = proving;
    proving = NULL;
out:
    cuzk_random_wipe(&random);
    cuzk_proving_destroy(proving);
    return status;
}

void cuzk_proving_fix(struct cuzk_proving *proving, const struct cuzk_fr *r, const struct cuzk_fr *s)
{
    proving->r = *r;
    proving->s = *s;
}

const struct cuzk_proof_sums *cuzk_proving_proof_sums(const struct cuzk_proving *proving)
{
    return &proving->sums;
}

void cuzk_proving_destroy(struct cuzk_proving *proving)
{
    if (proving == NULL)
        return;
    cuzk_backend_job_destroy(proving->job);
    cuzk_mem_free_wiped(proving); /* with the proof the sums would give r and s away */
}

void cuzk_proving_times(const struct cuzk_proving *proving, struct cuzk_backend_times *out)
{
    *out = proving->times;
}

/* ---- on the device ---- */

static const struct cuzk_backend_ops *ops_of(const struct cuzk_proving *proving)
{
    return cuzk_prover_key(proving->prover)->backend->ops;
}

/* A stage begins: it is its turn, and nobody wants to stop. */
static enum cuzk_status begin(const struct cuzk_proving *proving, enum state before, const char *stage,
                              struct cuzk_error *err)
{
    if (proving->state != before)
        return cuzk_error_set(err, CUZK_INTERNAL, "%s: not the turn of this stage of a proof", stage);
    CUZK_TRY(cuzk_progress_check(proving->progress, err));
    if (before != SUMMED)
        cuzk_progress_report(proving->progress, stage, (uint64_t)before, SUMMED);
    return CUZK_OK;
}

/* The device is done with a stage. */
static enum cuzk_status end(struct cuzk_proving *proving, enum state after, struct cuzk_error *err)
{
    const struct cuzk_backend_ops *ops = ops_of(proving);

    CUZK_TRY(ops->wait(proving->job, err));
    ops->times(proving->job, &proving->times);
    proving->state = after;
    return CUZK_OK;
}

/* What a backend finds wrong with its input are points of the parameters. */
static enum cuzk_status blame(const struct cuzk_proving *proving, enum cuzk_status status,
                              struct cuzk_error *err)
{
    if (status != CUZK_INPUT)
        return status;
    return cuzk_error_prefix(err, status, "%s", cuzk_prover_params(proving->prover)->name);
}

enum cuzk_status cuzk_proving_upload(struct cuzk_proving *proving, const struct cuzk_witness *witness,
                                     struct cuzk_error *err)
{
    const struct cuzk_backend_ops *ops = ops_of(proving);

    CUZK_TRY(begin(proving, CREATED, "taking the witness", err));
    CUZK_TRY(ops->job_create(cuzk_prover_key(proving->prover), &proving->job, err));
    proving->job->progress = proving->progress;
    CUZK_TRY(ops->upload(proving->job, witness, err));
    return end(proving, UPLOADED, err);
}

static enum cuzk_status make_quotient(struct cuzk_proving *proving, union cuzk_backend_point *out,
                                      struct cuzk_error *err)
{
    const struct cuzk_backend_ops *ops = ops_of(proving);

    CUZK_TRY(begin(proving, UPLOADED, "quotient and sum over h", err));
    CUZK_TRY(ops->eval_ab(proving->job, err));
    CUZK_TRY(cuzk_progress_check(proving->progress, err));
    CUZK_TRY(ops->quotient(proving->job, err));
    CUZK_TRY(cuzk_progress_check(proving->progress, err));
    CUZK_TRY(ops->msm_group(proving->job, CUZK_SCALARS_QUOTIENT, CUZK_QUERY_SET_H, out, err));
    return end(proving, DIVIDED, err);
}

enum cuzk_status cuzk_proving_quotient(struct cuzk_proving *proving, struct cuzk_error *err)
{
    union cuzk_backend_point out[CUZK_QUERIES];
    const enum cuzk_status status = make_quotient(proving, out, err);

    if (status == CUZK_OK)
        proving->sums.h = out[CUZK_QUERY_H].g1;
    cuzk_mem_wipe(out, sizeof out);
    return blame(proving, status, err);
}

/* The sums over bits, wide variables and inputs come apart. */
struct parts {
    union cuzk_backend_point wide[CUZK_QUERIES], bits[CUZK_QUERIES], inputs[CUZK_QUERIES];
};

static enum cuzk_status make_sums(struct cuzk_proving *proving, struct parts *out, struct cuzk_error *err)
{
    enum { AUX = CUZK_QUERY_SET_L | CUZK_QUERY_SET_A | CUZK_QUERY_SET_B };
    const unsigned inputs = cuzk_prover_input_queries(proving->prover);
    const struct cuzk_backend_ops *ops = ops_of(proving);

    CUZK_TRY(begin(proving, DIVIDED, "sums over l, a, b", err));
    CUZK_TRY(ops->msm_group(proving->job, CUZK_SCALARS_WIDE, AUX, out->wide, err));
    CUZK_TRY(ops->sum_bits(proving->job, AUX, out->bits, err));
    CUZK_TRY(ops->msm_group(proving->job, CUZK_SCALARS_INPUTS, inputs, out->inputs, err));
    return end(proving, SUMMED, err);
}

enum cuzk_status cuzk_proving_sums(struct cuzk_proving *proving, struct cuzk_error *err)
{
    struct cuzk_proof_sums *sums = &proving->sums;
    struct parts parts;
    const enum cuzk_status status = make_sums(proving, &parts, err);

    if (status == CUZK_OK) {
        cuzk_g1_add(&parts.wide[CUZK_QUERY_L].g1, &parts.bits[CUZK_QUERY_L].g1, &sums->l);
        if (cuzk_prover_input_queries(proving->prover) & CUZK_QUERY_SET_L)
            cuzk_g1_add(&sums->l, &parts.inputs[CUZK_QUERY_L].g1, &sums->l);
        cuzk_g1_add(&parts.wide[CUZK_QUERY_A].g1, &parts.bits[CUZK_QUERY_A].g1, &sums->a_aux);
        cuzk_g1_add(&parts.wide[CUZK_QUERY_B_G1].g1, &parts.bits[CUZK_QUERY_B_G1].g1, &sums->b_g1_aux);
        cuzk_g2_add(&parts.wide[CUZK_QUERY_B_G2].g2, &parts.bits[CUZK_QUERY_B_G2].g2, &sums->b_g2_aux);
        sums->a_inputs = parts.inputs[CUZK_QUERY_A].g1;
        sums->b_g1_inputs = parts.inputs[CUZK_QUERY_B_G1].g1;
        sums->b_g2_inputs = parts.inputs[CUZK_QUERY_B_G2].g2;
        cuzk_backend_job_destroy(proving->job);
        proving->job = NULL;
    }
    cuzk_mem_wipe(&parts, sizeof parts);
    return blame(proving, status, err);
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

enum cuzk_status cuzk_proving_finish(struct cuzk_proving *proving, uint8_t proof[CUZK_PROOF_BYTES],
                                     struct cuzk_error *err)
{
    CUZK_TRY(begin(proving, SUMMED, "assembling the proof", err));
    assemble(&cuzk_prover_params(proving->prover)->vk, &proving->sums, &proving->r, &proving->s, proof);
    proving->state = FINISHED;
    return CUZK_OK;
}
