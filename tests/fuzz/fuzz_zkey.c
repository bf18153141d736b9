/* snarkjs' proving keys: what decodes fits together well enough to be validated. */
#include <stdint.h>
#include <stdlib.h>

#include "groth16/zkey.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_zkey zkey;

    if (cuzk_zkey_decode("fuzz", data, size, &zkey, NULL) != CUZK_OK)
        return 0;
    if (zkey.layout.inputs != zkey.r1cs->inputs || zkey.layout.aux != zkey.r1cs->aux ||
        zkey.params.vk.ic_count != zkey.r1cs->inputs)
        abort();
    (void)cuzk_params_validate(&zkey.params, CUZK_PARAMS_ON_CURVE, NULL, NULL, NULL);
    cuzk_zkey_destroy(&zkey);
    return 0;
}
