/* The scheduler: each knob and what it changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sched.h"
#include "engine/sched_driver.h"

static struct driver driver; /* large */

static void test_partition_workers__bounds_witnesses(void **state)
{
    static const char *const settings[] = {"partition_workers=1", "partition_workers=3",
                                           "partition_workers=30"};
    static const uint32_t expected[] = {1, 3, 10};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        driver_open_with(&driver, "phase-8", settings[i], NULL);
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
        assert_int_equal(driver_runs(&driver, CUZK_STAGE_WITNESS), expected[i]);
        driver_run_out(&driver);
        assert_int_equal(driver.jobs[1], DRIVER_DONE);
        assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 10);
        driver_close(&driver);
    }
}

static void test_workers_per_device__bounds_calls(void **state)
{
    static const char *const settings[] = {"workers_per_device=1", "workers_per_device=2",
                                           "workers_per_device=4"};
    static const uint32_t expected[] = {1, 2, 4};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        driver_open_with(&driver, "phase-8", settings[i], NULL);
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
        driver_end_all(&driver, CUZK_STAGE_WITNESS);
        assert_int_equal(driver_runs(&driver, CUZK_STAGE_SETUP), expected[i]);
        driver_end_all(&driver, CUZK_STAGE_SETUP);
        assert_int_equal(driver_runs(&driver, CUZK_STAGE_UPLOAD), 1); /* the lock is one */
        driver_run_out(&driver);
        assert_int_equal(driver.jobs[1], DRIVER_DONE);
        driver_close(&driver);
    }
}

static void test_backpressure_and_capacity__bound_what_waits(void **state)
{
    (void)state;
    /* the permit ends with synthesis: every partition is synthesised though none leaves the device */
    driver_open_with(&driver, "phase-8", "partition_workers=2", "workers_per_device=1");
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    driver_end_all(&driver, CUZK_STAGE_WITNESS);
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 10);
    driver_close(&driver);

    /* the permit is held until the partition is in the channel: one on the device, `capacity` in the channel,
     * two with their permits */
    for (uint32_t capacity = 1; capacity <= 3; capacity++) {
        struct cuzk_sched_config config;

        driver_config(&config, "phase-12");
        driver_set(&config, "partition_workers=2");
        driver_set(&config, "workers_per_device=1");
        config.knobs.value[CUZK_KNOB_CHANNEL_CAPACITY] = capacity;
        driver_open(&driver, &config);
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
        driver_end_all(&driver, CUZK_STAGE_WITNESS);
        assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 1 + capacity + 2);
        driver_run_out(&driver);
        assert_int_equal(driver.jobs[1], DRIVER_DONE);
        driver_close(&driver);
    }
}

static void test_overlap__orders_proofs(void **state)
{
    static const struct {
        const char *preset;
        bool under_device, under_synthesis; /* does job 2 begin while job 1 is there? */
        uint32_t units;
    } cases[] = {
        {"phase-0", false, false, 1},
        {"phase-2", true, false, 1},
        {"phase-6", false, false, 4},
        {"phase-7", true, true, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        driver_open_with(&driver, cases[i].preset, NULL, NULL);
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 4));
        driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 4));
        assert_int_equal(driver_job_runs(&driver, 2), cases[i].under_synthesis);
        for (uint32_t unit = 0; unit < cases[i].units; unit++)
            driver_end(&driver, driver_find(&driver, 1, CUZK_STAGE_WITNESS), CUZK_OUTCOME_OK);
        assert_true(driver_job_runs(&driver, 1));
        assert_int_equal(driver_job_runs(&driver, 2), cases[i].under_device);
        while (driver.jobs[1] == DRIVER_ALIVE) {
            size_t first = 0;

            while (driver.running[first].job != 1)
                first++;
            driver_end(&driver, first, CUZK_OUTCOME_OK);
        }
        driver_run_out(&driver);
        assert_int_equal(driver.jobs[2], DRIVER_DONE);
        assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 2 * cases[i].units);
        driver_close(&driver);
    }
}

static void test_synthesis_concurrency__bounds_whole_proofs(void **state)
{
    (void)state;
    driver_open_with(&driver, "phase-5", "synthesis_concurrency=2", "batch.max=1");
    for (uint64_t id = 1; id <= 4; id++)
        driver_submit(&driver, driver_job(id, CUZK_PRIORITY_NORMAL, 10));
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_WITNESS), 2);
    driver_run_out(&driver);
    driver_close(&driver);
}

