#include "groth16/verify.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "curve/g1_table.h"
#include "msm/msm.h"
#include "pairing/pairing.h"

enum {
    CHUNK = 32,        /* proofs of a batch that share squarings, and a task of the pool */
    TABLE_MOST = 4096, /* points of ic: tables of more are slower than Pippenger's method, and large */
};

struct cuzk_prepared_vk {
    uint32_t ic_count;
    struct cuzk_g1_table *ic;         /* one of the two */
    struct cuzk_g1_affine *ic_points; /* [ic_count] */
    struct cuzk_g1_affine alpha;
    struct cuzk_g2_prepared beta, minus_gamma, minus_delta;
    struct cuzk_fp12 alpha_beta; /* e(alpha, beta) */
};

enum cuzk_status cuzk_prepared_vk_create(struct cuzk_pool *pool, const struct cuzk_vk *vk,
                                         struct cuzk_prepared_vk **out, struct cuzk_error *err)
{
    struct cuzk_prepared_vk *prepared = NULL;
    struct cuzk_g2_affine minus;
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&prepared, 1, "prepared verifying key", err));
    prepared->ic_count = vk->ic_count;
    if (vk->ic_count <= TABLE_MOST) {
        CUZK_TRY_OUT(cuzk_g1_table_create(pool, vk->ic, vk->ic_count, &prepared->ic, err));
    } else {
        CUZK_TRY_OUT(CUZK_NEW(&prepared->ic_points, vk->ic_count, "points of public inputs", err));
        memcpy(prepared->ic_points, vk->ic, vk->ic_count * sizeof *vk->ic);
    }
    prepared->alpha = vk->alpha_g1;
    cuzk_g2_prepare(&vk->beta_g2, &prepared->beta);
    cuzk_g2_affine_neg(&vk->gamma_g2, &minus);
    cuzk_g2_prepare(&minus, &prepared->minus_gamma);
    cuzk_g2_affine_neg(&vk->delta_g2, &minus);
    cuzk_g2_prepare(&minus, &prepared->minus_delta);
    cuzk_pairing(&vk->alpha_g1, &vk->beta_g2, &prepared->alpha_beta);
    *out = prepared;
    return CUZK_OK;
out:
    cuzk_prepared_vk_destroy(prepared);
    return status;
}

void cuzk_prepared_vk_destroy(struct cuzk_prepared_vk *vk)
{
    if (vk == NULL)
        return;
    cuzk_g1_table_destroy(vk->ic);
    cuzk_mem_free(vk->ic_points);
    cuzk_mem_free(vk);
}

size_t cuzk_prepared_vk_inputs(const struct cuzk_prepared_vk *vk)
{
    return vk->ic_count == 0 ? 0 : vk->ic_count - 1;
}

enum cuzk_status cuzk_public_inputs_decode(const uint8_t (*bytes)[CUZK_FR_BYTES], size_t count,
                                           struct cuzk_fr *out, struct cuzk_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!cuzk_fr_from_bytes(bytes[i], &out[i]))
            return cuzk_error_set(err, CUZK_INPUT, "public input %zu: not below r", i);
    return CUZK_OK;
}

static enum cuzk_status check_count(const struct cuzk_prepared_vk *vk, size_t count, struct cuzk_error *err)
{
    if (vk->ic_count == 0)
        return cuzk_error_set(err, CUZK_INVALID, "the verifying key has no ic at all");
    if (count != vk->ic_count - 1)
        return cuzk_error_set(err, CUZK_INVALID, "expected %zu public inputs, found %zu",
                              (size_t)vk->ic_count - 1, count);
    return CUZK_OK;
}

/* ic[0] + sum input_i ic[i + 1] */
static enum cuzk_status sum_inputs(const struct cuzk_prepared_vk *vk, const struct cuzk_fr *inputs,
                                   const uint64_t one[4], struct cuzk_g1 *out, struct cuzk_error *err)
{
    uint64_t(*scalars)[4] = NULL;
    enum cuzk_status status;

    CUZK_TRY(CUZK_NEW(&scalars, vk->ic_count, "public inputs", err));
    for (int k = 0; k < 4; k++)
        scalars[0][k] = one[k];
    for (size_t i = 1; i < vk->ic_count; i++)
        cuzk_fr_to_words(&inputs[i - 1], scalars[i]);
    status = vk->ic != NULL
                 ? cuzk_g1_table_sum(vk->ic, (const uint64_t(*)[4])scalars, out, err)
                 : cuzk_msm_g1(NULL, vk->ic_points, (const uint64_t(*)[4])scalars, vk->ic_count, out, err);
    cuzk_mem_free(scalars);
    return status;
}

