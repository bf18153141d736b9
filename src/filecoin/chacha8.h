/* ChaCha with 8 rounds as a stream of numbers: 64-bit block counter from 0, nonce 0 (D. J. Bernstein's
 * original layout, as rand_chacha's ChaCha8Rng). libsodium has no 8-round variant. */
#ifndef CUZK_FILECOIN_CHACHA8_H
#define CUZK_FILECOIN_CHACHA8_H

#include <stddef.h>
#include <stdint.h>

struct cuzk_chacha8 {
    uint32_t key[8];
    uint64_t counter; /* of the next block */
    uint32_t block[16];
    unsigned used; /* words of the block already handed out */
};

void cuzk_chacha8_init(struct cuzk_chacha8 *stream, const uint8_t key[32]);
/* The next eight keystream bytes, little-endian. */
uint64_t cuzk_chacha8_next_u64(struct cuzk_chacha8 *stream);
/* The next n keystream bytes, n a multiple of 4. */
void cuzk_chacha8_bytes(struct cuzk_chacha8 *stream, uint8_t *out, size_t n);

#endif
