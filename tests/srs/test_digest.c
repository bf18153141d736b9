#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "srs/digest.h"
#include "srs/directory.h"
#include "support/temporary.h"

#define ABC "ba80a53f981c4d0d6a2797b69f12f6e9" /* RFC 7693, appendix A */

static const struct cuzk_circuit_id porep_2k = {CUZK_CIRCUIT_POREP, 2048};
static const struct cuzk_circuit_id porep_4k = {CUZK_CIRCUIT_POREP, 4096};
static char folder[TEMPORARY_BYTES], cache[TEMPORARY_BYTES + 32];

static int make_folder(void **state)
{
    (void)state;
    temporary_make(folder);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    return setenv("CACHE_DIRECTORY", cache, 1);
}

static int remove_folder(void **state)
{
    (void)state;
    unsetenv(CUZK_PARAMETER_VARIABLE);
    temporary_remove(folder);
    return 0;
}

static void write_text(const char *path, const char *text)
{
    assert_int_equal(cuzk_file_write(path, true, text, strlen(text), NULL), CUZK_OK);
}

/* Until the clock that files are stamped by has gone on. */
static void let_settle(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
}

/* Other bytes of the same length under the same modification time. */
static void change_unseen(const char *path, const char *text)
{
    struct stat facts;

    assert_int_equal(stat(path, &facts), 0);
    const int file = open(path, O_WRONLY);

    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(futimens(file, (const struct timespec[2]){facts.st_atim, facts.st_mtim}), 0);
    close(file);
}

static void test_digest__is_blake2b_cut_to_16_bytes(void **state)
{
    char path[CUZK_PARAMETER_PATH], digest[CUZK_DIGEST_TEXT];

    (void)state;
    snprintf(path, sizeof path, "%s/abc", folder);
    write_text(path, "abc");
    assert_int_equal(cuzk_parameter_digest(path, NULL, digest, NULL), CUZK_OK);
    assert_string_equal(digest, ABC);
    assert_int_equal(cuzk_parameter_digest("/nowhere/abc", NULL, digest, NULL), CUZK_NOT_FOUND);
}

static void test_once__remembers_beside_the_file_with_size_and_time(void **state)
{
    char path[CUZK_PARAMETER_PATH], beside[CUZK_PARAMETER_PATH + 32], digest[CUZK_DIGEST_TEXT];

    (void)state;
    snprintf(path, sizeof path, "%s/once.params", folder);
    snprintf(beside, sizeof beside, "%s.digest", path);
    write_text(path, "abc");
    let_settle();
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_string_equal(digest, ABC);
    assert_int_equal(access(beside, F_OK), 0);

    change_unseen(path, "xyz"); /* size and time are as they were: not read again */
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_string_equal(digest, ABC);

    assert_int_equal(utimensat(AT_FDCWD, path, NULL, 0), 0); /* the time: it is */
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_string_not_equal(digest, ABC);

    write_text(path, "abc"); /* whatever is in the remembered line that is not one is ignored */
    write_text(beside, "0123456789abcdef0123456789abcdef size 3 mtime 0.000000000\n");
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_string_equal(digest, ABC);
    write_text(beside, "");
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_string_equal(digest, ABC);
}

static void test_keep__remembers_what_its_writer_knows(void **state)
{
    static const char known[] = "0123456789abcdef0123456789abcdef";
    char path[CUZK_PARAMETER_PATH], digest[CUZK_DIGEST_TEXT];

    (void)state;
    snprintf(path, sizeof path, "%s/kept.params", folder);
    write_text(path, "abc");
    cuzk_parameter_digest_keep(path, known);
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_string_equal(digest, known); /* it is not read */
    write_text(path, "abcd");
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_string_not_equal(digest, known);
    cuzk_parameter_digest_keep("/nowhere/abc", known);
}

static void test_once__writes_nothing_to_a_production_directory(void **state)
{
    char path[CUZK_PARAMETER_PATH], beside[CUZK_PARAMETER_PATH + 32], digest[CUZK_DIGEST_TEXT];

    (void)state;
    setenv(CUZK_PARAMETER_VARIABLE, folder, 1);
    snprintf(path, sizeof path, "%s/production.params", folder);
    snprintf(beside, sizeof beside, "%s.digest", path);
    write_text(path, "abc");
    let_settle();
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_int_not_equal(access(beside, F_OK), 0);
    change_unseen(path, "xyz"); /* it is remembered all the same */
    assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
    assert_string_equal(digest, ABC);
    unsetenv(CUZK_PARAMETER_VARIABLE);
}

