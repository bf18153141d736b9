/* snarkjs' witnesses, for a layout whose size the first bytes of a real file have, with and without bits. */
#include <stdint.h>

#include "r1cs/circom_wtns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { COUNT_AT = 12 + 12 + 36, MOST = 4096 };
    const uint64_t bits[MOST / 64] = {~UINT64_C(0)};
    uint32_t wires = 4;

    if (size >= COUNT_AT + 4)
        wires = (uint32_t)data[COUNT_AT] | (uint32_t)data[COUNT_AT + 1] << 8;
    if (wires < 2 || wires > MOST)
        wires = 4;
    for (int with_bits = 0; with_bits < 2; with_bits++) {
        struct cuzk_witness_layout layout;
        struct cuzk_witness witness;
        if (cuzk_witness_layout_create(2, wires - 2, with_bits ? bits : NULL, &layout, NULL) != CUZK_OK)
            return 0;
        if (cuzk_witness_create(&layout, &witness, NULL) == CUZK_OK)
            (void)cuzk_circom_wtns_decode("fuzz", data, size, &layout, &witness, NULL);
        cuzk_witness_destroy(&witness);
        cuzk_witness_layout_destroy(&layout);
    }
    return 0;
}
