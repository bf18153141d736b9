#include "random_circuit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "curve/encoding.h"

struct test_random test_circuit_rng;

/* The same sizes as head and copies, which see other stretches of some of the head's variables. */
enum { PARTS = 3, HEAD_INPUTS = 2, HEAD_AUX = 72, HEAD_ROWS = 20, WINDOW = 10, WINDOW_COUNT = 5 };
enum {
    PART_INPUTS = (INPUTS - HEAD_INPUTS) / PARTS,
    PART_AUX = (AUX - HEAD_AUX) / PARTS,
    PART_ROWS = (CONSTRAINTS - HEAD_ROWS) / PARTS,
};

void test_circuit_draw(struct cuzk_fr *out)
{
    test_backends_draw(&test_circuit_rng, out);
}

static void multiple(bool g2, const struct cuzk_fr *scalar, union cuzk_backend_point *out)
{
    uint64_t words[4];

    cuzk_fr_to_words(scalar, words);
    if (g2) {
        cuzk_g2_from_affine(&cuzk_g2_generator, &out->g2);
        cuzk_g2_mul(&out->g2, words, &out->g2);
    } else {
        cuzk_g1_from_affine(&cuzk_g1_generator, &out->g1);
        cuzk_g1_mul(&out->g1, words, &out->g1);
    }
}

bool test_circuit_point_equals(bool g2, const union cuzk_backend_point *point,
                               const struct cuzk_fr *logarithm)
{
    union cuzk_backend_point expected;

    multiple(g2, logarithm, &expected);
    return g2 ? cuzk_g2_equal(&expected.g2, &point->g2) : cuzk_g1_equal(&expected.g1, &point->g1);
}

/* count points with random logarithms, as bytes of a parameter file: each is twice the one before and one of
 * a few random multiples of the generator, which is much cheaper than a multiplication for each. */
uint8_t *test_circuit_points(bool g2, size_t count, struct cuzk_fr *logarithms)
{
    enum { STEPS = 8 };
    const size_t size = g2 ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES;
    uint8_t *bytes = malloc(count * size + 1);
    union cuzk_backend_point step[STEPS], point;
    struct cuzk_fr step_logarithm[STEPS], logarithm;

    for (size_t i = 0; i < STEPS; i++) {
        test_circuit_draw(&step_logarithm[i]);
        multiple(g2, &step_logarithm[i], &step[i]);
    }
    point = step[0];
    logarithm = step_logarithm[0];
    for (size_t k = 0; k < count; k++) {
        const size_t i = test_random_below(&test_circuit_rng, STEPS);
        cuzk_fr_add(&logarithm, &logarithm, &logarithm);
        cuzk_fr_add(&logarithm, &step_logarithm[i], &logarithm);
        assert_false(cuzk_fr_is_zero(&logarithm));
        logarithms[k] = logarithm;
        if (g2) {
            struct cuzk_g2_affine affine;
            cuzk_g2_double(&point.g2, &point.g2);
            cuzk_g2_add(&point.g2, &step[i].g2, &point.g2);
            cuzk_g2_to_affine(&point.g2, &affine);
            cuzk_g2_encode_raw(&affine, bytes + k * size);
        } else {
            struct cuzk_g1_affine affine;
            cuzk_g1_double(&point.g1, &point.g1);
            cuzk_g1_add(&point.g1, &step[i].g1, &point.g1);
            cuzk_g1_to_affine(&point.g1, &affine);
            cuzk_g1_encode_raw(&affine, bytes + k * size);
        }
    }
    return bytes;
}

/* ---- a random circuit and key ---- */

static void random_combination(uint32_t inputs, uint32_t aux, struct cuzk_term *terms, size_t *count)
{
    const uint64_t percent = test_random_below(&test_circuit_rng, 20) == 0 ? 70 : 3; /* some rows are long */

    *count = 0;
    for (uint32_t k = 0; k < inputs + aux; k++) {
        if (test_random_below(&test_circuit_rng, 100) >= percent)
            continue;
        struct cuzk_term *term = &terms[(*count)++];
        term->variable = k < inputs ? cuzk_variable_input(k) : cuzk_variable_aux(k - inputs);
        cuzk_fr_one(&term->coefficient);
        if (test_random_below(&test_circuit_rng, 3) == 0)
            test_circuit_draw(&term->coefficient);
        else if (test_random_below(&test_circuit_rng, 2) == 0)
            cuzk_fr_neg(&term->coefficient, &term->coefficient);
    }
}

static struct cuzk_r1cs *random_r1cs(uint32_t inputs, uint32_t aux, uint32_t head, uint32_t rows)
{
    struct cuzk_r1cs_builder *builder;
    struct cuzk_r1cs *r1cs;

