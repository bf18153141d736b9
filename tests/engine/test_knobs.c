#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/knobs.h"

enum { GIB_SHIFT = 30 };

static const struct cuzk_knob_machine historical = {
    .processors = 192,
    .devices = 1,
    .host_budget = UINT64_C(400) << GIB_SHIFT,
    .host_base = UINT64_C(69) << GIB_SHIFT,
    .partition_peak = UINT64_C(20) << GIB_SHIFT,
    .partition_held = UINT64_C(16) << GIB_SHIFT,
    .device_memory = UINT64_C(16) << GIB_SHIFT,
    .device_base = UINT64_C(1) << GIB_SHIFT,
    .device_partition = UINT64_C(12) << GIB_SHIFT,
};

/* What the history says of each preset, spelled out in full where it differs from the one before.
 */
static void test_preset__changes_what_the_phase_changed(void **state)
{
    static const struct {
        const char *preset, *knob, *value;
    } expected[] = {
        {"phase-0", "srs", "resident-pinned"},
        {"phase-0", "overlap", "none"},
        {"phase-0", "synthesis", "enforce"},
        {"phase-0", "dealloc", "inline"},
        {"phase-1", "overlap", "none"},
        {"phase-2", "overlap", "proof"},
        {"phase-2", "batch.max", "1"},
        {"phase-3", "batch.max", "2"},
        {"phase-3", "dealloc", "inline"},
        {"phase-4", "dealloc", "unbounded"},
        {"phase-4", "synthesis", "enforce"},
        {"phase-5", "synthesis", "pce-cpu"},
        {"phase-6", "batch.max", "1"},
        {"phase-6", "overlap", "partition"},
        {"phase-6", "channel_capacity", "1"},
        {"phase-7", "overlap", "sectors"},
        {"phase-7", "partition_workers", "20"},
        {"phase-7", "workers_per_device", "1"},
        {"phase-8", "workers_per_device", "2"},
        {"phase-8", "partition_workers", "10"},
        {"phase-8", "staging", "pageable"},
        {"phase-9", "staging", "pinned"},
        {"phase-9", "msm.sync", "deferred"},
        {"phase-9", "device_lock", "single"},
        {"phase-10", "device_lock", "split"},
        {"phase-10", "workers_per_device", "3"},
        {"phase-11", "device_lock", "single"},
        {"phase-11", "workers_per_device", "2"},
        {"phase-11", "dealloc", "bounded"},
        {"phase-11", "device_threads", "32"},
        {"phase-11", "membw_throttle", "on"},
        {"phase-11", "finalize", "inline"},
        {"phase-12", "finalize", "async"},
        {"phase-12", "backpressure", "permit-through-send"},
        {"phase-12", "channel_capacity", "auto"},
        {"phase-12", "partition_workers", "10"},
        {"auto", "srs", "resident-device"},
        {"auto", "synthesis", "compact-device"},
        {"auto", "partition_workers", "auto"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct cuzk_knobs knobs;
        size_t knob = 0;
        char text[32];

        assert_int_equal(cuzk_knobs_preset(expected[i].preset, &knobs, NULL), CUZK_OK);
        while (strcmp(cuzk_knob_row((enum cuzk_knob)knob)->name, expected[i].knob) != 0)
            assert_true(++knob < CUZK_KNOBS);
        cuzk_knob_format((enum cuzk_knob)knob, knobs.value[knob], text, sizeof text);
        assert_string_equal(text, expected[i].value);
    }
    assert_string_equal(cuzk_knobs_preset_name(0), "phase-0");
    assert_string_equal(cuzk_knobs_preset_name(13), "auto");
    assert_null(cuzk_knobs_preset_name(14));
}

static void test_preset__unknown_lists_them(void **state)
{
    struct cuzk_knobs knobs;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("phase-13", &knobs, &err), CUZK_ARGUMENT);
    assert_non_null(strstr(err.message, "phase-12, auto"));
    assert_non_null(strstr(err.message, "'phase-13'"));
}

