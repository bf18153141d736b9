/*
 * The public inputs of a PoRep partition, in circuit order without the leading one: replica_id, comm_d,
 * comm_r; then for each challenge its node (data tree), 6 base parents, 8 expander parents, its node again
 * three times (number in the labels, replica tree, column tree).
 */
#ifndef CUZK_FILECOIN_PUBLIC_INPUTS_H
#define CUZK_FILECOIN_PUBLIC_INPUTS_H

#include <stdint.h>

#include "base/error.h"
#include "filecoin/c1.h"
#include "filecoin/graph.h"
#include "filecoin/seal_proof.h"

enum { CUZK_POREP_INPUTS_PER_CHALLENGE = 4 + CUZK_POREP_PARENTS, CUZK_POREP_INPUTS_HEAD = 3 };

static inline unsigned cuzk_porep_input_count(const struct cuzk_porep_shape *shape)
{
    return CUZK_POREP_INPUTS_HEAD + CUZK_POREP_INPUTS_PER_CHALLENGE * shape->challenges;
}

/* What a verifier has: challenges are computed from the commitments and seed, parents from the graph (of
 * config's porep_id and api version). inputs: cuzk_porep_input_count(&config->shape) elements. Errors: INPUT
 * (a value not below the modulus), ARGUMENT (partition), MEMORY. */
enum cuzk_status cuzk_porep_public_inputs(const struct cuzk_porep_config *config,
                                          const uint8_t replica_id[32], const uint8_t comm_d[32],
                                          const uint8_t comm_r[32], const uint8_t seed[32],
                                          unsigned partition, struct cuzk_fr *inputs, struct cuzk_error *err);

/* What the vanilla proofs themselves say: nodes and parents by their paths. They equal the verifier's where
 * the proofs hold. */
void cuzk_porep_assigned_inputs(const struct cuzk_porep_shape *shape,
                                const struct cuzk_porep_assignment *assignment, struct cuzk_fr *inputs);

#endif
