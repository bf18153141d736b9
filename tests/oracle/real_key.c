#include "real_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/choice.h"
#include "backend/cpu/cpu.h"
#include "base/file.h"
#include "base/mem.h"
#include "groth16/setup.h"
#include "hash/sha256.h"
#include "sector_case.h"
#include "srs/cache.h"
#include "srs/derived_key.h"
#include "srs/directory.h"
#include "support/fixture.h"

static void must(enum cuzk_status status, const struct cuzk_error *err)
{
    if (status != CUZK_OK)
        fail_msg("%s", err->message);
}

enum { FOLDER = 512 };

/* build/keys/CIRCUIT, and the files there. */
static void key_paths(const struct cuzk_circuit_id *id, char folder[FOLDER], char params[CUZK_PARAMETER_PATH],
                      char vk[CUZK_PARAMETER_PATH])
{
    const char *keys = getenv("CUZK_KEYS");
    char circuit[CUZK_CIRCUIT_NAME];
    struct cuzk_error err;

    assert_non_null(keys);
    cuzk_circuit_id_format(id, circuit);
    snprintf(folder, FOLDER, "%s/%s", keys, circuit);
    must(cuzk_file_make_directory(folder, &err), &err);
    must(cuzk_parameter_path(folder, id, ".params", params, &err), &err);
    must(cuzk_parameter_path(folder, id, ".vk", vk, &err), &err);
}

/* What makes it a test key to the program: without, it would be held against the published digest. */
static void write_manifest(const char *folder, const struct cuzk_circuit_id *id)
{
    struct cuzk_error err;
    const enum cuzk_status status = cuzk_parameter_manifest_write(folder, id, NULL, NULL, &err);

    if (status != CUZK_EXISTS)
        must(status, &err);
}

static struct fixture_json read_record(const char *name, char **text)
{
    size_t length;

    *text = (char *)fixture_read(&length, "groth16/%s/params.json", name);
    return fixture_json_parse(*text);
}

static void assert_digest(struct fixture_json expected, const uint8_t *bytes, size_t n)
{
    uint8_t wanted[32], got[32];

    fixture_json_hex(expected, wanted, sizeof wanted);
    cuzk_sha256_digest(bytes, n, got);
    assert_memory_equal(wanted, got, sizeof got);
}

static void assert_point(struct fixture_json expected, const uint8_t *bytes, size_t size)
{
    uint8_t point[CUZK_G2_RAW_BYTES];

    fixture_json_hex(expected, point, size);
    assert_memory_equal(bytes, point, size);
}

/* Whole key against the record: verifying key, lengths, every section's digest, first, last and sampled
 * points. */
static void check_key(const struct cuzk_params *params, const char *name)
{
    char *text;
    const struct fixture_json record = read_record(name, &text);
    struct fixture_json section = {0}, sample = {0};
    size_t vk_length;
    uint8_t *vk = fixture_read(&vk_length, "groth16/%s/vk.bin", name);

    assert_int_equal(params->map.length, fixture_json_u64(fixture_json_get(record, "file_bytes")));
    assert_memory_equal(params->bytes, vk, vk_length);
    for (int q = -1; fixture_json_next(fixture_json_get(record, "sections"), &section); q++) {
        if (q < 0)
            continue; /* ic, which vk.bin holds */
        const size_t size = cuzk_query_is_g2((enum cuzk_query)q) ? CUZK_G2_RAW_BYTES : CUZK_G1_RAW_BYTES;
        const uint64_t offset = params->query[q].offset, count = params->query[q].count;
        const uint8_t *points = params->bytes + offset;
        assert_int_equal(fixture_json_u64(fixture_json_get(section, "offset")), offset);
        assert_int_equal(fixture_json_u64(fixture_json_get(section, "count")), count);
        assert_digest(fixture_json_get(section, "sha256"), points, count * size);
        assert_point(fixture_json_get(section, "first"), points, size);
        assert_point(fixture_json_get(section, "last"), points + (count - 1) * size, size);
        memset(&sample, 0, sizeof sample);
        while (fixture_json_next(fixture_json_get(section, "samples"), &sample))
            assert_point(fixture_json_at(sample, 1),
                         points + fixture_json_u64(fixture_json_at(sample, 0)) * size, size);
        cuzk_file_map_drop(&params->map, offset, offset + count * size);
    }
    free(vk);
    free(text);
}

