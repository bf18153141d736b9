/* Where what is derived from parameters is kept: beside them, in the cache, elsewhere, or nowhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "srs/cache.h"
#include "support/temporary.h"

static char folder[TEMPORARY_BYTES], params[TEMPORARY_BYTES + 32], place[CUZK_PARAMETER_PATH];

static int make_folder(void **state)
{
    char cache[TEMPORARY_BYTES + 32];

    (void)state;
    temporary_make(folder);
    snprintf(params, sizeof params, "%s/keys", folder);
    if (mkdir(params, 0755) != 0)
        return -1;
    snprintf(params, sizeof params, "%s/keys/v28-a.params", folder);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    unsetenv(CUZK_CACHE_VARIABLE);
    unsetenv(CUZK_PARAMETER_VARIABLE);
    if (cuzk_file_write(params, true, "key", 3, NULL) != CUZK_OK)
        return -1;
    return setenv("CACHE_DIRECTORY", cache, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    unsetenv(CUZK_CACHE_VARIABLE);
    unsetenv(CUZK_PARAMETER_VARIABLE);
    temporary_remove(folder);
    return 0;
}

/* FOLDER/NAME/ and 32 hex digits before .pce */
static void assert_hashed(const char *name)
{
    char start[CUZK_PARAMETER_PATH];
    const int length = snprintf(start, sizeof start, "%s/%s/", folder, name);

    assert_memory_equal(place, start, (size_t)length);
    assert_int_equal(strspn(place + length, "0123456789abcdef"), 32);
    assert_string_equal(place + length + 32, ".pce");
    place[length - 1] = '\0';
    assert_int_equal(access(place, W_OK), 0);
}

static void test_place__is_beside_the_parameters(void **state)
{
    char wanted[CUZK_PARAMETER_PATH];

    (void)state;
    assert_true(cuzk_cache_place(params, ".pce", place));
    snprintf(wanted, sizeof wanted, "%s/keys/v28-a.pce", folder);
    assert_string_equal(place, wanted);
    assert_true(cuzk_cache_beside(params, ".digest", place));
    snprintf(wanted, sizeof wanted, "%s/keys/v28-a.params.digest", folder);
    assert_string_equal(place, wanted);
    assert_true(cuzk_cache_user(params, ".pce", place));
    assert_hashed("cache");
}

static void test_place__is_not_in_a_production_directory(void **state)
{
    char keys[CUZK_PARAMETER_PATH];

    (void)state;
    snprintf(keys, sizeof keys, "%s/keys", folder);
    setenv(CUZK_PARAMETER_VARIABLE, keys, 1);
    assert_false(cuzk_cache_beside(params, ".pce", place));
    assert_true(cuzk_cache_place(params, ".pce", place));
    assert_hashed("cache");
}

static void test_place__is_where_the_option_says(void **state)
{
    char own[CUZK_PARAMETER_PATH];

    (void)state;
    snprintf(own, sizeof own, "%s/own", folder);
    assert_int_equal(cuzk_cache_set(own, NULL), CUZK_OK);
    assert_int_equal(cuzk_cache_set(NULL, NULL), CUZK_OK);
    assert_false(cuzk_cache_beside(params, ".pce", place));
    assert_true(cuzk_cache_place(params, ".pce", place));
    assert_hashed("own");
    assert_int_equal(cuzk_cache_set(CUZK_CACHE_OFF, NULL), CUZK_OK);
    assert_false(cuzk_cache_place(params, ".pce", place));
    assert_false(cuzk_cache_beside(params, ".digest", place));
    assert_false(cuzk_cache_user(params, ".digest", place));
    assert_int_not_equal(access("off", F_OK), 0);
}

static void test_place__needs_a_file_and_a_directory(void **state)
{
    (void)state;
    assert_false(cuzk_cache_user("/nowhere/v28-a.params", ".pce", place));
    assert_false(cuzk_cache_place("/nowhere/v28-a.params", ".pce", place));
    setenv(CUZK_CACHE_VARIABLE, "/proc/nowhere", 1);
    assert_false(cuzk_cache_place(params, ".pce", place));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_place__is_beside_the_parameters, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_place__is_not_in_a_production_directory, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_place__is_where_the_option_says, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_place__needs_a_file_and_a_directory, make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
