#include "filecoin/update_make.h"

#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "filecoin/data_tree.h"
#include "filecoin/merkle.h"
#include "filecoin/oct_tree.h"
#include "filecoin/seal.h"
#include "filecoin/update.h"

enum { NODE = CUZK_NODE_BYTES, GRAIN = 256 };

/* The node of the old replica that is no field element, where there is one; nodes otherwise. */
struct leaves {
    struct cuzk_updated_sector *sector;
    const uint8_t *replica;
    _Atomic uint64_t bad;
};

static void read_leaves(void *context, size_t begin, size_t end, unsigned worker)
{
    struct leaves *leaves = context;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        if (!cuzk_fr_from_bytes(leaves->replica + i * NODE, &leaves->sector->tree_r_old[i]))
            atomic_store(&leaves->bad, i);
}

struct encoding {
    struct cuzk_updated_sector *sector;
    const struct cuzk_fr *rho; /* by the high bits of a node */
    unsigned h;
};

static void encode(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct encoding *encoding = context;
    struct cuzk_updated_sector *s = encoding->sector;
    struct cuzk_fr value;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        (void)cuzk_fr_from_bytes(s->tree_d + i * NODE, &value); /* padded data: below the modulus */
        cuzk_fr_mul(&value, &encoding->rho[cuzk_update_high(&s->shape, encoding->h, i)], &value);
        cuzk_fr_add(&s->tree_r_old[i], &value, &s->tree_r_new[i]);
        cuzk_fr_to_bytes(&s->tree_r_new[i], s->replica + i * NODE);
    }
}

static void comm_r(const struct cuzk_updated_sector *s, const struct cuzk_fr *tree, struct cuzk_fr *out)
{
    cuzk_merkle_comm_r(&s->comm_c, &tree[cuzk_oct_tree_nodes(s->shape.tree) - 1], out);
}

static enum cuzk_status make_new_replica(struct cuzk_pool *pool, struct cuzk_updated_sector *s,
                                         struct cuzk_error *err)
{
    const unsigned h = cuzk_update_default_h(&s->shape);
    struct encoding encoding = {.sector = s, .h = h};
    struct cuzk_fr *rho, phi;

    CUZK_TRY(CUZK_NEW(&rho, (size_t)1 << h, "rho of an update", err));
    cuzk_update_phi(&s->commitments.comm_d_new, &s->commitments.comm_r_old, &phi);
    for (uint64_t high = 0; high < UINT64_C(1) << h; high++)
        cuzk_update_rho(&phi, high, &rho[high]);
    encoding.rho = rho;
    cuzk_pool_range(pool, s->nodes, GRAIN, encode, &encoding);
    cuzk_mem_free(rho);
    return CUZK_OK;
}

static enum cuzk_status make(struct cuzk_pool *pool, const struct cuzk_update_request *request,
                             const struct cuzk_progress *progress, struct cuzk_updated_sector *s,
                             struct cuzk_error *err)
{
    const size_t total = cuzk_oct_tree_nodes(s->shape.tree);
    struct leaves leaves = {.sector = s, .replica = request->replica, .bad = s->nodes};

    CUZK_TRY(CUZK_NEW(&s->tree_d, (2 * s->nodes - 1) * NODE, "data tree", err));
    CUZK_TRY(CUZK_NEW(&s->tree_r_old, total, "old replica tree", err));
    CUZK_TRY(CUZK_NEW(&s->tree_r_new, total, "new replica tree", err));
    CUZK_TRY(CUZK_NEW(&s->replica, s->nodes * NODE, "new replica", err));
    cuzk_progress_report(progress, "data tree", 0, 0);
    memcpy(s->tree_d, request->data, s->nodes * NODE);
    cuzk_data_tree_build(pool, s->tree_d, s->nodes);
    (void)cuzk_fr_from_bytes(s->tree_d + (2 * s->nodes - 2) * NODE, &s->commitments.comm_d_new);
    CUZK_TRY(cuzk_progress_check(progress, err));
    cuzk_progress_report(progress, "old replica tree", 0, 0);
    cuzk_pool_range(pool, s->nodes, GRAIN, read_leaves, &leaves);
    if (leaves.bad < s->nodes)
        return cuzk_error_set(err, CUZK_INPUT, "replica: node %llu is not below the modulus",
                              (unsigned long long)leaves.bad);
    cuzk_oct_tree_build(pool, s->shape.tree, s->tree_r_old);
    comm_r(s, s->tree_r_old, &s->commitments.comm_r_old);
    CUZK_TRY(cuzk_progress_check(progress, err));
    cuzk_progress_report(progress, "new replica and its tree", 0, 0);
    CUZK_TRY(make_new_replica(pool, s, err));
    CUZK_TRY(cuzk_progress_check(progress, err));
    cuzk_oct_tree_build(pool, s->shape.tree, s->tree_r_new);
    comm_r(s, s->tree_r_new, &s->commitments.comm_r_new);
    return CUZK_OK;
}

