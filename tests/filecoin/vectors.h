/* What several tests of this folder need: the head of a cmocka program, the rule that test data follow, and
 * names used in the known answers. */
#ifndef CUZK_TESTS_FILECOIN_VECTORS_H
#define CUZK_TESTS_FILECOIN_VECTORS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/seal_proof.h"
#include "hash/sha256.h"
#include "support/fixture.h"

/* block(label, i) = SHA-256(label || i as u64 little-endian) */
static inline void vector_block(const char *label, uint64_t i, uint8_t block[32])
{
    struct cuzk_sha256 hash;

    cuzk_sha256_init(&hash);
    cuzk_sha256_update(&hash, label, strlen(label));
    cuzk_sha256_update(&hash, &i, sizeof i);
    cuzk_sha256_final(&hash, block);
}

/* data(label, n): blocks 0, 1, ... cut to n bytes; free() it */
static inline uint8_t *vector_data(const char *label, size_t n)
{
    uint8_t *data = malloc(n + 32);

    for (size_t at = 0; at < n; at += 32)
        vector_block(label, at / 32, data + at);
    return data;
}

static inline enum cuzk_api_version vector_api(struct fixture_json value)
{
    enum cuzk_api_version version;
    char *text = fixture_json_string(value);

    assert_true(cuzk_api_version_parse(text, &version));
    free(text);
    return version;
}

static inline void vector_hex(struct fixture_json record, const char *name, uint8_t *bytes, size_t n)
{
    fixture_json_hex(fixture_json_get(record, name), bytes, n);
}

static inline uint64_t vector_u64(struct fixture_json record, const char *name)
{
    return fixture_json_u64(fixture_json_get(record, name));
}

/* true if the string member `name` is `text` */
static inline int vector_is(struct fixture_json record, const char *name, const char *text)
{
    char *value = fixture_json_string(fixture_json_get(record, name));
    const int same = strcmp(value, text) == 0;

    free(value);
    return same;
}

#endif
