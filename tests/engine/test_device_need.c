/* What is planned for keys and units against what the recorded circuits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "engine/device_need.h"
#include "support/fixture.h"

static uint64_t number(struct fixture_json object, const char *outer, const char *inner)
{
    const struct fixture_json at = outer != NULL ? fixture_json_get(object, outer) : object;

    return fixture_json_u64(fixture_json_get(at, inner));
}

/* A backend with memory of its own, which keeps what it is asked. */
static struct cuzk_backend_shape asked;

static void own_facts(const struct cuzk_backend *backend, struct cuzk_backend_facts *out)
{
    (void)backend;
    *out = (struct cuzk_backend_facts){.total_bytes = 1};
}

static enum cuzk_status own_needs(const struct cuzk_backend *backend, const struct cuzk_backend_shape *shape,
                                  struct cuzk_backend_needs *out, struct cuzk_error *err)
{
    (void)backend;
    (void)err;
    asked = *shape;
    *out = (struct cuzk_backend_needs){.key = 1000, .work = 200, .job = 30, .host = 4};
    return CUZK_OK;
}

static const struct cuzk_backend_ops own_ops = {.facts = own_facts, .needs = own_needs};
static const struct cuzk_backend own_backend = {.ops = &own_ops};

static void test_estimate__covers_every_recorded_circuit(void **state)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "circuits/circuits.json");
    const struct fixture_json list = fixture_json_get(fixture_json_parse(text), "circuits");
    struct fixture_json circuit = {0};
    struct cuzk_backend *cpu;
    unsigned seen = 0;

    (void)state;
    assert_int_equal(cuzk_backend_cpu_create(NULL, &cpu, NULL), CUZK_OK);
    while (fixture_json_next(list, &circuit)) {
        char *kind = fixture_json_string(fixture_json_get(circuit, "kind"));
        const struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, number(circuit, NULL, "sector_size")};
        struct cuzk_device_need need, own;
        if (strcmp(kind, "porep") == 0 && cuzk_device_need_estimate(cpu, &id, &need, NULL) == CUZK_OK) {
            const uint64_t terms = number(circuit, "nnz", "a") + number(circuit, "nnz", "b");
            const uint64_t domain = UINT64_C(1) << number(circuit, NULL, "log2_domain");
            const uint64_t all = terms + number(circuit, "nnz", "c");
            const uint64_t b = number(circuit, "density", "b_aux");

            assert_true(need.key_host > all * 8);
            assert_true(need.key_host < 2 * all * 8);
            assert_int_equal(need.key_device, 0);
            assert_true(need.unit_host >= 3 * domain * 32);
            assert_int_equal(cuzk_device_need_estimate(&own_backend, &id, &own, NULL), CUZK_OK);
            assert_int_equal(own.key_device, 1200);
            assert_int_equal(own.unit_device, 30);
            assert_int_equal(own.key_host, need.key_host + 4);
            assert_int_equal(own.unit_host, 0);
            assert_int_equal(UINT64_C(1) << asked.log_domain, domain);
            assert_int_equal(asked.inputs, number(circuit, NULL, "inputs"));
            assert_int_equal((uint64_t)asked.bits + asked.wide, number(circuit, NULL, "aux"));
            assert_true(asked.constraints >= number(circuit, NULL, "constraints"));
            assert_true(asked.terms[0] >= number(circuit, "nnz", "a"));
            assert_true(asked.terms[1] >= number(circuit, "nnz", "b"));
            assert_true(asked.points[CUZK_QUERY_A] >= number(circuit, "density", "a_aux"));
            assert_true(asked.points[CUZK_QUERY_B_G2] >= b);
            assert_true(asked.points[CUZK_QUERY_B_G2] < 3 * b);
            seen++;
        }
        free(kind);
    }
    assert_true(seen >= 4);
    cuzk_backend_destroy(cpu);
    free(text);
}

static void test_estimate__knows_no_other_sizes(void **state)
{
    const struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, 12345};
    struct cuzk_device_need need;

    (void)state;
    assert_int_equal(cuzk_device_need_estimate(&own_backend, &id, &need, NULL), CUZK_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate__covers_every_recorded_circuit),
        cmocka_unit_test(test_estimate__knows_no_other_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
