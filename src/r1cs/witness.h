/*
 * A compact assignment: boolean auxiliary variables packed as bits, all others as field elements.
 *
 * Which auxiliary variable is boolean is a static property of the circuit (cuzk_witness_layout), so the
 * prover can order its key once into a bit region and a wide region. The k-th set position of is_bit owns bit
 * k of `bits` (bit k % 64 of word k / 64); the k-th clear position owns wide[k]. Circuits without that
 * knowledge (circom, toys) have a layout with no bits.
 *
 * Witnesses are secrets: destroying one wipes it.
 */
#ifndef CUZK_R1CS_WITNESS_H
#define CUZK_R1CS_WITNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/pool.h"
#include "field/fr.h"
#include "r1cs/term.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Makes a layout from a bitmap over the aux variables, which is copied; NULL means that none is boolean. Bits
 * of the last word beyond aux are ignored. Error: MEMORY (the layout is empty and may be destroyed). */
enum cuzk_status cuzk_witness_layout_create(uint32_t inputs, uint32_t aux, const uint64_t *is_bit,
                                            struct cuzk_witness_layout *out, struct cuzk_error *err);
void cuzk_witness_layout_destroy(struct cuzk_witness_layout *layout);

/* An all-zero witness of a layout, but for inputs[0] = 1. Error: MEMORY (empty then). */
enum cuzk_status cuzk_witness_create(const struct cuzk_witness_layout *layout, struct cuzk_witness *out,
                                     struct cuzk_error *err);
void cuzk_witness_destroy(struct cuzk_witness *witness);

/* The same by the threads of a pool: wiping gigabytes takes as long as an upload. */
void cuzk_witness_destroy_by(struct cuzk_pool *pool, struct cuzk_witness *witness);

static inline bool cuzk_witness_is_bit(const struct cuzk_witness_layout *layout, uint32_t aux)
{
    return (layout->is_bit[aux / 64] >> (aux % 64)) & 1;
}

/* How many boolean aux variables come before this one: for a boolean one its place in `bits`. */
static inline uint32_t cuzk_witness_bit_rank(const struct cuzk_witness_layout *layout, uint32_t aux)
{
    const uint64_t below = layout->is_bit[aux / 64] & ((UINT64_C(1) << (aux % 64)) - 1);
    return layout->rank[aux / 64] + (uint32_t)__builtin_popcountll(below);
}

/* How many other aux variables come before this one: for a wide one its place in `wide`. */
static inline uint32_t cuzk_witness_wide_rank(const struct cuzk_witness_layout *layout, uint32_t aux)
{
    return aux - cuzk_witness_bit_rank(layout, aux);
}

/* The value of a boolean aux variable. */
static inline bool cuzk_witness_bit(const struct cuzk_witness_layout *layout,
                                    const struct cuzk_witness *witness, uint32_t aux)
{
    const uint32_t k = cuzk_witness_bit_rank(layout, aux);
    return (witness->bits[k / 64] >> (k % 64)) & 1;
}

/* The value of any variable, which must exist. */
void cuzk_witness_value(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                        cuzk_variable variable, struct cuzk_fr *out);

/* The aux values [begin, end) as field elements, into out[0 .. end - begin). */
void cuzk_witness_expand(const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                         uint32_t begin, uint32_t end, struct cuzk_fr *out);

/* Fills a created witness from all inputs (the one included) and all aux values. Error: UNSATISFIED if a
 * variable that the layout calls boolean is neither 0 nor 1 (with its index) or inputs[0] is not one. */
enum cuzk_status cuzk_witness_compact(const struct cuzk_witness_layout *layout, const struct cuzk_fr *inputs,
                                      const struct cuzk_fr *aux, struct cuzk_witness *out,
                                      struct cuzk_error *err);

#ifdef __cplusplus
}
#endif

#endif
