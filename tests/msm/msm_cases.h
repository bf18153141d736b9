/*
 * The MSM tests of one group; test_msm_g1.c and test_msm_g2.c include this after the group's header. Results
 * are compared with double-and-add (curve/), or, for many points, with one multiple of the generator: bases
 * are then known multiples of it.
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
#include "field/fr.h"
#include "msm/fixed_base.h"
#include "msm/msm.h"
#include "support/random.h"

static struct test_random rng;

typedef uint64_t scalar_words[4];

/* Runs `check` at every level that the processor has. */
static void at_every_level(void (*check)(void))
{
    const enum cuzk_cpu_level first = cuzk_cpu_level();

    for (enum cuzk_cpu_level level = CUZK_CPU_PORTABLE; level <= first; level++) {
        assert_int_equal(cuzk_cpu_set_level(level), level);
        check();
    }
    (void)cuzk_cpu_set_level(first);
}

static void draw_scalar(scalar_words out)
{
    const uint64_t r[4] = CUZK_FR_MODULUS;

    memset(out, 0, sizeof(scalar_words));
    switch (test_random_below(&rng, 12)) {
    case 0:
        break;
    case 1:
        out[0] = 1;
        break;
    case 2: /* r - 1 */
        memcpy(out, r, sizeof r);
        out[0]--;
        break;
    case 3: /* r and a little more */
        memcpy(out, r, sizeof r);
        out[0] += test_random_below(&rng, 3);
        break;
    case 4: /* the largest */
        memset(out, 0xff, sizeof(scalar_words));
        break;
    case 5:
        out[0] = test_random_below(&rng, 300);
        break;
    case 6: /* about r / 2 */
        for (int i = 0; i < 4; i++)
            out[i] = r[i] >> 1 | (i < 3 ? r[i + 1] << 63 : 0);
        out[0] += test_random_below(&rng, 3) - 1;
        break;
    default:
        do
            test_random_bytes(&rng, out, sizeof(scalar_words));
        while (!cuzk_fr_words_are_reduced(out));
    }
}

/* A few points that repeat, their negatives and infinity. */
static void draw_bases(group_affine *bases, size_t n)
{
    enum { POOL = 23 };
    group_affine pool[POOL];

    for (int i = 0; i < POOL; i++) {
        group_point point;
        scalar_words k = {test_random_u64(&rng), 1};
        GROUP(from_affine)(&GROUP(generator), &point);
        GROUP(mul)(&point, k, &point);
        GROUP(to_affine)(&point, &pool[i]);
    }
    for (size_t i = 0; i < n; i++) {
        bases[i] = pool[test_random_below(&rng, POOL)];
        if (test_random_below(&rng, 4) == 0)
            GROUP(affine_neg)(&bases[i], &bases[i]);
        if (test_random_below(&rng, 20) == 0)
            memset(&bases[i], 0, sizeof bases[i]);
    }
}

static void naive_msm(const group_affine *bases, const scalar_words *scalars, size_t n, group_point *out)
{
    group_point t;

    GROUP(identity)(out);
    for (size_t i = 0; i < n; i++) {
        GROUP(from_affine)(&bases[i], &t);
        GROUP(mul)(&t, scalars[i], &t);
        GROUP(add)(out, &t, out);
    }
}

static void assert_points_equal(const group_point *a, const group_point *b)
{
    assert_true(GROUP(equal)(a, b));
}

static const size_t edge_sizes[] = {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 200, 511, 512, 513};
enum { EDGE_SIZES = sizeof edge_sizes / sizeof *edge_sizes, EDGE_MOST = 513 };

static void check_edge_sizes(void)
{
    static group_affine bases[EDGE_MOST];
    static scalar_words scalars[EDGE_MOST];
    group_point expected, got;

    for (size_t k = 0; k < EDGE_SIZES; k++) {
        const size_t n = edge_sizes[k];
        draw_bases(bases, n);
        for (size_t i = 0; i < n; i++)
            draw_scalar(scalars[i]);
        naive_msm(bases, (const scalar_words *)scalars, n, &expected);
        assert_int_equal(MSM()(NULL, bases, (const scalar_words *)scalars, n, &got, NULL), CUZK_OK);
        assert_points_equal(&expected, &got);
    }
}

