#include "filecoin/sector_data.h"

#include <string.h>

#include "base/mem.h"
#include "filecoin/chacha8.h"
#include "filecoin/fr32.h"

enum cuzk_status cuzk_sector_data_place(struct cuzk_pool *pool, uint64_t sector_size,
                                        const struct cuzk_piece_data *pieces, size_t count,
                                        struct cuzk_piece *out, uint8_t *data, struct cuzk_error *err)
{
    enum cuzk_status status;
    uint64_t *offsets = NULL, used;

    CUZK_TRY_OUT(CUZK_NEW(&offsets, count, "piece offsets", err));
    for (size_t i = 0; i < count; i++) {
        out[i].unpadded_size = pieces[i].unpadded_size;
        CUZK_TRY_OUT(cuzk_piece_comm_p(pool, pieces[i].bytes, pieces[i].length, pieces[i].unpadded_size,
                                       out[i].comm_p, err));
    }
    CUZK_TRY_OUT(cuzk_piece_offsets(sector_size, out, count, offsets, &used, err));
    for (size_t i = 0; i < count; i++)
        cuzk_fr32_pad(pieces[i].bytes, pieces[i].length, data + offsets[i]);
out:
    cuzk_mem_free(offsets);
    return status;
}

void cuzk_sector_data_random(const uint8_t seed[32], uint8_t *out, size_t n)
{
    struct cuzk_chacha8 stream;
    uint8_t last[4];

    cuzk_chacha8_init(&stream, seed);
    cuzk_chacha8_bytes(&stream, out, n - n % 4);
    if (n % 4 != 0) {
        cuzk_chacha8_bytes(&stream, last, sizeof last);
        memcpy(out + n - n % 4, last, n % 4);
    }
}