    assert_int_equal(cuzk_r1cs_builder_create(&builder, NULL), CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    for (uint32_t k = 0; k < rows; k++) {
        struct cuzk_term terms[3][INPUTS + AUX];
        struct cuzk_combination part[3];
        for (int m = 0; m < 3; m++) {
            random_combination(k < head ? HEAD_INPUTS : inputs, k < head ? HEAD_AUX : aux, terms[m],
                               &part[m].count);
            part[m].terms = terms[m];
        }
        assert_int_equal(sink.constraint(sink.context, part[0], part[1], part[2], NULL), CUZK_OK);
    }
    assert_int_equal(cuzk_r1cs_builder_finish(builder, inputs, aux, &r1cs, NULL), CUZK_OK);
    cuzk_r1cs_builder_destroy(builder);
    return r1cs;
}

static void make_copies(struct test_circuit *circuit)
{
    const struct cuzk_r1cs_extent head = {HEAD_INPUTS, HEAD_AUX, HEAD_ROWS};
    uint32_t shift[PARTS] = {0, 20, 7};
    const struct cuzk_r1cs_window window = {WINDOW, WINDOW_COUNT, shift};
    struct cuzk_r1cs_builder *builder;

    circuit->compact =
        random_r1cs(HEAD_INPUTS + PART_INPUTS, HEAD_AUX + PART_AUX, HEAD_ROWS, HEAD_ROWS + PART_ROWS);
    assert_int_equal(cuzk_r1cs_repeat(circuit->compact, &head, PARTS, &window, NULL), CUZK_OK);
    assert_int_equal(cuzk_r1cs_builder_create(&builder, NULL), CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    assert_int_equal(cuzk_r1cs_replay(circuit->compact, &sink, NULL), CUZK_OK);
    assert_int_equal(cuzk_r1cs_builder_finish(builder, INPUTS, AUX, &circuit->r1cs, NULL), CUZK_OK);
    cuzk_r1cs_builder_destroy(builder);
}

/* The first copy's bits in all copies, and bits wherever a window may lie. */
static void repeat_map(uint64_t *map)
{
    uint64_t first[(AUX + 63) / 64];

    for (size_t k = WINDOW; k < WINDOW + 20 + WINDOW_COUNT; k++)
        map[k / 64] |= UINT64_C(1) << (k % 64);
    memcpy(first, map, sizeof first);
    for (size_t k = HEAD_AUX; k < AUX; k++) {
        const size_t from = HEAD_AUX + (k - HEAD_AUX) % PART_AUX;
        map[k / 64] &= ~(UINT64_C(1) << (k % 64));
        map[k / 64] |= (first[from / 64] >> (from % 64) & 1) << (k % 64);
    }
}

/* bits: 0 none, 1 some, 2 all aux variables are bits */
static void make_witness(struct test_circuit *circuit, int bits)
{
    uint64_t map[(AUX + 63) / 64];
    struct cuzk_fr inputs[INPUTS], aux[AUX];

    test_random_bytes(&test_circuit_rng, map, sizeof map);
    for (size_t k = 0; k < sizeof map / sizeof *map && bits != 1; k++)
        map[k] = bits == 0 ? 0 : UINT64_MAX;
    if (circuit->compact != NULL)
        repeat_map(map);
    cuzk_fr_one(&inputs[0]);
    for (int k = 1; k < INPUTS; k++)
        test_circuit_draw(&inputs[k]);
    for (int k = 0; k < AUX; k++) {
        if (map[k / 64] >> (k % 64) & 1)
            cuzk_fr_from_u64(test_random_below(&test_circuit_rng, 2), &aux[k]);
        else if (test_random_below(&test_circuit_rng, 4) == 0)
            cuzk_fr_from_u64(test_random_below(&test_circuit_rng, 2), &aux[k]);
        else
            test_circuit_draw(&aux[k]);
    }
    assert_int_equal(cuzk_witness_layout_create(INPUTS, AUX, map, &circuit->layout, NULL), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&circuit->layout, &circuit->witness, NULL), CUZK_OK);
    assert_int_equal(cuzk_witness_compact(&circuit->layout, inputs, aux, &circuit->witness, NULL), CUZK_OK);
}

static void make_key(struct test_circuit *circuit)
{
    static const char *const names[CUZK_QUERIES] = {"h", "l", "a", "b_g1", "b_g2"};

    circuit->plan =
        (struct cuzk_backend_plan){.r1cs = circuit->compact != NULL ? circuit->compact : circuit->r1cs,
                                   .layout = &circuit->layout,
                                   .log_domain = LOG_DOMAIN,
                                   .row_step = 1};
    for (int q = 0; q < CUZK_QUERIES; q++) {
        struct cuzk_backend_query *query = &circuit->plan.query[q];
        query->name = names[q];
        query->count = DOMAIN - 1;
        if (q != CUZK_QUERY_H) {
            query->count = 0;
            for (uint32_t k = 0; k < INPUTS + AUX; k++) {
                const bool is_input = k < INPUTS;
                if (q == CUZK_QUERY_L ? is_input : test_random_below(&test_circuit_rng, 3) == 0)
                    continue;
                if (is_input)
                    circuit->inputs_map[q] |= UINT64_C(1) << k;
                else
                    circuit->aux_map[q][(k - INPUTS) / 64] |= UINT64_C(1) << ((k - INPUTS) % 64);
                query->count++;
            }
            query->inputs = &circuit->inputs_map[q];
            query->aux = circuit->aux_map[q];
        }
        circuit->logarithms[q] = calloc(query->count, sizeof(struct cuzk_fr));
        circuit->bytes[q] =
            test_circuit_points(cuzk_query_is_g2((enum cuzk_query)q), query->count, circuit->logarithms[q]);
        query->bytes = circuit->bytes[q];
    }
}

void test_circuit_make(struct test_circuit *circuit, int bits)
{
    memset(circuit, 0, sizeof *circuit);
    circuit->r1cs = random_r1cs(INPUTS, AUX, 0, CONSTRAINTS);
    make_witness(circuit, bits);
    make_key(circuit);
}

void test_circuit_make_compact(struct test_circuit *circuit)
{
    memset(circuit, 0, sizeof *circuit);
    make_copies(circuit);
    make_witness(circuit, 1);
    make_key(circuit);
}

void test_circuit_free(struct test_circuit *circuit)
{
    for (int q = 0; q < CUZK_QUERIES; q++) {
        free(circuit->bytes[q]);
        free(circuit->logarithms[q]);
    }
    cuzk_witness_destroy(&circuit->witness);
    cuzk_witness_layout_destroy(&circuit->layout);
    cuzk_r1cs_destroy(circuit->r1cs);
    cuzk_r1cs_destroy(circuit->compact);
}
