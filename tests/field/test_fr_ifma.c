/* The eight-lane Fr against the one-lane Fr. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/fr_ifma.h"
#include "support/random.h"

static struct test_random rng;

static void draw(struct cuzk_fr out[8])
{
    for (int i = 0; i < 8; i++) {
        do {
            test_random_bytes(&rng, out[i].l, sizeof out[i].l);
            out[i].l[3] &= UINT64_C(0x7fffffffffffffff);
            const uint64_t choice = test_random_below(&rng, 16);
            if (choice == 0)
                cuzk_fr_zero(&out[i]);
            if (choice == 1) { /* the largest: r - 1 */
                const struct cuzk_fr largest = {CUZK_FR_MODULUS};
                out[i] = largest;
                out[i].l[0]--;
            }
        } while (!cuzk_fr_words_are_reduced(out[i].l));
    }
}

static void assert_eight_equal(const struct cuzk_fr expected[8], const struct cuzk_fr got[8])
{
    for (int i = 0; i < 8; i++)
        assert_true(cuzk_fr_equal(&expected[i], &got[i]));
}

static void test_fr8_load_store__round_trip(void **state)
{
    struct cuzk_fr a[8], b[8];
    struct cuzk_fr8 x;

    (void)state;
    for (int k = 0; k < 1000; k++) {
        draw(a);
        cuzk_fr8_load(a, &x);
        cuzk_fr8_store(&x, b);
        assert_eight_equal(a, b);
        cuzk_fr8_load_shifted(a, &x);
        cuzk_fr8_leave(&x, &x);
        cuzk_fr8_reduce(&x, 1);
        cuzk_fr8_store(&x, b);
        assert_eight_equal(a, b);
        cuzk_fr8_broadcast(&a[3], &x);
        cuzk_fr8_store(&x, b);
        for (int i = 0; i < 8; i++)
            assert_true(cuzk_fr_equal(&a[3], &b[i]));
    }
}

static void test_fr8_mul__equals_one_lane(void **state)
{
    struct cuzk_fr a[8], b[8], expected[8], got[8];
    struct cuzk_fr8 x, y, z;

    (void)state;
    for (int k = 0; k < 20000; k++) {
        draw(a);
        draw(b);
        for (int i = 0; i < 8; i++)
            cuzk_fr_mul(&a[i], &b[i], &expected[i]);
        cuzk_fr8_load(a, &x);
        cuzk_fr8_load_shifted(b, &y);
        cuzk_fr8_mul(&x, &y, &z);
        cuzk_fr8_reduce(&z, 1);
        cuzk_fr8_store(&z, got);
        assert_eight_equal(expected, got);
        /* the largest factors that the bound allows: x + r < 2 r, y < 16 r */
        struct cuzk_fr8 zero;
        for (int i = 0; i < CUZK_FR8_LIMBS; i++)
            zero.l[i] = _mm512_setzero_si512();
        cuzk_fr8_sub(&x, &zero, 1, &x);
        cuzk_fr8_mul(&x, &y, &z);
        cuzk_fr8_reduce(&z, 1);
        cuzk_fr8_store(&z, got);
        assert_eight_equal(expected, got);
    }
}

static void test_fr8_sqr__equals_one_lane(void **state)
{
    struct cuzk_fr a[8], expected[8], got[8];
    struct cuzk_fr8 x;

    (void)state;
    for (int k = 0; k < 20000; k++) {
        draw(a);
        for (int i = 0; i < 8; i++)
            cuzk_fr_sqr(&a[i], &expected[i]);
        cuzk_fr8_load_shifted(a, &x);
        cuzk_fr8_leave(&x, &x);
        /* 2^256 form squared and divided by 2^260: sixteen times too small */
        cuzk_fr8_sqr(&x, &x);
        for (int i = 0; i < 4; i++)
            cuzk_fr8_add(&x, &x, &x);
        cuzk_fr8_reduce(&x, 16);
        cuzk_fr8_store(&x, got);
        assert_eight_equal(expected, got);
    }
}

static void test_fr8_add_sub__equal_one_lane(void **state)
{
    struct cuzk_fr a[8], b[8], expected[8], got[8];
    struct cuzk_fr8 x, y, z;

    (void)state;
    for (int k = 0; k < 20000; k++) {
        draw(a);
        draw(b);
        cuzk_fr8_load(a, &x);
        cuzk_fr8_load(b, &y);
        for (int i = 0; i < 8; i++)
            cuzk_fr_add(&a[i], &b[i], &expected[i]);
        cuzk_fr8_add(&x, &y, &z);
        cuzk_fr8_reduce(&z, 1);
        cuzk_fr8_store(&z, got);
        assert_eight_equal(expected, got);
        for (int i = 0; i < 8; i++)
            cuzk_fr_sub(&a[i], &b[i], &expected[i]);
        cuzk_fr8_sub(&x, &y, 1, &z);
        cuzk_fr8_reduce(&z, 1);
        cuzk_fr8_store(&z, got);
        assert_eight_equal(expected, got);
        cuzk_fr8_sub(&x, &y, 31, &z);
        cuzk_fr8_reduce(&z, 16);
        cuzk_fr8_store(&z, got);
        assert_eight_equal(expected, got);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fr8_load_store__round_trip),
        cmocka_unit_test(test_fr8_mul__equals_one_lane),
        cmocka_unit_test(test_fr8_sqr__equals_one_lane),
        cmocka_unit_test(test_fr8_add_sub__equal_one_lane),
    };

    if (cuzk_cpu_level() != CUZK_CPU_IFMA) {
        puts("skipped: needs AVX-512 IFMA");
        return 77;
    }
    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
