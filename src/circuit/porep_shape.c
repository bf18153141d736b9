#include "circuit/porep_assignment.h"

enum { NODE_BYTES = 32, LARGE_LOG2_NODES = 30 };

/* The tree shapes are a choice of the network, not a rule: 2, 4, 16, 32 KiB, 8, 16, 512 MiB, 1, 32, 64 GiB.
 */
static const struct {
    unsigned log2_nodes;
    struct cuzk_tree_shape tree;
} shapes[] = {
    {6, {2, 0, 0}},  {7, {2, 2, 0}},  {9, {2, 8, 0}},  {10, {2, 8, 2}}, {18, {6, 0, 0}},
    {19, {6, 2, 0}}, {24, {8, 0, 0}}, {25, {8, 2, 0}}, {30, {9, 8, 0}}, {31, {9, 8, 2}},
};

bool cuzk_porep_shape_of(uint64_t sector_size, struct cuzk_porep_shape *shape)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (sector_size != (uint64_t)NODE_BYTES << shapes[i].log2_nodes)
            continue;
        const bool large = shapes[i].log2_nodes >= LARGE_LOG2_NODES;
        shape->log2_nodes = shapes[i].log2_nodes;
        shape->tree = shapes[i].tree;
        shape->layers = large ? 11 : 2;
        shape->challenges = large ? 18 : 2;
        return true;
    }
    return false;
}
