#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "engine/child_program.h"
#include "engine/engine_driver.h"

#define MS UINT64_C(1000000)

static void test_submit__every_preset_ends_every_job(void **state)
{
    (void)state;
    for (size_t i = 0; cuzk_knobs_preset_name(i) != NULL; i++) {
        struct engine_driver driver;
        char jobs[12][CUZK_JOB_ID_TEXT];
        struct cuzk_engine_status status;

        engine_driver_init(&driver, cuzk_knobs_preset_name(i));
        engine_driver_set(&driver, "batch.wait=20");
        driver.behaviour[0].stage_ns[CUZK_STAGE_MSM] = MS / 5;
        engine_driver_open(&driver);
        for (unsigned j = 0; j < 12; j++)
            engine_driver_submit(&driver, j % 3 == 0 ? 8 : 5, (enum cuzk_priority)(j % 4), jobs[j]);
        for (unsigned j = 0; j < 12; j++) {
            const struct engine_result result = engine_driver_await(&driver, jobs[j]);

            assert_int_equal(result.state, CUZK_JOB_DONE);
            assert_int_equal(result.proof_length, (j % 3 == 0 ? 10 : 1) * CUZK_PROOF_BYTES);
            for (size_t p = 0; p < result.proof_length; p += CUZK_PROOF_BYTES)
                assert_true(cuzk_device_null_proof_right(result.proof + p));
        }
        engine_driver_drain(&driver);
        cuzk_engine_status(driver.engine, &status);
        assert_int_equal(status.completed[CUZK_PROOF_KIND_POREP], 12);
        assert_int_equal(status.partitions_done, 48);
        assert_int_equal(status.queue[CUZK_PROOF_KIND_POREP].pending, 0);
        assert_int_equal(status.queue[CUZK_PROOF_KIND_POREP].running, 0);
        assert_int_equal(status.sched.units, 0);
        assert_int_equal(status.sched.stale, 0);
        assert_int_equal(status.host_used, 0);
        assert_int_equal(status.device[0].units, 48);
        engine_driver_close(&driver);
    }
}

static void test_submit__same_content_is_the_same_job(void **state)
{
    struct engine_driver driver;
    struct cuzk_submission one, other;
    struct cuzk_error err;

    (void)state;
    engine_driver_init(&driver, "auto");
    engine_driver_open(&driver);
    assert_int_equal(engine_driver_request(&driver, 8, CUZK_PRIORITY_NORMAL, &one, &err), CUZK_OK);
    driver.submitted--;
    assert_int_equal(engine_driver_request(&driver, 8, CUZK_PRIORITY_NORMAL, &other, &err), CUZK_OK);
    assert_true(other.duplicate);
    assert_string_equal(one.job_id, other.job_id);
    assert_int_equal(engine_driver_await(&driver, one.job_id).state, CUZK_JOB_DONE);
    driver.submitted--; /* ended, and its result is kept */
    assert_int_equal(engine_driver_request(&driver, 8, CUZK_PRIORITY_NORMAL, &other, &err), CUZK_OK);
    assert_true(other.duplicate);
    assert_int_equal(engine_driver_await(&driver, "ffffffffffffffff").state, CUZK_JOB_UNKNOWN);
    assert_int_equal(engine_driver_await(&driver, "nonsense").state, CUZK_JOB_UNKNOWN);
    engine_driver_close(&driver);
}

static void test_submit__refusals_name_their_reason(void **state)
{
    struct engine_driver driver;
    struct cuzk_submission out;
    struct cuzk_error err;
    char job[CUZK_JOB_ID_TEXT];

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.options.jobs_most = 2;
    driver.behaviour[0].stage_ns[CUZK_STAGE_MSM] = 200 * MS;
    engine_driver_open(&driver);
    assert_int_equal(engine_driver_request(&driver, 20, CUZK_PRIORITY_LOW, &out, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "registered_proof"));
    assert_int_equal(engine_driver_request(&driver, 5, (enum cuzk_priority)9, &out, &err), CUZK_INPUT);
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_LOW, job);
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_LOW, job);
    assert_int_equal(engine_driver_request(&driver, 5, CUZK_PRIORITY_LOW, &out, &err), CUZK_BUSY);
    assert_true(out.retry_after_ms >= 100);
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_DONE);
    engine_driver_drain(&driver);
    assert_int_equal(engine_driver_request(&driver, 5, CUZK_PRIORITY_LOW, &out, &err), CUZK_CANCELLED);
    engine_driver_close(&driver);
}

