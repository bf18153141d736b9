#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/sched.h"
#include "engine/sched_driver.h"

static struct driver driver; /* large */

static void set(struct cuzk_sched_config *config, const char *assignment)
{
    struct cuzk_error err;

    if (cuzk_knobs_set(&config->knobs, assignment, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

static void open_with(const char *preset, const char *first, const char *second)
{
    struct cuzk_sched_config config;

    driver_config(&config, preset);
    if (first != NULL)
        set(&config, first);
    if (second != NULL)
        set(&config, second);
    driver_open(&driver, &config);
}

/* Index of a running stage of a job's unit. */
static size_t find(uint64_t job, enum cuzk_sched_stage stage)
{
    for (size_t i = 0; i < driver.running_count; i++)
        if (driver.running[i].job == job && driver.running[i].stage == stage)
            return i;
    fail_msg("%s of job %u does not run", cuzk_sched_stage_name(stage), (unsigned)job);
    return 0;
}

static bool job_runs(uint64_t job)
{
    for (size_t i = 0; i < driver.running_count; i++)
        if (driver.running[i].job == job)
            return true;
    return false;
}

static void end_all(enum cuzk_sched_stage stage)
{
    while (driver_end_stage(&driver, stage))
        ;
}

/* ---- one knob each ---- */

static void test_partition_workers__bounds_witnesses(void **state)
{
    static const char *const settings[] = {"partition_workers=1", "partition_workers=3",
                                           "partition_workers=30"};
    static const uint32_t expected[] = {1, 3, 10};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        open_with("phase-8", settings[i], NULL);
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
        open_with("phase-8", settings[i], NULL);
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
        end_all(CUZK_STAGE_WITNESS);
        assert_int_equal(driver_runs(&driver, CUZK_STAGE_SETUP), expected[i]);
        end_all(CUZK_STAGE_SETUP);
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
    open_with("phase-8", "partition_workers=2", "workers_per_device=1");
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    end_all(CUZK_STAGE_WITNESS);
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 10);
    driver_close(&driver);

    /* the permit is held until the partition is in the channel: one on the device, `capacity` in the channel,
     * two with their permits */
    for (uint32_t capacity = 1; capacity <= 3; capacity++) {
        struct cuzk_sched_config config;

        driver_config(&config, "phase-12");
        set(&config, "partition_workers=2");
        set(&config, "workers_per_device=1");
        config.knobs.value[CUZK_KNOB_CHANNEL_CAPACITY] = capacity;
        driver_open(&driver, &config);
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
        end_all(CUZK_STAGE_WITNESS);
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
        open_with(cases[i].preset, NULL, NULL);
        driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 4));
        driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 4));
        assert_int_equal(job_runs(2), cases[i].under_synthesis);
        for (uint32_t unit = 0; unit < cases[i].units; unit++)
            driver_end(&driver, find(1, CUZK_STAGE_WITNESS), CUZK_OUTCOME_OK);
        assert_true(job_runs(1));
        assert_int_equal(job_runs(2), cases[i].under_device);
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
    open_with("phase-5", "synthesis_concurrency=2", "batch.max=1");
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
    open_with("phase-3", NULL, NULL);
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
    open_with("phase-3", "batch.max=3", "batch.wait=5");
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
    open_with("phase-8", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 3));
    driver_run_out(&driver);
    assert_int_equal(driver.starts[CUZK_STAGE_PIN], 0);
    driver_close(&driver);
    open_with("phase-9", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 3));
    end_all(CUZK_STAGE_WITNESS);
    end_all(CUZK_STAGE_SETUP);
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
        end_all(CUZK_STAGE_WITNESS);
        end_all(CUZK_STAGE_SETUP);
        end_all(CUZK_STAGE_PIN);
        driver_end_stage(&driver, CUZK_STAGE_UPLOAD);
        assert_int_equal(driver_runs(&driver, CUZK_STAGE_QUOTIENT), 1);
        assert_int_equal(driver_runs(&driver, CUZK_STAGE_UPLOAD), uploads[i]);
        driver_run_out(&driver);
        assert_int_equal(driver.jobs[1], DRIVER_DONE);
        driver_close(&driver);
    }
    open_with("phase-9", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 4));
    end_all(CUZK_STAGE_WITNESS);
    end_all(CUZK_STAGE_SETUP);
    end_all(CUZK_STAGE_PIN);
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
    open_with("phase-8", "dealloc=inline", "workers_per_device=1");
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

    open_with("phase-8", "dealloc=unbounded", NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 5));
    run_to_release();
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_RELEASE), 5);
    assert_int_equal(driver.jobs[1], DRIVER_DONE); /* nobody waits for memory */
    driver_close(&driver);

    open_with("phase-8", "dealloc=bounded", NULL);
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
        open_with("phase-11", settings[i], "workers_per_device=1");
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

