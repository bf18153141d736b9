/*
 * How a long operation tells its caller where it is, and learns that it should stop.
 *
 * Whoever starts the work owns the struct and gives it down by pointer; NULL means that nobody listens. Both
 * functions may be called from several threads at once, so an implementation of the callbacks must allow it.
 */
#ifndef CUZK_BASE_PROGRESS_H
#define CUZK_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cuzk_progress {
    /* `done` of `total` units of `stage` ("points of h") are finished; total 0 means unknown. NULL allowed.
     */
    void (*report)(void *context, const char *stage, uint64_t done, uint64_t total);
    /* Whether the work should stop. NULL means never. */
    bool (*cancelled)(void *context);
    void *context;
};

/* Reports; cheap enough for every few milliseconds of work, not for every element. */
void cuzk_progress_report(const struct cuzk_progress *progress, const char *stage, uint64_t done,
                          uint64_t total);

/* OK, or CANCELLED with a message where the caller wants to stop. To be asked at least every second. */
enum cuzk_status cuzk_progress_check(const struct cuzk_progress *progress, struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
