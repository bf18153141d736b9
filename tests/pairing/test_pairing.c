/* The pairing: bilinear, non-degenerate, of order r; products, prepared points and infinity. Everything runs
 * at each arithmetic level that the processor has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "field/fp12_kernel.h"
#include "field/fr.h"
#include "pairing/pairing.h"
#include "support/random.h"

static struct test_random rng;
static const uint64_t order[4] = CUZK_FR_MODULUS;

static void draw_scalar(uint64_t scalar[4])
{
    struct cuzk_fr s;
    uint8_t wide[64];

    test_random_bytes(&rng, wide, sizeof wide);
    cuzk_fr_from_wide_bytes(wide, &s);
    cuzk_fr_to_words(&s, scalar);
}

static void g1_times(const uint64_t scalar[4], struct cuzk_g1_affine *out)
{
    struct cuzk_g1 p;

    cuzk_g1_from_affine(&cuzk_g1_generator, &p);
    cuzk_g1_mul(&p, scalar, &p);
    cuzk_g1_to_affine(&p, out);
}

static void g2_times(const uint64_t scalar[4], struct cuzk_g2_affine *out)
{
    struct cuzk_g2 p;

    cuzk_g2_from_affine(&cuzk_g2_generator, &p);
    cuzk_g2_mul(&p, scalar, &p);
    cuzk_g2_to_affine(&p, out);
}

static void test_pairing__is_bilinear(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        uint64_t a[4], b[4], ab[4];
        struct cuzk_fr x, y;
        struct cuzk_g1_affine p, pab;
        struct cuzk_g2_affine q;
        struct cuzk_fp12 left, right, base;

        draw_scalar(a);
        draw_scalar(b);
        cuzk_fr_from_words(a, &x);
        cuzk_fr_from_words(b, &y);
        cuzk_fr_mul(&x, &y, &x);
        cuzk_fr_to_words(&x, ab);
        g1_times(a, &p);
        g2_times(b, &q);
        g1_times(ab, &pab);
        cuzk_pairing(&p, &q, &left);
        cuzk_pairing(&pab, &cuzk_g2_generator, &right);
        assert_true(cuzk_fp12_equal(&left, &right));
        cuzk_pairing(&cuzk_g1_generator, &cuzk_g2_generator, &base);
        cuzk_fp12_kernel_pow(&base, ab, 4, &right);
        assert_true(cuzk_fp12_equal(&left, &right));
    }
}

static void test_pairing__has_order_r(void **state)
{
    struct cuzk_fp12 e, t;

    (void)state;
    cuzk_pairing(&cuzk_g1_generator, &cuzk_g2_generator, &e);
    assert_false(cuzk_fp12_is_one(&e));
    cuzk_fp12_kernel_pow(&e, order, 4, &t);
    assert_true(cuzk_fp12_is_one(&t));
}

static void test_pairing__of_infinity_is_one(void **state)
{
    const struct cuzk_g1_affine p = {0};
    const struct cuzk_g2_affine q = {0};
    struct cuzk_g2_prepared prepared;
    struct cuzk_fp12 e;

    (void)state;
    cuzk_pairing(&p, &cuzk_g2_generator, &e);
    assert_true(cuzk_fp12_is_one(&e));
    cuzk_pairing(&cuzk_g1_generator, &q, &e);
    assert_true(cuzk_fp12_is_one(&e));
    cuzk_g2_prepare(&q, &prepared);
    const struct cuzk_pairing_term term = {.p = &cuzk_g1_generator, .prepared = &prepared};
    cuzk_miller_loop(&term, 1, &e);
    assert_true(cuzk_fp12_is_one(&e));
    cuzk_miller_loop(NULL, 0, &e);
    assert_true(cuzk_fp12_is_one(&e));
}

/* The product of e(a_i G, b_i H) is e((sum a_i b_i) G, H), for every size around the group size. */
static void test_miller_loop__multiplies_over_terms(void **state)
{
    enum { MOST = 70 };
    static const size_t sizes[] = {1, 2, 3, 31, 32, 33, 64, 65, 70};
    static struct cuzk_g1_affine p[MOST];
    static struct cuzk_g2_affine q[MOST];
    static struct cuzk_g2_prepared prepared[MOST];
    static struct cuzk_pairing_term terms[MOST];
    struct cuzk_fr sums[MOST];

    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        uint64_t a[4], b[4];
        struct cuzk_fr x, y;
        draw_scalar(a);
        draw_scalar(b);
        if (i % 9 == 4) /* infinity on one side */
            a[0] = a[1] = a[2] = a[3] = 0;
        if (i % 9 == 7)
            b[0] = b[1] = b[2] = b[3] = 0;
        g1_times(a, &p[i]);
        g2_times(b, &q[i]);
        cuzk_fr_from_words(a, &x);
        cuzk_fr_from_words(b, &y);
        cuzk_fr_mul(&x, &y, &x);
        if (i > 0)
            cuzk_fr_add(&x, &sums[i - 1], &x);
        sums[i] = x;
        terms[i] = (struct cuzk_pairing_term){.p = &p[i], .q = &q[i]};
        if (test_random_u64(&rng) & 1) {
            cuzk_g2_prepare(&q[i], &prepared[i]);
            terms[i] = (struct cuzk_pairing_term){.p = &p[i], .prepared = &prepared[i]};
        }
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t sum[4];
        struct cuzk_g1_affine s;
        struct cuzk_fp12 product, expected;
        cuzk_fr_to_words(&sums[sizes[i] - 1], sum);
        g1_times(sum, &s);
        cuzk_pairing(&s, &cuzk_g2_generator, &expected);
        cuzk_miller_loop(terms, sizes[i], &product);
        cuzk_final_exponentiation(&product, &product);
        assert_true(cuzk_fp12_equal(&product, &expected));
    }
}

/* Every level gives the same element. */
static void test_pairing__is_equal_at_all_levels(void **state)
{
    struct cuzk_fp12 portable, e;
    struct cuzk_g1_affine p;
    struct cuzk_g2_affine q;
    uint64_t a[4];
    const enum cuzk_cpu_level level = cuzk_cpu_level();

    (void)state;
    draw_scalar(a);
    g1_times(a, &p);
    draw_scalar(a);
    g2_times(a, &q);
    cuzk_cpu_set_level(CUZK_CPU_PORTABLE);
    cuzk_pairing(&p, &q, &portable);
    for (enum cuzk_cpu_level l = CUZK_CPU_ADX; l <= CUZK_CPU_IFMA; l++) {
        cuzk_cpu_set_level(l);
        cuzk_pairing(&p, &q, &e);
        assert_true(cuzk_fp12_equal(&e, &portable));
    }
    cuzk_cpu_set_level(level);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairing__is_bilinear),
        cmocka_unit_test(test_pairing__has_order_r),
        cmocka_unit_test(test_pairing__of_infinity_is_one),
        cmocka_unit_test(test_miller_loop__multiplies_over_terms),
        cmocka_unit_test(test_pairing__is_equal_at_all_levels),
    };
    int failed = 0;
    const enum cuzk_cpu_level best = cuzk_cpu_level();

    test_random_init(&rng);
    for (enum cuzk_cpu_level level = CUZK_CPU_PORTABLE; level <= best; level++) {
        print_message("level %s\n", cuzk_cpu_level_name(cuzk_cpu_set_level(level)));
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
