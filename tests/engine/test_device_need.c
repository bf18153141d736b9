/* What is planned for keys and units against what the recorded circuits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "circuit/record.h"
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

static enum cuzk_circuit_kind kind_of(struct fixture_json circuit)
{
    static const char *const names[CUZK_CIRCUIT_KINDS] = {"porep", "winning", "window", "update",
                                                          "update-poseidon"};
    char *name = fixture_json_string(fixture_json_get(circuit, "kind"));
    unsigned kind = 0;

    while (kind < CUZK_CIRCUIT_KINDS && strcmp(name, names[kind]) != 0)
        kind++;
    free(name);
    assert_true(kind < CUZK_CIRCUIT_KINDS);
    return (enum cuzk_circuit_kind)kind;
}

/* No less than is there, and not much more: a share is rounded up to a whole hundred of variables. */
static void assert_covers(uint64_t planned, uint64_t found, uint64_t aux)
{
    assert_true(planned >= found);
    assert_true(planned <= found + found / 6 + aux / 50 + 1000);
}

/* Of n in the whole circuit, those of the head and one part, if they are spread evenly. */
static uint64_t stored_share(const struct cuzk_circuit *circuit, uint64_t n)
{
    const uint64_t stored = (uint64_t)circuit->head.aux + circuit->part.aux;

    return n * stored / circuit->total.aux;
}

static void check_host(const struct cuzk_backend *cpu, const struct cuzk_circuit_id *id,
                       struct fixture_json circuit)
{
    const uint64_t all =
        number(circuit, "nnz", "a") + number(circuit, "nnz", "b") + number(circuit, "nnz", "c");
    const uint64_t domain = UINT64_C(1) << number(circuit, NULL, "log2_domain");
    struct cuzk_device_need need, own;
    struct cuzk_backend_needs device = {.key = 1};
    struct cuzk_circuit opened;

    assert_int_equal(cuzk_circuit_open(id, &opened, NULL), CUZK_OK);
    assert_int_equal(cuzk_device_need_estimate(cpu, id, &need, &device, NULL), CUZK_OK);
    assert_int_equal(device.key, 0);
    assert_true(need.key_host > all * 8 / opened.parts);
    assert_true(need.key_host < 2 * stored_share(&opened, all) * 8 + opened.total.aux / 2 + 65536);
    assert_int_equal(need.key_device, 0);
    assert_true(need.unit_host >= 3 * domain * 32);
    assert_int_equal(cuzk_device_need_estimate(&own_backend, id, &own, &device, NULL), CUZK_OK);
    assert_int_equal(device.host, 4);
    assert_int_equal(own.key_device, 1200);
    assert_int_equal(own.unit_device, 30);
    assert_int_equal(own.key_host, need.key_host + 4);
    assert_int_equal(own.unit_host, 0);
}

/* What check_host left in `asked`. */
static void check_shape(const struct cuzk_circuit_id *id, struct fixture_json circuit)
{
    const uint64_t aux = number(circuit, NULL, "aux"), b = number(circuit, "density", "b_aux");
    const uint64_t log_domain = number(circuit, NULL, "log2_domain");
    struct cuzk_circuit opened;

    assert_int_equal(cuzk_circuit_open(id, &opened, NULL), CUZK_OK);
    /* PoSt and SnapP have fewer rows than variables: one of them just ends below a power of two */
    assert_true(asked.log_domain == log_domain ||
                (asked.log_domain == log_domain + 1 && aux > UINT64_C(1) << log_domain));
    if (id->sector_size >= UINT64_C(512) << 20)
        assert_int_equal(asked.log_domain, log_domain);
    assert_int_equal(asked.inputs, number(circuit, NULL, "inputs"));
    assert_int_equal((uint64_t)asked.bits + asked.wide, aux);
    assert_true(asked.constraints >= number(circuit, NULL, "constraints"));
    assert_int_equal(asked.parts, opened.parts);
    assert_true(asked.rows >= number(circuit, NULL, "constraints") / opened.parts);
    assert_true(asked.terms[0] >= number(circuit, "nnz", "a") / opened.parts);
    assert_true(asked.terms[0] < 4 * stored_share(&opened, number(circuit, "nnz", "a")) / 3 + 3000);
    assert_true(asked.terms[1] >= number(circuit, "nnz", "b") / opened.parts);
    assert_true(asked.terms[1] < 4 * stored_share(&opened, number(circuit, "nnz", "b")) / 3 + 3000);
    assert_true(asked.points[CUZK_QUERY_A] >= number(circuit, "density", "a_aux") + asked.inputs);
    assert_true(asked.points[CUZK_QUERY_L] >= aux);
    assert_covers(asked.points[CUZK_QUERY_B_G1], b, aux * 2);
    assert_covers(asked.points[CUZK_QUERY_B_G2], b, aux * 2);
}

/* Against what recording really stores. */
static void check_recorded(const struct cuzk_circuit_id *id)
{
    struct cuzk_witness_layout layout;
    struct cuzk_circuit circuit;
    struct cuzk_r1cs *r1cs;

    assert_int_equal(cuzk_circuit_open(id, &circuit, NULL), CUZK_OK);
    assert_int_equal(cuzk_circuit_record(&circuit, NULL, NULL, &r1cs, &layout, NULL), CUZK_OK);
    assert_true(asked.rows >= r1cs->stored);
    for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B; m++)
        assert_true(asked.terms[m] >= r1cs->matrix[m].row_start[r1cs->stored]);
    cuzk_r1cs_destroy(r1cs);
    cuzk_witness_layout_destroy(&layout);
}

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
    for (; fixture_json_next(list, &circuit); seen++) {
        const struct cuzk_circuit_id id = {kind_of(circuit), number(circuit, NULL, "sector_size")};

        check_host(cpu, &id, circuit);
        check_shape(&id, circuit);
        if (id.sector_size == 2048)
            check_recorded(&id);
    }
    assert_int_equal(seen, 40);
    cuzk_backend_destroy(cpu);
    free(text);
}

static void test_estimate__knows_no_other_sizes(void **state)
{
    const struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, 12345};
    struct cuzk_device_need need;

    (void)state;
    assert_int_equal(cuzk_device_need_estimate(&own_backend, &id, &need, NULL, NULL), CUZK_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_estimate__covers_every_recorded_circuit),
        cmocka_unit_test(test_estimate__knows_no_other_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
