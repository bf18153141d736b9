/* Empty sector updates against the reference: constants, challenges, phi and rho, encoding, public inputs;
 * vanilla proofs read, checked, made anew and turned into witnesses; damaged ones refused. `long` as the
 * first argument adds synthetic updates of 512 MiB to 64 GiB. */
#include "filecoin/update.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "base/pool.h"
#include "circuit/circuit.h"
#include "filecoin/json_patch.h"
#include "filecoin/update_make.h"
#include "filecoin/update_synth.h"
#include "filecoin/update_verify.h"
#include "filecoin/vectors.h"
#include "filecoin/witness_fixture.h"
#include "hash/sha256.h"

enum { NODE = 32 };

static struct cuzk_pool *pool;
static uint64_t largest = UINT64_C(8) << 20; /* of the synthetic updates */

static void must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK)
        fail_msg("%s", err->message);
}

static void element(struct fixture_json record, const char *name, struct cuzk_fr *out)
{
    uint8_t bytes[NODE];

    vector_hex(record, name, bytes, NODE);
    assert_true(cuzk_fr_from_bytes(bytes, out));
}

static void element_at(struct fixture_json list, size_t index, struct cuzk_fr *out)
{
    uint8_t bytes[NODE];

    fixture_json_hex(fixture_json_at(list, index), bytes, NODE);
    assert_true(cuzk_fr_from_bytes(bytes, out));
}

/* ---- known answers by sector size ---- */

static void check_constants(struct fixture_json record, const struct cuzk_update_shape *shape)
{
    const unsigned h = cuzk_update_default_h(shape);

    assert_int_equal(1U << shape->apex_bits, vector_u64(record, "apex_leafs_per_partition"));
    assert_int_equal(cuzk_update_challenges_per_digest(shape), vector_u64(record, "challenges_per_digest"));
    assert_int_equal(shape->challenges, vector_u64(record, "challenges_per_partition"));
    assert_int_equal(1U << shape->partition_bits, vector_u64(record, "partitions"));
    assert_int_equal(cuzk_update_random_bits(shape), vector_u64(record, "random_bits_per_challenge"));
    assert_int_equal(h, vector_u64(record, "h_default"));
    assert_int_equal(cuzk_update_h_select(shape, h), vector_u64(record, "h_select_default"));
    for (size_t k = 0; k < CUZK_UPDATE_H_BITS; k++)
        assert_int_equal(shape->h[k], fixture_json_u64(fixture_json_at(fixture_json_get(record, "hs"), k)));
}

static void check_challenges(struct fixture_json record, const struct cuzk_update_shape *shape)
{
    const unsigned partitions = 1U << shape->partition_bits;
    uint32_t *all = calloc((size_t)partitions * shape->challenges, sizeof *all);
    struct fixture_json entry = {0};
    struct cuzk_fr comm_r_new;
    unsigned compared = 0;

    element(record, "comm_r_new", &comm_r_new);
    for (unsigned k = 0; k < partitions; k++)
        cuzk_update_challenges(shape, &comm_r_new, k, all + (size_t)k * shape->challenges);
    while (fixture_json_next(fixture_json_get(record, "partitions"), &entry)) {
        const uint64_t partition = fixture_json_u64(fixture_json_at(entry, 0));
        struct fixture_json value = {0};
        for (uint64_t i = 0; fixture_json_next(fixture_json_at(entry, 1), &value); i++, compared++)
            assert_int_equal(all[partition * shape->challenges + i], fixture_json_u64(value));
    }
    assert_true(compared >= shape->challenges);
    free(all);
}

static void check_phi_and_rho(struct fixture_json record)
{
    struct fixture_json entry = {0};
    struct cuzk_fr comm_d_new, comm_r_old, phi, rho, expected;

    element(record, "comm_d_new", &comm_d_new);
    element(record, "comm_r_old", &comm_r_old);
    element(record, "phi", &expected);
    cuzk_update_phi(&comm_d_new, &comm_r_old, &phi);
    assert_true(cuzk_fr_equal(&phi, &expected));
    while (fixture_json_next(fixture_json_get(record, "rho_high"), &entry)) {
        cuzk_update_rho(&phi, fixture_json_u64(fixture_json_at(entry, 0)), &rho);
        element_at(entry, 1, &expected);
        assert_true(cuzk_fr_equal(&rho, &expected));
    }
}

