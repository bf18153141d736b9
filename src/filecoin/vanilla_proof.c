#include "filecoin/vanilla_proof.h"

#include <string.h>

/* A part of a path is at most 32 binary levels or 11 of arity 8 (read_part). */
enum { MAX_SIBLINGS = 12 * (CUZK_TREE_MAX_ARITY - 1) };

#define COUNT(names) (unsigned)(sizeof(names) / sizeof(names)[0])

/* Adds the name of the member to the message of a failed call. */
#define IN(name, call)                                                                                       \
    do {                                                                                                     \
        enum cuzk_status in_status_ = (call);                                                                \
        if (in_status_ != CUZK_OK)                                                                           \
            return cuzk_error_prefix(err, in_status_, "%s", (name));                                         \
    } while (0)

struct context {
    struct cuzk_json_stream *reader;
    struct cuzk_porep_shape *shape;
    bool *shape_known;
    struct cuzk_fr_arena *values;
    unsigned layers; /* rows of the first column seen, before the shape is known */
};

/* One run of levels as read: base, sub or top part of a path. */
struct part {
    unsigned levels, siblings;
    uint8_t arity; /* of all its levels */
    uint8_t log2_arity;
    uint64_t index;
    struct cuzk_fr values[MAX_SIBLINGS];
};

static void clear_part(struct part *part)
{
    part->levels = part->siblings = part->arity = part->log2_arity = 0;
    part->index = 0;
}

static enum cuzk_status read_hashes(struct context *c, struct part *part, unsigned *count,
                                    struct cuzk_error *err)
{
    bool first = true, more = false;

    CUZK_TRY(cuzk_json_stream_array_begin(c->reader, &first, err));
    for (*count = 0;; (*count)++) {
        CUZK_TRY(cuzk_json_stream_array_next(c->reader, &first, &more, err));
        if (!more)
            break;
        if (*count == CUZK_TREE_MAX_ARITY - 1)
            return cuzk_json_stream_fail(c->reader, err, "more than the %d siblings of any node",
                                         CUZK_TREE_MAX_ARITY - 1);
        CUZK_TRY(cuzk_json_stream_element(c->reader, &part->values[part->siblings++], err));
    }
    if (*count != 1 && *count != CUZK_TREE_MAX_ARITY - 1)
        return cuzk_json_stream_fail(c->reader, err, "%u siblings where a node has 1 or %d", *count,
                                     CUZK_TREE_MAX_ARITY - 1);
    return CUZK_OK;
}

/* {"hashes":[...],"index":n} */
static enum cuzk_status read_level(struct context *c, struct part *part, struct cuzk_error *err)
{
    static const char *const names[] = {"hashes", "index"};
    struct cuzk_json_stream_object object;
    unsigned siblings = 0;
    uint64_t index = 0;
    int member = -1;

    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, COUNT(names), 0, &object, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0)
            break;
        if (member == 0)
            IN("hashes", read_hashes(c, part, &siblings, err));
        else
            IN("index", cuzk_json_stream_u64(c->reader, UINT64_MAX, &index, err));
    }
    if (index > siblings)
        return cuzk_json_stream_fail(c->reader, err, "index %llu among %u nodes", (unsigned long long)index,
                                     siblings + 1);
    if (part->levels == 0) {
        part->arity = (uint8_t)(siblings + 1);
        part->log2_arity = siblings == 1 ? 1 : 3;
    } else if (part->arity != siblings + 1) {
        return cuzk_json_stream_fail(c->reader, err, "levels of %u and %u nodes in one path", part->arity,
                                     siblings + 1);
    }
    part->index |= index << (part->levels * part->log2_arity);
    part->levels++;
    return CUZK_OK;
}

/* {"path":[level, ...]} */
static enum cuzk_status read_part(struct context *c, struct part *part, struct cuzk_error *err)
{
    static const char *const names[] = {"path"};
    struct cuzk_json_stream_object object;
    bool first = true, more = false;
    int member = -1;

