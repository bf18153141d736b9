/* circom's files: read, satisfied, written back, damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "r1cs/circom_r1cs.h"
#include "r1cs/circom_wtns.h"
#include "support/fixture.h"
#include "support/random.h"

static const char *const circuits[] = {"mul", "mimc"};
static struct test_random rng;

struct loaded {
    struct cuzk_r1cs *r1cs;
    struct cuzk_circom_header header;
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness;
};

static void load(const char *name, struct loaded *out)
{
    size_t length;
    struct cuzk_error err;
    uint8_t *bytes = fixture_read(&length, "circom/%s/%s.r1cs", name, name);

    assert_int_equal(cuzk_circom_r1cs_decode("c.r1cs", bytes, length, &out->r1cs, &out->header, &err),
                     CUZK_OK);
    free(bytes);
    bytes = fixture_read(&length, "circom/%s/%s.wtns", name, name);
    assert_int_equal(cuzk_witness_layout_create(out->r1cs->inputs, out->r1cs->aux, NULL, &out->layout, &err),
                     CUZK_OK);
    assert_int_equal(cuzk_witness_create(&out->layout, &out->witness, &err), CUZK_OK);
    assert_int_equal(cuzk_circom_wtns_decode("c.wtns", bytes, length, &out->layout, &out->witness, &err),
                     CUZK_OK);
    free(bytes);
}

static void unload(struct loaded *loaded)
{
    cuzk_witness_destroy(&loaded->witness);
    cuzk_witness_layout_destroy(&loaded->layout);
    cuzk_r1cs_destroy(loaded->r1cs);
}

static void test_decode__gives_a_satisfied_system(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof circuits / sizeof *circuits; c++) {
        struct loaded loaded;
        struct cuzk_error err;
        struct cuzk_fr one;

        load(circuits[c], &loaded);
        assert_int_equal(loaded.r1cs->constraints, loaded.header.constraints);
        assert_int_equal(loaded.r1cs->inputs, 1 + loaded.header.outputs + loaded.header.public_inputs);
        assert_int_equal(cuzk_r1cs_check(loaded.r1cs, &loaded.layout, &loaded.witness, NULL, &err), CUZK_OK);
        cuzk_fr_one(&one);
        cuzk_fr_add(&loaded.witness.inputs[1], &one, &loaded.witness.inputs[1]);
        assert_int_equal(cuzk_r1cs_check(loaded.r1cs, &loaded.layout, &loaded.witness, NULL, &err),
                         CUZK_UNSATISFIED);
        unload(&loaded);
    }
}

static void test_encode__round_trips(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof circuits / sizeof *circuits; c++) {
        struct loaded loaded;
        struct cuzk_buffer file = {0}, again = {0}, wtns = {0};
        struct cuzk_r1cs *r1cs;
        struct cuzk_error err;
        size_t length;
        uint8_t *original = fixture_read(&length, "circom/%s/%s.wtns", circuits[c], circuits[c]);

        load(circuits[c], &loaded);
        assert_int_equal(cuzk_circom_r1cs_encode(loaded.r1cs, cuzk_buffer_sink(&file), &err), CUZK_OK);
        assert_int_equal(cuzk_circom_r1cs_decode("again", file.bytes, file.length, &r1cs, NULL, &err),
                         CUZK_OK);
        assert_int_equal(cuzk_r1cs_check(r1cs, &loaded.layout, &loaded.witness, NULL, &err), CUZK_OK);
        assert_int_equal(cuzk_circom_r1cs_encode(r1cs, cuzk_buffer_sink(&again), &err), CUZK_OK);
        assert_int_equal(file.length, again.length);
        assert_memory_equal(file.bytes, again.bytes, file.length);
        assert_int_equal(
            cuzk_circom_wtns_encode(&loaded.layout, &loaded.witness, cuzk_buffer_sink(&wtns), &err), CUZK_OK);
        assert_int_equal(wtns.length, length);
        assert_memory_equal(wtns.bytes, original, length);
        cuzk_r1cs_destroy(r1cs);
        unload(&loaded);
        cuzk_buffer_clear(&file);
        cuzk_buffer_clear(&again);
        cuzk_buffer_clear(&wtns);
        free(original);
    }
}

static void test_decode__refuses_truncation_everywhere(void **state)
{
    struct loaded loaded;
    struct cuzk_error err;
    size_t length;
    uint8_t *bytes = fixture_read(&length, "circom/mul/mul.r1cs");
    struct cuzk_r1cs *r1cs;

    (void)state;
    load("mul", &loaded);
    for (size_t cut = 0; cut < length; cut++) {
        uint8_t *exact = malloc(cut + 1); /* so that a sanitizer sees reads beyond */
        memcpy(exact, bytes, cut);
        assert_int_equal(cuzk_circom_r1cs_decode("c", exact, cut, &r1cs, NULL, &err), CUZK_INPUT);
        assert_null(r1cs);
        free(exact);
    }
    free(bytes);
    bytes = fixture_read(&length, "circom/mul/mul.wtns");
    for (size_t cut = 0; cut < length; cut++)
        assert_int_equal(cuzk_circom_wtns_decode("c", bytes, cut, &loaded.layout, &loaded.witness, &err),
                         CUZK_INPUT);
    free(bytes);
    /* the witness of another circuit */
    bytes = fixture_read(&length, "circom/mimc/mimc.wtns");
    assert_int_equal(
        cuzk_circom_wtns_decode("mimc.wtns", bytes, length, &loaded.layout, &loaded.witness, &err),
        CUZK_INPUT);
    assert_non_null(strstr(err.message, "number of wires: expected"));
    free(bytes);
    unload(&loaded);
}

