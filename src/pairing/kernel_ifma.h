/* The Miller loop over many pairs with AVX-512 IFMA: pairing.c calls it after a run-time check only. */
#ifndef CUZK_PAIRING_KERNEL_IFMA_H
#define CUZK_PAIRING_KERNEL_IFMA_H

#include "pairing/pairing.h"

enum { CUZK_PAIRING_LANES = 8 };

/* Takes as many of n pairs, none prepared and none with infinity, as it can in eight lanes: a multiple of
 * eight, returned, 0 for n < 8. out: a product of Miller functions for each lane, still to be conjugated. */
size_t cuzk_pairing_ifma_lanes(const struct cuzk_pairing_term *terms, size_t n,
                               struct cuzk_fp12 out[CUZK_PAIRING_LANES]);

#endif
