#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <pthread.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine.h"
#include "engine/event_log.h"

static struct cuzk_event_log *open_log(size_t room)
{
    struct cuzk_event_log *log;
    struct cuzk_error err;

    if (cuzk_event_log_create(room, &log, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    return log;
}

static struct cuzk_engine_event span(enum cuzk_sched_stage stage, uint64_t begin_ns, uint64_t end_ns)
{
    struct cuzk_engine_event event = {.type = CUZK_EVENT_TYPE_STAGE,
                                      .begin_ns = begin_ns,
                                      .end_ns = end_ns,
                                      .job = 7,
                                      .partition = 3,
                                      .kind = CUZK_PROOF_KIND_POREP,
                                      .stage = stage};

    memcpy(event.lane, "gpu0", 5);
    return event;
}

static void test_read__gaps_show_what_was_missed(void **state)
{
    struct cuzk_event_log *log = open_log(4);
    struct cuzk_engine_event out[8];

    (void)state;
    assert_int_equal(cuzk_event_log_read(log, 0, out, 8), 0);
    for (uint64_t i = 1; i <= 6; i++) {
        const struct cuzk_engine_event event = span(CUZK_STAGE_MSM, i, 10 * i);

        cuzk_event_log_add(log, &event);
    }
    assert_int_equal(cuzk_event_log_read(log, 0, out, 8), 4);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(out[i].number, i + 3);
        assert_int_equal(out[i].begin_ns, i + 3);
    }
    assert_int_equal(cuzk_event_log_read(log, 4, out, 8), 2);
    assert_int_equal(out[0].number, 5);
    assert_int_equal(cuzk_event_log_read(log, 4, out, 1), 1);
    assert_int_equal(cuzk_event_log_read(log, 6, out, 8), 0);
    assert_int_equal(cuzk_event_log_read(log, 99, out, 8), 0);
    cuzk_event_log_destroy(log);
}

static void test_totals__counts_and_buckets(void **state)
{
    struct cuzk_event_log *log = open_log(2);
    struct cuzk_event_totals totals;
    struct cuzk_engine_event event = span(CUZK_STAGE_MSM, 0, 1000000);

    (void)state;
    cuzk_event_log_add(log, &event); /* exactly 1 ms: bucket 0 */
    event.end_ns = 1000001;
    cuzk_event_log_add(log, &event); /* bucket 1 */
    event.end_ns = UINT64_C(1) << 62;
    cuzk_event_log_add(log, &event); /* the last bucket */
    event.type = CUZK_EVENT_TYPE_FAILED;
    event.begin_ns = 0;
    event.end_ns = 3000000;
    cuzk_event_log_add(log, &event);
    cuzk_event_log_totals(log, &totals);
    assert_int_equal(totals.count[CUZK_EVENT_TYPE_STAGE], 3);
    assert_int_equal(totals.count[CUZK_EVENT_TYPE_FAILED], 1);
    assert_int_equal(totals.stage_count[CUZK_STAGE_MSM], 3);
    assert_int_equal(totals.stage_bucket[CUZK_STAGE_MSM][0], 1);
    assert_int_equal(totals.stage_bucket[CUZK_STAGE_MSM][1], 1);
    assert_int_equal(totals.stage_bucket[CUZK_STAGE_MSM][CUZK_EVENT_BUCKETS - 1], 1);
    assert_int_equal(totals.job_count[CUZK_PROOF_KIND_POREP], 1);
    assert_int_equal(totals.job_ns[CUZK_PROOF_KIND_POREP], 3000000);
    assert_int_equal(totals.job_bucket[CUZK_PROOF_KIND_POREP][2], 1); /* at most 4 ms */
    cuzk_event_log_destroy(log);
}

static void *add_one(void *log)
{
    const struct cuzk_engine_event event = span(CUZK_STAGE_WITNESS, 1, 2);

    cuzk_event_log_add(log, &event);
    return NULL;
}

static void test_wait__ends_with_an_event_or_in_time(void **state)
{
    struct cuzk_event_log *log = open_log(4);
    pthread_t thread;
    uint64_t begin = cuzk_clock_ns();

    (void)state;
    cuzk_event_log_wait(log, 0, 30);
    assert_true(cuzk_clock_ns() - begin >= 30000000);
    assert_int_equal(pthread_create(&thread, NULL, add_one, log), 0);
    begin = cuzk_clock_ns();
    cuzk_event_log_wait(log, 0, 60000);
    assert_true(cuzk_clock_ns() - begin < UINT64_C(30000000000));
    assert_int_equal(pthread_join(thread, NULL), 0);
    cuzk_event_log_destroy(log);
}

static void note_number(void *context, const struct cuzk_engine_event *event)
{
    *(uint64_t *)context = event->number;
}

static void test_listen__hears_every_event(void **state)
{
    struct cuzk_event_log *log = open_log(1);
    uint64_t heard = 0;

    (void)state;
    cuzk_event_log_listen(log, note_number, &heard);
    add_one(log);
    add_one(log);
    assert_int_equal(heard, 2);
    cuzk_event_log_listen(log, NULL, NULL);
    add_one(log);
    assert_int_equal(heard, 2);
    cuzk_event_log_destroy(log);
}

static void test_line__is_the_references(void **state)
{
    struct cuzk_engine_event event = span(CUZK_STAGE_HOST_MSM, 5000000, 12500000);
    char text[160];

    (void)state;
    cuzk_engine_event_line(&event, 1000000, text, sizeof text);
    assert_string_equal(text, "TIMELINE,11,HOST_MSM,0000000000000007,lane=gpu0 partition=3 ms=7.500");
    event = (struct cuzk_engine_event){
        .type = CUZK_EVENT_TYPE_DEVICE_LOST, .partition = CUZK_TIMELINE_NO_PARTITION, .lane = "gpu1"};
    cuzk_engine_event_line(&event, 1000000, text, sizeof text);
    assert_string_equal(text, "TIMELINE,0,DEVICE_LOST,-,lane=gpu1");
}

static void test_job_id__there_and_back(void **state)
{
    char text[CUZK_JOB_ID_TEXT];

    (void)state;
    cuzk_job_id_format(UINT64_C(0x123456789abcdef0), text);
    assert_string_equal(text, "123456789abcdef0");
    assert_int_equal(cuzk_job_id_parse(text), UINT64_C(0x123456789abcdef0));
    assert_int_equal(cuzk_job_id_parse(""), 0);
    assert_int_equal(cuzk_job_id_parse("123456789abcdef"), 0);
    assert_int_equal(cuzk_job_id_parse("123456789abcdef00"), 0);
    assert_int_equal(cuzk_job_id_parse("123456789ABCDEF0"), 0);
}

static void test_create__fails_as_a_value(void **state)
{
    struct cuzk_event_log *log;
    struct cuzk_error err;

    (void)state;
    assert_int_equal(cuzk_event_log_create(0, &log, &err), CUZK_ARGUMENT);
    for (size_t n = 0; n < 2; n++) {
        cuzk_mem_fail_after(n, 0);
        assert_int_equal(cuzk_event_log_create(4, &log, &err), CUZK_MEMORY);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_null(log);
    }
    cuzk_event_log_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read__gaps_show_what_was_missed),
        cmocka_unit_test(test_totals__counts_and_buckets),
        cmocka_unit_test(test_wait__ends_with_an_event_or_in_time),
        cmocka_unit_test(test_listen__hears_every_event),
        cmocka_unit_test(test_line__is_the_references),
        cmocka_unit_test(test_job_id__there_and_back),
        cmocka_unit_test(test_create__fails_as_a_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
