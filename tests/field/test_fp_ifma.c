/* The eight-lane Fp against the one-lane Fp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/fp_ifma.h"
#include "support/random.h"

static struct test_random rng;

static void draw(struct cuzk_fp out[8])
{
    for (int i = 0; i < 8; i++) {
        do {
            test_random_bytes(&rng, out[i].l, sizeof out[i].l);
            out[i].l[5] &= UINT64_C(0x1fffffffffffffff);
            const uint64_t choice = test_random_below(&rng, 16);
            if (choice == 0)
                cuzk_fp_zero(&out[i]);
            if (choice == 1) { /* the largest: p - 1 */
                const struct cuzk_fp largest = {CUZK_FP_MODULUS};
                out[i] = largest;
                out[i].l[0]--;
            }
        } while (!cuzk_fp_words_are_reduced(out[i].l));
    }
}

static void load(const struct cuzk_fp a[8], struct cuzk_fp8 *out)
{
    const struct cuzk_fp *from[8];
    for (int i = 0; i < 8; i++)
        from[i] = &a[i];
    cuzk_fp8_load(from, out);
}

static void assert_holds(const struct cuzk_fp expected[8], const struct cuzk_fp8 *ready)
{
    struct cuzk_fp got[8], *to[8];
    for (int i = 0; i < 8; i++)
        to[i] = &got[i];
    cuzk_fp8_store(ready, to);
    for (int i = 0; i < 8; i++)
        assert_true(cuzk_fp_equal(&expected[i], &got[i]));
}

static void test_fp8_load_store__round_trip(void **state)
{
    struct cuzk_fp a[8];
    struct cuzk_fp8 x;

    (void)state;
    for (int k = 0; k < 2000; k++) {
        draw(a);
        load(a, &x);
        assert_holds(a, &x);
    }
}

/* All operations on numbers as small and as large as their forms allow. */
static void test_fp8_operations__equal_one_lane(void **state)
{
    struct cuzk_fp a[8], b[8], c[8];
    struct cuzk_fp8 x, y, z, big;

    (void)state;
    for (int k = 0; k < 20000; k++) {
        draw(a);
        draw(b);
        load(a, &x);
        load(b, &y);
        if (k % 3 == 1) { /* up to 2^15 p + 3 p, the most that a ready number is made */
            cuzk_fp8_ready(&x, &x);
            cuzk_fp8_ready(&y, &y);
        }
        for (int i = 0; i < 8; i++)
            cuzk_fp_mul(&a[i], &b[i], &c[i]);
        cuzk_fp8_mul(&x, &y, &z);
        assert_holds(c, &z);
        for (int i = 0; i < 8; i++)
            cuzk_fp_sqr(&a[i], &c[i]);
        cuzk_fp8_sqr(&x, &z);
        assert_holds(c, &z);
        for (int i = 0; i < 8; i++)
            cuzk_fp_sub(&a[i], &b[i], &c[i]);
        if (k % 3 != 1) {
            cuzk_fp8_sub_ready(&x, &y, &z);
            assert_holds(c, &z);
            cuzk_fp8_sub(&x, &y, &z);
            cuzk_fp8_settle(&z, &z);
            assert_holds(c, &z);
            cuzk_fp8_add_ready(&x, &y, &z);
            for (int i = 0; i < 8; i++)
                cuzk_fp_add(&a[i], &b[i], &c[i]);
            assert_holds(c, &z);
        }
    }
    /* a kept number after a thousand subtractions */
    draw(a);
    draw(b);
    load(a, &x);
    load(b, &y);
    big = x;
    for (int i = 0; i < 8; i++)
        c[i] = a[i];
    for (int k = 0; k < 2000; k++) {
        cuzk_fp8_sub(&big, &y, &big);
        for (int i = 0; i < 8; i++)
            cuzk_fp_sub(&c[i], &b[i], &c[i]);
    }
    cuzk_fp8_settle(&big, &z);
    assert_holds(c, &z);
    cuzk_fp8_ready(&big, &z);
    cuzk_fp8_sqr(&z, &z);
    for (int i = 0; i < 8; i++)
        cuzk_fp_sqr(&c[i], &c[i]);
    assert_holds(c, &z);
}

static void test_fp8_zero_lanes__finds_multiples_of_p(void **state)
{
    struct cuzk_fp a[8];
    struct cuzk_fp8 x, y, z;

    (void)state;
    for (int k = 0; k < 2000; k++) {
        draw(a);
        load(a, &x);
        unsigned expected = 0;
        for (int i = 0; i < 8; i++)
            expected |= (unsigned)cuzk_fp_is_zero(&a[i]) << i;
        assert_int_equal(cuzk_fp8_zero_lanes(&x), expected);
        cuzk_fp8_ready(&x, &y);
        assert_int_equal(cuzk_fp8_zero_lanes(&y), expected);
        cuzk_fp8_sub_ready(&x, &x, &z);
        assert_int_equal(cuzk_fp8_zero_lanes(&z), 0xff);
        cuzk_fp8_one(&y);
        cuzk_fp8_mul(&x, &y, &z);
        cuzk_fp8_sub_ready(&z, &x, &z);
        assert_int_equal(cuzk_fp8_zero_lanes(&z), 0xff);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp8_load_store__round_trip),
        cmocka_unit_test(test_fp8_operations__equal_one_lane),
        cmocka_unit_test(test_fp8_zero_lanes__finds_multiples_of_p),
    };

    if (cuzk_cpu_level() != CUZK_CPU_IFMA) {
        puts("skipped: needs AVX-512 IFMA");
        return 77;
    }
    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
