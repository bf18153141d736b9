#include "filecoin/seal.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/challenges.h"
#include "filecoin/claims.h"
#include "filecoin/data_tree.h"
#include "filecoin/graph.h"
#include "filecoin/label.h"
#include "filecoin/merkle.h"
#include "filecoin/oct_tree.h"
#include "filecoin/replica_id.h"
#include "hash/poseidon.h"

enum { NODE = CUZK_NODE_BYTES, GRAIN = 256, BATCH = 64 };

/* Nodes between two questions whether to stop: a fraction of a second of any step. */
enum { SLICE = 1 << 14 };

/* ---- labels ---- */

/* What is done for every node by itself, a slice of them at a time. */
struct node_work {
    struct cuzk_sealed_sector *sector;
    const struct cuzk_graph *graph;
    uint32_t *parents; /* [nodes * 14] */
    uint64_t first;    /* node of the slice */
};

static uint64_t slice_end(const struct cuzk_sealed_sector *s, uint64_t begin)
{
    return s->nodes - begin < SLICE ? s->nodes : begin + SLICE;
}

static enum cuzk_status over_nodes(struct cuzk_pool *pool, struct node_work *work, const char *stage,
                                   void (*task)(void *work, size_t begin, size_t end, unsigned worker),
                                   const struct cuzk_progress *progress, struct cuzk_error *err)
{
    const struct cuzk_sealed_sector *s = work->sector;

    for (work->first = 0; work->first < s->nodes; work->first += SLICE) {
        CUZK_TRY(cuzk_progress_check(progress, err));
        cuzk_progress_report(progress, stage, work->first, s->nodes);
        cuzk_pool_range(pool, slice_end(s, work->first) - work->first, GRAIN, task, work);
    }
    return CUZK_OK;
}

static void find_parents(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct node_work *work = context;

    (void)worker;
    for (uint64_t node = work->first + begin; node < work->first + end; node++)
        cuzk_graph_parents(work->graph, (uint32_t)node, work->parents + node * CUZK_POREP_PARENTS);
}

/* Labels of nodes [begin, end), one after the other: each needs the one before it. */
static void label_slice(const struct cuzk_sealed_sector *s, const uint32_t *parents, unsigned layer,
                        uint64_t begin, uint64_t end)
{
    uint8_t *labels = s->layers + (layer - 1) * s->nodes * NODE;
    const uint8_t *below = labels - s->nodes * NODE; /* not read in layer 1 */
    const unsigned count = cuzk_label_parents(layer);

    parents += begin * CUZK_POREP_PARENTS;
    for (uint64_t node = begin; node < end; node++, parents += CUZK_POREP_PARENTS) {
        const uint8_t *list[CUZK_POREP_PARENTS];
        for (unsigned i = 0; i < count; i++)
            list[i] = (i < CUZK_POREP_DRG_PARENTS ? labels : below) + (uint64_t)parents[i] * NODE;
        cuzk_label(s->c1->replica_id, layer, node, list, node == 0 ? 0 : count, labels + node * NODE);
    }
}

static enum cuzk_status make_labels(struct cuzk_pool *pool, struct cuzk_sealed_sector *s,
                                    const struct cuzk_graph *graph, const struct cuzk_progress *progress,
                                    struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct node_work parents = {.sector = s, .graph = graph};
    const unsigned layers = s->config.shape.layers;

    CUZK_TRY(CUZK_NEW(&s->layers, layers * s->nodes * NODE, "labels", err));
    CUZK_TRY(CUZK_NEW(&parents.parents, s->nodes * CUZK_POREP_PARENTS, "parents", err));
    CUZK_TRY_OUT(over_nodes(pool, &parents, "parents", find_parents, progress, err));
    for (unsigned layer = 1; layer <= layers; layer++)
        for (uint64_t begin = 0; begin < s->nodes; begin += SLICE) {
            CUZK_TRY_OUT(cuzk_progress_check(progress, err));
            cuzk_progress_report(progress, "labels", (layer - 1) * s->nodes + begin, layers * s->nodes);
            label_slice(s, parents.parents, layer, begin, slice_end(s, begin));
        }
out:
    cuzk_mem_free(parents.parents);
    return status;
}

/* ---- trees and replica ---- */

