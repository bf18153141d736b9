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

/* Sectors first to first + n - 1, each in a builder of its own (n <= CUZK_CS_LANES): their hashes are made
 * side by side. assignment NULL: blank values, for record and check mode and dry runs. */
void cuzk_post_synthesise_sectors(struct cuzk_cs *const *cs, unsigned n, const struct cuzk_post_shape *shape,
                                  const struct cuzk_post_assignment *assignment, unsigned first);

#endif
