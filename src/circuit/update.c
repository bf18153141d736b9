#include "circuit/update.h"

#include <string.h>

#include "circuit/packing.h"
#include "circuit/path.h"
#include "circuit/poseidon.h"
#include "circuit/select.h"
#include "circuit/sha256.h"

enum { MAX_PARTITION_BITS = CUZK_UPDATE_MAX_PARTITION_BITS, MAX_LOG2_NODES = 31 };

static struct cuzk_num alloc(struct cuzk_cs *cs, const char *name, const struct cuzk_fr *value)
{
    cuzk_cs_enter(cs, name);
    const struct cuzk_num num = cuzk_num_alloc(cs, value);
    cuzk_cs_leave(cs);
    return num;
}

static struct cuzk_num alloc_n(struct cuzk_cs *cs, const char *name, unsigned index,
                               const struct cuzk_fr *value)
{
    cuzk_cs_enter_n(cs, name, index);
    const struct cuzk_num num = cuzk_num_alloc(cs, value);
    cuzk_cs_leave(cs);
    return num;
}

static void inputize(struct cuzk_cs *cs, const char *name, const struct cuzk_num *num)
{
    cuzk_cs_enter(cs, name);
    cuzk_num_inputize(cs, num);
    cuzk_cs_leave(cs);
}

static struct cuzk_num hash_pair(struct cuzk_cs *cs, enum cuzk_poseidon_tag tag, const struct cuzk_num *left,
                                 const struct cuzk_num *right)
{
    const struct cuzk_num pair[2] = {*left, *right};

    return cuzk_poseidon_gadget(cs, 2, tag, pair);
}

/* The input that names partition and h, and its bits. */
static void partition_and_h(struct cuzk_cs *cs, const struct cuzk_update_shape *shape, uint64_t value,
                            struct cuzk_update_head *head)
{
    struct cuzk_boolean bits[MAX_PARTITION_BITS + CUZK_UPDATE_H_BITS];
    const unsigned p = shape->partition_bits, count = p + CUZK_UPDATE_H_BITS;
    struct cuzk_fr element;

    cuzk_fr_from_u64(value, &element);
    const struct cuzk_num num = alloc(cs, shape->poseidon ? "h_select" : "k_and_h_select", &element);

    inputize(cs, shape->poseidon ? "h_select (public input)" : "k_and_h_select (public input)", &num);
    for (unsigned i = 0; i < count; i++) {
        cuzk_cs_enter_n(cs, shape->poseidon ? "h_select_bit_#" : "k_and_h_select_bit_#", i);
        bits[i] = cuzk_boolean_alloc(cs, value >> i & 1);
        cuzk_cs_leave(cs);
    }
    cuzk_packing_enforce(cs, "bits of partition and h_select", bits, count, num.variable);
    memcpy(head->partition_bits, bits, p * sizeof *bits);
    memcpy(head->h_select, bits + p, CUZK_UPDATE_H_BITS * sizeof *bits);
    if (shape->poseidon)
        return;
    cuzk_cs_enter(cs, "pack partition bits");
    head->partition = cuzk_packing_to_num(cs, head->partition_bits, p);
    cuzk_cs_leave(cs);
}

static void commitments(struct cuzk_cs *cs, const struct cuzk_update_assignment *a,
                        struct cuzk_update_head *head)
{
    head->comm_r_old = alloc(cs, "comm_r_old", &a->comm_r_old);
    inputize(cs, "comm_r_old_input", &head->comm_r_old);
    head->comm_d_new = alloc(cs, "comm_d_new", &a->comm_d_new);
    inputize(cs, "comm_d_new_input", &head->comm_d_new);
    head->comm_r_new = alloc(cs, "comm_r_new", &a->comm_r_new);
    inputize(cs, "comm_r_new_input", &head->comm_r_new);
    cuzk_cs_enter(cs, "phi");
    head->phi = hash_pair(cs, CUZK_POSEIDON_RANDOMNESS, &head->comm_d_new, &head->comm_r_old);
    cuzk_cs_leave(cs);
}

/* comm_r = H(comm_c, root) for both replicas; the apex leaves and the partition's siblings are allocated
 * between. */
