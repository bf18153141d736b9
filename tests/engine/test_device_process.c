/* A device in a process of its own, null devices in it: whatever the child does, the parent goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/child_program.h"
#include "engine/device.h"

static const struct cuzk_circuit_id circuit = {CUZK_CIRCUIT_POREP, 2048};
static struct cuzk_error err;

static struct cuzk_device *open_with(const char *deed, const char *choice, unsigned slots)
{
    struct cuzk_device *device;

    setenv("CUZK_TEST_CHILD", deed, 1);
    if (cuzk_device_process_create(child_program(), choice, 1, slots, &device, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, &err), CUZK_OK);
    return device;
}

static enum cuzk_status prove(struct cuzk_device *device, unsigned slot, struct cuzk_device_unit *unit)
{
    static const enum cuzk_sched_stage stages[] = {CUZK_STAGE_SETUP, CUZK_STAGE_UPLOAD, CUZK_STAGE_QUOTIENT,
                                                   CUZK_STAGE_MSM, CUZK_STAGE_FINISH};

    *unit = (struct cuzk_device_unit){.circuit = &circuit};
    for (size_t i = 0; i < 5; i++)
        CUZK_TRY(device->ops->stage(device, slot, stages[i], unit, &err));
    return CUZK_OK;
}

static int64_t process_of(struct cuzk_device *device)
{
    struct cuzk_device_facts facts;

    assert_int_equal(device->ops->facts(device, &facts, &err), CUZK_OK);
    assert_string_equal(facts.backend, "null");
    return facts.process;
}

static unsigned descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned n = 0;

    while (readdir(folder) != NULL)
        n++;
    closedir(folder);
    return n;
}

static void test_stage__proves_through_the_child(void **state)
{
    struct cuzk_device *device = open_with("", "null:quotient=2ms:upload=1ms", 2);
    struct cuzk_device_unit unit;
    struct cuzk_device_need need;

    (void)state;
    assert_true(process_of(device) != getpid() && process_of(device) > 0);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(prove(device, i % 2, &unit), CUZK_OK);
        assert_true(cuzk_device_null_proof_right(unit.proof));
        assert_int_equal(unit.kernels_ns, 2000000);
        assert_int_equal(unit.transfer_ns, 1000000);
    }
    assert_int_equal(device->ops->need(device, &circuit, &need, &err), CUZK_OK);
    assert_int_equal(device->ops->unload(device, &circuit, &err), CUZK_OK);
    assert_int_equal(prove(device, 0, &unit), CUZK_ARGUMENT);
    assert_int_equal(device->ops->load(device, &circuit, "", NULL, &err), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_SETUP, &unit, &err), CUZK_OK);
    device->ops->abandon(device, 0);
    assert_int_equal(prove(device, 0, &unit), CUZK_OK);
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

static void test_kill__loses_every_call_in_flight(void **state)
{
    struct running running[3];
    pthread_t thread[3];
    struct cuzk_device *device = open_with("", "null:msm=60s", 3);
    struct cuzk_device_unit unit;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        running[i] = (struct running){device, i, CUZK_OK};
        assert_int_equal(pthread_create(&thread[i], NULL, run, &running[i]), 0);
    }
    nanosleep(&(struct timespec){0, 200000000}, NULL);
    assert_int_equal(kill((pid_t)process_of(device), SIGKILL), 0);
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(running[i].status, CUZK_DEVICE_LOST);
    }
    assert_int_equal(prove(device, 0, &unit), CUZK_DEVICE_LOST);
    assert_non_null(strstr(err.message, "signal 9"));
    assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, &err), CUZK_DEVICE_LOST);
    assert_int_equal(device->ops->restart(device, &err), CUZK_OK);
    assert_int_equal(prove(device, 0, &unit), CUZK_ARGUMENT); /* no key yet */
    assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, &err), CUZK_OK);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_SETUP, &unit, &err), CUZK_OK);
    cuzk_device_destroy(device);
}

static void test_abandon__ends_a_running_stage(void **state)
{
    struct cuzk_device *device = open_with("", "null:msm=60s", 2);
    struct running running = {device, 0, CUZK_OK};
    struct cuzk_device_unit unit = {.circuit = &circuit};
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, run, &running), 0);
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    device->ops->abandon(device, 0);
    pthread_join(thread, NULL);
    assert_int_equal(running.status, CUZK_CANCELLED);
    assert_int_equal(device->ops->stage(device, 0, CUZK_STAGE_SETUP, &unit, &err), CUZK_OK);
    cuzk_device_destroy(device);
}

static bool stop_soon(void *context)
{
    unsigned *asked = context;

    return ++*asked > 1;
}

static void count_reports(void *context, const char *stage, uint64_t done, uint64_t total)
{
    (void)context;
    assert_string_equal(stage, "loading");
    assert_true(done < total);
}

static void test_load__reports_and_stops(void **state)
{
    unsigned asked = 0;
    const struct cuzk_progress progress = {count_reports, stop_soon, &asked};
    struct cuzk_device *device;
    const uint64_t begin = cuzk_clock_ns();

    (void)state;
    setenv("CUZK_TEST_CHILD", "", 1);
    assert_int_equal(cuzk_device_process_create(child_program(), "null:load=8s", 1, 1, &device, &err),
                     CUZK_OK);
    assert_int_equal(device->ops->load(device, &circuit, NULL, &progress, &err), CUZK_CANCELLED);
    assert_true(cuzk_clock_ns() - begin < UINT64_C(7000000000));
    cuzk_device_destroy(device);
}

