/* The builder itself: combinations, packed bits, failures, names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "circuit/boolean.h"
#include "circuit/num.h"
#include "circuit/synthesis.h"
#include "support/random.h"

static struct test_random rng;

/* ---- combinations against a dense twin ---- */

enum { VARIABLES = 12 };

static void test_combination__equals_dense_twin(void **state)
{
    struct cuzk_combination_builder parts[3] = {{0}}, sum = {0};
    struct cuzk_fr dense[3][VARIABLES], factors[3], total[VARIABLES];

    (void)state;
    memset(dense, 0, sizeof dense);
    memset(total, 0, sizeof total);
    for (int i = 0; i < 300; i++) {
        const int p = i % 3;
        const unsigned v = (unsigned)test_random_below(&rng, VARIABLES);
        struct cuzk_fr coefficient;
        cuzk_fr_from_u64(test_random_below(&rng, 3), &coefficient); /* zeros and cancellations are likely */
        if (test_random_below(&rng, 2))
            cuzk_fr_neg(&coefficient, &coefficient);
        const cuzk_variable variable = v % 2 ? cuzk_variable_aux(v) : cuzk_variable_input(v);
        assert_int_equal(cuzk_combination_add(&parts[p], variable, &coefficient, NULL), CUZK_OK);
        cuzk_fr_add(&dense[p][v], &coefficient, &dense[p][v]);
    }
    for (int p = 0; p < 3; p++) {
        cuzk_fr_from_u64(test_random_u64(&rng), &factors[p]);
        for (int v = 0; v < VARIABLES; v++) {
            struct cuzk_fr term;
            cuzk_fr_mul(&dense[p][v], &factors[p], &term);
            cuzk_fr_add(&total[v], &term, &total[v]);
        }
    }
    assert_int_equal(cuzk_combination_sum(parts, factors, 3, &sum, NULL), CUZK_OK);
    size_t held = 0;
    for (size_t i = 0; i < sum.count; i++) {
        const uint32_t v = cuzk_variable_index(sum.terms[i].variable);
        assert_true(i == 0 || sum.terms[i - 1].variable < sum.terms[i].variable);
        assert_int_equal(cuzk_variable_is_aux(sum.terms[i].variable), v % 2);
        assert_true(cuzk_fr_equal(&sum.terms[i].coefficient, &total[v]));
        assert_false(cuzk_fr_is_zero(&sum.terms[i].coefficient));
    }
    for (int v = 0; v < VARIABLES; v++)
        held += !cuzk_fr_is_zero(&total[v]);
    assert_int_equal(held, sum.count);
    for (int p = 0; p < 3; p++)
        cuzk_combination_free(&parts[p]);
    cuzk_combination_free(&sum);
}

/* ---- packed bits: pieces of any length, writers side by side in one word ---- */

static void test_cs_witness__joins_writers_within_a_word(void **state)
{
    enum { BITS = 1000, WORDS = (BITS + 63) / 64 };
    uint64_t expected[WORDS] = {0}, found[WORDS] = {0};
    struct cuzk_fr inputs[1];
    struct cuzk_witness witness = {.inputs = inputs, .bits = found};
    struct cuzk_cs writers[8];
    uint32_t start[9] = {0};

    (void)state;
    test_random_bytes(&rng, expected, sizeof expected);
    expected[WORDS - 1] &= (UINT64_C(1) << BITS % 64) - 1;
    for (unsigned i = 1; i < 8; i++)
        start[i] = start[i - 1] + 1 + (uint32_t)test_random_below(&rng, 200) % (BITS - start[i - 1] - 8);
    start[8] = BITS;
    for (unsigned i = 8; i-- > 0;) { /* from the last to the first */
        cuzk_cs_witness(&writers[i], &witness,
                        (struct cuzk_cs_counts){.inputs = 2, .aux = start[i], .bits = start[i]});
        for (uint32_t at = start[i]; at < start[i + 1];) {
            uint32_t n = 1 + (uint32_t)test_random_below(&rng, 64);
            n = n < start[i + 1] - at ? n : start[i + 1] - at;
            uint64_t piece = expected[at / 64] >> at % 64;
            if (at % 64 && at / 64 + 1 < WORDS)
                piece |= expected[at / 64 + 1] << (64 - at % 64);
            piece &= n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
            (void)cuzk_cs_alloc_bits(&writers[i], piece, n);
            at += n;
        }
    }
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(cuzk_cs_finish(&writers[i], NULL), CUZK_OK);
        assert_int_equal(writers[i].at.bits, start[i + 1]);
    }
    assert_memory_equal(expected, found, sizeof expected);
}

/* ---- a small circuit: bits and a product, in namespaces ---- */

struct small {
    uint64_t bits;
    bool wrong;
};

static void build_small(struct cuzk_cs *cs, void *context)
{
    const struct small *small = context;
    struct cuzk_boolean bits[70];
    struct cuzk_fr value;

    cuzk_fr_from_u64(7, &value);
    const struct cuzk_num a = cuzk_num_alloc(cs, &value);
    cuzk_num_inputize(cs, &a);
    cuzk_cs_enter(cs, "outer");
    cuzk_boolean_alloc_many(cs, small->bits, 64, bits);
    cuzk_boolean_alloc_many(cs, 5, 6, bits + 64);
    cuzk_cs_enter_n(cs, "inner # of them", 42);
    if (small->wrong)
        cuzk_fr_from_u64(8, &value);
    const struct cuzk_num b = cuzk_num_alloc(cs, &value);
    cuzk_num_enforce_equal(cs, "the same", &a, &b);
    cuzk_cs_leave(cs);
    cuzk_cs_leave(cs);
}

