/* The compression function in SHA-NI instructions. Call only where cuzk_cpu_has_sha(). */
#ifndef CUZK_HASH_SHA256_SHANI_H
#define CUZK_HASH_SHA256_SHANI_H

#include <stddef.h>
#include <stdint.h>

void cuzk_sha256_compress_shani(uint32_t state[8], const uint8_t *blocks, size_t count);

/* One block whose message words plus round constants are already known. */
void cuzk_sha256_compress_shani_scheduled(uint32_t state[8], const uint32_t words_plus_constants[64]);

#endif
