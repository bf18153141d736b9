/*
 * Booleans of a circuit: a constant, an aux variable that is 0 or 1, or the negation of one. Operations fold
 * constants and negations: whether they allocate depends on the kinds of their operands (and on the value of
 * constants), never on the values of variables.
 *
 * An operation on two variables allocates the result, then adds one constraint. Source: bellperson 0.26,
 * gadgets/boolean.rs; the forms are those of fixtures/circuits.
 */
#ifndef CUZK_CIRCUIT_BOOLEAN_H
#define CUZK_CIRCUIT_BOOLEAN_H

#include <stdbool.h>
#include <stdint.h>

#include "circuit/cs.h"

enum cuzk_boolean_kind { CUZK_BOOLEAN_CONSTANT, CUZK_BOOLEAN_IS, CUZK_BOOLEAN_NOT };

struct cuzk_boolean {
    cuzk_variable variable; /* unless constant */
    uint8_t kind;           /* enum cuzk_boolean_kind */
    uint8_t value;          /* of the boolean itself, 0 or 1: for NOT the opposite of the variable's */
};

static inline struct cuzk_boolean cuzk_boolean_constant(bool value)
{
    return (struct cuzk_boolean){.kind = CUZK_BOOLEAN_CONSTANT, .value = value};
}

static inline struct cuzk_boolean cuzk_boolean_not(struct cuzk_boolean a)
{
    static const uint8_t opposite[] = {CUZK_BOOLEAN_CONSTANT, CUZK_BOOLEAN_NOT, CUZK_BOOLEAN_IS};
    a.kind = opposite[a.kind];
    a.value ^= 1;
    return a;
}

static inline bool cuzk_boolean_is_constant(struct cuzk_boolean a, bool value)
{
    return a.kind == CUZK_BOOLEAN_CONSTANT && a.value == value;
}

/* A new variable with its booleanity: (1 - a) * a = 0. */
struct cuzk_boolean cuzk_boolean_alloc(struct cuzk_cs *cs, bool value);

/* n of them, bit i of values first to last; n <= 64. */
void cuzk_boolean_alloc_many(struct cuzk_cs *cs, uint64_t values, unsigned n, struct cuzk_boolean *out);

struct cuzk_boolean cuzk_boolean_xor(struct cuzk_cs *cs, struct cuzk_boolean a, struct cuzk_boolean b);
struct cuzk_boolean cuzk_boolean_and(struct cuzk_cs *cs, struct cuzk_boolean a, struct cuzk_boolean b);

/* SHA-256's choice: a ? b : c, and majority of a, b, c. */
struct cuzk_boolean cuzk_boolean_choose(struct cuzk_cs *cs, struct cuzk_boolean a, struct cuzk_boolean b,
                                        struct cuzk_boolean c);
struct cuzk_boolean cuzk_boolean_majority(struct cuzk_cs *cs, struct cuzk_boolean a, struct cuzk_boolean b,
                                          struct cuzk_boolean c);

/* combination += coefficient * a, where a constant counts on ONE and a negation is ONE - variable. */
void cuzk_boolean_add(struct cuzk_cs *cs, struct cuzk_combination_builder *combination, struct cuzk_boolean a,
                      const struct cuzk_fr *coefficient);

#endif
