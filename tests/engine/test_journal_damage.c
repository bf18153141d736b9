/* Journals with damaged pages: opened without a crash, nothing wrong given out, and all saved that does not
 * lie on the damaged page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/journal.h"
#include "journal_books.h"
#include "support/random.h"
#include "support/temporary.h"

enum { PAGE = 4096, FRAME = PAGE + 24, ROWS_OF_A_PAGE = 20 };

/* A journal as it was left: closed, or killed with its log not brought in; and what it was told. */
static struct left {
    char folder[TEMPORARY_BYTES];
    struct books books;
} closed, killed;

static void copy_journal(const char *from, const char *to)
{
    char source[400], target[400];

    temporary_copy(from, to);
    snprintf(source, sizeof source, "%s/spool", from);
    snprintf(target, sizeof target, "%s/spool", to);
    assert_int_equal(mkdir(target, 0700), 0);
    temporary_copy(source, target);
}

static void tell(struct books *books, struct cuzk_journal *journal, uint64_t first, uint64_t count)
{
    for (uint64_t id = first; id < first + count; id++) {
        books_accept(books, journal, id, id % 40 == 0 ? 70000 : id % 11 == 0 ? 9000 : 150);
        if (id % 4 == 1)
            books_end(books, journal, id, (enum cuzk_journal_state)(1 + id % 3));
        if (id % 4 == 2 && id > 10)
            books_forget(books, journal, id);
    }
}

/* The end of a log's file that was made long but not used goes: damage there means nothing. */
static void cut_log(const char *folder)
{
    char path[400];
    uint8_t frame[FRAME];
    uint64_t used = 0;
    const int fd = (snprintf(path, sizeof path, "%s/journal.sqlite-wal", folder), open(path, O_RDONLY));

    assert_true(fd >= 0);
    for (uint64_t at = 32; pread(fd, frame, FRAME, (off_t)at) == FRAME; at += FRAME)
        if (frame[3] != 0 || frame[2] != 0) /* a page's number */
            used = at + FRAME;
    close(fd);
    assert_true(used > 0);
    assert_int_equal(truncate(path, (off_t)used), 0);
}

static void make_killed(void)
{
    char work[TEMPORARY_BYTES];
    struct cuzk_journal *journal;

    temporary_make(work);
    temporary_make(closed.folder);
    temporary_make(killed.folder);
    assert_int_equal(cuzk_journal_open(work, NULL, &journal, NULL), CUZK_OK);
    books_recover(&killed.books, journal);
    tell(&killed.books, journal, 1, 100);
    cuzk_journal_close(journal);

    assert_int_equal(cuzk_journal_open(work, NULL, &journal, NULL), CUZK_OK);
    assert_int_equal(books_check(&killed.books, journal), 0);
    tell(&killed.books, journal, 5000, 60);
    copy_journal(work, killed.folder);
    cut_log(killed.folder);
    cuzk_journal_close(journal);
    temporary_remove(work);
}

static int make_all(void **state)
{
    char log[400];
    struct cuzk_journal *journal;

    (void)state;
    make_killed();
    copy_journal(killed.folder, closed.folder); /* the same, closed */
    assert_int_equal(cuzk_journal_open(closed.folder, NULL, &journal, NULL), CUZK_OK);
    assert_int_equal(books_check(&killed.books, journal), 0);
    cuzk_journal_close(journal);
    snprintf(log, sizeof log, "%s/journal.sqlite-wal", closed.folder);
    assert_int_not_equal(access(log, F_OK), 0);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    temporary_remove(closed.folder);
    temporary_remove(killed.folder);
    books_free(&killed.books);
    return 0;
}

/* One byte of a file, or a range of it, changed. */
static void damage(const char *path, uint64_t at, const uint8_t *bytes, size_t n)
{
    const int fd = open(path, O_WRONLY);

    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, n, (off_t)at), n);
    close(fd);
}

static uint8_t byte_at(const char *path, uint64_t at)
{
    const int fd = open(path, O_RDONLY);
    uint8_t byte = 0;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
    close(fd);
    return byte;
}

