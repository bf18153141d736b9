/*
 * One run of the program: what the user asked to see, and how results, notes and progress reach them.
 *
 * Results go to standard output (text, or one JSON object with --json), everything else to standard error.
 */
#ifndef CUZK_CLI_SESSION_H
#define CUZK_CLI_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/option.h"
#include "base/pool.h"
#include "base/progress.h"

struct cli_terminal;
struct cli_command;

struct cli_session {
    bool json;
    bool quiet;
    const struct cli_command *command; /* what runs; set by main, for functions that several commands share */
    const char *const *words;          /* behind its name, as they were typed: word_count of them */
    int word_count;
    bool answered; /* the result is out: an INVALID status then needs no error line */
    struct cli_terminal *terminal;
    struct cuzk_log log;
    struct cuzk_progress progress;
    struct cuzk_pool *pool; /* cli_session_pool makes it */
    uint64_t started_ns;
    char hint[1024]; /* what the user can do about the error; empty for none */
    struct cuzk_json_writer writer;
    struct cuzk_error writer_error;
};

enum cuzk_status cli_session_open(struct cli_session *session, bool json, bool quiet, bool verbose,
                                  struct cuzk_error *err);
void cli_session_close(struct cli_session *session);

/* Makes the session's pool; threads not set means all processors. */
enum cuzk_status cli_session_pool(struct cli_session *session, struct cuzk_option_number threads,
                                  struct cuzk_error *err);

/* Whether the option --name was typed, not only set by the environment or its default. */
bool cli_session_typed(const struct cli_session *session, const char *name);

/* Sets the hint that is printed below an error. */
void cli_session_hint(struct cli_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One line of a result, for people; nothing in JSON mode. */
void cli_session_say(struct cli_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A note on standard error; nothing with --quiet. Warnings are cuzk_log_line(&session->log, ...). */
void cli_session_note(struct cli_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The result as a JSON object: members are written between begin and end, which does nothing without --json
 * (begin then returns NULL, so the caller skips). */
struct cuzk_json_writer *cli_session_answer_begin(struct cli_session *session);
enum cuzk_status cli_session_answer_end(struct cli_session *session, struct cuzk_error *err);

/* Prints the error line and the hint (and, with --json, the error object); returns the exit code. */
int cli_session_fail(struct cli_session *session, enum cuzk_status status, const struct cuzk_error *error);

/* A sink onto standard output. */
struct cuzk_sink cli_session_stdout(void);

#endif
