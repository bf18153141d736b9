#include "base/version.h"

#include "commit.h" /* made by cmake/commit.cmake at build time */

const char *cuzk_version(void)
{
    return CUZK_VERSION;
}

const char *cuzk_commit(void)
{
    return CUZK_COMMIT;
}
