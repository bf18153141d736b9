/*
 * Merkle proofs in bincode, the form that PoSt and update vanilla proofs have on the wire: fixed-width
 * little-endian integers, u64 lengths, u32 tags.
 *
 *   proof: u32 tag; 0 (one tree): root, leaf, path; 1 (sub tree): path, path, root, leaf;
 *          2 (top tree): path, path, path, root, leaf
 *   path:  u64 levels, then per level: u64 siblings, the siblings of 32 bytes, u64 index
 *
 * The shape of the tree is known beforehand, so every count and tag has one right value.
 */
#ifndef CUZK_FILECOIN_BINCODE_H
#define CUZK_FILECOIN_BINCODE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/sink.h"
#include "circuit/merkle_path.h"
#include "filecoin/fr_arena.h"

/* A 32-byte field element, little-endian. Errors: INPUT (too short, not below the modulus). */
enum cuzk_status cuzk_bincode_element(struct cuzk_bytes *bytes, const char *field, struct cuzk_fr *out,
                                      struct cuzk_error *err);

/* A u64 that must be `expected`. Errors: INPUT. */
enum cuzk_status cuzk_bincode_count(struct cuzk_bytes *bytes, const char *field, uint64_t expected,
                                    struct cuzk_error *err);

/* A Merkle proof of a Poseidon tree; siblings go to `values`. Errors: INPUT, MEMORY. */
enum cuzk_status cuzk_bincode_oct_proof(struct cuzk_bytes *bytes, const char *field,
                                        struct cuzk_tree_shape shape, struct cuzk_fr_arena *values,
                                        struct cuzk_merkle_path *out, struct cuzk_error *err);

/* ... of a binary tree of so many levels. */
enum cuzk_status cuzk_bincode_binary_proof(struct cuzk_bytes *bytes, const char *field, unsigned levels,
                                           struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                           struct cuzk_error *err);

/* Whether bytes begin as the proof of a tree of this shape does: its tag, and every count as far as there are
 * bytes. */
bool cuzk_bincode_oct_proof_begins(const uint8_t *bytes, size_t n, struct cuzk_tree_shape shape);

/* The same the other way; root, leaf, siblings and index of the path are written as they are. */
enum cuzk_status cuzk_bincode_write_oct_proof(struct cuzk_sink sink, struct cuzk_tree_shape shape,
                                              const struct cuzk_merkle_path *path, struct cuzk_error *err);
enum cuzk_status cuzk_bincode_write_binary_proof(struct cuzk_sink sink, unsigned levels,
                                                 const struct cuzk_merkle_path *path, struct cuzk_error *err);
enum cuzk_status cuzk_bincode_write_u64(struct cuzk_sink sink, uint64_t value, struct cuzk_error *err);
enum cuzk_status cuzk_bincode_write_element(struct cuzk_sink sink, const struct cuzk_fr *value,
                                            struct cuzk_error *err);

#endif
