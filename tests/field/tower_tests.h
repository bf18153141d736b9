/* The tower to Fp12 against a slow twin: polynomials over Fp in w, by schoolbook, with u = w^6 - 1, that is
 * Fp[w] / (w^12 - 2 w^6 + 2). Included by test_tower.c and, compiled for ADX, by test_tower_adx.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/fp12_kernel.h"
#include "support/random.h"

static struct test_random rng;

struct slow {
    struct cuzk_fp c[12];
};

static void draw_fp(struct cuzk_fp *out)
{
    uint8_t bytes[CUZK_FP_BYTES];
    static const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;

    if (test_random_below(&rng, 8) == 0) { /* limbs near zero or p: the largest unreduced products */
        const uint64_t k = test_random_below(&rng, 3);
        memset(out, 0, sizeof *out);
        out->l[0] = k;
        if (test_random_u64(&rng) & 1)
            for (int i = 0; i < CUZK_FP_LIMBS; i++)
                out->l[i] = m[i] - (i == 0 ? 1 + k : 0);
        return;
    }
    do {
        test_random_bytes(&rng, bytes, sizeof bytes);
        bytes[0] &= 0x1f;
        for (int i = 0; i < CUZK_FP_LIMBS; i++)
            memcpy(&out->l[i], bytes + 40 - 8 * i, 8);
        for (int i = 0; i < CUZK_FP_LIMBS; i++)
            out->l[i] = __builtin_bswap64(out->l[i]);
    } while (!cuzk_fp_words_are_reduced(out->l));
}

static void draw_fp2(struct cuzk_fp2 *out)
{
    draw_fp(&out->c0);
    draw_fp(&out->c1);
}

static void draw_fp6(struct cuzk_fp6 *out)
{
    draw_fp2(&out->c0);
    draw_fp2(&out->c1);
    draw_fp2(&out->c2);
}

static void draw_fp12(struct cuzk_fp12 *out)
{
    draw_fp6(&out->c0);
    draw_fp6(&out->c1);
}

/* g w^k with g = a + b u = (a - b) + b w^6 */
static void slow_put(struct slow *out, int k, const struct cuzk_fp2 *g)
{
    cuzk_fp_sub(&g->c0, &g->c1, &out->c[k]);
    out->c[k + 6] = g->c1;
}

static void to_slow(const struct cuzk_fp12 *a, struct slow *out)
{
    slow_put(out, 0, &a->c0.c0);
    slow_put(out, 1, &a->c1.c0);
    slow_put(out, 2, &a->c0.c1);
    slow_put(out, 3, &a->c1.c1);
    slow_put(out, 4, &a->c0.c2);
    slow_put(out, 5, &a->c1.c2);
}

static void slow_mul(const struct slow *a, const struct slow *b, struct slow *out)
{
    struct cuzk_fp product[23], t;

    memset(product, 0, sizeof product);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            cuzk_fp_mul(&a->c[i], &b->c[j], &t);
            cuzk_fp_add(&product[i + j], &t, &product[i + j]);
        }
    for (int i = 22; i >= 12; i--) { /* w^12 = 2 w^6 - 2 */
        cuzk_fp_double(&product[i], &t);
        cuzk_fp_add(&product[i - 6], &t, &product[i - 6]);
        cuzk_fp_sub(&product[i - 12], &t, &product[i - 12]);
    }
    memcpy(out->c, product, sizeof out->c);
}

static void assert_equals_slow(const struct cuzk_fp12 *a, const struct slow *expected)
{
    struct slow got;
    const struct cuzk_fp *all = &a->c0.c0.c0;

    for (int i = 0; i < 12; i++)
        assert_true(cuzk_fp_words_are_reduced(all[i].l));
    to_slow(a, &got);
    for (int i = 0; i < 12; i++)
        assert_true(cuzk_fp_equal(&got.c[i], &expected->c[i]));
}

static void slow_pow_p(const struct slow *a, struct slow *out)
{
    static const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
    struct slow acc;

    memset(&acc, 0, sizeof acc);
    cuzk_fp_one(&acc.c[0]);
    for (int i = 380; i >= 0; i--) {
        slow_mul(&acc, &acc, &acc);
        if (m[i / 64] >> (i % 64) & 1)
            slow_mul(&acc, a, &acc);
    }
    *out = acc;
}

static void test_fp12_mul__equals_schoolbook(void **state)
{
    struct cuzk_fp12 a, b, c;
    struct slow x, y, z;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        draw_fp12(&a);
        draw_fp12(&b);
        to_slow(&a, &x);
        to_slow(&b, &y);
        slow_mul(&x, &y, &z);
        cuzk_fp12_mul(&a, &b, &c);
        assert_equals_slow(&c, &z);
        cuzk_fp12_mul(&a, &b, &b); /* out is an input */
        assert_equals_slow(&b, &z);
        slow_mul(&x, &x, &z);
        cuzk_fp12_sqr(&a, &c);
        assert_equals_slow(&c, &z);
        cuzk_fp12_sqr(&a, &a);
        assert_equals_slow(&a, &z);
    }
}

