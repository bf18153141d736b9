/* snarkjs' keys and JSON: its key and witness prove here, ours round-trip, damage is refused. Whether snarkjs
 * accepts what is written here is asked by tests/peers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "backend/cpu/cpu.h"
#include "base/mem.h"
#include "groth16/decimal.h"
#include "groth16/snarkjs_json.h"
#include "groth16/verify.h"
#include "groth16/zkey.h"
#include "r1cs/circom_r1cs.h"
#include "r1cs/circom_wtns.h"
#include "support/random.h"
#include "toy.h"

static const char *const circuits[] = {"mul", "mimc"};
enum { CIRCUITS = sizeof circuits / sizeof *circuits };

static struct test_random rng;
static struct cuzk_pool *pool;
static struct cuzk_backend *backend;

static uint8_t *file_of(const char *circuit, const char *suffix, size_t *length)
{
    return fixture_read(length, "circom/%s/%s", circuit, suffix);
}

static uint8_t *named_file(const char *circuit, const char *extension, size_t *length)
{
    return fixture_read(length, "circom/%s/%s.%s", circuit, circuit, extension);
}

static enum cuzk_status verify(const struct cuzk_vk *vk, const struct cuzk_fr *inputs, size_t count,
                               const uint8_t proof[CUZK_PROOF_BYTES])
{
    struct cuzk_prepared_vk *prepared;
    const struct cuzk_public_inputs public_inputs = {inputs, count};

    assert_int_equal(cuzk_prepared_vk_create(NULL, vk, &prepared, NULL), CUZK_OK);
    const enum cuzk_status status = cuzk_verify(prepared, &public_inputs, proof, CUZK_PROOF_BYTES, NULL);
    cuzk_prepared_vk_destroy(prepared);
    return status;
}

static void test_json__snarkjs_proofs_verify(void **state)
{
    (void)state;
    for (size_t c = 0; c < CIRCUITS; c++) {
        size_t length, count;
        uint8_t *text = file_of(circuits[c], "vkey.json", &length), proof[CUZK_PROOF_BYTES],
                expected[CUZK_PROOF_BYTES];
        struct cuzk_vk vk, again;
        struct cuzk_fr *inputs, one;
        struct cuzk_error err;
        struct memory out = {0};

        assert_int_equal(cuzk_snarkjs_vkey_read("vkey.json", text, length, &vk, &err), CUZK_OK);
        free(text);
        text = file_of(circuits[c], "proof.json", &length);
        assert_int_equal(cuzk_snarkjs_proof_read("proof.json", text, length, proof, &err), CUZK_OK);
        free(text);
        text = file_of(circuits[c], "proof.bin.hex", &length);
        fixture_hex((const char *)text, expected, sizeof expected);
        assert_memory_equal(proof, expected, sizeof proof);
        free(text);
        text = file_of(circuits[c], "public.json", &length);
        assert_int_equal(cuzk_snarkjs_public_read("public.json", text, length, &inputs, &count, &err),
                         CUZK_OK);
        assert_int_equal(verify(&vk, inputs, count, proof), CUZK_OK);

        assert_int_equal(cuzk_snarkjs_public_write(inputs, count, memory_sink(&out), &err), CUZK_OK);
        struct cuzk_fr *read_back;
        size_t read_count;
        assert_int_equal(
            cuzk_snarkjs_public_read("again", out.bytes, out.length, &read_back, &read_count, &err), CUZK_OK);
        assert_int_equal(read_count, count);
        assert_memory_equal(read_back, inputs, count * sizeof *inputs);
        cuzk_mem_free(read_back);
        out.length = 0;
        assert_int_equal(cuzk_snarkjs_proof_write(proof, memory_sink(&out), &err), CUZK_OK);
        assert_int_equal(cuzk_snarkjs_proof_read("again", out.bytes, out.length, expected, &err), CUZK_OK);
        assert_memory_equal(proof, expected, sizeof proof);
        out.length = 0;
        assert_int_equal(cuzk_snarkjs_vkey_write(&vk, memory_sink(&out), &err), CUZK_OK);
        assert_int_equal(cuzk_snarkjs_vkey_read("again", out.bytes, out.length, &again, &err), CUZK_OK);
        assert_int_equal(verify(&again, inputs, count, proof), CUZK_OK);
        cuzk_fr_one(&one);
        cuzk_fr_add(&inputs[0], &one, &inputs[0]);
        assert_int_equal(verify(&again, inputs, count, proof), CUZK_INVALID);
        cuzk_vk_destroy(&vk);
        cuzk_vk_destroy(&again);
        cuzk_mem_free(inputs);
        free(out.bytes);
        free(text);
    }
}

static void test_json__damage_is_refused(void **state)
{
    size_t length;
    char *text = (char *)file_of("mul", "vkey.json", &length);
    struct cuzk_vk vk;
    struct cuzk_error err;

    (void)state;
    for (size_t cut = 0; cut + 1 < length; cut += 7)
        assert_int_equal(cuzk_snarkjs_vkey_read("v", text, cut, &vk, &err), CUZK_INPUT);
    for (size_t k = 0; k < length; k++) {
        if (text[k] < '0' || text[k] > '8')
            continue;
        const char *ignored = strstr(text, "vk_alphabeta_12"), *after = strstr(text, "\"IC\"");
        if ((text + k > ignored && text + k < after) || test_random_below(&rng, 16) != 0)
            continue;
        text[k]++; /* a wrong digit: another point, another count, another coordinate */
        const enum cuzk_status status = cuzk_snarkjs_vkey_read("v", text, length, &vk, &err);
        assert_int_equal(status, CUZK_INPUT);
        assert_null(vk.ic);
        text[k]--;
    }
    free(text);
}

