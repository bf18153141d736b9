#include "filecoin/update_synth.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/class_tree.h"
#include "filecoin/merkle.h"
#include "filecoin/synth_value.h"
#include "filecoin/update.h"
#include "hash/sha256.h"

enum { CLASSES = CUZK_CLASS_TREE_CLASSES, DATA_LEVELS = CUZK_TREE_MAX_LEVELS + 1 };

enum kind { COMM_C, OLD_REPLICA, NEW_DATA };

struct cuzk_synth_update {
    struct cuzk_update_shape shape;
    struct cuzk_update_commitments commitments;
    struct cuzk_fr comm_c, old[CLASSES];
    struct cuzk_fr data[DATA_LEVELS][CLASSES]; /* nodes of the data tree by level and class */
    struct cuzk_fr *rho;                       /* [1 << h] */
    struct cuzk_class_tree tree_r_old, tree_r_new;
};

static const char tag[] = "synthetic-snap-v1";

enum { NUMBERS = 3 };

static void draw(uint64_t seed, enum kind kind, uint64_t class, struct cuzk_fr *out)
{
    cuzk_synth_element(tag, (const uint64_t[NUMBERS]){seed, (uint64_t)kind, class}, NUMBERS, out);
}

/* The children 2 i and 2 i + 1 of a node i are of the classes 2 c and 2 c + 1 of its own class c. */
static void make_data(struct cuzk_synth_update *u, uint64_t seed)
{
    uint8_t row[CLASSES][CUZK_FR_BYTES], above[CLASSES][CUZK_FR_BYTES], pair[2 * CUZK_FR_BYTES];

    for (unsigned c = 0; c < CLASSES; c++)
        cuzk_synth_bytes(tag, (const uint64_t[NUMBERS]){seed, NEW_DATA, c}, NUMBERS, row[c]);
    for (unsigned level = 0; level <= u->shape.log2_nodes; level++) {
        for (unsigned c = 0; c < CLASSES; c++) {
            (void)cuzk_fr_from_bytes(row[c], &u->data[level][c]);
            memcpy(pair, row[2 * c % CLASSES], CUZK_FR_BYTES);
            memcpy(pair + CUZK_FR_BYTES, row[(2 * c + 1) % CLASSES], CUZK_FR_BYTES);
            cuzk_sha256_node(pair, above[c]);
        }
        memcpy(row, above, sizeof row);
    }
    u->commitments.comm_d_new = u->data[u->shape.log2_nodes][0];
}

static const struct cuzk_fr *data_node(const struct cuzk_synth_update *u, unsigned level, uint64_t index)
{
    return &u->data[level][index % CLASSES];
}

static void old_leaf(void *context, uint64_t high, unsigned class, struct cuzk_fr *value)
{
    const struct cuzk_synth_update *u = context;

    (void)high;
    *value = u->old[class];
}

static void new_leaf(void *context, uint64_t high, unsigned class, struct cuzk_fr *value)
{
    const struct cuzk_synth_update *u = context;

    cuzk_fr_mul(&u->data[0][class], &u->rho[high], value);
    cuzk_fr_add(value, &u->old[class], value);
}

static enum cuzk_status make(struct cuzk_pool *pool, uint64_t seed, struct cuzk_synth_update *u,
                             struct cuzk_error *err)
{
    const unsigned h = cuzk_update_default_h(&u->shape);
    struct cuzk_fr phi;

    draw(seed, COMM_C, 0, &u->comm_c);
    for (unsigned c = 0; c < CLASSES; c++)
        draw(seed, OLD_REPLICA, c, &u->old[c]);
    make_data(u, seed);
    CUZK_TRY(cuzk_class_tree_build(&u->tree_r_old, pool, u->shape.tree, 0, old_leaf, u, err));
    cuzk_merkle_comm_r(&u->comm_c, cuzk_class_tree_root(&u->tree_r_old), &u->commitments.comm_r_old);
    cuzk_update_phi(&u->commitments.comm_d_new, &u->commitments.comm_r_old, &phi);
    CUZK_TRY(CUZK_NEW(&u->rho, (size_t)1 << h, "rho of an update", err));
    for (uint64_t high = 0; high < UINT64_C(1) << h; high++)
        cuzk_update_rho(&phi, high, &u->rho[high]);
    CUZK_TRY(cuzk_class_tree_build(&u->tree_r_new, pool, u->shape.tree, h, new_leaf, u, err));
    cuzk_merkle_comm_r(&u->comm_c, cuzk_class_tree_root(&u->tree_r_new), &u->commitments.comm_r_new);
    return CUZK_OK;
}

