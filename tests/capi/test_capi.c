#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <cuzk.h>

#include "support/fixture.h"

static atomic_uint_least64_t reports;

static void count_report(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context;
    (void)stage;
    (void)done;
    (void)total;
    reports++;
}

static int stop_at_once(void *context)
{
    (void)context;
    return 1;
}

static struct cuzk_engine *open_engine(int (*cancelled)(void *context))
{
    const struct cuzk_engine_options options = {.size = sizeof options,
                                                .parameter_directory = getenv("CUZK_TEST_KEY"),
                                                .progress = count_report,
                                                .cancelled = cancelled};
    struct cuzk_failure failure;
    struct cuzk_engine *engine;

    if (cuzk_engine_open(&options, &engine, &failure) != CUZK_RESULT_OK)
        fail_msg("%s", failure.message);
    return engine;
}

static void test_prove__gives_a_proof_that_verifies(void **state)
{
    const struct cuzk_sector_facts own = {
        .size = sizeof own, .has_miner_id = 1, .has_sector_number = 1, .miner_id = 1000, .sector_number = 1};
    struct cuzk_sector_facts foreign = own;
    struct cuzk_engine *engine = open_engine(NULL);
    struct cuzk_failure failure = {0};
    size_t c1_length, other_length, proof_length;
    uint8_t *c1 = fixture_read(&c1_length, "sectors/porep-2k/c1.json");
    uint8_t *other = fixture_read(&other_length, "sectors/porep-2k-b/c1.json");
    uint8_t *proof;

    (void)state;
    if (cuzk_engine_prove_porep(engine, c1, c1_length, &own, &proof, &proof_length, &failure) !=
        CUZK_RESULT_OK)
        fail_msg("%s", failure.message);
    assert_int_equal(proof_length, 192);
    assert_true(reports > 0);
    assert_int_equal(cuzk_engine_verify_porep(engine, c1, c1_length, &own, proof, proof_length, &failure),
                     CUZK_RESULT_OK);
    foreign.sector_number = 2;
    assert_int_equal(cuzk_engine_verify_porep(engine, c1, c1_length, &foreign, proof, proof_length, &failure),
                     CUZK_RESULT_INVALID);
    assert_int_equal(
        cuzk_engine_prove_porep(engine, c1, c1_length, &foreign, &proof, &proof_length, &failure),
        CUZK_RESULT_INVALID);
    assert_non_null(strstr(failure.message, "replica"));
    assert_int_equal(
        cuzk_engine_verify_porep(engine, other, other_length, NULL, proof, proof_length, &failure),
        CUZK_RESULT_INVALID);
    assert_int_equal(cuzk_engine_verify_porep(engine, c1, c1_length, NULL, proof, 191, &failure),
                     CUZK_RESULT_INPUT);
    assert_int_equal(cuzk_engine_verify_porep(engine, c1, c1_length - 1, NULL, proof, 192, &failure),
                     CUZK_RESULT_INPUT);
    cuzk_release(proof);
    cuzk_engine_close(engine);
    free(c1);
    free(other);
}

static void test_prove__stops_on_request(void **state)
{
    struct cuzk_engine *engine = open_engine(stop_at_once);
    struct cuzk_failure failure = {0};
    size_t c1_length, proof_length;
    uint8_t *c1 = fixture_read(&c1_length, "sectors/porep-2k/c1.json"), *proof = NULL;

    (void)state;
    assert_int_equal(cuzk_engine_prove_porep(engine, c1, c1_length, NULL, &proof, &proof_length, &failure),
                     CUZK_RESULT_RESOURCE);
    assert_non_null(strstr(failure.message, "stopped"));
    assert_null(proof);
    cuzk_engine_close(engine);
    free(c1);
}

static void test_verify_bytes__equals_the_reference(void **state)
{
    size_t length, key_length;
    char *text = (char *)fixture_read(&length, "groth16/verify/cases.jsonl"), *cursor = text;
    uint8_t *key = fixture_read(&key_length, "groth16/toy/five-32.vk");
    int checked = 0;

    (void)state;
    for (char *line; (line = fixture_line(&cursor)) != NULL;) {
        const struct fixture_json record = fixture_json_parse(line);
        struct fixture_json list = fixture_json_get(record, "inputs");
        char *expected = fixture_json_string(fixture_json_get(record, "expected"));
        char *name = fixture_json_string(fixture_json_get(record, "name"));
        const size_t count = fixture_json_count(list);
        uint8_t inputs[16][32];
        size_t proof_length;
        uint8_t *proof = fixture_json_hex_any(fixture_json_get(record, "proof"), &proof_length);

        for (size_t i = 0; i < count; i++)
            fixture_json_hex(fixture_json_at(list, i), inputs[i], 32);
        if (strncmp(name, "vk-", 3) != 0) { /* those change the key */
            const enum cuzk_result result =
                cuzk_verify_bytes(key, key_length, &inputs[0][0], count, 1, proof, proof_length, NULL);

            if ((result == CUZK_RESULT_OK) != (strcmp(expected, "accept") == 0))
                fail_msg("%s: expected %s, found %d", name, expected, result);
            checked++;
        }
        free(proof);
        free(name);
        free(expected);
    }
    assert_true(checked > 40);
    free(text);
    free(key);
}

static void test_arguments__are_checked(void **state)
{
    struct cuzk_engine_options options = {.size = 1};
    struct cuzk_failure failure = {0};
    struct cuzk_engine *engine = (struct cuzk_engine *)&options;

    (void)state;
    assert_int_equal(cuzk_engine_open(&options, &engine, &failure), CUZK_RESULT_USAGE);
    assert_null(engine);
    assert_int_equal(cuzk_engine_open(NULL, &engine, NULL), CUZK_RESULT_USAGE);
    assert_int_equal(cuzk_engine_load(NULL, "porep-2k", &failure), CUZK_RESULT_USAGE);
    engine = open_engine(NULL);
    assert_int_equal(cuzk_engine_load(engine, "porep-3k", &failure), CUZK_RESULT_USAGE);
    assert_int_equal(cuzk_engine_load(engine, "porep-64g", &failure), CUZK_RESULT_RESOURCE);
    assert_non_null(strstr(failure.message, "looked in"));
    assert_int_equal(cuzk_engine_prove_porep(engine, NULL, 0, NULL, NULL, NULL, &failure), CUZK_RESULT_USAGE);
    assert_int_equal(cuzk_engine_make_test_parameters(engine, "porep-2k",
                                                      "/var/tmp/filecoin-proof-parameters", NULL, &failure),
                     CUZK_RESULT_USAGE);
    assert_true(strlen(cuzk_version()) >= 5);
    cuzk_engine_close(engine);
    cuzk_engine_close(NULL);
    cuzk_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments__are_checked),
        cmocka_unit_test(test_verify_bytes__equals_the_reference),
        cmocka_unit_test(test_prove__gives_a_proof_that_verifies),
        cmocka_unit_test(test_prove__stops_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
