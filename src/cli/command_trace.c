#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/trace_reference.h"
#include "cli/trace_summary.h"
#include "cli/waterfall.h"

struct trace_options {
    struct cli_common common;
    const char *svg, *html, *perfetto;
    bool text, lines, reference_lines;
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
    return cuzk_file_out_close(draw(timeline, title, cuzk_file_out_sink(out), err), out, err);
}

static void say_events(struct cli_session *session, const struct cuzk_timeline *timeline)
{
    size_t count;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);

    cli_session_say(session, "%10s %10s  %-12s %-16s %9s  %s", "begin ms", "took ms", "lane", "stage",
                    "partition", "job");
    for (size_t i = 0; i < count; i++) {
        char partition[16] = "", job[24] = "";

        if (events[i].partition != CUZK_TIMELINE_NO_PARTITION)
            snprintf(partition, sizeof partition, "%" PRId32, events[i].partition);
        if (events[i].job != 0)
            snprintf(job, sizeof job, "%016" PRIx64, events[i].job);
        cli_session_say(session, "%10.1f %10.1f  %-12s %-16s %9s  %s", (double)events[i].begin_ns / 1e6,
                        (double)(events[i].end_ns - events[i].begin_ns) / 1e6, events[i].lane,
                        events[i].stage, partition, job);
    }
}

static void say_lines(struct cli_session *session, const struct cuzk_timeline *timeline)
{
    size_t count;
    const struct cuzk_timeline_event *events = cuzk_timeline_events(timeline, &count);
    char line[256];

    for (size_t i = 0; i < count; i++) {
        cuzk_timeline_format_line(&events[i], 0, line, sizeof line);
        cli_session_say(session, "%s", line);
    }
}

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void say_summary(struct cli_session *session, const struct cli_trace_summary *summary)
{
    const double span = (double)(summary->end_ns - summary->begin_ns);

    cli_session_say(session, "\n%-24s %8s %10s %8s %10s", "lane", "spans", "busy s", "of span", "kernels s");
    for (unsigned k = 0; k < summary->lanes; k++) {
        const struct cli_trace_lane *lane = &summary->lane[k];

        cli_session_say(session, "%-24s %8zu %10.3f %7.1f%% %10.3f", lane->name, lane->spans,
                        (double)lane->busy_ns / 1e9, share((double)lane->busy_ns, span),
                        (double)lane->kernels_ns / 1e9);
    }
    if (!summary->engine)
        return;
    cli_session_say(session, "\nwhere the device's time went, of %.3f s with a job (%.3f s had none):",
                    (span - (double)summary->idle_ns) / 1e9, (double)summary->idle_ns / 1e9);
    for (int part = 0; part < CUZK_PARTS; part++)
        cli_session_say(session, "  %-22s %6.1f%%", cuzk_sim_part_name((enum cuzk_sim_part)part),
                        share(summary->parts.part[part], summary->parts.per_proof));
    cli_session_say(
        session,
        "between the first section and the last: lock held %.1f%%, kernels %.1f%%; witness workers "
        "%.1f%%",
        100 * summary->parts.device_held, 100 * summary->parts.device_busy,
        100 * summary->parts.synthesis_busy);
}

static void write_summary(struct cuzk_json_writer *json, const struct cli_trace_summary *summary)
{
    cuzk_json_write_member_u64(json, "jobs", summary->jobs);
    cuzk_json_write_member_u64(json, "marks", summary->marks);
    if (summary->engine)
        cuzk_json_write_member_double(json, "idle_ms", (double)summary->idle_ns / 1e6, 3);
    cuzk_json_write_key(json, "lanes");
    cuzk_json_write_array_begin(json);
    for (unsigned k = 0; k < summary->lanes; k++) {
        const struct cli_trace_lane *lane = &summary->lane[k];

        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "lane", lane->name);
        cuzk_json_write_member_u64(json, "spans", lane->spans);
        cuzk_json_write_member_double(json, "busy_ms", (double)lane->busy_ns / 1e6, 3);
        cuzk_json_write_member_double(json, "kernels_ms", (double)lane->kernels_ns / 1e6, 3);
        cuzk_json_write_member_double(json, "transfer_ms", (double)lane->transfer_ns / 1e6, 3);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
    if (!summary->engine)
        return;
    cuzk_json_write_key(json, "device_parts");
    cuzk_json_write_object_begin(json);
    for (int part = 0; part < CUZK_PARTS; part++)
        cuzk_json_write_member_double(json, cuzk_sim_part_name((enum cuzk_sim_part)part),
                                      share(summary->parts.part[part], summary->parts.per_proof) / 100, 4);
    cuzk_json_write_object_end(json);
    cuzk_json_write_member_double(json, "device_held", summary->parts.device_held, 4);
    cuzk_json_write_member_double(json, "device_busy", summary->parts.device_busy, 4);
    cuzk_json_write_member_double(json, "synthesis_busy", summary->parts.synthesis_busy, 4);
}

static enum cuzk_status answer(struct cli_session *session, const struct trace_options *given,
                               const struct cuzk_timeline *timeline, const char *title,
                               struct cuzk_error *err)
{
    struct cli_trace_summary summary;
    size_t count;
    struct cuzk_json_writer *json;

    cuzk_timeline_events(timeline, &count);
    CUZK_TRY(cli_trace_summarise(timeline, &summary, err));
    json = cli_session_answer_begin(session);
    if (json != NULL) {
        cuzk_json_write_member_string(json, "title", title);
        cuzk_json_write_member_u64(json, "events", count);
        cuzk_json_write_member_double(json, "span_ms", (double)(summary.end_ns - summary.begin_ns) / 1e6, 3);
        write_summary(json, &summary);
    }
    if (given->lines)
        say_lines(session, timeline);
    if (given->reference_lines)
        CUZK_TRY(cli_trace_say_reference(session, timeline, err));
    if (given->text || (given->svg == NULL && given->html == NULL && given->perfetto == NULL &&
                        !given->lines && !given->reference_lines)) {
        say_events(session, timeline);
        say_summary(session, &summary);
    }
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
    CUZK_TRY(cli_output_check("svg", given->svg, true, session->json, err));
    CUZK_TRY(cli_output_check("html", given->html, true, session->json, err));
    CUZK_TRY(cli_output_check("perfetto", given->perfetto, true, session->json, err));
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
     .help = "list the events, the lanes and where the device's time went (the default where nothing else is "
             "asked)"},
    {.name = "lines",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct trace_options, lines),
     .help = "print the lines `TIMELINE,<offset_ms>,<event>,<job>,<detail>`"},
    {.name = "reference-lines",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct trace_options, reference_lines),
     .help = "the same with the reference's own events: SYNTH_START, SYNTH_END, CHAN_SEND, GPU_PICKUP, "
             "GPU_START, GPU_END"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_trace = {
    .name = "trace",
    .arguments = "FILE",
    .summary = "draw a recorded timeline as a waterfall",
    .text = "Shows what `--timeline` recorded, or what a daemon's /timeline gives: which stage ran where and "
            "when, "
            "and where time was left idle. The page zooms; Perfetto opens the trace.",
    .example = "cuzk prove porep --c1 c1.json --params-dir test-params --out proof.bin --timeline run.json\n"
               "cuzk trace run.json --svg run.svg\n"
               "curl -s http://127.0.0.1:9821/timeline | cuzk trace - --html engine.html",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct trace_options),
    .least = 1,
    .most = 1,
    .run = run,
};
