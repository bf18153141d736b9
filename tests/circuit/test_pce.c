/* Compact circuits on disk: what is read back is what was recorded, and damage is found and repaired. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sodium.h>

#include "base/buffer.h"
#include "base/file.h"
#include "circuit/circuit_fixture.h"
#include "circuit/pce.h"
#include "circuit/record.h"
#include "support/random.h"

static void record(enum cuzk_circuit_kind kind, uint64_t size, struct cuzk_circuit *circuit,
                   struct cuzk_r1cs **r1cs, struct cuzk_buffer *out)
{
    struct cuzk_witness_layout layout;

    circuit_fixture_open(kind, size, circuit);
    assert_int_equal(cuzk_circuit_record(circuit, NULL, NULL, r1cs, &layout, NULL), CUZK_OK);
    cuzk_witness_layout_destroy(&layout);
    *out = (struct cuzk_buffer){0};
    assert_int_equal(cuzk_pce_encode(&circuit->id, *r1cs, cuzk_buffer_sink(out), NULL), CUZK_OK);
}

static void assert_same(const struct cuzk_r1cs *a, const struct cuzk_r1cs *b)
{
    assert_int_equal(a->inputs, b->inputs);
    assert_int_equal(a->aux, b->aux);
    assert_int_equal(a->constraints, b->constraints);
    assert_int_equal(a->stored, b->stored);
    assert_int_equal(a->parts, b->parts);
    assert_memory_equal(&a->head, &b->head, sizeof a->head);
    assert_memory_equal(&a->part, &b->part, sizeof a->part);
    assert_int_equal(a->window.count, b->window.count);
    if (a->window.count > 0) {
        assert_int_equal(a->window.first, b->window.first);
        assert_memory_equal(a->window.shift, b->window.shift, a->parts * sizeof *a->window.shift);
    }
    assert_int_equal(a->pool_count, b->pool_count);
    assert_memory_equal(a->pool, b->pool, a->pool_count * sizeof *a->pool);
    for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B; m++) {
        const struct cuzk_matrix *x = &a->matrix[m], *y = &b->matrix[m];
        const size_t terms = x->row_start[a->stored];
        assert_memory_equal(x->row_start, y->row_start, ((size_t)a->stored + 1) * sizeof *x->row_start);
        assert_memory_equal(x->variables, y->variables, terms * sizeof *x->variables);
        assert_memory_equal(x->coefficients, y->coefficients, terms * sizeof *x->coefficients);
    }
}

static void test_pce_decode__gives_back_what_was_recorded(void **state)
{
    (void)state;
    for (enum cuzk_circuit_kind kind = CUZK_CIRCUIT_WINNING; kind < CUZK_CIRCUIT_KINDS; kind++) {
        struct cuzk_circuit circuit;
        struct cuzk_r1cs *recorded, *read;
        struct cuzk_pce_header header;
        struct cuzk_buffer file;

        record(kind, 2048, &circuit, &recorded, &file);
        assert_int_equal(cuzk_pce_read_header("file", file.bytes, file.length, &header, NULL), CUZK_OK);
        assert_int_equal(header.bytes, file.length);
        assert_true(cuzk_circuit_id_equal(&header.circuit, &circuit.id));
        assert_int_equal(cuzk_pce_decode("file", file.bytes, file.length, &circuit, &read, NULL), CUZK_OK);
        assert_same(recorded, read);
        assert_null(read->matrix[CUZK_MATRIX_C].row_start);
        cuzk_r1cs_destroy(read);
        cuzk_r1cs_destroy(recorded);
        cuzk_buffer_clear(&file);
    }
}

static void refused(const struct cuzk_buffer *file, size_t length, const struct cuzk_circuit *circuit)
{
    struct cuzk_error err = {0};
    struct cuzk_r1cs *r1cs;

    assert_int_equal(cuzk_pce_decode("file", file->bytes, length, circuit, &r1cs, &err), CUZK_INPUT);
    assert_null(r1cs);
    assert_true(strncmp(err.message, "file: ", 6) == 0);
}

static void test_pce_decode__finds_every_flipped_bit_and_cut(void **state)
{
    enum { ANYWHERE = 300, HEAD = 104 };
    struct cuzk_circuit circuit;
    struct test_random rng;
    struct cuzk_r1cs *r1cs;
    struct cuzk_buffer file;

    (void)state;
    test_random_init(&rng);
    record(CUZK_CIRCUIT_WPOST, 2048, &circuit, &r1cs, &file);
    for (size_t k = 0; k < HEAD + CUZK_PCE_CHECKSUM_BYTES + ANYWHERE; k++) {
        const size_t at = k < HEAD                             ? k
                          : k < HEAD + CUZK_PCE_CHECKSUM_BYTES ? file.length - 1 - (k - HEAD)
                                                               : test_random_below(&rng, file.length);
        const uint8_t bit = (uint8_t)(1U << test_random_below(&rng, 8));

        file.bytes[at] ^= bit;
        refused(&file, file.length, &circuit);
        file.bytes[at] ^= bit;
        refused(&file, k < HEAD ? k : test_random_below(&rng, file.length), &circuit);
    }
    cuzk_r1cs_destroy(r1cs);
    cuzk_buffer_clear(&file);
}

/* What a right checksum cannot vouch for is checked too. */
static void test_pce_decode__believes_no_number_for_its_checksum(void **state)
{
    enum { TURNS = 400 };
    struct cuzk_circuit circuit;
    struct test_random rng;
    struct cuzk_r1cs *r1cs, *read;
    struct cuzk_buffer file;

    (void)state;
    test_random_init(&rng);
    record(CUZK_CIRCUIT_SNAPP, 2048, &circuit, &r1cs, &file);
    const size_t sum = file.length - CUZK_PCE_CHECKSUM_BYTES;
    for (int turn = 0; turn < TURNS; turn++) {
        const size_t at = turn < 104 ? (size_t)turn : test_random_below(&rng, sum);
        const uint8_t mask = (uint8_t)(1 + test_random_below(&rng, 255));

        file.bytes[at] ^= mask;
        crypto_generichash(file.bytes + sum, CUZK_PCE_CHECKSUM_BYTES, file.bytes, sum, NULL, 0);
        if (cuzk_pce_decode("file", file.bytes, file.length, &circuit, &read, NULL) == CUZK_OK) {
            struct cuzk_density density; /* reads and writes whatever the numbers name */
            for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B; m++) {
                assert_int_equal(cuzk_r1cs_density(read, m, &density, NULL), CUZK_OK);
                cuzk_density_destroy(&density);
            }
            cuzk_r1cs_destroy(read);
        }
        file.bytes[at] ^= mask;
    }
    cuzk_r1cs_destroy(r1cs);
    cuzk_buffer_clear(&file);
}

