#include "cli/waterfall.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/markup.h"
#include "base/mem.h"
#include "bench/emit.h"

enum {
    PICTURE_WIDTH = 1000,
    LABEL_WIDTH = 86,
    RIGHT_WIDTH = 132,
    CHART_WIDTH = PICTURE_WIDTH - LABEL_WIDTH - RIGHT_WIDTH,
    TOP = 56,
    ROW = 30,
    BAR = 22,
    LEGEND_COLUMN = 226,
    LEGEND_ROW = 20,
    ROWS_MOST = 256,
    STAGES_MOST = 32,
    TEXT_LEAST = 7, /* pixels a letter of a bar's label takes */
};

/* Light enough for dark letters on them, neighbours far apart in hue. */
static const char *const colours[] = {"#56b4e9", "#f2c14e", "#66c2a5", "#e7a3c8", "#9ecae1", "#fdae6b",
                                      "#c7c94e", "#bdbdbd", "#8da0cb", "#fc8d62", "#a6d854", "#e5c494",
                                      "#b3b3ff", "#ffd92f", "#7fcdbb", "#d9a5e8"};

enum { COLOURS = sizeof colours / sizeof colours[0] };

struct row {
    const char *lane;
    uint64_t end_ns;  /* of the last span put in it */
    uint64_t busy_ns; /* of its spans, which do not overlap */
};

struct stage {
    const char *name;
    uint64_t total_ns;
    size_t count;
};

struct picture {
    const struct cuzk_timeline_event *events; /* by begin */
    struct cuzk_timeline_event *sorted;
    size_t count;
    unsigned *row_of;
    struct row rows[ROWS_MOST];
    unsigned row_count;
    struct stage stages[STAGES_MOST];
    unsigned stage_count;
    uint64_t start_ns, span_ns;
    struct cuzk_bench_emit out;
};

/* ---- laying out ---- */

static int by_begin(const void *one, const void *other)
{
    const struct cuzk_timeline_event *a = one, *b = other;

    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return a->end_ns < b->end_ns ? -1 : a->end_ns > b->end_ns;
}

/* The first row of the event's lane that is free when it begins; a new one where none is. */
static unsigned place(struct picture *picture, const struct cuzk_timeline_event *event)
{
    unsigned row;

    for (row = 0; row < picture->row_count; row++)
        if (strcmp(picture->rows[row].lane, event->lane) == 0 && picture->rows[row].end_ns <= event->begin_ns)
            break;
    if (row == ROWS_MOST)
        row = ROWS_MOST - 1; /* more at once than anybody could read: drawn over each other */
    if (row == picture->row_count) {
        picture->rows[row] = (struct row){.lane = event->lane};
        picture->row_count++;
    }
    picture->rows[row].end_ns = event->end_ns;
    picture->rows[row].busy_ns += event->end_ns - event->begin_ns;
    return row;
}

static unsigned stage_of(struct picture *picture, const char *name)
{
    unsigned k;

    for (k = 0; k < picture->stage_count; k++)
        if (strcmp(picture->stages[k].name, name) == 0)
            return k;
    if (k == STAGES_MOST)
        return STAGES_MOST - 1;
    picture->stages[k] = (struct stage){.name = name};
    picture->stage_count++;
    return k;
}

/* Devices first, then what synthesises, then the rest; each by name and number. */
static unsigned rank_of(const char *lane)
{
    return strncmp(lane, "witness", 7) == 0 || strncmp(lane, "synthesis", 9) == 0 ? 1
           : strncmp(lane, "host", 4) == 0 || strncmp(lane, "release", 7) == 0    ? 2
                                                                                  : 0;
}

static bool lies_before(const char *one, const char *other)
{
    const unsigned a = rank_of(one), b = rank_of(other);

    return a != b ? a < b : strverscmp(one, other) < 0;
}

/* Rows by lane; those of one lane keep their order. The bars follow. */
static void order_rows(struct picture *picture)
{
    struct row sorted[ROWS_MOST];
    unsigned place[ROWS_MOST];

    for (unsigned k = 0; k < picture->row_count; k++) {
        place[k] = 0;
        for (unsigned i = 0; i < picture->row_count; i++)
            place[k] += lies_before(picture->rows[i].lane, picture->rows[k].lane) ||
                        (i < k && strcmp(picture->rows[i].lane, picture->rows[k].lane) == 0);
    }
    for (unsigned k = 0; k < picture->row_count; k++)
        sorted[place[k]] = picture->rows[k];
    memcpy(picture->rows, sorted, picture->row_count * sizeof *sorted);
    for (size_t i = 0; i < picture->count; i++)
        if (!picture->events[i].mark)
            picture->row_of[i] = place[picture->row_of[i]];
}

