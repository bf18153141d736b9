#include "filecoin/fr32.h"

#include <string.h>

enum { DATA_BITS = 254, BLOCK = 32 };

size_t cuzk_fr32_padded_length(size_t n)
{
    /* ceil(8 n / 254) blocks, without overflow: 127 bytes are four blocks */
    const size_t rest = n % 127;
    return n / 127 * (4 * BLOCK) + (rest * 8 + DATA_BITS - 1) / DATA_BITS * BLOCK;
}

void cuzk_fr32_pad(const uint8_t *in, size_t n, uint8_t *out)
{
    const size_t blocks = cuzk_fr32_padded_length(n) / BLOCK;

    for (size_t i = 0; i < blocks; i++, out += BLOCK) {
        /* block i takes bits 254 i ... of the data: four blocks start on a byte, then 2, 4, 6 bits before */
        const size_t first = i / 4 * 127 + i % 4 * DATA_BITS / 8;
        const unsigned shift = (unsigned)(i % 4 * DATA_BITS % 8);
        uint8_t window[BLOCK + 1] = {0};
        memcpy(window, in + first, n - first < sizeof window ? n - first : sizeof window);
        for (int j = 0; j < BLOCK; j++)
            out[j] = (uint8_t)((window[j] | window[j + 1] << 8) >> shift);
        out[BLOCK - 1] &= 0x3f;
    }
}

void cuzk_fr32_unpad(const uint8_t *in, size_t n, uint8_t *out)
{
    memset(out, 0, n);
    for (size_t i = 0; i < cuzk_fr32_padded_length(n) / BLOCK; i++, in += BLOCK) {
        const size_t first = i / 4 * 127 + i % 4 * DATA_BITS / 8;
        const unsigned shift = (unsigned)(i % 4 * DATA_BITS % 8);
        for (size_t j = 0; j < BLOCK; j++) {
            const unsigned v = (unsigned)(j == BLOCK - 1 ? in[j] & 0x3f : in[j]) << shift;
            if (first + j < n)
                out[first + j] |= (uint8_t)v;
            if (first + j + 1 < n)
                out[first + j + 1] |= (uint8_t)(v >> 8);
        }
    }
}
