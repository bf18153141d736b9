/*
 * Public inputs as people hand them over: JSON, one list of hex strings (32 bytes, little-endian) for each
 * partition, without the leading one. Accepted forms: JSON lines of {"inputs": [...]} or of [...], and one
 * array of such lists.
 */
#ifndef CUZK_ENGINE_PUBLIC_FILE_H
#define CUZK_ENGINE_PUBLIC_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "field/fr.h"

enum { CUZK_PUBLIC_PARTITIONS_MOST = 1024, CUZK_PUBLIC_BYTES_MOST = 1 << 26 };

struct cuzk_public_file {
    size_t partitions;
    size_t counts[CUZK_PUBLIC_PARTITIONS_MOST]; /* inputs of each partition */
    struct cuzk_fr *values;                     /* all, one partition behind the other; owned */
};

/* Errors: INPUT (not such a document, a value not below the modulus), MEMORY. *out is zero on failure. */
enum cuzk_status cuzk_public_file_decode(const char *name, const void *text, size_t length,
                                         struct cuzk_public_file *out, struct cuzk_error *err);

/* Fine on a zeroed one. */
void cuzk_public_file_destroy(struct cuzk_public_file *file);

#endif
