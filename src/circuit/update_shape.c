#include "circuit/porep_assignment.h"
#include "circuit/update_assignment.h"

enum { LARGE_LOG2_NODES = 18 };

/* Partitions, apex leaves and challenges are the network's choice by sector size. */
static const struct {
    unsigned log2_nodes, partition_bits, apex_bits, challenges, poseidon_challenges;
} choices[] = {
    {6, 0, 3, 10, 10},  {7, 0, 3, 10, 10},    {9, 1, 7, 10, 20},    {10, 1, 7, 10, 20},
    {18, 2, 7, 10, 40}, {24, 4, 7, 86, 1376}, {30, 4, 7, 86, 1376}, {31, 4, 7, 86, 1376},
};

bool cuzk_update_shape_of(uint64_t sector_size, bool poseidon, struct cuzk_update_shape *shape)
{
    struct cuzk_porep_shape porep;

    if (!cuzk_porep_shape_of(sector_size, &porep))
        return false;
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (choices[i].log2_nodes != porep.log2_nodes)
            continue;
        *shape = (struct cuzk_update_shape){
            .poseidon = poseidon,
            .log2_nodes = porep.log2_nodes,
            .partition_bits = poseidon ? 0 : choices[i].partition_bits,
            .apex_bits = poseidon ? 0 : choices[i].apex_bits,
            .challenges = poseidon ? choices[i].poseidon_challenges : choices[i].challenges,
            .tree = porep.tree,
        };
        for (unsigned k = 0; k < CUZK_UPDATE_H_BITS; k++)
            shape->h[k] = (uint8_t)(porep.log2_nodes < LARGE_LOG2_NODES ? 1 : 7 + k);
        return true;
    }
    return false;
}
