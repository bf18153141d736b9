#include "circuit/porep_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"
#include "circuit/digest.h"
#include "circuit/porep.h"
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

static void compare_sizes(struct fixture_json expected, const struct cuzk_porep_shape *shape,
                          const struct cuzk_cs_counts *counts, const struct cuzk_digest *digest)
{
    static const char *const names[3][3] = {
        {"a", "a_inputs", "a_aux"}, {"b", "b_inputs", "b_aux"}, {"c", "c_inputs", "c_aux"}};
    struct cuzk_porep_plan plan;

    assert_int_equal(counts->inputs, number(expected, "inputs"));
    assert_int_equal(counts->aux, number(expected, "aux"));
    assert_int_equal(counts->constraints, number(expected, "constraints"));
    for (int m = 0; m < 3; m++) {
        assert_int_equal(digest->matrix[m].terms, number(fixture_json_get(expected, "nnz"), names[m][0]));
        assert_int_equal(digest->matrix[m].input_density,
                         number(fixture_json_get(expected, "density"), names[m][1]));
        assert_int_equal(digest->matrix[m].aux_density,
                         number(fixture_json_get(expected, "density"), names[m][2]));
    }
    assert_int_equal(cuzk_porep_plan(shape, &plan, NULL), CUZK_OK);
    assert_int_equal(plan.total.inputs, counts->inputs);
    assert_int_equal(plan.total.inputs, cuzk_porep_inputs(shape));
    assert_int_equal(plan.total.aux, counts->aux);
    assert_int_equal(plan.total.bits, counts->bits);
}

static void compare(struct fixture_json expected, size_t checkpoints)
{
    struct fixture_json checkpoint = {0};
    struct cuzk_porep_shape shape;
    struct cuzk_digest digest;
    struct cuzk_error err;
    struct cuzk_cs cs;
    size_t k = 0;

    const uint32_t every = (uint32_t)number(expected, "checkpoint_every");
    assert_true(cuzk_porep_shape_of(number(expected, "sector_size"), &shape));
    assert_int_equal(shape.layers, number(expected, "layers"));
    assert_int_equal(shape.challenges, number(expected, "challenges_per_partition"));
    assert_int_equal(cuzk_digest_create(every, &digest, &err), CUZK_OK);
    struct limit limit = {cuzk_digest_sink(&digest), checkpoints ? checkpoints * every : UINT64_MAX};
    const struct cuzk_constraint_sink sink = {.constraint = pass, .context = &limit};
    cuzk_cs_record(&cs, &sink);
    cuzk_porep_synthesise(&cs, &shape, NULL);
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
        compare_sizes(expected, &shape, &cs.at, &digest);
    }
    cuzk_cs_destroy(&cs);
    cuzk_digest_destroy(&digest);
}

void porep_fixture_compare(uint64_t sector_size, size_t checkpoints)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "circuits/circuits.json");
    const struct fixture_json circuits = fixture_json_get(fixture_json_parse(text), "circuits");
    struct fixture_json circuit = {0};
    int found = 0;

    while (!found && fixture_json_next(circuits, &circuit)) {
        char *kind = fixture_json_string(fixture_json_get(circuit, "kind"));
        found = strcmp(kind, "porep") == 0 && number(circuit, "sector_size") == sector_size;
        free(kind);
    }
    assert_true(found);
    compare(circuit, checkpoints);
    free(text);
}
