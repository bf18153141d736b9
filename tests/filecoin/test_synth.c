/* Synthetic C1 outputs against the records of the construction. `long` as the first argument adds 32 and 64
 * GiB. */
#include "filecoin/synth.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "filecoin/public_inputs.h"
#include "filecoin/sector.h"

static uint64_t largest = UINT64_C(1) << 30;

struct counted {
    struct cuzk_sha256 hash;
    uint64_t bytes;
};

static enum cuzk_status count_write(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct counted *counted = context;

    (void)err;
    cuzk_sha256_update(&counted->hash, bytes, n);
    counted->bytes += n;
    return CUZK_OK;
}

static void expect_hex(struct fixture_json record, const char *name, const uint8_t got[32])
{
    uint8_t expected[32];

    vector_hex(record, name, expected, 32);
    if (memcmp(got, expected, 32) != 0)
        fail_msg("%s differs", name);
}

static void check_inputs(struct fixture_json record, const struct cuzk_porep_config *config,
                         const struct cuzk_c1 *c1)
{
    const unsigned count = cuzk_porep_input_count(&c1->shape);
    struct cuzk_fr *inputs = malloc(count * sizeof *inputs);
    struct fixture_json value = {0};
    unsigned partition = 0;

    assert_int_equal(count, vector_u64(record, "public_inputs_per_partition"));
    for (; fixture_json_next(fixture_json_get(record, "public_inputs_sha256"), &value); partition++) {
        struct cuzk_porep_assignment assignment;
        uint8_t expected[32], got[32];

        fixture_json_hex(value, expected, 32);
        for (int assigned = 0; assigned < 2; assigned++) {
            struct cuzk_sha256 hash;
            if (assigned) {
                cuzk_c1_assignment(c1, partition, &assignment);
                cuzk_porep_assigned_inputs(&c1->shape, &assignment, inputs);
            } else {
                assert_int_equal(cuzk_porep_public_inputs(config, c1->replica_id, c1->comm_d, c1->comm_r,
                                                          c1->seed, partition, inputs, NULL),
                                 CUZK_OK);
            }
            cuzk_sha256_init(&hash);
            for (unsigned i = 0; i < count; i++) {
                cuzk_fr_to_bytes(&inputs[i], got);
                cuzk_sha256_update(&hash, got, 32);
            }
            cuzk_sha256_final(&hash, got);
            assert_memory_equal(got, expected, 32);
        }
    }
    assert_int_equal(partition, config->partitions);
    free(inputs);
}