static void test_submit__collected_results_make_room(void **state)
{
    struct engine_driver driver;

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.options.jobs_most = 4;
    engine_driver_open(&driver);
    for (unsigned i = 0; i < 50; i++) {
        struct cuzk_submission out;
        struct cuzk_error err;

        assert_int_equal(engine_driver_request(&driver, 5, CUZK_PRIORITY_NORMAL, &out, &err), CUZK_OK);
        assert_int_equal(engine_driver_await(&driver, out.job_id).state, CUZK_JOB_DONE);
        cuzk_engine_collected(driver.engine, out.job_id);
    }
    engine_driver_close(&driver);
}

/* A job may be forgotten while its units are still being released, and the engine may end before they are:
 * the sanitizer sees that nothing of it stays behind. */
static void test_submit__forgotten_jobs_outlive_no_engine(void **state)
{
    struct engine_driver driver;
    struct cuzk_submission out;
    struct cuzk_error err;
    char job[CUZK_JOB_ID_TEXT];
    bool was_running;

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.options.jobs_most = 1;
    driver.options.host_stage_ns[CUZK_STAGE_RELEASE] = 50 * MS;
    engine_driver_open(&driver);
    engine_driver_submit(&driver, 8, CUZK_PRIORITY_NORMAL, job);
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_DONE);
    cuzk_engine_collected(driver.engine, job);
    assert_int_equal(engine_driver_request(&driver, 5, CUZK_PRIORITY_NORMAL, &out, &err), CUZK_OK);
    assert_int_equal(cuzk_engine_cancel(driver.engine, job, &was_running, &err), CUZK_NOT_FOUND);
    engine_driver_close(&driver);
}

static void test_cancel__at_every_stage(void **state)
{
    (void)state;
    for (unsigned stage = CUZK_STAGE_WITNESS; stage < CUZK_STAGES; stage++) {
        struct engine_driver driver;
        struct cuzk_engine_status status;
        struct cuzk_error err;
        char job[CUZK_JOB_ID_TEXT], other[CUZK_JOB_ID_TEXT];
        bool was_running;

        engine_driver_init(&driver, "phase-12");
        driver.behaviour[0].stage_ns[stage] = 30 * MS;
        driver.options.host_stage_ns[stage] = 30 * MS;
        engine_driver_open(&driver);
        engine_driver_submit(&driver, 8, CUZK_PRIORITY_NORMAL, job);
        engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, other);
        /* let it come to that stage */
        for (unsigned i = 0; i < 10; i++) {
            struct cuzk_engine_event event;

            cuzk_event_log_wait(cuzk_engine_events(driver.engine), i + 2, 5);
            (void)cuzk_event_log_read(cuzk_engine_events(driver.engine), 0, &event, 1);
        }
        assert_int_equal(cuzk_engine_cancel(driver.engine, job, &was_running, &err), CUZK_OK);
        const struct engine_result result = engine_driver_await(&driver, job);

        assert_int_equal(result.state, was_running ? CUZK_JOB_CANCELLED : CUZK_JOB_DONE);
        assert_int_equal(engine_driver_await(&driver, other).state, CUZK_JOB_DONE);
        engine_driver_drain(&driver);
        cuzk_engine_status(driver.engine, &status);
        assert_int_equal(status.sched.units, 0);
        assert_int_equal(status.sched.stale, 0);
        assert_int_equal(cuzk_engine_cancel(driver.engine, "0000000000000001", &was_running, &err),
                         CUZK_NOT_FOUND);
        engine_driver_close(&driver);
    }
}

static uint32_t units_of(struct engine_driver *driver)
{
    struct cuzk_engine_status status;

    cuzk_engine_status(driver->engine, &status);
    return status.sched.units;
}

static bool is_begun(void *context)
{
    return units_of(context) == 2;
}

static bool is_one_left(void *context)
{
    return units_of(context) == 1;
}

/* A stage of an hour, which a cancelled job is the last to want, ends at once: the next job has the device.
 */
