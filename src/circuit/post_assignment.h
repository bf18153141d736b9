/*
 * The values of one PoSt partition, in the form that the circuit's witness is made from. Filled by the
 * decoder and the maker of PoSt vanilla proofs (filecoin/), which own the arrays; field elements are in
 * Montgomery form.
 */
#ifndef CUZK_CIRCUIT_POST_ASSIGNMENT_H
#define CUZK_CIRCUIT_POST_ASSIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "circuit/merkle_path.h"
#include "field/fr.h"

enum { CUZK_POST_MAX_CHALLENGES = 10 }; /* of one of the circuit's sectors */

/* What the circuit depends on. WinningPoSt: 66 sectors of one challenge, all of them the one sector drawn. */
struct cuzk_post_shape {
    unsigned log2_nodes; /* nodes of 32 bytes in a sector */
    unsigned sectors;    /* in a partition */
    unsigned challenges; /* of each sector: 1 or 10 */
    struct cuzk_tree_shape tree;
};

/* The shape of a sector size in bytes, of WinningPoSt or of a WindowPoSt partition. false: no such size. */
bool cuzk_post_shape_of(uint64_t sector_size, bool winning, struct cuzk_post_shape *shape);

struct cuzk_post_sector {
    struct cuzk_fr comm_r; /* public */
    struct cuzk_fr comm_c, comm_r_last;
    const struct cuzk_merkle_path *paths; /* [shape.challenges], in the replica tree, from path.leaf up */
};

struct cuzk_post_assignment {
    const struct cuzk_post_sector *sectors; /* [shape.sectors] */
};

#endif
