#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "server/engine_facts.h"
#include "server/rates.h"
#include "server/recent.h"

static struct cuzk_recent recent;
static struct cuzk_rates rates;

static void add(uint64_t job, enum cuzk_event_type type, uint64_t begin, uint64_t end, const char *reason)
{
    cuzk_recent_add(&recent,
                    &(struct cuzk_engine_event){.type = type,
                                                .job = job,
                                                .begin_ns = begin,
                                                .end_ns = end,
                                                .kind = CUZK_PROOF_KIND_SNAP,
                                                .stage = CUZK_STAGE_VERIFY},
                    reason);
}

static void test_add__follows_a_job_through_its_states(void **state)
{
    struct cuzk_recent_job job[2];

    (void)state;
    cuzk_recent_init(&recent);
    add(7, CUZK_EVENT_TYPE_ACCEPTED, 100, 100, NULL);
    assert_int_equal(cuzk_recent_read(&recent, false, job, 2), 1);
    assert_int_equal(job[0].state, CUZK_JOB_QUEUED);
    add(7, CUZK_EVENT_TYPE_STAGE, 150, 170, NULL);
    add(7, CUZK_EVENT_TYPE_RETRIED, 180, 180, NULL);
    add(7, CUZK_EVENT_TYPE_STAGE, 190, 200, NULL);
    assert_int_equal(cuzk_recent_read(&recent, false, job, 2), 1);
    assert_int_equal(job[0].state, CUZK_JOB_RUNNING);
    assert_int_equal(job[0].kind, CUZK_PROOF_KIND_SNAP);
    add(8, CUZK_EVENT_TYPE_CANCELLED, 40, 60, NULL); /* begun before the events that are known */
    add(7, CUZK_EVENT_TYPE_FAILED, 100, 300, "no luck");
    add(0, CUZK_EVENT_TYPE_DEVICE_LOST, 0, 400, NULL); /* of no job */
    assert_int_equal(cuzk_recent_read(&recent, false, job, 2), 2);
    assert_int_equal(job[0].job, 8);
    assert_int_equal(job[0].accepted_ns, 40);
    assert_int_equal(job[1].state, CUZK_JOB_FAILED);
    assert_int_equal(job[1].accepted_ns, 100);
    assert_int_equal(job[1].started_ns, 150);
    assert_int_equal(job[1].ended_ns, 300);
    assert_int_equal(job[1].partitions_done, 2);
    assert_int_equal(job[1].retries, 1);
    assert_string_equal(job[1].reason, "no luck");
    assert_int_equal(cuzk_recent_read(&recent, true, job, 2), 1);
    assert_int_equal(job[0].job, 7);
    cuzk_recent_destroy(&recent);
}

static void test_add__lets_the_oldest_go(void **state)
{
    struct cuzk_recent_job job[CUZK_RECENT_MOST + 1];

    (void)state;
    cuzk_recent_init(&recent);
    for (uint64_t i = 1; i <= CUZK_RECENT_MOST + 10; i++)
        add(i, CUZK_EVENT_TYPE_ACCEPTED, i, i, NULL);
    assert_int_equal(cuzk_recent_read(&recent, false, job, CUZK_RECENT_MOST + 1), CUZK_RECENT_MOST);
    assert_int_equal(job[0].job, CUZK_RECENT_MOST + 10);
    assert_int_equal(job[CUZK_RECENT_MOST - 1].job, 11);
    cuzk_recent_destroy(&recent);
}

static void test_over__tells_what_changed_in_a_span(void **state)
{
    const uint64_t second = 1000000000, every = CUZK_RATES_EVERY_MS * UINT64_C(1000000);
    struct cuzk_engine_status status;
    struct cuzk_event_totals totals;
    struct cuzk_rates_sample over;

    (void)state;
    cuzk_rates_init(&rates);
    cuzk_rates_over(&rates, 60, &over);
    assert_int_equal(over.at_ns, 0);
    assert_true(cuzk_rates_due(&rates, 5));
    for (uint64_t n = 0; n < 2 * CUZK_RATES_KEPT; n++) { /* each step is one of engine_facts.h */
        engine_facts_status(n, &status);
        engine_facts_totals(n, &totals);
        assert_true(cuzk_rates_due(&rates, second + n * every));
        cuzk_rates_add(&rates, second + n * every, &status, &totals);
        assert_false(cuzk_rates_due(&rates, second + n * every + every - 1));
    }
    cuzk_rates_over(&rates, 60, &over);
    assert_int_equal(over.at_ns, 60 * second);
    const uint64_t steps = 60 * second / every;

    assert_int_equal(over.partitions, 1000 * steps);
    assert_int_equal(over.completed, 4 * 100 * steps);
    assert_int_equal(over.stage_count[CUZK_STAGE_MSM], 3 * steps);
    assert_int_equal(over.stage_ns[CUZK_STAGE_MSM], 700000007 * steps);
    assert_int_equal(over.busy_ns[1], 1500000000 * steps);
    assert_int_equal(over.held_ns[0], 1700000000 * steps);
    cuzk_rates_over(&rates, 100000, &over); /* no more than is kept */
    assert_int_equal(over.at_ns, (CUZK_RATES_KEPT - 1) * every);
    cuzk_rates_destroy(&rates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add__follows_a_job_through_its_states),
        cmocka_unit_test(test_add__lets_the_oldest_go),
        cmocka_unit_test(test_over__tells_what_changed_in_a_span),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
