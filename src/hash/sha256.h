/*
 * SHA-256 (FIPS 180-4), with the processor's SHA instructions where it has them (base/cpu.h), and the node
 * hash of Filecoin's binary trees. Digests are 32 bytes in the order of the standard. Nothing here fails.
 * Thread-safe: each state belongs to its caller.
 */
#ifndef CUZK_HASH_SHA256_H
#define CUZK_HASH_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { CUZK_SHA256_BYTES = 32, CUZK_SHA256_BLOCK = 64, CUZK_SHA256_WORDS = 8 };

struct cuzk_sha256 {
    uint32_t state[CUZK_SHA256_WORDS];
    uint64_t length; /* bytes so far */
    uint8_t block[CUZK_SHA256_BLOCK];
};

/* The state before the first block. */
extern const uint32_t cuzk_sha256_initial[CUZK_SHA256_WORDS];

/* The 64 round constants. */
extern const uint32_t cuzk_sha256_round_constants[64];

void cuzk_sha256_init(struct cuzk_sha256 *hash);
void cuzk_sha256_update(struct cuzk_sha256 *hash, const void *bytes, size_t n);
/* Writes the digest; the state must be initialised again before another use. */
void cuzk_sha256_final(struct cuzk_sha256 *hash, uint8_t digest[CUZK_SHA256_BYTES]);

/* The digest of n bytes. */
void cuzk_sha256_digest(const void *bytes, size_t n, uint8_t digest[CUZK_SHA256_BYTES]);

/* The compression function over `count` blocks of 64 bytes, one after another. */
void cuzk_sha256_compress(uint32_t state[CUZK_SHA256_WORDS], const uint8_t *blocks, size_t count);

/* state as 32 big-endian bytes */
void cuzk_sha256_state_bytes(const uint32_t state[CUZK_SHA256_WORDS], uint8_t bytes[CUZK_SHA256_BYTES]);

/* The node of a binary tree over its children: SHA-256 of 64 bytes with the top two bits of the last byte
 * cleared, so that it is a field element (little-endian). `node` may be either child. */
void cuzk_sha256_node(const uint8_t children[2 * CUZK_SHA256_BYTES], uint8_t node[CUZK_SHA256_BYTES]);

/* Clears the top two bits of the last byte: a digest becomes a field element, little-endian. */
static inline void cuzk_sha256_trim(uint8_t digest[CUZK_SHA256_BYTES])
{
    digest[CUZK_SHA256_BYTES - 1] &= 0x3f;
}

#endif
