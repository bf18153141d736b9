/* Every gadget against the recorded one: constraints, witness, public inputs, densities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"
#include "circuit/label.h"
#include "circuit/num.h"
#include "circuit/packing.h"
#include "circuit/path.h"
#include "circuit/poseidon.h"
#include "circuit/select.h"
#include "circuit/sha256.h"
#include "circuit/synthesis.h"
#include "support/fixture.h"

enum { MAX_GIVEN = 256, MAX_BITS = 1024 };

/* What the fixture gives: field elements in order, bits, a number. */
struct given {
    char name[64];
    struct cuzk_fr elements[MAX_GIVEN];
    size_t element_count;
    char bits[MAX_BITS + 1];
    uint64_t number;
    struct cuzk_num result[8]; /* left by the builder */
    unsigned result_count;
};

static void given_read(struct fixture_json gadget, struct given *out)
{
    struct fixture_json pair = {0};
    char *name = fixture_json_string(fixture_json_get(gadget, "name"));

    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "%s", name);
    free(name);
    while (fixture_json_next(fixture_json_get(gadget, "given"), &pair)) {
        char *what = fixture_json_string(fixture_json_at(pair, 0));
        const struct fixture_json value = fixture_json_at(pair, 1);
        uint8_t bytes[CUZK_FR_BYTES];
        if (*value.text != '"') {
            out->number = fixture_json_u64(value);
        } else if (strstr(what, "bits") || strcmp(what, "cond") == 0) {
            char *bits = fixture_json_string(value);
            snprintf(out->bits, sizeof out->bits, "%s", bits);
            free(bits);
        } else if (!strstr(what, "(constant)")) {
            fixture_json_hex(value, bytes, sizeof bytes);
            assert_true(cuzk_fr_from_bytes(bytes, &out->elements[out->element_count++]));
        }
        free(what);
    }
}

static void result(struct given *given, const struct cuzk_num *num)
{
    given->result[given->result_count++] = *num;
}

static void alloc_elements(struct cuzk_cs *cs, const struct given *given, struct cuzk_num *out)
{
    for (size_t i = 0; i < given->element_count; i++)
        out[i] = cuzk_num_alloc(cs, &given->elements[i]);
}

static size_t alloc_bits(struct cuzk_cs *cs, const struct given *given, struct cuzk_boolean *out)
{
    const size_t n = strlen(given->bits);

    for (size_t i = 0; i < n; i++)
        out[i] = cuzk_boolean_alloc(cs, given->bits[i] == '1');
    return n;
}

static void build_poseidon(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    struct cuzk_num preimage[MAX_GIVEN];

    given->result_count = 0;
    alloc_elements(cs, given, preimage);
    const struct cuzk_num digest = cuzk_poseidon_gadget(
        cs, (unsigned)given->element_count,
        strstr(given->name, "randomness") ? CUZK_POSEIDON_RANDOMNESS : CUZK_POSEIDON_MERKLE, preimage);
    result(given, &digest);
}

static void build_bit(struct cuzk_cs *cs, void *context)
{
    struct cuzk_boolean bits[MAX_BITS];

    (void)alloc_bits(cs, context, bits);
}

static void build_inputize(struct cuzk_cs *cs, void *context)
{
    struct cuzk_num num;

    alloc_elements(cs, context, &num);
    cuzk_num_inputize(cs, &num);
}

static void build_num_to_bits(struct cuzk_cs *cs, void *context)
{
    struct cuzk_num num;
    struct cuzk_boolean bits[CUZK_FR_BITS];

    alloc_elements(cs, context, &num);
    cuzk_num_to_bits(cs, &num, bits);
}

static void build_pack(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    struct cuzk_boolean bits[MAX_BITS];
    size_t n = strlen(given->bits);

    given->result_count = 0;
    if (strcmp(given->name, "pack_bits_consts") == 0) {
        for (size_t i = 0; i < n; i++) {
            const bool value = given->bits[i] == '1';
            bits[i] = i == 1 || i == 4 ? cuzk_boolean_constant(value) : cuzk_boolean_alloc(cs, value);
        }
    } else {
        n = alloc_bits(cs, given, bits);
    }
    const struct cuzk_num packed = cuzk_packing_to_num(cs, bits, n);
    result(given, &packed);
}

