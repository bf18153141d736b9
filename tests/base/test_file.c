#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/file_guard.h"
#include "base/mem.h"

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/cuzk-test-file-XXXXXX");
    return mkdtemp(folder) == NULL;
}

/* Files in the folder; removes them. */
static int empty_folder(void)
{
    DIR *dir = opendir(folder);
    int n = 0;

    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.') {
            unlink(in_folder(entry->d_name));
            n++;
        }
    closedir(dir);
    return n;
}

static int remove_folder(void **state)
{
    (void)state;
    empty_folder();
    return rmdir(folder);
}

static void test_write__then_map_gives_the_bytes(void **state)
{
    const size_t n = 1000003;
    uint8_t *bytes = malloc(n);
    struct cuzk_file_map map;

    (void)state;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 4096);
    assert_int_equal(cuzk_file_write(in_folder("big"), false, bytes, n, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_map_open(in_folder("big"), "test", 0, &map, NULL), CUZK_OK);
    assert_true(map.mapped);
    assert_int_equal(map.length, n);
    assert_memory_equal(map.bytes, bytes, n);
    cuzk_file_map_prefetch(&map, 5, n);
    cuzk_file_map_drop(&map, 1, n); /* dropped pages come back when read */
    assert_memory_equal(map.bytes, bytes, n);
    cuzk_file_map_drop(&map, 0, 0);
    cuzk_file_map_drop(&map, n, 2 * n);
    cuzk_file_map_close(&map);
    cuzk_file_map_close(&map); /* closed twice is fine */
    assert_int_equal(empty_folder(), 1);
    free(bytes);
}

static void test_map__reports_what_cannot_be_read(void **state)
{
    struct cuzk_file_map map;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_file_map_open(in_folder("none"), "C1 output", 0, &map, &err), CUZK_NOT_FOUND);
    assert_non_null(strstr(err.message, "none: C1 output cannot be opened"));
    assert_int_equal(cuzk_file_map_open(folder, "C1 output", 0, &map, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "found a directory"));
    assert_int_equal(cuzk_file_write(in_folder("ten"), false, "0123456789", 10, &err), CUZK_OK);
    assert_int_equal(cuzk_file_map_open(in_folder("ten"), "ten", 9, &map, &err), CUZK_INPUT);
    assert_int_equal(cuzk_file_map_open(in_folder("ten"), "ten", 10, &map, &err), CUZK_OK);
    cuzk_file_map_close(&map);
    assert_int_equal(cuzk_file_write(in_folder("empty"), false, "", 0, &err), CUZK_OK);
    assert_int_equal(cuzk_file_map_open(in_folder("empty"), "empty", 10, &map, &err), CUZK_OK);
    assert_int_equal(map.length, 0);
    assert_non_null(map.bytes);
    cuzk_file_map_close(&map);
    assert_int_equal(empty_folder(), 2);
}

/* In a process of its own: what it takes, it takes for good. 0: all is as it should be. */
static int read_what_was_cut(void)
{
    enum { PAGE = 4096, PAGES = 5 };
    static uint8_t bytes[PAGES * PAGE];
    struct cuzk_file_map map, other;

    memset(bytes, 7, sizeof bytes);
    cuzk_file_guard_start();
    if (cuzk_file_write(in_folder("cut"), false, bytes, sizeof bytes, NULL) != CUZK_OK ||
        cuzk_file_map_open(in_folder("cut"), "test", 0, &map, NULL) != CUZK_OK ||
        cuzk_file_map_open(in_folder("cut"), "test", 0, &other, NULL) != CUZK_OK ||
        truncate(in_folder("cut"), 2 * PAGE) != 0)
        return 2;
    cuzk_file_map_close(&other); /* a place is taken and given back */
    for (size_t i = 0; i < sizeof bytes; i++)
        if (map.bytes[i] != (i < 2 * PAGE ? 7 : 0))
            return 3;
    if (cuzk_file_guard_cut() != 1)
        return 4;
    cuzk_file_map_drop(&map, 0, sizeof bytes);
    if (map.bytes[0] != 7 || map.bytes[4 * PAGE] != 0)
        return 5;
    cuzk_file_map_close(&map);
    /* any other map ends the process as ever */
    const int fd = open(in_folder("cut"), O_RDONLY);
    const volatile uint8_t *loose = mmap(NULL, sizeof bytes, PROT_READ, MAP_SHARED, fd, 0);

    return loose[3 * PAGE] == 0 ? 6 : 7;
}

