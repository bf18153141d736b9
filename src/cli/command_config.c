/* cuzk config show, check, sample and docs: the daemon's options as they are in force, and as documents. */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/plan.h"
#include "server/config_facts.h"
#include "server/config_print.h"
#include "srs/directory.h"

struct config_options {
    struct cli_common common;
    const char *config, *out;
    struct cuzk_option_given given;
};

/* What each circuit whose parameters are there would take of the devices. */
static void tell_plans(struct cli_session *session, const struct cuzk_config_values *values)
{
    struct cli_plans plans;

    cli_plans_open(values->devices.items, values->devices.count, values->vram_limit.value, &plans);
    if (session->json) {
        cuzk_json_write_key(&session->writer, "circuits");
        cuzk_json_write_array_begin(&session->writer);
    }
    for (size_t i = 0; i < cuzk_circuit_id_count(); i++) {
        char path[CUZK_PARAMETER_PATH], name[CUZK_CIRCUIT_NAME];
        struct cuzk_circuit_id id;

        cuzk_circuit_id_at(i, &id);
        if (cuzk_parameter_find(values->params_dir, &id, ".params", path, NULL) != CUZK_OK)
            continue;
        cuzk_circuit_id_format(&id, name);
        cli_session_say(session, "# %s: its parameters are there", name);
        if (session->json) {
            cuzk_json_write_object_begin(&session->writer);
            cuzk_json_write_member_string(&session->writer, "circuit", name);
        }
        cli_plans_tell(&plans, session, &id, "#   ");
        if (session->json)
            cuzk_json_write_object_end(&session->writer);
    }
    if (session->json)
        cuzk_json_write_array_end(&session->writer);
    cli_plans_close(&plans);
}

static enum cuzk_status show(struct cli_session *session, const void *values, const char *const *arguments,
                             size_t count, struct cuzk_error *err)
{
    const struct config_options *given = values;
    struct cuzk_config *config;
    struct cuzk_error problem = {0};
    char backend[16];
    enum cuzk_status status;

    (void)arguments;
    (void)count;
    CUZK_TRY(cuzk_config_read(given->config, &given->given, &config, err));
    cuzk_config_backend(config, backend, sizeof backend);
    struct cuzk_json_writer *json = cli_session_answer_begin(session);
    const enum cuzk_status found = cuzk_config_check(config, &problem);

    if (json == NULL) {
        status = cuzk_config_print_effective(config, backend, cli_session_stdout(), err);
        if (status == CUZK_OK)
            tell_plans(session, &config->values);
        if (status == CUZK_OK && found != CUZK_OK)
            cuzk_log_line(&session->log, CUZK_LOG_WARNING, "the daemon would not start: %s", problem.message);
    } else {
        cuzk_config_write(config, backend, json);
        tell_plans(session, &config->values);
        cuzk_json_write_member_string(json, "problem", found != CUZK_OK ? problem.message : NULL);
        status = cli_session_answer_end(session, err);
    }
    cuzk_config_destroy(config);
    return status;
}

static enum cuzk_status check(struct cli_session *session, const void *values, const char *const *arguments,
                              size_t count, struct cuzk_error *err)
{
    const struct config_options *given = values;
    struct cuzk_config *config;

    (void)arguments;
    (void)count;
    CUZK_TRY(cuzk_config_read(given->config, &given->given, &config, err));
    enum cuzk_status status = cuzk_config_check(config, err);

    if (status == CUZK_OK) {
        struct cuzk_json_writer *json = cli_session_answer_begin(session);

        cli_session_say(session, "%s: no mistake found", config->path != NULL ? config->path : "no file");
        if (json != NULL) {
            cuzk_json_write_member_string(json, "file", config->path);
            cuzk_json_write_member_bool(json, "good", true);
        }
        status = cli_session_answer_end(session, err);
    }
    cuzk_config_destroy(config);
    return status;
}

typedef enum cuzk_status (*print_function)(struct cuzk_sink sink, struct cuzk_error *err);

struct document {
    print_function print;
};