static void check_public_inputs(struct fixture_json record, const struct cuzk_update_shape *shape)
{
    struct cuzk_update_commitments commitments;
    struct fixture_json entry = {0};

    element(record, "comm_r_old", &commitments.comm_r_old);
    element(record, "comm_r_new", &commitments.comm_r_new);
    element(record, "comm_d_new", &commitments.comm_d_new);
    while (fixture_json_next(fixture_json_get(record, "cases"), &entry)) {
        struct cuzk_fr inputs[4], expected;
        cuzk_update_public_inputs(shape, &commitments, (unsigned)fixture_json_u64(fixture_json_at(entry, 0)),
                                  inputs);
        for (size_t i = 0; i < 4; i++) {
            element_at(fixture_json_at(entry, 1), i, &expected);
            assert_true(cuzk_fr_equal(&inputs[i], &expected));
        }
    }
}

static void test_update__equals_the_known_answers(void **state)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/update.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        const struct fixture_json nodes = fixture_json_get(record, "nodes");
        struct cuzk_update_shape shape;
        if (vector_is(record, "kind", "phi_rho")) {
            check_phi_and_rho(record);
            lines++;
        }
        if (!nodes.text || !cuzk_update_shape_of(fixture_json_u64(nodes) * NODE, false, &shape))
            continue; /* sizes that have no circuit */
        if (vector_is(record, "kind", "constants"))
            check_constants(record, &shape);
        else if (vector_is(record, "kind", "challenges"))
            check_challenges(record, &shape);
        else if (vector_is(record, "kind", "public_inputs"))
            check_public_inputs(record, &shape);
        else
            continue;
        lines++;
    }
    assert_int_equal(lines, 11 + 3 * 8);
    free(text);
}

/* ---- the updated sectors ---- */

struct update {
    struct cuzk_update_shape shape;
    struct cuzk_update_commitments commitments;
    struct cuzk_fr comm_c;
    char *text;
};

static void update_open(const char *folder, struct update *out)
{
    size_t length;

    out->text = (char *)fixture_read(&length, "sectors/%s/update.json", folder);
    const struct fixture_json record = fixture_json_parse(out->text);

    assert_true(cuzk_update_shape_of(vector_u64(record, "sector_size"), false, &out->shape));
    element(record, "comm_r_old", &out->commitments.comm_r_old);
    element(record, "comm_r_new", &out->commitments.comm_r_new);
    element(record, "comm_d_new", &out->commitments.comm_d_new);
    element(record, "comm_c", &out->comm_c);
}

static void compare_witness(const struct update *update, const struct cuzk_update_proof *proof,
                            struct fixture_json expected)
{
    const struct cuzk_circuit_id id = {CUZK_CIRCUIT_SNAP, (uint64_t)NODE << update->shape.log2_nodes};
    struct cuzk_update_assignment assignment;
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness;
    struct cuzk_circuit circuit;
    struct cuzk_error err;

    cuzk_update_proof_assignment(proof, &update->commitments, &assignment);
    must(cuzk_circuit_open(&id, &circuit, &err), &err);
    must(cuzk_circuit_layout(&circuit, &layout, &err), &err);
    must(cuzk_witness_create(&layout, &witness, &err), &err);
    must(cuzk_circuit_witness(&circuit, &assignment, pool, NULL, &witness, &err), &err);
    witness_fixture_compare(&layout, &witness, expected);
    if (proof->partition == 0)
        must(cuzk_circuit_check(&circuit, &layout, &witness, NULL, &err), &err);
    cuzk_witness_destroy(&witness);
    cuzk_witness_layout_destroy(&layout);
}

/* Every constraint holds on the proof's witness. */
static void check_circuit(const struct cuzk_update_proof *proof,
                          const struct cuzk_update_commitments *commitments)
{
    const struct cuzk_circuit_id id = {CUZK_CIRCUIT_SNAP, (uint64_t)NODE << proof->shape.log2_nodes};
    struct cuzk_update_assignment assignment;
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness;
    struct cuzk_circuit circuit;
    struct cuzk_error err;

    cuzk_update_proof_assignment(proof, commitments, &assignment);
    must(cuzk_circuit_open(&id, &circuit, &err), &err);
    must(cuzk_circuit_layout(&circuit, &layout, &err), &err);
    must(cuzk_witness_create(&layout, &witness, &err), &err);
    must(cuzk_circuit_witness(&circuit, &assignment, pool, NULL, &witness, &err), &err);
    must(cuzk_circuit_check(&circuit, &layout, &witness, NULL, &err), &err);
    cuzk_witness_destroy(&witness);
    cuzk_witness_layout_destroy(&layout);
}

