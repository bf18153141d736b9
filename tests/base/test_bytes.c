#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"

static void test_readers__read_both_byte_orders(void **state)
{
    static const uint8_t data[] = {1, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8};
    struct cuzk_bytes bytes;
    uint8_t u8;
    uint32_t u32;
    uint64_t u64;

    (void)state;
    cuzk_bytes_init(&bytes, "data", data, sizeof data);
    assert_int_equal(cuzk_bytes_u8(&bytes, "a", &u8, NULL), CUZK_OK);
    assert_int_equal(u8, 1);
    assert_int_equal(cuzk_bytes_u32le(&bytes, "b", &u32, NULL), CUZK_OK);
    assert_int_equal(u32, 0x04030201);
    assert_int_equal(cuzk_bytes_u32be(&bytes, "c", &u32, NULL), CUZK_OK);
    assert_int_equal(u32, 0x01020304);
    assert_int_equal(cuzk_bytes_u64le(&bytes, "d", &u64, NULL), CUZK_OK);
    assert_true(u64 == UINT64_C(0x0807060504030201));
    assert_int_equal(cuzk_bytes_end(&bytes, NULL), CUZK_OK);
    assert_true(cuzk_load_u64be(data + 9) == UINT64_C(0x0102030405060708));
}

static void test_take__says_where_what_is_missing(void **state)
{
    static const uint8_t data[10];
    struct cuzk_bytes bytes;
    struct cuzk_error err;
    const uint8_t *slice;

    (void)state;
    cuzk_bytes_init(&bytes, "x.params", data, sizeof data);
    assert_int_equal(cuzk_bytes_take(&bytes, "alpha", 4, &slice, &err), CUZK_OK);
    assert_ptr_equal(slice, data);
    assert_int_equal(cuzk_bytes_take(&bytes, "beta", 7, &slice, &err), CUZK_INPUT);
    assert_string_equal(err.message, "x.params: beta: expected 7 bytes, found 6 (offset 4)");
    assert_int_equal(bytes.position, 4);
    assert_int_equal(cuzk_bytes_take(&bytes, "huge", UINT64_MAX, &slice, &err), CUZK_INPUT);
    assert_int_equal(cuzk_bytes_take_array(&bytes, "ic", UINT64_MAX / 2, 96, &slice, &err), CUZK_INPUT);
    assert_int_equal(cuzk_bytes_take_array(&bytes, "ic", 3, 2, &slice, &err), CUZK_OK);
    assert_int_equal(cuzk_bytes_end(&bytes, &err), CUZK_OK);
    assert_int_equal(cuzk_bytes_take_array(&bytes, "ic", 1, 1, &slice, &err), CUZK_INPUT);
}

static void test_expect__names_the_first_wrong_byte(void **state)
{
    static const uint8_t data[] = {'r', '1', 'c', 'x', 0};
    struct cuzk_bytes bytes;
    struct cuzk_error err;

    (void)state;
    cuzk_bytes_init(&bytes, "c.r1cs", data, sizeof data);
    assert_int_equal(cuzk_bytes_expect(&bytes, "magic", "r1cs", 4, &err), CUZK_INPUT);
    assert_string_equal(err.message, "c.r1cs: magic: expected byte 0x73, found 0x78 (offset 3)");
    assert_int_equal(cuzk_bytes_end(&bytes, &err), CUZK_INPUT);
    assert_string_equal(err.message, "c.r1cs: end: expected no more bytes, found 1 (offset 4)");
}

static void test_store__is_the_inverse_of_load(void **state)
{
    uint8_t room[8];

    (void)state;
    cuzk_store_u32le(0x01020304, room);
    assert_int_equal(cuzk_load_u32le(room), 0x01020304);
    assert_int_equal(room[0], 4);
    cuzk_store_u32be(0x01020304, room);
    assert_int_equal(cuzk_load_u32be(room), 0x01020304);
    assert_int_equal(room[0], 1);
    cuzk_store_u64le(UINT64_C(0x0102030405060708), room);
    assert_int_equal(room[0], 8);
    assert_true(cuzk_load_u64le(room) == UINT64_C(0x0102030405060708));
    cuzk_store_u64be(UINT64_C(0x0102030405060708), room);
    assert_int_equal(room[0], 1);
    assert_true(cuzk_load_u64be(room) == UINT64_C(0x0102030405060708));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers__read_both_byte_orders),
        cmocka_unit_test(test_take__says_where_what_is_missing),
        cmocka_unit_test(test_expect__names_the_first_wrong_byte),
        cmocka_unit_test(test_store__is_the_inverse_of_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