static void test_batch__flushes_on_size_timeout_and_priority(void **state)
{
    struct cuzk_sched_job job;

    (void)state;
    driver_open_with(&driver, "phase-3", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    assert_int_equal(driver.running_count, 0); /* it waits for another */
    assert_int_equal(cuzk_sched_deadline(driver.sched), UINT64_C(30000000000));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 10));
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_FLUSH)->reason, CUZK_REASON_SIZE);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_FLUSH)->count, 2);
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 1); /* one unit for both */

    driver_submit(&driver, driver_job(3, CUZK_PRIORITY_NORMAL, 10)); /* overflow: the next batch */
    assert_null(driver_said(&driver, CUZK_COMMAND_FLUSH));
    driver.now = UINT64_C(29999999999);
    driver_event(&driver, CUZK_EVENT_TICK, 0);
    assert_null(driver_said(&driver, CUZK_COMMAND_FLUSH));
    driver.now++;
    driver_event(&driver, CUZK_EVENT_TICK, 0);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_FLUSH)->reason, CUZK_REASON_TIMEOUT);
    assert_int_equal(cuzk_sched_deadline(driver.sched), UINT64_MAX);

    driver_submit(&driver, driver_job(4, CUZK_PRIORITY_LOW, 10));
    assert_null(driver_said(&driver, CUZK_COMMAND_FLUSH));
    job = driver_job(5, CUZK_PRIORITY_HIGH, 1);
    job.batchable = false; /* goes past the collector */
    driver_submit(&driver, job);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_FLUSH)->reason, CUZK_REASON_PRIORITY);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_FLUSH)->job, 4);
    job = driver_job(6, CUZK_PRIORITY_NORMAL, 10);
    job.circuit = 1; /* another circuit: never in one batch with 7 */
    driver_submit(&driver, job);
    driver_submit(&driver, driver_job(7, CUZK_PRIORITY_NORMAL, 10));
    assert_null(driver_said(&driver, CUZK_COMMAND_FLUSH));
    driver_event(&driver, CUZK_EVENT_DRAIN, 0);
    driver_run_out(&driver);
    for (uint64_t id = 1; id <= 7; id++)
        assert_int_equal(driver.jobs[id], DRIVER_DONE);
    assert_true(driver.drained);
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 6);
    driver_close(&driver);
}

static void test_batch_max__is_the_size(void **state)
{
    (void)state;
    driver_open_with(&driver, "phase-3", "batch.max=3", "batch.wait=5");
    for (uint64_t id = 1; id <= 3; id++) {
        assert_null(driver_said(&driver, CUZK_COMMAND_FLUSH));
        driver_submit(&driver, driver_job(id, CUZK_PRIORITY_NORMAL, 1));
    }
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_FLUSH)->count, 3);
    driver_submit(&driver, driver_job(4, CUZK_PRIORITY_NORMAL, 1));
    assert_int_equal(cuzk_sched_deadline(driver.sched), 5000000);
    driver_close(&driver);
}

static void test_staging__pins_before_the_lock(void **state)
{
    (void)state;
    driver_open_with(&driver, "phase-8", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 3));
    driver_run_out(&driver);
    assert_int_equal(driver.starts[CUZK_STAGE_PIN], 0);
    driver_close(&driver);
    driver_open_with(&driver, "phase-9", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 3));
    driver_end_all(&driver, CUZK_STAGE_WITNESS);
    driver_end_all(&driver, CUZK_STAGE_SETUP);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_PIN), 2); /* both workers: no lock is needed for it */
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_UPLOAD), 0);
    driver_run_out(&driver);
    assert_int_equal(driver.starts[CUZK_STAGE_PIN], 3);
    assert_int_equal(driver.starts[CUZK_STAGE_UNPIN], 3);
    driver_close(&driver);
}

