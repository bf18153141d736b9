/* Proofs in stages: they may take turns, keep their order, stop, and fail without a trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "base/mem.h"
#include "groth16/params.h"
#include "groth16/prove_fixed.h"
#include "groth16/setup.h"
#include "groth16/verify.h"
#include "toy.h"

static struct cuzk_backend *backend;
static struct toy toy;
static struct memory bytes;
static struct cuzk_params params;
static struct cuzk_prover *prover;

static int open_prover(void **state)
{
    struct cuzk_error err;
    struct cuzk_vk vk;

    (void)state;
    toy_load("mimc-322", true, &toy);
    assert_int_equal(cuzk_backend_cpu_create(NULL, &backend, &err), CUZK_OK);
    assert_int_equal(cuzk_setup(backend, NULL, toy.r1cs, &toy.toxic, memory_sink(&bytes), NULL, &vk, &err),
                     CUZK_OK);
    cuzk_vk_destroy(&vk);
    assert_int_equal(cuzk_params_from_bytes(toy.name, bytes.bytes, bytes.length, &params, &err), CUZK_OK);
    assert_int_equal(cuzk_prover_create(backend, toy.r1cs, &toy.layout, &params, NULL, &prover, &err),
                     CUZK_OK);
    return 0;
}

static int close_prover(void **state)
{
    (void)state;
    cuzk_prover_destroy(prover);
    cuzk_params_close(&params);
    cuzk_backend_destroy(backend);
    free(bytes.bytes);
    toy_free(&toy);
    return 0;
}

enum { STAGES = 4 };

static enum cuzk_status run_stage(unsigned stage, struct cuzk_proving *proving,
                                  uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err)
{
    switch (stage) {
    case 0:
        return cuzk_proving_upload(proving, &toy.witness, err);
    case 1:
        return cuzk_proving_quotient(proving, err);
    case 2:
        return cuzk_proving_sums(proving, err);
    default:
        return cuzk_proving_finish(proving, proof, err);
    }
}

static void test_stages__take_turns_and_give_the_reference_proofs(void **state)
{
    enum { PROOFS = 3 };
    struct cuzk_proving *proving[PROOFS];
    uint8_t expected[PROOFS][CUZK_PROOF_BYTES], proof[PROOFS][CUZK_PROOF_BYTES];
    struct fixture_json record = {0};
    struct cuzk_backend_times times;
    struct cuzk_error err;
    unsigned n = 0;

    (void)state;
    while (n < PROOFS && fixture_json_next(fixture_json_get(toy.json, "proofs"), &record)) {
        struct cuzk_fr r, s;
        toy_scalar(fixture_json_get(record, "r"), &r);
        toy_scalar(fixture_json_get(record, "s"), &s);
        fixture_json_hex(fixture_json_get(record, "proof"), expected[n], CUZK_PROOF_BYTES);
        assert_int_equal(cuzk_proving_create(prover, NULL, &proving[n], &err), CUZK_OK);
        cuzk_proving_fix(proving[n++], &r, &s);
    }
    assert_int_equal(n, PROOFS);
    for (unsigned stage = 0; stage < STAGES; stage++)
        for (unsigned i = 0; i < PROOFS; i++) {
            const unsigned which = (i + stage) % PROOFS;
            assert_int_equal(run_stage(stage, proving[which], proof[which], &err), CUZK_OK);
        }
    for (unsigned i = 0; i < PROOFS; i++) {
        cuzk_proving_times(proving[i], &times);
        assert_true(times.quotient > 0 && times.msm[CUZK_QUERY_B_G2] > 0);
        assert_memory_equal(proof[i], expected[i], CUZK_PROOF_BYTES);
        cuzk_proving_destroy(proving[i]);
    }
}

static void test_create__draws_anew(void **state)
{
    const struct cuzk_public_inputs inputs = {toy.witness.inputs + 1, toy.r1cs->inputs - 1};
    struct cuzk_prepared_vk *vk;
    uint8_t proof[2][CUZK_PROOF_BYTES];
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_prepared_vk_create(NULL, &params.vk, &vk, &err), CUZK_OK);
    for (unsigned i = 0; i < 2; i++) {
        struct cuzk_proving *proving;
        assert_int_equal(cuzk_proving_create(prover, NULL, &proving, &err), CUZK_OK);
        for (unsigned stage = 0; stage < STAGES; stage++)
            assert_int_equal(run_stage(stage, proving, proof[i], &err), CUZK_OK);
        assert_int_equal(cuzk_verify(vk, &inputs, proof[i], CUZK_PROOF_BYTES, &err), CUZK_OK);
        cuzk_proving_destroy(proving);
    }
    assert_memory_not_equal(proof[0], proof[1], CUZK_PROOF_BYTES);
    cuzk_prepared_vk_destroy(vk);
}

static void test_stages__keep_their_order(void **state)
{
    struct cuzk_proving *proving;
    uint8_t proof[CUZK_PROOF_BYTES];
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_proving_create(prover, NULL, &proving, &err), CUZK_OK);
    for (unsigned turn = 0; turn <= STAGES; turn++) {
        for (unsigned other = 0; other < STAGES; other++)
            if (other != turn)
                assert_int_equal(run_stage(other, proving, proof, &err), CUZK_INTERNAL);
        if (turn < STAGES)
            assert_int_equal(run_stage(turn, proving, proof, &err), CUZK_OK);
    }
    cuzk_proving_destroy(proving);
    cuzk_proving_destroy(NULL);
}

static bool stop_after(void *context)
{
    unsigned *left = context;

    return (*left)-- == 0;
}

static void test_stages__stop_when_asked(void **state)
{
    const size_t before = cuzk_mem_in_use();
    enum cuzk_status status = CUZK_CANCELLED;
    unsigned asked = 0;

    (void)state;
    for (; status == CUZK_CANCELLED; asked++) {
        unsigned left = asked;
        const struct cuzk_progress progress = {.cancelled = stop_after, .context = &left};
        struct cuzk_proving *proving;
        uint8_t proof[CUZK_PROOF_BYTES];
        status = CUZK_OK;
        assert_int_equal(cuzk_proving_create(prover, &progress, &proving, NULL), CUZK_OK);
        for (unsigned stage = 0; stage < STAGES && status == CUZK_OK; stage++)
            status = run_stage(stage, proving, proof, NULL);
        cuzk_proving_destroy(proving);
        assert_int_equal(cuzk_mem_in_use(), before);
    }
    assert_int_equal(status, CUZK_OK);
    assert_true(asked > 6);
}

static void test_stages__memory_fails(void **state)
{
    const size_t before = cuzk_mem_in_use();
    enum cuzk_status status = CUZK_MEMORY;
    size_t n = 0;

    (void)state;
    for (; status == CUZK_MEMORY; n++) {
        struct cuzk_proving *proving;
        uint8_t proof[CUZK_PROOF_BYTES];
        cuzk_mem_fail_after(n, 0);
        status = cuzk_proving_create(prover, NULL, &proving, NULL);
        for (unsigned stage = 0; stage < STAGES && status == CUZK_OK; stage++)
            status = run_stage(stage, proving, proof, NULL);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        cuzk_proving_destroy(proving);
        assert_int_equal(cuzk_mem_in_use(), before);
    }
    assert_int_equal(status, CUZK_OK);
    assert_true(n > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stages__take_turns_and_give_the_reference_proofs),
        cmocka_unit_test(test_create__draws_anew),
        cmocka_unit_test(test_stages__keep_their_order),
        cmocka_unit_test(test_stages__stop_when_asked),
        cmocka_unit_test(test_stages__memory_fails),
    };

    return cmocka_run_group_tests(tests, open_prover, close_prover);
}
