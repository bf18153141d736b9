/* PoSt: vanilla proofs of both kinds and two tree shapes, and the public side as JSON. */
#include <stddef.h>
#include <stdint.h>

#include "engine/post_public.h"
#include "filecoin/post.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void vanilla(const uint8_t *data, size_t size, uint64_t sector_size, bool winning)
{
    struct cuzk_fr_arena values = {0};
    struct cuzk_post_vanilla vanilla;
    struct cuzk_post_config config;
    static const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES];

    if (cuzk_post_config_make(sector_size, winning, CUZK_API_1_2_0, &config, NULL) != CUZK_OK)
        return;
    if (cuzk_post_vanilla_decode("fuzz", data, size, &config, &values, &vanilla, NULL) == CUZK_OK) {
        (void)cuzk_post_vanilla_check(&config, randomness, 0, &vanilla, NULL);
        cuzk_post_vanilla_destroy(&vanilla);
    }
    cuzk_fr_arena_destroy(&values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_post_public public_side;

    vanilla(data, size, 2048, true);
    vanilla(data, size, 2048, false);
    vanilla(data, size, 32768, false);
    for (int winning = 0; winning < 2; winning++)
        if (cuzk_post_public_decode("fuzz", data, size, winning != 0, &public_side, NULL) == CUZK_OK)
            cuzk_post_public_destroy(&public_side);
    return 0;
}
