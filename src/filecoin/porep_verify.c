#include "filecoin/porep_verify.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/challenges.h"
#include "filecoin/graph.h"
#include "filecoin/label.h"
#include "filecoin/merkle.h"
#include "filecoin/replica_id.h"
#include "hash/poseidon.h"

/* The paths of a challenge in Poseidon trees: replica, challenged column, parents' columns. */
enum { PATHS = 2 + CUZK_POREP_PARENTS };

struct job {
    const struct cuzk_c1 *c1;
    const struct cuzk_graph *graph; /* NULL: unknown */
    const uint32_t *nodes;          /* all challenges; NULL: unknown */
    struct cuzk_fr comm_d, comm_c, comm_r_last;
};

#define INVALID(...) cuzk_error_set(err, CUZK_INVALID, __VA_ARGS__)

static const char *parent_kind(unsigned i)
{
    return i < CUZK_POREP_DRG_PARENTS ? "drg_parents" : "exp_parents";
}

static unsigned parent_number(unsigned i)
{
    return i < CUZK_POREP_DRG_PARENTS ? i : i - CUZK_POREP_DRG_PARENTS;
}

/* Every place that names a node or layer names the right one. */
static enum cuzk_status check_positions(const struct job *job, size_t index,
                                        const struct cuzk_porep_challenge *challenge,
                                        const struct cuzk_c1_claims *claims, struct cuzk_error *err)
{
    const unsigned layers = job->c1->shape.layers;
    const unsigned long long node = challenge->node;
    uint32_t parents[CUZK_POREP_PARENTS];

    if (job->nodes != NULL && node != job->nodes[index])
        return INVALID("challenge: the proof is of node %llu, the challenge is %u", node, job->nodes[index]);
    if (node == 0 || node >= UINT64_C(1) << job->c1->shape.log2_nodes)
        return INVALID("challenge: node %llu is never challenged", node);
    for (unsigned i = 0; i < layers; i++)
        if (claims->labeling[i].node != node || claims->labeling[i].layer != i + 1)
            return INVALID(
                "labeling_proofs %u: of node %llu, layer %u, where node %llu, layer %u is expected", i,
                (unsigned long long)claims->labeling[i].node, claims->labeling[i].layer, node, i + 1);
    if (claims->encoding.node != node || claims->encoding.layer != layers)
        return INVALID("encoding_proof: of node %llu, layer %u, where node %llu, layer %u is expected",
                       (unsigned long long)claims->encoding.node, claims->encoding.layer, node, layers);
    if (challenge->data.index != node)
        return INVALID("comm_d_proofs: the path is of node %llu, not %llu",
                       (unsigned long long)challenge->data.index, node);
    if (challenge->replica.index != node)
        return INVALID("comm_r_last_proof: the path is of node %llu, not %llu",
                       (unsigned long long)challenge->replica.index, node);
    if (challenge->column.path.index != node || claims->column_node != node)
        return INVALID("c_x: a column of node %llu with a path of node %llu, where %llu is expected",
                       (unsigned long long)claims->column_node,
                       (unsigned long long)challenge->column.path.index, node);
    if (job->graph != NULL)
        cuzk_graph_parents(job->graph, (uint32_t)node, parents);
    for (unsigned i = 0; i < CUZK_POREP_PARENTS; i++) {
        const uint64_t path = challenge->parents[i].path.index;
        const uint64_t want = job->graph != NULL ? parents[i] : path;
        if (path != want || claims->parent_node[i] != want)
            return INVALID("%s %u: a column of node %llu with a path of node %llu, where the parent is %llu",
                           parent_kind(i), parent_number(i), (unsigned long long)claims->parent_node[i],
                           (unsigned long long)path, (unsigned long long)want);
    }
    return CUZK_OK;
}

static enum cuzk_status check_data_path(const struct job *job, const struct cuzk_merkle_path *path,
                                        struct cuzk_error *err)
{
    struct cuzk_fr root;

    cuzk_merkle_binary_root(&path->leaf, path->index, path->siblings, job->c1->shape.log2_nodes, &root);
    if (!cuzk_fr_equal(&path->root, &job->comm_d))
        return INVALID("comm_d_proofs: the stored root is not comm_d");
    if (!cuzk_fr_equal(&root, &job->comm_d))
        return INVALID("comm_d_proofs: the path does not lead to comm_d");
    return CUZK_OK;
}

static enum cuzk_status bad_path(unsigned i, const char *why, struct cuzk_error *err)
{
    const char *tree = i == 0 ? "comm_r_last" : "comm_c";

