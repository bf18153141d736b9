/* Parameters of the toy circuits under fixed toxic waste, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "base/mem.h"
#include "groth16/params.h"
#include "groth16/setup.h"
#include "hash/sha256.h"
#include "toy.h"

static struct cuzk_pool *pool;
static struct cuzk_backend *backend;

static void assert_digest(struct fixture_json expected, const uint8_t *bytes, size_t n)
{
    uint8_t wanted[32], got[32];

    fixture_json_hex(expected, wanted, sizeof wanted);
    cuzk_sha256_digest(bytes, n, got);
    assert_memory_equal(wanted, got, sizeof got);
}

/* Holds one section of a .params file against its record: digest, first, last, samples. */
static void check_section(struct fixture_json section, const struct memory *params, uint64_t offset,
                          uint64_t count)
{
    char *name = fixture_json_string(fixture_json_get(section, "name"));
    const size_t size = strcmp(name, "b_g2") == 0 ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES;
    struct fixture_json sample = {0};
    uint8_t point[CUZK_G2_RAW_BYTES];

    assert_int_equal(fixture_json_u64(fixture_json_get(section, "count")), count);
    assert_int_equal(fixture_json_u64(fixture_json_get(section, "offset")), offset);
    fixture_json_hex(fixture_json_get(section, "first"), point, size);
    assert_memory_equal(params->bytes + offset, point, size);
    fixture_json_hex(fixture_json_get(section, "last"), point, size);
    assert_memory_equal(params->bytes + offset + (count - 1) * size, point, size);
    while (fixture_json_next(fixture_json_get(section, "samples"), &sample)) {
        fixture_json_hex(fixture_json_at(sample, 1), point, size);
        assert_memory_equal(params->bytes + offset + fixture_json_u64(fixture_json_at(sample, 0)) * size,
                            point, size);
    }
    assert_digest(fixture_json_get(section, "sha256"), params->bytes + offset, count * size);
    free(name);
}

static void check_toy(struct toy *toy)
{
    const struct fixture_json record = fixture_json_get(toy->json, "params");
    struct memory bytes = {0};
    struct cuzk_params params;
    struct cuzk_vk vk;
    struct cuzk_error err;
    size_t length;

    assert_int_equal(cuzk_setup(backend, pool, toy->r1cs, &toy->toxic, memory_sink(&bytes), NULL, &vk, &err),
                     CUZK_OK);
    uint8_t *expected = fixture_read(&length, "groth16/toy/%s.vk", toy->name);
    assert_int_equal(cuzk_vk_encoded_size(&vk), length);
    assert_memory_equal(bytes.bytes, expected, length);
    free(expected);
    cuzk_vk_destroy(&vk);
    assert_int_equal(bytes.length, fixture_json_u64(fixture_json_get(record, "file_bytes")));
    assert_digest(fixture_json_get(record, "sha256"), bytes.bytes, bytes.length);

    assert_int_equal(cuzk_params_from_bytes(toy->name, bytes.bytes, bytes.length, &params, &err), CUZK_OK);
    struct fixture_json section = {0};
    for (int q = -1; fixture_json_next(fixture_json_get(record, "sections"), &section); q++) {
        if (q < 0)
            check_section(section, &bytes, CUZK_VK_HEAD_BYTES, params.vk.ic_count);
        else
            check_section(section, &bytes, params.query[q].offset, params.query[q].count);
    }
    assert_int_equal(cuzk_params_validate(&params, CUZK_PARAMS_IN_SUBGROUP, pool, NULL, &err), CUZK_OK);
    cuzk_params_close(&params);
    free(bytes.bytes);
}

static void test_setup__equals_reference(void **state)
{
    (void)state;
    toy_each(false, check_toy);
}

