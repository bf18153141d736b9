/* Making a derived key from names alone, in the foreground and behind others. That one is made is for the
 * tests of the program: the smallest circuit takes minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "srs/cache.h"
#include "srs/derived_job.h"
#include "srs/derived_key.h"

static char folder[64], params[128], derived[128];

static int make_folder(void **state)
{
    (void)state;
    unsetenv(CUZK_CACHE_VARIABLE);
    strcpy(folder, "/tmp/cuzk-derived-job-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(params, sizeof params, "%s/key.params", folder);
    snprintf(derived, sizeof derived, "%s/key.derived", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char digest[160];

    (void)state;
    snprintf(digest, sizeof digest, "%s.digest", params);
    unlink(digest);
    unlink(params);
    unlink(derived);
    return rmdir(folder); /* nothing else was left there */
}

struct outcome {
    struct cuzk_derived_job job;
    enum cuzk_status status;
    struct cuzk_error note, err;
    bool made;
    int nice;
};

static void *work(void *context)
{
    struct outcome *outcome = context;

    outcome->status = cuzk_derived_job_run(&outcome->job, &outcome->made, &outcome->note, &outcome->err);
    outcome->nice = getpriority(PRIO_PROCESS, (id_t)gettid());
    return NULL;
}

static struct outcome run(const struct cuzk_derived_job *job)
{
    struct outcome outcome = {.job = *job};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, work, &outcome), 0);
    pthread_join(thread, NULL);
    return outcome;
}

static bool at_once(void *context)
{
    (void)context;
    return true;
}

static void test_derived_job__says_what_is_missing_or_damaged(void **state)
{
    struct cuzk_circuit_id id;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_circuit_id_parse("winning-2k", &id, &err), CUZK_OK);
    const struct cuzk_derived_job job = {.id = &id, .params_path = params, .device = "cpu", .threads = 2};
    struct outcome outcome = run(&job);
    assert_int_equal(outcome.status, CUZK_NOT_FOUND);
    assert_non_null(strstr(outcome.err.message, params));
    assert_string_equal(outcome.note.message, "");
    assert_int_equal(cuzk_file_write(params, false, "no key", 6, &err), CUZK_OK);
    assert_int_equal(cuzk_file_write(derived, false, "no derived key", 14, &err), CUZK_OK);
    outcome = run(&job);
    assert_int_equal(outcome.status, CUZK_INPUT); /* the parameters */
    assert_non_null(strstr(outcome.err.message, params));
    assert_non_null(strstr(outcome.note.message, derived)); /* it would be made anew */
    assert_false(outcome.made);
    assert_int_equal(access(derived, F_OK), 0); /* and stays, as nothing better came */
}

static void test_derived_job__stops_when_asked(void **state)
{
    const struct cuzk_progress progress = {.cancelled = at_once};
    struct cuzk_circuit_id id;

    (void)state;
    assert_int_equal(cuzk_circuit_id_parse("winning-2k", &id, NULL), CUZK_OK);
    const struct cuzk_derived_job job = {
        .id = &id, .params_path = params, .device = "cpu", .threads = 1, .progress = &progress};
    assert_int_equal(run(&job).status, CUZK_CANCELLED);
}

static void test_derived_job__lets_others_go_first_in_the_background(void **state)
{
    const int before = getpriority(PRIO_PROCESS, (id_t)gettid());
    struct cuzk_circuit_id id;

    (void)state;
    assert_int_equal(cuzk_circuit_id_parse("winning-2k", &id, NULL), CUZK_OK);
    struct cuzk_derived_job job = {.id = &id, .params_path = params, .device = "cpu", .threads = 2};
    assert_int_equal(run(&job).nice, before);
    job.background = true;
    assert_true(run(&job).nice >= 10);
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t)gettid()), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_derived_job__says_what_is_missing_or_damaged, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_derived_job__stops_when_asked, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_derived_job__lets_others_go_first_in_the_background, make_folder,
                                        remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
