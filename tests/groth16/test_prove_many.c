/* Many proofs, one behind the other, on the processor and on a device where there is one: every one verifies,
 * and memory stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend/choice.h"
#include "base/mem.h"
#include "groth16/params.h"
#include "groth16/prove.h"
#include "groth16/setup.h"
#include "groth16/verify.h"
#include "toy.h"

enum { PROOFS = 200, WARM = 20, PROVERS = 10 };

static struct cuzk_pool *pool;

static size_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static uint64_t device_free(const struct cuzk_backend *backend)
{
    struct cuzk_backend_facts facts;

    backend->ops->facts(backend, &facts);
    return facts.free_bytes;
}

static void check(struct cuzk_backend *backend, const struct toy *toy, const struct cuzk_params *params)
{
    size_t in_use = 0, resident = 0;
    uint64_t device = 0;

    for (int p = 0; p < PROVERS; p++) {
        struct cuzk_prover *prover;
        assert_int_equal(cuzk_prover_create(backend, toy->r1cs, &toy->layout, params, NULL, &prover, NULL),
                         CUZK_OK);
        for (int k = 0; k < PROOFS / PROVERS; k++) {
            uint8_t proof[CUZK_PROOF_BYTES];
            struct cuzk_error err;
            /* it verifies what it returns */
            if (cuzk_prover_prove(prover, &toy->witness, NULL, NULL, proof, &err) != CUZK_OK)
                fail_msg("proof %d: %s", p * PROOFS / PROVERS + k, err.message);
        }
        cuzk_prover_destroy(prover);
        if ((p + 1) * PROOFS / PROVERS == WARM) {
            in_use = cuzk_mem_in_use();
            resident = resident_bytes();
            device = device_free(backend);
        }
    }
    assert_int_equal(cuzk_mem_in_use(), in_use);
    assert_int_equal(device_free(backend), device);
    assert_true(resident_bytes() < resident + (2 << 20)); /* heaps of threads settle */
}

static void test_prove__is_right_and_flat_200_times(void **state)
{
    static const char *const choices[] = {"cpu", "cuda"};
    struct cuzk_params params;
    struct memory bytes = {0};
    struct toy toy;
    struct cuzk_vk vk;

    (void)state;
    toy_load("mimc-322", true, &toy);
    for (int c = 0; c < 2; c++) {
        struct cuzk_error err;
        struct cuzk_backend *backend;
        if (cuzk_backend_open(choices[c], pool, &backend, &err) != CUZK_OK) {
            print_message("SKIPPED: %s: %s\n", choices[c], err.message);
            assert_string_equal(choices[c], "cuda");
            continue;
        }
        if (c == 0) {
            assert_int_equal(
                cuzk_setup(backend, pool, toy.r1cs, &toy.toxic, memory_sink(&bytes), NULL, &vk, &err),
                CUZK_OK);
            cuzk_vk_destroy(&vk);
            assert_int_equal(cuzk_params_from_bytes(toy.name, bytes.bytes, bytes.length, &params, &err),
                             CUZK_OK);
        }
        check(backend, &toy, &params);
        cuzk_backend_destroy(backend);
    }
    cuzk_params_close(&params);
    free(bytes.bytes);
    toy_free(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prove__is_right_and_flat_200_times)};

    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_pool_destroy(pool);
    return failed;
}
