#include "filecoin/merkle.h"

#include <string.h>

#include "hash/poseidon.h"
#include "hash/sha256.h"

enum { ABREAST = 8 }; /* paths: as many as there are lanes */

/* A path on its way up; n <= ABREAST of them, all at the same level. */
struct climb {
    const struct cuzk_fr *sibling;
    uint64_t index;
};

static void climb_abreast(struct cuzk_tree_shape shape, const struct cuzk_merkle_path *paths, size_t n,
                          struct cuzk_fr *nodes)
{
    struct cuzk_fr families[ABREAST * CUZK_TREE_MAX_ARITY], *to;
    struct climb climbs[ABREAST];

    for (size_t i = 0; i < n; i++) {
        climbs[i] = (struct climb){paths[i].siblings, paths[i].index};
        nodes[i] = paths[i].leaf;
    }
    for (unsigned level = 0; level < cuzk_tree_levels(shape); level++) {
        const unsigned arity = cuzk_tree_arity(shape, level);

        to = families;
        for (size_t i = 0; i < n; i++) {
            for (unsigned k = 0; k < arity; k++)
                *to++ = k == climbs[i].index % arity ? nodes[i] : *climbs[i].sibling++;
            climbs[i].index /= arity;
        }
        cuzk_poseidon_hash_many(cuzk_poseidon_instance(arity), families, n, nodes);
    }
}

void cuzk_merkle_oct_roots(struct cuzk_tree_shape shape, const struct cuzk_merkle_path *paths, size_t n,
                           struct cuzk_fr *roots)
{
    for (size_t i = 0; i < n; i += ABREAST)
        climb_abreast(shape, paths + i, n - i < ABREAST ? n - i : ABREAST, roots + i);
}

void cuzk_merkle_oct_root(struct cuzk_tree_shape shape, const struct cuzk_merkle_path *path,
                          struct cuzk_fr *root)
{
    cuzk_merkle_oct_roots(shape, path, 1, root);
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