static bool is_whole(const char *path, const char *name)
{
    struct cuzk_file_map map;
    char *text;
    const struct fixture_json record = read_record(name, &text);
    bool whole = false;

    if (cuzk_file_map_open(path, "parameters", 0, &map, NULL) == CUZK_OK) {
        whole = map.length == fixture_json_u64(fixture_json_get(record, "file_bytes"));
        cuzk_file_map_close(&map);
    }
    free(text);
    return whole;
}

static void read_toxic(const char *name, struct cuzk_toxic *out)
{
    struct cuzk_error err;
    char path[512];

    snprintf(path, sizeof path, "%s/groth16/%s/params.json", fixture_root(), name);
    must(toxic_read(path, out, &err), &err);
}

/* Makes the prover. */
static void bind(struct real_key *key)
{
    const struct cuzk_key_form form = {1, CUZK_H_COSET, NULL, &key->derived};
    struct cuzk_error err = {0};

    must(cuzk_prover_create(key->backend, key->circuit.r1cs, &key->circuit.layout, &key->params,
                            key->is_derived ? &form : NULL, &key->prover, &err),
         &err);
}

void real_key_open(const char *circuit, const char *name, struct real_key *key)
{
    char folder[FOLDER], params[CUZK_PARAMETER_PATH], vk[CUZK_PARAMETER_PATH];
    struct cuzk_error err = {0};
    struct cuzk_toxic toxic;

    *key = (struct real_key){.name = name};
    must(cuzk_pool_create(0, &key->pool, &err), &err);
    must(cuzk_backend_cpu_create(key->pool, &key->backend, &err), &err);
    must(porep_circuit_open(circuit, &key->circuit, &err), &err);
    key_paths(&key->circuit.id, folder, params, vk);
    if (!is_whole(params, name)) {
        read_toxic(name, &toxic);
        must(cuzk_setup_files(key->backend, key->pool, key->circuit.r1cs, &toxic, params, vk, true,
                              (struct cuzk_sink){0}, NULL, &err),
             &err);
    }
    must(cuzk_params_open(params, &key->params, &err), &err);
    check_key(&key->params, name);
    write_manifest(folder, &key->circuit.id);
    bind(key);
}

bool real_key_use(struct real_key *key, const char *backend, uint64_t memory_limit)
{
    struct cuzk_backend *opened;
    struct cuzk_error err = {0};

    if (cuzk_backend_open(backend, key->pool, &opened, &err) != CUZK_OK) {
        print_message("SKIPPED: %s: %s\n", backend, err.message);
        return false;
    }
    cuzk_prover_destroy(key->prover);
    cuzk_backend_destroy(key->backend);
    key->prover = NULL;
    key->backend = opened;
    opened->memory_limit = memory_limit;
    bind(key);
    return true;
}

void real_key_derive(struct real_key *key)
{
    char folder[FOLDER], params[CUZK_PARAMETER_PATH], vk[CUZK_PARAMETER_PATH], place[CUZK_PARAMETER_PATH];
    struct cuzk_error err = {0}, note;
    struct cuzk_toxic toxic;

    key_paths(&key->circuit.id, folder, params, vk);
    read_toxic(key->name, &toxic);
    assert_true(cuzk_cache_place(params, CUZK_DERIVED_SUFFIX, place));
    (void)unlink(place);
    must(cuzk_derived_make(key->backend, key->pool, key->circuit.r1cs, &toxic, params, NULL, &err), &err);
    must(cuzk_derived_find(params, key->circuit.r1cs, key->pool, NULL, &key->is_derived, &key->derived, &note,
                           &err),
         &err);
    if (!key->is_derived)
        fail_msg("%s", note.message);
    (void)unlink(place); /* it stays mapped */
    cuzk_prover_destroy(key->prover);
    bind(key);
}

uint64_t real_key_peak(const struct real_key *key)
{
    struct cuzk_backend_facts facts;

    key->backend->ops->facts(key->backend, &facts);
    return facts.peak_bytes;
}

void real_key_close(struct real_key *key)
{
    cuzk_prover_destroy(key->prover);
    cuzk_derived_close(&key->derived);
    cuzk_params_close(&key->params);
    porep_circuit_close(&key->circuit);
    cuzk_backend_destroy(key->backend);
    cuzk_pool_destroy(key->pool);
}

/* ---- proofs ---- */

