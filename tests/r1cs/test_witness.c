/* Compact witnesses against the plain array of values that they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "r1cs/witness.h"
#include "support/random.h"

static struct test_random rng;

static void test_compact__expands_to_the_same_values(void **state)
{
    static const uint32_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 1000};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint32_t aux = sizes[s], inputs = 3;
        uint64_t map[17];
        struct cuzk_fr in[3], *values = calloc(aux + 1, sizeof *values),
                              *back = calloc(aux + 1, sizeof *back);
        struct cuzk_witness_layout layout;
        struct cuzk_witness witness;
        struct cuzk_error err;

        test_random_bytes(&rng, map, sizeof map);
        cuzk_fr_one(&in[0]);
        cuzk_fr_from_u64(test_random_u64(&rng), &in[1]);
        cuzk_fr_from_u64(test_random_u64(&rng), &in[2]);
        uint32_t bits = 0;
        for (uint32_t k = 0; k < aux; k++) {
            const int bit = map[k / 64] >> (k % 64) & 1;
            bits += bit;
            cuzk_fr_from_u64(bit ? test_random_below(&rng, 2) : test_random_u64(&rng), &values[k]);
        }
        assert_int_equal(cuzk_witness_layout_create(inputs, aux, map, &layout, &err), CUZK_OK);
        assert_int_equal(layout.bits, bits);
        assert_int_equal(cuzk_witness_create(&layout, &witness, &err), CUZK_OK);
        assert_int_equal(cuzk_witness_compact(&layout, in, values, &witness, &err), CUZK_OK);
        cuzk_witness_expand(&layout, &witness, 0, aux, back);
        assert_memory_equal(back, values, aux * sizeof *values);
        for (uint32_t k = 0; k < inputs; k++) {
            struct cuzk_fr value;
            cuzk_witness_value(&layout, &witness, cuzk_variable_input(k), &value);
            assert_true(cuzk_fr_equal(&value, &in[k]));
        }
        for (uint32_t k = 0; k < aux; k++) {
            if (!(map[k / 64] >> (k % 64) & 1))
                continue;
            cuzk_fr_from_u64(2, &values[k]);
            assert_int_equal(cuzk_witness_compact(&layout, in, values, &witness, &err), CUZK_UNSATISFIED);
            cuzk_fr_zero(&values[k]);
        }
        cuzk_witness_destroy(&witness);
        cuzk_witness_layout_destroy(&layout);
        free(values);
        free(back);
    }
}

static void test_compact__wants_the_constant_one(void **state)
{
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness;
    struct cuzk_error err;
    struct cuzk_fr two, aux = {0};

    (void)state;
    cuzk_fr_from_u64(2, &two);
    assert_int_equal(cuzk_witness_layout_create(1, 1, NULL, &layout, &err), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&layout, &witness, &err), CUZK_OK);
    assert_int_equal(cuzk_witness_compact(&layout, &two, &aux, &witness, &err), CUZK_UNSATISFIED);
    cuzk_witness_destroy(&witness);
    cuzk_witness_layout_destroy(&layout);
    cuzk_witness_layout_destroy(NULL);
    cuzk_witness_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact__expands_to_the_same_values),
        cmocka_unit_test(test_compact__wants_the_constant_one),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
