/*
 * Many small equalities in one constraint: a running equation sum 2^k left_k * ONE = sum 2^k right_k whose
 * parts do not overlap, of at most 253 bits. An equality that does not fit any more first flushes what has
 * gathered. Source: bellperson 0.26 gadgets/multieq.rs.
 *
 * Only sums of bits of 32-bit words occur on the left, which is kept as (variable, exponent, sign) and sorted
 * once at the flush.
 */
#ifndef CUZK_CIRCUIT_MULTIEQ_H
#define CUZK_CIRCUIT_MULTIEQ_H

#include <stddef.h>

#include "circuit/boolean.h"
#include "circuit/cs.h"

enum {
    CUZK_MULTIEQ_BITS = 254,          /* a flush comes before this many bits would be used */
    CUZK_MULTIEQ_TERMS = 7 * 10 * 32, /* at most 7 sums of 33 or more bits, of at most 10 words */
};

struct cuzk_multieq {
    struct cuzk_cs *cs;
    unsigned bits_used;
    uint64_t left[CUZK_MULTIEQ_TERMS]; /* variable << 16 | exponent << 1 | negative */
    size_t left_count;
    struct cuzk_combination_builder right;
};

/* Begins; the equation belongs to the caller's stack or block and ends with _finish. */
void cuzk_multieq_begin(struct cuzk_multieq *equation, struct cuzk_cs *cs);

/* Room for an equality of `bits` bits: flushes before if it would not fit. Then, in any order, terms of its
 * two sides with exponents below `bits`; then _close. */
void cuzk_multieq_open(struct cuzk_multieq *equation, unsigned bits);
void cuzk_multieq_left(struct cuzk_multieq *equation, struct cuzk_boolean bit, unsigned exponent);
void cuzk_multieq_right(struct cuzk_multieq *equation, cuzk_variable bit, unsigned exponent);
void cuzk_multieq_close(struct cuzk_multieq *equation, unsigned bits);

/* Flushes what is left and frees. */
void cuzk_multieq_finish(struct cuzk_multieq *equation);

#endif