static enum cuzk_status write_document(const void *what, struct cuzk_sink sink, struct cuzk_error *err)
{
    return ((const struct document *)what)->print(sink, err);
}

static enum cuzk_status document(struct cli_session *session, const struct config_options *given,
                                 print_function print, struct cuzk_error *err)
{
    const struct document what = {print};
    struct cuzk_buffer text = {0};

    if (given->out != NULL)
        CUZK_TRY(cli_output(given->out, true, write_document, &what, err));
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json == NULL)
        return given->out != NULL ? CUZK_OK : print(cli_session_stdout(), err);
    enum cuzk_status status = print(cuzk_buffer_sink(&text), err);

    if (status == CUZK_OK) {
        cuzk_json_write_member_string(json, "text", cuzk_buffer_text(&text));
        status = cli_session_answer_end(session, err);
    }
    cuzk_buffer_clear(&text);
    return status;
}

static enum cuzk_status sample(struct cli_session *session, const void *values, const char *const *arguments,
                               size_t count, struct cuzk_error *err)
{
    (void)arguments;
    (void)count;
    return document(session, values, cuzk_config_print_sample, err);
}

static enum cuzk_status docs(struct cli_session *session, const void *values, const char *const *arguments,
                             size_t count, struct cuzk_error *err)
{
    (void)arguments;
    (void)count;
    return document(session, values, cuzk_config_print_docs, err);
}

static const struct cuzk_option file_options[] = {
    {.name = "config",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct config_options, config),
     .placeholder = "FILE",
     .help = "the file; $CUZK_CONFIG, else /etc/cuzk/cuzk.toml where it is there"},
    CLI_COMMON_OPTIONS,
};

static const struct cuzk_option document_options[] = {
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct config_options, out),
     .placeholder = "FILE",
     .help = "where it goes; standard output where not given"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_config_show = {
    .name = "config show",
    .arguments = "",
    .summary = "what the daemon's options are and where each came from",
    .text = "Reads the configuration as `cuzk serve` would, with the same file, environment and flags, and "
            "prints every option with its value and its source, and whether a running daemon takes a change "
            "of it on "
            "SIGHUP. Of a knob that means nothing on the backend in "
            "use it says why.",
    .example = "cuzk config show --config /etc/cuzk/cuzk.toml\n"
               "cuzk config show --preset phase-9 --set workers_per_device=1 --json",
    .options = file_options,
    .option_count = sizeof file_options / sizeof file_options[0],
    .config = cuzk_config_rows,
    .config_offset = offsetof(struct config_options, given),
    .values_size = sizeof(struct config_options),
    .run = show,
};

const struct cli_command cli_config_check = {
    .name = "config check",
    .arguments = "",
    .summary = "look for mistakes in a configuration",
    .text = "Reads the configuration as `cuzk serve` would and says what is wrong with it: unknown keys and "
            "the nearest known one, wrong types, values out of range, keys given twice, each with line and "
            "column, and values that only together make no sense.",
    .example = "cuzk config check --config /etc/cuzk/cuzk.toml",
    .options = file_options,
    .option_count = sizeof file_options / sizeof file_options[0],
    .config = cuzk_config_rows,
    .config_offset = offsetof(struct config_options, given),
    .values_size = sizeof(struct config_options),
    .run = check,
};

const struct cli_command cli_config_sample = {
    .name = "config sample",
    .arguments = "",
    .summary = "a configuration file with every option explained",
    .text = "Writes a file in which every option stands with its meaning, commented out at its default.",
    .example = "cuzk config sample --out /etc/cuzk/cuzk.toml",
    .options = document_options,
    .option_count = sizeof document_options / sizeof document_options[0],
    .values_size = sizeof(struct config_options),
    .run = sample,
};

const struct cli_command cli_config_docs = {
    .name = "config docs",
    .arguments = "",
    .summary = "the manual page of the options, as Markdown",
    .text = "Writes docs/config.md from the table that the daemon reads its options by.",
    .example = "cuzk config docs --out docs/config.md",
    .options = document_options,
    .option_count = sizeof document_options / sizeof document_options[0],
    .values_size = sizeof(struct config_options),
    .run = docs,
};
