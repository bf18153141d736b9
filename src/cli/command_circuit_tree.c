#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/circuit_record.h"
#include "cli/command.h"

struct tree_options {
    struct cli_common common;
    struct cuzk_option_number depth;
};

enum { DEFAULT_DEPTH = 2, PATH_ROOM = 1024 };

struct node {
    char path[PATH_ROOM];
    struct cuzk_cs_counts begin, end;
    unsigned depth;
};

/* Nodes in the order they were entered; `open` leads from the innermost entered to the outermost. */
struct tree {
    struct node *nodes;
    size_t count, room;
    size_t open[CUZK_CS_DEPTH];
    unsigned depth, limit;
    enum cuzk_status status;
    struct cuzk_error *err;
};

static bool make_room(struct tree *tree)
{
    if (tree->status == CUZK_OK)
        tree->status =
            CUZK_GROW(&tree->nodes, tree->count + 1, tree->count, &tree->room, "namespace tree", tree->err);
    return tree->status == CUZK_OK;
}

static void enter(void *context, const struct cuzk_cs_name *name, const struct cuzk_cs_counts *at)
{
    struct tree *tree = context;
    char text[128];

    if (tree->depth < tree->limit && make_room(tree)) {
        struct node *node = &tree->nodes[tree->count];

        cuzk_cs_name_print(name, text, sizeof text);
        memset(node, 0, sizeof *node);
        if (tree->depth > 0)
            snprintf(node->path, sizeof node->path, "%.800s/%s",
                     tree->nodes[tree->open[tree->depth - 1]].path, text);
        else
            snprintf(node->path, sizeof node->path, "%s", text);
        node->begin = *at;
        node->depth = tree->depth;
        tree->open[tree->depth] = tree->count++;
    }
    tree->depth++;
}

static void leave(void *context, const struct cuzk_cs_counts *at)
{
    struct tree *tree = context;

    tree->depth--;
    if (tree->depth < tree->limit && tree->status == CUZK_OK)
        tree->nodes[tree->open[tree->depth]].end = *at;
}

static void print_json(struct cuzk_json_writer *json, const char *circuit, const struct tree *tree)
{
    static const char *const columns[] = {"constraints_start", "constraints_end", "aux_start",
                                          "aux_end",           "inputs_start",    "inputs_end"};

    cuzk_json_write_member_string(json, "circuit", circuit);
    cuzk_json_write_key(json, "namespaces");
    cuzk_json_write_array_begin(json);
    for (size_t i = 0; i < tree->count; i++) {
        const struct node *node = &tree->nodes[i];
        const uint32_t numbers[] = {node->begin.constraints, node->end.constraints, node->begin.aux,
                                    node->end.aux,           node->begin.inputs,    node->end.inputs};

        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "path", node->path);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
            cuzk_json_write_member_u64(json, columns[k], numbers[k]);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct tree_options *given = values;
    struct tree tree = {.limit = given->depth.set ? (unsigned)given->depth.value : DEFAULT_DEPTH, .err = err};
    const struct cuzk_cs_observer observer = {enter, leave, &tree};
    struct cuzk_cs_counts counts;
    struct cuzk_circuit_id id;
    enum cuzk_status status;

    (void)count;
    CUZK_TRY(cuzk_circuit_id_parse(arguments[0], &id, err));
    CUZK_TRY_OUT(cli_circuit_record(session, &id, NULL, &observer, &counts, err));
    CUZK_TRY_OUT(tree.status);
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL)
        print_json(json, arguments[0], &tree);
    for (size_t i = 0; json == NULL && i < tree.count; i++) {
        const struct node *node = &tree.nodes[i];

        cli_session_say(session, "%*s%-*s %10" PRIu32 " constraints from %10" PRIu32 ", %10" PRIu32 " aux",
                        2 * (int)node->depth, "", 44 - 2 * (int)node->depth,
                        node->depth > 0 ? strrchr(node->path, '/') + 1 : node->path,
                        node->end.constraints - node->begin.constraints, node->begin.constraints,
                        node->end.aux - node->begin.aux);
    }
    status = cli_session_answer_end(session, err);
out:
    cuzk_mem_free(tree.nodes);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "depth",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct tree_options, depth),
     .placeholder = "N",
     .min = 1,
     .max = 8,
     .help = "levels of namespaces to show (2 where not given)"},
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_circuit_tree = {
    .name = "circuit tree",
    .arguments = "CIRCUIT",
    .summary = "the namespaces of a circuit with the constraints and variables in each",
    .text = "Records a circuit and shows what it is built of. Ranges in the JSON are half open.",
    .example = "cuzk circuit tree porep-2k --depth 3",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct tree_options),
    .least = 1,
    .most = 1,
    .run = run,
};