/* Rows of one matrix, the appended ones included, as the recorded digest has them. */
static void check_evaluation(const struct real_key *key, const struct cuzk_witness *witness, int matrix,
                             struct fixture_json expected)
{
    enum { STEP = 1024 };
    const struct cuzk_r1cs *r1cs = key->circuit.r1cs;
    struct cuzk_sha256 hash;
    uint8_t wanted[32], got[32];

    cuzk_sha256_init(&hash);
    for (uint32_t row = 0; row < r1cs->constraints + r1cs->inputs; row += STEP) {
        struct cuzk_fr value[STEP];
        uint8_t bytes[STEP][32];
        const uint32_t all = r1cs->constraints + r1cs->inputs - row, n = all < STEP ? all : STEP;
        const uint32_t own = row >= r1cs->constraints      ? 0
                             : r1cs->constraints - row < n ? r1cs->constraints - row
                                                           : n;
        cuzk_r1cs_evaluate_rows(r1cs, matrix, &key->circuit.layout, witness, row, row + own, value);
        for (uint32_t k = own; k < n; k++) {
            if (matrix == CUZK_MATRIX_A)
                value[k] = witness->inputs[row + k - r1cs->constraints];
            else
                cuzk_fr_zero(&value[k]);
        }
        for (uint32_t k = 0; k < n; k++)
            cuzk_fr_to_bytes(&value[k], bytes[k]);
        cuzk_sha256_update(&hash, bytes, (size_t)n * 32);
    }
    cuzk_sha256_final(&hash, got);
    fixture_json_hex(expected, wanted, sizeof wanted);
    assert_memory_equal(wanted, got, sizeof got);
}

static void check_g1(struct fixture_json partial, const char *name, const struct cuzk_g1 *point)
{
    struct cuzk_g1_affine affine;
    uint8_t wanted[CUZK_G1_BYTES], got[CUZK_G1_BYTES];

    cuzk_g1_to_affine(point, &affine);
    cuzk_g1_encode(&affine, got);
    fixture_json_hex(fixture_json_get(partial, name), wanted, sizeof wanted);
    assert_memory_equal(wanted, got, sizeof got);
}

static void check_g2(struct fixture_json partial, const char *name, const struct cuzk_g2 *point)
{
    struct cuzk_g2_affine affine;
    uint8_t wanted[CUZK_G2_BYTES], got[CUZK_G2_BYTES];

    cuzk_g2_to_affine(point, &affine);
    cuzk_g2_encode(&affine, got);
    fixture_json_hex(fixture_json_get(partial, name), wanted, sizeof wanted);
    assert_memory_equal(wanted, got, sizeof got);
}

/* What a derived key has of h is in l. */
static void check_sums(struct fixture_json partial, const struct cuzk_proof_sums *sums, bool derived)
{
    if (!derived) {
        check_g1(partial, "h", &sums->h);
        check_g1(partial, "l", &sums->l);
    }
    check_g1(partial, "a_inputs", &sums->a_inputs);
    check_g1(partial, "a_aux", &sums->a_aux);
    check_g1(partial, "b_g1_inputs", &sums->b_g1_inputs);
    check_g1(partial, "b_g1_aux", &sums->b_g1_aux);
    check_g2(partial, "b_g2_inputs", &sums->b_g2_inputs);
    check_g2(partial, "b_g2_aux", &sums->b_g2_aux);
}

/* The quotient as the backend makes it: digest, head, tail and samples. */
static void check_quotient(struct real_key *key, const struct cuzk_witness *witness,
                           struct fixture_json quotient)
{
    const struct cuzk_backend_ops *ops = key->backend->ops;
    const size_t count = fixture_json_u64(fixture_json_get(quotient, "count"));
    struct fixture_json sample = {0};
    struct cuzk_backend_job *job;
    struct cuzk_fr *h;
    uint8_t wanted[32];

    assert_int_equal(CUZK_NEW(&h, count, "quotient", NULL), CUZK_OK);
    assert_int_equal(ops->job_create(cuzk_prover_key(key->prover), &job, NULL), CUZK_OK);
    assert_int_equal(ops->upload(job, witness, NULL), CUZK_OK);
    assert_int_equal(ops->eval_ab(job, NULL), CUZK_OK);
    assert_int_equal(ops->quotient(job, NULL), CUZK_OK);
    assert_int_equal(ops->download(job, CUZK_DATA_QUOTIENT, 0, count, h, NULL), CUZK_OK);
    assert_digest(fixture_json_get(quotient, "sha256"), (const uint8_t *)h, count * sizeof *h);
    while (fixture_json_next(fixture_json_get(quotient, "samples"), &sample)) {
        fixture_json_hex(fixture_json_at(sample, 1), wanted, sizeof wanted);
        assert_memory_equal(&h[fixture_json_u64(fixture_json_at(sample, 0))], wanted, sizeof wanted);
    }
    cuzk_backend_job_destroy(job);
    cuzk_mem_free(h);
}