static void check_record(struct cuzk_pool *pool, struct fixture_json record)
{
    struct cuzk_synth_request request = {.sector_size = vector_u64(record, "sector_bytes"),
                                         .seed = vector_u64(record, "seed")};
    const struct fixture_json stage_digests = fixture_json_get(record, "stages");
    struct cuzk_porep_config config;
    struct cuzk_porep_owner owner;
    struct cuzk_synth_stages stages;
    struct counted counted = {.bytes = 0};
    const struct cuzk_sink sink = {count_write, &counted};
    struct cuzk_error err;
    struct cuzk_c1 *c1;
    int registered;

    request.data = vector_is(record, "data", "mix") ? CUZK_SYNTH_MIX : CUZK_SYNTH_ZERO;
    request.legacy = vector_is(record, "api_version", "1.0.0");
    assert_int_equal(cuzk_synth_config(&request, &config, &registered, owner.prover_id, &err), CUZK_OK);
    owner.sector_number = request.seed;
    expect_hex(record, "porep_id", config.porep_id);
    expect_hex(record, "prover_id", owner.prover_id);
    assert_int_equal(cuzk_synth_porep(pool, &request, &stages, &c1, &err), CUZK_OK);
    expect_hex(record, "ticket", c1->ticket);
    expect_hex(record, "interactive_seed", c1->seed);
    expect_hex(record, "comm_d", c1->comm_d);
    expect_hex(record, "replica_id", c1->replica_id);
    expect_hex(stage_digests, "challenges", stages.challenges);
    expect_hex(stage_digests, "parents", stages.parents);
    expect_hex(stage_digests, "columns", stages.columns);
    expect_hex(stage_digests, "tree_c_leaves", stages.tree_c_leaves);
    expect_hex(stage_digests, "tree_r_last_leaves", stages.tree_r_last_leaves);
    expect_hex(record, "comm_r", c1->comm_r);
    cuzk_sha256_init(&counted.hash);
    assert_int_equal(cuzk_c1_encode(c1, &sink, &err), CUZK_OK);
    uint8_t digest[32];
    cuzk_sha256_final(&counted.hash, digest);
    assert_int_equal(counted.bytes, vector_u64(record, "c1_bytes"));
    expect_hex(record, "c1_sha256", digest);
    check_inputs(record, &config, c1);
    if (cuzk_porep_verify_vanilla(pool, c1, &config, &owner, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    cuzk_c1_destroy(c1);
}

static void test_synth__equals_the_records(void **state)
{
    size_t length, checked = 0;
    uint8_t *text = fixture_read(&length, "synthetic/records.jsonl");
    char *cursor = (char *)text, *line;
    struct cuzk_pool *pool;

    (void)state;
    assert_int_equal(cuzk_pool_create(0, &pool, NULL), CUZK_OK);
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        if (vector_u64(record, "sector_bytes") > largest)
            continue;
        check_record(pool, record);
        checked++;
    }
    assert_int_equal(checked, largest > UINT64_C(1) << 30 ? 77 : 63);
    cuzk_pool_destroy(pool);
    free(text);
}

static void test_synth__fails_at_every_allocation_without_a_leak(void **state)
{
    const struct cuzk_synth_request request = {.sector_size = 2048, .seed = 3, .data = CUZK_SYNTH_MIX};
    const size_t held = cuzk_mem_in_use();
    struct cuzk_c1 *c1;
    size_t n = 0;

    (void)state;
    for (;; n++) {
        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = cuzk_synth_porep(NULL, &request, NULL, &c1, NULL);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
        assert_null(c1);
        assert_int_equal(cuzk_mem_in_use(), held);
    }
    assert_true(n >= 10);
    cuzk_c1_destroy(c1);
    assert_int_equal(cuzk_mem_in_use(), held);
}

static void test_synth__refuses_what_does_not_exist(void **state)
{
    const struct cuzk_synth_request odd = {.sector_size = 2049}, old = {.sector_size = 4096, .legacy = true};
    struct cuzk_c1 *c1;

    (void)state;
    assert_int_equal(cuzk_synth_porep(NULL, &odd, NULL, &c1, NULL), CUZK_ARGUMENT);
    assert_null(c1);
    assert_int_equal(cuzk_synth_porep(NULL, &old, NULL, &c1, NULL), CUZK_ARGUMENT);
    assert_null(c1);
}

/* As large as C1 outputs get: the ten partitions of a synthetic 32 GiB sector, repeated, under the
 * non-interactive proof's name. The text decodes to what is written as the same text; memory is that of the
 * result. */
static void test_non_interactive__of_126_partitions_round_trips(void **state)
{
    const struct cuzk_synth_request request = {
        .sector_size = UINT64_C(32) << 30, .seed = 1, .data = CUZK_SYNTH_MIX};
    const unsigned partitions = CUZK_POREP_MAX_PARTITIONS;
    struct cuzk_buffer text = {0};
    struct counted counted = {.bytes = 0};
    const struct cuzk_sink keep = cuzk_buffer_sink(&text), count = {count_write, &counted};
    uint8_t written[32], again[32];
    struct cuzk_error err;
    struct cuzk_c1 *c1, *decoded;

    (void)state;
    if (largest <= UINT64_C(1) << 30)
        skip();
    assert_int_equal(cuzk_synth_porep(NULL, &request, NULL, &c1, NULL), CUZK_OK);
    const unsigned own = c1->partitions;
    for (unsigned i = own; i < partitions; i++)
        c1->partition[i] = c1->partition[i % own];
    c1->partitions = partitions;
    c1->registered_proof = cuzk_seal_proof_number("StackedDrg32GiBV1_2_Feat_NonInteractivePoRep", 44);
    assert_int_equal(c1->registered_proof, 18);
    assert_int_equal(cuzk_c1_encode(c1, &keep, NULL), CUZK_OK);
    for (unsigned i = own; i < partitions; i++)
        c1->partition[i] = NULL;
    cuzk_c1_destroy(c1);
    cuzk_sha256_digest(text.bytes, text.length, written);
    const size_t held = cuzk_mem_in_use();
    if (cuzk_c1_decode(text.bytes, text.length, NULL, &decoded, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    assert_true(cuzk_mem_in_use() - held < text.length / 2);
    assert_int_equal(decoded->partitions, partitions);
    cuzk_sha256_init(&counted.hash);
    assert_int_equal(cuzk_c1_encode(decoded, &count, NULL), CUZK_OK);
    cuzk_sha256_final(&counted.hash, again);
    assert_memory_equal(written, again, 32);
    print_message("%zu bytes of text, %zu held\n", text.length, cuzk_mem_in_use() - held);
    cuzk_c1_destroy(decoded);
    cuzk_buffer_clear(&text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synth__equals_the_records),
        cmocka_unit_test(test_non_interactive__of_126_partitions_round_trips),
        cmocka_unit_test(test_synth__fails_at_every_allocation_without_a_leak),
        cmocka_unit_test(test_synth__refuses_what_does_not_exist),
    };

    if (argc > 1 && strcmp(argv[1], "long") == 0)
        largest = UINT64_C(1) << 40;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
