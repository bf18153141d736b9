/*
 * The vocabulary that circuits, files and provers share: variables, terms, constraints, and the sink that a
 * stream of constraints goes to.
 *
 * A variable is a 32-bit word: bit 31 tells auxiliary (1) from public input (0), the rest is its index. Input
 * 0 is the constant one. Comparing words therefore sorts inputs before aux, each by ascending index, which is
 * the canonical order.
 */
#ifndef CUZK_R1CS_TERM_H
#define CUZK_R1CS_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "field/fr.h"

typedef uint32_t cuzk_variable;

#define CUZK_VARIABLE_AUX UINT32_C(0x80000000)
#define CUZK_VARIABLE_ONE UINT32_C(0)

static inline cuzk_variable cuzk_variable_input(uint32_t index)
{
    return index;
}

static inline cuzk_variable cuzk_variable_aux(uint32_t index)
{
    return index | CUZK_VARIABLE_AUX;
}

static inline bool cuzk_variable_is_aux(cuzk_variable variable)
{
    return (variable & CUZK_VARIABLE_AUX) != 0;
}

static inline uint32_t cuzk_variable_index(cuzk_variable variable)
{
    return variable & ~CUZK_VARIABLE_AUX;
}

struct cuzk_term {
    struct cuzk_fr coefficient; /* Montgomery form, never zero in a normalised combination */
    cuzk_variable variable;
};

/* A linear combination, normalised: like terms merged, no zero coefficient, ascending variables. */
struct cuzk_combination {
    const struct cuzk_term *terms;
    size_t count;
};

/* Takes the constraints of a circuit one by one, in order: <a,z> * <b,z> = <c,z>. The combinations are
 * normalised and valid during the call only. A status other than OK stops the circuit and is passed on. */
struct cuzk_constraint_sink {
    enum cuzk_status (*constraint)(void *context, struct cuzk_combination a, struct cuzk_combination b,
                                   struct cuzk_combination c, struct cuzk_error *err);
    void *context;
};

#endif