struct circuit {
    struct cuzk_zkey zkey;
    struct cuzk_witness witness;
};

static void load_zkey(const uint8_t *bytes, size_t length, const char *circuit, struct circuit *out)
{
    size_t wtns_length;
    uint8_t *wtns = named_file(circuit, "wtns", &wtns_length);
    struct cuzk_error err;

    assert_int_equal(cuzk_zkey_decode("c.zkey", bytes, length, &out->zkey, &err), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&out->zkey.layout, &out->witness, &err), CUZK_OK);
    assert_int_equal(
        cuzk_circom_wtns_decode("c.wtns", wtns, wtns_length, &out->zkey.layout, &out->witness, &err),
        CUZK_OK);
    free(wtns);
}

static void prove(struct circuit *circuit, uint8_t proof[CUZK_PROOF_BYTES], enum cuzk_status expected)
{
    struct cuzk_prover *prover;
    struct cuzk_error err;
    struct cuzk_zkey *zkey = &circuit->zkey;

    assert_int_equal(
        cuzk_prover_create(backend, zkey->r1cs, &zkey->layout, &zkey->params, &zkey->form, &prover, &err),
        CUZK_OK);
    assert_int_equal(cuzk_prover_prove(prover, &circuit->witness, NULL, NULL, proof, &err), expected);
    cuzk_prover_destroy(prover);
}

static void unload(struct circuit *circuit)
{
    cuzk_witness_destroy(&circuit->witness);
    cuzk_zkey_destroy(&circuit->zkey);
}

static void test_zkey__of_snarkjs_proves_here(void **state)
{
    (void)state;
    for (size_t c = 0; c < CIRCUITS; c++) {
        size_t length;
        uint8_t *bytes = named_file(circuits[c], "zkey", &length), proof[CUZK_PROOF_BYTES];
        struct circuit circuit;
        struct cuzk_vk vk;
        struct cuzk_error err;
        struct cuzk_fr one;

        load_zkey(bytes, length, circuits[c], &circuit);
        free(bytes);
        assert_int_equal(
            cuzk_params_validate(&circuit.zkey.params, CUZK_PARAMS_IN_SUBGROUP, pool, NULL, &err), CUZK_OK);
        prove(&circuit, proof, CUZK_OK);
        bytes = file_of(circuits[c], "vkey.json", &length);
        assert_int_equal(cuzk_snarkjs_vkey_read("vkey.json", bytes, length, &vk, &err), CUZK_OK);
        assert_int_equal(verify(&vk, circuit.witness.inputs + 1, vk.ic_count - 1, proof), CUZK_OK);
        cuzk_fr_one(&one);
        cuzk_fr_add(&circuit.witness.wide[0], &one, &circuit.witness.wide[0]);
        prove(&circuit, proof, CUZK_UNSATISFIED);
        cuzk_vk_destroy(&vk);
        unload(&circuit);
        free(bytes);
    }
}

