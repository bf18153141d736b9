/* Constraint systems: the canonical stream there and back, densities, satisfaction, against the toy circuits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "r1cs/r1cs.h"
#include "r1cs/stream.h"
#include "support/fixture.h"
#include "support/random.h"

static struct test_random rng;

static void load(const uint8_t *bytes, size_t length, struct cuzk_r1cs **out)
{
    struct cuzk_r1cs_builder *builder;
    struct cuzk_stream_counts counts;
    struct cuzk_error err;

    assert_int_equal(cuzk_r1cs_builder_create(&builder, &err), CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    assert_int_equal(cuzk_stream_decode(bytes, length, &sink, &counts, &err), CUZK_OK);
    assert_int_equal(cuzk_r1cs_builder_finish(builder, counts.inputs, counts.aux, out, &err), CUZK_OK);
    cuzk_r1cs_builder_destroy(builder);
}

struct bytes {
    uint8_t *at;
    size_t length, capacity;
};

static enum cuzk_status collect(void *context, const uint8_t *bytes, size_t n, struct cuzk_error *err)
{
    struct bytes *to = context;

    (void)err;
    assert_true(to->length + n <= to->capacity);
    memcpy(to->at + to->length, bytes, n);
    to->length += n;
    return CUZK_OK;
}

/* Calls body with every toy circuit that has an R1CS. */
static void each_toy(void (*body)(struct fixture_json toy, const uint8_t *stream, size_t length))
{
    size_t length;
    char *lines = (char *)fixture_read(&length, "groth16/toy/toy.jsonl"), *cursor = lines, *line;
    unsigned seen = 0;

    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json toy = fixture_json_parse(line), file = fixture_json_get(toy, "r1cs_file");
        if (file.text == NULL || fixture_json_is_null(file))
            continue;
        char *name = fixture_json_string(file);
        uint8_t *stream = fixture_read(&length, "groth16/toy/%s", name);
        body(toy, stream, length);
        free(stream);
        free(name);
        seen++;
    }
    assert_int_equal(seen, 5);
    free(lines);
}