static void test_deaths__each_kind_at_each_stage(void **state)
{
    static const char *const deeds[] = {"kill setup",      "segv upload",   "exit quotient", "nonsense msm",
                                        "nonsense finish", "lost quotient", "kill finish"};
    const size_t memory = cuzk_mem_in_use();
    const unsigned open = descriptors();

    (void)state;
    for (size_t i = 0; i < sizeof deeds / sizeof deeds[0]; i++) {
        struct cuzk_device *device = open_with(deeds[i], "null", 2);
        struct cuzk_device_unit unit;
        assert_int_equal(prove(device, 0, &unit), CUZK_DEVICE_LOST);
        assert_int_equal(prove(device, 1, &unit), CUZK_DEVICE_LOST);
        setenv("CUZK_TEST_CHILD", "", 1);
        assert_int_equal(device->ops->restart(device, &err), CUZK_OK);
        assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, &err), CUZK_OK);
        assert_int_equal(prove(device, 0, &unit), CUZK_OK);
        assert_true(cuzk_device_null_proof_right(unit.proof));
        cuzk_device_destroy(device);
    }
    assert_int_equal(cuzk_mem_in_use(), memory);
    assert_int_equal(descriptors(), open);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombies */
}

/* A child that is stopped, or hangs, says nothing: by and by it is lost, and a new one takes its place. */
static void test_silence__is_a_lost_device(void **state)
{
    struct cuzk_device *device = open_with("", "null", 1);
    struct cuzk_device_facts facts;
    struct cuzk_device_unit unit;

    (void)state;
    device->patience_ms = 200;
    assert_int_equal(kill((pid_t)process_of(device), SIGSTOP), 0);
    assert_int_equal(device->ops->facts(device, &facts, &err), CUZK_DEVICE_LOST);
    assert_non_null(strstr(err.message, "gave no answer"));
    assert_int_equal(prove(device, 0, &unit), CUZK_DEVICE_LOST);
    device->patience_ms = 0; /* a new one may take its time */
    assert_int_equal(device->ops->restart(device, &err), CUZK_OK);
    assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, &err), CUZK_OK);
    assert_int_equal(prove(device, 0, &unit), CUZK_OK);
    /* one that is only held up goes on */
    const pid_t child = (pid_t)process_of(device), waker = fork();

    assert_int_equal(kill(child, SIGSTOP), 0);
    if (waker == 0) {
        cuzk_clock_pause_ms(250);
        kill(child, SIGCONT);
        _exit(0);
    }
    assert_int_equal(prove(device, 0, &unit), CUZK_OK);
    assert_int_equal(process_of(device), child);
    assert_int_equal(waitpid(waker, NULL, 0), waker);
    cuzk_device_destroy(device);
}

static void test_restart__leaks_nothing(void **state)
{
    struct cuzk_device *device = open_with("", "null", 4);
    const size_t memory = cuzk_mem_in_use();
    const unsigned open = descriptors();
    struct cuzk_device_unit unit;

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(device->ops->restart(device, &err), CUZK_OK);
        assert_int_equal(device->ops->load(device, &circuit, NULL, NULL, &err), CUZK_OK);
        assert_int_equal(prove(device, i % 4, &unit), CUZK_OK);
    }
    assert_int_equal(cuzk_mem_in_use(), memory);
    assert_int_equal(descriptors(), open);
    cuzk_device_destroy(device);
}

static void test_create__says_why_it_cannot(void **state)
{
    struct cuzk_device *device;
    const unsigned open = descriptors();

    (void)state;
    setenv("CUZK_TEST_CHILD", "refuse", 1);
    assert_int_equal(cuzk_device_process_create(child_program(), "null", 1, 1, &device, &err),
                     CUZK_NOT_FOUND);
    assert_string_equal(err.message, "no such device here");
    assert_null(device);
    setenv("CUZK_TEST_CHILD", "gone", 1);
    assert_int_equal(cuzk_device_process_create(child_program(), "null", 1, 1, &device, &err),
                     CUZK_DEVICE_LOST);
    assert_non_null(strstr(err.message, "code 3"));
    assert_int_equal(cuzk_device_process_create("/nonexistent", "null", 1, 1, &device, &err), CUZK_IO);
    assert_int_equal(cuzk_device_process_create("/nonexistent", "null", 1, 65, &device, &err), CUZK_ARGUMENT);
    assert_int_equal(descriptors(), open);
}

/* A parent that is killed takes its child along: a grandchild here, seen by its pipe's end. */
static void test_parent__dies_and_the_child_ends(void **state)
{
    int ends[2];
    char byte;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    const pid_t parent = fork();

    if (parent == 0) {
        struct cuzk_device *device;
        setenv("CUZK_TEST_CHILD", "", 1);
        close(ends[0]);
        if (cuzk_device_process_create(child_program(), "null", 1, 1, &device, NULL) == CUZK_OK)
            raise(SIGKILL);
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 0); /* the pipe is inherited by both: its end is theirs */
    close(ends[0]);
    int how;
    assert_int_equal(waitpid(parent, &how, 0), parent);
    assert_true(WIFSIGNALED(how));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stage__proves_through_the_child),
        cmocka_unit_test(test_kill__loses_every_call_in_flight),
        cmocka_unit_test(test_abandon__ends_a_running_stage),
        cmocka_unit_test(test_load__reports_and_stops),
        cmocka_unit_test(test_deaths__each_kind_at_each_stage),
        cmocka_unit_test(test_silence__is_a_lost_device),
        cmocka_unit_test(test_restart__leaks_nothing),
        cmocka_unit_test(test_create__says_why_it_cannot),
        cmocka_unit_test(test_parent__dies_and_the_child_ends),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
