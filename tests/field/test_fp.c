/* Fp: what it shares with Fr (field_tests.h), and square roots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "field/fp.h"
#include "support/random.h"

#define F                 struct cuzk_fp
#define FIELD(op)         cuzk_fp_##op
#define LIMBS             CUZK_FP_LIMBS
#define BYTES             CUZK_FP_BYTES
#define MODULUS           CUZK_FP_MODULUS
#define BYTE_ORDER_OF_MPZ 1

#include "field_tests.h"

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
    const struct CMUnitTest tests[] = {
        FIELD_TESTS,
        cmocka_unit_test(test_sqrt__finds_roots_of_squares_only),
    };

    open_field();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
