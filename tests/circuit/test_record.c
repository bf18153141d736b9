/* Compact systems: head and one part recorded, the other parts its copies. Written out they are the circuits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "circuit/circuit_fixture.h"
#include "circuit/record.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

static void test_record__copies_written_out_are_the_circuit(void **state)
{
    (void)state;
    circuit_fixture_compare_compact(CUZK_CIRCUIT_POREP, KIB(2));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_POREP, MIB(8));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_WINNING, KIB(2));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_WINNING, GIB(32));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_WPOST, KIB(4));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_WPOST, MIB(512));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_SNAP, KIB(2));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_SNAPP, KIB(2));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_SNAPP, KIB(16));
    circuit_fixture_compare_compact(CUZK_CIRCUIT_SNAPP, MIB(8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_record__copies_written_out_are_the_circuit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
