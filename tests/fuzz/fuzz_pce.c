/* Compact circuits: what is decoded names nothing outside itself, also under a checksum that is right. */
#include <sodium.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "circuit/pce.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SMALL = 1 << 20 }; /* maps of more variables are left out */

static void decode(const uint8_t *data, size_t size)
{
    struct cuzk_pce_header header;
    struct cuzk_r1cs *r1cs;

    const enum cuzk_status known = cuzk_pce_read_header("fuzz", data, size, &header, NULL);
    if (cuzk_pce_decode("fuzz", data, size, NULL, &r1cs, NULL) != CUZK_OK)
        return;
    if (known != CUZK_OK || header.bytes != size)
        abort();
    for (int m = CUZK_MATRIX_A; m <= CUZK_MATRIX_B && r1cs->aux < SMALL && r1cs->inputs < SMALL; m++) {
        struct cuzk_density density;
        if (cuzk_r1cs_density(r1cs, m, &density, NULL) == CUZK_OK)
            cuzk_density_destroy(&density);
    }
    cuzk_r1cs_destroy(r1cs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    decode(data, size);
    if (size <= CUZK_PCE_CHECKSUM_BYTES)
        return 0;
    uint8_t *copy = malloc(size);
    if (copy == NULL)
        abort();
    const size_t n = size - CUZK_PCE_CHECKSUM_BYTES;
    memcpy(copy, data, n);
    crypto_generichash(copy + n, CUZK_PCE_CHECKSUM_BYTES, copy, n, NULL, 0);
    decode(copy, size);
    free(copy);
    return 0;
}
