/*
 * Verifying Groth16 proofs: e(A, B) = e(alpha, beta) e(ic[0] + sum input_i ic[i + 1], gamma) e(C, delta).
 *
 * OK means that the proof holds, INVALID that it does not (also: another number of public inputs than the key
 * has), INPUT that the bytes are no proofs. Nothing else counts as verified. Several proofs are checked at
 * once by a random linear combination of their equations, with 128-bit weights from getrandom: a false set
 * passes with probability 2^-128. A prepared key serves any number of threads at once.
 */
#ifndef CUZK_GROTH16_VERIFY_H
#define CUZK_GROTH16_VERIFY_H

#include "base/pool.h"
#include "field/fr.h"
#include "groth16/proof.h"
#include "groth16/vk.h"

struct cuzk_prepared_vk;

/* The public inputs of one proof, without the constant one. */
struct cuzk_public_inputs {
    const struct cuzk_fr *values;
    size_t count;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Tables and pairing lines of a key; nothing of vk is borrowed. Takes milliseconds; 24 KiB for each public
 * input, 96 bytes where there are thousands. Errors: MEMORY. */
enum cuzk_status cuzk_prepared_vk_create(struct cuzk_pool *pool, const struct cuzk_vk *vk,
                                         struct cuzk_prepared_vk **out, struct cuzk_error *err);
void cuzk_prepared_vk_destroy(struct cuzk_prepared_vk *vk);

/* The number of public inputs, without the constant one; 0 too for a key without any ic, which no proof
 * satisfies. */
size_t cuzk_prepared_vk_inputs(const struct cuzk_prepared_vk *vk);

/* `count` public inputs from 32-byte little-endian numbers. Errors: INPUT (a number is not below r; its
 * position is named). */
enum cuzk_status cuzk_public_inputs_decode(const uint8_t (*bytes)[CUZK_FR_BYTES], size_t count,
                                           struct cuzk_fr *out, struct cuzk_error *err);

/* One proof of exactly 192 bytes. Errors: INVALID, INPUT, MEMORY. */
enum cuzk_status cuzk_verify(const struct cuzk_prepared_vk *vk, const struct cuzk_public_inputs *inputs,
                             const uint8_t *proof, size_t proof_length, struct cuzk_error *err);

/* `count` proofs, one after the other in `proofs`: a batch, or the partitions of one proof. inputs_count must
 * equal count. On INVALID the message names the first proof that does not hold. Errors: INVALID, INPUT (a
 * length other than 192 count, a bad proof: the first one is named), ARGUMENT (no proofs), MEMORY, IO (no
 * randomness). */
enum cuzk_status cuzk_verify_many(struct cuzk_pool *pool, const struct cuzk_prepared_vk *vk,
                                  const struct cuzk_public_inputs *inputs, size_t inputs_count,
                                  const uint8_t *proofs, size_t proofs_length, size_t count,
                                  struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
