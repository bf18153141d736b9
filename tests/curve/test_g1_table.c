/* Sums from tables, and weights by the endomorphism, against plain multiplications. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "curve/g1_table.h"
#include "field/fr.h"
#include "support/random.h"

static struct test_random rng;

static void draw_scalar(uint64_t scalar[4])
{
    static const uint64_t order[4] = CUZK_FR_MODULUS;
    struct cuzk_fr s;
    uint8_t wide[64];

    test_random_bytes(&rng, wide, sizeof wide);
    cuzk_fr_from_wide_bytes(wide, &s);
    cuzk_fr_to_words(&s, scalar);
    switch (test_random_below(&rng, 10)) {
    case 0:
        memset(scalar, 0, 32);
        break;
    case 1:
        memcpy(scalar, order, 32);
        scalar[0] -= 1;
        break;
    case 2:
        scalar[1] = scalar[2] = scalar[3] = 0;
        break;
    case 3:
        memset(scalar, 0xff, 32);
        scalar[3] >>= 1;
        break;
    case 4:
        scalar[test_random_below(&rng, 4)] = test_random_u64(&rng) & 1 ? 0 : UINT64_MAX;
        scalar[3] &= INT64_MAX;
        break;
    default:
        break;
    }
}

static void test_g1_table_sum__equals_multiplications(void **state)
{
    enum { MOST = 40 };
    struct cuzk_g1_affine points[MOST];
    uint64_t scalars[MOST][4];
    struct cuzk_g1 p, expected, got;

    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        draw_scalar(scalars[0]);
        cuzk_g1_from_affine(&cuzk_g1_generator, &p);
        cuzk_g1_mul(&p, scalars[0], &p);
        if (i == 5)
            cuzk_g1_identity(&p);
        cuzk_g1_to_affine(&p, &points[i]);
        if (i == 6)
            points[i] = points[4];
        if (i == 7)
            cuzk_g1_affine_neg(&points[4], &points[i]);
    }
    for (size_t n = 0; n <= MOST; n += n < 4 ? 1 : 12) {
        struct cuzk_g1_table *table;
        struct cuzk_error err;
        assert_int_equal(cuzk_g1_table_create(NULL, points, n, &table, &err), CUZK_OK);
        for (int round = 0; round < 10; round++) {
            cuzk_g1_identity(&expected);
            for (size_t i = 0; i < n; i++) {
                draw_scalar(scalars[i]);
                if (i == 6 || i == 7) /* equal and opposite points meet */
                    memcpy(scalars[i], scalars[4], 32);
                cuzk_g1_from_affine(&points[i], &p);
                cuzk_g1_mul(&p, scalars[i], &p);
                cuzk_g1_add(&expected, &p, &expected);
            }
            assert_int_equal(cuzk_g1_table_sum(table, (const uint64_t(*)[4])scalars, &got, &err), CUZK_OK);
            assert_true(cuzk_g1_equal(&expected, &got));
        }
        cuzk_g1_table_destroy(table);
    }
}

static void test_g1_table_create__reports_lack_of_memory(void **state)
{
    struct cuzk_g1_table *table;
    struct cuzk_error err;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        cuzk_mem_fail_after(i, 1);
        assert_int_equal(cuzk_g1_table_create(NULL, &cuzk_g1_generator, 1, &table, &err), CUZK_MEMORY);
        assert_null(table);
    }
    cuzk_mem_fail_after(SIZE_MAX, 0);
    cuzk_g1_table_destroy(NULL);
}

/* lambda = -x^2 mod r */
static void test_g1_mul_weight__multiplies_by_low_plus_lambda_high(void **state)
{
    const uint64_t x = UINT64_C(0xd201000000010000);
    struct cuzk_fr lambda, z, t;

    (void)state;
    cuzk_fr_from_u64(x, &lambda);
    cuzk_fr_sqr(&lambda, &lambda);
    cuzk_fr_neg(&lambda, &lambda);
    for (int i = 0; i < 40; i++) {
        struct cuzk_g1_affine a;
        struct cuzk_g1 p, expected, got;
        uint64_t scalar[4], weight[2];
        draw_scalar(scalar);
        cuzk_g1_from_affine(&cuzk_g1_generator, &p);
        cuzk_g1_mul(&p, scalar, &p);
        cuzk_g1_to_affine(&p, &a);
        test_random_bytes(&rng, weight, sizeof weight);
        if (i < 8) {
            weight[0] = i & 1 ? UINT64_MAX : 0;
            weight[1] = i & 2 ? UINT64_MAX : (uint64_t)i & 4;
        }
        cuzk_fr_from_u64(weight[1], &t);
        cuzk_fr_mul(&t, &lambda, &t);
        cuzk_fr_from_u64(weight[0], &z);
        cuzk_fr_add(&z, &t, &z);
        cuzk_fr_to_words(&z, scalar);
        cuzk_g1_from_affine(&a, &p);
        cuzk_g1_mul(&p, scalar, &expected);
        cuzk_g1_mul_weight(&a, weight, &got);
        assert_true(cuzk_g1_equal(&expected, &got));
    }
}

static void test_g1_mul_weight_many__equals_mul_weight(void **state)
{
    enum { MOST = 37 };
    struct cuzk_g1_affine points[MOST];
    struct cuzk_g1 got[MOST], expected, sum, p;
    uint64_t weights[MOST][2], scalar[4];
    const enum cuzk_cpu_level best = cuzk_cpu_level();

    (void)state;
    for (enum cuzk_cpu_level level = CUZK_CPU_PORTABLE; level <= best; level++) {
        cuzk_cpu_set_level(level);
        for (size_t n = 0; n <= MOST; n++) {
            for (size_t i = 0; i < n; i++) {
                draw_scalar(scalar);
                cuzk_g1_from_affine(&cuzk_g1_generator, &p);
                cuzk_g1_mul(&p, scalar, &p); /* infinity now and then */
                cuzk_g1_to_affine(&p, &points[i]);
                test_random_bytes(&rng, weights[i], sizeof weights[i]);
                if (i % 5 == 1)
                    weights[i][test_random_u64(&rng) & 1] = 0;
                if (i % 7 == 3)
                    weights[i][0] = weights[i][1] = i & 8 ? UINT64_MAX : 0;
                if (i % 7 == 5)
                    weights[i][0] = weights[i][1] = UINT64_C(0x1111111111111111) * (i & 15);
            }
            cuzk_g1_mul_weight_many(points, (const uint64_t(*)[2])weights, n, got);
            cuzk_g1_identity(&sum);
            for (size_t i = 0; i < n; i++) {
                cuzk_g1_mul_weight(&points[i], weights[i], &expected);
                assert_true(cuzk_g1_equal(&expected, &got[i]));
                cuzk_g1_add(&sum, &expected, &sum);
            }
            cuzk_g1_sum_weights(points, (const uint64_t(*)[2])weights, n, &expected);
            assert_true(cuzk_g1_equal(&expected, &sum));
        }
    }
    cuzk_cpu_set_level(best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g1_table_sum__equals_multiplications),
        cmocka_unit_test(test_g1_table_create__reports_lack_of_memory),
        cmocka_unit_test(test_g1_mul_weight__multiplies_by_low_plus_lambda_high),
        cmocka_unit_test(test_g1_mul_weight_many__equals_mul_weight),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