/* Every value that a knob can have is written in a way that reads back as the same value. */
static void test_set__reads_back_what_format_writes(void **state)
{
    (void)state;
    for (size_t knob = 0; knob < CUZK_KNOBS; knob++) {
        const struct cuzk_knob_row *row = cuzk_knob_row((enum cuzk_knob)knob);
        uint32_t last = row->max;

        if (row->choices != NULL) {
            last = 0;
            for (const char *c = row->choices; *c != '\0'; c++)
                last += *c == '|';
        }
        for (uint32_t value = row->min; value <= last; value += 1 + value / 3) {
            struct cuzk_knobs knobs;
            char text[32], assignment[128];

            memset(&knobs, 0xff, sizeof knobs);
            cuzk_knob_format((enum cuzk_knob)knob, value, text, sizeof text);
            snprintf(assignment, sizeof assignment, "%s=%s", row->name, text);
            assert_int_equal(cuzk_knobs_set(&knobs, assignment, NULL), CUZK_OK);
            assert_int_equal(knobs.value[knob], value);
            for (size_t other = 0; other < CUZK_KNOBS; other++)
                if (other != knob)
                    assert_int_equal(knobs.value[other], UINT32_MAX);
        }
        assert_true(strlen(row->meaning) > 20);
        assert_true(strncmp(row->since, "phase-", 6) == 0);
    }
}

