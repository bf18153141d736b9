/*
 * Inclusion of a leaf in a Merkle tree whose levels may differ in arity.
 *
 * Per level: log2(arity) index bits, the siblings, insertion, hash. Afterwards one public input holds the
 * leaf index, put together from all index bits, level 0's lowest bit first; last, the computed root equals
 * the given one. Source: storage-proofs-core gadgets/por.rs.
 */
#ifndef CUZK_CIRCUIT_PATH_H
#define CUZK_CIRCUIT_PATH_H

#include "circuit/merkle_path.h"
#include "circuit/num.h"

enum cuzk_path_hash { CUZK_PATH_POSEIDON, CUZK_PATH_SHA256 };

struct cuzk_path_tree {
    enum cuzk_path_hash hash;
    unsigned base_arity;          /* 2 or 8 */
    struct cuzk_tree_shape shape; /* its base levels are of base_arity */
};

/* The gadget: path gives index and siblings (its root is not read). leaf NULL: path->leaf becomes a new
 * variable, otherwise it is not read either. */
void cuzk_path_enforce(struct cuzk_cs *cs, const struct cuzk_path_tree *tree, const struct cuzk_num *root,
                       const struct cuzk_num *leaf, const struct cuzk_merkle_path *path);

/* The same at once in several builders that stand at like places (n <= CUZK_CS_LANES): their hashes are made
 * side by side. leaves NULL: as leaf. */
void cuzk_path_enforce_lanes(struct cuzk_cs *const *cs, unsigned n, const struct cuzk_path_tree *tree,
                             const struct cuzk_num *roots, const struct cuzk_num *leaves,
                             const struct cuzk_merkle_path *const *paths);

/* A path whose index bits and siblings are variables already, as update circuits have it: no public input.
 * bits: lowest first, as many as the levels take; siblings: level 0 first. */
void cuzk_path_enforce_given(struct cuzk_cs *cs, const struct cuzk_path_tree *tree,
                             const struct cuzk_num *root, const struct cuzk_num *leaf,
                             const struct cuzk_boolean *bits, const struct cuzk_num *siblings);

#endif
