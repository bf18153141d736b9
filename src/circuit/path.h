/*
 * Inclusion of a leaf in a Merkle tree whose levels may differ in arity.
 *
 * Per level: log2(arity) index bits, the siblings, insertion, hash. Afterwards (`public` path) one public
 * input holds the leaf index, put together from all index bits, level 0's lowest bit first; last, the
 * computed root equals the given one. Source: storage-proofs-core gadgets/por.rs.
 */
#ifndef CUZK_CIRCUIT_PATH_H
#define CUZK_CIRCUIT_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "circuit/num.h"

enum cuzk_path_hash { CUZK_PATH_POSEIDON, CUZK_PATH_SHA256 };

/* Levels from the leaf up: base_levels of base_arity, then one of sub_arity and one of top_arity unless 0. */
struct cuzk_path_shape {
    enum cuzk_path_hash hash;
    unsigned base_levels, base_arity, sub_arity, top_arity;
};

/* The gadget. siblings are read level by level, arity - 1 each; index is that of the leaf. */
void cuzk_path_enforce(struct cuzk_cs *cs, const struct cuzk_path_shape *shape, const struct cuzk_num *root,
                       const struct cuzk_num *leaf, uint64_t index, const struct cuzk_fr *siblings,
                       bool is_public);

#endif
