/*
 * Synthetic PoSt inputs: vanilla proofs of sectors that were never sealed, consistent and reproducible from a
 * 64-bit seed. Challenges of PoSt depend on randomness and sector id alone, so only the challenged leaves of
 * each replica tree exist; every other node is a pseudo-random function of its place.
 *
 * What is free is clr(SHA-256("synthetic-PoSt-v1" || u64le seed || u64le sector || u64le kind || u64le level
 * || u64le index)), top two bits of the last byte cleared; kinds: 0 randomness, 1 comm_c, 2 tree nodes.
 * Sector ids are 1, 2, 3, ... For measuring; not for the chain. Thread-safe.
 */
#ifndef CUZK_FILECOIN_POST_SYNTH_H
#define CUZK_FILECOIN_POST_SYNTH_H

#include "base/pool.h"
#include "filecoin/post.h"

void cuzk_post_synth_randomness(uint64_t seed, uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES]);

/* Sector `place` + 1. pool is used inside. Errors: MEMORY. */
enum cuzk_status cuzk_post_synth_sector(struct cuzk_pool *pool, const struct cuzk_post_config *config,
                                        uint64_t seed, uint64_t place, struct cuzk_fr_arena *values,
                                        struct cuzk_post_vanilla *out, struct cuzk_error *err);

#endif
