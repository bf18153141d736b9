/* One element of Fp12 spread over lanes against field/fp12.h; skipped where the processor has no IFMA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/draw.h"
#include "field/fp12_kernel.h"
#include "field/fp12_spread.h"
#include "support/random.h"

static struct test_random rng;

static void draw(struct cuzk_fp12 *out)
{
    struct cuzk_fp *all = &out->c0.c0.c0;

    for (int i = 0; i < 12; i++)
        test_draw_fp(&rng, &all[i]);
}

static void assert_spread(const struct cuzk_fp2_8 *got, const struct cuzk_fp12 *expected)
{
    struct cuzk_fp12 t;

    cuzk_spread_store(got, &t);
    assert_true(cuzk_fp12_equal(&t, expected));
}

static void test_spread__multiplies_as_fp12(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct cuzk_fp12 a, b, expected;
        struct cuzk_fp2_8 x, y, z, last;
        draw(&a);
        draw(&b);
        cuzk_spread_load(&a, &x);
        cuzk_spread_load(&b, &y);
        assert_spread(&x, &a);
        cuzk_fp12_mul(&a, &b, &expected);
        cuzk_spread_mul(&x, &y, &z);
        assert_spread(&z, &expected);
        cuzk_fp12_sqr(&a, &expected);
        cuzk_spread_sqr(&x, &z);
        assert_spread(&z, &expected);
        cuzk_fp12_mul_by_01_line(&a, &b.c0.c0, &b.c0.c1, &expected);
        cuzk_spread_mul_by_line(&x, &y, &x, &z);
        assert_spread(&z, &expected);
        cuzk_fp12_mul_by_014(&a, &b.c0.c0, &b.c0.c1, &b.c1.c1, &expected);
        cuzk_spread_permute(&y, cuzk_spread_index(4, 4, 4, 4, 4, 4), &last);
        cuzk_fp2_8_mul(&x, &last, &last);
        cuzk_spread_mul_by_line(&x, &y, &last, &z);
        assert_spread(&z, &expected);
    }
}

/* Long chains without storing: bounds that grow would show. */
static void test_spread__keeps_its_bounds(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct cuzk_fp12 a, b;
        struct cuzk_fp2_8 x, y;
        draw(&a);
        draw(&b);
        cuzk_spread_load(&a, &x);
        cuzk_spread_load(&b, &y);
        for (int k = 0; k < 300; k++) {
            cuzk_fp12_sqr(&a, &a);
            cuzk_fp12_mul(&a, &b, &a);
            cuzk_fp12_mul_by_01_line(&a, &b.c0.c0, &b.c0.c1, &a);
            cuzk_spread_sqr(&x, &x);
            cuzk_spread_mul(&x, &y, &x);
            cuzk_spread_mul_by_line(&x, &y, &x, &x);
        }
        assert_spread(&x, &a);
    }
}

static void test_spread_cyclotomic_sqr__equals_squaring_between_settlings(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct cuzk_fp12 a, b;
        struct cuzk_fp2_8 x, z;
        draw(&a);
        cuzk_fp12_kernel_inverse(&a, &b);
        cuzk_fp12_conjugate(&a, &a);
        cuzk_fp12_mul(&a, &b, &a);
        cuzk_fp12_frobenius_squared(&a, &b);
        cuzk_fp12_mul(&a, &b, &a);
        cuzk_spread_load(&a, &x);
        cuzk_spread_to_pairs(&x, &x);
        for (int k = 0; k < 64; k++) {
            cuzk_fp12_sqr(&a, &a);
            cuzk_spread_cyclotomic_sqr(&x);
            if (k % 4 == 3)
                cuzk_spread_settle(&x);
            cuzk_spread_from_pairs(&x, &z);
            assert_spread(&z, &a);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread__multiplies_as_fp12),
        cmocka_unit_test(test_spread__keeps_its_bounds),
        cmocka_unit_test(test_spread_cyclotomic_sqr__equals_squaring_between_settlings),
    };

    if (cuzk_cpu_level() < CUZK_CPU_IFMA) {
        print_message("skipped: the level is %s\n", cuzk_cpu_level_name(cuzk_cpu_level()));
        return 77;
    }
    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