static void roots(struct cuzk_cs *cs, const struct cuzk_update_shape *shape,
                  const struct cuzk_update_assignment *a, struct cuzk_update_head *head,
                  struct cuzk_num partition_path[MAX_PARTITION_BITS])
{
    const struct cuzk_num comm_c = alloc(cs, "comm_c", &a->comm_c);

    head->root_r_old = alloc(cs, "root_r_old", &a->root_r_old);
    head->root_r_new = alloc(cs, "root_r_new", &a->root_r_new);
    if (!shape->poseidon)
        for (unsigned i = 0; i < 1U << shape->apex_bits; i++)
            head->apex_leaves[i] = alloc_n(cs, "apex_leaf_#", i, &a->apex_leaves[i]);
    for (unsigned i = 0; i < shape->partition_bits; i++)
        partition_path[i] = alloc_n(cs, "partition_path sibling_#", i, &a->partition_path[i]);
    cuzk_cs_enter(cs, "comm_r_old_calc");
    const struct cuzk_num old_hash = hash_pair(cs, CUZK_POSEIDON_MERKLE, &comm_c, &head->root_r_old);
    cuzk_cs_leave(cs);
    cuzk_num_enforce_equal(cs, "enforce comm_r_old_calc == comm_r_old", &old_hash, &head->comm_r_old);
    cuzk_cs_enter(cs, "comm_r_new_calc");
    const struct cuzk_num new_hash = hash_pair(cs, CUZK_POSEIDON_MERKLE, &comm_c, &head->root_r_new);
    cuzk_cs_leave(cs);
    cuzk_num_enforce_equal(cs, "enforce comm_r_new_calc == comm_r_new", &new_hash, &head->comm_r_new);
}

/* The tree over the partition's apex leaves, row by row, and the way from its root to comm_d. */
static void apex(struct cuzk_cs *cs, const struct cuzk_update_shape *shape,
                 const struct cuzk_update_head *head,
                 const struct cuzk_num partition_path[MAX_PARTITION_BITS])
{
    static const struct cuzk_sha256_node_names names = {"a_bits", "b_bits", "hash", "pack_le"};
    const struct cuzk_path_tree tree = {
        .hash = CUZK_PATH_SHA256, .base_arity = 2, .shape = {.base_levels = (uint8_t)shape->partition_bits}};
    struct cuzk_num row[CUZK_UPDATE_MAX_APEX_LEAVES];

    cuzk_cs_enter(cs, "apex_gadget");
    memcpy(row, head->apex_leaves, sizeof row);
    for (unsigned level = 0; level < shape->apex_bits && !cuzk_cs_stops(cs); level++)
        for (unsigned i = 0; i < 1U << (shape->apex_bits - level - 1); i++) {
            if (cuzk_cs_constrains(cs))
                cuzk_cs_enter_name(
                    cs, (struct cuzk_cs_name){.text = "apex_tree generation hash (tree_row=#, siblings=#)",
                                              .index = {level, i}});
            row[i] = cuzk_sha256_node_gadget(cs, &names, &row[2 * i], &row[2 * i + 1]);
            cuzk_cs_leave(cs);
        }
    cuzk_cs_enter(cs, "partition-tree por");
    cuzk_path_enforce_given(cs, &tree, &head->comm_d_new, &row[0], head->partition_bits, partition_path);
    cuzk_cs_leave(cs);
    cuzk_cs_leave(cs);
}

/* digest_j = H(comm_r_new, partition * digests + j), as bits. */
static void challenge_digests(struct cuzk_cs *cs, const struct cuzk_update_shape *shape,
                              struct cuzk_update_head *head)
{
    const unsigned digests = cuzk_update_digests(shape);
    struct cuzk_fr count, index;

