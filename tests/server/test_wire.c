#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "server/message_maker.h"
#include "server/wire.h"

enum { ROUNDS = 2000, FIELDS_MOST = 12, BLOB_MOST = 3000 };

static struct test_random random;
static struct message_maker maker;

static void open_wire(struct cuzk_protowire *wire)
{
    cuzk_protowire_init(wire, "Message", maker.parts, maker.count);
}

/* ---- what was written is read, however it is cut ---- */

struct expected {
    uint32_t number;
    enum cuzk_protowire_type type;
    uint64_t value, offset;
    uint8_t blob[BLOB_MOST];
};

static struct expected expected[FIELDS_MOST];

static uint64_t any_number(void)
{
    return test_random_u64(&random) >> test_random_below(&random, 64);
}

static void write_field(struct expected *field)
{
    static const enum cuzk_protowire_type types[] = {CUZK_WIRE_VARINT, CUZK_WIRE_FIXED64, CUZK_WIRE_BYTES,
                                                     CUZK_WIRE_FIXED32};
    uint8_t fixed[8];

    field->number = 1 + (uint32_t)test_random_below(&random, (1u << 29) - 1);
    if (test_random_below(&random, 2) == 0)
        field->number = 1 + field->number % 40;
    field->type = types[test_random_below(&random, 4)];
    field->value = any_number();
    field->offset = maker.length;
    switch (field->type) {
    case CUZK_WIRE_VARINT:
        message_number(&maker, field->number, field->value);
        break;
    case CUZK_WIRE_BYTES:
        field->value %= BLOB_MOST + 1;
        test_random_bytes(&random, field->blob, field->value);
        message_bytes(&maker, field->number, field->blob, field->value);
        break;
    default:
        if (field->type == CUZK_WIRE_FIXED32)
            field->value &= UINT32_MAX;
        for (unsigned i = 0; i < 8; i++)
            fixed[i] = (uint8_t)(field->value >> (8 * i));
        message_varint(&maker, (uint64_t)field->number << 3 | field->type);
        message_raw(&maker, fixed, field->type == CUZK_WIRE_FIXED64 ? 8 : 4);
    }
}

static void check_blob(const struct cuzk_protowire_field *field, const struct expected *wanted)
{
    struct cuzk_request_part parts[MESSAGE_PARTS];
    static uint8_t copy[BLOB_MOST];
    size_t used, at = 0;
    struct cuzk_error err;

    assert_int_equal(cuzk_protowire_blob(field, parts, MESSAGE_PARTS, &used, &err), CUZK_OK);
    for (size_t i = 0; i < used; i++) {
        assert_true(parts[i].length > 0);
        assert_memory_equal(parts[i].data, wanted->blob + at, parts[i].length);
        at += parts[i].length;
    }
    assert_int_equal(at, wanted->value);
    cuzk_protowire_copy(field, copy);
    assert_memory_equal(copy, wanted->blob, wanted->value);
    if (used > 0)
        assert_int_equal(cuzk_protowire_blob(field, parts, used - 1, &used, &err), CUZK_MEMORY);
}

static void test_next__reads_what_was_written_however_it_is_cut(void **state)
{
    struct cuzk_protowire wire;
    struct cuzk_protowire_field field;
    struct cuzk_error err;
    bool more;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const size_t n = test_random_below(&random, FIELDS_MOST + 1);

        maker.length = 0;
        for (size_t i = 0; i < n; i++)
            write_field(&expected[i]);
        message_cut(&maker, &random);
        open_wire(&wire);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(cuzk_protowire_next(&wire, &field, &more, &err), CUZK_OK);
            assert_true(more);
            assert_int_equal(field.number, expected[i].number);
            assert_int_equal(field.type, expected[i].type);
            assert_int_equal(field.value, expected[i].value);
            assert_int_equal(field.offset, expected[i].offset);
            if (field.type == CUZK_WIRE_BYTES)
                check_blob(&field, &expected[i]);
        }
        assert_int_equal(cuzk_protowire_next(&wire, &field, &more, &err), CUZK_OK);
        assert_false(more);
    }
}

/* ---- what is wrong is named with its offset ---- */

