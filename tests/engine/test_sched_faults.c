/* The scheduler: stages that fail, devices that are lost, jobs that are cancelled, and events and
 * configurations that mean nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/sched.h"
#include "engine/sched_driver.h"

static struct driver driver; /* large */

static void test_failure__goes_to_another_device(void **state)
{
    struct cuzk_sched_config config;
    uint32_t first;

    (void)state;
    driver_config(&config, "phase-8");
    config.devices = 2;
    driver_open(&driver, &config);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 1));
    while (driver.running[0].stage != CUZK_STAGE_VERIFY)
        driver_end(&driver, 0, CUZK_OUTCOME_OK);
    first = driver.running[0].device == UINT32_MAX ? 0 : driver.running[0].device;
    driver_end(&driver, 0, CUZK_OUTCOME_FAILED);
    assert_int_equal(driver.jobs[1], DRIVER_ALIVE);
    while (driver_runs(&driver, CUZK_STAGE_SETUP) == 0)
        driver_end(&driver, 0, CUZK_OUTCOME_OK);
    assert_int_not_equal(driver.running[driver_find(&driver, 1, CUZK_STAGE_SETUP)].device, first);
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 2);
    driver_close(&driver);
}

static void test_failure__too_often_ends_the_job(void **state)
{
    (void)state;
    driver_open_with(&driver, "phase-8", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 3));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 1));
    for (int attempt = 0; attempt < 3; attempt++) {
        assert_int_equal(driver.jobs[1], DRIVER_ALIVE);
        driver_end(&driver, driver_find(&driver, 1, CUZK_STAGE_WITNESS), CUZK_OUTCOME_FAILED);
    }
    assert_int_equal(driver.jobs[1], DRIVER_FAILED);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_FAILED)->reason, CUZK_REASON_ATTEMPTS);
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[2], DRIVER_DONE);
    driver_close(&driver);
}

/* Of two proofs in one device call one is bad: only that one fails. */
static void test_failure__in_a_batch_hits_the_bad_one(void **state)
{
    (void)state;
    driver_open_with(&driver, "phase-3", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 2));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 2));
    driver_end(&driver, driver_find(&driver, 1, CUZK_STAGE_WITNESS), CUZK_OUTCOME_INVALID);
    while (driver.running_count > 0) {
        const bool bad = driver.running[0].stage == CUZK_STAGE_WITNESS && driver.running[0].job == 2;

        driver_end(&driver, 0, bad ? CUZK_OUTCOME_INVALID : CUZK_OUTCOME_OK);
    }
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    assert_int_equal(driver.jobs[2], DRIVER_FAILED);
    driver_close(&driver);
}

static void test_device_lost__its_units_go_on_elsewhere(void **state)
{
    struct cuzk_sched_config config;

    (void)state;
    driver_config(&config, "phase-8");
    config.devices = 2;
    driver_open(&driver, &config);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 4));
    driver_end_all(&driver, CUZK_STAGE_WITNESS);
    driver_end_all(&driver, CUZK_STAGE_SETUP);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_UPLOAD), 2);
    driver_event(&driver, CUZK_EVENT_DEVICE_LOST, 0);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_UPLOAD), 1);
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 4); /* witnesses were kept */

    driver_event(&driver, CUZK_EVENT_DEVICE_LOST, 1);
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 2));
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[2], DRIVER_ALIVE); /* no device is left */
    driver_event(&driver, CUZK_EVENT_DEVICE_READY, 0);
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[2], DRIVER_DONE);
    driver_close(&driver);
}

