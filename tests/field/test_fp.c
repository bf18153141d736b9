/* Fp against GMP, an unrelated implementation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "field/fp.h"
#include "support/random.h"

static struct test_random rng;
static mpz_t modulus;

static void load(const uint64_t words[CUZK_FP_LIMBS], mpz_t out)
{
    mpz_import(out, CUZK_FP_LIMBS, -1, 8, 0, 0, words);
}

static void value_of(const struct cuzk_fp *a, mpz_t out)
{
    uint64_t words[CUZK_FP_LIMBS];
    cuzk_fp_to_words(a, words);
    assert_true(cuzk_fp_words_are_reduced(words));
    load(words, out);
}

static void draw(struct cuzk_fp *out, mpz_t value)
{
    uint64_t words[CUZK_FP_LIMBS];

    test_random_bytes(&rng, words, sizeof words);
    load(words, value);
    if (test_random_below(&rng, 8) == 0) /* near the modulus */
        mpz_sub_ui(value, modulus, 1 + test_random_below(&rng, 3));
    mpz_mod(value, value, modulus);
    for (int i = 0; i < CUZK_FP_LIMBS; i++)
        words[i] = 0;
    mpz_export(words, NULL, -1, 8, 0, 0, value);
    cuzk_fp_from_words(words, out);
}

