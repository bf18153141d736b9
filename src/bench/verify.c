#include "bench/verify.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/random.h"
#include "curve/generator.h"
#include "groth16/verify.h"

enum { FULL_SIZE = 3 }; /* public inputs that are not small */

struct work {
    struct cuzk_pool *pool;
    struct cuzk_vk vk;
    struct cuzk_prepared_vk *prepared;
    size_t inputs, batch;
    struct cuzk_fr *values; /* public inputs, the same for every proof */
    struct cuzk_public_inputs *each;
    uint8_t *proofs;
};

static enum cuzk_status draw(struct cuzk_random *random, struct cuzk_fr *out, struct cuzk_error *err)
{
    uint8_t wide[2 * CUZK_FR_BYTES];

    CUZK_TRY(cuzk_random_bytes(random, wide, sizeof wide, err));
    cuzk_fr_from_wide_bytes(wide, out);
    return CUZK_OK;
}

/* A key with known logarithms, and proofs: A = a, B = b, C = (a b - alpha beta - gamma sum) / delta. */
static enum cuzk_status make_work(struct work *work, struct cuzk_error *err)
{
    struct cuzk_fr alpha, beta, gamma, delta, ic, sum, a, b, t;
    struct cuzk_random random;

    cuzk_random_init_system(&random);
    CUZK_TRY(CUZK_NEW(&work->vk.ic, work->inputs + 1, "points of a key", err));
    work->vk.ic_count = (uint32_t)work->inputs + 1;
    CUZK_TRY(CUZK_NEW(&work->values, work->inputs, "public inputs", err));
    CUZK_TRY(CUZK_NEW(&work->each, work->batch, "public inputs", err));
    CUZK_TRY(cuzk_mem_alloc(work->batch, CUZK_PROOF_BYTES, "proofs", (void **)&work->proofs, err));
    CUZK_TRY(draw(&random, &alpha, err));
    CUZK_TRY(draw(&random, &beta, err));
    CUZK_TRY(draw(&random, &gamma, err));
    CUZK_TRY(draw(&random, &delta, err));
    cuzk_g1_generator_multiple(&alpha, &work->vk.alpha_g1);
    cuzk_g1_generator_multiple(&beta, &work->vk.beta_g1);
    cuzk_g1_generator_multiple(&delta, &work->vk.delta_g1);
    cuzk_g2_generator_multiple(&beta, &work->vk.beta_g2);
    cuzk_g2_generator_multiple(&gamma, &work->vk.gamma_g2);
    cuzk_g2_generator_multiple(&delta, &work->vk.delta_g2);
    CUZK_TRY(draw(&random, &sum, err));
    cuzk_g1_generator_multiple(&sum, &work->vk.ic[0]);
    for (size_t i = 0; i < work->inputs; i++) {
        CUZK_TRY(draw(&random, &work->values[i], err));
        if (i >= FULL_SIZE)
            cuzk_fr_from_u64(work->values[i].l[0] & 63, &work->values[i]);
        CUZK_TRY(draw(&random, &ic, err));
        cuzk_g1_generator_multiple(&ic, &work->vk.ic[i + 1]);
        cuzk_fr_mul(&ic, &work->values[i], &t);
        cuzk_fr_add(&sum, &t, &sum);
    }
    cuzk_fr_mul(&alpha, &beta, &alpha);
    cuzk_fr_mul(&gamma, &sum, &sum);
    cuzk_fr_add(&alpha, &sum, &sum);
    cuzk_fr_inverse(&delta, &delta);
    for (size_t i = 0; i < work->batch; i++) {
        struct cuzk_proof proof;
        CUZK_TRY(draw(&random, &a, err));
        CUZK_TRY(draw(&random, &b, err));
        cuzk_g1_generator_multiple(&a, &proof.a);
        cuzk_g2_generator_multiple(&b, &proof.b);
        cuzk_fr_mul(&a, &b, &t);
        cuzk_fr_sub(&t, &sum, &t);
        cuzk_fr_mul(&t, &delta, &t);
        cuzk_g1_generator_multiple(&t, &proof.c);
        cuzk_proof_encode(&proof, work->proofs + i * CUZK_PROOF_BYTES);
        work->each[i] = (struct cuzk_public_inputs){work->values, work->inputs};
    }
    return cuzk_prepared_vk_create(work->pool, &work->vk, &work->prepared, err);
}

static enum cuzk_status run_prepare(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    struct cuzk_prepared_vk *prepared;

    CUZK_TRY(cuzk_prepared_vk_create(work->pool, &work->vk, &prepared, err));
    cuzk_prepared_vk_destroy(prepared);
    return CUZK_OK;
}

static enum cuzk_status run_decode(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    struct cuzk_proof proof;

    return cuzk_proof_decode(work->proofs, &proof, err);
}

static enum cuzk_status run_one(void *context, struct cuzk_error *err)
{
    const struct work *work = context;

    return cuzk_verify(work->prepared, &work->each[0], work->proofs, CUZK_PROOF_BYTES, err);
}

static enum cuzk_status run_batch(void *context, struct cuzk_error *err)
{
    const struct work *work = context;

    return cuzk_verify_many(work->pool, work->prepared, work->each, work->batch, work->proofs,
                            work->batch * CUZK_PROOF_BYTES, work->batch, err);
}

enum cuzk_status cuzk_bench_verify(struct cuzk_pool *pool, size_t inputs, size_t batch,
                                   const struct cuzk_progress *progress,
                                   struct cuzk_bench_result results[CUZK_BENCH_VERIFY_CASES],
                                   struct cuzk_error *err)
{
    struct work work = {.pool = pool, .inputs = inputs, .batch = batch};
    char batch_name[64];
    enum cuzk_status status;

    snprintf(batch_name, sizeof batch_name, "verify %zu proofs", batch);
    const struct cuzk_bench_case cases[CUZK_BENCH_VERIFY_CASES] = {
        {"prepare a key", "key", 1, run_prepare, &work},
        {"decode a proof", "proof", 1, run_decode, &work},
        {"verify a proof", "proof", 1, run_one, &work},
        {batch_name, "proof", batch, run_batch, &work},
    };
    CUZK_TRY_OUT(make_work(&work, err));
    for (size_t i = 0; i < CUZK_BENCH_VERIFY_CASES; i++)
        CUZK_TRY_OUT(cuzk_bench_measure(&cases[i], &cuzk_bench_default, progress, &results[i], err));
out:
    cuzk_prepared_vk_destroy(work.prepared);
    cuzk_vk_destroy(&work.vk);
    cuzk_mem_free(work.values);
    cuzk_mem_free(work.each);
    cuzk_mem_free(work.proofs);
    return status;
}
