#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "srs/directory.h"
#include "support/temporary.h"

static const struct cuzk_circuit_id porep_2k = {CUZK_CIRCUIT_POREP, 2048};
static const struct cuzk_circuit_id porep_4k = {CUZK_CIRCUIT_POREP, 4096};
static char folder[TEMPORARY_BYTES], cache[TEMPORARY_BYTES + 32];

static int make_folder(void **state)
{
    (void)state;
    temporary_make(folder);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("CACHE_DIRECTORY", cache, 1);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    temporary_remove(folder);
    return 0;
}

static void write_key(const char *text)
{
    char path[CUZK_PARAMETER_PATH];

    assert_int_equal(cuzk_parameter_path(folder, &porep_2k, ".params", path, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_write(path, true, text, strlen(text), NULL), CUZK_OK);
    assert_int_equal(cuzk_parameter_path(folder, &porep_2k, ".vk", path, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_write(path, true, text, strlen(text), NULL), CUZK_OK);
}

static void test_directory__prefers_argument_then_environment(void **state)
{
    (void)state;
    unsetenv(CUZK_PARAMETER_VARIABLE);
    assert_string_equal(cuzk_parameter_directory(NULL), CUZK_PARAMETER_DIRECTORY);
    assert_true(cuzk_parameter_directory_is_production(CUZK_PARAMETER_DIRECTORY));
    assert_false(cuzk_parameter_directory_is_production(folder));
    setenv(CUZK_PARAMETER_VARIABLE, folder, 1);
    assert_string_equal(cuzk_parameter_directory(NULL), folder);
    assert_string_equal(cuzk_parameter_directory("here"), "here");
    char dotted[CUZK_PARAMETER_PATH];
    snprintf(dotted, sizeof dotted, "%s/./", folder);
    assert_true(cuzk_parameter_directory_is_production(dotted));
    unsetenv(CUZK_PARAMETER_VARIABLE);
}

static void test_find__says_what_is_missing_and_where_it_looked(void **state)
{
    char path[CUZK_PARAMETER_PATH], advice[1024];
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_parameter_find(folder, &porep_4k, ".params", path, &err), CUZK_NOT_FOUND);
    assert_non_null(strstr(err.message, "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-2-0"));
    assert_non_null(strstr(err.message, "porep-4k"));
    assert_non_null(strstr(err.message, folder));
    cuzk_parameter_advice(folder, &porep_4k, advice, sizeof advice);
    assert_non_null(strstr(advice, "cuzk setup porep-4k --out"));
    cuzk_parameter_advice(folder, &porep_2k, advice, sizeof advice);
    assert_non_null(strstr(advice, "QmWceMgnWYLopMuM4AoGMvGEau7tNe5UK83XFjH5V9B17h"));
}

static void test_origin__tells_test_keys_from_unknown_ones(void **state)
{
    enum cuzk_parameter_origin origin;
    char path[CUZK_PARAMETER_PATH];
    struct cuzk_file_map map;
    static const uint8_t seed[32] = {0xab};

    (void)state;
    assert_int_equal(cuzk_parameter_origin(folder, &porep_2k, NULL, &origin, NULL), CUZK_NOT_FOUND);
    write_key("not the published bytes");
    for (int i = 0; i < 2; i++) { /* the second time from the cache */
        assert_int_equal(cuzk_parameter_origin(folder, &porep_2k, NULL, &origin, NULL), CUZK_OK);
        assert_int_equal(origin, CUZK_PARAMETERS_OTHER);
    }
    assert_int_equal(cuzk_parameter_manifest_write(folder, &porep_2k, seed, NULL, NULL), CUZK_OK);
    assert_int_equal(cuzk_parameter_manifest_write(folder, &porep_2k, seed, NULL, NULL), CUZK_EXISTS);
    assert_int_equal(cuzk_parameter_origin(folder, &porep_2k, NULL, &origin, NULL), CUZK_OK);
    assert_int_equal(origin, CUZK_PARAMETERS_TEST);
    assert_int_equal(cuzk_parameter_path(folder, &porep_2k, ".test.json", path, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_map_open(path, "manifest", 0, &map, NULL), CUZK_OK);
    char *text = strndup((const char *)map.bytes, map.length);
    assert_non_null(strstr(text, "\"insecure_seed\": \"ab00"));
    assert_non_null(strstr(text, "\"bytes\": 23"));
    free(text);
    cuzk_file_map_close(&map);
    assert_int_equal(cuzk_parameter_origin(folder, &porep_4k, NULL, &origin, NULL), CUZK_OK);
    assert_int_equal(origin, CUZK_PARAMETERS_TEST); /* none were published for this size */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_directory__prefers_argument_then_environment),
        cmocka_unit_test(test_find__says_what_is_missing_and_where_it_looked),
        cmocka_unit_test(test_origin__tells_test_keys_from_unknown_ones),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
