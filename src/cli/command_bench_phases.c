#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/version.h"
#include "bench/counters.h"
#include "bench/load.h"
#include "bench/machine.h"
#include "bench/phases.h"
#include "cli/command.h"
#include "cli/knob_options.h"
#include "cli/output.h"
#include "cli/shipped_model.h"
#include "cli/waterfall.h"
#include "engine/null_spec.h"
#include "srs/directory.h"

struct phases_options {
    struct cli_common common;
    const char *model, *published, *svg, *html, *waterfall, *preset;
    const char *circuit, *null, *backend, *params_dir;
    struct cuzk_option_number proofs, in_flight, seeds, threads, workers;
    struct cuzk_option_list set, knobs;
};

enum {
    FILE_BYTES_MOST = 1 << 20,
    PROOFS = 20,
    IN_FLIGHT = 15,
    SEEDS = 6,
    WATERFALL_PROOFS = 3,
    MEASURED_PROOFS = 6,
    MEASURED_IN_FLIGHT = 3,
    MEASURED_RUNS = 1,
    WORKERS = 6,
    PROGRESS_PARTS = 1000,
};

static uint32_t number(struct cuzk_option_number given, uint32_t fallback)
{
    return given.set ? (uint32_t)given.value : fallback;
}

static enum cuzk_status read_model(const struct phases_options *given,
                                   const struct cli_shipped_model *shipped, struct cuzk_machine_model *model,
                                   struct cuzk_error *err)
{
    struct cuzk_file_map map;
    enum cuzk_status status;

    if (shipped != NULL) {
        status = cuzk_machine_model_read(shipped->model.name, shipped->model.bytes, *shipped->model.length,
                                         model, err);
    } else {
        CUZK_TRY(cuzk_file_map_open(given->model, "machine model", FILE_BYTES_MOST, &map, err));
        status = cuzk_machine_model_read(map.path, map.bytes, (size_t)map.length, model, err);
        cuzk_file_map_close(&map);
    }
    for (size_t i = 0; i < given->set.count && status == CUZK_OK; i++)
        status = cuzk_machine_model_set(model, given->set.items[i], err);
    return status;
}

/* A model that is built in is compared with its own figures, unless it was changed. */
static bool has_published(const struct phases_options *given, const struct cli_shipped_model *shipped)
{
    return given->published != NULL ||
           (shipped != NULL && shipped->published.bytes != NULL && given->set.count == 0);
}

static enum cuzk_status compare(const struct phases_options *given, const struct cli_shipped_model *shipped,
                                const struct cuzk_machine_model *model, uint32_t seeds,
                                struct cuzk_published_figures *published, struct cuzk_error *err)
{
    struct cuzk_file_map map;

    if (given->published == NULL) {
        CUZK_TRY(cuzk_published_read(shipped->published.name, shipped->published.bytes,
                                     *shipped->published.length, published, err));
    } else {
        CUZK_TRY(cuzk_file_map_open(given->published, "published figures", FILE_BYTES_MOST, &map, err));
        const enum cuzk_status status =
            cuzk_published_read(map.path, map.bytes, (size_t)map.length, published, err);

        cuzk_file_map_close(&map);
        CUZK_TRY(status);
    }
    return cuzk_published_compare(model, seeds, published, err);
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
    CUZK_TRY(cli_knobs_change("knob", &given->knobs, &knobs, err));
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

/* ---- measured ---- */

struct measuring {
    struct cuzk_load_options load;
    const struct cuzk_option_list *changes; /* of every preset */
    const struct cuzk_progress *progress;   /* of all loads together */
    uint64_t runs, runs_all;
};

/* A load's progress as a part of the whole. */
static void report_part(void *context, const char *stage, uint64_t done, uint64_t total)
{
    const struct measuring *measuring = context;

    (void)stage;
    if (total > 0 && measuring->runs < measuring->runs_all)
        cuzk_progress_report(measuring->progress, "loads",
                             PROGRESS_PARTS * measuring->runs + PROGRESS_PARTS * done / total,
                             PROGRESS_PARTS * measuring->runs_all);
}

static bool is_cancelled(void *context)
{
    const struct measuring *measuring = context;

    return cuzk_progress_check(measuring->progress, NULL) != CUZK_OK;
}

/* Of every preset alone and under load, and of the curve. */
static uint64_t count_runs(uint32_t runs, uint32_t workers)
{
    size_t presets = 0;

    while (cuzk_knobs_preset_name(presets) != NULL)
        presets++;
    return (2 * presets + (workers < CUZK_PHASES_POINTS ? workers : CUZK_PHASES_POINTS)) * runs;
}

static enum cuzk_status run_measured(void *context, const struct cuzk_knobs *knobs, uint32_t proofs,
                                     uint32_t in_flight, struct cuzk_sim_result *out, struct cuzk_error *err)
{
    struct measuring *measuring = context;
    const struct cuzk_progress progress = {report_part, is_cancelled, measuring};
    struct cuzk_load_options load = measuring->load;
    struct cuzk_load_result result;

    load.progress = &progress;
    load.knobs = *knobs;
    CUZK_TRY(cli_knobs_change("knob", measuring->changes, &load.knobs, err));
    load.proofs = proofs;
    load.in_flight = in_flight;
    CUZK_TRY(cuzk_load_run(&load, &result, err));
    measuring->runs++;
    *out = result.figures;
    cuzk_load_result_free(&result);
    return CUZK_OK;
}

static enum cuzk_status measured_waterfall(const struct phases_options *given,
                                           const struct measuring *measuring, struct cuzk_error *err)
{
    const char *preset = given->preset != NULL ? given->preset : "phase-12";
    struct cuzk_load_options load = measuring->load;
    struct waterfall waterfall = {.title = preset};
    struct cuzk_load_result result;

    CUZK_TRY(cli_knobs_make(preset, "knob", &given->knobs, &load.knobs, err));
    load.proofs = load.in_flight = WATERFALL_PROOFS;
    CUZK_TRY(cuzk_load_run(&load, &result, err));
    waterfall.timeline = result.timeline;
    const enum cuzk_status status = cli_output(given->waterfall, true, write_waterfall, &waterfall, err);

    cuzk_load_result_free(&result);
    return status;
}

static enum cuzk_status measure_phases(struct cli_session *session, const struct phases_options *given,
                                       struct cuzk_phases *phases, struct cuzk_phases_runner *runner,
                                       struct measuring *measuring, struct cuzk_error *err)
{
    const struct cuzk_load_work *work = measuring->load.work;
    const char *device = measuring->load.devices[0];
    struct cuzk_counters counters;
    struct cuzk_machine machine;

