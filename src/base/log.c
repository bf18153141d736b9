#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void cuzk_log_line(const struct cuzk_log *log, enum cuzk_log_level level, const char *format, ...)
{
    char message[1024];
    va_list args;

    if (log == NULL || log->line == NULL || level > log->level)
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
