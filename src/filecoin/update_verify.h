/*
 * Checks the vanilla proof of an update's partition outright: challenges are those of comm_r_new, the new
 * leaf follows from the old one and the data, every path leads to its root, the apex leaves to comm_d, and
 * both comm_r to comm_c and their roots. What the circuit proves.
 */
#ifndef CUZK_FILECOIN_UPDATE_VERIFY_H
#define CUZK_FILECOIN_UPDATE_VERIFY_H

#include "base/error.h"
#include "base/pool.h"
#include "filecoin/update_proof.h"

/* Errors: INVALID, naming partition, challenge and step, or the partition whose proof it is instead; MEMORY.
 */
enum cuzk_status cuzk_update_verify_vanilla(struct cuzk_pool *pool, const struct cuzk_update_proof *proof,
                                            const struct cuzk_update_commitments *commitments,
                                            struct cuzk_error *err);

#endif
