/* Derived keys: from a file and from toxic waste the same bytes; proofs the same bytes as without; damage is
 * found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "base/mem.h"
#include "groth16/derive.h"
#include "groth16/derived_setup.h"
#include "groth16/params.h"
#include "groth16/prove_fixed.h"
#include "groth16/setup.h"
#include "r1cs/fingerprint.h"
#include "toy.h"

static struct cuzk_pool *pool;
static struct cuzk_backend *backend;
static const uint8_t digest[CUZK_DERIVED_PARAMS_BYTES] = "0123456789abcde";

static enum cuzk_status know_digest(void *context, const struct cuzk_progress *progress,
                                    uint8_t out[CUZK_DERIVED_PARAMS_BYTES], struct cuzk_error *err)
{
    (void)context;
    (void)progress;
    (void)err;
    memcpy(out, digest, sizeof digest);
    return CUZK_OK;
}

static const struct cuzk_derive_digest known = {know_digest, NULL};

struct keys {
    struct memory params_bytes, derived_bytes;
    struct cuzk_params params;
};

static void make_keys(const struct toy *toy, struct keys *out)
{
    struct cuzk_error err;
    struct cuzk_vk vk;

    *out = (struct keys){0};
    assert_int_equal(
        cuzk_setup(backend, pool, toy->r1cs, &toy->toxic, memory_sink(&out->params_bytes), NULL, &vk, &err),
        CUZK_OK);
    cuzk_vk_destroy(&vk);
    assert_int_equal(cuzk_params_from_bytes(toy->name, out->params_bytes.bytes, out->params_bytes.length,
                                            &out->params, &err),
                     CUZK_OK);
    const enum cuzk_status status = cuzk_derived_setup(backend, pool, toy->r1cs, &toy->toxic, digest,
                                                       memory_store(&out->derived_bytes), NULL, &err);
    if (status != CUZK_OK)
        fail_msg("%s: %s", toy->name, err.message);
}

static void free_keys(struct keys *keys)
{
    cuzk_params_close(&keys->params);
    free(keys->params_bytes.bytes);
    free(keys->derived_bytes.bytes);
}

static void check_derive(struct toy *toy)
{
    struct cuzk_error err;
    struct memory derived = {0};
    struct keys keys;

    make_keys(toy, &keys);
    if (keys.params.query[CUZK_QUERY_H].count >= DERIVE_DOMAIN_MOST) { /* seconds of point multiplications */
        free_keys(&keys);
        return;
    }
    const enum cuzk_status status =
        cuzk_derive(backend, pool, toy->r1cs, &keys.params, &known, memory_store(&derived), NULL, &err);
    if (status != CUZK_OK)
        fail_msg("%s: %s", toy->name, err.message);
    assert_int_equal(derived.length, keys.derived_bytes.length);
    assert_memory_equal(derived.bytes, keys.derived_bytes.bytes, derived.length);
    free(derived.bytes);
    free_keys(&keys);
}

static void test_derive__from_a_file_equals_from_toxic_waste(void **state)
{
    (void)state;
    toy_each(false, check_derive);
}

static void check_proofs(struct toy *toy)
{
    struct cuzk_derived_identity wanted;
    struct cuzk_derived derived;
    struct cuzk_prover *prover;
    struct cuzk_error err;
    struct keys keys;

    make_keys(toy, &keys);
    memcpy(wanted.params, digest, sizeof digest);
    cuzk_r1cs_fingerprint(toy->r1cs, wanted.circuit);
    assert_int_equal(cuzk_derived_from_bytes("derived", keys.derived_bytes.bytes, keys.derived_bytes.length,
                                             &wanted, pool, NULL, &derived, &err),
                     CUZK_OK);
    const struct cuzk_key_form form = {1, CUZK_H_COSET, NULL, &derived};
    assert_int_equal(cuzk_prover_create(backend, toy->r1cs, &toy->layout, &keys.params, &form, &prover, &err),
                     CUZK_OK);
    toy_assert_proofs(toy, prover);
    cuzk_prover_destroy(prover);
    cuzk_derived_close(&derived);
    free_keys(&keys);
}

static void test_prove_fixed__with_a_derived_key_equals_reference(void **state)
{
    (void)state;
    toy_each(false, check_proofs);
    toy_each(true, check_proofs);
}

/* Every allocation that derive and setup make fails once. */
static void test_derive__memory_that_fails_is_an_error(void **state)
{
    struct cuzk_error err;
    struct keys keys;
    struct toy toy;

    (void)state;
    toy_load("cubic", false, &toy);
    make_keys(&toy, &keys);
    for (int from_file = 0; from_file < 2; from_file++) {
        enum cuzk_status status = CUZK_MEMORY;
        size_t n = 0;
        for (; status == CUZK_MEMORY; n++) {
            struct memory derived = {0};
            cuzk_mem_fail_after(n, 0);
            status = from_file ? cuzk_derive(backend, pool, toy.r1cs, &keys.params, &known,
                                             memory_store(&derived), NULL, &err)
                               : cuzk_derived_setup(backend, pool, toy.r1cs, &toy.toxic, digest,
                                                    memory_store(&derived), NULL, &err);
            free(derived.bytes);
        }
        cuzk_mem_fail_after(SIZE_MAX, 0);
        assert_int_equal(status, CUZK_OK);
        assert_true(n > 5);
    }
    free_keys(&keys);
    toy_free(&toy);
}

static int start(void **state)
{
    (void)state;
    return cuzk_pool_create(0, &pool, NULL) == CUZK_OK &&
                   cuzk_backend_cpu_create(pool, &backend, NULL) == CUZK_OK
               ? 0
               : 1;
}

static int stop(void **state)
{
    (void)state;
    cuzk_backend_destroy(backend);
    cuzk_pool_destroy(pool);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derive__from_a_file_equals_from_toxic_waste),
        cmocka_unit_test(test_prove_fixed__with_a_derived_key_equals_reference),
        cmocka_unit_test(test_derive__memory_that_fails_is_an_error),
    };

    return cmocka_run_group_tests(tests, start, stop);
}
