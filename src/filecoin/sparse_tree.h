/*
 * A Poseidon tree of which only some leaves exist: nodes above them are computed, all others come from a
 * rule. Internal to synth.
 */
#ifndef CUZK_FILECOIN_SPARSE_TREE_H
#define CUZK_FILECOIN_SPARSE_TREE_H

#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuit/merkle_path.h"
#include "field/fr.h"

/* One level's touched nodes: index[i] ascending, value[i]; and the families that they hash: family[i * arity
 * ...] are the children of node i (none at level 0). */
struct cuzk_sparse_level {
    size_t count;
    uint64_t *index;
    struct cuzk_fr *value;
    struct cuzk_fr *family;
};

struct cuzk_sparse_tree {
    struct cuzk_tree_shape shape;
    struct cuzk_sparse_level level[CUZK_TREE_MAX_LEVELS + 1];
};

/* leaves: `count` distinct indexes in ascending order and their values (copied). other gives every untouched
 * node. Zero-initialise tree; destroy it also after a failure. Errors: MEMORY. */
enum cuzk_status
cuzk_sparse_tree_build(struct cuzk_sparse_tree *tree, struct cuzk_pool *pool, struct cuzk_tree_shape shape,
                       const uint32_t *leaves, const struct cuzk_fr *values, size_t count,
                       void (*other)(void *context, unsigned level, uint64_t index, struct cuzk_fr *value),
                       void *context, struct cuzk_error *err);

void cuzk_sparse_tree_destroy(struct cuzk_sparse_tree *tree);

const struct cuzk_fr *cuzk_sparse_tree_root(const struct cuzk_sparse_tree *tree);

/* Copies the siblings on the path of a touched leaf: cuzk_tree_siblings(shape) of them. */
void cuzk_sparse_tree_path(const struct cuzk_sparse_tree *tree, uint64_t index, struct cuzk_fr *siblings);

#endif