static enum cuzk_status lay_out(const struct cuzk_timeline *timeline, struct picture *picture,
                                struct cuzk_error *err)
{
    uint64_t end = 0;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &picture->count);

    CUZK_TRY(CUZK_NEW(&picture->sorted, picture->count, "events", err));
    CUZK_TRY(CUZK_NEW(&picture->row_of, picture->count, "rows", err));
    if (picture->count > 0)
        memcpy(picture->sorted, events, picture->count * sizeof *events);
    qsort(picture->sorted, picture->count, sizeof *events, by_begin);
    picture->events = picture->sorted;
    for (size_t i = 0; i < picture->count; i++) {
        const struct cuzk_timeline_event *event = &picture->events[i];

        if (event->end_ns > end)
            end = event->end_ns;
        if (event->mark)
            continue;
        const unsigned stage = stage_of(picture, event->stage);

        picture->row_of[i] = place(picture, event);
        picture->stages[stage].total_ns += event->end_ns - event->begin_ns;
        picture->stages[stage].count++;
    }
    order_rows(picture);
    picture->start_ns = picture->count > 0 ? picture->events[0].begin_ns : 0;
    picture->span_ns = end > picture->start_ns ? end - picture->start_ns : 1;
    return CUZK_OK;
}

/* ---- drawing ---- */

static double x_of(const struct picture *picture, uint64_t ns)
{
    return LABEL_WIDTH + (double)(ns - picture->start_ns) * CHART_WIDTH / (double)picture->span_ns;
}

/* A step of the axis: 1, 2 or 5 times a power of ten, about eight in the picture. */
static double axis_step(double seconds)
{
    static const double factors[] = {1, 2, 5, 10};
    double power = 1e-9;

    while (power * 10 * 8 < seconds)
        power *= 10;
    for (int i = 0; i < 4; i++)
        if (factors[i] * power * 9 >= seconds)
            return factors[i] * power;
    return 10 * power;
}

static void draw_axis(struct picture *picture, int bottom)
{
    const double seconds = (double)picture->span_ns / 1e9, step = axis_step(seconds);
    const int decimals = step >= 1 ? 0 : step >= 0.1 ? 1 : step >= 0.01 ? 2 : 3;

    for (int k = 0; k * step <= seconds; k++) {
        const double x = LABEL_WIDTH + k * step * CHART_WIDTH / seconds;

        cuzk_bench_emit(&picture->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
                        x, TOP - 6, x, bottom);
        cuzk_bench_emit(&picture->out,
                        "<text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.*f s</text>\n", x,
                        TOP - 11, decimals, k * step);
    }
}

/* What went wrong is seen from afar; other moments are left to the text. */
static void draw_mark(struct picture *picture, const struct cuzk_timeline_event *event)
{
    const double x = x_of(picture, event->end_ns);
    char stage[160];

    if (strcmp(event->stage, "failed") == 0 || strcmp(event->stage, "retried") == 0 ||
        strcmp(event->stage, "device lost") == 0)
        cuzk_bench_emit(&picture->out,
                        "<line class=\"mark\" x1=\"%.2f\" y1=\"%d\" x2=\"%.2f\" y2=\"%d\"><title>%s, job "
                        "%016" PRIx64 "</title></line>\n",
                        x, TOP - 6, x, TOP + (int)picture->row_count * ROW,
                        cuzk_markup_escape(event->stage, stage, sizeof stage), event->job);
}

