/* What inclusion paths and commitments of Merkle trees come to. Nothing here fails; thread-safe. */
#ifndef CUZK_FILECOIN_MERKLE_H
#define CUZK_FILECOIN_MERKLE_H

#include <stddef.h>

#include "circuit/merkle_path.h"
#include "field/fr.h"

/* In a Poseidon tree: from the path's leaf, by its siblings and index. */
void cuzk_merkle_oct_root(struct cuzk_tree_shape shape, const struct cuzk_merkle_path *path,
                          struct cuzk_fr *root);

/* The same of n paths, whose hashes go side by side in the lanes of the vector unit. */
void cuzk_merkle_oct_roots(struct cuzk_tree_shape shape, const struct cuzk_merkle_path *paths, size_t n,
                           struct cuzk_fr *roots);

/* In a binary SHA-256 tree: the node `levels` above node `index` of any level. */
void cuzk_merkle_binary_root(const struct cuzk_fr *node, uint64_t index, const struct cuzk_fr *siblings,
                             unsigned levels, struct cuzk_fr *root);

/* comm_r of a sector: the Poseidon hash of the roots of its column tree and its replica tree. */
void cuzk_merkle_comm_r(const struct cuzk_fr *comm_c, const struct cuzk_fr *comm_r_last,
                        struct cuzk_fr *comm_r);

#endif
