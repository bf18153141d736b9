#include "filecoin/synth.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "filecoin/challenges.h"
#include "filecoin/claims.h"
#include "filecoin/graph.h"
#include "filecoin/label.h"
#include "filecoin/merkle.h"
#include "filecoin/replica_id.h"
#include "filecoin/sparse_tree.h"
#include "filecoin/synth_value.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"

/* Kinds of pseudo-random values. */
enum { PARAMETER, FREE_LABEL, TREE_C_NODE, TREE_R_LAST_NODE, DATA_CLASS };
enum { CLASSES = 8, MAX_LEVELS = CUZK_POREP_MAX_LOG2_NODES };

struct maker {
    struct cuzk_pool *pool;
    uint64_t seed;
    struct cuzk_porep_config config;
    struct cuzk_graph graph;
    struct cuzk_c1 *c1;
    struct cuzk_fr data[MAX_LEVELS + 1][CLASSES]; /* data tree: nodes of a level by class */
    size_t count;                                 /* challenges of all partitions */
    uint32_t *challenges;                         /* [count] in order */
    uint32_t *parents;                            /* [count * 14] */
    uint32_t *challenged;                         /* distinct challenges, ascending */
    size_t challenged_count;
    uint32_t *nodes; /* challenges and parents, distinct, ascending */
    size_t node_count;
    uint8_t *label_bytes;     /* [node_count][layers][32] */
    struct cuzk_fr *labels;   /* the same */
    struct cuzk_fr *columns;  /* [node_count]: leaves of tree_c */
    struct cuzk_fr *replicas; /* [challenged_count]: leaves of tree_r_last */
    struct cuzk_sparse_tree tree_c, tree_r_last;
};

static const char tag[] = "synthetic-C1-v01";

enum { NUMBERS = 4 };

static void prf(uint64_t seed, uint64_t kind, uint64_t level, uint64_t index, uint8_t out[32])
{
    cuzk_synth_bytes(tag, (const uint64_t[NUMBERS]){seed, kind, level, index}, NUMBERS, out);
}

static void prf_element(uint64_t seed, uint64_t kind, uint64_t level, uint64_t index, struct cuzk_fr *out)
{
    cuzk_synth_element(tag, (const uint64_t[NUMBERS]){seed, kind, level, index}, NUMBERS, out);
}

enum cuzk_status cuzk_synth_config(const struct cuzk_synth_request *request, struct cuzk_porep_config *config,
                                   int *registered_proof, uint8_t prover_id[32], struct cuzk_error *err)
{
    const unsigned first = request->legacy ? 0 : CUZK_SEAL_PROOFS / 4;
    uint8_t porep_id[32] = {0};

    prf(request->seed, PARAMETER, 0, 0, prover_id);
    *registered_proof = -1;
    for (unsigned number = first; number < first + CUZK_SEAL_PROOFS / 4; number++) {
        if (cuzk_seal_proof_sector_size(number) != request->sector_size)
            continue;
        *registered_proof = (int)number;
        cuzk_porep_config_registered(number, config);
        return CUZK_OK;
    }
    if (request->legacy)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "no registered proof of api 1.0.0 has sectors of %llu bytes",
                              (unsigned long long)request->sector_size);
    /* by convention the porep id of other sizes is the size itself */
    memcpy(porep_id, &request->sector_size, sizeof request->sector_size);
    return cuzk_porep_config_make(request->sector_size, CUZK_POREP_INTERACTIVE, CUZK_API_1_1_0, porep_id,
                                  config, err);
}

/* Node i of every level of the data tree depends on the number of ones in i, modulo 8, so that comm_d needs
 * eight hashes a level. */
static void make_data(struct maker *m, enum cuzk_synth_data mode)
{
    uint8_t class[CLASSES][32] = {{0}}, above[CLASSES][32], pair[64];

    for (unsigned p = 0; p < CLASSES && mode == CUZK_SYNTH_MIX; p++)
        prf(m->seed, DATA_CLASS, 0, p, class[p]);
    for (unsigned level = 0; level <= m->config.shape.log2_nodes; level++) {
        for (unsigned p = 0; p < CLASSES; p++) {
            (void)cuzk_fr_from_bytes(class[p], &m->data[level][p]);
            memcpy(pair, class[p], 32);
            memcpy(pair + 32, class[(p + 1) % CLASSES], 32);
            cuzk_sha256_node(pair, above[p]);
        }
        if (level == m->config.shape.log2_nodes)
            memcpy(m->c1->comm_d, class[0], 32);
        memcpy(class, above, sizeof class);
    }
}

