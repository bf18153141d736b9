#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/mem.h"
#include "engine/request_file.h"
#include "hash/sha256.h"
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

/* ---- digest and key ---- */

static void test_request_digest__is_that_of_the_documented_form(void **state)
{
    /* written by hand from the header's description */
    static const uint8_t form[] = {'c',  'u',  'z', 'k', 'r', 'e', 'q', '1', /* magic */
                                   3,    0,    0,   0,   4,   0,   0,   0,   /* window post, CRITICAL */
                                   7,    0,    0,   0,   2,   0,   0,   0,   /* partition 7, two proofs */
                                   0,    8,    0,   0,   0,   0,   0,   0,   /* 2048 */
                                   5,    0,    0,   0,   0,   0,   0,   0,   /* registered proof */
                                   0x34, 0x12, 0,   0,   0,   0,   0,   0,   /* sector */
                                   0xe8, 3,    0,   0,   0,   0,   0,   0,   /* miner */
                                   1,    0,    0,   0,   0,   0,   0,   0,   /* vanilla_proof */
                                   2,    0,    0,   0,   0,   0,   0,   0,   /* randomness */
                                   0,    0,    0,   0,   0,   0,   0,   0,   /* comm_r_old */
                                   1,    0,    0,   0,   0,   0,   0,   0,   /* comm_r_new */
                                   0,    0,    0,   0,   0,   0,   0,   0,   /* comm_d_new */
                                   3,    0,    0,   0,   0,   0,   0,   0,   /* vanilla_proofs 0 */
                                   0,    0,    0,   0,   0,   0,   0,   0,   /* vanilla_proofs 1 */
                                   'v',  'r',  'R', 'n', 'a', 'b', 'c'};
    const struct cuzk_request_part v = {(const uint8_t *)"v", 1}, r = {(const uint8_t *)"rR", 2},
                                   n = {(const uint8_t *)"n", 1},
                                   abc[] = {{(const uint8_t *)"a", 1}, {NULL, 0}, {(const uint8_t *)"bc", 2}};
    const struct cuzk_request_blob proofs[] = {{abc, 3, 3}, {NULL, 0, 0}};
    const struct cuzk_request request = {
        .request_id = "any",
        .kind = CUZK_PROOF_KIND_WINDOW_POST,
        .sector_size = 2048,
        .registered_proof = 5,
        .has_priority = true,
        .priority = CUZK_PRIORITY_CRITICAL,
        .vanilla_proof = {&v, 1, 1},
        .vanilla_proofs = proofs,
        .vanilla_proof_count = 2,
        .sector_number = 0x1234,
        .miner_id = 1000,
        .randomness = {&r, 1, 2},
        .partition_index = 7,
        .comm_r_new = {&n, 1, 1},
    };
    uint8_t expected[32], digest[32];

    (void)state;
    cuzk_sha256_digest(form, sizeof form, expected);
    cuzk_request_digest(&request, digest);
    assert_memory_equal(digest, expected, 32);
    assert_int_equal(cuzk_request_form_bytes(&request), sizeof form + 32);
}

static void test_request_digest__does_not_depend_on_how_blobs_are_cut(void **state)
{
    struct test_random random;

    (void)state;
    test_random_init(&random);
    for (int i = 0; i < 100; i++) {
        struct request_maker one, other;
        const uint64_t seed = test_random_u64(&random);
        uint8_t a[32], b[32];

        request_maker_make(&one, seed, 1);
        request_maker_make(&other, seed, 2 + i);
        cuzk_request_digest(&one.request, a);
        cuzk_request_digest(&other.request, b);
        assert_memory_equal(a, b, 32);
        request_maker_free(&one);
        request_maker_free(&other);
    }
}

