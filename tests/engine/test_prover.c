/* All partitions of a case with two in flight: a processor that says it has memory of its own, as devices do,
 * proves a case whose every partition is that of the 2 KiB fixture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cpu/cpu.h"
#include "engine/key_unit.h"
#include "engine/porep_case.h"
#include "engine/prover.h"
#include "groth16/verify.h"
#include "support/fixture.h"

enum { PARTITIONS = 3 };

/* ---- a backend with memory ---- */

static struct cuzk_backend_ops ops_with_memory;

static void facts_with_memory(const struct cuzk_backend *backend, struct cuzk_backend_facts *out)
{
    (void)backend;
    memset(out, 0, sizeof *out);
    out->total_bytes = UINT64_C(1) << 30;
}

/* ---- a case of equal partitions ---- */

struct repeated {
    struct cuzk_case common;
    struct cuzk_porep_case porep;
    atomic_uint witnesses;
    unsigned bad; /* partition whose witness is refused */
};

static enum cuzk_status witness_of(const struct cuzk_case *that, unsigned partition,
                                   const struct cuzk_circuit *circuit, struct cuzk_pool *pool,
                                   const struct cuzk_progress *progress, const struct cuzk_witness *witness,
                                   struct cuzk_error *err)
{
    struct repeated *repeated = (struct repeated *)(uintptr_t)that;

    atomic_fetch_add(&repeated->witnesses, 1);
    if (partition == repeated->bad)
        return cuzk_error_set(err, CUZK_INVALID, "refused");
    return repeated->porep.common.ops->witness(&repeated->porep.common, 0, circuit, pool, progress, witness,
                                               err);
}

static const struct cuzk_case_ops repeated_ops = {.witness = witness_of};

struct heard {
    unsigned partitions;
    unsigned most_ahead; /* witnesses begun beyond the proofs that had ended */
    const struct repeated *repeated;
};

static void hear(void *context, unsigned partition, const struct cuzk_partition_times *times)
{
    struct heard *heard = context;
    const unsigned ahead =
        atomic_load(&heard->repeated->witnesses) - (unsigned)__builtin_popcount(heard->partitions);

    assert_true(times->witness_ns > 0 && times->prove.total > 0);
    assert_int_equal(heard->partitions >> partition & 1, 0);
    heard->partitions |= 1u << partition;
    heard->most_ahead = ahead > heard->most_ahead ? ahead : heard->most_ahead;
}

static void test_prove_all__has_two_in_flight(void **state)
{
    const struct cuzk_porep_facts none = {0};
    struct cuzk_partition_times times[PARTITIONS];
    uint8_t proofs[PARTITIONS * CUZK_PROOF_BYTES];
    struct cuzk_circuit_prover *prover;
    struct cuzk_prepared_vk *vk;
    struct cuzk_backend *backend;
    struct cuzk_pool *pool;
    struct repeated repeated = {.bad = PARTITIONS};
    struct cuzk_error err;
    size_t length;
    uint8_t *c1 = fixture_read(&length, "sectors/porep-2k/c1.json");

    (void)state;
    assert_int_equal(cuzk_pool_create(0, &pool, &err), CUZK_OK);
    assert_int_equal(cuzk_backend_cpu_create(pool, &backend, &err), CUZK_OK);
    ops_with_memory = *backend->ops;
    ops_with_memory.facts = facts_with_memory;
    backend->ops = &ops_with_memory;
    assert_int_equal(cuzk_porep_case_open("c1.json", c1, length, &none, NULL, &repeated.porep, &err),
                     CUZK_OK);
    free(c1);
    repeated.common = repeated.porep.common;
    repeated.common.ops = &repeated_ops;
    repeated.common.partitions = PARTITIONS;
    key_unit_circuit = repeated.common.circuit;
    const struct cuzk_engine_context context = {.pool = pool, .backend = backend};

    assert_int_equal(
        cuzk_circuit_prover_create(&context, &key_unit_circuit, key_unit_params(), &prover, &err), CUZK_OK);
    struct heard heard = {.repeated = &repeated};

    assert_int_equal(
        cuzk_circuit_prover_prove_all(prover, &repeated.common, hear, &heard, times, proofs, &err), CUZK_OK);
    assert_int_equal(heard.partitions, (1u << PARTITIONS) - 1);
    assert_int_equal(heard.most_ahead, 2);
    assert_int_equal(cuzk_prepared_vk_create(NULL, cuzk_circuit_prover_vk(prover), &vk, &err), CUZK_OK);
    for (unsigned k = 0; k < PARTITIONS; k++) {
        const struct cuzk_public_inputs inputs = {cuzk_porep_case_inputs(&repeated.porep, 0),
                                                  repeated.porep.common.inputs};
        assert_int_equal(cuzk_verify(vk, &inputs, proofs + k * CUZK_PROOF_BYTES, CUZK_PROOF_BYTES, &err),
                         CUZK_OK);
    }
    /* the failure of one is the failure of all, and is named */
    repeated.bad = 0;
    assert_int_equal(cuzk_circuit_prover_prove_all(prover, &repeated.common, NULL, NULL, times, proofs, &err),
                     CUZK_INVALID);
    assert_string_equal(err.message, "partition 0: refused");
    cuzk_prepared_vk_destroy(vk);
    cuzk_circuit_prover_destroy(prover);
    cuzk_porep_case_close(&repeated.porep);
    cuzk_backend_destroy(backend);
    cuzk_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_prove_all__has_two_in_flight)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
