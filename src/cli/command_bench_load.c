#include <stdio.h>
#include <string.h>

#include "backend/cuda/cuda.h"
#include "bench/load.h"
#include "bench/machine.h"
#include "cli/command.h"
#include "cli/knob_options.h"
#include "cli/output.h"
#include "cli/waterfall.h"
#include "engine/null_spec.h"
#include "srs/directory.h"
#ifdef CUZK_HAVE_SERVER
#include "cli/remote_load.h"
#endif

struct load_options {
    struct cli_common common;
    struct cuzk_option_number count, in_flight, threads, host_mem, vram_limit;
    const char *circuit, *null, *preset, *params_dir, *cache_dir, *svg, *timeline;
    struct cuzk_option_list set, backends;
#ifdef CUZK_HAVE_SERVER
    struct cli_remote_options daemon;
#endif
};

enum { COUNT = 20, IN_FLIGHT = 15 };

static uint32_t number(struct cuzk_option_number given, uint32_t fallback)
{
    return given.set ? (uint32_t)given.value : fallback;
}

static enum cuzk_status write_svg(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    const struct cuzk_load_result *result = what;

    return cli_waterfall_svg(result->timeline, "bench load", sink, err);
}

static enum cuzk_status write_timeline(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    const struct cuzk_load_result *result = what;

    return cuzk_timeline_write(result->timeline, "bench load", sink, err);
}

static enum cuzk_status report(struct cli_session *session, const struct load_options *given,
                               const struct cuzk_load_options *options, const struct cuzk_load_result *result,
                               struct cuzk_error *err)
{
    const struct cuzk_sim_result *f = &result->figures;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "bench", "load");
        cuzk_json_write_member_string(json, "circuit", options->work->name);
        cuzk_json_write_member_string(json, "preset", given->preset);
        cuzk_json_write_member_u64(json, "in_flight", options->in_flight);
        cuzk_load_write(result, json);
        cuzk_machine_write(json);
        return cli_session_answer_end(session, err);
    }
    cli_session_say(session, "%u proofs of %s, %u in flight, preset %s, on %u %s", result->proofs,
                    options->work->name, options->in_flight, given->preset, result->devices, result->device);
    cli_session_say(session, "batch wall / proofs    %10.4f s   fill and drain included", f->per_proof);
    cli_session_say(session, "steady                 %10.4f s   between answers", f->steady);
    cli_session_say(session, "latency p50 p90 p99    %10.4f %.4f %.4f s", result->latency_p50,
                    result->latency_p90, result->latency_p99);
    cli_session_say(session, "device calls / proofs  %10.4f s   summed: no wall time", f->calls_per_proof);
    cli_session_say(session, "a partition            %10.4f s   synthesis", f->synthesis);
    cli_session_say(session, "                       %10.4f s   call, lock waits included", f->call);
    cli_session_say(session, "                       %10.4f s   lock held", f->section);
    cli_session_say(session, "                       %10.4f s   kernels", f->kernels);
    cli_session_say(session, "                       %10.4f s   transfers", result->transfer);
    cli_session_say(session, "device busy, held      %9.1f%% %.1f%%   from first section to last",
                    100 * f->device_busy, 100 * f->device_held);
    cli_session_say(session, "memory of the host     %10.2f GiB resident, %.2f GiB planned",
                    result->resident_peak, result->planned_peak);
    if (result->device_planned > 0)
        cli_session_say(session,
                        "memory of a device     %10.2f GiB taken at most, %.2f GiB planned, %.2f GiB in use "
                        "with other programs",
                        f->device_peak, result->device_planned, result->device_used);
    return CUZK_OK;
}

#ifdef CUZK_HAVE_SERVER
/* The pipeline is the daemon's: what would set up one here has no place. */
static enum cuzk_status run_remote(struct cli_session *session, const struct load_options *given,
                                   struct cuzk_error *err)
{
    struct cuzk_load_work work = {0};
    enum cuzk_status status;

    if (given->null != NULL || given->svg != NULL || given->timeline != NULL || given->set.count > 0)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "--addr: with a daemon there is no --null, --set, --svg or --timeline: device, "
                              "knobs and timeline are the daemon's");
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY_OUT(cuzk_load_work_make(given->circuit, false, session->pool, &work, err));
    const struct cli_remote_load load = {.daemon = &given->daemon,
                                         .work = &work,
                                         .proofs = number(given->count, COUNT),
                                         .in_flight = number(given->in_flight, IN_FLIGHT)};

    status = cli_remote_load(session, &load, err);
