/*
 * PoSt: what WinningPoSt and WindowPoSt draw, their vanilla proofs, and the public inputs that a verifier
 * derives.
 *
 * Randomness is 32 bytes of which the chain clears the top two bits; cuzk_post_randomness does the same, so
 * that what is hashed is what a verifier hashes. A partition has shape.sectors places; the sectors proved
 * stand in ascending order of their ids, and the last one fills the places that are left.
 *
 * Source: storage-proofs-post 19.1 fallback/vanilla.rs, compound.rs; filecoin-proofs 19.1 api/post_util.rs;
 * go-state-types abi.RegisteredPoStProof. Thread-safe.
 */
#ifndef CUZK_FILECOIN_POST_H
#define CUZK_FILECOIN_POST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sink.h"
#include "circuit/post_assignment.h"
#include "filecoin/fr_arena.h"
#include "filecoin/seal_proof.h"

enum { CUZK_POST_PROOFS = 15, CUZK_POST_RANDOMNESS_BYTES = 32 };

struct cuzk_post_config {
    uint64_t sector_size; /* bytes */
    bool winning;
    enum cuzk_api_version api_version; /* before 1.2.0 a challenge depends on the sector's place */
    struct cuzk_post_shape shape;
    unsigned challenges; /* in one sector's vanilla proof: 66 or 10 */
};

/* Errors: ARGUMENT (no such sector size). */
enum cuzk_status cuzk_post_config_make(uint64_t sector_size, bool winning, enum cuzk_api_version api_version,
                                       struct cuzk_post_config *out, struct cuzk_error *err);

/* Of a registered PoSt proof, number below CUZK_POST_PROOFS: 0-4 Winning V1, 5-9 Window V1, 10-14 Window
 * V1_1; each of 2 KiB, 8 MiB, 512 MiB, 32 GiB, 64 GiB. */
void cuzk_post_config_registered(unsigned number, struct cuzk_post_config *out);

/* "StackedDrgWinning2KiBV1", "StackedDrgWindow32GiBV1_2" (go-state-types' V1_1 has the name V1_2 in the
 * proofs library). -1 for others. */
int cuzk_post_proof_number(const char *name, size_t n);

void cuzk_post_randomness(const uint8_t given[CUZK_POST_RANDOMNESS_BYTES],
                          uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES]);

/* Which of `count` eligible sectors the n-th draw of WinningPoSt takes. */
uint64_t cuzk_post_sector_index(const uint8_t prover_id[32],
                                const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t n,
                                uint64_t count);

/* The leaf of a sector's n-th challenge; place is the sector's among all that are proved. */
uint64_t cuzk_post_leaf(const struct cuzk_post_config *config,
                        const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t sector_id,
                        uint64_t place, unsigned n);

/* ---- vanilla proofs: bincode, one sector each ----
 *
 *   u64 sector_id | 32 comm_r | u64 1 | u64 challenges | Merkle proofs | 32 comm_c | 32 comm_r_last
 */
struct cuzk_post_vanilla {
    uint64_t sector_id;
    struct cuzk_fr comm_r, comm_c, comm_r_last;
    struct cuzk_merkle_path *paths; /* [config.challenges], owned */
};

/* Strict. name is for errors, the bytes may go afterwards; siblings go to `values`. Errors: INPUT, MEMORY
 * (*out is empty). */
enum cuzk_status cuzk_post_vanilla_decode(const char *name, const void *bytes, size_t length,
                                          const struct cuzk_post_config *config, struct cuzk_fr_arena *values,
                                          struct cuzk_post_vanilla *out, struct cuzk_error *err);
enum cuzk_status cuzk_post_vanilla_encode(const struct cuzk_post_config *config,
                                          const struct cuzk_post_vanilla *vanilla, struct cuzk_sink sink,
                                          struct cuzk_error *err);
void cuzk_post_vanilla_destroy(struct cuzk_post_vanilla *vanilla);

/* Checks it outright: challenges, paths, roots, commitments. Errors: INVALID with sector, challenge and step.
 */
enum cuzk_status cuzk_post_vanilla_check(const struct cuzk_post_config *config,
                                         const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t place,
                                         const struct cuzk_post_vanilla *vanilla, struct cuzk_error *err);

/* The same without randomness: whatever the challenges are, its paths and commitments are of one sector. */
enum cuzk_status cuzk_post_vanilla_check_paths(const struct cuzk_post_config *config,
                                               const struct cuzk_post_vanilla *vanilla,
                                               struct cuzk_error *err);

/* Makes one from a sector's replica tree (filecoin/oct_tree.h: all levels, leaves first). Errors: MEMORY. */
enum cuzk_status cuzk_post_vanilla_make(const struct cuzk_post_config *config,
                                        const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t place,
                                        uint64_t sector_id, const struct cuzk_fr *comm_c,
                                        const struct cuzk_fr *tree_r_last, struct cuzk_fr_arena *values,
                                        struct cuzk_post_vanilla *out, struct cuzk_error *err);

/* ---- partitions ---- */

/* Public inputs of a partition, the constant one left out. */
unsigned cuzk_post_input_count(const struct cuzk_post_config *config);

/* They and the circuit's places, from a partition's sectors in order (count of them, 1 to shape.sectors, or
 * the one of WinningPoSt). first is the place of the first among all. sectors has room for shape.sectors,
 * inputs for cuzk_post_input_count; the places point into the vanilla proofs. sectors NULL: inputs
 * alone, of which only sector_id and comm_r are read. */
void cuzk_post_partition(const struct cuzk_post_config *config,
                         const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t first,
                         const struct cuzk_post_vanilla *vanilla, size_t count,
                         struct cuzk_post_sector *sectors, struct cuzk_fr *inputs);

#endif
