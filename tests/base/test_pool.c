#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/pool.h"

enum { COUNT = 5000 };

struct tally {
    struct cuzk_pool *pool;
    atomic_uint seen[COUNT];
    atomic_uint workers[64];
    atomic_uint overlaps;
};

static void mark(void *context, size_t index, unsigned worker)
{
    struct tally *tally = context;

    if (atomic_fetch_add(&tally->workers[worker], 1) != 0)
        atomic_fetch_add(&tally->overlaps, 1);
    atomic_fetch_add(&tally->seen[index], 1);
    atomic_fetch_sub(&tally->workers[worker], 1);
}

static void mark_range(void *context, size_t begin, size_t end, unsigned worker)
{
    for (size_t i = begin; i < end; i++)
        mark(context, i, worker);
}

static void check_each_once(struct tally *tally, size_t n)
{
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(tally->seen[i], i < n ? 1 : 0);
    assert_int_equal(tally->overlaps, 0);
}

static void test_run__does_every_index_once(void **state)
{
    static const unsigned threads[] = {1, 2, 3, 7};
    static const size_t counts[] = {0, 1, 2, 3, 100, COUNT};

    (void)state;
    for (size_t t = 0; t < 4; t++) {
        struct cuzk_pool *pool;

        assert_int_equal(cuzk_pool_create(threads[t], &pool, NULL), CUZK_OK);
        assert_int_equal(cuzk_pool_threads(pool), threads[t]);
        for (size_t c = 0; c < 6; c++) {
            struct tally *tally = calloc(1, sizeof *tally);

            cuzk_pool_run(pool, counts[c], mark, tally);
            check_each_once(tally, counts[c]);
            free(tally);
        }
        cuzk_pool_destroy(pool);
    }
}

static void test_run__takes_no_pool_for_one_thread(void **state)
{
    struct tally *tally = calloc(1, sizeof *tally);

    (void)state;
    assert_int_equal(cuzk_pool_threads(NULL), 1);
    cuzk_pool_run(NULL, 10, mark, tally);
    check_each_once(tally, 10);
    cuzk_pool_destroy(NULL);
    free(tally);
}

static void nested(void *context, size_t index, unsigned worker)
{
    struct tally *tally = context;

    (void)worker;
    (void)index;
    cuzk_pool_run(tally->pool, 10, mark, tally);
}

static void test_run__nested_runs_in_the_calling_thread(void **state)
{
    struct tally *tally = calloc(1, sizeof *tally);

    (void)state;
    assert_int_equal(cuzk_pool_create(3, &tally->pool, NULL), CUZK_OK);
    cuzk_pool_run(tally->pool, 20, nested, tally);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(tally->seen[i], 20);
    cuzk_pool_destroy(tally->pool);
    free(tally);
}

static void test_range__covers_everything_once(void **state)
{
    static const size_t grains[] = {1, 7, 1000, 10000};
    struct cuzk_pool *pool;

    (void)state;
    assert_int_equal(cuzk_pool_create(3, &pool, NULL), CUZK_OK);
    for (size_t g = 0; g < 4; g++) {
        struct tally *tally = calloc(1, sizeof *tally);

        cuzk_pool_range(pool, COUNT - 1, grains[g], mark_range, tally);
        check_each_once(tally, COUNT - 1);
        free(tally);
    }
    cuzk_pool_destroy(pool);
}

struct trial {
    atomic_uint runs[COUNT];
    size_t fails[3]; /* indexes that fail, ascending; COUNT and above: none */
};

/* The one to be told of fails last. */
static enum cuzk_status fail_some(void *context, size_t index, struct cuzk_error *err)
{
    struct trial *trial = context;

    atomic_fetch_add(&trial->runs[index], 1);
    if (index == trial->fails[0])
        while (trial->fails[1] < COUNT && atomic_load(&trial->runs[trial->fails[1]]) == 0)
            sched_yield();
    for (size_t i = 0; i < 3; i++)
        if (index == trial->fails[i])
            return cuzk_error_set(err, i == 0 ? CUZK_INVALID : CUZK_INPUT, "number %zu", index);
    return CUZK_OK;
}

static void test_try__tells_of_the_lowest_index_that_failed(void **state)
{
    struct trial *trial = calloc(1, sizeof *trial);
    struct cuzk_error err = {0};
    struct cuzk_pool *pool;
    size_t failed = COUNT;

    (void)state;
    assert_int_equal(cuzk_pool_create(3, &pool, NULL), CUZK_OK);
    trial->fails[0] = 100;
    trial->fails[1] = 101;
    trial->fails[2] = 4000;
    assert_int_equal(cuzk_pool_try(pool, COUNT, fail_some, trial, &failed, &err), CUZK_INVALID);
    assert_int_equal(failed, 100);
    assert_string_equal(err.message, "number 100");
    for (size_t i = 0; i < COUNT; i++)
        assert_in_range(trial->runs[i], i <= 100, 1);
    cuzk_pool_destroy(pool);
    free(trial);
}

static void test_try__without_failure_runs_all_and_leaves_the_error(void **state)
{
    struct trial *trial = calloc(1, sizeof *trial);
    struct cuzk_error err = {.message = "as it was"};
    size_t failed = 7;

    (void)state;
    trial->fails[0] = trial->fails[1] = trial->fails[2] = COUNT;
    assert_int_equal(cuzk_pool_try(NULL, COUNT, fail_some, trial, &failed, &err), CUZK_OK);
    assert_int_equal(failed, 7);
    assert_string_equal(err.message, "as it was");
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(trial->runs[i], 1);
    assert_int_equal(cuzk_pool_try(NULL, 0, fail_some, trial, NULL, NULL), CUZK_OK);
    trial->fails[0] = COUNT - 1;
    assert_int_equal(cuzk_pool_try(NULL, COUNT, fail_some, trial, NULL, NULL), CUZK_INVALID);
    free(trial);
}

static void test_create__reports_want_of_memory(void **state)
{
    (void)state;
    for (size_t n = 0; n < 3; n++) {
        struct cuzk_pool *pool = (struct cuzk_pool *)state;

        const size_t before = cuzk_mem_in_use();
        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = cuzk_pool_create(4, &pool, NULL);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_int_equal(status, CUZK_MEMORY);
        assert_null(pool);
        assert_int_equal(cuzk_mem_in_use(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__does_every_index_once),
        cmocka_unit_test(test_run__takes_no_pool_for_one_thread),
        cmocka_unit_test(test_run__nested_runs_in_the_calling_thread),
        cmocka_unit_test(test_range__covers_everything_once),
        cmocka_unit_test(test_try__tells_of_the_lowest_index_that_failed),
        cmocka_unit_test(test_try__without_failure_runs_all_and_leaves_the_error),
        cmocka_unit_test(test_create__reports_want_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
