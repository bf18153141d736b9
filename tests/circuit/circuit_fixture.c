#include "circuit/circuit_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"
#include "circuit/digest.h"
#include "circuit/record.h"
#include "support/fixture.h"

/* Stands before the digest: ends the recording after so many constraints. */
struct limit {
    struct cuzk_constraint_sink next;
    uint64_t left;
};

static enum cuzk_status pass(void *context, struct cuzk_combination a, struct cuzk_combination b,
                             struct cuzk_combination c, struct cuzk_error *err)
{
    struct limit *limit = context;

    if (limit->left-- == 0)
        return cuzk_error_set(err, CUZK_CANCELLED, "enough");
    return limit->next.constraint(limit->next.context, a, b, c, err);
}

/* As fixtures/circuits calls the kinds. */
static const char *const names[CUZK_CIRCUIT_KINDS] = {
    [CUZK_CIRCUIT_POREP] = "porep", [CUZK_CIRCUIT_WINNING] = "winning",       [CUZK_CIRCUIT_WPOST] = "window",
    [CUZK_CIRCUIT_SNAP] = "update", [CUZK_CIRCUIT_SNAPP] = "update-poseidon",
};

static void must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK)
        fail_msg("%s", err->message);
}

static uint64_t number(struct fixture_json object, const char *name)
{
    return fixture_json_u64(fixture_json_get(object, name));
}

static void compare_hex(const char *what, size_t index, struct fixture_json expected, const uint8_t found[32])
{
    char *text = fixture_json_string(expected), hex[65];

    cuzk_hex_encode(found, 32, hex);
    if (strcmp(text, hex) != 0)
        fail_msg("%s %zu is %s, expected %s", what, index, hex, text);
    free(text);
}

static void compare_sizes(struct fixture_json expected, const struct cuzk_circuit *circuit,
                          const struct cuzk_cs_counts *counts, const struct cuzk_digest *digest)
{
    static const char *const columns[3][3] = {
        {"a", "a_inputs", "a_aux"}, {"b", "b_inputs", "b_aux"}, {"c", "c_inputs", "c_aux"}};

    assert_int_equal(counts->inputs, number(expected, "inputs"));
    assert_int_equal(counts->aux, number(expected, "aux"));
    assert_int_equal(counts->constraints, number(expected, "constraints"));
    for (int m = 0; m < 3; m++) {
        assert_int_equal(digest->matrix[m].terms, number(fixture_json_get(expected, "nnz"), columns[m][0]));
        assert_int_equal(digest->matrix[m].input_density,
                         number(fixture_json_get(expected, "density"), columns[m][1]));
        assert_int_equal(digest->matrix[m].aux_density,
                         number(fixture_json_get(expected, "density"), columns[m][2]));
    }
    assert_int_equal(circuit->total.inputs, counts->inputs);
    assert_int_equal(circuit->total.aux, counts->aux);
    assert_int_equal(circuit->total.bits, counts->bits);
}

static void compare(struct fixture_json expected, enum cuzk_circuit_kind kind, size_t checkpoints)
{
    const uint32_t every = (uint32_t)number(expected, "checkpoint_every");
    const struct cuzk_circuit_id id = {kind, number(expected, "sector_size")};
    struct fixture_json checkpoint = {0};
    struct cuzk_circuit circuit;
    struct cuzk_digest digest;
    struct cuzk_error err;
    struct cuzk_cs cs;
    size_t k = 0;

    must(cuzk_circuit_open(&id, &circuit, &err), &err);
    must(cuzk_digest_create(every, &digest, &err), &err);
    struct limit limit = {cuzk_digest_sink(&digest), checkpoints ? checkpoints * every : UINT64_MAX};
    const struct cuzk_constraint_sink sink = {.constraint = pass, .context = &limit};
    cuzk_cs_record(&cs, &sink);
    cuzk_circuit_synthesise(&circuit, &cs, NULL);
    assert_int_equal(cuzk_cs_finish(&cs, &err), checkpoints ? CUZK_CANCELLED : CUZK_OK);
    cuzk_digest_finish(&digest);
    while (fixture_json_next(fixture_json_get(expected, "checkpoints"), &checkpoint) &&
           k < digest.checkpoint_count) {
        compare_hex("checkpoint", k + 1, checkpoint, digest.checkpoints[k]);
        k++;
    }
    assert_int_equal(k, checkpoints ? checkpoints
                                    : fixture_json_count(fixture_json_get(expected, "checkpoints")));
    if (!checkpoints) {
        compare_hex("digest of constraints", cs.at.constraints, fixture_json_get(expected, "sha256"),
                    digest.sha256);
        compare_sizes(expected, &circuit, &cs.at, &digest);
    }
    cuzk_cs_destroy(&cs);
    cuzk_digest_destroy(&digest);
}

