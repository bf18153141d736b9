/* Data trees and Poseidon trees: roots against the reference, paths lead to the root. */
#include "base/cpu.h"
#include "filecoin/data_tree.h"
#include "filecoin/merkle.h"
#include "filecoin/oct_tree.h"
#include "filecoin/vectors.h"
#include "hash/poseidon.h"

static void leaf(const char *label, uint64_t i, uint8_t bytes[32])
{
    vector_block(label, i, bytes);
    bytes[31] &= 0x3f;
}

static void check_binary(struct cuzk_pool *pool, const char *label, size_t leaves, const uint8_t root[32])
{
    uint8_t *nodes = malloc((2 * leaves - 1) * 32);
    uint8_t siblings[64][32], pair[64];

    for (size_t i = 0; i < leaves; i++)
        leaf(label, i, nodes + 32 * i);
    cuzk_data_tree_build(pool, nodes, leaves);
    assert_memory_equal(nodes + 32 * (2 * leaves - 2), root, 32);
    for (size_t index = 0; index < leaves; index += leaves / 7 + 1) {
        uint8_t at[32];
        size_t i = index;
        cuzk_data_tree_siblings(nodes, leaves, index, siblings[0]);
        memcpy(at, nodes + 32 * index, 32);
        for (int level = 0; (size_t)1 << level < leaves; level++, i /= 2) {
            memcpy(pair + 32 * (i % 2), at, 32);
            memcpy(pair + 32 * (1 - i % 2), siblings[level], 32);
            cuzk_sha256_node(pair, at);
        }
        assert_memory_equal(at, root, 32);
    }
    free(nodes);
}

static void check_oct(struct cuzk_pool *pool, const char *label, size_t leaves, struct cuzk_tree_shape shape,
                      const uint8_t root[32])
{
    const size_t total = cuzk_oct_tree_nodes(shape);
    struct cuzk_fr *nodes = malloc(total * sizeof *nodes), siblings[CUZK_TREE_MAX_LEVELS * 7];
    uint8_t bytes[32];

    assert_int_equal(cuzk_oct_tree_leaves(shape), leaves);
    for (size_t i = 0; i < leaves; i++) {
        leaf(label, i, bytes);
        assert_true(cuzk_fr_from_bytes(bytes, &nodes[i]));
    }
    cuzk_oct_tree_build(pool, shape, nodes);
    cuzk_fr_to_bytes(&nodes[total - 1], bytes);
    assert_memory_equal(bytes, root, 32);
    for (size_t index = 0; index < leaves; index += leaves / 5 + 1) {
        struct cuzk_fr at = nodes[index], family[8];
        const struct cuzk_fr *next = siblings;
        size_t i = index;
        cuzk_oct_tree_path(shape, nodes, index, siblings);
        for (unsigned level = 0; level < cuzk_tree_levels(shape); level++) {
            const unsigned arity = cuzk_tree_arity(shape, level);
            for (unsigned k = 0; k < arity; k++)
                family[k] = k == i % arity ? at : *next++;
            cuzk_poseidon_hash(cuzk_poseidon_instance(arity), family, &at);
            i /= arity;
        }
        assert_int_equal(next - siblings, cuzk_tree_siblings(shape));
        assert_true(cuzk_fr_equal(&at, &nodes[total - 1]));
    }
    free(nodes);
}

static void check_all(struct cuzk_pool *pool)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/trees.jsonl");
    char *cursor = (char *)text, *line;

    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        const size_t leaves = (size_t)vector_u64(record, "leaves");
        char *label = fixture_json_string(fixture_json_get(record, "label"));
        uint8_t root[32], first[32], got[32];

        vector_hex(record, "root", root, 32);
        vector_hex(record, "leaf0", first, 32);
        leaf(label, 0, got);
        assert_memory_equal(got, first, 32);
        if (vector_is(record, "tree", "sha256-binary")) {
            check_binary(pool, label, leaves, root);
        } else if (vector_u64(record, "base_arity") == 8) {
            struct cuzk_tree_shape shape = {0, (uint8_t)vector_u64(record, "sub_arity"),
                                            (uint8_t)vector_u64(record, "top_arity")};
            while (cuzk_oct_tree_leaves(shape) < leaves)
                shape.base_levels++;
            check_oct(pool, label, leaves, shape, root);
        } else { /* one arity other than 8 throughout: levels by hand */
            const struct cuzk_poseidon *p =
                cuzk_poseidon_instance((unsigned)vector_u64(record, "base_arity"));
            struct cuzk_fr *nodes = malloc(leaves * sizeof *nodes);
            assert_int_equal(vector_u64(record, "sub_arity"), 0);
            for (size_t i = 0; i < leaves; i++) {
                leaf(label, i, got);
                assert_true(cuzk_fr_from_bytes(got, &nodes[i]));
            }
            for (size_t n = leaves / p->arity; n > 0; n /= p->arity)
                for (size_t i = 0; i < n; i++)
                    cuzk_poseidon_hash(p, nodes + i * p->arity, &nodes[i]);
            cuzk_fr_to_bytes(&nodes[0], got);
            assert_memory_equal(got, root, 32);
            free(nodes);
        }
        free(label);
        lines++;
    }
    assert_int_equal(lines, 15);
    free(text);
}

static void test_roots__equal_the_known_answers(void **state)
{
    struct cuzk_pool *pool;

    (void)state;
    check_all(NULL);
    assert_int_equal(cuzk_pool_create(3, &pool, NULL), CUZK_OK);
    check_all(pool);
    cuzk_pool_destroy(pool);
}

/* Paths of a built tree lead to its root, however many climb side by side; a changed one leads elsewhere and
 * leaves its neighbours alone. */
static void climb_together(void)
{
    enum { MOST = 19 };
    static const struct cuzk_tree_shape shapes[] = {{2, 0, 0}, {1, 4, 0}, {1, 4, 2}};
    struct cuzk_merkle_path paths[MOST];
    struct cuzk_fr roots[MOST], nodes[128];

    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        const size_t leaves = cuzk_oct_tree_leaves(shapes[k]), count = cuzk_oct_tree_nodes(shapes[k]);
        struct cuzk_fr_arena values = {NULL};

        assert_true(count <= sizeof nodes / sizeof nodes[0]);
        for (size_t i = 0; i < leaves; i++)
            cuzk_fr_from_u64(7 * i + k, &nodes[i]);
        cuzk_oct_tree_build(NULL, shapes[k], nodes);
        for (size_t i = 0; i < MOST; i++)
            assert_int_equal(
                cuzk_oct_tree_prove(shapes[k], nodes, (i * 11 + 3) % leaves, &values, &paths[i], NULL),
                CUZK_OK);
        for (size_t n = 1; n <= MOST; n++) {
            const struct cuzk_fr leaf = paths[n / 2].leaf;
            cuzk_fr_add(&leaf, &leaf, &paths[n / 2].leaf);
            cuzk_merkle_oct_roots(shapes[k], paths, n, roots);
            for (size_t i = 0; i < n; i++)
                assert_true(cuzk_fr_equal(&roots[i], &nodes[count - 1]) == (i != n / 2));
            paths[n / 2].leaf = leaf;
        }
        cuzk_fr_arena_destroy(&values);
    }
}

static void test_oct_roots__climb_together(void **state)
{
    const enum cuzk_cpu_level best = cuzk_cpu_level();

    (void)state;
    for (enum cuzk_cpu_level level = CUZK_CPU_PORTABLE; level <= best; level++) {
        cuzk_cpu_set_level(level);
        climb_together();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roots__equal_the_known_answers),
        cmocka_unit_test(test_oct_roots__climb_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
