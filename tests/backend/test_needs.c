/* The plan of device memory, which needs no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/needs.h"

/* A partition of a 32 GiB PoRep. */
static const struct cuzk_backend_shape porep_32g = {
    .log_domain = 27,
    .constraints = 130278541,
    .rows = 7300000,
    .parts = 18,
    .inputs = 328,
    .bits = 128470000,
    .wide = 1699893,
    .coefficients = 4096,
    .terms = {20000000, 8000000},
    .points = {(1u << 27) - 1, 130169893, 129753620, 33112282, 33112282},
};

/* A partition of a WindowPoSt: nearly all values are wide, three of four queries have a point for most. */
static const struct cuzk_backend_shape wpost_32g = {
    .log_domain = 27,
    .constraints = 125279217,
    .rows = 60000,
    .parts = 2349,
    .inputs = 25840,
    .bits = 1174500,
    .wide = 125727876,
    .coefficients = 4096,
    .terms = {370000, 60000},
    .points = {(1u << 27) - 1, 126902376, 96205645, 91925767, 91925767},
};

static void test_plan__keeps_a_window_post_whole_on_141_gb(void **state)
{
    const uint64_t device = UINT64_C(141) * 1000 * 1000 * 1000;
    struct cuda_plan plan;

    (void)state;
    assert_int_equal(cuda_plan_make(&wpost_32g, device, &plan, NULL), CUZK_OK);
    print_message("key %.1f GB, work %.1f GB, job %.1f GB\n", (double)plan.needs.key / 1e9,
                  (double)plan.needs.work / 1e9, (double)plan.needs.job / 1e9);
    assert_false(plan.chunked);
    assert_true(plan.needs.key + plan.needs.work + 2 * plan.needs.job <= device); /* two in flight */
}

static void test_plan__keeps_a_key_whole_where_there_is_room(void **state)
{
    struct cuda_plan plan;

    (void)state;
    assert_int_equal(cuda_plan_make(&porep_32g, UINT64_C(140) << 30, &plan, NULL), CUZK_OK);
    assert_false(plan.chunked);
    assert_int_equal(plan.needs.host, 0);
    assert_false(plan.needs.streamed);
}

static void test_plan__fits_every_limit_it_accepts(void **state)
{
    uint64_t least = 0;

    (void)state;
    for (uint64_t limit = UINT64_C(1) << 30; limit <= UINT64_C(110) << 30; limit += UINT64_C(1) << 28) {
        struct cuda_plan plan;
        struct cuzk_error err;
        if (cuda_plan_make(&porep_32g, limit, &plan, &err) != CUZK_OK) {
            assert_int_equal(err.status, CUZK_MEMORY);
            assert_non_null(strstr(err.message, "MiB"));
            assert_int_equal(least, 0); /* what fits a limit fits a larger one */
            continue;
        }
        least = least == 0 ? limit : least;
        assert_true(plan.needs.key + plan.needs.work + plan.needs.job <= limit);
        assert_int_equal(plan.needs.streamed, plan.slots != 0);
        assert_true(plan.slots == 0 || plan.chunk_bytes >= 1 << 14);
    }
    assert_true(least <= UINT64_C(15) << 30);
}

static void test_plan__streams_a_32_gib_porep_within_16_gib(void **state)
{
    struct cuda_plan plan;

    (void)state;
    assert_int_equal(cuda_plan_make(&porep_32g, UINT64_C(16) << 30, &plan, NULL), CUZK_OK);
    assert_true(plan.chunked && plan.needs.streamed);
    assert_true(plan.needs.key + plan.needs.work + 2 * plan.needs.job <= UINT64_C(16) << 30);
    assert_true(plan.needs.host < UINT64_C(50) << 30);
    assert_true(plan.chunk_bytes > UINT64_C(512) << 20); /* small chunks cost additions */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plan__keeps_a_key_whole_where_there_is_room),
        cmocka_unit_test(test_plan__keeps_a_window_post_whole_on_141_gb),
        cmocka_unit_test(test_plan__fits_every_limit_it_accepts),
        cmocka_unit_test(test_plan__streams_a_32_gib_porep_within_16_gib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
