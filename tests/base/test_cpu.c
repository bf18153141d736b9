#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"

static void test_set_level__never_exceeds_the_processor(void **state)
{
    (void)state;
    const enum cuzk_cpu_level best = cuzk_cpu_set_level(CUZK_CPU_IFMA);

    for (enum cuzk_cpu_level level = CUZK_CPU_PORTABLE; level <= CUZK_CPU_IFMA; level++) {
        const enum cuzk_cpu_level got = cuzk_cpu_set_level(level);

        assert_int_equal(got, level < best ? level : best);
        assert_int_equal(cuzk_cpu_level(), got);
    }
    cuzk_cpu_set_level(CUZK_CPU_PORTABLE);
    assert_false(cuzk_cpu_has_sha());
    cuzk_cpu_set_level(best);
}

static void test_names__are_those_of_the_environment_variable(void **state)
{
    (void)state;
    assert_string_equal(cuzk_cpu_level_name(CUZK_CPU_PORTABLE), "portable");
    assert_string_equal(cuzk_cpu_level_name(CUZK_CPU_ADX), "adx");
    assert_string_equal(cuzk_cpu_level_name(CUZK_CPU_IFMA), "ifma");
    assert_true(strlen(cuzk_cpu_name()) > 0);
    assert_true(cuzk_cpu_count() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_level__never_exceeds_the_processor),
        cmocka_unit_test(test_names__are_those_of_the_environment_variable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
