/* The 2 KiB key of a circuit under the fixtures' toxic waste, and the checks of the proofs made with it, byte
 * for byte. Failures fail the running test. */
#ifndef CUZK_TESTS_ORACLE_REAL_KEY_H
#define CUZK_TESTS_ORACLE_REAL_KEY_H

#include "backend/backend.h"
#include "groth16/params.h"
#include "groth16/prove_fixed.h"
#include "porep_parts.h"

struct real_key {
    const char *name; /* of its folder in fixtures/groth16: "update-2k" */
    struct cuzk_pool *pool;
    struct cuzk_backend *backend;
    struct porep_circuit circuit;
    struct cuzk_params params;
    bool is_derived;
    struct cuzk_derived derived;
    struct cuzk_prover *prover;
};

/* The key of a circuit ("snap-2k"). It stays in build/keys under its production name, for the program's own
 * tests and the next run; it is made if it is not there, or not the fixtures' key. */
void real_key_open(const char *circuit, const char *name, struct real_key *key);
void real_key_close(struct real_key *key);

/* From here on proofs are made by another backend ("cuda"), within `memory_limit` bytes of its memory (0: all
 * there is). False, with a message: this machine has none. */
bool real_key_use(struct real_key *key, const char *backend, uint64_t memory_limit);

/* From here on proofs are made with the derived key, which the backend makes of the same toxic waste. */
void real_key_derive(struct real_key *key);

/* What was taken at most of the device's memory since real_key_use, bytes. */
uint64_t real_key_peak(const struct real_key *key);

/* Every line of a JSON-lines fixture (proofs.jsonl, proofs-ni.jsonl) of this key for which `sector` (NULL:
 * all) is the sector's folder; returns how many there were. */
unsigned real_key_check_proofs(struct real_key *key, const char *fixture, const char *sector);

#endif
