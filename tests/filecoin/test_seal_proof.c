/* The table of registered proofs against names and parameters seen in the sectors of the reference. */
#include "filecoin/replica_id.h"
#include "filecoin/vectors.h"

static void test_names__round_trip_and_refuse_others(void **state)
{
    char name[CUZK_SEAL_PROOF_NAME];

    (void)state;
    for (unsigned i = 0; i < CUZK_SEAL_PROOFS; i++) {
        cuzk_seal_proof_name(i, name);
        assert_int_equal(cuzk_seal_proof_number(name, strlen(name)), i);
    }
    assert_int_equal(cuzk_seal_proof_number("StackedDrg4KiBV1", 16), -1);
    assert_int_equal(cuzk_seal_proof_number("", 0), -1);
    cuzk_seal_proof_name(8, name);
    assert_string_equal(name, "StackedDrg32GiBV1_1");
    cuzk_seal_proof_tag(18, name);
    assert_string_equal(name, "StackedDrg32GiBV1");
}

static void test_configs__equal_the_sectors_of_the_reference(void **state)
{
    static const char *const sectors[] = {"porep-2k",       "porep-2k-b",  "porep-2k-v1",
                                          "porep-2k-synth", "porep-2k-ni", "porep-8m"};

    (void)state;
    for (size_t i = 0; i < sizeof sectors / sizeof sectors[0]; i++) {
        size_t length;
        uint8_t *text = fixture_read(&length, "sectors/%s/sector.json", sectors[i]);
        const struct fixture_json sector = fixture_json_parse((char *)text);
        char *name = fixture_json_string(fixture_json_get(sector, "registered_proof"));
        const int number = cuzk_seal_proof_number(name, strlen(name));
        struct cuzk_porep_config config;
        uint8_t porep_id[32];

        assert_true(number >= 0);
        cuzk_porep_config_registered((unsigned)number, &config);
        vector_hex(sector, "porep_id", porep_id, 32);
        assert_memory_equal(config.porep_id, porep_id, 32);
        assert_int_equal(config.api_version, vector_api(fixture_json_get(sector, "api_version")));
        assert_int_equal(config.sector_size, vector_u64(sector, "sector_size"));
        assert_int_equal(config.partitions, vector_u64(sector, "partitions"));
        assert_int_equal(config.shape.layers, vector_u64(sector, "layers"));
        assert_int_equal(config.shape.challenges, vector_u64(sector, "challenges_per_partition"));
        assert_int_equal(UINT64_C(1) << config.shape.log2_nodes, vector_u64(sector, "nodes"));
        free(name);
        free(text);
    }
}

static void test_large_sectors__have_the_published_parameters(void **state)
{
    struct cuzk_porep_config config;

    (void)state;
    cuzk_porep_config_registered(8, &config);
    assert_int_equal(config.sector_size, UINT64_C(32) << 30);
    assert_int_equal(config.partitions, 10);
    assert_int_equal(config.shape.challenges, 18);
    assert_int_equal(config.shape.layers, 11);
    assert_int_equal(config.shape.log2_nodes, 30);
    assert_int_equal(config.porep_id[0], 8);
    cuzk_porep_config_registered(19, &config);
    assert_int_equal(config.sector_size, UINT64_C(64) << 30);
    assert_int_equal(config.partitions, 126);
    assert_int_equal(config.feature, CUZK_POREP_NON_INTERACTIVE);
}

static void test_shapes__have_as_many_leaves_as_nodes(void **state)
{
    unsigned found = 0;

    (void)state;
    for (unsigned log2 = 0; log2 < 59; log2++) {
        struct cuzk_porep_shape shape;
        if (!cuzk_porep_shape_of(UINT64_C(1) << log2, &shape))
            continue;
        uint64_t leaves = 1;
        for (unsigned level = 0; level < cuzk_tree_levels(shape.tree); level++)
            leaves *= cuzk_tree_arity(shape.tree, level);
        assert_int_equal(leaves, UINT64_C(1) << shape.log2_nodes);
        assert_int_equal(leaves * CUZK_NODE_BYTES, UINT64_C(1) << log2);
        found++;
    }
    assert_int_equal(found, 10);
}

static void test_config_make__refuses_other_sizes(void **state)
{
    const uint8_t porep_id[32] = {0};
    struct cuzk_porep_config config;

    (void)state;
    assert_int_equal(
        cuzk_porep_config_make(2049, CUZK_POREP_INTERACTIVE, CUZK_API_1_1_0, porep_id, &config, NULL),
        CUZK_ARGUMENT);
    assert_int_equal(
        cuzk_porep_config_make(8192, CUZK_POREP_INTERACTIVE, CUZK_API_1_1_0, porep_id, &config, NULL),
        CUZK_ARGUMENT);
}

static void test_replica_id__equals_the_known_answers(void **state)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/replica_id.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        uint8_t prover[32], ticket[32], comm_d[32], porep_id[32], expected[32], got[32];
        vector_hex(record, "prover_id", prover, 32);
        vector_hex(record, "ticket", ticket, 32);
        vector_hex(record, "comm_d", comm_d, 32);
        vector_hex(record, "porep_id", porep_id, 32);
        vector_hex(record, "replica_id", expected, 32);
        cuzk_replica_id(prover, vector_u64(record, "sector_id"), ticket, comm_d, porep_id, got);
        assert_memory_equal(got, expected, 32);
        lines++;
    }
    assert_int_equal(lines, 20);
    free(text);
}

static void test_prover_id__is_leb128(void **state)
{
    uint8_t id[32], expected[32] = {0xe8, 0x07}; /* miner 1000, as in the sectors */

    (void)state;
    cuzk_prover_id_of_miner(1000, id);
    assert_memory_equal(id, expected, 32);
    memset(expected, 0, 32);
    cuzk_prover_id_of_miner(0, id);
    assert_memory_equal(id, expected, 32);
    expected[0] = 0x7f;
    cuzk_prover_id_of_miner(127, id);
    assert_memory_equal(id, expected, 32);
    memset(expected, 0xff, 9);
    expected[9] = 1;
    cuzk_prover_id_of_miner(UINT64_MAX, id);
    expected[0] = 0xff;
    assert_memory_equal(id, expected, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names__round_trip_and_refuse_others),
        cmocka_unit_test(test_configs__equal_the_sectors_of_the_reference),
        cmocka_unit_test(test_large_sectors__have_the_published_parameters),
        cmocka_unit_test(test_shapes__have_as_many_leaves_as_nodes),
        cmocka_unit_test(test_config_make__refuses_other_sizes),
        cmocka_unit_test(test_replica_id__equals_the_known_answers),
        cmocka_unit_test(test_prover_id__is_leb128),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