static void test_cs_check__names_constraint_and_path(void **state)
{
    struct small small = {.bits = UINT64_C(0x123456789abcdef0)};
    struct cuzk_error err;
    struct synthesis s;
    struct cuzk_cs cs;

    (void)state;
    synthesis_run(build_small, &small, 0, &s);
    assert_int_equal(s.counts.aux, 72);
    assert_int_equal(s.counts.bits, 70);
    assert_int_equal(s.counts.constraints, 72);
    for (uint32_t i = 0; i < s.counts.aux; i++)
        assert_int_equal(cuzk_witness_is_bit(&s.layout, i), i > 0 && i < 71);
    assert_int_equal(s.witness.bits[0], small.bits);
    assert_int_equal(s.witness.bits[1], 5);

    small.wrong = true;
    cuzk_cs_witness(&cs, &s.witness, (struct cuzk_cs_counts){.inputs = 1});
    memset(s.witness.bits, 0, 2 * sizeof *s.witness.bits);
    build_small(&cs, &small);
    assert_int_equal(cuzk_cs_finish(&cs, &err), CUZK_OK);
    cuzk_cs_check(&cs, &s.layout, &s.witness, NULL);
    build_small(&cs, &small);
    assert_int_equal(cuzk_cs_finish(&cs, &err), CUZK_UNSATISFIED);
    assert_string_equal(err.message, "constraint 71 is not satisfied: outer/inner 42 of them/the same");
    cuzk_cs_destroy(&cs);
    synthesis_free(&s);
}

static void test_cs_check__refuses_assignment_of_another_circuit(void **state)
{
    struct small small = {0};
    struct cuzk_error err;
    struct synthesis s;
    struct cuzk_cs cs;

    (void)state;
    synthesis_run(build_small, &small, 0, &s);
    s.layout.aux--;
    cuzk_cs_check(&cs, &s.layout, &s.witness, NULL);
    build_small(&cs, &small);
    assert_int_equal(cuzk_cs_finish(&cs, &err), CUZK_INTERNAL);
    cuzk_cs_destroy(&cs);
    synthesis_free(&s);
}

/* ---- failures ---- */

static enum cuzk_status refuse(void *context, struct cuzk_combination a, struct cuzk_combination b,
                               struct cuzk_combination c, struct cuzk_error *err)
{
    unsigned *left = context;

    (void)a;
    (void)b;
    (void)c;
    return (*left)-- == 0 ? cuzk_error_set(err, CUZK_CANCELLED, "enough") : CUZK_OK;
}

static void test_cs_record__passes_on_the_sinks_status(void **state)
{
    struct small small = {0};
    unsigned left = 10;
    const struct cuzk_constraint_sink sink = {.constraint = refuse, .context = &left};
    struct cuzk_error err;
    struct cuzk_cs cs;

    (void)state;
    cuzk_cs_record(&cs, &sink);
    build_small(&cs, &small);
    assert_int_equal(cuzk_cs_finish(&cs, &err), CUZK_CANCELLED);
    assert_string_equal(err.message, "enough");
    assert_int_equal(left, UINT32_MAX); /* not asked again */
    cuzk_cs_destroy(&cs);
}

static void test_cs_record__reports_lack_of_memory(void **state)
{
    struct small small = {0};
    struct cuzk_error err;
    struct cuzk_cs cs;
    enum cuzk_status status;
    size_t failures = 0;

    (void)state;
    do {
        cuzk_mem_fail_after(failures++, 0);
        cuzk_cs_record(&cs, NULL);
        build_small(&cs, &small);
        status = cuzk_cs_finish(&cs, &err);
        cuzk_cs_destroy(&cs);
        assert_true(status == CUZK_OK || status == CUZK_MEMORY);
    } while (status != CUZK_OK);
    cuzk_mem_fail_after(SIZE_MAX, 0);
    assert_true(failures > 3); /* the layout and three combinations */
}

static void test_cs_name_print__puts_indexes_and_stays_inside(void **state)
{
    const struct cuzk_cs_name name = {.text = "pick #, # of #", .index = {1, 22, 333}};
    char text[32];

    (void)state;
    assert_int_equal(cuzk_cs_name_print(&name, text, sizeof text), strlen("pick 1, 22 of 333"));
    assert_string_equal(text, "pick 1, 22 of 333");
    for (size_t size = 1; size < 18; size++) {
        memset(text, 'x', sizeof text);
        assert_true(cuzk_cs_name_print(&name, text, size) < size);
        assert_true(memchr(text, 0, size) != NULL);
        assert_int_equal(text[size], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combination__equals_dense_twin),
        cmocka_unit_test(test_cs_witness__joins_writers_within_a_word),
        cmocka_unit_test(test_cs_check__names_constraint_and_path),
        cmocka_unit_test(test_cs_check__refuses_assignment_of_another_circuit),
        cmocka_unit_test(test_cs_record__passes_on_the_sinks_status),
        cmocka_unit_test(test_cs_record__reports_lack_of_memory),
        cmocka_unit_test(test_cs_name_print__puts_indexes_and_stays_inside),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
