#include "filecoin/post_synth.h"

#include <stdlib.h>

#include "base/mem.h"
#include "filecoin/merkle.h"
#include "filecoin/sparse_tree.h"
#include "filecoin/synth_value.h"

enum { NUMBERS = 5, MOST = 66 };

enum kind { RANDOMNESS, COMM_C, NODE };

/* Whose nodes are made. */
struct place {
    uint64_t seed, sector;
};

static const char tag[] = "synthetic-PoSt-v1";

static void element(const struct place *place, enum kind kind, uint64_t level, uint64_t index,
                    struct cuzk_fr *out)
{
    const uint64_t numbers[NUMBERS] = {place->seed, place->sector, (uint64_t)kind, level, index};

    cuzk_synth_element(tag, numbers, NUMBERS, out);
}

static void other(void *context, unsigned level, uint64_t index, struct cuzk_fr *value)
{
    element(context, NODE, level, index, value);
}

void cuzk_post_synth_randomness(uint64_t seed, uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES])
{
    cuzk_synth_bytes(tag, (const uint64_t[NUMBERS]){seed, 0, RANDOMNESS, 0, 0}, NUMBERS, randomness);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left > right) - (left < right);
}

static enum cuzk_status build(struct cuzk_pool *pool, const struct cuzk_post_config *config,
                              struct place *place, const struct cuzk_post_vanilla *vanilla,
                              struct cuzk_sparse_tree *tree, struct cuzk_error *err)
{
    uint32_t leaves[MOST];
    struct cuzk_fr values[MOST];
    size_t count = 0;

    for (unsigned n = 0; n < config->challenges; n++)
        leaves[n] = (uint32_t)vanilla->paths[n].index;
    qsort(leaves, config->challenges, sizeof *leaves, ascending);
    for (unsigned n = 0; n < config->challenges; n++)
        if (n == 0 || leaves[n] != leaves[count - 1])
            leaves[count++] = leaves[n];
    for (size_t i = 0; i < count; i++)
        element(place, NODE, 0, leaves[i], &values[i]);
    return cuzk_sparse_tree_build(tree, pool, config->shape.tree, leaves, values, count, other, place, err);
}

static enum cuzk_status fill(const struct cuzk_post_config *config, const struct place *place,
                             const struct cuzk_sparse_tree *tree, struct cuzk_fr_arena *values,
                             struct cuzk_post_vanilla *out, struct cuzk_error *err)
{
    out->comm_r_last = *cuzk_sparse_tree_root(tree);
    element(place, COMM_C, 0, 0, &out->comm_c);
    cuzk_merkle_comm_r(&out->comm_c, &out->comm_r_last, &out->comm_r);
    for (unsigned n = 0; n < config->challenges; n++) {
        struct cuzk_merkle_path *path = &out->paths[n];
        struct cuzk_fr *siblings;

        CUZK_TRY(cuzk_fr_arena_take(values, cuzk_tree_siblings(config->shape.tree), &siblings, err));
        element(place, NODE, 0, path->index, &path->leaf);
        path->root = out->comm_r_last;
        path->siblings = siblings;
        cuzk_sparse_tree_path(tree, path->index, siblings);
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_post_synth_sector(struct cuzk_pool *pool, const struct cuzk_post_config *config,
                                        uint64_t seed, uint64_t place, struct cuzk_fr_arena *values,
                                        struct cuzk_post_vanilla *out, struct cuzk_error *err)
{
    struct place own = {seed, place + 1};
    struct cuzk_sparse_tree tree = {0};
    enum cuzk_status status = CUZK_OK;
    uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES];

    *out = (struct cuzk_post_vanilla){.sector_id = own.sector};
    cuzk_post_synth_randomness(seed, randomness);
    CUZK_TRY(CUZK_NEW(&out->paths, config->challenges, "inclusion paths", err));
    for (unsigned n = 0; n < config->challenges; n++)
        out->paths[n].index = cuzk_post_leaf(config, randomness, own.sector, place, n);
    CUZK_TRY_OUT(build(pool, config, &own, out, &tree, err));
    CUZK_TRY_OUT(fill(config, &own, &tree, values, out, err));
out:
    cuzk_sparse_tree_destroy(&tree);
    if (status != CUZK_OK)
        cuzk_post_vanilla_destroy(out);
    return status;
}
