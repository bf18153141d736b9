/*
 * Where parameter files live, and whether they are the published ones.
 *
 * The directory is the caller's choice, else $FIL_PROOFS_PARAMETER_CACHE, else
 * /var/tmp/filecoin-proof-parameters; these two hold production parameters and are never written to without
 * being told so. A key made by `cuzk setup` has a manifest beside it (NAME.test.json).
 */
#ifndef CUZK_SRS_DIRECTORY_H
#define CUZK_SRS_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "srs/circuit_id.h"

#define CUZK_PARAMETER_VARIABLE  "FIL_PROOFS_PARAMETER_CACHE"
#define CUZK_PARAMETER_DIRECTORY "/var/tmp/filecoin-proof-parameters"

enum { CUZK_PARAMETER_PATH = 4096 };

/* The directory in force: `given` unless it is NULL. Borrowed from argument, environment or literal. */
const char *cuzk_parameter_directory(const char *given);

/* Whether a path names a production directory (resolved, so links do not hide it). */
bool cuzk_parameter_directory_is_production(const char *path);

/* The path of a circuit's file with `suffix` (".params", ".vk", ".test.json") in a directory, whether it is
 * there or not. Errors: ARGUMENT. */
enum cuzk_status cuzk_parameter_path(const char *directory, const struct cuzk_circuit_id *id,
                                     const char *suffix, char path[CUZK_PARAMETER_PATH],
                                     struct cuzk_error *err);

/* The same, and the file must be readable. Errors: NOT_FOUND, which says what was wanted and where it was
 * looked for. */
enum cuzk_status cuzk_parameter_find(const char *directory, const struct cuzk_circuit_id *id,
                                     const char *suffix, char path[CUZK_PARAMETER_PATH],
                                     struct cuzk_error *err);

/* What a user can do about missing parameters, one line. */
void cuzk_parameter_advice(const char *directory, const struct cuzk_circuit_id *id, char *text, size_t room);

enum cuzk_parameter_origin {
    CUZK_PARAMETERS_PUBLISHED, /* the digest is the published one */
    CUZK_PARAMETERS_TEST,      /* made for tests: a manifest says so, or no parameters were published */
    CUZK_PARAMETERS_OTHER,     /* the digest differs from the published one */
};

/* Where the .params file of a circuit in a directory comes from. Where no manifest says "test", the file is
 * digested, once (srs/digest.h). */
enum cuzk_status cuzk_parameter_origin(const char *directory, const struct cuzk_circuit_id *id,
                                       const struct cuzk_progress *progress, enum cuzk_parameter_origin *out,
                                       struct cuzk_error *err);

/* Writes the manifest of a key made for tests; seed is NULL for a key from the kernel's randomness. The files
 * must be there. Errors: EXISTS, IO. */
enum cuzk_status cuzk_parameter_manifest_write(const char *directory, const struct cuzk_circuit_id *id,
                                               const uint8_t seed[32], const struct cuzk_progress *progress,
                                               struct cuzk_error *err);

#endif
