/* WinningPoSt and WindowPoSt against the reference: draws, vanilla proofs read, checked, made anew and turned
 * into witnesses; damaged ones refused. */
#include "filecoin/post.h"

#include "base/buffer.h"
#include "base/cpu.h"
#include "base/pool.h"
#include "circuit/circuit.h"
#include "filecoin/json_patch.h"
#include "filecoin/oct_tree.h"
#include "filecoin/post_synth.h"
#include "filecoin/vanilla_file.h"
#include "filecoin/vectors.h"
#include "filecoin/witness_fixture.h"

enum { NODE = 32, SECTORS = 4 };

static struct cuzk_pool *pool;

static void must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK)
        fail_msg("%s", err->message);
}

static void test_draws__equal_the_known_answers(void **state)
{
    size_t length, compared = 0;
    char *text = (char *)fixture_read(&length, "vectors/post_challenges.jsonl"), *cursor = text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        uint8_t prover[NODE], randomness[NODE];

        if (!vector_is(record, "kind", "sector"))
            continue;
        vector_hex(record, "prover_id", prover, NODE);
        vector_hex(record, "randomness", randomness, NODE);
        for (uint64_t n = 0; n < 4; n++, compared++)
            assert_int_equal(
                cuzk_post_sector_index(prover, randomness, n, vector_u64(record, "sector_set_len")),
                fixture_json_u64(fixture_json_at(fixture_json_get(record, "first4"), n)));
    }
    assert_true(compared >= 4);
    free(text);
}

static void test_randomness__loses_its_top_bits(void **state)
{
    uint8_t all[NODE], out[NODE];

    (void)state;
    memset(all, 0xff, sizeof all);
    cuzk_post_randomness(all, out);
    assert_memory_equal(out, all, NODE - 1);
    assert_int_equal(out[NODE - 1], 0x3f);
}

static void test_registered__have_names_and_versions(void **state)
{
    struct cuzk_post_config config;

    (void)state;
    assert_int_equal(cuzk_post_proof_number("StackedDrgWinning2KiBV1", 23), 0);
    assert_int_equal(cuzk_post_proof_number("StackedDrgWindow64GiBV1", 23), 9);
    assert_int_equal(cuzk_post_proof_number("StackedDrgWindow32GiBV1_2", 25), 13);
    assert_int_equal(cuzk_post_proof_number("StackedDrgWindow32GiBV1_3", 25), -1);
    cuzk_post_config_registered(3, &config);
    assert_true(config.winning && config.challenges == 66 && config.shape.sectors == 66);
    cuzk_post_config_registered(13, &config);
    assert_true(!config.winning && config.api_version == CUZK_API_1_2_0 && config.shape.sectors == 2349);
    assert_int_equal(cuzk_post_input_count(&config), 25839);
}

/* ---- the sectors of fixtures/sectors ---- */

struct post {
    struct cuzk_post_config config;
    uint8_t randomness[NODE];
    unsigned partitions;
    size_t count;
    struct cuzk_post_vanilla vanilla[SECTORS];
    struct cuzk_fr_arena values;
    char *text;
    struct fixture_json record;
};

static void post_open(const char *folder, struct post *out)
{
    struct fixture_json sector = {0};
    struct cuzk_error err;
    size_t length;

    *out = (struct post){0};
    out->text = (char *)fixture_read(&length, "sectors/%s/post.json", folder);
    out->record = fixture_json_parse(out->text);
    must(cuzk_post_config_make(vector_u64(out->record, "sector_size"),
                               vector_is(out->record, "type", "Winning"),
                               vector_api(fixture_json_get(out->record, "api_version")), &out->config, &err),
         &err);
    vector_hex(out->record, "randomness", out->randomness, NODE);
    out->partitions = (unsigned)vector_u64(out->record, "partitions");
    while (fixture_json_next(fixture_json_get(out->record, "sectors"), &sector)) {
        char *file = fixture_json_string(fixture_json_get(sector, "vanilla"));
        uint8_t *bytes = fixture_read(&length, "sectors/%s/%s", folder, file);

        must(cuzk_post_vanilla_decode(file, bytes, length, &out->config, &out->values,
                                      &out->vanilla[out->count], &err),
             &err);
        assert_int_equal(out->vanilla[out->count].sector_id, vector_u64(sector, "sector_id"));
        out->count++;
        free(bytes);
        free(file);
    }
}