static void test_msm__equals_double_and_add_at_edge_sizes(void **state)
{
    (void)state;
    at_every_level(check_edge_sizes);
}

/* All scalars and all bases equal, alternating signs, one bucket, only ones, only r - 1. */
static void check_skewed(void)
{
    enum { N = 700 };
    static group_affine bases[N];
    static scalar_words scalars[N];
    group_point expected, got;

    for (int kind = 0; kind < 7; kind++) {
        group_affine point[1];
        draw_bases(bases, N);
        do
            draw_bases(point, 1);
        while (GROUP(affine_is_identity)(point));
        for (int i = 0; i < N; i++) {
            draw_scalar(scalars[i]);
            if (kind == 0 || kind == 1 || kind == 4 || kind == 5)
                bases[i] = point[0];
            if ((kind == 1 || kind == 5) && i % 2 == 1)
                GROUP(affine_neg)(&bases[i], &bases[i]);
            if (kind == 1 || kind == 2 || kind == 4)
                memcpy(scalars[i], scalars[0], sizeof scalars[i]);
            if (kind == 3) {
                memset(scalars[i], 0, sizeof scalars[i]);
                scalars[i][0] = 1;
            }
            if (kind == 5) {
                const uint64_t r[4] = CUZK_FR_MODULUS;
                memcpy(scalars[i], r, sizeof r);
                scalars[i][0]--;
            }
            if (kind == 6) {
                memset(scalars[i], 0, sizeof scalars[i]);
                scalars[i][2] = test_random_below(&rng, 3) << 20;
            }
        }
        naive_msm(bases, (const scalar_words *)scalars, N, &expected);
        assert_int_equal(MSM()(NULL, bases, (const scalar_words *)scalars, N, &got, NULL), CUZK_OK);
        assert_points_equal(&expected, &got);
    }
}

static void test_msm__is_right_for_skewed_scalars_and_equal_points(void **state)
{
    (void)state;
    at_every_level(check_skewed);
}

/* bases[i] = (first + i * step) * generator */
static void make_progression(size_t n, uint64_t first, uint64_t step, group_affine *bases)
{
    group_point *points = malloc((n + 1) * sizeof *points), delta;
    const scalar_words a = {first}, b = {step};

    assert_non_null(points);
    GROUP(from_affine)(&GROUP(generator), &delta);
    GROUP(mul)(&delta, a, &points[0]);
    GROUP(mul)(&delta, b, &delta);
    for (size_t i = 1; i < n; i++)
        GROUP(add)(&points[i - 1], &delta, &points[i]);
    GROUP(batch_to_affine)(points, n, bases);
    free(points);
}

/* The MSM of a progression as a multiple of the generator. */
static void known_msm(const scalar_words *scalars, size_t n, uint64_t first, uint64_t step, group_point *out)
{
    struct cuzk_fr sum, s, k, delta;
    scalar_words words;

    cuzk_fr_zero(&sum);
    cuzk_fr_from_u64(first, &k);
    cuzk_fr_from_u64(step, &delta);
    for (size_t i = 0; i < n; i++) {
        uint8_t wide[64] = {0};
        memcpy(wide, scalars[i], 32);
        cuzk_fr_from_wide_bytes(wide, &s);
        cuzk_fr_mul(&s, &k, &s);
        cuzk_fr_add(&sum, &s, &sum);
        cuzk_fr_add(&k, &delta, &k);
    }
    cuzk_fr_to_words(&sum, words);
    GROUP(from_affine)(&GROUP(generator), out);
    GROUP(mul)(out, words, out);
}

static group_affine *many;
static scalar_words *many_scalars;
static uint8_t *many_raw;
static uint64_t many_first, many_step;

