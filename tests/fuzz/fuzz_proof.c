/* Proofs: what decodes encodes to the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "groth16/proof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t back[CUZK_PROOF_BYTES];
    struct cuzk_proof proof;

    if (size < CUZK_PROOF_BYTES || cuzk_proof_decode(data, &proof, NULL) != CUZK_OK)
        return 0;
    cuzk_proof_encode(&proof, back);
    if (memcmp(back, data, CUZK_PROOF_BYTES) != 0)
        abort();
    return 0;
}
