/* The file of a derived key: every flipped bit and cut is found, and it serves nobody that it does not belong
 * to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "curve/encoding.h"
#include "groth16/derived_setup.h"
#include "groth16/derived_write.h"
#include "groth16/params.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "support/random.h"
#include "toy.h"

static struct cuzk_pool *pool;
static struct cuzk_backend *backend;
static const struct cuzk_derived_identity own = {"the parameters!", "the circuit that it is for, 31."};

static enum cuzk_status open_bytes(const struct memory *file, const struct cuzk_derived_identity *wanted,
                                   struct cuzk_error *err)
{
    struct cuzk_derived derived;
    const enum cuzk_status status =
        cuzk_derived_from_bytes("file", file->bytes, file->length, wanted, pool, NULL, &derived, err);

    cuzk_derived_close(&derived);
    return status;
}

/* A file with bytes for points, which nobody looks at here. */
static void write_file(unsigned log_domain, uint32_t inputs, uint32_t aux, struct memory *out)
{
    struct cuzk_derived_shape shape = {
        .identity = own, .log_domain = log_domain, .inputs = inputs, .aux = aux};
    uint64_t *bitmap = calloc(inputs / 64 + 1, sizeof *bitmap);
    struct cuzk_derived_writer *writer;

    *out = (struct memory){0};
    for (uint32_t k = 0; k < inputs; k += 3)
        bitmap[k / 64] |= UINT64_C(1) << (k % 64);
    assert_int_equal(cuzk_derived_writer_create(memory_store(out), pool, &shape, bitmap, &writer, NULL),
                     CUZK_OK);
    const size_t count[CUZK_DERIVED_PARTS] = {(size_t)1 << log_domain, (inputs + 2) / 3 + aux};
    size_t at[CUZK_DERIVED_PARTS] = {0}, step = 1;
    const size_t size = (count[0] + count[1]) * CUZK_G1_RAW_BYTES;
    uint8_t *points = malloc(size);
    for (size_t k = 0; k < size; k++)
        points[k] = (uint8_t)(k * 7 + k / 96 * 13) & 0x1f;
    /* in stretches of all lengths, in turns: chunks begin and end anywhere in them */
    while (at[0] < count[0] || at[1] < count[1]) {
        for (int part = CUZK_DERIVED_PARTS - 1; part >= 0; part--, step = step * 5 + 1) {
            const size_t left = count[part] - at[part], now = left < step ? left : step;
            const uint8_t *from = points + ((part == 0 ? 0 : count[0]) + at[part]) * CUZK_G1_RAW_BYTES;
            assert_int_equal(cuzk_derived_write_points(writer, (enum cuzk_derived_part)part, from, now, NULL),
                             CUZK_OK);
            at[part] += now;
        }
    }
    for (int part = 0; part < CUZK_DERIVED_PARTS; part++) /* one too many */
        assert_int_equal(cuzk_derived_write_points(writer, (enum cuzk_derived_part)part, points, 1, NULL),
                         CUZK_INTERNAL);
    assert_int_equal(cuzk_derived_writer_finish(writer, own.params, NULL), CUZK_OK);
    assert_memory_equal(out->bytes + shape.h_offset, points, size);
    assert_int_equal(out->length, writer == NULL ? 0 : shape.bytes);
    cuzk_derived_writer_destroy(writer);
    free(points);
    free(bitmap);
}