    if (i == 0)
        return INVALID("comm_r_last_proof: %s %s", why, tree);
    if (i == 1)
        return INVALID("c_x: inclusion_proof: %s %s", why, tree);
    return INVALID("%s %u: inclusion_proof: %s %s", parent_kind(i - 2), parent_number(i - 2), why, tree);
}

/* All paths of a challenge climb their trees together, so that hashes come in batches. */
static enum cuzk_status check_oct_paths(const struct job *job, const struct cuzk_porep_challenge *challenge,
                                        struct cuzk_error *err)
{
    const struct cuzk_tree_shape shape = job->c1->shape.tree;
    const struct cuzk_merkle_path *paths[PATHS] = {&challenge->replica, &challenge->column.path};
    struct cuzk_fr at[PATHS], families[PATHS * CUZK_TREE_MAX_ARITY];
    uint64_t index[PATHS];
    unsigned used = 0;

    for (unsigned i = 0; i < CUZK_POREP_PARENTS; i++)
        paths[2 + i] = &challenge->parents[i].path;
    for (unsigned i = 0; i < PATHS; i++) {
        at[i] = paths[i]->leaf;
        index[i] = paths[i]->index;
    }
    for (unsigned level = 0; level < cuzk_tree_levels(shape); level++) {
        const unsigned arity = cuzk_tree_arity(shape, level);
        for (unsigned i = 0; i < PATHS; i++) {
            const struct cuzk_fr *sibling = paths[i]->siblings + used;
            for (unsigned k = 0; k < arity; k++)
                families[i * arity + k] = k == index[i] % arity ? at[i] : *sibling++;
            index[i] /= arity;
        }
        cuzk_poseidon_hash_many(cuzk_poseidon_instance(arity), families, PATHS, at);
        used += arity - 1;
    }
    for (unsigned i = 0; i < PATHS; i++) {
        const struct cuzk_fr *root = i == 0 ? &job->comm_r_last : &job->comm_c;
        if (!cuzk_fr_equal(&paths[i]->root, root))
            return bad_path(i, "the stored root is not that of the first", err);
        if (!cuzk_fr_equal(&at[i], root))
            return bad_path(i, "the path does not lead to", err);
    }
    return CUZK_OK;
}

static enum cuzk_status check_columns(const struct job *job, const struct cuzk_porep_challenge *challenge,
                                      struct cuzk_error *err)
{
    enum { COLUMNS = 1 + CUZK_POREP_PARENTS };
    const unsigned layers = job->c1->shape.layers;
    struct cuzk_fr columns[COLUMNS * CUZK_POREP_MAX_LAYERS], hashes[COLUMNS];

    memcpy(columns, challenge->column.labels, layers * sizeof *columns);
    for (unsigned i = 0; i < CUZK_POREP_PARENTS; i++)
        memcpy(columns + (i + 1) * layers, challenge->parents[i].labels, layers * sizeof *columns);
    cuzk_poseidon_hash_many(cuzk_poseidon_instance(layers), columns, COLUMNS, hashes);
    if (!cuzk_fr_equal(&hashes[0], &challenge->column.path.leaf))
        return INVALID("c_x: the column's hash is not the leaf of its path");
    for (unsigned i = 0; i < CUZK_POREP_PARENTS; i++)
        if (!cuzk_fr_equal(&hashes[i + 1], &challenge->parents[i].path.leaf))
            return INVALID("%s %u: the column's hash is not the leaf of its path", parent_kind(i),
                           parent_number(i));
    return CUZK_OK;
}

static enum cuzk_status check_labels(const struct job *job, const struct cuzk_porep_challenge *challenge,
                                     const struct cuzk_c1_claims *claims, struct cuzk_error *err)
{
    const unsigned layers = job->c1->shape.layers;
    uint8_t bytes[CUZK_POREP_PARENTS][32], label[32];
    const uint8_t *parents[CUZK_POREP_PARENTS];
    struct cuzk_fr computed;

    for (unsigned layer = 1; layer <= layers; layer++) {
        const unsigned count = cuzk_label_parents(layer);
        const struct cuzk_fr *values[CUZK_POREP_PARENTS];
        for (unsigned i = 0; i < count; i++) {
            values[i] = &challenge->parents[i].labels[i < CUZK_POREP_DRG_PARENTS ? layer - 1 : layer - 2];
            cuzk_fr_to_bytes(values[i], bytes[i]);
            parents[i] = bytes[i];
        }
        for (unsigned i = 0; i < CUZK_POREP_LABEL_PARENTS; i++) {
            if (!cuzk_fr_equal(&claims->labeling[layer - 1].parents[i], values[i % count]))
                return INVALID("labeling_proofs %u: parent %u is not the label in the parent's column",
                               layer - 1, i);
            if (layer == layers && !cuzk_fr_equal(&claims->encoding.parents[i], values[i % count]))
                return INVALID("encoding_proof: parent %u is not the label in the parent's column", i);
        }
        cuzk_label(job->c1->replica_id, layer, challenge->node, parents, count, label);
        (void)cuzk_fr_from_bytes(label, &computed); /* trimmed: below the modulus */
        if (!cuzk_fr_equal(&computed, &challenge->column.labels[layer - 1]))
            return INVALID("label of layer %u: it does not follow from replica_id and the parents", layer);
    }
    cuzk_label_encode(&challenge->column.labels[layers - 1], &challenge->data.leaf, &computed);
    if (!cuzk_fr_equal(&computed, &challenge->replica.leaf))
        return INVALID("encoding: the replica's node is not the last label plus the data");
    return CUZK_OK;
}

