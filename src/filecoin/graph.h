/*
 * The stacked graph of a PoRep: six base parents (depth-robust graph, in the same layer) and eight expander
 * parents (in the layer below) of every node.
 *
 * Base parents: DRSample with ChaCha8. Expander: a Feistel permutation of 8 N positions with BLAKE2b rounds.
 * Api 1.0.0 puts the predecessor last among the base parents (later: first) and cuts the expander's positions
 * to 32 bits. Nodes 0 and 1 have six base parents 0. Thread-safe after init. Source: storage-proofs-core
 * drgraph.rs, storage-proofs-porep stacked/vanilla/graph.rs, crypto/feistel.rs.
 */
#ifndef CUZK_FILECOIN_GRAPH_H
#define CUZK_FILECOIN_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "circuit/porep_assignment.h"
#include "filecoin/seal_proof.h"

struct cuzk_graph {
    uint64_t nodes; /* a power of two, at most 2^31 */
    bool legacy;    /* api 1.0.0 */
    uint8_t drg_seed[28];
    uint64_t feistel_keys[4]; /* the last is not used */
    unsigned half_bits;       /* of the Feistel permutation's positions */
};

void cuzk_graph_init(struct cuzk_graph *graph, uint64_t nodes, enum cuzk_api_version api_version,
                     const uint8_t porep_id[32]);

/* node is below graph->nodes, in all of these. */
void cuzk_graph_drg_parents(const struct cuzk_graph *graph, uint32_t node,
                            uint32_t parents[CUZK_POREP_DRG_PARENTS]);
void cuzk_graph_exp_parents(const struct cuzk_graph *graph, uint32_t node,
                            uint32_t parents[CUZK_POREP_EXP_PARENTS]);
/* Six base parents, then eight expander parents. */
void cuzk_graph_parents(const struct cuzk_graph *graph, uint32_t node, uint32_t parents[CUZK_POREP_PARENTS]);

#endif
