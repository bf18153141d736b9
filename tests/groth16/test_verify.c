/* Verification against the reference's answers: single proofs, batches, and every fixture proof. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "curve/generator.h"
#include "groth16/verify.h"
#include "support/fixture.h"

static struct cuzk_pool *pool;

/* The status that an expectation of the fixtures stands for. */
static enum cuzk_status status_of(struct fixture_json expected)
{
    char *text = fixture_json_string(expected);
    enum cuzk_status status = CUZK_INTERNAL;

    if (strcmp(text, "accept") == 0)
        status = CUZK_OK;
    else if (strcmp(text, "reject") == 0)
        status = CUZK_INVALID;
    else if (strcmp(text, "parse-error") == 0)
        status = CUZK_INPUT;
    assert_int_not_equal(status, CUZK_INTERNAL);
    free(text);
    return status;
}

static struct cuzk_fr *read_inputs(struct fixture_json list, size_t *count, enum cuzk_status *status,
                                   struct cuzk_error *err)
{
    struct fixture_json element = {0};
    uint8_t(*bytes)[CUZK_FR_BYTES];
    struct cuzk_fr *inputs;
    size_t i = 0;

    *count = fixture_json_count(list);
    bytes = malloc((*count + 1) * sizeof *bytes);
    inputs = malloc((*count + 1) * sizeof *inputs);
    assert_non_null(bytes);
    assert_non_null(inputs);
    while (fixture_json_next(list, &element))
        fixture_json_hex(element, bytes[i++], CUZK_FR_BYTES);
    *status = cuzk_public_inputs_decode((const uint8_t(*)[CUZK_FR_BYTES])bytes, *count, inputs, err);
    free(bytes);
    return inputs;
}

/* The key of a case, with its edits; read as the head of a larger file unless `alone`. */
static enum cuzk_status read_key(struct fixture_json item, bool alone, struct cuzk_prepared_vk **out,
                                 struct cuzk_error *err)
{
    char *name = fixture_json_string(fixture_json_get(item, "vk"));
    const struct fixture_json set = fixture_json_get(item, "vk_set"),
                              truncate = fixture_json_get(item, "vk_truncate"),
                              append = fixture_json_get(item, "vk_append");
    size_t n, extra = 0;
    uint8_t *data = fixture_read(&n, "groth16/%s", name), *more = NULL;
    struct fixture_json edit = {0};
    struct cuzk_bytes bytes;
    struct cuzk_vk vk;

    *out = NULL;
    if (set.text != NULL && !fixture_json_is_null(set))
        while (fixture_json_next(set, &edit)) {
            const uint64_t offset = fixture_json_u64(fixture_json_at(edit, 0));
            size_t length;
            uint8_t *patch = fixture_json_hex_any(fixture_json_at(edit, 1), &length);
            assert_true(offset + length <= n);
            memcpy(data + offset, patch, length);
            free(patch);
        }
    if (truncate.text != NULL && !fixture_json_is_null(truncate))
        n = fixture_json_u64(truncate);
    if (append.text != NULL && !fixture_json_is_null(append))
        more = fixture_json_hex_any(append, &extra);
    uint8_t *exact = malloc(n + extra + 1);
    assert_non_null(exact);
    memcpy(exact, data, n);
    if (extra != 0)
        memcpy(exact + n, more, extra);
    cuzk_bytes_init(&bytes, name, exact, n + extra);
    enum cuzk_status status = cuzk_vk_decode(&bytes, &vk, err);
    if (status == CUZK_OK && alone)
        status = cuzk_bytes_end(&bytes, err);
    if (status == CUZK_OK)
        assert_int_equal(cuzk_prepared_vk_create(NULL, &vk, out, err), CUZK_OK);
    cuzk_vk_destroy(&vk);
    free(exact);
    free(more);
    free(data);
    free(name);
    return status;
}