static void compare_density(const struct cuzk_r1cs *r1cs, const struct cuzk_digest *digest, int matrix)
{
    struct cuzk_density density;

    assert_int_equal(cuzk_r1cs_density(r1cs, matrix, &density, NULL), CUZK_OK);
    for (uint32_t w = 0; w < (r1cs->inputs + 63) / 64; w++)
        assert_int_equal(density.inputs[w],
                         w < digest->matrix[matrix].input_words ? digest->matrix[matrix].inputs[w] : 0);
    for (uint32_t w = 0; w < (r1cs->aux + 63) / 64; w++)
        assert_int_equal(density.aux[w],
                         w < digest->matrix[matrix].aux_words ? digest->matrix[matrix].aux[w] : 0);
    assert_int_equal(density.aux_count, digest->matrix[matrix].aux_density);
    assert_int_equal(density.input_count, digest->matrix[matrix].input_density);
    assert_int_equal(cuzk_r1cs_terms(r1cs, matrix), digest->matrix[matrix].terms);
    cuzk_density_destroy(&density);
}

static void compare_compact(struct fixture_json expected, enum cuzk_circuit_kind kind)
{
    const struct cuzk_circuit_id id = {kind, number(expected, "sector_size")};
    struct cuzk_witness_layout layout;
    struct cuzk_circuit circuit;
    struct cuzk_digest digest;
    struct cuzk_r1cs *r1cs;
    struct cuzk_error err;

    must(cuzk_circuit_open(&id, &circuit, &err), &err);
    must(cuzk_circuit_record(&circuit, NULL, NULL, &r1cs, &layout, &err), &err);
    assert_int_equal(r1cs->parts, circuit.parts);
    assert_true(r1cs->stored <= r1cs->constraints);
    must(cuzk_digest_create(0, &digest, &err), &err);
    const struct cuzk_constraint_sink sink = cuzk_digest_sink(&digest);
    must(cuzk_r1cs_replay(r1cs, &sink, &err), &err);
    cuzk_digest_finish(&digest);
    compare_hex("digest of constraints", r1cs->constraints, fixture_json_get(expected, "sha256"),
                digest.sha256);
    const struct cuzk_cs_counts counts = {
        .inputs = r1cs->inputs, .aux = r1cs->aux, .bits = layout.bits, .constraints = r1cs->constraints};
    compare_sizes(expected, &circuit, &counts, &digest);
    for (int m = 0; m < CUZK_MATRICES; m++)
        compare_density(r1cs, &digest, m);
    cuzk_digest_destroy(&digest);
    cuzk_witness_layout_destroy(&layout);
    cuzk_r1cs_destroy(r1cs);
}

enum { COMPACT = -1 };

/* checkpoints: as circuit_fixture_compare, or COMPACT */
static void find_and_compare(enum cuzk_circuit_kind kind, uint64_t sector_size, long checkpoints)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "circuits/circuits.json");
    const struct fixture_json circuits = fixture_json_get(fixture_json_parse(text), "circuits");
    struct fixture_json circuit = {0};
    int found = 0;

    while (!found && fixture_json_next(circuits, &circuit)) {
        char *name = fixture_json_string(fixture_json_get(circuit, "kind"));
        found = strcmp(name, names[kind]) == 0 && number(circuit, "sector_size") == sector_size;
        free(name);
    }
    assert_true(found);
    if (checkpoints == COMPACT)
        compare_compact(circuit, kind);
    else
        compare(circuit, kind, (size_t)checkpoints);
    free(text);
}

void circuit_fixture_compare(enum cuzk_circuit_kind kind, uint64_t sector_size, size_t checkpoints)
{
    find_and_compare(kind, sector_size, (long)checkpoints);
}