static void test_setup__refuses_unused_variables(void **state)
{
    struct toy toy;
    struct memory bytes = {0};
    struct cuzk_vk vk;
    struct cuzk_error err;

    (void)state;
    toy_load("cubic", false, &toy);
    toy.r1cs->aux++; /* one more, in no constraint */
    assert_int_equal(cuzk_setup(backend, pool, toy.r1cs, &toy.toxic, memory_sink(&bytes), NULL, &vk, &err),
                     CUZK_INPUT);
    assert_string_equal(err.message, "aux variable 3 is in no constraint: no key can be made");
    assert_null(vk.ic);
    toy.r1cs->aux--;
    /* nor with secrets that give the key away */
    struct cuzk_toxic bad = toy.toxic;
    cuzk_fr_one(&bad.tau);
    assert_int_equal(cuzk_setup(backend, pool, toy.r1cs, &bad, memory_sink(&bytes), NULL, &vk, &err),
                     CUZK_ARGUMENT);
    bad = toy.toxic;
    cuzk_fr_zero(&bad.delta);
    assert_int_equal(cuzk_setup(backend, pool, toy.r1cs, &bad, memory_sink(&bytes), NULL, &vk, &err),
                     CUZK_ARGUMENT);
    toy_free(&toy);
    free(bytes.bytes);
}

static void test_setup_files__appear_whole_or_not_at_all(void **state)
{
    char directory[] = "/tmp/cuzk-setup-XXXXXX", params_path[64], vk_path[64];
    struct toy toy;
    struct cuzk_params params;
    struct cuzk_error err;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(params_path, sizeof params_path, "%s/c.params", directory);
    snprintf(vk_path, sizeof vk_path, "%s/c.vk", directory);
    toy_load("five-33", false, &toy);
    toy.r1cs->aux++;
    assert_int_equal(cuzk_setup_files(backend, pool, toy.r1cs, &toy.toxic, params_path, vk_path, false,
                                      (struct cuzk_sink){0}, NULL, &err),
                     CUZK_INPUT);
    assert_int_equal(access(params_path, F_OK), -1);
    assert_int_equal(access(vk_path, F_OK), -1);
    toy.r1cs->aux--;
    assert_int_equal(cuzk_setup_files(backend, pool, toy.r1cs, &toy.toxic, params_path, vk_path, false,
                                      (struct cuzk_sink){0}, NULL, &err),
                     CUZK_OK);
    assert_int_equal(cuzk_setup_files(backend, pool, toy.r1cs, &toy.toxic, params_path, vk_path, false,
                                      (struct cuzk_sink){0}, NULL, &err),
                     CUZK_EXISTS);
    assert_int_equal(cuzk_params_open(params_path, &params, &err), CUZK_OK);
    assert_int_equal(params.map.length,
                     fixture_json_u64(fixture_json_get(fixture_json_get(toy.json, "params"), "file_bytes")));
    assert_int_equal(cuzk_params_validate(&params, CUZK_PARAMS_ON_CURVE, pool, NULL, &err), CUZK_OK);
    cuzk_params_close(&params);
    unlink(params_path);
    unlink(vk_path);
    assert_int_equal(rmdir(directory), 0); /* no temporary file is left */
    toy_free(&toy);
}

