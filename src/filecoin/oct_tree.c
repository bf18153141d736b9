#include "filecoin/oct_tree.h"

#include "hash/poseidon.h"

enum { GRAIN = 64 };

size_t cuzk_oct_tree_leaves(struct cuzk_tree_shape shape)
{
    size_t n = 1;

    for (unsigned level = 0; level < cuzk_tree_levels(shape); level++)
        n *= cuzk_tree_arity(shape, level);
    return n;
}

size_t cuzk_oct_tree_nodes(struct cuzk_tree_shape shape)
{
    size_t n = cuzk_oct_tree_leaves(shape), total = n;

    for (unsigned level = 0; level < cuzk_tree_levels(shape); level++) {
        n /= cuzk_tree_arity(shape, level);
        total += n;
    }
    return total;
}

struct level {
    const struct cuzk_poseidon *poseidon;
    const struct cuzk_fr *below;
    struct cuzk_fr *above;
};

static void hash_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct level *level = context;

    (void)worker;
    cuzk_poseidon_hash_many(level->poseidon, level->below + begin * level->poseidon->arity, end - begin,
                            level->above + begin);
}

void cuzk_oct_tree_build(struct cuzk_pool *pool, struct cuzk_tree_shape shape, struct cuzk_fr *nodes)
{
    size_t n = cuzk_oct_tree_leaves(shape);

    for (unsigned i = 0; i < cuzk_tree_levels(shape); i++) {
        const unsigned arity = cuzk_tree_arity(shape, i);
        struct level level = {cuzk_poseidon_instance(arity), nodes, nodes + n};
        nodes += n;
        n /= arity;
        cuzk_pool_range(pool, n, GRAIN, hash_range, &level);
    }
}

void cuzk_oct_tree_path(struct cuzk_tree_shape shape, const struct cuzk_fr *nodes, size_t index,
                        struct cuzk_fr *siblings)
{
    size_t n = cuzk_oct_tree_leaves(shape);

    for (unsigned level = 0; level < cuzk_tree_levels(shape); level++) {
        const unsigned arity = cuzk_tree_arity(shape, level);
        const struct cuzk_fr *family = nodes + index / arity * arity;
        for (unsigned i = 0; i < arity; i++)
            if (i != index % arity)
                *siblings++ = family[i];
        nodes += n;
        n /= arity;
        index /= arity;
    }
}

enum cuzk_status cuzk_oct_tree_prove(struct cuzk_tree_shape shape, const struct cuzk_fr *nodes, size_t index,
                                     struct cuzk_fr_arena *values, struct cuzk_merkle_path *out,
                                     struct cuzk_error *err)
{
    struct cuzk_fr *siblings;

    CUZK_TRY(cuzk_fr_arena_take(values, cuzk_tree_siblings(shape), &siblings, err));
    cuzk_oct_tree_path(shape, nodes, index, siblings);
    *out = (struct cuzk_merkle_path){.leaf = nodes[index],
                                     .root = nodes[cuzk_oct_tree_nodes(shape) - 1],
                                     .siblings = siblings,
                                     .index = index};
    return CUZK_OK;
}
