/* The files of a test sector's directory: each appears whole or not at all. */
#ifndef CUZK_FILECOIN_SECTOR_FILE_H
#define CUZK_FILECOIN_SECTOR_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file.h"
#include "field/fr.h"

struct cuzk_sector_directory {
    const char *path;
    bool replace; /* files that are there already; refused otherwise */
};

/* Opens a file of the directory for writing; cuzk_file_out_close ends it. Errors: ARGUMENT (the name is too
 * long), EXISTS, IO, MEMORY. */
enum cuzk_status cuzk_sector_file_open(const struct cuzk_sector_directory *directory, const char *name,
                                       struct cuzk_file_out **out, struct cuzk_error *err);

/* A whole file of bytes; of field elements, 32 bytes little-endian each. */
enum cuzk_status cuzk_sector_file_bytes(const struct cuzk_sector_directory *directory, const char *name,
                                        const void *bytes, size_t n, struct cuzk_error *err);
enum cuzk_status cuzk_sector_file_elements(const struct cuzk_sector_directory *directory, const char *name,
                                           const struct cuzk_fr *elements, size_t n, struct cuzk_error *err);

#endif
