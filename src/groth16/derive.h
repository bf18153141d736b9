/* Deriving a key (groth16/derived.h) from a parameter file. */
#ifndef CUZK_GROTH16_DERIVE_H
#define CUZK_GROTH16_DERIVE_H

#include "base/sink.h"
#include "groth16/derived.h"
#include "groth16/params.h"
#include "r1cs/r1cs.h"

/* Who knows the digest of the parameters' file; it may have to read all of it. */
struct cuzk_derive_digest {
    enum cuzk_status (*make)(void *context, const struct cuzk_progress *progress,
                             uint8_t out[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_error *err);
    void *context;
};

/*
 * Writes the whole file: two transforms of the points of h, by the backend. Beside the first, on another
 * thread, C is sorted by columns and the digest made; beside the second the columns are folded into l
 * (groth16/fold.h) and written. With a pool of one thread all of that comes one after the other.
 *
 * r1cs with C. Nobody else uses the backend meanwhile; the pool may be shared. Progress is one stage, the
 * products of both transforms, and then the rest of the fold; a request to stop is seen within a second or
 * so. Memory: 192 bytes a row for the points, eight a term of C and a variable; pages of the parameters are
 * given back. Errors: INPUT (a point of the parameters is not on its curve; counts that are not this
 * circuit's; a point of the result is infinity), MEMORY, CANCELLED, the backend's, the digest's and the
 * store's own.
 */
enum cuzk_status cuzk_derive(struct cuzk_backend *backend, struct cuzk_pool *pool,
                             const struct cuzk_r1cs *r1cs, const struct cuzk_params *params,
                             const struct cuzk_derive_digest *digest, struct cuzk_store store,
                             const struct cuzk_progress *progress, struct cuzk_error *err);

#endif
