/*
 * Empty sector updates (SnapDeals): how challenges, phi, rho and the new replica follow from the
 * commitments.
 *
 *   phi = H(comm_d_new, comm_r_old); rho of a node = H(phi, its highest h bits);
 *   new node = old node + new data * rho;
 *   digest_j of partition k = H(comm_r_new, k * digests + j); its low bits, cut into challenges.
 * H is Poseidon of arity 2 with the domain tag 2^40.
 *
 * Source: FIP-0019; storage-proofs-update 19.1, challenges.rs and vanilla.rs. Nothing here fails;
 * thread-safe.
 */
#ifndef CUZK_FILECOIN_UPDATE_H
#define CUZK_FILECOIN_UPDATE_H

#include <stdint.h>

#include "circuit/update_assignment.h"
#include "field/fr.h"

/* The h that provers use, and the bit of h_select that stands for it: the first with that value. */
unsigned cuzk_update_default_h(const struct cuzk_update_shape *shape);
unsigned cuzk_update_h_select(const struct cuzk_update_shape *shape, unsigned h);

/* The first public input of a partition: partition + (h_select << partition_bits). */
uint64_t cuzk_update_k_and_h_select(const struct cuzk_update_shape *shape, unsigned partition);

void cuzk_update_phi(const struct cuzk_fr *comm_d_new, const struct cuzk_fr *comm_r_old, struct cuzk_fr *phi);

/* rho of the nodes whose highest h bits are `high`. */
void cuzk_update_rho(const struct cuzk_fr *phi, uint64_t high, struct cuzk_fr *rho);

/* The highest h bits of a node's number. */
static inline uint64_t cuzk_update_high(const struct cuzk_update_shape *shape, unsigned h, uint64_t node)
{
    return node >> (shape->log2_nodes - h);
}

/* The challenged nodes of a partition: shape->challenges of them. */
void cuzk_update_challenges(const struct cuzk_update_shape *shape, const struct cuzk_fr *comm_r_new,
                            unsigned partition, uint32_t *out);

#endif
