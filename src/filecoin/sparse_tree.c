#include "filecoin/sparse_tree.h"

#include <string.h>

#include "base/mem.h"
#include "hash/poseidon.h"

enum { GRAIN = 16 };

struct job {
    const struct cuzk_sparse_level *below;
    struct cuzk_sparse_level *level;
    unsigned number; /* of the level below */
    const struct cuzk_poseidon *poseidon;
    void (*other)(void *context, unsigned level, uint64_t index, struct cuzk_fr *value);
    void *context;
};

/* Position of the first touched node of a level that is not below `index`. */
static size_t lower_bound(const struct cuzk_sparse_level *level, uint64_t index)
{
    size_t low = 0, high = level->count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (level->index[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void hash_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct job *job = context;
    const unsigned arity = job->poseidon->arity;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const uint64_t first = job->level->index[i] * arity;
        struct cuzk_fr *family = job->level->family + i * arity;
        size_t child = lower_bound(job->below, first);
        for (unsigned k = 0; k < arity; k++) {
            if (child < job->below->count && job->below->index[child] == first + k)
                family[k] = job->below->value[child++];
            else
                job->other(job->context, job->number, first + k, &family[k]);
        }
    }
    cuzk_poseidon_hash_many(job->poseidon, job->level->family + begin * arity, end - begin,
                            job->level->value + begin);
}

enum cuzk_status
cuzk_sparse_tree_build(struct cuzk_sparse_tree *tree, struct cuzk_pool *pool, struct cuzk_tree_shape shape,
                       const uint32_t *leaves, const struct cuzk_fr *values, size_t count,
                       void (*other)(void *context, unsigned level, uint64_t index, struct cuzk_fr *value),
                       void *context, struct cuzk_error *err)
{
    struct cuzk_sparse_level *below = &tree->level[0];

    tree->shape = shape;
    CUZK_TRY(CUZK_NEW(&below->index, count, "tree indexes", err));
    CUZK_TRY(CUZK_NEW(&below->value, count, "tree leaves", err));
    for (size_t i = 0; i < count; i++)
        below->index[i] = leaves[i];
    memcpy(below->value, values, count * sizeof *values);
    below->count = count;
    for (unsigned number = 0; number < cuzk_tree_levels(shape); number++) {
        const unsigned arity = cuzk_tree_arity(shape, number);
        struct cuzk_sparse_level *level = &tree->level[number + 1];
        CUZK_TRY(CUZK_NEW(&level->index, below->count, "tree indexes", err));
        for (size_t i = 0; i < below->count; i++) {
            const uint64_t parent = below->index[i] / arity;
            if (level->count == 0 || level->index[level->count - 1] != parent)
                level->index[level->count++] = parent;
        }
        CUZK_TRY(CUZK_NEW(&level->value, level->count, "tree nodes", err));
        CUZK_TRY(CUZK_NEW(&level->family, level->count * arity, "tree families", err));
        struct job job = {below, level, number, cuzk_poseidon_instance(arity), other, context};
        cuzk_pool_range(pool, level->count, GRAIN, hash_range, &job);
        below = level;
    }
    return CUZK_OK;
}

void cuzk_sparse_tree_destroy(struct cuzk_sparse_tree *tree)
{
    for (unsigned i = 0; i <= CUZK_TREE_MAX_LEVELS; i++) {
        cuzk_mem_free(tree->level[i].index);
        cuzk_mem_free(tree->level[i].value);
        cuzk_mem_free(tree->level[i].family);
    }
    memset(tree, 0, sizeof *tree);
}

const struct cuzk_fr *cuzk_sparse_tree_root(const struct cuzk_sparse_tree *tree)
{
    return &tree->level[cuzk_tree_levels(tree->shape)].value[0];
}

void cuzk_sparse_tree_path(const struct cuzk_sparse_tree *tree, uint64_t index, struct cuzk_fr *siblings)
{
    for (unsigned number = 0; number < cuzk_tree_levels(tree->shape); number++) {
        const unsigned arity = cuzk_tree_arity(tree->shape, number);
        const struct cuzk_sparse_level *above = &tree->level[number + 1];
        const struct cuzk_fr *family = above->family + lower_bound(above, index / arity) * arity;
        for (unsigned k = 0; k < arity; k++)
            if (k != index % arity)
                *siblings++ = family[k];
        index /= arity;
    }
}
