/* Transforms against the defining sum, against single points, and there and back, at every arithmetic level.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "poly/ntt.h"
#include "support/random.h"

static struct test_random rng;
static struct cuzk_pool *pool;

static void draw(struct cuzk_fr *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[64];
        test_random_bytes(&rng, bytes, sizeof bytes);
        cuzk_fr_from_wide_bytes(bytes, &out[i]);
    }
}

/* X[k] by Horner's rule. */
static void value_at(const struct cuzk_fr *x, size_t n, const struct cuzk_fr *point, struct cuzk_fr *out)
{
    cuzk_fr_zero(out);
    for (size_t j = n; j-- > 0;) {
        cuzk_fr_mul(out, point, out);
        cuzk_fr_add(out, &x[j], out);
    }
}

static void point_of(unsigned log_n, size_t k, int coset, struct cuzk_fr *out)
{
    struct cuzk_fr w;
    cuzk_fr_root_of_unity(log_n, &w);
    cuzk_fr_pow_u64(&w, k, out);
    if (coset)
        cuzk_fr_mul(out, &cuzk_fr_generator, out);
}

static void each_level(void (*body)(void))
{
    const enum cuzk_cpu_level saved = cuzk_cpu_level();
    int seen = -1;

    for (int level = CUZK_CPU_PORTABLE; level <= CUZK_CPU_IFMA; level++) {
        const int now = (int)cuzk_cpu_set_level((enum cuzk_cpu_level)level);
        if (now == seen)
            continue;
        seen = now;
        body();
    }
    cuzk_cpu_set_level(saved);
}

static void check_size(unsigned log_n, size_t spots)
{
    const size_t n = (size_t)1 << log_n;
    struct cuzk_fr *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    struct cuzk_ntt *ntt;
    struct cuzk_error err;

    assert_int_equal(cuzk_ntt_create(log_n, &ntt, &err), CUZK_OK);
    assert_int_equal(cuzk_ntt_size(ntt), n);
    draw(x, n);
    for (int coset = 0; coset < 2; coset++) {
        memcpy(y, x, n * sizeof *y);
        assert_int_equal(cuzk_ntt_transform(ntt, coset ? pool : NULL, CUZK_NTT_FORWARD, coset, y, &err),
                         CUZK_OK);
        for (size_t s = 0; s < spots && s < n; s++) {
            const size_t k = spots >= n ? s : test_random_below(&rng, n);
            struct cuzk_fr point, expected;
            point_of(log_n, k, coset, &point);
            value_at(x, n, &point, &expected);
            assert_true(cuzk_fr_equal(&expected, &y[k]));
        }
        assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_INVERSE, coset, y, &err), CUZK_OK);
        assert_memory_equal(x, y, n * sizeof *x);
    }
    cuzk_ntt_destroy(ntt);
    free(x);
    free(y);
}

static void small_sizes(void)
{
    for (unsigned log_n = 0; log_n <= 10; log_n++)
        check_size(log_n, 1024);
    for (unsigned log_n = 11; log_n <= 16; log_n++)
        check_size(log_n, 20);
}

static void test_transform__equals_the_sum(void **state)
{
    (void)state;
    each_level(small_sizes);
}

/* A sparse polynomial, whose values are cheap to know: the largest strips and three levels are reached. */
static void large_sizes(void)
{
    static const unsigned logs[] = {20, 21, 23};

    for (size_t l = 0; l < sizeof logs / sizeof *logs; l++) {
        const size_t n = (size_t)1 << logs[l];
        struct cuzk_fr *x = calloc(n, sizeof *x);
        struct cuzk_ntt *ntt;
        struct cuzk_error err;
        size_t place[5];
        struct cuzk_fr value[5];

        draw(value, 5);
        for (int t = 0; t < 5; t++) {
            place[t] = (n / 5) * (size_t)t + test_random_below(&rng, n / 5);
            x[place[t]] = value[t];
        }
        assert_int_equal(cuzk_ntt_create(logs[l], &ntt, &err), CUZK_OK);
        assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_FORWARD, 1, x, &err), CUZK_OK);
        for (int s = 0; s < 200; s++) {
            const size_t k = test_random_below(&rng, n);
            struct cuzk_fr point, expected, power;
            point_of(logs[l], k, 1, &point);
            cuzk_fr_zero(&expected);
            for (int t = 0; t < 5; t++) {
                cuzk_fr_pow_u64(&point, place[t], &power);
                cuzk_fr_mul(&power, &value[t], &power);
                cuzk_fr_add(&expected, &power, &expected);
            }
            assert_true(cuzk_fr_equal(&expected, &x[k]));
        }
        assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_INVERSE, 1, x, &err), CUZK_OK);
        for (int t = 0; t < 5; t++) {
            assert_true(cuzk_fr_equal(&x[place[t]], &value[t]));
            cuzk_fr_zero(&x[place[t]]);
        }
        for (size_t k = 0; k < n; k++)
            assert_true(cuzk_fr_is_zero(&x[k]));
        cuzk_ntt_destroy(ntt);
        free(x);
    }
}

