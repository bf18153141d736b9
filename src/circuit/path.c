#include "circuit/path.h"

#include "circuit/packing.h"
#include "circuit/poseidon.h"
#include "circuit/select.h"
#include "circuit/sha256.h"

enum { MAX_ARITY = 8, MAX_BITS = 64 };

/* How far the walk from the leaf up has come. */
struct walk {
    struct cuzk_cs *cs;
    enum cuzk_path_hash hash;
    struct cuzk_num node;
    uint64_t index;                /* what is left of it */
    const struct cuzk_fr *sibling; /* the next */
    struct cuzk_boolean bits[MAX_BITS];
    unsigned bit_count;
};

static const struct cuzk_sha256_node_names node_names = {"left num into bits", "right num into bits", "hash2",
                                                         "pack"},
                                           given_node_names = {"0_num_into_bits", "1_num_into_bits", "hash",
                                                               "pack_le"};

static void level(struct walk *walk, unsigned arity)
{
    struct cuzk_cs *cs = walk->cs;
    const unsigned bits = (unsigned)__builtin_ctz(arity);
    struct cuzk_boolean *own = walk->bits + walk->bit_count;
    struct cuzk_num siblings[MAX_ARITY - 1], inserted[MAX_ARITY];

    if (walk->bit_count + bits > MAX_BITS) {
        cuzk_cs_fail(cs, CUZK_INTERNAL, "inclusion path of more than %d index bits", MAX_BITS);
        return;
    }
    cuzk_boolean_alloc_many(cs, walk->index & (arity - 1), bits, own);
    walk->index >>= bits;
    walk->bit_count += bits;
    for (unsigned i = 0; i + 1 < arity; i++)
        siblings[i] = cuzk_num_alloc(cs, walk->sibling++);
    cuzk_select_insert(cs, arity, &walk->node, own, siblings, inserted);
    cuzk_cs_enter(cs, "computation of commitment hash");
    if (walk->hash == CUZK_PATH_SHA256)
        walk->node = cuzk_sha256_node_gadget(cs, &node_names, &inserted[0], &inserted[1]);
    else
        walk->node = cuzk_poseidon_gadget(cs, arity, CUZK_POSEIDON_MERKLE, inserted);
    cuzk_cs_leave(cs);
}

static void levels(struct walk *walk, const char *name, unsigned count, unsigned arity)
{
    cuzk_cs_enter(walk->cs, name);
    for (unsigned i = 0; i < count && arity > 0 && !cuzk_cs_failed(walk->cs); i++) {
        cuzk_cs_enter_n(walk->cs, "merkle tree hash #", i);
        level(walk, arity);
        cuzk_cs_leave(walk->cs);
    }
    cuzk_cs_leave(walk->cs);
}

void cuzk_path_enforce(struct cuzk_cs *cs, const struct cuzk_path_tree *tree, const struct cuzk_num *root,
                       const struct cuzk_num *leaf, const struct cuzk_merkle_path *path)
{
    struct walk walk = {.cs = cs, .hash = tree->hash, .index = path->index, .sibling = path->siblings};

    cuzk_cs_enter(cs, "value");
    walk.node = leaf != NULL ? *leaf : cuzk_num_alloc(cs, &path->leaf);
    cuzk_cs_leave(cs);
    levels(&walk, "base", tree->shape.base_levels, tree->base_arity);
    levels(&walk, "sub", 1, tree->shape.sub_arity);
    levels(&walk, "top", 1, tree->shape.top_arity);
    cuzk_cs_enter(cs, "path");
    cuzk_packing_to_inputs(cs, "leaf index", walk.bits, walk.bit_count);
    cuzk_cs_leave(cs);
    cuzk_cs_enter(cs, "root_value");
    cuzk_cs_leave(cs);
    cuzk_num_enforce_equal(cs, "enforce root is correct", &walk.node, root);
}

static struct cuzk_num given_level(struct cuzk_cs *cs, enum cuzk_path_hash hash, unsigned arity,
                                   unsigned height, const struct cuzk_num *node,
                                   const struct cuzk_boolean *bits, const struct cuzk_num *siblings)
{
    struct cuzk_num inserted[MAX_ARITY], parent;

    cuzk_cs_enter_n(cs, "merkle proof insert (height=#)", height);
    cuzk_select_insert(cs, arity, node, bits, siblings, inserted);
    cuzk_cs_leave(cs);
    cuzk_cs_enter_n(cs, "merkle proof hash (height=#)", height);
    if (hash == CUZK_PATH_SHA256)
        parent = cuzk_sha256_node_gadget(cs, &given_node_names, &inserted[0], &inserted[1]);
    else
        parent = cuzk_poseidon_gadget(cs, arity, CUZK_POSEIDON_MERKLE, inserted);
    cuzk_cs_leave(cs);
    return parent;
}

void cuzk_path_enforce_given(struct cuzk_cs *cs, const struct cuzk_path_tree *tree,
                             const struct cuzk_num *root, const struct cuzk_num *leaf,
                             const struct cuzk_boolean *bits, const struct cuzk_num *siblings)
{
    struct cuzk_num node = *leaf;
    const unsigned levels = cuzk_tree_levels(tree->shape);

    for (unsigned height = 0; height < levels && !cuzk_cs_failed(cs); height++) {
        const unsigned arity =
            height < tree->shape.base_levels ? tree->base_arity : cuzk_tree_arity(tree->shape, height);
        node = given_level(cs, tree->hash, arity, height, &node, bits, siblings);
        bits += __builtin_ctz(arity);
        siblings += arity - 1;
    }
    cuzk_num_enforce_equal(cs, "calculated root equals provided root", &node, root);
}