static void test_request_digest__changes_with_every_field_but_the_id(void **state)
{
    struct request_maker maker;
    uint8_t seen[16][32];
    int count = 0;

    (void)state;
    request_maker_make(&maker, 5, 1);
    struct cuzk_request *const request = &maker.request;
    const struct cuzk_request before = *request;
    const struct cuzk_request_part part = {(const uint8_t *)"other", 5};
    const struct cuzk_request_blob blob = {&part, 1, 5};

    cuzk_request_digest(request, seen[count++]);
#define WITH(change)                                                                                         \
    do {                                                                                                     \
        change;                                                                                              \
        cuzk_request_digest(request, seen[count++]);                                                         \
        *request = before;                                                                                   \
    } while (0)
    WITH(request->kind = CUZK_PROOF_KIND_NONE);
    WITH(request->sector_size++);
    WITH(request->registered_proof++);
    WITH(request->has_priority = !request->has_priority);
    WITH(request->sector_number++);
    WITH(request->miner_id++);
    WITH(request->partition_index++);
    WITH(request->vanilla_proof = blob);
    WITH(request->randomness = blob);
    WITH(request->comm_r_old = blob);
    WITH(request->comm_r_new = blob);
    WITH(request->comm_d_new = blob);
    WITH(request->vanilla_proof_count = 0);
#undef WITH
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            assert_memory_not_equal(seen[i], seen[k], 32);
    request->request_id = "another";
    cuzk_request_digest(request, seen[1]);
    assert_memory_equal(seen[0], seen[1], 32);
    request_maker_free(&maker);
}

static void test_request_key__tells_id_and_content_apart(void **state)
{
    const uint8_t a[32] = {1}, b[32] = {2};
    uint8_t one[32], two[32];

    (void)state;
    cuzk_request_key("porep-1000-1", a, one);
    cuzk_request_key("porep-1000-1", a, two);
    assert_memory_equal(one, two, 32);
    cuzk_request_key("porep-1000-1", b, two);
    assert_memory_not_equal(one, two, 32);
    cuzk_request_key("porep-1000-2", a, two);
    assert_memory_not_equal(one, two, 32);
    cuzk_request_key("", a, two);
    assert_memory_not_equal(one, two, 32);
}

/* ---- files ---- */

static void test_write__then_open_gives_the_same_request(void **state)
{
    struct test_random random;

    (void)state;
    test_random_init(&random);
    for (int i = 0; i < 50; i++) {
        struct request_maker maker;
        struct cuzk_request_file file;
        uint8_t digest[32];

        request_maker_make(&maker, test_random_u64(&random), 1 + i % 7);
        cuzk_request_digest(&maker.request, digest);
        assert_int_equal(cuzk_request_file_write(folder, &maker.request, digest, NULL), CUZK_OK);
        assert_int_equal(cuzk_request_file_open(folder, digest, &file, NULL), CUZK_OK);
        request_maker_assert_equal(&file.request, &maker.request);
        cuzk_request_file_close(&file);

        assert_int_equal(cuzk_request_form_copy(&maker.request, digest, &file, NULL), CUZK_OK);
        request_maker_assert_equal(&file.request, &maker.request);
        cuzk_request_file_close(&file);
        assert_int_equal(temporary_count(folder), 1); /* no temporary name stays */
        assert_int_equal(cuzk_request_file_remove(folder, digest, NULL), CUZK_OK);
        assert_int_equal(cuzk_request_file_remove(folder, digest, NULL), CUZK_OK);
        assert_int_equal(cuzk_request_file_open(folder, digest, &file, NULL), CUZK_NOT_FOUND);
        request_maker_free(&maker);
    }
}

static void path_in_folder(const uint8_t digest[32], char path[512])
{
    char hex[65];

    cuzk_hex_encode(digest, 32, hex);
    snprintf(path, 512, "%s/%s", folder, hex);
}

