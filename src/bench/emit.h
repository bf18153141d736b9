/* Formatted text to a sink; the first failure is kept and ends all that follows. For the files of this layer.
 */
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
