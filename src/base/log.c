#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

bool cuzk_log_wants(const struct cuzk_log *log, enum cuzk_log_level level)
{
    return log != NULL && log->line != NULL && level <= __atomic_load_n(&log->level, __ATOMIC_RELAXED);
}

void cuzk_log_set_level(struct cuzk_log *log, enum cuzk_log_level level)
{
    __atomic_store_n(&log->level, level, __ATOMIC_RELAXED);
}

void cuzk_log_line(const struct cuzk_log *log, enum cuzk_log_level level, const char *format, ...)
{
    char message[1024];
    va_list args;

    if (!cuzk_log_wants(log, level))
        return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    log->line(log->context, level, message);
}

const char *cuzk_log_level_name(enum cuzk_log_level level)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};

    return (unsigned)level < sizeof names / sizeof names[0] ? names[level] : "unknown";
}
