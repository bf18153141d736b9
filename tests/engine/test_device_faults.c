/* A device in this process, with a real key: after every fault of the backend and every allocation that
 * fails, the next proofs verify. A small circuit, for it is proved some twenty times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "engine/device_local.h"
#include "engine/key_unit.h"
#include "support/faulty_backend.h"

static struct cuzk_error err;

static void test_faults__later_units_are_right(void **state)
{
    const struct cuzk_local_opener opener = {.open = faulty_backend_open};
    static const enum cuzk_status faults[] = {CUZK_DEVICE, CUZK_DEVICE_LOST, CUZK_MEMORY};
    struct cuzk_device *device;
    size_t calls = 0;

    (void)state;
    assert_int_equal(cuzk_device_local_create_with(&opener, "cpu", 0, 1, &device, &err), CUZK_OK);
    for (;; calls++) {
        const enum cuzk_status fault = faults[calls % 3];
        struct cuzk_device_unit unit;
        faulty_backend_fail(calls, fault);
        enum cuzk_status status = key_unit_load(device, &err);
        if (status == CUZK_OK)
            status = key_unit_prove(device, 0, &unit, &err);
        if (!faulty_backend_failed()) {
            assert_int_equal(status, CUZK_OK);
            assert_true(key_unit_verifies(unit.proof));
            break;
        }
        assert_int_equal(status, fault);
        if (fault == CUZK_DEVICE_LOST) {
            assert_int_equal(key_unit_load(device, &err), CUZK_DEVICE_LOST);
            assert_int_equal(device->ops->restart(device, &err), CUZK_OK);
        }
        /* the key is loaded anew, so that its call counts */
        if (fault != CUZK_DEVICE_LOST)
            assert_int_equal(device->ops->unload(device, &key_unit_circuit, &err), CUZK_OK);
    }
    faulty_backend_fail(SIZE_MAX, CUZK_DEVICE);
    assert_true(calls >= 11); /* key, job, upload, eval, quotient, four sums, waits */
    key_unit_assert_proves(device, 0);
    cuzk_device_destroy(device);
}

static void test_memory__fails_at_each_allocation(void **state)
{
    struct cuzk_device *device;
    struct cuzk_device_unit unit = key_unit();
    size_t n = 0;

    (void)state;
    assert_int_equal(cuzk_device_local_create("cpu", 0, 1, &device, &err), CUZK_OK);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    const size_t before = cuzk_mem_in_use();

    for (enum cuzk_status status = CUZK_MEMORY; status == CUZK_MEMORY; n++) {
        cuzk_mem_fail_after(n, 0);
        status = device->ops->stage(device, 0, CUZK_STAGE_UPLOAD, &unit, &err);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        if (status == CUZK_OK)
            device->ops->abandon(device, 0);
        assert_int_equal(cuzk_mem_in_use(), before);
    }
    assert_true(n >= 3);
    key_unit_assert_proves(device, 0);
    assert_int_equal(cuzk_mem_in_use(), before);
    cuzk_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__later_units_are_right),
        cmocka_unit_test(test_memory__fails_at_each_allocation),
    };

    return cmocka_run_group_tests(tests, key_unit_open_window, key_unit_close);
}
