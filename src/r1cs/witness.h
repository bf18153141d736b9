/*
 * A compact assignment: boolean auxiliary variables packed as bits, all others as field elements.
 *
 * Which auxiliary variable is boolean is a static property of the circuit (cuzk_witness_layout), so the
 * prover can order its key once into a bit region and a wide region. The k-th set position of is_bit owns bit
 * k of `bits` (bit k % 64 of word k / 64); the k-th clear position owns wide[k]. Circuits without that
 * knowledge (circom, toys) have a layout with no bits.
 */
#ifndef CUZK_R1CS_WITNESS_H
#define CUZK_R1CS_WITNESS_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

struct cuzk_witness_layout {
    uint32_t inputs;  /* public inputs, the constant one included */
    uint32_t aux;     /* auxiliary variables */
    uint32_t bits;    /* boolean ones among them */
    uint64_t *is_bit; /* bitmap over aux, (aux + 63) / 64 words; owned */
    uint32_t *rank;   /* rank[w]: set positions before word w; (aux + 63) / 64 + 1 entries; owned */
};

struct cuzk_witness {
    struct cuzk_fr *inputs; /* [layout.inputs], inputs[0] is one */
    uint64_t *bits;         /* [(layout.bits + 63) / 64], unused high bits zero */
    struct cuzk_fr *wide;   /* [layout.aux - layout.bits] */
};

#endif
