/* Variables of the environment that stand for options. */
#ifndef CUZK_BASE_ENVIRONMENT_H
#define CUZK_BASE_ENVIRONMENT_H

#include "base/error.h"

/* Its value; NULL where it is not set or empty. */
const char *cuzk_environment_text(const char *name);

/* Puts an option's value into force, for this process and those that it starts; NULL leaves all as it is.
 * While one thread runs. Errors: IO. */
enum cuzk_status cuzk_environment_set(const char *name, const char *text, struct cuzk_error *err);

#endif