static void check_sector(const char *folder)
{
    struct update update;
    struct cuzk_error err;
    size_t length;
    char *text = (char *)fixture_read(&length, "sectors/%s/witness.json", folder), *cursor = text, *line;
    unsigned partition = 0;

    update_open(folder, &update);
    for (; (line = fixture_line(&cursor)) != NULL; partition++) {
        struct cuzk_update_proof proof;
        size_t n;
        uint8_t *bytes = fixture_read(&n, "sectors/%s/partition-%u.bin", folder, partition);
        must(cuzk_update_proof_decode(folder, bytes, n, &update.shape, partition, &proof, &err), &err);
        free(bytes);
        must(cuzk_update_verify_vanilla(pool, &proof, &update.commitments, &err), &err);
        compare_witness(&update, &proof, fixture_json_parse(line));
        cuzk_update_proof_destroy(&proof);
    }
    assert_int_equal(partition, 1U << update.shape.partition_bits);
    free(update.text);
    free(text);
}

static void test_update__proofs_of_the_reference_hold(void **state)
{
    (void)state;
    check_sector("update-2k");
    check_sector("update-32k");
}

static void make_sector(const char *folder)
{
    struct cuzk_updated_sector *made;
    struct update update;
    struct cuzk_error err;
    size_t length;
    uint8_t *old = fixture_read(&length, "sectors/%s/replica_old.bin", folder);
    uint8_t *data = fixture_read(&length, "sectors/%s/data.bin", folder);
    uint8_t *new = fixture_read(&length, "sectors/%s/replica_new.bin", folder);

    update_open(folder, &update);
    const struct cuzk_update_request request = {
        .sector_size = length, .replica = old, .data = data, .comm_c = update.comm_c};
    must(cuzk_update_make(pool, &request, NULL, &made, &err), &err);
    assert_memory_equal(made->replica, new, length);
    assert_memory_equal(&made->commitments, &update.commitments, sizeof update.commitments);
    for (unsigned k = 0; k < 1U << update.shape.partition_bits; k++) {
        struct cuzk_update_proof proof;
        struct cuzk_buffer written = {0};
        size_t expected;
        uint8_t *bytes = fixture_read(&expected, "sectors/%s/partition-%u.bin", folder, k);

        must(cuzk_updated_sector_prove(made, k, &proof, &err), &err);
        must(cuzk_update_proof_encode(&proof, cuzk_buffer_sink(&written), &err), &err);
        assert_int_equal(written.length, expected);
        assert_memory_equal(written.bytes, bytes, expected);
        cuzk_buffer_clear(&written);
        must(cuzk_update_verify_vanilla(pool, &proof, &update.commitments, &err), &err);
        cuzk_update_proof_destroy(&proof);
        free(bytes);
    }
    cuzk_updated_sector_destroy(made);
    free(update.text);
    free(old);
    free(data);
    free(new);
}

static void test_update_make__equals_the_reference(void **state)
{
    (void)state;
    make_sector("update-2k");
    make_sector("update-32k");
}

static void check_synth(uint64_t size, bool witness)
{
    struct cuzk_synth_update *synth;
    struct cuzk_error err;

    must(cuzk_synth_update_create(pool, size, 7, &synth, &err), &err);
    const struct cuzk_update_shape *shape = cuzk_synth_update_shape(synth);
    const struct cuzk_update_commitments *commitments = cuzk_synth_update_commitments(synth);

    for (unsigned k = 0; k < 1U << shape->partition_bits; k++) {
        struct cuzk_update_proof proof;

        must(cuzk_synth_update_prove(synth, k, &proof, &err), &err);
        must(cuzk_update_verify_vanilla(pool, &proof, commitments, &err), &err);
        if (witness)
            check_circuit(&proof, commitments);
        cuzk_update_proof_destroy(&proof);
    }
    cuzk_synth_update_destroy(synth);
}

/* The leaves as update_synth.h states them, computed here by themselves. */
static void synth_leaves(uint64_t seed, uint64_t nodes, uint8_t *replica, uint8_t *data)
{
    for (uint64_t i = 0; i < nodes; i++)
        for (uint64_t kind = 1; kind <= 2; kind++) {
            uint8_t message[17 + 3 * 8] = "synthetic-snap-v1", *to = kind == 1 ? replica : data;
            const uint64_t numbers[3] = {seed, kind, i % 61};

            memcpy(message + 17, numbers, sizeof numbers);
            cuzk_sha256_digest(message, sizeof message, to + i * NODE);
            to[i * NODE + NODE - 1] &= 0x3f;
        }
}

