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