out:
    cuzk_load_work_free(&work);
    return status;
}
#endif

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct load_options *given = values;
    struct cuzk_load_result result = {0};
    struct cuzk_load_work work = {0};
    const char *const fallback[] = {given->null != NULL ? given->null : "auto"};
    const bool listed = given->null == NULL && given->backends.count > 0;
    struct cuzk_load_options options = {
        .devices = listed ? given->backends.items : fallback,
        .device_count = listed ? (unsigned)given->backends.count : 1,
        .threads = number(given->threads, 0),
        .params_directory = cuzk_parameter_directory(given->params_dir),
        .host_budget = given->host_mem.value,
        .device_budget = given->vram_limit.value,
        .work = &work,
        .proofs = number(given->count, COUNT),
        .in_flight = number(given->in_flight, IN_FLIGHT),
        .progress = &session->progress,
        .log = &session->log,
    };
    enum cuzk_status status;

    (void)arguments;
    (void)count;
#ifdef CUZK_HAVE_SERVER
    if (given->daemon.addr != NULL)
        return run_remote(session, given, err);
#endif
    CUZK_TRY(cli_output_check("svg", given->svg, true, session->json, err));
    CUZK_TRY(cli_output_check("timeline", given->timeline, true, session->json, err));
    CUZK_TRY(cli_knobs_make(given->preset, "set", &given->set, &options.knobs, err));
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY_OUT(cuzk_load_work_make(given->circuit, given->null != NULL, session->pool, &work, err));
    CUZK_TRY_OUT(cuzk_load_run(&options, &result, err));
    if (given->svg != NULL)
        CUZK_TRY_OUT(cli_output(given->svg, true, write_svg, &result, err));
    if (given->timeline != NULL)
        CUZK_TRY_OUT(cli_output(given->timeline, true, write_timeline, &result, err));
    CUZK_TRY_OUT(report(session, given, &options, &result, err));
out:
    cuzk_load_result_free(&result);
    cuzk_load_work_free(&work);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "count",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct load_options, count),
     .placeholder = "N",
     .min = 1,
     .max = 1000000,
     .help = "proofs; 20 where not given"},
    {.name = "in-flight",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct load_options, in_flight),
     .placeholder = "M",
     .min = 1,
     .max = 100000,
     .help = "proofs submitted at once; 15 where not given"},
    {.name = "circuit",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct load_options, circuit),
     .placeholder = "CIRCUIT",
     .fallback = "porep-2k",
     .help = "what is proved: a synthetic sector of this circuit, its parameters in --params-dir"},
    {.name = "null",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct load_options, null),
     .placeholder = "SPEC",
     .help =
         "a device of fixed stage times instead: null:witness=5ms:quotient=10ms:msm=10ms; proves nothing"},
    {.name = "preset",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct load_options, preset),
     .placeholder = "NAME",
     .fallback = "auto",
     .help = "the pipeline: auto, or phase-0 to phase-12"},
    {.name = "set",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct load_options, set),
     .placeholder = "KNOB=VALUE",
     .help = "changes a knob of the preset; may be given again"},
    {.name = "host-mem",
     .type = CUZK_OPTION_SIZE,
     .offset = offsetof(struct load_options, host_mem),
     .placeholder = "SIZE",
     .help = "host memory that proofs may use"},
    {.name = "vram-limit",
     .type = CUZK_OPTION_SIZE,
     .offset = offsetof(struct load_options, vram_limit),
     .placeholder = "SIZE",
     .help = "memory to use on the device"},
    {.name = "svg",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct load_options, svg),
     .placeholder = "FILE",
     .help = "draw the waterfall"},
    {.name = "timeline",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct load_options, timeline),
     .placeholder = "FILE",
     .help = "record what happened when; `cuzk trace` draws it"},
    CLI_CACHE_OPTION(struct load_options),
    {.name = "params-dir",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct load_options, params_dir),
     .placeholder = "DIR",
     .help = "where parameter files are; by default $FIL_PROOFS_PARAMETER_CACHE, else "
             "/var/tmp/filecoin-proof-parameters"},
    {.name = "backend",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct load_options, backends),
     .placeholder = "NAME",
     .help = "what computes: auto (where not given), cpu, cuda, cuda:ORDINAL or cuda:UUID; given again, each "
             "takes "
             "partitions from one queue"},
    CLI_THREADS_OPTION(struct load_options),
#ifdef CUZK_HAVE_SERVER
    CLI_REMOTE_OPTIONS_FROM(struct load_options, daemon, NULL),
#endif
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_bench_load = {
    .name = "bench load",
    .arguments = "",
    .summary = "many proofs through the engine, so many in flight",
    .text =
        "Runs an engine in this process, keeps so many proofs submitted until all are done, and reports each "
        "metric under its own name: batch wall by proofs, steady time, latency, summed device calls, the "
        "device busy with kernels and held by its lock. Loading the key is not part of them. With --addr the "
        "proofs go to a running daemon, and the metrics are those that its clients see.",
    .example = "cuzk bench load --count 20 --in-flight 15 --null null:witness=4ms:quotient=3ms:msm=3ms \\\n"
               "    --circuit porep-32g --preset phase-12\n"
               "cuzk bench load --count 8 --in-flight 4 --params-dir test-params --json\n"
               "cuzk bench load --addr unix:/run/cuzk/cuzk.sock --count 8 --in-flight 4",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct load_options),
    .run = run,
};
