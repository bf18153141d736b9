/*
 * Transforms of points on every backend, against the transform of their logarithms: every size from one point
 * on, points missing at the end, infinity among the results. On a device up to 2^14.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends.h"
#include "curve/encoding.h"
#include "poly/ntt.h"
#include "support/random.h"

static struct test_random rng;
static struct test_backend backends[TEST_BACKENDS];
static struct cuzk_pool *pool;

/* n multiples of the generator as the backend makes them; zero gives infinity. */
static uint8_t *points_of(struct cuzk_backend *backend, const struct cuzk_fr *logarithms, size_t n)
{
    union cuzk_backend_affine base = {.g1 = cuzk_g1_generator};
    uint64_t(*scalars)[4] = malloc((n + 1) * sizeof *scalars);
    uint8_t *out = malloc((n + 1) * CUZK_G1_RAW_BYTES);
    struct cuzk_backend_table *table;

    for (size_t k = 0; k < n; k++)
        cuzk_fr_to_words(&logarithms[k], scalars[k]);
    assert_int_equal(backend->ops->table_create(backend, CUZK_GROUP_G1, &base, n, &table, NULL), CUZK_OK);
    assert_int_equal(backend->ops->setup_points(table, (const uint64_t(*)[4])scalars, n, out, NULL), CUZK_OK);
    cuzk_backend_table_destroy(table);
    free(scalars);
    return out;
}

static void check(struct cuzk_backend *backend, unsigned log_n, size_t given, bool alike)
{
    const size_t n = (size_t)1 << log_n;
    struct cuzk_fr *logarithms = calloc(n, sizeof *logarithms), first, ratio, factor;
    uint8_t *points, *got = malloc(n * CUZK_G1_RAW_BYTES), *wanted;
    struct cuzk_error err = {0};
    struct cuzk_ntt *ntt;

    test_backends_draw(&rng, &first);
    test_backends_draw(&rng, &ratio);
    if (alike) /* one point again and again: all results but one are infinity */
        cuzk_fr_one(&ratio);
    for (size_t k = 0; k < given; k++) {
        test_backends_draw(&rng, &logarithms[k]);
        if (alike)
            logarithms[k] = logarithms[0];
    }
    points = points_of(backend, logarithms, given);
    if (backend->ops->transform_points(backend, log_n, &first, &ratio, points, given, got, NULL, &err) !=
        CUZK_OK)
        fail_msg("%s", err.message);
    factor = first;
    for (size_t k = 0; k < n; k++) {
        cuzk_fr_mul(&logarithms[k], &factor, &logarithms[k]);
        cuzk_fr_mul(&factor, &ratio, &factor);
    }
    assert_int_equal(cuzk_ntt_create(log_n, &ntt, NULL), CUZK_OK);
    assert_int_equal(cuzk_ntt_transform(ntt, pool, CUZK_NTT_INVERSE, 0, logarithms, NULL), CUZK_OK);
    cuzk_fr_from_u64(n, &factor);
    for (size_t k = 0; k < n; k++)
        cuzk_fr_mul(&logarithms[k], &factor, &logarithms[k]);
    wanted = points_of(backend, logarithms, n);
    assert_memory_equal(got, wanted, n * CUZK_G1_RAW_BYTES);
    cuzk_ntt_destroy(ntt);
    free(logarithms);
    free(points);
    free(wanted);
    free(got);
}

static void check_backend(struct cuzk_backend *backend)
{
    const char *const given = getenv("CUZK_TEST_LOG_MOST"); /* small sizes are for sanitizers */
    const unsigned on_device = given != NULL && strtoul(given, NULL, 10) < 14 ? 8 : 14;
    const unsigned most = strcmp(backend->ops->name, "cuda") == 0 ? on_device : 6;

    for (unsigned log_n = 0; log_n <= most; log_n++) {
        const size_t n = (size_t)1 << log_n;
        check(backend, log_n, n - 1, false);
        check(backend, log_n, n, log_n % 2 == 1);
    }
    check(backend, 5, 0, false);
    check(backend, 5, 3, false);
}

static void test_transform_points__is_that_of_logarithms(void **state)
{
    (void)state;
    test_backends_each(backends, check_backend);
}

static void check_refusals(struct cuzk_backend *backend)
{
    struct cuzk_error err = {0};
    struct cuzk_fr one, logarithms[4];
    uint8_t out[4 * CUZK_G1_RAW_BYTES], *points;

    cuzk_fr_one(&one);
    for (int k = 0; k < 4; k++)
        test_backends_draw(&rng, &logarithms[k]);
    points = points_of(backend, logarithms, 4);
    points[2 * CUZK_G1_RAW_BYTES + 95] ^= 1;
    assert_int_equal(backend->ops->transform_points(backend, 2, &one, &one, points, 4, out, NULL, &err),
                     CUZK_INPUT);
    assert_non_null(strstr(err.message, "point 2 "));
    assert_int_equal(backend->ops->transform_points(backend, 1, &one, &one, points, 4, out, NULL, &err),
                     CUZK_ARGUMENT);
    free(points);
}

static void test_transform_points__refuses_points_that_are_none(void **state)
{
    (void)state;
    test_backends_each(backends, check_refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transform_points__is_that_of_logarithms),
        cmocka_unit_test(test_transform_points__refuses_points_that_are_none),
    };

    test_random_init(&rng);
    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK)
        return 1;
    test_backends_open(pool, backends);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_backends_close(backends);
    cuzk_pool_destroy(pool);
    return failed;
}
