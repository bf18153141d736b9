#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/choice.h"
#include "base/clock.h"
#include "bench/machine.h"
#include "cli/command.h"
#include "engine/test_parameters.h"
#include "srs/directory.h"

struct setup_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    const char *out, *backend;
    struct cuzk_option_hex32 seed;
    bool force, derived;
};

struct paths {
    char params[CUZK_PARAMETER_PATH], vk[CUZK_PARAMETER_PATH], manifest[CUZK_PARAMETER_PATH];
};

/* Where the files go; refuses the production directory, and a manifest that is there already. */
static enum cuzk_status prepare(struct cli_session *session, const struct setup_options *given,
                                const struct cuzk_circuit_id *id, struct paths *paths, struct cuzk_error *err)
{
    if (cuzk_parameter_directory_is_production(given->out) && !given->force) {
        cli_session_hint(session, "choose another directory, or say --force if this is really meant");
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "%s: is the directory of production parameters; test parameters do not belong there", given->out);
    }
    CUZK_TRY(cuzk_parameter_path(given->out, id, ".params", paths->params, err));
    CUZK_TRY(cuzk_parameter_path(given->out, id, ".vk", paths->vk, err));
    CUZK_TRY(cuzk_parameter_path(given->out, id, ".test.json", paths->manifest, err));
    for (int i = 0; i < 3; i++) {
        const char *path = i == 0 ? paths->params : i == 1 ? paths->vk : paths->manifest;

        if (access(path, F_OK) == 0) {
            cli_session_hint(session, "nothing is replaced: remove the file, or choose another directory");
            return cuzk_error_set(err, CUZK_EXISTS, "%s: already exists", path);
        }
    }
    return cuzk_file_make_directory(given->out, err);
}

static enum cuzk_status report(struct cli_session *session, const struct setup_options *given,
                               const struct paths *paths, const char *circuit, struct cuzk_error *err)
{
    const double seconds = (double)(cuzk_clock_ns() - session->started_ns) / 1e9;
    const double cpu = (double)cuzk_clock_cpu_ns() / 1e9;
    struct stat facts;

    if (stat(paths->params, &facts) != 0)
        facts.st_size = 0;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    cli_session_say(session, "%s", paths->params);
    cli_session_say(session, "%s", paths->vk);
    cli_session_say(session, "%s", paths->manifest);
    cli_session_say(session, "test parameters of %s: %.1f MB in %.1f s (%.1f processor seconds)", circuit,
                    (double)facts.st_size / 1e6, seconds, cpu);
    if (json != NULL) {
        cuzk_json_write_member_string(json, "circuit", circuit);
        cuzk_json_write_member_string(json, "params", paths->params);
        cuzk_json_write_member_string(json, "vk", paths->vk);
        cuzk_json_write_member_string(json, "manifest", paths->manifest);
        cuzk_json_write_member_u64(json, "params_bytes", (uint64_t)facts.st_size);
        cuzk_json_write_member_string(json, "parameters", "test");
        cuzk_json_write_member_bool(json, "insecure_seed", given->seed.set);
        cuzk_json_write_member_double(json, "total_ms", seconds * 1e3, 1);
        cuzk_json_write_member_double(json, "cpu_ms", cpu * 1e3, 1);
        cuzk_json_write_member_u64(json, "peak_rss_bytes", cuzk_machine_peak_resident());
        cuzk_machine_write(json);
    }
    return cli_session_answer_end(session, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct setup_options *given = values;
    struct cuzk_backend *backend;
    struct cuzk_circuit_id id;
    struct paths paths;

    (void)count;
    CUZK_TRY(cuzk_circuit_id_parse(arguments[0], &id, err));
    CUZK_TRY(prepare(session, given, &id, &paths, err));
    cuzk_log_line(
        &session->log, CUZK_LOG_WARNING,
        "TEST PARAMETERS: whoever makes a key alone could forge its proofs; the chain accepts none of them%s",
        given->seed.set ? "; with --seed anybody can" : "");
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(cuzk_backend_open(given->backend, session->pool, &backend, err));
    const struct cuzk_engine_context context = {session->pool, backend, &session->progress, NULL};
    const enum cuzk_status status = cuzk_test_parameters_make(
        &context, &id, given->out, given->seed.set ? given->seed.bytes : NULL, given->derived, err);

    cuzk_backend_destroy(backend);
    CUZK_TRY(status);
    return report(session, given, &paths, arguments[0], err);
}

static const struct cuzk_option options[] = {
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct setup_options, out),
     .placeholder = "DIR",
     .required = true,
     .help = "directory for the files, made if it is missing"},
    {.name = "seed",
     .type = CUZK_OPTION_HEX32,
     .offset = offsetof(struct setup_options, seed),
     .placeholder = "HEX32",
     .help = "draw the secrets from this seed: reproducible, and openly insecure"},
    {.name = "force",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct setup_options, force),
     .help = "allow the directory of production parameters"},
    {.name = "derived",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct setup_options, derived),
     .help = "make the derived key too, from the same secrets: NAME.derived, which provers take where it is"},
    CLI_BACKEND_OPTION(struct setup_options),
    CLI_THREADS_OPTION(struct setup_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_setup = {
    .name = "setup",
    .arguments = "CIRCUIT",
    .summary = "make test parameters for a circuit",
    .text = "Makes the proving and the verifying key of a circuit from fresh random secrets, which are "
            "wiped, and writes "
            "them under the names that production parameters have, with a manifest beside them.\n"
            "Such keys are for tests alone. The chain verifies with keys that came from a ceremony, so it "
            "accepts no "
            "proof made with these.",
    .example = "cuzk setup porep-2k --out test-params",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct setup_options),
    .least = 1,
    .most = 1,
    .run = run,
};