static uint64_t size_of(const char *folder, const char *file)
{
    char path[400];
    struct stat facts;

    snprintf(path, sizeof path, "%s/%s", folder, file);
    assert_int_equal(stat(path, &facts), 0);
    return (uint64_t)facts.st_size;
}

struct lost {
    size_t jobs, requests, old;
    bool salvaged;
};

/* Opens a damaged copy, checks it, goes on working with it, opens it again. */
static struct lost open_damaged(const char *folder)
{
    struct cuzk_journal *journal;
    struct cuzk_journal_facts facts;
    struct cuzk_error err;
    struct books after = {0};
    struct lost lost;
    size_t again;

    if (cuzk_journal_open(folder, NULL, &journal, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    lost.jobs = books_check_damaged(&killed.books, journal, &lost.old);
    if (killed.books.last < 5059)
        fail_msg("ids up to 5059 were given, now %" PRIu64, killed.books.last);
    cuzk_journal_facts(journal, &facts);
    lost.salvaged = facts.salvages > 0;
    lost.requests = books_check_requests(&killed.books, journal);
    books_accept(&after, journal, 900000, 100);
    books_accept(&after, journal, 900001, 70000);
    assert_int_equal(books_check_requests(&after, journal), 0);
    books_end(&after, journal, 900000, CUZK_JOURNAL_DONE);
    books_forget(&after, journal, 900000);
    books_forget(&after, journal, 900001);
    cuzk_journal_close(journal);
    books_free(&after);

    if (cuzk_journal_open(folder, NULL, &journal, &err) != CUZK_OK)
        fail_msg("again: %s", err.message);
    assert_int_equal(books_check_damaged(&killed.books, journal, &again), lost.jobs);
    cuzk_journal_facts(journal, &facts);
    assert_int_equal(facts.salvages, 0);
    cuzk_journal_close(journal);
    return lost;
}

static void test_open__of_a_whole_journal_salvages_nothing(void **state)
{
    const char *const folders[] = {closed.folder, killed.folder};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char copy[TEMPORARY_BYTES];

        temporary_make(copy);
        copy_journal(folders[i], copy);
        const struct lost lost = open_damaged(copy);

        assert_false(lost.salvaged);
        assert_int_equal(lost.jobs + lost.requests + lost.old, 0);
        temporary_remove(copy);
    }
}

/* Nothing follows what was written: the room that the log's file has beyond it is no damage. */
static void test_open__of_a_log_with_room_at_its_end_salvages_nothing(void **state)
{
    char copy[TEMPORARY_BYTES], path[400];

    (void)state;
    temporary_make(copy);
    copy_journal(killed.folder, copy);
    snprintf(path, sizeof path, "%s/journal.sqlite-wal", copy);
    assert_int_equal(truncate(path, 3 << 20), 0);
    const struct lost lost = open_damaged(copy);

    assert_false(lost.salvaged);
    assert_int_equal(lost.jobs + lost.requests + lost.old, 0);
    temporary_remove(copy);
}

/* What a damaged page may cost: the rows of one page, and the requests of those and of the page itself. */
static void hold(const struct lost *lost, const char *what, uint64_t at)
{
    if (lost->jobs > ROWS_OF_A_PAGE || lost->requests > 2 * ROWS_OF_A_PAGE || lost->old > 2 * ROWS_OF_A_PAGE)
        fail_msg("%s at %" PRIu64 ": %zu jobs lost, %zu requests, %zu as they were before", what, at,
                 lost->jobs, lost->requests, lost->old);
}

enum how { FLIP, ZERO, NOISE, HOWS };

/* Pages are taken at random, one of `share`; all of them where CUZK_TEST_DAMAGES is set. */
static void damage_each_page(const char *from, const char *file, uint64_t head, uint64_t step, uint64_t share)
{
    static const char *const names[HOWS] = {"a flipped bit", "a zeroed page", "noise"};
    const uint64_t size = size_of(from, file);
    struct test_random random;
    size_t salvages = 0, jobs = 0, tries = 0;

    test_random_init(&random);
    for (uint64_t page = head; page + step <= size; page += step)
        for (int how = 0; how < HOWS; how++) {
            char copy[TEMPORARY_BYTES], path[400];
            uint8_t bytes[FRAME] = {0};
            uint64_t at = page;
            size_t n = step;

            if (getenv("CUZK_TEST_DAMAGES") == NULL && test_random_below(&random, share) != 0)
                continue;
            temporary_make(copy);
            copy_journal(from, copy);
            snprintf(path, sizeof path, "%s/%s", copy, file);
            if (how == FLIP) {
                at = page + test_random_below(&random, step);
                n = 1;
                bytes[0] = byte_at(path, at) ^ (uint8_t)(1u << test_random_below(&random, 8));
            } else if (how == NOISE) {
                test_random_bytes(&random, bytes, sizeof bytes);
            }
            damage(path, at, bytes, n);
            const struct lost lost = open_damaged(copy);

            hold(&lost, names[how], at);
            salvages += lost.salvaged;
            jobs += lost.jobs;
            tries++;
            temporary_remove(copy);
        }
    print_message("%s: %zu damages, %zu salvages, %zu jobs lost in all\n", file, tries, salvages, jobs);
    assert_true(salvages > 0);
}

static void test_open__with_any_page_of_the_database_damaged_saves_the_others(void **state)
{
    (void)state;
    damage_each_page(closed.folder, "journal.sqlite", 0, PAGE, 3);
}

static void test_open__with_any_frame_of_the_log_damaged_saves_the_others(void **state)
{
    (void)state;
    damage_each_page(killed.folder, "journal.sqlite-wal", 32, FRAME, 16);
}

static void test_open__with_any_byte_of_the_heads_damaged_saves_the_rows(void **state)
{
    static const struct {
        const char *file;
        uint64_t bytes;
    } heads[] = {{"journal.sqlite", 112}, {"journal.sqlite-wal", 32 + 24}};
    struct test_random random;

    (void)state;
    test_random_init(&random);
    for (int i = 0; i < 2; i++)
        for (uint64_t at = 0; at < heads[i].bytes; at++) {
            char copy[TEMPORARY_BYTES], path[400];

            if (getenv("CUZK_TEST_DAMAGES") == NULL && test_random_below(&random, 3) != 0)
                continue;
            temporary_make(copy);
            copy_journal(killed.folder, copy);
            snprintf(path, sizeof path, "%s/%s", copy, heads[i].file);
            const uint8_t byte = byte_at(path, at) ^ (uint8_t)(1u << test_random_below(&random, 8));

            damage(path, at, &byte, 1);
            const struct lost lost = open_damaged(copy);

            hold(&lost, heads[i].file, at);
            temporary_remove(copy);
        }
}

static void test_open__of_truncated_files_saves_what_is_left(void **state)
{
    static const char *const files[] = {"journal.sqlite", "journal.sqlite-wal"};
    struct test_random random;

    (void)state;
    test_random_init(&random);
    for (int i = 0; i < 40; i++) {
        char copy[TEMPORARY_BYTES], path[400];
        struct cuzk_journal *journal;
        struct cuzk_error err;
        size_t old;

        temporary_make(copy);
        copy_journal(killed.folder, copy);
        snprintf(path, sizeof path, "%s/%s", copy, files[i % 2]);
        const uint64_t size = size_of(killed.folder, files[i % 2]);
        const uint64_t left = i < 2 ? 0 : test_random_below(&random, size);

        assert_int_equal(truncate(path, (off_t)left), 0);
        if (cuzk_journal_open(copy, NULL, &journal, &err) != CUZK_OK)
            fail_msg("%s of %" PRIu64 " bytes: %s", files[i % 2], left, err.message);
        (void)books_check_damaged(&killed.books, journal, &old);
        (void)books_check_requests(&killed.books, journal);
        cuzk_journal_close(journal);
        temporary_remove(copy);
    }
}

static void test_open__of_a_later_version_is_refused_and_left_alone(void **state)
{
    static const uint8_t application[] = {0x63, 0x7a, 0x6b, 2}, version[] = {0, 0, 0, 2};
    char copy[TEMPORARY_BYTES], path[400];
    struct cuzk_journal *journal;
    struct cuzk_error err;

    (void)state;
    temporary_make(copy);
    copy_journal(closed.folder, copy);
    snprintf(path, sizeof path, "%s/journal.sqlite", copy);
    damage(path, 68, application, 4);
    damage(path, 60, version, 4);
    const size_t files = temporary_count(copy);

    assert_int_equal(cuzk_journal_open(copy, NULL, &journal, &err), CUZK_UNSUPPORTED);
    assert_non_null(strstr(err.message, "version 2"));
    assert_true(temporary_count(copy) <= files + 2); /* log and its index at most */
    temporary_remove(copy);
}

static void test_request__of_a_damaged_spool_file_is_refused(void **state)
{
    char copy[TEMPORARY_BYTES], spool[400], path[700];
    struct cuzk_journal *journal;
    size_t old;

    (void)state;
    temporary_make(copy);
    copy_journal(closed.folder, copy);
    snprintf(spool, sizeof spool, "%s/spool", copy);
    const size_t files = temporary_count(spool);

    assert_true(files > 0);
    DIR *const folder = opendir(spool);

    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", spool, entry->d_name);
        const uint8_t byte = byte_at(path, 5000) ^ 4;

        damage(path, 5000, &byte, 1);
    }
    closedir(folder);
    assert_int_equal(cuzk_journal_open(copy, NULL, &journal, NULL), CUZK_OK);
    assert_int_equal(books_check_damaged(&killed.books, journal, &old), 0);
    assert_int_equal(books_check_requests(&killed.books, journal), files);
    cuzk_journal_close(journal);
    temporary_remove(copy);
}

