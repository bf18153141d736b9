#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/phases.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/waterfall.h"

struct phases_options {
    struct cli_common common;
    const char *model, *published, *svg, *html, *waterfall, *preset;
    struct cuzk_option_number proofs, in_flight, seeds;
    struct cuzk_option_list set, knobs;
};

enum { FILE_BYTES_MOST = 1 << 20, PROOFS = 20, IN_FLIGHT = 15, SEEDS = 6, WATERFALL_PROOFS = 3 };

static uint32_t number(struct cuzk_option_number given, uint32_t fallback)
{
    return given.set ? (uint32_t)given.value : fallback;
}

static enum cuzk_status read_model(struct cli_session *session, const struct phases_options *given,
                                   struct cuzk_machine_model *model, struct cuzk_error *err)
{
    struct cuzk_file_map map;

    if (given->model == NULL) {
        cli_session_hint(session, "models/ of the sources has files to begin with");
        return cuzk_error_set(err, CUZK_ARGUMENT, "--model: a machine model is needed");
    }
    CUZK_TRY(cuzk_file_map_open(given->model, "machine model", FILE_BYTES_MOST, &map, err));
    enum cuzk_status status = cuzk_machine_model_read(map.path, map.bytes, (size_t)map.length, model, err);

    cuzk_file_map_close(&map);
    for (size_t i = 0; i < given->set.count && status == CUZK_OK; i++)
        status = cuzk_machine_model_set(model, given->set.items[i], err);
    return status;
}

static enum cuzk_status compare(const struct phases_options *given, const struct cuzk_machine_model *model,
                                uint32_t seeds, struct cuzk_published *published, struct cuzk_error *err)
{
    struct cuzk_file_map map;

    CUZK_TRY(cuzk_file_map_open(given->published, "published figures", FILE_BYTES_MOST, &map, err));
    enum cuzk_status status = cuzk_published_read(map.path, map.bytes, (size_t)map.length, published, err);

    cuzk_file_map_close(&map);
    if (status == CUZK_OK)
        status = cuzk_published_compare(model, seeds, published, err);
    return status;
}

static enum cuzk_status write_svg(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    return cuzk_phases_write_svg(what, sink, err);
}

static enum cuzk_status write_html(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    return cuzk_phases_write_html(what, sink, err);
}

struct waterfall {
    const struct cuzk_timeline *timeline;
    const char *title;
};

static enum cuzk_status write_waterfall(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    const struct waterfall *waterfall = what;

    return cli_waterfall_html(waterfall->timeline, waterfall->title, sink, err);
}

/* A few proofs of one preset as bars on a time axis. */
static enum cuzk_status draw_waterfall(const struct phases_options *given,
                                       const struct cuzk_machine_model *model, struct cuzk_error *err)
{
    const struct cuzk_sim_load load = {.proofs = WATERFALL_PROOFS, .in_flight = WATERFALL_PROOFS, .seed = 1};
    const char *preset = given->preset != NULL ? given->preset : "phase-12";
    struct waterfall waterfall = {.title = preset};
    struct cuzk_timeline *timeline = NULL;
    struct cuzk_sim_result result;
    struct cuzk_knobs knobs;
    enum cuzk_status status;

    CUZK_TRY(cuzk_phases_knobs(model, preset, &knobs, NULL, err));
    for (size_t i = 0; i < given->knobs.count; i++)
        CUZK_TRY(cuzk_knobs_set(&knobs, given->knobs.items[i], err));
    CUZK_TRY(cuzk_timeline_create(&timeline, err));
    status = cuzk_sim_run(model, &knobs, &load, timeline, &result, err);
    waterfall.timeline = timeline;
    if (status == CUZK_OK)
        status = cli_output(given->waterfall, true, write_waterfall, &waterfall, err);
    cuzk_timeline_destroy(timeline);
    return status;
}

