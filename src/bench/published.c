#include "bench/published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_reader.h"

enum { NUMBER_ROOM = 32 };

static const struct {
    const char *name;
    size_t offset;
    double scale;
} metrics[] = {
    {"per_proof", offsetof(struct cuzk_sim_result, per_proof), 1},
    {"calls_per_proof", offsetof(struct cuzk_sim_result, calls_per_proof), 1},
    {"calls_utilisation", offsetof(struct cuzk_sim_result, calls_utilisation), 100},
    {"gaps", offsetof(struct cuzk_sim_result, gaps), 1},
    {"host_peak", offsetof(struct cuzk_sim_result, host_peak), 1},
    {"synthesis", offsetof(struct cuzk_sim_result, synthesis), 1},
    {"call", offsetof(struct cuzk_sim_result, call), 1},
    {"section", offsetof(struct cuzk_sim_result, section), 1},
};

enum { METRICS = sizeof metrics / sizeof metrics[0] };

static const char *const units[] = {"percent", "points", "none"};

/* ---- reading ---- */

static enum cuzk_status read_positive(struct cuzk_json_document *reader, const char *field, double *out,
                                      struct cuzk_error *err)
{
    struct cuzk_json_slice slice;
    char copy[NUMBER_ROOM];

    CUZK_TRY(cuzk_json_read_number(reader, field, &slice, err));
    if (slice.length < sizeof copy) {
        memcpy(copy, slice.text, slice.length);
        copy[slice.length] = '\0';
        *out = strtod(copy, NULL);
        if (*out >= 0 && *out < 1e9)
            return CUZK_OK;
    }
    return cuzk_json_read_fail(reader, field, err, "expected a number from 0 to 1e9");
}

static enum cuzk_status read_count(struct cuzk_json_document *reader, const char *field, uint32_t *out,
                                   struct cuzk_error *err)
{
    uint64_t value;

    CUZK_TRY(cuzk_json_read_u64(reader, field, &value, err));
    if (value < 1 || value > 10000)
        return cuzk_json_read_fail(reader, field, err, "expected 1 to 10000, found %llu",
                                   (unsigned long long)value);
    *out = (uint32_t)value;
    return CUZK_OK;
}

static enum cuzk_status read_group(struct cuzk_json_document *reader, struct cuzk_published_figures *out,
                                   struct cuzk_error *err)
{
    struct cuzk_published_group *group = &out->groups[out->group_count];
    struct cuzk_json_slice key;
    char unit[16] = "";
    unsigned seen = 0;
    bool more;

    if (out->group_count == CUZK_PUBLISHED_GROUPS)
        return cuzk_json_read_fail(reader, "groups", err, "more than %d", CUZK_PUBLISHED_GROUPS);
    CUZK_TRY(cuzk_json_read_object(reader, "group", err));
    for (;; seen++) {
        CUZK_TRY(cuzk_json_read_member(reader, &key, &more, err));
        if (!more)
            break;
        if (cuzk_json_slice_is(key, "group"))
            CUZK_TRY(cuzk_json_read_text(reader, "group", group->name, sizeof group->name, err));
        else if (cuzk_json_slice_is(key, "meaning"))
            CUZK_TRY(cuzk_json_read_text(reader, "meaning", group->meaning, sizeof group->meaning, err));
        else if (cuzk_json_slice_is(key, "unit"))
            CUZK_TRY(cuzk_json_read_text(reader, "unit", unit, sizeof unit, err));
        else if (cuzk_json_slice_is(key, "each"))
            CUZK_TRY(read_positive(reader, "each", &group->each, err));
        else if (cuzk_json_slice_is(key, "median"))
            CUZK_TRY(read_positive(reader, "median", &group->median, err));
        else
            return cuzk_json_read_fail(reader, "group", err, "unknown field");
    }
    for (unsigned u = 0; u < sizeof units / sizeof units[0] && seen == 5; u++)
        if (strcmp(units[u], unit) == 0) {
            group->unit = (enum cuzk_published_unit)u;
            out->group_count++;
            return CUZK_OK;
        }
    return cuzk_json_read_fail(reader, "group", err,
                               "expected group, meaning, unit (percent, points or "
                               "none), each and median");
}

