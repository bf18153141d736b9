/*
 * The circuit of one PoRep partition (StackedDRG proof of replication), for every sector size: a head, then
 * each challenge. Reached through circuit/circuit.h.
 *
 * The shape (porep_assignment.h) follows from the sector size alone: neither the API version nor the porep id
 * nor the synthetic and non-interactive features change the circuit.
 *
 * Source: storage-proofs-porep 19.1, stacked/circuit/{proof,params,create_label,column}.rs.
 */
#ifndef CUZK_CIRCUIT_POREP_H
#define CUZK_CIRCUIT_POREP_H

#include "circuit/boolean.h"
#include "circuit/cs.h"
#include "circuit/num.h"
#include "circuit/porep_assignment.h"

/* What the head allocates and every challenge uses. */
struct cuzk_porep_head {
    struct cuzk_boolean replica_id[CUZK_FR_BITS];
    struct cuzk_num comm_d, comm_r_last, comm_c;
};

/* assignment NULL: blank values, for record and check mode and dry runs. */
void cuzk_porep_synthesise_head(struct cuzk_cs *cs, const struct cuzk_porep_assignment *assignment,
                                struct cuzk_porep_head *head);
void cuzk_porep_synthesise_challenge(struct cuzk_cs *cs, const struct cuzk_porep_shape *shape,
                                     const struct cuzk_porep_assignment *assignment,
                                     const struct cuzk_porep_head *head, unsigned index);

#endif
