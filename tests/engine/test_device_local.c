/* A device in this process, with a real key: its proofs verify, from two slots at once and after an abandoned
 * one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "backend/choice.h"
#include "engine/device_local.h"
#include "engine/key_unit.h"
#include "support/faulty_backend.h"

static struct cuzk_error err;

struct prover {
    struct cuzk_device *device;
    unsigned slot;
    enum cuzk_status status;
    struct cuzk_device_unit unit;
};

static void *prove(void *context)
{
    struct prover *prover = context;

    prover->status = key_unit_prove(prover->device, prover->slot, &prover->unit, NULL);
    return NULL;
}

static void test_slots__prove_at_the_same_time(void **state)
{
    struct cuzk_device *device;
    struct prover prover[2];
    pthread_t thread[2];

    (void)state;
    assert_int_equal(cuzk_device_local_create("cpu", 0, 2, &device, &err), CUZK_OK);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK); /* it is there */
    for (unsigned i = 0; i < 2; i++) {
        prover[i] = (struct prover){.device = device, .slot = i};
        assert_int_equal(pthread_create(&thread[i], NULL, prove, &prover[i]), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(prover[i].status, CUZK_OK);
        assert_true(key_unit_verifies(prover[i].unit.proof));
    }
    assert_memory_not_equal(prover[0].unit.proof, prover[1].unit.proof, CUZK_PROOF_BYTES);
    assert_int_equal(device->ops->unload(device, &key_unit_circuit, &err), CUZK_OK);
    cuzk_device_destroy(device);
}

static void test_stage__leaves_out_what_others_leave_out(void **state)
{
    struct cuzk_device *device;
    struct cuzk_device_unit unit = key_unit();

    (void)state;
    assert_int_equal(cuzk_device_local_create("cpu", 0, 1, &device, &err), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_SETUP, &unit, &err), CUZK_ARGUMENT);
    assert_non_null(strstr(err.message, "not loaded"));
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_PREPARE, &unit, &err), CUZK_OK);
    assert_int_equal(device->ops->unload(device, &key_unit_circuit, &err), CUZK_BUSY);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_MSM, &unit, &err), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_FINISH, &unit, &err), CUZK_OK);
    assert_true(key_unit_verifies(unit.proof));
    assert_int_equal(device->ops->stage(device, 1, CUZK_STAGE_SETUP, &unit, &err), CUZK_ARGUMENT);
    cuzk_device_destroy(device);
}

static void test_abandon__between_stages_and_during_one(void **state)
{
    struct cuzk_device *device;
    struct cuzk_device_unit unit = key_unit();
    const struct cuzk_local_opener opener = {.open = faulty_backend_open};
    struct prover prover;
    pthread_t thread;

    (void)state;
    faulty_backend_fail(SIZE_MAX, CUZK_DEVICE);
    assert_int_equal(cuzk_device_local_create_with(&opener, "cpu", 0, 1, &device, &err), CUZK_OK);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_UPLOAD, &unit, &err), CUZK_OK);
    device->ops->abandon(device, 0);
    device->ops->abandon(device, 0);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_QUOTIENT, &unit, &err), CUZK_OK);
    device->ops->abandon(device, 0);
    prover = (struct prover){.device = device};
    const size_t before = faulty_backend_calls();

    assert_int_equal(pthread_create(&thread, NULL, prove, &prover), 0);
    while (faulty_backend_calls() < before + 4) /* it evaluates */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    device->ops->abandon(device, 0);
    pthread_join(thread, NULL);
    assert_int_equal(prover.status, CUZK_CANCELLED);
    key_unit_assert_proves(device, 0);
    cuzk_device_destroy(device);
}

static void test_load__names_what_is_wrong(void **state)
{
    struct cuzk_device *device;
    const struct cuzk_circuit_id none = {CUZK_CIRCUIT_POREP, 12345};
    const struct cuzk_circuit_id larger = {CUZK_CIRCUIT_POREP, 4096};

    (void)state;
    assert_int_equal(cuzk_device_local_create("cpu", 1, 1, &device, &err), CUZK_OK);
    assert_int_equal(device->ops->load(device, &key_unit_circuit, "/nonexistent/key.params", NULL, &err),
                     CUZK_NOT_FOUND);
    assert_int_equal(device->ops->load(device, &none, key_unit_params(), NULL, &err), CUZK_ARGUMENT);
    assert_int_equal(device->ops->load(device, &larger, key_unit_params(), NULL, &err), CUZK_INPUT);
    cuzk_device_destroy(device);
    assert_int_equal(cuzk_device_local_create("abacus", 1, 1, &device, &err), CUZK_ARGUMENT);
    assert_null(device);
}

static struct cuzk_backend *opened;

static enum cuzk_status open_seen(void *context, const char *choice, struct cuzk_pool *pool,
                                  struct cuzk_backend **out, struct cuzk_error *error)
{
    (void)context;
    CUZK_TRY(cuzk_backend_open(choice, pool, out, error));
    opened = *out;
    return CUZK_OK;
}

static void test_memory_limit__reaches_the_backend(void **state)
{
    const struct cuzk_local_opener opener = {.open = open_seen};
    struct cuzk_device *device;
    struct cuzk_device_need need;

    (void)state;
    assert_int_equal(cuzk_device_local_create_with(&opener, "cpu", 1, 1, &device, &err), CUZK_OK);
    device->memory_limit = 12345;
    assert_int_equal(device->ops->need(device, &key_unit_circuit, &need, &err), CUZK_OK);
    assert_int_equal(opened->memory_limit, 12345);
    assert_int_equal(device->ops->restart(device, &err), CUZK_OK);
    assert_int_equal(device->ops->load(device, &key_unit_circuit, "/nonexistent", NULL, &err),
                     CUZK_NOT_FOUND);
    assert_int_equal(opened->memory_limit, 12345);
    cuzk_device_destroy(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slots__prove_at_the_same_time),
        cmocka_unit_test(test_stage__leaves_out_what_others_leave_out),
        cmocka_unit_test(test_abandon__between_stages_and_during_one),
        cmocka_unit_test(test_load__names_what_is_wrong),
        cmocka_unit_test(test_memory_limit__reaches_the_backend),
    };

    return cmocka_run_group_tests(tests, key_unit_open_porep, key_unit_close);
}
