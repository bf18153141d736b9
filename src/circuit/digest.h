/*
 * The canonical fingerprint of a constraint system, taken from the stream of its constraints.
 *
 * Stream: for each constraint, for A, B, C: u32 LE number of terms, then the terms: u8 kind (0 public input,
 * 1 aux), u32 LE index, 32-byte coefficient, little-endian. The digest is SHA-256 of the whole; checkpoint k
 * (from 1) is SHA-256 of the prefix that ends after k * every constraints. The rows that Groth16 adds for
 * public inputs are not part of it.
 */
#ifndef CUZK_CIRCUIT_DIGEST_H
#define CUZK_CIRCUIT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "hash/sha256.h"
#include "r1cs/term.h"

/* One of A, B, C. */
struct cuzk_digest_matrix {
    uint64_t terms;
    uint32_t input_density, aux_density; /* variables with a non-zero coefficient somewhere */
    uint64_t *inputs, *aux;              /* bitmaps of them; owned */
    size_t input_words, aux_words;
};

struct cuzk_digest {
    uint32_t constraints;
    struct cuzk_digest_matrix matrix[3]; /* A, B, C */
    uint8_t sha256[CUZK_SHA256_BYTES];   /* after _finish */
    uint32_t checkpoint_every;           /* 0: none */
    uint8_t (*checkpoints)[CUZK_SHA256_BYTES];
    size_t checkpoint_count, checkpoint_capacity;
    size_t checkpoint_limit; /* stop with CANCELLED after so many checkpoints; 0: go on */

    struct cuzk_sha256 hash;
    uint8_t *buffer;
    size_t buffered;
};

/* Begins; checkpoint_every may be 0. Errors: MEMORY. */
enum cuzk_status cuzk_digest_create(uint32_t checkpoint_every, struct cuzk_digest *out,
                                    struct cuzk_error *err);

/* The sink to record into. */
struct cuzk_constraint_sink cuzk_digest_sink(struct cuzk_digest *digest);

/* Ends the stream: sha256 and the densities are valid from here. */
void cuzk_digest_finish(struct cuzk_digest *digest);

/* Fine on a zeroed one. */
void cuzk_digest_destroy(struct cuzk_digest *digest);

#endif
