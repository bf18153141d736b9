/*
 * Messages for people: warnings about input, facts worth a line. Lower layers never print; they hand a line
 * to the log they were given. A NULL log discards. Callbacks may come from several threads at once.
 */
#ifndef CUZK_BASE_LOG_H
#define CUZK_BASE_LOG_H

#include <stdbool.h>

enum cuzk_log_level {
    CUZK_LOG_ERROR,
    CUZK_LOG_WARNING,
    CUZK_LOG_INFO,
    CUZK_LOG_DEBUG,
};

struct cuzk_log {
    enum cuzk_log_level level; /* lines above it are dropped before they are formatted; cuzk_log_set_level */
    void (*line)(void *context, enum cuzk_log_level level, const char *message); /* no newline at the end */
    void *context;
};

/* Formats one line (at most 1023 bytes, cut where longer) and hands it on. */
void cuzk_log_line(const struct cuzk_log *log, enum cuzk_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Whether a line of this level is handed on, for callers whose lines cost more than the call. */
bool cuzk_log_wants(const struct cuzk_log *log, enum cuzk_log_level level);

/* Changes the level while others log. */
void cuzk_log_set_level(struct cuzk_log *log, enum cuzk_log_level level);

/* "error", "warning", "info", "debug". */
const char *cuzk_log_level_name(enum cuzk_log_level level);

#endif
