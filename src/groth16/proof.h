/*
 * A Groth16 proof: A in G1, B in G2, C in G1, compressed one after the other (curve/encoding.h), 192 bytes.
 * The proof of several partitions is their concatenation.
 */
#ifndef CUZK_GROTH16_PROOF_H
#define CUZK_GROTH16_PROOF_H

#include "curve/encoding.h"

enum { CUZK_PROOF_BYTES = 2 * CUZK_G1_BYTES + CUZK_G2_BYTES };

struct cuzk_proof {
    struct cuzk_g1_affine a, c;
    struct cuzk_g2_affine b;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Errors: INPUT, naming the point and its offset: no canonical encoding, off the curve, outside the subgroup,
 * or infinity, which no point of a proof may be. */
enum cuzk_status cuzk_proof_decode(const uint8_t bytes[CUZK_PROOF_BYTES], struct cuzk_proof *out,
                                   struct cuzk_error *err);

/* n proofs one after the other. Errors: as above, of the first bad proof, whose number goes to *bad. */
enum cuzk_status cuzk_proof_decode_many(const uint8_t *bytes, size_t n, struct cuzk_proof *out, size_t *bad,
                                        struct cuzk_error *err);

void cuzk_proof_encode(const struct cuzk_proof *proof, uint8_t bytes[CUZK_PROOF_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
