/* The PoRep circuits against the reference's: digests, checkpoints, sizes, namespaces, layout, witness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "circuit/digest.h"
#include "circuit/porep.h"
#include "circuit/porep_fixture.h"
#include "circuit/synthesis.h"
#include "support/fixture.h"
#include "support/random.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

static void test_porep__small_circuits_equal(void **state)
{
    static const uint64_t sizes[] = {KIB(2), KIB(4), KIB(16), KIB(32), MIB(8)};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        porep_fixture_compare(sizes[i], 0);
}

static void test_porep__large_circuits_begin_equal(void **state)
{
    static const uint64_t sizes[] = {MIB(512), GIB(32), GIB(64)};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        porep_fixture_compare(sizes[i], 8);
}

static void test_porep__fine_checkpoints_equal(void **state)
{
    enum { EVERY = 512, PREFIX = 8 };
    struct cuzk_porep_shape shape;
    struct cuzk_digest digest;
    struct cuzk_cs cs;
    size_t length;
    uint8_t *expected = fixture_read(&length, "circuits/fine/porep-2KiB.every512.bin");

    (void)state;
    assert_true(cuzk_porep_shape_of(KIB(2), &shape));
    assert_int_equal(cuzk_digest_create(EVERY, &digest, NULL), CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_digest_sink(&digest);
    cuzk_cs_record(&cs, &sink);
    cuzk_porep_synthesise(&cs, &shape, NULL);
    assert_int_equal(cuzk_cs_finish(&cs, NULL), CUZK_OK);
    assert_int_equal(digest.checkpoint_count, length / PREFIX);
    for (size_t i = 0; i < digest.checkpoint_count; i++)
        if (memcmp(digest.checkpoints[i], expected + PREFIX * i, PREFIX) != 0)
            fail_msg("first wrong constraint is in [%zu, %zu)", EVERY * i, EVERY * (i + 1));
    cuzk_cs_destroy(&cs);
    cuzk_digest_destroy(&digest);
    free(expected);
}

/* ---- the namespace tree: every namespace is compared as it is left, by path ---- */

enum { TREE_DEPTH = 4, MAX_NODES = 8192 };

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

static void test_porep__namespace_tree_equals(void **state)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "circuits/tree/porep-2KiB.tsv.zst"), *cursor = text, *line;
    struct tree *tree = calloc(1, sizeof *tree);
    struct cuzk_porep_shape shape;
    struct cuzk_cs cs;

    (void)state;
    assert_true(cuzk_porep_shape_of(KIB(2), &shape));
    cuzk_cs_record(&cs, NULL);
    tree->cs = &cs;
    const struct cuzk_cs_observer observer = {enter, leave, tree};
    cs.observer = &observer;
    cuzk_porep_synthesise(&cs, &shape, NULL);
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

static void test_porep_layout__equals_the_recorded_one(void **state)
{
    struct cuzk_porep_shape shape;
    struct cuzk_porep_plan plan;
    struct cuzk_witness_layout recorded, dry;
    struct cuzk_cs cs;

    (void)state;
    assert_true(cuzk_porep_shape_of(KIB(4), &shape));
    cuzk_cs_record(&cs, NULL);
    cuzk_porep_synthesise(&cs, &shape, NULL);
    assert_int_equal(cuzk_cs_finish(&cs, NULL), CUZK_OK);
    assert_int_equal(cuzk_cs_layout(&cs, &recorded, NULL), CUZK_OK);
    cuzk_cs_destroy(&cs);
    assert_int_equal(cuzk_porep_plan(&shape, &plan, NULL), CUZK_OK);
    assert_int_equal(cuzk_porep_layout(&plan, &dry, NULL), CUZK_OK);
    assert_int_equal(recorded.aux, dry.aux);
    assert_int_equal(recorded.bits, dry.bits);
    assert_int_equal(recorded.inputs, dry.inputs);
    assert_memory_equal(recorded.is_bit, dry.is_bit, ((size_t)dry.aux + 63) / 64 * sizeof *dry.is_bit);
    cuzk_witness_layout_destroy(&recorded);
    cuzk_witness_layout_destroy(&dry);
}

/* ---- witness of values that need not hold: threads and gates must agree on every variable ---- */

enum { CHALLENGES = 2, SIBLINGS = 64 };

struct random_values {
    struct cuzk_porep_assignment assignment;
    struct cuzk_porep_challenge challenges[CHALLENGES];
    struct cuzk_fr elements[SIBLINGS];
    struct cuzk_porep_shape shape;
};

