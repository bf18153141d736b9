/* The 2 KiB PoRep key under the fixtures' toxic waste, kept in build/keys between runs, and the checks of the
 * proofs made with it. Failures fail the running test. */
#ifndef CUZK_TESTS_ORACLE_POREP_KEY_H
#define CUZK_TESTS_ORACLE_POREP_KEY_H

#include "backend/backend.h"
#include "groth16/params.h"
#include "groth16/prove_fixed.h"
#include "porep_parts.h"

struct porep_key {
    struct cuzk_pool *pool;
    struct cuzk_backend *backend;
    struct porep_circuit circuit;
    struct cuzk_params params;
    struct cuzk_prover *prover;
};

/* Makes the key if build/keys lacks it, or what is there is not the fixtures' key. */
void porep_key_open(struct porep_key *key);
void porep_key_close(struct porep_key *key);

/* Every line of a JSON-lines fixture (proofs.jsonl, proofs-ni.jsonl) of porep-2k for which `wanted` (NULL:
 * all) is the sector's folder; returns how many there were. */
unsigned porep_key_check_proofs(struct porep_key *key, const char *fixture, const char *wanted);

#endif
