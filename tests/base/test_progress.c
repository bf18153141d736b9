#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "base/progress.h"

struct heard {
    char text[2048];
    uint64_t done, total;
    bool stop;
};

static void report(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct heard *heard = context;

    strcpy(heard->text, stage);
    heard->done = done;
    heard->total = total;
}

static bool cancelled(void *context)
{
    return ((struct heard *)context)->stop;
}

static void test_progress__reaches_the_listener(void **state)
{
    struct heard heard = {0};
    const struct cuzk_progress progress = {report, cancelled, &heard};
    struct cuzk_error err;

    (void)state;
    cuzk_progress_report(&progress, "points of h", 3, 10);
    assert_string_equal(heard.text, "points of h");
    assert_int_equal(heard.done, 3);
    assert_int_equal(heard.total, 10);
    assert_int_equal(cuzk_progress_check(&progress, &err), CUZK_OK);
    heard.stop = true;
    assert_int_equal(cuzk_progress_check(&progress, &err), CUZK_CANCELLED);
    cuzk_progress_report(NULL, "nobody", 0, 0);
    assert_int_equal(cuzk_progress_check(NULL, &err), CUZK_OK);
    const struct cuzk_progress deaf = {0};
    cuzk_progress_report(&deaf, "nobody", 0, 0);
    assert_int_equal(cuzk_progress_check(&deaf, &err), CUZK_OK);
}

static void line(void *context, enum cuzk_log_level level, const char *message)
{
    struct heard *heard = context;

    heard->done = level;
    strcpy(heard->text, message);
}

static void test_log__filters_by_level(void **state)
{
    struct heard heard = {0};
    const struct cuzk_log log = {CUZK_LOG_WARNING, line, &heard};

    (void)state;
    cuzk_log_line(&log, CUZK_LOG_INFO, "hidden");
    assert_string_equal(heard.text, "");
    cuzk_log_line(&log, CUZK_LOG_WARNING, "member %s skipped", "x");
    assert_string_equal(heard.text, "member x skipped");
    assert_int_equal(heard.done, CUZK_LOG_WARNING);
    cuzk_log_line(&log, CUZK_LOG_ERROR, "%02000d", 1);
    assert_int_equal(strlen(heard.text), 1023);
    cuzk_log_line(NULL, CUZK_LOG_ERROR, "nobody");
    assert_string_equal(cuzk_log_level_name(CUZK_LOG_DEBUG), "debug");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress__reaches_the_listener),
        cmocka_unit_test(test_log__filters_by_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
