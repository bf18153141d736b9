/* Proofs made with the real parameters: they decode to the points of the record, and the public inputs that
 * we compute are the record's. */
#include "filecoin/public_inputs.h"
#include "filecoin/replica_id.h"
#include "filecoin/vectors.h"
#include "groth16/proof.h"

static struct cuzk_porep_config config_of(struct fixture_json record)
{
    const struct fixture_json features = fixture_json_get(record, "api_features");
    enum cuzk_porep_feature feature = CUZK_POREP_INTERACTIVE;
    struct cuzk_porep_config config;
    uint8_t porep_id[32];

    if (fixture_json_count(features) > 0) {
        char *name = fixture_json_string(fixture_json_at(features, 0));
        assert_string_equal(name, "synthetic-porep");
        feature = CUZK_POREP_SYNTHETIC;
        free(name);
    }
    vector_hex(record, "porep_id", porep_id, 32);
    assert_int_equal(cuzk_porep_config_make(vector_u64(record, "sector_size"), feature,
                                            vector_api(fixture_json_get(record, "api_version")), porep_id,
                                            &config, NULL),
                     CUZK_OK);
    return config;
}

static void check_proofs(struct fixture_json record, unsigned partitions)
{
    size_t length;
    uint8_t *bytes = fixture_json_hex_any(fixture_json_get(record, "proof"), &length);
    const struct fixture_json first = fixture_json_at(fixture_json_get(record, "points"), 0);
    uint8_t expected[CUZK_G2_RAW_BYTES], got[CUZK_G2_RAW_BYTES], again[CUZK_PROOF_BYTES];
    struct cuzk_proof proof;

    assert_int_equal(length, partitions * CUZK_PROOF_BYTES);
    for (unsigned i = partitions; i-- > 0;) {
        assert_int_equal(cuzk_proof_decode(bytes + i * CUZK_PROOF_BYTES, &proof, NULL), CUZK_OK);
        cuzk_proof_encode(&proof, again);
        assert_memory_equal(again, bytes + i * CUZK_PROOF_BYTES, CUZK_PROOF_BYTES);
    }
    vector_hex(first, "a", expected, CUZK_G1_RAW_BYTES);
    cuzk_g1_encode_raw(&proof.a, got);
    assert_memory_equal(got, expected, CUZK_G1_RAW_BYTES);
    vector_hex(first, "b", expected, CUZK_G2_RAW_BYTES);
    cuzk_g2_encode_raw(&proof.b, got);
    assert_memory_equal(got, expected, CUZK_G2_RAW_BYTES);
    vector_hex(first, "c", expected, CUZK_G1_RAW_BYTES);
    cuzk_g1_encode_raw(&proof.c, got);
    assert_memory_equal(got, expected, CUZK_G1_RAW_BYTES);
    free(bytes);
}

static void check_inputs(struct fixture_json record, const struct cuzk_porep_config *config)
{
    const unsigned count = cuzk_porep_input_count(&config->shape);
    struct cuzk_fr *inputs = malloc(count * sizeof *inputs);
    uint8_t replica_id[32], comm_d[32], comm_r[32], seed[32], bytes[32], expected[32];
    struct fixture_json digest = {0};
    unsigned partition = 0;

    vector_hex(record, "replica_id", replica_id, 32);
    vector_hex(record, "comm_d", comm_d, 32);
    vector_hex(record, "comm_r", comm_r, 32);
    vector_hex(record, "seed", seed, 32);
    assert_int_equal(count, vector_u64(record, "inputs_per_partition"));
    for (; fixture_json_next(fixture_json_get(record, "inputs_sha256"), &digest); partition++) {
        struct cuzk_sha256 hash;
        struct fixture_json value = {0};
        assert_int_equal(
            cuzk_porep_public_inputs(config, replica_id, comm_d, comm_r, seed, partition, inputs, NULL),
            CUZK_OK);
        cuzk_sha256_init(&hash);
        for (unsigned i = 0; i < count; i++) {
            cuzk_fr_to_bytes(&inputs[i], bytes);
            cuzk_sha256_update(&hash, bytes, 32);
            if (partition == 0) {
                assert_true(fixture_json_next(fixture_json_get(record, "inputs_partition0"), &value));
                fixture_json_hex(value, expected, 32);
                assert_memory_equal(bytes, expected, 32);
            }
        }
        cuzk_sha256_final(&hash, bytes);
        fixture_json_hex(digest, expected, 32);
        assert_memory_equal(bytes, expected, 32);
    }
    assert_int_equal(partition, config->partitions);
    free(inputs);
}

static void test_records__decode_and_have_our_public_inputs(void **state)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/seal_records.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        const struct cuzk_porep_config config = config_of(record);
        uint8_t prover[32], ticket[32], comm_d[32], expected[32], got[32];

        assert_int_equal(config.partitions, vector_u64(record, "partitions"));
        vector_hex(record, "prover_id", prover, 32);
        vector_hex(record, "ticket", ticket, 32);
        vector_hex(record, "comm_d", comm_d, 32);
        vector_hex(record, "replica_id", expected, 32);
        cuzk_replica_id(prover, vector_u64(record, "sector_id"), ticket, comm_d, config.porep_id, got);
        assert_memory_equal(got, expected, 32);
        check_proofs(record, config.partitions);
        check_inputs(record, &config);
        lines++;
    }
    assert_int_equal(lines, 15);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records__decode_and_have_our_public_inputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