static void test_zkey_setup__gives_keys_that_prove(void **state)
{
    (void)state;
    for (size_t c = 0; c < CIRCUITS; c++) {
        size_t length;
        uint8_t *bytes = named_file(circuits[c], "r1cs", &length), proof[CUZK_PROOF_BYTES];
        struct cuzk_random random;
        struct cuzk_toxic toxic;
        struct cuzk_r1cs *r1cs;
        struct cuzk_vk vk;
        struct cuzk_error err;
        struct memory zkey = {0};
        struct circuit circuit;

        cuzk_random_init_system(&random);
        assert_int_equal(cuzk_toxic_draw(&random, &toxic, &err), CUZK_OK);
        assert_int_equal(cuzk_circom_r1cs_decode("c.r1cs", bytes, length, &r1cs, NULL, &err), CUZK_OK);
        assert_int_equal(cuzk_zkey_setup(backend, pool, r1cs, &toxic, memory_sink(&zkey), NULL, &vk, &err),
                         CUZK_OK);
        load_zkey(zkey.bytes, zkey.length, circuits[c], &circuit);
        prove(&circuit, proof, CUZK_OK);
        assert_int_equal(verify(&vk, circuit.witness.inputs + 1, vk.ic_count - 1, proof), CUZK_OK);
        unload(&circuit);
        cuzk_vk_destroy(&vk);
        cuzk_r1cs_destroy(r1cs);
        free(zkey.bytes);
        free(bytes);
    }
}

/* What snarkjs wrote and what is written here for the same matrices is the same, section 4. */
static void test_zkey_setup__writes_the_matrices_as_snarkjs(void **state)
{
    (void)state;
    for (size_t c = 0; c < CIRCUITS; c++) {
        size_t length, theirs_length;
        uint8_t *bytes = named_file(circuits[c], "r1cs", &length);
        uint8_t *theirs = named_file(circuits[c], "zkey", &theirs_length);
        struct cuzk_toxic toxic;
        struct cuzk_random random;
        struct cuzk_r1cs *r1cs;
        struct cuzk_vk vk;
        struct cuzk_error err;
        struct memory zkey = {0};
        struct cuzk_zkey one, two;

        cuzk_random_init_system(&random);
        assert_int_equal(cuzk_toxic_draw(&random, &toxic, &err), CUZK_OK);
        assert_int_equal(cuzk_circom_r1cs_decode("c.r1cs", bytes, length, &r1cs, NULL, &err), CUZK_OK);
        assert_int_equal(cuzk_zkey_setup(backend, pool, r1cs, &toxic, memory_sink(&zkey), NULL, &vk, &err),
                         CUZK_OK);
        assert_int_equal(cuzk_zkey_decode("ours", zkey.bytes, zkey.length, &one, &err), CUZK_OK);
        assert_int_equal(cuzk_zkey_decode("theirs", theirs, theirs_length, &two, &err), CUZK_OK);
        for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B; m++) {
            const struct cuzk_matrix *a = &one.r1cs->matrix[m], *b = &two.r1cs->matrix[m];
            const uint32_t rows = r1cs->constraints, terms = a->row_start[rows];
            assert_int_equal(one.r1cs->constraints, rows);
            assert_int_equal(two.r1cs->constraints, rows);
            assert_memory_equal(a->row_start, b->row_start, (rows + 1) * sizeof *a->row_start);
            assert_memory_equal(a->row_start, r1cs->matrix[m].row_start, (rows + 1) * sizeof *a->row_start);
            assert_memory_equal(a->variables, b->variables, terms * sizeof *a->variables);
            for (uint32_t k = 0; k < terms; k++)
                assert_true(
                    cuzk_fr_equal(&one.r1cs->pool[a->coefficients[k]], &two.r1cs->pool[b->coefficients[k]]));
        }
        cuzk_zkey_destroy(&one);
        cuzk_zkey_destroy(&two);
        cuzk_vk_destroy(&vk);
        cuzk_r1cs_destroy(r1cs);
        free(zkey.bytes);
        free(bytes);
        free(theirs);
    }
}

