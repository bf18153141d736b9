#include "toy.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "groth16/prove_fixed.h"
#include "r1cs/stream.h"

void toy_scalar(struct fixture_json value, struct cuzk_fr *out)
{
    uint8_t bytes[32];

    fixture_json_hex(value, bytes, sizeof bytes);
    assert_true(cuzk_fr_from_bytes(bytes, out));
}

static void load_r1cs(struct toy *toy)
{
    size_t length;
    char *file = fixture_json_string(fixture_json_get(toy->json, "r1cs_file"));
    uint8_t *stream = fixture_read(&length, "groth16/toy/%s", file);
    struct cuzk_r1cs_builder *builder;
    struct cuzk_stream_counts counts;
    struct cuzk_error err;

    assert_int_equal(cuzk_r1cs_builder_create(&builder, &err), CUZK_OK);
    const struct cuzk_constraint_sink sink = cuzk_r1cs_builder_sink(builder);
    assert_int_equal(cuzk_stream_decode(stream, length, &sink, &counts, &err), CUZK_OK);
    assert_int_equal(cuzk_r1cs_builder_finish(
                         builder, (uint32_t)fixture_json_u64(fixture_json_get(toy->json, "inputs")),
                         (uint32_t)fixture_json_u64(fixture_json_get(toy->json, "aux")), &toy->r1cs, &err),
                     CUZK_OK);
    cuzk_r1cs_builder_destroy(builder);
    free(stream);
    free(file);
}

static void load_witness(struct toy *toy, bool bits)
{
    size_t length;
    uint8_t *bytes = fixture_read(&length, "groth16/toy/%s.wit", toy->name);
    const uint32_t inputs = toy->r1cs->inputs, aux = toy->r1cs->aux;
    struct cuzk_fr *values = calloc(inputs + aux, sizeof *values), one;
    uint64_t *map = calloc(aux / 64 + 1, sizeof *map);
    struct cuzk_error err;

    assert_int_equal(length, 32 * ((size_t)inputs + aux));
    cuzk_fr_one(&one);
    for (uint32_t k = 0; k < inputs + aux; k++)
        assert_true(cuzk_fr_from_bytes(bytes + 32 * k, &values[k]));
    for (uint32_t k = 0, turn = 0; bits && k < aux; k++) {
        if (cuzk_fr_is_zero(&values[inputs + k]) || cuzk_fr_equal(&values[inputs + k], &one))
            map[k / 64] |= (uint64_t)(++turn % 4 != 0) << (k % 64);
    }
    assert_int_equal(cuzk_witness_layout_create(inputs, aux, map, &toy->layout, &err), CUZK_OK);
    assert_int_equal(cuzk_witness_create(&toy->layout, &toy->witness, &err), CUZK_OK);
    assert_int_equal(cuzk_witness_compact(&toy->layout, values, values + inputs, &toy->witness, &err),
                     CUZK_OK);
    free(map);
    free(values);
    free(bytes);
}

static void load(struct fixture_json json, bool bits, struct toy *out)
{
    *out = (struct toy){.json = json, .name = fixture_json_string(fixture_json_get(json, "name"))};
    load_r1cs(out);
    load_witness(out, bits);
    const struct fixture_json toxic = fixture_json_get(json, "toxic");
    toy_scalar(fixture_json_get(toxic, "alpha"), &out->toxic.alpha);
    toy_scalar(fixture_json_get(toxic, "beta"), &out->toxic.beta);
    toy_scalar(fixture_json_get(toxic, "gamma"), &out->toxic.gamma);
    toy_scalar(fixture_json_get(toxic, "delta"), &out->toxic.delta);
    toy_scalar(fixture_json_get(toxic, "tau"), &out->toxic.tau);
}

void toy_free(struct toy *toy)
{
    cuzk_witness_destroy(&toy->witness);
    cuzk_witness_layout_destroy(&toy->layout);
    cuzk_r1cs_destroy(toy->r1cs);
    free(toy->name);
}

static char *lines; /* kept: json slices point into it */

static char *toy_lines(void)
{
    size_t length;

    free(lines);
    lines = (char *)fixture_read(&length, "groth16/toy/toy.jsonl");
    return lines;
}

void toy_each(bool bits, void (*body)(struct toy *toy))
{
    char *cursor = toy_lines(), *line;
    unsigned seen = 0;

    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json json = fixture_json_parse(line);
        struct toy toy;
        if (fixture_json_get(json, "r1cs_file").text == NULL)
            continue;
        load(json, bits, &toy);
        body(&toy);
        toy_free(&toy);
        seen++;
    }
    assert_int_equal(seen, 5);
}

void toy_load(const char *name, bool bits, struct toy *out)
{
    char *cursor = toy_lines(), *line;

    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json json = fixture_json_parse(line);
        char *found = fixture_json_string(fixture_json_get(json, "name"));
        const int same = strcmp(found, name) == 0;
        free(found);
        if (!same)
            continue;
        load(json, bits, out);
        return;
    }
    fail_msg("no toy circuit %s", name);
}

void toy_assert_proofs(const struct toy *toy, struct cuzk_prover *prover)
{
    struct fixture_json record = {0};
    struct cuzk_error err;
    unsigned seen = 0;

    while (fixture_json_next(fixture_json_get(toy->json, "proofs"), &record)) {
        uint8_t expected[CUZK_PROOF_BYTES], proof[CUZK_PROOF_BYTES];
        struct cuzk_fr r, s;
        toy_scalar(fixture_json_get(record, "r"), &r);
        toy_scalar(fixture_json_get(record, "s"), &s);
        fixture_json_hex(fixture_json_get(record, "proof"), expected, sizeof expected);
        assert_int_equal(cuzk_prover_prove_fixed(prover, &toy->witness, &r, &s, NULL, proof, &err), CUZK_OK);
        assert_memory_equal(proof, expected, sizeof proof);
        seen++;
    }
    assert_true(seen >= 3);
}

static void reserve(struct memory *memory, size_t length)
{
    if (length <= memory->capacity)
        return;
    memory->capacity = 2 * length;
    memory->bytes = realloc(memory->bytes, memory->capacity);
    assert_non_null(memory->bytes);
}

static enum cuzk_status append(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct memory *memory = context;

    (void)err;
    reserve(memory, memory->length + n);
    memcpy(memory->bytes + memory->length, bytes, n);
    memory->length += n;
    return CUZK_OK;
}

struct cuzk_sink memory_sink(struct memory *memory)
{
    return (struct cuzk_sink){append, memory};
}

static enum cuzk_status put(void *context, uint64_t offset, const void *bytes, size_t n,
                            struct cuzk_error *err)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct memory *memory = context;

    (void)err;
    pthread_mutex_lock(&lock);
    reserve(memory, offset + n);
    memcpy(memory->bytes + offset, bytes, n);
    if (memory->length < offset + n)
        memory->length = offset + n;
    pthread_mutex_unlock(&lock);
    return CUZK_OK;
}

struct cuzk_store memory_store(struct memory *memory)
{
    return (struct cuzk_store){put, NULL, memory};
}
