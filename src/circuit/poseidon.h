/*
 * Poseidon in a circuit, in the form of neptune 11 before its second circuit version: each S-box is three
 * products (l^2, l^4, l^5 + next key), its input is allocated and bound by a constraint from the second round
 * on, everything linear stays a combination. The domain tag is a constant and so is its first S-box.
 *
 * An arity of 2, 4, 8 or 11 takes 311, 377, 505 or 598 constraints and as many variables.
 */
#ifndef CUZK_CIRCUIT_POSEIDON_H
#define CUZK_CIRCUIT_POSEIDON_H

#include "circuit/num.h"
#include "hash/poseidon.h"

/* The hash of `arity` elements. */
struct cuzk_num cuzk_poseidon_gadget(struct cuzk_cs *cs, unsigned arity, enum cuzk_poseidon_tag tag,
                                     const struct cuzk_num *preimage);

/* The same at once in several builders that stand at like places: cs[k] gets the hash of preimages[k], for k
 * < n
 * <= CUZK_CS_LANES. */
void cuzk_poseidon_gadget_lanes(struct cuzk_cs *const *cs, unsigned n, unsigned arity,
                                enum cuzk_poseidon_tag tag, const struct cuzk_num *const *preimages,
                                struct cuzk_num *out);

#endif
