/*
 * A circuit bound to its parameters on a backend, ready for any number of proofs: the circuit recorded, the
 * parameters opened, with the derived key where there is a good one, the prover made. Read-only once open:
 * any number of threads.
 */
#ifndef CUZK_ENGINE_RESIDENT_KEY_H
#define CUZK_ENGINE_RESIDENT_KEY_H

#include "backend/backend.h"
#include "base/progress.h"
#include "base/timeline.h"
#include "circuit/circuit.h"
#include "groth16/derived.h"
#include "groth16/params.h"
#include "groth16/prove.h"

struct cuzk_resident_key {
    struct cuzk_circuit circuit;
    struct cuzk_witness_layout layout;
    struct cuzk_r1cs *r1cs; /* without C: C z is never evaluated */
    struct cuzk_params params;
    bool is_derived; /* h and l are the derived key's (srs/derived_key.h) */
    struct cuzk_derived derived;
    struct cuzk_prover *prover;
};

/* progress and timeline may be NULL. Errors: NOT_FOUND (no such file), INPUT (not the parameters of this
 * circuit), ARGUMENT (no such circuit), MEMORY, CANCELLED, and those of the backend. */
enum cuzk_status cuzk_resident_key_open(struct cuzk_backend *backend, const struct cuzk_circuit_id *id,
                                        const char *params_path, const struct cuzk_progress *progress,
                                        struct cuzk_timeline *timeline, struct cuzk_resident_key **out,
                                        struct cuzk_error *err);

/* NULL is fine. No proof is on its way. */
void cuzk_resident_key_close(struct cuzk_resident_key *key);

#endif