static void test_next__refuses_malformed_fields(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *message;
    } cases[] = {
        {"\x08", 1, "Message: field 1: the message ends inside a number (offset 1)"},
        {"\x80", 1, "Message: tag: the message ends inside a number (offset 0)"},
        {"\x00\x01", 2, "Message: tag: 0 is no field number (offset 0)"},
        {"\x08\x01\x07\x01", 4, "Message: tag: 0 is no field number (offset 2)"},
        {"\x80\x80\x80\x80\x10\x01", 6, "Message: tag: 536870912 is no field number (offset 0)"},
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11,
         "Message: field 1: a number of more than 64 bits (offset 1)"},
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x01", 12,
         "Message: field 1: a number of more than 64 bits (offset 1)"},
        {"\x09\x01\x02\x03\x04\x05\x06\x07", 8,
         "Message: field 1: the message ends inside a number (offset 1)"},
        {"\x0d\x01\x02\x03", 4, "Message: field 1: the message ends inside a number (offset 1)"},
        {"\x0a\x05"
         "abcd",
         6, "Message: field 1: it says to be 5 bytes long, 4 are left (offset 0)"},
        {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11,
         "Message: field 1: it says to be 18446744073709551615 bytes long, 0 are left (offset 0)"},
        {"\x0b", 1, "Message: field 1: wire type 3 is not used by proto3 (offset 0)"},
        {"\x0c", 1, "Message: field 1: wire type 4 is not used by proto3 (offset 0)"},
        {"\x0e", 1, "Message: field 1: wire type 6 is not used by proto3 (offset 0)"},
        {"\x0f", 1, "Message: field 1: wire type 7 is not used by proto3 (offset 0)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int cutting = 0; cutting < 2; cutting++) {
            struct cuzk_protowire wire;
            struct cuzk_protowire_field field;
            struct cuzk_error err = {0};
            enum cuzk_status status;
            bool more = true;

            maker.length = 0;
            message_raw(&maker, cases[i].bytes, cases[i].length);
            if (cutting == 0)
                message_whole(&maker);
            else
                message_cut(&maker, &random);
            open_wire(&wire);
            do
                status = cuzk_protowire_next(&wire, &field, &more, &err);
            while (status == CUZK_OK && more);
            assert_int_equal(status, CUZK_INPUT);
            assert_string_equal(err.message, cases[i].message);
        }
}

static void test_next__ten_bytes_of_varint_hold_64_bits(void **state)
{
    struct cuzk_protowire wire;
    struct cuzk_protowire_field field;
    struct cuzk_error err;
    bool more;

    (void)state;
    maker.length = 0;
    message_number(&maker, 1, UINT64_MAX);
    assert_int_equal(maker.length, 11);
    message_whole(&maker);
    open_wire(&wire);
    assert_int_equal(cuzk_protowire_next(&wire, &field, &more, &err), CUZK_OK);
    assert_true(field.value == UINT64_MAX);
}

static void test_is_text__takes_utf8_without_zero_bytes_alone(void **state)
{
    static const struct {
        const char *bytes;
        size_t length;
        bool good;
    } cases[] = {
        {"", 0, true},
        {"porep-1000-7", 12, true},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82", 9, true},
        {"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf", 10, true},
        {"a\0b", 3, false},
        {"\x80", 1, false},             /* a continuation alone */
        {"\xc3", 1, false},             /* cut short */
        {"\xe2\x82", 2, false},         /* cut short */
        {"\xc0\x80", 2, false},         /* zero, the long way */
        {"\xc1\xbf", 2, false},         /* too long a form */
        {"\xe0\x9f\xbf", 3, false},     /* too long a form */
        {"\xf0\x8f\xbf\xbf", 4, false}, /* too long a form */
        {"\xed\xa0\x80", 3, false},     /* a surrogate */
        {"\xf4\x90\x80\x80", 4, false}, /* beyond Unicode */
        {"\xf5\x80\x80\x80", 4, false},
        {"\xff", 1, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(cuzk_protowire_is_text(cases[i].bytes, cases[i].length), cases[i].good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next__reads_what_was_written_however_it_is_cut),
        cmocka_unit_test(test_next__refuses_malformed_fields),
        cmocka_unit_test(test_next__ten_bytes_of_varint_hold_64_bits),
        cmocka_unit_test(test_is_text__takes_utf8_without_zero_bytes_alone),
    };

    test_random_init(&random);
    return cmocka_run_group_tests_name("server/wire", tests, NULL, NULL);
}
