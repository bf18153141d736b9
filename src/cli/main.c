/* The program: finds the command, fills its options, runs it, turns its status into an exit code. */
#include <fcntl.h>
#include <poll.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/session.h"
#include "srs/cache.h"

static bool has_word(int argc, const char *const *argv, const char *word)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

static bool asks_for_help(int argc, const char *const *argv)
{
    return has_word(argc, argv, "--help") || has_word(argc, argv, "-h");
}

static bool is_group(const char *word)
{
    const size_t n = strlen(word);

    for (size_t i = 0; i < cli_command_count; i++)
        if (strncmp(cli_commands[i]->name, word, n) == 0 && cli_commands[i]->name[n] == ' ')
            return true;
    return false;
}

/* The command whose name is nearest to what was typed, or NULL. */
static const char *nearest_command(const char *typed)
{
    const char *nearest = NULL;
    unsigned best = 3;

    for (size_t i = 0; i < cli_command_count; i++) {
        const unsigned distance = cuzk_option_distance(typed, cli_commands[i]->name);

        if (distance < best && !cli_commands[i]->hidden) {
            best = distance;
            nearest = cli_commands[i]->name;
        }
    }
    return nearest;
}

static int no_command(struct cli_session *session, int argc, const char *const *argv, bool help)
{
    struct cuzk_error error;
    char typed[64];

    if (is_group(argv[0]) && (argc == 1 || argv[1][0] == '-')) {
        help |= asks_for_help(argc, argv);
        if (!help && session->json) {
            cuzk_error_set(&error, CUZK_ARGUMENT, "%s: expected one of its commands", argv[0]);
            cli_session_hint(session, "`cuzk %s --help` lists them", argv[0]);
            return cli_session_fail(session, CUZK_ARGUMENT, &error);
        }
        cli_help_list(help ? stdout : stderr, argv[0]);
        return help ? 0 : cuzk_status_exit_code(CUZK_ARGUMENT);
    }
    snprintf(typed, sizeof typed, "%s%s%s", argv[0], is_group(argv[0]) ? " " : "",
             is_group(argv[0]) ? argv[1] : "");
    const char *nearest = nearest_command(typed);

    if (nearest != NULL)
        cli_session_hint(session, "did you mean `cuzk %s`?", nearest);
    else
        cli_session_hint(session, "`cuzk --help` lists the commands");
    cuzk_error_set(&error, CUZK_ARGUMENT, "%s: no such command", typed);
    return cli_session_fail(session, CUZK_ARGUMENT, &error);
}

/* The value of --cache-dir, where the command has that option. */
static const char *cache_of(const struct cuzk_option *options, size_t count, const char *values)
{
    const struct cuzk_option *cache =
        cuzk_option_find(options, count, CLI_CACHE_OPTION_NAME, strlen(CLI_CACHE_OPTION_NAME));

    if (cache == NULL || cache->deferred)
        return NULL;
    const char *value;

    memcpy((void *)&value, values + cache->offset, sizeof value);
    return value;
}

static enum cuzk_status parse_and_run(struct cli_session *session, const struct cli_command *command,
                                      int argc, const char *const *argv, void *values, struct cuzk_error *err)
{
    struct cuzk_option options[CLI_OPTIONS_MOST];
    const size_t option_count = cli_command_options(command, options);
    const char *positional[CLI_POSITIONAL_ROOM];
    size_t count = 0;

    enum cuzk_status status =
        cuzk_option_parse(options, option_count, argc, argv, values, positional, command->most, &count, err);
    if (status == CUZK_OK && count < command->least)
        status = cuzk_error_set(err, CUZK_ARGUMENT, "%s: expected %s", command->name, command->arguments);
    if (status != CUZK_OK) {
        cli_session_hint(session, "`cuzk %s --help` explains its options", command->name);
        return status;
    }
    session->command = command;
    session->words = argv;
    session->word_count = argc;
    CUZK_TRY(cuzk_cache_set(cache_of(options, option_count, values), err));
    return command->run(session, values, positional, count, err);
}

