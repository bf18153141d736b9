/* Runs a circuit in each mode and keeps what comes out, for tests of the circuit layer. */
#ifndef CUZK_TESTS_SYNTHESIS_H
#define CUZK_TESTS_SYNTHESIS_H

#include <stddef.h>
#include <stdint.h>

#include "circuit/cs.h"
#include "circuit/digest.h"
#include "r1cs/witness.h"

/* Builds the circuit under test; `context` is the test's own. */
typedef void synthesis_fn(struct cuzk_cs *cs, void *context);

struct synthesis {
    struct cuzk_cs_counts counts;
    struct cuzk_digest digest;
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness; /* by the direct routines */
};

/* Records, makes the witness with and without the direct routines (they must be equal) and checks it: every
 * constraint must hold. Fails the running test otherwise. */
void synthesis_run(synthesis_fn *build, void *context, uint32_t checkpoint_every, struct synthesis *out);
void synthesis_free(struct synthesis *synthesis);

/* SHA-256 of the canonical witness stream: all aux values, 32 bytes each. */
void synthesis_witness_digest(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                              uint8_t digest[32]);

#endif
