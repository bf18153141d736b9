/*
 * Making Groth16 parameters for a circuit from toxic waste: for tests, or by somebody who is trusted.
 *
 * With u, v, w the columns at tau and Z = tau^domain - 1: h[i] = tau^i Z / delta for i < domain - 1; l =
 * (beta u + alpha v
 * + w) / delta over aux; ic the same over gamma over inputs; a = u, b = v over inputs then aux, zero entries
 * left out. Generators are the standard ones. The points are made in chunks and written as they come; memory
 * is the three columns (32 bytes a variable each) and a few chunks, whatever the size of the key.
 */
#ifndef CUZK_GROTH16_SETUP_H
#define CUZK_GROTH16_SETUP_H

#include <stdbool.h>

#include "backend/backend.h"
#include "base/progress.h"
#include "base/sink.h"
#include "groth16/toxic.h"
#include "groth16/vk.h"
#include "r1cs/r1cs.h"

/* Writes the bytes of a .params file to the sink, and leaves the verifying key in *vk (free with
 * cuzk_vk_destroy). Errors: ARGUMENT (a value of the toxic waste is zero or tau lies in the domain), INPUT
 * (an aux variable is in no constraint, so that l would hold infinity; its number is named), MEMORY,
 * CANCELLED, the sink's own. *vk is zero on failure. */
enum cuzk_status cuzk_setup(struct cuzk_backend *backend, struct cuzk_pool *pool,
                            const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                            struct cuzk_sink params, const struct cuzk_progress *progress, struct cuzk_vk *vk,
                            struct cuzk_error *err);

/* The same into a .params and a .vk file, both under temporary names until complete. Unless `replace`,
 * existing files are refused before any work is done. `copy` is given the bytes of the .params file too
 * (write may be NULL). Errors: those of cuzk_setup and of copy, EXISTS, IO. */
enum cuzk_status cuzk_setup_files(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                  const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                                  const char *params_path, const char *vk_path, bool replace,
                                  struct cuzk_sink copy, const struct cuzk_progress *progress,
                                  struct cuzk_error *err);

#endif
