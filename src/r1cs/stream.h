/*
 * The canonical R1CS stream, a circuit's fingerprint when hashed.
 *
 * Constraints in order; of each A, then B, then C: u32 LE number of terms, then the terms: u8 kind (0 public
 * input, 1 aux), u32 LE index, 32-byte LE coefficient. Normalised as in term.h.
 */
#ifndef CUZK_R1CS_STREAM_H
#define CUZK_R1CS_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "r1cs/term.h"

enum { CUZK_STREAM_TERM_BYTES = 1 + 4 + CUZK_FR_BYTES, CUZK_STREAM_COUNT_BYTES = 4 };

/* Bytes of one combination in the stream. */
static inline size_t cuzk_stream_size(size_t terms)
{
    return CUZK_STREAM_COUNT_BYTES + terms * CUZK_STREAM_TERM_BYTES;
}

/* Writes one combination (cuzk_stream_size bytes) and returns the byte after it. */
uint8_t *cuzk_stream_encode(struct cuzk_combination combination, uint8_t *out);

/* Where stream bytes go. */
struct cuzk_stream_target {
    enum cuzk_status (*write)(void *context, const uint8_t *bytes, size_t n, struct cuzk_error *err);
    void *context;
};

/* A sink that encodes constraints and passes them to a target, one write per constraint; create, use its
 * sink, destroy. Errors: MEMORY, and the target's own. */
struct cuzk_stream_writer;

enum cuzk_status cuzk_stream_writer_create(struct cuzk_stream_target target, struct cuzk_stream_writer **out,
                                           struct cuzk_error *err);
struct cuzk_constraint_sink cuzk_stream_writer_sink(struct cuzk_stream_writer *writer);
void cuzk_stream_writer_destroy(struct cuzk_stream_writer *writer);

/* What a stream says about the size of its circuit. */
struct cuzk_stream_counts {
    uint64_t constraints;
    uint32_t inputs; /* highest input index + 1; at least 1 */
    uint32_t aux;    /* highest aux index + 1, 0 if there is none */
};

/* Decodes a whole stream into a sink (NULL: only checks and counts). Errors: INPUT with the offset
 * (truncated, an unknown kind, a coefficient that is zero or not below r, terms out of order, an index of
 * 2^31 or more), MEMORY, and the sink's own. */
enum cuzk_status cuzk_stream_decode(const uint8_t *bytes, size_t length,
                                    const struct cuzk_constraint_sink *sink,
                                    struct cuzk_stream_counts *counts, struct cuzk_error *err);

#endif
