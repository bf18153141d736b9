/* circom's constraint systems: what decodes can be written, and reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "r1cs/circom_r1cs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_buffer one = {0}, two = {0};
    struct cuzk_r1cs *r1cs, *again;

    if (cuzk_circom_r1cs_decode("fuzz", data, size, &r1cs, NULL, NULL) != CUZK_OK)
        return 0;
    if (cuzk_circom_r1cs_encode(r1cs, cuzk_buffer_sink(&one), NULL) != CUZK_OK ||
        cuzk_circom_r1cs_decode("again", one.bytes, one.length, &again, NULL, NULL) != CUZK_OK ||
        cuzk_circom_r1cs_encode(again, cuzk_buffer_sink(&two), NULL) != CUZK_OK)
        abort();
    if (one.length != two.length || memcmp(one.bytes, two.bytes, one.length) != 0)
        abort();
    cuzk_r1cs_destroy(r1cs);
    cuzk_r1cs_destroy(again);
    cuzk_buffer_clear(&one);
    cuzk_buffer_clear(&two);
    return 0;
}
