/*
 * Proves partitions of PoRep: a circuit and its parameters made ready once, then any number of proofs.
 *
 * A partition's witness is made on the pool, the proof through the backend; the prover verifies each proof
 * before it gives it back, and its public inputs are compared with those that a verifier will use. One prover
 * serves one thread at a time.
 */
#ifndef CUZK_ENGINE_POREP_PROVER_H
#define CUZK_ENGINE_POREP_PROVER_H

#include <stdint.h>

#include "backend/backend.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/timeline.h"
#include "engine/porep_case.h"
#include "groth16/params.h"
#include "groth16/prove.h"

struct cuzk_porep_prover;

/* Everything a prover works with; borrowed, must outlive it. pool, progress and timeline may be NULL. */
struct cuzk_engine_context {
    struct cuzk_pool *pool;
    struct cuzk_backend *backend;
    const struct cuzk_progress *progress;
    struct cuzk_timeline *timeline;
};

/* Records the circuit and opens the parameters. Errors: NOT_FOUND (no such file), INPUT (not the parameters
 * of this circuit), MEMORY, CANCELLED. */
enum cuzk_status cuzk_porep_prover_create(const struct cuzk_engine_context *context,
                                          const struct cuzk_circuit_id *id, const char *params_path,
                                          struct cuzk_porep_prover **out, struct cuzk_error *err);
void cuzk_porep_prover_destroy(struct cuzk_porep_prover *prover);

/* The key that its proofs verify under; lives as long as the prover. */
const struct cuzk_vk *cuzk_porep_prover_vk(const struct cuzk_porep_prover *prover);

struct cuzk_partition_times {
    uint64_t witness_ns;
    struct cuzk_prove_times prove;
};

/* One partition. Errors: INVALID (the vanilla proof names other public inputs than a verifier derives),
 * UNSATISFIED (with the path of the first constraint that does not hold), INPUT (bad point in the
 * parameters), MEMORY, CANCELLED. */
enum cuzk_status cuzk_porep_prover_prove(struct cuzk_porep_prover *prover,
                                         const struct cuzk_porep_case *porep, unsigned partition,
                                         struct cuzk_partition_times *times, uint8_t proof[CUZK_PROOF_BYTES],
                                         struct cuzk_error *err);

/* A circuit as matrices and layout: for setup and for the prover. Both are the caller's to destroy
 * (cuzk_r1cs_destroy, cuzk_witness_layout_destroy). */
enum cuzk_status cuzk_circuit_record(const struct cuzk_circuit_id *id, const struct cuzk_progress *progress,
                                     struct cuzk_r1cs **r1cs, struct cuzk_witness_layout *layout,
                                     struct cuzk_error *err);

#endif
