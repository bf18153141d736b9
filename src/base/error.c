#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __clang_analyzer__
#undef cuzk_error_set
#undef cuzk_error_prefix
#endif

static const struct {
    int exit_code;
    const char *text;
} statuses[] = {
#define X(name, exit_code, text) {exit_code, text},
    CUZK_STATUS_MAP(X)
#undef X
};

const char *cuzk_status_text(enum cuzk_status status)
{
    if ((unsigned)status >= sizeof statuses / sizeof statuses[0])
        return "unknown status";
    return statuses[status].text;
}

int cuzk_status_exit_code(enum cuzk_status status)
{
    if ((unsigned)status >= sizeof statuses / sizeof statuses[0])
        return 5;
    return statuses[status].exit_code;
}

enum cuzk_status cuzk_error_set(struct cuzk_error *err, enum cuzk_status status, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return status;
    err->status = status;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

enum cuzk_status cuzk_error_prefix(struct cuzk_error *err, enum cuzk_status status, const char *format, ...)
{
    char prefix[CUZK_ERROR_TEXT], old[CUZK_ERROR_TEXT];
    va_list args;

    if (err == NULL)
        return status;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    memcpy(old, err->message, sizeof old);
    old[sizeof old - 1] = '\0';
    err->status = status;
    size_t used = strnlen(prefix, sizeof prefix);
    size_t room = sizeof err->message - 1;
    if (used > room - 2)
        used = room - 2;
    memcpy(err->message, prefix, used);
    memcpy(err->message + used, ": ", 2);
    used += 2;
    size_t tail = strnlen(old, sizeof old);
    if (tail > room - used)
        tail = room - used;
    memcpy(err->message + used, old, tail);
    err->message[used + tail] = '\0';
    return status;
}
