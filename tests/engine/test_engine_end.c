/* The engine ended at any moment: nothing stays behind (the sanitizers look), it takes no longer than what
 * cannot be cut short, and what was cut short counts against no job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "engine/child_program.h"
#include "engine/engine_driver.h"
#include "support/random.h"
#include "support/temporary.h"

#define MS   UINT64_C(1000000)
#define HOUR (3600 * 1000 * MS)

enum { STACKED_2K = 5, STACKED_32G = 8, SOON_MS = 20000 };

/* ---- what is cut short ---- */

static bool is_begun(void *context)
{
    const struct engine_driver *driver = context;
    struct cuzk_engine_status status;

    cuzk_engine_status(driver->engine, &status);
    return status.sched.units > 0;
}

static void open_in(struct engine_driver *driver, const char *directory)
{
    engine_driver_init(driver, "auto");
    driver->options.state_directory = directory;
    driver->options.failures_most = 0; /* an attempt that failed would be the job's end */
}

/* A job is at work for an hour, the engine ends, and the next one proves the job. stop_child: the device's
 * process hears of nothing any more. */
static void cut_short(struct engine_driver *driver, const char *directory, bool stop_child)
{
    char job[CUZK_JOB_ID_TEXT];

    engine_driver_open(driver);
    engine_driver_submit(driver, STACKED_2K, CUZK_PRIORITY_NORMAL, job);
    engine_driver_until(is_begun, driver);
    cuzk_clock_pause_ms(30); /* for the stages before */
    if (stop_child) {
        struct cuzk_engine_status status;

        cuzk_engine_status(driver->engine, &status);
        assert_int_equal(kill((pid_t)status.device[0].facts.process, SIGSTOP), 0);
    }
    const uint64_t begin = cuzk_clock_ns();

    engine_driver_close(driver);
    assert_true(cuzk_clock_ns() - begin < SOON_MS * MS);

    open_in(driver, directory);
    engine_driver_open(driver);
    const struct engine_result result = engine_driver_await(driver, job);

    if (result.state != CUZK_JOB_DONE)
        fail_msg("the job was not taken up: state %d, %s", (int)result.state, result.error);
    engine_driver_close(driver);
}

static void test_destroy__cuts_short_what_runs_and_no_job_fails(void **state)
{
    static const enum cuzk_sched_stage stages[] = {CUZK_STAGE_SETUP, CUZK_STAGE_UPLOAD, CUZK_STAGE_QUOTIENT,
                                                   CUZK_STAGE_MSM, CUZK_STAGE_FINISH};

    (void)state;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        char directory[TEMPORARY_BYTES];
        struct engine_driver driver;

        temporary_make(directory);
        open_in(&driver, directory);
        driver.behaviour[0].stage_ns[stages[i]] = HOUR;
        cut_short(&driver, directory, false);
        temporary_remove(directory);
    }
}

static void test_destroy__cuts_short_the_load_of_a_key_and_no_job_fails(void **state)
{
    char directory[TEMPORARY_BYTES];
    struct engine_driver driver;

    (void)state;
    temporary_make(directory);
    open_in(&driver, directory);
    driver.behaviour[0].load_ns = 16 * 500 * MS; /* asks 16 times whether to stop */
    cut_short(&driver, directory, false);
    temporary_remove(directory);
}

static void cut_short_in_a_child(bool stop_child)
{
    char directory[TEMPORARY_BYTES];
    struct engine_driver driver;
    struct cuzk_error err;

    temporary_make(directory);
    open_in(&driver, directory);
    if (cuzk_device_process_create(child_program(), "null:msm=3600s", 1, 4, &driver.device[0], &err) !=
        CUZK_OK)
        fail_msg("%s", err.message);
    cut_short(&driver, directory, stop_child);
    temporary_remove(directory);
}

static void test_destroy__cuts_short_what_runs_in_a_child(void **state)
{
    (void)state;
    cut_short_in_a_child(false);
    cut_short_in_a_child(true);
}

/* ---- any moment ---- */

enum { CLIENTS = 2, JOBS_MOST = 12, ROUNDS = 20 };

static unsigned rounds(void)
{
    const char *text = getenv("CUZK_TEST_ENDS");

    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : ROUNDS;
}

static void count_result(void *context, const struct cuzk_job_result *result)
{
    (void)result;
    atomic_fetch_add((atomic_uint *)context, 1);
}

static void count_drained(void *context)
{
    atomic_fetch_add((atomic_uint *)context, 1);
}

/* Somebody who uses an engine until the round's moment has come. */
struct client {
    pthread_t thread;
    struct cuzk_engine *engine;
    struct test_random random;
    uint64_t number, end_ns; /* of the next request; when to stop */
    atomic_uint calls;       /* of its watches */
    char job[JOBS_MOST][CUZK_JOB_ID_TEXT];
    unsigned jobs;
};

static void ask_for_one(struct client *client)
{
    struct engine_driver lent = {.engine = client->engine, .submitted = client->number++};
    const enum cuzk_priority priority =
        (enum cuzk_priority)test_random_below(&client->random, CUZK_PRIORITIES);
    struct cuzk_submission out;

    if (engine_driver_request(&lent, test_random_below(&client->random, 3) == 0 ? STACKED_32G : STACKED_2K,
                              priority, &out, NULL) == CUZK_OK)
        memcpy(client->job[client->jobs++ % JOBS_MOST], out.job_id, CUZK_JOB_ID_TEXT);
}

