#include "filecoin/merkle.h"

#include <string.h>

#include "hash/poseidon.h"
#include "hash/sha256.h"

void cuzk_merkle_oct_root(struct cuzk_tree_shape shape, const struct cuzk_merkle_path *path,
                          struct cuzk_fr *root)
{
    const struct cuzk_fr *sibling = path->siblings;
    struct cuzk_fr node = path->leaf, family[CUZK_TREE_MAX_ARITY];
    uint64_t index = path->index;

    for (unsigned level = 0; level < cuzk_tree_levels(shape); level++) {
        const unsigned arity = cuzk_tree_arity(shape, level);
        for (unsigned k = 0; k < arity; k++)
            family[k] = k == index % arity ? node : *sibling++;
        cuzk_poseidon_hash(cuzk_poseidon_instance(arity), family, &node);
        index /= arity;
    }
    *root = node;
}

void cuzk_merkle_binary_root(const struct cuzk_fr *node, uint64_t index, const struct cuzk_fr *siblings,
                             unsigned levels, struct cuzk_fr *root)
{
    uint8_t pair[2 * CUZK_SHA256_BYTES], at[CUZK_SHA256_BYTES];

    cuzk_fr_to_bytes(node, at);
    for (unsigned level = 0; level < levels; level++, index /= 2) {
        memcpy(pair + CUZK_SHA256_BYTES * (index % 2), at, sizeof at);
        cuzk_fr_to_bytes(&siblings[level], pair + CUZK_SHA256_BYTES * (1 - index % 2));
        cuzk_sha256_node(pair, at);
    }
    (void)cuzk_fr_from_bytes(at, root); /* an element to begin with, trimmed above: below the modulus */
}

void cuzk_merkle_comm_r(const struct cuzk_fr *comm_c, const struct cuzk_fr *comm_r_last,
                        struct cuzk_fr *comm_r)
{
    const struct cuzk_fr roots[2] = {*comm_c, *comm_r_last};

    cuzk_poseidon_hash(cuzk_poseidon_instance(2), roots, comm_r);
}
