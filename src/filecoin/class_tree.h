/*
 * A Poseidon tree of any size whose leaves repeat: a leaf depends on its highest bits and on its index modulo
 * CUZK_CLASS_TREE_CLASSES alone, and so does every node above that lies below those bits. The whole tree is
 * known before anybody asks for a path, and takes a few MiB at 2^31 leaves. Internal to synth.
 */
#ifndef CUZK_FILECOIN_CLASS_TREE_H
#define CUZK_FILECOIN_CLASS_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuit/merkle_path.h"
#include "filecoin/fr_arena.h"

/* Odd and no divisor of a power of two, so that the families of a level differ. */
enum { CUZK_CLASS_TREE_CLASSES = 61 };

struct cuzk_class_tree_level {
    unsigned bits;         /* of an index */
    bool whole;            /* value holds all 2^bits nodes; otherwise [2^high_bits][classes] */
    struct cuzk_fr *value; /* owned */
};

struct cuzk_class_tree {
    struct cuzk_tree_shape shape;
    unsigned high_bits;
    struct cuzk_class_tree_level level[CUZK_TREE_MAX_LEVELS + 1];
};

/* leaf gives the leaves with these highest bits of this class; it runs on several threads.
 * Zero-initialise tree; destroy it also after a failure. Errors: MEMORY. */
enum cuzk_status cuzk_class_tree_build(struct cuzk_class_tree *tree, struct cuzk_pool *pool,
                                       struct cuzk_tree_shape shape, unsigned high_bits,
                                       void (*leaf)(void *context, uint64_t high, unsigned class,
                                                    struct cuzk_fr *value),
                                       void *context, struct cuzk_error *err);
void cuzk_class_tree_destroy(struct cuzk_class_tree *tree);

const struct cuzk_fr *cuzk_class_tree_root(const struct cuzk_class_tree *tree);

/* The inclusion path of a leaf; siblings go to `values`. Errors: MEMORY. */
enum cuzk_status cuzk_class_tree_prove(const struct cuzk_class_tree *tree, uint64_t index,
                                       struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                       struct cuzk_error *err);

#endif