static void build_pack_inputs(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    struct cuzk_boolean bits[MAX_BITS];
    size_t n = 64;

    if (*given->bits)
        n = alloc_bits(cs, given, bits);
    else
        cuzk_boolean_alloc_many(cs, given->number, 64, bits);
    cuzk_packing_to_inputs(cs, "packing constraint", bits, n);
}

static void build_encode(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    struct cuzk_num pair[2];

    given->result_count = 0;
    alloc_elements(cs, given, pair);
    const struct cuzk_num out = strcmp(given->name, "encode") == 0
                                    ? cuzk_num_add(cs, "add_num", &pair[0], &pair[1])
                                    : cuzk_num_sub(cs, "sub_num", &pair[1], &pair[0]);
    result(given, &out);
}

static void build_pick(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    struct cuzk_boolean condition;
    struct cuzk_num pair[2];

    given->result_count = 0;
    (void)alloc_bits(cs, given, &condition);
    alloc_elements(cs, given, pair);
    const struct cuzk_num out = cuzk_select_pick(cs, condition, &pair[0], &pair[1]);
    result(given, &out);
}

static void build_insert(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    const unsigned arity = (unsigned)given->element_count;
    struct cuzk_boolean bits[3];
    struct cuzk_num siblings[8], out[8];

    given->result_count = 0;
    const struct cuzk_num element = cuzk_num_alloc(cs, &given->elements[0]);
    cuzk_boolean_alloc_many(cs, given->number, (unsigned)__builtin_ctz(arity), bits);
    for (unsigned i = 0; i + 1 < arity; i++)
        siblings[i] = cuzk_num_alloc(cs, &given->elements[i + 1]);
    cuzk_select_insert(cs, arity, &element, bits, siblings, out);
    for (unsigned i = 0; i < arity; i++)
        result(given, &out[i]);
}

static void build_select(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    const unsigned bits = (unsigned)__builtin_ctzll(given->element_count);
    struct cuzk_boolean index[8];
    struct cuzk_num elements[MAX_GIVEN];

    given->result_count = 0;
    alloc_elements(cs, given, elements);
    cuzk_boolean_alloc_many(cs, given->number, bits, index);
    const struct cuzk_num out = cuzk_select_element(cs, elements, index, bits);
    result(given, &out);
}

static const struct cuzk_sha256_node_names node_names = {"left", "right", "hash", "pack"};

static void build_node(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    struct cuzk_num pair[2];

    given->result_count = 0;
    alloc_elements(cs, given, pair);
    const struct cuzk_num node = cuzk_sha256_node_gadget(cs, &node_names, &pair[0], &pair[1]);
    result(given, &node);
}

static void build_sha256(struct cuzk_cs *cs, void *context)
{
    struct cuzk_boolean bits[MAX_BITS], digest[CUZK_SHA256_GADGET_BITS];
    const size_t n = alloc_bits(cs, context, bits);

    cuzk_sha256_gadget(cs, bits, n, digest);
}

/* The root is given last, the leaf first, the siblings between them. */
static void build_path(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    const bool sha256 = strstr(given->name, "sha") != NULL;
    struct cuzk_path_tree tree = {.hash = sha256 ? CUZK_PATH_SHA256 : CUZK_PATH_POSEIDON,
                                  .base_arity = sha256 ? 2 : 8};
    struct cuzk_merkle_path path = {.siblings = &given->elements[1], .index = given->number};

    if (sha256)
        tree.shape.base_levels = (uint8_t)(given->element_count - 2);
    else
        tree.shape.base_levels = 2;
    if (strstr(given->name, "16KiB") || strstr(given->name, "32KiB"))
        tree.shape.sub_arity = 8;
    if (strstr(given->name, "32KiB"))
        tree.shape.top_arity = 2;
    if (strstr(given->name, "4KiB"))
        tree.shape.sub_arity = 2;
    const struct cuzk_num root = cuzk_num_alloc(cs, &given->elements[given->element_count - 1]);
    const struct cuzk_num leaf = cuzk_num_alloc(cs, &given->elements[0]);
    cuzk_path_enforce(cs, &tree, &root, &leaf, &path);
}

