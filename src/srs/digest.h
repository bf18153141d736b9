/*
 * Digests of parameter files: made once, remembered beside the file, held against what is expected.
 *
 * A digest is the first 16 bytes of BLAKE2b-512 as 32 hex digits, the form of the public manifest. It is
 * remembered in FILE.digest, a line with the file's size and modification time: a file that changed is read
 * again, and one that was written this very moment is not remembered yet. In a production directory, and
 * where FILE.digest cannot be written, the line goes to the cache directory instead (srs/cache.h). Any number
 * of threads; two that find nothing remembered both read the file.
 */
#ifndef CUZK_SRS_DIGEST_H
#define CUZK_SRS_DIGEST_H

#include "base/error.h"
#include "base/progress.h"
#include "srs/circuit_id.h"

enum { CUZK_DIGEST_TEXT = 33 };

/* Reads the whole file. Errors: NOT_FOUND, IO, CANCELLED. */
enum cuzk_status cuzk_parameter_digest(const char *path, const struct cuzk_progress *progress,
                                       char hex[CUZK_DIGEST_TEXT], struct cuzk_error *err);

/* The same, from what is remembered where the file has not changed since. */
enum cuzk_status cuzk_parameter_digest_once(const char *path, const struct cuzk_progress *progress,
                                            char hex[CUZK_DIGEST_TEXT], struct cuzk_error *err);

/* Remembers what is known already of a file that is complete. What cannot be remembered is no failure. */
void cuzk_parameter_digest_keep(const char *path, const char hex[CUZK_DIGEST_TEXT]);

/* Holds a .params file against the manifest of a test key beside it (NAME.test.json), else against the
 * published digest of the circuit. Where neither says anything every file passes, unread. Errors: INPUT (the
 * digest is another: names file, expected and found; or the manifest is not one), and those above. */
enum cuzk_status cuzk_parameter_check(const char *path, const struct cuzk_circuit_id *id,
                                      const struct cuzk_progress *progress, struct cuzk_error *err);

#endif
