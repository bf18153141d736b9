/* The engine's keys with real parameter files, on null devices: what is hot before the daemon is ready, and
 * what the host gives up when it is short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/engine_driver.h"
#include "temporary.h"

extern char **environ;

enum {
    UNIT = 32 << 20,
    SLACK = 8 << 20,
    PAYLOAD = 6 << 20
}; /* a job's unit counts twice its payload besides */

static char folder[TEMPORARY_BYTES];

/* Parameters of WinningPoSt over 2 KiB, made by the program. */
static int make_key(void **state)
{
    char *const program = getenv("CUZK_PROGRAM");
    char setup[] = "setup", circuit[] = "winning-2k", out[] = "--out";
    char *const arguments[] = {program, setup, circuit, out, folder, NULL};
    int ended = -1;
    pid_t child;

    (void)state;
    temporary_make(folder);
    if (posix_spawn(&child, program, NULL, NULL, arguments, environ) != 0)
        return -1;
    return waitpid(child, &ended, 0) == child && ended == 0 ? 0 : -1;
}

static int remove_key(void **state)
{
    (void)state;
    temporary_remove(folder);
    return 0;
}

static bool is_ready(void *context)
{
    return cuzk_engine_ready(((struct engine_driver *)context)->engine);
}

static struct cuzk_engine_key_status only_key(struct engine_driver *driver)
{
    struct cuzk_engine_status status;

    cuzk_engine_status(driver->engine, &status);
    assert_int_equal(status.keys, 1);
    assert_int_equal(status.key[0].circuit.kind, CUZK_CIRCUIT_WINNING);
    return status.key[0];
}

static bool is_not_warm(void *context)
{
    return !only_key(context).warm;
}

static void open_engine(struct engine_driver *driver, uint64_t host_budget)
{
    engine_driver_init(driver, "auto");
    driver->options.verify = true;
    driver->options.winning_hot = true;
    driver->options.params_directory = folder;
    driver->options.host_budget = host_budget;
    driver->behaviour[0].need.unit_host = UNIT;
    engine_driver_open(driver);
    engine_driver_until(is_ready, driver);
}

static void test_ready__winning_keys_come_before_it_unasked(void **state)
{
    struct engine_driver driver;
    bool already, was_loaded;
    uint64_t ms, freed;

    (void)state;
    open_engine(&driver, 0);
    const struct cuzk_engine_key_status key = only_key(&driver);

    assert_int_equal(key.tier, CUZK_TIER_HOT);
    assert_true(key.warm);
    if (!key.pinned)
        print_message("skipped: this user may not pin %llu bytes\n", (unsigned long long)key.bytes);
    assert_int_equal(cuzk_engine_preload(driver.engine, "winning-2k", &already, &ms, NULL), CUZK_OK);
    assert_true(already);
    assert_int_equal(cuzk_engine_evict(driver.engine, "winning-2k", &was_loaded, &freed, NULL), CUZK_OK);
    assert_true(was_loaded);
    assert_true(freed >= key.bytes);
    assert_int_equal(only_key(&driver).tier, CUZK_TIER_COLD);
    assert_false(only_key(&driver).warm);
    engine_driver_close(&driver);
}

/* A unit that does not fit beside the warm file has its place at once; the key stays where it was. */
static void test_yield__a_warm_file_goes_as_soon_as_a_unit_waits(void **state)
{
    static const uint8_t content[PAYLOAD];
    const struct cuzk_request_part part = {content, sizeof content}, challenge = {content, 32};
    const struct cuzk_request request = {.request_id = "winning-1000",
                                         .kind = CUZK_PROOF_KIND_WINNING_POST,
                                         .sector_size = 2048,
                                         .vanilla_proofs =
                                             &(struct cuzk_request_blob){&part, 1, sizeof content},
                                         .vanilla_proof_count = 1,
                                         .randomness = {&challenge, 1, 32},
                                         .miner_id = 1000};
    struct cuzk_submission submission;
    struct engine_driver driver;
    struct cuzk_error err;

    (void)state;
    open_engine(&driver, 0);
    const uint64_t file = only_key(&driver).bytes;

    engine_driver_close(&driver);
    open_engine(&driver, file + UNIT + SLACK);
    assert_true(only_key(&driver).warm);
    if (cuzk_engine_submit(driver.engine, &request, &submission, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    engine_driver_until(is_not_warm, &driver);
    assert_int_equal(only_key(&driver).tier, CUZK_TIER_HOT);
    (void)engine_driver_await(&driver, submission.job_id); /* nobody decodes such bytes */
    engine_driver_close(&driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready__winning_keys_come_before_it_unasked),
        cmocka_unit_test(test_yield__a_warm_file_goes_as_soon_as_a_unit_waits),
    };

    return cmocka_run_group_tests(tests, make_key, remove_key);
}