static enum cuzk_status read_row(struct cuzk_json_document *reader, struct cuzk_published_figures *out,
                                 struct cuzk_error *err)
{
    struct cuzk_published_row *row = &out->rows[out->row_count];
    struct cuzk_json_slice key;
    char group[32] = "";
    unsigned seen = 0;
    bool more;

    if (out->row_count == CUZK_PUBLISHED_ROWS)
        return cuzk_json_read_fail(reader, "rows", err, "more than %d", CUZK_PUBLISHED_ROWS);
    CUZK_TRY(cuzk_json_read_object(reader, "row", err));
    for (;; seen++) {
        CUZK_TRY(cuzk_json_read_member(reader, &key, &more, err));
        if (!more)
            break;
        if (cuzk_json_slice_is(key, "group"))
            CUZK_TRY(cuzk_json_read_text(reader, "group", group, sizeof group, err));
        else if (cuzk_json_slice_is(key, "row"))
            CUZK_TRY(cuzk_json_read_text(reader, "row", row->name, sizeof row->name, err));
        else if (cuzk_json_slice_is(key, "preset"))
            CUZK_TRY(cuzk_json_read_text(reader, "preset", row->preset, sizeof row->preset, err));
        else if (cuzk_json_slice_is(key, "knobs"))
            CUZK_TRY(cuzk_json_read_text(reader, "knobs", row->knobs, sizeof row->knobs, err));
        else if (cuzk_json_slice_is(key, "metric"))
            CUZK_TRY(cuzk_json_read_text(reader, "metric", row->metric, sizeof row->metric, err));
        else if (cuzk_json_slice_is(key, "proofs"))
            CUZK_TRY(read_count(reader, "proofs", &row->proofs, err));
        else if (cuzk_json_slice_is(key, "in_flight"))
            CUZK_TRY(read_count(reader, "in_flight", &row->in_flight, err));
        else if (cuzk_json_slice_is(key, "published"))
            CUZK_TRY(read_positive(reader, "published", &row->published, err));
        else
            return cuzk_json_read_fail(reader, "row", err, "unknown field");
    }
    if (seen != 8 || row->published == 0)
        return cuzk_json_read_fail(reader, "row", err,
                                   "expected group, row, preset, knobs, proofs, in_flight, metric and "
                                   "published");
    for (uint32_t g = 0; g < out->group_count; g++)
        if (strcmp(out->groups[g].name, group) == 0) {
            row->group = g;
            out->row_count++;
            return CUZK_OK;
        }
    return cuzk_json_read_fail(reader, "row", err, "group '%s' is not among the groups before it", group);
}

static enum cuzk_status read_array(struct cuzk_json_document *reader, const char *field,
                                   enum cuzk_status (*read)(struct cuzk_json_document *,
                                                            struct cuzk_published_figures *,
                                                            struct cuzk_error *),
                                   struct cuzk_published_figures *out, struct cuzk_error *err)
{
    bool more;

    CUZK_TRY(cuzk_json_read_array(reader, field, err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_element(reader, &more, err));
        if (!more)
            return CUZK_OK;
        CUZK_TRY(read(reader, out, err));
    }
}

enum cuzk_status cuzk_published_read(const char *what, const void *text, size_t length,
                                     struct cuzk_published_figures *out, struct cuzk_error *err)
{
    struct cuzk_json_document reader;
    struct cuzk_json_slice key;
    char model[64];
    bool more;

    memset(out, 0, sizeof *out);
    cuzk_json_read_init(&reader, what, text, length);
    CUZK_TRY(cuzk_json_read_object(&reader, "figures", err));
    for (;;) {
        CUZK_TRY(cuzk_json_read_member(&reader, &key, &more, err));
        if (!more)
            break;
        if (cuzk_json_slice_is(key, "model"))
            CUZK_TRY(cuzk_json_read_text(&reader, "model", model, sizeof model, err));
        else if (cuzk_json_slice_is(key, "source"))
            CUZK_TRY(cuzk_json_read_text(&reader, "source", out->source, sizeof out->source, err));
        else if (cuzk_json_slice_is(key, "groups"))
            CUZK_TRY(read_array(&reader, "groups", read_group, out, err));
        else if (cuzk_json_slice_is(key, "rows"))
            CUZK_TRY(read_array(&reader, "rows", read_row, out, err));
        else
            return cuzk_json_read_fail(&reader, "figures", err, "unknown field");
    }
    return cuzk_json_read_end(&reader, err);
}