static void test_cancel__at_every_stage(void **state)
{
    static const char *const presets[] = {"phase-0", "phase-3", "phase-6", "phase-10", "phase-12"};

    (void)state;
    for (size_t p = 0; p < sizeof presets / sizeof presets[0]; p++)
        for (size_t steps = 0; steps < 60; steps++) {
            driver_open_with(&driver, presets[p], NULL, NULL);
            driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 3));
            driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 3));
            for (size_t i = 0; i < steps && driver.running_count > 0; i++)
                driver_end(&driver, (i * 7) % driver.running_count, CUZK_OUTCOME_OK);
            const bool alive = driver.jobs[1] == DRIVER_ALIVE;

            driver_event(&driver, CUZK_EVENT_CANCEL, 1);
            assert_int_equal(driver.jobs[1], alive ? DRIVER_CANCELLED : DRIVER_DONE);
            assert_int_equal(driver_said(&driver, CUZK_COMMAND_NOT_RUNNING) != NULL, !alive);
            driver_event(&driver, CUZK_EVENT_DRAIN, 0);
            driver_run_out(&driver);
            assert_int_equal(driver.jobs[2], DRIVER_DONE);
            assert_true(driver.drained);
            driver_close(&driver);
        }
}

static void test_step__ignores_what_it_does_not_know(void **state)
{
    struct cuzk_sched_event event = {.kind = CUZK_EVENT_STAGE};
    struct cuzk_sched_stats stats;
    size_t count;

    (void)state;
    driver_open_with(&driver, "phase-8", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 1));
    event.stage.unit = 63;
    driver_step(&driver, &event);
    event.stage.unit = 4000000000u;
    driver_step(&driver, &event);
    event.stage.unit = 0;
    event.stage.generation = 9;
    driver_step(&driver, &event);
    event.stage.generation = 0;
    event.stage.stage = CUZK_STAGE_MSM;
    driver_step(&driver, &event);
    driver_event(&driver, CUZK_EVENT_CANCEL, 77);
    driver_event(&driver, CUZK_EVENT_FORGET, 77);
    driver_event(&driver, CUZK_EVENT_FORGET, 1);
    driver_event(&driver, CUZK_EVENT_DEVICE_LOST, 16);
    driver_event(&driver, CUZK_EVENT_DEVICE_READY, 16);
    cuzk_sched_stats(driver.sched, &stats);
    assert_int_equal(stats.stale, 4);
    assert_int_equal(stats.alive, 1);
    assert_int_equal(cuzk_sched_step(driver.sched, &event, driver.commands, driver.room - 1, &count, NULL),
                     CUZK_ARGUMENT);
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    driver_close(&driver);
}

static void test_create__refuses_configurations(void **state)
{
    struct cuzk_sched_config good, bad;
    struct cuzk_sched *sched;

    (void)state;
    driver_config(&good, "phase-8");
#define REFUSED(change)                                                                                      \
    bad = good;                                                                                              \
    change;                                                                                                  \
    assert_int_equal(cuzk_sched_create(&bad, &sched, NULL), CUZK_ARGUMENT);                                  \
    assert_null(sched)
    REFUSED(bad.devices = 0);
    REFUSED(bad.devices = 17);
    REFUSED(bad.jobs_most = 0);
    REFUSED(bad.units_most = 0);
    REFUSED(bad.stages = 0);
    REFUSED(bad.stages |= CUZK_STAGE_BIT(CUZK_STAGES));
    REFUSED(bad.aging_ns = 0);
    REFUSED(bad.knobs.value[CUZK_KNOB_PARTITION_WORKERS] = 0);
    REFUSED(bad.knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE] = 9);
    REFUSED((bad.host_budget = 5, bad.host_base = 6));
    REFUSED((bad.device_memory[0] = 5, bad.device_base[0] = 6));
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failure__goes_to_another_device),
        cmocka_unit_test(test_failure__too_often_ends_the_job),
        cmocka_unit_test(test_failure__in_a_batch_hits_the_bad_one),
        cmocka_unit_test(test_device_lost__its_units_go_on_elsewhere),
        cmocka_unit_test(test_cancel__at_every_stage),
        cmocka_unit_test(test_step__ignores_what_it_does_not_know),
        cmocka_unit_test(test_create__refuses_configurations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