static const struct cuzk_fr *data_node(const struct maker *m, unsigned level, uint64_t index)
{
    return &m->data[level][__builtin_popcountll(index) % CLASSES];
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts and drops repetitions; returns what is left. */
static size_t distinct(uint32_t *values, size_t n)
{
    size_t kept = 0;

    qsort(values, n, sizeof *values, compare);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || values[kept - 1] != values[i])
            values[kept++] = values[i];
    return kept;
}

static size_t position(const uint32_t *sorted, size_t n, uint32_t value)
{
    return (size_t)((const uint32_t *)bsearch(&value, sorted, n, sizeof value, compare) - sorted);
}

static enum cuzk_status find_nodes(struct maker *m, struct cuzk_error *err)
{
    struct cuzk_c1 *c1 = m->c1;

    m->count = (size_t)m->config.partitions * m->config.shape.challenges;
    CUZK_TRY(CUZK_NEW(&m->challenges, m->count, "challenges", err));
    CUZK_TRY(CUZK_NEW(&m->parents, m->count * CUZK_POREP_PARENTS, "parents", err));
    CUZK_TRY(CUZK_NEW(&m->challenged, m->count, "challenged nodes", err));
    CUZK_TRY(CUZK_NEW(&m->nodes, m->count * (1 + CUZK_POREP_PARENTS), "nodes", err));
    cuzk_porep_challenges(&m->config, c1->replica_id, c1->comm_r, c1->seed, m->challenges);
    for (size_t i = 0; i < m->count; i++)
        cuzk_graph_parents(&m->graph, m->challenges[i], m->parents + i * CUZK_POREP_PARENTS);
    memcpy(m->challenged, m->challenges, m->count * sizeof *m->challenges);
    m->challenged_count = distinct(m->challenged, m->count);
    memcpy(m->nodes, m->challenges, m->count * sizeof *m->nodes);
    memcpy(m->nodes + m->count, m->parents, m->count * CUZK_POREP_PARENTS * sizeof *m->nodes);
    m->node_count = distinct(m->nodes, m->count * (1 + CUZK_POREP_PARENTS));
    return CUZK_OK;
}

static uint8_t *label_at(const struct maker *m, uint32_t node, unsigned layer)
{
    return m->label_bytes +
           32 * (position(m->nodes, m->node_count, node) * m->config.shape.layers + (layer - 1));
}

/* Free labels first, then those of challenged nodes, each after its parents'. */
static enum cuzk_status make_labels(struct maker *m, struct cuzk_error *err)
{
    const unsigned layers = m->config.shape.layers;

    CUZK_TRY(CUZK_NEW(&m->label_bytes, m->node_count * layers * 32, "labels", err));
    CUZK_TRY(CUZK_NEW(&m->labels, m->node_count * layers, "labels", err));
    for (size_t i = 0; i < m->node_count; i++)
        for (unsigned layer = 1; layer <= layers; layer++)
            prf(m->seed, FREE_LABEL, layer, m->nodes[i], m->label_bytes + 32 * (i * layers + layer - 1));
    for (unsigned layer = 1; layer <= layers; layer++)
        for (size_t i = 0; i < m->challenged_count; i++) {
            const unsigned count = cuzk_label_parents(layer);
            uint32_t nodes[CUZK_POREP_PARENTS];
            const uint8_t *parents[CUZK_POREP_PARENTS];
            cuzk_graph_parents(&m->graph, m->challenged[i], nodes);
            for (unsigned k = 0; k < count; k++)
                parents[k] = label_at(m, nodes[k], k < CUZK_POREP_DRG_PARENTS ? layer : layer - 1);
            cuzk_label(m->c1->replica_id, layer, m->challenged[i], parents, count,
                       label_at(m, m->challenged[i], layer));
        }
    for (size_t i = 0; i < m->node_count * layers; i++)
        (void)cuzk_fr_from_bytes(m->label_bytes + 32 * i, &m->labels[i]);
    return CUZK_OK;
}

