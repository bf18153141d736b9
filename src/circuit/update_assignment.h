/*
 * The private and public values of one partition of an empty sector update (SnapDeals), in the form that the
 * circuit's witness is made from. Filled by filecoin/, which owns the arrays; field elements are in
 * Montgomery form.
 *
 * Two circuits share it: the one of the network (data tree in SHA-256, several partitions, each with its apex
 * leaves) and the single-partition one whose data tree is a Poseidon tree like the replica's.
 */
#ifndef CUZK_CIRCUIT_UPDATE_ASSIGNMENT_H
#define CUZK_CIRCUIT_UPDATE_ASSIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "circuit/merkle_path.h"
#include "field/fr.h"

enum {
    CUZK_UPDATE_H_BITS = 6, /* choices of h; one bit of h_select each */
    CUZK_UPDATE_MAX_PARTITION_BITS = 4,
    CUZK_UPDATE_MAX_PARTITIONS = 1 << CUZK_UPDATE_MAX_PARTITION_BITS,
    CUZK_UPDATE_MAX_APEX_LEAVES = 128,
    CUZK_UPDATE_MAX_CHALLENGES = 1376,
    CUZK_UPDATE_MAX_DIGESTS = 172, /* eight challenges of 30 or 31 bits each */
};

/* What the circuit of a sector size depends on. */
struct cuzk_update_shape {
    bool poseidon;                 /* the single-partition circuit */
    unsigned log2_nodes;           /* nodes of 32 bytes in the sector; bits of a challenge */
    unsigned partition_bits;       /* log2 of the partitions; 0 in the Poseidon circuit */
    unsigned apex_bits;            /* log2 of the apex leaves of a partition; 0 in the Poseidon circuit */
    unsigned challenges;           /* in a partition */
    uint8_t h[CUZK_UPDATE_H_BITS]; /* high bits of a challenge that h_select may choose */
    struct cuzk_tree_shape tree;   /* of the replica trees */
};

/* The shape of a sector size in bytes. false: there is no such size. */
bool cuzk_update_shape_of(uint64_t sector_size, bool poseidon, struct cuzk_update_shape *shape);

/* Bits of a challenge that come from a digest; the partition's are put above them. */
static inline unsigned cuzk_update_random_bits(const struct cuzk_update_shape *shape)
{
    return shape->log2_nodes - shape->partition_bits;
}

/* Challenges that one digest gives: as many as fit the bits of a field element below its top one. */
static inline unsigned cuzk_update_challenges_per_digest(const struct cuzk_update_shape *shape)
{
    return (CUZK_FR_BITS - 1) / cuzk_update_random_bits(shape);
}

/* Digests of a partition. */
static inline unsigned cuzk_update_digests(const struct cuzk_update_shape *shape)
{
    const unsigned each = cuzk_update_challenges_per_digest(shape);
    return (shape->challenges + each - 1) / each;
}

/* Levels of the data tree below the apex leaves (SHA-256 circuit). */
static inline unsigned cuzk_update_data_levels(const struct cuzk_update_shape *shape)
{
    return shape->log2_nodes - shape->partition_bits - shape->apex_bits;
}

struct cuzk_update_challenge {
    struct cuzk_fr leaf_r_old, leaf_d_new;
    const struct cuzk_fr *path_r_old, *path_r_new; /* siblings, level 0 first */
    const struct cuzk_fr *path_d_new; /* up to the apex leaf; in the Poseidon circuit to the root */
};

struct cuzk_update_assignment {
    uint64_t k_and_h_select; /* partition + (h_select << partition_bits); public, as are the three below */
    struct cuzk_fr comm_r_old, comm_d_new, comm_r_new;
    struct cuzk_fr comm_c, root_r_old, root_r_new;
    const struct cuzk_fr *apex_leaves;              /* [1 << apex_bits] */
    const struct cuzk_fr *partition_path;           /* [partition_bits], siblings from the apex tree up */
    const struct cuzk_update_challenge *challenges; /* [shape.challenges] */
};

#endif
