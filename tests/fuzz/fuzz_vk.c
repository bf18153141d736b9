/* Verifying keys: what decodes encodes to the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "groth16/vk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_bytes bytes;
    struct cuzk_vk vk;

    cuzk_bytes_init(&bytes, "fuzz", data, size);
    if (cuzk_vk_decode(&bytes, &vk, NULL) != CUZK_OK)
        return 0;
    const size_t n = cuzk_vk_encoded_size(&vk);
    uint8_t *back = malloc(n);

    if (back == NULL)
        abort();
    cuzk_vk_encode(&vk, back);
    if (n != bytes.position || memcmp(back, data, n) != 0)
        abort();
    free(back);
    cuzk_vk_destroy(&vk);
    return 0;
}
