/*
 * A commitment as requests carry it: 32 raw bytes, or the bytes of its CIDv1: for comm_r 01 82e203 81e802 20
 * and the 32 (40 in all), for comm_d 01 81e203 9220 20 and the 32 (39).
 *
 * Source: multicodec fil-commitment-sealed and -unsealed, poseidon-bls12_381-a2-fc1,
 * sha2-256-trunc254-padded.
 */
#ifndef CUZK_ENGINE_COMMITMENT_H
#define CUZK_ENGINE_COMMITMENT_H

#include "base/error.h"
#include "engine/request.h"
#include "field/fr.h"

enum cuzk_commitment { CUZK_COMMITMENT_SEALED, CUZK_COMMITMENT_UNSEALED };

/* Whether a blob has the form of such a commitment: OK, and its 32 bytes; or what is wrong. For callers with
 * messages of their own; cuzk_commitment_cid_bytes is the other length that is right. */
enum cuzk_commitment_form { CUZK_COMMITMENT_OK, CUZK_COMMITMENT_LENGTH, CUZK_COMMITMENT_PREFIX };
enum cuzk_commitment_form cuzk_commitment_take(const struct cuzk_request_blob *blob,
                                               enum cuzk_commitment kind, uint8_t bytes[CUZK_FR_BYTES]);
size_t cuzk_commitment_cid_bytes(enum cuzk_commitment kind);

/* "sealed", "unsealed" */
const char *cuzk_commitment_name(enum cuzk_commitment kind);

/* Errors: INPUT, naming the field: another length, another prefix, a value not below the modulus. */
enum cuzk_status cuzk_commitment_read(const struct cuzk_request_blob *blob, const char *field,
                                      enum cuzk_commitment kind, struct cuzk_fr *out, struct cuzk_error *err);

#endif
