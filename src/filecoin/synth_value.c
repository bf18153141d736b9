#include "filecoin/synth_value.h"

#include <string.h>

#include "base/bytes.h"
#include "hash/sha256.h"

void cuzk_synth_bytes(const char *tag, const uint64_t *numbers, size_t count, uint8_t out[CUZK_FR_BYTES])
{
    uint8_t bytes[sizeof(uint64_t) * CUZK_SYNTH_NUMBERS_MOST];
    struct cuzk_sha256 hash;

    for (size_t i = 0; i < count; i++)
        cuzk_store_u64le(numbers[i], bytes + sizeof(uint64_t) * i);
    cuzk_sha256_init(&hash);
    cuzk_sha256_update(&hash, tag, strlen(tag));
    cuzk_sha256_update(&hash, bytes, sizeof(uint64_t) * count);
    cuzk_sha256_final(&hash, out);
    cuzk_sha256_trim(out);
}

void cuzk_synth_element(const char *tag, const uint64_t *numbers, size_t count, struct cuzk_fr *out)
{
    uint8_t bytes[CUZK_FR_BYTES];

    cuzk_synth_bytes(tag, numbers, count, bytes);
    (void)cuzk_fr_from_bytes(bytes, out); /* below 2^254, hence below the modulus */
}
