/*
 * Sums and transforms at the edges, on every backend: no element and one, odd sizes, zero scalars, r - 1,
 * equal points, opposite points, infinity. On a device sizes go up to 2^20. Points are multiples of the
 * generator made by the backend itself (test_backend compares those with slow twins), so a sum is known from
 * scalars alone.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/measure.h"
#include "backends.h"
#include "curve/encoding.h"
#include "poly/ntt.h"
#include "support/random.h"

static struct test_random rng;
static struct test_backend backends[TEST_BACKENDS];
static struct cuzk_pool *pool;
static unsigned log_most = 20; /* on a device; CUZK_TEST_LOG_MOST */

static bool on_device(const struct cuzk_backend *backend)
{
    return strcmp(backend->ops->name, "cuda") == 0;
}

/* ---- sums ---- */

enum pattern {
    RANDOM,
    ZERO_SCALARS,
    LARGEST_SCALARS, /* r - 1 */
    EQUAL_POINTS,    /* random scalars */
    ONE_BUCKET,      /* equal points and scalars: doublings alone */
    OPPOSITE_POINTS, /* neighbours under one scalar: infinity again and again */
    INFINITE_POINTS, /* every third, and all of the last few: refused */
    MIXTURE,         /* few points and their opposites under few scalars */
    POWERS_OF_TWO,   /* one window of a scalar is occupied, at its edge */
    PATTERNS,
};

/* Element k: logarithm of its point, and its scalar. few: what a mixture chooses from. */
static void make_element(enum pattern pattern, size_t k, size_t n, const struct cuzk_fr few[4],
                         struct cuzk_fr *logarithm, struct cuzk_fr *scalar)
{
    struct cuzk_fr one;

    cuzk_fr_one(&one);
    test_backends_draw(&rng, logarithm);
    test_backends_draw(&rng, scalar);
    switch (pattern) {
    case ZERO_SCALARS:
        cuzk_fr_zero(scalar);
        break;
    case LARGEST_SCALARS:
        cuzk_fr_neg(&one, scalar);
        break;
    case EQUAL_POINTS:
        *logarithm = few[0];
        break;
    case ONE_BUCKET:
        *logarithm = few[0];
        *scalar = few[1];
        break;
    case OPPOSITE_POINTS:
        *logarithm = few[0];
        if (k % 2 == 1)
            cuzk_fr_neg(logarithm, logarithm);
        *scalar = few[1];
        break;
    case INFINITE_POINTS:
        if (k % 3 == 0 || k + 5 > n)
            cuzk_fr_zero(logarithm);
        break;
    case MIXTURE:
        *logarithm = few[test_random_below(&rng, 4)];
        if (test_random_below(&rng, 2) == 0)
            cuzk_fr_neg(logarithm, logarithm);
        *scalar = few[test_random_below(&rng, 4)];
        if (test_random_below(&rng, 4) == 0)
            cuzk_fr_zero(scalar);
        else if (test_random_below(&rng, 4) == 0)
            cuzk_fr_neg(&one, scalar);
        break;
    case POWERS_OF_TWO:
        cuzk_fr_from_u64(2, scalar);
        cuzk_fr_pow_u64(scalar, test_random_below(&rng, 255), scalar);
        break;
    default:
        break;
    }
}

static void assert_sum(bool g2, const union cuzk_backend_point *got, const struct cuzk_fr *logarithm)
{
    uint64_t words[4];

    cuzk_fr_to_words(logarithm, words);
    if (g2) {
        struct cuzk_g2 expected;
        cuzk_g2_from_affine(&cuzk_g2_generator, &expected);
        cuzk_g2_mul(&expected, words, &expected);
        assert_true(cuzk_g2_equal(&expected, &got->g2));
    } else {
        struct cuzk_g1 expected;
        cuzk_g1_from_affine(&cuzk_g1_generator, &expected);
        cuzk_g1_mul(&expected, words, &expected);
        assert_true(cuzk_g1_equal(&expected, &got->g1));
    }
}

static void check_sum(struct cuzk_backend *backend, struct cuzk_backend_table *table, bool g2,
                      enum pattern pattern, size_t n)
{
    uint64_t(*logarithms)[4] = calloc(n + 1, sizeof *logarithms),
    (*scalars)[4] = calloc(n + 1, sizeof *scalars);
    uint8_t *points = malloc(n * (g2 ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES) + 1);
    union cuzk_backend_point out;
    struct cuzk_fr sum, few[4];
    struct cuzk_error err;
    bool infinite = false;

    cuzk_fr_zero(&sum);
    for (int k = 0; k < 4; k++)
        test_backends_draw(&rng, &few[k]);
    for (size_t k = 0; k < n; k++) {
        struct cuzk_fr logarithm, scalar;
        make_element(pattern, k, n, few, &logarithm, &scalar);
        infinite |= cuzk_fr_is_zero(&logarithm);
        cuzk_fr_to_words(&logarithm, logarithms[k]);
        cuzk_fr_to_words(&scalar, scalars[k]);
        cuzk_fr_mul(&scalar, &logarithm, &scalar);
        cuzk_fr_add(&sum, &scalar, &sum);
    }
    assert_int_equal(backend->ops->setup_points(table, (const uint64_t(*)[4])logarithms, n, points, &err),
                     CUZK_OK);
    const enum cuzk_status status = backend->ops->msm(backend, g2 ? CUZK_GROUP_G2 : CUZK_GROUP_G1, points, n,
                                                      (const uint64_t(*)[4])scalars, &out, &err);
    if (infinite) { /* no key has infinity in it */
        assert_int_equal(status, CUZK_INPUT);
        assert_non_null(strstr(err.message, "infinity, which is not allowed here"));
    } else {
        if (status != CUZK_OK)
            fail_msg("%s", err.message);
        assert_sum(g2, &out, &sum);
    }
    free(logarithms);
    free(scalars);
    free(points);
}