    clear_part(part);
    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, COUNT(names), 0, &object, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0)
            return CUZK_OK;
        CUZK_TRY(cuzk_json_stream_array_begin(c->reader, &first, err));
        for (;;) {
            CUZK_TRY(cuzk_json_stream_array_next(c->reader, &first, &more, err));
            if (!more)
                break;
            if (part->levels * part->log2_arity > CUZK_POREP_MAX_LOG2_NODES)
                return cuzk_json_stream_fail(c->reader, err, "a path of more levels than any tree has");
            CUZK_TRY(read_level(c, part, err));
        }
    }
}

/* What a path turned out to be. */
struct form {
    unsigned arity;               /* of the base levels; 0: there are none */
    struct cuzk_tree_shape shape; /* base_levels counts levels of `arity` */
};

static enum cuzk_status append(struct context *c, struct cuzk_merkle_path *path, const struct part *parts,
                               unsigned count, struct cuzk_error *err)
{
    unsigned siblings = 0, bits = 0;
    struct cuzk_fr *out;

    for (unsigned i = 0; i < count; i++)
        siblings += parts[i].siblings;
    CUZK_TRY(cuzk_fr_arena_take(c->values, siblings, &out, err));
    path->siblings = out;
    path->index = 0;
    for (unsigned i = 0; i < count; i++) {
        memcpy(out, parts[i].values, parts[i].siblings * sizeof *out);
        out += parts[i].siblings;
        path->index |= parts[i].index << bits;
        bits += parts[i].levels * parts[i].log2_arity;
    }
    return CUZK_OK;
}

/* Single {root, leaf, path}; Sub {base_proof, sub_proof, root, leaf}; Top {base_proof, sub_proof, top_proof,
 * root, leaf} */
static enum cuzk_status read_body(struct context *c, unsigned parts_count, struct cuzk_merkle_path *path,
                                  struct form *form, struct cuzk_error *err)
{
    static const char *const single[] = {"root", "leaf", "path"};
    static const char *const several[] = {"root", "leaf", "base_proof", "sub_proof", "top_proof"};
    const char *const *names = parts_count == 1 ? single : several;
    struct cuzk_json_stream_object object;
    struct part parts[3];
    int member = -1;

    for (unsigned i = 0; i < parts_count; i++)
        clear_part(&parts[i]);
    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, 2 + parts_count, 0, &object, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0)
            break;
        if (member < 2) {
            IN(names[member],
               cuzk_json_stream_element(c->reader, member == 0 ? &path->root : &path->leaf, err));
            continue;
        }
        IN(names[member], read_part(c, &parts[member - 2], err));
        if (member > 2 && parts[member - 2].levels != 1)
            return cuzk_json_stream_fail(c->reader, err, "%u levels in %s where there is one",
                                         parts[member - 2].levels, names[member]);
    }
    form->arity = parts[0].arity;
    form->shape.base_levels = (uint8_t)parts[0].levels;
    form->shape.sub_arity = parts_count > 1 ? parts[1].arity : 0;
    form->shape.top_arity = parts_count > 2 ? parts[2].arity : 0;
    return append(c, path, parts, parts_count, err);
}

/* {"data":{"Single"|"Sub"|"Top":body}} */
static enum cuzk_status read_merkle_proof(struct context *c, struct cuzk_merkle_path *path, struct form *form,
                                          struct cuzk_error *err)
{
    static const char *const names[] = {"data"}, *const kinds[] = {"Single", "Sub", "Top"};
    struct cuzk_json_stream_object object;
    int member = -1;

    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, COUNT(names), 0, &object, err));
    for (;;) {
        unsigned kind = 0;
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0)
            return CUZK_OK;
        CUZK_TRY(cuzk_json_stream_variant_begin(c->reader, err));
        while (kind < COUNT(kinds) && !cuzk_json_stream_name_is(c->reader, kinds[kind]))
            kind++;
        if (kind == COUNT(kinds))
            return cuzk_json_stream_fail(c->reader, err, "an unknown kind of Merkle proof");
        IN(kinds[kind], read_body(c, kind + 1, path, form, err));
        CUZK_TRY(cuzk_json_stream_variant_end(c->reader, err));
    }
}

