#include "cli/session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/terminal.h"

static atomic_bool stop_requested;

static void request_stop(int signal_number)
{
    (void)signal_number;
    atomic_store(&stop_requested, true);
}

/* The first SIGINT or SIGTERM asks the work to stop and clean up; the second ends the process. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = request_stop, .sa_flags = SA_RESETHAND | SA_RESTART};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    action.sa_flags = 0;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL); /* a file over the limit (ulimit -f) is an error like a full disk */
}

static bool is_cancelled(void *context)
{
    (void)context;
    return atomic_load(&stop_requested);
}

enum cuzk_status cli_session_open(struct cli_session *session, bool json, bool quiet, bool verbose,
                                  struct cuzk_error *err)
{
    memset(session, 0, sizeof *session);
    session->json = json;
    session->quiet = quiet;
    session->started_ns = cuzk_clock_ns();
    CUZK_TRY(cli_terminal_open(quiet, &session->terminal, err));
    session->log = (struct cuzk_log){quiet     ? CUZK_LOG_WARNING
                                     : verbose ? CUZK_LOG_DEBUG
                                               : CUZK_LOG_INFO,
                                     cli_terminal_log, session->terminal};
    session->progress = (struct cuzk_progress){cli_terminal_progress, is_cancelled, session->terminal};
    catch_signals();
    return CUZK_OK;
}

void cli_session_close(struct cli_session *session)
{
    cuzk_pool_destroy(session->pool);
    cli_terminal_close(session->terminal);
    memset(session, 0, sizeof *session);
}

enum cuzk_status cli_session_pool(struct cli_session *session, struct cuzk_option_number threads,
                                  struct cuzk_error *err)
{
    if (session->pool != NULL)
        return CUZK_OK;
    return cuzk_pool_create(threads.set ? (unsigned)threads.value : 0, &session->pool, err);
}

bool cli_session_typed(const struct cli_session *session, const char *name)
{
    const size_t n = strlen(name);

    for (int i = 0; i < session->word_count && strcmp(session->words[i], "--") != 0; i++) {
        const char *word = session->words[i];

        if (strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, n) == 0 &&
            (word[2 + n] == '\0' || word[2 + n] == '='))
            return true;
    }
    return false;
}

void cli_session_hint(struct cli_session *session, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(session->hint, sizeof session->hint, format, args);
    va_end(args);
}

void cli_session_say(struct cli_session *session, const char *format, ...)
{
    va_list args;

    if (session->json)
        return;
    cli_terminal_clear(session->terminal);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

void cli_session_note(struct cli_session *session, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cuzk_log_line(&session->log, CUZK_LOG_INFO, "%s", text);
}

static enum cuzk_status stdout_write(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    (void)context;
    if (fwrite(bytes, 1, n, stdout) != n)
        return cuzk_error_set(err, CUZK_IO, "standard output: writing: %s", strerror(errno));
    return CUZK_OK;
}

struct cuzk_sink cli_session_stdout(void)
{
    return (struct cuzk_sink){stdout_write, NULL};
}

struct cuzk_json_writer *cli_session_answer_begin(struct cli_session *session)
{
    session->answered = true;
    if (!session->json)
        return NULL;
    cli_terminal_clear(session->terminal);
    cuzk_json_write_init(&session->writer, cli_session_stdout(), false, &session->writer_error);
    cuzk_json_write_object_begin(&session->writer);
    return &session->writer;
}

enum cuzk_status cli_session_answer_end(struct cli_session *session, struct cuzk_error *err)
{
    if (!session->json)
        return CUZK_OK;
    cuzk_json_write_object_end(&session->writer);
    const enum cuzk_status status = cuzk_json_write_finish(&session->writer);

    if (status != CUZK_OK) {
        if (err != NULL)
            *err = session->writer_error;
        return status;
    }
    putchar('\n');
    if (fflush(stdout) != 0)
        return cuzk_error_set(err, CUZK_IO, "standard output: writing: %s", strerror(errno));
    return CUZK_OK;
}

int cli_session_fail(struct cli_session *session, enum cuzk_status status, const struct cuzk_error *error)
{
    const int code = cuzk_status_exit_code(status);
    const char *message = error->message[0] != '\0' ? error->message : cuzk_status_text(status);

    cli_terminal_clear(session->terminal);
    fflush(stdout);
    fprintf(stderr, "cuzk: %s\n", message);
    if (session->hint[0] != '\0')
        fprintf(stderr, "hint: %s\n", session->hint);
    if (session->json && !session->answered) {
        struct cuzk_json_writer *json = cli_session_answer_begin(session);

        cuzk_json_write_key(json, "error");
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "status", cuzk_status_text(status));
        cuzk_json_write_member_u64(json, "exit_code", (uint64_t)code);
        cuzk_json_write_member_string(json, "message", message);
        if (session->hint[0] != '\0')
            cuzk_json_write_member_string(json, "hint", session->hint);
        cuzk_json_write_object_end(json);
        (void)cli_session_answer_end(session, NULL);
    }
    return code;
}
