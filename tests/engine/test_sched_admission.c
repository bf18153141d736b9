/* The scheduler: what is accepted, what waits and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/sched.h"
#include "engine/sched_driver.h"

static struct driver driver; /* large */

static void test_admission__refuses_with_the_sum(void **state)
{
    struct cuzk_sched_config config;
    const struct cuzk_sched_command *said;
    struct cuzk_sched_job job = driver_job(1, CUZK_PRIORITY_NORMAL, 10);
    char text[160];

    (void)state;
    driver_config(&config, "phase-5"); /* ten partitions at once */
    config.host_budget = UINT64_C(250) << 30;
    config.host_base = UINT64_C(69) << 30;
    config.device_memory[0] = UINT64_C(16) << 30;
    config.device_base[0] = UINT64_C(2) << 30;
    driver_open(&driver, &config);
    job.host_peak = UINT64_C(20) << 30;
    driver_submit(&driver, job);
    said = driver_said(&driver, CUZK_COMMAND_REJECTED);
    assert_int_equal(said->reason, CUZK_REASON_HOST_MEMORY);
    cuzk_sched_reason_text(said, text, sizeof text);
    assert_string_equal(
        text, "it needs 200.000 GiB of host memory beside what is resident; 181.000 GiB are left for it");
    job.host_peak = 20;
    job.device_memory = UINT64_C(15) << 30;
    driver_submit(&driver, job);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_REJECTED)->reason, CUZK_REASON_DEVICE_MEMORY);
    job.device_memory = 1;
    job.partitions = 0;
    driver_submit(&driver, job);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_REJECTED)->reason, CUZK_REASON_SHAPE);
    driver_close(&driver);
}

static void test_admission__waits_for_memory(void **state)
{
    struct cuzk_sched_config config;

    (void)state;
    driver_config(&config, "phase-8"); /* ten workers, memory for three partitions under way */
    config.host_budget = 169;
    config.host_base = 100;
    driver_open(&driver, &config);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_WITNESS), 3);
    driver_end_all(&driver, CUZK_STAGE_WITNESS); /* three of 16 bytes and one of 20 fit 69 */
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 4);
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    driver_close(&driver);
}

static void test_submit__same_key_is_the_same_job(void **state)
{
    struct cuzk_sched_job job = driver_job(1, CUZK_PRIORITY_NORMAL, 1);
    struct cuzk_sched_job again = job;

    (void)state;
    driver_open_with(&driver, "phase-8", NULL, NULL);
    driver_submit(&driver, job);
    again.id = 2;
    driver_submit(&driver, again);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_DUPLICATE)->job, 1);
    driver_run_out(&driver);
    driver_submit(&driver, again); /* its result is kept */
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_DUPLICATE)->job, 1);
    again.key[0] ^= 1;
    again.id = 1; /* an id that is taken, with other content */
    driver_submit(&driver, again);
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_REJECTED)->reason, CUZK_REASON_ID_KNOWN);
    driver_event(&driver, CUZK_EVENT_FORGET, 1);
    job.id = 3;
    driver_submit(&driver, job);
    assert_non_null(driver_said(&driver, CUZK_COMMAND_ACCEPTED));
    driver_event(&driver, CUZK_EVENT_CANCEL, 3);
    job.id = 4; /* what was cancelled may be asked for again */
    driver_submit(&driver, job);
    assert_non_null(driver_said(&driver, CUZK_COMMAND_ACCEPTED));
    driver_close(&driver);
}

static void test_submit__refuses_what_is_too_much(void **state)
{
    struct cuzk_sched_config config;

    (void)state;
    driver_config(&config, "phase-8");
    config.jobs_most = 2;
    driver_open(&driver, &config);
    for (uint64_t id = 1; id <= 3; id++)
        driver_submit(&driver, driver_job(id, CUZK_PRIORITY_NORMAL, 1));
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_REJECTED)->reason, CUZK_REASON_JOBS_FULL);
    driver_event(&driver, CUZK_EVENT_DRAIN, 0);
    driver_submit(&driver, driver_job(4, CUZK_PRIORITY_NORMAL, 1));
    assert_int_equal(driver_said(&driver, CUZK_COMMAND_REJECTED)->reason, CUZK_REASON_DRAINING);
    assert_false(driver.drained);
    driver_run_out(&driver);
    assert_true(driver.drained);
    driver_close(&driver);
}

/* 100,000 jobs wait in less than 100 MiB, and each is found again by its id. */
static void test_submit__holds_a_hundred_thousand(void **state)
{
    enum { JOBS = 100000 };
    const size_t before = cuzk_mem_in_use();
    struct cuzk_sched_config config;
    struct cuzk_sched_command *commands;
    struct cuzk_sched_stats stats;
    struct cuzk_sched *sched;
    size_t count;

    (void)state;
    driver_config(&config, "phase-12");
    config.jobs_most = JOBS;
    assert_int_equal(cuzk_sched_create(&config, &sched, NULL), CUZK_OK);
    assert_true(cuzk_mem_in_use() - before < (size_t)100 << 20);
    commands = malloc(cuzk_sched_room(sched) * sizeof *commands);
    assert_non_null(commands);
    for (uint64_t id = 1; id <= JOBS; id++) {
        const struct cuzk_sched_job job = driver_job(id, (enum cuzk_priority)(id % 4), 10);
        const struct cuzk_sched_event event = {.kind = CUZK_EVENT_SUBMIT, .submit = &job};

        assert_int_equal(cuzk_sched_step(sched, &event, commands, cuzk_sched_room(sched), &count, NULL),
                         CUZK_OK);
        assert_int_equal(commands[0].kind, CUZK_COMMAND_ACCEPTED);
    }
    for (uint64_t id = JOBS; id > 0; id--) {
        const struct cuzk_sched_event event = {.kind = CUZK_EVENT_CANCEL, .job = id};

        assert_int_equal(cuzk_sched_step(sched, &event, commands, cuzk_sched_room(sched), &count, NULL),
                         CUZK_OK);
        assert_int_equal(commands[0].kind, CUZK_COMMAND_CANCELLED);
    }
    cuzk_sched_stats(sched, &stats);
    assert_int_equal(stats.alive, 0);
    free(commands);
    cuzk_sched_destroy(sched);
    assert_int_equal(cuzk_mem_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_admission__refuses_with_the_sum),
        cmocka_unit_test(test_admission__waits_for_memory),
        cmocka_unit_test(test_submit__same_key_is_the_same_job),
        cmocka_unit_test(test_submit__refuses_what_is_too_much),
        cmocka_unit_test(test_submit__holds_a_hundred_thousand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
