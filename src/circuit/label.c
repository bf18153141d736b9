#include "circuit/label.h"

#include <string.h>

#include "circuit/packing.h"
#include "circuit/sha256.h"

enum {
    ELEMENT_BITS = 256,
    LAYER_BITS = 32,
    HEAD_BITS = 2 * ELEMENT_BITS, /* replica id, then layer, challenge and zeros */
    PREIMAGE_BITS = HEAD_BITS + CUZK_LABEL_PARENTS * ELEMENT_BITS,
};

struct cuzk_num cuzk_label_gadget(struct cuzk_cs *cs, const struct cuzk_boolean replica_id[CUZK_FR_BITS],
                                  const struct cuzk_boolean parents[][CUZK_FR_BITS], unsigned parent_count,
                                  uint32_t layer,
                                  const struct cuzk_boolean challenge[CUZK_LABEL_CHALLENGE_BITS])
{
    struct cuzk_boolean preimage[PREIMAGE_BITS], digest[CUZK_SHA256_GADGET_BITS];
    struct cuzk_boolean *at = preimage;

    cuzk_sha256_reverse_bytes(replica_id, CUZK_FR_BITS, at);
    at += ELEMENT_BITS;
    for (int i = 0; i < LAYER_BITS; i++)
        *at++ = cuzk_boolean_constant(layer >> (LAYER_BITS - 1 - i) & 1);
    for (int i = 0; i < CUZK_LABEL_CHALLENGE_BITS; i++)
        *at++ = challenge[CUZK_LABEL_CHALLENGE_BITS - 1 - i];
    while (at < preimage + HEAD_BITS)
        *at++ = cuzk_boolean_constant(false);
    for (unsigned i = 0; i < CUZK_LABEL_PARENTS; i++, at += ELEMENT_BITS) {
        if (i < parent_count)
            cuzk_sha256_reverse_bytes(parents[i], CUZK_FR_BITS, at);
        else
            memcpy(at, at - (ptrdiff_t)parent_count * ELEMENT_BITS, ELEMENT_BITS * sizeof *at);
    }

    cuzk_cs_enter(cs, "hash");
    cuzk_sha256_gadget(cs, preimage, PREIMAGE_BITS, digest);
    cuzk_cs_leave(cs);
    cuzk_sha256_reverse_bytes(digest, CUZK_SHA256_GADGET_BITS, digest);
    cuzk_cs_enter(cs, "result_num");
    const struct cuzk_num label = cuzk_packing_to_num(cs, digest, CUZK_PACKING_CAPACITY);
    cuzk_cs_leave(cs);
    return label;
}
