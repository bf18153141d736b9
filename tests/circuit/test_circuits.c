/* The circuits of 2 KiB against the reference's: fine checkpoints, namespaces, layout, witness. Other sizes
 * are test_circuits_sizes.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "circuit/circuit_fixture.h"
#include "circuit/synthesis.h"
#include "support/random.h"

#define KIB(n) ((uint64_t)(n) << 10)

static void test_porep__fine_checkpoints_equal(void **state)
{
    (void)state;
    circuit_fixture_compare_fine(CUZK_CIRCUIT_POREP, 512);
}

static void test_porep__namespace_tree_equals(void **state)
{
    (void)state;
    circuit_fixture_compare_tree(CUZK_CIRCUIT_POREP);
}

static void test_post__fine_checkpoints_equal(void **state)
{
    (void)state;
    circuit_fixture_compare_fine(CUZK_CIRCUIT_WINNING, 64);
    circuit_fixture_compare_fine(CUZK_CIRCUIT_WPOST, 64);
}

static void test_post__namespace_tree_equals(void **state)
{
    (void)state;
    circuit_fixture_compare_tree(CUZK_CIRCUIT_WINNING);
    circuit_fixture_compare_tree(CUZK_CIRCUIT_WPOST);
}

static void test_snap__fine_checkpoints_equal(void **state)
{
    (void)state;
    circuit_fixture_compare_fine(CUZK_CIRCUIT_SNAP, 512);
    circuit_fixture_compare_fine(CUZK_CIRCUIT_SNAPP, 64);
}

static void test_snap__namespace_tree_equals(void **state)
{
    (void)state;
    circuit_fixture_compare_tree(CUZK_CIRCUIT_SNAP);
    circuit_fixture_compare_tree(CUZK_CIRCUIT_SNAPP);
}

static void test_layout__equals_the_recorded_one(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < CUZK_CIRCUIT_KINDS; kind++) {
        struct cuzk_witness_layout recorded, dry;
        struct cuzk_circuit circuit;
        struct cuzk_cs cs;

        circuit_fixture_open((enum cuzk_circuit_kind)kind, KIB(4), &circuit);
        cuzk_cs_record(&cs, NULL);
        cuzk_circuit_synthesise(&circuit, &cs, NULL);
        assert_int_equal(cuzk_cs_finish(&cs, NULL), CUZK_OK);
        assert_int_equal(cuzk_cs_layout(&cs, &recorded, NULL), CUZK_OK);
        cuzk_cs_destroy(&cs);
        assert_int_equal(cuzk_circuit_layout(&circuit, &dry, NULL), CUZK_OK);
        assert_int_equal(recorded.aux, dry.aux);
        assert_int_equal(recorded.bits, dry.bits);
        assert_int_equal(recorded.inputs, dry.inputs);
        assert_memory_equal(recorded.is_bit, dry.is_bit, ((size_t)dry.aux + 63) / 64 * sizeof *dry.is_bit);
        cuzk_witness_layout_destroy(&recorded);
        cuzk_witness_layout_destroy(&dry);
    }
}

/* ---- witness of values that need not hold: threads and gates must agree on every variable ---- */

enum { CHALLENGES = 2, SIBLINGS = 64 };

struct random_values {
    struct cuzk_porep_assignment assignment;
    struct cuzk_porep_challenge challenges[CHALLENGES];
    struct cuzk_fr elements[SIBLINGS];
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
    struct cuzk_circuit circuit;
    struct cuzk_witness_layout layout;
    struct cuzk_witness direct, generic;
    struct cuzk_pool *pool;
    struct cuzk_error err;
    struct cuzk_cs cs;

