/* Proofs of the toy circuits with fixed r and s, byte for byte; refusal of what does not hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "base/cpu.h"
#include "base/mem.h"
#include "groth16/params.h"
#include "groth16/prove_fixed.h"
#include "groth16/setup.h"
#include "hash/sha256.h"
#include "toy.h"

static struct cuzk_pool *pool;
static struct cuzk_backend *backend;

/* The parameters of a toy circuit: of the fixture, or made here where it has none. */
static void load_params(const struct toy *toy, struct memory *bytes, struct cuzk_params *out)
{
    struct cuzk_error err;
    struct cuzk_vk vk;

    *bytes = (struct memory){0};
    assert_int_equal(cuzk_setup(backend, pool, toy->r1cs, &toy->toxic, memory_sink(bytes), NULL, &vk, &err),
                     CUZK_OK);
    cuzk_vk_destroy(&vk);
    assert_int_equal(cuzk_params_from_bytes(toy->name, bytes->bytes, bytes->length, out, &err), CUZK_OK);
}

static void check_proofs(struct toy *toy)
{
    struct memory bytes;
    struct cuzk_params params;
    struct cuzk_prover *prover;
    struct cuzk_error err;

    load_params(toy, &bytes, &params);
    assert_int_equal(cuzk_prover_create(backend, toy->r1cs, &toy->layout, &params, NULL, &prover, &err),
                     CUZK_OK);
    toy_assert_proofs(toy, prover);
    cuzk_prover_destroy(prover);
    cuzk_params_close(&params);
    free(bytes.bytes);
}

static void test_prove_fixed__equals_reference(void **state)
{
    const enum cuzk_cpu_level saved = cuzk_cpu_level();

    (void)state;
    for (int level = CUZK_CPU_PORTABLE; level <= CUZK_CPU_IFMA; level++) {
        cuzk_cpu_set_level((enum cuzk_cpu_level)level);
        toy_each(false, check_proofs);
        toy_each(true, check_proofs);
    }
    cuzk_cpu_set_level(saved);
}

static void check_quotient(struct toy *toy)
{
    const struct fixture_json record = fixture_json_get(toy->json, "h_coeffs");
    const size_t count = fixture_json_u64(fixture_json_get(record, "count"));
    struct cuzk_fr *h = calloc(count + 1, sizeof *h);
    struct memory bytes;
    struct cuzk_params params;
    struct cuzk_backend_plan plan = {.r1cs = toy->r1cs, .layout = &toy->layout, .row_step = 1};
    struct cuzk_density a, b;
    struct cuzk_backend_key *key;
    struct cuzk_backend_job *job;
    struct cuzk_error err;
    uint8_t expected[32], digest[32];

    load_params(toy, &bytes, &params);
    cuzk_params_plan(&params, plan.query);
    while ((size_t)1 << plan.log_domain < count)
        plan.log_domain++;
    uint64_t all[128];
    memset(all, 0xff, sizeof all);
    assert_int_equal(cuzk_r1cs_density(toy->r1cs, CUZK_MATRIX_A, &a, &err), CUZK_OK);
    assert_int_equal(cuzk_r1cs_density(toy->r1cs, CUZK_MATRIX_B, &b, &err), CUZK_OK);
    plan.query[CUZK_QUERY_L].aux = all;
    plan.query[CUZK_QUERY_A].inputs = all;
    plan.query[CUZK_QUERY_A].aux = a.aux;
    plan.query[CUZK_QUERY_B_G1].inputs = plan.query[CUZK_QUERY_B_G2].inputs = b.inputs;
    plan.query[CUZK_QUERY_B_G1].aux = plan.query[CUZK_QUERY_B_G2].aux = b.aux;
    assert_int_equal(backend->ops->key_create(backend, &plan, &key, &err), CUZK_OK);
    assert_int_equal(backend->ops->job_create(key, &job, &err), CUZK_OK);
    assert_int_equal(backend->ops->eval_ab(job, &err), CUZK_ARGUMENT); /* out of order */
    assert_int_equal(backend->ops->upload(job, &toy->witness, &err), CUZK_OK);
    assert_int_equal(backend->ops->quotient(job, &err), CUZK_ARGUMENT);
    assert_int_equal(backend->ops->eval_ab(job, &err), CUZK_OK);
    assert_int_equal(backend->ops->quotient(job, &err), CUZK_OK);
    assert_int_equal(backend->ops->download(job, CUZK_DATA_QUOTIENT, 0, count + 1, h, &err), CUZK_OK);
    assert_true(cuzk_fr_is_zero(&h[count]));
    cuzk_sha256_digest(h, count * sizeof *h, digest); /* plain little-endian numbers */
    fixture_json_hex(fixture_json_get(record, "sha256"), expected, sizeof expected);
    assert_memory_equal(digest, expected, sizeof digest);
    cuzk_backend_job_destroy(job);
    cuzk_backend_key_destroy(key);
    cuzk_density_destroy(&a);
    cuzk_density_destroy(&b);
    cuzk_params_close(&params);
    free(bytes.bytes);
    free(h);
}

static void test_quotient__equals_reference(void **state)
{
    (void)state;
    toy_each(false, check_quotient);
    toy_each(true, check_quotient);
}