    cuzk_fr_from_u64(digests, &count);
    cuzk_cs_enter(cs, "gen_challenge_bits");
    for (unsigned j = 0; j < digests && !cuzk_cs_stops(cs); j++) {
        cuzk_fr_from_u64(j, &index);
        struct cuzk_fr value;
        cuzk_fr_mul(&head->partition.value, &count, &value);
        cuzk_fr_add(&value, &index, &value);
        const struct cuzk_num digest_index = alloc_n(cs, "digest_index_#", j, &value);
        if (cuzk_cs_constrains(cs)) {
            cuzk_cs_begin(cs);
            cuzk_cs_add(cs, &cs->a, head->partition.variable, &count);
            cuzk_cs_add(cs, &cs->a, CUZK_VARIABLE_ONE, &index);
            cuzk_cs_add(cs, &cs->b, CUZK_VARIABLE_ONE, cuzk_power_of_two(0));
            cuzk_cs_add(cs, &cs->c, digest_index.variable, cuzk_power_of_two(0));
            cuzk_cs_enforce(cs, "digest_index == partition * digests + j");
        }
        cuzk_cs_enter_n(cs, "digest_#", j);
        const struct cuzk_num digest =
            hash_pair(cs, CUZK_POSEIDON_RANDOMNESS, &head->comm_r_new, &digest_index);
        cuzk_cs_leave(cs);
        cuzk_cs_enter_n(cs, "digest_#_bits", j);
        cuzk_num_alloc_bits(cs, &digest, head->digest_bits[j]);
        cuzk_packing_enforce(cs, "bits of the digest", head->digest_bits[j], CUZK_FR_BITS, digest.variable);
        cuzk_cs_leave(cs);
    }
    cuzk_cs_leave(cs);
}

/* Values that say nothing: every challenge is the same zeros. */
static const struct cuzk_fr zeros[CUZK_TREE_MAX_LEVELS * (CUZK_TREE_MAX_ARITY - 1)];
_Static_assert(sizeof zeros / sizeof *zeros >= CUZK_UPDATE_MAX_APEX_LEAVES, "enough zeros");
static const struct cuzk_update_challenge blank_challenge = {
    .path_r_old = zeros, .path_r_new = zeros, .path_d_new = zeros};
static const struct cuzk_update_assignment blank = {.apex_leaves = zeros, .partition_path = zeros};

void cuzk_update_synthesise_head(struct cuzk_cs *cs, const struct cuzk_update_shape *shape,
                                 const struct cuzk_update_assignment *assignment,
                                 struct cuzk_update_head *head)
{
    const struct cuzk_update_assignment *a = assignment ? assignment : &blank;
    struct cuzk_num partition_path[MAX_PARTITION_BITS];

    partition_and_h(cs, shape, a->k_and_h_select, head);
    commitments(cs, a, head);
    roots(cs, shape, a, head, partition_path);
    if (shape->poseidon)
        head->partition = alloc(cs, "gen_challenge_bits partition zero", zeros);
    else
        apex(cs, shape, head, partition_path);
    challenge_digests(cs, shape, head);
}

/* ---- one challenge ---- */

struct challenge {
    struct cuzk_cs *cs;
    const struct cuzk_update_shape *shape;
    const struct cuzk_update_head *head;
    unsigned index;
    struct cuzk_boolean bits[MAX_LOG2_NODES]; /* of the challenge: from the digest, then the partition's */
};

static void find_bits(struct challenge *c)
{
    const unsigned random = cuzk_update_random_bits(c->shape);

    memcpy(c->bits, cuzk_update_challenge_bits(c->shape, c->head, c->index), random * sizeof *c->bits);
    memcpy(c->bits + random, c->head->partition_bits, c->shape->partition_bits * sizeof *c->bits);
}

static void enter_indexed(struct challenge *c, const char *text, unsigned second, unsigned third)
{
    if (cuzk_cs_constrains(c->cs))
        cuzk_cs_enter_name(c->cs, (struct cuzk_cs_name){.text = text, .index = {c->index, second, third}});
}

/* a * b = c */
static void enforce_product(struct cuzk_cs *cs, const char *name, cuzk_variable a, cuzk_variable b,
                            cuzk_variable c)
{
    if (!cuzk_cs_constrains(cs))
        return;
    cuzk_cs_begin(cs);
    cuzk_cs_add(cs, &cs->a, a, cuzk_power_of_two(0));
    cuzk_cs_add(cs, &cs->b, b, cuzk_power_of_two(0));
    cuzk_cs_add(cs, &cs->c, c, cuzk_power_of_two(0));
    cuzk_cs_enforce(cs, name);
}

/* The high bits that h_select chooses, as a number: for each h they are packed and multiplied with its bit.
 */
