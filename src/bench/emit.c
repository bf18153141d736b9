#include "bench/emit.h"

#include <stdarg.h>
#include <stdio.h>

enum { LINE_ROOM = 4096 };

void cuzk_bench_emit(struct cuzk_bench_emit *out, const char *format, ...)
{
    char text[LINE_ROOM];
    va_list args;

    if (out->status != CUZK_OK)
        return;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const size_t length = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;

    out->status = out->sink.write(out->sink.context, text, length, out->err);
}
