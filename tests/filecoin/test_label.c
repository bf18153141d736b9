/* Labels and encoding against the reference. */
#include "filecoin/label.h"
#include "filecoin/vectors.h"

static void check_label(struct fixture_json record)
{
    uint8_t replica_id[32], labels[16][32], expected[32], got[32];
    const uint8_t *parents[16];
    struct fixture_json value = {0};
    unsigned n = 0;

    vector_hex(record, "replica_id", replica_id, 32);
    vector_hex(record, "label", expected, 32);
    while (fixture_json_next(fixture_json_get(record, "parent_labels"), &value)) {
        assert_true(n < 16);
        fixture_json_hex(value, labels[n], 32);
        parents[n] = labels[n];
        n++;
    }
    if (n > 0)
        assert_int_equal(n, cuzk_label_parents((unsigned)vector_u64(record, "layer")));
    cuzk_label(replica_id, (uint32_t)vector_u64(record, "layer"), vector_u64(record, "node"), parents, n,
               got);
    assert_memory_equal(got, expected, 32);
}

static void check_encode(struct fixture_json record)
{
    uint8_t bytes[32], expected[32];
    struct cuzk_fr key, data, encoded;

    vector_hex(record, "key", bytes, 32);
    assert_true(cuzk_fr_from_bytes(bytes, &key));
    vector_hex(record, "data", bytes, 32);
    assert_true(cuzk_fr_from_bytes(bytes, &data));
    vector_hex(record, "encoded", expected, 32);
    cuzk_label_encode(&key, &data, &encoded);
    cuzk_fr_to_bytes(&encoded, bytes);
    assert_memory_equal(bytes, expected, 32);
}

static void test_labels_and_encoding__equal_the_known_answers(void **state)
{
    size_t length, labels = 0, encodings = 0;
    uint8_t *text = fixture_read(&length, "vectors/labels.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        if (vector_is(record, "kind", "label")) {
            check_label(record);
            labels++;
        } else {
            assert_true(vector_is(record, "kind", "encode"));
            check_encode(record);
            encodings++;
        }
    }
    assert_int_equal(labels + encodings, 21);
    assert_true(labels > 0 && encodings > 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_and_encoding__equal_the_known_answers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