static struct cuzk_num high_bits(struct challenge *c)
{
    struct cuzk_cs *cs = c->cs;
    struct cuzk_num chosen[CUZK_UPDATE_H_BITS], sum = {0};

    enter_indexed(c, "get_challenge_high_bits (c_index=#)", 0, 0);
    for (unsigned k = 0; k < CUZK_UPDATE_H_BITS; k++) {
        const unsigned h = c->shape->h[k];
        const struct cuzk_boolean select = c->head->h_select[k];
        const struct cuzk_fr zero = {0};
        if (cuzk_cs_constrains(cs))
            cuzk_cs_enter_name(cs, (struct cuzk_cs_name){.text = "c_high (h=#, k=#)", .index = {h, k}});
        const struct cuzk_num high = cuzk_packing_to_num(cs, c->bits + c->shape->log2_nodes - h, h);
        cuzk_cs_leave(cs);
        if (cuzk_cs_constrains(cs))
            cuzk_cs_enter_name(cs,
                               (struct cuzk_cs_name){.text = "c_high_or_zero (h=#, k=#)", .index = {h, k}});
        chosen[k] = cuzk_num_alloc(cs, select.value ? &high.value : &zero);
        cuzk_cs_leave(cs);
        enforce_product(cs, "c_high * h_select bit", high.variable, select.variable, chosen[k].variable);
        cuzk_fr_add(&sum.value, &chosen[k].value, &sum.value);
    }
    sum = alloc(cs, "c_high_selected", &sum.value);
    if (cuzk_cs_constrains(cs)) {
        cuzk_cs_begin(cs);
        for (unsigned k = 0; k < CUZK_UPDATE_H_BITS; k++)
            cuzk_cs_add(cs, &cs->a, chosen[k].variable, cuzk_power_of_two(0));
        cuzk_cs_add(cs, &cs->b, CUZK_VARIABLE_ONE, cuzk_power_of_two(0));
        cuzk_cs_add(cs, &cs->c, sum.variable, cuzk_power_of_two(0));
        cuzk_cs_enforce(cs, "c_high_selected == sum");
    }
    cuzk_cs_leave(cs);
    return sum;
}

/* leaf_r_new = leaf_r_old + leaf_d_new * rho */
static struct cuzk_num encode(struct challenge *c, const struct cuzk_num *leaf_r_old,
                              const struct cuzk_num *leaf_d_new, const struct cuzk_num *rho)
{
    struct cuzk_cs *cs = c->cs;
    struct cuzk_fr value;

    enter_indexed(c, "leaf_r_new (c_index=#)", 0, 0);
    cuzk_fr_mul(&leaf_d_new->value, &rho->value, &value);
    cuzk_cs_enter(cs, "label_d_new * rho");
    const struct cuzk_num product = cuzk_num_alloc(cs, &value);
    enforce_product(cs, "multiplication constraint", leaf_d_new->variable, rho->variable, product.variable);
    cuzk_cs_leave(cs);
    cuzk_fr_add(&leaf_r_old->value, &value, &value);
    const struct cuzk_num leaf_r_new = alloc(cs, "label_r_new", &value);
    if (cuzk_cs_constrains(cs)) {
        cuzk_cs_begin(cs);
        cuzk_cs_add(cs, &cs->a, leaf_r_old->variable, cuzk_power_of_two(0));
        cuzk_cs_add(cs, &cs->a, product.variable, cuzk_power_of_two(0));
        cuzk_cs_add(cs, &cs->b, CUZK_VARIABLE_ONE, cuzk_power_of_two(0));
        cuzk_cs_add(cs, &cs->c, leaf_r_new.variable, cuzk_power_of_two(0));
        cuzk_cs_enforce(cs, "enforce label_r_new");
    }
    cuzk_cs_leave(cs);
    return leaf_r_new;
}

