#include "filecoin/update_verify.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/merkle.h"
#include "filecoin/update.h"

#define INVALID(...) cuzk_error_set(err, CUZK_INVALID, __VA_ARGS__)

struct job {
    const struct cuzk_update_proof *proof;
    const struct cuzk_update_commitments *commitments;
    const uint32_t *nodes; /* challenged */
    struct cuzk_fr phi;
};

static enum cuzk_status check_comm_r(const char *name, const struct cuzk_fr *comm_c,
                                     const struct cuzk_fr *root, const struct cuzk_fr *comm_r,
                                     struct cuzk_error *err)
{
    struct cuzk_fr computed;

    cuzk_merkle_comm_r(comm_c, root, &computed);
    if (!cuzk_fr_equal(&computed, comm_r))
        return INVALID("%s: is not that of comm_c and the root that the proofs name", name);
    return CUZK_OK;
}

/* The apex leaves hash up to a node of the data tree, and the siblings of any challenge's path above it lead
 * on to comm_d. */
static enum cuzk_status check_apex(const struct job *job, struct cuzk_error *err)
{
    const struct cuzk_update_proof *proof = job->proof;
    const struct cuzk_update_shape *shape = &proof->shape;
    struct cuzk_fr row[CUZK_UPDATE_MAX_APEX_LEAVES], root;

    memcpy(row, proof->apex_leaves, sizeof *row << shape->apex_bits);
    for (unsigned n = 1U << shape->apex_bits; n > 1; n /= 2)
        for (unsigned i = 0; i < n / 2; i++)
            cuzk_merkle_binary_root(&row[2 * i], 0, &row[2 * i + 1], 1, &row[i]);
    cuzk_merkle_binary_root(&row[0], proof->partition,
                            proof->paths[0].d_new.siblings + shape->log2_nodes - shape->partition_bits,
                            shape->partition_bits, &root);
    if (!cuzk_fr_equal(&root, &job->commitments->comm_d_new))
        return INVALID("apex_leafs: they do not lead to comm_d_new");
    return CUZK_OK;
}

static enum cuzk_status check_oct_path(const struct job *job, const char *name,
                                       const struct cuzk_merkle_path *path, uint64_t node,
                                       const struct cuzk_fr *root, struct cuzk_error *err)
{
    struct cuzk_fr computed;

    if (path->index != node)
        return INVALID("%s: the path is of node %llu, the challenge is %llu", name,
                       (unsigned long long)path->index, (unsigned long long)node);
    if (!cuzk_fr_equal(&path->root, root))
        return INVALID("%s: the stored root is not that of the first challenge", name);
    cuzk_merkle_oct_root(job->proof->shape.tree, path, &computed);
    if (!cuzk_fr_equal(&computed, root))
        return INVALID("%s: the path does not lead to its root", name);
    return CUZK_OK;
}

static enum cuzk_status check_data_path(const struct job *job, const struct cuzk_merkle_path *path,
                                        uint64_t node, struct cuzk_error *err)
{
    const struct cuzk_update_shape *shape = &job->proof->shape;
    const unsigned below = cuzk_update_data_levels(shape);
    struct cuzk_fr apex, root;

    if (path->index != node)
        return INVALID("proof_d_new: the path is of node %llu, the challenge is %llu",
                       (unsigned long long)path->index, (unsigned long long)node);
    cuzk_merkle_binary_root(&path->leaf, node, path->siblings, below, &apex);
    if (!cuzk_fr_equal(&apex, &job->proof->apex_leaves[node >> below & ((1U << shape->apex_bits) - 1)]))
        return INVALID("proof_d_new: the path does not lead to its apex leaf");
    cuzk_merkle_binary_root(&apex, node >> below, path->siblings + below, shape->log2_nodes - below, &root);
    if (!cuzk_fr_equal(&root, &job->commitments->comm_d_new) ||
        !cuzk_fr_equal(&path->root, &job->commitments->comm_d_new))
        return INVALID("proof_d_new: the path does not lead to comm_d_new");
    return CUZK_OK;
}

static enum cuzk_status check_challenge(void *context, size_t index, struct cuzk_error *err)
{
    const struct job *job = context;
    const struct cuzk_update_proof *proof = job->proof;
    const struct cuzk_update_paths *paths = &proof->paths[index];
    const uint64_t node = job->nodes[index];
    struct cuzk_fr rho, encoded;

    CUZK_TRY(check_oct_path(job, "proof_r_old", &paths->r_old, node, &proof->paths[0].r_old.root, err));
    CUZK_TRY(check_data_path(job, &paths->d_new, node, err));
    CUZK_TRY(check_oct_path(job, "proof_r_new", &paths->r_new, node, &proof->paths[0].r_new.root, err));
    cuzk_update_rho(&job->phi, cuzk_update_high(&proof->shape, cuzk_update_default_h(&proof->shape), node),
                    &rho);
    cuzk_fr_mul(&paths->d_new.leaf, &rho, &encoded);
    cuzk_fr_add(&encoded, &paths->r_old.leaf, &encoded);
    if (!cuzk_fr_equal(&encoded, &paths->r_new.leaf))
        return INVALID("encoding: the new leaf is not the old one plus rho times the data");
    return CUZK_OK;
}

/* Whether all paths are of another partition's nodes: proofs were given in another order. */
static enum cuzk_status check_partition(const struct cuzk_update_proof *proof, struct cuzk_error *err)
{
    const unsigned random = cuzk_update_random_bits(&proof->shape);
    const uint64_t own = proof->paths[0].r_new.index >> random;

    for (unsigned i = 0; i < proof->shape.challenges; i++)
        if (own == proof->partition || proof->paths[i].r_new.index >> random != own)
            return CUZK_OK; /* whatever is wrong with it is wrong in one challenge */
    return INVALID("the vanilla proof is that of partition %llu", (unsigned long long)own);
}

enum cuzk_status cuzk_update_verify_vanilla(struct cuzk_pool *pool, const struct cuzk_update_proof *proof,
                                            const struct cuzk_update_commitments *commitments,
                                            struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const unsigned n = proof->shape.challenges;
    struct job job = {.proof = proof, .commitments = commitments};
    uint32_t *nodes = NULL;
    size_t failed;

    CUZK_TRY(CUZK_NEW(&nodes, n, "challenges of an update", err));
    job.nodes = nodes;
    cuzk_update_challenges(&proof->shape, &commitments->comm_r_new, proof->partition, nodes);
    cuzk_update_phi(&commitments->comm_d_new, &commitments->comm_r_old, &job.phi);
    CUZK_TRY_OUT(check_comm_r("comm_r_old", &proof->comm_c, &proof->paths[0].r_old.root,
                              &commitments->comm_r_old, err));
    CUZK_TRY_OUT(check_comm_r("comm_r_new", &proof->comm_c, &proof->paths[0].r_new.root,
                              &commitments->comm_r_new, err));
    CUZK_TRY_OUT(check_partition(proof, err));
    status = cuzk_pool_try(pool, n, check_challenge, &job, &failed, err);
    if (status != CUZK_OK)
        CUZK_TRY_OUT(cuzk_error_prefix(err, status, "challenge %zu (node %u)", failed, nodes[failed]));
    CUZK_TRY_OUT(check_apex(&job, err));
out:
    cuzk_mem_free(nodes);
    return status == CUZK_OK ? CUZK_OK : cuzk_error_prefix(err, status, "partition %u", proof->partition);
}
