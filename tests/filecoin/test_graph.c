/* Parents of nodes against the reference. */
#include "filecoin/graph.h"
#include "filecoin/vectors.h"

static void test_parents__equal_the_known_answers(void **state)
{
    size_t length, seeds = 0, rows = 0;
    uint8_t *text = fixture_read(&length, "vectors/parents.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        struct cuzk_graph graph;
        uint8_t porep_id[32];

        vector_hex(record, "porep_id", porep_id, 32);
        if (fixture_json_get(record, "rows").text == NULL) {
            uint8_t seed[28];
            cuzk_graph_init(&graph, 64, CUZK_API_1_1_0, porep_id);
            vector_hex(record, "drg_seed", seed, 28);
            assert_memory_equal(graph.drg_seed, seed, 28);
            for (size_t i = 0; i < 4; i++)
                assert_true(graph.feistel_keys[i] ==
                            fixture_json_u64(fixture_json_at(fixture_json_get(record, "feistel_keys"), i)));
            seeds++;
            continue;
        }
        cuzk_graph_init(&graph, vector_u64(record, "nodes"),
                        vector_api(fixture_json_get(record, "api_version")), porep_id);
        struct fixture_json row = {0};
        while (fixture_json_next(fixture_json_get(record, "rows"), &row)) {
            uint32_t parents[CUZK_POREP_PARENTS];
            struct fixture_json value = {0};
            assert_true(fixture_json_next(row, &value));
            cuzk_graph_parents(&graph, (uint32_t)fixture_json_u64(value), parents);
            for (int i = 0; i < CUZK_POREP_PARENTS; i++) {
                assert_true(fixture_json_next(row, &value));
                assert_int_equal(parents[i], fixture_json_u64(value));
            }
            rows++;
        }
    }
    assert_true(seeds > 0);
    assert_true(rows > 500);
    free(text);
}

static void test_exp_parents__are_a_permutation_of_all_positions(void **state)
{
    enum { NODES = 512 };
    const uint8_t porep_id[32] = {1, 2, 3};
    struct cuzk_graph graph;
    unsigned seen[NODES] = {0};

    (void)state;
    cuzk_graph_init(&graph, NODES, CUZK_API_1_1_0, porep_id);
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t parents[CUZK_POREP_EXP_PARENTS];
        cuzk_graph_exp_parents(&graph, node, parents);
        for (int i = 0; i < CUZK_POREP_EXP_PARENTS; i++) {
            assert_true(parents[i] < NODES);
            seen[parents[i]]++;
        }
    }
    for (int i = 0; i < NODES; i++)
        assert_int_equal(seen[i], CUZK_POREP_EXP_PARENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parents__equal_the_known_answers),
        cmocka_unit_test(test_exp_parents__are_a_permutation_of_all_positions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
