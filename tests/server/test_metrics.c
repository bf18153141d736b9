#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/mem.h"
#include "server/engine_facts.h"
#include "server/metrics.h"
#include "server/prometheus.h"

/* To be freed by cuzk_mem_free. */
static char *metrics_at(uint64_t n)
{
    struct cuzk_engine_status status;
    struct cuzk_event_totals totals;
    struct cuzk_buffer text = {0};

    engine_facts_status(n, &status);
    engine_facts_totals(n, &totals);
    assert_int_equal(cuzk_metrics_write(&status, &totals, cuzk_buffer_sink(&text), NULL), CUZK_OK);
    return cuzk_buffer_text(&text);
}

static void assert_value(const char *text, const char *sample, double value)
{
    const double found = prometheus_value(text, sample);

    if (found != value)
        fail_msg("%s: expected %g, found %g", sample, value, found);
}

static void test_write__is_what_prometheus_reads(void **state)
{
    char why[512];
    char *text = metrics_at(3);

    (void)state;
    if (!prometheus_check(text, why, sizeof why))
        fail_msg("%s", why);
    cuzk_mem_free(text);
}

static void test_write__says_what_the_engine_says(void **state)
{
    char *text = metrics_at(2);

    (void)state;
    assert_value(text, "cuzk_jobs_total{kind=\"porep_c2\",outcome=\"completed\"}", 201);
    assert_value(text, "cuzk_jobs_total{kind=\"winning_post\",outcome=\"cancelled\"}", 4);
    assert_value(text, "cuzk_jobs_pending{kind=\"window_post\"}", 9);
    assert_value(text, "cuzk_priority_jobs_running{priority=\"critical\"}", 3);
    assert_value(text, "cuzk_device_busy_seconds_total{device=\"0\"}", 3);
    assert_value(text, "cuzk_device_up{device=\"1\"}", 0);
    assert_value(
        text, "cuzk_device_info{device=\"1\",id=\"dev:1\",backend=\"null\",name=\"Card \\\"1\\\" <b>\\\\\"}",
        1);
    assert_value(text, "cuzk_key_bytes{circuit=\"porep-32g\",tier=\"hot\"}", 47.0 * (1 << 30));
    assert_value(text, "cuzk_host_memory_budget_bytes", 256.0 * (1 << 30));
    assert_value(text, "cuzk_stage_duration_seconds_bucket{stage=\"host_msm\",le=\"0.001\"}", 2);
    assert_value(text, "cuzk_stage_duration_seconds_bucket{stage=\"host_msm\",le=\"0.256\"}", 2);
    assert_value(text, "cuzk_stage_duration_seconds_bucket{stage=\"host_msm\",le=\"0.512\"}", 4);
    assert_value(text, "cuzk_stage_duration_seconds_bucket{stage=\"host_msm\",le=\"4194.304\"}", 4);
    assert_value(text, "cuzk_stage_duration_seconds_bucket{stage=\"host_msm\",le=\"+Inf\"}", 6);
    assert_value(text, "cuzk_job_duration_seconds_count{kind=\"porep_c2\"}", 4);
    assert_value(text, "cuzk_job_duration_seconds_sum{kind=\"porep_c2\"}", 120);
    assert_value(text, "cuzk_preset_info{preset=\"phase-12\"}", 1);
    assert_value(text, "cuzk_uptime_seconds", 61.502);
    assert_true(prometheus_value(text, "process_resident_memory_bytes") > 4096);
    assert_true(prometheus_value(text, "process_open_fds") >= 3);
    assert_true(prometheus_value(text, "process_threads") >= 1);
    assert_true(prometheus_value(text, "process_start_time_seconds") > 1.6e9);
    cuzk_mem_free(text);
}

static void test_write__counters_never_fall(void **state)
{
    char why[512];
    char *before = metrics_at(2), *after = metrics_at(5);

    (void)state;
    if (!prometheus_monotonic(before, after, why, sizeof why))
        fail_msg("%s", why);
    assert_false(prometheus_monotonic(after, before, why, sizeof why));
    cuzk_mem_free(before);
    cuzk_mem_free(after);
}

static enum cuzk_status refuse(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    (void)context, (void)bytes, (void)n;
    return cuzk_error_set(err, CUZK_IO, "full");
}