static void draw_path(struct test_random *rng, struct random_values *v, struct cuzk_merkle_path *path)
{
    path->index = test_random_u64(rng);
    path->siblings = v->elements + test_random_below(rng, SIBLINGS / 2);
    path->leaf = v->elements[test_random_below(rng, SIBLINGS)];
}

static void draw(struct test_random *rng, struct random_values *v)
{
    for (size_t i = 0; i < SIBLINGS; i++) {
        uint8_t wide[2 * CUZK_FR_BYTES];
        test_random_bytes(rng, wide, sizeof wide);
        cuzk_fr_from_wide_bytes(wide, &v->elements[i]);
    }
    v->assignment.challenges = v->challenges;
    v->assignment.replica_id = v->elements[0];
    v->assignment.comm_d = v->elements[1];
    v->assignment.comm_r = v->elements[2];
    v->assignment.comm_c = v->elements[3];
    v->assignment.comm_r_last = v->elements[4];
    for (size_t i = 0; i < CHALLENGES; i++) {
        struct cuzk_porep_challenge *c = &v->challenges[i];
        c->node = test_random_u64(rng);
        draw_path(rng, v, &c->data);
        draw_path(rng, v, &c->replica);
        draw_path(rng, v, &c->column.path);
        for (size_t p = 0; p < CUZK_POREP_PARENTS; p++) {
            c->parents[p].labels = v->elements + test_random_below(rng, SIBLINGS / 2);
            draw_path(rng, v, &c->parents[p].path);
        }
    }
}

static void test_porep_witness__threads_and_gates_agree(void **state)
{
    static struct random_values v;
    struct test_random rng;
    struct cuzk_porep_plan plan;
    struct cuzk_witness_layout layout;
    struct cuzk_witness direct, generic;
    struct cuzk_pool *pool;
    struct cuzk_error err;
    struct cuzk_cs cs;

    (void)state;
    test_random_init(&rng);
    draw(&rng, &v);
    assert_true(cuzk_porep_shape_of(KIB(2), &v.shape));
    assert_int_equal(cuzk_porep_plan(&v.shape, &plan, NULL), CUZK_OK);
    assert_int_equal(cuzk_porep_layout(&plan, &layout, NULL), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&layout, &direct, NULL), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&layout, &generic, NULL), CUZK_OK);
    assert_int_equal(cuzk_pool_create(2, &pool, NULL), CUZK_OK);
    assert_int_equal(cuzk_porep_witness(&plan, &v.assignment, pool, &direct, NULL), CUZK_OK);
    cuzk_pool_destroy(pool);
    cuzk_cs_witness(&cs, &generic, (struct cuzk_cs_counts){.inputs = 1});
    cs.generic = true;
    cuzk_porep_synthesise(&cs, &v.shape, &v.assignment);
    assert_int_equal(cuzk_cs_finish(&cs, NULL), CUZK_OK);
    cuzk_cs_destroy(&cs);
    assert_memory_equal(direct.inputs, generic.inputs, layout.inputs * sizeof *direct.inputs);
    assert_memory_equal(direct.bits, generic.bits, ((size_t)layout.bits + 63) / 64 * sizeof *direct.bits);
    assert_memory_equal(direct.wide, generic.wide, (size_t)(layout.aux - layout.bits) * sizeof *direct.wide);

    /* and the first thing that does not hold is named */
    cuzk_cs_check(&cs, &layout, &direct, NULL);
    cuzk_porep_synthesise(&cs, &v.shape, NULL);
    assert_int_equal(cuzk_cs_finish(&cs, &err), CUZK_UNSATISFIED);
    assert_string_equal(err.message,
                        "constraint 570 is not satisfied: enforce comm_r = H(comm_c || comm_r_last)");
    cuzk_cs_destroy(&cs);
    cuzk_witness_destroy(&direct);
    cuzk_witness_destroy(&generic);
    cuzk_witness_layout_destroy(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_porep__small_circuits_equal),
        cmocka_unit_test(test_porep__large_circuits_begin_equal),
        cmocka_unit_test(test_porep__fine_checkpoints_equal),
        cmocka_unit_test(test_porep__namespace_tree_equals),
        cmocka_unit_test(test_porep_layout__equals_the_recorded_one),
        cmocka_unit_test(test_porep_witness__threads_and_gates_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