static void cancel_of_a_running_stage(enum cuzk_sched_stage stage, bool in_a_child)
{
    struct engine_driver driver;
    struct cuzk_device_null *behaviour = &driver.behaviour[0];
    struct cuzk_engine_status status;
    char job[CUZK_JOB_ID_TEXT], other[CUZK_JOB_ID_TEXT], spec[64];
    struct cuzk_error err;
    bool was_running;

    engine_driver_init(&driver, "auto");
    if (in_a_child) {
        snprintf(spec, sizeof spec, "null:%s=3600s", cuzk_sched_stage_name(stage));
        if (cuzk_device_process_create(child_program(), spec, 1, 4, &driver.device[0], &err) != CUZK_OK)
            fail_msg("%s", err.message);
    } else {
        behaviour->stage_ns[stage] = 3600 * 1000 * MS;
        driver.options.host_stage_ns[stage] = 3600 * 1000 * MS;
    }
    engine_driver_open(&driver);
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, job);
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, other);
    engine_driver_until(is_begun, &driver);
    cuzk_clock_pause_ms(30); /* for the stages before */
    const uint64_t begin = cuzk_clock_ns();

    assert_int_equal(cuzk_engine_cancel(driver.engine, job, &was_running, &err), CUZK_OK);
    assert_true(was_running);
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_CANCELLED);
    engine_driver_until(is_one_left, &driver);
    assert_int_equal(cuzk_engine_cancel(driver.engine, other, &was_running, &err), CUZK_OK);
    assert_int_equal(engine_driver_await(&driver, other).state, CUZK_JOB_CANCELLED);
    engine_driver_drain(&driver);
    assert_true(cuzk_clock_ns() - begin < 20 * 1000 * MS);
    cuzk_engine_status(driver.engine, &status);
    assert_int_equal(status.sched.units, 0);
    assert_int_equal(status.device[0].restarts, 0);
    engine_driver_close(&driver);
}

static void test_cancel__reaches_a_stage_that_runs(void **state)
{
    static const enum cuzk_sched_stage stages[] = {CUZK_STAGE_WITNESS,  CUZK_STAGE_SETUP, CUZK_STAGE_UPLOAD,
                                                   CUZK_STAGE_QUOTIENT, CUZK_STAGE_MSM,   CUZK_STAGE_FINISH};

    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        cancel_of_a_running_stage(stages[i], false);
}

static void test_cancel__reaches_a_stage_that_runs_in_a_child(void **state)
{
    (void)state;
    cancel_of_a_running_stage(CUZK_STAGE_QUOTIENT, true);
    cancel_of_a_running_stage(CUZK_STAGE_MSM, true);
}

static void count_call(void *context, const struct cuzk_job_result *result)
{
    (void)result;
    atomic_fetch_add((atomic_int *)context, 1);
}

/* Nor does a witness hold up the end of the engine; its job is not said to have failed. */
static void test_destroy__ends_a_witness_that_runs(void **state)
{
    struct engine_driver driver;
    char job[CUZK_JOB_ID_TEXT];
    const uint64_t begin = cuzk_clock_ns();
    uint64_t watch;
    atomic_int calls = 0;

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.options.host_stage_ns[CUZK_STAGE_WITNESS] = 3600 * 1000 * MS;
    driver.options.failures_most = 0;
    engine_driver_open(&driver);
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, job);
    cuzk_engine_watch(driver.engine, job, count_call, &calls, &watch);
    cuzk_clock_pause_ms(30);
    engine_driver_close(&driver);
    assert_int_equal(atomic_load(&calls), 0);
    assert_true(cuzk_clock_ns() - begin < 20 * 1000 * MS);
}

static void test_unwatch__no_call_comes_after_it(void **state)
{
    struct engine_driver driver;
    char job[CUZK_JOB_ID_TEXT];
    atomic_int calls = 0, kept = 0;
    uint64_t watch, other;

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.behaviour[0].stage_ns[CUZK_STAGE_MSM] = 20 * MS;
    engine_driver_open(&driver);
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, job);
    cuzk_engine_watch(driver.engine, job, count_call, &calls, &watch);
    cuzk_engine_watch(driver.engine, job, count_call, &kept, &other);
    assert_true(watch != 0 && other != 0);
    assert_true(cuzk_engine_unwatch(driver.engine, watch));
    assert_false(cuzk_engine_unwatch(driver.engine, watch));
    assert_false(cuzk_engine_unwatch(driver.engine, 0));
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_DONE);
    engine_driver_drain(&driver);
    assert_int_equal(calls, 0);
    assert_int_equal(kept, 1);
    assert_false(cuzk_engine_unwatch(driver.engine, other));
    cuzk_engine_watch(driver.engine, job, count_call, &calls, &watch);
    assert_int_equal(watch, 0);
    assert_int_equal(calls, 1);
    engine_driver_close(&driver);
}