    (void)state;
    test_random_init(&rng);
    draw(&rng, &v);
    circuit_fixture_open(CUZK_CIRCUIT_POREP, KIB(2), &circuit);
    assert_int_equal(cuzk_circuit_layout(&circuit, &layout, NULL), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&layout, &direct, NULL), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&layout, &generic, NULL), CUZK_OK);
    assert_int_equal(cuzk_pool_create(2, &pool, NULL), CUZK_OK);
    assert_int_equal(cuzk_circuit_witness(&circuit, &v.assignment, pool, NULL, &direct, NULL), CUZK_OK);
    cuzk_pool_destroy(pool);
    cuzk_cs_witness(&cs, &generic, (struct cuzk_cs_counts){.inputs = 1});
    cs.generic = true;
    cuzk_circuit_synthesise(&circuit, &cs, &v.assignment);
    assert_int_equal(cuzk_cs_finish(&cs, NULL), CUZK_OK);
    cuzk_cs_destroy(&cs);
    assert_memory_equal(direct.inputs, generic.inputs, layout.inputs * sizeof *direct.inputs);
    assert_memory_equal(direct.bits, generic.bits, ((size_t)layout.bits + 63) / 64 * sizeof *direct.bits);
    assert_memory_equal(direct.wide, generic.wide, (size_t)(layout.aux - layout.bits) * sizeof *direct.wide);

    /* and the first thing that does not hold is named */
    assert_int_equal(cuzk_circuit_check(&circuit, &layout, &direct, NULL, &err), CUZK_UNSATISFIED);
    assert_string_equal(err.message,
                        "constraint 570 is not satisfied: enforce comm_r = H(comm_c || comm_r_last)");
    cuzk_witness_destroy(&direct);
    cuzk_witness_destroy(&generic);
    cuzk_witness_layout_destroy(&layout);
}

/* ---- witnesses that are to end early ---- */

struct wish {
    atomic_uint asked;
    unsigned granted; /* how often it may go on */
};

static bool is_over(void *context)
{
    struct wish *wish = context;

    return atomic_fetch_add(&wish->asked, 1) >= wish->granted;
}

/* Ends at the first ask that says so; each part may still ask once. */
static void expect_end(const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                       const struct cuzk_witness *witness, unsigned granted)
{
    struct wish wish = {.granted = granted};
    const struct cuzk_progress progress = {.cancelled = is_over, .context = &wish};
    struct cuzk_error err;

    assert_int_equal(cuzk_circuit_witness(circuit, NULL, pool, &progress, witness, &err), CUZK_CANCELLED);
    assert_in_range(atomic_load(&wish.asked), granted + 1, granted + 1 + circuit->parts);
}

static void test_witness__ends_when_it_is_not_wanted(void **state)
{
    struct cuzk_pool *pool;

    (void)state;
    assert_int_equal(cuzk_pool_create(2, &pool, NULL), CUZK_OK);
    for (unsigned kind = 0; kind < CUZK_CIRCUIT_KINDS; kind++) {
        struct wish never = {.granted = UINT_MAX};
        const struct cuzk_progress progress = {.cancelled = is_over, .context = &never};
        struct cuzk_witness_layout layout;
        struct cuzk_circuit circuit;
        struct cuzk_witness witness;

        circuit_fixture_open((enum cuzk_circuit_kind)kind, KIB(2), &circuit);
        assert_int_equal(cuzk_circuit_layout(&circuit, &layout, NULL), CUZK_OK);
        assert_int_equal(cuzk_witness_create(&layout, &witness, NULL), CUZK_OK);
        assert_int_equal(cuzk_circuit_witness(&circuit, NULL, pool, &progress, &witness, NULL), CUZK_OK);
        const unsigned asks = atomic_load(&never.asked);

        assert_true(asks > 1);
        for (unsigned k = 0; k < 2; k++) {
            expect_end(&circuit, k == 0 ? NULL : pool, &witness, 0);
            expect_end(&circuit, k == 0 ? NULL : pool, &witness, asks / 2);
            expect_end(&circuit, k == 0 ? NULL : pool, &witness, asks - 1);
        }
        cuzk_witness_destroy(&witness);
        cuzk_witness_layout_destroy(&layout);
    }
    cuzk_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_porep__fine_checkpoints_equal),
        cmocka_unit_test(test_porep__namespace_tree_equals),
        cmocka_unit_test(test_post__fine_checkpoints_equal),
        cmocka_unit_test(test_post__namespace_tree_equals),
        cmocka_unit_test(test_snap__fine_checkpoints_equal),
        cmocka_unit_test(test_snap__namespace_tree_equals),
        cmocka_unit_test(test_layout__equals_the_recorded_one),
        cmocka_unit_test(test_porep_witness__threads_and_gates_agree),
        cmocka_unit_test(test_witness__ends_when_it_is_not_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
