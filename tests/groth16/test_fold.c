/* Columns of C times points, against double-and-add over the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "groth16/fold.h"
#include "msm/fixed_base.h"
#include "support/random.h"

static struct test_random rng;
static struct cuzk_pool *pool;

struct shape {
    uint32_t inputs, aux, rows, parts; /* parts 0: nothing is repeated */
    bool long_column;                  /* aux variable 1 is in every row */
};

/* Coefficients as circuits have them, and any. */
static void draw_coefficient(unsigned kind, unsigned exponent, struct cuzk_fr *out)
{
    uint8_t bytes[32] = {0};

    switch (kind) {
    case 0: /* plus or minus a power of two */
    case 1:
        bytes[exponent / 8] = (uint8_t)(1 << exponent % 8);
        assert_true(cuzk_fr_from_bytes(bytes, out));
        break;
    case 2: /* any */
    case 3:
        do
            test_random_bytes(&rng, bytes, sizeof bytes);
        while (!cuzk_fr_from_bytes(bytes, out) || cuzk_fr_is_zero(out));
        break;
    case 4:
    case 5:
        cuzk_fr_from_u64(3 + test_random_below(&rng, 100), out);
        break;
    default:
        cuzk_fr_one(out);
    }
    if (kind % 2 == 1)
        cuzk_fr_neg(out, out);
}

static size_t draw_row(const struct shape *shape, struct cuzk_term *terms)
{
    const unsigned style = (unsigned)test_random_below(&rng, 8);
    size_t n = 0;

    for (uint32_t v = 0; v < shape->inputs + shape->aux; v++) {
        const bool aux = v >= shape->inputs;
        const bool always = shape->long_column && v == shape->inputs + 1;
        if (!always && test_random_below(&rng, style == 0 ? 2 : 24) != 0)
            continue;
        terms[n].variable = aux ? cuzk_variable_aux(v - shape->inputs) : cuzk_variable_input(v);
        if (style == 0) /* bits that are packed */
            draw_coefficient((unsigned)test_random_below(&rng, 2), v * 5 % 255, &terms[n].coefficient);
        else
            draw_coefficient((unsigned)test_random_below(&rng, 16), (unsigned)test_random_below(&rng, 255),
                             &terms[n].coefficient);
        n++;
    }
    return n;
}

