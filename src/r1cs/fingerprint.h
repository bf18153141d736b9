/* What tells circuits apart that a prover has in memory: a hash over A and B as stored. */
#ifndef CUZK_R1CS_FINGERPRINT_H
#define CUZK_R1CS_FINGERPRINT_H

#include <stdint.h>

#include "r1cs/r1cs.h"

enum { CUZK_FINGERPRINT_BYTES = 32 };

/* BLAKE2b of the numbers of a system, its coefficients, its window, and the stored rows of A and B. C does
 * not count: provers drop it. The same for the same circuit by the same build; not the canonical digest (cuzk
 * circuit digest), which takes minutes. */
void cuzk_r1cs_fingerprint(const struct cuzk_r1cs *r1cs, uint8_t out[CUZK_FINGERPRINT_BYTES]);

#endif
