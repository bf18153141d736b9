/* Poseidon against known answers of the reference, and the optimised form against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"
#include "support/fixture.h"
#include "support/random.h"

static struct test_random rng;

static void absorb(struct cuzk_sha256 *hash, const struct cuzk_fr *elements, size_t n)
{
    uint8_t bytes[32];

    for (size_t i = 0; i < n; i++) {
        cuzk_fr_to_bytes(&elements[i], bytes);
        cuzk_sha256_update(hash, bytes, 32);
    }
}

static void expect_digest(struct cuzk_sha256 *hash, struct fixture_json record, const char *name)
{
    uint8_t got[32], expected[32];

    fixture_json_hex(fixture_json_get(record, name), expected, 32);
    cuzk_sha256_final(hash, got);
    assert_memory_equal(got, expected, 32);
}

static void test_constants__equal_the_digests_of_the_reference(void **state)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/poseidon_constants.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        const struct cuzk_poseidon *p =
            cuzk_poseidon_instance((unsigned)fixture_json_u64(fixture_json_get(record, "arity")));
        struct cuzk_sha256 hash;
        char *tag_name = fixture_json_string(fixture_json_get(record, "tag"));
        uint8_t expected_tag[32], tag_bytes[32];
        struct cuzk_fr tag;

        assert_non_null(p);
        assert_int_equal(p->partial_rounds, fixture_json_u64(fixture_json_get(record, "partial_rounds")));
        assert_int_equal(p->width, fixture_json_u64(fixture_json_get(record, "width")));
        assert_int_equal(p->compressed_count,
                         fixture_json_u64(fixture_json_get(record, "compressed_round_constants")));
        cuzk_poseidon_tag(
            p, strcmp(tag_name, "merkle") == 0 ? CUZK_POSEIDON_MERKLE : CUZK_POSEIDON_RANDOMNESS, &tag);
        cuzk_fr_to_bytes(&tag, tag_bytes);
        fixture_json_hex(fixture_json_get(record, "domain_tag"), expected_tag, 32);
        assert_memory_equal(tag_bytes, expected_tag, 32);

        cuzk_sha256_init(&hash);
        absorb(&hash, p->round_constants, (CUZK_POSEIDON_FULL_ROUNDS + p->partial_rounds) * p->width);
        expect_digest(&hash, record, "round_constants_sha256");
        cuzk_sha256_init(&hash);
        for (unsigned i = 0; i < p->width; i++)
            absorb(&hash, p->mds[i], p->width);
        expect_digest(&hash, record, "mds_sha256");
        cuzk_sha256_init(&hash);
        absorb(&hash, p->compressed, p->compressed_count);
        expect_digest(&hash, record, "compressed_sha256");
        cuzk_sha256_init(&hash);
        for (unsigned i = 0; i < p->width; i++)
            absorb(&hash, p->pre_sparse[i], p->width);
        expect_digest(&hash, record, "pre_sparse_sha256");
        cuzk_sha256_init(&hash);
        for (unsigned i = 0; i < p->partial_rounds; i++) {
            absorb(&hash, p->sparse[i].column, p->width);
            absorb(&hash, p->sparse[i].row, p->arity);
        }
        expect_digest(&hash, record, "sparse_sha256");
        free(tag_name);
        lines++;
    }
    assert_int_equal(lines, 5);
    free(text);
}

static void test_hash__equals_the_known_answers(void **state)
{
    size_t length, lines = 0;
    uint8_t *text = fixture_read(&length, "vectors/poseidon.jsonl");
    char *cursor = (char *)text, *line;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        const struct fixture_json in = fixture_json_get(record, "in");
        const struct cuzk_poseidon *p =
            cuzk_poseidon_instance((unsigned)fixture_json_u64(fixture_json_get(record, "arity")));
        char *tag = fixture_json_string(fixture_json_get(record, "tag"));
        struct cuzk_fr inputs[CUZK_POSEIDON_MAX_ARITY], out;
        struct fixture_json element = {0};
        uint8_t bytes[32], expected[32];
        unsigned n = 0;

        assert_non_null(p);
        while (fixture_json_next(in, &element)) {
            assert_true(n < p->arity);
            fixture_json_hex(element, bytes, 32);
            assert_true(cuzk_fr_from_bytes(bytes, &inputs[n++]));
        }
        assert_int_equal(n, p->arity);
        if (strcmp(tag, "merkle") == 0)
            cuzk_poseidon_hash(p, inputs, &out);
        else
            cuzk_poseidon_randomness(inputs, &out);
        fixture_json_hex(fixture_json_get(record, "out"), expected, 32);
        cuzk_fr_to_bytes(&out, bytes);
        assert_memory_equal(bytes, expected, 32);
        free(tag);
        lines++;
    }
    assert_int_equal(lines, 100);
    free(text);
}

static void test_permute__equals_the_definition(void **state)
{
    static const unsigned arities[] = {2, 4, 8, 11};

    (void)state;
    for (int round = 0; round < 100; round++) {
        const struct cuzk_poseidon *p = cuzk_poseidon_instance(arities[round % 4]);
        struct cuzk_fr fast[CUZK_POSEIDON_MAX_WIDTH], plain[CUZK_POSEIDON_MAX_WIDTH];
        for (unsigned i = 0; i < p->width; i++) {
            uint8_t bytes[64];
            test_random_bytes(&rng, bytes, sizeof bytes);
            cuzk_fr_from_wide_bytes(bytes, &fast[i]);
            plain[i] = fast[i];
        }
        cuzk_poseidon_permute(p, fast);
        cuzk_poseidon_permute_plain(p, plain);
        for (unsigned i = 0; i < p->width; i++)
            assert_true(cuzk_fr_equal(&fast[i], &plain[i]));
    }
}

/* Elements near 0 and r among random ones. */
static void draw(struct cuzk_fr *out)
{
    uint8_t bytes[64];
    struct cuzk_fr one;

    switch (test_random_below(&rng, 8)) {
    case 0:
        cuzk_fr_from_u64(test_random_below(&rng, 3), out);
        break;
    case 1: /* r - 1 */
        cuzk_fr_one(&one);
        cuzk_fr_neg(&one, out);
        break;
    case 2: /* the largest limbs that a Montgomery form has */
        *out = (struct cuzk_fr){CUZK_FR_MODULUS};
        out->l[0]--;
        break;
    default:
        test_random_bytes(&rng, bytes, sizeof bytes);
        cuzk_fr_from_wide_bytes(bytes, out);
    }
}

