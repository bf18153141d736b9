#include "filecoin/update.h"

#include "hash/poseidon.h"

/* The default is the fourth of the six. */
enum { DEFAULT_H = 3 };

unsigned cuzk_update_default_h(const struct cuzk_update_shape *shape)
{
    return shape->h[DEFAULT_H];
}

unsigned cuzk_update_h_select(const struct cuzk_update_shape *shape, unsigned h)
{
    for (unsigned k = 0; k < CUZK_UPDATE_H_BITS; k++)
        if (shape->h[k] == h)
            return 1U << k;
    return 0;
}

uint64_t cuzk_update_k_and_h_select(const struct cuzk_update_shape *shape, unsigned partition)
{
    const uint64_t select = cuzk_update_h_select(shape, cuzk_update_default_h(shape));

    return partition + (select << shape->partition_bits);
}

static void hash_pair(const struct cuzk_fr *left, const struct cuzk_fr *right, struct cuzk_fr *out)
{
    const struct cuzk_fr pair[2] = {*left, *right};

    cuzk_poseidon_randomness(pair, out);
}

void cuzk_update_phi(const struct cuzk_fr *comm_d_new, const struct cuzk_fr *comm_r_old, struct cuzk_fr *phi)
{
    hash_pair(comm_d_new, comm_r_old, phi);
}

void cuzk_update_rho(const struct cuzk_fr *phi, uint64_t high, struct cuzk_fr *rho)
{
    struct cuzk_fr number;

    cuzk_fr_from_u64(high, &number);
    hash_pair(phi, &number, rho);
}

/* n bits (below 64) of a number, from bit `begin` on. */
static uint64_t bits_of(const uint64_t words[CUZK_FR_LIMBS], unsigned begin, unsigned n)
{
    const unsigned word = begin / 64, shift = begin % 64;
    uint64_t value = words[word] >> shift;

    if (shift + n > 64)
        value |= words[word + 1] << (64 - shift);
    return value & ((UINT64_C(1) << n) - 1);
}

void cuzk_update_challenges(const struct cuzk_update_shape *shape, const struct cuzk_fr *comm_r_new,
                            unsigned partition, uint32_t *out)
{
    const unsigned random = cuzk_update_random_bits(shape), each = cuzk_update_challenges_per_digest(shape);
    const uint64_t digests = cuzk_update_digests(shape), high = (uint64_t)partition << random;
    uint64_t words[CUZK_FR_LIMBS] = {0};

    for (unsigned i = 0; i < shape->challenges; i++) {
        if (i % each == 0) {
            struct cuzk_fr number, digest;
            cuzk_fr_from_u64(partition * digests + i / each, &number);
            hash_pair(comm_r_new, &number, &digest);
            cuzk_fr_to_words(&digest, words);
        }
        out[i] = (uint32_t)(bits_of(words, i % each * random, random) | high);
    }
}