static void post_close(struct post *post)
{
    for (size_t i = 0; i < post->count; i++)
        cuzk_post_vanilla_destroy(&post->vanilla[i]);
    cuzk_fr_arena_destroy(&post->values);
    free(post->text);
}

static void compare_partition(const struct post *post, unsigned k, struct fixture_json expected,
                              struct fixture_json inputs)
{
    const struct cuzk_circuit_id id = {post->config.winning ? CUZK_CIRCUIT_WINNING : CUZK_CIRCUIT_WPOST,
                                       post->config.sector_size};
    const size_t first = (size_t)k * (post->config.winning ? 1 : post->config.shape.sectors);
    const size_t left = post->count - first;
    const enum cuzk_cpu_level level = cuzk_cpu_level();
    struct cuzk_post_sector places[66];
    struct cuzk_fr public_inputs[256];
    const struct cuzk_post_assignment assignment = {places};
    struct cuzk_witness_layout layout;
    struct cuzk_witness witness;
    struct cuzk_circuit circuit;
    struct fixture_json input = {0};
    struct cuzk_error err;
    unsigned i = 0;

    cuzk_post_partition(&post->config, post->randomness, first, post->vanilla + first,
                        left < post->config.shape.sectors ? left : post->config.shape.sectors, places,
                        public_inputs);
    for (; fixture_json_next(fixture_json_get(inputs, "inputs"), &input); i++) {
        uint8_t own[NODE], wanted[NODE];

        cuzk_fr_to_bytes(&public_inputs[i], own);
        fixture_json_hex(input, wanted, NODE);
        assert_memory_equal(own, wanted, NODE);
    }
    assert_int_equal(i, cuzk_post_input_count(&post->config));
    must(cuzk_circuit_open(&id, &circuit, &err), &err);
    must(cuzk_circuit_layout(&circuit, &layout, &err), &err);
    must(cuzk_witness_create(&layout, &witness, &err), &err);
    for (int forced = CUZK_CPU_PORTABLE; forced <= (int)level; forced++) {
        cuzk_cpu_set_level((enum cuzk_cpu_level)forced);
        memset(witness.bits, 0, ((size_t)layout.bits + 63) / 64 * sizeof *witness.bits);
        must(cuzk_circuit_witness(&circuit, &assignment, pool, NULL, &witness, &err), &err);
        assert_memory_equal(witness.inputs + 1, public_inputs, i * sizeof *public_inputs);
        witness_fixture_compare(&layout, &witness, expected);
    }
    must(cuzk_circuit_check(&circuit, &layout, &witness, NULL, &err), &err);
    cuzk_witness_destroy(&witness);
    cuzk_witness_layout_destroy(&layout);
}

static const char *const folders[] = {"winning-2k",  "winning-32k",    "window-2k", "window-2k-pad",
                                      "window-2k-3", "window-2k-3-v1", "window-32k"};

static void test_post__sectors_of_the_reference_hold(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof folders / sizeof folders[0]; f++) {
        size_t length;
        char *witness = (char *)fixture_read(&length, "sectors/%s/witness.json", folders[f]);
        char *inputs = (char *)fixture_read(&length, "sectors/%s/public_inputs.json", folders[f]);
        char *witness_at = witness, *inputs_at = inputs, *line;
        struct cuzk_error err;
        struct post post;
        unsigned k = 0;

        post_open(folders[f], &post);
        for (size_t i = 0; i < post.count; i++)
            must(cuzk_post_vanilla_check(&post.config, post.randomness, i, &post.vanilla[i], &err), &err);
        for (; (line = fixture_line(&witness_at)) != NULL; k++)
            compare_partition(&post, k, fixture_json_parse(line),
                              fixture_json_parse(fixture_line(&inputs_at)));
        assert_int_equal(k, post.partitions);
        post_close(&post);
        free(witness);
        free(inputs);
    }
}

/* ---- made from a sector ---- */

