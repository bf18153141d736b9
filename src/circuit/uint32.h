/*
 * 32-bit words of a circuit, bit 0 the lowest. Source: bellperson 0.26 gadgets/uint32.rs.
 */
#ifndef CUZK_CIRCUIT_UINT32_H
#define CUZK_CIRCUIT_UINT32_H

#include <stddef.h>
#include <stdint.h>

#include "circuit/boolean.h"
#include "circuit/multieq.h"

struct cuzk_uint32 {
    struct cuzk_boolean bits[32];
};

void cuzk_uint32_constant(uint32_t value, struct cuzk_uint32 *out);
uint32_t cuzk_uint32_value(const struct cuzk_uint32 *a);

/* From 32 booleans, the highest first, and back. */
void cuzk_uint32_from_bits_be(const struct cuzk_boolean bits[32], struct cuzk_uint32 *out);
void cuzk_uint32_to_bits_be(const struct cuzk_uint32 *a, struct cuzk_boolean bits[32]);

/* Rotation and shift to the right; free of constraints. out must not be a. */
void cuzk_uint32_rotr(const struct cuzk_uint32 *a, unsigned by, struct cuzk_uint32 *out);
void cuzk_uint32_shr(const struct cuzk_uint32 *a, unsigned by, struct cuzk_uint32 *out);

/* Bit by bit, lowest first. out may be an operand. */
void cuzk_uint32_xor(struct cuzk_cs *cs, const struct cuzk_uint32 *a, const struct cuzk_uint32 *b,
                     struct cuzk_uint32 *out);
void cuzk_uint32_choose(struct cuzk_cs *cs, const struct cuzk_uint32 *a, const struct cuzk_uint32 *b,
                        const struct cuzk_uint32 *c, struct cuzk_uint32 *out);
void cuzk_uint32_majority(struct cuzk_cs *cs, const struct cuzk_uint32 *a, const struct cuzk_uint32 *b,
                          const struct cuzk_uint32 *c, struct cuzk_uint32 *out);

/* Sum of 2 to 10 words modulo 2^32. All the bits of the full sum's possible range are allocated, the equality
 * goes into the running equation; a sum of constants is a constant. out may be an operand. */
void cuzk_uint32_add(struct cuzk_multieq *equation, const struct cuzk_uint32 *const *operands, size_t count,
                     struct cuzk_uint32 *out);

#endif