static void assert_found(struct memory *file, size_t bit)
{
    struct cuzk_error err = {0};

    file->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (open_bytes(file, NULL, &err) != CUZK_INPUT)
        fail_msg("bit %zu: not found", bit);
    assert_non_null(strstr(err.message, "file: "));
    file->bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

static void test_derived_from_bytes__finds_every_flipped_bit_and_cut(void **state)
{
    struct memory file;

    (void)state;
    write_file(2, 70, 3, &file);
    assert_int_equal(open_bytes(&file, &own, NULL), CUZK_OK);
    for (size_t bit = 0; bit < 8 * file.length; bit++)
        assert_found(&file, bit);
    for (const size_t length = file.length; file.length-- > 0;)
        assert_int_equal(open_bytes(&file, NULL, NULL), file.length == length ? CUZK_OK : CUZK_INPUT);
    free(file.bytes);
}

static void test_derived_from_bytes__finds_flipped_bits_in_every_chunk(void **state)
{
    struct test_random random;
    struct memory file;

    (void)state;
    test_random_init(&random);
    write_file(14, 4, 20000, &file);
    assert_true(file.length > 3 * (size_t)CUZK_DERIVED_CHUNK);
    assert_int_equal(open_bytes(&file, &own, NULL), CUZK_OK);
    for (size_t at = 0; at < file.length; at += CUZK_DERIVED_CHUNK) {
        assert_found(&file, 8 * at);
        if (at > 0)
            assert_found(&file, 8 * at - 1);
    }
    assert_found(&file, 8 * file.length - 1);
    for (int k = 0; k < 40; k++)
        assert_found(&file, test_random_u64(&random) % (8 * file.length));
    free(file.bytes);
}

static void test_derived_from_bytes__serves_its_own_parameters_and_circuit_alone(void **state)
{
    struct cuzk_derived_identity other = own;
    struct cuzk_error err;
    struct memory file;

    (void)state;
    write_file(1, 2, 1, &file);
    assert_int_equal(open_bytes(&file, &own, &err), CUZK_OK);
    other.params[15] ^= 1;
    assert_int_equal(open_bytes(&file, &other, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "other parameters"));
    other = own;
    other.circuit[0] ^= 1;
    assert_int_equal(open_bytes(&file, &other, &err), CUZK_INPUT);
    assert_non_null(strstr(err.message, "another circuit"));
    free(file.bytes);
}

static void test_derived_writer__takes_no_infinity_and_no_fewer_points(void **state)
{
    const uint8_t infinity[CUZK_G1_RAW_BYTES] = {0x40};
    struct cuzk_derived_shape shape = {.identity = own, .log_domain = 1, .inputs = 1, .aux = 1};
    struct cuzk_derived_writer *writer;
    struct memory file = {0};
    const uint64_t none = 0;

    (void)state;
    assert_int_equal(cuzk_derived_writer_create(memory_store(&file), NULL, &shape, &none, &writer, NULL),
                     CUZK_OK);
    assert_int_equal(cuzk_derived_write_points(writer, CUZK_DERIVED_L, infinity, 1, NULL), CUZK_INPUT);
    assert_int_equal(cuzk_derived_writer_finish(writer, own.params, NULL), CUZK_INTERNAL);
    cuzk_derived_writer_destroy(writer);
    free(file.bytes);
}

/* A bit flipped in a point whose checksums were made anew: no proof comes of it. */
static void test_prover__refuses_what_a_wrong_derived_key_proves(void **state)
{
    enum { H = 0, L = 1 };
    const uint8_t digest[CUZK_DERIVED_PARAMS_BYTES] = {0};
    struct memory params_bytes = {0};
    struct cuzk_params params;
    struct cuzk_error err;
    struct cuzk_vk vk;
    struct toy toy;

    (void)state;
    toy_load("mimc-322", false, &toy);
    assert_int_equal(
        cuzk_setup(backend, pool, toy.r1cs, &toy.toxic, memory_sink(&params_bytes), NULL, &vk, &err),
        CUZK_OK);
    cuzk_vk_destroy(&vk);
    assert_int_equal(cuzk_params_from_bytes("toy", params_bytes.bytes, params_bytes.length, &params, &err),
                     CUZK_OK);
    for (int which = H; which <= L; which++) {
        struct memory bytes = {0};
        struct cuzk_derived derived;
        struct cuzk_prover *prover;
        uint8_t proof[CUZK_PROOF_BYTES], swap[CUZK_G1_RAW_BYTES];
        assert_int_equal(
            cuzk_derived_setup(backend, pool, toy.r1cs, &toy.toxic, digest, memory_store(&bytes), NULL, &err),
            CUZK_OK);
        assert_int_equal(
            cuzk_derived_from_bytes("toy", bytes.bytes, bytes.length, NULL, pool, NULL, &derived, &err),
            CUZK_OK);
        /* two points change places behind the checksums' back */
        uint8_t *at = bytes.bytes + (which == H ? derived.shape.h_offset : derived.shape.l_offset);
        memcpy(swap, at, sizeof swap);
        memcpy(at, at + sizeof swap, sizeof swap);
        memcpy(at + sizeof swap, swap, sizeof swap);
        const struct cuzk_key_form form = {1, CUZK_H_COSET, NULL, &derived};
        assert_int_equal(cuzk_prover_create(backend, toy.r1cs, &toy.layout, &params, &form, &prover, &err),
                         CUZK_OK);
        assert_int_equal(cuzk_prover_prove(prover, &toy.witness, NULL, NULL, proof, &err), CUZK_UNSATISFIED);
        at[0] ^= 1; /* and one that is none */
        assert_int_equal(cuzk_prover_prove(prover, &toy.witness, NULL, NULL, proof, &err), CUZK_INPUT);
        assert_non_null(strstr(err.message, "of the derived key"));
        cuzk_prover_destroy(prover);
        cuzk_derived_close(&derived);
        free(bytes.bytes);
    }
    cuzk_params_close(&params);
    free(params_bytes.bytes);
    toy_free(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derived_from_bytes__finds_every_flipped_bit_and_cut),
        cmocka_unit_test(test_derived_from_bytes__finds_flipped_bits_in_every_chunk),
        cmocka_unit_test(test_derived_from_bytes__serves_its_own_parameters_and_circuit_alone),
        cmocka_unit_test(test_derived_writer__takes_no_infinity_and_no_fewer_points),
        cmocka_unit_test(test_prover__refuses_what_a_wrong_derived_key_proves),
    };

    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK ||
        cuzk_backend_cpu_create(pool, &backend, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_backend_destroy(backend);
    cuzk_pool_destroy(pool);
    return failed;
}