    cuzk_machine_read(&machine);
    cuzk_counters_begin(&counters); /* to know whether there are any */
    cuzk_counters_end(&counters);
    *runner = (struct cuzk_phases_runner){
        .run = run_measured,
        .context = measuring,
        .backend = cuzk_null_spec_is(device)         ? "null"
                   : strncmp(device, "cuda", 4) == 0 ? "cuda"
                                                     : "cpu",
        .partitions = work->partitions,
        .devices = 1,
        .workers_most = number(given->workers, WORKERS),
        .host_memory = (double)machine.memory_bytes / (double)(UINT64_C(1) << 30),
    };
    snprintf(runner->what, sizeof runner->what, "%s, %u partition%s, on %.60s", work->name, work->partitions,
             work->partitions == 1 ? "" : "s", device);
    snprintf(
        runner->note, sizeof runner->note,
        "%.100s, %u processors, %s, %.0f GiB. Commit %.16s. Stage times are wall times of spans: on a device "
        "that shares its processors with synthesis they contain waiting for them. Cache misses and memory of "
        "other nodes%s%s.",
        machine.cpu, machine.processors, machine.level, runner->host_memory, cuzk_commit(),
        counters.why[0] == '\0' ? " were counted" : " were not counted: ", counters.why);
    for (size_t i = 0; i < given->knobs.count; i++) {
        const size_t used = strlen(runner->note);

        snprintf(runner->note + used, sizeof runner->note - used, "%s%.64s%s",
                 i == 0 ? " Every preset with " : ", ", given->knobs.items[i],
                 i + 1 == given->knobs.count ? "." : "");
    }
    CUZK_TRY(cuzk_phases_measure(runner, number(given->proofs, MEASURED_PROOFS),
                                 number(given->in_flight, MEASURED_IN_FLIGHT),
                                 number(given->seeds, MEASURED_RUNS), phases, err));
    if (given->waterfall != NULL)
        CUZK_TRY(measured_waterfall(given, measuring, err));
    if (given->svg != NULL)
        CUZK_TRY(cli_output(given->svg, true, write_svg, phases, err));
    if (given->html != NULL)
        CUZK_TRY(cli_output(given->html, true, write_html, phases, err));
    return print_text(session, phases, err);
}

static enum cuzk_status run_on_device(struct cli_session *session, const struct phases_options *given,
                                      struct cuzk_error *err)
{
    const char *const device = given->null != NULL ? given->null : given->backend;
    struct cuzk_load_work work = {0};
    struct measuring measuring = {
        .changes = &given->knobs,
        .progress = &session->progress,
        .runs_all = count_runs(number(given->seeds, MEASURED_RUNS), number(given->workers, WORKERS)),
        .load = {.devices = &device,
                 .device_count = 1,
                 .threads = given->threads.set ? (unsigned)given->threads.value : 0,
                 .params_directory = cuzk_parameter_directory(given->params_dir),
                 .work = &work,
                 .progress = &session->progress,
                 .log = &session->log}};
    struct cuzk_phases_runner runner;
    struct cuzk_phases *phases = NULL;
    enum cuzk_status status;

