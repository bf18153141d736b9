#include "circuit/porep.h"

#include <string.h>

#include "base/mem.h"
#include "circuit/label.h"
#include "circuit/packing.h"
#include "circuit/path.h"
#include "circuit/poseidon.h"

/* What the head allocates and every challenge uses. */
struct head {
    struct cuzk_boolean replica_id[CUZK_FR_BITS];
    struct cuzk_num comm_d, comm_r_last, comm_c;
};

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

/* comm_r = H(comm_c, comm_r_last) */
static void synthesise_head(struct cuzk_cs *cs, const struct cuzk_porep_assignment *assignment,
                            struct head *head)
{
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
    const struct head *head;
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

    for (unsigned p = 0; p < CUZK_POREP_PARENTS && !cuzk_cs_failed(cs); p++) {
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
    for (unsigned layer = 1; layer <= c->shape->layers && !cuzk_cs_failed(cs); layer++) {
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

static void synthesise_challenge(struct cuzk_cs *cs, const struct cuzk_porep_shape *shape,
                                 const struct head *head, const struct cuzk_porep_challenge *values,
                                 unsigned index)
{
    struct challenge c = {.cs = cs, .shape = shape, .head = head, .values = values};

    cuzk_cs_enter_n(cs, "challenge_#", index);
    data_path(&c);
    parent_columns(&c);
    labels(&c);
    encoding(&c);
    own_column(&c);
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

void cuzk_porep_synthesise(struct cuzk_cs *cs, const struct cuzk_porep_shape *shape,
                           const struct cuzk_porep_assignment *assignment)
{
    struct head head;

    synthesise_head(cs, assignment ? assignment : &blank, &head);
    for (unsigned i = 0; i < shape->challenges && !cuzk_cs_failed(cs); i++)
        synthesise_challenge(cs, shape, &head, assignment ? &assignment->challenges[i] : &blank_challenge, i);
}

unsigned cuzk_porep_inputs(const struct cuzk_porep_shape *shape)
{
    /* one, replica_id, comm_d, comm_r; of each challenge its TreeD path, the parents' TreeC paths, the
     * challenge as a number, its TreeRLast and TreeC paths */
    return 4 + (CUZK_POREP_PARENTS + 4) * shape->challenges;
}

static struct cuzk_cs_counts at_challenge(const struct cuzk_porep_plan *plan, unsigned i)
{
    return (struct cuzk_cs_counts){.inputs = plan->head.inputs + i * plan->challenge.inputs,
                                   .aux = plan->head.aux + i * plan->challenge.aux,
                                   .bits = plan->head.bits + i * plan->challenge.bits};
}

enum cuzk_status cuzk_porep_plan(const struct cuzk_porep_shape *shape, struct cuzk_porep_plan *out,
                                 struct cuzk_error *err)
{
    struct cuzk_cs cs;
    struct head head;

    out->shape = *shape;
    cuzk_cs_witness(&cs, NULL, (struct cuzk_cs_counts){.inputs = 1});
    synthesise_head(&cs, &blank, &head);
    out->head = cs.at;
    synthesise_challenge(&cs, shape, &head, &blank_challenge, 0);
    out->challenge = (struct cuzk_cs_counts){.inputs = cs.at.inputs - out->head.inputs,
                                             .aux = cs.at.aux - out->head.aux,
                                             .bits = cs.at.bits - out->head.bits};
    out->total = at_challenge(out, shape->challenges);
    const enum cuzk_status status = cuzk_cs_finish(&cs, err);
    cuzk_cs_destroy(&cs);
    return status;
}

enum cuzk_status cuzk_porep_layout(const struct cuzk_porep_plan *plan, struct cuzk_witness_layout *out,
                                   struct cuzk_error *err)
{
    struct cuzk_cs cs;

    memset(out, 0, sizeof *out);
    cuzk_cs_witness(&cs, NULL, (struct cuzk_cs_counts){.inputs = 1});
    cs.keep_layout = true;
    cuzk_porep_synthesise(&cs, &plan->shape, NULL);
    enum cuzk_status status = cuzk_cs_finish(&cs, err);
    if (status == CUZK_OK)
        status = cuzk_cs_layout(&cs, out, err);
    cuzk_cs_destroy(&cs);
    return status;
}

/* ---- the witness in parallel ---- */

struct job {
    const struct cuzk_porep_plan *plan;
    const struct cuzk_porep_assignment *assignment;
    const struct cuzk_witness *witness;
    const struct head *head;
    enum cuzk_status *results; /* [challenges] */
};

static void witness_challenge(void *context, size_t index, unsigned worker)
{
    const struct job *job = context;
    struct cuzk_cs cs;

    (void)worker;
    cuzk_cs_witness(&cs, job->witness, at_challenge(job->plan, (unsigned)index));
    synthesise_challenge(&cs, &job->plan->shape, job->head, &job->assignment->challenges[index],
                         (unsigned)index);
    job->results[index] = cuzk_cs_finish(&cs, NULL);
    cuzk_cs_destroy(&cs);
}

enum cuzk_status cuzk_porep_witness(const struct cuzk_porep_plan *plan,
                                    const struct cuzk_porep_assignment *assignment, struct cuzk_pool *pool,
                                    const struct cuzk_witness *witness, struct cuzk_error *err)
{
    const unsigned challenges = plan->shape.challenges;
    enum cuzk_status *results = NULL;
    enum cuzk_status status;
    struct head head;
    struct cuzk_cs cs;

    cuzk_cs_witness(&cs, witness, (struct cuzk_cs_counts){.inputs = 1});
    CUZK_TRY_OUT(CUZK_NEW(&results, challenges, "results of challenges", err));
    synthesise_head(&cs, assignment, &head);
    CUZK_TRY_OUT(cuzk_cs_finish(&cs, err));
    struct job job = {plan, assignment, witness, &head, results};
    cuzk_pool_run(pool, challenges, witness_challenge, &job);
    for (unsigned i = 0; i < challenges; i++)
        if (results[i] != CUZK_OK)
            CUZK_TRY_OUT(cuzk_error_set(err, results[i], "witness of challenge %u failed", i));
out:
    cuzk_cs_destroy(&cs);
    cuzk_mem_free(results);
    return status;
}