static void test_fp12_sparse_products__equal_schoolbook(void **state)
{
    struct cuzk_fp12 a, b, c;
    struct slow x, y, z;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        draw_fp12(&a);
        memset(&b, 0, sizeof b);
        draw_fp2(&b.c0.c0);
        draw_fp2(&b.c0.c1);
        draw_fp2(&b.c1.c1);
        to_slow(&a, &x);
        to_slow(&b, &y);
        slow_mul(&x, &y, &z);
        cuzk_fp12_mul_by_014(&a, &b.c0.c0, &b.c0.c1, &b.c1.c1, &c);
        assert_equals_slow(&c, &z);
        cuzk_fp2_one(&b.c1.c1);
        to_slow(&b, &y);
        slow_mul(&x, &y, &z);
        c = a;
        cuzk_fp12_mul_by_01_line(&c, &b.c0.c0, &b.c0.c1, &c);
        assert_equals_slow(&c, &z);
        cuzk_fp2_zero(&b.c1.c1);
        to_slow(&b, &y);
        cuzk_fp6_mul_by_01(&a.c0, &b.c0.c0, &b.c0.c1, &c.c0);
        cuzk_fp6_mul_by_01(&a.c1, &b.c0.c0, &b.c0.c1, &c.c1);
        slow_mul(&x, &y, &z);
        assert_equals_slow(&c, &z);
    }
}

static void test_fp12_inverse__times_itself_is_one(void **state)
{
    struct cuzk_fp12 a, b;

    (void)state;
    for (int i = 0; i < 50; i++) {
        draw_fp12(&a);
        cuzk_fp12_kernel_inverse(&a, &b);
        cuzk_fp12_mul(&a, &b, &b);
        assert_true(cuzk_fp12_is_one(&b));
    }
}

static void test_fp12_frobenius__is_the_power_p(void **state)
{
    struct cuzk_fp12 a, b;
    struct slow x, y;

    (void)state;
    for (int i = 0; i < 3; i++) {
        draw_fp12(&a);
        to_slow(&a, &x);
        slow_pow_p(&x, &y);
        cuzk_fp12_frobenius(&a, &b);
        assert_equals_slow(&b, &y);
        slow_pow_p(&y, &y);
        cuzk_fp12_frobenius_squared(&a, &b);
        assert_equals_slow(&b, &y);
        cuzk_fp12_frobenius_squared(&b, &b);
        cuzk_fp12_frobenius_squared(&b, &b);
        cuzk_fp12_conjugate(&a, &a);
        assert_true(cuzk_fp12_equal(&a, &b)); /* a^(p^6) */
    }
}

/* an element with a^(p^4 - p^2 + 1) = 1 */
static void draw_cyclotomic(struct cuzk_fp12 *out)
{
    struct cuzk_fp12 a, b;

    draw_fp12(&a);
    cuzk_fp12_kernel_inverse(&a, &b);
    cuzk_fp12_conjugate(&a, &a);
    cuzk_fp12_mul(&a, &b, &a);
    cuzk_fp12_frobenius_squared(&a, &b);
    cuzk_fp12_mul(&a, &b, out);
}

static void test_fp12_cyclotomic_sqr__equals_squaring_in_its_subgroup(void **state)
{
    struct cuzk_fp12 a, b, c;

    (void)state;
    for (int i = 0; i < 50; i++) {
        draw_cyclotomic(&a);
        for (int k = 0; k < 20; k++) {
            cuzk_fp12_sqr(&a, &b);
            cuzk_fp12_cyclotomic_sqr(&a, &c);
            assert_true(cuzk_fp12_equal(&b, &c));
            cuzk_fp12_cyclotomic_sqr(&a, &a);
            assert_true(cuzk_fp12_equal(&b, &a));
        }
    }
}

static void test_fp2__equals_schoolbook(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct cuzk_fp2 a, b, c, d;
        struct cuzk_fp t;
        draw_fp2(&a);
        draw_fp2(&b);
        cuzk_fp_mul(&a.c0, &b.c0, &c.c0);
        cuzk_fp_mul(&a.c1, &b.c1, &t);
        cuzk_fp_sub(&c.c0, &t, &c.c0);
        cuzk_fp_mul(&a.c0, &b.c1, &c.c1);
        cuzk_fp_mul(&a.c1, &b.c0, &t);
        cuzk_fp_add(&c.c1, &t, &c.c1);
        cuzk_fp2_mul(&a, &b, &d);
        assert_true(cuzk_fp2_equal(&c, &d));
        cuzk_fp2_mul(&a, &a, &c);
        cuzk_fp2_sqr(&a, &d);
        assert_true(cuzk_fp2_equal(&c, &d));
        cuzk_fp2_sqr(&a, &a);
        assert_true(cuzk_fp2_equal(&c, &a));
    }
}

