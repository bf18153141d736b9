#include "filecoin/post.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "hash/sha256.h"

enum { SIZES = CUZK_REGISTERED_SIZES, WINNING_CHALLENGES = 66, TOP_BITS = 0x3f };

static const struct {
    const char *name;
    uint64_t bytes;
} sizes[SIZES] = {
    {"2KiB", UINT64_C(2) << 10},   {"8MiB", UINT64_C(8) << 20},   {"512MiB", UINT64_C(512) << 20},
    {"32GiB", UINT64_C(32) << 30}, {"64GiB", UINT64_C(64) << 30},
};

static const struct {
    const char *kind, *version;
    bool winning;
    enum cuzk_api_version api_version;
} groups[CUZK_POST_PROOFS / SIZES] = {
    {"Winning", "V1", true, CUZK_API_1_0_0},
    {"Window", "V1", false, CUZK_API_1_0_0},
    {"Window", "V1_2", false, CUZK_API_1_2_0},
};

enum cuzk_status cuzk_post_config_make(uint64_t sector_size, bool winning, enum cuzk_api_version api_version,
                                       struct cuzk_post_config *out, struct cuzk_error *err)
{
    *out =
        (struct cuzk_post_config){.sector_size = sector_size, .winning = winning, .api_version = api_version};
    if (!cuzk_post_shape_of(sector_size, winning, &out->shape))
        return cuzk_error_set(err, CUZK_ARGUMENT, "sector_size: no sectors of %llu bytes",
                              (unsigned long long)sector_size);
    out->challenges = winning ? WINNING_CHALLENGES : out->shape.challenges;
    return CUZK_OK;
}

void cuzk_post_config_registered(unsigned number, struct cuzk_post_config *out)
{
    (void)cuzk_post_config_make(sizes[number % SIZES].bytes, groups[number / SIZES].winning,
                                groups[number / SIZES].api_version, out, NULL);
}

int cuzk_post_proof_number(const char *name, size_t n)
{
    for (int i = 0; i < CUZK_POST_PROOFS; i++) {
        char own[64];

        snprintf(own, sizeof own, "StackedDrg%s%s%s", groups[i / SIZES].kind, sizes[i % SIZES].name,
                 groups[i / SIZES].version);
        if (strlen(own) == n && memcmp(own, name, n) == 0)
            return i;
    }
    return -1;
}

void cuzk_post_randomness(const uint8_t given[CUZK_POST_RANDOMNESS_BYTES],
                          uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES])
{
    memmove(randomness, given, CUZK_POST_RANDOMNESS_BYTES);
    randomness[CUZK_POST_RANDOMNESS_BYTES - 1] &= TOP_BITS;
}

/* The first eight bytes of SHA-256 of first, then two parts more. */
static uint64_t draw(const uint8_t first[32], const void *second, size_t second_length, uint64_t last)
{
    uint8_t number[8], digest[CUZK_SHA256_BYTES];
    struct cuzk_sha256 hash;

    cuzk_store_u64le(last, number);
    cuzk_sha256_init(&hash);
    cuzk_sha256_update(&hash, first, 32);
    cuzk_sha256_update(&hash, second, second_length);
    cuzk_sha256_update(&hash, number, sizeof number);
    cuzk_sha256_final(&hash, digest);
    return cuzk_load_u64le(digest);
}

uint64_t cuzk_post_sector_index(const uint8_t prover_id[32],
                                const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t n,
                                uint64_t count)
{
    return draw(prover_id, randomness, CUZK_POST_RANDOMNESS_BYTES, n) % count;
}

/* A vanilla proof's challenges are counted as the network counts them: of WinningPoSt's one sector there are
 * 66, whatever the circuit calls them. */
uint64_t cuzk_post_leaf(const struct cuzk_post_config *config,
                        const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t sector_id,
                        uint64_t place, unsigned n)
{
    const uint64_t index = config->api_version == CUZK_API_1_2_0 ? n : place * config->challenges + n;
    uint8_t id[8];

    cuzk_store_u64le(sector_id, id);
    return draw(randomness, id, sizeof id, index) & ((UINT64_C(1) << config->shape.log2_nodes) - 1);
}

unsigned cuzk_post_input_count(const struct cuzk_post_config *config)
{
    return config->shape.sectors * (1 + config->shape.challenges);
}

void cuzk_post_partition(const struct cuzk_post_config *config,
                         const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t first,
                         const struct cuzk_post_vanilla *vanilla, size_t count,
                         struct cuzk_post_sector *sectors, struct cuzk_fr *inputs)
{
    for (unsigned i = 0; i < config->shape.sectors; i++) {
        const size_t own = i < count ? i : count - 1;
        const struct cuzk_post_vanilla *v = &vanilla[own];
        const unsigned begin = config->winning ? i : 0;

        if (sectors != NULL)
            sectors[i] = (struct cuzk_post_sector){v->comm_r, v->comm_c, v->comm_r_last, v->paths + begin};
        *inputs++ = v->comm_r;
        for (unsigned n = 0; n < config->shape.challenges; n++) {
            const uint64_t leaf = cuzk_post_leaf(config, randomness, v->sector_id, first + own, begin + n);

            cuzk_fr_from_u64(leaf, inputs++);
        }
    }
}
