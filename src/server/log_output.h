/*
 * Where the daemon's lines go: logfmt or JSON, a line a message, to standard error or to the journal.
 *
 * Every line has time, level and message; "job 0123456789abcdef" in a message becomes a member `job` too.
 * What comes from outside cannot break a line or speak to a terminal: control characters are escaped, bytes
 * that are no UTF-8 are replaced. A line like one that was written lately (digits aside) is counted instead;
 * the next that is written says how many were left out; debug lines are all written. Thread-safe.
 */
#ifndef CUZK_SERVER_LOG_OUTPUT_H
#define CUZK_SERVER_LOG_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "server/config.h"

enum cuzk_log_format { CUZK_LOG_LOGFMT, CUZK_LOG_JSON };

struct cuzk_log_output_options {
    enum cuzk_log_level level;
    enum cuzk_log_format format;
    bool journal;       /* "<6>" before a line, which the journal takes for its level, and no time */
    uint64_t repeat_ms; /* 0: every line is written */
    int descriptor;     /* lines are written to it, each by one call */
};

struct cuzk_log_output;

enum cuzk_status cuzk_log_output_create(const struct cuzk_log_output_options *options,
                                        struct cuzk_log_output **out, struct cuzk_error *err);
void cuzk_log_output_destroy(struct cuzk_log_output *output);

/* What layers below are given; lives as long as the output. */
const struct cuzk_log *cuzk_log_output_log(struct cuzk_log_output *output);

/* Level, format and repeat of running output change; where it goes does not. */
void cuzk_log_output_change(struct cuzk_log_output *output, const struct cuzk_log_output_options *options);

/* The rows under "log" as options; descriptor is standard error. */
void cuzk_log_output_of_config(const struct cuzk_config_values *values, struct cuzk_log_output_options *out);

/* One line as it would be written, newline included: cut, still whole, where the room ends. job may be NULL.
 * unix_ns: nanoseconds since 1970; repeated: lines left out before it. Returns its length. room: 256 or more.
 */
size_t cuzk_log_output_format(const struct cuzk_log_output_options *options, enum cuzk_log_level level,
                              const char *message, const char *job, uint64_t repeated, uint64_t unix_ns,
                              char *text, size_t room);

#endif