/* Allocates the siblings of a path, then walks it to the root; `sibling` and `por` name the two. */
static void oct_path(struct challenge *c, const char *sibling, const char *por, const struct cuzk_num *root,
                     const struct cuzk_num *leaf, const struct cuzk_fr *siblings)
{
    const struct cuzk_path_tree tree = {
        .hash = CUZK_PATH_POSEIDON, .base_arity = CUZK_TREE_BASE_ARITY, .shape = c->shape->tree};
    struct cuzk_num path[CUZK_TREE_MAX_LEVELS * (CUZK_TREE_MAX_ARITY - 1)];
    unsigned n = 0;

    for (unsigned level = 0; level < cuzk_tree_levels(c->shape->tree); level++)
        for (unsigned i = 0; i + 1 < cuzk_tree_arity(c->shape->tree, level); i++, n++) {
            enter_indexed(c, sibling, level, i);
            path[n] = cuzk_num_alloc(c->cs, &siblings[n]);
            cuzk_cs_leave(c->cs);
        }
    enter_indexed(c, por, 0, 0);
    cuzk_path_enforce_given(c->cs, &tree, root, leaf, c->bits, path);
    cuzk_cs_leave(c->cs);
}

/* The apex leaf that the challenge lies under, and the path up to it. */
static void apex_path(struct challenge *c, const struct cuzk_num *leaf, const struct cuzk_fr *siblings)
{
    const unsigned levels = cuzk_update_data_levels(c->shape);
    const struct cuzk_path_tree tree = {
        .hash = CUZK_PATH_SHA256, .base_arity = 2, .shape = {.base_levels = (uint8_t)levels}};
    struct cuzk_num apex[CUZK_UPDATE_MAX_APEX_LEAVES], path[MAX_LOG2_NODES];

    memcpy(apex, c->head->apex_leaves, sizeof apex);
    enter_indexed(c, "select_apex_leaf (c_index=#)", 0, 0);
    const struct cuzk_num root = cuzk_select_element(c->cs, apex, c->bits + levels, c->shape->apex_bits);
    cuzk_cs_leave(c->cs);
    for (unsigned level = 0; level < levels; level++) {
        enter_indexed(c, "path_to_apex_leaf sibling (c_index=#, tree_row=#)", level, 0);
        path[level] = cuzk_num_alloc(c->cs, &siblings[level]);
        cuzk_cs_leave(c->cs);
    }
    enter_indexed(c, "por to_apex_leaf (c_index=#)", 0, 0);
    cuzk_path_enforce_given(c->cs, &tree, &root, leaf, c->bits, path);
    cuzk_cs_leave(c->cs);
}

void cuzk_update_synthesise_challenge(struct cuzk_cs *cs, const struct cuzk_update_shape *shape,
                                      const struct cuzk_update_assignment *assignment,
                                      const struct cuzk_update_head *head, unsigned index)
{
    const struct cuzk_update_challenge *values =
        assignment ? &assignment->challenges[index] : &blank_challenge;
    struct challenge c = {.cs = cs, .shape = shape, .head = head, .index = index};

    find_bits(&c);
    const struct cuzk_num high = high_bits(&c);

    enter_indexed(&c, "rho (c_index=#)", 0, 0);
    const struct cuzk_num rho = hash_pair(cs, CUZK_POSEIDON_RANDOMNESS, &head->phi, &high);
    cuzk_cs_leave(cs);
    const struct cuzk_num leaf_r_old = alloc_n(cs, "leaf_r_old (c_index=#)", index, &values->leaf_r_old);
    const struct cuzk_num leaf_d_new = alloc_n(cs, "leaf_d_new (c_index=#)", index, &values->leaf_d_new);
    const struct cuzk_num leaf_r_new = encode(&c, &leaf_r_old, &leaf_d_new, &rho);

    oct_path(&c, "path_r_old sibling (c_index=#, tree_row=#, sibling_index=#)", "por tree_r_old (c_index=#)",
             &head->root_r_old, &leaf_r_old, values->path_r_old);
    oct_path(&c, "path_r_new sibling (c_index=#, tree_row=#, sibling_index=#)", "por tree_r_new (c_index=#)",
             &head->root_r_new, &leaf_r_new, values->path_r_new);
    if (shape->poseidon)
        oct_path(&c, "path_d_new sibling (c_index=#, tree_row=#, sibling_index=#)",
                 "por tree_d_new (c_index=#)", &head->comm_d_new, &leaf_d_new, values->path_d_new);
    else
        apex_path(&c, &leaf_d_new, values->path_d_new);
}
