/*
 * The circuit of one partition of an empty sector update (SnapDeals), for every sector size: the new replica
 * is the old one plus rho times the new data, at challenged nodes. A head, then each challenge; reached
 * through circuit/circuit.h.
 *
 * Challenges are made in the circuit from comm_r_new; each one's leaves lie in the old replica tree, the new
 * one and the new data tree. In the SHA-256 circuit a partition's apex leaves are hashed up to comm_d once,
 * and each data path ends at one of them.
 *
 * Source: storage-proofs-update 19.1, circuit.rs, poseidon/circuit.rs and gadgets.rs.
 */
#ifndef CUZK_CIRCUIT_UPDATE_H
#define CUZK_CIRCUIT_UPDATE_H

#include "circuit/boolean.h"
#include "circuit/cs.h"
#include "circuit/num.h"
#include "circuit/update_assignment.h"

/* What the head allocates and every challenge uses. */
struct cuzk_update_head {
    struct cuzk_boolean partition_bits[CUZK_UPDATE_MAX_PARTITION_BITS], h_select[CUZK_UPDATE_H_BITS];
    struct cuzk_num partition, comm_r_old, comm_d_new, comm_r_new, phi, root_r_old, root_r_new;
    struct cuzk_num apex_leaves[CUZK_UPDATE_MAX_APEX_LEAVES];
    struct cuzk_boolean digest_bits[CUZK_UPDATE_MAX_DIGESTS][CUZK_FR_BITS];
};

/* assignment NULL: blank values, for record and check mode and dry runs. */
void cuzk_update_synthesise_head(struct cuzk_cs *cs, const struct cuzk_update_shape *shape,
                                 const struct cuzk_update_assignment *assignment,
                                 struct cuzk_update_head *head);
void cuzk_update_synthesise_challenge(struct cuzk_cs *cs, const struct cuzk_update_shape *shape,
                                      const struct cuzk_update_assignment *assignment,
                                      const struct cuzk_update_head *head, unsigned index);

/* The bits of a challenge that come from a digest, cuzk_update_random_bits of them: the only variables of the
 * head that differ from one challenge to the next. */
static inline const struct cuzk_boolean *cuzk_update_challenge_bits(const struct cuzk_update_shape *shape,
                                                                    const struct cuzk_update_head *head,
                                                                    unsigned index)
{
    const unsigned each = cuzk_update_challenges_per_digest(shape);
    return head->digest_bits[index / each] + (size_t)(index % each) * cuzk_update_random_bits(shape);
}

#endif
