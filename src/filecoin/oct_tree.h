/* Poseidon trees of Filecoin's shapes (circuit/merkle_path.h): the column tree and the replica tree. Nodes
 * are kept level by level, leaves first, the root last, as field elements. */
#ifndef CUZK_FILECOIN_OCT_TREE_H
#define CUZK_FILECOIN_OCT_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuit/merkle_path.h"
#include "field/fr.h"
#include "filecoin/fr_arena.h"

/* Leaves of a shape: the product of its arities; and nodes of all levels, root included. */
size_t cuzk_oct_tree_leaves(struct cuzk_tree_shape shape);
size_t cuzk_oct_tree_nodes(struct cuzk_tree_shape shape);

/* Computes all levels above the leaves in place: nodes holds cuzk_oct_tree_nodes elements, leaves given. */
void cuzk_oct_tree_build(struct cuzk_pool *pool, struct cuzk_tree_shape shape, struct cuzk_fr *nodes);

/* Copies the siblings on the path of a leaf (cuzk_tree_siblings of them), level 0 first, in index order. */
void cuzk_oct_tree_path(struct cuzk_tree_shape shape, const struct cuzk_fr *nodes, size_t index,
                        struct cuzk_fr *siblings);

/* The inclusion path of a leaf; siblings go to `values`. Errors: MEMORY. */
enum cuzk_status cuzk_oct_tree_prove(struct cuzk_tree_shape shape, const struct cuzk_fr *nodes, size_t index,
                                     struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                     struct cuzk_error *err);

#endif
