#include "bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

const struct cuzk_bench_rule cuzk_bench_default = {
    .warm_up = 1, .least = 5, .most = CUZK_BENCH_SAMPLES, .budget_ns = UINT64_C(1000000000)};

static int compare(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return a < b ? -1 : a > b;
}

static void summarise(struct cuzk_bench_result *result, uint64_t cpu_ns)
{
    uint64_t sorted[CUZK_BENCH_SAMPLES];
    const unsigned n = result->count;

    memcpy(sorted, result->samples_ns, n * sizeof sorted[0]);
    qsort(sorted, n, sizeof sorted[0], compare);
    result->least_ns = sorted[0];
    result->most_ns = sorted[n - 1];
    result->median_ns = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
    result->cpu_ns = cpu_ns / n;
}

enum cuzk_status cuzk_bench_measure(const struct cuzk_bench_case *what, const struct cuzk_bench_rule *rule,
                                    const struct cuzk_progress *progress, struct cuzk_bench_result *out,
                                    struct cuzk_error *err)
{
    const unsigned most = rule->most < CUZK_BENCH_SAMPLES ? rule->most : CUZK_BENCH_SAMPLES;
    const unsigned least = rule->least > 0 ? rule->least : 1;

    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", what->name);
    out->unit = what->unit;
    out->units = what->units;
    for (unsigned i = 0; i < rule->warm_up; i++)
        CUZK_TRY(what->run(what->context, err));
    const uint64_t start = cuzk_clock_ns(), cpu_start = cuzk_clock_cpu_ns();

    while (out->count < least || (out->count < most && cuzk_clock_ns() - start < rule->budget_ns)) {
        CUZK_TRY(cuzk_progress_check(progress, err));
        cuzk_progress_report(progress, what->name, out->count, least);
        const uint64_t begin = cuzk_clock_ns();

        CUZK_TRY(what->run(what->context, err));
        out->samples_ns[out->count++] = cuzk_clock_ns() - begin;
        if (out->count == CUZK_BENCH_SAMPLES)
            break;
    }
    summarise(out, cuzk_clock_cpu_ns() - cpu_start);
    return CUZK_OK;
}

void cuzk_bench_of_samples(const char *name, const char *unit, uint64_t units, const uint64_t *samples_ns,
                           unsigned count, struct cuzk_bench_result *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", name);
    out->unit = unit;
    out->units = units;
    out->count = count;
    memcpy(out->samples_ns, samples_ns, count * sizeof *samples_ns);
    summarise(out, 0);
}

double cuzk_bench_unit_ns(const struct cuzk_bench_result *result)
{
    return result->units > 0 ? (double)result->median_ns / (double)result->units : 0;
}

double cuzk_bench_rate(const struct cuzk_bench_result *result)
{
    return result->median_ns > 0 ? 1e9 * (double)result->units / (double)result->median_ns : 0;
}

void cuzk_bench_write(const struct cuzk_bench_result *result, struct cuzk_json_writer *json)
{
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "name", result->name);
    cuzk_json_write_member_string(json, "unit", result->unit);
    cuzk_json_write_member_u64(json, "units", result->units);
    cuzk_json_write_key(json, "samples_ns");
    cuzk_json_write_array_begin(json);
    for (unsigned i = 0; i < result->count; i++)
        cuzk_json_write_u64(json, result->samples_ns[i]);
    cuzk_json_write_array_end(json);
    cuzk_json_write_member_u64(json, "median_ns", result->median_ns);
    cuzk_json_write_member_u64(json, "least_ns", result->least_ns);
    cuzk_json_write_member_u64(json, "most_ns", result->most_ns);
    cuzk_json_write_member_u64(json, "cpu_ns", result->cpu_ns);
    cuzk_json_write_member_double(json, "unit_ns", cuzk_bench_unit_ns(result), 3);
    cuzk_json_write_member_double(json, "per_second", cuzk_bench_rate(result), 1);
    cuzk_json_write_object_end(json);
}
