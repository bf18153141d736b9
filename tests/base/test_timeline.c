#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/timeline.h"

static void *record(void *timeline)
{
    for (int i = 0; i < 250; i++)
        cuzk_timeline_add(timeline, "pool", "witness", i % 3, cuzk_clock_ns());
    return NULL;
}

static void test_read__gives_back_what_was_written(void **state)
{
    struct cuzk_timeline *timeline, *back;
    struct cuzk_buffer buffer = {0};
    pthread_t threads[4];
    size_t count, back_count;
    char title[16];

    (void)state;
    assert_int_equal(cuzk_timeline_create(&timeline, NULL), CUZK_OK);
    const uint64_t begin = cuzk_clock_ns();
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, record, timeline);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cuzk_timeline_add(timeline, "device", "a name that is longer than the room for it",
                      CUZK_TIMELINE_NO_PARTITION, begin);
    cuzk_timeline_add_event(timeline, &(struct cuzk_timeline_event){.lane = "gpu0",
                                                                    .stage = "msm",
                                                                    .partition = 4,
                                                                    .begin_ns = begin,
                                                                    .end_ns = begin + 9,
                                                                    .job = UINT64_C(0xfedcba9876543210),
                                                                    .kernels_ns = 7,
                                                                    .transfer_ns = 1,
                                                                    .mark = true});
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);
    assert_int_equal(count, 1002);
    assert_int_equal(cuzk_timeline_dropped(timeline), 0);
    assert_int_equal(cuzk_timeline_write(timeline, "a title", cuzk_buffer_sink(&buffer), NULL), CUZK_OK);
    assert_int_equal(cuzk_timeline_read("t", buffer.bytes, buffer.length, &back, title, sizeof title, NULL),
                     CUZK_OK);
    assert_string_equal(title, "a title");
    const struct cuzk_timeline_event *copies = cuzk_timeline_events(back, &back_count);
    assert_int_equal(back_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(copies[i].stage, events[i].stage);
        assert_string_equal(copies[i].lane, events[i].lane);
        assert_int_equal(copies[i].partition, events[i].partition);
        assert_true(copies[i].job == events[i].job && copies[i].mark == events[i].mark);
        assert_true(copies[i].kernels_ns == events[i].kernels_ns);
        assert_true(copies[i].transfer_ns == events[i].transfer_ns);
        assert_true(copies[i].end_ns - copies[i].begin_ns == events[i].end_ns - events[i].begin_ns);
    }
    assert_true(cuzk_timeline_total_ns(back, "witness", 1) == cuzk_timeline_total_ns(timeline, "witness", 1));
    assert_true(cuzk_timeline_total_ns(back, "witness", 7) == 0);
    cuzk_timeline_destroy(back);
    for (size_t n = 0; n < buffer.length; n += 1 + buffer.length / 50) { /* any truncation is an error */
        assert_int_equal(cuzk_timeline_read("t", buffer.bytes, n, &back, NULL, 0, NULL), CUZK_INPUT);
        assert_null(back);
    }
    cuzk_timeline_destroy(timeline);
    cuzk_buffer_clear(&buffer);
}

static void test_add__drops_and_counts_where_memory_is_short(void **state)
{
    struct cuzk_timeline *timeline;
    size_t count;

    (void)state;
    assert_int_equal(cuzk_timeline_create(&timeline, NULL), CUZK_OK);
    cuzk_mem_fail_after(0, 1);
    cuzk_timeline_add(timeline, "l", "s", 0, 0);
    cuzk_mem_fail_after(SIZE_MAX, 0);
    assert_int_equal(cuzk_timeline_dropped(timeline), 1);
    cuzk_timeline_events(timeline, &count);
    assert_int_equal(count, 0);
    cuzk_timeline_destroy(timeline);
    cuzk_timeline_add(NULL, "l", "s", 0, 0);
    cuzk_timeline_destroy(NULL);
}

static void test_read__refuses_events_that_make_no_sense(void **state)
{
    static const char *const bad[] = {
        "{\"events\":[]}",
        "{\"cuzk_timeline\":2,\"events\":[]}",
        "{\"cuzk_timeline\":1,\"events\":[{}]}",
        "{\"cuzk_timeline\":1,\"events\":[{\"lane\":\"a\",\"stage\":\"b\",\"begin_ns\":2,\"end_ns\":1}]}",
        ("{\"cuzk_timeline\":1,\"events\":[{\"lane\":\"a\",\"stage\":\"b\",\"begin_ns\":2,\"end_ns\":2,"
         "\"partition\":4294967296}]}"),
        ("{\"cuzk_timeline\":1,\"events\":[{\"lane\":\"a\",\"stage\":\"b\",\"begin_ns\":2,\"end_ns\":2,"
         "\"job\":\"12\"}]}"),
        "{\"cuzk_timeline\":1,\"events\":{}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct cuzk_timeline *timeline;

        assert_int_equal(cuzk_timeline_read("t", bad[i], strlen(bad[i]), &timeline, NULL, 0, NULL),
                         CUZK_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__gives_back_what_was_written),
        cmocka_unit_test(test_add__drops_and_counts_where_memory_is_short),
        cmocka_unit_test(test_read__refuses_events_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
