#include "circuit/num.h"

struct cuzk_num cuzk_num_alloc(struct cuzk_cs *cs, const struct cuzk_fr *value)
{
    return (struct cuzk_num){.variable = cuzk_cs_alloc(cs, value), .value = *value};
}

static void add(struct cuzk_cs *cs, struct cuzk_combination_builder *combination, cuzk_variable variable)
{
    cuzk_cs_add(cs, combination, variable, cuzk_power_of_two(0));
}

void cuzk_num_inputize(struct cuzk_cs *cs, const struct cuzk_num *a)
{
    const cuzk_variable input = cuzk_cs_alloc_input(cs, &a->value);

    if (!cuzk_cs_constrains(cs))
        return;
    cuzk_cs_begin(cs);
    add(cs, &cs->a, input);
    add(cs, &cs->b, CUZK_VARIABLE_ONE);
    add(cs, &cs->c, a->variable);
    cuzk_cs_enforce(cs, "enforce input is correct");
}

void cuzk_num_enforce_equal(struct cuzk_cs *cs, const char *name, const struct cuzk_num *a,
                            const struct cuzk_num *b)
{
    if (!cuzk_cs_constrains(cs))
        return;
    cuzk_cs_begin(cs);
    add(cs, &cs->a, a->variable);
    add(cs, &cs->b, CUZK_VARIABLE_ONE);
    add(cs, &cs->c, b->variable);
    cuzk_cs_enforce(cs, name);
}

static struct cuzk_num alloc_in(struct cuzk_cs *cs, const char *name, const struct cuzk_fr *value)
{
    cuzk_cs_enter(cs, name);
    const struct cuzk_num num = cuzk_num_alloc(cs, value);
    cuzk_cs_leave(cs);
    return num;
}

/* (a + b) * ONE = sum */
static void enforce_sum(struct cuzk_cs *cs, const char *name, cuzk_variable a, cuzk_variable b,
                        cuzk_variable sum)
{
    if (!cuzk_cs_constrains(cs))
        return;
    cuzk_cs_begin(cs);
    add(cs, &cs->a, a);
    add(cs, &cs->a, b);
    add(cs, &cs->b, CUZK_VARIABLE_ONE);
    add(cs, &cs->c, sum);
    cuzk_cs_enforce(cs, name);
}

struct cuzk_num cuzk_num_add(struct cuzk_cs *cs, const char *inner, const struct cuzk_num *a,
                             const struct cuzk_num *b)
{
    struct cuzk_fr value;

    cuzk_fr_add(&a->value, &b->value, &value);
    const struct cuzk_num sum = alloc_in(cs, inner, &value);
    enforce_sum(cs, "sum constraint", a->variable, b->variable, sum.variable);
    return sum;
}

struct cuzk_num cuzk_num_sub(struct cuzk_cs *cs, const char *inner, const struct cuzk_num *a,
                             const struct cuzk_num *b)
{
    struct cuzk_fr value;

    cuzk_fr_sub(&a->value, &b->value, &value);
    const struct cuzk_num difference = alloc_in(cs, inner, &value);
    enforce_sum(cs, "difference constraint", b->variable, difference.variable, a->variable);
    return difference;
}

void cuzk_num_alloc_bits(struct cuzk_cs *cs, const struct cuzk_num *a, struct cuzk_boolean out[CUZK_FR_BITS])
{
    uint64_t words[CUZK_FR_LIMBS];

    cuzk_fr_to_words(&a->value, words);
    for (int i = 0; i < CUZK_FR_LIMBS; i++)
        cuzk_boolean_alloc_many(cs, words[i], i < CUZK_FR_LIMBS - 1 ? 64 : CUZK_FR_BITS - 192,
                                out + (ptrdiff_t)64 * i);
}

void cuzk_num_to_bits(struct cuzk_cs *cs, const struct cuzk_num *a, struct cuzk_boolean out[CUZK_FR_BITS])
{
    cuzk_num_alloc_bits(cs, a, out);
    if (!cuzk_cs_constrains(cs))
        return;
    cuzk_cs_begin(cs);
    cuzk_cs_add(cs, &cs->c, a->variable, cuzk_power_of_two_negative(0));
    for (int i = 0; i < CUZK_FR_BITS; i++)
        cuzk_cs_add(cs, &cs->c, out[i].variable, cuzk_power_of_two((unsigned)i));
    cuzk_cs_enforce(cs, "unpacking constraint");
}
