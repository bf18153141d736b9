#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/journal.h"
#include "journal_books.h"
#include "request_maker.h"
#include "support/random.h"
#include "support/temporary.h"

static char folder[TEMPORARY_BYTES];

static int make_folder(void **state)
{
    (void)state;
    temporary_make(folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    temporary_remove(folder);
    return 0;
}

static struct cuzk_journal *opened(const char *directory)
{
    struct cuzk_journal *journal;
    struct cuzk_error err;

    if (cuzk_journal_open(directory, NULL, &journal, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return journal;
}

/* ---- what is written comes back ---- */

static void test_accept__is_there_after_reopening_with_its_request(void **state)
{
    struct cuzk_journal *journal = opened(folder);
    struct books books = {0};

    (void)state;
    books_recover(&books, journal);
    assert_int_equal(books.count, 0);
    for (uint64_t id = 1; id <= 20; id++)
        books_accept(&books, journal, id, id % 2 == 0 ? 100 : 70000);
    books_end(&books, journal, 3, CUZK_JOURNAL_DONE);
    books_end(&books, journal, 4, CUZK_JOURNAL_FAILED);
    books_end(&books, journal, 5, CUZK_JOURNAL_CANCELLED);
    books_forget(&books, journal, 6);
    cuzk_journal_close(journal);

    journal = opened(folder);
    assert_int_equal(books_check(&books, journal), 0);
    assert_true(books.last >= 20);
    assert_int_equal(books_check_requests(&books, journal), 0);
    cuzk_journal_close(journal);
    books_free(&books);
}

static void test_end__of_the_last_job_removes_the_request(void **state)
{
    struct cuzk_journal *journal = opened(folder);
    struct cuzk_journal_facts facts;
    struct books books = {0};
    char spool[512];

    (void)state;
    snprintf(spool, sizeof spool, "%s/spool", folder);
    books_recover(&books, journal);
    books_accept_content(&books, journal, 1, 7, 100000);
    books_accept_content(&books, journal, 2, 7, 100000);
    assert_int_equal(temporary_count(spool), 1); /* one content, one file */
    cuzk_journal_facts(journal, &facts);
    assert_true(facts.spool_bytes > 100000 && facts.spool_bytes < 101000);
    books_end(&books, journal, 1, CUZK_JOURNAL_DONE);
    books_end(&books, journal, 1, CUZK_JOURNAL_DONE); /* told twice: counted once */
    assert_int_equal(temporary_count(spool), 1);
    books_forget(&books, journal, 1);
    assert_int_equal(books_check_requests(&books, journal), 0);
    books_forget(&books, journal, 2); /* while it is accepted */
    books_settle(journal);
    assert_int_equal(temporary_count(spool), 0);
    cuzk_journal_facts(journal, &facts);
    assert_int_equal(facts.spool_bytes, 0);
    cuzk_journal_close(journal);
    books_free(&books);
}

static void test_recover__removes_files_that_no_job_needs(void **state)
{
    struct cuzk_journal *journal = opened(folder);
    struct books books = {0};
    char spool[512], path[600];

    (void)state;
    books_recover(&books, journal);
    books_accept(&books, journal, 1, 100000);
    cuzk_journal_close(journal);
    snprintf(spool, sizeof spool, "%s/spool", folder);
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {
            ".77-1.tmp", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "x"};

        snprintf(path, sizeof path, "%s/%s", spool, names[i]);
        fclose(fopen(path, "w"));
    }
    journal = opened(folder);
    assert_int_equal(books_check(&books, journal), 0);
    assert_int_equal(temporary_count(spool), 1);
    assert_int_equal(books_check_requests(&books, journal), 0);
    cuzk_journal_close(journal);
    books_free(&books);
}

static void test_recover__never_gives_an_id_twice(void **state)
{
    struct cuzk_journal *journal = opened(folder);
    struct books books = {0};

    (void)state;
    books_recover(&books, journal);
    books_accept(&books, journal, 5000, 10);
    books_forget(&books, journal, 5000);
    cuzk_journal_close(journal);
    journal = opened(folder);
    assert_int_equal(books_check(&books, journal), 0);
    assert_true(books.last >= 5000 && books.last < 7100);
    cuzk_journal_close(journal);
    books_free(&books);
}

static void test_accept__refuses_what_is_wrong(void **state)
{
    struct cuzk_journal *journal = opened(folder);
    struct books books = {0};
    struct request_maker maker;
    struct cuzk_journal_job job = {.id = 1, .request_id = "a", .kind = CUZK_PROOF_KIND_POREP};
    struct cuzk_error err;

    (void)state;
    books_recover(&books, journal);
    request_maker_make_sized(&maker, 1, 1, 100);
    assert_int_equal(cuzk_journal_accept(journal, &job, &maker.request, &err), CUZK_OK);
    assert_int_equal(cuzk_journal_accept(journal, &job, &maker.request, &err), CUZK_EXISTS);
    job.id = 0;
    assert_int_equal(cuzk_journal_accept(journal, &job, &maker.request, &err), CUZK_ARGUMENT);
    job.id = UINT64_MAX;
    assert_int_equal(cuzk_journal_accept(journal, &job, &maker.request, &err), CUZK_ARGUMENT);
    job.id = 2;
    job.state = CUZK_JOURNAL_DONE;
    assert_int_equal(cuzk_journal_accept(journal, &job, &maker.request, &err), CUZK_ARGUMENT);
    job.proof_length = CUZK_JOURNAL_PROOF_MOST + 1;
    assert_int_equal(cuzk_journal_end(journal, &job, &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_journal_forget(journal, 0, &err), CUZK_ARGUMENT);
    request_maker_free(&maker);
    cuzk_journal_close(journal);
}

static void note_done(void *context, enum cuzk_status status, const struct cuzk_error *error)
{
    _Atomic int *const done = context;

    (void)error;
    *done = status == CUZK_OK ? 1 : -1;
}

static void test_end_later__calls_back_once_it_is_durable(void **state)
{
    struct cuzk_journal *journal = opened(folder);
    struct books books = {0};
    _Atomic int done = 0;

    (void)state;
    books_recover(&books, journal);
    books_accept(&books, journal, 1, 10);
    struct cuzk_journal_job job = books.entries[0].job;

    job.state = CUZK_JOURNAL_FAILED;
    job.error = "because";
    assert_int_equal(cuzk_journal_end_later(journal, &job, note_done, (void *)&done, NULL), CUZK_OK);
    for (int i = 0; done == 0 && i < 5000; i++)
        usleep(1000);
    assert_int_equal(done, 1);
    cuzk_journal_close(journal);
    books_free(&books);
}

/* ---- doors that are shut ---- */

static void test_open__by_a_second_process_is_refused(void **state)
{
    struct cuzk_journal *journal = opened(folder), *second;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_journal_open(folder, NULL, &second, &err), CUZK_EXISTS);
    assert_non_null(strstr(err.message, "another process"));
    const pid_t child = fork();

    if (child == 0)
        _exit(cuzk_journal_open(folder, NULL, &second, NULL) == CUZK_EXISTS ? 0 : 1);
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    cuzk_journal_close(journal);
    journal = opened(folder);
    cuzk_journal_close(journal);
}

static void test_open__names_a_read_only_directory(void **state)
{
    struct cuzk_journal *journal;
    struct cuzk_error err;
    char small[TEMPORARY_BYTES];

    (void)state;
    if (!temporary_mount_small(small, 4 << 20)) {
        print_message("skipped: no tmpfs can be mounted here\n");
        skip();
    }
    temporary_make_read_only(small);
    assert_int_equal(cuzk_journal_open(small, NULL, &journal, &err), CUZK_IO);
    assert_non_null(strstr(err.message, "Read-only"));
    assert_null(journal);
    temporary_unmount(small);
}

static void test_open__survives_failing_allocations(void **state)
{
    size_t failures = 0;

    (void)state;
    const size_t before = cuzk_mem_in_use();

    for (size_t n = 0;; n++) {
        struct cuzk_journal *journal;

        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = cuzk_journal_open(folder, NULL, &journal, NULL);

        cuzk_mem_fail_after(SIZE_MAX, 0);
        cuzk_journal_close(journal);
        assert_int_equal(cuzk_mem_in_use(), before);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
        failures++;
    }
    assert_true(failures >= 4);
}

/* ---- full disks ---- */

static void fill(struct cuzk_journal *journal, struct books *books, size_t bytes, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    uint64_t id = books->count > 0 ? books->entries[books->count - 1].job.id + 1 : 1;

    for (int i = 0; i < 10000 && status == CUZK_OK; i++)
        status = books_try_accept(books, journal, id++, bytes, err);
    assert_int_equal(status, CUZK_IO);
}

static void fill_and_go_on(size_t bytes)
{
    struct cuzk_journal *journal;
    struct books books = {0};
    struct cuzk_error err;
    char small[TEMPORARY_BYTES];

    if (!temporary_mount_small(small, 3 << 20)) {
        print_message("skipped: no tmpfs can be mounted here\n");
        skip();
    }
    journal = opened(small);
    books_recover(&books, journal);
    fill(journal, &books, bytes, &err);
    assert_true(books.count > 3);
    assert_int_equal(books_check_requests(&books, journal), 0); /* what was accepted is served on */
    cuzk_journal_close(journal);

    journal = opened(small); /* still full */
    assert_int_equal(books_check(&books, journal), 0);
    assert_int_equal(books_check_requests(&books, journal), 0);
    cuzk_journal_close(journal);
    books_free(&books);
    temporary_unmount(small);
}

static void test_accept__of_large_requests_on_a_full_disk_loses_nothing(void **state)
{
    (void)state;
    fill_and_go_on(200000);
}

static void test_accept__of_small_requests_on_a_full_disk_loses_nothing(void **state)
{
    (void)state;
    fill_and_go_on(3000);
}

static void test_writes__that_cannot_grow_a_file_fail_and_later_ones_go_on(void **state)
{
    struct cuzk_journal *journal = opened(folder);
    struct books books = {0};
    struct rlimit before, limit;
    struct cuzk_error err;

    (void)state;
    books_recover(&books, journal);
    books_accept(&books, journal, 1, 3000);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){300000, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    fill(journal, &books, 3000, &err);
    struct cuzk_journal_job job = books.entries[0].job;

    job.state = CUZK_JOURNAL_FAILED;
    job.error = "x";
    const enum cuzk_status ended = cuzk_journal_end(journal, &job, &err);

    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(ended, CUZK_IO);
    assert_int_equal(books_check_requests(&books, journal), 0);
    books_end(&books, journal, 1, CUZK_JOURNAL_DONE);
    books_accept(&books, journal, 100000, 3000);
    cuzk_journal_close(journal);
    journal = opened(folder);
    assert_int_equal(books_check(&books, journal), 0);
    cuzk_journal_close(journal);
    books_free(&books);
}

/* ---- many ---- */

struct submitter {
    struct cuzk_journal *journal;
    uint64_t first, count, pause_ns;
    double *took; /* ms */
    enum cuzk_status status;
};

static void *submit(void *context)
{
    struct submitter *const that = context;
    const uint64_t start = cuzk_clock_ns();
    struct request_maker maker;

    request_maker_make_sized(&maker, that->first, 1, 700);
    for (uint64_t i = 0; i < that->count && that->status == CUZK_OK; i++) {
        struct cuzk_journal_job job = {
            .id = that->first + i, .request_id = "wpost-1000-1", .kind = CUZK_PROOF_KIND_WINDOW_POST};
        const uint64_t due = start + i * that->pause_ns;

        while (cuzk_clock_ns() < due)
            usleep((useconds_t)((due - cuzk_clock_ns()) / 1000 % 1000000 + 1));
        const uint64_t begin = cuzk_clock_ns();

        cuzk_request_digest(&maker.request, job.digest);
        that->status = cuzk_journal_accept(that->journal, &job, &maker.request, NULL);
        that->took[i] = (double)(cuzk_clock_ns() - begin) / 1e6;
    }
    request_maker_free(&maker);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* 1,000 a second from 20 threads. Printed, and held to twenty times what is asked for. */
static void test_accept__of_a_thousand_a_second_is_quick(void **state)
{
    enum { THREADS = 20, EACH = 150 };
    struct cuzk_journal *const journal = opened(folder);
    struct submitter submitters[THREADS];
    pthread_t threads[THREADS];
    double *const took = calloc(THREADS * EACH, sizeof *took);
    struct cuzk_journal_facts facts;
    struct books books = {0};

    (void)state;
    assert_non_null(took);
    books_recover(&books, journal);
    const uint64_t start = cuzk_clock_ns();

    for (int i = 0; i < THREADS; i++) {
        submitters[i] = (struct submitter){journal,           1 + (uint64_t)i * EACH, EACH,
                                           THREADS * 1000000, took + i * EACH,        CUZK_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, submit, &submitters[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(submitters[i].status, CUZK_OK);
    }
    const double seconds = (double)(cuzk_clock_ns() - start) / 1e9;

    qsort(took, THREADS * EACH, sizeof *took, by_value);
    cuzk_journal_facts(journal, &facts);
    print_message("%d accepts at %.0f/s: median %.2f ms, p99 %.2f ms, worst %.2f ms; %" PRIu64 " groups\n",
                  THREADS * EACH, THREADS * EACH / seconds, took[THREADS * EACH / 2],
                  took[THREADS * EACH * 99 / 100], took[THREADS * EACH - 1], facts.groups);
    assert_true(took[THREADS * EACH * 99 / 100] < 100);
    cuzk_journal_close(journal);
    free(took);
}

static enum cuzk_status count_job(void *context, const struct cuzk_journal_job *job, struct cuzk_error *err)
{
    (void)job;
    (void)err;
    ++*(uint64_t *)context;
    return CUZK_OK;
}

static void forget_most(struct cuzk_journal *journal, uint64_t jobs)
{
    struct cuzk_journal_facts facts;

    for (uint64_t id = 1; id <= jobs - 10; id++)
        assert_int_equal(cuzk_journal_forget(journal, id, NULL), CUZK_OK);
    for (int i = 0; i < 30000; i++) {
        cuzk_journal_facts(journal, &facts);
        if (facts.writes >= jobs - 10)
            break;
        usleep(1000);
    }
    assert_true(facts.writes >= jobs - 10);
}

static void count_ended(void *context, enum cuzk_status status, const struct cuzk_error *error)
{
    (void)error;
    if (status == CUZK_OK)
        ++*(_Atomic uint64_t *)context;
}

/* 100,000 jobs: opened within a second, in little memory; the file shrinks when they are forgotten. */
static void test_journal__of_100000_jobs_opens_quickly_and_shrinks(void **state)
{
    enum { JOBS = 100000 };
    struct cuzk_journal *journal = opened(folder);
    struct cuzk_journal_facts facts;
    _Atomic uint64_t ended = 0;
    struct books books = {0};
    uint64_t last, found = 0;

    (void)state;
    books_recover(&books, journal);
    const uint8_t proof[1920] = {1};

    for (uint64_t id = 1; id <= JOBS; id++) {
        const struct cuzk_journal_job job = {.id = id,
                                             .request_id = "porep-1000-100000",
                                             .kind = CUZK_PROOF_KIND_POREP,
                                             .state = CUZK_JOURNAL_DONE,
                                             .proof = proof,
                                             .proof_length = id % 10 == 0 ? sizeof proof : 192};

        assert_int_equal(cuzk_journal_end_later(journal, &job, count_ended, (void *)&ended, NULL), CUZK_OK);
    }
    cuzk_journal_close(journal);
    assert_int_equal(ended, JOBS);

    const uint64_t start = cuzk_clock_ns();
    const size_t memory = cuzk_mem_in_use();

    journal = opened(folder);
    assert_int_equal(cuzk_journal_recover(journal, count_job, &found, &last, NULL), CUZK_OK);
    const double ms = (double)(cuzk_clock_ns() - start) / 1e6;

    cuzk_journal_facts(journal, &facts);
    print_message("100,000 jobs, %.1f MB: open and recover %.0f ms\n", (double)facts.journal_bytes / 1e6, ms);
    assert_int_equal(found, JOBS);
    assert_true(ms < 10000);
    assert_true(cuzk_mem_in_use() - memory < 1 << 20);
    const uint64_t large = facts.journal_bytes;

    forget_most(journal, JOBS);
    cuzk_journal_close(journal);
    journal = opened(folder);
    cuzk_journal_facts(journal, &facts);
    print_message("after forgetting: %.1f MB\n", (double)facts.journal_bytes / 1e6);
    assert_true(facts.journal_bytes < large / 5);
    cuzk_journal_close(journal);
}

/* kill -9 while four threads write: what was acknowledged is there. */
static void test_journal__killed_at_any_moment_keeps_what_it_acknowledged(void **state)
{
    struct test_random random;

    (void)state;
    test_random_init(&random);
    for (int round = 0; round < 12; round++) {
        int pipes[2];
        uint64_t acknowledged[4096];
        size_t count = 0;

        assert_int_equal(pipe(pipes), 0);
        const pid_t child = fork();

        if (child == 0)
            books_write_until_killed(folder, pipes[1], (uint64_t)round * 1000000 + 1);
        close(pipes[1]);
        usleep((useconds_t)(20000 + test_random_below(&random, 80000)));
        kill(child, SIGKILL);
        while (count < 4096 && read(pipes[0], &acknowledged[count], 8) == 8)
            count++;
        close(pipes[0]);
        assert_int_equal(waitpid(child, NULL, 0), child);

        struct cuzk_journal *const journal = opened(folder);
        struct books books = {0};

        books_recover(&books, journal);
        for (size_t i = 0; i < count; i++)
            if (!books_has(&books, acknowledged[i]))
                fail_msg("round %d: job %" PRIu64 " was acknowledged and is lost", round, acknowledged[i]);
        assert_int_equal(books_check_requests(&books, journal), 0);
        for (size_t i = 0; i < books.count; i++)
            assert_int_equal(cuzk_journal_forget(journal, books.entries[i].job.id, NULL), CUZK_OK);
        cuzk_journal_close(journal);
        books_free(&books);
    }
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_accept__is_there_after_reopening_with_its_request),
        IN_FOLDER(test_end__of_the_last_job_removes_the_request),
        IN_FOLDER(test_recover__removes_files_that_no_job_needs),
        IN_FOLDER(test_recover__never_gives_an_id_twice),
        IN_FOLDER(test_accept__refuses_what_is_wrong),
        IN_FOLDER(test_end_later__calls_back_once_it_is_durable),
        IN_FOLDER(test_open__by_a_second_process_is_refused),
        IN_FOLDER(test_open__names_a_read_only_directory),
        IN_FOLDER(test_open__survives_failing_allocations),
        IN_FOLDER(test_accept__of_large_requests_on_a_full_disk_loses_nothing),
        IN_FOLDER(test_accept__of_small_requests_on_a_full_disk_loses_nothing),
        IN_FOLDER(test_writes__that_cannot_grow_a_file_fail_and_later_ones_go_on),
        IN_FOLDER(test_accept__of_a_thousand_a_second_is_quick),
        IN_FOLDER(test_journal__of_100000_jobs_opens_quickly_and_shrinks),
        IN_FOLDER(test_journal__killed_at_any_moment_keeps_what_it_acknowledged),
    };
#undef IN_FOLDER

    return cmocka_run_group_tests(tests, NULL, NULL);
}