/* The second writing has the size and, within a tick of the clock, the time of the first. */
static void test_once__sees_a_file_written_twice_at_once(void **state)
{
    char path[CUZK_PARAMETER_PATH], digest[CUZK_DIGEST_TEXT];

    (void)state;
    snprintf(path, sizeof path, "%s/twice.params", folder);
    for (int round = 0; round < 50; round++) {
        write_text(path, "abc");
        assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
        assert_string_equal(digest, ABC);
        write_text(path, "abd");
        assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
        assert_string_not_equal(digest, ABC);
    }
}

static void test_check__holds_a_file_against_manifest_or_publication(void **state)
{
    char path[CUZK_PARAMETER_PATH], vk[CUZK_PARAMETER_PATH];
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_parameter_path(folder, &porep_2k, ".params", path, NULL), CUZK_OK);
    assert_int_equal(cuzk_parameter_path(folder, &porep_2k, ".vk", vk, NULL), CUZK_OK);
    write_text(path, "abc");
    write_text(vk, "abc");
    assert_int_equal(cuzk_parameter_check(path, &porep_2k, NULL, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, "the published file"));
    assert_non_null(strstr(err.message, cuzk_circuit_id_published(&porep_2k)->digest));
    assert_non_null(strstr(err.message, ABC));

    assert_int_equal(cuzk_parameter_manifest_write(folder, &porep_2k, NULL, NULL, NULL), CUZK_OK);
    assert_int_equal(cuzk_parameter_check(path, &porep_2k, NULL, &err), CUZK_OK);
    write_text(path, "abd");
    assert_int_equal(cuzk_parameter_check(path, &porep_2k, NULL, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "manifest"));

    assert_int_equal(cuzk_parameter_path(folder, &porep_2k, ".test.json", path, NULL), CUZK_OK);
    write_text(path, "{\"files\": [{\"name\": 3}]}");
    assert_int_equal(cuzk_parameter_path(folder, &porep_2k, ".params", path, NULL), CUZK_OK);
    assert_int_equal(cuzk_parameter_check(path, &porep_2k, NULL, &err), CUZK_INPUT);

    /* nothing is known of this one */
    assert_int_equal(cuzk_parameter_path(folder, &porep_4k, ".params", path, NULL), CUZK_OK);
    write_text(path, "anything");
    assert_int_equal(cuzk_parameter_check(path, &porep_4k, NULL, NULL), CUZK_OK);
}

/* A time of whole seconds may be all that the file system knows: what comes within the second is not seen. */
static void test_once__remembers_whole_seconds_only_once_they_are_over(void **state)
{
    static const struct {
        int age;
        bool remembered;
    } cases[] = {{0, false}, {1, false}, {10, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[CUZK_PARAMETER_PATH], beside[CUZK_PARAMETER_PATH + 32], digest[CUZK_DIGEST_TEXT];
        const struct timespec then = {.tv_sec = time(NULL) - cases[i].age};

        snprintf(path, sizeof path, "%s/seconds-%zu.params", folder, i);
        snprintf(beside, sizeof beside, "%s.digest", path);
        write_text(path, "abc");
        assert_int_equal(utimensat(AT_FDCWD, path, (const struct timespec[2]){then, then}, 0), 0);
        assert_int_equal(cuzk_parameter_digest_once(path, NULL, digest, NULL), CUZK_OK);
        assert_int_equal(access(beside, F_OK) == 0, cases[i].remembered);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digest__is_blake2b_cut_to_16_bytes),
        cmocka_unit_test(test_once__remembers_whole_seconds_only_once_they_are_over),
        cmocka_unit_test(test_once__remembers_beside_the_file_with_size_and_time),
        cmocka_unit_test(test_keep__remembers_what_its_writer_knows),
        cmocka_unit_test(test_once__writes_nothing_to_a_production_directory),
        cmocka_unit_test(test_once__sees_a_file_written_twice_at_once),
        cmocka_unit_test(test_check__holds_a_file_against_manifest_or_publication),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
