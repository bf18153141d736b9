/*
 * snarkjs' JSON files for BLS12-381: verification key, proof, public signals. Numbers are strings of decimal
 * digits; points are projective with the third coordinate one (or zero for infinity, "0", "1", "0"); Fp2 is
 * [c0, c1].
 *
 * Readers take any member order and skip unknown members; every point must be on its curve and in the
 * subgroup.
 */
#ifndef CUZK_GROTH16_SNARKJS_JSON_H
#define CUZK_GROTH16_SNARKJS_JSON_H

#include "base/sink.h"
#include "groth16/prove.h"
#include "groth16/vk.h"

/* vkey.json: without vk_alphabeta_12, which no verifier needs. beta_g1 and delta_g1 are not in it: reading
 * leaves them infinity. Errors: INPUT (member, offset, expected, found), MEMORY. */
enum cuzk_status cuzk_snarkjs_vkey_write(const struct cuzk_vk *vk, struct cuzk_sink sink,
                                         struct cuzk_error *err);
enum cuzk_status cuzk_snarkjs_vkey_read(const char *name, const void *text, size_t length,
                                        struct cuzk_vk *out, struct cuzk_error *err);

/* proof.json, from and to the 192 bytes of a proof. */
enum cuzk_status cuzk_snarkjs_proof_write(const uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_sink sink,
                                          struct cuzk_error *err);
enum cuzk_status cuzk_snarkjs_proof_read(const char *name, const void *text, size_t length,
                                         uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err);

/* public.json: the public inputs without the one. *out is allocated (base/mem.h) with *count elements. */
enum cuzk_status cuzk_snarkjs_public_write(const struct cuzk_fr *inputs, size_t count, struct cuzk_sink sink,
                                           struct cuzk_error *err);
enum cuzk_status cuzk_snarkjs_public_read(const char *name, const void *text, size_t length,
                                          struct cuzk_fr **out, size_t *count, struct cuzk_error *err);

#endif
