#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json_reader.h"
#include "server/log_output.h"

#define TIME UINT64_C(1700000000123456789) /* 2023-11-14T22:13:20.123Z */

static const char *format(enum cuzk_log_format how, const char *message, const char *job, uint64_t repeated)
{
    static char text[1024];
    const struct cuzk_log_output_options options = {.level = CUZK_LOG_INFO, .format = how};
    const size_t n = cuzk_log_output_format(&options, CUZK_LOG_WARNING, message, job, repeated, TIME, text,
                                            sizeof text - 1);

    text[n] = '\0';
    return text;
}

static void test_format__both_forms(void **state)
{
    (void)state;
    assert_string_equal(format(CUZK_LOG_LOGFMT, "disk full", NULL, 0),
                        "time=2023-11-14T22:13:20.123Z level=warning msg=\"disk full\"\n");
    assert_string_equal(
        format(CUZK_LOG_LOGFMT, "x", "0123456789abcdef", 7),
        "time=2023-11-14T22:13:20.123Z level=warning job=0123456789abcdef left_out=7 msg=\"x\"\n");
    assert_string_equal(
        format(CUZK_LOG_JSON, "x", "0123456789abcdef", 7),
        "{\"time\":\"2023-11-14T22:13:20.123Z\",\"level\":\"warning\",\"job\":\"0123456789abcdef\","
        "\"left_out\":7,\"message\":\"x\"}\n");
}

static void test_format__nothing_breaks_a_line(void **state)
{
    static const struct {
        const char *message, *escaped;
    } cases[] = {
        {"a\"b\\c", "a\\\"b\\\\c"},
        {"a\nb\r\tc", "a\\nb\\u000d\\tc"},
        {"\x1b[31mred\x7f", "\\u001b[31mred\\u007f"},
        {"\xc2\x9b"
         "31m",
         "\\u009b31m"}, /* the one-character form of that escape */
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\x92",
         "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x94\x92"},
        {"\xff\xc3", "\\ufffd\\ufffd"},
        {"\xc0\xaf", "\\ufffd\\ufffd"},            /* not the shortest form */
        {"\xed\xa0\x80", "\\ufffd\\ufffd\\ufffd"}, /* a surrogate */
        {"\xf4\x90\x80\x80", "\\ufffd\\ufffd\\ufffd\\ufffd"},
        {"\xe2\x82", "\\ufffd\\ufffd"}, /* cut at the end */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int json = 0; json < 2; json++) {
            char expected[128];
            const char *line = format(json ? CUZK_LOG_JSON : CUZK_LOG_LOGFMT, cases[i].message, NULL, 0);

            snprintf(expected, sizeof expected, json ? "\"message\":\"%s\"}\n" : " msg=\"%s\"\n",
                     cases[i].escaped);
            assert_string_equal(line + strlen(line) - strlen(expected), expected);
        }
}

static void test_format__is_cut_and_still_whole(void **state)
{
    const struct cuzk_log_output_options options = {.format = CUZK_LOG_JSON};
    char message[1024], text[301];

    (void)state;
    for (size_t length = 0; length < sizeof message; length++) {
        struct cuzk_json_document document;

        memset(message, length % 3 == 0 ? '"' : length % 3 == 1 ? '\x01' : 'x', length);
        message[length] = '\0';
        const size_t n =
            cuzk_log_output_format(&options, CUZK_LOG_ERROR, message, NULL, 0, TIME, text, sizeof text - 1);

        assert_in_range(n, 10, sizeof text - 1);
        assert_int_equal(text[n - 1], '\n');
        cuzk_json_read_init(&document, "line", text, n);
        assert_int_equal(cuzk_json_read_skip(&document, NULL), CUZK_OK);
        assert_int_equal(cuzk_json_read_end(&document, NULL), CUZK_OK);
    }
}

static void test_log__goes_to_the_descriptor_and_repeats_are_counted(void **state)
{
    struct cuzk_log_output_options options = {
        .level = CUZK_LOG_INFO, .format = CUZK_LOG_LOGFMT, .journal = true, .repeat_ms = 60000};
    struct cuzk_log_output *output;
    char text[4096];
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    options.descriptor = ends[1];
    assert_int_equal(cuzk_log_output_create(&options, &output, NULL), CUZK_OK);
    const struct cuzk_log *log = cuzk_log_output_log(output);

    cuzk_log_line(log, CUZK_LOG_DEBUG, "not wanted");
    cuzk_log_line(log, CUZK_LOG_ERROR, "device %d is lost", 1);
    cuzk_log_line(log, CUZK_LOG_ERROR, "device %d is lost", 2);
    cuzk_log_line(log, CUZK_LOG_WARNING, "device %d is lost", 2);
    cuzk_log_line(log, CUZK_LOG_INFO, "job 0000000000000001: done");
    cuzk_log_line(log, CUZK_LOG_INFO, "job 0000000000000002: done");
    options.level = CUZK_LOG_DEBUG;
    options.format = CUZK_LOG_JSON;
    options.repeat_ms = 1;
    cuzk_log_output_change(output, &options);
    nanosleep(&(struct timespec){0, 3000000}, NULL);
    cuzk_log_line(log, CUZK_LOG_ERROR, "device %d is lost", 3);
    cuzk_log_line(log, CUZK_LOG_DEBUG, "wanted");
    cuzk_log_output_destroy(output);
    close(ends[1]);
    const ssize_t n = read(ends[0], text, sizeof text - 1);

    assert_true(n > 0);
    text[n] = '\0';
    close(ends[0]);
    assert_string_equal(text, "<3>level=error msg=\"device 1 is lost\"\n"
                              "<4>level=warning msg=\"device 2 is lost\"\n"
                              "<6>level=info job=0000000000000001 msg=\"job 0000000000000001: done\"\n"
                              "<6>level=info job=0000000000000002 msg=\"job 0000000000000002: done\"\n"
                              "<3>{\"level\":\"error\",\"left_out\":1,\"message\":\"device 3 is lost\"}\n"
                              "<7>{\"level\":\"debug\",\"message\":\"wanted\"}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format__both_forms),
        cmocka_unit_test(test_format__nothing_breaks_a_line),
        cmocka_unit_test(test_format__is_cut_and_still_whole),
        cmocka_unit_test(test_log__goes_to_the_descriptor_and_repeats_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
