#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/percentile.h"

/* 1 to n in descending order: the value of rank k is k. */
static void check(uint32_t n, double p50, double p90, double p99)
{
    double values[300], out[CUZK_PERCENTILES];

    for (uint32_t k = 0; k < n; k++)
        values[k] = n - k;
    cuzk_bench_percentiles(values, n, out);
    for (uint32_t k = 0; k < n; k++)
        assert_true(values[k] == k + 1);
    assert_true(out[0] == p50 && out[1] == p90 && out[2] == p99);
}

static void test_percentiles__are_nearest_ranks(void **state)
{
    (void)state;
    check(1, 1, 1, 1);
    check(2, 1, 2, 2);
    check(10, 5, 9, 10);
    check(20, 10, 18, 20);
    check(100, 50, 90, 99);
    check(101, 51, 91, 100);
    check(300, 150, 270, 297);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percentiles__are_nearest_ranks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
