#include "filecoin/class_tree.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/oct_tree.h"
#include "hash/poseidon.h"

enum { CLASSES = CUZK_CLASS_TREE_CLASSES, GRAIN = 16 };

static size_t level_count(const struct cuzk_class_tree *tree, const struct cuzk_class_tree_level *level)
{
    return level->whole ? (size_t)1 << level->bits : (size_t)CLASSES << tree->high_bits;
}

/* Where a node's value is kept. */
static size_t place(const struct cuzk_class_tree *tree, const struct cuzk_class_tree_level *level,
                    uint64_t index)
{
    return level->whole ? index
                        : (index >> (level->bits - tree->high_bits)) * CLASSES + (size_t)(index % CLASSES);
}

struct job {
    const struct cuzk_class_tree *tree;
    const struct cuzk_class_tree_level *below;
    struct cuzk_class_tree_level *level;
    const struct cuzk_poseidon *poseidon;
    void (*leaf)(void *context, uint64_t high, unsigned class, struct cuzk_fr *value);
    void *context;
};

static void leaf_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct job *job = context;
    const struct cuzk_class_tree_level *level = job->level;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const uint64_t high = level->whole ? i >> (level->bits - job->tree->high_bits) : i / CLASSES;
        job->leaf(job->context, high, i % CLASSES, &level->value[i]);
    }
}

/* The children of what is kept at place i of a level. */
static void fill_family(const struct job *job, size_t i, struct cuzk_fr *family)
{
    const unsigned arity = job->poseidon->arity;

    for (unsigned k = 0; k < arity; k++) {
        size_t child;

        if (job->level->whole)
            child = place(job->tree, job->below, (uint64_t)i * arity + k);
        else
            child = i / CLASSES * CLASSES + (i % CLASSES * arity + k) % CLASSES;
        family[k] = job->below->value[child];
    }
}

static void hash_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct job *job = context;
    const unsigned arity = job->poseidon->arity;
    struct cuzk_fr families[GRAIN * CUZK_TREE_MAX_ARITY];

    (void)worker;
    for (size_t i = begin; i < end; i += GRAIN) {
        const size_t n = end - i < GRAIN ? end - i : GRAIN;
        for (size_t k = 0; k < n; k++)
            fill_family(job, i + k, families + k * arity);
        cuzk_poseidon_hash_many(job->poseidon, families, n, job->level->value + i);
    }
}

static enum cuzk_status level_create(const struct cuzk_class_tree *tree, unsigned bits,
                                     struct cuzk_class_tree_level *out, struct cuzk_error *err)
{
    out->bits = bits;
    out->whole = bits <= tree->high_bits || UINT64_C(1) << (bits - tree->high_bits) <= CLASSES;
    return CUZK_NEW(&out->value, level_count(tree, out), "tree nodes", err);
}

enum cuzk_status cuzk_class_tree_build(struct cuzk_class_tree *tree, struct cuzk_pool *pool,
                                       struct cuzk_tree_shape shape, unsigned high_bits,
                                       void (*leaf)(void *context, uint64_t high, unsigned class,
                                                    struct cuzk_fr *value),
                                       void *context, struct cuzk_error *err)
{
    unsigned bits = (unsigned)__builtin_ctzll(cuzk_oct_tree_leaves(shape));
    struct job job = {.tree = tree, .level = &tree->level[0], .leaf = leaf, .context = context};

    tree->shape = shape;
    tree->high_bits = high_bits;
    CUZK_TRY(level_create(tree, bits, &tree->level[0], err));
    cuzk_pool_range(pool, level_count(tree, job.level), GRAIN, leaf_range, &job);
    for (unsigned number = 0; number < cuzk_tree_levels(shape); number++) {
        job.poseidon = cuzk_poseidon_instance(cuzk_tree_arity(shape, number));
        job.below = &tree->level[number];
        job.level = &tree->level[number + 1];
        bits -= (unsigned)__builtin_ctz(job.poseidon->arity);
        CUZK_TRY(level_create(tree, bits, job.level, err));
        cuzk_pool_range(pool, level_count(tree, job.level), GRAIN, hash_range, &job);
    }
    return CUZK_OK;
}

void cuzk_class_tree_destroy(struct cuzk_class_tree *tree)
{
    for (unsigned i = 0; i <= CUZK_TREE_MAX_LEVELS; i++)
        cuzk_mem_free(tree->level[i].value);
    memset(tree, 0, sizeof *tree);
}

const struct cuzk_fr *cuzk_class_tree_root(const struct cuzk_class_tree *tree)
{
    return &tree->level[cuzk_tree_levels(tree->shape)].value[0];
}

enum cuzk_status cuzk_class_tree_prove(const struct cuzk_class_tree *tree, uint64_t index,
                                       struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                       struct cuzk_error *err)
{
    const struct cuzk_class_tree_level *level = tree->level;
    struct cuzk_fr *siblings;
    uint64_t node = index;

    CUZK_TRY(cuzk_fr_arena_take(values, cuzk_tree_siblings(tree->shape), &siblings, err));
    *out = (struct cuzk_merkle_path){.leaf = level->value[place(tree, level, index)],
                                     .root = *cuzk_class_tree_root(tree),
                                     .siblings = siblings,
                                     .index = index};
    for (unsigned number = 0; number < cuzk_tree_levels(tree->shape); number++, level++) {
        const unsigned arity = cuzk_tree_arity(tree->shape, number);
        const uint64_t first = node - node % arity;
        for (unsigned k = 0; k < arity; k++)
            if (first + k != node)
                *siblings++ = level->value[place(tree, level, first + k)];
        node /= arity;
    }
    return CUZK_OK;
}
