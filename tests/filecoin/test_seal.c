/* Sealing the data of the reference's sectors gives its labels, trees, commitments and C1 outputs byte for
 * byte. */
#include "filecoin/seal.h"

#include <unistd.h>

#include "base/buffer.h"
#include "base/mem.h"
#include "filecoin/fr32.h"
#include "filecoin/sector.h"

/* The pieces of a sector: consecutive parts of one keystream. */
static struct cuzk_piece_data *make_pieces(const struct sector *s, uint8_t **data, size_t *count)
{
    const struct fixture_json list = fixture_json_get(s->json, "pieces");
    struct cuzk_piece_data *pieces;
    struct fixture_json piece = {0};
    uint8_t seed[32];
    uint64_t total = 0;
    size_t n = 0;

    *count = fixture_json_count(list);
    pieces = malloc(*count * sizeof *pieces);
    while (fixture_json_next(list, &piece))
        total += vector_u64(piece, "unpadded_size");
    *data = malloc(total);
    vector_hex(s->json, "data_chacha8_seed", seed, 32);
    cuzk_sector_data_random(seed, *data, total);
    total = 0;
    piece = (struct fixture_json){0};
    while (fixture_json_next(list, &piece)) {
        const uint64_t size = vector_u64(piece, "unpadded_size");
        pieces[n++] = (struct cuzk_piece_data){*data + total, size, size};
        total += size;
    }
    return pieces;
}

static struct cuzk_sealed_sector *seal(struct cuzk_pool *pool, const struct sector *s)
{
    struct cuzk_seal_request request = {.config = s->config,
                                        .registered_proof = s->registered_proof,
                                        .sector_number = s->owner.sector_number};
    struct cuzk_sealed_sector *sealed;
    struct cuzk_piece_data *pieces;
    struct cuzk_error err;
    uint8_t *data;

