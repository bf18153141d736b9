#include "filecoin/chacha8.h"

#include <string.h>

static uint32_t rotate(uint32_t v, int n)
{
    return v << n | v >> (32 - n);
}

static void quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b;
    *d = rotate(*d ^ *a, 16);
    *c += *d;
    *b = rotate(*b ^ *c, 12);
    *a += *b;
    *d = rotate(*d ^ *a, 8);
    *c += *d;
    *b = rotate(*b ^ *c, 7);
}

static void next_block(struct cuzk_chacha8 *s)
{
    uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; /* "expand 32-byte k" */
    uint32_t x[16];

    memcpy(in + 4, s->key, sizeof s->key);
    in[12] = (uint32_t)s->counter;
    in[13] = (uint32_t)(s->counter >> 32);
    s->counter++;
    memcpy(x, in, sizeof x);
    for (int i = 0; i < 4; i++) {
        quarter(&x[0], &x[4], &x[8], &x[12]);
        quarter(&x[1], &x[5], &x[9], &x[13]);
        quarter(&x[2], &x[6], &x[10], &x[14]);
        quarter(&x[3], &x[7], &x[11], &x[15]);
        quarter(&x[0], &x[5], &x[10], &x[15]);
        quarter(&x[1], &x[6], &x[11], &x[12]);
        quarter(&x[2], &x[7], &x[8], &x[13]);
        quarter(&x[3], &x[4], &x[9], &x[14]);
    }
    for (int i = 0; i < 16; i++)
        s->block[i] = x[i] + in[i];
    s->used = 0;
}

void cuzk_chacha8_init(struct cuzk_chacha8 *stream, const uint8_t key[32])
{
    memcpy(stream->key, key, sizeof stream->key);
    stream->counter = 0;
    stream->used = 16;
}

static uint32_t next_u32(struct cuzk_chacha8 *stream)
{
    if (stream->used == 16)
        next_block(stream);
    return stream->block[stream->used++];
}

uint64_t cuzk_chacha8_next_u64(struct cuzk_chacha8 *stream)
{
    const uint64_t low = next_u32(stream);
    return low | (uint64_t)next_u32(stream) << 32;
}

void cuzk_chacha8_bytes(struct cuzk_chacha8 *stream, uint8_t *out, size_t n)
{
    for (; n >= 4; n -= 4, out += 4) {
        const uint32_t v = next_u32(stream);
        memcpy(out, &v, 4);
    }
}