static void make_r1cs(const struct shape *shape, struct cuzk_r1cs **out)
{
    struct cuzk_term *terms = calloc(shape->inputs + shape->aux, sizeof *terms);
    const struct cuzk_combination none = {NULL, 0};
    struct cuzk_r1cs_builder *builder;

    assert_int_equal(cuzk_r1cs_builder_create(&builder, NULL), CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    for (uint32_t row = 0; row < shape->rows; row++) {
        const struct cuzk_combination c = {terms, draw_row(shape, terms)};
        assert_int_equal(sink.constraint(sink.context, none, none, c, NULL), CUZK_OK);
    }
    assert_int_equal(cuzk_r1cs_builder_finish(builder, shape->inputs, shape->aux, out, NULL), CUZK_OK);
    cuzk_r1cs_builder_destroy(builder);
    free(terms);
}

/* The system as head and copies: the first third of everything is the head, whose variables the copies share.
 */
static void repeat(struct cuzk_r1cs *r1cs, uint32_t parts)
{
    const struct cuzk_r1cs_extent head = {r1cs->inputs, 0, 0};

    assert_int_equal(cuzk_r1cs_repeat(r1cs, &head, parts, NULL, NULL), CUZK_OK);
}

/* Multiples of the generator; one in `few` is infinity. */
static uint8_t *draw_points(size_t n, unsigned few)
{
    uint64_t(*scalars)[4] = calloc(n, sizeof *scalars);
    uint8_t *raw = malloc(n * CUZK_G1_RAW_BYTES);
    struct cuzk_fixed_base_g1 *table;

    for (size_t k = 0; k < n; k++) {
        if (test_random_below(&rng, few) == 0)
            continue;
        if (test_random_below(&rng, 4) == 0)
            scalars[k][0] = test_random_below(&rng, 5); /* equal and opposite ones meet */
        else
            test_random_bytes(&rng, scalars[k], sizeof scalars[k] - 1);
    }
    assert_int_equal(cuzk_fixed_base_g1_create(pool, &cuzk_g1_generator, n, &table, NULL), CUZK_OK);
    assert_int_equal(cuzk_fixed_base_g1_mul_raw(pool, table, (const uint64_t(*)[4])scalars, n, raw, NULL),
                     CUZK_OK);
    cuzk_fixed_base_g1_destroy(table);
    free(scalars);
    return raw;
}

static void load(const uint8_t *raw, size_t k, struct cuzk_g1 *out)
{
    struct cuzk_g1_affine point;

    assert_int_equal(cuzk_g1_decode_raw_unchecked(raw + k * CUZK_G1_RAW_BYTES, &point, NULL), CUZK_OK);
    cuzk_g1_from_affine(&point, out);
}

/* sums[inputs + aux] from the definition */
static void slow_sums(const struct cuzk_r1cs *r1cs, const uint8_t *points, struct cuzk_g1 *sums)
{
    const struct cuzk_matrix *c = &r1cs->matrix[CUZK_MATRIX_C];

    for (uint32_t i = 0; i < r1cs->inputs + r1cs->aux; i++)
        cuzk_g1_identity(&sums[i]);
    for (uint32_t row = 0; row < r1cs->constraints; row++) {
        const struct cuzk_r1cs_place at = cuzk_r1cs_locate(r1cs, row);
        for (uint32_t k = c->row_start[at.stored]; k < c->row_start[at.stored + 1]; k++) {
            const cuzk_variable variable = cuzk_r1cs_variable(r1cs, c->variables[k], at.part);
            const uint32_t index = cuzk_variable_index(variable);
            struct cuzk_g1 point, *sum = &sums[cuzk_variable_is_aux(variable) ? r1cs->inputs + index : index];
            uint64_t words[4];
            load(points, row, &point);
            cuzk_fr_to_words(&r1cs->pool[c->coefficients[k]], words);
            cuzk_g1_mul(&point, words, &point);
            cuzk_g1_add(sum, &point, sum);
        }
    }
}

static void assert_sum(const uint8_t *raw, const struct cuzk_g1 *wanted, const char *what, uint32_t index)
{
    struct cuzk_g1 found;

    load(raw, 0, &found);
    if (!cuzk_g1_equal(&found, wanted))
        fail_msg("%s %u differs", what, index);
}

/* All aux variables at once, and a stretch that begins in the middle. */
static void check_aux(const struct cuzk_fold *fold, const struct cuzk_r1cs *r1cs, const uint8_t *points,
                      const struct cuzk_g1 *sums)
{
    uint8_t *own = draw_points(r1cs->aux, 20), *out = calloc(r1cs->aux, CUZK_G1_RAW_BYTES);
    const uint32_t begin[] = {0, r1cs->aux / 3};

    assert_true(r1cs->aux > 0);
    for (int turn = 0; turn < 2; turn++) {
        const uint32_t first = begin[turn], count = r1cs->aux - first - (turn == 1 && r1cs->aux > 3);
        assert_int_equal(
            cuzk_fold_aux(fold, points, first, count, own + (size_t)first * CUZK_G1_RAW_BYTES, out, NULL),
            CUZK_OK);
        for (uint32_t k = 0; k < count; k++) {
            struct cuzk_g1 wanted;
            load(own, first + k, &wanted);
            cuzk_g1_add(&wanted, &sums[r1cs->inputs + first + k], &wanted);
            assert_sum(out + (size_t)k * CUZK_G1_RAW_BYTES, &wanted, "aux", first + k);
        }
    }
    free(own);
    free(out);
}

static void check(const struct shape *shape)
{
    struct cuzk_r1cs *r1cs;
    struct cuzk_fold *fold;

    make_r1cs(shape, &r1cs);
    if (shape->parts > 0)
        repeat(r1cs, shape->parts);
    uint8_t *points = draw_points(r1cs->constraints, 20), raw[CUZK_G1_RAW_BYTES];
    struct cuzk_g1 *sums = calloc(r1cs->inputs + r1cs->aux, sizeof *sums);
    slow_sums(r1cs, points, sums);
    assert_int_equal(cuzk_fold_create(r1cs, pool, NULL, &fold, NULL), CUZK_OK);
    for (uint32_t i = 0; i < r1cs->inputs; i++) {
        assert_int_equal(cuzk_fold_input(fold, points, i, raw, NULL), CUZK_OK);
        assert_sum(raw, &sums[i], "input", i);
    }
    check_aux(fold, r1cs, points, sums);
    cuzk_fold_destroy(fold);
    cuzk_r1cs_destroy(r1cs);
    free(points);
    free(sums);
}

static void test_fold__equals_the_sum_over_rows(void **state)
{
    static const struct shape shapes[] = {{1, 1, 1, 0, false},
                                          {3, 40, 60, 0, false},
                                          {2, 70, 9, 0, false},
                                          {4, 30, 20, 5, false},
                                          {1, 300, 80, 0, false}};
    const enum cuzk_cpu_level first = cuzk_cpu_level();

    (void)state;
    for (enum cuzk_cpu_level level = CUZK_CPU_PORTABLE; level <= first; level++) {
        assert_int_equal(cuzk_cpu_set_level(level), level);
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
            check(&shapes[k]);
    }
    (void)cuzk_cpu_set_level(first);
}

/* A column of aux that is too long for a list, and more variables than a piece has. */
static void test_fold__sums_long_columns_and_many(void **state)
{
    static const struct shape many = {1, 5, 1, 1500, false}, tall = {1, 3, 17000, 0, true};

    (void)state;
    check(&many);
    check(&tall);
}

static void test_fold__refuses_points_off_the_curve(void **state)
{
    static const struct shape shape = {1, 40, 30, 0, true};
    struct cuzk_error err = {0};
    struct cuzk_r1cs *r1cs;
    struct cuzk_fold *fold;

    (void)state;
    make_r1cs(&shape, &r1cs);
    uint8_t *points = draw_points(r1cs->constraints, 1000), *own = draw_points(r1cs->aux, 1000);
    uint8_t *out = malloc((size_t)r1cs->aux * CUZK_G1_RAW_BYTES);
    assert_int_equal(cuzk_fold_create(r1cs, pool, NULL, &fold, NULL), CUZK_OK);
    own[7 * CUZK_G1_RAW_BYTES + 90] ^= 1;
    assert_int_equal(cuzk_fold_aux(fold, points, 0, r1cs->aux, own, out, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "l: "));
    own[7 * CUZK_G1_RAW_BYTES + 90] ^= 1;
    assert_int_equal(cuzk_fold_aux(fold, points, 0, r1cs->aux, own, out, &err), CUZK_OK);
    for (uint32_t row = 0; row < r1cs->constraints; row += 7) {
        points[row * CUZK_G1_RAW_BYTES + 90] ^= 1;
        assert_int_equal(cuzk_fold_aux(fold, points, 0, r1cs->aux, own, out, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "row"));
        points[row * CUZK_G1_RAW_BYTES + 90] ^= 1;
    }
    cuzk_fold_destroy(fold);
    cuzk_r1cs_destroy(r1cs);
    free(points);
    free(own);
    free(out);
}

static int start(void **state)
{
    (void)state;
    test_random_init(&rng);
    return cuzk_pool_create(3, &pool, NULL) == CUZK_OK ? 0 : 1;
}

static int stop(void **state)
{
    (void)state;
    cuzk_pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold__equals_the_sum_over_rows),
        cmocka_unit_test(test_fold__sums_long_columns_and_many),
        cmocka_unit_test(test_fold__refuses_points_off_the_curve),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
