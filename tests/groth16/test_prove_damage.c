/* A bit of a key flips where it lies on a device: the proof is refused with a reason or right, never wrong,
 * and once the bit is as it was, proofs are right again. For keys that are whole and for keys in chunks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/choice.h"
#include "groth16/params.h"
#include "groth16/prove_fixed.h"
#include "groth16/setup.h"
#include "groth16/verify.h"
#include "support/random.h"
#include "support/resident_key.h"
#include "toy.h"

static struct cuzk_pool *pool;
static struct test_random rng;

struct fixture {
    struct cuzk_backend *backend;
    struct toy toy;
    struct memory bytes;
    struct cuzk_params params;
    struct cuzk_prepared_vk *vk;
    struct cuzk_prover *prover;
};

static bool create(struct fixture *f)
{
    return cuzk_prover_create(f->backend, f->toy.r1cs, &f->toy.layout, &f->params, NULL, &f->prover, NULL) ==
           CUZK_OK;
}

/* What is given out verifies, by a verifier of our own; what is not, is refused with a reason and wiped. */
static bool proves(const struct fixture *f)
{
    static const uint8_t nothing[CUZK_PROOF_BYTES];
    const struct cuzk_public_inputs inputs = {f->toy.witness.inputs + 1, f->toy.r1cs->inputs - 1};
    uint8_t proof[CUZK_PROOF_BYTES];
    struct cuzk_error err = {0};
    const enum cuzk_status status = cuzk_prover_prove(f->prover, &f->toy.witness, NULL, NULL, proof, &err);

    if (status == CUZK_OK) {
        assert_int_equal(cuzk_verify(f->vk, &inputs, proof, sizeof proof, NULL), CUZK_OK);
        return true;
    }
    assert_int_equal(status, CUZK_UNSATISFIED);
    assert_non_null(strstr(err.message, "does not verify"));
    assert_memory_equal(proof, nothing, sizeof proof);
    return false;
}

/* A point that the key holds for a variable of value 0 does not count: of the points tried, some do. */
static void damage_query(struct fixture *f, enum cuzk_query query)
{
    enum { POINTS = 8, TURNS = 3 };
    const uint32_t count = f->params.query[query].count;
    const unsigned bits = cuzk_query_is_g2(query) ? 1536 : 768;
    unsigned refused = 0;

    for (unsigned i = 0; i < POINTS; i++) {
        const uint32_t point = i == 0 ? 0 : (uint32_t)test_random_below(&rng, count);
        const unsigned bit = (unsigned)test_random_below(&rng, bits);

        assert_true(resident_key_flip(cuzk_prover_key(f->prover), query, point, bit));
        for (int turn = 0; turn < TURNS; turn++) /* the first may have its chunk on the device already */
            refused += !proves(f);
        assert_true(resident_key_flip(cuzk_prover_key(f->prover), query, point, bit));
        (void)proves(f);
        assert_true(proves(f));
    }
    print_message("query %d: %u of %u proofs refused\n", (int)query, refused, POINTS * TURNS);
    assert_true(refused > 0);
}

static void damage_key(struct fixture *f)
{
    assert_true(create(f));
    assert_true(proves(f));
    for (int query = 0; query < CUZK_QUERIES; query++)
        damage_query(f, (enum cuzk_query)query);
    cuzk_prover_destroy(f->prover);
}

/* The least limit of device memory, to 64 KiB. */
static uint64_t least_limit(struct fixture *f)
{
    uint64_t low = 0, high = UINT64_C(1) << 15;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        f->backend->memory_limit = (middle + 1) << 16;
        if (create(f)) {
            cuzk_prover_destroy(f->prover);
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return (high + 1) << 16;
}

static void test_prove__never_gives_out_a_wrong_proof(void **state)
{
    struct fixture f = {0};
    struct cuzk_error err;
    struct cuzk_vk vk;

    (void)state;
    if (cuzk_backend_open("cuda", pool, &f.backend, &err) != CUZK_OK) {
        print_message("SKIPPED: %s\n", err.message);
        skip();
    }
    toy_load("mimc-322", true, &f.toy);
    assert_int_equal(
        cuzk_setup(f.backend, pool, f.toy.r1cs, &f.toy.toxic, memory_sink(&f.bytes), NULL, &vk, &err),
        CUZK_OK);
    assert_int_equal(cuzk_params_from_bytes(f.toy.name, f.bytes.bytes, f.bytes.length, &f.params, &err),
                     CUZK_OK);
    assert_int_equal(cuzk_prepared_vk_create(NULL, &vk, &f.vk, &err), CUZK_OK);
    damage_key(&f);
    f.backend->memory_limit = least_limit(&f);
    damage_key(&f);
    cuzk_prepared_vk_destroy(f.vk);
    cuzk_vk_destroy(&vk);
    cuzk_params_close(&f.params);
    free(f.bytes.bytes);
    toy_free(&f.toy);
    cuzk_backend_destroy(f.backend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prove__never_gives_out_a_wrong_proof)};

    test_random_init(&rng);
    if (cuzk_pool_create(2, &pool, NULL) != CUZK_OK)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuzk_pool_destroy(pool);
    return failed;
}
