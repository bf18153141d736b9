#include "base/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *cuzk_environment_text(const char *name)
{
    const char *text = getenv(name);

    return text != NULL && *text != '\0' ? text : NULL;
}

enum cuzk_status cuzk_environment_set(const char *name, const char *text, struct cuzk_error *err)
{
    if (text != NULL && setenv(name, text, 1) != 0)
        return cuzk_error_set(err, CUZK_IO, "%s: %s", name, strerror(errno));
    return CUZK_OK;
}