static void test_hash_many__equals_one_by_one_at_every_level(void **state)
{
    static const unsigned arities[] = {2, 4, 8, 11};
    enum { MOST = 41 };
    const enum cuzk_cpu_level level = cuzk_cpu_level();
    struct cuzk_fr *inputs = malloc(MOST * CUZK_POSEIDON_MAX_ARITY * sizeof *inputs);
    struct cuzk_fr expected[MOST], got[MOST];

    (void)state;
    for (unsigned round = 0; round < 60; round++) {
        const struct cuzk_poseidon *p = cuzk_poseidon_instance(arities[round % 4]);
        const size_t n = test_random_below(&rng, MOST + 1);
        for (size_t i = 0; i < n * p->arity; i++)
            draw(&inputs[i]);
        for (size_t i = 0; i < n; i++)
            cuzk_poseidon_hash(p, inputs + i * p->arity, &expected[i]);
        for (int forced = CUZK_CPU_PORTABLE; forced <= (int)level; forced++) {
            cuzk_cpu_set_level((enum cuzk_cpu_level)forced);
            memset(got, 0xff, sizeof got);
            cuzk_poseidon_hash_many(p, inputs, n, got);
            for (size_t i = 0; i < n; i++)
                assert_true(cuzk_fr_equal(&got[i], &expected[i]));
        }
        cuzk_cpu_set_level(level);
    }
    free(inputs);
}

/* The permutation as its circuit has it, from the definition's parts. */
static void test_trace_many__equals_the_permutation_at_every_level(void **state)
{
    static const unsigned arities[] = {2, 4, 8, 11}, counts[] = {311, 377, 505, 598};
    enum { MOST = 19 };
    const enum cuzk_cpu_level level = cuzk_cpu_level();
    const size_t room = (size_t)MOST * 598;
    struct cuzk_fr *inputs = malloc(MOST * CUZK_POSEIDON_MAX_ARITY * sizeof *inputs);
    struct cuzk_fr *expected = malloc(room * sizeof *expected), *got = malloc(room * sizeof *got);
    struct cuzk_fr *places[MOST], fifth, hash;

    (void)state;
    for (unsigned round = 0; round < 40; round++) {
        const struct cuzk_poseidon *p = cuzk_poseidon_instance(arities[round % 4]);
        const size_t n = test_random_below(&rng, MOST + 1), count = cuzk_poseidon_trace_count(p);
        assert_int_equal(count, counts[round % 4]);
        for (size_t i = 0; i < n * p->arity; i++)
            draw(&inputs[i]);
        for (int forced = CUZK_CPU_PORTABLE; forced <= (int)level; forced++) {
            cuzk_cpu_set_level((enum cuzk_cpu_level)forced);
            memset(got, 0xff, room * sizeof *got);
            for (size_t i = 0; i < n; i++)
                places[i] = got + i * count;
            cuzk_poseidon_trace_many(p, CUZK_POSEIDON_MERKLE, inputs, n, places);
            if (forced == CUZK_CPU_PORTABLE)
                memcpy(expected, got, room * sizeof *got);
            assert_memory_equal(got, expected, room * sizeof *got);
        }
        cuzk_cpu_set_level(level);
        for (size_t i = 0; i < n; i++) {
            const struct cuzk_fr *values = expected + i * count;
            cuzk_poseidon_hash(p, inputs + i * p->arity, &hash);
            assert_true(cuzk_fr_equal(&values[count - 1], &hash));
            /* the last S-boxes have no key: x, x^2, x^4, x^5 */
            cuzk_fr_sqr(&values[count - 5], &fifth);
            assert_true(cuzk_fr_equal(&fifth, &values[count - 4]));
            cuzk_fr_sqr(&fifth, &fifth);
            assert_true(cuzk_fr_equal(&fifth, &values[count - 3]));
            cuzk_fr_mul(&fifth, &values[count - 5], &fifth);
            assert_true(cuzk_fr_equal(&fifth, &values[count - 2]));
        }
    }
    free(inputs);
    free(expected);
    free(got);
}

static void test_instance__of_another_arity_is_null(void **state)
{
    (void)state;
    assert_null(cuzk_poseidon_instance(0));
    assert_null(cuzk_poseidon_instance(3));
    assert_null(cuzk_poseidon_instance(12));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants__equal_the_digests_of_the_reference),
        cmocka_unit_test(test_hash__equals_the_known_answers),
        cmocka_unit_test(test_permute__equals_the_definition),
        cmocka_unit_test(test_hash_many__equals_one_by_one_at_every_level),
        cmocka_unit_test(test_trace_many__equals_the_permutation_at_every_level),
        cmocka_unit_test(test_instance__of_another_arity_is_null),
    };

    test_random_init(&rng);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