static void tree_c_node(void *context, unsigned level, uint64_t index, struct cuzk_fr *value)
{
    const struct maker *m = context;
    prf_element(m->seed, TREE_C_NODE, level, index, value);
}

static void tree_r_last_node(void *context, unsigned level, uint64_t index, struct cuzk_fr *value)
{
    const struct maker *m = context;
    prf_element(m->seed, TREE_R_LAST_NODE, level, index, value);
}

static enum cuzk_status make_trees(struct maker *m, struct cuzk_error *err)
{
    const unsigned layers = m->config.shape.layers;
    struct cuzk_fr comm_r;

    CUZK_TRY(CUZK_NEW(&m->columns, m->node_count, "column hashes", err));
    CUZK_TRY(CUZK_NEW(&m->replicas, m->challenged_count, "replica nodes", err));
    cuzk_poseidon_hash_many(cuzk_poseidon_instance(layers), m->labels, m->node_count, m->columns);
    for (size_t i = 0; i < m->challenged_count; i++) {
        const size_t at = position(m->nodes, m->node_count, m->challenged[i]);
        cuzk_label_encode(&m->labels[at * layers + layers - 1], data_node(m, 0, m->challenged[i]),
                          &m->replicas[i]);
    }
    CUZK_TRY(cuzk_sparse_tree_build(&m->tree_c, m->pool, m->config.shape.tree, m->nodes, m->columns,
                                    m->node_count, tree_c_node, m, err));
    CUZK_TRY(cuzk_sparse_tree_build(&m->tree_r_last, m->pool, m->config.shape.tree, m->challenged,
                                    m->replicas, m->challenged_count, tree_r_last_node, m, err));
    cuzk_merkle_comm_r(cuzk_sparse_tree_root(&m->tree_c), cuzk_sparse_tree_root(&m->tree_r_last), &comm_r);
    cuzk_fr_to_bytes(&comm_r, m->c1->comm_r);
    return CUZK_OK;
}

static enum cuzk_status fill_path(struct maker *m, const struct cuzk_sparse_tree *tree, uint32_t node,
                                  const struct cuzk_fr *leaf, struct cuzk_merkle_path *path,
                                  struct cuzk_error *err)
{
    struct cuzk_fr *siblings;

    CUZK_TRY(cuzk_fr_arena_take(&m->c1->values, cuzk_tree_siblings(tree->shape), &siblings, err));
    cuzk_sparse_tree_path(tree, node, siblings);
    path->siblings = siblings;
    path->leaf = *leaf;
    path->root = *cuzk_sparse_tree_root(tree);
    path->index = node;
    return CUZK_OK;
}

static enum cuzk_status fill_column(struct maker *m, uint32_t node, struct cuzk_porep_column *column,
                                    struct cuzk_error *err)
{
    const unsigned layers = m->config.shape.layers;
    const size_t at = position(m->nodes, m->node_count, node);
    struct cuzk_fr *labels;

    CUZK_TRY(cuzk_fr_arena_take(&m->c1->values, layers, &labels, err));
    memcpy(labels, m->labels + at * layers, layers * sizeof *labels);
    column->labels = labels;
    return fill_path(m, &m->tree_c, node, &m->columns[at], &column->path, err);
}

static enum cuzk_status fill_challenge(struct maker *m, size_t index, struct cuzk_error *err)
{
    const unsigned per_partition = m->config.shape.challenges;
    struct cuzk_c1_partition *partition = m->c1->partition[index / per_partition];
    struct cuzk_porep_challenge *challenge = &partition->challenges[index % per_partition];
    const uint32_t node = m->challenges[index];
    struct cuzk_fr *siblings;

