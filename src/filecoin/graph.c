#include "filecoin/graph.h"

#include <sodium.h>
#include <string.h>

#include "filecoin/chacha8.h"
#include "hash/sha256.h"

enum { DEGREE = 6, EXPANSION = 8, FEISTEL_ROUNDS = 3 };

void cuzk_graph_init(struct cuzk_graph *graph, uint64_t nodes, enum cuzk_api_version api_version,
                     const uint8_t porep_id[32])
{
    struct cuzk_sha256 hash;
    uint8_t digest[32];

    /* picks the fast BLAKE2b where it succeeds; idempotent and thread-safe */
    const int chosen = sodium_init();
    (void)chosen;
    graph->nodes = nodes;
    graph->legacy = api_version == CUZK_API_1_0_0;
    cuzk_sha256_init(&hash);
    cuzk_sha256_update(&hash, "Filecoin_DRSample", 17);
    cuzk_sha256_update(&hash, porep_id, 32);
    cuzk_sha256_final(&hash, digest);
    memcpy(graph->drg_seed, digest, sizeof graph->drg_seed);
    cuzk_sha256_init(&hash);
    cuzk_sha256_update(&hash, "Filecoin_Feistel", 16);
    cuzk_sha256_update(&hash, porep_id, 32);
    cuzk_sha256_final(&hash, digest);
    memcpy(graph->feistel_keys, digest, sizeof graph->feistel_keys);
    graph->half_bits = 1;
    while (UINT64_C(1) << (2 * graph->half_bits) < EXPANSION * nodes)
        graph->half_bits++;
}

void cuzk_graph_drg_parents(const struct cuzk_graph *graph, uint32_t node, uint32_t parents[DEGREE])
{
    struct cuzk_chacha8 stream;
    uint8_t key[32];

    if (node <= 1) {
        memset(parents, 0, DEGREE * sizeof *parents);
        return;
    }
    memcpy(key, graph->drg_seed, sizeof graph->drg_seed);
    memcpy(key + sizeof graph->drg_seed, &node, sizeof node);
    cuzk_chacha8_init(&stream, key);
    uint32_t *sampled = graph->legacy ? parents : parents + 1;
    /* a graph of five times the nodes; distances fall into buckets of doubling width */
    const uint64_t meta = (uint64_t)node * (DEGREE - 1);
    const unsigned buckets = 64 - (unsigned)__builtin_clzll(meta);
    for (int i = 0; i < DEGREE - 1; i++) {
        const uint64_t width = UINT64_C(1) << (1 + cuzk_chacha8_next_u64(&stream) % buckets);
        const uint64_t most = meta < width ? meta : width;
        const uint64_t least = most / 2 > 2 ? most / 2 : 2;
        const uint64_t back = least + cuzk_chacha8_next_u64(&stream) % (most - least + 1);
        const uint32_t parent = (uint32_t)((meta - back) / (DEGREE - 1));
        sampled[i] = parent == node ? node - 1 : parent;
    }
    parents[graph->legacy ? DEGREE - 1 : 0] = node - 1;
}

static uint64_t round_function(uint64_t right, uint64_t key)
{
    const uint64_t input[2] = {__builtin_bswap64(right), __builtin_bswap64(key)};
    uint8_t digest[64];
    uint64_t first;

    (void)crypto_generichash(digest, sizeof digest, (const unsigned char *)input, sizeof input, NULL, 0);
    memcpy(&first, digest, sizeof first);
    return __builtin_bswap64(first);
}

/* One pass of the Feistel network over 2 * half_bits bits. */
static uint64_t permute(const struct cuzk_graph *graph, uint64_t x)
{
    const uint64_t mask = (UINT64_C(1) << graph->half_bits) - 1;
    uint64_t left = x >> graph->half_bits, right = x & mask;

    for (int i = 0; i < FEISTEL_ROUNDS; i++) {
        const uint64_t t = left ^ (round_function(right, graph->feistel_keys[i]) & mask);
        left = right;
        right = t;
    }
    return left << graph->half_bits | right;
}

void cuzk_graph_exp_parents(const struct cuzk_graph *graph, uint32_t node, uint32_t parents[EXPANSION])
{
    for (uint64_t i = 0; i < EXPANSION; i++) {
        uint64_t x = (uint64_t)node * EXPANSION + i;
        do /* walk the cycle until inside */
            x = permute(graph, x);
        while (x >= EXPANSION * graph->nodes);
        if (graph->legacy)
            x = (uint32_t)x;
        parents[i] = (uint32_t)(x / EXPANSION);
    }
}

void cuzk_graph_parents(const struct cuzk_graph *graph, uint32_t node, uint32_t parents[CUZK_POREP_PARENTS])
{
    cuzk_graph_drg_parents(graph, node, parents);
    cuzk_graph_exp_parents(graph, node, parents + DEGREE);
}
