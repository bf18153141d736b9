/*
 * One proof in stages, on one job of the backend, so that stages of several proofs can take turns on a
 * device:
 *
 *   create   on the host: r and s are drawn
 *   upload   device buffers are made and take the witness
 *   quotient values of A and B, the quotient, the sum over h
 *   sums     the sums over l, a, b; the device buffers are given back, wiped
 *   finish   on the host: the proof's bytes
 *
 * Each returns when its work is done. The proof is not verified: whoever gives it away does (groth16/prove.h
 * does both). One thread at a time; proofs of one prover may be in different threads.
 */
#ifndef CUZK_GROTH16_PROVING_H
#define CUZK_GROTH16_PROVING_H

#include "groth16/prove.h"

struct cuzk_proving;

/* The prover must outlive it; progress, which may be NULL, is asked now and then whether to stop. Errors:
 * MEMORY, IO (no randomness). */
enum cuzk_status cuzk_proving_create(const struct cuzk_prover *prover, const struct cuzk_progress *progress,
                                     struct cuzk_proving **out, struct cuzk_error *err);

/* In any state; wipes. NULL is fine. */
void cuzk_proving_destroy(struct cuzk_proving *proving);

/* In this order, each once; after a failure only destroy is left. The witness must stay until `sums`
 * returned. Errors: those of the backend, INPUT (a point of the parameters is bad; names the file),
 * CANCELLED, INTERNAL (not this stage's turn). */
enum cuzk_status cuzk_proving_upload(struct cuzk_proving *proving, const struct cuzk_witness *witness,
                                     struct cuzk_error *err);
enum cuzk_status cuzk_proving_quotient(struct cuzk_proving *proving, struct cuzk_error *err);
enum cuzk_status cuzk_proving_sums(struct cuzk_proving *proving, struct cuzk_error *err);
enum cuzk_status cuzk_proving_finish(struct cuzk_proving *proving, uint8_t proof[CUZK_PROOF_BYTES],
                                     struct cuzk_error *err);

/* What the backend's operations took so far. */
void cuzk_proving_times(const struct cuzk_proving *proving, struct cuzk_backend_times *out);

#endif
