#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "base/json_writer.h"

struct buffer {
    char text[4096];
    size_t used;
    size_t limit;
};

static enum cuzk_status append(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct buffer *buffer = context;

    if (buffer->used + n > buffer->limit)
        return cuzk_error_set(err, CUZK_IO, "buffer is full");
    memcpy(buffer->text + buffer->used, bytes, n);
    buffer->used += n;
    buffer->text[buffer->used] = '\0';
    return CUZK_OK;
}

static void write_sample(struct cuzk_json_writer *json)
{
    static const uint8_t bytes[] = {0, 9, 10, 99, 100, 255};

    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "text", "a\"b\\c\n\t\x01");
    cuzk_json_write_member_u64(json, "max", UINT64_MAX);
    cuzk_json_write_key(json, "min");
    cuzk_json_write_i64(json, INT64_MIN);
    cuzk_json_write_member_double(json, "ms", 1.25, 2);
    cuzk_json_write_member_double(json, "nan", NAN, 2);
    cuzk_json_write_member_bool(json, "yes", true);
    cuzk_json_write_member_string(json, "none", NULL);
    cuzk_json_write_member_hex(json, "hex", bytes, sizeof bytes);
    cuzk_json_write_key(json, "list");
    cuzk_json_write_array_begin(json);
    cuzk_json_write_bytes(json, bytes, sizeof bytes);
    cuzk_json_write_bytes(json, bytes, 0);
    cuzk_json_write_object_begin(json);
    cuzk_json_write_object_end(json);
    cuzk_json_write_array_end(json);
    cuzk_json_write_object_end(json);
}

static const char compact[] =
    "{\"text\":\"a\\\"b\\\\c\\n\\t\\u0001\",\"max\":18446744073709551615,\"min\":-9223372036854775808,"
    "\"ms\":1.25,\"nan\":null,\"yes\":true,\"none\":null,\"hex\":\"00090a6364ff\","
    "\"list\":[[0,9,10,99,100,255],[],{}]}";

static void test_writer__writes_compact_json(void **state)
{
    struct buffer buffer = {.limit = sizeof buffer.text - 1};
    struct cuzk_json_writer json;

    (void)state;
    cuzk_json_write_init(&json, (struct cuzk_sink){append, &buffer}, false, NULL);
    write_sample(&json);
    assert_int_equal(cuzk_json_write_finish(&json), CUZK_OK);
    assert_string_equal(buffer.text, compact);
}

static void test_writer__indents(void **state)
{
    struct buffer buffer = {.limit = sizeof buffer.text - 1};
    struct cuzk_json_writer json;

    (void)state;
    cuzk_json_write_init(&json, (struct cuzk_sink){append, &buffer}, true, NULL);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_key(&json, "a");
    cuzk_json_write_array_begin(&json);
    cuzk_json_write_u64(&json, 1);
    cuzk_json_write_u64(&json, 2);
    cuzk_json_write_array_end(&json);
    cuzk_json_write_object_end(&json);
    assert_int_equal(cuzk_json_write_finish(&json), CUZK_OK);
    assert_string_equal(buffer.text, "{\n  \"a\": [\n    1,\n    2\n  ]\n}");
}

static void test_writer__keeps_the_first_failure(void **state)
{
    struct buffer buffer = {.limit = 10};
    struct cuzk_error err = {0};
    struct cuzk_json_writer json;

    (void)state;
    cuzk_json_write_init(&json, (struct cuzk_sink){append, &buffer}, false, &err);
    write_sample(&json);
    assert_int_equal(cuzk_json_write_finish(&json), CUZK_IO);
    assert_string_equal(err.message, "buffer is full");
    buffer = (struct buffer){.limit = 100};
    cuzk_json_write_init(&json, (struct cuzk_sink){append, &buffer}, false, &err);
    cuzk_json_write_object_begin(&json);
    assert_int_equal(cuzk_json_write_finish(&json), CUZK_INTERNAL);
    cuzk_json_write_init(&json, (struct cuzk_sink){append, &buffer}, false, &err);
    cuzk_json_write_array_end(&json);
    assert_int_equal(cuzk_json_write_finish(&json), CUZK_INTERNAL);
}

static void reader_on(struct cuzk_json_document *reader, const char *text)
{
    cuzk_json_read_init(reader, "x.json", text, strlen(text));
}