/* ---- priorities ---- */

static void test_priorities__critical_goes_at_the_next_partition(void **state)
{
    enum { ROOM = 4096 };
    static struct cuzk_engine_event events[ROOM];
    const struct timespec into_msm = {0, 20 * MS};
    struct engine_driver driver;
    char low[CUZK_JOB_ID_TEXT], critical[CUZK_JOB_ID_TEXT];
    uint64_t submitted = 0;
    unsigned before = 0;

    (void)state;
    engine_driver_init(&driver, "auto");
    engine_driver_set(&driver, "partition_workers=1");
    engine_driver_set(&driver, "channel_capacity=1");
    engine_driver_set(&driver, "workers_per_device=1");
    driver.behaviour[0].stage_ns[CUZK_STAGE_MSM] = 60 * MS; /* far more than waking a thread takes */
    engine_driver_open(&driver);
    engine_driver_submit(&driver, 8, CUZK_PRIORITY_LOW, low);
    cuzk_event_log_wait(cuzk_engine_events(driver.engine), 12, 10000);
    nanosleep(&into_msm, NULL); /* the next one's is under way */
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_CRITICAL, critical);
    assert_int_equal(engine_driver_await(&driver, critical).state, CUZK_JOB_DONE);
    assert_int_equal(engine_driver_await(&driver, low).state, CUZK_JOB_DONE);

    const size_t count = cuzk_event_log_read(cuzk_engine_events(driver.engine), 0, events, ROOM);
    const uint64_t id = cuzk_job_id_parse(critical);

    for (size_t i = 0; i < count; i++)
        if (events[i].type == CUZK_EVENT_TYPE_ACCEPTED && events[i].job == id)
            submitted = events[i].begin_ns;
    for (size_t i = 0; i < count; i++)
        if (events[i].type == CUZK_EVENT_TYPE_STAGE && events[i].stage == CUZK_STAGE_MSM) {
            if (events[i].job == id)
                break;
            before += events[i].begin_ns > submitted;
        }
    assert_int_equal(before,
                     0); /* though another's witness held the only worker and one was in the channel */
    engine_driver_close(&driver);
}

/* ---- faults ---- */

static bool all_devices_are_there(void *context)
{
    struct cuzk_engine_status status;

    cuzk_engine_status(context, &status);
    for (unsigned d = 0; d < status.devices; d++)
        if (status.device[d].lost)
            return false;
    return true;
}

static void run_faults(const char *preset, const struct cuzk_device_null *behaviour, unsigned devices,
                       uint32_t failures_most, struct cuzk_engine_status *status)
{
    enum { JOBS = 20 };
    struct engine_driver driver;
    char jobs[JOBS][CUZK_JOB_ID_TEXT];

    engine_driver_init(&driver, preset);
    engine_driver_set(&driver, "batch.wait=20");
    driver.device_count = devices;
    for (unsigned d = 0; d < devices; d++) {
        driver.behaviour[d] = *behaviour;
        driver.behaviour[d].seed += d;
    }
    driver.options.failures_most = failures_most;
    engine_driver_open(&driver);
    for (unsigned j = 0; j < JOBS; j++)
        engine_driver_submit(&driver, 8, CUZK_PRIORITY_NORMAL, jobs[j]);
    for (unsigned j = 0; j < JOBS; j++) {
        const struct engine_result result = engine_driver_await(&driver, jobs[j]);

        if (result.state != CUZK_JOB_DONE)
            fail_msg("%s: job %u: %s", preset, j, result.error);
        for (size_t p = 0; p < result.proof_length; p += CUZK_PROOF_BYTES)
            assert_true(cuzk_device_null_proof_right(result.proof + p));
    }
    engine_driver_drain(&driver);
    engine_driver_until(all_devices_are_there, driver.engine);
    cuzk_engine_status(driver.engine, status);
    assert_int_equal(status->sched.units, 0);
    assert_int_equal(status->sched.host_used, 0);
    engine_driver_close(&driver);
}

static const char *const fault_presets[] = {"phase-0",  "phase-3",  "phase-4", "phase-6",
                                            "phase-7",  "phase-8",  "phase-9", "phase-10",
                                            "phase-11", "phase-12", "auto"};

static void test_faults__failed_units_are_tried_again(void **state)
{
    const struct cuzk_device_null behaviour = {.fail_every = 7, .seed = 1};

    (void)state;
    for (size_t i = 0; i < sizeof fault_presets / sizeof fault_presets[0]; i++) {
        struct cuzk_engine_status status;

        run_faults(fault_presets[i], &behaviour, 2, 1000, &status);
        assert_true(status.retries > 0);
    }
}

