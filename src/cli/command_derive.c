/* cuzk derive: makes the derived key of parameters, where there is no good one. */
#include "base/clock.h"
#include "cli/command.h"
#include "cli/parameters.h"
#include "srs/cache.h"
#include "srs/derived_job.h"
#include "srs/derived_key.h"

struct derive_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    const char *params_dir, *cache_dir, *backend;
};

static enum cuzk_status report(struct cli_session *session, const char *circuit, const char *path, bool made,
                               struct cuzk_error *err)
{
    const double seconds = (double)(cuzk_clock_ns() - session->started_ns) / 1e9;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    cli_session_say(session, "%s", path);
    if (made)
        cli_session_say(session, "derived key of %s: made in %.1f s", circuit, seconds);
    else
        cli_session_say(session, "derived key of %s: there already, and good", circuit);
    if (json != NULL) {
        cuzk_json_write_member_string(json, "circuit", circuit);
        cuzk_json_write_member_string(json, "derived_key", path);
        cuzk_json_write_member_bool(json, "made", made);
        cuzk_json_write_member_double(json, "total_ms", seconds * 1e3, 1);
    }
    return cli_session_answer_end(session, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct derive_options *given = values;
    char params_path[CUZK_PARAMETER_PATH], path[CUZK_PARAMETER_PATH];
    struct cuzk_circuit_id id;
    struct cuzk_error note;
    bool made;

    (void)count;
    CUZK_TRY(cuzk_circuit_id_parse(arguments[0], &id, err));
    CUZK_TRY(cli_parameters_find(session, given->params_dir, &id, ".params", params_path, err));
    if (!cuzk_cache_place(params_path, CUZK_DERIVED_SUFFIX, path))
        return cuzk_error_set(err, CUZK_IO, "%s: no place to keep a derived key at", params_path);
    const struct cuzk_derived_job job = {.id = &id,
                                         .params_path = params_path,
                                         .device = given->backend,
                                         .threads = (unsigned)given->threads.value,
                                         .progress = &session->progress};
    CUZK_TRY(cuzk_derived_job_run(&job, &made, &note, err));
    if (note.message[0] != '\0')
        cuzk_log_line(&session->log, CUZK_LOG_WARNING, "%s; it was made anew", note.message);
    return report(session, arguments[0], path, made, err);
}

static const struct cuzk_option options[] = {
    CLI_PARAMETERS_OPTION(struct derive_options, params_dir),
    CLI_CACHE_OPTION(struct derive_options),
    CLI_BACKEND_OPTION(struct derive_options),
    CLI_THREADS_OPTION(struct derive_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_derive = {
    .name = "derive",
    .arguments = "CIRCUIT",
    .summary = "make the derived key of parameters: faster proofs, the same bytes",
    .text =
        "Takes h and l of a parameter file to another basis, in which a proof needs four transforms "
        "instead of six, and keeps them as NAME.derived beside the parameters or in the cache directory. "
        "Provers take it where it is (CUZK_DERIVED_KEY=off, or engine.derived_key of the daemon, says not "
        "to); a daemon that runs goes on without, until it loads that key the next time.\n"
        "This multiplies each point of h by some 25 scalars: minutes on a GPU at 32 GiB, and many hours on "
        "processors. A file that is damaged or of other parameters is made anew; until the new one is "
        "complete, and where making it is stopped, the old one stays.",
    .example = "cuzk derive porep-32g --backend cuda",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct derive_options),
    .least = 1,
    .most = 1,
    .run = run,
};
