/* The real winning-2k and wpost-2k keys from fixed toxic waste, and their proofs with fixed r and s, against
 * the reference's bytes. */
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
#include "base/file.h"
#include "circuit/record.h"
#include "engine/post_case.h"
#include "engine/post_public.h"
#include "groth16/params.h"
#include "groth16/prove_fixed.h"
#include "groth16/setup.h"
#include "hash/sha256.h"
#include "porep_parts.h"
#include "support/fixture.h"

static void must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK)
        fail_msg("%s", err->message);
}

struct key {
    struct cuzk_pool *pool;
    struct cuzk_backend *backend;
    struct cuzk_circuit circuit;
    struct cuzk_witness_layout layout;
    struct cuzk_r1cs *r1cs;
    struct cuzk_params params;
    struct cuzk_prover *prover;
};

/* Every section of the key, by its digest, and the verifying key whole. */
static void check_key(const struct cuzk_params *params, const char *folder, struct fixture_json record)
{
    struct fixture_json section = {0};
    size_t length;
    uint8_t *vk = fixture_read(&length, "groth16/%s/vk.bin", folder);

    assert_int_equal(params->map.length, fixture_json_u64(fixture_json_get(record, "file_bytes")));
    assert_memory_equal(params->bytes, vk, length);
    for (int q = -1; fixture_json_next(fixture_json_get(record, "sections"), &section); q++) {
        uint8_t wanted[32], got[32];

        if (q < 0)
            continue; /* ic, which vk.bin holds */
        const size_t size = cuzk_query_is_g2((enum cuzk_query)q) ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES;

        assert_int_equal(params->query[q].count, fixture_json_u64(fixture_json_get(section, "count")));
        fixture_json_hex(fixture_json_get(section, "sha256"), wanted, sizeof wanted);
        cuzk_sha256_digest(params->bytes + params->query[q].offset, params->query[q].count * size, got);
        assert_memory_equal(wanted, got, sizeof got);
    }
    free(vk);
}

static void key_open(enum cuzk_circuit_kind kind, const char *folder, struct key *key)
{
    const struct cuzk_circuit_id id = {kind, 2048};
    char directory[] = "/tmp/cuzk-post-key-XXXXXX", params[64], vk[64], toxic_path[512];
    struct cuzk_toxic toxic;
    struct cuzk_error err;
    size_t length;
    char *text = (char *)fixture_read(&length, "groth16/%s/params.json", folder);

    memset(key, 0, sizeof *key);
    assert_non_null(mkdtemp(directory));
    snprintf(params, sizeof params, "%s/params", directory);
    snprintf(vk, sizeof vk, "%s/vk", directory);
    snprintf(toxic_path, sizeof toxic_path, "%s/groth16/%s/params.json", fixture_root(), folder);
    must(cuzk_pool_create(0, &key->pool, &err), &err);
    must(cuzk_backend_cpu_create(key->pool, &key->backend, &err), &err);
    must(cuzk_circuit_open(&id, &key->circuit, &err), &err);
    must(cuzk_circuit_record(&key->circuit, NULL, &key->r1cs, &key->layout, &err), &err);
    must(toxic_read(toxic_path, &toxic, &err), &err);
    must(cuzk_setup_files(key->backend, key->pool, key->r1cs, &toxic, params, vk, true, NULL, &err), &err);
    must(cuzk_params_open(params, &key->params, &err), &err);
    /* the mapping keeps what the names give up */
    unlink(params);
    unlink(vk);
    rmdir(directory);
    check_key(&key->params, folder, fixture_json_parse(text));
    must(cuzk_prover_create(key->backend, key->r1cs, &key->layout, &key->params, NULL, &key->prover, &err),
         &err);
    free(text);
}

static void key_close(struct key *key)
{
    cuzk_prover_destroy(key->prover);
    cuzk_params_close(&key->params);
    cuzk_r1cs_destroy(key->r1cs);
    cuzk_witness_layout_destroy(&key->layout);
    cuzk_backend_destroy(key->backend);
    cuzk_pool_destroy(key->pool);
}