static void sums(struct cuzk_backend *backend)
{
    static const size_t small[] = {0, 1, 2, 3, 33, 257},
                        large[] = {1023, 4097, 65537, 262145, (1 << 20) - 1, 1 << 20};
    const size_t sizes = sizeof large / sizeof *large;

    for (int g2 = 0; g2 < 2; g2++) {
        struct cuzk_backend_table *table;
        union cuzk_backend_affine base;
        if (g2)
            base.g2 = cuzk_g2_generator;
        else
            base.g1 = cuzk_g1_generator;
        assert_int_equal(backend->ops->table_create(backend, g2 ? CUZK_GROUP_G2 : CUZK_GROUP_G1, &base, 2000,
                                                    &table, NULL),
                         CUZK_OK);
        for (int pattern = 0; pattern < PATTERNS; pattern++) {
            for (size_t k = 0; k < sizeof small / sizeof *small; k++)
                check_sum(backend, table, g2 != 0, (enum pattern)pattern, small[k]);
            for (size_t k = 0; on_device(backend) && k < sizes && large[k] >> log_most <= 1; k++)
                if (large[k] < 5000 || pattern == MIXTURE || pattern == RANDOM || pattern == ONE_BUCKET)
                    check_sum(backend, table, g2 != 0, (enum pattern)pattern, large[k]);
        }
        cuzk_backend_table_destroy(table);
    }
}

/* ---- transforms ---- */

/* Every direction at every size against the processor's, with vectors of zeros and of r - 1 among them. On a
 * device with twiddles whole, and cut in two as under a limit of memory. */
static void transforms(struct cuzk_backend *backend)
{
    const unsigned most = on_device(backend) ? log_most : 10;
    struct cuzk_fr one, minus_one;

    cuzk_fr_one(&one);
    cuzk_fr_neg(&one, &minus_one);
    for (unsigned log_n = 0; log_n <= most; log_n++) {
        const size_t n = (size_t)1 << log_n;
        struct cuzk_fr *got = calloc(n, sizeof *got), *expected = calloc(n, sizeof *expected);
        struct cuzk_ntt *ntt;
        assert_int_equal(cuzk_ntt_create(log_n, &ntt, NULL), CUZK_OK);
        for (int kind = 0; kind < (on_device(backend) ? 12 : 6); kind++) {
            const bool inverse = kind & 1, coset = kind % 6 & 2;
            backend->memory_limit = kind >= 6 ? (uint64_t)1 << 30 : 0;
            for (size_t k = 0; k < n; k++) {
                if (kind % 6 >= 4)
                    got[k] = kind % 6 == 4 ? minus_one : (struct cuzk_fr){{0}};
                else
                    test_backends_draw(&rng, &got[k]);
            }
            memcpy(expected, got, n * sizeof *got);
            assert_int_equal(backend->ops->ntt(backend, log_n, inverse, coset, got, NULL), CUZK_OK);
            assert_int_equal(cuzk_ntt_transform(ntt, pool, inverse ? CUZK_NTT_INVERSE : CUZK_NTT_FORWARD,
                                                coset, expected, NULL),
                             CUZK_OK);
            assert_memory_equal(got, expected, n * sizeof *got);
        }
        backend->memory_limit = 0;
        cuzk_ntt_destroy(ntt);
        free(got);
        free(expected);
    }
}

/* Of a device: cuzk_cuda_measure compares what it measures with the definition; at sizes of each kind of
 * pass. */
static void measured(struct cuzk_backend *backend)
{
    static const unsigned sizes[] = {4, 9, 10, 11, 12, 17, 18, 20};

    for (size_t k = 0; on_device(backend) && k < sizeof sizes / sizeof *sizes && sizes[k] <= log_most; k++)
        for (int work = CUZK_CUDA_NTT_DOWN; work < CUZK_CUDA_WORKS; work++) {
            struct cuzk_error err;
            uint64_t ns;
            if (cuzk_cuda_measure(backend, (enum cuzk_cuda_work)work, sizes[k], 1, &ns, &err) != CUZK_OK)
                fail_msg("2^%u: %s", sizes[k], err.message);
        }
}

static void test_msm__is_right_at_the_edges(void **state)
{
    (void)state;
    test_backends_each(backends, sums);
}

static void test_ntt__equals_the_processors_at_every_size(void **state)
{
    (void)state;
    test_backends_each(backends, transforms);
}

static void test_measure__finds_everything_right(void **state)
{
    (void)state;
    test_backends_each(backends, measured);
}

/* A pattern chooses among the tests. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msm__is_right_at_the_edges),
        cmocka_unit_test(test_ntt__equals_the_processors_at_every_size),
        cmocka_unit_test(test_measure__finds_everything_right),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (getenv("CUZK_TEST_LOG_MOST") != NULL)
        log_most = (unsigned)strtoul(getenv("CUZK_TEST_LOG_MOST"), NULL, 10);
    test_random_init(&rng);
    if (cuzk_pool_create(0, &pool, NULL) != CUZK_OK)
        return 1;
    test_backends_open(pool, backends);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_backends_close(backends);
    cuzk_pool_destroy(pool);
    return failed;
}