static void test_make__equals_the_reference(void **state)
{
    struct cuzk_fr tree[64 + 8 + 1], comm_c;
    struct cuzk_fr_arena values = {0};
    struct cuzk_post_vanilla made;
    struct cuzk_error err;
    struct post post;
    struct cuzk_buffer written = {0};
    size_t length;
    uint8_t *sealed = fixture_read(&length, "sectors/porep-2k/sealed.bin");
    uint8_t *aux = fixture_read(&length, "sectors/porep-2k/p_aux.bin");
    uint8_t *bytes = fixture_read(&length, "sectors/window-2k/vanilla-1.bin");

    (void)state;
    post_open("window-2k", &post);
    for (size_t i = 0; i < 64; i++)
        assert_true(cuzk_fr_from_bytes(sealed + i * NODE, &tree[i]));
    assert_true(cuzk_fr_from_bytes(aux, &comm_c));
    cuzk_oct_tree_build(pool, post.config.shape.tree, tree);
    must(cuzk_post_vanilla_make(&post.config, post.randomness, 0, 1, &comm_c, tree, &values, &made, &err),
         &err);
    must(cuzk_post_vanilla_encode(&post.config, &made, cuzk_buffer_sink(&written), &err), &err);
    assert_int_equal(written.length, length);
    assert_memory_equal(written.bytes, bytes, length);
    cuzk_buffer_clear(&written);
    cuzk_post_vanilla_destroy(&made);
    cuzk_fr_arena_destroy(&values);
    post_close(&post);
    free(sealed);
    free(aux);
    free(bytes);
}

/* Sectors that were never sealed hold as sealed ones do, at every size and in both kinds. */
static void test_synth__holds(void **state)
{
    static const uint64_t sizes[] = {UINT64_C(2) << 10, UINT64_C(32) << 10, UINT64_C(32) << 30,
                                     UINT64_C(64) << 30};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        struct cuzk_fr_arena values = {0};
        struct cuzk_post_vanilla vanilla;
        struct cuzk_post_config config;
        uint8_t randomness[NODE];
        struct cuzk_error err;

        must(cuzk_post_config_make(sizes[i / 2], i % 2 == 0, i % 2 == 0 ? CUZK_API_1_0_0 : CUZK_API_1_2_0,
                                   &config, &err),
             &err);
        cuzk_post_synth_randomness(9, randomness);
        must(cuzk_post_synth_sector(pool, &config, 9, 4, &values, &vanilla, &err), &err);
        assert_int_equal(vanilla.sector_id, 5);
        must(cuzk_post_vanilla_check(&config, randomness, 4, &vanilla, &err), &err);
        randomness[0] ^= 1;
        assert_int_equal(cuzk_post_vanilla_check(&config, randomness, 4, &vanilla, NULL), CUZK_INVALID);
        cuzk_post_vanilla_destroy(&vanilla);
        cuzk_fr_arena_destroy(&values);
    }
}

/* Every size and kind is known by its proof's beginning, however much of it is there. */
static void test_look__knows_every_shape(void **state)
{
    static const uint64_t sizes[] = {
        UINT64_C(2) << 10,  UINT64_C(4) << 10,   UINT64_C(16) << 10, UINT64_C(32) << 10, UINT64_C(8) << 20,
        UINT64_C(16) << 20, UINT64_C(512) << 20, UINT64_C(1) << 30,  UINT64_C(32) << 30, UINT64_C(64) << 30};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        const bool winning = i % 2 == 0;
        struct cuzk_fr_arena values = {0};
        struct cuzk_post_vanilla vanilla;
        struct cuzk_post_config config;
        struct cuzk_buffer written = {0};

        must(cuzk_post_config_make(sizes[i / 2], winning, CUZK_API_1_2_0, &config, NULL), NULL);
        must(cuzk_post_synth_sector(pool, &config, i, 0, &values, &vanilla, NULL), NULL);
        must(cuzk_post_vanilla_encode(&config, &vanilla, cuzk_buffer_sink(&written), NULL), NULL);
        for (size_t n = 0; n <= written.length; n += n < 2048 ? 1 : 977) {
            const struct cuzk_vanilla_look look = cuzk_vanilla_look(written.bytes, n);

            if (n < 60) {
                assert_int_equal(look.kind, CUZK_VANILLA_NONE);
                continue;
            }
            assert_int_equal(look.kind, winning ? CUZK_VANILLA_WINNING : CUZK_VANILLA_WINDOW);
            if (n >= 2048) /* shorter ones may be of several shapes */
                assert_int_equal(look.sector_size, sizes[i / 2]);
        }
        cuzk_buffer_clear(&written);
        cuzk_post_vanilla_destroy(&vanilla);
        cuzk_fr_arena_destroy(&values);
    }
}