/* Updates that never were hold as real ones do, at every size; the witness of one is the circuit's. */
static void test_synth__holds(void **state)
{
    static const uint64_t sizes[] = {UINT64_C(2) << 10,  UINT64_C(4) << 10, UINT64_C(16) << 10,
                                     UINT64_C(32) << 10, UINT64_C(8) << 20, UINT64_C(512) << 20,
                                     UINT64_C(32) << 30, UINT64_C(64) << 30};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && sizes[i] <= largest; i++)
        check_synth(sizes[i], i == 0);
}

/* Makes every allocation fail once: what is made, `step` by step, fails with MEMORY and leaves nothing. */
static void check_allocations(enum cuzk_status (*step)(void *context), void *context)
{
    const size_t held = cuzk_mem_in_use();

    for (size_t n = 0;; n++) {
        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = step(context);
        cuzk_mem_fail_after(SIZE_MAX, 0);

        assert_int_equal(cuzk_mem_in_use(), held);
        if (status == CUZK_OK) {
            assert_true(n >= 5);
            return;
        }
        assert_int_equal(status, CUZK_MEMORY);
    }
}

static enum cuzk_status synth_step(void *context)
{
    struct cuzk_synth_update *synth;
    struct cuzk_update_proof proof;
    enum cuzk_status status;

    (void)context;
    CUZK_TRY(cuzk_synth_update_create(NULL, 2048, 3, &synth, NULL));
    status = cuzk_synth_update_prove(synth, 0, &proof, NULL);
    if (status == CUZK_OK) {
        status = cuzk_update_verify_vanilla(NULL, &proof, cuzk_synth_update_commitments(synth), NULL);
        cuzk_update_proof_destroy(&proof);
    }
    cuzk_synth_update_destroy(synth);
    return status;
}

static enum cuzk_status make_step(void *context)
{
    const struct cuzk_update_request *request = context;
    struct cuzk_updated_sector *made;
    struct cuzk_update_proof proof;
    enum cuzk_status status;

    CUZK_TRY(cuzk_update_make(NULL, request, NULL, &made, NULL));
    status = cuzk_updated_sector_prove(made, 0, &proof, NULL);
    if (status == CUZK_OK)
        cuzk_update_proof_destroy(&proof);
    cuzk_updated_sector_destroy(made);
    return status;
}

static void test_update__fails_at_every_allocation_without_a_leak(void **state)
{
    size_t length;
    uint8_t *replica = fixture_read(&length, "sectors/update-2k/replica_old.bin");
    uint8_t *data = fixture_read(&length, "sectors/update-2k/data.bin");
    struct cuzk_update_request request = {.sector_size = length, .replica = replica, .data = data};

    (void)state;
    check_allocations(synth_step, NULL);
    check_allocations(make_step, &request);
    free(replica);
    free(data);
}

/* The same by another way: whole trees of the leaves that the rule gives. */
static void test_synth__is_an_update_of_the_whole_sector(void **state)
{
    const uint64_t size = UINT64_C(32) << 10;
    uint8_t *replica = malloc(size), *data = malloc(size);
    struct cuzk_synth_update *synth;
    struct cuzk_updated_sector *made;
    struct cuzk_error err;

    (void)state;
    synth_leaves(5, size / NODE, replica, data);
    must(cuzk_synth_update_create(pool, size, 5, &synth, &err), &err);
    struct cuzk_update_request request = {.sector_size = size, .replica = replica, .data = data};
    struct cuzk_update_proof own, other;
    must(cuzk_synth_update_prove(synth, 1, &own, &err), &err);
    request.comm_c = own.comm_c;
    must(cuzk_update_make(pool, &request, NULL, &made, &err), &err);
    assert_memory_equal(&made->commitments, cuzk_synth_update_commitments(synth), sizeof made->commitments);
    must(cuzk_updated_sector_prove(made, 1, &other, &err), &err);
    for (unsigned i = 0; i < own.shape.challenges; i++) {
        assert_memory_equal(own.challenges[i].path_r_new, other.challenges[i].path_r_new,
                            cuzk_tree_siblings(own.shape.tree) * sizeof(struct cuzk_fr));
        assert_int_equal(own.paths[i].r_new.index, other.paths[i].r_new.index);
    }
    cuzk_update_proof_destroy(&own);
    cuzk_update_proof_destroy(&other);
    cuzk_updated_sector_destroy(made);
    cuzk_synth_update_destroy(synth);
    free(replica);
    free(data);
}

/* ---- what does not hold ---- */