/* The first path of a document without a size tag tells the sector size. */
static enum cuzk_status learn_shape(struct context *c, unsigned log2_nodes, struct cuzk_error *err)
{
    if (*c->shape_known)
        return CUZK_OK;
    if (!cuzk_porep_shape_of((uint64_t)CUZK_NODE_BYTES << log2_nodes, c->shape))
        return cuzk_json_stream_fail(c->reader, err, "a path of %u bits is of no sector size", log2_nodes);
    *c->shape_known = true;
    return CUZK_OK;
}

static enum cuzk_status read_data_path(struct context *c, struct cuzk_merkle_path *path,
                                       struct cuzk_error *err)
{
    struct form form = {0};

    CUZK_TRY(read_merkle_proof(c, path, &form, err));
    if (form.arity != 2 || form.shape.sub_arity != 0 || form.shape.top_arity != 0)
        return cuzk_json_stream_fail(c->reader, err, "the path is not a plain binary one");
    CUZK_TRY(learn_shape(c, form.shape.base_levels, err));
    if (form.shape.base_levels != c->shape->log2_nodes)
        return cuzk_json_stream_fail(c->reader, err, "a path of %u levels where the sector has %u",
                                     form.shape.base_levels, c->shape->log2_nodes);
    return CUZK_OK;
}

static enum cuzk_status read_oct_path(struct context *c, struct cuzk_merkle_path *path,
                                      struct cuzk_error *err)
{
    struct form form = {0};
    unsigned bits;

    CUZK_TRY(read_merkle_proof(c, path, &form, err));
    bits = 3 * form.shape.base_levels;
    bits += form.shape.sub_arity == 0 ? 0 : form.shape.sub_arity == 2 ? 1 : 3;
    bits += form.shape.top_arity == 0 ? 0 : form.shape.top_arity == 2 ? 1 : 3;
    CUZK_TRY(learn_shape(c, bits, err));
    const struct cuzk_tree_shape *want = &c->shape->tree;
    if (form.arity != CUZK_TREE_BASE_ARITY || form.shape.base_levels != want->base_levels ||
        form.shape.sub_arity != want->sub_arity || form.shape.top_arity != want->top_arity)
        return cuzk_json_stream_fail(
            c->reader, err,
            "a path of %u levels of %u nodes, then %u and %u, where the sector's tree has %u "
            "of %d, then %u and %u",
            form.shape.base_levels, form.arity, form.shape.sub_arity, form.shape.top_arity, want->base_levels,
            CUZK_TREE_BASE_ARITY, want->sub_arity, want->top_arity);
    return CUZK_OK;
}

/* Every list with one entry a layer must be as long as the sector has layers. */
static enum cuzk_status check_layers(struct context *c, unsigned n, struct cuzk_error *err)
{
    const unsigned want = *c->shape_known ? c->shape->layers : c->layers != 0 ? c->layers : n;

    c->layers = n;
    if (n != want)
        return cuzk_json_stream_fail(c->reader, err, "%u layers where the sector has %u", n, want);
    return CUZK_OK;
}

static enum cuzk_status read_rows(struct context *c, const struct cuzk_fr **labels, struct cuzk_error *err)
{
    struct cuzk_fr rows[CUZK_POREP_MAX_LAYERS], *out;
    bool first = true, more = false;
    unsigned n;

    CUZK_TRY(cuzk_json_stream_array_begin(c->reader, &first, err));
    for (n = 0;; n++) {
        CUZK_TRY(cuzk_json_stream_array_next(c->reader, &first, &more, err));
        if (!more)
            break;
        if (n == CUZK_POREP_MAX_LAYERS)
            return cuzk_json_stream_fail(c->reader, err, "more than %d layers", CUZK_POREP_MAX_LAYERS);
        CUZK_TRY(cuzk_json_stream_element(c->reader, &rows[n], err));
    }
    CUZK_TRY(check_layers(c, n, err));
    CUZK_TRY(cuzk_fr_arena_take(c->values, n, &out, err));
    memcpy(out, rows, n * sizeof *out);
    *labels = out;
    return CUZK_OK;
}