static enum cuzk_status run_case(struct fixture_json item, bool alone, struct cuzk_error *err)
{
    struct cuzk_prepared_vk *vk = NULL;
    size_t length, count;
    uint8_t *proof = fixture_json_hex_any(fixture_json_get(item, "proof"), &length);
    enum cuzk_status status;
    struct cuzk_fr *inputs = read_inputs(fixture_json_get(item, "inputs"), &count, &status, err);

    if (status == CUZK_OK)
        status = read_key(item, alone, &vk, err);
    if (status == CUZK_OK) {
        const struct cuzk_public_inputs in = {inputs, count};
        status = cuzk_verify(vk, &in, proof, length, err);
        /* the same through the batch */
        if (length == CUZK_PROOF_BYTES) {
            uint8_t twice[2 * CUZK_PROOF_BYTES];
            memcpy(twice, proof, length);
            memcpy(twice + length, proof, length);
            const struct cuzk_public_inputs both[2] = {in, in};
            assert_int_equal(cuzk_verify_many(NULL, vk, both, 2, twice, sizeof twice, 2, NULL), status);
        }
    }
    cuzk_prepared_vk_destroy(vk);
    free(inputs);
    free(proof);
    return status;
}

static void test_verify__answers_as_the_reference(void **state)
{
    size_t n;
    char *data = (char *)fixture_read(&n, "groth16/verify/cases.jsonl"), *cursor = data, *line;
    int seen[3] = {0};

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json item = fixture_json_parse(line);
        char *name = fixture_json_string(fixture_json_get(item, "name"));
        enum cuzk_status expected = status_of(fixture_json_get(item, "expected"));
        struct cuzk_error err = {0};

        if (strcmp(name, "vk-alpha-compressed-in-slot") == 0) /* the strict reader that its note allows */
            expected = CUZK_INPUT;
        const enum cuzk_status status = run_case(item, false, &err);
        if (status != expected)
            print_message("%s: %s: %s\n", name, cuzk_status_text(status), err.message);
        assert_int_equal(status, expected);
        if (status != CUZK_OK)
            assert_true(strlen(err.message) > 10);
        if (strcmp(name, "vk-trailing-bytes") == 0)
            assert_int_equal(run_case(item, true, &err), CUZK_INPUT);
        seen[status == CUZK_OK ? 0 : status == CUZK_INVALID ? 1 : 2]++;
        free(name);
    }
    free(data);
    print_message("accepted %d, rejected %d, refused %d\n", seen[0], seen[1], seen[2]);
    assert_true(seen[0] >= 5 && seen[1] >= 20 && seen[2] >= 40);
}

static void test_verify_many__answers_as_the_reference(void **state)
{
    size_t n;
    char *data = (char *)fixture_read(&n, "groth16/verify/multi.jsonl"), *cursor = data, *line;
    int cases = 0;

    (void)state;
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json item = fixture_json_parse(line), lists = fixture_json_get(item, "inputs");
        char *name = fixture_json_string(fixture_json_get(item, "name"));
        const enum cuzk_status expected = status_of(fixture_json_get(item, "expected"));
        const size_t count = fixture_json_u64(fixture_json_get(item, "count")),
                     lists_count = fixture_json_count(lists);
        struct cuzk_public_inputs *inputs = calloc(lists_count, sizeof *inputs);
        struct cuzk_fr **values = calloc(lists_count, sizeof *values);
        struct fixture_json list = {0};
        struct cuzk_error err = {0};
        struct cuzk_prepared_vk *vk;
        enum cuzk_status status;
        size_t length, i = 0;
        uint8_t *proofs = fixture_json_hex_any(fixture_json_get(item, "proofs"), &length);

        assert_non_null(inputs);
        assert_non_null(values);
        while (fixture_json_next(lists, &list)) {
            values[i] = read_inputs(list, &inputs[i].count, &status, &err);
            assert_int_equal(status, CUZK_OK);
            inputs[i].values = values[i];
            i++;
        }
        assert_int_equal(read_key(item, true, &vk, &err), CUZK_OK);
        for (int with_pool = 0; with_pool < 2; with_pool++) {
            status = cuzk_verify_many(with_pool ? pool : NULL, vk, inputs, lists_count, proofs, length, count,
                                      &err);
            if (status != expected)
                print_message("%s: %s: %s\n", name, cuzk_status_text(status), err.message);
            assert_int_equal(status, expected);
        }
        cuzk_prepared_vk_destroy(vk);
        for (i = 0; i < lists_count; i++)
            free(values[i]);
        free(values);
        free(inputs);
        free(proofs);
        free(name);
        cases++;
    }
    free(data);
    assert_true(cases >= 14);
}

