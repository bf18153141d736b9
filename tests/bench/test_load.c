#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "bench/event_parts.h"
#include "bench/load.h"
#include "bench/phases.h"

#define MS UINT64_C(1000000)

static struct cuzk_engine_event stage(uint64_t job, int32_t partition, enum cuzk_sched_stage stage,
                                      uint64_t begin_ms, uint64_t end_ms)
{
    const bool kernels = stage == CUZK_STAGE_QUOTIENT || stage == CUZK_STAGE_MSM;

    return (struct cuzk_engine_event){.type = CUZK_EVENT_TYPE_STAGE,
                                      .job = job,
                                      .partition = partition,
                                      .stage = stage,
                                      .begin_ns = begin_ms * MS,
                                      .end_ns = end_ms * MS,
                                      .kernels_ns = kernels ? (end_ms - begin_ms) * MS : 0};
}

/* Two partitions of one proof, every kind of wait among them, added up by hand. */
static void test_event_parts__add_up_to_the_wall(void **state)
{
    const struct cuzk_engine_event events[] = {
        stage(1, 0, CUZK_STAGE_WITNESS, 1000, 1040),  stage(1, 0, CUZK_STAGE_SETUP, 1040, 1050),
        stage(1, 0, CUZK_STAGE_PREPARE, 1040, 1085),  stage(1, 0, CUZK_STAGE_UPLOAD, 1050, 1060),
        stage(1, 0, CUZK_STAGE_QUOTIENT, 1060, 1080), stage(1, 0, CUZK_STAGE_MSM, 1090, 1100),
        stage(1, 0, CUZK_STAGE_FINISH, 1100, 1105),   stage(1, 1, CUZK_STAGE_WITNESS, 1040, 1120),
        stage(1, 1, CUZK_STAGE_PIN, 1120, 1130),      stage(1, 1, CUZK_STAGE_UPLOAD, 1130, 1135),
        stage(1, 1, CUZK_STAGE_QUOTIENT, 1135, 1150), stage(1, 1, CUZK_STAGE_MSM, 1150, 1160),
        stage(1, 1, CUZK_STAGE_FINISH, 1160, 1170),   stage(1, 1, CUZK_STAGE_VERIFY, 1170, 1180),
    };
    const struct cuzk_event_parts_load load = {
        .proofs = 1, .begin_ns = 1000 * MS, .end_ns = 1180 * MS, .witness_workers = 2, .device_workers = 1};
    struct cuzk_sim_result result = {0};
    double sum = 0;

    (void)state;
    assert_int_equal(cuzk_event_parts(events, sizeof events / sizeof events[0], &load, &result, NULL),
                     CUZK_OK);
    const double expected[CUZK_PARTS] = {
        [CUZK_PART_KERNELS] = 0.055,   [CUZK_PART_UPLOAD] = 0.015, [CUZK_PART_PREPARE] = 0.005,
        [CUZK_PART_PIN] = 0.010,       [CUZK_PART_CALL] = 0.010, /* 1085-1090 under the lock, 1100-1105 in the
                                                                    call */
        [CUZK_PART_SYNTHESIS] = 0.015, [CUZK_PART_FILL] = 0.050,   [CUZK_PART_DRAIN] = 0.020};

    for (unsigned part = 0; part < CUZK_PARTS; part++) {
        if (fabs(result.part[part] - expected[part]) > 1e-9)
            fail_msg("%s: %.4f, expected %.4f", cuzk_sim_part_name((enum cuzk_sim_part)part),
                     result.part[part], expected[part]);
        sum += result.part[part];
    }
    assert_true(fabs(sum - result.per_proof) < 1e-9 && fabs(sum - 0.180) < 1e-9);
    assert_int_equal(result.units, 2);
    assert_true(fabs(result.call - (0.065 + 0.050) / 2) < 1e-9);
    assert_true(fabs(result.calls_per_proof - 0.115) < 1e-9);
    assert_true(fabs(result.section - (0.050 + 0.030) / 2) < 1e-9);
    assert_true(fabs(result.kernels - 0.055 / 2) < 1e-9);
    assert_true(fabs(result.device_held - 0.080 / 0.110) < 1e-9);
    assert_true(fabs(result.device_busy - 0.055 / 0.110) < 1e-9);
    assert_true(fabs(result.calls_utilisation - 0.115 / 0.130) < 1e-9);
    assert_true(fabs(result.gaps - 0.015) < 1e-9);
    assert_int_equal(cuzk_event_parts(events, 1, &load, &result, NULL), CUZK_ARGUMENT);
}

