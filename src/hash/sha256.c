#include "hash/sha256.h"

#include <pthread.h>
#include <string.h>

#include "base/cpu.h"
#include "hash/sha256_shani.h"

const uint32_t cuzk_sha256_initial[CUZK_SHA256_WORDS] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

const uint32_t cuzk_sha256_round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t v, unsigned n)
{
    return v >> n | v << (32 - n);
}

static uint32_t load_be(const uint8_t *bytes)
{
    uint32_t v;
    memcpy(&v, bytes, sizeof v);
    return __builtin_bswap32(v);
}

/* The 64 scheduled words of a block. */
static void schedule(const uint8_t *block, uint32_t w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = load_be(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        const uint32_t s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

/* The 64 rounds over words that already have their constant added. */
static void rounds(uint32_t state[8], const uint32_t wk[64])
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];

    for (int i = 0; i < 64; i++) {
        const uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + wk[i];
        const uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

void cuzk_sha256_compress(uint32_t state[CUZK_SHA256_WORDS], const uint8_t *blocks, size_t count)
{
    if (cuzk_cpu_has_sha()) {
        cuzk_sha256_compress_shani(state, blocks, count);
        return;
    }
    for (; count > 0; count--, blocks += CUZK_SHA256_BLOCK) {
        uint32_t w[64];
        schedule(blocks, w);
        for (int i = 0; i < 64; i++)
            w[i] += cuzk_sha256_round_constants[i];
        rounds(state, w);
    }
}

void cuzk_sha256_state_bytes(const uint32_t state[CUZK_SHA256_WORDS], uint8_t bytes[CUZK_SHA256_BYTES])
{
    for (int i = 0; i < CUZK_SHA256_WORDS; i++) {
        const uint32_t v = __builtin_bswap32(state[i]);
        memcpy(bytes + 4 * i, &v, sizeof v);
    }
}

void cuzk_sha256_init(struct cuzk_sha256 *hash)
{
    memcpy(hash->state, cuzk_sha256_initial, sizeof hash->state);
    hash->length = 0;
}

void cuzk_sha256_update(struct cuzk_sha256 *hash, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    const size_t held = hash->length % CUZK_SHA256_BLOCK;

    if (n == 0)
        return;
    hash->length += n;
    if (held > 0) {
        const size_t room = CUZK_SHA256_BLOCK - held;
        if (n < room) {
            memcpy(hash->block + held, p, n);
            return;
        }
        memcpy(hash->block + held, p, room);
        cuzk_sha256_compress(hash->state, hash->block, 1);
        p += room;
        n -= room;
    }
    cuzk_sha256_compress(hash->state, p, n / CUZK_SHA256_BLOCK);
    memcpy(hash->block, p + n / CUZK_SHA256_BLOCK * CUZK_SHA256_BLOCK, n % CUZK_SHA256_BLOCK);
}

void cuzk_sha256_final(struct cuzk_sha256 *hash, uint8_t digest[CUZK_SHA256_BYTES])
{
    const uint64_t bits = __builtin_bswap64(hash->length * 8);
    const size_t held = hash->length % CUZK_SHA256_BLOCK;
    uint8_t tail[2 * CUZK_SHA256_BLOCK] = {0};
    const size_t blocks = held < CUZK_SHA256_BLOCK - 8 ? 1 : 2;

    memcpy(tail, hash->block, held);
    tail[held] = 0x80;
    memcpy(tail + blocks * CUZK_SHA256_BLOCK - 8, &bits, sizeof bits);
    cuzk_sha256_compress(hash->state, tail, blocks);
    cuzk_sha256_state_bytes(hash->state, digest);
}

void cuzk_sha256_digest(const void *bytes, size_t n, uint8_t digest[CUZK_SHA256_BYTES])
{
    struct cuzk_sha256 hash;

    cuzk_sha256_init(&hash);
    cuzk_sha256_update(&hash, bytes, n);
    cuzk_sha256_final(&hash, digest);
}

/* The second block of every 64-byte message is the same padding: its schedule is made once. */
static pthread_once_t padding_once = PTHREAD_ONCE_INIT;
static uint32_t padding[64];

static void make_padding(void)
{
    const uint8_t block[CUZK_SHA256_BLOCK] = {[0] = 0x80, [62] = 0x02}; /* 512 bits */

    schedule(block, padding);
    for (int i = 0; i < 64; i++)
        padding[i] += cuzk_sha256_round_constants[i];
}

void cuzk_sha256_node(const uint8_t children[2 * CUZK_SHA256_BYTES], uint8_t node[CUZK_SHA256_BYTES])
{
    uint32_t state[CUZK_SHA256_WORDS];

    pthread_once(&padding_once, make_padding);
    memcpy(state, cuzk_sha256_initial, sizeof state);
    cuzk_sha256_compress(state, children, 1);
    if (cuzk_cpu_has_sha())
        cuzk_sha256_compress_shani_scheduled(state, padding);
    else
        rounds(state, padding);
    cuzk_sha256_state_bytes(state, node);
    cuzk_sha256_trim(node);
}