/* Every proof of the real circuits, alone; and those of one circuit together. */
static void verify_file(const char *path, int *verified)
{
    enum { MOST = 64 };
    size_t n;
    char *data = (char *)fixture_read(&n, "%s", path), *cursor = data, *line;
    struct cuzk_public_inputs inputs[MOST];
    uint8_t proofs[MOST * CUZK_PROOF_BYTES];
    struct cuzk_prepared_vk *vk = NULL;
    char *circuit = NULL;
    size_t held = 0;
    struct cuzk_error err;

    for (;;) {
        line = fixture_line(&cursor);
        const struct fixture_json item = line != NULL ? fixture_json_parse(line) : (struct fixture_json){0};
        char *name = line != NULL ? fixture_json_string(fixture_json_get(item, "circuit")) : NULL;
        if (name == NULL || circuit == NULL || strcmp(name, circuit) != 0) {
            if (held > 0) {
                assert_int_equal(
                    cuzk_verify_many(pool, vk, inputs, held, proofs, held * CUZK_PROOF_BYTES, held, &err),
                    CUZK_OK);
                proofs[held * CUZK_PROOF_BYTES - 1] ^= 1; /* some other C, or no point */
                assert_int_not_equal(
                    cuzk_verify_many(pool, vk, inputs, held, proofs, held * CUZK_PROOF_BYTES, held, &err),
                    CUZK_OK);
            }
            for (size_t i = 0; i < held; i += 2)
                free((void *)(uintptr_t)inputs[i].values);
            held = 0;
            cuzk_prepared_vk_destroy(vk);
            vk = NULL;
            free(circuit);
            circuit = name;
            if (name == NULL)
                break;
            size_t length;
            uint8_t *key = fixture_read(&length, "groth16/%s/vk.bin", circuit);
            struct cuzk_bytes bytes;
            struct cuzk_vk decoded;
            cuzk_bytes_init(&bytes, circuit, key, length);
            assert_int_equal(cuzk_vk_decode(&bytes, &decoded, &err), CUZK_OK);
            assert_int_equal(cuzk_prepared_vk_create(pool, &decoded, &vk, &err), CUZK_OK);
            cuzk_vk_destroy(&decoded);
            free(key);
        } else {
            free(name);
        }
        enum cuzk_status status;
        size_t count;
        struct cuzk_fr *values = read_inputs(fixture_json_get(item, "public_inputs"), &count, &status, &err);
        assert_int_equal(status, CUZK_OK);
        assert_int_equal(cuzk_prepared_vk_inputs(vk), count);
        const struct fixture_json list = fixture_json_get(item, "proofs");
        assert_int_equal(fixture_json_count(list), 2);
        for (size_t i = 0; i < 2; i++) {
            uint8_t *proof = proofs + held * CUZK_PROOF_BYTES;
            fixture_json_hex(fixture_json_get(fixture_json_at(list, i), "proof"), proof, CUZK_PROOF_BYTES);
            inputs[held] = (struct cuzk_public_inputs){values, count};
            assert_int_equal(cuzk_verify(vk, &inputs[held], proof, CUZK_PROOF_BYTES, &err), CUZK_OK);
            /* a changed public input is refused */
            const struct cuzk_fr kept = values[count - 1];
            struct cuzk_fr one;
            cuzk_fr_one(&one);
            cuzk_fr_add(&kept, &one, &values[count - 1]);
            assert_int_equal(cuzk_verify(vk, &inputs[held], proof, CUZK_PROOF_BYTES, &err), CUZK_INVALID);
            values[count - 1] = kept;
            /* the bytes are the canonical ones */
            struct cuzk_proof decoded;
            uint8_t again[CUZK_PROOF_BYTES];
            assert_int_equal(cuzk_proof_decode(proof, &decoded, &err), CUZK_OK);
            cuzk_proof_encode(&decoded, again);
            assert_memory_equal(again, proof, CUZK_PROOF_BYTES);
            held++;
            (*verified)++;
        }
    }
    free(data);
}