static void test_update__damaged_proofs_are_refused(void **state)
{
    size_t length, cases = 0;
    char *text = (char *)fixture_read(&length, "sectors/malformed/malformed.jsonl"), *cursor = text, *line;
    struct update update;

    (void)state;
    update_open("update-2k", &update);
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        struct cuzk_update_proof proof;
        struct cuzk_error err;
        size_t n, patched;
        if (!vector_is(record, "base", "update-2k/partition-0.bin"))
            continue;
        uint8_t *base = fixture_read(&n, "sectors/update-2k/partition-0.bin");
        uint8_t *bytes = json_patch(base, n, record, &patched);
        enum cuzk_status status =
            cuzk_update_proof_decode("p", bytes, patched, &update.shape, 0, &proof, &err);
        if (vector_is(record, "expect", "parse-error") || vector_is(record, "expect", "invalid-proof-data"))
            assert_int_equal(status, CUZK_INPUT);
        if (status == CUZK_OK) {
            status = cuzk_update_verify_vanilla(pool, &proof, &update.commitments, &err);
            cuzk_update_proof_destroy(&proof);
        }
        assert_int_equal(status == CUZK_OK, vector_is(record, "expect", "valid"));
        free(base);
        free(bytes);
        cases++;
    }
    assert_int_equal(cases, 7);
    free(update.text);
    free(text);
}

/* Every byte counts: whichever is changed, the proof is refused when read or when checked. */
static void test_update__any_changed_byte_is_noticed(void **state)
{
    size_t n;
    uint8_t *bytes = fixture_read(&n, "sectors/update-2k/partition-0.bin");
    struct update update;

    (void)state;
    update_open("update-2k", &update);
    for (size_t i = 0; i < n; i += 61) {
        struct cuzk_update_proof proof;
        bytes[i] ^= 1U << (i % 8);
        if (cuzk_update_proof_decode("p", bytes, n, &update.shape, 0, &proof, NULL) == CUZK_OK) {
            if (cuzk_update_verify_vanilla(pool, &proof, &update.commitments, NULL) != CUZK_INVALID)
                fail_msg("byte %zu was changed and nobody noticed", i);
            cuzk_update_proof_destroy(&proof);
        }
        bytes[i] ^= 1U << (i % 8);
    }
    free(update.text);
    free(bytes);
}

static void test_update__names_what_does_not_hold(void **state)
{
    struct cuzk_update_proof proof;
    struct update update;
    struct cuzk_error err;
    size_t n;
    uint8_t *bytes = fixture_read(&n, "sectors/update-32k/partition-1.bin");

    (void)state;
    update_open("update-32k", &update);
    /* of another partition */
    must(cuzk_update_proof_decode("p", bytes, n, &update.shape, 0, &proof, &err), &err);
    assert_int_equal(cuzk_update_verify_vanilla(pool, &proof, &update.commitments, &err), CUZK_INVALID);
    assert_non_null(strstr(err.message, "partition 0: the vanilla proof is that of partition 1"));
    cuzk_update_proof_destroy(&proof);
    must(cuzk_update_proof_decode("p", bytes, n, &update.shape, 1, &proof, &err), &err);
    proof.paths[3].r_new.index ^= 1;
    assert_int_equal(cuzk_update_verify_vanilla(pool, &proof, &update.commitments, &err), CUZK_INVALID);
    assert_non_null(strstr(err.message, "partition 1: challenge 3"));
    assert_non_null(strstr(err.message, "proof_r_new"));
    cuzk_update_proof_destroy(&proof);
    bytes[n - 1] ^= 0xff;
    assert_int_equal(cuzk_update_proof_decode("p", bytes, n - 1, &update.shape, 1, &proof, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "challenge 9"));
    free(update.text);
    free(bytes);
}

static int setup(void **state)
{
    (void)state;
    return cuzk_pool_create(2, &pool, NULL) == CUZK_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    cuzk_pool_destroy(pool);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_update__equals_the_known_answers),
        cmocka_unit_test(test_update__proofs_of_the_reference_hold),
        cmocka_unit_test(test_update_make__equals_the_reference),
        cmocka_unit_test(test_synth__holds),
        cmocka_unit_test(test_synth__is_an_update_of_the_whole_sector),
        cmocka_unit_test(test_update__fails_at_every_allocation_without_a_leak),
        cmocka_unit_test(test_update__damaged_proofs_are_refused),
        cmocka_unit_test(test_update__any_changed_byte_is_noticed),
        cmocka_unit_test(test_update__names_what_does_not_hold),
    };

    if (argc > 1 && strcmp(argv[1], "long") == 0)
        largest = UINT64_MAX;
    return cmocka_run_group_tests(tests, setup, teardown);
}
