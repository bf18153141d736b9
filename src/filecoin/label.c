#include "filecoin/label.h"

#include <string.h>

#include "hash/sha256.h"

void cuzk_label(const uint8_t replica_id[32], uint32_t layer, uint64_t node, const uint8_t *const *parents,
                unsigned count, uint8_t label[32])
{
    enum { HEAD = 64, BYTES = HEAD + 32 * CUZK_POREP_LABEL_PARENTS, BLOCKS = 20 };
    uint8_t preimage[BLOCKS * CUZK_SHA256_BLOCK];
    const uint32_t layer_be = __builtin_bswap32(layer);
    const uint64_t node_be = __builtin_bswap64(node);

    memset(preimage, 0, HEAD);
    memcpy(preimage, replica_id, 32);
    memcpy(preimage + 32, &layer_be, sizeof layer_be);
    memcpy(preimage + 36, &node_be, sizeof node_be);
    if (count == 0) {
        cuzk_sha256_digest(preimage, HEAD, label);
    } else {
        const uint64_t bits_be = __builtin_bswap64(UINT64_C(8) * BYTES);
        uint32_t state[CUZK_SHA256_WORDS];
        for (unsigned i = 0, j = 0; i < CUZK_POREP_LABEL_PARENTS; i++, j = j + 1 < count ? j + 1 : 0)
            memcpy(preimage + HEAD + 32 * i, parents[j], 32);
        memset(preimage + BYTES, 0, sizeof preimage - BYTES);
        preimage[BYTES] = 0x80;
        memcpy(preimage + sizeof preimage - 8, &bits_be, sizeof bits_be);
        memcpy(state, cuzk_sha256_initial, sizeof state);
        cuzk_sha256_compress(state, preimage, BLOCKS);
        cuzk_sha256_state_bytes(state, label);
    }
    cuzk_sha256_trim(label);
}
