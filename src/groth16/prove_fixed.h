/* Proving with given r and s: for tests and cuzk-oracle alone. A proof made so is not zero-knowledge. */
#ifndef CUZK_GROTH16_PROVE_FIXED_H
#define CUZK_GROTH16_PROVE_FIXED_H

#include "groth16/proving.h"

/* The sums that a proof is made of, before r and s. */
struct cuzk_proof_sums {
    struct cuzk_g1 h, l, a_inputs, a_aux, b_g1_inputs, b_g1_aux;
    struct cuzk_g2 b_g2_inputs, b_g2_aux;
};

/* As cuzk_prover_prove, verification included; sums may be NULL. */
enum cuzk_status cuzk_prover_prove_fixed(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                                         const struct cuzk_fr *r, const struct cuzk_fr *s,
                                         struct cuzk_proof_sums *sums, uint8_t proof[CUZK_PROOF_BYTES],
                                         struct cuzk_error *err);

/* The same for a proof in stages: before `finish`, and after `sums`. */
void cuzk_proving_fix(struct cuzk_proving *proving, const struct cuzk_fr *r, const struct cuzk_fr *s);
const struct cuzk_proof_sums *cuzk_proving_proof_sums(const struct cuzk_proving *proving);

/* The key as its backend has it, to run single operations on; lives as long as the prover. */
struct cuzk_backend_key *cuzk_prover_key(const struct cuzk_prover *prover);

#endif
