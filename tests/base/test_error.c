#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void test_exit_code__is_that_of_the_command_contract(void **state)
{
    (void)state;
    assert_int_equal(cuzk_status_exit_code(CUZK_OK), 0);
    assert_int_equal(cuzk_status_exit_code(CUZK_INVALID), 1);
    assert_int_equal(cuzk_status_exit_code(CUZK_ARGUMENT), 2);
    assert_int_equal(cuzk_status_exit_code(CUZK_INPUT), 3);
    assert_int_equal(cuzk_status_exit_code(CUZK_UNSATISFIED), 3);
    assert_int_equal(cuzk_status_exit_code(CUZK_NOT_FOUND), 4);
    assert_int_equal(cuzk_status_exit_code(CUZK_MEMORY), 4);
    assert_int_equal(cuzk_status_exit_code(CUZK_INTERNAL), 5);
    assert_int_equal(cuzk_status_exit_code((enum cuzk_status)1000), 5);
    assert_string_equal(cuzk_status_text((enum cuzk_status)1000), "unknown status");
    assert_string_equal(cuzk_status_text(CUZK_INPUT), "bad input");
}

static void test_set__keeps_status_and_cuts_long_text(void **state)
{
    struct cuzk_error err;
    char longer[2 * CUZK_ERROR_TEXT];

    (void)state;
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(cuzk_error_set(&err, CUZK_IO, "%s", longer), CUZK_IO);
    assert_int_equal(err.status, CUZK_IO);
    assert_int_equal(strlen(err.message), CUZK_ERROR_TEXT - 1);
    assert_int_equal(cuzk_error_set(NULL, CUZK_IO, "nobody listens"), CUZK_IO);
}

static void test_prefix__puts_context_in_front(void **state)
{
    struct cuzk_error err;
    char longer[2 * CUZK_ERROR_TEXT];

    (void)state;
    cuzk_error_set(&err, CUZK_INPUT, "offset 3");
    assert_int_equal(cuzk_error_prefix(&err, CUZK_INPUT, "file %s", "a.vk"), CUZK_INPUT);
    assert_string_equal(err.message, "file a.vk: offset 3");
    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    cuzk_error_prefix(&err, CUZK_INPUT, "%s", longer);
    assert_int_equal(strlen(err.message), CUZK_ERROR_TEXT - 1);
    assert_int_equal(cuzk_error_prefix(NULL, CUZK_INPUT, "x"), CUZK_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exit_code__is_that_of_the_command_contract),
        cmocka_unit_test(test_set__keeps_status_and_cuts_long_text),
        cmocka_unit_test(test_prefix__puts_context_in_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
