#include "circuit/porep.h"

#include "circuit/label.h"
#include "circuit/packing.h"
#include "circuit/path.h"
#include "circuit/poseidon.h"

static struct cuzk_num alloc(struct cuzk_cs *cs, const char *name, const struct cuzk_fr *value)
{
    cuzk_cs_enter(cs, name);
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

/* Values that say nothing: every challenge is the same zeros. */
static const struct cuzk_fr zeros[CUZK_TREE_MAX_LEVELS * (CUZK_TREE_MAX_ARITY - 1)];

#define BLANK_PATH   {.siblings = zeros}
#define BLANK_COLUMN {.labels = zeros, .path = BLANK_PATH}

static const struct cuzk_porep_challenge blank_challenge = {
    .data = BLANK_PATH,
    .replica = BLANK_PATH,
    .column = BLANK_COLUMN,
    .parents = {BLANK_COLUMN, BLANK_COLUMN, BLANK_COLUMN, BLANK_COLUMN, BLANK_COLUMN, BLANK_COLUMN,
                BLANK_COLUMN, BLANK_COLUMN, BLANK_COLUMN, BLANK_COLUMN, BLANK_COLUMN, BLANK_COLUMN,
                BLANK_COLUMN, BLANK_COLUMN},
};
static const struct cuzk_porep_assignment blank;

/* comm_r = H(comm_c, comm_r_last) */
void cuzk_porep_synthesise_head(struct cuzk_cs *cs, const struct cuzk_porep_assignment *assignment,
                                struct cuzk_porep_head *head)
{
    if (assignment == NULL)
        assignment = &blank;
    const struct cuzk_num replica_id = alloc(cs, "replica_id", &assignment->replica_id);
    inputize(cs, "replica_id_input", &replica_id);
    cuzk_cs_enter(cs, "replica_id_bits");
    cuzk_num_to_bits(cs, &replica_id, head->replica_id);
    cuzk_cs_leave(cs);
    head->comm_d = alloc(cs, "comm_d", &assignment->comm_d);
    inputize(cs, "comm_d_input", &head->comm_d);
    const struct cuzk_num comm_r = alloc(cs, "comm_r", &assignment->comm_r);
    inputize(cs, "comm_r_input", &comm_r);
    head->comm_r_last = alloc(cs, "comm_r_last", &assignment->comm_r_last);
    head->comm_c = alloc(cs, "comm_c", &assignment->comm_c);
    const struct cuzk_num pair[2] = {head->comm_c, head->comm_r_last};
    cuzk_cs_enter(cs, "H_comm_c_comm_r_last");
    const struct cuzk_num hash = cuzk_poseidon_gadget(cs, 2, CUZK_POSEIDON_MERKLE, pair);
    cuzk_cs_leave(cs);
    cuzk_num_enforce_equal(cs, "enforce comm_r = H(comm_c || comm_r_last)", &comm_r, &hash);
}

/* One challenge in work: its parts in the order of the circuit. */
struct challenge {
    struct cuzk_cs *cs;
    const struct cuzk_porep_shape *shape;
    const struct cuzk_porep_head *head;
    const struct cuzk_porep_challenge *values;
    struct cuzk_num data_leaf;
    struct cuzk_num columns[CUZK_POREP_PARENTS][CUZK_POREP_MAX_LAYERS]; /* labels of the parents */
    struct cuzk_boolean number[CUZK_LABEL_CHALLENGE_BITS];              /* the challenge */
    struct cuzk_num labels[CUZK_POREP_MAX_LAYERS];
};

static void octal_path(struct challenge *c, const struct cuzk_num *root, const struct cuzk_num *leaf,
                       const struct cuzk_merkle_path *path)
{
    const struct cuzk_path_tree tree = {
        .hash = CUZK_PATH_POSEIDON, .base_arity = CUZK_TREE_BASE_ARITY, .shape = c->shape->tree};
    cuzk_path_enforce(c->cs, &tree, root, leaf, path);
}

static void data_path(struct challenge *c)
{
    const struct cuzk_path_tree tree = {
        .hash = CUZK_PATH_SHA256, .base_arity = 2, .shape = {.base_levels = (uint8_t)c->shape->log2_nodes}};

    c->data_leaf = alloc(c->cs, "data_leaf", &c->values->data.leaf);
    cuzk_cs_enter(c->cs, "comm_d_inclusion");
    cuzk_path_enforce(c->cs, &tree, &c->head->comm_d, &c->data_leaf, &c->values->data);
    cuzk_cs_leave(c->cs);
}

static void parent_columns(struct challenge *c)
{
    struct cuzk_cs *cs = c->cs;

    for (unsigned p = 0; p < CUZK_POREP_PARENTS && !cuzk_cs_stops(cs); p++) {
        const bool drg = p < CUZK_POREP_DRG_PARENTS;
        const unsigned n = drg ? p : p - CUZK_POREP_DRG_PARENTS;
        cuzk_cs_enter_n(cs, drg ? "drg_parent_#_num" : "exp_parent_#_num", n);
        cuzk_cs_enter(cs, "column");
        for (unsigned row = 0; row < c->shape->layers; row++) {
            cuzk_cs_enter_n(cs, "column_num_row_#", row);
            c->columns[p][row] = cuzk_num_alloc(cs, &c->values->parents[p].labels[row]);
            cuzk_cs_leave(cs);
        }
        cuzk_cs_leave(cs);
        cuzk_cs_leave(cs);
        cuzk_cs_enter_n(cs, drg ? "drg_parent_#_constraint" : "exp_parent_#_constraint", n);
        const struct cuzk_num hash =
            cuzk_poseidon_gadget(cs, c->shape->layers, CUZK_POSEIDON_MERKLE, c->columns[p]);
        cuzk_cs_leave(cs);
        cuzk_cs_enter_n(cs, drg ? "drg_parent_#_inclusion" : "exp_parent_#_inclusion", n);
        octal_path(c, &c->head->comm_c, &hash, &c->values->parents[p].path);
        cuzk_cs_leave(cs);
    }
}

/* The labels of the challenged node. Parents' bits are made anew in each layer: drg parents in the same
 * layer, expander parents in the one before. */
static void labels(struct challenge *c)
{
    struct cuzk_cs *cs = c->cs;
    struct cuzk_boolean parents[CUZK_POREP_PARENTS][CUZK_FR_BITS];

    cuzk_cs_enter(cs, "challenge");
    cuzk_boolean_alloc_many(cs, c->values->node, CUZK_LABEL_CHALLENGE_BITS, c->number);
    cuzk_cs_leave(cs);
    cuzk_cs_enter(cs, "challenge input");
    cuzk_packing_to_inputs(cs, "packing constraint", c->number, CUZK_LABEL_CHALLENGE_BITS);
    cuzk_cs_leave(cs);
    for (unsigned layer = 1; layer <= c->shape->layers && !cuzk_cs_stops(cs); layer++) {
        const unsigned count = layer == 1 ? CUZK_POREP_DRG_PARENTS : CUZK_POREP_PARENTS;
        cuzk_cs_enter_n(cs, "labeling_#", layer);
        for (unsigned p = 0; p < count; p++) {
            const bool drg = p < CUZK_POREP_DRG_PARENTS;
            cuzk_cs_enter_n(cs, drg ? "drg_parent_#_bits" : "exp_parent_#_bits", p);
            cuzk_num_to_bits(cs, &c->columns[p][drg ? layer - 1 : layer - 2], parents[p]);
            cuzk_cs_leave(cs);
        }
        cuzk_cs_enter(cs, "create_label");
        c->labels[layer - 1] =
            cuzk_label_gadget(cs, c->head->replica_id, (const struct cuzk_boolean(*)[CUZK_FR_BITS])parents,
                              count, layer, c->number);
        cuzk_cs_leave(cs);
        cuzk_cs_leave(cs);
    }
}

/* encoded = key + data, and its place in TreeRLast */
static void encoding(struct challenge *c)
{
    struct cuzk_cs *cs = c->cs;

    cuzk_cs_enter(cs, "encode_node");
    cuzk_cs_enter(cs, "encode_add");
    const struct cuzk_num encoded =
        cuzk_num_add(cs, "add_num", &c->labels[c->shape->layers - 1], &c->data_leaf);
    cuzk_cs_leave(cs);
    cuzk_cs_leave(cs);
    cuzk_cs_enter(cs, "comm_r_last_data_inclusion");
    octal_path(c, &c->head->comm_r_last, &encoded, &c->values->replica);
    cuzk_cs_leave(cs);
}

static void own_column(struct challenge *c)
{
    struct cuzk_cs *cs = c->cs;

    cuzk_cs_enter(cs, "c_x_column_hash");
    const struct cuzk_num hash = cuzk_poseidon_gadget(cs, c->shape->layers, CUZK_POSEIDON_MERKLE, c->labels);
    cuzk_cs_leave(cs);
    cuzk_cs_enter(cs, "c_x_inclusion");
    octal_path(c, &c->head->comm_c, &hash, &c->values->column.path);
    cuzk_cs_leave(cs);
}

void cuzk_porep_synthesise_challenge(struct cuzk_cs *cs, const struct cuzk_porep_shape *shape,
                                     const struct cuzk_porep_assignment *assignment,
                                     const struct cuzk_porep_head *head, unsigned index)
{
    struct challenge c = {.cs = cs,
                          .shape = shape,
                          .head = head,
                          .values = assignment ? &assignment->challenges[index] : &blank_challenge};

    cuzk_cs_enter_n(cs, "challenge_#", index);
    data_path(&c);
    parent_columns(&c);
    labels(&c);
    encoding(&c);
    own_column(&c);
    cuzk_cs_leave(cs);
}