static void test_guard__what_was_cut_reads_as_zeros(void **state)
{
    int how;

    (void)state;
    const pid_t child = fork();

    if (child == 0)
        _exit(read_what_was_cut());
    assert_int_equal(waitpid(child, &how, 0), child);
    if (!WIFSIGNALED(how))
        fail_msg("it ended with %d", WEXITSTATUS(how));
    assert_int_equal(WTERMSIG(how), SIGBUS);
    assert_int_equal(empty_folder(), 1);
}

static void test_map__reads_pipes_up_to_the_limit(void **state)
{
    struct cuzk_file_map map;
    struct cuzk_error err;
    char path[64];
    int ends[2];

    (void)state;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], "0123456789", 10), 10);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        if (round == 0) {
            assert_int_equal(cuzk_file_map_open(path, "pipe", 10, &map, &err), CUZK_OK);
            assert_false(map.mapped);
            assert_int_equal(map.length, 10);
            assert_memory_equal(map.bytes, "0123456789", 10);
            cuzk_file_map_drop(&map, 0, 10);
            assert_memory_equal(map.bytes, "0123456789", 10);
            cuzk_file_map_close(&map);
        } else {
            assert_int_equal(cuzk_file_map_open(path, "pipe", 9, &map, &err), CUZK_INPUT);
        }
        close(ends[0]);
    }
    /* endless, and longer than the first buffer */
    assert_int_equal(cuzk_file_map_open("/dev/zero", "device", (3 << 20) + 5, &map, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "at most 3145733 bytes"));
    assert_int_equal(cuzk_file_map_open("/dev/zero", "device", 0, &map, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "at most 1073741824 bytes"));
}

static void test_out__refuses_to_replace(void **state)
{
    struct cuzk_file_out *out, *late;
    struct cuzk_file_map map;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_file_out_open(in_folder("a"), false, &late, &err), CUZK_OK);
    assert_int_equal(cuzk_file_write(in_folder("a"), false, "first", 5, &err), CUZK_OK);
    assert_int_equal(cuzk_file_out_open(in_folder("a"), false, &out, &err), CUZK_EXISTS);
    assert_null(out);
    assert_int_equal(cuzk_file_out_write(late, "second", 6, &err), CUZK_OK);
    assert_int_equal(cuzk_file_out_commit(late, &err), CUZK_EXISTS);
    assert_int_equal(cuzk_file_map_open(in_folder("a"), "a", 0, &map, &err), CUZK_OK);
    assert_int_equal(map.length, 5);
    cuzk_file_map_close(&map);
    assert_int_equal(cuzk_file_write(in_folder("a"), true, "third!!", 7, &err), CUZK_OK);
    assert_int_equal(cuzk_file_map_open(in_folder("a"), "a", 0, &map, &err), CUZK_OK);
    assert_int_equal(map.length, 7);
    cuzk_file_map_close(&map);
    assert_int_equal(empty_folder(), 1); /* no temporary file stays */
}

