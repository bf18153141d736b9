#include "base/progress.h"

#include <stddef.h>

void cuzk_progress_report(const struct cuzk_progress *progress, const char *stage, uint64_t done,
                          uint64_t total)
{
    if (progress != NULL && progress->report != NULL)
        progress->report(progress->context, stage, done, total);
}

enum cuzk_status cuzk_progress_check(const struct cuzk_progress *progress, struct cuzk_error *err)
{
    if (progress != NULL && progress->cancelled != NULL && progress->cancelled(progress->context))
        return cuzk_error_set(err, CUZK_CANCELLED, "stopped on request");
    return CUZK_OK;
}