static void many_setup(void)
{
    if (many != NULL)
        return;
    many = malloc(MANY * sizeof *many);
    many_scalars = malloc(MANY * sizeof *many_scalars);
    many_raw = malloc((size_t)MANY * GROUP_RAW_BYTES);
    assert_true(many != NULL && many_scalars != NULL && many_raw != NULL);
    many_first = test_random_below(&rng, UINT64_C(1) << 40);
    many_step = 1 + test_random_below(&rng, UINT64_C(1) << 40);
    make_progression(MANY, many_first, many_step, many);
    for (size_t i = 0; i < MANY; i++) {
        test_random_bytes(&rng, many_scalars[i], sizeof many_scalars[i]);
        GROUP(encode_raw)(&many[i], many_raw + i * GROUP_RAW_BYTES);
    }
}

struct progress {
    size_t at, calls;
};

static enum cuzk_status note_progress(void *context, size_t begin, size_t end, struct cuzk_error *err)
{
    struct progress *progress = context;

    (void)err;
    assert_int_equal(begin, progress->at);
    assert_true(end > begin);
    progress->at = end;
    progress->calls++;
    return CUZK_OK;
}

static void check_many(void)
{
    struct cuzk_pool *pool = NULL;
    group_point expected, got;

    many_setup();
    assert_int_equal(cuzk_pool_create(3, &pool, NULL), CUZK_OK);
    known_msm((const scalar_words *)many_scalars, MANY, many_first, many_step, &expected);
    assert_int_equal(MSM()(NULL, many, (const scalar_words *)many_scalars, MANY, &got, NULL), CUZK_OK);
    assert_points_equal(&expected, &got);
    assert_int_equal(MSM()(pool, many, (const scalar_words *)many_scalars, MANY, &got, NULL), CUZK_OK);
    assert_points_equal(&expected, &got);

    /* many threads: several tasks share a window */
    cuzk_pool_destroy(pool);
    assert_int_equal(cuzk_pool_create(40, &pool, NULL), CUZK_OK);
    assert_int_equal(MSM()(pool, many, (const scalar_words *)many_scalars, MANY, &got, NULL), CUZK_OK);
    assert_points_equal(&expected, &got);

    /* in chunks, from bytes */
    const size_t chunks[] = {0, MANY / 3, 1000};
    for (int i = 0; i < 3; i++) {
        const size_t n = chunks[i] == 1000 ? MANY / 8 : MANY;
        struct progress progress = {0, 0};
        const struct cuzk_msm_raw raw = {many_raw, n, "h", chunks[i], note_progress, &progress};
        known_msm((const scalar_words *)many_scalars, n, many_first, many_step, &expected);
        assert_int_equal(
            MSM(_raw)(i == 1 ? pool : NULL, &raw, (const scalar_words *)many_scalars, &got, NULL), CUZK_OK);
        assert_points_equal(&expected, &got);
        assert_int_equal(progress.at, n);
        assert_true(chunks[i] == 0 || progress.calls > 1);
    }
    cuzk_pool_destroy(pool);
}

static void test_msm__equals_known_logarithms_at_large_sizes(void **state)
{
    (void)state;
    at_every_level(check_many);
}

