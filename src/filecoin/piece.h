/*
 * Piece commitments (comm_p) and the commitment of a sector's data (comm_d). Commitments are 32 bytes as
 * SHA-256 gives them, top two bits clear. Sizes of pieces: unpadded is 127 * 2^k bytes, padded 128 * 2^k.
 */
#ifndef CUZK_FILECOIN_PIECE_H
#define CUZK_FILECOIN_PIECE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"

struct cuzk_piece {
    uint64_t unpadded_size;
    uint8_t comm_p[32];
};

/* The padded size of an unpadded piece size. Errors: ARGUMENT (not 127 * 2^k). */
enum cuzk_status cuzk_piece_padded_size(uint64_t unpadded, uint64_t *padded, struct cuzk_error *err);

/* Commitment of n bytes of data extended with zeros to unpadded_size. Errors: ARGUMENT (more data than size,
 * or no such size), MEMORY. */
enum cuzk_status cuzk_piece_comm_p(struct cuzk_pool *pool, const uint8_t *data, size_t n,
                                   uint64_t unpadded_size, uint8_t comm_p[32], struct cuzk_error *err);

/* Commitment of padded_size (a power of two, at least 32) zero bytes. */
void cuzk_piece_zero_comm(uint64_t padded_size, uint8_t comm[32]);

/* comm_d of pieces laid one after another, each aligned to its size by zero pieces. The result covers the
 * pieces only: a caller that wants the whole sector adds zero pieces (cuzk_piece_fill). No pieces at all give
 * the zero commitment of the sector. Errors: ARGUMENT (sizes, or more than the sector holds). */
enum cuzk_status cuzk_piece_comm_d(uint64_t sector_size, const struct cuzk_piece *pieces, size_t count,
                                   uint8_t comm_d[32], struct cuzk_error *err);

/* Where pieces lie in the sector: padded_offsets[i] of piece i, and the padded bytes used in all. Errors:
 * ARGUMENT. */
enum cuzk_status cuzk_piece_offsets(uint64_t sector_size, const struct cuzk_piece *pieces, size_t count,
                                    uint64_t *padded_offsets, uint64_t *used, struct cuzk_error *err);

#endif
