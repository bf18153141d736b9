#include "filecoin/challenges.h"

#include <sodium.h>
#include <string.h>

#include "hash/sha256.h"

/* A 32-byte little-endian number modulo m. */
static uint32_t modulo(const uint8_t number[32], uint32_t m)
{
    uint64_t rest = 0;

    for (int i = 7; i >= 0; i--) {
        uint32_t word;
        memcpy(&word, number + 4 * i, sizeof word);
        rest = (rest << 32 | word) % m;
    }
    return (uint32_t)rest;
}

static uint32_t hashed(uint64_t nodes, const struct cuzk_sha256 *prefix, uint32_t j)
{
    struct cuzk_sha256 hash = *prefix;
    uint8_t digest[32];

    cuzk_sha256_update(&hash, &j, sizeof j);
    cuzk_sha256_final(&hash, digest);
    return 1 + modulo(digest, (uint32_t)(nodes - 1));
}

/* Keystream bytes [offset, offset + n) of IETF ChaCha20 under a key derived by keyed BLAKE2b from two 32-byte
 * values; a block boundary may not lie inside. */
static void synthetic_stream(const char *purpose, const uint8_t replica_id[32], const uint8_t second[32],
                             uint64_t offset, uint8_t *out, size_t n)
{
    static const unsigned char nonce[crypto_stream_chacha20_ietf_NONCEBYTES] = "synth-porep";
    unsigned char input[64], key[32], block[64] = {0};

    memcpy(input, replica_id, 32);
    memcpy(input + 32, second, 32);
    (void)crypto_generichash(key, sizeof key, input, sizeof input, (const unsigned char *)purpose,
                             strlen(purpose));
    (void)crypto_stream_chacha20_ietf_xor_ic(block, block, sizeof block, nonce, (uint32_t)(offset / 64), key);
    memcpy(out, block + offset % 64, n);
}

uint32_t cuzk_synthetic_challenge(uint64_t nodes, const uint8_t replica_id[32], const uint8_t comm_r[32],
                                  uint32_t index)
{
    uint8_t bytes[32];

    synthetic_stream("filecoin.io|PoRep|1|Synthetic|1|Generation", replica_id, comm_r, (uint64_t)index * 32,
                     bytes, sizeof bytes);
    return 1 + modulo(bytes, (uint32_t)(nodes - 1));
}

uint32_t cuzk_synthetic_index(uint64_t nodes, const uint8_t replica_id[32], const uint8_t seed[32],
                              uint32_t j)
{
    const uint64_t most = UINT64_C(1) << CUZK_SYNTHETIC_SET_LOG2_MAX;
    uint32_t word;

    synthetic_stream("filecoin.io|PoRep|1|Synthetic|1|Selection", replica_id, seed, (uint64_t)j * 4,
                     (uint8_t *)&word, sizeof word);
    return word % (uint32_t)(nodes < most ? nodes : most);
}

void cuzk_porep_challenges(const struct cuzk_porep_config *config, const uint8_t replica_id[32],
                           const uint8_t comm_r[32], const uint8_t seed[32], uint32_t *out)
{
    const uint64_t nodes = UINT64_C(1) << config->shape.log2_nodes;
    const uint32_t count = config->partitions * config->shape.challenges;
    struct cuzk_sha256 prefix;

    cuzk_sha256_init(&prefix);
    switch (config->feature) {
    case CUZK_POREP_INTERACTIVE:
        cuzk_sha256_update(&prefix, replica_id, 32);
        cuzk_sha256_update(&prefix, seed, 32);
        break;
    case CUZK_POREP_NON_INTERACTIVE:
        cuzk_sha256_update(&prefix, "filecoin.io|PoRep|1|NonInteractive|1", 36);
        cuzk_sha256_update(&prefix, replica_id, 32);
        cuzk_sha256_update(&prefix, comm_r, 32);
        break;
    case CUZK_POREP_SYNTHETIC:
        for (uint32_t j = 0; j < count; j++)
            out[j] = cuzk_synthetic_challenge(nodes, replica_id, comm_r,
                                              cuzk_synthetic_index(nodes, replica_id, seed, j));
        return;
    }
    for (uint32_t j = 0; j < count; j++)
        out[j] = hashed(nodes, &prefix, j);
}
