/* Binary SHA-256 trees over 32-byte nodes: the data tree of a sector and piece commitments. Nodes are kept
 * level by level, leaves first, the root last: 2 n - 1 nodes for n leaves. */
#ifndef CUZK_FILECOIN_DATA_TREE_H
#define CUZK_FILECOIN_DATA_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuit/merkle_path.h"
#include "filecoin/fr_arena.h"

/* Computes all levels above the leaves in place: nodes holds 2 * leaves - 1 nodes of 32 bytes of which the
 * first `leaves` (a power of two) are given. */
void cuzk_data_tree_build(struct cuzk_pool *pool, uint8_t *nodes, size_t leaves);

/* Copies the siblings on the path of a leaf, lowest first: log2(leaves) nodes of 32 bytes. */
void cuzk_data_tree_siblings(const uint8_t *nodes, size_t leaves, size_t index, uint8_t *siblings);

/* The inclusion path of a leaf as field elements; siblings go to `values`. Errors: MEMORY. */
enum cuzk_status cuzk_data_tree_prove(const uint8_t *nodes, size_t leaves, size_t index,
                                      struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                      struct cuzk_error *err);

#endif
