/*
 * The circuit of one PoRep partition (StackedDRG proof of replication), for every sector size.
 *
 * The shape follows from the sector size alone: neither the API version nor the porep id nor the synthetic
 * and non-interactive features change the circuit. The assignment holds the values of a vanilla proof's
 * partition in the form the circuit takes them: the decoder of C1 fills it.
 *
 * Source: storage-proofs-porep 19.1, stacked/circuit/{proof,params,create_label,column}.rs.
 */
#ifndef CUZK_CIRCUIT_POREP_H
#define CUZK_CIRCUIT_POREP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "circuit/cs.h"
#include "field/fr.h"
#include "r1cs/witness.h"

enum {
    CUZK_POREP_DRG_PARENTS = 6,
    CUZK_POREP_EXPANDER_PARENTS = 8,
    CUZK_POREP_PARENTS = CUZK_POREP_DRG_PARENTS + CUZK_POREP_EXPANDER_PARENTS,
    CUZK_POREP_MAX_LAYERS = 11,
    CUZK_POREP_OCTAL_MAX_LEVELS = 12,
};

/* What a sector size fixes. Trees have `1 << tree_d_levels` leaves of 32 bytes. */
struct cuzk_porep_shape {
    uint64_t sector_size;   /* bytes */
    unsigned layers;        /* 2 or 11 */
    unsigned challenges;    /* in one partition: 2 or 18 */
    unsigned tree_d_levels; /* binary tree of data; as many siblings on its path */
    /* TreeC and TreeRLast: arity 8, then a sub-tree and a top tree of arity 2 or 8 (0: none) */
    unsigned base_levels, sub_arity, top_arity;
    /* all levels of an octal path from the leaf up, and the siblings on it (sum of arity - 1) */
    unsigned octal_levels, octal_arity[CUZK_POREP_OCTAL_MAX_LEVELS], octal_siblings;
};

/* The shape of a sector size: 2, 4, 16, 32 KiB, 8, 16, 512 MiB, 1, 32, 64 GiB. Errors: ARGUMENT. */
enum cuzk_status cuzk_porep_shape(uint64_t sector_size, struct cuzk_porep_shape *out, struct cuzk_error *err);

/* An inclusion path: the leaf's index and the siblings, level by level from the leaf up, on each level in
 * the order of the proof (position order without the path's own node). */
struct cuzk_porep_path {
    uint64_t index;
    struct cuzk_fr *siblings; /* [tree_d_levels] or [octal_siblings] */
};

struct cuzk_porep_column {
    struct cuzk_fr rows[CUZK_POREP_MAX_LAYERS]; /* [layers]: label of layer 1, 2, ... */
    struct cuzk_porep_path path;                /* in TreeC */
};

struct cuzk_porep_challenge {
    uint64_t challenge; /* the node, as in the label preimage */
    struct cuzk_fr data_leaf;
    struct cuzk_porep_path tree_d;
    struct cuzk_porep_column parents[CUZK_POREP_PARENTS]; /* 6 drg parents, then 8 expander parents */
    struct cuzk_porep_path tree_r_last;
    struct cuzk_porep_path tree_c; /* of the challenged node's own column */
};

/* The values of one partition. Field elements in Montgomery form. */
struct cuzk_porep_assignment {
    struct cuzk_fr replica_id, comm_d, comm_r, comm_r_last, comm_c;
    unsigned challenge_count;
    struct cuzk_porep_challenge *challenges; /* [challenge_count] */
    struct cuzk_fr *siblings;                /* storage of all paths */
};

/* Allocates an assignment, all values zero, every `siblings` pointing at its own storage. Errors: MEMORY. */
enum cuzk_status cuzk_porep_assignment_create(const struct cuzk_porep_shape *shape,
                                              struct cuzk_porep_assignment *out, struct cuzk_error *err);
/* Fine on a zeroed one. */
void cuzk_porep_assignment_destroy(struct cuzk_porep_assignment *assignment);

/* The whole circuit: head, then each challenge. In record mode any assignment of the shape will do. */
void cuzk_porep_synthesise(struct cuzk_cs *cs, const struct cuzk_porep_shape *shape,
                           const struct cuzk_porep_assignment *assignment);

/* Where the parts of a witness lie: the challenges are alike, one behind the other after the head. */
struct cuzk_porep_plan {
    struct cuzk_porep_shape shape;
    struct cuzk_cs_counts head, challenge, total; /* constraints are not counted */
};

/* Errors: MEMORY. */
enum cuzk_status cuzk_porep_plan(const struct cuzk_porep_shape *shape, struct cuzk_porep_plan *out,
                                 struct cuzk_error *err);

/* The witness of an assignment, challenges spread over the pool. The arrays of `witness` are zeroed and have
 * the sizes of plan->total. Errors: ARGUMENT (an assignment of another shape). */
enum cuzk_status cuzk_porep_witness(const struct cuzk_porep_plan *plan,
                                    const struct cuzk_porep_assignment *assignment, struct cuzk_pool *pool,
                                    const struct cuzk_witness *witness, struct cuzk_error *err);

/* Which aux variables are bits; without recording a constraint. Errors: MEMORY. */
enum cuzk_status cuzk_porep_layout(const struct cuzk_porep_plan *plan, struct cuzk_witness_layout *out,
                                   struct cuzk_error *err);

/* Number of public inputs, the constant one included: 4 + 18 * challenges. */
unsigned cuzk_porep_inputs(const struct cuzk_porep_shape *shape);

#endif