static void test_write__keeps_a_whole_file_and_replaces_a_damaged_one(void **state)
{
    struct request_maker maker;
    struct cuzk_request_file file;
    struct stat first, second;
    uint8_t digest[32];
    char path[512];

    (void)state;
    request_maker_make(&maker, 1, 3);
    cuzk_request_digest(&maker.request, digest);
    path_in_folder(digest, path);
    assert_int_equal(cuzk_request_file_write(folder, &maker.request, digest, NULL), CUZK_OK);
    assert_int_equal(stat(path, &first), 0);
    assert_int_equal(cuzk_request_file_write(folder, &maker.request, digest, NULL), CUZK_OK);
    assert_int_equal(stat(path, &second), 0);
    assert_true(first.st_ino == second.st_ino && first.st_mtim.tv_nsec == second.st_mtim.tv_nsec);

    assert_int_equal(truncate(path, first.st_size - 1), 0);
    assert_int_equal(cuzk_request_file_open(folder, digest, &file, NULL), CUZK_INPUT);
    assert_int_equal(cuzk_request_file_write(folder, &maker.request, digest, NULL), CUZK_OK);
    assert_int_equal(cuzk_request_file_open(folder, digest, &file, NULL), CUZK_OK);
    cuzk_request_file_close(&file);
    request_maker_free(&maker);
    unlink(path);
}

static void test_open__refuses_every_truncation_and_every_flipped_bit(void **state)
{
    struct request_maker maker;
    struct cuzk_request_file file;
    struct cuzk_error err;
    uint8_t digest[32], *bytes;
    size_t length;

    (void)state;
    request_maker_make_sized(&maker, 9, 2, 300);
    cuzk_request_digest(&maker.request, digest);
    assert_int_equal(cuzk_request_form_pack(&maker.request, digest, &bytes, &length, NULL), CUZK_OK);
    for (size_t i = 0; i < length; i++) {
        uint8_t *copy;

        assert_int_equal(CUZK_NEW(&copy, i, "copy", NULL), CUZK_OK);
        memcpy(copy, bytes, i);
        assert_int_equal(cuzk_request_form_open("cut", copy, i, digest, &file, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "cut: "));
        for (int bit = 0; bit < 8; bit++) {
            assert_int_equal(CUZK_NEW(&copy, length, "copy", NULL), CUZK_OK);
            memcpy(copy, bytes, length);
            copy[i] ^= (uint8_t)(1 << bit);
            assert_int_equal(cuzk_request_form_open("flip", copy, length, digest, &file, NULL), CUZK_INPUT);
        }
    }
    cuzk_mem_free(bytes);
    request_maker_free(&maker);
}

