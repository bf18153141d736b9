/* Bit padding and piece commitments against known answers. */
#include "filecoin/fr32.h"
#include "filecoin/piece.h"
#include "filecoin/vectors.h"
#include "support/random.h"

static struct test_random rng;

static void test_fr32__equals_the_known_answers(void **state)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/fr32.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        size_t in_length, out_length;
        uint8_t *in = fixture_json_hex_any(fixture_json_get(record, "in"), &in_length);
        uint8_t *out = fixture_json_hex_any(fixture_json_get(record, "out"), &out_length);
        assert_int_equal(cuzk_fr32_padded_length(in_length), out_length);
        uint8_t *got = malloc(out_length + 1), *back = malloc(in_length + 1);
        cuzk_fr32_pad(in, in_length, got);
        assert_memory_equal(got, out, out_length);
        cuzk_fr32_unpad(got, in_length, back);
        assert_memory_equal(back, in, in_length);
        free(back);
        free(got);
        free(out);
        free(in);
        lines++;
    }
    assert_int_equal(lines, 11);
    free(text);
}

static void test_fr32__equals_a_bit_by_bit_copy(void **state)
{
    uint8_t in[1000], out[1100], slow[1100];

    (void)state;
    for (int round = 0; round < 300; round++) {
        const size_t n = test_random_below(&rng, sizeof in + 1);
        test_random_bytes(&rng, in, n);
        memset(slow, 0, sizeof slow);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            const size_t to = bit / 254 * 256 + bit % 254;
            slow[to / 8] |= (uint8_t)((in[bit / 8] >> bit % 8 & 1) << to % 8);
        }
        memset(out, 0xaa, sizeof out);
        cuzk_fr32_pad(in, n, out);
        assert_memory_equal(out, slow, cuzk_fr32_padded_length(n));
    }
}

static void check_piece(struct fixture_json record)
{
    uint8_t expected[32], got[32];
    const uint64_t size = vector_u64(record, "unpadded");
    char *label = fixture_json_string(fixture_json_get(record, "label"));
    const size_t n =
        vector_is(record, "kind", "comm_p") ? (size_t)size : (size_t)vector_u64(record, "data_len");
    uint8_t *data = vector_data(label, n);
    uint64_t padded;

    vector_hex(record, "comm_p", expected, 32);
    assert_int_equal(cuzk_piece_comm_p(NULL, data, n, size, got, NULL), CUZK_OK);
    assert_memory_equal(got, expected, 32);
    assert_int_equal(cuzk_piece_padded_size(size, &padded, NULL), CUZK_OK);
    assert_int_equal(padded, vector_u64(record, "padded"));
    free(data);
    free(label);
}

static void check_comm_d(struct fixture_json record)
{
    struct cuzk_piece pieces[64];
    const struct fixture_json list = fixture_json_get(record, "pieces");
    struct fixture_json piece = {0};
    uint8_t expected[32], got[32];
    size_t n = 0;

    while (fixture_json_next(list, &piece)) {
        assert_true(n < 64);
        pieces[n].unpadded_size = fixture_json_u64(fixture_json_at(piece, 0));
        fixture_json_hex(fixture_json_at(piece, 1), pieces[n++].comm_p, 32);
    }
    vector_hex(record, "comm_d", expected, 32);
    assert_int_equal(cuzk_piece_comm_d(vector_u64(record, "sector_size"), pieces, n, got, NULL), CUZK_OK);
    assert_memory_equal(got, expected, 32);
}

static void test_commitments__equal_the_known_answers(void **state)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/pieces.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        if (vector_is(record, "kind", "comm_d")) {
            check_comm_d(record);
        } else if (vector_is(record, "kind", "zero_comm")) {
            uint8_t expected[32], got[32];
            vector_hex(record, "comm", expected, 32);
            cuzk_piece_zero_comm(vector_u64(record, "padded"), got);
            assert_memory_equal(got, expected, 32);
        } else {
            check_piece(record);
        }
        lines++;
    }
    assert_int_equal(lines, 56);
    free(text);
}

static void test_sizes__that_no_piece_has_are_refused(void **state)
{
    struct cuzk_error err;
    uint64_t padded;
    uint8_t comm[32];
    const struct cuzk_piece two[] = {{.unpadded_size = 1016}, {.unpadded_size = 2032}};

    (void)state;
    assert_int_equal(cuzk_piece_padded_size(0, &padded, &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_piece_padded_size(126, &padded, &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_piece_padded_size(381, &padded, &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_piece_comm_p(NULL, comm, 128, 127, comm, &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_piece_comm_d(2048, two, 2, comm, &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_piece_comm_d(2000, two, 1, comm, &err), CUZK_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fr32__equals_the_known_answers),
        cmocka_unit_test(test_fr32__equals_a_bit_by_bit_copy),
        cmocka_unit_test(test_commitments__equal_the_known_answers),
        cmocka_unit_test(test_sizes__that_no_piece_has_are_refused),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
