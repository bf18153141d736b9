#include "circuit/porep_assignment.h"
#include "circuit/post_assignment.h"

/* Sectors of a WindowPoSt partition, a choice of the network; 2 in all smaller sizes. */
enum { SECTORS_SMALL = 2, SECTORS_32GIB = 2349, SECTORS_64GIB = 2300, WINNING_CHALLENGES = 66 };
enum { LOG2_NODES_32GIB = 30, LOG2_NODES_64GIB = 31 };

static unsigned window_sectors(unsigned log2_nodes)
{
    if (log2_nodes == LOG2_NODES_32GIB)
        return SECTORS_32GIB;
    return log2_nodes == LOG2_NODES_64GIB ? SECTORS_64GIB : SECTORS_SMALL;
}

bool cuzk_post_shape_of(uint64_t sector_size, bool winning, struct cuzk_post_shape *shape)
{
    struct cuzk_porep_shape porep;

    if (!cuzk_porep_shape_of(sector_size, &porep))
        return false;
    shape->log2_nodes = porep.log2_nodes;
    shape->tree = porep.tree;
    shape->sectors = winning ? WINNING_CHALLENGES : window_sectors(porep.log2_nodes);
    shape->challenges = winning ? 1 : CUZK_POST_MAX_CHALLENGES;
    return true;
}