static void test_decode__survives_flipped_bits(void **state)
{
    size_t length;
    uint8_t *bytes = fixture_read(&length, "circom/mul/mul.r1cs");
    unsigned refused = 0;

    (void)state;
    for (size_t bit = 0; bit < 8 * length; bit++) {
        struct cuzk_r1cs *r1cs;
        struct cuzk_error err;
        bytes[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        const enum cuzk_status status = cuzk_circom_r1cs_decode("c", bytes, length, &r1cs, NULL, &err);
        assert_true(status == CUZK_OK || status == CUZK_INPUT || status == CUZK_UNSUPPORTED);
        refused += status != CUZK_OK;
        cuzk_r1cs_destroy(r1cs);
        bytes[bit / 8] ^= (uint8_t)(1 << (bit % 8));
    }
    assert_true(refused > length);
    free(bytes);
}

/* Offset of the size field of the section of this type. */
static size_t section_at(const uint8_t *bytes, uint32_t type)
{
    size_t at = 12;

    while (cuzk_load_u32le(bytes + at) != type)
        at += 12 + (size_t)cuzk_load_u64le(bytes + at + 4);
    return at + 4;
}

static void test_decode__refuses_more_wires_than_labels(void **state)
{
    enum { HEADER = 1, LABELS = 3, WIRES = 8 + 4 + CUZK_FR_BYTES };
    size_t length;
    uint8_t *bytes = fixture_read(&length, "circom/mul/mul.r1cs");
    uint8_t *wires = bytes + section_at(bytes, HEADER) + WIRES;
    struct cuzk_r1cs *r1cs;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_load_u32le(wires), 4);
    wires[3] = 0x7f; /* two thousand million */
    assert_int_equal(cuzk_circom_r1cs_decode("c", bytes, length, &r1cs, NULL, &err), CUZK_INPUT);
    assert_non_null(
        strstr(err.message, "labels of wires: expected 2130706436 elements of 8 bytes, found 32"));
    wires[3] = 0;
    wires[0] = 3;
    assert_int_equal(cuzk_circom_r1cs_decode("c", bytes, length, &r1cs, NULL, &err), CUZK_INPUT);
    wires[0] = 4;
    bytes[section_at(bytes, LABELS) - 4] = 99;
    assert_int_equal(cuzk_circom_r1cs_decode("c", bytes, length, &r1cs, NULL, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "labels: expected one section of type 3"));
    free(bytes);
}

static void test_normalise__merges_and_sorts(void **state)
{
    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        struct cuzk_term terms[20];
        struct cuzk_fr sum[6] = {0};
        const size_t n = test_random_below(&rng, 20);
        for (size_t k = 0; k < n; k++) {
            const uint32_t v = (uint32_t)test_random_below(&rng, 6);
            terms[k].variable = v < 3 ? cuzk_variable_input(v) : cuzk_variable_aux(v);
            cuzk_fr_from_u64(test_random_below(&rng, 3), &terms[k].coefficient);
            if (test_random_below(&rng, 2) != 0)
                cuzk_fr_neg(&terms[k].coefficient, &terms[k].coefficient);
            cuzk_fr_add(&sum[v], &terms[k].coefficient, &sum[v]);
        }
        const size_t left = cuzk_circom_normalise(terms, n);
        size_t at = 0;
        for (uint32_t v = 0; v < 6; v++) {
            if (cuzk_fr_is_zero(&sum[v]))
                continue;
            assert_true(at < left);
            assert_int_equal(terms[at].variable, v < 3 ? cuzk_variable_input(v) : cuzk_variable_aux(v));
            assert_true(cuzk_fr_equal(&terms[at].coefficient, &sum[v]));
            at++;
        }
        assert_int_equal(at, left);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode__gives_a_satisfied_system),
        cmocka_unit_test(test_encode__round_trips),
        cmocka_unit_test(test_decode__refuses_truncation_everywhere),
        cmocka_unit_test(test_decode__survives_flipped_bits),
        cmocka_unit_test(test_decode__refuses_more_wires_than_labels),
        cmocka_unit_test(test_normalise__merges_and_sorts),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
