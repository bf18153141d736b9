/* Deriving a key (groth16/derived.h) from a parameter file. */
#ifndef CUZK_GROTH16_DERIVE_H
#define CUZK_GROTH16_DERIVE_H

#include "base/sink.h"
#include "groth16/derived.h"
#include "groth16/params.h"
#include "r1cs/r1cs.h"

/* Writes the whole file: two transforms of the points of h, by the backend, then the columns of C over the
 * second one's. r1cs with C; digest: of the parameters' file. Memory: 96 bytes a row for the points, eight a
 * term of C. Errors: INPUT (a point of the parameters is not on its curve; counts that are not this
 * circuit's; a point of the result is infinity), MEMORY, CANCELLED, the backend's and the sink's own. */
enum cuzk_status cuzk_derive(struct cuzk_backend *backend, struct cuzk_pool *pool,
                             const struct cuzk_r1cs *r1cs, const struct cuzk_params *params,
                             const uint8_t digest[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_sink sink,
                             const struct cuzk_progress *progress, struct cuzk_error *err);

#endif
