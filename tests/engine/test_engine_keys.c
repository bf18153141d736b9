/* The engine's keys with real parameter files, on null devices: what is hot before the daemon is ready, and
 * what the host gives up when it is short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine_driver.h"
#include "engine/made_parameters.h"
#include "support/temporary.h"

enum {
    UNIT = 32 << 20,
    SLACK = 8 << 20,
    PAYLOAD = 6 << 20
}; /* a job's unit counts twice its payload besides */

static char folder[TEMPORARY_BYTES];

/* Of WinningPoSt over 2 KiB. */
static int make_key(void **state)
{
    char circuit[] = "winning-2k";

    (void)state;
    temporary_make(folder);
    return made_parameters(circuit, folder);
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

/* ---- what is warm ---- */

/* Bytes of files in this process's resident memory. */
static uint64_t resident_files(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    unsigned long long kib = 0;
    char line[256];

    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "RssFile: %llu", &kib) != 1)
        continue;
    fclose(file);
    return kib << 10;
}

/* How much more of it there is once the key is hot: null devices with memory of their own, or in the host's.
 */
static uint64_t resident_with(uint64_t memory, bool warm)
{
    const uint64_t before = resident_files();
    struct engine_driver driver;

    engine_driver_init(&driver, "auto");
    driver.options.verify = true;
    driver.options.winning_hot = true;
    driver.options.params_directory = folder;
    driver.behaviour[0].memory = memory;
    driver.behaviour[0].need.key_device = UNIT;
    engine_driver_open(&driver);
    engine_driver_until(is_ready, &driver);
    const uint64_t after = resident_files();

    assert_int_equal(only_key(&driver).tier, CUZK_TIER_HOT);
    assert_int_equal(only_key(&driver).warm, warm);
    engine_driver_close(&driver);
    return after > before ? after - before : 0;
}

static void test_warm__a_key_that_stays_hot_takes_no_host_memory(void **state)
{
    (void)state;
    const uint64_t in_host = resident_with(0, true), on_device = resident_with(8 * UNIT, false);

    print_message("resident files: %llu bytes with the warm file, %llu without\n",
                  (unsigned long long)in_host, (unsigned long long)on_device);
    assert_true(in_host > 40 << 20);
    assert_true(on_device < 4 << 20);
}

static struct cuzk_engine_key_status key_of(struct engine_driver *driver, uint64_t sector_size)
{
    struct cuzk_engine_status status;

    cuzk_engine_status(driver->engine, &status);
    for (unsigned k = 0; k < status.keys; k++)
        if (status.key[k].circuit.sector_size == sector_size)
            return status.key[k];
    fail_msg("no key for sectors of %llu bytes", (unsigned long long)sector_size);
    return status.key[0];
}

static bool is_small_one_cold(void *context)
{
    const struct cuzk_engine_key_status key = key_of(context, 2048);

    return key.tier == CUZK_TIER_COLD && !key.warm;
}

/* Two keys, of which the device holds one: the other waits in host memory, and so would this one. When nobody
 * asks for the second any more, the first will not have to go again. */
static void test_warm__keys_that_take_turns_wait_in_host_memory(void **state)
{
    char both[TEMPORARY_BYTES], circuit[] = "winning-4k", name[] = "winning-4k";
    struct engine_driver driver;
    bool was_loaded;
    uint64_t freed;

    (void)state;
    temporary_make(both);
    temporary_copy(folder, both);
    assert_int_equal(made_parameters(circuit, both), 0);
    engine_driver_init(&driver, "auto");
    driver.options.verify = true;
    driver.options.winning_hot = true;
    driver.options.params_directory = both;
    driver.behaviour[0].memory = 3 * UNIT;
    driver.behaviour[0].need.key_device = 2 * UNIT;
    engine_driver_open(&driver);
    engine_driver_until(is_ready, &driver);
    assert_int_equal(key_of(&driver, 2048).tier, CUZK_TIER_WARM);
    assert_int_equal(key_of(&driver, 4096).tier, CUZK_TIER_HOT);
    assert_true(key_of(&driver, 4096).warm);
    assert_int_equal(cuzk_engine_evict(driver.engine, name, &was_loaded, &freed, NULL), CUZK_OK);
    assert_true(was_loaded);
    engine_driver_until(is_small_one_cold, &driver);
    assert_false(key_of(&driver, 4096).warm);
    engine_driver_close(&driver);
    temporary_remove(both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready__winning_keys_come_before_it_unasked),
        cmocka_unit_test(test_yield__a_warm_file_goes_as_soon_as_a_unit_waits),
        cmocka_unit_test(test_warm__a_key_that_stays_hot_takes_no_host_memory),
        cmocka_unit_test(test_warm__keys_that_take_turns_wait_in_host_memory),
    };

    return cmocka_run_group_tests(tests, make_key, remove_key);
}