static void round_trip(struct fixture_json toy, const uint8_t *stream, size_t length)
{
    struct cuzk_r1cs *r1cs;
    struct cuzk_stream_writer *writer;
    struct cuzk_error err;
    struct bytes again = {malloc(length), 0, length};

    load(stream, length, &r1cs);
    assert_int_equal(r1cs->constraints, fixture_json_u64(fixture_json_get(toy, "constraints")));
    assert_int_equal(cuzk_stream_writer_create((struct cuzk_stream_target){collect, &again}, &writer, &err),
                     CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_stream_writer_sink(writer);
    assert_int_equal(cuzk_r1cs_replay(r1cs, &sink, &err), CUZK_OK);
    assert_int_equal(again.length, length);
    assert_memory_equal(again.at, stream, length);
    cuzk_stream_writer_destroy(writer);
    cuzk_r1cs_destroy(r1cs);
    free(again.at);
}

static void test_stream__survives_building_and_replay(void **state)
{
    (void)state;
    each_toy(round_trip);
}

static void densities(struct fixture_json toy, const uint8_t *stream, size_t length)
{
    const struct fixture_json shape = fixture_json_get(toy, "r1cs");
    const struct fixture_json density = fixture_json_get(shape, "density"),
                              nnz = fixture_json_get(shape, "nnz");
    struct cuzk_r1cs *r1cs;
    struct cuzk_error err;

    load(stream, length, &r1cs);
    for (int m = 0; m < CUZK_MATRICES; m++) {
        struct cuzk_density got;
        char name[16];
        assert_int_equal(cuzk_r1cs_density(r1cs, m, &got, &err), CUZK_OK);
        snprintf(name, sizeof name, "%c_inputs", 'a' + m);
        assert_int_equal(got.input_count, fixture_json_u64(fixture_json_get(density, name)));
        snprintf(name, sizeof name, "%c_aux", 'a' + m);
        assert_int_equal(got.aux_count, fixture_json_u64(fixture_json_get(density, name)));
        name[1] = 0;
        assert_int_equal(r1cs->matrix[m].row_start[r1cs->constraints],
                         fixture_json_u64(fixture_json_get(nnz, name)));
        cuzk_density_destroy(&got);
    }
    cuzk_r1cs_destroy(r1cs);
}

static void test_density__equals_reference(void **state)
{
    (void)state;
    each_toy(densities);
}

static void satisfaction(struct fixture_json toy, const uint8_t *stream, size_t length)
{
    struct cuzk_r1cs *r1cs;
    struct cuzk_error err;
    char *name = fixture_json_string(fixture_json_get(toy, "name"));
    size_t witness_length;
    uint8_t *bytes = fixture_read(&witness_length, "groth16/toy/%s.wit", name);
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness;
    struct cuzk_pool *pool;

    load(stream, length, &r1cs);
    /* the last variables may be in no constraint: the sizes are the fixture's */
    r1cs->inputs = (uint32_t)fixture_json_u64(fixture_json_get(toy, "inputs"));
    r1cs->aux = (uint32_t)fixture_json_u64(fixture_json_get(toy, "aux"));
    assert_int_equal(witness_length, 32 * ((size_t)r1cs->inputs + r1cs->aux));
    struct cuzk_fr *values = malloc((r1cs->inputs + r1cs->aux) * sizeof *values);
    for (uint32_t k = 0; k < r1cs->inputs + r1cs->aux; k++)
        assert_true(cuzk_fr_from_bytes(bytes + 32 * k, &values[k]));
    assert_int_equal(cuzk_pool_create(2, &pool, &err), CUZK_OK);
    assert_int_equal(cuzk_witness_layout_create(r1cs->inputs, r1cs->aux, NULL, &layout, &err), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&layout, &witness, &err), CUZK_OK);
    assert_int_equal(cuzk_witness_compact(&layout, values, values + r1cs->inputs, &witness, &err), CUZK_OK);
    assert_int_equal(cuzk_r1cs_check(r1cs, &layout, &witness, pool, &err), CUZK_OK);

    /* wrong values are noticed, at the first constraint that a slow walk finds */
    for (int turn = 0; turn < 20; turn++) {
        const uint32_t k = (uint32_t)test_random_below(&rng, r1cs->aux);
        struct cuzk_fr saved = witness.wide[k], one, row[3];
        uint32_t expected = UINT32_MAX;
        cuzk_fr_one(&one);
        cuzk_fr_add(&witness.wide[k], &one, &witness.wide[k]);
        for (uint32_t r = 0; r < r1cs->constraints && expected == UINT32_MAX; r++) {
            for (int m = 0; m < 3; m++) {
                cuzk_fr_zero(&row[m]);
                const struct cuzk_matrix *matrix = &r1cs->matrix[m];
                for (uint32_t t = matrix->row_start[r]; t < matrix->row_start[r + 1]; t++) {
                    struct cuzk_fr value;
                    cuzk_witness_value(&layout, &witness, matrix->variables[t], &value);
                    cuzk_fr_mul(&value, &r1cs->pool[matrix->coefficients[t]], &value);
                    cuzk_fr_add(&row[m], &value, &row[m]);
                }
            }
            cuzk_fr_mul(&row[0], &row[1], &row[0]);
            if (!cuzk_fr_equal(&row[0], &row[2]))
                expected = r;
        }
        if (expected != UINT32_MAX) {
            char wanted[80];
            snprintf(wanted, sizeof wanted, "constraint %u of %u does not hold", expected, r1cs->constraints);
            assert_int_equal(cuzk_r1cs_check(r1cs, &layout, &witness, pool, &err), CUZK_UNSATISFIED);
            assert_string_equal(err.message, wanted);
        } else {
            assert_int_equal(cuzk_r1cs_check(r1cs, &layout, &witness, pool, &err), CUZK_OK);
        }
        witness.wide[k] = saved;
    }
    cuzk_pool_destroy(pool);
    cuzk_witness_destroy(&witness);
    cuzk_witness_layout_destroy(&layout);
    cuzk_r1cs_destroy(r1cs);
    free(values);
    free(bytes);
    free(name);
}

static void test_check__finds_the_first_wrong_constraint(void **state)
{
    (void)state;
    each_toy(satisfaction);
}

