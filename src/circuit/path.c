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

/* The children of the next node. */
static void insert(struct walk *walk, unsigned arity, struct cuzk_num inserted[MAX_ARITY])
{
    struct cuzk_cs *cs = walk->cs;
    const unsigned bits = (unsigned)__builtin_ctz(arity);
    struct cuzk_boolean *own = walk->bits + walk->bit_count;
    struct cuzk_num siblings[MAX_ARITY - 1];

    cuzk_boolean_alloc_many(cs, walk->index & (arity - 1), bits, own);
    walk->index >>= bits;
    walk->bit_count += bits;
    for (unsigned i = 0; i + 1 < arity; i++)
        siblings[i] = cuzk_num_alloc(cs, walk->sibling++);
    cuzk_select_insert(cs, arity, &walk->node, own, siblings, inserted);
}

/* Walks in several builders stand at like places. */
static void level(struct walk *walks, struct cuzk_cs *const *cs, unsigned n, unsigned arity)
{
    struct cuzk_num inserted[CUZK_CS_LANES][MAX_ARITY], hashes[CUZK_CS_LANES];
    const struct cuzk_num *preimages[CUZK_CS_LANES];

    for (unsigned k = 0; k < n; k++) {
        if (walks[k].bit_count + (unsigned)__builtin_ctz(arity) > MAX_BITS) {
            cuzk_cs_fail(cs[k], CUZK_INTERNAL, "inclusion path of more than %d index bits", MAX_BITS);
            return;
        }
        insert(&walks[k], arity, inserted[k]);
        preimages[k] = inserted[k];
        cuzk_cs_enter(cs[k], "computation of commitment hash");
    }
    if (walks[0].hash == CUZK_PATH_POSEIDON)
        cuzk_poseidon_gadget_lanes(cs, n, arity, CUZK_POSEIDON_MERKLE, preimages, hashes);
    for (unsigned k = 0; k < n; k++) {
        if (walks[0].hash == CUZK_PATH_SHA256)
            hashes[k] = cuzk_sha256_node_gadget(cs[k], &node_names, &inserted[k][0], &inserted[k][1]);
        walks[k].node = hashes[k];
        cuzk_cs_leave(cs[k]);
    }
}

static void levels(struct walk *walks, struct cuzk_cs *const *cs, unsigned n, const char *name,
                   unsigned count, unsigned arity)
{
    for (unsigned k = 0; k < n; k++)
        cuzk_cs_enter(cs[k], name);
    for (unsigned i = 0; i < count && arity > 0 && !cuzk_cs_failed(cs[0]); i++) {
        for (unsigned k = 0; k < n; k++)
            cuzk_cs_enter_n(cs[k], "merkle tree hash #", i);
        level(walks, cs, n, arity);
        for (unsigned k = 0; k < n; k++)
            cuzk_cs_leave(cs[k]);
    }
    for (unsigned k = 0; k < n; k++)
        cuzk_cs_leave(cs[k]);
}

static void end(struct walk *walk, const struct cuzk_num *root)
{
    struct cuzk_cs *cs = walk->cs;

    cuzk_cs_enter(cs, "path");
    cuzk_packing_to_inputs(cs, "leaf index", walk->bits, walk->bit_count);
    cuzk_cs_leave(cs);
    cuzk_cs_enter(cs, "root_value");
    cuzk_cs_leave(cs);
    cuzk_num_enforce_equal(cs, "enforce root is correct", &walk->node, root);
}

void cuzk_path_enforce_lanes(struct cuzk_cs *const *cs, unsigned n, const struct cuzk_path_tree *tree,
                             const struct cuzk_num *roots, const struct cuzk_num *leaves,
                             const struct cuzk_merkle_path *const *paths)
{
    struct walk walks[CUZK_CS_LANES];

    for (unsigned k = 0; k < n; k++) {
        struct walk *walk = &walks[k];
        walk->cs = cs[k];
        walk->hash = tree->hash;
        walk->index = paths[k]->index;
        walk->sibling = paths[k]->siblings;
        walk->bit_count = 0;
        cuzk_cs_enter(cs[k], "value");
        walk->node = leaves != NULL ? leaves[k] : cuzk_num_alloc(cs[k], &paths[k]->leaf);
        cuzk_cs_leave(cs[k]);
    }
    levels(walks, cs, n, "base", tree->shape.base_levels, tree->base_arity);
    levels(walks, cs, n, "sub", 1, tree->shape.sub_arity);
    levels(walks, cs, n, "top", 1, tree->shape.top_arity);
    for (unsigned k = 0; k < n; k++)
        end(&walks[k], &roots[k]);
}

void cuzk_path_enforce(struct cuzk_cs *cs, const struct cuzk_path_tree *tree, const struct cuzk_num *root,
                       const struct cuzk_num *leaf, const struct cuzk_merkle_path *path)
{
    cuzk_path_enforce_lanes(&cs, 1, tree, root, leaf, &path);
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