static int run(struct cli_session *session, int argc, const char *const *argv)
{
    static alignas(64) char values[CLI_VALUES_ROOM];
    struct cuzk_error error = {0};
    int words;

    const bool help = argc > 1 && strcmp(argv[0], "help") == 0; /* cuzk help prove porep */

    if (help) {
        argc--;
        argv++;
    }
    if (argc == 0 || asks_for_help(1, argv) || strcmp(argv[0], "help") == 0) {
        cli_help_list(argc == 0 ? stderr : stdout, "");
        return argc == 0 ? cuzk_status_exit_code(CUZK_ARGUMENT) : 0;
    }
    if (strcmp(argv[0], "--version") == 0 || strcmp(argv[0], "version") == 0) {
        struct cuzk_json_writer *json = cli_session_answer_begin(session);

        cli_session_say(session, "cuzk %s (%s)", cuzk_version(), cuzk_commit());
        if (json != NULL) {
            cuzk_json_write_member_string(json, "version", cuzk_version());
            cuzk_json_write_member_string(json, "commit", cuzk_commit());
        }
        return cuzk_status_exit_code(cli_session_answer_end(session, &error));
    }
    const struct cli_command *command = cli_command_find(argc, argv, &words);

    if (command == NULL)
        return no_command(session, argc, argv, help);
    argc -= words;
    argv += words;
    if (help || asks_for_help(argc, argv)) {
        cli_help_command(stdout, command);
        return 0;
    }
    if (command->values_size > sizeof values) {
        cuzk_error_set(&error, CUZK_INTERNAL, "%s: its options take %zu bytes", command->name,
                       command->values_size);
        return cli_session_fail(session, CUZK_INTERNAL, &error);
    }
    const enum cuzk_status status = parse_and_run(session, command, argc, argv, values, &error);

    if (status == CUZK_OK)
        return 0;
    if (status == CUZK_INVALID && session->answered)
        return cuzk_status_exit_code(status);
    return cli_session_fail(session, status, &error);
}

/* A standard stream that the caller closed stays unusable, so that no file is opened in its place and then
 * written into by mistake: standard input is at its end, the others refuse to be written. */
static void occupy_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

/* An answer that did not reach its reader is no success. */
static int deliver(struct cli_session *session, int code)
{
    struct cuzk_error error;

    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return code;
    if (code > cuzk_status_exit_code(CUZK_INVALID))
        return code;
    struct pollfd reader = {.fd = STDOUT_FILENO};

    if (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR) != 0)
        return cuzk_status_exit_code(CUZK_IO); /* a reader that has seen enough (`head`) needs no words */
    cuzk_error_set(&error, CUZK_IO, "standard output: the answer could not be written");
    session->answered = true;
    return cli_session_fail(session, CUZK_IO, &error);
}

int main(int argc, char **argv)
{
    const char *const *words = (const char *const *)argv + 1;
    const int count = argc > 0 ? argc - 1 : 0;
    struct cli_session session;
    struct cuzk_error error = {0};

    occupy_standard_streams();
    if (cli_session_open(&session, has_word(count, words, "--json"), has_word(count, words, "--quiet"),
                         has_word(count, words, "--verbose"), &error) != CUZK_OK) {
        fprintf(stderr, "cuzk: %s\n", error.message);
        return cuzk_status_exit_code(error.status);
    }
    if (cuzk_cpu_refused() != NULL)
        cuzk_log_line(
            &session.log, CUZK_LOG_WARNING,
            "CUZK_CPU=%s names none of portable, adx, ifma that this processor has; ignored, %s is used",
            cuzk_cpu_refused(), cuzk_cpu_level_name(cuzk_cpu_level()));
    const int code = deliver(&session, run(&session, count, words));

    cli_session_close(&session);
    return code;
}