static void test_zkey_decode__refuses_damage(void **state)
{
    size_t length;
    uint8_t *bytes = named_file("mul", "zkey", &length);
    unsigned refused = 0;

    (void)state;
    for (size_t cut = 0; cut < length; cut++) {
        struct cuzk_zkey zkey;
        struct cuzk_error err;
        uint8_t *exact = malloc(cut + 1);
        memcpy(exact, bytes, cut);
        assert_int_equal(cuzk_zkey_decode("c.zkey", exact, cut, &zkey, &err), CUZK_INPUT);
        assert_null(zkey.r1cs);
        free(exact);
    }
    for (size_t byte = 0; byte < length; byte++) {
        struct cuzk_zkey zkey;
        struct cuzk_error err;
        const uint8_t flip = (uint8_t)(1 << test_random_below(&rng, 8));
        bytes[byte] ^= flip;
        enum cuzk_status status = cuzk_zkey_decode("c.zkey", bytes, length, &zkey, &err);
        if (status == CUZK_OK)
            status = cuzk_params_validate(&zkey.params, CUZK_PARAMS_ON_CURVE, NULL, NULL, &err);
        assert_true(status == CUZK_OK || status == CUZK_INPUT || status == CUZK_UNSUPPORTED);
        refused += status != CUZK_OK;
        cuzk_zkey_destroy(&zkey);
        bytes[byte] ^= flip;
    }
    /* what a flip may leave valid: a coefficient, the contributions (an eighth of the file), section order */
    assert_true(refused > length * 4 / 5);
    free(bytes);
}

static void test_decimal__round_trips(void **state)
{
    uint64_t limbs[CUZK_DECIMAL_LIMBS], back[CUZK_DECIMAL_LIMBS];
    char text[CUZK_DECIMAL_DIGITS];

    (void)state;
    for (int turn = 0; turn < 1000; turn++) {
        mpz_t value;
        test_random_bytes(&rng, limbs, sizeof limbs);
        for (uint64_t k = test_random_below(&rng, 7); k < CUZK_DECIMAL_LIMBS; k++)
            limbs[k] = 0;
        mpz_init(value);
        mpz_import(value, CUZK_DECIMAL_LIMBS, -1, 8, 0, 0, limbs);
        char *expected = mpz_get_str(NULL, 10, value);
        cuzk_decimal_encode(limbs, text);
        assert_string_equal(text, expected);
        assert_true(cuzk_decimal_decode(text, strlen(text), back));
        assert_memory_equal(limbs, back, sizeof limbs);
        mpz_clear(value);
        free(expected);
    }
    mpz_t top;
    mpz_init(top);
    mpz_ui_pow_ui(top, 2, 384);
    char *digits = mpz_get_str(NULL, 10, top);
    assert_false(cuzk_decimal_decode(digits, strlen(digits), back));
    assert_false(cuzk_decimal_decode("", 0, back));
    assert_false(cuzk_decimal_decode("-1", 2, back));
    assert_false(cuzk_decimal_decode("0x1", 3, back));
    mpz_clear(top);
    free(digits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimal__round_trips),
        cmocka_unit_test(test_json__snarkjs_proofs_verify),
        cmocka_unit_test(test_json__damage_is_refused),
        cmocka_unit_test(test_zkey__of_snarkjs_proves_here),
        cmocka_unit_test(test_zkey_setup__gives_keys_that_prove),
        cmocka_unit_test(test_zkey_setup__writes_the_matrices_as_snarkjs),
        cmocka_unit_test(test_zkey_decode__refuses_damage),
    };

    test_random_init(&rng);
    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK ||
        cuzk_backend_cpu_create(pool, &backend, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_backend_destroy(backend);
    cuzk_pool_destroy(pool);
    return failed;
}
