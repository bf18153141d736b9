/* The whole circuits of 512 MiB, 32 and 64 GiB: 130 million constraints, half a minute each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "circuit/circuit_fixture.h"

static void test_porep__large_circuits_equal(void **state)
{
    (void)state;
    circuit_fixture_compare(CUZK_CIRCUIT_POREP, UINT64_C(512) << 20, 0);
    circuit_fixture_compare(CUZK_CIRCUIT_POREP, UINT64_C(32) << 30, 0);
    circuit_fixture_compare(CUZK_CIRCUIT_POREP, UINT64_C(64) << 30, 0);
}

static void test_post__large_circuits_equal(void **state)
{
    (void)state;
    circuit_fixture_compare(CUZK_CIRCUIT_WPOST, UINT64_C(32) << 30, 0);
    circuit_fixture_compare(CUZK_CIRCUIT_WPOST, UINT64_C(64) << 30, 0);
}

static void test_snap__large_circuits_equal(void **state)
{
    (void)state;
    for (enum cuzk_circuit_kind kind = CUZK_CIRCUIT_SNAP; kind <= CUZK_CIRCUIT_SNAPP; kind++) {
        circuit_fixture_compare(kind, UINT64_C(512) << 20, 0);
        circuit_fixture_compare(kind, UINT64_C(32) << 30, 0);
        circuit_fixture_compare(kind, UINT64_C(64) << 30, 0);
    }
}

/* the copies of the compact systems, written out */
static void test_record__large_circuits_equal(void **state)
{
    (void)state;
    circuit_fixture_compare_compact(CUZK_CIRCUIT_POREP, UINT64_C(32) << 30);
    circuit_fixture_compare_compact(CUZK_CIRCUIT_WPOST, UINT64_C(32) << 30);
    circuit_fixture_compare_compact(CUZK_CIRCUIT_SNAP, UINT64_C(32) << 30);
    circuit_fixture_compare_compact(CUZK_CIRCUIT_SNAPP, UINT64_C(32) << 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_porep__large_circuits_equal),
        cmocka_unit_test(test_post__large_circuits_equal),
        cmocka_unit_test(test_snap__large_circuits_equal),
        cmocka_unit_test(test_record__large_circuits_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