static void test_faults__wrong_proofs_never_leave(void **state)
{
    const struct cuzk_device_null behaviour = {.wrong_every = 5, .seed = 2};

    (void)state;
    for (size_t i = 0; i < sizeof fault_presets / sizeof fault_presets[0]; i++) {
        struct cuzk_engine_status status;

        run_faults(fault_presets[i], &behaviour, 1, 1000, &status);
        assert_true(status.retries > 0);
    }
}

static void test_faults__lost_devices_come_back(void **state)
{
    /* rarer than the partitions of a joint call, which could never end else */
    struct cuzk_device_null behaviour = {.lost_every = 37, .seed = 3};

    (void)state;
    behaviour.stage_ns[CUZK_STAGE_MSM] = MS / 10;
    behaviour.stage_ns[CUZK_STAGE_HOST_MSM] = MS / 10;
    for (size_t i = 0; i < sizeof fault_presets / sizeof fault_presets[0]; i++)
        for (unsigned devices = 1; devices <= 2; devices++) {
            struct cuzk_engine_status status;

            run_faults(fault_presets[i], &behaviour, devices, 1000, &status);
            assert_true(status.device[0].restarts + status.device[1].restarts > 0);
        }
}

static void test_faults__too_many_end_the_job_with_the_reason(void **state)
{
    struct engine_driver driver;
    char job[CUZK_JOB_ID_TEXT];

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.behaviour[0].fail_every = 1;
    engine_driver_open(&driver);
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, job);
    const struct engine_result result = engine_driver_await(&driver, job);

    assert_int_equal(result.state, CUZK_JOB_FAILED);
    assert_non_null(strstr(result.error, "was to fail"));
    assert_non_null(strstr(result.error, "failed as often"));
    driver.submitted--; /* may be tried anew */
    engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, job);
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_FAILED);
    engine_driver_close(&driver);
}

/* A device that hangs in its stages holds what it has, as many units as it has workers; the rest goes on. */
static void test_faults__a_slow_device_holds_nothing_else_up(void **state)
{
    enum { JOBS = 12, SLOW_MS = 1000 };
    struct engine_driver driver;
    char job[JOBS][CUZK_JOB_ID_TEXT];
    unsigned quick = 0;

    (void)state;
    engine_driver_init(&driver, "auto");
    driver.device_count = 2;
    driver.behaviour[0].stage_ns[CUZK_STAGE_MSM] = SLOW_MS * MS;
    driver.behaviour[1].stage_ns[CUZK_STAGE_MSM] = MS;
    engine_driver_open(&driver);
    for (int i = 0; i < JOBS; i++)
        engine_driver_submit(&driver, 5, CUZK_PRIORITY_NORMAL, job[i]);
    for (int i = 0; i < JOBS; i++) {
        const struct engine_result result = engine_driver_await(&driver, job[i]);

        assert_int_equal(result.state, CUZK_JOB_DONE);
        quick += result.total_ms < SLOW_MS;
    }
    assert_int_equal(quick, JOBS - driver.options.knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE]);
    engine_driver_close(&driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_submit__every_preset_ends_every_job),
        cmocka_unit_test(test_submit__same_content_is_the_same_job),
        cmocka_unit_test(test_submit__refusals_name_their_reason),
        cmocka_unit_test(test_submit__collected_results_make_room),
        cmocka_unit_test(test_submit__forgotten_jobs_outlive_no_engine),
        cmocka_unit_test(test_cancel__at_every_stage),
        cmocka_unit_test(test_cancel__reaches_a_stage_that_runs),
        cmocka_unit_test(test_cancel__reaches_a_stage_that_runs_in_a_child),
        cmocka_unit_test(test_destroy__ends_a_witness_that_runs),
        cmocka_unit_test(test_unwatch__no_call_comes_after_it),
        cmocka_unit_test(test_priorities__critical_goes_at_the_next_partition),
        cmocka_unit_test(test_faults__failed_units_are_tried_again),
        cmocka_unit_test(test_faults__wrong_proofs_never_leave),
        cmocka_unit_test(test_faults__lost_devices_come_back),
        cmocka_unit_test(test_faults__a_slow_device_holds_nothing_else_up),
        cmocka_unit_test(test_faults__too_many_end_the_job_with_the_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