/* {"index":n,"rows":[...],"_h":null} */
static enum cuzk_status read_rows_of_column(struct context *c, struct cuzk_porep_column *column,
                                            uint64_t *node, struct cuzk_error *err)
{
    static const char *const names[] = {"index", "rows", "_h"};
    struct cuzk_json_stream_object object;
    int member = -1;

    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, COUNT(names), 0, &object, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0)
            return CUZK_OK;
        if (member == 0)
            IN("index", cuzk_json_stream_u64(c->reader, UINT32_MAX, node, err));
        else if (member == 1)
            IN("rows", read_rows(c, &column->labels, err));
        else
            IN("_h", cuzk_json_stream_null(c->reader, err));
    }
}

/* {"column":{...},"inclusion_proof":{...}} */
static enum cuzk_status read_column(struct context *c, struct cuzk_porep_column *column, uint64_t *node,
                                    struct cuzk_error *err)
{
    static const char *const names[] = {"column", "inclusion_proof"};
    struct cuzk_json_stream_object object;
    int member = -1;

    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, COUNT(names), 0, &object, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0)
            return CUZK_OK;
        if (member == 0)
            IN("column", read_rows_of_column(c, column, node, err));
        else
            IN("inclusion_proof", read_oct_path(c, &column->path, err));
    }
}

static enum cuzk_status read_parents(struct context *c, unsigned count, struct cuzk_porep_column *columns,
                                     uint64_t *nodes, struct cuzk_error *err)
{
    bool first = true, more = false;
    unsigned n;

    CUZK_TRY(cuzk_json_stream_array_begin(c->reader, &first, err));
    for (n = 0;; n++) {
        CUZK_TRY(cuzk_json_stream_array_next(c->reader, &first, &more, err));
        if (!more)
            break;
        if (n == count)
            return cuzk_json_stream_fail(c->reader, err, "more than %u parents", count);
        CUZK_TRY(read_column(c, &columns[n], &nodes[n], err));
    }
    if (n != count)
        return cuzk_json_stream_fail(c->reader, err, "%u parents where there are %u", n, count);
    return CUZK_OK;
}

/* {"c_x":column,"drg_parents":[6],"exp_parents":[8]} */
static enum cuzk_status read_columns(struct context *c, struct cuzk_porep_challenge *challenge,
                                     struct cuzk_c1_claims *claims, struct cuzk_error *err)
{
    static const char *const names[] = {"c_x", "drg_parents", "exp_parents"};
    struct cuzk_json_stream_object object;
    int member = -1;

    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, COUNT(names), 0, &object, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0)
            return CUZK_OK;
        if (member == 0)
            IN("c_x", read_column(c, &challenge->column, &claims->column_node, err));
        else if (member == 1)
            IN("drg_parents",
               read_parents(c, CUZK_POREP_DRG_PARENTS, challenge->parents, claims->parent_node, err));
        else
            IN("exp_parents",
               read_parents(c, CUZK_POREP_EXP_PARENTS, challenge->parents + CUZK_POREP_DRG_PARENTS,
                            claims->parent_node + CUZK_POREP_DRG_PARENTS, err));
    }
}

static enum cuzk_status read_label_parents(struct context *c, const struct cuzk_fr **parents,
                                           struct cuzk_error *err)
{
    struct cuzk_fr *out;
    bool first = true, more = false;
    unsigned n;