void circuit_fixture_compare_compact(enum cuzk_circuit_kind kind, uint64_t sector_size)
{
    find_and_compare(kind, sector_size, COMPACT);
}

void circuit_fixture_open(enum cuzk_circuit_kind kind, uint64_t sector_size, struct cuzk_circuit *out)
{
    const struct cuzk_circuit_id id = {kind, sector_size};
    struct cuzk_error err;

    must(cuzk_circuit_open(&id, out, &err), &err);
}

void circuit_fixture_compare_fine(enum cuzk_circuit_kind kind, unsigned every)
{
    enum { PREFIX = 8 };
    struct cuzk_circuit circuit;
    struct cuzk_digest digest;
    struct cuzk_cs cs;
    size_t length;
    uint8_t *expected = fixture_read(&length, "circuits/fine/%s-2KiB.every%u.bin", names[kind], every);

    circuit_fixture_open(kind, 2048, &circuit);
    assert_int_equal(cuzk_digest_create(every, &digest, NULL), CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_digest_sink(&digest);
    cuzk_cs_record(&cs, &sink);
    cuzk_circuit_synthesise(&circuit, &cs, NULL);
    assert_int_equal(cuzk_cs_finish(&cs, NULL), CUZK_OK);
    assert_int_equal(digest.checkpoint_count, length / PREFIX);
    for (size_t i = 0; i < digest.checkpoint_count; i++)
        if (memcmp(digest.checkpoints[i], expected + PREFIX * i, PREFIX) != 0)
            fail_msg("%s: first wrong constraint is in [%zu, %zu)", names[kind], every * i, every * (i + 1));
    cuzk_cs_destroy(&cs);
    cuzk_digest_destroy(&digest);
    free(expected);
}

/* ---- the namespace tree: every namespace is compared as it is left, by path ---- */

enum { TREE_DEPTH = 4, MAX_NODES = 65536 };

struct tree {
    struct {
        char path[CUZK_CS_PATH];
        struct cuzk_cs_counts start, end;
    } nodes[MAX_NODES];
    size_t count, open[CUZK_CS_DEPTH];
    unsigned depth;
    const struct cuzk_cs *cs;
};

static void enter(void *context, const struct cuzk_cs_name *name, const struct cuzk_cs_counts *at)
{
    struct tree *tree = context;

    (void)name;
    if (tree->depth++ >= TREE_DEPTH)
        return;
    assert_true(tree->count < MAX_NODES);
    cuzk_cs_path_print(tree->cs, tree->nodes[tree->count].path);
    tree->nodes[tree->count].start = *at;
    tree->open[tree->depth - 1] = tree->count++;
}

static void leave(void *context, const struct cuzk_cs_counts *at)
{
    struct tree *tree = context;

    if (--tree->depth < TREE_DEPTH)
        tree->nodes[tree->open[tree->depth]].end = *at;
}

void circuit_fixture_compare_tree(enum cuzk_circuit_kind kind)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "circuits/tree/%s-2KiB.tsv.zst", names[kind]), *cursor = text,
         *line;
    struct tree *tree = calloc(1, sizeof *tree);
    struct cuzk_circuit circuit;
    struct cuzk_cs cs;

    circuit_fixture_open(kind, 2048, &circuit);
    cuzk_cs_record(&cs, NULL);
    tree->cs = &cs;
    const struct cuzk_cs_observer observer = {enter, leave, tree};
    cs.observer = &observer;
    cuzk_circuit_synthesise(&circuit, &cs, NULL);
    assert_int_equal(cuzk_cs_finish(&cs, NULL), CUZK_OK);
    cuzk_cs_destroy(&cs);
    (void)fixture_line(&cursor); /* the header */
    size_t i = 0;
    for (; (line = fixture_line(&cursor)) != NULL; i++) {
        char found[CUZK_CS_PATH + 128];
        assert_true(i < tree->count);
        const struct cuzk_cs_counts *a = &tree->nodes[i].start, *b = &tree->nodes[i].end;
        snprintf(found, sizeof found, "%s\t%u\t%u\t%u\t%u\t%u\t%u", tree->nodes[i].path, a->constraints,
                 b->constraints, a->aux, b->aux, a->inputs, b->inputs);
        assert_string_equal(found, line);
    }
    assert_int_equal(i, tree->count);
    free(tree);
    free(text);
}