static void scalar(struct fixture_json value, struct cuzk_fr *out)
{
    uint8_t bytes[32];

    fixture_json_hex(value, bytes, sizeof bytes);
    assert_true(cuzk_fr_from_bytes(bytes, out));
}

static void load_witness(struct real_key *key, const char *sector, unsigned partition,
                         struct cuzk_witness *out)
{
    struct cuzk_error err = {0};
    struct sector_case its;

    sector_case_open(sector, &its);
    must(cuzk_witness_create(&key->circuit.layout, out, &err), &err);
    must(its.that->ops->witness(its.that, partition, &key->circuit.circuit, key->pool, NULL, out, &err),
         &err);
    sector_case_close(&its);
}

/* The case's public inputs are those that the proof was recorded with. */
static void check_inputs(const struct cuzk_witness *witness, struct fixture_json recorded)
{
    struct fixture_json input = {0};
    const struct cuzk_fr *own = witness->inputs;

    while (fixture_json_next(recorded, &input)) {
        struct cuzk_fr wanted;

        scalar(input, &wanted);
        assert_true(cuzk_fr_equal(++own, &wanted));
    }
    assert_int_not_equal(own - witness->inputs, 0);
}

static void check_evaluations(const struct real_key *key, const struct cuzk_witness *witness,
                              struct fixture_json digest)
{
    check_evaluation(key, witness, CUZK_MATRIX_A, fixture_json_get(digest, "a"));
    check_evaluation(key, witness, CUZK_MATRIX_B, fixture_json_get(digest, "b"));
    check_evaluation(key, witness, CUZK_MATRIX_C, fixture_json_get(digest, "c"));
}

static void check_record(struct real_key *key, struct fixture_json record, const char *sector)
{
    const struct fixture_json partial = fixture_json_get(record, "partial");
    const struct fixture_json quotient = fixture_json_get(partial, "quotient");
    struct fixture_json proof = {0};
    struct cuzk_witness witness;
    struct cuzk_error err = {0};
    unsigned proofs = 0;

    load_witness(key, sector, (unsigned)fixture_json_u64(fixture_json_get(record, "partition")), &witness);
    check_inputs(&witness, fixture_json_get(record, "public_inputs"));
    check_evaluations(key, &witness, fixture_json_get(partial, "eval_sha256"));
    if (quotient.text != NULL && !key->is_derived)
        check_quotient(key, &witness, quotient);
    while (fixture_json_next(fixture_json_get(record, "proofs"), &proof)) {
        uint8_t wanted[CUZK_PROOF_BYTES], got[CUZK_PROOF_BYTES];
        struct cuzk_proof_sums sums;
        struct cuzk_fr r, s;

        scalar(fixture_json_get(proof, "r"), &r);
        scalar(fixture_json_get(proof, "s"), &s);
        fixture_json_hex(fixture_json_get(proof, "proof"), wanted, sizeof wanted);
        must(cuzk_prover_prove_fixed(key->prover, &witness, &r, &s, &sums, got, &err), &err);
        check_sums(partial, &sums, key->is_derived);
        assert_memory_equal(wanted, got, sizeof got);
        proofs++;
    }
    assert_true(proofs >= 2);
    cuzk_witness_destroy(&witness);
}

unsigned real_key_check_proofs(struct real_key *key, const char *fixture, const char *wanted)
{
    size_t length;
    char *lines = (char *)fixture_read(&length, "groth16/%s", fixture), *cursor = lines, *line;
    unsigned seen = 0;

    while ((line = fixture_line(&cursor)) != NULL) {
        const struct fixture_json record = fixture_json_parse(line);
        char *circuit = fixture_json_string(fixture_json_get(record, "circuit"));
        char *sector = fixture_json_string(fixture_json_get(record, "sector_data"));

        if (strcmp(circuit, key->name) == 0 && (wanted == NULL || strcmp(sector, wanted) == 0)) {
            check_record(key, record, sector);
            seen++;
        }
        free(circuit);
        free(sector);
    }
    free(lines);
    return seen;
}
