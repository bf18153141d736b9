#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/model_file.h"
#include "engine/sim.h"

#ifdef __has_feature
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

static struct cuzk_machine_model historical;

static struct cuzk_sim_result run(const char *preset, const char *change, uint32_t proofs, uint32_t in_flight,
                                  uint64_t seed)
{
    const struct cuzk_sim_load load = {.proofs = proofs, .in_flight = in_flight, .seed = seed, .audit = true};
    struct cuzk_sim_result result;
    struct cuzk_knobs knobs;
    struct cuzk_error err;

    assert_int_equal(cuzk_knobs_preset(preset, &knobs, NULL), CUZK_OK);
    if (change != NULL && cuzk_knobs_set(&knobs, change, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    if (cuzk_sim_run(&historical, &knobs, &load, NULL, &result, &err) != CUZK_OK)
        fail_msg("%s: %s", preset, err.message);
    return result;
}

static void test_run__same_seed_same_result(void **state)
{
    const struct cuzk_sim_result one = run("phase-12", NULL, 5, 3, 7), again = run("phase-12", NULL, 5, 3, 7),
                                 other = run("phase-12", NULL, 5, 3, 8);

    (void)state;
    assert_memory_equal(&one, &again, sizeof one);
    assert_true(one.wall != other.wall);
}

static void test_run__parts_add_up(void **state)
{
    static const char *const presets[] = {"phase-0", "phase-3", "phase-5", "phase-6",
                                          "phase-8", "phase-9", "phase-12"};

    (void)state;
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        const struct cuzk_sim_result r = run(presets[i], NULL, 4, 3, 1);
        double sum = 0;

        for (unsigned part = 0; part < CUZK_PARTS; part++)
            sum += r.part[part];
        assert_true(fabs(sum - r.per_proof) < 1e-6 * r.per_proof + 1e-4);
        assert_true(fabs(r.per_proof * 4 - r.wall) < 1e-6 * r.wall);
        assert_true(r.device_busy <= r.device_held + 1e-9 && r.device_held <= 1 + 1e-9);
        assert_true(r.host_peak > historical.gib_key && r.device_peak >= historical.gib_device);
    }
}

/* Without noise and contention a lone proof takes what its stages add up to. */
static void test_run__agrees_with_a_sum_by_hand(void **state)
{
    struct cuzk_machine_model quiet = historical;
    const struct cuzk_sim_load load = {.proofs = 1, .in_flight = 1, .seed = 1};
    struct cuzk_sim_result r;
    struct cuzk_knobs knobs;

    (void)state;
    quiet.jitter_synthesis = quiet.jitter_host = 0;
    quiet.slow_synthesis_square = quiet.slow_synthesis_host = 0;
    quiet.slow_host_synthesis = quiet.slow_host_square = quiet.slow_host_host = 0;
    quiet.partitions = 2;
    assert_int_equal(cuzk_knobs_preset("phase-8", &knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_set(&knobs, "workers_per_device=1", NULL), CUZK_OK);
    assert_int_equal(cuzk_sim_run(&quiet, &knobs, &load, NULL, &r, NULL), CUZK_OK);

    const double upload_and_quotient = quiet.upload_pageable + quiet.quotient;
    const double ready = quiet.prepare > upload_and_quotient ? quiet.prepare : upload_and_quotient;
    const double device = ready + quiet.batch_add + quiet.tails_immediate;
    const double host = quiet.prepare + quiet.host_msm_serial +
                        quiet.host_msm_shared / quiet.processors; /* b_g2 under the device */
    const double call = quiet.call_setup + (device > host ? device : host) + quiet.finish + quiet.hand_over;
    const double expected = quiet.parse + quiet.witness + quiet.product + 2 * (quiet.call_switch + call);

    assert_true(fabs(r.wall - expected) < 1e-6);
    assert_true(fabs(r.call - call) < 1e-6);
    assert_true(fabs(r.kernels - (quiet.quotient + quiet.batch_add + quiet.tails_immediate)) < 1e-6);
}

/* Knobs that the core leaves to who runs its commands. */
static void test_knobs__change_the_run(void **state)
{
    const double base = run("phase-9", NULL, 3, 3, 1).per_proof;

    (void)state;
    assert_true(run("phase-9", "srs=per-proof", 3, 3, 1).per_proof > base);
    assert_true(run("phase-9", "msm.sync=immediate", 3, 3, 1).kernels >
                run("phase-9", NULL, 3, 3, 1).kernels);
    assert_true(run("phase-9", "staging=pageable", 3, 3, 1).section > run("phase-9", NULL, 3, 3, 1).section);
    assert_true(run("phase-9", "device_threads=32", 3, 3, 1).stage[CUZK_STAGE_HOST_MSM] >
                2 * run("phase-9", NULL, 3, 3, 1).stage[CUZK_STAGE_HOST_MSM]);
    assert_true(run("phase-9", "synthesis=enforce", 3, 3, 1).synthesis > 1.5 * 29);
    assert_true(run("phase-9", "synthesis=compact-device", 3, 3, 1).per_proof < 0.6 * base);
    assert_true(run("phase-11", "membw_throttle=off", 3, 3, 1).synthesis !=
                run("phase-11", NULL, 3, 3, 1).synthesis);
}

static void test_run__refuses_what_does_not_fit(void **state)
{
    const struct cuzk_sim_load load = {.proofs = 1, .in_flight = 1, .seed = 1},
                               none = {.proofs = 0, .in_flight = 1};
    struct cuzk_sim_result r;
    struct cuzk_knobs knobs;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("phase-10", &knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_sim_run(&historical, &knobs, &load, NULL, &r, &err), CUZK_MEMORY);
    assert_non_null(strstr(err.message, "2 partitions of 12.0 GiB beside 1.3 GiB resident = 25.3 GiB"));
    assert_int_equal(cuzk_knobs_preset("auto", &knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_sim_run(&historical, &knobs, &load, NULL, &r, &err), CUZK_MEMORY);
    assert_int_equal(cuzk_sim_run(&historical, &knobs, &none, NULL, &r, &err), CUZK_ARGUMENT);
}

static void test_timeline__has_every_stage(void **state)
{
    const struct cuzk_sim_load load = {.proofs = 2, .in_flight = 2, .seed = 1};
    struct cuzk_timeline *timeline;
    struct cuzk_sim_result r;
    struct cuzk_knobs knobs;
    size_t count, witnesses = 0, others = 0;

    (void)state;
    assert_int_equal(cuzk_timeline_create(&timeline, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_preset("phase-12", &knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_sim_run(&historical, &knobs, &load, timeline, &r, NULL), CUZK_OK);
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);

    for (size_t i = 0; i < count; i++) {
        witnesses += strcmp(events[i].stage, "witness") == 0;
        others += strcmp(events[i].lane, "device 0") == 0;
        assert_true(events[i].end_ns >= events[i].begin_ns);
    }
    assert_int_equal(witnesses, 20);
    assert_int_equal(others, 60);
    cuzk_timeline_destroy(timeline);
}

/* A device whose stages are longer than the host's is kept busy under load by the presets that overlap. */
static void test_presets__keep_a_slow_device_busy(void **state)
{
    static const char *const presets[] = {"phase-8", "phase-11", "phase-12", "auto"};
    struct cuzk_machine_model slow = historical;
    const struct cuzk_sim_load load = {.proofs = 20, .in_flight = 15, .seed = 1};

    (void)state;
    slow.witness = slow.product = slow.compact_witness = 0.1;
    slow.upload_pageable = slow.upload_pinned = slow.upload_compact = 0;
    slow.prepare = slow.pin = slow.unpin = slow.host_msm_serial = slow.host_msm_shared = 0.1;
    slow.call_setup = slow.call_switch = slow.finish = slow.drop = slow.release = 0.05;
    slow.quotient = slow.quotient_resident = 2;
    slow.device_memory = 100;
    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        struct cuzk_sim_result r;
        struct cuzk_knobs knobs;

        assert_int_equal(cuzk_knobs_preset(presets[i], &knobs, NULL), CUZK_OK);
        if (i == 1 || i == 2)
            slow.pin_exclusive = 0; /* a driver that lets registration run beside kernels */
        assert_int_equal(cuzk_sim_run(&slow, &knobs, &load, NULL, &r, NULL), CUZK_OK);
        if (r.device_busy < 0.99)
            fail_msg("%s: busy %.4f", presets[i], r.device_busy);
    }
    struct cuzk_sim_result r;
    struct cuzk_knobs knobs;

    /* one call at a time: the lock is held almost always, the device is not busy */
    assert_int_equal(cuzk_knobs_preset("phase-7", &knobs, NULL), CUZK_OK);
    slow.prepare = 3;
    assert_int_equal(cuzk_sim_run(&slow, &knobs, &load, NULL, &r, NULL), CUZK_OK);
    assert_true(r.device_held > r.device_busy + 0.1);
}

static void test_run__survives_every_failed_allocation(void **state)
{
    const struct cuzk_sim_load load = {.proofs = 1, .in_flight = 1, .seed = 1};
    const size_t before = cuzk_mem_in_use();
    struct cuzk_sim_result r;
    struct cuzk_knobs knobs;
    size_t failed = 0;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("phase-12", &knobs, NULL), CUZK_OK);
    for (size_t n = 0;; n++) {
        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = cuzk_sim_run(&historical, &knobs, &load, NULL, &r, NULL);

        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_int_equal(cuzk_mem_in_use(), before);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
        failed++;
    }
    assert_true(failed >= 15); /* the simulation's own buffers and the core's */
}

/* At least a million events a second; a quarter of that is asked, for machines that are busy. */
static void test_run__is_fast(void **state)
{
    const struct cuzk_sim_load load = {.proofs = 3000, .in_flight = 15, .seed = 1};
    struct cuzk_sim_result r;
    struct cuzk_knobs knobs;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("phase-12", &knobs, NULL), CUZK_OK);
    const uint64_t begin = cuzk_clock_cpu_ns();

    assert_int_equal(cuzk_sim_run(&historical, &knobs, &load, NULL, &r, NULL), CUZK_OK);
    const double seconds = (double)(cuzk_clock_cpu_ns() - begin) / 1e9;

    print_message("%.2f million events a second\n", (double)r.steps / seconds / 1e6);
#if defined(NDEBUG) && !SANITIZED
    assert_true((double)r.steps / seconds > 0.25e6);
#endif
}

static int read_historical(void **state)
{
    (void)state;
    read_model("threadripper-5070ti.json", &historical);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run__same_seed_same_result),
        cmocka_unit_test(test_run__parts_add_up),
        cmocka_unit_test(test_run__agrees_with_a_sum_by_hand),
        cmocka_unit_test(test_knobs__change_the_run),
        cmocka_unit_test(test_run__refuses_what_does_not_fit),
        cmocka_unit_test(test_timeline__has_every_stage),
        cmocka_unit_test(test_presets__keep_a_slow_device_busy),
        cmocka_unit_test(test_run__survives_every_failed_allocation),
        cmocka_unit_test(test_run__is_fast),
    };

    return cmocka_run_group_tests(tests, read_historical, NULL);
}
