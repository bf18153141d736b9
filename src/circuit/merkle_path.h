/*
 * Tree shapes and inclusion paths, as vanilla proofs give them and circuits take them.
 *
 * A tree has levels counted from the leaves; level k has an arity a_k and every node above it hashes a_k
 * children. Binary SHA-256 trees have arity 2 throughout. Filecoin's Poseidon trees have `base_levels` of
 * arity 8, then perhaps one level of sub_arity, then perhaps one of top_arity.
 */
#ifndef CUZK_CIRCUIT_MERKLE_PATH_H
#define CUZK_CIRCUIT_MERKLE_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

enum { CUZK_TREE_BASE_ARITY = 8, CUZK_TREE_MAX_ARITY = 8, CUZK_TREE_MAX_LEVELS = 40 };

/* Shape of a Poseidon tree: 32 GiB is {9, 8, 0}, 64 GiB {9, 8, 2}, 2 KiB {2, 0, 0}. */
struct cuzk_tree_shape {
    uint8_t base_levels; /* of arity 8 */
    uint8_t sub_arity;   /* 0: no sub level */
    uint8_t top_arity;   /* 0: no top level */
};

static inline unsigned cuzk_tree_levels(struct cuzk_tree_shape shape)
{
    return shape.base_levels + (shape.sub_arity != 0) + (shape.top_arity != 0);
}

/* Arity of a level (0 = the leaves'), below cuzk_tree_levels. */
static inline unsigned cuzk_tree_arity(struct cuzk_tree_shape shape, unsigned level)
{
    if (level < shape.base_levels)
        return CUZK_TREE_BASE_ARITY;
    return level == shape.base_levels && shape.sub_arity != 0 ? shape.sub_arity : shape.top_arity;
}

/* Siblings in a whole path: the sum of (arity - 1) over the levels. */
static inline unsigned cuzk_tree_siblings(struct cuzk_tree_shape shape)
{
    unsigned n = 0;

    for (unsigned level = 0; level < cuzk_tree_levels(shape); level++)
        n += cuzk_tree_arity(shape, level) - 1;
    return n;
}

/* An inclusion path. `index` is the position of the leaf that the path leads from: its lowest bits are the
 * position among the siblings of level 0, the next those of level 1, and so on (log2(arity) bits a level). */
struct cuzk_merkle_path {
    struct cuzk_fr leaf;
    struct cuzk_fr root;            /* as stored in the proof; need not be what the path computes */
    const struct cuzk_fr *siblings; /* level 0 first; within a level arity - 1 in index order */
    uint64_t index;
};

#endif
