/* Prover ids and replica ids. */
#ifndef CUZK_FILECOIN_REPLICA_ID_H
#define CUZK_FILECOIN_REPLICA_ID_H

#include <stdint.h>

/* The prover id of a miner: its actor number in unsigned LEB128, zero-padded to 32 bytes. */
void cuzk_prover_id_of_miner(uint64_t miner_id, uint8_t prover_id[32]);

/* SHA-256(prover_id || sector_id as u64 big-endian || ticket || comm_d || porep_id), top two bits cleared: a
 * field element, little-endian. */
void cuzk_replica_id(const uint8_t prover_id[32], uint64_t sector_id, const uint8_t ticket[32],
                     const uint8_t comm_d[32], const uint8_t porep_id[32], uint8_t replica_id[32]);

#endif
