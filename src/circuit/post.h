/*
 * The circuit of one PoSt partition (WinningPoSt and WindowPoSt are one circuit with different counts): each
 * sector's comm_r = H(comm_c, comm_r_last), and challenged leaves of its replica tree. There is nothing
 * before the sectors. Reached through circuit/circuit.h.
 *
 * Source: storage-proofs-post 19.1, fallback/circuit.rs.
 */
#ifndef CUZK_CIRCUIT_POST_H
#define CUZK_CIRCUIT_POST_H

#include "circuit/cs.h"
#include "circuit/post_assignment.h"

/* assignment NULL: blank values, for record and check mode and dry runs. */
void cuzk_post_synthesise_sector(struct cuzk_cs *cs, const struct cuzk_post_shape *shape,
                                 const struct cuzk_post_assignment *assignment, unsigned index);

#endif