static void do_something(struct client *client)
{
    const char *job = client->job[test_random_below(&client->random, JOBS_MOST)];
    struct cuzk_engine_status status;
    uint64_t watch, number;
    bool flag;

    switch (test_random_below(&client->random, 40)) {
    case 0:
        (void)cuzk_engine_preload(client->engine, "porep-32g", &flag, &number, NULL);
        break;
    case 1:
        (void)cuzk_engine_evict(client->engine, "porep-2k", &flag, &number, NULL);
        break;
    case 2:
    case 3:
        (void)cuzk_engine_cancel(client->engine, job, &flag, NULL);
        break;
    case 4:
        cuzk_engine_status(client->engine, &status);
        break;
    case 5:
    case 6:
        cuzk_engine_watch(client->engine, job, count_result, &client->calls, &watch);
        (void)cuzk_engine_unwatch(client->engine, watch);
        break;
    case 7:
        if (test_random_below(&client->random, 8) == 0)
            cuzk_engine_drain(client->engine, count_drained, &client->calls);
        break;
    default:
        if (test_random_below(&client->random, 3) > 0)
            ask_for_one(client);
        else if (test_random_below(&client->random, 2) == 0)
            cuzk_engine_watch(client->engine, job, count_result, &client->calls, &watch);
        else
            cuzk_engine_collected(client->engine, job);
    }
}

static void *use(void *context)
{
    struct client *client = context;

    while (cuzk_clock_ns() < client->end_ns)
        do_something(client);
    return NULL;
}

/* Stages of up to 3 ms, now and then faults; now and then a device in a child of its own. */
static void draw_engine(struct test_random *random, const char *directory, struct engine_driver *driver)
{
    char preset[16];

    snprintf(preset, sizeof preset, "phase-%u", (unsigned)test_random_below(random, 13));
    engine_driver_init(driver, test_random_below(random, 3) == 0 ? "auto" : preset);
    engine_driver_set(driver, "batch.wait=2");
    driver->options.jobs_most = 1 + (uint32_t)test_random_below(random, 40);
    driver->options.result_keep_ms = 1 + test_random_below(random, 50);
    driver->options.failures_most = (uint32_t)test_random_below(random, 3);
    driver->options.state_directory = directory;
    driver->device_count = 1 + (unsigned)test_random_below(random, 3);
    for (unsigned s = 0; s < CUZK_STAGES; s++)
        if (test_random_below(random, 3) == 0)
            driver->options.host_stage_ns[s] = test_random_below(random, 3 * MS);
    for (unsigned d = 0; d < driver->device_count; d++) {
        struct cuzk_device_null *behaviour = &driver->behaviour[d];

        behaviour->load_ns = test_random_below(random, 3) == 0 ? test_random_below(random, 20 * MS) : 0;
        behaviour->seed = test_random_u64(random);
        for (unsigned s = CUZK_STAGE_SETUP; s <= CUZK_STAGE_FINISH; s++)
            if (test_random_below(random, 3) == 0)
                behaviour->stage_ns[s] = test_random_below(random, 3 * MS);
        if (test_random_below(random, 4) == 0) {
            behaviour->lost_every = (uint32_t)test_random_below(random, 12);
            behaviour->fail_every = (uint32_t)test_random_below(random, 12);
            behaviour->wrong_every = (uint32_t)test_random_below(random, 12);
        }
    }
    if (getenv("CUZK_CHILD") != NULL && test_random_below(random, 8) == 0)
        (void)cuzk_device_process_create(getenv("CUZK_CHILD"), "null:quotient=1ms:msm=2ms:lost_every=9", 1,
                                         16, &driver->device[0], NULL);
}

static void end_at_some_moment(struct test_random *random, const char *directory, uint64_t *number)
{
    struct client clients[CLIENTS];
    struct engine_driver driver;
    const uint64_t us = test_random_below(random, test_random_below(random, 3) == 0 ? 2000 : 60000);

    draw_engine(random, directory, &driver);
    engine_driver_open(&driver);
    const uint64_t end = cuzk_clock_ns() + us * 1000;

    memset(clients, 0, sizeof clients);
    for (unsigned c = 0; c < CLIENTS; c++) {
        clients[c].engine = driver.engine;
        clients[c].number = *number += 1000000;
        clients[c].end_ns = end;
        test_random_seed(&clients[c].random, test_random_u64(random));
        assert_int_equal(pthread_create(&clients[c].thread, NULL, use, &clients[c]), 0);
    }
    for (unsigned c = 0; c < CLIENTS; c++)
        pthread_join(clients[c].thread, NULL);
    const uint64_t begin = cuzk_clock_ns();

    engine_driver_close(&driver);
    assert_true(cuzk_clock_ns() - begin < SOON_MS * MS);
}

static void test_destroy__at_any_moment(void **state)
{
    char directory[TEMPORARY_BYTES];
    struct engine_driver driver;
    struct test_random random;
    uint64_t number = 0;

    (void)state;
    temporary_make(directory);
    test_random_init(&random);
    for (unsigned round = 0; round < rounds(); round++)
        end_at_some_moment(&random, round % 2 == 0 ? directory : NULL, &number);
    /* what is left of them all comes to its end */
    engine_driver_init(&driver, "auto");
    driver.options.jobs_most = 5000;
    driver.options.state_directory = directory;
    engine_driver_open(&driver);
    engine_driver_drain(&driver);
    engine_driver_close(&driver);
    temporary_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destroy__cuts_short_what_runs_and_no_job_fails),
        cmocka_unit_test(test_destroy__cuts_short_the_load_of_a_key_and_no_job_fails),
        cmocka_unit_test(test_destroy__cuts_short_what_runs_in_a_child),
        cmocka_unit_test(test_destroy__at_any_moment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