enum cuzk_status cuzk_synth_update_create(struct cuzk_pool *pool, uint64_t sector_size, uint64_t seed,
                                          struct cuzk_synth_update **out, struct cuzk_error *err)
{
    struct cuzk_update_shape shape;
    struct cuzk_synth_update *u;

    *out = NULL;
    if (!cuzk_update_shape_of(sector_size, false, &shape))
        return cuzk_error_set(err, CUZK_ARGUMENT, "sector_size: no updates of sectors of %llu bytes",
                              (unsigned long long)sector_size);
    CUZK_TRY(CUZK_NEW(&u, 1, "synthetic update", err));
    u->shape = shape;
    const enum cuzk_status status = make(pool, seed, u, err);

    if (status != CUZK_OK) {
        cuzk_synth_update_destroy(u);
        return status;
    }
    *out = u;
    return CUZK_OK;
}

void cuzk_synth_update_destroy(struct cuzk_synth_update *u)
{
    if (u == NULL)
        return;
    cuzk_class_tree_destroy(&u->tree_r_old);
    cuzk_class_tree_destroy(&u->tree_r_new);
    cuzk_mem_free(u->rho);
    cuzk_mem_free(u);
}

const struct cuzk_update_shape *cuzk_synth_update_shape(const struct cuzk_synth_update *u)
{
    return &u->shape;
}

const struct cuzk_update_commitments *cuzk_synth_update_commitments(const struct cuzk_synth_update *u)
{
    return &u->commitments;
}

static enum cuzk_status prove_data(const struct cuzk_synth_update *u, uint64_t node,
                                   struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                   struct cuzk_error *err)
{
    struct cuzk_fr *siblings;

    CUZK_TRY(cuzk_fr_arena_take(values, u->shape.log2_nodes, &siblings, err));
    for (unsigned level = 0; level < u->shape.log2_nodes; level++)
        siblings[level] = *data_node(u, level, node >> level ^ 1);
    *out = (struct cuzk_merkle_path){.leaf = *data_node(u, 0, node),
                                     .root = u->commitments.comm_d_new,
                                     .siblings = siblings,
                                     .index = node};
    return CUZK_OK;
}

enum cuzk_status cuzk_synth_update_prove(const struct cuzk_synth_update *u, unsigned partition,
                                         struct cuzk_update_proof *out, struct cuzk_error *err)
{
    const unsigned apex_level = cuzk_update_data_levels(&u->shape);
    uint32_t nodes[CUZK_UPDATE_MAX_CHALLENGES];
    enum cuzk_status status;

    CUZK_TRY(cuzk_update_proof_create(&u->shape, partition, out, err));
    out->comm_c = u->comm_c;
    for (unsigned i = 0; i < 1U << u->shape.apex_bits; i++)
        out->apex_leaves[i] = *data_node(u, apex_level, ((uint64_t)partition << u->shape.apex_bits) + i);
    cuzk_update_challenges(&u->shape, &u->commitments.comm_r_new, partition, nodes);
    for (unsigned i = 0; i < u->shape.challenges; i++) {
        struct cuzk_update_paths *paths = &out->paths[i];
        CUZK_TRY_OUT(cuzk_class_tree_prove(&u->tree_r_old, nodes[i], &out->values, &paths->r_old, err));
        CUZK_TRY_OUT(prove_data(u, nodes[i], &out->values, &paths->d_new, err));
        CUZK_TRY_OUT(cuzk_class_tree_prove(&u->tree_r_new, nodes[i], &out->values, &paths->r_new, err));
    }
    cuzk_update_proof_complete(out);
    return CUZK_OK;
out:
    cuzk_update_proof_destroy(out);
    return status;
}