static void test_verify__accepts_the_proofs_of_real_circuits(void **state)
{
    int verified = 0;

    (void)state;
    verify_file("groth16/proofs.jsonl", &verified);
    verify_file("groth16/proofs-ni.jsonl", &verified);
    assert_true(verified >= 2 * (9 + 13));
}

static void test_verify_many__wants_proofs(void **state)
{
    size_t n;
    uint8_t *key = fixture_read(&n, "groth16/toy/cubic.vk"), none[1] = {0};
    struct cuzk_prepared_vk *vk;
    struct cuzk_bytes bytes;
    struct cuzk_error err;
    struct cuzk_vk decoded;

    (void)state;
    cuzk_bytes_init(&bytes, "cubic.vk", key, n);
    assert_int_equal(cuzk_vk_decode(&bytes, &decoded, &err), CUZK_OK);
    for (size_t i = 0; i < 3; i++) {
        cuzk_mem_fail_after(i, 1);
        assert_int_equal(cuzk_prepared_vk_create(NULL, &decoded, &vk, &err), CUZK_MEMORY);
        assert_null(vk);
    }
    cuzk_mem_fail_after(SIZE_MAX, 0);
    assert_int_equal(cuzk_prepared_vk_create(NULL, &decoded, &vk, &err), CUZK_OK);
    assert_int_equal(cuzk_verify_many(NULL, vk, NULL, 0, none, 0, 0, &err), CUZK_ARGUMENT);
    assert_int_equal(cuzk_verify_many(NULL, vk, NULL, 0, none, 0, SIZE_MAX / 64, &err), CUZK_INPUT);
    assert_int_equal(cuzk_verify(vk, &(struct cuzk_public_inputs){NULL, 0}, none, 0, &err), CUZK_INPUT);
    cuzk_prepared_vk_destroy(vk);
    cuzk_prepared_vk_destroy(NULL);
    cuzk_vk_destroy(&decoded);
    free(key);
}

/* Ten copies of a good proof of the cubic circuit, for the tests below. */
struct ten {
    struct cuzk_prepared_vk *vk;
    struct cuzk_fr *values;
    struct cuzk_public_inputs inputs[10];
    uint8_t proofs[10 * CUZK_PROOF_BYTES];
};

static void make_ten(struct ten *ten)
{
    size_t n, length, count;
    char *data = (char *)fixture_read(&n, "groth16/verify/multi.jsonl"), *cursor = data;
    const struct fixture_json item = fixture_json_parse(fixture_line(&cursor));
    uint8_t *proofs = fixture_json_hex_any(fixture_json_get(item, "proofs"), &length);
    enum cuzk_status status;
    struct cuzk_error err;

    ten->values = read_inputs(fixture_json_at(fixture_json_get(item, "inputs"), 0), &count, &status, &err);
    assert_int_equal(status, CUZK_OK);
    for (size_t i = 0; i < 10; i++) {
        memcpy(ten->proofs + i * CUZK_PROOF_BYTES, proofs, CUZK_PROOF_BYTES);
        ten->inputs[i] = (struct cuzk_public_inputs){ten->values, count};
    }
    assert_int_equal(read_key(item, true, &ten->vk, &err), CUZK_OK);
    free(proofs);
    free(data);
}