static void test_prove__differs_each_time_and_verifies(void **state)
{
    struct toy toy;
    struct memory bytes;
    struct cuzk_params params;
    struct cuzk_prover *prover;
    struct cuzk_prove_times times;
    struct cuzk_error err;
    uint8_t one[CUZK_PROOF_BYTES], two[CUZK_PROOF_BYTES];

    (void)state;
    toy_load("mimc-322", false, &toy);
    load_params(&toy, &bytes, &params);
    assert_int_equal(cuzk_prover_create(backend, toy.r1cs, &toy.layout, &params, NULL, &prover, &err),
                     CUZK_OK);
    assert_int_equal(cuzk_prover_prove(prover, &toy.witness, NULL, NULL, one, &err), CUZK_OK);
    assert_int_equal(cuzk_prover_prove(prover, &toy.witness, NULL, &times, two, &err), CUZK_OK);
    assert_memory_not_equal(one, two, sizeof one);
    assert_true(times.total > times.backend.quotient && times.backend.quotient > 0);
    cuzk_prover_destroy(prover);
    cuzk_params_close(&params);
    free(bytes.bytes);
    toy_free(&toy);
}

static void test_prove__refuses_unsatisfied_witnesses(void **state)
{
    struct toy toy;
    struct memory bytes;
    struct cuzk_params params;
    struct cuzk_prover *prover;
    struct cuzk_error err;
    struct cuzk_fr one;
    uint8_t proof[CUZK_PROOF_BYTES];
    const uint8_t zero[CUZK_PROOF_BYTES] = {0};

    (void)state;
    toy_load("cubic", false, &toy);
    load_params(&toy, &bytes, &params);
    assert_int_equal(cuzk_prover_create(backend, toy.r1cs, &toy.layout, &params, NULL, &prover, &err),
                     CUZK_OK);
    cuzk_fr_one(&one);
    cuzk_fr_add(&toy.witness.wide[2], &one, &toy.witness.wide[2]);
    assert_int_equal(cuzk_prover_prove(prover, &toy.witness, NULL, NULL, proof, &err), CUZK_UNSATISFIED);
    assert_non_null(strstr(err.message, "constraint 1 of 3"));
    assert_memory_equal(proof, zero, sizeof proof);
    cuzk_r1cs_drop_matrix(toy.r1cs, CUZK_MATRIX_C); /* then the number is not known */
    assert_int_equal(cuzk_prover_prove(prover, &toy.witness, NULL, NULL, proof, &err), CUZK_UNSATISFIED);
    assert_non_null(strstr(err.message, "does not verify"));
    cuzk_fr_sub(&toy.witness.wide[2], &one, &toy.witness.wide[2]);
    assert_int_equal(cuzk_prover_prove(prover, &toy.witness, NULL, NULL, proof, &err), CUZK_OK);
    cuzk_prover_destroy(prover);
    cuzk_params_close(&params);
    free(bytes.bytes);
    toy_free(&toy);
}

static void test_prover_create__refuses_keys_of_other_circuits(void **state)
{
    struct toy cubic, five;
    struct memory bytes;
    struct cuzk_params params;
    struct cuzk_prover *prover;
    struct cuzk_error err;

    (void)state;
    toy_load("cubic", false, &cubic);
    load_params(&cubic, &bytes, &params);
    toy_load("five-33", false, &five);
    assert_int_equal(cuzk_prover_create(backend, five.r1cs, &five.layout, &params, NULL, &prover, &err),
                     CUZK_INPUT);
    assert_string_equal(err.message, "cubic: ic: expected 6 points for this circuit, found 2");
    params.query[CUZK_QUERY_A].count--;
    assert_int_equal(cuzk_prover_create(backend, cubic.r1cs, &cubic.layout, &params, NULL, &prover, &err),
                     CUZK_INPUT);
    assert_null(prover);
    cuzk_params_close(&params);
    free(bytes.bytes);
    toy_free(&cubic);
    toy_free(&five);
}

static void test_prove__refuses_points_off_the_curve(void **state)
{
    struct toy toy;
    struct memory bytes;
    struct cuzk_params params;
    struct cuzk_prover *prover;
    struct cuzk_error err;
    uint8_t proof[CUZK_PROOF_BYTES];

    (void)state;
    toy_load("mimc-322", false, &toy);
    load_params(&toy, &bytes, &params);
    for (int q = 0; q < CUZK_QUERIES; q++) {
        uint8_t *byte =
            bytes.bytes + params.query[q].offset +
            7 * (size_t)(cuzk_query_is_g2((enum cuzk_query)q) ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES) + 30;
        *byte ^= 4;
        assert_int_equal(cuzk_prover_create(backend, toy.r1cs, &toy.layout, &params, NULL, &prover, &err),
                         CUZK_OK);
        assert_int_equal(cuzk_prover_prove(prover, &toy.witness, NULL, NULL, proof, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, cuzk_params_query_name((enum cuzk_query)q)));
        cuzk_prover_destroy(prover);
        *byte ^= 4;
    }
    cuzk_params_close(&params);
    free(bytes.bytes);
    toy_free(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotient__equals_reference),
        cmocka_unit_test(test_prove_fixed__equals_reference),
        cmocka_unit_test(test_prove__differs_each_time_and_verifies),
        cmocka_unit_test(test_prove__refuses_unsatisfied_witnesses),
        cmocka_unit_test(test_prover_create__refuses_keys_of_other_circuits),
        cmocka_unit_test(test_prove__refuses_points_off_the_curve),
    };

    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK ||
        cuzk_backend_cpu_create(pool, &backend, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_backend_destroy(backend);
    cuzk_pool_destroy(pool);
    return failed;
}