static void test_device_lock__split_uploads_under_kernels_where_memory_allows(void **state)
{
    static const uint64_t memory[] = {23, 24}; /* a partition takes 12 */
    static const uint32_t uploads[] = {0, 1};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct cuzk_sched_config config;

        driver_config(&config, "phase-10");
        config.device_memory[0] = memory[i];
        driver_open(&driver, &config);
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 4));
        driver_end_all(&driver, CUZK_STAGE_WITNESS);
        driver_end_all(&driver, CUZK_STAGE_SETUP);
        driver_end_all(&driver, CUZK_STAGE_PIN);
        driver_end_stage(&driver, CUZK_STAGE_UPLOAD);
        assert_int_equal(driver_runs(&driver, CUZK_STAGE_QUOTIENT), 1);
        assert_int_equal(driver_runs(&driver, CUZK_STAGE_UPLOAD), uploads[i]);
        driver_run_out(&driver);
        assert_int_equal(driver.jobs[1], DRIVER_DONE);
        driver_close(&driver);
    }
    driver_open_with(&driver, "phase-9", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 4));
    driver_end_all(&driver, CUZK_STAGE_WITNESS);
    driver_end_all(&driver, CUZK_STAGE_SETUP);
    driver_end_all(&driver, CUZK_STAGE_PIN);
    driver_end_stage(&driver, CUZK_STAGE_UPLOAD);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_UPLOAD), 0);
    driver_close(&driver);
}

/* Ends everything but releases. */
static void run_to_release(void)
{
    for (size_t i = 0; i < driver.running_count;)
        if (driver.running[i].stage == CUZK_STAGE_RELEASE) {
            i++;
        } else {
            driver_end(&driver, i, CUZK_OUTCOME_OK);
            i = 0;
        }
}

static void test_dealloc__who_frees_and_how_many_at_once(void **state)
{
    (void)state;
    driver_open_with(&driver, "phase-8", "dealloc=inline", "workers_per_device=1");
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 2));
    run_to_release();
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_RELEASE), 1); /* the worker is busy with it */
    assert_int_equal(driver.starts[CUZK_STAGE_SETUP], 1);
    driver_end_stage(&driver, CUZK_STAGE_RELEASE);
    assert_int_equal(driver.starts[CUZK_STAGE_SETUP], 2);
    run_to_release();
    assert_int_equal(driver.jobs[1], DRIVER_ALIVE);
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    driver_close(&driver);

    driver_open_with(&driver, "phase-8", "dealloc=unbounded", NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 5));
    run_to_release();
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_RELEASE), 5);
    assert_int_equal(driver.jobs[1], DRIVER_DONE); /* nobody waits for memory */
    driver_close(&driver);

    driver_open_with(&driver, "phase-8", "dealloc=bounded", NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 5));
    run_to_release();
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_RELEASE), 1);
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    driver_run_out(&driver);
    assert_int_equal(driver.starts[CUZK_STAGE_RELEASE], 5);
    driver_close(&driver);
}

static void test_finalize__async_lets_the_worker_go(void **state)
{
    static const char *const settings[] = {"finalize=inline", "finalize=async"};
    static const uint32_t calls[] = {1, 2};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        driver_open_with(&driver, "phase-11", settings[i], "workers_per_device=1");
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 2));
        /* all but the G2 MSM on the host */
        for (size_t r = 0; r < driver.running_count;)
            if (driver.running[r].stage == CUZK_STAGE_HOST_MSM) {
                r++;
            } else {
                driver_end(&driver, r, CUZK_OUTCOME_OK);
                r = 0;
            }
        assert_int_equal(driver.starts[CUZK_STAGE_SETUP], calls[i]);
        driver_run_out(&driver);
        assert_int_equal(driver.jobs[1], DRIVER_DONE);
        assert_int_equal(driver.starts[CUZK_STAGE_DROP], i == 0 ? 0 : 2);
        driver_close(&driver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partition_workers__bounds_witnesses),
        cmocka_unit_test(test_workers_per_device__bounds_calls),
        cmocka_unit_test(test_backpressure_and_capacity__bound_what_waits),
        cmocka_unit_test(test_overlap__orders_proofs),
        cmocka_unit_test(test_synthesis_concurrency__bounds_whole_proofs),
        cmocka_unit_test(test_batch__flushes_on_size_timeout_and_priority),
        cmocka_unit_test(test_batch_max__is_the_size),
        cmocka_unit_test(test_staging__pins_before_the_lock),
        cmocka_unit_test(test_device_lock__split_uploads_under_kernels_where_memory_allows),
        cmocka_unit_test(test_dealloc__who_frees_and_how_many_at_once),
        cmocka_unit_test(test_finalize__async_lets_the_worker_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