static void test_transform__equals_the_sum_of_few_terms_when_large(void **state)
{
    (void)state;
    each_level(large_sizes);
}

/* The extremes that a lazy reduction could get wrong: everything r - 1. */
static void extremes(void)
{
    for (unsigned log_n = 6; log_n <= 22; log_n += 8) {
        const size_t n = (size_t)1 << log_n;
        struct cuzk_fr *x = malloc(n * sizeof *x), top, sum;
        struct cuzk_ntt *ntt;
        struct cuzk_error err;

        cuzk_fr_one(&top);
        cuzk_fr_neg(&top, &top);
        for (size_t k = 0; k < n; k++)
            x[k] = top;
        assert_int_equal(cuzk_ntt_create(log_n, &ntt, &err), CUZK_OK);
        assert_int_equal(cuzk_ntt_scramble(ntt, pool, CUZK_NTT_FORWARD, NULL, x, &err), CUZK_OK);
        cuzk_fr_from_u64(n, &sum);
        cuzk_fr_neg(&sum, &sum);
        assert_true(cuzk_fr_equal(&x[0], &sum));
        for (size_t k = 1; k < n; k++)
            assert_true(cuzk_fr_is_zero(&x[k]));
        assert_int_equal(cuzk_ntt_unscramble(ntt, pool, CUZK_NTT_INVERSE, NULL, x, &err), CUZK_OK);
        for (size_t k = 0; k < n; k++)
            assert_true(cuzk_fr_equal(&x[k], &sum)); /* n times the input, no factor 1/n here */
        cuzk_ntt_destroy(ntt);
        free(x);
    }
}

static void test_scramble__stays_reduced_at_the_extremes(void **state)
{
    (void)state;
    each_level(extremes);
}

static void scrambled_orders(void)
{
    for (unsigned log_n = 0; log_n <= 14; log_n++) {
        const size_t n = (size_t)1 << log_n;
        struct cuzk_fr *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *z = malloc(n * sizeof *z);
        struct cuzk_ntt *ntt;
        struct cuzk_error err;
        struct cuzk_ntt_twist twist;
        struct cuzk_fr factor;

        draw(x, n);
        draw(&twist.first, 1);
        draw(&twist.ratio, 1);
        memcpy(y, x, n * sizeof *x);
        memcpy(z, x, n * sizeof *x);
        assert_int_equal(cuzk_ntt_create(log_n, &ntt, &err), CUZK_OK);
        assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_FORWARD, 0, y, &err), CUZK_OK);
        assert_int_equal(cuzk_ntt_scramble(ntt, pool, CUZK_NTT_FORWARD, &twist, z, &err), CUZK_OK);
        factor = twist.first;
        for (size_t k = 0; k < n; k++) {
            cuzk_fr_mul(&y[k], &factor, &y[k]);
            cuzk_fr_mul(&factor, &twist.ratio, &factor);
            assert_true(cuzk_fr_equal(&y[k], &z[cuzk_ntt_position(ntt, k)]));
        }
        /* and back, with the twist undone before */
        cuzk_fr_inverse(&twist.first, &twist.first);
        cuzk_fr_inverse(&twist.ratio, &twist.ratio);
        cuzk_fr_mul(&twist.first, cuzk_ntt_inverse_size(ntt), &twist.first);
        assert_int_equal(cuzk_ntt_unscramble(ntt, pool, CUZK_NTT_INVERSE, &twist, z, &err), CUZK_OK);
        assert_memory_equal(x, z, n * sizeof *x);
        cuzk_ntt_destroy(ntt);
        free(x);
        free(y);
        free(z);
    }
}

static void test_scramble__goes_to_the_stated_positions_and_back(void **state)
{
    (void)state;
    each_level(scrambled_orders);
}

static void test_create__refuses_sizes_without_roots(void **state)
{
    struct cuzk_ntt *ntt;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_ntt_create(33, &ntt, &err), CUZK_ARGUMENT);
    assert_null(ntt);
    const size_t before = cuzk_mem_in_use();
    for (size_t k = 0; k < 7; k++) {
        cuzk_mem_fail_after(k, 0);
        assert_int_equal(cuzk_ntt_create(16, &ntt, &err), CUZK_MEMORY);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_null(ntt);
        assert_int_equal(cuzk_mem_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transform__equals_the_sum),
        cmocka_unit_test(test_scramble__stays_reduced_at_the_extremes),
        cmocka_unit_test(test_scramble__goes_to_the_stated_positions_and_back),
        cmocka_unit_test(test_transform__equals_the_sum_of_few_terms_when_large),
        cmocka_unit_test(test_create__refuses_sizes_without_roots),
    };

    test_random_init(&rng);
    if (cuzk_pool_create(3, &pool, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_pool_destroy(pool);
    return failed;
}
