/*
 * Labels of a PoRep's layers, and the encoding with them.
 *
 * label(layer, node) = SHA-256(replica_id || layer u32 big-endian || node u64 big-endian || 20 zero bytes ||
 * 37 parent labels), top two bits cleared. The list of parent labels, 6 in layer 1 and 14 above (base parents
 * of this layer, then expander parents of the layer below), is repeated cyclically; node 0 hashes no parents.
 */
#ifndef CUZK_FILECOIN_LABEL_H
#define CUZK_FILECOIN_LABEL_H

#include <stdint.h>

#include "circuit/porep_assignment.h"
#include "field/fr.h"

/* The distinct parents in a layer, counted from 1: 6 or 14. */
static inline unsigned cuzk_label_parents(unsigned layer)
{
    return layer == 1 ? CUZK_POREP_DRG_PARENTS : CUZK_POREP_PARENTS;
}

/* parents: `count` pointers to labels of 32 bytes; count is cuzk_label_parents(layer), or 0 for node 0. */
void cuzk_label(const uint8_t replica_id[32], uint32_t layer, uint64_t node, const uint8_t *const *parents,
                unsigned count, uint8_t label[32]);

/* The replica's node: label of the last layer + data, in the field. */
static inline void cuzk_label_encode(const struct cuzk_fr *label, const struct cuzk_fr *data,
                                     struct cuzk_fr *encoded)
{
    cuzk_fr_add(label, data, encoded);
}

#endif