/* A form with a right digest but wrong content cannot come from a crash, only from somebody who wrote it. */
static void test_open__names_field_and_offset_of_a_wrong_form(void **state)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *message;
    } cases[] = {
        {0, 'C', "magic"},
        {8, 9, "kind: expected less than 5, found 9 (offset 8)"},
        {12, 5, "priority: expected at most 4, found 5 (offset 12)"},
        {21, 0x11, "number of vanilla_proofs: expected at most 4096"},
        {56, 0xff, "vanilla_proof"},
        {63, 0xff, "vanilla_proof"}, /* a length near 2^64 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct request_maker maker;
        struct cuzk_request_file file;
        struct cuzk_error err;
        uint8_t digest[32], *bytes;
        size_t length;

        request_maker_make_sized(&maker, 9, 2, 100);
        cuzk_request_digest(&maker.request, digest);
        assert_int_equal(cuzk_request_form_pack(&maker.request, digest, &bytes, &length, NULL), CUZK_OK);
        bytes[cases[i].at] = cases[i].value;
        cuzk_sha256_digest(bytes, length - 32, digest);
        memcpy(bytes + length - 32, digest, 32);
        assert_int_equal(cuzk_request_form_open("form", bytes, length, digest, &file, &err), CUZK_INPUT);
        if (strstr(err.message, cases[i].message) == NULL)
            fail_msg("expected \"%s\" in \"%s\"", cases[i].message, err.message);
        request_maker_free(&maker);
    }
}

static void test_write__survives_failing_allocations(void **state)
{
    struct request_maker maker;
    uint8_t digest[32];
    size_t failures = 0;

    (void)state;
    request_maker_make(&maker, 77, 3);
    cuzk_request_digest(&maker.request, digest);
    const size_t before = cuzk_mem_in_use();

    for (size_t n = 0;; n++) {
        struct cuzk_request_file file = {0};

        cuzk_mem_fail_after(n, 0);
        enum cuzk_status status = cuzk_request_file_write(folder, &maker.request, digest, NULL);

        if (status == CUZK_OK)
            status = cuzk_request_file_open(folder, digest, &file, NULL);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        cuzk_request_file_close(&file);
        assert_int_equal(cuzk_mem_in_use(), before);
        cuzk_request_file_remove(folder, digest, NULL);
        assert_int_equal(temporary_count(folder), 0);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
        failures++;
    }
    assert_true(failures >= 3);
    request_maker_free(&maker);
}

static void test_write__leaves_nothing_where_the_file_cannot_grow(void **state)
{
    struct request_maker maker;
    struct rlimit before, limit;
    struct cuzk_error err;
    uint8_t digest[32];

    (void)state;
    request_maker_make_sized(&maker, 3, 5, 1 << 20);
    cuzk_request_digest(&maker.request, digest);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (rlim_t most = 0; most < 1 << 20; most += 200000) {
        limit = (struct rlimit){most, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const enum cuzk_status status = cuzk_request_file_write(folder, &maker.request, digest, &err);

        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, CUZK_IO);
        assert_non_null(strstr(err.message, "File too large"));
        assert_int_equal(temporary_count(folder), 0);
    }
    request_maker_free(&maker);
}

static void test_write__names_a_full_disk(void **state)
{
    struct request_maker maker;
    struct cuzk_request_file file;
    struct cuzk_error err;
    char small[TEMPORARY_BYTES];
    uint8_t digest[32];

    (void)state;
    if (!temporary_mount_small(small, 1 << 20)) {
        print_message("skipped: no tmpfs can be mounted here\n");
        skip();
    }
    for (size_t bytes = 512 << 10; bytes <= 2 << 20; bytes *= 2) {
        request_maker_make_sized(&maker, bytes, 5, bytes);
        cuzk_request_digest(&maker.request, digest);
        const enum cuzk_status status = cuzk_request_file_write(small, &maker.request, digest, &err);

        if (bytes < 1 << 20) {
            assert_int_equal(status, CUZK_OK);
        } else {
            assert_int_equal(status, CUZK_IO);
            assert_non_null(strstr(err.message, "No space left"));
        }
        request_maker_free(&maker);
    }
    assert_int_equal(temporary_count(small), 1); /* what was there is untouched */
    request_maker_make_sized(&maker, 512 << 10, 1, 512 << 10);
    cuzk_request_digest(&maker.request, digest);
    assert_int_equal(cuzk_request_file_open(small, digest, &file, NULL), CUZK_OK);
    cuzk_request_file_close(&file);
    request_maker_free(&maker);
    temporary_unmount(small);
}

static void test_write__names_a_folder_that_is_not_there_or_read_only(void **state)
{
    struct request_maker maker;
    struct cuzk_error err;
    char missing[600], small[TEMPORARY_BYTES];
    uint8_t digest[32];

    (void)state;
    request_maker_make(&maker, 4, 1);
    cuzk_request_digest(&maker.request, digest);
    snprintf(missing, sizeof missing, "%s/none", folder);
    assert_int_equal(cuzk_request_file_write(missing, &maker.request, digest, &err), CUZK_IO);
    assert_non_null(strstr(err.message, "No such file"));
    if (temporary_mount_small(small, 1 << 20)) {
        temporary_make_read_only(small);
        assert_int_equal(cuzk_request_file_write(small, &maker.request, digest, &err), CUZK_IO);
        assert_non_null(strstr(err.message, "Read-only"));
        temporary_unmount(small);
    }
    request_maker_free(&maker);
}

