/*
 * The private and public values of one PoRep partition, in the form that the circuit's witness is made from.
 * Filled by the C1 decoder, the sealer and the synthetic maker (filecoin/), which own the arrays; all field
 * elements are in Montgomery form.
 */
#ifndef CUZK_CIRCUIT_POREP_ASSIGNMENT_H
#define CUZK_CIRCUIT_POREP_ASSIGNMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "circuit/merkle_path.h"
#include "field/fr.h"

enum {
    CUZK_POREP_DRG_PARENTS = 6,
    CUZK_POREP_EXP_PARENTS = 8,
    CUZK_POREP_PARENTS = CUZK_POREP_DRG_PARENTS + CUZK_POREP_EXP_PARENTS,
    CUZK_POREP_LABEL_PARENTS = 37, /* parent labels in a label's preimage */
    CUZK_POREP_MAX_LAYERS = 11,
    CUZK_POREP_MAX_CHALLENGES = 18, /* in a partition */
};

/* What the circuit of a sector size depends on. */
struct cuzk_porep_shape {
    unsigned log2_nodes;         /* nodes of 32 bytes in the sector; levels of the data tree */
    unsigned layers;             /* 2 or 11 */
    unsigned challenges;         /* in a partition: 2 or 18 */
    struct cuzk_tree_shape tree; /* of the column tree and the replica tree */
};

/* The shape of a sector size in bytes. false: there is no such size. */
bool cuzk_porep_shape_of(uint64_t sector_size, struct cuzk_porep_shape *shape);

/* The labels of one node in every layer, and its path in the column tree. path.leaf is the column's hash. */
struct cuzk_porep_column {
    const struct cuzk_fr *labels; /* [layers], layer 1 first */
    struct cuzk_merkle_path path;
};

struct cuzk_porep_challenge {
    uint64_t node;                                        /* the challenged node */
    struct cuzk_merkle_path data;                         /* in the data tree (binary); leaf: the data node */
    struct cuzk_merkle_path replica;                      /* in the replica tree; leaf: the encoded node */
    struct cuzk_porep_column column;                      /* of the challenged node */
    struct cuzk_porep_column parents[CUZK_POREP_PARENTS]; /* 6 base parents, then 8 expander parents */
};

struct cuzk_porep_assignment {
    struct cuzk_fr replica_id, comm_d, comm_r; /* public */
    struct cuzk_fr comm_c, comm_r_last;
    const struct cuzk_porep_challenge *challenges; /* [shape.challenges] */
};

#endif
