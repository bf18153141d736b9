/*
 * The label of a node: SHA-256 of replica id, layer, challenge, padding and 37 parents, trimmed to 254 bits.
 * Source: storage-proofs-porep stacked/circuit/create_label.rs.
 */
#ifndef CUZK_CIRCUIT_LABEL_H
#define CUZK_CIRCUIT_LABEL_H

#include <stdint.h>

#include "circuit/num.h"

enum {
    CUZK_LABEL_PARENTS = 37, /* in the preimage: the given ones, repeated */
    CUZK_LABEL_CHALLENGE_BITS = 64,
};

/* replica_id and each parent: 255 bits, lowest first. parent_count is 6 or 14; layer counts from 1;
 * challenge: 64 bits, lowest first. The label is a new variable. */
struct cuzk_num cuzk_label_gadget(struct cuzk_cs *cs, const struct cuzk_boolean replica_id[CUZK_FR_BITS],
                                  const struct cuzk_boolean parents[][CUZK_FR_BITS], unsigned parent_count,
                                  uint32_t layer,
                                  const struct cuzk_boolean challenge[CUZK_LABEL_CHALLENGE_BITS]);

#endif
