/* The witness of the SHA-256 gadget from 32-bit operations. Internal to the circuit layer. */
#ifndef CUZK_CIRCUIT_SHA256_DIRECT_H
#define CUZK_CIRCUIT_SHA256_DIRECT_H

#include <stddef.h>
#include <stdint.h>

#include "circuit/cs.h"

/* A word of which some bits are constants or negated variables; `value` is what the booleans evaluate to. */
struct cuzk_sha256_word {
    uint32_t value;
    uint32_t constant; /* bit set: that bit is a constant */
    uint32_t negated;  /* bit set: that bit is the negation of a variable */
};

/* One block: appends the values of all variables that the gadget allocates, in its order, and advances the
 * state. Words in message order, bit 31 the first bit of the message. */
void cuzk_sha256_direct_block(struct cuzk_cs *cs, const struct cuzk_sha256_word message[16],
                              struct cuzk_sha256_word state[8]);

#endif
