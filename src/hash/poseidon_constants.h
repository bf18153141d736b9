/* Computes the constants of a Poseidon instance. Internal to the hash layer. */
#ifndef CUZK_HASH_POSEIDON_CONSTANTS_H
#define CUZK_HASH_POSEIDON_CONSTANTS_H

#include "hash/poseidon.h"

/* Fills an instance for an arity of 2, 4, 8 or 11. */
void cuzk_poseidon_generate(unsigned arity, struct cuzk_poseidon *out);

#endif