static const uint8_t *label_at(const struct cuzk_sealed_sector *s, unsigned layer, uint64_t node)
{
    return s->layers + ((layer - 1) * s->nodes + node) * NODE;
}

/* Leaves of both trees, and the replica. */
static void make_leaves(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct node_work *work = context;
    struct cuzk_sealed_sector *s = work->sector;
    const unsigned layers = s->config.shape.layers;
    const struct cuzk_poseidon *poseidon = cuzk_poseidon_instance(layers);
    struct cuzk_fr columns[BATCH * CUZK_POREP_MAX_LAYERS], data, key;

    (void)worker;
    begin += work->first;
    end += work->first;
    for (size_t first = begin; first < end; first += BATCH) {
        const size_t n = end - first < BATCH ? end - first : BATCH;
        for (size_t i = 0; i < n; i++) {
            const size_t node = first + i;
            for (unsigned layer = 1; layer <= layers; layer++) /* labels are trimmed: below the modulus */
                (void)cuzk_fr_from_bytes(label_at(s, layer, node), &columns[i * layers + layer - 1]);
            (void)cuzk_fr_from_bytes(s->tree_d + node * NODE, &data);
            (void)cuzk_fr_from_bytes(label_at(s, layers, node), &key);
            cuzk_label_encode(&key, &data, &s->tree_r_last[node]);
            cuzk_fr_to_bytes(&s->tree_r_last[node], s->sealed + node * NODE);
        }
        cuzk_poseidon_hash_many(poseidon, columns, n, s->tree_c + first);
    }
}

static enum cuzk_status make_trees(struct cuzk_pool *pool, struct cuzk_sealed_sector *s,
                                   const struct cuzk_progress *progress, struct cuzk_error *err)
{
    struct node_work leaves = {.sector = s};
    const struct cuzk_tree_shape shape = s->config.shape.tree;
    const size_t total = cuzk_oct_tree_nodes(shape);
    struct cuzk_fr comm_r;

    CUZK_TRY(CUZK_NEW(&s->tree_c, total, "column tree", err));
    CUZK_TRY(CUZK_NEW(&s->tree_r_last, total, "replica tree", err));
    CUZK_TRY(CUZK_NEW(&s->sealed, s->nodes * NODE, "replica", err));
    CUZK_TRY(over_nodes(pool, &leaves, "column hashes and replica", make_leaves, progress, err));
    cuzk_progress_report(progress, "trees", 0, 0);
    cuzk_oct_tree_build(pool, shape, s->tree_c);
    CUZK_TRY(cuzk_progress_check(progress, err));
    cuzk_oct_tree_build(pool, shape, s->tree_r_last);
    cuzk_merkle_comm_r(&s->tree_c[total - 1], &s->tree_r_last[total - 1], &comm_r);
    cuzk_fr_to_bytes(&s->tree_c[total - 1], s->comm_c);
    cuzk_fr_to_bytes(&s->tree_r_last[total - 1], s->comm_r_last);
    cuzk_fr_to_bytes(&comm_r, s->c1->comm_r);
    return CUZK_OK;
}

/* ---- vanilla proofs ---- */

static enum cuzk_status fill_column(struct cuzk_sealed_sector *s, uint64_t node,
                                    struct cuzk_porep_column *column, struct cuzk_error *err)
{
    const unsigned layers = s->config.shape.layers;
    struct cuzk_fr *labels;

    CUZK_TRY(cuzk_fr_arena_take(&s->c1->values, layers, &labels, err));
    for (unsigned layer = 1; layer <= layers; layer++)
        (void)cuzk_fr_from_bytes(label_at(s, layer, node), &labels[layer - 1]);
    column->labels = labels;
    return cuzk_oct_tree_prove(s->config.shape.tree, s->tree_c, node, &s->c1->values, &column->path, err);
}

static enum cuzk_status fill_proofs(struct cuzk_sealed_sector *s, const struct cuzk_graph *graph,
                                    struct cuzk_error *err)
{
    const unsigned per_partition = s->config.shape.challenges;
    const size_t count = (size_t)s->config.partitions * per_partition;
    uint32_t *nodes, parents[CUZK_POREP_PARENTS];
    enum cuzk_status status;

