/*
 * A linear combination under construction, normalised at every step: like terms merged, zero coefficients
 * gone, variables ascending. Adding in ascending order costs nothing; a term that belongs further down moves
 * the terms above it, so combinations of many unsorted terms are sorted by whoever makes them.
 */
#ifndef CUZK_CIRCUIT_COMBINATION_H
#define CUZK_CIRCUIT_COMBINATION_H

#include <stddef.h>

#include "base/error.h"
#include "r1cs/term.h"

struct cuzk_combination_builder {
    struct cuzk_term *terms;
    size_t count, capacity;
};

/* combination += coefficient * variable. Errors: MEMORY. */
enum cuzk_status cuzk_combination_add(struct cuzk_combination_builder *combination, cuzk_variable variable,
                                      const struct cuzk_fr *coefficient, struct cuzk_error *err);

/* out = sum over i of factors[i] * parts[i], merged; out must be none of the parts. Errors: MEMORY. */
enum cuzk_status cuzk_combination_sum(const struct cuzk_combination_builder *parts,
                                      const struct cuzk_fr *factors, size_t count,
                                      struct cuzk_combination_builder *out, struct cuzk_error *err);

void cuzk_combination_free(struct cuzk_combination_builder *combination);

static inline struct cuzk_combination cuzk_combination_view(const struct cuzk_combination_builder *builder)
{
    return (struct cuzk_combination){builder->terms, builder->count};
}

/* 2^exponent and its negative for exponent < 255, Montgomery form; static storage. */
const struct cuzk_fr *cuzk_power_of_two(unsigned exponent);
const struct cuzk_fr *cuzk_power_of_two_negative(unsigned exponent);

#endif