/* Leaf, siblings, root; the index bits are allocated before the siblings. */
static void build_given_path(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    const bool sha256 = strstr(given->name, "sha") != NULL;
    struct cuzk_path_tree tree = {.hash = sha256 ? CUZK_PATH_SHA256 : CUZK_PATH_POSEIDON,
                                  .base_arity = sha256 ? 2 : 8};
    struct cuzk_boolean bits[64];
    struct cuzk_num siblings[64];
    unsigned count = 0;

    tree.shape.base_levels = sha256 ? (uint8_t)(given->element_count - 2) : 2;
    if (strstr(given->name, "32KiB")) {
        tree.shape.sub_arity = 8;
        tree.shape.top_arity = 2;
    }
    for (unsigned level = 0; level < cuzk_tree_levels(tree.shape); level++)
        count += sha256 ? 1 : (unsigned)__builtin_ctz(cuzk_tree_arity(tree.shape, level));
    const struct cuzk_num root = cuzk_num_alloc(cs, &given->elements[given->element_count - 1]);
    const struct cuzk_num leaf = cuzk_num_alloc(cs, &given->elements[0]);
    cuzk_boolean_alloc_many(cs, given->number, count, bits);
    for (size_t i = 0; i + 2 < given->element_count; i++)
        siblings[i] = cuzk_num_alloc(cs, &given->elements[i + 1]);
    cuzk_path_enforce_given(cs, &tree, &root, &leaf, bits, siblings);
}

static void build_bound_bits(struct cuzk_cs *cs, void *context)
{
    struct cuzk_num num;
    struct cuzk_boolean bits[CUZK_FR_BITS];

    alloc_elements(cs, context, &num);
    cuzk_num_alloc_bits(cs, &num, bits);
    cuzk_packing_enforce(cs, "bits", bits, CUZK_FR_BITS, num.variable);
}

static void build_label(struct cuzk_cs *cs, void *context)
{
    struct given *given = context;
    const unsigned parents = (unsigned)given->element_count - 1;
    struct cuzk_boolean replica_id[CUZK_FR_BITS], challenge[64], bits[14][CUZK_FR_BITS];
    struct cuzk_num nums[14];

    given->result_count = 0;
    const struct cuzk_num id = cuzk_num_alloc(cs, &given->elements[0]);
    cuzk_num_to_bits(cs, &id, replica_id);
    cuzk_boolean_alloc_many(cs, given->number, 64, challenge);
    for (unsigned i = 0; i < parents; i++)
        nums[i] = cuzk_num_alloc(cs, &given->elements[i + 1]);
    for (unsigned i = 0; i < parents; i++)
        cuzk_num_to_bits(cs, &nums[i], bits[i]);
    const struct cuzk_num label =
        cuzk_label_gadget(cs, replica_id, (const struct cuzk_boolean(*)[CUZK_FR_BITS])bits, parents,
                          parents == 6 ? 1 : 2, challenge);
    result(given, &label);
}

/* Longest names first where one begins with another. */
static const struct {
    const char *prefix;
    synthesis_fn *build;
} builders[] = {
    {"poseidon_", build_poseidon},
    {"bit", build_bit},
    {"inputize", build_inputize},
    {"num_to_bits_strict", NULL}, /* never used by a circuit */
    {"num_to_bits", build_num_to_bits},
    {"pack_into_inputs", build_pack_inputs},
    {"uint64_alloc_pack_input", build_pack_inputs},
    {"pack_bits", build_pack},
    {"encode", build_encode},
    {"decode", build_encode},
    {"pick", build_pick},
    {"insert_", build_insert},
    {"select_", build_select},
    {"sha256_tree_node", build_node},
    {"sha256_hash2", build_node},
    {"sha256_", build_sha256},
    {"por_", build_path},
    {"porn_", build_given_path},
    {"upd_num_to_bits", build_bound_bits},
    {"create_label_", build_label},
};

static synthesis_fn *builder_of(const char *name)
{
    for (size_t i = 0; i < sizeof builders / sizeof builders[0]; i++)
        if (strncmp(name, builders[i].prefix, strlen(builders[i].prefix)) == 0)
            return builders[i].build;
    return NULL;
}

static void compare_digest(const char *name, const char *what, struct fixture_json expected,
                           const uint8_t found[32])
{
    char hex[65];
    char *text = fixture_json_string(expected);

    cuzk_hex_encode(found, 32, hex);
    if (strcmp(text, hex) != 0)
        fail_msg("%s: digest of the %s is %s, expected %s", name, what, hex, text);
    free(text);
}