static enum cuzk_status verify_decoded(const struct cuzk_prepared_vk *vk,
                                       const struct cuzk_public_inputs *inputs,
                                       const struct cuzk_proof *proof, struct cuzk_error *err)
{
    static const uint64_t one[4] = {1, 0, 0, 0};
    struct cuzk_g1_affine sum;
    struct cuzk_fp12 f;
    struct cuzk_g1 t;

    CUZK_TRY(check_count(vk, inputs->count, err));
    CUZK_TRY(sum_inputs(vk, inputs->values, one, &t, err));
    cuzk_g1_to_affine(&t, &sum);
    const struct cuzk_pairing_term terms[3] = {
        {.p = &proof->a, .q = &proof->b},
        {.p = &sum, .prepared = &vk->minus_gamma},
        {.p = &proof->c, .prepared = &vk->minus_delta},
    };
    cuzk_miller_loop(terms, 3, &f);
    cuzk_final_exponentiation(&f, &f);
    if (!cuzk_fp12_equal(&f, &vk->alpha_beta))
        return cuzk_error_set(err, CUZK_INVALID, "the proof does not hold for these public inputs");
    return CUZK_OK;
}

enum cuzk_status cuzk_verify(const struct cuzk_prepared_vk *vk, const struct cuzk_public_inputs *inputs,
                             const uint8_t *proof, size_t proof_length, struct cuzk_error *err)
{
    struct cuzk_proof decoded;

    if (proof_length != CUZK_PROOF_BYTES)
        return cuzk_error_set(err, CUZK_INPUT, "proof: expected exactly %d bytes, found %zu",
                              CUZK_PROOF_BYTES, proof_length);
    CUZK_TRY(cuzk_proof_decode(proof, &decoded, err));
    return verify_decoded(vk, inputs, &decoded, err);
}

/* ---- many proofs ---- */

struct batch {
    const uint8_t *bytes;
    size_t count;
    uint64_t (*weights)[2];
    struct cuzk_proof *proofs;
    struct cuzk_g1 *sums;       /* of weighted C, one a chunk */
    struct cuzk_fp12 *products; /* of Miller functions, one a chunk */
};

static enum cuzk_status run_chunk(void *context, size_t index, struct cuzk_error *err)
{
    struct batch *batch = context;
    const size_t begin = index * CHUNK,
                 n = batch->count - begin < CHUNK ? batch->count - begin : (size_t)CHUNK;
    struct cuzk_proof *proofs = batch->proofs + begin;
    const uint64_t(*weights)[2] = (const uint64_t(*)[2])(batch->weights + begin);
    struct cuzk_pairing_term terms[CHUNK];
    struct cuzk_g1_affine affine[CHUNK];
    struct cuzk_g1 points[CHUNK];
    size_t bad;

    const enum cuzk_status status =
        cuzk_proof_decode_many(batch->bytes + begin * CUZK_PROOF_BYTES, n, proofs, &bad, err);
    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "proof %zu of %zu", begin + bad + 1, batch->count);
    for (size_t i = 0; i < n; i++)
        affine[i] = proofs[i].c;
    cuzk_g1_sum_weights(affine, weights, n, &batch->sums[index]);
    for (size_t i = 0; i < n; i++)
        affine[i] = proofs[i].a;
    cuzk_g1_mul_weight_many(affine, weights, n, points);
    cuzk_g1_batch_to_affine(points, n, affine);
    for (size_t i = 0; i < n; i++)
        terms[i] = (struct cuzk_pairing_term){.p = &affine[i], .q = &proofs[i].b};
    cuzk_miller_loop(terms, n, &batch->products[index]);
    return CUZK_OK;
}

/* weight[0] + lambda weight[1], as cuzk_g1_mul_weight takes it: lambda = -x^2 */
static void weight_to_fr(const uint64_t weight[2], struct cuzk_fr *out)
{
    struct cuzk_fr x2, t;

    cuzk_fr_from_u64(UINT64_C(0xd201000000010000), &x2);
    cuzk_fr_sqr(&x2, &x2);
    cuzk_fr_from_u64(weight[1], &t);
    cuzk_fr_mul(&t, &x2, &t);
    cuzk_fr_from_u64(weight[0], out);
    cuzk_fr_sub(out, &t, out);
}

/* The weighted equations' product: OK if it is one, else INVALID. */
static enum cuzk_status check_product(const struct cuzk_prepared_vk *vk, const struct batch *batch,
                                      size_t chunks, const struct cuzk_public_inputs *inputs,
                                      struct cuzk_error *err)
{
    struct cuzk_fr *sums = NULL, total, weight, t;
    struct cuzk_g1 points[3];
    struct cuzk_g1_affine affine[3];
    struct cuzk_fp12 f;
    uint64_t words[4];
    enum cuzk_status status;

