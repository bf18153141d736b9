/* The engine across restarts and sudden ends: what was accepted is answered, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/engine_driver.h"
#include "engine/journal.h"
#include "support/random.h"
#include "support/temporary.h"

#define MS UINT64_C(1000000)

enum { STACKED_2K = 5 };

static void open_in(struct engine_driver *driver, const char *directory, uint64_t msm_ns)
{
    engine_driver_init(driver, "auto");
    driver->options.jobs_most = 5000;
    driver->options.state_directory = directory;
    driver->behaviour[0].stage_ns[CUZK_STAGE_MSM] = msm_ns;
    engine_driver_open(driver);
}

static void test_restart__queued_jobs_go_on_and_results_are_kept(void **state)
{
    enum { JOBS = 20, BEFORE = 3 };
    char directory[TEMPORARY_BYTES], jobs[JOBS][CUZK_JOB_ID_TEXT], later[CUZK_JOB_ID_TEXT];
    struct engine_driver driver;
    struct engine_result kept;
    struct cuzk_engine_status status;
    struct cuzk_submission again;
    struct cuzk_error err;
    bool was_running;

    (void)state;
    temporary_make(directory);
    open_in(&driver, directory, 20 * MS);
    for (unsigned j = 0; j < JOBS; j++)
        engine_driver_submit(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, jobs[j]);
    for (unsigned j = 0; j < BEFORE; j++)
        assert_int_equal(engine_driver_await(&driver, jobs[j]).state, CUZK_JOB_DONE);
    kept = engine_driver_await(&driver, jobs[0]);
    assert_int_equal(cuzk_engine_cancel(driver.engine, jobs[JOBS - 1], &was_running, &err), CUZK_OK);
    assert_true(was_running);
    assert_int_equal(engine_driver_await(&driver, jobs[JOBS - 1]).state, CUZK_JOB_CANCELLED);
    engine_driver_close(&driver);

    open_in(&driver, directory, 0);
    for (unsigned j = 0; j < JOBS - 1; j++)
        assert_int_equal(engine_driver_await(&driver, jobs[j]).state, CUZK_JOB_DONE);
    assert_int_equal(engine_driver_await(&driver, jobs[JOBS - 1]).state, CUZK_JOB_CANCELLED);
    assert_memory_equal(engine_driver_await(&driver, jobs[0]).proof, kept.proof, CUZK_PROOF_BYTES);
    cuzk_engine_status(driver.engine, &status);
    assert_true(status.partitions_done <= JOBS - 1 - BEFORE); /* nothing that was done is done again */
    driver.submitted = 0;                                     /* the first request once more */
    assert_int_equal(engine_driver_request(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, &again, &err), CUZK_OK);
    assert_true(again.duplicate);
    assert_string_equal(again.job_id, jobs[0]);
    driver.submitted = JOBS;
    engine_driver_submit(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, later);
    assert_true(cuzk_job_id_parse(later) > cuzk_job_id_parse(jobs[JOBS - 1]));
    assert_int_equal(engine_driver_await(&driver, later).state, CUZK_JOB_DONE);
    engine_driver_close(&driver);
    temporary_remove(directory);
}

/* A row whose checksum holds and whose kind is none: its job fails, and says so in the log too. */
static void test_restart__a_job_of_no_kind_fails(void **state)
{
    struct cuzk_request request = {.request_id = "none", .kind = CUZK_PROOF_KIND_NONE, .sector_size = 2048};
    struct cuzk_journal_job row = {
        .id = 7, .request_id = "none", .sector_size = 2048, .accepted_ms = (uint64_t)time(NULL) * 1000};
    char directory[TEMPORARY_BYTES], job[CUZK_JOB_ID_TEXT];
    struct engine_driver driver;
    struct cuzk_journal *journal;
    struct cuzk_error err;

    (void)state;
    temporary_make(directory);
    cuzk_request_digest(&request, row.digest);
    cuzk_request_key(row.request_id, row.digest, row.key);
    assert_int_equal(cuzk_journal_open(directory, NULL, &journal, &err), CUZK_OK);
    assert_int_equal(cuzk_journal_accept(journal, &row, &request, &err), CUZK_OK);
    cuzk_journal_close(journal);
    open_in(&driver, directory, 0);
    cuzk_job_id_format(row.id, job);
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_FAILED);
    engine_driver_close(&driver);
    temporary_remove(directory);
}

static void test_create__one_engine_a_directory(void **state)
{
    char directory[TEMPORARY_BYTES];
    struct engine_driver driver, second;
    struct cuzk_error err;

    (void)state;
    temporary_make(directory);
    open_in(&driver, directory, 0);
    engine_driver_init(&second, "auto");
    second.options.state_directory = directory;
    assert_int_equal(engine_driver_try(&second, &err), CUZK_EXISTS);
    engine_driver_close(&driver);
    temporary_remove(directory);
}

