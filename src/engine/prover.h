/*
 * Proves partitions of any kind: a circuit and its parameters made ready once, then any number of proofs.
 *
 * A partition's witness is made on the pool, the proof through the backend; the prover verifies each proof
 * before it gives it back, and its public inputs are compared with those that a verifier will use. Several
 * threads may prove with one prover.
 */
#ifndef CUZK_ENGINE_PROVER_H
#define CUZK_ENGINE_PROVER_H

#include <stdint.h>

#include "backend/backend.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/timeline.h"
#include "circuit/circuit.h"
#include "engine/partition_times.h"
#include "engine/proof_kind.h"
#include "groth16/params.h"
#include "groth16/prove.h"

struct cuzk_circuit_prover;

/* Everything a prover works with; borrowed, must outlive it. pool, progress and timeline may be NULL. */
struct cuzk_engine_context {
    struct cuzk_pool *pool;
    struct cuzk_backend *backend;
    const struct cuzk_progress *progress;
    struct cuzk_timeline *timeline;
};

/* Records the circuit and opens the parameters. Errors: NOT_FOUND (no such file), INPUT (not the parameters
 * of this circuit), MEMORY, CANCELLED. */
enum cuzk_status cuzk_circuit_prover_create(const struct cuzk_engine_context *context,
                                            const struct cuzk_circuit_id *id, const char *params_path,
                                            struct cuzk_circuit_prover **out, struct cuzk_error *err);
void cuzk_circuit_prover_destroy(struct cuzk_circuit_prover *prover);

/* The key that its proofs verify under; lives as long as the prover. */
const struct cuzk_vk *cuzk_circuit_prover_vk(const struct cuzk_circuit_prover *prover);

/* One partition. Errors: INVALID (the vanilla proof names other public inputs than a verifier derives),
 * UNSATISFIED (with the path of the first constraint that does not hold), INPUT (bad point in the
 * parameters), MEMORY, CANCELLED. */
enum cuzk_status cuzk_circuit_prover_prove(struct cuzk_circuit_prover *prover, const struct cuzk_case *that,
                                           unsigned partition, struct cuzk_partition_times *times,
                                           uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err);

/* Every partition of a case. On a device two are in flight, unless its memory is limited: one's witness is
 * made and uploaded, and the one before it verified, while the device works. times and proofs: of
 * `partitions` each, in order. done, which may be NULL, hears of each partition as it ends, one at a time.
 * Errors: as above, with the partition's number; the first failure ends the others. */
enum cuzk_status cuzk_circuit_prover_prove_all(
    struct cuzk_circuit_prover *prover, const struct cuzk_case *that,
    void (*done)(void *context, unsigned partition, const struct cuzk_partition_times *times), void *context,
    struct cuzk_partition_times *times, uint8_t *proofs, struct cuzk_error *err);

#endif