    CUZK_TRY_OUT(CUZK_NEW(&sums, vk->ic_count, "weighted public inputs", err));
    cuzk_fr_zero(&total);
    for (size_t i = 0; i < batch->count; i++) {
        weight_to_fr(batch->weights[i], &weight);
        cuzk_fr_add(&total, &weight, &total);
        for (size_t j = 0; j < inputs[i].count; j++) {
            cuzk_fr_mul(&inputs[i].values[j], &weight, &t);
            cuzk_fr_add(&sums[j], &t, &sums[j]);
        }
    }
    cuzk_fr_to_words(&total, words);
    CUZK_TRY_OUT(sum_inputs(vk, sums, words, &points[0], err));
    points[1] = batch->sums[0];
    for (size_t i = 1; i < chunks; i++)
        cuzk_g1_add(&points[1], &batch->sums[i], &points[1]);
    cuzk_g1_from_affine(&vk->alpha, &points[2]);
    cuzk_g1_mul(&points[2], words, &points[2]);
    cuzk_g1_neg(&points[2], &points[2]);
    cuzk_g1_batch_to_affine(points, 3, affine);
    const struct cuzk_pairing_term terms[3] = {
        {.p = &affine[0], .prepared = &vk->minus_gamma},
        {.p = &affine[1], .prepared = &vk->minus_delta},
        /* e(A, B) e(alpha, beta)^-1 */
        {.p = &affine[2], .prepared = &vk->beta},
    };
    cuzk_miller_loop(terms, 3, &f);
    for (size_t i = 0; i < chunks; i++)
        cuzk_fp12_mul(&f, &batch->products[i], &f);
    cuzk_final_exponentiation(&f, &f);
    if (!cuzk_fp12_is_one(&f))
        status = cuzk_error_set(err, CUZK_INVALID, "the proofs do not all hold for these public inputs");
out:
    cuzk_mem_free(sums);
    return status;
}

/* Which proof of a set that does not hold is the first to blame. */
static enum cuzk_status blame(const struct cuzk_prepared_vk *vk, const struct batch *batch,
                              const struct cuzk_public_inputs *inputs, struct cuzk_error *err)
{
    for (size_t i = 0; i < batch->count; i++) {
        const enum cuzk_status status = verify_decoded(vk, &inputs[i], &batch->proofs[i], err);
        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "proof %zu of %zu", i + 1, batch->count);
    }
    return cuzk_error_set(err, CUZK_INTERNAL, "proofs hold one by one, but not together");
}

enum cuzk_status cuzk_verify_many(struct cuzk_pool *pool, const struct cuzk_prepared_vk *vk,
                                  const struct cuzk_public_inputs *inputs, size_t inputs_count,
                                  const uint8_t *proofs, size_t proofs_length, size_t count,
                                  struct cuzk_error *err)
{
    struct batch batch = {.bytes = proofs, .count = count};
    const size_t chunks = count / CHUNK + (count % CHUNK != 0);
    struct cuzk_random random;
    enum cuzk_status status;

    if (count == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "no proofs to verify");
    if (proofs_length % CUZK_PROOF_BYTES != 0 || proofs_length / CUZK_PROOF_BYTES != count)
        return cuzk_error_set(err, CUZK_INPUT, "proofs: expected %zu times %d bytes, found %zu", count,
                              CUZK_PROOF_BYTES, proofs_length);
    if (count == 1 && inputs_count == 1)
        return cuzk_verify(vk, inputs, proofs, proofs_length, err);
    cuzk_random_init_system(&random);
    CUZK_TRY_OUT(CUZK_NEW(&batch.weights, count, "weights of proofs", err));
    CUZK_TRY_OUT(CUZK_NEW(&batch.proofs, count, "decoded proofs", err));
    CUZK_TRY_OUT(CUZK_NEW(&batch.sums, chunks, "sums of C", err));
    CUZK_TRY_OUT(CUZK_NEW(&batch.products, chunks, "products of pairings", err));
    CUZK_TRY_OUT(cuzk_random_bytes(&random, batch.weights, count * sizeof *batch.weights, err));
    CUZK_TRY_OUT(cuzk_pool_try(pool, chunks, run_chunk, &batch, NULL, err));
    if (inputs_count != count) {
        status = cuzk_error_set(err, CUZK_INVALID, "expected public inputs of %zu proofs, found those of %zu",
                                count, inputs_count);
        goto out;
    }
    for (size_t i = 0; i < count; i++) {
        status = check_count(vk, inputs[i].count, err);
        if (status != CUZK_OK) {
            (void)cuzk_error_prefix(err, status, "proof %zu of %zu", i + 1, count);
            goto out;
        }
    }
    status = check_product(vk, &batch, chunks, inputs, err);
    if (status == CUZK_INVALID)
        status = blame(vk, &batch, inputs, err);
out:
    cuzk_mem_free(batch.weights);
    cuzk_mem_free(batch.proofs);
    cuzk_mem_free(batch.sums);
    cuzk_mem_free(batch.products);
    return status;
}