    challenge->node = node;
    CUZK_TRY(cuzk_fr_arena_take(&m->c1->values, m->config.shape.log2_nodes, &siblings, err));
    for (unsigned level = 0; level < m->config.shape.log2_nodes; level++)
        siblings[level] = *data_node(m, level, (node >> level) ^ 1);
    challenge->data.siblings = siblings;
    challenge->data.leaf = *data_node(m, 0, node);
    challenge->data.root = *data_node(m, m->config.shape.log2_nodes, 0);
    challenge->data.index = node;
    CUZK_TRY(fill_path(m, &m->tree_r_last, node,
                       &m->replicas[position(m->challenged, m->challenged_count, node)], &challenge->replica,
                       err));
    CUZK_TRY(fill_column(m, node, &challenge->column, err));
    for (unsigned i = 0; i < CUZK_POREP_PARENTS; i++)
        CUZK_TRY(fill_column(m, m->parents[index * CUZK_POREP_PARENTS + i], &challenge->parents[i], err));
    return cuzk_c1_fill_claims(m->c1, challenge, &partition->claims[index % per_partition], err);
}

static void digest_elements(const struct cuzk_fr *elements, size_t n, uint8_t digest[32])
{
    struct cuzk_sha256 hash;
    uint8_t bytes[32];

    cuzk_sha256_init(&hash);
    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_bytes(&elements[i], bytes);
        cuzk_sha256_update(&hash, bytes, sizeof bytes);
    }
    cuzk_sha256_final(&hash, digest);
}

static void make_stages(const struct maker *m, struct cuzk_synth_stages *stages)
{
    struct cuzk_sha256 hash;

    cuzk_sha256_init(&hash);
    for (size_t i = 0; i < m->count; i++) {
        const uint64_t node = m->challenges[i];
        cuzk_sha256_update(&hash, &node, sizeof node);
    }
    cuzk_sha256_final(&hash, stages->challenges);
    cuzk_sha256_digest(m->parents, m->count * CUZK_POREP_PARENTS * sizeof *m->parents, stages->parents);
    cuzk_sha256_digest(m->label_bytes, m->node_count * m->config.shape.layers * 32, stages->columns);
    digest_elements(m->columns, m->node_count, stages->tree_c_leaves);
    digest_elements(m->replicas, m->challenged_count, stages->tree_r_last_leaves);
}

static void release(struct maker *m)
{
    cuzk_mem_free(m->challenges);
    cuzk_mem_free(m->parents);
    cuzk_mem_free(m->challenged);
    cuzk_mem_free(m->nodes);
    cuzk_mem_free(m->label_bytes);
    cuzk_mem_free(m->labels);
    cuzk_mem_free(m->columns);
    cuzk_mem_free(m->replicas);
    cuzk_sparse_tree_destroy(&m->tree_c);
    cuzk_sparse_tree_destroy(&m->tree_r_last);
    cuzk_mem_free(m);
}

enum cuzk_status cuzk_synth_porep(struct cuzk_pool *pool, const struct cuzk_synth_request *request,
                                  struct cuzk_synth_stages *stages, struct cuzk_c1 **out,
                                  struct cuzk_error *err)
{
    struct maker *m;
    uint8_t prover_id[32];
    int registered_proof;
    enum cuzk_status status;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&m, 1, "synthetic sector", err));
    m->pool = pool;
    m->seed = request->seed;
    CUZK_TRY_OUT(cuzk_synth_config(request, &m->config, &registered_proof, prover_id, err));
    CUZK_TRY_OUT(cuzk_c1_create(registered_proof, &m->config, &m->c1, err));
    cuzk_graph_init(&m->graph, UINT64_C(1) << m->config.shape.log2_nodes, m->config.api_version,
                    m->config.porep_id);
    prf(m->seed, PARAMETER, 0, 1, m->c1->ticket);
    prf(m->seed, PARAMETER, 0, 2, m->c1->seed);
    make_data(m, request->data);
    cuzk_replica_id(prover_id, m->seed, m->c1->ticket, m->c1->comm_d, m->config.porep_id, m->c1->replica_id);
    CUZK_TRY_OUT(find_nodes(m, err));
    CUZK_TRY_OUT(make_labels(m, err));
    CUZK_TRY_OUT(make_trees(m, err));
    for (size_t i = 0; i < m->count; i++)
        CUZK_TRY_OUT(fill_challenge(m, i, err));
    if (stages != NULL)
        make_stages(m, stages);
    *out = m->c1;
    m->c1 = NULL;
out:
    cuzk_c1_destroy(m->c1);
    release(m);
    return status;
}
