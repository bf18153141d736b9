/* What is planned for keys and units against what the recorded circuits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/device_need.h"
#include "support/fixture.h"

static uint64_t number(struct fixture_json object, const char *outer, const char *inner)
{
    const struct fixture_json at = outer != NULL ? fixture_json_get(object, outer) : object;

    return fixture_json_u64(fixture_json_get(at, inner));
}

static void test_estimate__covers_every_recorded_circuit(void **state)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "circuits/circuits.json");
    const struct fixture_json list = fixture_json_get(fixture_json_parse(text), "circuits");
    struct fixture_json circuit = {0};
    unsigned seen = 0;

    (void)state;
    while (fixture_json_next(list, &circuit)) {
        char *kind = fixture_json_string(fixture_json_get(circuit, "kind"));
        const struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, number(circuit, NULL, "sector_size")};
        struct cuzk_device_need need, own;
        if (strcmp(kind, "porep") == 0 && cuzk_device_need_estimate(&id, false, &need, NULL) == CUZK_OK) {
            const uint64_t terms = number(circuit, "nnz", "a") + number(circuit, "nnz", "b");
            const uint64_t domain = UINT64_C(1) << number(circuit, NULL, "log2_domain");
            const uint64_t all = terms + number(circuit, "nnz", "c");
            const uint64_t points =
                domain + number(circuit, NULL, "aux") + number(circuit, "density", "a_aux");
            const uint64_t b = number(circuit, "density", "b_aux");

            assert_true(need.key_host > all * 8);
            assert_true(need.key_host < 2 * all * 8);
            assert_int_equal(need.key_device, 0);
            assert_true(need.unit_host >= 3 * domain * 32);
            assert_int_equal(cuzk_device_need_estimate(&id, true, &own, NULL), CUZK_OK);
            assert_true(own.key_device > points * 96 + b * (96 + 192) + terms * 8);
            assert_true(own.key_device < 2 * (points * 96 + b * (96 + 192) + terms * 8));
            assert_true(own.unit_device > 3 * domain * 32);
            seen++;
        }
        free(kind);
    }
    assert_true(seen >= 4);
    free(text);
}

static void test_estimate__knows_no_other_sizes(void **state)
{
    const struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, 12345};
    struct cuzk_device_need need;

    (void)state;
    assert_int_equal(cuzk_device_need_estimate(&id, true, &need, NULL), CUZK_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate__covers_every_recorded_circuit),
        cmocka_unit_test(test_estimate__knows_no_other_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
