/* Formatted text to a sink, up to 4095 bytes a call; the first failure is kept and ends all that follows. One
 * thread at a time. */
#ifndef CUZK_BENCH_EMIT_H
#define CUZK_BENCH_EMIT_H

#include "base/error.h"
#include "base/sink.h"

struct cuzk_bench_emit {
    struct cuzk_sink sink;
    struct cuzk_error *err;
    enum cuzk_status status;
};

void cuzk_bench_emit(struct cuzk_bench_emit *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
