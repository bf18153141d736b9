/*
 * Checks the vanilla proofs of a C1 output outright: every challenge, parent, label, column hash, encoding
 * and Merkle path is computed anew. What the circuit proves, and more: it also reads the parts that the
 * circuit does not.
 */
#ifndef CUZK_FILECOIN_POREP_VERIFY_H
#define CUZK_FILECOIN_POREP_VERIFY_H

#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "filecoin/c1.h"
#include "filecoin/seal_proof.h"

/* Whose sector it is. With it the replica id is computed and must be the one in the C1 output. */
struct cuzk_porep_owner {
    uint8_t prover_id[32];
    uint64_t sector_number;
};

/*
 * config: as the C1 output's registered proof has it (cuzk_c1_config) or as the caller says; NULL where
 * nobody knows: challenges and parents are then taken from the proofs' own paths. owner may be NULL. porep_id
 * and api version count only through config.
 *
 * Errors: INVALID (something does not hold: the message names partition, challenge, step and reason),
 * ARGUMENT (config is of another sector size or number of partitions; owner without config), MEMORY.
 */
enum cuzk_status cuzk_porep_verify_vanilla(struct cuzk_pool *pool, const struct cuzk_c1 *c1,
                                           const struct cuzk_porep_config *config,
                                           const struct cuzk_porep_owner *owner, struct cuzk_error *err);

#endif