/* ---- what does not hold ---- */

static enum cuzk_status read_and_check(const struct post *post, const uint8_t *bytes, size_t n, bool *decoded,
                                       struct cuzk_error *err)
{
    struct cuzk_fr_arena values = {0};
    struct cuzk_post_vanilla vanilla;
    enum cuzk_status status = cuzk_post_vanilla_decode("v", bytes, n, &post->config, &values, &vanilla, err);

    *decoded = status == CUZK_OK;
    if (status == CUZK_OK) {
        status = cuzk_post_vanilla_check(&post->config, post->randomness, 0, &vanilla, err);
        cuzk_post_vanilla_destroy(&vanilla);
    }
    cuzk_fr_arena_destroy(&values);
    return status;
}

static void test_post__damaged_proofs_are_refused(void **state)
{
    static const char *const bases[][2] = {{"window-2k", "window-2k/vanilla-1.bin"},
                                           {"winning-2k", "winning-2k/vanilla-42.bin"}};
    size_t length, cases = 0;
    char *text = (char *)fixture_read(&length, "sectors/malformed/malformed.jsonl");

    (void)state;
    for (size_t b = 0; b < 2; b++) {
        char *copy = strdup(text), *cursor = copy, *line;
        struct post post;
        size_t n;
        uint8_t *base = fixture_read(&n, "sectors/%s", bases[b][1]);

        post_open(bases[b][0], &post);
        while ((line = fixture_line(&cursor)) != NULL) {
            const struct fixture_json record = fixture_json_parse(line);
            struct cuzk_error err;
            size_t patched;
            bool decoded;

            if (!vector_is(record, "base", bases[b][1]))
                continue;
            uint8_t *bytes = json_patch(base, n, record, &patched);
            const enum cuzk_status status = read_and_check(&post, bytes, patched, &decoded, &err);

            if (vector_is(record, "expect", "parse-error") ||
                vector_is(record, "expect", "invalid-proof-data"))
                assert_false(decoded);
            assert_int_equal(status == CUZK_OK, vector_is(record, "expect", "valid"));
            free(bytes);
            cases++;
        }
        post_close(&post);
        free(base);
        free(copy);
    }
    assert_int_equal(cases, 17);
    free(text);
}

/* Every byte counts: whichever is changed, the proof is refused when read or when checked. */
static void test_post__any_changed_byte_is_noticed(void **state)
{
    size_t n;
    uint8_t *bytes = fixture_read(&n, "sectors/window-2k/vanilla-1.bin");
    struct post post;

    (void)state;
    post_open("window-2k", &post);
    for (size_t i = 0; i < n; i += 7) {
        bool decoded;

        bytes[i] ^= (uint8_t)(1U << (i % 8));
        if (read_and_check(&post, bytes, n, &decoded, NULL) == CUZK_OK)
            fail_msg("byte %zu was changed and nobody noticed", i);
        bytes[i] ^= (uint8_t)(1U << (i % 8));
    }
    post_close(&post);
    free(bytes);
}

static void test_check__names_sector_and_challenge(void **state)
{
    struct cuzk_error err;
    struct post post;

    (void)state;
    post_open("window-2k", &post);
    post.vanilla[1].paths[7].index ^= 1;
    assert_int_equal(cuzk_post_vanilla_check(&post.config, post.randomness, 1, &post.vanilla[1], &err),
                     CUZK_INVALID);
    assert_non_null(strstr(err.message, "challenge 7"));
    assert_non_null(strstr(err.message, "sector "));
    post_close(&post);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws__equal_the_known_answers),
        cmocka_unit_test(test_randomness__loses_its_top_bits),
        cmocka_unit_test(test_registered__have_names_and_versions),
        cmocka_unit_test(test_post__sectors_of_the_reference_hold),
        cmocka_unit_test(test_make__equals_the_reference),
        cmocka_unit_test(test_synth__holds),
        cmocka_unit_test(test_look__knows_every_shape),
        cmocka_unit_test(test_post__damaged_proofs_are_refused),
        cmocka_unit_test(test_post__any_changed_byte_is_noticed),
        cmocka_unit_test(test_check__names_sector_and_challenge),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
