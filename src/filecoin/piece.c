#include "filecoin/piece.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/data_tree.h"
#include "filecoin/fr32.h"
#include "hash/sha256.h"

enum { NODE = 32, MAX_DEPTH = 64 };

enum cuzk_status cuzk_piece_padded_size(uint64_t unpadded, uint64_t *padded, struct cuzk_error *err)
{
    const uint64_t units = unpadded / 127;

    if (unpadded == 0 || unpadded % 127 != 0 || (units & (units - 1)) != 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "piece size %llu is not 127 bytes times a power of two",
                              (unsigned long long)unpadded);
    *padded = units * 128;
    return CUZK_OK;
}

enum cuzk_status cuzk_piece_comm_p(struct cuzk_pool *pool, const uint8_t *data, size_t n,
                                   uint64_t unpadded_size, uint8_t comm_p[32], struct cuzk_error *err)
{
    uint64_t padded = 0;
    uint8_t *nodes;

    CUZK_TRY(cuzk_piece_padded_size(unpadded_size, &padded, err));
    if (n > unpadded_size)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%zu bytes do not fit into a piece of %llu", n,
                              (unsigned long long)unpadded_size);
    /* a tree over the blocks that hold data; zero subtrees of every height are known */
    size_t leaves = 1;
    while (leaves * NODE < cuzk_fr32_padded_length(n))
        leaves *= 2;
    CUZK_TRY(CUZK_NEW(&nodes, (2 * leaves - 1) * NODE, "piece tree", err));
    cuzk_fr32_pad(data, n, nodes);
    cuzk_data_tree_build(pool, nodes, leaves);
    uint8_t pair[2 * NODE];
    memcpy(pair, nodes + (2 * leaves - 2) * NODE, NODE);
    cuzk_mem_free(nodes);
    for (uint64_t size = (uint64_t)leaves * NODE; size < padded; size *= 2) {
        cuzk_piece_zero_comm(size, pair + NODE);
        cuzk_sha256_node(pair, pair);
    }
    memcpy(comm_p, pair, NODE);
    return CUZK_OK;
}

void cuzk_piece_zero_comm(uint64_t padded_size, uint8_t comm[32])
{
    uint8_t pair[2 * NODE] = {0};

    for (uint64_t size = NODE; size < padded_size; size *= 2) {
        cuzk_sha256_node(pair, pair);
        memcpy(pair + NODE, pair, NODE);
    }
    memcpy(comm, pair, NODE);
}

enum cuzk_status cuzk_piece_offsets(uint64_t sector_size, const struct cuzk_piece *pieces, size_t count,
                                    uint64_t *padded_offsets, uint64_t *used, struct cuzk_error *err)
{
    uint64_t at = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t size = 1;
        CUZK_TRY(cuzk_piece_padded_size(pieces[i].unpadded_size, &size, err));
        if (size > sector_size || (at + size - 1) / size * size > sector_size - size)
            return cuzk_error_set(err, CUZK_ARGUMENT,
                                  "piece %zu does not fit: with its padding it takes %llu bytes, %llu of the "
                                  "sector's %llu are left",
                                  i + 1, (unsigned long long)size, (unsigned long long)(sector_size - at),
                                  (unsigned long long)sector_size);
        at = (at + size - 1) / size * size;
        if (padded_offsets != NULL)
            padded_offsets[i] = at;
        at += size;
    }
    *used = at;
    return CUZK_OK;
}

/* A run of finished subtrees, larger ones below smaller ones, as in a binary counter. */
struct stack {
    struct {
        uint64_t size;
        uint8_t comm[NODE];
    } item[MAX_DEPTH];
    int depth;
};

static void push(struct stack *stack, uint64_t size, const uint8_t comm[NODE])
{
    uint8_t pair[2 * NODE];

    memcpy(pair + NODE, comm, NODE);
    while (stack->depth > 0 && stack->item[stack->depth - 1].size == size) {
        memcpy(pair, stack->item[--stack->depth].comm, NODE);
        cuzk_sha256_node(pair, pair + NODE);
        size *= 2;
    }
    stack->item[stack->depth].size = size;
    memcpy(stack->item[stack->depth++].comm, pair + NODE, NODE);
}

static void push_zero(struct stack *stack)
{
    uint8_t zero[NODE];
    const uint64_t size = stack->item[stack->depth - 1].size;

    cuzk_piece_zero_comm(size, zero);
    push(stack, size, zero);
}

enum cuzk_status cuzk_piece_comm_d(uint64_t sector_size, const struct cuzk_piece *pieces, size_t count,
                                   uint8_t comm_d[32], struct cuzk_error *err)
{
    struct stack stack = {.depth = 0};
    uint64_t used;

    if (sector_size < 128 || (sector_size & (sector_size - 1)) != 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "sector size %llu is not a power of two of at least 128",
                              (unsigned long long)sector_size);
    CUZK_TRY(cuzk_piece_offsets(sector_size, pieces, count, NULL, &used, err));
    if (count == 0) {
        cuzk_piece_zero_comm(sector_size, comm_d);
        return CUZK_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t size = pieces[i].unpadded_size / 127 * 128;
        while (stack.depth > 0 && stack.item[stack.depth - 1].size < size)
            push_zero(&stack);
        push(&stack, size, pieces[i].comm_p);
    }
    while (stack.depth > 1)
        push_zero(&stack);
    memcpy(comm_d, stack.item[0].comm, NODE);
    return CUZK_OK;
}
