/* The engine where something is short: memory for keys and partitions, time for results, allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/engine_driver.h"

#define MS  UINT64_C(1000000)
#define GIB (UINT64_C(1) << 30)

enum { STACKED_2K = 5, STACKED_8M = 6, STACKED_512M = 7 };

/* Two of three keys fit beside the buffers of a unit. */
static void short_of_memory(struct engine_driver *driver, const char *preset)
{
    engine_driver_init(driver, preset);
    driver->behaviour[0].memory = 10 * GIB;
    driver->behaviour[0].need = (struct cuzk_device_need){.key_device = 4 * GIB, .unit_device = GIB};
    driver->behaviour[0].load_ns = 2 * MS;
    driver->behaviour[0].stage_ns[CUZK_STAGE_MSM] = MS;
}

static void test_keys__make_place_for_each_other(void **state)
{
    enum { JOBS = 30 };
    static const char *const presets[] = {"phase-0", "phase-8", "phase-10", "phase-12", "auto"};

    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        struct engine_driver driver;
        struct cuzk_event_totals totals;
        struct cuzk_engine_status status;
        char jobs[JOBS][CUZK_JOB_ID_TEXT];

        short_of_memory(&driver, presets[i]);
        engine_driver_open(&driver);
        for (unsigned j = 0; j < JOBS; j++)
            engine_driver_submit(&driver, STACKED_2K + j % 3, (enum cuzk_priority)(j % 4), jobs[j]);
        for (unsigned j = 0; j < JOBS; j++) {
            const struct engine_result result = engine_driver_await(&driver, jobs[j]);

            if (result.state != CUZK_JOB_DONE)
                fail_msg("%s: %s", presets[i], result.error);
        }
        engine_driver_drain(&driver);
        cuzk_event_log_totals(cuzk_engine_events(driver.engine), &totals);
        assert_true(totals.count[CUZK_EVENT_TYPE_KEY_EVICTED] > 0);
        cuzk_engine_status(driver.engine, &status);
        assert_int_equal(status.retries, 0); /* the device never had to say no */
        assert_int_equal(status.keys, 3);
        for (unsigned k = 0; k < status.keys; k++)
            assert_int_equal(status.key[k].references, 0);
        engine_driver_close(&driver);
    }
}

static void test_keys__per_proof_leaves_none(void **state)
{
    struct engine_driver driver;
    struct cuzk_event_totals totals;
    char jobs[3][CUZK_JOB_ID_TEXT];

    (void)state;
    short_of_memory(&driver, "auto");
    engine_driver_set(&driver, "srs=per-proof");
    engine_driver_set(&driver, "workers_per_device=1");
    engine_driver_open(&driver);
    for (unsigned j = 0; j < 3; j++) {
        engine_driver_submit(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, jobs[j]);
        assert_int_equal(engine_driver_await(&driver, jobs[j]).state, CUZK_JOB_DONE);
    }
    engine_driver_drain(&driver);
    cuzk_event_log_totals(cuzk_engine_events(driver.engine), &totals);
    assert_int_equal(totals.count[CUZK_EVENT_TYPE_KEY_LOADED], 3);
    assert_int_equal(totals.count[CUZK_EVENT_TYPE_KEY_EVICTED], 3);
    engine_driver_close(&driver);
}

static void test_admission__what_never_fits_is_refused_with_the_sum(void **state)
{
    struct engine_driver driver;
    struct cuzk_submission out;
    struct cuzk_error err;

    (void)state;
    short_of_memory(&driver, "auto");
    driver.behaviour[0].need.key_device = 9 * GIB + 1;
    engine_driver_open(&driver);
    assert_int_equal(engine_driver_request(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, &out, &err),
                     CUZK_MEMORY);
    assert_non_null(strstr(err.message, "10.000 GiB"));
    engine_driver_close(&driver);

    short_of_memory(&driver, "phase-10"); /* two units at once: 8 + 2 x 1.5 */
    driver.behaviour[0].need.key_device = 8 * GIB;
    driver.behaviour[0].need.unit_device = 3 * GIB / 2;
    engine_driver_open(&driver);
    assert_int_equal(engine_driver_request(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, &out, &err),
                     CUZK_MEMORY);
    assert_non_null(strstr(err.message, "11.000 GiB"));
    engine_driver_close(&driver);

    short_of_memory(&driver, "auto");
    driver.options.host_budget = GIB;
    driver.behaviour[0].need.unit_host = GIB + 1;
    engine_driver_open(&driver);
    assert_int_equal(engine_driver_request(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, &out, &err),
                     CUZK_MEMORY);
    assert_non_null(strstr(err.message, "host memory"));
    engine_driver_close(&driver);
}

static void test_admission__the_host_budget_is_kept(void **state)
{
    struct engine_driver driver;
    struct cuzk_engine_status status;
    char jobs[4][CUZK_JOB_ID_TEXT];

    (void)state;
    short_of_memory(&driver, "phase-12");
    engine_driver_set(&driver, "partition_workers=8");
    driver.options.host_budget = 4 * GIB;
    driver.behaviour[0].need.unit_host = GIB;
    driver.behaviour[0].need.key_host = GIB;
    engine_driver_open(&driver);
    for (unsigned j = 0; j < 4; j++)
        engine_driver_submit(&driver, 8, CUZK_PRIORITY_NORMAL, jobs[j]);
    for (unsigned j = 0; j < 4; j++) {
        cuzk_engine_status(driver.engine, &status);
        /* a key that was loaded under running partitions takes its place as they end */
        assert_true(status.sched.host_used <= status.host_budget);
        assert_int_equal(engine_driver_await(&driver, jobs[j]).state, CUZK_JOB_DONE);
    }
    cuzk_engine_status(driver.engine, &status);
    assert_true(status.host_used <= status.host_budget);
    engine_driver_close(&driver);
}