    memcpy(request.prover_id, s->owner.prover_id, 32);
    vector_hex(s->json, "ticket", request.ticket, 32);
    vector_hex(s->json, "seed", request.interactive_seed, 32);
    pieces = make_pieces(s, &data, &request.piece_count);
    request.pieces = pieces;
    if (cuzk_seal(pool, &request, NULL, &sealed, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    free(pieces);
    free(data);
    return sealed;
}

static void expect_bytes(struct fixture_json json, const char *name, const uint8_t *got)
{
    uint8_t expected[32];

    vector_hex(json, name, expected, 32);
    if (memcmp(expected, got, 32) != 0)
        fail_msg("%s differs", name);
}

static void expect_digest(struct fixture_json json, const char *name, const uint8_t *bytes, size_t n)
{
    uint8_t digest[32];

    cuzk_sha256_digest(bytes, n, digest);
    expect_bytes(json, name, digest);
}

static void check_commitments(const struct sector *s, const struct cuzk_sealed_sector *sealed)
{
    struct fixture_json piece = {0};
    const size_t plain = s->config.sector_size / 128 * 127;
    uint8_t *data = malloc(plain);

    cuzk_fr32_unpad(sealed->tree_d, plain, data);
    expect_digest(s->json, "data_sha256", data, plain);
    free(data);
    for (size_t i = 0; fixture_json_next(fixture_json_get(s->json, "pieces"), &piece); i++)
        expect_bytes(piece, "comm_p", sealed->pieces[i].comm_p);
    expect_bytes(s->json, "comm_d", sealed->c1->comm_d);
    expect_bytes(s->json, "replica_id", sealed->c1->replica_id);
    expect_bytes(s->json, "comm_c", sealed->comm_c);
    expect_bytes(s->json, "comm_r_last", sealed->comm_r_last);
    expect_bytes(s->json, "comm_r", sealed->c1->comm_r);
    expect_digest(s->json, "sealed_sha256", sealed->sealed, s->config.sector_size);
}

static void test_seal__equals_the_reference(void **state)
{
    struct cuzk_pool *pool;

    (void)state;
    assert_int_equal(cuzk_pool_create(0, &pool, NULL), CUZK_OK);
    for (int i = 0; i < SECTORS; i++) {
        struct sector s = sector_open(sector_names[i]);
        struct cuzk_sealed_sector *sealed = seal(pool, &s);
        struct cuzk_buffer text = {0};
        const struct cuzk_sink sink = cuzk_buffer_sink(&text);
        size_t length;
        uint8_t *expected = sector_c1(sector_names[i], &length);

        check_commitments(&s, sealed);
        assert_int_equal(cuzk_c1_encode(sealed->c1, &sink, NULL), CUZK_OK);
        assert_int_equal(text.length, length);
        assert_memory_equal(text.bytes, expected, length);
        assert_int_equal(cuzk_porep_verify_vanilla(pool, sealed->c1, &s.config, &s.owner, NULL), CUZK_OK);
        free(expected);
        cuzk_buffer_clear(&text);
        cuzk_sealed_sector_destroy(sealed);
        sector_close(&s);
    }
    cuzk_pool_destroy(pool);
}

static void expect_file(const char *directory, const char *name, const char *fixture)
{
    char path[512];
    size_t length;
    uint8_t *expected = fixture_read(&length, "sectors/porep-2k/%s", fixture);
    uint8_t *got = malloc(length + 1);

    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(got, 1, length + 1, file), length);
    assert_memory_equal(got, expected, length);
    fclose(file);
    unlink(path);
    free(got);
    free(expected);
}

static void test_write__makes_the_files_of_the_reference(void **state)
{
    static const char *const names[] = {"sealed.bin", "data.bin",   "layer1.bin",
                                        "layer2.bin", "tree_d.bin", "tree_c.bin",
                                        "p_aux.bin",  "c1.json",    "public_inputs.json"};
    char directory[] = "/tmp/cuzk-test-seal-XXXXXX", path[512];
    struct sector s = sector_open("porep-2k"), written = s;
    struct cuzk_sealed_sector *sealed = seal(NULL, &s);

    (void)state;
    assert_non_null(mkdtemp(directory));
    assert_int_equal(cuzk_sealed_sector_write(sealed, directory, false, NULL), CUZK_OK);
    assert_int_equal(cuzk_sealed_sector_write(sealed, directory, false, NULL), CUZK_EXISTS);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect_file(directory, names[i], names[i]);
    snprintf(path, sizeof path, "%s/sector.json", directory);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    written.text = calloc(1, 1 << 16);
    assert_true(fread(written.text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    written.json = fixture_json_parse((char *)written.text);
    check_commitments(&written, sealed);
    assert_int_equal(vector_u64(written.json, "c1_len"), vector_u64(s.json, "c1_len"));
    expect_bytes(written.json, "seed", sealed->c1->seed);
    assert_true(vector_is(written.json, "registered_proof", "StackedDrg2KiBV1_1"));
    sector_close(&written);
    unlink(path);
    assert_int_equal(rmdir(directory), 0);
    cuzk_sealed_sector_destroy(sealed);
    sector_close(&s);
}

static void test_seal__pads_short_and_missing_pieces_with_zeros(void **state)
{
    uint8_t bytes[100], comm_p[32], comm_d[32];
    const struct cuzk_piece_data piece = {bytes, sizeof bytes, 254};
    struct cuzk_seal_request request = {.registered_proof = 5, .pieces = &piece, .piece_count = 1};
    struct cuzk_sealed_sector *sealed;
    struct cuzk_piece whole[4] = {
        {.unpadded_size = 254}, {.unpadded_size = 254}, {.unpadded_size = 508}, {.unpadded_size = 1016}};

    (void)state;
    memset(bytes, 0xa5, sizeof bytes);
    cuzk_porep_config_registered(5, &request.config);
    assert_int_equal(cuzk_seal(NULL, &request, NULL, &sealed, NULL), CUZK_OK);
    assert_int_equal(cuzk_piece_comm_p(NULL, bytes, sizeof bytes, 254, comm_p, NULL), CUZK_OK);
    assert_memory_equal(sealed->pieces[0].comm_p, comm_p, 32);
    memcpy(whole[0].comm_p, comm_p, 32);
    for (int i = 1; i < 4; i++)
        cuzk_piece_zero_comm(whole[i].unpadded_size / 127 * 128, whole[i].comm_p);
    assert_int_equal(cuzk_piece_comm_d(2048, whole, 4, comm_d, NULL), CUZK_OK);
    assert_memory_equal(sealed->c1->comm_d, comm_d, 32);
    cuzk_sealed_sector_destroy(sealed);
}

static void test_seal__fails_at_every_allocation_without_a_leak(void **state)
{
    const size_t held = cuzk_mem_in_use();
    struct cuzk_seal_request request = {.registered_proof = 5};
    struct cuzk_sealed_sector *sealed;
    size_t n = 0;

    (void)state;
    cuzk_porep_config_registered(5, &request.config);
    for (;; n++) {
        cuzk_mem_fail_after(n, 0);
        const enum cuzk_status status = cuzk_seal(NULL, &request, NULL, &sealed, NULL);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
        assert_null(sealed);
        assert_int_equal(cuzk_mem_in_use(), held);
    }
    assert_true(n >= 8);
    cuzk_sealed_sector_destroy(sealed);
    assert_int_equal(cuzk_mem_in_use(), held);
}

static void test_config_given__finds_how_challenges_were_drawn(void **state)
{
    const uint8_t porep_id[32] = {1, 2, 3};

    (void)state;
    for (int feature = CUZK_POREP_INTERACTIVE; feature <= CUZK_POREP_NON_INTERACTIVE; feature++) {
        struct cuzk_seal_request request = {.registered_proof = -1, .sector_number = 7};
        struct cuzk_porep_owner owner = {.sector_number = 7};
        struct cuzk_sealed_sector *sealed;
        struct cuzk_porep_config config;

        assert_int_equal(cuzk_porep_config_make(4096, (enum cuzk_porep_feature)feature, CUZK_API_1_2_0,
                                                porep_id, &request.config, NULL),
                         CUZK_OK);
        assert_int_equal(cuzk_seal(NULL, &request, NULL, &sealed, NULL), CUZK_OK);
        cuzk_c1_config_given(sealed->c1, CUZK_API_1_2_0, porep_id, &config);
        assert_int_equal(config.feature, feature);
        assert_int_equal(cuzk_porep_verify_vanilla(NULL, sealed->c1, &config, &owner, NULL), CUZK_OK);
        cuzk_sealed_sector_destroy(sealed);
    }
}

static void test_seal__refuses_large_sectors(void **state)
{
    struct cuzk_seal_request request = {.registered_proof = 8};
    struct cuzk_sealed_sector *sealed;

    (void)state;
    cuzk_porep_config_registered(8, &request.config);
    assert_int_equal(cuzk_seal(NULL, &request, NULL, &sealed, NULL), CUZK_ARGUMENT);
    assert_null(sealed);
}

struct stopper {
    unsigned asked, stop_at;
};

static bool stop(void *context)
{
    struct stopper *stopper = context;

    return ++stopper->asked == stopper->stop_at;
}

/* Wherever it is asked to stop, it does, and leaves nothing. */
static void test_seal__stops_when_asked(void **state)
{
    struct cuzk_sealed_sector *sealed;
    struct cuzk_seal_request request = {.registered_proof = 0};
    struct stopper stopper = {0};
    const struct cuzk_progress progress = {.cancelled = stop, .context = &stopper};

    (void)state;
    cuzk_porep_config_registered(0, &request.config);
    assert_int_equal(cuzk_seal(NULL, &request, &progress, &sealed, NULL), CUZK_OK);
    cuzk_sealed_sector_destroy(sealed);
    const unsigned questions = stopper.asked;

    assert_true(questions >= 3 + request.config.shape.layers);
    for (unsigned at = 1; at <= questions; at++) {
        stopper = (struct stopper){.stop_at = at};
        assert_int_equal(cuzk_seal(NULL, &request, &progress, &sealed, NULL), CUZK_CANCELLED);
        assert_null(sealed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seal__equals_the_reference),
        cmocka_unit_test(test_write__makes_the_files_of_the_reference),
        cmocka_unit_test(test_seal__pads_short_and_missing_pieces_with_zeros),
        cmocka_unit_test(test_seal__fails_at_every_allocation_without_a_leak),
        cmocka_unit_test(test_config_given__finds_how_challenges_were_drawn),
        cmocka_unit_test(test_seal__refuses_large_sectors),
        cmocka_unit_test(test_seal__stops_when_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
