/* The quotient against schoolbook polynomial arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "poly/quotient.h"
#include "support/random.h"

static struct test_random rng;

static void draw(struct cuzk_fr *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[64];
        test_random_bytes(&rng, bytes, sizeof bytes);
        cuzk_fr_from_wide_bytes(bytes, &out[i]);
    }
}

/* H is the upper half of the product of two polynomials: x^n H + L = (H) (x^n - 1) + (L + H). */
static void check(unsigned log_n, struct cuzk_pool *pool)
{
    const size_t n = (size_t)1 << log_n;
    struct cuzk_fr *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b),
                   *scratch = malloc(n * sizeof *scratch);
    struct cuzk_fr *expected = calloc(2 * n, sizeof *expected);
    struct cuzk_ntt *ntt;
    struct cuzk_error err;

    draw(a, n);
    draw(b, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            struct cuzk_fr t;
            cuzk_fr_mul(&a[i], &b[j], &t);
            cuzk_fr_add(&expected[i + j], &t, &expected[i + j]);
        }
    }
    assert_int_equal(cuzk_ntt_create(log_n, &ntt, &err), CUZK_OK);
    assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_FORWARD, 0, a, &err), CUZK_OK);
    assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_FORWARD, 0, b, &err), CUZK_OK);
    assert_int_equal(cuzk_quotient(ntt, pool, a, b, scratch, &err), CUZK_OK);
    for (size_t k = 0; k < n; k++) {
        uint64_t words[4];
        cuzk_fr_to_words(&expected[n + k], words);
        assert_memory_equal(words, a[k].l, sizeof words);
    }
    cuzk_ntt_destroy(ntt);
    free(a);
    free(b);
    free(scratch);
    free(expected);
}

/* On x^n = -1, A B - C is -2 H, and H is the upper half of A B. */
static void check_odd(unsigned log_n, struct cuzk_pool *pool)
{
    const size_t n = (size_t)1 << log_n;
    const uint64_t step = 2 * test_random_below(&rng, n) + 1;
    struct cuzk_fr *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b),
                   *scratch = malloc(n * sizeof *scratch);
    struct cuzk_fr *product = calloc(2 * n, sizeof *product), root;
    struct cuzk_ntt *ntt;
    struct cuzk_error err;

    draw(a, n);
    draw(b, n);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            struct cuzk_fr t;
            cuzk_fr_mul(&a[i], &b[j], &t);
            cuzk_fr_add(&product[i + j], &t, &product[i + j]);
        }
    }
    assert_int_equal(cuzk_ntt_create(log_n, &ntt, &err), CUZK_OK);
    assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_FORWARD, 0, a, &err), CUZK_OK);
    assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_FORWARD, 0, b, &err), CUZK_OK);
    assert_int_equal(cuzk_odd_coset_values(ntt, pool, step, a, b, scratch, &err), CUZK_OK);
    cuzk_fr_root_of_unity(log_n + 1, &root);
    for (size_t i = 0; i < n; i++) {
        struct cuzk_fr point, value;
        uint64_t words[4];
        cuzk_fr_pow_u64(&root, step * (2 * i + 1), &point);
        cuzk_fr_zero(&value);
        for (size_t k = n; k-- > 0;) {
            cuzk_fr_mul(&value, &point, &value);
            cuzk_fr_add(&value, &product[n + k], &value);
        }
        cuzk_fr_double(&value, &value);
        cuzk_fr_neg(&value, &value);
        cuzk_fr_to_words(&value, words);
        assert_memory_equal(words, a[i].l, sizeof words);
    }
    cuzk_ntt_destroy(ntt);
    free(a);
    free(b);
    free(scratch);
    free(product);
}

static void test_odd_coset_values__are_minus_two_h(void **state)
{
    (void)state;
    for (unsigned log_n = 0; log_n <= 9; log_n++)
        check_odd(log_n, NULL);
}

static void test_quotient__is_the_upper_half_of_the_product(void **state)
{
    const enum cuzk_cpu_level saved = cuzk_cpu_level();
    struct cuzk_pool *pool;

    (void)state;
    assert_int_equal(cuzk_pool_create(2, &pool, NULL), CUZK_OK);
    for (int level = CUZK_CPU_PORTABLE; level <= CUZK_CPU_IFMA; level++) {
        cuzk_cpu_set_level((enum cuzk_cpu_level)level);
        for (unsigned log_n = 0; log_n <= 11; log_n++)
            check(log_n, log_n % 2 ? pool : NULL);
    }
    cuzk_cpu_set_level(saved);
    cuzk_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quotient__is_the_upper_half_of_the_product),
        cmocka_unit_test(test_odd_coset_values__are_minus_two_h),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