static void test_write__hands_on_what_the_sink_says(void **state)
{
    struct cuzk_engine_status status;
    struct cuzk_event_totals totals;
    struct cuzk_error err;

    (void)state;
    engine_facts_status(1, &status);
    engine_facts_totals(1, &totals);
    assert_int_equal(cuzk_metrics_write(&status, &totals, (struct cuzk_sink){refuse, NULL}, &err), CUZK_IO);
    assert_string_equal(err.message, "full");
}

/* The manual has every family, word for word, and no other. */
static void test_family__is_in_the_manual(void **state)
{
    const struct cuzk_metrics_family *family;
    FILE *file = fopen(CUZK_SOURCE_DIR "/docs/observability.md", "r");
    static char manual[1 << 17];
    size_t rows = 0, families = 0;

    (void)state;
    assert_non_null(file);
    manual[fread(manual, 1, sizeof manual - 1, file)] = '\0';
    fclose(file);
    for (; (family = cuzk_metrics_family(families)) != NULL; families++) {
        char row[512];

        snprintf(row, sizeof row, "\n| `%s` | %s | %s | %s |\n", family->name, family->type, family->labels,
                 family->help);
        if (strstr(manual, row) == NULL)
            fail_msg("docs/observability.md lacks the row:%s", row);
    }
    for (const char *at = manual; (at = strstr(at, "\n| `")) != NULL; at += 4)
        rows += strncmp(at + 4, "cuzk_", 5) == 0 || strncmp(at + 4, "process_", 8) == 0;
    assert_int_equal(rows, families);
}

/* The checker itself must be able to fail. */
static void test_check__refuses_what_is_malformed(void **state)
{
    static const char *const bad[] = {
        "",
        "a_total 1\n",
        "# HELP a_total x.\na_total 1\n",
        "# HELP a_total x.\n# TYPE a_total counter\na_total 1",
        "# HELP a x.\n# TYPE a counter\na 1\n",
        "# HELP a_total x.\n# TYPE a_total gauge\na_total 1\n",
        "# HELP a_total x.\n# TYPE a_total counter\na_total -1\n",
        "# HELP a_total x.\n# TYPE a_total counter\na_total 1\na_total 1\n",
        "# HELP a_total x.\n# TYPE a_total counter\na_total one\n",
        "# HELP a_total x.\n# TYPE a_total counter\na_total  1\n",
        "# HELP a_total x.\n# TYPE a_total counter\na_total{1b=\"c\"} 1\n",
        "# HELP a_total x.\n# TYPE a_total counter\na_total{b=\"c} 1\n",
        "# HELP a_total x.\n# TYPE a_total counter\na_total{b=\"\\x\"} 1\n",
        "# HELP a_total x.\n# TYPE a_total counter\nb_total 1\n",
        "# HELP a x.\n# TYPE a gauge\na 1\n# HELP a x.\n# TYPE a gauge\na{b=\"c\"} 1\n",
        "# HELP h x.\n# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
        "# HELP h x.\n# TYPE h histogram\nh_bucket{le=\"2\"} 1\nh_bucket{le=\"1\"} 2\n",
        "# HELP h x.\n# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\n",
        "# HELP h x.\n# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 3\nh_count 2\n",
    };
    static const char good[] =
        "# HELP h x.\n# TYPE h histogram\nh_bucket{k=\"a\",le=\"1\"} 2\nh_bucket{k=\"a\","
        "le=\"+Inf\"} 3\nh_sum{k=\"a\"} 2.5\nh_count{k=\"a\"} 3\n# HELP g x.\n# TYPE g gauge\ng "
        "-1\n";
    char why[512];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (prometheus_check(bad[i], why, sizeof why))
            fail_msg("case %zu was accepted", i);
    if (!prometheus_check(good, why, sizeof why))
        fail_msg("%s", why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write__is_what_prometheus_reads),
        cmocka_unit_test(test_write__says_what_the_engine_says),
        cmocka_unit_test(test_write__counters_never_fall),
        cmocka_unit_test(test_write__hands_on_what_the_sink_says),
        cmocka_unit_test(test_family__is_in_the_manual),
        cmocka_unit_test(test_check__refuses_what_is_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