static void test_reader__reads_what_the_writer_wrote(void **state)
{
    struct cuzk_json_document reader;
    struct cuzk_json_slice key, slice;
    uint64_t number;
    uint8_t bytes[6];
    bool more, flag;

    (void)state;
    reader_on(&reader, compact);
    assert_int_equal(cuzk_json_read_object(&reader, "top", NULL), CUZK_OK);
    for (int i = 0; i < 9; i++) {
        assert_int_equal(cuzk_json_read_member(&reader, &key, &more, NULL), CUZK_OK);
        assert_true(more);
        if (cuzk_json_slice_is(key, "text")) {
            assert_int_equal(cuzk_json_read_string(&reader, "text", &slice, NULL), CUZK_OK);
            assert_true(slice.escaped);
        } else if (cuzk_json_slice_is(key, "max")) {
            assert_int_equal(cuzk_json_read_u64(&reader, "max", &number, NULL), CUZK_OK);
            assert_true(number == UINT64_MAX);
        } else if (cuzk_json_slice_is(key, "yes")) {
            assert_int_equal(cuzk_json_read_bool(&reader, "yes", &flag, NULL), CUZK_OK);
            assert_true(flag);
        } else if (cuzk_json_slice_is(key, "hex")) {
            assert_int_equal(cuzk_json_read_hex(&reader, "hex", bytes, 6, NULL), CUZK_OK);
            assert_int_equal(bytes[5], 255);
        } else {
            assert_int_equal(cuzk_json_read_skip(&reader, NULL), CUZK_OK);
        }
    }
    assert_int_equal(cuzk_json_read_member(&reader, &key, &more, NULL), CUZK_OK);
    assert_false(more);
    assert_int_equal(cuzk_json_read_end(&reader, NULL), CUZK_OK);
}

static void test_reader__refuses_what_is_not_json(void **state)
{
    static const char *const bad[] = {
        "",         "{",    "}",     "[1,]", "[1 2]",     "[,1]", "{\"a\"}", "{\"a\":}",  "{\"a\":1,}",
        "{a:1}",    "[01]", "[1.]",  "[-]",  "[1e]",      "nul",  "truth",   "\"abc",     "\"a\\",
        "[\"\n\"]", "[+1]", "1 2",   "[1]]", "{\"a\":1]", "[1}",  "\x80",    "[\"a\":1]", "{1:2}",
        "fals",     "[.5]", "[0x1]", "--1",  "[nan]",     "'a'",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct cuzk_json_document reader;
        struct cuzk_error err = {0};

        reader_on(&reader, bad[i]);
        enum cuzk_status status = cuzk_json_read_skip(&reader, &err);
        if (status == CUZK_OK)
            status = cuzk_json_read_end(&reader, &err);
        if (status != CUZK_INPUT)
            fail_msg("'%s' was accepted", bad[i]);
        assert_non_null(strstr(err.message, "x.json: "));
        assert_non_null(strstr(err.message, "offset"));
    }
}

static void test_reader__accepts_json(void **state)
{
    static const char *const good[] = {
        "null", " [ ] ",  "{ }", "-0.5e+10",           "[1,[2,[3,{\"a\":[]}]],\"\\u0041\"]",
        "\"\"", "true\n", "0",   "{\"a\":{\"b\":{}}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        struct cuzk_json_document reader;

        reader_on(&reader, good[i]);
        assert_int_equal(cuzk_json_read_skip(&reader, NULL), CUZK_OK);
        assert_int_equal(cuzk_json_read_end(&reader, NULL), CUZK_OK);
    }
}

static void test_reader__bounds_nesting_and_numbers(void **state)
{
    struct cuzk_json_document reader;
    struct cuzk_error err;
    char text[300];
    uint64_t number;

    (void)state;
    memset(text, '[', 200);
    memset(text + 200, ']', 99);
    text[299] = '\0';
    reader_on(&reader, text);
    assert_int_equal(cuzk_json_read_skip(&reader, &err), CUZK_INPUT);
    assert_string_equal(err.message, "x.json: value: nested more than 64 deep (offset 64)");
    reader_on(&reader, " 18446744073709551616");
    assert_int_equal(cuzk_json_read_u64(&reader, "n", &number, &err), CUZK_INPUT);
    assert_string_equal(
        err.message, "x.json: n: expected a whole number below 2^64, found 18446744073709551616 (offset 1)");
    reader_on(&reader, "-1");
    assert_int_equal(cuzk_json_read_u64(&reader, "n", &number, &err), CUZK_INPUT);
    reader_on(&reader, "1.0");
    assert_int_equal(cuzk_json_read_u64(&reader, "n", &number, &err), CUZK_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writer__writes_compact_json),
        cmocka_unit_test(test_writer__indents),
        cmocka_unit_test(test_writer__keeps_the_first_failure),
        cmocka_unit_test(test_reader__reads_what_the_writer_wrote),
        cmocka_unit_test(test_reader__refuses_what_is_not_json),
        cmocka_unit_test(test_reader__accepts_json),
        cmocka_unit_test(test_reader__bounds_nesting_and_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