    CUZK_TRY(CUZK_NEW(&nodes, count, "challenges", err));
    cuzk_porep_challenges(&s->config, s->c1->replica_id, s->c1->comm_r, s->c1->seed, nodes);
    for (size_t i = 0; i < count; i++) {
        struct cuzk_c1_partition *partition = s->c1->partition[i / per_partition];
        struct cuzk_porep_challenge *challenge = &partition->challenges[i % per_partition];
        challenge->node = nodes[i];
        cuzk_graph_parents(graph, nodes[i], parents);
        CUZK_TRY_OUT(
            cuzk_data_tree_prove(s->tree_d, s->nodes, nodes[i], &s->c1->values, &challenge->data, err));
        CUZK_TRY_OUT(cuzk_oct_tree_prove(s->config.shape.tree, s->tree_r_last, nodes[i], &s->c1->values,
                                         &challenge->replica, err));
        CUZK_TRY_OUT(fill_column(s, nodes[i], &challenge->column, err));
        for (unsigned k = 0; k < CUZK_POREP_PARENTS; k++)
            CUZK_TRY_OUT(fill_column(s, parents[k], &challenge->parents[k], err));
        CUZK_TRY_OUT(cuzk_c1_fill_claims(s->c1, challenge, &partition->claims[i % per_partition], err));
    }
    status = CUZK_OK;
out:
    cuzk_mem_free(nodes);
    return status;
}

static enum cuzk_status seal(struct cuzk_pool *pool, const struct cuzk_seal_request *request,
                             const struct cuzk_progress *progress, struct cuzk_sealed_sector *s,
                             struct cuzk_error *err)
{
    struct cuzk_graph graph;

    CUZK_TRY(cuzk_c1_create(request->registered_proof, &request->config, &s->c1, err));
    memcpy(s->c1->ticket, request->ticket, 32);
    memcpy(s->c1->seed, request->interactive_seed, 32);
    CUZK_TRY(CUZK_NEW(&s->tree_d, (2 * s->nodes - 1) * NODE, "data tree", err));
    CUZK_TRY(CUZK_NEW(&s->pieces, request->piece_count, "pieces", err));
    s->piece_count = request->piece_count;
    CUZK_TRY(cuzk_sector_data_place(pool, s->config.sector_size, request->pieces, request->piece_count,
                                    s->pieces, s->tree_d, err));
    CUZK_TRY(cuzk_progress_check(progress, err));
    cuzk_data_tree_build(pool, s->tree_d, s->nodes);
    memcpy(s->c1->comm_d, s->tree_d + (2 * s->nodes - 2) * NODE, NODE);
    cuzk_replica_id(request->prover_id, request->sector_number, request->ticket, s->c1->comm_d,
                    request->config.porep_id, s->c1->replica_id);
    cuzk_graph_init(&graph, s->nodes, request->config.api_version, request->config.porep_id);
    CUZK_TRY(make_labels(pool, s, &graph, progress, err));
    CUZK_TRY(make_trees(pool, s, progress, err));
    return fill_proofs(s, &graph, err);
}

enum cuzk_status cuzk_seal(struct cuzk_pool *pool, const struct cuzk_seal_request *request,
                           const struct cuzk_progress *progress, struct cuzk_sealed_sector **out,
                           struct cuzk_error *err)
{
    struct cuzk_sealed_sector *s;

    *out = NULL;
    if (request->config.shape.log2_nodes > CUZK_SEAL_MAX_LOG2_NODES)
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "sealing is for test sectors of at most 1 GiB; a synthetic output has any size");
    CUZK_TRY(CUZK_NEW(&s, 1, "sealed sector", err));
    s->config = request->config;
    s->nodes = UINT64_C(1) << request->config.shape.log2_nodes;
    memcpy(s->prover_id, request->prover_id, 32);
    s->sector_number = request->sector_number;
    const enum cuzk_status status = seal(pool, request, progress, s, err);
    if (status != CUZK_OK) {
        cuzk_sealed_sector_destroy(s);
        return status;
    }
    *out = s;
    return CUZK_OK;
}

void cuzk_sealed_sector_destroy(struct cuzk_sealed_sector *s)
{
    if (s == NULL)
        return;
    cuzk_mem_free(s->pieces);
    cuzk_mem_free(s->tree_d);
    cuzk_mem_free(s->layers);
    cuzk_mem_free(s->sealed);
    cuzk_mem_free(s->tree_c);
    cuzk_mem_free(s->tree_r_last);
    cuzk_c1_destroy(s->c1);
    cuzk_mem_free(s);
}