/* ---- comparing ---- */

enum cuzk_status cuzk_published_knobs(const char *preset, const char *changes, struct cuzk_knobs *out,
                                      struct cuzk_error *err)
{
    char change[64];

    CUZK_TRY(cuzk_knobs_preset(preset, out, err));
    while (*(changes += strspn(changes, " ")) != '\0') {
        const size_t length = strcspn(changes, " ");

        if (length >= sizeof change)
            return cuzk_error_set(err, CUZK_ARGUMENT, "knobs: '%s' is too long", changes);
        memcpy(change, changes, length);
        change[length] = '\0';
        CUZK_TRY(cuzk_knobs_set(out, change, err));
        changes += length;
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_bench_simulate(const struct cuzk_machine_model *model, const struct cuzk_knobs *knobs,
                                     uint32_t proofs, uint32_t in_flight, uint32_t seeds,
                                     struct cuzk_sim_result *out, struct cuzk_error *err)
{
    enum { NUMBERS = offsetof(struct cuzk_sim_result, units) / sizeof(double) };
    double sum[NUMBERS] = {0}, one[NUMBERS];

    if (seeds == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "simulation: expected at least one seed");
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        const struct cuzk_sim_load load = {.proofs = proofs, .in_flight = in_flight, .seed = seed};

        CUZK_TRY(cuzk_sim_run(model, knobs, &load, NULL, out, err));
        memcpy(one, out, sizeof one);
        for (size_t i = 0; i < NUMBERS; i++)
            sum[i] += one[i] / seeds;
    }
    memcpy(out, sum, sizeof sum);
    return CUZK_OK;
}

static enum cuzk_status metric_of(const struct cuzk_published_row *row, const struct cuzk_sim_result *result,
                                  double *out, struct cuzk_error *err)
{
    for (size_t i = 0; i < METRICS; i++)
        if (strcmp(metrics[i].name, row->metric) == 0) {
            memcpy(out, (const char *)result + metrics[i].offset, sizeof *out);
            *out *= metrics[i].scale;
            return CUZK_OK;
        }
    return cuzk_error_set(err, CUZK_ARGUMENT, "%s: unknown metric '%s'", row->name, row->metric);
}

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;

    return a < b ? -1 : a > b;
}

static void judge_groups(struct cuzk_published_figures *published)
{
    double errors[CUZK_PUBLISHED_ROWS];

    for (uint32_t g = 0; g < published->group_count; g++) {
        struct cuzk_published_group *group = &published->groups[g];

        group->rows = group->outside = 0;
        for (uint32_t i = 0; i < published->row_count; i++)
            if (published->rows[i].group == g) {
                errors[group->rows++] = fabs(published->rows[i].error);
                group->outside += !published->rows[i].inside;
            }
        qsort(errors, group->rows, sizeof errors[0], ascending);
        group->worst = group->rows > 0 ? errors[group->rows - 1] : 0;
        group->middle = group->rows == 0 ? 0 : (errors[(group->rows - 1) / 2] + errors[group->rows / 2]) / 2;
    }
}

enum cuzk_status cuzk_published_compare(const struct cuzk_machine_model *model, uint32_t seeds,
                                        struct cuzk_published_figures *published, struct cuzk_error *err)
{
    for (uint32_t i = 0; i < published->row_count; i++) {
        struct cuzk_published_row *row = &published->rows[i];
        const struct cuzk_published_group *group = &published->groups[row->group];
        struct cuzk_sim_result result;
        struct cuzk_knobs knobs;
        enum cuzk_status status = cuzk_published_knobs(row->preset, row->knobs, &knobs, err);

        if (status == CUZK_OK)
            status = cuzk_bench_simulate(model, &knobs, row->proofs, row->in_flight, seeds, &result, err);
        if (status != CUZK_OK)
            return cuzk_error_prefix(err, status, "%s", row->name);
        CUZK_TRY(metric_of(row, &result, &row->simulated, err));
        row->error = row->simulated - row->published;
        if (group->unit != CUZK_PUBLISHED_POINTS)
            row->error *= 100 / row->published;
        row->inside = group->unit == CUZK_PUBLISHED_NONE || fabs(row->error) <= group->each;
    }
    judge_groups(published);
    return CUZK_OK;
}