static void test_submit__a_full_disk_is_said_and_passes(void **state)
{
    char directory[TEMPORARY_BYTES];
    struct engine_driver driver;
    struct cuzk_submission out;
    struct cuzk_error err;
    enum cuzk_status status = CUZK_OK;
    uint8_t *content = calloc(1, 600 << 10);
    const struct cuzk_request_part part = {content, 600 << 10};
    char job[CUZK_JOB_ID_TEXT], id[16];

    (void)state;
    assert_non_null(content);
    if (!temporary_mount_small(directory, 4 << 20)) {
        free(content);
        skip();
    }
    open_in(&driver, directory, 50 * MS);
    engine_driver_submit(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, job);
    for (unsigned i = 0; i < 20 && status == CUZK_OK; i++) {
        snprintf(id, sizeof id, "large-%u", i);
        content[0] = (uint8_t)i;
        const struct cuzk_request request = {.request_id = id,
                                             .kind = CUZK_PROOF_KIND_POREP,
                                             .sector_size = 2048,
                                             .registered_proof = STACKED_2K,
                                             .vanilla_proof = {&part, 1, part.length}};

        status = cuzk_engine_submit(driver.engine, &request, &out, &err);
    }
    assert_int_equal(status, CUZK_IO);
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_DONE);
    engine_driver_drain(&driver); /* payloads go as their jobs end */
    engine_driver_close(&driver);
    open_in(&driver, directory, 0);
    driver.submitted = 1;
    engine_driver_submit(&driver, STACKED_2K, CUZK_PRIORITY_NORMAL, job);
    assert_int_equal(engine_driver_await(&driver, job).state, CUZK_JOB_DONE);
    engine_driver_close(&driver);
    temporary_unmount(directory);
    free(content);
}

/* ---- sudden ends ---- */

enum { KILLED_JOBS = 2000 };

/* Submits until it is killed; every accepted job goes into the pipe. */
static void submit_until_killed(const char *directory, uint64_t first, int out)
{
    struct engine_driver driver;

    open_in(&driver, directory, MS);
    driver.submitted = first;
    for (unsigned i = 0; i < KILLED_JOBS; i++) {
        char job[CUZK_JOB_ID_TEXT];

        engine_driver_submit(&driver, STACKED_2K, (enum cuzk_priority)(i % 4), job);
        if (write(out, job, CUZK_JOB_ID_TEXT) != CUZK_JOB_ID_TEXT)
            _exit(2);
    }
    for (;;)
        pause();
}

/* All of them are answered, and none is proved that nobody asked for. */
static void answer_all(const char *directory, char (*jobs)[CUZK_JOB_ID_TEXT], size_t count)
{
    struct engine_driver driver;

    open_in(&driver, directory, 0);
    for (size_t j = 0; j < count; j++)
        if (engine_driver_await(&driver, jobs[j]).state != CUZK_JOB_DONE) {
            fprintf(stderr, "job %s is not done\n", jobs[j]);
            _exit(1);
        }
    engine_driver_drain(&driver);
    for (size_t j = 0; j < count; j++)
        cuzk_engine_collected(driver.engine, jobs[j]);
    engine_driver_close(&driver);
    _exit(0);
}

static unsigned rounds(void)
{
    const char *text = getenv("CUZK_TEST_KILLS");

    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 6;
}

static void test_kill__every_accepted_job_is_answered(void **state)
{
    static char jobs[KILLED_JOBS][CUZK_JOB_ID_TEXT];
    char directory[TEMPORARY_BYTES];
    struct test_random random;
    size_t all = 0;

    (void)state;
    test_random_seed(&random, 4711);
    for (unsigned round = 0; round < rounds(); round++) {
        const long us = 100 + (long)test_random_below(&random, 120000);
        const struct timespec pause_for = {0, us * 1000};
        size_t count = 0;
        int ends[2], result = -1;

        temporary_make(directory);
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            close(ends[0]);
            submit_until_killed(directory, round * UINT64_C(100000), ends[1]);
        }
        close(ends[1]);
        /* opening the journal takes its time; the first job says that it is open */
        if (read(ends[0], jobs[0], CUZK_JOB_ID_TEXT) == CUZK_JOB_ID_TEXT)
            count = 1;
        nanosleep(&pause_for, NULL);
        kill(child, SIGKILL);
        while (count < KILLED_JOBS && read(ends[0], jobs[count], CUZK_JOB_ID_TEXT) == CUZK_JOB_ID_TEXT)
            count++;
        close(ends[0]);
        all += count;
        waitpid(child, NULL, 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
            answer_all(directory, jobs, count);
        waitpid(child, &result, 0);
        if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
            fail_msg("round %u: killed after %ld us with %zu accepted: 0x%x", round, us, count,
                     (unsigned)result);
        temporary_remove(directory);
    }
    assert_true(all >= 2 * rounds());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill__every_accepted_job_is_answered),
        cmocka_unit_test(test_restart__queued_jobs_go_on_and_results_are_kept),
        cmocka_unit_test(test_restart__a_job_of_no_kind_fails),
        cmocka_unit_test(test_create__one_engine_a_directory),
        cmocka_unit_test(test_submit__a_full_disk_is_said_and_passes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
