/* Where bytes go: a file, a hash, a buffer. Passed by value; the context belongs to whoever made the sink. */
#ifndef CUZK_BASE_SINK_H
#define CUZK_BASE_SINK_H

#include <stddef.h>

#include "base/error.h"

struct cuzk_sink {
    /* Takes all n bytes or fails. Calls come one at a time, in order. */
    enum cuzk_status (*write)(void *context, const void *bytes, size_t n, struct cuzk_error *err);
    void *context;
};

#endif
