/* Updates: the vanilla proof of a partition, of two sizes, and the public side as JSON. */
#include <stddef.h>
#include <stdint.h>

#include "engine/update_public.h"
#include "filecoin/update_verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void vanilla(const uint8_t *data, size_t size, uint64_t sector_size)
{
    static const struct cuzk_update_commitments commitments;
    struct cuzk_update_proof proof;
    struct cuzk_update_shape shape;

    if (!cuzk_update_shape_of(sector_size, false, &shape))
        return;
    for (unsigned partition = 0; partition < 1U << shape.partition_bits; partition++)
        if (cuzk_update_proof_decode("fuzz", data, size, &shape, partition, &proof, NULL) == CUZK_OK) {
            (void)cuzk_update_verify_vanilla(NULL, &proof, &commitments, NULL);
            cuzk_update_proof_destroy(&proof);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_update_public public_side;

    vanilla(data, size, 2048);
    vanilla(data, size, 32768);
    (void)cuzk_update_public_decode("fuzz", data, size, &public_side, NULL);
    return 0;
}