/* ---- priorities ---- */

static void test_priority__overtakes_at_the_next_partition(void **state)
{
    (void)state;
    open_with("phase-12", "partition_workers=2", NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_CRITICAL, 1));
    assert_false(job_runs(2)); /* no worker is taken from a partition under way */
    driver_end(&driver, find(1, CUZK_STAGE_WITNESS), CUZK_OUTCOME_OK);
    assert_true(job_runs(2));
    driver_run_out(&driver);
    driver_close(&driver);
}

static void test_priority__overtakes_in_a_full_channel(void **state)
{
    (void)state;
    open_with("phase-12", "partition_workers=10", "workers_per_device=1");
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 10));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_HIGH, 1));
    end_all(CUZK_STAGE_WITNESS);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_SETUP), 1);
    while (!job_runs(2) || driver_runs(&driver, CUZK_STAGE_SETUP) == 0 || driver.running[0].job == 1)
        driver_end(&driver, 0, CUZK_OUTCOME_OK);
    assert_int_equal(driver.starts[CUZK_STAGE_SETUP], 2); /* second on the device, before nine that waited */
    driver_run_out(&driver);
    driver_close(&driver);
}

static void narrow(struct cuzk_sched_config *config)
{
    driver_config(config, "phase-12");
    set(config, "partition_workers=2");
    set(config, "channel_capacity=1");
    set(config, "workers_per_device=1");
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
    end_all(CUZK_STAGE_WITNESS);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_WITNESS), 0);
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_SETUP), 1);
    driver_submit(&driver, driver_job(3, CUZK_PRIORITY_NORMAL, 1));
    driver_submit(&driver, driver_job(4, CUZK_PRIORITY_LOW, 1));
    assert_int_equal(driver_runs(&driver, CUZK_STAGE_WITNESS), 0);
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_CRITICAL, 1));
    driver_end(&driver, find(2, CUZK_STAGE_WITNESS), CUZK_OUTCOME_OK);
    while (driver.starts[CUZK_STAGE_SETUP] < 2)
        driver_end(&driver, find(1, driver.running[0].stage), CUZK_OUTCOME_OK);
    find(2, CUZK_STAGE_SETUP);
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
    end_all(CUZK_STAGE_WITNESS);
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_CRITICAL, 1));
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 4);
    assert_false(job_runs(2));
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
    set(&config, "partition_workers=1");
    set(&config, "workers_per_device=1");
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

/* ---- admission ---- */

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
    end_all(CUZK_STAGE_WITNESS); /* three of 16 bytes and one of 20 fit 69 */
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
    open_with("phase-8", NULL, NULL);
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

/* ---- faults ---- */

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
    assert_int_not_equal(driver.running[find(1, CUZK_STAGE_SETUP)].device, first);
    driver_run_out(&driver);
    assert_int_equal(driver.jobs[1], DRIVER_DONE);
    assert_int_equal(driver.starts[CUZK_STAGE_WITNESS], 2);
    driver_close(&driver);
}

static void test_failure__too_often_ends_the_job(void **state)
{
    (void)state;
    open_with("phase-8", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 3));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 1));
    for (int attempt = 0; attempt < 3; attempt++) {
        assert_int_equal(driver.jobs[1], DRIVER_ALIVE);
        driver_end(&driver, find(1, CUZK_STAGE_WITNESS), CUZK_OUTCOME_FAILED);
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
    open_with("phase-3", NULL, NULL);
    driver_submit(&driver, driver_job(1, CUZK_PRIORITY_NORMAL, 2));
    driver_submit(&driver, driver_job(2, CUZK_PRIORITY_NORMAL, 2));
    driver_end(&driver, find(1, CUZK_STAGE_WITNESS), CUZK_OUTCOME_INVALID);
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
    end_all(CUZK_STAGE_WITNESS);
    end_all(CUZK_STAGE_SETUP);
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
            open_with(presets[p], NULL, NULL);
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
    open_with("phase-8", NULL, NULL);
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
        cmocka_unit_test(test_priority__overtakes_at_the_next_partition),
        cmocka_unit_test(test_priority__overtakes_in_a_full_channel),
        cmocka_unit_test(test_priority__borrows_a_worker_that_only_waits),
        cmocka_unit_test(test_priority__borrows_within_the_host_budget),
        cmocka_unit_test(test_aging__nothing_starves),
        cmocka_unit_test(test_admission__refuses_with_the_sum),
        cmocka_unit_test(test_admission__waits_for_memory),
        cmocka_unit_test(test_submit__same_key_is_the_same_job),
        cmocka_unit_test(test_submit__refuses_what_is_too_much),
        cmocka_unit_test(test_submit__holds_a_hundred_thousand),
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