/* Nearly all scalars zero or one, as in a witness. */
static void check_mixed(void)
{
    scalar_words *scalars = malloc(MANY * sizeof *scalars);
    uint64_t *bitmap = calloc(MANY / 64 + 1, sizeof *bitmap);
    struct cuzk_pool *pool = NULL;
    group_point expected, got;

    assert_true(scalars != NULL && bitmap != NULL);
    many_setup();
    assert_int_equal(cuzk_pool_create(2, &pool, NULL), CUZK_OK);
    for (size_t i = 0; i < MANY; i++) {
        memset(scalars[i], 0, sizeof scalars[i]);
        if (test_random_below(&rng, 40) == 0)
            draw_scalar(scalars[i]);
        else
            scalars[i][0] = test_random_below(&rng, 2);
    }
    known_msm((const scalar_words *)scalars, MANY, many_first, many_step, &expected);
    assert_int_equal(MSM()(pool, many, (const scalar_words *)scalars, MANY, &got, NULL), CUZK_OK);
    assert_points_equal(&expected, &got);
    const struct cuzk_msm_raw raw = {.bytes = many_raw, .n = MANY, .chunk = MANY / 9};
    assert_int_equal(MSM(_raw)(NULL, &raw, (const scalar_words *)scalars, &got, NULL), CUZK_OK);
    assert_points_equal(&expected, &got);

    for (size_t n = 0; n <= MANY; n = n < 40 ? n + 1 : n * 7) {
        for (size_t i = 0; i < MANY; i++) {
            memset(scalars[i], 0, sizeof scalars[i]);
            scalars[i][0] = test_random_below(&rng, 2);
            bitmap[i / 64] &= ~(UINT64_C(1) << i % 64);
            bitmap[i / 64] |= scalars[i][0] << i % 64;
        }
        known_msm((const scalar_words *)scalars, n, many_first, many_step, &expected);
        assert_int_equal(MSM(_sum_bits)(pool, many, bitmap, n, &got, NULL), CUZK_OK);
        assert_points_equal(&expected, &got);
        const struct cuzk_msm_raw bases = {.bytes = many_raw, .n = n, .chunk = MANY / 5};
        assert_int_equal(MSM(_raw_sum_bits)(NULL, &bases, bitmap, &got, NULL), CUZK_OK);
        assert_points_equal(&expected, &got);
    }
    cuzk_pool_destroy(pool);
    free(scalars);
    free(bitmap);
}

static void test_msm__is_right_for_bits_and_mixed_scalars(void **state)
{
    (void)state;
    at_every_level(check_mixed);
}

static void check_refusals(void)
{
    enum { N = 100 };
    struct cuzk_error err = {0};
    group_point got;

    many_setup();
    for (int kind = 0; kind < 5; kind++) {
        uint8_t *bytes = malloc((size_t)N * GROUP_RAW_BYTES);
        scalar_words scalars[N];
        assert_non_null(bytes);
        memcpy(bytes, many_raw, (size_t)N * GROUP_RAW_BYTES);
        for (int i = 0; i < N; i++) {
            memset(scalars[i], 0, sizeof scalars[i]);
            scalars[i][0] = (uint64_t)i;
        }
        uint8_t *bad = bytes + 77 * GROUP_RAW_BYTES;
        const char *why = "";
        switch (kind) {
        case 0:
            bad[GROUP_RAW_BYTES - 1] ^= 1;
            why = "curve";
            break;
        case 1:
            memset(bad, 0, GROUP_RAW_BYTES);
            bad[0] = 0x40;
            why = "infinity";
            break;
        case 2:
            bad[0] |= 0x80;
            break;
        case 3: /* y = 2^384 - 1 */
            memset(bad + GROUP_RAW_BYTES - 48, 0xff, 48);
            break;
        case 4: /* x + p, which fits in 381 bits for small x only: here just too large */
            bad[0] = 0x1f;
            break;
        }
        const struct cuzk_msm_raw raw = {.bytes = bytes, .n = N, .name = "a query"};
        assert_int_equal(MSM(_raw)(NULL, &raw, (const scalar_words *)scalars, &got, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "a query, point 77 of 100"));
        assert_non_null(strstr(err.message, why));
        /* a base that is not used is not looked at */
        scalars[77][0] = 0;
        assert_int_equal(MSM(_raw)(NULL, &raw, (const scalar_words *)scalars, &got, &err), CUZK_OK);
        free(bytes);
    }
}

static void test_msm_raw__names_the_bad_point(void **state)
{
    (void)state;
    at_every_level(check_refusals);
}

