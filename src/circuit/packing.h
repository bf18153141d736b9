/*
 * Bits packed into field elements, lowest bit first. Source: bellperson 0.26 gadgets/multipack.rs,
 * storage-proofs-core gadgets/{multipack,uint64,por}.rs.
 */
#ifndef CUZK_CIRCUIT_PACKING_H
#define CUZK_CIRCUIT_PACKING_H

#include <stddef.h>

#include "circuit/boolean.h"
#include "circuit/num.h"

/* Bits that certainly fit a field element. */
enum { CUZK_PACKING_CAPACITY = 254 };

/* sum 2^i bits[i] as a field element, n <= 254; constants count. */
void cuzk_packing_value(const struct cuzk_boolean *bits, size_t n, struct cuzk_fr *out);

/* (sum 2^i bits[i]) * ONE = packed, a variable that is there already; n <= 255. */
void cuzk_packing_enforce(struct cuzk_cs *cs, const char *name, const struct cuzk_boolean *bits, size_t n,
                          cuzk_variable packed);

/* A new aux variable holding the first min(n, 254) bits: (sum 2^i bits[i]) * ONE = variable. */
struct cuzk_num cuzk_packing_to_num(struct cuzk_cs *cs, const struct cuzk_boolean *bits, size_t n);

/* New public inputs, one for each 254 bits: (sum 2^i bits[i]) * ONE = input. */
void cuzk_packing_to_inputs(struct cuzk_cs *cs, const char *name, const struct cuzk_boolean *bits, size_t n);

#endif