    CUZK_TRY(cuzk_fr_arena_take(c->values, CUZK_POREP_LABEL_PARENTS, &out, err));
    CUZK_TRY(cuzk_json_stream_array_begin(c->reader, &first, err));
    for (n = 0;; n++) {
        CUZK_TRY(cuzk_json_stream_array_next(c->reader, &first, &more, err));
        if (!more)
            break;
        if (n == CUZK_POREP_LABEL_PARENTS)
            return cuzk_json_stream_fail(c->reader, err, "more than the %d labels hashed",
                                         CUZK_POREP_LABEL_PARENTS);
        CUZK_TRY(cuzk_json_stream_element(c->reader, &out[n], err));
    }
    if (n != CUZK_POREP_LABEL_PARENTS)
        return cuzk_json_stream_fail(c->reader, err, "%u labels where %d are hashed", n,
                                     CUZK_POREP_LABEL_PARENTS);
    *parents = out;
    return CUZK_OK;
}

/* {"parents":[37],"layer_index":l,"node":n} */
static enum cuzk_status read_labeling(struct context *c, struct cuzk_c1_labeling *labeling,
                                      struct cuzk_error *err)
{
    static const char *const names[] = {"parents", "layer_index", "node"};
    struct cuzk_json_stream_object object;
    uint64_t layer = 0;
    int member = -1;

    CUZK_TRY(cuzk_json_stream_object_begin(c->reader, names, COUNT(names), 0, &object, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_object_next(c->reader, &object, &member, err));
        if (member < 0)
            break;
        if (member == 0)
            IN("parents", read_label_parents(c, &labeling->parents, err));
        else if (member == 1)
            IN("layer_index", cuzk_json_stream_u64(c->reader, UINT32_MAX, &layer, err));
        else
            IN("node", cuzk_json_stream_u64(c->reader, UINT64_MAX, &labeling->node, err));
    }
    labeling->layer = (uint32_t)layer;
    return CUZK_OK;
}

static enum cuzk_status read_labelings(struct context *c, struct cuzk_c1_labeling *labelings,
                                       struct cuzk_error *err)
{
    bool first = true, more = false;
    unsigned n;

    CUZK_TRY(cuzk_json_stream_array_begin(c->reader, &first, err));
    for (n = 0;; n++) {
        CUZK_TRY(cuzk_json_stream_array_next(c->reader, &first, &more, err));
        if (!more)
            return check_layers(c, n, err);
        if (n == CUZK_POREP_MAX_LAYERS)
            return cuzk_json_stream_fail(c->reader, err, "more than %d layers", CUZK_POREP_MAX_LAYERS);
        CUZK_TRY(read_labeling(c, &labelings[n], err));
    }
}

enum cuzk_status cuzk_vanilla_proof_decode(struct cuzk_json_stream *reader, struct cuzk_porep_shape *shape,
                                           bool *shape_known, struct cuzk_fr_arena *values,
                                           struct cuzk_porep_challenge *challenge,
                                           struct cuzk_c1_claims *claims, struct cuzk_error *err)
{
    static const char *const names[] = {"comm_d_proofs", "comm_r_last_proof", "replica_column_proofs",
                                        "labeling_proofs", "encoding_proof"};
    struct context c = {reader, shape, shape_known, values, 0};
    struct cuzk_json_stream_object object;
    int member = -1;

    CUZK_TRY(cuzk_json_stream_object_begin(reader, names, COUNT(names), 0, &object, err));
    for (;;) {
        CUZK_TRY(cuzk_json_stream_object_next(reader, &object, &member, err));
        if (member < 0)
            break;
        switch (member) {
        case 0:
            IN(names[0], read_data_path(&c, &challenge->data, err));
            break;
        case 1:
            IN(names[1], read_oct_path(&c, &challenge->replica, err));
            break;
        case 2:
            IN(names[2], read_columns(&c, challenge, claims, err));
            break;
        case 3:
            IN(names[3], read_labelings(&c, claims->labeling, err));
            break;
        default:
            IN(names[4], read_labeling(&c, &claims->encoding, err));
        }
    }
    CUZK_TRY(check_layers(&c, c.layers, err)); /* where the shape came last */
    challenge->node = claims->labeling[0].node;
    return CUZK_OK;
}
