/* Challenges of all three kinds against the reference. */
#include "filecoin/challenges.h"
#include "filecoin/vectors.h"

static void digest_u32(struct fixture_json record, const char *name, const uint32_t *values, size_t n)
{
    uint8_t expected[32], got[32];

    vector_hex(record, name, expected, 32);
    cuzk_sha256_digest(values, n * sizeof *values, got);
    assert_memory_equal(got, expected, 32);
}

static void check_synthetic_set(struct fixture_json record, uint64_t nodes, const uint8_t replica_id[32],
                                const uint8_t comm_r[32], const uint8_t seed[32])
{
    const uint32_t n = (uint32_t)vector_u64(record, "synthetic_set_len");
    uint32_t *set = malloc(n * sizeof *set);
    struct fixture_json value = {0};
    uint32_t j = 0;

    for (uint32_t i = 0; i < n; i++)
        set[i] = cuzk_synthetic_challenge(nodes, replica_id, comm_r, i);
    digest_u32(record, "synthetic_set_sha256", set, n);
    while (fixture_json_next(fixture_json_get(record, "indexes_partition0"), &value))
        assert_int_equal(cuzk_synthetic_index(nodes, replica_id, seed, j++), fixture_json_u64(value));
    assert_true(j > 0);
    free(set);
}

static void test_challenges__equal_the_known_answers(void **state)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/porep_challenges.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        uint8_t replica_id[32], comm_r[32] = {0}, seed[32] = {0}, porep_id[32] = {0};
        struct cuzk_porep_config config;
        enum cuzk_porep_feature feature = CUZK_POREP_INTERACTIVE;

        if (vector_is(record, "kind", "synthetic"))
            feature = CUZK_POREP_SYNTHETIC;
        else if (vector_is(record, "kind", "non-interactive"))
            feature = CUZK_POREP_NON_INTERACTIVE;
        vector_hex(record, "replica_id", replica_id, 32);
        if (feature != CUZK_POREP_INTERACTIVE)
            vector_hex(record, "comm_r", comm_r, 32);
        if (feature != CUZK_POREP_NON_INTERACTIVE)
            vector_hex(record, "seed", seed, 32);
        assert_int_equal(cuzk_porep_config_make(vector_u64(record, "nodes") * 32, feature, CUZK_API_1_2_0,
                                                porep_id, &config, NULL),
                         CUZK_OK);
        assert_int_equal(config.partitions, vector_u64(record, "partitions"));
        assert_int_equal(config.shape.challenges, vector_u64(record, "challenges_per_partition"));
        const size_t n = config.partitions * config.shape.challenges;
        uint32_t *all = malloc(n * sizeof *all);
        cuzk_porep_challenges(&config, replica_id, comm_r, seed, all);
        digest_u32(record, "all_sha256", all, n);
        struct fixture_json entry = {0};
        while (fixture_json_next(fixture_json_get(record, "challenges"), &entry)) {
            const uint64_t partition = fixture_json_u64(fixture_json_at(entry, 0));
            struct fixture_json value = {0};
            for (uint64_t i = 0; fixture_json_next(fixture_json_at(entry, 1), &value); i++)
                assert_int_equal(all[partition * config.shape.challenges + i], fixture_json_u64(value));
        }
        if (feature == CUZK_POREP_SYNTHETIC)
            check_synthetic_set(record, vector_u64(record, "nodes"), replica_id, comm_r, seed);
        free(all);
        lines++;
    }
    assert_int_equal(lines, 18);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_challenges__equal_the_known_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