static void free_ten(struct ten *ten)
{
    cuzk_prepared_vk_destroy(ten->vk);
    free(ten->values);
}

static enum cuzk_status verify_ten(const struct ten *ten, struct cuzk_error *err)
{
    return cuzk_verify_many(NULL, ten->vk, ten->inputs, 10, ten->proofs, sizeof ten->proofs, 10, err);
}

/* Whatever is wrong with others, the first bad proof is named. */
static void test_verify_many__names_the_first_bad_proof(void **state)
{
    struct cuzk_fr wrong[8];
    struct cuzk_error err;
    struct ten ten;

    (void)state;
    make_ten(&ten);
    assert_int_equal(verify_ten(&ten, &err), CUZK_OK);
    cuzk_fr_zero(&wrong[0]);
    ten.inputs[3].values = wrong;
    ten.inputs[7].values = wrong;
    assert_int_equal(ten.inputs[3].count, 1);
    assert_int_equal(verify_ten(&ten, &err), CUZK_INVALID);
    assert_non_null(strstr(err.message, "proof 4 of 10"));
    ten.proofs[8 * CUZK_PROOF_BYTES + 10] ^= 1; /* A */
    ten.proofs[6 * CUZK_PROOF_BYTES + 60] ^= 1; /* B */
    assert_int_equal(verify_ten(&ten, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "proof 7 of 10: proof: B at offset 48"));
    free_ten(&ten);
}

static void test_verify_many__reports_lack_of_memory(void **state)
{
    struct cuzk_error err;
    struct ten ten;
    size_t i = 0;

    (void)state;
    make_ten(&ten);
    const size_t in_use = cuzk_mem_in_use();
    for (;; i++) {
        cuzk_mem_fail_after(i, 1);
        const enum cuzk_status status = verify_ten(&ten, &err);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_true(cuzk_mem_in_use() == in_use);
        if (status == CUZK_OK)
            break;
        assert_int_equal(status, CUZK_MEMORY);
    }
    assert_true(i >= 7);
    free_ten(&ten);
}

/* ---- a key of so many inputs that it has no tables ---- */

enum { MANY = 5000 };

/* Everything is a known multiple of a generator: ic[i] = (i + 1) G, alpha = 2 G, beta = 3 G, gamma = 5 G,
 * delta = 7 G; A = G, B = G2 and C, which is what the equation asks for. */
static void make_wide(struct cuzk_fr *inputs, struct cuzk_vk *vk, uint8_t proof[CUZK_PROOF_BYTES])
{
    struct cuzk_fr factor, sum, seven, t;
    struct cuzk_g1 point, *points;
    struct cuzk_proof decoded;
    struct cuzk_error err;

    *vk = (struct cuzk_vk){.ic_count = MANY + 1};
    points = malloc((MANY + 1) * sizeof *points);
    assert_non_null(points);
    assert_int_equal(CUZK_NEW(&vk->ic, MANY + 1, "ic", &err), CUZK_OK);
    cuzk_fr_one(&sum);
    cuzk_g1_generator_multiple(&sum, &decoded.a);
    cuzk_g2_generator_multiple(&sum, &decoded.b);
    cuzk_g1_from_affine(&decoded.a, &point);
    for (size_t i = 0; i <= MANY; i++) {
        points[i] = point;
        cuzk_g1_add_mixed(&point, &decoded.a, &point);
    }
    cuzk_g1_batch_to_affine(points, MANY + 1, vk->ic);
    free(points);
    cuzk_fr_from_u64(2, &t);
    cuzk_g1_generator_multiple(&t, &vk->alpha_g1);
    cuzk_fr_from_u64(3, &t);
    cuzk_g2_generator_multiple(&t, &vk->beta_g2);
    cuzk_fr_from_u64(5, &t);
    cuzk_g2_generator_multiple(&t, &vk->gamma_g2);
    cuzk_fr_from_u64(7, &seven);
    cuzk_g2_generator_multiple(&seven, &vk->delta_g2);

    for (size_t i = 0; i < MANY; i++) { /* large and small ones, and zeros */
        cuzk_fr_from_u64(i % 7, &inputs[i]);
        if (i % 3 != 0)
            cuzk_fr_inverse(&inputs[i], &inputs[i]);
        cuzk_fr_from_u64(i + 2, &factor);
        cuzk_fr_mul(&factor, &inputs[i], &factor);
        cuzk_fr_add(&sum, &factor, &sum);
    }
    /* 1 = 6 + 5 sum + 7 c */
    cuzk_fr_from_u64(5, &t);
    cuzk_fr_mul(&sum, &t, &sum);
    cuzk_fr_add(&sum, &t, &sum);
    cuzk_fr_neg(&sum, &sum);
    cuzk_fr_inverse(&seven, &seven);
    cuzk_fr_mul(&sum, &seven, &sum);
    cuzk_g1_generator_multiple(&sum, &decoded.c);
    cuzk_proof_encode(&decoded, proof);
}