static void test_ring_operations__equal_gmp(void **state)
{
    mpz_t x, y, expected, got;
    struct cuzk_fp a, b, c;

    (void)state;
    mpz_inits(x, y, expected, got, NULL);
    for (int i = 0; i < 20000; i++) {
        draw(&a, x);
        draw(&b, y);
        cuzk_fp_add(&a, &b, &c);
        mpz_add(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fp_sub(&a, &b, &c);
        mpz_sub(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fp_mul(&a, &b, &c);
        mpz_mul(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fp_sqr(&a, &c);
        mpz_mul(expected, x, x);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fp_neg(&a, &c);
        cuzk_fp_add(&a, &c, &c);
        assert_true(cuzk_fp_is_zero(&c));
    }
    mpz_clears(x, y, expected, got, NULL);
}

static void test_outputs_may_alias_inputs(void **state)
{
    mpz_t x, y;
    struct cuzk_fp a, b, c, d;

    (void)state;
    mpz_inits(x, y, NULL);
    draw(&a, x);
    draw(&b, y);
    cuzk_fp_mul(&a, &b, &c);
    d = a;
    cuzk_fp_mul(&d, &b, &d);
    assert_true(cuzk_fp_equal(&c, &d));
    d = b;
    cuzk_fp_sub(&a, &d, &d);
    cuzk_fp_sub(&a, &b, &c);
    assert_true(cuzk_fp_equal(&c, &d));
    mpz_clears(x, y, NULL);
}

static void test_pow__equals_gmp(void **state)
{
    mpz_t x, e, expected, got;
    struct cuzk_fp a, b;

    (void)state;
    mpz_inits(x, e, expected, got, NULL);
    for (int i = 0; i < 500; i++) {
        uint64_t words[CUZK_FP_LIMBS] = {0};
        const size_t limbs = 1 + test_random_below(&rng, CUZK_FP_LIMBS);
        draw(&a, x);
        test_random_bytes(&rng, words, 8 * limbs);
        if (i < 70) { /* every small exponent, windows at the very end */
            memset(words, 0, sizeof words);
            words[0] = (uint64_t)i;
        }
        mpz_import(e, limbs, -1, 8, 0, 0, words);
        cuzk_fp_pow(&a, words, limbs, &b);
        mpz_powm(expected, x, e, modulus);
        value_of(&b, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fp_pow(&a, words, limbs, &a);
        assert_true(cuzk_fp_equal(&a, &b));
    }
    mpz_clears(x, e, expected, got, NULL);
}

/* Long runs of division steps of each kind: powers of two, small numbers, their opposites, random ones. */
static void test_inverse__equals_gmp(void **state)
{
    mpz_t x, expected, got;
    struct cuzk_fp a, b;

    (void)state;
    mpz_inits(x, expected, got, NULL);
    for (int i = 0; i < 20000; i++) {
        draw(&a, x);
        if (i < 1200) {
            struct cuzk_fp two;
            cuzk_fp_from_u64(2, &two);
            cuzk_fp_from_u64(1 + (uint64_t)(i / 400), &a);
            for (int k = 0; k < i % 400; k++)
                cuzk_fp_mul(&a, &two, &a);
            if (i & 1)
                cuzk_fp_neg(&a, &a);
            value_of(&a, x);
        }
        if (mpz_sgn(x) == 0)
            continue;
        cuzk_fp_inverse(&a, &b);
        assert_int_not_equal(mpz_invert(expected, x, modulus), 0);
        value_of(&b, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
    }
    mpz_clears(x, expected, got, NULL);
}

static void test_inverse__times_itself_is_one(void **state)
{
    mpz_t x;
    struct cuzk_fp a, b, one, batch[50], scratch[50], copy[50];

    (void)state;
    mpz_init(x);
    cuzk_fp_one(&one);
    for (int i = 0; i < 50; i++) {
        draw(&a, x);
        if (i % 7 == 3)
            cuzk_fp_zero(&a);
        copy[i] = batch[i] = a;
        cuzk_fp_inverse(&a, &b);
        if (cuzk_fp_is_zero(&a)) {
            assert_true(cuzk_fp_is_zero(&b));
            continue;
        }
        cuzk_fp_mul(&a, &b, &b);
        assert_true(cuzk_fp_equal(&b, &one));
    }
    cuzk_fp_batch_inverse(batch, 50, scratch);
    for (int i = 0; i < 50; i++) {
        cuzk_fp_inverse(&copy[i], &b);
        assert_true(cuzk_fp_equal(&b, &batch[i]));
    }
    mpz_clear(x);
}

static void test_bytes__round_trip_and_refuse_the_modulus(void **state)
{
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    uint8_t bytes[CUZK_FP_BYTES];
    struct cuzk_fp a, b;
    mpz_t x;

    (void)state;
    mpz_init(x);
    for (int i = 0; i < 100; i++) {
        draw(&a, x);
        cuzk_fp_to_bytes(&a, bytes);
        assert_true(cuzk_fp_from_bytes(bytes, &b));
        assert_true(cuzk_fp_equal(&a, &b));
    }
    load(m, x);
    for (int i = 0; i < CUZK_FP_BYTES; i++)
        bytes[i] = 0;
    mpz_export(bytes, NULL, 1, 1, 0, 0, x);
    assert_false(cuzk_fp_from_bytes(bytes, &b));
    mpz_sub_ui(x, x, 1);
    mpz_export(bytes, NULL, 1, 1, 0, 0, x);
    assert_true(cuzk_fp_from_bytes(bytes, &b));
    mpz_clear(x);
}

static void test_sqrt__finds_roots_of_squares_only(void **state)
{
    struct cuzk_fp a, square, root, minus;
    mpz_t x;
    int squares = 0;

    (void)state;
    mpz_init(x);
    for (int i = 0; i < 100; i++) {
        draw(&a, x);
        cuzk_fp_sqr(&a, &square);
        assert_true(cuzk_fp_sqrt(&square, &root));
        cuzk_fp_neg(&a, &minus);
        assert_true(cuzk_fp_equal(&root, &a) || cuzk_fp_equal(&root, &minus));
        if (!cuzk_fp_is_zero(&a))
            assert_true(cuzk_fp_is_larger_root(&a) != cuzk_fp_is_larger_root(&minus));
        assert_int_equal(cuzk_fp_sqrt(&a, &root), mpz_legendre(x, modulus) >= 0);
        squares += mpz_legendre(x, modulus) == 1;
    }
    assert_true(squares > 20 && squares < 80);
    mpz_clear(x);
}

int main(void)
{
    const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_operations__equal_gmp),
        cmocka_unit_test(test_outputs_may_alias_inputs),
        cmocka_unit_test(test_pow__equals_gmp),
        cmocka_unit_test(test_inverse__equals_gmp),
        cmocka_unit_test(test_inverse__times_itself_is_one),
        cmocka_unit_test(test_bytes__round_trip_and_refuse_the_modulus),
        cmocka_unit_test(test_sqrt__finds_roots_of_squares_only),
    };

    test_random_init(&rng);
    mpz_init(modulus);
    load(m, modulus);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