static void test_fp2_inverse__times_itself_is_one(void **state)
{
    struct cuzk_fp2 batch[40], scratch[40], copy[40], one;

    (void)state;
    cuzk_fp2_one(&one);
    for (int i = 0; i < 40; i++) {
        draw_fp2(&batch[i]);
        if (i % 7 == 3)
            cuzk_fp2_zero(&batch[i]);
        copy[i] = batch[i];
    }
    cuzk_fp2_kernel_batch_inverse(batch, 40, scratch);
    for (int i = 0; i < 40; i++) {
        struct cuzk_fp2 t;
        cuzk_fp2_kernel_inverse(&copy[i], &t);
        assert_true(cuzk_fp2_equal(&t, &batch[i]));
        cuzk_fp2_mul(&t, &copy[i], &t);
        assert_true(cuzk_fp2_is_zero(&copy[i]) ? cuzk_fp2_is_zero(&t) : cuzk_fp2_equal(&t, &one));
    }
}

static void test_fp2_sqrt__finds_roots_of_squares_only(void **state)
{
    struct cuzk_fp2 a, square, root, non_residue;
    int found = 0;

    (void)state;
    cuzk_fp2_zero(&non_residue); /* xi is no square (nor a cube) */
    cuzk_fp2_one(&non_residue);
    cuzk_fp_one(&non_residue.c1);
    for (int i = 0; i < 200; i++) {
        draw_fp2(&a);
        if (i % 5 == 1)
            cuzk_fp_zero(&a.c1);
        if (i % 5 == 2)
            cuzk_fp_zero(&a.c0);
        if (i == 0)
            cuzk_fp2_zero(&a);
        found += cuzk_fp2_kernel_sqrt(&a, &root);
        cuzk_fp2_sqr(&a, &square);
        assert_true(cuzk_fp2_kernel_sqrt(&square, &root));
        cuzk_fp2_sqr(&root, &root);
        assert_true(cuzk_fp2_equal(&root, &square));
        if (cuzk_fp2_is_zero(&a))
            continue;
        cuzk_fp2_mul(&square, &non_residue, &square);
        assert_false(cuzk_fp2_kernel_sqrt(&square, &root));
    }
    assert_true(found > 40 && found < 180);
}

/* The bounds of fp_wide.h: numbers k p^2 + small, -9 < k < 9. */
static void test_redc__takes_signed_numbers_within_its_bounds(void **state)
{
    struct cuzk_fp p_minus_one, expected, got, t;
    struct cuzk_fp_wide square, sum, zero;

    (void)state;
    memset(&zero, 0, sizeof zero);
    for (int i = 0; i < 200; i++) {
        static const uint64_t m[CUZK_FP_LIMBS] = CUZK_FP_MODULUS;
        draw_fp(&p_minus_one);
        if (i < 3)
            for (int k = 0; k < CUZK_FP_LIMBS; k++)
                p_minus_one.l[k] = m[k] - (k == 0 ? (uint64_t)i + 1 : 0);
        cuzk_fp_mul_wide(&p_minus_one, &p_minus_one, &square);
        cuzk_fp_sqr(&p_minus_one, &t);
        sum = zero;
        cuzk_fp_zero(&expected);
        for (int k = 1; k <= 8; k++) {
            cuzk_fp_wide_add(&sum, &square, &sum);
            cuzk_fp_add(&expected, &t, &expected);
            cuzk_fp_redc(&sum, &got);
            assert_true(cuzk_fp_equal(&got, &expected));
            struct cuzk_fp_wide minus;
            cuzk_fp_wide_sub(&zero, &sum, &minus);
            cuzk_fp_redc(&minus, &got);
            cuzk_fp_add(&got, &expected, &got);
            assert_true(cuzk_fp_is_zero(&got));
        }
    }
}

static int run_tower_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_redc__takes_signed_numbers_within_its_bounds),
        cmocka_unit_test(test_fp2__equals_schoolbook),
        cmocka_unit_test(test_fp2_inverse__times_itself_is_one),
        cmocka_unit_test(test_fp2_sqrt__finds_roots_of_squares_only),
        cmocka_unit_test(test_fp12_mul__equals_schoolbook),
        cmocka_unit_test(test_fp12_sparse_products__equal_schoolbook),
        cmocka_unit_test(test_fp12_inverse__times_itself_is_one),
        cmocka_unit_test(test_fp12_frobenius__is_the_power_p),
        cmocka_unit_test(test_fp12_cyclotomic_sqr__equals_squaring_in_its_subgroup),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
