/* The tower in eight lanes against field/fp12.h, lane by lane; skipped where the processor has no IFMA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/draw.h"
#include "field/fp12_ifma.h"
#include "support/random.h"

enum { LANES = CUZK_FP8_LANES };

static struct test_random rng;

static void draw_all(struct cuzk_fp12 out[LANES])
{
    for (int lane = 0; lane < LANES; lane++) {
        struct cuzk_fp *all = &out[lane].c0.c0.c0;
        for (int i = 0; i < 12; i++)
            test_draw_fp(&rng, &all[i]);
    }
}

static void assert_lanes(const struct cuzk_fp12_8 *got, const struct cuzk_fp12 expected[LANES])
{
    struct cuzk_fp12 lanes[LANES];

    cuzk_fp12_8_store(got, lanes);
    for (int i = 0; i < LANES; i++)
        assert_true(cuzk_fp12_equal(&lanes[i], &expected[i]));
}

/* Thousands of steps without storing in between: bounds that grow would show. */
static void test_fp12_8__equals_fp12_in_every_lane(void **state)
{
    struct cuzk_fp12 a[LANES], b[LANES];
    struct cuzk_fp12_8 va, vb;

    (void)state;
    for (int round = 0; round < 20; round++) {
        draw_all(a);
        draw_all(b);
        cuzk_fp12_8_load(a, &va);
        cuzk_fp12_8_load(b, &vb);
        assert_lanes(&va, a);
        for (int i = 0; i < 70; i++) {
            cuzk_fp12_8_sqr(&va, &va);
            cuzk_fp12_8_mul_by_014(&va, &vb.c[0].c[0], &vb.c[0].c[1], &vb.c[1].c[1], &va);
            for (int lane = 0; lane < LANES; lane++) {
                cuzk_fp12_sqr(&a[lane], &a[lane]);
                cuzk_fp12_mul_by_014(&a[lane], &b[lane].c0.c0, &b[lane].c0.c1, &b[lane].c1.c1, &a[lane]);
            }
        }
        assert_lanes(&va, a);
    }
}

static void test_fp2_8__equals_fp2_in_every_lane(void **state)
{
    struct cuzk_fp12 a[LANES], b[LANES], expected[LANES];
    struct cuzk_fp12_8 va, vb, vc;

    (void)state;
    for (int round = 0; round < 500; round++) {
        draw_all(a);
        draw_all(b);
        memset(expected, 0, sizeof expected);
        cuzk_fp12_8_load(a, &va);
        cuzk_fp12_8_load(b, &vb);
        cuzk_fp12_8_load(expected, &vc);
        cuzk_fp2_8_mul(&va.c[0].c[0], &vb.c[0].c[0], &vc.c[0].c[0]);
        cuzk_fp2_8_sqr(&va.c[0].c[0], &vc.c[0].c[1]);
        cuzk_fp2_8_mul_by_fp(&va.c[0].c[0], &vb.c[0].c[0].c[0], &vc.c[0].c[2]);
        cuzk_fp2_8_mul_by_xi(&va.c[0].c[0], &vc.c[1].c[0]);
        cuzk_fp2_8_sub(&va.c[0].c[0], &vb.c[0].c[0], &vc.c[1].c[1]);
        cuzk_fp2_8_neg(&va.c[0].c[0], &vc.c[1].c[2]);
        for (int lane = 0; lane < LANES; lane++) {
            const struct cuzk_fp2 *x = &a[lane].c0.c0, *y = &b[lane].c0.c0;
            cuzk_fp2_mul(x, y, &expected[lane].c0.c0);
            cuzk_fp2_sqr(x, &expected[lane].c0.c1);
            cuzk_fp2_mul_by_fp(x, &y->c0, &expected[lane].c0.c2);
            cuzk_fp2_mul_by_xi(x, &expected[lane].c1.c0);
            cuzk_fp2_sub(x, y, &expected[lane].c1.c1);
            cuzk_fp2_neg(x, &expected[lane].c1.c2);
        }
        assert_lanes(&vc, expected);
        cuzk_fp2_8_sub(&va.c[0].c[0], &va.c[0].c[0], &vc.c[0].c[0]);
        assert_int_equal(cuzk_fp2_8_zero_lanes(&vc.c[0].c[0]), 0xff);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fp2_8__equals_fp2_in_every_lane),
        cmocka_unit_test(test_fp12_8__equals_fp12_in_every_lane),
    };

    if (cuzk_cpu_level() < CUZK_CPU_IFMA) {
        print_message("skipped: the level is %s\n", cuzk_cpu_level_name(cuzk_cpu_level()));
        return 77;
    }
    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
