/*
 * Field elements of a circuit, and what turns them into bits, inputs and equalities.
 *
 * Source: bellperson 0.26 gadgets/num.rs; storage-proofs-core gadgets/constraint.rs. The forms are those of
 * fixtures/circuits.
 */
#ifndef CUZK_CIRCUIT_NUM_H
#define CUZK_CIRCUIT_NUM_H

#include "circuit/boolean.h"
#include "circuit/cs.h"

struct cuzk_num {
    cuzk_variable variable;
    struct cuzk_fr value;
};

/* A new aux variable without constraint. */
struct cuzk_num cuzk_num_alloc(struct cuzk_cs *cs, const struct cuzk_fr *value);

/* A new public input bound to a: input * ONE = a. */
void cuzk_num_inputize(struct cuzk_cs *cs, const struct cuzk_num *a);

/* a * ONE = b */
void cuzk_num_enforce_equal(struct cuzk_cs *cs, const char *name, const struct cuzk_num *a,
                            const struct cuzk_num *b);

/* A new variable bound to a + b: (a + b) * ONE = sum. Namespace `inner` holds the allocation. */
struct cuzk_num cuzk_num_add(struct cuzk_cs *cs, const char *inner, const struct cuzk_num *a,
                             const struct cuzk_num *b);
/* ... to a - b: (b + difference) * ONE = a. */
struct cuzk_num cuzk_num_sub(struct cuzk_cs *cs, const char *inner, const struct cuzk_num *a,
                             const struct cuzk_num *b);

/* 255 new bits of a, lowest first, bound to nothing but 0 and 1 each. */
void cuzk_num_alloc_bits(struct cuzk_cs *cs, const struct cuzk_num *a, struct cuzk_boolean out[CUZK_FR_BITS]);

/* 255 new bits of a, lowest first, and one constraint 0 * 0 = sum 2^i bit_i - a. Not range checked, as in the
 * reference: the bits may also be those of a + r where that fits. */
void cuzk_num_to_bits(struct cuzk_cs *cs, const struct cuzk_num *a, struct cuzk_boolean out[CUZK_FR_BITS]);

#endif