enum cuzk_status cuzk_update_make(struct cuzk_pool *pool, const struct cuzk_update_request *request,
                                  const struct cuzk_progress *progress, struct cuzk_updated_sector **out,
                                  struct cuzk_error *err)
{
    struct cuzk_update_shape shape;
    struct cuzk_updated_sector *s;

    *out = NULL;
    if (!cuzk_update_shape_of(request->sector_size, false, &shape) ||
        shape.log2_nodes > CUZK_SEAL_MAX_LOG2_NODES)
        return cuzk_error_set(err, CUZK_ARGUMENT, "update: no test updates of sectors of %llu bytes",
                              (unsigned long long)request->sector_size);
    CUZK_TRY(CUZK_NEW(&s, 1, "updated sector", err));
    s->shape = shape;
    s->nodes = UINT64_C(1) << shape.log2_nodes;
    s->comm_c = request->comm_c;
    const enum cuzk_status status = make(pool, request, progress, s, err);

    if (status != CUZK_OK) {
        cuzk_updated_sector_destroy(s);
        return status;
    }
    *out = s;
    return CUZK_OK;
}

void cuzk_updated_sector_destroy(struct cuzk_updated_sector *s)
{
    if (s == NULL)
        return;
    cuzk_mem_free(s->tree_d);
    cuzk_mem_free(s->tree_r_old);
    cuzk_mem_free(s->tree_r_new);
    cuzk_mem_free(s->replica);
    cuzk_mem_free(s);
}

/* ---- vanilla proofs ---- */

/* A node of a level of the data tree (0: the leaves). */
static const uint8_t *data_node(const struct cuzk_updated_sector *s, unsigned level, uint64_t index)
{
    const uint64_t before = 2 * s->nodes - (s->nodes >> level) * 2; /* nodes of the levels below */

    return s->tree_d + (before + index) * NODE;
}

enum cuzk_status cuzk_updated_sector_prove(const struct cuzk_updated_sector *s, unsigned partition,
                                           struct cuzk_update_proof *out, struct cuzk_error *err)
{
    const unsigned apex_level = cuzk_update_data_levels(&s->shape);
    enum cuzk_status status;
    uint32_t *nodes = NULL;

    CUZK_TRY(cuzk_update_proof_create(&s->shape, partition, out, err));
    out->comm_c = s->comm_c;
    for (unsigned i = 0; i < 1U << s->shape.apex_bits; i++)
        (void)cuzk_fr_from_bytes(data_node(s, apex_level, ((uint64_t)partition << s->shape.apex_bits) + i),
                                 &out->apex_leaves[i]);
    CUZK_TRY_OUT(CUZK_NEW(&nodes, s->shape.challenges, "challenges of an update", err));
    cuzk_update_challenges(&s->shape, &s->commitments.comm_r_new, partition, nodes);
    for (unsigned i = 0; i < s->shape.challenges; i++) {
        struct cuzk_update_paths *paths = &out->paths[i];
        CUZK_TRY_OUT(
            cuzk_oct_tree_prove(s->shape.tree, s->tree_r_old, nodes[i], &out->values, &paths->r_old, err));
        CUZK_TRY_OUT(cuzk_data_tree_prove(s->tree_d, s->nodes, nodes[i], &out->values, &paths->d_new, err));
        CUZK_TRY_OUT(
            cuzk_oct_tree_prove(s->shape.tree, s->tree_r_new, nodes[i], &out->values, &paths->r_new, err));
    }
    cuzk_update_proof_complete(out);
out:
    cuzk_mem_free(nodes);
    if (status != CUZK_OK)
        cuzk_update_proof_destroy(out);
    return status;
}