/* A page that turns bad under an open journal: what comes next is written all the same. */
static void test_writes__into_a_journal_that_turns_bad_go_on(void **state)
{
    char copy[TEMPORARY_BYTES], path[400];
    struct cuzk_journal *journal;
    struct cuzk_journal_facts facts;
    struct books more = {0};
    uint8_t noise[PAGE];
    size_t old;

    (void)state;
    memset(noise, 0x5a, sizeof noise);
    temporary_make(copy);
    copy_journal(closed.folder, copy);
    snprintf(path, sizeof path, "%s/journal.sqlite", copy);
    assert_int_equal(cuzk_journal_open(copy, NULL, &journal, NULL), CUZK_OK);
    assert_int_equal(books_check_damaged(&killed.books, journal, &old), 0);
    for (uint64_t page = 2; (page + 1) * PAGE <= size_of(copy, "journal.sqlite"); page += 2)
        damage(path, page * PAGE, noise, PAGE);
    for (uint64_t id = 800000; id < 800400; id++)
        books_accept(&more, journal, id, 500);
    (void)books_check_requests(&killed.books, journal);
    for (uint64_t id = 1; id < 100; id++)
        assert_int_equal(cuzk_journal_forget(journal, id, NULL), CUZK_OK);
    assert_int_equal(books_check_requests(&more, journal), 0);
    cuzk_journal_facts(journal, &facts);
    print_message("salvages while running: %" PRIu64 "\n", facts.salvages);
    cuzk_journal_close(journal);

    assert_int_equal(cuzk_journal_open(copy, NULL, &journal, NULL), CUZK_OK);
    assert_int_equal(books_check_requests(&more, journal), 0);
    cuzk_journal_close(journal);
    books_free(&more);
    temporary_remove(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_open__of_a_whole_journal_salvages_nothing),
        cmocka_unit_test(test_open__of_a_log_with_room_at_its_end_salvages_nothing),
        cmocka_unit_test(test_open__with_any_page_of_the_database_damaged_saves_the_others),
        cmocka_unit_test(test_open__with_any_frame_of_the_log_damaged_saves_the_others),
        cmocka_unit_test(test_open__with_any_byte_of_the_heads_damaged_saves_the_rows),
        cmocka_unit_test(test_open__of_truncated_files_saves_what_is_left),
        cmocka_unit_test(test_open__of_a_later_version_is_refused_and_left_alone),
        cmocka_unit_test(test_request__of_a_damaged_spool_file_is_refused),
        cmocka_unit_test(test_writes__into_a_journal_that_turns_bad_go_on),
    };

    return cmocka_run_group_tests(tests, make_all, remove_all);
}
