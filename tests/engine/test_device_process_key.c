/* A processor, or the GPU that CUZK_TEST_DEVICE names, in a process of its own, with a real key: its proofs
 * verify, also after it was killed at work.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/child_program.h"
#include "engine/key_unit.h"

static struct cuzk_error err;

static const char *choice(void)
{
    return getenv("CUZK_TEST_DEVICE") != NULL ? getenv("CUZK_TEST_DEVICE") : "cpu";
}

struct prover {
    struct cuzk_device *device;
    enum cuzk_status status;
    struct cuzk_device_unit unit;
};

static void *prove(void *context)
{
    struct prover *prover = context;

    prover->status = key_unit_prove(prover->device, 1, &prover->unit, NULL);
    return NULL;
}

static void test_kill__at_work_then_right_again(void **state)
{
    struct cuzk_device *device;
    struct cuzk_device_facts facts;
    struct cuzk_device_unit unit;
    struct prover prover;
    pthread_t thread;

    (void)state;
    unsetenv("CUZK_TEST_CHILD");
    assert_int_equal(cuzk_device_process_create(child_program(), choice(), 0, 2, &device, &err), CUZK_OK);
    assert_int_equal(key_unit_prove(device, 0, &unit, &err), CUZK_ARGUMENT);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    key_unit_assert_proves(device, 0);
    assert_int_equal(device->ops->facts(device, &facts, &err), CUZK_OK);
    assert_memory_equal(facts.backend, choice(), strlen(facts.backend));
    prover = (struct prover){.device = device};
    assert_int_equal(pthread_create(&thread, NULL, prove, &prover), 0);
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    assert_int_equal(kill((pid_t)facts.process, SIGKILL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(prover.status, CUZK_DEVICE_LOST);
    assert_int_equal(device->ops->restart(device, &err), CUZK_OK);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    key_unit_assert_proves(device, 1); /* with the same witness: it was not the child's to wipe */
    cuzk_device_destroy(device);
}

/* A kernel's write to nowhere: the context is past saving, its process is not ours. */
static void test_illegal_access__costs_a_unit(void **state)
{
    struct cuzk_device *device;
    struct cuzk_device_unit unit;

    (void)state;
    if (strncmp(choice(), "cuda", 4) != 0) {
        print_message("no GPU named in CUZK_TEST_DEVICE\n");
        skip();
    }
    setenv("CUZK_TEST_CHILD", "illegal quotient", 1);
    assert_int_equal(cuzk_device_process_create(child_program(), choice(), 0, 2, &device, &err), CUZK_OK);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    assert_int_equal(key_unit_prove(device, 0, &unit, &err), CUZK_DEVICE_LOST);
    print_message("%s\n", err.message);
    assert_non_null(strstr(err.message, "IllegalAddress"));
    assert_int_equal(key_unit_prove(device, 1, &unit, &err), CUZK_DEVICE_LOST);
    unsetenv("CUZK_TEST_CHILD");
    assert_int_equal(device->ops->restart(device, &err), CUZK_OK);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    key_unit_assert_proves(device, 1);
    cuzk_device_destroy(device);
}

static void test_witness__of_another_circuit_is_refused(void **state)
{
    struct cuzk_witness_layout layout;
    struct cuzk_device_unit unit = key_unit();
    struct cuzk_device *device;

    (void)state;
    assert_int_equal(cuzk_witness_layout_create(1, 100, NULL, &layout, &err), CUZK_OK);
    assert_int_equal(cuzk_shared_witness_create(&layout, &unit.witness, &err), CUZK_OK);
    assert_int_equal(cuzk_device_process_create(child_program(), choice(), 0, 1, &device, &err), CUZK_OK);
    assert_int_equal(key_unit_load(device, &err), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_SETUP, &unit, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "witness"));
    cuzk_device_destroy(device);
    cuzk_shared_witness_destroy(unit.witness);
    cuzk_witness_layout_destroy(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill__at_work_then_right_again),
        cmocka_unit_test(test_illegal_access__costs_a_unit),
        cmocka_unit_test(test_witness__of_another_circuit_is_refused),
    };

    return cmocka_run_group_tests(tests, key_unit_open_porep, key_unit_close);
}
