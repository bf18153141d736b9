/*
 * Making Groth16 proofs through a backend.
 *
 * A prover binds a circuit (matrices, layout) to its parameters on one backend. Densities are taken from the
 * matrices: a holds every input and the aux variables of A, b_g1 and b_g2 the inputs and aux variables of B.
 * With r and s random: A = alpha + sum a + r delta; B = beta + sum b_g2 + s delta; C = sum h + sum l + s
 * (alpha + sum a)
 * + r (beta + sum b_g1) + r s delta. The values of C z are never computed, so every proof is verified before
 * it is returned: a witness that does not satisfy the circuit ends as UNSATISFIED.
 *
 * A prover may serve several threads at once; circuit, layout and parameters are borrowed and must outlive
 * it.
 */
#ifndef CUZK_GROTH16_PROVE_H
#define CUZK_GROTH16_PROVE_H

#include "backend/backend.h"
#include "base/progress.h"
#include "groth16/derived.h"
#include "groth16/params.h"
#include "groth16/proof.h"
#include "r1cs/r1cs.h"
#include "r1cs/witness.h"

/* Where the time of a proof went, nanoseconds. */
struct cuzk_prove_times {
    struct cuzk_backend_times backend;
    uint64_t finish; /* the last additions, encoding and verification */
    uint64_t total;
};

/* How the points of a key are arranged, where it does not come from a .params file of this project. */
struct cuzk_key_form {
    uint64_t row_step; /* as in struct cuzk_backend_plan */
    enum cuzk_h_basis h_basis;
    const uint64_t *l_aux;              /* bitmap of the aux variables that l has; NULL: all; borrowed */
    const struct cuzk_derived *derived; /* h and l are this key's, in place of the parameters'; h_basis is
                                           then CUZK_H_COSET; NULL: there is none; borrowed */
};

struct cuzk_prover;

/* form may be NULL: that of .params files. Errors: INPUT (the parameters' or the derived key's counts are not
 * those of this circuit; both are named), MEMORY. */
enum cuzk_status cuzk_prover_create(struct cuzk_backend *backend, const struct cuzk_r1cs *r1cs,
                                    const struct cuzk_witness_layout *layout,
                                    const struct cuzk_params *params, const struct cuzk_key_form *form,
                                    struct cuzk_prover **out, struct cuzk_error *err);
void cuzk_prover_destroy(struct cuzk_prover *prover);

/* The queries that public inputs meet. */
unsigned cuzk_prover_input_queries(const struct cuzk_prover *prover);

/* The parameters that it was made with. */
const struct cuzk_params *cuzk_prover_params(const struct cuzk_prover *prover);

/* One proof, r and s from the kernel. proof: A, B, C compressed. times may be NULL. Errors: UNSATISFIED (with
 * the number of the first constraint that does not hold, where the matrix C is at hand), INPUT (a point of
 * the parameters is bad), MEMORY, IO (no randomness), CANCELLED, and the backend's own. */
enum cuzk_status cuzk_prover_prove(const struct cuzk_prover *prover, const struct cuzk_witness *witness,
                                   const struct cuzk_progress *progress, struct cuzk_prove_times *times,
                                   uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err);

#endif