enum { SECTORS_MOST = 3 };

static struct cuzk_case *case_of(const char *folder, bool winning)
{
    struct cuzk_post_public public_side;
    struct cuzk_post_source sources[SECTORS_MOST];
    struct cuzk_error err;
    struct cuzk_case *that;
    size_t length;
    char *text = (char *)fixture_read(&length, "%s/post.json", folder);

    must(cuzk_post_public_decode("post.json", text, length, winning, &public_side, &err), &err);
    struct cuzk_post_wanted wanted = {
        .config = public_side.config, .sources = sources, .count = public_side.count};

    assert_true(public_side.count <= SECTORS_MOST);
    cuzk_post_randomness(public_side.randomness, wanted.randomness);
    for (size_t i = 0; i < public_side.count; i++) {
        sources[i].name = "vanilla";
        sources[i].bytes = fixture_read(&sources[i].length, "%s/vanilla-%llu.bin", folder,
                                        (unsigned long long)public_side.sectors[i].sector_id);
    }
    must(cuzk_post_case_open(&wanted, &that, &err), &err);
    must(cuzk_post_public_compare(&public_side, that, &err), &err);
    for (size_t i = 0; i < public_side.count; i++)
        free((void *)(uintptr_t)sources[i].bytes);
    cuzk_post_public_destroy(&public_side);
    free(text);
    return that;
}

static void scalar(struct fixture_json value, struct cuzk_fr *out)
{
    uint8_t bytes[CUZK_FR_BYTES];

    fixture_json_hex(value, bytes, sizeof bytes);
    assert_true(cuzk_fr_from_bytes(bytes, out));
}

static size_t check_proofs(struct key *key, const struct cuzk_case *that, unsigned partition,
                           struct fixture_json record)
{
    struct fixture_json proof = {0};
    struct cuzk_witness witness;
    struct cuzk_error err;
    size_t count = 0;

    must(cuzk_witness_create(&key->layout, &witness, &err), &err);
    must(that->ops->witness(that, partition, &key->circuit, key->pool, &witness, &err), &err);
    for (; fixture_json_next(fixture_json_get(record, "proofs"), &proof); count++) {
        uint8_t wanted[CUZK_PROOF_BYTES], got[CUZK_PROOF_BYTES];
        struct cuzk_proof_sums sums;
        struct cuzk_fr r, s;

        scalar(fixture_json_get(proof, "r"), &r);
        scalar(fixture_json_get(proof, "s"), &s);
        must(cuzk_prover_prove_fixed(key->prover, &witness, &r, &s, &sums, got, &err), &err);
        fixture_json_hex(fixture_json_get(proof, "proof"), wanted, sizeof wanted);
        assert_memory_equal(wanted, got, sizeof got);
    }
    cuzk_witness_destroy(&witness);
    return count;
}

static void check_kind(enum cuzk_circuit_kind kind, const char *folder, const char *prefix)
{
    size_t length, count = 0;
    char *text = (char *)fixture_read(&length, "groth16/proofs.jsonl"), *cursor = text, *line;
    struct key key;

    key_open(kind, folder, &key);
    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        char *sector = fixture_json_string(fixture_json_get(record, "sector_data"));

        if (strstr(sector, prefix) != NULL) {
            struct cuzk_case *that = case_of(sector, kind == CUZK_CIRCUIT_WINNING);

            count += check_proofs(&key, that,
                                  (unsigned)fixture_json_u64(fixture_json_get(record, "partition")), record);
            cuzk_case_close(that);
        }
        free(sector);
    }
    assert_true(count > 0);
    key_close(&key);
    free(text);
}

static void test_winning_2k__equals_the_reference(void **state)
{
    (void)state;
    check_kind(CUZK_CIRCUIT_WINNING, "winning-2k", "winning-2k");
}

static void test_wpost_2k__equals_the_reference(void **state)
{
    (void)state;
    check_kind(CUZK_CIRCUIT_WPOST, "window-2k", "window-2k");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winning_2k__equals_the_reference),
        cmocka_unit_test(test_wpost_2k__equals_the_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
