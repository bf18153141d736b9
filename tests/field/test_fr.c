/* Fr against GMP, an unrelated implementation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gmp.h>

#include "field/fr.h"
#include "support/random.h"

static struct test_random rng;
static mpz_t modulus;

static void load(const uint64_t words[CUZK_FR_LIMBS], mpz_t out)
{
    mpz_import(out, CUZK_FR_LIMBS, -1, 8, 0, 0, words);
}

static void value_of(const struct cuzk_fr *a, mpz_t out)
{
    uint64_t words[CUZK_FR_LIMBS];
    cuzk_fr_to_words(a, words);
    assert_true(cuzk_fr_words_are_reduced(words));
    load(words, out);
}

static void draw(struct cuzk_fr *out, mpz_t value)
{
    uint64_t words[CUZK_FR_LIMBS];

    test_random_bytes(&rng, words, sizeof words);
    load(words, value);
    if (test_random_below(&rng, 8) == 0) /* near the modulus */
        mpz_sub_ui(value, modulus, 1 + test_random_below(&rng, 3));
    mpz_mod(value, value, modulus);
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        words[i] = 0;
    mpz_export(words, NULL, -1, 8, 0, 0, value);
    cuzk_fr_from_words(words, out);
}

static void test_ring_operations__equal_gmp(void **state)
{
    mpz_t x, y, expected, got;
    struct cuzk_fr a, b, c;

    (void)state;
    mpz_inits(x, y, expected, got, NULL);
    for (int i = 0; i < 20000; i++) {
        draw(&a, x);
        draw(&b, y);
        cuzk_fr_add(&a, &b, &c);
        mpz_add(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fr_sub(&a, &b, &c);
        mpz_sub(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fr_mul(&a, &b, &c);
        mpz_mul(expected, x, y);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fr_sqr(&a, &c);
        mpz_mul(expected, x, x);
        mpz_mod(expected, expected, modulus);
        value_of(&c, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
        cuzk_fr_neg(&a, &c);
        cuzk_fr_add(&a, &c, &c);
        assert_true(cuzk_fr_is_zero(&c));
    }
    mpz_clears(x, y, expected, got, NULL);
}

static void test_outputs_may_alias_inputs(void **state)
{
    mpz_t x, y;
    struct cuzk_fr a, b, c, d;

    (void)state;
    mpz_inits(x, y, NULL);
    draw(&a, x);
    draw(&b, y);
    cuzk_fr_mul(&a, &b, &c);
    d = a;
    cuzk_fr_mul(&d, &b, &d);
    assert_true(cuzk_fr_equal(&c, &d));
    d = b;
    cuzk_fr_sub(&a, &d, &d);
    cuzk_fr_sub(&a, &b, &c);
    assert_true(cuzk_fr_equal(&c, &d));
    mpz_clears(x, y, NULL);
}

/* Long runs of division steps of each kind: powers of two, small numbers, their opposites, random ones. */
static void test_inverse__equals_gmp(void **state)
{
    mpz_t x, expected, got;
    struct cuzk_fr a, b;

    (void)state;
    mpz_inits(x, expected, got, NULL);
    for (int i = 0; i < 20000; i++) {
        draw(&a, x);
        if (i < 1200) {
            struct cuzk_fr two;
            cuzk_fr_from_u64(2, &two);
            cuzk_fr_from_u64(1 + (uint64_t)(i / 400), &a);
            for (int k = 0; k < i % 400; k++)
                cuzk_fr_mul(&a, &two, &a);
            if (i & 1)
                cuzk_fr_neg(&a, &a);
            value_of(&a, x);
        }
        if (mpz_sgn(x) == 0)
            continue;
        cuzk_fr_inverse(&a, &b);
        assert_int_not_equal(mpz_invert(expected, x, modulus), 0);
        value_of(&b, got);
        assert_int_equal(mpz_cmp(expected, got), 0);
    }
    mpz_clears(x, expected, got, NULL);
}

static void test_inverse__times_itself_is_one(void **state)
{
    mpz_t x;
    struct cuzk_fr a, b, one, batch[50], scratch[50], copy[50];

    (void)state;
    mpz_init(x);
    cuzk_fr_one(&one);
    for (int i = 0; i < 50; i++) {
        draw(&a, x);
        if (i % 7 == 3)
            cuzk_fr_zero(&a);
        copy[i] = batch[i] = a;
        cuzk_fr_inverse(&a, &b);
        if (cuzk_fr_is_zero(&a)) {
            assert_true(cuzk_fr_is_zero(&b));
            continue;
        }
        cuzk_fr_mul(&a, &b, &b);
        assert_true(cuzk_fr_equal(&b, &one));
    }
    cuzk_fr_batch_inverse(batch, 50, scratch);
    for (int i = 0; i < 50; i++) {
        cuzk_fr_inverse(&copy[i], &b);
        assert_true(cuzk_fr_equal(&b, &batch[i]));
    }
    mpz_clear(x);
}

static void test_bytes__round_trip_and_refuse_the_modulus(void **state)
{
    const uint64_t m[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;
    uint8_t bytes[CUZK_FR_BYTES];
    struct cuzk_fr a, b;
    mpz_t x;

    (void)state;
    mpz_init(x);
    for (int i = 0; i < 100; i++) {
        draw(&a, x);
        cuzk_fr_to_bytes(&a, bytes);
        assert_true(cuzk_fr_from_bytes(bytes, &b));
        assert_true(cuzk_fr_equal(&a, &b));
    }
    load(m, x);
    for (int i = 0; i < CUZK_FR_BYTES; i++)
        bytes[i] = 0;
    mpz_export(bytes, NULL, -1, 1, 0, 0, x);
    assert_false(cuzk_fr_from_bytes(bytes, &b));
    mpz_sub_ui(x, x, 1);
    mpz_export(bytes, NULL, -1, 1, 0, 0, x);
    assert_true(cuzk_fr_from_bytes(bytes, &b));
    mpz_clear(x);
}

static void test_roots_of_unity__have_their_order(void **state)
{
    struct cuzk_fr root, power, one;

    (void)state;
    cuzk_fr_one(&one);
    for (unsigned log_n = 1; log_n <= 32; log_n++) {
        cuzk_fr_root_of_unity(log_n, &root);
        cuzk_fr_pow_u64(&root, UINT64_C(1) << (log_n - 1), &power);
        assert_false(cuzk_fr_equal(&power, &one));
        cuzk_fr_sqr(&power, &power);
        assert_true(cuzk_fr_equal(&power, &one));
    }
}

static void test_wide_bytes__equal_gmp(void **state)
{
    uint8_t bytes[64];
    struct cuzk_fr a;
    mpz_t x, y;

    (void)state;
    mpz_inits(x, y, NULL);
    for (int i = 0; i < 1000; i++) {
        test_random_bytes(&rng, bytes, sizeof bytes);
        mpz_import(x, 64, -1, 1, 0, 0, bytes);
        mpz_mod(x, x, modulus);
        cuzk_fr_from_wide_bytes(bytes, &a);
        value_of(&a, y);
        assert_int_equal(mpz_cmp(x, y), 0);
    }
    mpz_clears(x, y, NULL);
}

int main(void)
{
    const uint64_t m[CUZK_FR_LIMBS] = CUZK_FR_MODULUS;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring_operations__equal_gmp),
        cmocka_unit_test(test_outputs_may_alias_inputs),
        cmocka_unit_test(test_inverse__equals_gmp),
        cmocka_unit_test(test_inverse__times_itself_is_one),
        cmocka_unit_test(test_bytes__round_trip_and_refuse_the_modulus),
        cmocka_unit_test(test_roots_of_unity__have_their_order),
        cmocka_unit_test(test_wide_bytes__equal_gmp),
    };

    test_random_init(&rng);
    mpz_init(modulus);
    load(m, modulus);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
