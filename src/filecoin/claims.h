/* The part of a vanilla proof that repeats what its columns already say: the label lists that were hashed,
 * and the nodes named. Internal to the makers of C1 outputs (sealing, synth). */
#ifndef CUZK_FILECOIN_CLAIMS_H
#define CUZK_FILECOIN_CLAIMS_H

#include "filecoin/c1.h"

/* Fills claims from a challenge whose node and columns (labels, path indexes) are filled. Errors: MEMORY. */
enum cuzk_status cuzk_c1_fill_claims(struct cuzk_c1 *c1, const struct cuzk_porep_challenge *challenge,
                                     struct cuzk_c1_claims *claims, struct cuzk_error *err);

#endif