static enum cuzk_status stop(void *context, size_t begin, size_t end, struct cuzk_error *err)
{
    (void)context;
    (void)begin;
    (void)end;
    return cuzk_error_set(err, CUZK_CANCELLED, "stopped");
}

static void test_msm_raw__can_be_stopped(void **state)
{
    struct cuzk_error err = {0};
    group_point got;

    (void)state;
    many_setup();
    const struct cuzk_msm_raw raw = {.bytes = many_raw, .n = 500, .chunk = 100, .consumed = stop};
    assert_int_equal(MSM(_raw)(NULL, &raw, (const scalar_words *)many_scalars, &got, &err), CUZK_CANCELLED);
}

static void test_msm__survives_every_failed_allocation(void **state)
{
    group_point expected, got;

    (void)state;
    many_setup();
    known_msm((const scalar_words *)many_scalars, 100, many_first, many_step, &expected);
    const size_t before = cuzk_mem_in_use();
    for (size_t k = 0;; k++) {
        cuzk_mem_fail_after(k, 0);
        const enum cuzk_status status =
            MSM()(NULL, many, (const scalar_words *)many_scalars, 100, &got, NULL);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_int_equal(cuzk_mem_in_use(), before);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
        assert_true(k < 200);
    }
    assert_points_equal(&expected, &got);
}

static void check_fixed_base(void)
{
    enum { N = 3000 };
    static scalar_words scalars[N];
    static group_affine got[N];
    static uint8_t raw[N * GROUP_RAW_BYTES];
    uint8_t one[GROUP_RAW_BYTES];
    struct TABLE() *table = NULL;
    struct cuzk_pool *pool = NULL;

    assert_int_equal(cuzk_pool_create(2, &pool, NULL), CUZK_OK);
    for (int kind = 0; kind < 3; kind++) {
        group_affine base[1], expected;
        group_point point, multiple;
        do
            draw_bases(base, 1);
        while (GROUP(affine_is_identity)(base));
        if (kind == 2)
            memset(base, 0, sizeof base);
        GROUP(from_affine)(base, &point);
        for (int i = 0; i < N; i++)
            draw_scalar(scalars[i]);
        const size_t n = kind == 0 ? N : 77;
        assert_int_equal(TABLE(_create)(pool, base, kind == 0 ? 100 * N : 10, &table, NULL), CUZK_OK);
        assert_int_equal(TABLE(_mul)(pool, table, (const scalar_words *)scalars, n, got, NULL), CUZK_OK);
        assert_int_equal(TABLE(_mul_raw)(NULL, table, (const scalar_words *)scalars, n, raw, NULL), CUZK_OK);
        for (size_t i = 0; i < n; i++) {
            GROUP(mul)(&point, scalars[i], &multiple);
            GROUP(to_affine)(&multiple, &expected);
            assert_true(GROUP(affine_equal)(&expected, &got[i]));
            GROUP(encode_raw)(&expected, one);
            assert_memory_equal(one, raw + i * GROUP_RAW_BYTES, GROUP_RAW_BYTES);
        }
        TABLE(_destroy)(table);
    }
    cuzk_pool_destroy(pool);
}

static void test_fixed_base__equals_double_and_add(void **state)
{
    (void)state;
    at_every_level(check_fixed_base);
}

static int run_msm_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_msm__equals_double_and_add_at_edge_sizes),
        cmocka_unit_test(test_msm__is_right_for_skewed_scalars_and_equal_points),
        cmocka_unit_test(test_msm__equals_known_logarithms_at_large_sizes),
        cmocka_unit_test(test_msm__is_right_for_bits_and_mixed_scalars),
        cmocka_unit_test(test_msm_raw__names_the_bad_point),
        cmocka_unit_test(test_msm_raw__can_be_stopped),
        cmocka_unit_test(test_msm__survives_every_failed_allocation),
        cmocka_unit_test(test_fixed_base__equals_double_and_add),
    };

    test_random_init(&rng);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(many);
    free(many_scalars);
    free(many_raw);
    return failed;
}