static void test_set__refuses_with_what_is_allowed(void **state)
{
    static const struct {
        const char *assignment, *says;
    } cases[] = {
        {"colour=red", "srs, overlap, channel_capacity"},
        {"overlap=both", "none|proof|partition|sectors"},
        {"overlap=", "none|proof|partition|sectors"},
        {"overlap", "expected overlap=VALUE"},
        {"batch.max=0", "1 to 8"},
        {"batch.max=9", "1 to 8"},
        {"batch.max=-1", "1 to 8"},
        {"batch.max=2x", "1 to 8"},
        {"batch.max=99999999999999999999", "1 to 8"},
        {"partition_workers=1025", "auto or 1 to 1024"},
        {"=1", "found ''"},
        {"", "found ''"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cuzk_knobs knobs, before;
        struct cuzk_error err = {CUZK_OK, ""};

        assert_int_equal(cuzk_knobs_preset("phase-8", &knobs, NULL), CUZK_OK);
        before = knobs;
        assert_int_equal(cuzk_knobs_set(&knobs, cases[i].assignment, &err), CUZK_ARGUMENT);
        if (strstr(err.message, cases[i].says) == NULL)
            fail_msg("'%s': %s", cases[i].assignment, err.message);
        assert_memory_equal(&knobs, &before, sizeof knobs);
    }
}

static void test_resolve__computes_what_is_left_open(void **state)
{
    struct cuzk_knobs knobs;
    struct cuzk_knob_machine machine = historical;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("auto", &knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_resolve(&knobs, &machine, NULL), CUZK_OK);
    assert_int_equal(knobs.value[CUZK_KNOB_PARTITION_WORKERS], (400 - 69) / (20 + 16));
    assert_int_equal(knobs.value[CUZK_KNOB_CHANNEL_CAPACITY], (400 - 69) / (20 + 16));
    assert_int_equal(knobs.value[CUZK_KNOB_DEVICE_THREADS], 192);

    assert_int_equal(cuzk_knobs_preset("auto", &knobs, NULL), CUZK_OK);
    machine.host_budget = 0;
    assert_int_equal(cuzk_knobs_resolve(&knobs, &machine, NULL), CUZK_OK);
    assert_int_equal(knobs.value[CUZK_KNOB_PARTITION_WORKERS], 192);
}

static void test_resolve__refuses_with_the_sum(void **state)
{
    struct cuzk_knobs knobs, before;
    struct cuzk_knob_machine machine = historical;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("phase-10", &knobs, NULL), CUZK_OK);
    before = knobs;
    assert_int_equal(cuzk_knobs_resolve(&knobs, &machine, &err), CUZK_MEMORY);
    assert_non_null(strstr(err.message, "split holds 2 partitions of 12.0 GiB beside 1.0 GiB resident = 25.0 "
                                        "GiB; the device has 16.0 GiB"));
    assert_memory_equal(&knobs, &before, sizeof knobs);
    machine.device_memory = UINT64_C(32) << GIB_SHIFT;
    assert_int_equal(cuzk_knobs_resolve(&knobs, &machine, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_set(&knobs, "workers_per_device=1", NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_resolve(&knobs, &machine, &err), CUZK_ARGUMENT);
    assert_non_null(strstr(err.message, "workers_per_device"));

    assert_int_equal(cuzk_knobs_preset("phase-7", &knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_set(&knobs, "batch.max=2", NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_resolve(&knobs, &machine, &err), CUZK_ARGUMENT);
    assert_non_null(strstr(err.message, "batch.max"));

    assert_int_equal(cuzk_knobs_preset("phase-7", &knobs, NULL), CUZK_OK);
    machine.host_budget = UINT64_C(80) << GIB_SHIFT;
    assert_int_equal(cuzk_knobs_resolve(&knobs, &machine, &err), CUZK_MEMORY);
    assert_non_null(strstr(err.message, "69.0 GiB resident + 20.0 GiB for one partition = 89.0 GiB"));
}

static void test_meaningless__says_why(void **state)
{
    (void)state;
    assert_non_null(cuzk_knob_meaningless(CUZK_KNOB_STAGING, "cpu"));
    assert_non_null(cuzk_knob_meaningless(CUZK_KNOB_MEMBW_THROTTLE, "cuda"));
    assert_null(cuzk_knob_meaningless(CUZK_KNOB_DEVICE_LOCK, "cuda"));
    for (size_t knob = 0; knob < CUZK_KNOBS; knob++)
        assert_null(cuzk_knob_meaningless((enum cuzk_knob)knob, "model"));
}

static void test_taken_for__says_as_what(void **state)
{
    uint32_t as;

    (void)state;
    assert_non_null(cuzk_knob_taken_for(CUZK_KNOB_SYNTHESIS, CUZK_SYNTHESIS_PCE_CPU, "cuda", &as));
    assert_int_equal(as, CUZK_SYNTHESIS_COMPACT_DEVICE);
    assert_null(cuzk_knob_taken_for(CUZK_KNOB_SYNTHESIS, CUZK_SYNTHESIS_ENFORCE, "cuda", &as));
    assert_int_equal(as, CUZK_SYNTHESIS_ENFORCE);
    assert_null(cuzk_knob_taken_for(CUZK_KNOB_SYNTHESIS, CUZK_SYNTHESIS_PCE_CPU, "model", &as));
    assert_int_equal(cuzk_knob_choices(CUZK_KNOB_SYNTHESIS), 3);
    assert_int_equal(cuzk_knob_choices(CUZK_KNOB_BATCH_MAX), 0);
    assert_null(cuzk_knob_taken_for(CUZK_KNOB_STAGING, CUZK_STAGING_PINNED, "cpu", &as)); /* no value does */
}

static void test_are_same__as_a_backend_sees_it(void **state)
{
    struct cuzk_knobs one, other;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("phase-8", &one, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_preset("phase-9", &other, NULL), CUZK_OK); /* staging and msm.sync */
    assert_true(cuzk_knobs_are_same(&one, &other, "cpu"));
    assert_true(cuzk_knobs_are_same(&one, &other, "cuda"));
    assert_false(cuzk_knobs_are_same(&one, &other, "model"));
    assert_int_equal(cuzk_knobs_set(&one, "synthesis=compact-device", NULL), CUZK_OK);
    assert_true(cuzk_knobs_are_same(&one, &other, "cpu"));
    assert_int_equal(cuzk_knobs_set(&one, "synthesis=enforce", NULL), CUZK_OK);
    assert_false(cuzk_knobs_are_same(&one, &other, "cpu"));
    assert_true(cuzk_knobs_are_same(&one, &other, "null"));
}

static void test_device_threads__bounds_them(void **state)
{
    struct cuzk_knobs knobs;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("auto", &knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_device_threads(&knobs, 0), 0);
    assert_int_equal(cuzk_knobs_device_threads(&knobs, 7), 7);
    assert_int_equal(cuzk_knobs_set(&knobs, "device_threads=1", NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_device_threads(&knobs, 0), 1);
    assert_int_equal(cuzk_knobs_set(&knobs, "device_threads=32", NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_device_threads(&knobs, 7), 7);
    assert_int_equal(cuzk_knobs_device_threads(&knobs, 64), 32);
}

static void test_device_slots__are_two_a_worker(void **state)
{
    struct cuzk_knobs knobs;

    (void)state;
    assert_int_equal(cuzk_knobs_preset("phase-10", &knobs, NULL), CUZK_OK);
    assert_int_equal(cuzk_knobs_device_slots(&knobs), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_preset__changes_what_the_phase_changed),
        cmocka_unit_test(test_preset__unknown_lists_them),
        cmocka_unit_test(test_set__reads_back_what_format_writes),
        cmocka_unit_test(test_set__refuses_with_what_is_allowed),
        cmocka_unit_test(test_resolve__computes_what_is_left_open),
        cmocka_unit_test(test_resolve__refuses_with_the_sum),
        cmocka_unit_test(test_meaningless__says_why),
        cmocka_unit_test(test_taken_for__says_as_what),
        cmocka_unit_test(test_are_same__as_a_backend_sees_it),
        cmocka_unit_test(test_device_threads__bounds_them),
        cmocka_unit_test(test_device_slots__are_two_a_worker),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
