/* A sink that collects a terminated text, for tests. */
#ifndef CUZK_TESTS_SERVER_TEXT_SINK_H
#define CUZK_TESTS_SERVER_TEXT_SINK_H

#include <stdlib.h>
#include <string.h>

#include "base/sink.h"

struct text_sink {
    char *text; /* free() it */
    size_t used;
};

static inline enum cuzk_status text_sink_write(void *context, const void *bytes, size_t n,
                                               struct cuzk_error *err)
{
    struct text_sink *sink = context;

    (void)err;
    sink->text = realloc(sink->text, sink->used + n + 1);
    memcpy(sink->text + sink->used, bytes, n);
    sink->used += n;
    sink->text[sink->used] = '\0';
    return CUZK_OK;
}

#endif
