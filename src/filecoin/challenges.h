/*
 * Which nodes a PoRep is challenged at. Node 0 never is.
 *
 * interactive: from replica_id and the seed (chain randomness); synthetic: from replica_id, comm_r and the
 * seed; non-interactive: from replica_id and comm_r. All 32-byte arguments are raw bytes. Thread-safe.
 * Source: storage-proofs-porep stacked/vanilla/challenges.rs; FIP-0059 (synthetic), FIP-0092
 * (non-interactive).
 */
#ifndef CUZK_FILECOIN_CHALLENGES_H
#define CUZK_FILECOIN_CHALLENGES_H

#include <stddef.h>
#include <stdint.h>

#include "filecoin/seal_proof.h"

enum { CUZK_SYNTHETIC_SET_LOG2_MAX = 18 };

/* All challenges of all partitions: out[partition * shape.challenges + i]. comm_r is not read for
 * interactive, seed not for non-interactive proofs. */
void cuzk_porep_challenges(const struct cuzk_porep_config *config, const uint8_t replica_id[32],
                           const uint8_t comm_r[32], const uint8_t seed[32], uint32_t *out);

/* Synthetic PoRep: challenge `index` of the set of min(nodes, 2^18), and the j-th position selected from it.
 */
uint32_t cuzk_synthetic_challenge(uint64_t nodes, const uint8_t replica_id[32], const uint8_t comm_r[32],
                                  uint32_t index);
uint32_t cuzk_synthetic_index(uint64_t nodes, const uint8_t replica_id[32], const uint8_t seed[32],
                              uint32_t j);

#endif