static void test_out__abandoned_leaves_nothing(void **state)
{
    struct cuzk_file_out *out;

    (void)state;
    assert_int_equal(cuzk_file_out_open(in_folder("a"), false, &out, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_out_write(out, "half", 4, NULL), CUZK_OK);
    assert_int_equal(access(in_folder("a"), F_OK), -1);
    cuzk_file_out_abandon(out);
    cuzk_file_out_abandon(NULL);
    assert_int_equal(empty_folder(), 0);
    assert_int_equal(cuzk_file_out_open(in_folder("no/such/folder"), false, &out, NULL), CUZK_IO);
    assert_int_equal(cuzk_file_out_open(folder, true, &out, NULL), CUZK_ARGUMENT);
    cuzk_mem_fail_after(0, 0);
    assert_int_equal(cuzk_file_out_open(in_folder("a"), false, &out, NULL), CUZK_MEMORY);
    cuzk_mem_fail_after(SIZE_MAX, 0);
}

static void test_out_close__commits_what_went_well_alone(void **state)
{
    struct cuzk_file_out *out;

    (void)state;
    assert_int_equal(cuzk_file_out_open(in_folder("a"), false, &out, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_out_close(CUZK_INPUT, out, NULL), CUZK_INPUT);
    assert_int_equal(empty_folder(), 0);
    assert_int_equal(cuzk_file_out_open(in_folder("a"), false, &out, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_out_close(cuzk_file_out_write(out, "all", 3, NULL), out, NULL), CUZK_OK);
    assert_int_equal(access(in_folder("a"), F_OK), 0);
    assert_int_equal(empty_folder(), 1);
}

static void test_out__reports_a_full_device(void **state)
{
    struct cuzk_file_out *out;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_file_out_open("/dev/full", false, &out, &err), CUZK_OK);
    assert_int_equal(cuzk_file_out_write(out, "x", 1, &err), CUZK_OK); /* buffered */
    assert_int_equal(cuzk_file_out_commit(out, &err), CUZK_IO);
    assert_non_null(strstr(err.message, "/dev/full: writing"));
}

static void test_out__writes_at_offsets(void **state)
{
    struct cuzk_file_out *out;
    struct cuzk_file_map map;

    (void)state;
    assert_int_equal(cuzk_file_out_open(in_folder("a"), false, &out, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_out_write_at(out, 4, "5678", 4, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_out_write_at(out, 0, "1234", 4, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_out_commit(out, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_map_open(in_folder("a"), "a", 0, &map, NULL), CUZK_OK);
    assert_int_equal(map.length, 8);
    assert_memory_equal(map.bytes, "12345678", 8);
    cuzk_file_map_close(&map);
    empty_folder();
}

static void test_out__takes_room_ahead(void **state)
{
    struct cuzk_file_out *out;
    struct cuzk_file_map map;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_file_out_open(in_folder("a"), false, &out, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_out_reserve(out, UINT64_C(1) << 61, &err), CUZK_IO);
    assert_non_null(strstr(err.message, "no room for 2305843009213693952 bytes"));
    assert_int_equal(cuzk_file_out_reserve(out, UINT64_MAX, &err), CUZK_IO);
    assert_int_equal(cuzk_file_out_reserve(out, 1 << 20, &err), CUZK_OK);
    assert_int_equal(cuzk_file_out_write_at(out, 0, "1234", 4, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_out_commit(out, NULL), CUZK_OK);
    assert_int_equal(cuzk_file_map_open(in_folder("a"), "a", 0, &map, NULL), CUZK_OK);
    assert_int_equal(map.length, 4); /* what was written */
    cuzk_file_map_close(&map);
    empty_folder();
}

static void test_make_directory__makes_the_whole_path(void **state)
{
    char path[128], parent[128];
    struct cuzk_error err;

    (void)state;
    snprintf(parent, sizeof parent, "%s/x", folder);
    snprintf(path, sizeof path, "%s/x/y", folder);
    assert_int_equal(cuzk_file_make_directory(path, &err), CUZK_OK);
    assert_int_equal(cuzk_file_make_directory(path, &err), CUZK_OK);
    rmdir(path);
    rmdir(parent);
    assert_int_equal(cuzk_file_write(in_folder("f"), false, "", 0, &err), CUZK_OK);
    assert_int_equal(cuzk_file_make_directory(in_folder("f"), &err), CUZK_IO);
    assert_int_equal(cuzk_file_make_directory(in_folder("f/g"), &err), CUZK_IO);
    empty_folder();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write__then_map_gives_the_bytes),
        cmocka_unit_test(test_map__reports_what_cannot_be_read),
        cmocka_unit_test(test_guard__what_was_cut_reads_as_zeros),
        cmocka_unit_test(test_map__reads_pipes_up_to_the_limit),
        cmocka_unit_test(test_out__refuses_to_replace),
        cmocka_unit_test(test_out__abandoned_leaves_nothing),
        cmocka_unit_test(test_out_close__commits_what_went_well_alone),
        cmocka_unit_test(test_out__reports_a_full_device),
        cmocka_unit_test(test_out__writes_at_offsets),
        cmocka_unit_test(test_out__takes_room_ahead),
        cmocka_unit_test(test_make_directory__makes_the_whole_path),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