static void draw_bars(struct picture *picture)
{
    char stage[160], partition[32], job[40];

    for (size_t i = 0; i < picture->count; i++) {
        const struct cuzk_timeline_event *event = &picture->events[i];

        if (event->mark) {
            draw_mark(picture, event);
            continue;
        }
        const double x = x_of(picture, event->begin_ns), width = x_of(picture, event->end_ns) - x;
        const int y = TOP + (int)picture->row_of[i] * ROW + (ROW - BAR) / 2;
        const char *colour = colours[stage_of(picture, event->stage) % COLOURS];

        cuzk_markup_escape(event->stage, stage, sizeof stage);
        partition[0] = '\0';
        if (event->partition != CUZK_TIMELINE_NO_PARTITION)
            snprintf(partition, sizeof partition, ", partition %" PRId32, event->partition);
        job[0] = '\0';
        if (event->job != 0)
            snprintf(job, sizeof job, ", job %016" PRIx64, event->job);
        cuzk_bench_emit(&picture->out,
                        "<g class=\"b\"><title>%s%s%s: %.1f ms</title><rect x=\"%.5f\" y=\"%d\" "
                        "width=\"%.5f\" height=\"%d\" data-w=\"%.5f\" "
                        "fill=\"%s\" "
                        "rx=\"2\"/>",
                        stage, partition, job, (double)(event->end_ns - event->begin_ns) / 1e6, x, y,
                        width < 0.5 ? 0.5 : width, BAR, width, colour);
        if (width > (double)(TEXT_LEAST * strlen(event->stage)) + 8)
            cuzk_bench_emit(&picture->out,
                            "<text class=\"in\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                            x + width / 2, y + BAR - 7, stage);
        cuzk_bench_emit(&picture->out, "</g>\n");
    }
}

static void draw_rows(struct picture *picture)
{
    char lane[160];

    for (unsigned k = 0; k < picture->row_count; k++) {
        const struct row *row = &picture->rows[k];
        const int y = TOP + (int)k * ROW + ROW / 2 + 4;
        const double idle =
            (double)(picture->span_ns - (row->busy_ns < picture->span_ns ? row->busy_ns : picture->span_ns));

        cuzk_bench_emit(&picture->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>",
                        LABEL_WIDTH - 8, y, cuzk_markup_escape(row->lane, lane, sizeof lane));
        cuzk_bench_emit(
            &picture->out, "<text class=\"small\" x=\"%d\" y=\"%d\">idle %.2f s (%.0f%%)</text>\n",
            PICTURE_WIDTH - RIGHT_WIDTH + 8, y, idle / 1e9, 100 * idle / (double)picture->span_ns);
    }
}

static void draw_legend(struct picture *picture, int top)
{
    const unsigned columns = PICTURE_WIDTH / LEGEND_COLUMN;
    char name[160];

    for (unsigned k = 0; k < picture->stage_count; k++) {
        const int x = LABEL_WIDTH + (int)(k % columns) * LEGEND_COLUMN,
                  y = top + (int)(k / columns) * LEGEND_ROW;

        cuzk_bench_emit(&picture->out,
                        "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\" rx=\"2\"/>", x, y,
                        colours[k % COLOURS]);
        cuzk_bench_emit(&picture->out, "<text class=\"small\" x=\"%d\" y=\"%d\">%s: %.3f s</text>\n", x + 18,
                        y + 10, cuzk_markup_escape(picture->stages[k].name, name, sizeof name),
                        (double)picture->stages[k].total_ns / 1e9);
    }
}

static void draw(struct picture *picture, const char *title)
{
    const unsigned columns = PICTURE_WIDTH / LEGEND_COLUMN;
    const int bottom = TOP + (int)picture->row_count * ROW;
    const int height = bottom + 20 + (int)((picture->stage_count + columns - 1) / columns) * LEGEND_ROW + 8;
    char escaped[512];

    cuzk_bench_emit(
        &picture->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
        "data-seconds=\"%.9f\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n"
        "<style>text{fill:#333}.small{font-size:11px}.in{font-size:11px;fill:#222}.grid{stroke:#ccc;stroke-"
        "width:1}.mark{stroke:#b3261e;stroke-width:1.5}"
        "</style>\n"
        "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
        PICTURE_WIDTH, height, PICTURE_WIDTH, height, (double)picture->span_ns / 1e9, PICTURE_WIDTH, height);
    cuzk_bench_emit(
        &picture->out, "<text x=\"%d\" y=\"22\" font-size=\"15\" font-weight=\"600\">%s: %.2f s</text>\n",
        LABEL_WIDTH, cuzk_markup_escape(title, escaped, sizeof escaped), (double)picture->span_ns / 1e9);
    draw_axis(picture, bottom);
    draw_rows(picture);
    draw_bars(picture);
    draw_legend(picture, bottom + 20);
    cuzk_bench_emit(&picture->out, "</svg>\n");
}

/* Draws between two texts. */
static enum cuzk_status make(const struct cuzk_timeline *timeline, const char *title,
                             const unsigned char *before, size_t before_length, const unsigned char *after,
                             size_t after_length, struct cuzk_sink sink, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct picture *picture;

    CUZK_TRY(CUZK_NEW(&picture, 1, "waterfall", err));
    picture->out = (struct cuzk_bench_emit){.sink = sink, .err = err};
    CUZK_TRY_OUT(lay_out(timeline, picture, err));
    if (before_length > 0)
        CUZK_TRY_OUT(sink.write(sink.context, before, before_length, err));
    draw(picture, title);
    CUZK_TRY_OUT(picture->out.status);
    if (after_length > 0)
        status = sink.write(sink.context, after, after_length, err);
out:
    cuzk_mem_free(picture->sorted);
    cuzk_mem_free(picture->row_of);
    cuzk_mem_free(picture);
    return status;
}

enum cuzk_status cli_waterfall_svg(const struct cuzk_timeline *timeline, const char *title,
                                   struct cuzk_sink sink, struct cuzk_error *err)
{
    return make(timeline, title, NULL, 0, NULL, 0, sink, err);
}

/* web/trace.html, made into bytes when this is built. */
extern const unsigned char cli_trace_page[];
extern const unsigned long cli_trace_page_length;

enum cuzk_status cli_waterfall_html(const struct cuzk_timeline *timeline, const char *title,
                                    struct cuzk_sink sink, struct cuzk_error *err)
{
    static const char place[] = "{{picture}}";
    const unsigned char *const end = cli_trace_page + cli_trace_page_length;
    const unsigned char *const found = memmem(cli_trace_page, cli_trace_page_length, place, sizeof place - 1);

    if (found == NULL)
        return cuzk_error_set(err, CUZK_INTERNAL, "the page has no place for the picture");
    const unsigned char *const after = found + sizeof place - 1;

    return make(timeline, title, cli_trace_page, (size_t)(found - cli_trace_page), after,
                (size_t)(end - after), sink, err);
}

/* A stage is a complete event on its row, a moment an instant of the process. */
static void write_trace_event(const struct picture *picture, size_t i, struct cuzk_json_writer *json)
{
    const struct cuzk_timeline_event *event = &picture->events[i];
    char job[24];

    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "name", event->stage);
    cuzk_json_write_member_string(json, "ph", event->mark ? "i" : "X");
    cuzk_json_write_member_u64(json, "pid", 1);
    cuzk_json_write_member_u64(json, "tid", event->mark ? 0 : picture->row_of[i] + 1);
    cuzk_json_write_member_double(json, "ts", (double)(event->begin_ns - picture->start_ns) / 1e3, 3);
    if (event->mark)
        cuzk_json_write_member_string(json, "s", "p");
    else
        cuzk_json_write_member_double(json, "dur", (double)(event->end_ns - event->begin_ns) / 1e3, 3);
    cuzk_json_write_key(json, "args");
    cuzk_json_write_object_begin(json);
    if (event->partition != CUZK_TIMELINE_NO_PARTITION)
        cuzk_json_write_member_u64(json, "partition", (uint64_t)event->partition);
    if (event->job != 0) {
        snprintf(job, sizeof job, "%016" PRIx64, event->job);
        cuzk_json_write_member_string(json, "job", job);
    }
    if (event->kernels_ns != 0)
        cuzk_json_write_member_double(json, "kernels_ms", (double)event->kernels_ns / 1e6, 3);
    if (event->transfer_ns != 0)
        cuzk_json_write_member_double(json, "transfer_ms", (double)event->transfer_ns / 1e6, 3);
    cuzk_json_write_object_end(json);
    cuzk_json_write_object_end(json);
}

