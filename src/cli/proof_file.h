/* Proofs as files, raw bytes or the same as hex digits, and as a line of hex. */
#ifndef CUZK_CLI_PROOF_FILE_H
#define CUZK_CLI_PROOF_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/session.h"

enum { CLI_PROOF_BYTES_MOST = 1 << 20 };

/* *bytes is the caller's to free (cuzk_mem_free). Errors: NOT_FOUND, INPUT, IO, MEMORY. */
enum cuzk_status cli_proof_read(const char *path, uint8_t **bytes, size_t *length, struct cuzk_error *err);

/* A proof as one line of hex, on standard output. Errors: MEMORY. */
enum cuzk_status cli_proof_say(struct cli_session *session, const uint8_t *proof, size_t length,
                               struct cuzk_error *err);

#endif