    if (given->published != NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--published: is compared with a model; --model is needed");
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(CUZK_NEW(&phases, 1, "phases", err));
    CUZK_TRY_OUT(cuzk_load_work_make(given->circuit, given->null != NULL, session->pool, &work, err));
    CUZK_TRY_OUT(measure_phases(session, given, phases, &runner, &measuring, err));
out:
    cuzk_load_work_free(&work);
    cuzk_mem_free(phases);
    return status;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct phases_options *given = values;
    const uint32_t seeds = number(given->seeds, SEEDS);
    struct cuzk_published_figures *published = NULL;
    struct cuzk_phases *phases = NULL;
    struct cuzk_machine_model model;
    enum cuzk_status status = CUZK_OK;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_output_check("svg", given->svg, true, session->json, err));
    CUZK_TRY(cli_output_check("html", given->html, true, session->json, err));
    CUZK_TRY(cli_output_check("waterfall", given->waterfall, true, session->json, err));
    if (given->model == NULL)
        return run_on_device(session, given, err);
    const struct cli_shipped_model *shipped = cli_shipped_model_find(given->model);

    CUZK_TRY(read_model(given, shipped, &model, err));
    CUZK_TRY_OUT(CUZK_NEW(&phases, 1, "phases", err));
    CUZK_TRY_OUT(CUZK_NEW(&published, 1, "published figures", err));
    CUZK_TRY_OUT(cuzk_phases_run(&model, number(given->proofs, PROOFS), number(given->in_flight, IN_FLIGHT),
                                 seeds, phases, err));
    if (has_published(given, shipped)) {
        CUZK_TRY_OUT(compare(given, shipped, &model, seeds, published, err));
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
     .help =
         "simulate this machine instead of measuring: historical or h200, which are built in, or a file as "
         "in models/"},
    {.name = "circuit",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, circuit),
     .placeholder = "CIRCUIT",
     .fallback = "porep-2k",
     .help = "measured: a synthetic sector of this circuit is proved, its parameters in --params-dir"},
    {.name = "null",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, null),
     .placeholder = "SPEC",
     .help = "measured: a device of fixed stage times, as null:witness=5ms:quotient=10ms:msm=10ms"},
    {.name = "workers",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct phases_options, workers),
     .placeholder = "N",
     .min = 1,
     .max = 32,
     .help = "measured: partition workers that the curve goes up to; 6 where not given"},
    {.name = "params-dir",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, params_dir),
     .placeholder = "DIR",
     .help = "where parameter files are; by default $FIL_PROOFS_PARAMETER_CACHE, else "
             "/var/tmp/filecoin-proof-parameters"},
    CLI_BACKEND_OPTION(struct phases_options),
    CLI_THREADS_OPTION(struct phases_options),
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
     .help = "proofs of the loaded runs; 20 where not given, 6 measured"},
    {.name = "in-flight",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct phases_options, in_flight),
     .placeholder = "N",
     .min = 1,
     .max = 1000,
     .help = "proofs submitted at once; 15 where not given, 3 measured"},
    {.name = "seeds",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct phases_options, seeds),
     .placeholder = "N",
     .min = 1,
     .max = 1000,
     .help = "runs that a figure is the mean of (measured: the middle of); 6 where not given, 1 measured"},
    {.name = "published",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct phases_options, published),
     .placeholder = "FILE",
     .help = "compare with these published figures, row by row; historical has its own"},
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
     .help = "changes a knob of the waterfall's preset; measured: of every preset; may be given again"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_phases = {
    .name = "bench phases",
    .arguments = "",
    .summary = "every phase of the engine's history, measured here or on a machine model",
    .text =
        "Runs the engine with the presets phase-0 to phase-12 and auto, one proof alone and many under load, "
        "and prints throughput, device time, what each phase is limited by, memory, floors and the gap to "
        "them, and what more workers bring. Presets that join proofs (phase-3 to phase-5) wait 30 s for "
        "company of one that is alone; --knob batch.wait=200 shortens it.\n"
        "With --model the scheduler runs under a virtual clock instead: nothing is proved, no device is "
        "used, "
        "and the model is asked what nobody could measure.",
    .example = "cuzk bench phases --model historical --html phases.html\n"
               "cuzk bench phases --params-dir test-params --svg phases.svg\n"
               "cuzk bench phases --circuit porep-32g --null null:witness=8ms:quotient=5ms:msm=5ms",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct phases_options),
    .run = run,
};
