#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

static void test_alloc__is_aligned_and_zeroed(void **state)
{
    static const size_t sizes[] = {
        0, 1, 63, 64, 65, 4096, ((size_t)2 << 20) - 64, (size_t)2 << 20, (size_t)5 << 20};

    (void)state;
    const size_t before = cuzk_mem_in_use();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *block;

        assert_int_equal(CUZK_NEW(&block, sizes[i], "block", NULL), CUZK_OK);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(block[k], 0);
        memset(block, 0xa5, sizes[i]);
        assert_true(cuzk_mem_in_use() >= before + sizes[i]);
        assert_true(cuzk_mem_peak() >= cuzk_mem_in_use());
        cuzk_mem_free(block);
    }
    assert_int_equal(cuzk_mem_in_use(), before);
    cuzk_mem_free(NULL);
    cuzk_mem_free_wiped(NULL);
}

static void test_alloc__refuses_overflow_and_absurd_sizes(void **state)
{
    struct cuzk_error err;
    void *block = &err;

    (void)state;
    assert_int_equal(cuzk_mem_alloc(SIZE_MAX / 2, 3, "overflow", &block, &err), CUZK_MEMORY);
    assert_null(block);
    assert_non_null(strstr(err.message, "overflow"));
    assert_int_equal(cuzk_mem_alloc(SIZE_MAX - 10, 1, "everything", &block, &err), CUZK_MEMORY);
    assert_null(block);
    assert_int_equal(cuzk_mem_alloc((size_t)1 << 62, 1, "too much", &block, &err), CUZK_MEMORY);
    assert_null(block);
}

static void test_fail_after__fails_the_chosen_allocation(void **state)
{
    void *block;

    (void)state;
    cuzk_mem_fail_after(1, 0);
    assert_int_equal(cuzk_mem_alloc(1, 1, "first", &block, NULL), CUZK_OK);
    cuzk_mem_free(block);
    assert_int_equal(cuzk_mem_alloc(1, 1, "second", &block, NULL), CUZK_MEMORY);
    assert_int_equal(cuzk_mem_alloc(1, 1, "third", &block, NULL), CUZK_OK);
    cuzk_mem_free(block);
    cuzk_mem_fail_after(0, 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cuzk_mem_alloc(1, 1, "persistent", &block, NULL), CUZK_MEMORY);
    cuzk_mem_fail_after(SIZE_MAX, 0);
    assert_int_equal(cuzk_mem_alloc(1, 1, "off again", &block, NULL), CUZK_OK);
    cuzk_mem_free_wiped(block);
}

static void test_grow__keeps_what_is_used_and_doubles(void **state)
{
    const size_t before = cuzk_mem_in_use();
    uint64_t *items = NULL;
    size_t room = 0, rooms = 0;

    (void)state;
    for (size_t n = 0; n < 5000; n++) {
        const size_t old = room;

        assert_int_equal(CUZK_GROW(&items, n + 1, n, &room, "numbers", NULL), CUZK_OK);
        assert_true(room > n);
        if (room != old)
            rooms++;
        items[n] = n;
    }
    assert_in_range(rooms, 2, 5);
    for (size_t n = 0; n < 5000; n++)
        assert_int_equal(items[n], n);
    assert_int_equal(CUZK_GROW(&items, 1000000, 0, &room, "numbers", NULL), CUZK_OK);
    assert_in_range(room, 1000000, 2000000);
    cuzk_mem_free(items);
    assert_int_equal(cuzk_mem_in_use(), before);
}

static void test_grow__changes_nothing_where_it_fails(void **state)
{
    struct cuzk_error err = {0};
    uint8_t *items = NULL;
    size_t room = 0;

    (void)state;
    assert_int_equal(CUZK_GROW(&items, 1, 0, &room, "bytes", NULL), CUZK_OK);
    uint8_t *const old = items;
    const size_t old_room = room;

    items[0] = 7;
    cuzk_mem_fail_after(0, 0);
    assert_int_equal(CUZK_GROW(&items, room + 1, 1, &room, "bytes", &err), CUZK_MEMORY);
    cuzk_mem_fail_after(SIZE_MAX, 0);
    assert_non_null(strstr(err.message, "bytes"));
    assert_int_equal(CUZK_GROW(&items, SIZE_MAX, 1, &room, "bytes", NULL), CUZK_MEMORY);
    assert_ptr_equal(items, old);
    assert_int_equal(room, old_room);
    assert_int_equal(items[0], 7);
    cuzk_mem_free(items);
}

static void test_wipe__clears(void **state)
{
    uint8_t secret[33];

    (void)state;
    memset(secret, 7, sizeof secret);
    cuzk_mem_wipe(secret, 32);
    for (int i = 0; i < 32; i++)
        assert_int_equal(secret[i], 0);
    assert_int_equal(secret[32], 7);
}

#ifdef __has_feature
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

static size_t resident(void)
{
    unsigned long size, pages;
    FILE *file = fopen("/proc/self/statm", "r");

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu %lu", &size, &pages), 2);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void test_trim__returns_what_lies_below_a_block_in_use(void **state)
{
    enum { BLOCKS = 4096, BYTES = 8192, HALF = BLOCKS * BYTES / 2 };
    static void *block[BLOCKS];
    void *last;

    (void)state;
    if (SANITIZED) /* malloc is another */
        skip();
    for (size_t i = 0; i < BLOCKS; i++)
        assert_int_equal(cuzk_mem_alloc(1, BYTES, "block", &block[i], NULL), CUZK_OK);
    assert_int_equal(cuzk_mem_alloc(1, BYTES, "last block", &last, NULL), CUZK_OK);
    for (size_t i = 0; i < BLOCKS; i++)
        cuzk_mem_free(block[i]);
    const size_t before = resident();

    cuzk_mem_trim();
    assert_true(resident() + HALF < before);
    cuzk_mem_free(last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc__is_aligned_and_zeroed),
        cmocka_unit_test(test_alloc__refuses_overflow_and_absurd_sizes),
        cmocka_unit_test(test_fail_after__fails_the_chosen_allocation),
        cmocka_unit_test(test_grow__keeps_what_is_used_and_doubles),
        cmocka_unit_test(test_grow__changes_nothing_where_it_fails),
        cmocka_unit_test(test_wipe__clears),
        cmocka_unit_test(test_trim__returns_what_lies_below_a_block_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
