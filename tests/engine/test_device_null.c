#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/device.h"

static const struct cuzk_circuit_id circuit = {CUZK_CIRCUIT_POREP, 2048};

static struct cuzk_device *open_with(const struct cuzk_device_null *how, unsigned slots)
{
    struct cuzk_device *device;

    assert_int_equal(cuzk_device_null_create(how, slots, &device, NULL), CUZK_OK);
    assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, NULL), CUZK_OK);
    return device;
}

/* All stages of a unit; the first failure. */
static enum cuzk_status prove(struct cuzk_device *device, unsigned slot, struct cuzk_device_unit *unit)
{
    static const enum cuzk_sched_stage stages[] = {CUZK_STAGE_SETUP, CUZK_STAGE_UPLOAD, CUZK_STAGE_QUOTIENT,
                                                   CUZK_STAGE_MSM, CUZK_STAGE_FINISH};

    *unit = (struct cuzk_device_unit){.circuit = &circuit};
    for (size_t i = 0; i < 5; i++)
        CUZK_TRY(device->ops->stage(device, slot, stages[i], unit, NULL));
    return CUZK_OK;
}

static void test_stage__takes_its_time(void **state)
{
    struct cuzk_device_null how = {0};
    struct cuzk_device_unit unit;

    (void)state;
    how.stage_ns[CUZK_STAGE_UPLOAD] = 2000000;
    how.stage_ns[CUZK_STAGE_QUOTIENT] = 5000000;
    how.stage_ns[CUZK_STAGE_MSM] = 3000000;
    struct cuzk_device *device = open_with(&how, 1);
    const uint64_t begin = cuzk_clock_ns();

    assert_int_equal(prove(device, 0, &unit), CUZK_OK);
    assert_true(cuzk_clock_ns() - begin >= 10000000);
    assert_int_equal(unit.kernels_ns, 8000000);
    assert_int_equal(unit.transfer_ns, 2000000);
    assert_true(cuzk_device_null_proof_right(unit.proof));
    cuzk_device_destroy(device);
}

static void test_stage__wants_its_key(void **state)
{
    struct cuzk_device_null how = {0};
    struct cuzk_device_unit unit = {.circuit = &circuit};
    struct cuzk_device *device = open_with(&how, 1);

    (void)state;
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_SETUP, &unit, NULL), CUZK_OK);
    assert_int_equal(device->ops->unload(device, &circuit, NULL), CUZK_BUSY);
    device->ops->abandon(device, 0);
    assert_int_equal(device->ops->unload(device, &circuit, NULL), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_SETUP, &unit, NULL), CUZK_ARGUMENT);
    assert_int_equal(device->ops->stage(device, 1, CUZK_STAGE_SETUP, &unit, NULL), CUZK_ARGUMENT);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_WITNESS, &unit, NULL), CUZK_ARGUMENT);
    cuzk_device_destroy(device);
}

static void test_faults__come_as_often_as_asked(void **state)
{
    const struct cuzk_device_null how = {.fail_every = 5, .lost_every = 7, .wrong_every = 3, .seed = 9};
    struct cuzk_device *device = open_with(&how, 1);
    struct cuzk_device_unit unit;

    (void)state;
    for (unsigned n = 1; n <= 210; n++) {
        const enum cuzk_status status = prove(device, 0, &unit);

        if (n % 7 == 0) {
            assert_int_equal(status, CUZK_DEVICE_LOST);
            assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, NULL), CUZK_DEVICE_LOST);
            assert_int_equal(device->ops->restart(device, NULL), CUZK_OK);
            assert_int_equal(prove(device, 0, &unit), CUZK_ARGUMENT); /* no key after a restart */
            assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, NULL), CUZK_OK);
        } else if (n % 5 == 0) {
            assert_int_equal(status, CUZK_DEVICE);
        } else {
            assert_int_equal(status, CUZK_OK);
            assert_int_equal(cuzk_device_null_proof_right(unit.proof), n % 3 != 0);
        }
    }
    cuzk_device_destroy(device);
}

