#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/waterfall.h"

struct trace_options {
    struct cli_common common;
    const char *svg, *html, *perfetto;
    bool text;
};

enum { TIMELINE_BYTES_MOST = 1 << 28, TITLE_ROOM = 256 };

typedef enum cuzk_status (*draw_function)(const struct cuzk_timeline *timeline, const char *title,
                                          struct cuzk_sink sink, struct cuzk_error *err);

static enum cuzk_status draw_perfetto(const struct cuzk_timeline *timeline, const char *title,
                                      struct cuzk_sink sink, struct cuzk_error *err)
{
    (void)title;
    return cli_waterfall_perfetto(timeline, sink, err);
}

static enum cuzk_status draw_to(const char *path, draw_function draw, const struct cuzk_timeline *timeline,
                                const char *title, struct cuzk_error *err)
{
    struct cuzk_file_out *out;

    if (path == NULL)
        return CUZK_OK;
    CUZK_TRY(cuzk_file_out_open(path, true, &out, err));
    const enum cuzk_status status = draw(timeline, title, cuzk_file_out_sink(out), err);

    if (status != CUZK_OK) {
        cuzk_file_out_abandon(out);
        return status;
    }
    return cuzk_file_out_commit(out, err);
}

static void say_events(struct cli_session *session, const struct cuzk_timeline *timeline)
{
    size_t count;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);

    cli_session_say(session, "%10s %10s  %-12s %-16s %s", "begin ms", "took ms", "lane", "stage",
                    "partition");
    for (size_t i = 0; i < count; i++) {
        char partition[16] = "";

        if (events[i].partition != CUZK_TIMELINE_NO_PARTITION)
            snprintf(partition, sizeof partition, "%" PRId32, events[i].partition);
        cli_session_say(session, "%10.1f %10.1f  %-12s %-16s %s", (double)events[i].begin_ns / 1e6,
                        (double)(events[i].end_ns - events[i].begin_ns) / 1e6, events[i].lane,
                        events[i].stage, partition);
    }
}

static enum cuzk_status answer(struct cli_session *session, const struct trace_options *given,
                               const struct cuzk_timeline *timeline, const char *title,
                               struct cuzk_error *err)
{
    uint64_t end = 0;
    size_t count;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    for (size_t i = 0; i < count; i++)
        if (events[i].end_ns > end)
            end = events[i].end_ns;
    if (json != NULL) {
        cuzk_json_write_member_string(json, "title", title);
        cuzk_json_write_member_u64(json, "events", count);
        cuzk_json_write_member_double(json, "span_ms", (double)end / 1e6, 3);
    }
    if (given->text || (given->svg == NULL && given->html == NULL && given->perfetto == NULL))
        say_events(session, timeline);
    return cli_session_answer_end(session, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct trace_options *given = values;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_timeline *timeline = NULL;
    struct cuzk_file_map map;
    char title[TITLE_ROOM];

    (void)count;
    CUZK_TRY(cuzk_file_map_open(arguments[0], "timeline", TIMELINE_BYTES_MOST, &map, err));
    CUZK_TRY_OUT(
        cuzk_timeline_read(map.path, map.bytes, (size_t)map.length, &timeline, title, sizeof title, err));
    CUZK_TRY_OUT(draw_to(given->svg, cli_waterfall_svg, timeline, title, err));
    CUZK_TRY_OUT(draw_to(given->html, cli_waterfall_html, timeline, title, err));
    CUZK_TRY_OUT(draw_to(given->perfetto, draw_perfetto, timeline, title, err));
    CUZK_TRY_OUT(answer(session, given, timeline, title, err));
out:
    cuzk_timeline_destroy(timeline);
    cuzk_file_map_close(&map);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "svg",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct trace_options, svg),
     .placeholder = "OUT",
     .help = "draw the waterfall as SVG"},
    {.name = "html",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct trace_options, html),
     .placeholder = "OUT",
     .help = "draw it as a page"},
    {.name = "perfetto",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct trace_options, perfetto),
     .placeholder = "OUT",
     .help = "write it as a Chrome trace, which Perfetto opens"},
    {.name = "text",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct trace_options, text),
     .help = "list the events (the default where nothing is drawn)"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_trace = {
    .name = "trace",
    .arguments = "FILE",
    .summary = "draw a recorded timeline as a waterfall",
    .text = "Shows what `--timeline` recorded: which stage ran where and when, and where time was left idle.",
    .example = "cuzk prove porep --c1 c1.json --params-dir test-params --out proof.bin --timeline run.json\n"
               "cuzk trace run.json --svg run.svg",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct trace_options),
    .least = 1,
    .most = 1,
    .run = run,
};
