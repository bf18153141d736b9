/* Random schedules: whatever comes in whatever order, no job is lost, none is answered twice, no bound is
 * passed, and the same seed gives the same commands. CUZK_TEST_SCHEDULES sets how many (1000). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/sched.h"
#include "engine/sched_driver.h"
#include "support/random.h"

static struct driver driver;

static uint32_t below(struct test_random *random, uint32_t n)
{
    return (uint32_t)test_random_below(random, n);
}

static void random_config(struct test_random *random, struct cuzk_sched_config *config)
{
    uint32_t *value = config->knobs.value;

    driver_config(config, cuzk_knobs_preset_name(below(random, 14)));
    value[CUZK_KNOB_PARTITION_WORKERS] = 1 + below(random, 6);
    value[CUZK_KNOB_CHANNEL_CAPACITY] = 1 + below(random, 3);
    value[CUZK_KNOB_SYNTHESIS_CONCURRENCY] = 1 + below(random, 3);
    if (value[CUZK_KNOB_OVERLAP] <= CUZK_OVERLAP_PROOF)
        value[CUZK_KNOB_BATCH_MAX] = 1 + below(random, 3);
    value[CUZK_KNOB_BATCH_WAIT] = below(random, 3);
    value[CUZK_KNOB_WORKERS_PER_DEVICE] = 1 + below(random, 3);
    value[CUZK_KNOB_STAGING] = below(random, 3);
    value[CUZK_KNOB_DEVICE_LOCK] = below(random, 2);
    value[CUZK_KNOB_DEALLOC] = below(random, 3);
    value[CUZK_KNOB_FINALIZE] = below(random, 2);
    value[CUZK_KNOB_BACKPRESSURE] = below(random, 2);
    config->devices = 1 + below(random, 3);
    config->jobs_most = 4 + below(random, 12);
    config->units_most = 1 + below(random, 16);
    config->failures_most = below(random, 6);
    if (below(random, 2) == 0) /* else nothing ages, and the driver sees to it that classes go in order */
        config->aging_ns = 1 + below(random, 5000000);
    for (unsigned stage = 0; stage < CUZK_STAGES; stage++)
        if (below(random, 6) == 0 && stage != CUZK_STAGE_WITNESS && stage != CUZK_STAGE_MSM &&
            stage != CUZK_STAGE_FINISH)
            config->stages &= ~CUZK_STAGE_BIT(stage);
    if (below(random, 2) == 0) {
        config->host_base = below(random, 100);
        config->host_budget = config->host_base + 20 + below(random, 200);
    }
    for (uint32_t d = 0; d < config->devices; d++)
        if (below(random, 2) == 0) {
            config->device_base[d] = below(random, 10);
            config->device_memory[d] = config->device_base[d] + 6 + below(random, 30);
        }
}

static void random_submit(struct test_random *random, uint64_t id)
{
    struct cuzk_sched_job job =
        driver_job(id, (enum cuzk_priority)below(random, CUZK_PRIORITIES), 1 + below(random, 5));

    job.circuit = below(random, 2);
    job.batchable = below(random, 4) > 0;
    job.host_peak = 10 + below(random, 20);
    job.host_held = job.host_peak - below(random, 8);
    job.host_dropped = job.host_held / 2;
    job.device_memory = below(random, 16);
    if (id > 2 && below(random, 8) == 0) {
        const uint64_t other = 1 + below(random, (uint32_t)id - 1);

        memcpy(job.key, &other, sizeof other); /* somebody asks again */
    }
    driver_submit(&driver, job);
}

/* One random schedule; returns the digest of all its commands. */
static uint64_t schedule(uint64_t seed)
{
    struct cuzk_sched_config config;
    struct test_random random;
    uint64_t next = 1;
    const uint32_t events = 250;
    uint32_t faults; /* of 64 ends */

    test_random_seed(&random, seed);
    random_config(&random, &config);
    faults = below(&random, 3) == 0 ? 0 : below(&random, 12);
    driver_open(&driver, &config);
    for (uint32_t i = 0; i < events; i++) {
        const uint32_t what = below(&random, 64);

        driver.now += below(&random, 1000000);
        if (what < 12) {
            random_submit(&random, next++);
        } else if (what < 14) {
            driver_event(&driver, CUZK_EVENT_CANCEL, 1 + below(&random, (uint32_t)next + 1));
        } else if (what < 20) {
            driver_event(&driver, CUZK_EVENT_FORGET, 1 + below(&random, (uint32_t)next + 1));
        } else if (what == 20 && faults > 0) {
            driver_event(&driver, CUZK_EVENT_DEVICE_LOST, below(&random, config.devices));
        } else if (what < 24) {
            driver_event(&driver, CUZK_EVENT_DEVICE_READY, below(&random, config.devices));
        } else if (what < 26) {
            driver_event(&driver, CUZK_EVENT_TICK, 0);
        } else if (driver.running_count > 0) {
            const uint32_t outcome = below(&random, 64);

            driver_end(&driver, below(&random, (uint32_t)driver.running_count),
                       outcome >= faults ? CUZK_OUTCOME_OK
                       : outcome == 0    ? CUZK_OUTCOME_INVALID
                                         : CUZK_OUTCOME_FAILED);
        }
    }
    /* from here on all goes well: every job that was accepted ends, and the engine drains */
    for (uint32_t d = 0; d < config.devices; d++)
        driver_event(&driver, CUZK_EVENT_DEVICE_READY, d);
    driver_event(&driver, CUZK_EVENT_DRAIN, 0);
    for (uint32_t i = 0; driver.running_count > 0; i++) {
        assert_true(i < 20000);
        driver_end(&driver, below(&random, (uint32_t)driver.running_count), CUZK_OUTCOME_OK);
    }
    for (uint64_t id = 1; id < next; id++)
        assert_int_not_equal(driver.jobs[id], DRIVER_ALIVE);
    assert_true(driver.drained);
    const uint64_t digest = driver.digest;

    driver_close(&driver);
    return digest;
}

static uint64_t schedules(void)
{
    const char *text = getenv("CUZK_TEST_SCHEDULES");

    return text != NULL ? strtoull(text, NULL, 10) : 1000;
}

static void test_random_schedules__keep_every_invariant(void **state)
{
    struct test_random random;
    const uint64_t count = schedules();

    (void)state;
    test_random_init(&random);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t seed = test_random_u64(&random);

        /* shown by cmocka's message of the failure that follows it */
        if (getenv("CUZK_TEST_VERBOSE") != NULL)
            fprintf(stderr, "schedule %llu\n", (unsigned long long)seed);
        schedule(seed);
    }
}

static void test_random_schedules__replay_from_their_seed(void **state)
{
    uint64_t last = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        const uint64_t digest = schedule(seed);

        assert_true(digest != last);
        assert_true(schedule(seed) == digest);
        last = digest;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_schedules__keep_every_invariant),
        cmocka_unit_test(test_random_schedules__replay_from_their_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