static void run(const char *preset, const char *change, uint32_t proofs, uint32_t in_flight,
                struct cuzk_load_result *result)
{
    /* a device stage of 8 ms, host stages shorter */
    static const char *const device =
        "null:witness=2ms:prepare=1ms:upload=1ms:quotient=4ms:msm=4ms:finish=1ms:verify=1ms:release=1ms";
    struct cuzk_load_options options = {
        .devices = &device, .device_count = 1, .threads = 2, .proofs = proofs, .in_flight = in_flight};
    struct cuzk_load_work work;
    struct cuzk_error err;

    assert_int_equal(cuzk_load_work_make("porep-32g", true, NULL, &work, &err), CUZK_OK);
    assert_int_equal(work.partitions, 10);
    options.work = &work;
    assert_int_equal(cuzk_knobs_preset(preset, &options.knobs, &err), CUZK_OK);
    if (change != NULL)
        assert_int_equal(cuzk_knobs_set(&options.knobs, change, &err), CUZK_OK);
    if (cuzk_load_run(&options, result, &err) != CUZK_OK)
        fail_msg("%s: %s", preset, err.message);
    cuzk_load_work_free(&work);
}

/* A run on such devices is refused with a status before anything is done. */
static void check_refused(const char *const *devices, unsigned count, const char *preset,
                          enum cuzk_status expected)
{
    struct cuzk_load_options options = {
        .devices = devices, .device_count = count, .threads = 1, .proofs = 1, .in_flight = 1};
    struct cuzk_load_result result;
    struct cuzk_load_work work;
    struct cuzk_error err;

    assert_int_equal(cuzk_load_work_make("porep-32g", true, NULL, &work, &err), CUZK_OK);
    options.work = &work;
    assert_int_equal(cuzk_knobs_preset(preset, &options.knobs, &err), CUZK_OK);
    assert_int_equal(cuzk_load_run(&options, &result, &err), expected);
    cuzk_load_work_free(&work);
}

static void test_load_run__null_devices_stand_alone(void **state)
{
    static const char *const devices[] = {"null:msm=1ms", "cpu"};

    (void)state;
    check_refused(devices, 2, "auto", CUZK_ARGUMENT);
    check_refused(devices, 0, "auto", CUZK_ARGUMENT);
}

static void test_load_run__metrics_have_their_meaning(void **state)
{
    struct cuzk_load_result result;
    double sum = 0;

    (void)state;
    run("auto", NULL, 6, 3, &result);
    const struct cuzk_sim_result *f = &result.figures;

    assert_int_equal(f->units, 60);
    assert_true(f->per_proof >= 0.080 && f->per_proof < 0.5);
    assert_true(f->steady > 0 && f->steady < f->wall);
    assert_true(result.latency_p50 <= result.latency_p90 && result.latency_p90 <= result.latency_p99);
    assert_true(result.latency_p99 <= f->latency_most && f->latency_most <= f->wall + 1e-9);
    assert_true(f->kernels >= 0.008 && f->kernels <= f->section && f->section <= f->call);
    assert_true(f->device_busy <= f->device_held + 1e-9 && f->device_held <= f->calls_utilisation + 0.1);
    for (unsigned part = 0; part < CUZK_PARTS; part++)
        sum += f->part[part];
    assert_true(fabs(sum - f->per_proof) < 1e-6);
    assert_non_null(result.timeline);
    cuzk_load_result_free(&result);
}

