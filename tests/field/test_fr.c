/* Fr: what it shares with Fp (field_tests.h), roots of unity and wide bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "field/fr.h"
#include "support/random.h"

#define F                 struct cuzk_fr
#define FIELD(op)         cuzk_fr_##op
#define LIMBS             CUZK_FR_LIMBS
#define BYTES             CUZK_FR_BYTES
#define MODULUS           CUZK_FR_MODULUS
#define BYTE_ORDER_OF_MPZ -1

#include "field_tests.h"

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
    const struct CMUnitTest tests[] = {
        FIELD_TESTS,
        cmocka_unit_test(test_roots_of_unity__have_their_order),
        cmocka_unit_test(test_wide_bytes__equal_gmp),
    };

    open_field();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
