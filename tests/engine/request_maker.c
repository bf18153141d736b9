#include "request_maker.h"

#include <setjmp.h>
#include <stdarg.h>

#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"

static void *block(struct request_maker *maker, size_t bytes)
{
    void *const made = calloc(1, bytes > 0 ? bytes : 1);

    assert_non_null(made);
    assert_true(maker->block_count < sizeof maker->blocks / sizeof maker->blocks[0]);
    maker->blocks[maker->block_count++] = made;
    return made;
}

/* Cuts bytes at random places; some parts are empty. */
static struct cuzk_request_blob cut(struct request_maker *maker, const uint8_t *bytes, size_t length,
                                    size_t parts, struct test_random *random)
{
    struct cuzk_request_part *const made = block(maker, parts * sizeof *made);
    size_t at = 0;

    for (size_t i = 0; i < parts; i++) {
        size_t n = i + 1 == parts ? length - at : test_random_below(random, 2 * (length / parts) + 2);

        if (n > length - at)
            n = length - at;
        made[i] = (struct cuzk_request_part){bytes + at, n};
        at += n;
    }
    return (struct cuzk_request_blob){made, parts, length};
}

static struct cuzk_request_blob random_blob(struct request_maker *maker, size_t length, size_t parts,
                                            struct test_random *content, struct test_random *cuts)
{
    uint8_t *const bytes = block(maker, length);

    for (size_t i = 0; i < length; i += 8) {
        const uint64_t value = test_random_u64(content);

        memcpy(bytes + i, &value, length - i < 8 ? length - i : 8);
    }
    return cut(maker, bytes, length, parts, cuts);
}

void request_maker_make(struct request_maker *maker, uint64_t seed, uint64_t how)
{
    struct test_random content, cuts;

    memset(maker, 0, sizeof *maker);
    test_random_seed(&content, seed);
    test_random_seed(&cuts, how);
    struct cuzk_request *const request = &maker->request;
    const size_t parts = how == 1 ? 1 : 1 + test_random_below(&cuts, 9);

    request->request_id = "porep-1000-7";
    request->kind = (enum cuzk_proof_kind)(1 + test_random_below(&content, CUZK_PROOF_KINDS - 1));
    request->sector_size = test_random_u64(&content);
    request->registered_proof = test_random_u64(&content);
    request->has_priority = test_random_below(&content, 2) == 1;
    request->priority = request->has_priority
                            ? (enum cuzk_priority)test_random_below(&content, CUZK_PRIORITIES)
                            : CUZK_PRIORITY_LOW;
    request->sector_number = test_random_u64(&content);
    request->miner_id = test_random_u64(&content);
    request->partition_index = (uint32_t)test_random_u64(&content);
    request->vanilla_proof = random_blob(maker, test_random_below(&content, 3000), parts, &content, &cuts);
    request->randomness = random_blob(maker, 32, parts, &content, &cuts);
    request->comm_r_old = random_blob(maker, test_random_below(&content, 40), parts, &content, &cuts);
    request->comm_r_new = random_blob(maker, test_random_below(&content, 40), parts, &content, &cuts);
    request->comm_d_new = random_blob(maker, test_random_below(&content, 40), parts, &content, &cuts);
    const size_t count = test_random_below(&content, 20);
    struct cuzk_request_blob *const proofs = block(maker, count * sizeof *proofs);

    for (size_t i = 0; i < count; i++)
        proofs[i] = random_blob(maker, test_random_below(&content, 1500), parts, &content, &cuts);
    request->vanilla_proofs = proofs;
    request->vanilla_proof_count = count;
}

void request_maker_make_sized(struct request_maker *maker, uint64_t seed, size_t parts, size_t bytes)
{
    struct test_random content, cuts;

    memset(maker, 0, sizeof *maker);
    test_random_seed(&content, seed);
    test_random_seed(&cuts, parts);
    maker->request.request_id = "porep-1000-8";
    maker->request.kind = CUZK_PROOF_KIND_POREP;
    maker->request.sector_size = 2048;
    maker->request.vanilla_proof = random_blob(maker, bytes, parts, &content, &cuts);
}

void request_maker_free(struct request_maker *maker)
{
    for (size_t i = 0; i < maker->block_count; i++)
        free(maker->blocks[i]);
    memset(maker, 0, sizeof *maker);
}

/* A blob's bytes in one block. */
static uint8_t *joined(const struct cuzk_request_blob *blob)
{
    uint8_t *const bytes = calloc(1, blob->length + 1);
    size_t at = 0;

    assert_non_null(bytes);
    for (size_t i = 0; i < blob->count; i++) {
        if (blob->parts[i].length > 0)
            memcpy(bytes + at, blob->parts[i].data, blob->parts[i].length);
        at += blob->parts[i].length;
    }
    assert_int_equal(at, blob->length);
    return bytes;
}

static void assert_blob_equal(const struct cuzk_request_blob *found, const struct cuzk_request_blob *expected)
{
    uint8_t *const a = joined(found), *const b = joined(expected);

    assert_int_equal(found->length, expected->length);
    assert_memory_equal(a, b, found->length);
    free(a);
    free(b);
}

void request_maker_assert_equal(const struct cuzk_request *found, const struct cuzk_request *expected)
{
    assert_int_equal(found->kind, expected->kind);
    assert_int_equal(found->sector_size, expected->sector_size);
    assert_int_equal(found->registered_proof, expected->registered_proof);
    assert_int_equal(found->has_priority, expected->has_priority);
    if (found->has_priority)
        assert_int_equal(found->priority, expected->priority);
    assert_int_equal(found->sector_number, expected->sector_number);
    assert_int_equal(found->miner_id, expected->miner_id);
    assert_int_equal(found->partition_index, expected->partition_index);
    assert_blob_equal(&found->vanilla_proof, &expected->vanilla_proof);
    assert_blob_equal(&found->randomness, &expected->randomness);
    assert_blob_equal(&found->comm_r_old, &expected->comm_r_old);
    assert_blob_equal(&found->comm_r_new, &expected->comm_r_new);
    assert_blob_equal(&found->comm_d_new, &expected->comm_d_new);
    assert_int_equal(found->vanilla_proof_count, expected->vanilla_proof_count);
    for (size_t i = 0; i < found->vanilla_proof_count; i++)
        assert_blob_equal(&found->vanilla_proofs[i], &expected->vanilla_proofs[i]);
}
