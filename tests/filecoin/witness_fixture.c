#include "filecoin/witness_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hex.h"
#include "hash/sha256.h"

static uint64_t number(struct fixture_json object, const char *name)
{
    return fixture_json_u64(fixture_json_get(object, name));
}

static void compare_hex(const char *what, uint64_t index, struct fixture_json expected,
                        const uint8_t found[32])
{
    char *text = fixture_json_string(expected), hex[65];

    cuzk_hex_encode(found, 32, hex);
    if (strcmp(text, hex) != 0)
        fail_msg("%s %llu is %s, expected %s", what, (unsigned long long)index, hex, text);
    free(text);
}

/* Checkpoints are pairs [values so far, digest] or digests alone. */
static void compare_checkpoint(struct fixture_json checkpoint, uint64_t values,
                               const struct cuzk_sha256 *running)
{
    struct cuzk_sha256 copy = *running;
    uint8_t digest[32];

    cuzk_sha256_final(&copy, digest);
    if (*checkpoint.text == '[') {
        assert_int_equal(fixture_json_u64(fixture_json_at(checkpoint, 0)), values);
        checkpoint = fixture_json_at(checkpoint, 1);
    }
    compare_hex("digest of the values below", values, checkpoint, digest);
}

static void compare_values(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                           struct fixture_json expected)
{
    enum { CHUNK = 4096 };
    static struct cuzk_fr values[CHUNK];
    static uint8_t bytes[CHUNK * CUZK_FR_BYTES];
    const struct fixture_json every_json = fixture_json_get(expected, "checkpoint_every");
    const uint64_t every = every_json.text ? fixture_json_u64(every_json) : 0;
    const struct fixture_json checkpoints = fixture_json_get(expected, "checkpoints");
    struct fixture_json checkpoint = {0};
    struct cuzk_sha256 hash;
    struct cuzk_fr one;
    uint64_t zeros = 0, ones = 0;
    uint8_t digest[32];

    assert_int_equal(every % CHUNK, 0);
    cuzk_fr_one(&one);
    cuzk_sha256_init(&hash);
    for (uint32_t i = 0; i < layout->aux; i += CHUNK) {
        const uint32_t end = layout->aux - i < CHUNK ? layout->aux : i + CHUNK;
        cuzk_witness_expand(layout, witness, i, end, values);
        for (uint32_t k = 0; k < end - i; k++) {
            zeros += cuzk_fr_is_zero(&values[k]);
            ones += cuzk_fr_equal(&values[k], &one);
            cuzk_fr_to_bytes(&values[k], bytes + (size_t)k * CUZK_FR_BYTES);
        }
        cuzk_sha256_update(&hash, bytes, (size_t)(end - i) * CUZK_FR_BYTES);
        if (every && checkpoints.text && end % every == 0 && fixture_json_next(checkpoints, &checkpoint))
            compare_checkpoint(checkpoint, end, &hash);
    }
    cuzk_sha256_final(&hash, digest);
    compare_hex("digest of all aux values,", layout->aux, fixture_json_get(expected, "sha256"), digest);
    assert_int_equal(zeros, number(expected, "aux_zero"));
    assert_int_equal(ones, number(expected, "aux_one"));
}

static void compare_inputs(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                           struct fixture_json expected)
{
    const struct fixture_json inputs = fixture_json_get(expected, "inputs");
    struct fixture_json input = {0};
    uint32_t i = 0;

    if (!inputs.text) {
        assert_int_equal(layout->inputs, number(expected, "inputs_with_one"));
        return;
    }
    for (; fixture_json_next(inputs, &input); i++) {
        uint8_t bytes[CUZK_FR_BYTES];
        assert_true(i < layout->inputs);
        cuzk_fr_to_bytes(&witness->inputs[i], bytes);
        compare_hex("public input", i, input, bytes);
    }
    assert_int_equal(i, layout->inputs);
}

void witness_fixture_compare(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                             struct fixture_json expected)
{
    assert_int_equal(layout->aux, number(expected, "aux"));
    compare_inputs(layout, witness, expected);
    compare_values(layout, witness, expected);
}