static void compare_density(struct fixture_json gadget, const struct cuzk_digest *digest)
{
    static const char *const names[3][3] = {
        {"a", "a_inputs", "a_aux"}, {"b", "b_inputs", "b_aux"}, {"c", "c_inputs", "c_aux"}};
    const struct fixture_json terms = fixture_json_get(gadget, "nnz");
    const struct fixture_json density = fixture_json_get(gadget, "density");

    for (int m = 0; m < 3; m++) {
        assert_int_equal(digest->matrix[m].terms, fixture_json_u64(fixture_json_get(terms, names[m][0])));
        assert_int_equal(digest->matrix[m].input_density,
                         fixture_json_u64(fixture_json_get(density, names[m][1])));
        assert_int_equal(digest->matrix[m].aux_density,
                         fixture_json_u64(fixture_json_get(density, names[m][2])));
    }
}

static void compare_results(struct fixture_json gadget, const struct given *given)
{
    struct fixture_json expected = {0};

    for (unsigned i = 0; fixture_json_next(fixture_json_get(gadget, "results"), &expected); i++) {
        uint8_t bytes[CUZK_FR_BYTES], found[CUZK_FR_BYTES];
        if (fixture_json_count(expected) < 4)
            continue; /* digests of bits: in the witness */
        assert_true(i < given->result_count);
        assert_int_equal(cuzk_variable_index(given->result[i].variable),
                         fixture_json_u64(fixture_json_at(expected, 2)));
        fixture_json_hex(fixture_json_at(expected, 3), bytes, sizeof bytes);
        cuzk_fr_to_bytes(&given->result[i].value, found);
        assert_memory_equal(bytes, found, sizeof bytes);
    }
}

static void compare_public(struct fixture_json gadget, const struct synthesis *s)
{
    struct fixture_json expected = {0};
    uint32_t i = 0;

    while (fixture_json_next(fixture_json_get(gadget, "public"), &expected)) {
        uint8_t bytes[CUZK_FR_BYTES], found[CUZK_FR_BYTES];
        assert_true(i < s->counts.inputs);
        fixture_json_hex(expected, bytes, sizeof bytes);
        cuzk_fr_to_bytes(&s->witness.inputs[i++], found);
        assert_memory_equal(bytes, found, sizeof bytes);
    }
    assert_int_equal(i, s->counts.inputs);
}

/* The first checkpoint that differs tells where. */
static void compare_checkpoints(struct fixture_json gadget, const char *name,
                                const struct cuzk_digest *digest)
{
    struct fixture_json expected = {0};
    size_t k = 0;

    while (fixture_json_next(fixture_json_get(gadget, "r1cs_checkpoints"), &expected)) {
        char what[64];
        snprintf(what, sizeof what, "constraints to number %zu", (k + 1) * digest->checkpoint_every);
        assert_true(k < digest->checkpoint_count);
        compare_digest(name, what, expected, digest->checkpoints[k++]);
    }
    assert_int_equal(k, digest->checkpoint_count);
}

static void test_gadgets__equal_the_recorded_ones(void **state)
{
    size_t length;
    char *text = (char *)fixture_read(&length, "circuits/gadgets/gadgets.jsonl"), *cursor = text, *line;
    static struct given given; /* values of results are of the last run */
    unsigned compared = 0;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json gadget = fixture_json_parse(line);
        const struct fixture_json every = fixture_json_get(gadget, "r1cs_checkpoint_every");
        struct synthesis s;
        uint8_t digest[32];
        given_read(gadget, &given);
        synthesis_fn *build = builder_of(given.name);
        if (build == NULL)
            continue;
        synthesis_run(build, &given, every.text ? (uint32_t)fixture_json_u64(every) : 0, &s);
        assert_int_equal(s.counts.constraints, fixture_json_u64(fixture_json_get(gadget, "constraints")));
        assert_int_equal(s.counts.inputs, fixture_json_u64(fixture_json_get(gadget, "inputs")));
        assert_int_equal(s.counts.aux, fixture_json_u64(fixture_json_get(gadget, "aux")));
        if (every.text)
            compare_checkpoints(gadget, given.name, &s.digest);
        compare_digest(given.name, "constraints", fixture_json_get(gadget, "r1cs_sha256"), s.digest.sha256);
        synthesis_witness_digest(&s.layout, &s.witness, digest);
        compare_digest(given.name, "witness", fixture_json_get(gadget, "wit_sha256"), digest);
        compare_density(gadget, &s.digest);
        compare_results(gadget, &given);
        compare_public(gadget, &s);
        synthesis_free(&s);
        compared++;
    }
    free(text);
    assert_int_equal(compared, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gadgets__equal_the_recorded_ones)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
