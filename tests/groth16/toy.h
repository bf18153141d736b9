/* The toy circuits of tests/fixtures/groth16/toy, loaded. Failures fail the running test. */
#ifndef CUZK_TESTS_GROTH16_TOY_H
#define CUZK_TESTS_GROTH16_TOY_H

#include "base/sink.h"
#include "groth16/prove.h"
#include "groth16/toxic.h"
#include "r1cs/r1cs.h"
#include "r1cs/witness.h"
#include "support/fixture.h"

struct toy {
    struct fixture_json json; /* the line of toy.jsonl */
    char *name;
    struct cuzk_r1cs *r1cs;
    struct cuzk_witness_layout layout; /* with bits where a value is 0 or 1 and the caller asked for it */
    struct cuzk_witness witness;
    struct cuzk_toxic toxic;
};

/* Calls body with every toy circuit that can be set up. `bits`: the layout calls every other variable whose
 * value is 0 or 1 a bit. */
void toy_each(bool bits, void (*body)(struct toy *toy));

/* One of them, by name; toy_free it. */
void toy_load(const char *name, bool bits, struct toy *out);
void toy_free(struct toy *toy);

/* A little-endian hex scalar. */
void toy_scalar(struct fixture_json value, struct cuzk_fr *out);

/* Fails the test unless the prover makes every proof recorded of the circuit, byte for byte. */
void toy_assert_proofs(const struct toy *toy, struct cuzk_prover *prover);

/* Bytes in memory as a sink or a store. */
struct memory {
    uint8_t *bytes;
    size_t length, capacity;
};
struct cuzk_sink memory_sink(struct memory *memory);
struct cuzk_store memory_store(struct memory *memory);

#endif
