/*
 * The data of a sector: pieces, bit-padded, each at an offset that its own size divides, zeros between and
 * behind them.
 */
#ifndef CUZK_FILECOIN_SECTOR_DATA_H
#define CUZK_FILECOIN_SECTOR_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "filecoin/piece.h"

/* A piece's own data, as a client has it: no bit padding yet. Shorter data are extended with zeros. */
struct cuzk_piece_data {
    const uint8_t *bytes;
    size_t length;
    uint64_t unpadded_size; /* 127 * 2^k */
};

/* Bytes of pieces that a sector has room for. */
static inline uint64_t cuzk_sector_data_room(uint64_t sector_size)
{
    return sector_size / 128 * 127;
}

/* Lays pieces out in `data`, sector_size bytes that are zero; out[i] becomes piece i with its commitment.
 * Errors: ARGUMENT (sizes, or more than the sector holds), MEMORY. */
enum cuzk_status cuzk_sector_data_place(struct cuzk_pool *pool, uint64_t sector_size,
                                        const struct cuzk_piece_data *pieces, size_t count,
                                        struct cuzk_piece *out, uint8_t *data, struct cuzk_error *err);

/* Reproducible data: n bytes of the ChaCha8 keystream of a seed. */
void cuzk_sector_data_random(const uint8_t seed[32], uint8_t *out, size_t n);

#endif