enum cuzk_status cli_waterfall_perfetto(const struct cuzk_timeline *timeline, struct cuzk_sink sink,
                                        struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_json_writer json;
    struct picture *picture;

    CUZK_TRY(CUZK_NEW(&picture, 1, "trace", err));
    CUZK_TRY_OUT(lay_out(timeline, picture, err));
    cuzk_json_write_init(&json, sink, false, err);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_member_string(&json, "displayTimeUnit", "ms");
    cuzk_json_write_key(&json, "traceEvents");
    cuzk_json_write_array_begin(&json);
    for (unsigned k = 0; k < picture->row_count; k++) {
        cuzk_json_write_object_begin(&json);
        cuzk_json_write_member_string(&json, "name", "thread_name");
        cuzk_json_write_member_string(&json, "ph", "M");
        cuzk_json_write_member_u64(&json, "pid", 1);
        cuzk_json_write_member_u64(&json, "tid", k + 1);
        cuzk_json_write_key(&json, "args");
        cuzk_json_write_object_begin(&json);
        cuzk_json_write_member_string(&json, "name", picture->rows[k].lane);
        cuzk_json_write_object_end(&json);
        cuzk_json_write_object_end(&json);
    }
    for (size_t i = 0; i < picture->count; i++)
        write_trace_event(picture, i, &json);
    cuzk_json_write_array_end(&json);
    cuzk_json_write_object_end(&json);
    status = cuzk_json_write_finish(&json);
out:
    cuzk_mem_free(picture->sorted);
    cuzk_mem_free(picture->row_of);
    cuzk_mem_free(picture);
    return status;
}
