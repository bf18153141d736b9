/* SHA-256 against the standard's own examples, known answers, and one level of the processor against another.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "hash/sha256.h"
#include "support/fixture.h"
#include "support/random.h"

static struct test_random rng;

static void check_digest(const char *text, size_t repeat, const char *hex)
{
    uint8_t expected[32], got[32];
    struct cuzk_sha256 hash;

    fixture_hex(hex, expected, 32);
    cuzk_sha256_init(&hash);
    for (size_t i = 0; i < repeat; i++)
        cuzk_sha256_update(&hash, text, strlen(text));
    cuzk_sha256_final(&hash, got);
    assert_memory_equal(got, expected, 32);
}

static void at_both_levels(void (*check)(void))
{
    const enum cuzk_cpu_level level = cuzk_cpu_level();

    check();
    cuzk_cpu_set_level(CUZK_CPU_PORTABLE);
    assert_false(cuzk_cpu_has_sha());
    check();
    cuzk_cpu_set_level(level);
}

static void standard_examples(void)
{
    check_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_digest("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_digest__equals_the_standards_examples(void **state)
{
    (void)state;
    at_both_levels(standard_examples);
}

static void node_vectors(void)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/sha256_node.jsonl");
    char *cursor = (char *)text, *line;

    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        uint8_t children[64], digest[32], node[32], got[32];
        fixture_json_hex(fixture_json_get(record, "left"), children, 32);
        fixture_json_hex(fixture_json_get(record, "right"), children + 32, 32);
        fixture_json_hex(fixture_json_get(record, "sha256"), digest, 32);
        fixture_json_hex(fixture_json_get(record, "node"), node, 32);
        cuzk_sha256_digest(children, 64, got);
        assert_memory_equal(got, digest, 32);
        cuzk_sha256_node(children, got);
        assert_memory_equal(got, node, 32);
        cuzk_sha256_node(children, children + 32); /* in place */
        assert_memory_equal(children + 32, node, 32);
        lines++;
    }
    assert_int_equal(lines, 20);
    free(text);
}

static void test_node__equals_the_known_answers(void **state)
{
    (void)state;
    at_both_levels(node_vectors);
}

static void test_update__cut_anywhere_gives_the_same_digest(void **state)
{
    uint8_t bytes[400], whole[32], parts[32];
    const enum cuzk_cpu_level level = cuzk_cpu_level();

    (void)state;
    for (int round = 0; round < 2000; round++) {
        const size_t n = test_random_below(&rng, sizeof bytes + 1);
        struct cuzk_sha256 hash;
        test_random_bytes(&rng, bytes, sizeof bytes);
        cuzk_sha256_digest(bytes, n, whole);
        cuzk_cpu_set_level(CUZK_CPU_PORTABLE);
        cuzk_sha256_init(&hash);
        for (size_t at = 0; at < n;) {
            const size_t part = test_random_below(&rng, n - at + 1);
            cuzk_sha256_update(&hash, bytes + at, part);
            at += part;
        }
        cuzk_sha256_final(&hash, parts);
        cuzk_cpu_set_level(level);
        assert_memory_equal(whole, parts, 32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digest__equals_the_standards_examples),
        cmocka_unit_test(test_node__equals_the_known_answers),
        cmocka_unit_test(test_update__cut_anywhere_gives_the_same_digest),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