struct many {
    const struct cuzk_request *request;
    const uint8_t *digest;
    enum cuzk_status status;
};

static void *write_it(void *context)
{
    struct many *many = context;

    for (int i = 0; i < 20 && many->status == CUZK_OK; i++)
        many->status = cuzk_request_file_write(folder, many->request, many->digest, NULL);
    return NULL;
}

static void test_write__of_one_content_by_many_threads_gives_one_file(void **state)
{
    struct request_maker maker;
    struct cuzk_request_file file;
    struct many many[4];
    pthread_t threads[4];
    uint8_t digest[32];

    (void)state;
    request_maker_make_sized(&maker, 8, 4, 1 << 18);
    cuzk_request_digest(&maker.request, digest);
    for (int i = 0; i < 4; i++) {
        many[i] = (struct many){&maker.request, digest, CUZK_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, write_it, &many[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(many[i].status, CUZK_OK);
    }
    assert_int_equal(temporary_count(folder), 1);
    assert_int_equal(cuzk_request_file_open(folder, digest, &file, NULL), CUZK_OK);
    cuzk_request_file_close(&file);
    cuzk_request_file_remove(folder, digest, NULL);
    request_maker_free(&maker);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Printed, and held to ten times what is asked for: other tests run beside it. */
static void test_write__of_60_mb_is_fast(void **state)
{
    enum { ROUNDS = 5 };
    struct request_maker maker;
    double hash[ROUNDS], write[ROUNDS];
    uint8_t digest[32];

    (void)state;
    request_maker_make_sized(&maker, 60, 1000, 60000000);
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t start = cuzk_clock_ns();

        cuzk_request_digest(&maker.request, digest);
        const uint64_t hashed = cuzk_clock_ns();

        const size_t before = cuzk_mem_peak();

        assert_int_equal(cuzk_request_file_write(folder, &maker.request, digest, NULL), CUZK_OK);
        assert_true(cuzk_mem_peak() - before < 1 << 20); /* no copy */
        hash[i] = (double)(hashed - start) / 1e6;
        write[i] = (double)(cuzk_clock_ns() - hashed) / 1e6;
        cuzk_request_file_remove(folder, digest, NULL);
    }
    qsort(hash, ROUNDS, sizeof hash[0], by_value);
    qsort(write, ROUNDS, sizeof write[0], by_value);
    print_message("60 MB: digest %.1f ms, durable after %.1f ms more (medians of %d)\n", hash[ROUNDS / 2],
                  write[ROUNDS / 2], ROUNDS);
    assert_true(hash[ROUNDS / 2] + write[ROUNDS / 2] < 1500.0);
    request_maker_free(&maker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request_digest__is_that_of_the_documented_form),
        cmocka_unit_test(test_request_digest__does_not_depend_on_how_blobs_are_cut),
        cmocka_unit_test(test_request_digest__changes_with_every_field_but_the_id),
        cmocka_unit_test(test_request_key__tells_id_and_content_apart),
        cmocka_unit_test(test_write__then_open_gives_the_same_request),
        cmocka_unit_test(test_write__keeps_a_whole_file_and_replaces_a_damaged_one),
        cmocka_unit_test(test_open__refuses_every_truncation_and_every_flipped_bit),
        cmocka_unit_test(test_open__names_field_and_offset_of_a_wrong_form),
        cmocka_unit_test(test_write__survives_failing_allocations),
        cmocka_unit_test(test_write__leaves_nothing_where_the_file_cannot_grow),
        cmocka_unit_test(test_write__names_a_full_disk),
        cmocka_unit_test(test_write__names_a_folder_that_is_not_there_or_read_only),
        cmocka_unit_test(test_write__of_one_content_by_many_threads_gives_one_file),
        cmocka_unit_test(test_write__of_60_mb_is_fast),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