static enum cuzk_status check_challenge(void *context, size_t index, struct cuzk_error *err)
{
    const struct job *job = context;
    const struct cuzk_c1_partition *partition = job->c1->partition[index / job->c1->shape.challenges];
    const size_t i = index % job->c1->shape.challenges;
    const struct cuzk_porep_challenge *challenge = &partition->challenges[i];

    CUZK_TRY(check_positions(job, index, challenge, &partition->claims[i], err));
    CUZK_TRY(check_data_path(job, &challenge->data, err));
    CUZK_TRY(check_oct_paths(job, challenge, err));
    CUZK_TRY(check_columns(job, challenge, err));
    return check_labels(job, challenge, &partition->claims[i], err);
}

/* What concerns the sector as a whole. */
static enum cuzk_status check_sector(const struct cuzk_c1 *c1, const struct cuzk_porep_config *config,
                                     const struct cuzk_porep_owner *owner, struct job *job,
                                     struct cuzk_error *err)
{
    struct cuzk_fr comm_r, computed;
    uint8_t replica_id[32];

    if (owner != NULL) {
        cuzk_replica_id(owner->prover_id, owner->sector_number, c1->ticket, c1->comm_d, config->porep_id,
                        replica_id);
        if (memcmp(replica_id, c1->replica_id, sizeof replica_id) != 0)
            return INVALID(
                "replica_id: it does not follow from prover, sector number, ticket, comm_d and porep id");
    }
    (void)cuzk_fr_from_bytes(c1->comm_d, &job->comm_d);
    (void)cuzk_fr_from_bytes(c1->comm_r, &comm_r);
    job->comm_c = c1->partition[0]->challenges[0].column.path.root;
    job->comm_r_last = c1->partition[0]->challenges[0].replica.root;
    cuzk_merkle_comm_r(&job->comm_c, &job->comm_r_last, &computed);
    if (!cuzk_fr_equal(&computed, &comm_r))
        return INVALID("comm_r: it is not the hash of comm_c and comm_r_last");
    return CUZK_OK;
}

enum cuzk_status cuzk_porep_verify_vanilla(struct cuzk_pool *pool, const struct cuzk_c1 *c1,
                                           const struct cuzk_porep_config *config,
                                           const struct cuzk_porep_owner *owner, struct cuzk_error *err)
{
    const unsigned count = c1->partitions * c1->shape.challenges;
    struct job job = {.c1 = c1};
    struct cuzk_graph graph;
    uint32_t *nodes = NULL;
    enum cuzk_status status;
    size_t failed;

    if (config != NULL && (config->sector_size != c1->sector_size || config->partitions != c1->partitions))
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "the C1 output is of %u partitions of a sector of %llu bytes", c1->partitions,
                              (unsigned long long)c1->sector_size);
    if (config == NULL && owner != NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "the replica id cannot be computed without the porep id");
    CUZK_TRY(check_sector(c1, config, owner, &job, err));
    if (config != NULL) {
        CUZK_TRY_OUT(CUZK_NEW(&nodes, count, "challenges", err));
        cuzk_porep_challenges(config, c1->replica_id, c1->comm_r, c1->seed, nodes);
        cuzk_graph_init(&graph, UINT64_C(1) << c1->shape.log2_nodes, config->api_version, config->porep_id);
        job.nodes = nodes;
        job.graph = &graph;
    }
    status = cuzk_pool_try(pool, count, check_challenge, &job, &failed, err);
    if (status != CUZK_OK)
        status = cuzk_error_prefix(err, status, "partition %zu, challenge %zu", failed / c1->shape.challenges,
                                   failed % c1->shape.challenges);
out:
    cuzk_mem_free(nodes);
    return status;
}
