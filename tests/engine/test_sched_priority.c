/* The scheduler: who goes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sched.h"
#include "engine/sched_driver.h"

static struct driver driver; /* large */

static void test_priority__overtakes_at_the_next_partition(void **state)
{
    (void)state;
    driver_open_with(&driver, "phase-12", "partition_workers=2", NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_CRITICAL, 1));
    assert_false(driver_job_runs(&driver, 2)); /* no worker is taken from a partition under way */
    driver_end(&driver, driver_find(&driver, 1, CUZK_STAGE_WITNESS), CUZK_OUTCOME_OK);
    assert_true(driver_job_runs(&driver, 2));
    driver_run_out(&driver);
    driver_close(&driver);
}

static void test_priority__overtakes_in_a_full_channel(void **state)
{
    (void)state;
    driver_open_with(&driver, "phase-12", "partition_workers=10", "workers_per_device=1");
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_HIGH, 1));
    driver_end_all(&driver, CUZK_STAGE_WITNESS);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_SETUP), 1);
    while (!driver_job_runs(&driver, 2) || driver_runs(&driver, CUZK_STAGE_SETUP) == 0 ||
           driver.running[0].job == 1)
        driver_end(&driver, 0, CUZK_OUTCOME_OK);
    assert_int_equal(driver.starts[CUZK_STAGE_SETUP], 2); /* second on the device, before nine that waited */
    driver_run_out(&driver);
    driver_close(&driver);
}

static void narrow(struct cuzk_sched_config *config)
{
    driver_config(config, "phase-12");
    driver_set(config, "partition_workers=2");
    driver_set(config, "channel_capacity=1");
    driver_set(config, "workers_per_device=1");
}

/* Witnesses that wait for the channel hold every witness worker: one of them serves the critical job, which
 * is then ready when the device is free. A lower or equal one waits as ever. */
static void test_priority__borrows_a_worker_that_only_waits(void **state)
{
    struct cuzk_sched_config config;

    (void)state;
    narrow(&config);
    driver_open(&driver, &config);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    driver_end_all(&driver, CUZK_STAGE_WITNESS);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_WITNESS), 0);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_SETUP), 1);
    driver_submit(&driver, driver_job(3, CUZK_PRIORITY_NORMAL, 1));
    driver_submit(&driver, driver_job(4, CUZK_PRIORITY_LOW, 1));
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_WITNESS), 0);
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_CRITICAL, 1));
    driver_end(&driver, driver_find(&driver, 2, CUZK_STAGE_WITNESS), CUZK_OUTCOME_OK);
    while (driver.starts[CUZK_STAGE_SETUP] < 2)
        driver_end(&driver, driver_find(&driver, 1, driver.running[0].stage), CUZK_OUTCOME_OK);
    driver_find(&driver, 2, CUZK_STAGE_SETUP);
    driver_run_out(&driver);
    for (uint64_t id = 1; id <= 4; id++)
        assert_int_equal(driver.jobs[id], DRIVER_DONE);
    driver_close(&driver);
}

/* Where the host's budget has no room for a further witness nothing is borrowed. */
static void test_priority__borrows_within_the_host_budget(void **state)
{
    struct cuzk_sched_config config;

    (void)state;
    narrow(&config);
    config.host_budget = 4 * 16 + 20 - 1; /* one on the device, one in the channel, two that wait; one more */
    driver_open(&driver, &config);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    driver_end_all(&driver, CUZK_STAGE_WITNESS);
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_CRITICAL, 1));
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 4);
    assert_false(driver_job_runs(&driver, 2));
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[2], DRIVER_DONE);
    driver_close(&driver);
}

/* A stream of critical jobs that never ends does not keep a low one from its turn. */
static void test_aging__nothing_starves(void **state)
{
    struct cuzk_sched_config config;
    uint64_t next = 2;

    (void)state;
    driver_config(&config, "phase-8");
    driver_set(&config, "partition_workers=1");
    driver_set(&config, "workers_per_device=1");
    config.aging_ns = 100;
    driver_open(&driver, &config);
    driver_submit(&driver, driver_job(next++, CUZK_PRIORITY_CRITICAL, 1));
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_LOW, 2));
    while (driver.jobs[1] == DRIVER_ALIVE) {
        struct cuzk_sched_stats stats;

        driver.now += 10;
        cuzk_sched_stats(driver.sched, &stats);
        if (stats.queued[CUZK_PRIORITY_CRITICAL] < 2)
            driver_submit(&driver, driver_job(next++, CUZK_PRIORITY_CRITICAL, 1));
        driver_end(&driver, 0, CUZK_OUTCOME_OK);
        for (uint64_t id = 2; id < next; id++)
            driver_event(&driver, CUZK_EVENT_FORGET, id);
        assert_true(next < 400);
    }
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    assert_true(next > 15); /* and it did not overtake at once */
    driver_close(&driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_priority__overtakes_at_the_next_partition),
        cmocka_unit_test(test_priority__overtakes_in_a_full_channel),
        cmocka_unit_test(test_priority__borrows_a_worker_that_only_waits),
        cmocka_unit_test(test_priority__borrows_within_the_host_budget),
        cmocka_unit_test(test_aging__nothing_starves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