static void test_params__damage_is_refused_with_its_place(void **state)
{
    size_t length;
    uint8_t *bytes = fixture_read(&length, "groth16/toy/cubic.params");
    struct cuzk_params params;
    struct cuzk_error err;
    uint64_t offset[CUZK_QUERIES];

    (void)state;
    assert_int_equal(cuzk_params_from_bytes("cubic.params", bytes, length, &params, &err), CUZK_OK);
    for (int q = 0; q < CUZK_QUERIES; q++)
        offset[q] = params.query[q].offset;
    cuzk_params_close(&params);
    for (size_t cut = 0; cut < length; cut++)
        assert_int_equal(cuzk_params_from_bytes("cubic.params", bytes, cut, &params, &err), CUZK_INPUT);
    uint8_t *longer = calloc(length + 1, 1);
    memcpy(longer, bytes, length);
    assert_int_equal(cuzk_params_from_bytes("cubic.params", longer, length + 1, &params, &err), CUZK_INPUT);
    free(longer);
    for (int q = 0; q < CUZK_QUERIES; q++) {
        /* a count of 2^32 - 1 */
        uint8_t saved[4];
        memcpy(saved, bytes + offset[q] - 4, 4);
        memset(bytes + offset[q] - 4, 0xff, 4);
        assert_int_equal(cuzk_params_from_bytes("cubic.params", bytes, length, &params, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, cuzk_params_query_name((enum cuzk_query)q)));
        memcpy(bytes + offset[q] - 4, saved, 4);
        /* a flipped bit in the second point */
        const size_t size = cuzk_query_is_g2((enum cuzk_query)q) ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES;
        char place[64];
        bytes[offset[q] + size + 40] ^= 1;
        assert_int_equal(cuzk_params_from_bytes("cubic.params", bytes, length, &params, &err), CUZK_OK);
        assert_int_equal(cuzk_params_validate(&params, CUZK_PARAMS_ON_CURVE, pool, NULL, &err), CUZK_INPUT);
        snprintf(place, sizeof place, "%s[1]", cuzk_params_query_name((enum cuzk_query)q));
        assert_non_null(strstr(err.message, place));
        snprintf(place, sizeof place, "offset %llu", (unsigned long long)(offset[q] + size));
        assert_non_null(strstr(err.message, place));
        cuzk_params_close(&params);
        bytes[offset[q] + size + 40] ^= 1;
    }
    free(bytes);
}

static void test_setup__survives_failing_allocations(void **state)
{
    struct toy toy;
    size_t failures = 0;
    enum cuzk_status status;

    (void)state;
    toy_load("cubic", false, &toy);
    const size_t before = cuzk_mem_in_use();
    do {
        struct memory bytes = {0};
        struct cuzk_vk vk;
        struct cuzk_error err;
        cuzk_mem_fail_after(failures++, 0);
        status = cuzk_setup(backend, NULL, toy.r1cs, &toy.toxic, memory_sink(&bytes), NULL, &vk, &err);
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_true(status == CUZK_OK || status == CUZK_MEMORY);
        cuzk_vk_destroy(&vk);
        free(bytes.bytes);
        assert_int_equal(cuzk_mem_in_use(), before);
    } while (status != CUZK_OK);
    assert_true(failures > 8);
    toy_free(&toy);
}

static void test_toxic__repeats_from_a_seed_only(void **state)
{
    struct cuzk_random random;
    struct cuzk_toxic one, two;
    const uint8_t seed[32] = {1};

    (void)state;
    cuzk_random_init_seeded(&random, seed);
    assert_int_equal(cuzk_toxic_draw(&random, &one, NULL), CUZK_OK);
    cuzk_random_init_seeded(&random, seed);
    assert_int_equal(cuzk_toxic_draw(&random, &two, NULL), CUZK_OK);
    assert_memory_equal(&one, &two, sizeof one);
    cuzk_random_init_system(&random);
    assert_int_equal(cuzk_toxic_draw(&random, &two, NULL), CUZK_OK);
    assert_memory_not_equal(&one, &two, sizeof one);
    cuzk_toxic_wipe(&two);
    assert_true(cuzk_fr_is_zero(&two.tau));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_setup__equals_reference),
        cmocka_unit_test(test_setup__refuses_unused_variables),
        cmocka_unit_test(test_setup_files__appear_whole_or_not_at_all),
        cmocka_unit_test(test_params__damage_is_refused_with_its_place),
        cmocka_unit_test(test_setup__survives_failing_allocations),
        cmocka_unit_test(test_toxic__repeats_from_a_seed_only),
    };

    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK ||
        cuzk_backend_cpu_create(pool, &backend, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_backend_destroy(backend);
    cuzk_pool_destroy(pool);
    return failed;
}