static bool is_ready(void *engine)
{
    return cuzk_engine_ready(engine);
}

static void test_preload__is_done_before_ready(void **state)
{
    static const char *const preload[] = {"porep-2k", "porep-8m"};
    struct engine_driver driver;
    struct cuzk_engine_status status;

    (void)state;
    short_of_memory(&driver, "auto");
    driver.behaviour[0].load_ns = 50 * MS;
    driver.options.preload = preload;
    driver.options.preload_count = 2;
    engine_driver_open(&driver);
    assert_false(cuzk_engine_ready(driver.engine));
    engine_driver_until(is_ready, driver.engine);
    cuzk_engine_status(driver.engine, &status);
    assert_int_equal(status.keys, 2);
    assert_int_equal(status.key[0].tier, CUZK_TIER_HOT);
    assert_int_equal(status.key[1].tier, CUZK_TIER_HOT);
    engine_driver_close(&driver);
}

static bool is_unknown(void *context)
{
    const void *const *both = context;

    return engine_driver_await((struct engine_driver *)(uintptr_t)both[0], both[1]).state == CUZK_JOB_UNKNOWN;
}

static void test_results__expire(void **state)
{
    struct engine_driver driver;
    char job[CUZK_JOB_ID_TEXT];

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.options.result_keep_ms = 50;
    engine_driver_open(&driver);
    engine_driver_submit(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, job);
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_DONE);
    const void *both[] = {&driver, job};

    engine_driver_until(is_unknown, both);
    engine_driver_close(&driver);
}

/* Whichever allocation fails: jobs end, one way or the other, and the next ones well. */
static void test_allocations__that_fail_disturb_nothing_else(void **state)
{
    (void)state;
    for (size_t n = 0; n < 60; n++) {
        struct engine_driver driver;
        struct cuzk_engine_status status;
        struct cuzk_submission out;
        struct cuzk_error err;
        char job[CUZK_JOB_ID_TEXT];

        engine_driver_init(&driver, n % 2 == 0 ? "auto" : "phase-3");
        engine_driver_set(&driver, "batch.wait=0");
        engine_driver_open(&driver);
        cuzk_mem_fail_after(n / 2, 0);
        const enum cuzk_status accepted = engine_driver_request(&driver, 8, CUZK_PRIORITY_NORMAL, &out, &err);

        if (accepted == CUZK_OK) {
            struct engine_result result = engine_driver_await(&driver, out.job_id);

            if (result.state == CUZK_JOB_UNKNOWN) /* it was the watch that failed */
                result = engine_driver_await(&driver, out.job_id);
            assert_true(result.state == CUZK_JOB_DONE || result.state == CUZK_JOB_FAILED);
        } else {
            assert_int_equal(accepted, CUZK_MEMORY);
        }
        cuzk_mem_fail_after(SIZE_MAX, 0);
        engine_driver_submit(&driver, 8, CUZK_PRIORITY_NORMAL, job);
        assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_DONE);
        engine_driver_drain(&driver);
        cuzk_engine_status(driver.engine, &status);
        assert_int_equal(status.sched.units, 0);
        engine_driver_close(&driver);
    }
}

static void test_create__fails_as_a_value(void **state)
{
    (void)state;
    for (size_t n = 0; n < 40; n++) {
        struct engine_driver driver;
        struct cuzk_error err;

        engine_driver_init(&driver, "auto");
        driver.options.preload_count = 0;
        assert_int_equal(cuzk_device_null_create(&driver.behaviour[0], 16, &driver.device[0], &err), CUZK_OK);
        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = engine_driver_try(&driver, &err);

        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_true(status == CUZK_OK || status == CUZK_MEMORY);
        assert_true(status != CUZK_MEMORY || driver.engine == NULL);
        engine_driver_close(&driver);
    }
}

/* What devices may hold is what their backends plan within. */
static void test_create__tells_devices_their_budget(void **state)
{
    struct engine_driver driver;
    struct cuzk_error err;

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.options.device_budget = UINT64_C(3) << 30;
    assert_int_equal(cuzk_device_null_create(&driver.behaviour[0], 4, &driver.device[0], &err), CUZK_OK);
    assert_int_equal(driver.device[0]->memory_limit, 0);
    struct cuzk_device *const device = driver.device[0];

    engine_driver_open(&driver);
    assert_int_equal(device->memory_limit, UINT64_C(3) << 30);
    engine_driver_close(&driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys__make_place_for_each_other),
        cmocka_unit_test(test_keys__per_proof_leaves_none),
        cmocka_unit_test(test_admission__what_never_fits_is_refused_with_the_sum),
        cmocka_unit_test(test_admission__the_host_budget_is_kept),
        cmocka_unit_test(test_preload__is_done_before_ready),
        cmocka_unit_test(test_results__expire),
        cmocka_unit_test(test_allocations__that_fail_disturb_nothing_else),
        cmocka_unit_test(test_create__fails_as_a_value),
        cmocka_unit_test(test_create__tells_devices_their_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
