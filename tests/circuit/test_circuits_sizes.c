/* The circuits of every size against the reference's: digests, checkpoints, sizes, densities; of the largest
 * ones the beginning (all of them: test_circuits_large.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "circuit/circuit_fixture.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

static void test_porep__small_circuits_equal(void **state)
{
    static const uint64_t sizes[] = {KIB(2), KIB(4), KIB(16), KIB(32), MIB(8)};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        circuit_fixture_compare(CUZK_CIRCUIT_POREP, sizes[i], 0);
}

static void test_porep__large_circuits_begin_equal(void **state)
{
    static const uint64_t sizes[] = {MIB(512), GIB(32), GIB(64)};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        circuit_fixture_compare(CUZK_CIRCUIT_POREP, sizes[i], 8);
}

static void test_post__small_circuits_equal(void **state)
{
    static const uint64_t sizes[] = {KIB(2), KIB(4), KIB(16), KIB(32), MIB(8), MIB(512)};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        circuit_fixture_compare(CUZK_CIRCUIT_WINNING, sizes[i], 0);
        circuit_fixture_compare(CUZK_CIRCUIT_WPOST, sizes[i], 0);
    }
    circuit_fixture_compare(CUZK_CIRCUIT_WINNING, GIB(32), 0);
    circuit_fixture_compare(CUZK_CIRCUIT_WINNING, GIB(64), 0);
}

static void test_post__large_circuits_begin_equal(void **state)
{
    (void)state;
    circuit_fixture_compare(CUZK_CIRCUIT_WPOST, GIB(32), 1);
    circuit_fixture_compare(CUZK_CIRCUIT_WPOST, GIB(64), 1);
}

static void test_snap__small_circuits_equal(void **state)
{
    static const uint64_t sizes[] = {KIB(2), KIB(4), KIB(16), KIB(32), MIB(8)};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        circuit_fixture_compare(CUZK_CIRCUIT_SNAP, sizes[i], 0);
        circuit_fixture_compare(CUZK_CIRCUIT_SNAPP, sizes[i], 0);
    }
}

static void test_snap__large_circuits_begin_equal(void **state)
{
    static const uint64_t sizes[] = {MIB(512), GIB(32), GIB(64)};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        circuit_fixture_compare(CUZK_CIRCUIT_SNAP, sizes[i], 8);
        circuit_fixture_compare(CUZK_CIRCUIT_SNAPP, sizes[i], 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_porep__small_circuits_equal),
        cmocka_unit_test(test_porep__large_circuits_begin_equal),
        cmocka_unit_test(test_post__small_circuits_equal),
        cmocka_unit_test(test_post__large_circuits_begin_equal),
        cmocka_unit_test(test_snap__small_circuits_equal),
        cmocka_unit_test(test_snap__large_circuits_begin_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