static void test_stream_decode__names_the_offset_of_damage(void **state)
{
    size_t length;
    uint8_t *stream = fixture_read(&length, "groth16/toy/cubic.r1cs");
    struct cuzk_stream_counts counts;
    struct cuzk_error err;

    (void)state;
    for (size_t cut = 1; cut < length; cut++) {
        const enum cuzk_status status = cuzk_stream_decode(stream, cut, NULL, &counts, &err);
        if (status == CUZK_OK)
            assert_true(counts.constraints < 3); /* a cut between constraints is a shorter circuit */
        else
            assert_int_equal(status, CUZK_INPUT);
    }
    stream[4] = 2; /* kind of the first term */
    assert_int_equal(cuzk_stream_decode(stream, length, NULL, &counts, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "offset 4"));
    stream[4] = 1;
    memset(stream + 9, 0xff, 32);
    assert_int_equal(cuzk_stream_decode(stream, length, NULL, &counts, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "offset 9"));
    memset(stream + 9, 0, 32);
    assert_int_equal(cuzk_stream_decode(stream, length, NULL, &counts, &err), CUZK_INPUT);
    memset(stream, 0xff, 4); /* a count of 2^32 - 1 must not be believed */
    assert_int_equal(cuzk_stream_decode(stream, length, NULL, &counts, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "offset 0"));
    free(stream);
}

static void test_builder__refuses_unknown_variables(void **state)
{
    size_t length;
    uint8_t *stream = fixture_read(&length, "groth16/toy/cubic.r1cs");
    struct cuzk_r1cs_builder *builder;
    struct cuzk_r1cs *r1cs;
    struct cuzk_stream_counts counts;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_r1cs_builder_create(&builder, &err), CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    assert_int_equal(cuzk_stream_decode(stream, length, &sink, &counts, &err), CUZK_OK);
    assert_int_equal(cuzk_r1cs_builder_finish(builder, 0, counts.aux, &r1cs, &err), CUZK_INPUT);
    assert_int_equal(cuzk_r1cs_builder_finish(builder, counts.inputs, counts.aux - 1, &r1cs, &err),
                     CUZK_INPUT);
    assert_non_null(strstr(err.message, "aux variable 2, but there are 2"));
    assert_null(r1cs);
    assert_int_equal(cuzk_r1cs_builder_finish(builder, counts.inputs, counts.aux, &r1cs, &err), CUZK_OK);
    cuzk_r1cs_destroy(r1cs);
    cuzk_r1cs_builder_destroy(builder);
    free(stream);
}

static void test_builder__survives_failing_allocations(void **state)
{
    size_t length;
    uint8_t *stream = fixture_read(&length, "groth16/toy/random-5000.r1cs.zst");
    const size_t before = cuzk_mem_in_use();
    unsigned failures = 0;
    enum cuzk_status status;

    (void)state;
    do {
        struct cuzk_r1cs_builder *builder = NULL;
        struct cuzk_r1cs *r1cs = NULL;
        struct cuzk_stream_counts counts;
        struct cuzk_error err;
        cuzk_mem_fail_after(failures, 0);
        status = cuzk_r1cs_builder_create(&builder, &err);
        if (status == CUZK_OK) {
            const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
            status = cuzk_stream_decode(stream, length, &sink, &counts, &err);
        }
        if (status == CUZK_OK)
            status = cuzk_r1cs_builder_finish(builder, counts.inputs, counts.aux, &r1cs, &err);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        cuzk_r1cs_destroy(r1cs);
        cuzk_r1cs_builder_destroy(builder);
        assert_true(status == CUZK_OK || status == CUZK_MEMORY);
        assert_int_equal(cuzk_mem_in_use(), before);
        failures++;
    } while (status != CUZK_OK);
    assert_true(failures > 20);
    free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream__survives_building_and_replay),
        cmocka_unit_test(test_density__equals_reference),
        cmocka_unit_test(test_check__finds_the_first_wrong_constraint),
        cmocka_unit_test(test_stream_decode__names_the_offset_of_damage),
        cmocka_unit_test(test_builder__refuses_unknown_variables),
        cmocka_unit_test(test_builder__survives_failing_allocations),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