static void test_load_run__every_preset_ends(void **state)
{
    (void)state;
    for (size_t i = 0; cuzk_knobs_preset_name(i) != NULL; i++) {
        struct cuzk_load_result result;

        run(cuzk_knobs_preset_name(i), "batch.wait=20", 3, 2, &result);
        assert_int_equal(result.proofs, 3);
        assert_int_equal(result.figures.units, 30);
        cuzk_load_result_free(&result);
    }
}

static void test_load_run__what_does_not_fit_is_refused_with_the_sum(void **state)
{
    static const char *const devices[] = {"null:msm=1ms:memory=16GiB:unit=12GiB"};
    struct cuzk_load_work work;
    struct cuzk_error err;

    (void)state;
    check_refused(devices, 1, "phase-10", CUZK_MEMORY);
    assert_int_equal(cuzk_load_work_make("porep-3k", true, NULL, &work, &err), CUZK_ARGUMENT);
}

/* A machine whose proofs take a second by partition workers up to four, with noise, and memory by worker. */
static enum cuzk_status pretend(void *context, const struct cuzk_knobs *knobs, uint32_t proofs,
                                uint32_t in_flight, struct cuzk_sim_result *out, struct cuzk_error *err)
{
    static const double noise[] = {0.0, 5.0, 0.1};
    unsigned *calls = context;
    const uint32_t given = knobs->value[CUZK_KNOB_PARTITION_WORKERS],
                   workers = given > 0 && given < 4 ? given : 4;

    (void)in_flight;
    if (knobs->value[CUZK_KNOB_DEVICE_LOCK] == CUZK_DEVICE_LOCK_SPLIT)
        return cuzk_error_set(err, CUZK_MEMORY, "two partitions do not fit");
    out->per_proof = 8.0 / workers + noise[(*calls)++ % 3];
    out->part[CUZK_PART_KERNELS] = 1;
    out->part[CUZK_PART_SYNTHESIS] = out->per_proof - 1;
    out->host_peak = 3.0 + 2.0 * given;
    out->units = proofs;
    return CUZK_OK;
}

static void test_phases_measure__takes_the_middle_run_and_says_what_is_no_step(void **state)
{
    static struct cuzk_phases phases;
    unsigned calls = 0;
    const struct cuzk_phases_runner runner = {.run = pretend,
                                              .context = &calls,
                                              .backend = "cpu",
                                              .what = "nothing",
                                              .partitions = 1,
                                              .devices = 1,
                                              .workers_most = 6,
                                              .host_memory = 64};

    (void)state;
    assert_int_equal(cuzk_phases_measure(&runner, 4, 2, 3, &phases, NULL), CUZK_OK);
    assert_int_equal(phases.phase_count, 14);
    assert_int_equal(phases.question_count, 0);
    assert_false(phases.phases[10].runs);
    assert_string_equal(phases.phases[10].refusal, "two partitions do not fit");
    assert_string_equal(phases.phases[9].note, "cpu cannot tell it from phase-8");
    assert_string_equal(phases.phases[2].note, "");
    assert_true(fabs(phases.phases[0].alone.per_proof - 2.1) < 1e-9);
    assert_true(fabs(phases.points[0].per_proof - 8.1) < 1e-9 &&
                fabs(phases.points[5].per_proof - 2.1) < 1e-9);
    assert_int_equal(phases.saturation, 4);
    assert_true(fabs(phases.memory_base - 3) < 1e-9 && fabs(phases.memory_slope - 2) < 1e-9);
    assert_true(fabs(phases.phases[0].kernel_floor - 1) < 1e-9);
    assert_non_null(strstr(phases.phases[0].alone_limit, "synthesis"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_event_parts__add_up_to_the_wall),
        cmocka_unit_test(test_load_run__null_devices_stand_alone),
        cmocka_unit_test(test_load_run__metrics_have_their_meaning),
        cmocka_unit_test(test_load_run__every_preset_ends),
        cmocka_unit_test(test_phases_measure__takes_the_middle_run_and_says_what_is_no_step),
        cmocka_unit_test(test_load_run__what_does_not_fit_is_refused_with_the_sum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