static void test_memory__is_counted(void **state)
{
    const struct cuzk_device_null how = {.memory = 100, .need = {.key_device = 40, .unit_device = 30}};
    struct cuzk_device *device = open_with(&how, 3);
    struct cuzk_device_unit unit[3];
    struct cuzk_device_facts facts;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        unit[i] = (struct cuzk_device_unit){.circuit = &circuit};
        assert_int_equal(device->ops->stage(device, i, CUZK_STAGE_UPLOAD, &unit[i], NULL),
                         i < 2 ? CUZK_OK : CUZK_MEMORY);
    }
    assert_int_equal(device->ops->facts(device, &facts, NULL), CUZK_OK);
    assert_int_equal(facts.memory_free, 0);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_MSM, &unit[0], NULL), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 2, CUZK_STAGE_UPLOAD, &unit[2], NULL), CUZK_OK);
    for (unsigned i = 0; i < 3; i++)
        device->ops->abandon(device, i);
    assert_int_equal(device->ops->facts(device, &facts, NULL), CUZK_OK);
    assert_int_equal(facts.memory_free, 60);
    assert_int_equal(facts.memory_peak, 100);
    cuzk_device_destroy(device);
}

struct running {
    struct cuzk_device *device;
    unsigned slot;
    enum cuzk_status status;
};

static void *run(void *context)
{
    struct running *running = context;
    struct cuzk_device_unit unit = {.circuit = &circuit};

    running->status =
        running->device->ops->stage(running->device, running->slot, CUZK_STAGE_MSM, &unit, NULL);
    return NULL;
}

static void test_abandon__ends_a_running_stage(void **state)
{
    struct cuzk_device_null how = {0};
    struct cuzk_device_unit unit;
    pthread_t thread;

    (void)state;
    how.stage_ns[CUZK_STAGE_MSM] = UINT64_C(60000000000);
    struct running running = {.device = open_with(&how, 2)};
    const uint64_t begin = cuzk_clock_ns();

    assert_int_equal(pthread_create(&thread, NULL, run, &running), 0);
    unit = (struct cuzk_device_unit){.circuit = &circuit};
    do { /* busy as soon as it runs */
        struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    } while (running.device->ops->unload(running.device, &circuit, NULL) == CUZK_OK &&
             running.device->ops->load(running.device, &circuit, NULL, NULL, NULL) == CUZK_OK);
    running.device->ops->abandon(running.device, 0);
    pthread_join(thread, NULL);
    assert_int_equal(running.status, CUZK_CANCELLED);
    assert_true(cuzk_clock_ns() - begin < UINT64_C(30000000000));
    assert_int_equal(running.device->ops->stage(running.device, 0, CUZK_STAGE_SETUP, &unit, NULL), CUZK_OK);
    cuzk_device_destroy(running.device);
}

static bool stop_now(void *context)
{
    (void)context;
    return true;
}

static void test_load__can_be_stopped(void **state)
{
    const struct cuzk_device_null how = {.load_ns = UINT64_C(60000000000)};
    const struct cuzk_progress progress = {.cancelled = stop_now};
    struct cuzk_device *device;

    (void)state;
    assert_int_equal(cuzk_device_null_create(&how, 1, &device, NULL), CUZK_OK);
    assert_int_equal(device->ops->load(device, &circuit, NULL, &progress, NULL), CUZK_CANCELLED);
    cuzk_device_destroy(device);
    cuzk_device_destroy(NULL);
}

static void test_create__memory_fails(void **state)
{
    const struct cuzk_device_null how = {0};
    struct cuzk_device *device;
    const size_t before = cuzk_mem_in_use();

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        cuzk_mem_fail_after(n, 0);
        assert_int_equal(cuzk_device_null_create(&how, 1, &device, NULL), CUZK_MEMORY);
        assert_null(device);
        assert_int_equal(cuzk_mem_in_use(), before);
    }
    cuzk_mem_fail_after(SIZE_MAX, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stage__takes_its_time),          cmocka_unit_test(test_stage__wants_its_key),
        cmocka_unit_test(test_faults__come_as_often_as_asked), cmocka_unit_test(test_memory__is_counted),
        cmocka_unit_test(test_abandon__ends_a_running_stage),  cmocka_unit_test(test_load__can_be_stopped),
        cmocka_unit_test(test_create__memory_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
