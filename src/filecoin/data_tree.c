#include "filecoin/data_tree.h"

#include <string.h>

#include "hash/sha256.h"

enum { NODE = CUZK_SHA256_BYTES, GRAIN = 256 };

struct level {
    const uint8_t *below;
    uint8_t *above;
};

static void hash_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct level *level = context;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cuzk_sha256_node(level->below + 2 * NODE * i, level->above + NODE * i);
}

void cuzk_data_tree_build(struct cuzk_pool *pool, uint8_t *nodes, size_t leaves)
{
    for (size_t n = leaves; n > 1; n /= 2) {
        struct level level = {nodes, nodes + NODE * n};
        cuzk_pool_range(pool, n / 2, GRAIN, hash_range, &level);
        nodes = level.above;
    }
}

void cuzk_data_tree_siblings(const uint8_t *nodes, size_t leaves, size_t index, uint8_t *siblings)
{
    for (size_t n = leaves; n > 1; n /= 2, index /= 2) {
        memcpy(siblings, nodes + NODE * (index ^ 1), NODE);
        siblings += NODE;
        nodes += NODE * n;
    }
}

enum cuzk_status cuzk_data_tree_prove(const uint8_t *nodes, size_t leaves, size_t index,
                                      struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                      struct cuzk_error *err)
{
    const unsigned levels = (unsigned)__builtin_ctzll(leaves);
    uint8_t bytes[CUZK_TREE_MAX_LEVELS][CUZK_FR_BYTES];
    struct cuzk_fr *siblings;

    CUZK_TRY(cuzk_fr_arena_take(values, levels, &siblings, err));
    cuzk_data_tree_siblings(nodes, leaves, index, bytes[0]);
    for (unsigned i = 0; i < levels; i++)
        (void)cuzk_fr_from_bytes(bytes[i], &siblings[i]);
    *out = (struct cuzk_merkle_path){.siblings = siblings, .index = index};
    (void)cuzk_fr_from_bytes(nodes + index * CUZK_FR_BYTES, &out->leaf);
    (void)cuzk_fr_from_bytes(nodes + (2 * leaves - 2) * CUZK_FR_BYTES, &out->root);
    return CUZK_OK;
}