/* Obtains, checks how, and that the system is right. */
static void obtain(const struct cuzk_circuit *circuit, const struct cuzk_r1cs *right, const char *path,
                   enum cuzk_pce_origin wanted, struct cuzk_error *note)
{
    struct cuzk_witness_layout layout;
    enum cuzk_pce_origin origin;
    struct cuzk_r1cs *r1cs;

    assert_int_equal(cuzk_pce_obtain(circuit, path, NULL, NULL, &r1cs, &layout, &origin, note, NULL),
                     CUZK_OK);
    assert_int_equal(origin, wanted);
    assert_same(right, r1cs);
    assert_int_equal(layout.aux, r1cs->aux);
    cuzk_r1cs_destroy(r1cs);
    cuzk_witness_layout_destroy(&layout);
}

static void test_pce_obtain__records_once_and_repairs(void **state)
{
    char folder[] = "/tmp/cuzk-pce-XXXXXX", path[64], nowhere[64];
    struct cuzk_circuit circuit;
    struct cuzk_file_map map;
    struct test_random rng;
    struct cuzk_r1cs *r1cs;
    struct cuzk_error note;
    struct cuzk_buffer file;

    (void)state;
    test_random_init(&rng);
    record(CUZK_CIRCUIT_WPOST, 2048, &circuit, &r1cs, &file);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/wpost.pce", folder);
    snprintf(nowhere, sizeof nowhere, "%s/missing/wpost.pce", folder);
    obtain(&circuit, r1cs, NULL, CUZK_PCE_RECORDED, &note);
    obtain(&circuit, r1cs, path, CUZK_PCE_RECORDED, &note);
    assert_int_equal(note.message[0], 0);
    obtain(&circuit, r1cs, path, CUZK_PCE_READ, &note);
    for (int turn = 0; turn < 12; turn++) {
        const size_t at = turn < 4 ? 8 * (size_t)turn : test_random_below(&rng, file.length);

        file.bytes[at] ^= 4;
        assert_int_equal(cuzk_file_write(path, true, file.bytes, file.length - (turn % 4 == 3 ? 5 : 0), NULL),
                         CUZK_OK);
        file.bytes[at] ^= 4;
        obtain(&circuit, r1cs, path, CUZK_PCE_REBUILT, &note);
        assert_non_null(strstr(note.message, path));
        assert_int_equal(cuzk_file_map_open(path, "file", 0, &map, NULL), CUZK_OK);
        assert_int_equal(map.length, file.length);
        assert_memory_equal(map.bytes, file.bytes, file.length);
        cuzk_file_map_close(&map);
    }
    obtain(&circuit, r1cs, path, CUZK_PCE_READ, &note);
    /* another circuit's file, and a place that cannot be written */
    struct cuzk_circuit other;
    struct cuzk_r1cs *other_r1cs;
    struct cuzk_buffer other_file;
    record(CUZK_CIRCUIT_WPOST, 4096, &other, &other_r1cs, &other_file);
    obtain(&other, other_r1cs, path, CUZK_PCE_REBUILT, &note);
    obtain(&circuit, r1cs, nowhere, CUZK_PCE_RECORDED, &note);
    assert_true(note.message[0] != 0);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no temporary file stays behind */
    cuzk_r1cs_destroy(other_r1cs);
    cuzk_r1cs_destroy(r1cs);
    cuzk_buffer_clear(&other_file);
    cuzk_buffer_clear(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pce_decode__gives_back_what_was_recorded),
        cmocka_unit_test(test_pce_decode__finds_every_flipped_bit_and_cut),
        cmocka_unit_test(test_pce_decode__believes_no_number_for_its_checksum),
        cmocka_unit_test(test_pce_obtain__records_once_and_repairs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