static void test_verify__holds_with_thousands_of_inputs(void **state)
{
    static const size_t changed[] = {0, MANY / 2, MANY - 1};
    uint8_t proofs[2 * CUZK_PROOF_BYTES];
    struct cuzk_prepared_vk *prepared;
    struct cuzk_fr *inputs = malloc(MANY * sizeof *inputs), one;
    struct cuzk_error err;
    struct cuzk_vk vk;

    (void)state;
    assert_non_null(inputs);
    make_wide(inputs, &vk, proofs);
    memcpy(proofs + CUZK_PROOF_BYTES, proofs, CUZK_PROOF_BYTES);
    assert_int_equal(cuzk_prepared_vk_create(pool, &vk, &prepared, &err), CUZK_OK);
    cuzk_vk_destroy(&vk);
    const struct cuzk_public_inputs in[2] = {{inputs, MANY}, {inputs, MANY}};
    assert_int_equal(cuzk_verify(prepared, in, proofs, CUZK_PROOF_BYTES, &err), CUZK_OK);
    assert_int_equal(cuzk_verify_many(pool, prepared, in, 2, proofs, sizeof proofs, 2, &err), CUZK_OK);
    cuzk_fr_one(&one);
    for (size_t k = 0; k < sizeof changed / sizeof changed[0]; k++) {
        const struct cuzk_fr right = inputs[changed[k]];
        cuzk_fr_add(&right, &one, &inputs[changed[k]]);
        assert_int_equal(cuzk_verify(prepared, in, proofs, CUZK_PROOF_BYTES, &err), CUZK_INVALID);
        assert_int_equal(cuzk_verify_many(pool, prepared, in, 2, proofs, sizeof proofs, 2, &err),
                         CUZK_INVALID);
        inputs[changed[k]] = right;
    }
    cuzk_prepared_vk_destroy(prepared);
    free(inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verify__answers_as_the_reference),
        cmocka_unit_test(test_verify_many__answers_as_the_reference),
        cmocka_unit_test(test_verify__accepts_the_proofs_of_real_circuits),
        cmocka_unit_test(test_verify__holds_with_thousands_of_inputs),
        cmocka_unit_test(test_verify_many__wants_proofs),
        cmocka_unit_test(test_verify_many__names_the_first_bad_proof),
        cmocka_unit_test(test_verify_many__reports_lack_of_memory),
    };
    const enum cuzk_cpu_level best = cuzk_cpu_level();
    struct cuzk_error err;
    int failed = 0;

    if (cuzk_pool_create(3, &pool, &err) != CUZK_OK)
        return 1;
    for (enum cuzk_cpu_level level = CUZK_CPU_PORTABLE; level <= best; level++) {
        print_message("level %s\n", cuzk_cpu_level_name(cuzk_cpu_set_level(level)));
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    cuzk_pool_destroy(pool);
    return failed;
}
