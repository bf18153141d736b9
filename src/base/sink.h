/* Where bytes go: a file, a hash, a buffer. Passed by value; the context belongs to whoever made the sink. */
#ifndef CUZK_BASE_SINK_H
#define CUZK_BASE_SINK_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cuzk_sink {
    /* Takes all n bytes or fails. Calls come one at a time, in order. */
    enum cuzk_status (*write)(void *context, const void *bytes, size_t n, struct cuzk_error *err);
    void *context;
};

/* The same in any order. */
struct cuzk_store {
    /* Puts n bytes at an offset, or fails. Calls may come from several threads at once; no byte is put twice.
     */
    enum cuzk_status (*write_at)(void *context, uint64_t offset, const void *bytes, size_t n,
                                 struct cuzk_error *err);
    /* Fails at once where so many bytes in all are more than there is room for, as far as that can be known;
     * NULL: nobody knows. */
    enum cuzk_status (*reserve)(void *context, uint64_t bytes, struct cuzk_error *err);
    void *context;
};

#endif
