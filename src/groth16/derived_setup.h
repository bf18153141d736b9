/* A derived key (groth16/derived.h) straight from the toxic waste that its parameters were made from: the
 * same bytes that deriving it from them gives, at the price of fixed-base products. For tests and benchmarks.
 */
#ifndef CUZK_GROTH16_DERIVED_SETUP_H
#define CUZK_GROTH16_DERIVED_SETUP_H

#include "base/sink.h"
#include "groth16/derived.h"
#include "groth16/toxic.h"
#include "r1cs/r1cs.h"

/* Writes the whole file. r1cs with C; params: digest of the parameters' file. Memory: five elements a
 * variable and one a row. Errors: ARGUMENT (tau lies in the domain or its coset), INPUT (a point is
 * infinity), MEMORY, CANCELLED, the store's own. */
enum cuzk_status cuzk_derived_setup(struct cuzk_backend *backend, struct cuzk_pool *pool,
                                    const struct cuzk_r1cs *r1cs, const struct cuzk_toxic *toxic,
                                    const uint8_t params[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_store store,
                                    const struct cuzk_progress *progress, struct cuzk_error *err);

#endif
