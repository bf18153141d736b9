/* Reads a proof file: raw bytes, or the same as hex digits. */
#ifndef CUZK_CLI_PROOF_FILE_H
#define CUZK_CLI_PROOF_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { CLI_PROOF_BYTES_MOST = 1 << 20 };

/* *bytes is the caller's to free (cuzk_mem_free). Errors: NOT_FOUND, INPUT, IO, MEMORY. */
enum cuzk_status cli_proof_read(const char *path, uint8_t **bytes, size_t *length, struct cuzk_error *err);

#endif