static enum cuzk_status print_text(struct cli_session *session, const struct cuzk_phases *phases,
                                   struct cuzk_error *err)
{
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json == NULL)
        return cuzk_phases_write_text(phases, cli_session_stdout(), err);
    cuzk_phases_write_json(phases, json);
    return cli_session_answer_end(session, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct phases_options *given = values;
    const uint32_t seeds = number(given->seeds, SEEDS);
    struct cuzk_published *published = NULL;
    struct cuzk_phases *phases = NULL;
    struct cuzk_machine_model model;
    enum cuzk_status status = CUZK_OK;

    (void)arguments;
    (void)count;
    CUZK_TRY(read_model(session, given, &model, err));
    CUZK_TRY_OUT(CUZK_NEW(&phases, 1, "phases", err));
    CUZK_TRY_OUT(CUZK_NEW(&published, 1, "published figures", err));
    CUZK_TRY_OUT(cuzk_phases_run(&model, number(given->proofs, PROOFS), number(given->in_flight, IN_FLIGHT),
                                 seeds, phases, err));
    if (given->published != NULL) {
        CUZK_TRY_OUT(compare(given, &model, seeds, published, err));
        phases->published = published;
    }
    if (given->svg != NULL)
        CUZK_TRY_OUT(cli_output(given->svg, true, write_svg, phases, err));
    if (given->html != NULL)
        CUZK_TRY_OUT(cli_output(given->html, true, write_html, phases, err));
    if (given->waterfall != NULL)
        CUZK_TRY_OUT(draw_waterfall(given, &model, err));
    CUZK_TRY_OUT(print_text(session, phases, err));
out:
    cuzk_mem_free(published);
    cuzk_mem_free(phases);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "model",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, model),
     .placeholder = "FILE",
     .help = "the machine: JSON as in models/"},
    {.name = "set",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct phases_options, set),
     .placeholder = "NUMBER=VALUE",
     .help = "changes a number of the model, as device_memory=24; may be given again"},
    {.name = "proofs",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct phases_options, proofs),
     .placeholder = "N",
     .min = 1,
     .max = 1000,
     .help = "proofs of the loaded runs; 20 where not given"},
    {.name = "in-flight",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct phases_options, in_flight),
     .placeholder = "N",
     .min = 1,
     .max = 1000,
     .help = "proofs submitted at once; 15 where not given"},
    {.name = "seeds",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct phases_options, seeds),
     .placeholder = "N",
     .min = 1,
     .max = 1000,
     .help = "runs that a figure is the mean of; 6 where not given"},
    {.name = "published",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, published),
     .placeholder = "FILE",
     .help = "compare with these published figures, row by row"},
    {.name = "svg",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, svg),
     .placeholder = "FILE",
     .help = "write the picture"},
    {.name = "html",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, html),
     .placeholder = "FILE",
     .help = "write the report as a page"},
    {.name = "waterfall",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, waterfall),
     .placeholder = "FILE",
     .help = "write three proofs of --preset as a waterfall page"},
    {.name = "preset",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, preset),
     .placeholder = "NAME",
     .help = "preset of the waterfall: phase-0 to phase-12 or auto; phase-12 where not given"},
    {.name = "knob",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct phases_options, knobs),
     .placeholder = "KNOB=VALUE",
     .help = "changes a knob of the waterfall's preset; may be given again"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_phases = {
    .name = "bench phases",
    .arguments = "",
    .summary = "every phase of the engine's history on a machine model",
    .text =
        "Runs the scheduler under a virtual clock with the presets phase-0 to phase-12 and auto, one proof "
        "alone "
        "and many under load, and prints throughput, device time, what each phase is limited by, memory, "
        "floors and the gap to them, and what more workers bring. Then it asks the model what nobody could "
        "measure. Nothing is proved, and no device is used.",
    .example = "cuzk bench phases --model models/threadripper-5070ti.json \\\n"
               "    --published models/threadripper-5070ti.published.json --html phases.html",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct phases_options),
    .run = run,
};
