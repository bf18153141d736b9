/* Which cuzk this is. Static storage. */
#ifndef CUZK_BASE_VERSION_H
#define CUZK_BASE_VERSION_H

/* "0.1.0". Also part of the C library (include/cuzk.h). */
__attribute__((visibility("default"))) const char *cuzk_version(void);

/* The short commit this was built from, with "-dirty" behind it where sources differed; "unknown" outside a
 * checkout. */
const char *cuzk_commit(void);

#endif
