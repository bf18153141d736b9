#include "circuit/boolean.h"

static struct cuzk_boolean variable_of(cuzk_variable variable, bool value)
{
    return (struct cuzk_boolean){.variable = variable, .kind = CUZK_BOOLEAN_IS, .value = value};
}

void cuzk_boolean_add(struct cuzk_cs *cs, struct cuzk_combination_builder *combination, struct cuzk_boolean a,
                      const struct cuzk_fr *coefficient)
{
    struct cuzk_fr negative;

    switch (a.kind) {
    case CUZK_BOOLEAN_CONSTANT:
        if (a.value)
            cuzk_cs_add(cs, combination, CUZK_VARIABLE_ONE, coefficient);
        break;
    case CUZK_BOOLEAN_IS:
        cuzk_cs_add(cs, combination, a.variable, coefficient);
        break;
    default:
        cuzk_fr_neg(coefficient, &negative);
        cuzk_cs_add(cs, combination, CUZK_VARIABLE_ONE, coefficient);
        cuzk_cs_add(cs, combination, a.variable, &negative);
    }
}

static void add_one(struct cuzk_cs *cs, struct cuzk_combination_builder *combination, cuzk_variable variable)
{
    cuzk_cs_add(cs, combination, variable, cuzk_power_of_two(0));
}

static void subtract_one(struct cuzk_cs *cs, struct cuzk_combination_builder *combination,
                         cuzk_variable variable)
{
    cuzk_cs_add(cs, combination, variable, cuzk_power_of_two_negative(0));
}

/* (1 - a) * a = 0 */
static void enforce_boolean(struct cuzk_cs *cs, cuzk_variable a)
{
    cuzk_cs_begin(cs);
    add_one(cs, &cs->a, CUZK_VARIABLE_ONE);
    subtract_one(cs, &cs->a, a);
    add_one(cs, &cs->b, a);
    cuzk_cs_enforce(cs, "boolean constraint");
}

struct cuzk_boolean cuzk_boolean_alloc(struct cuzk_cs *cs, bool value)
{
    const cuzk_variable variable = cuzk_cs_alloc_bit(cs, value);

    if (cuzk_cs_constrains(cs))
        enforce_boolean(cs, variable);
    return variable_of(variable, value);
}

void cuzk_boolean_alloc_many(struct cuzk_cs *cs, uint64_t values, unsigned n, struct cuzk_boolean *out)
{
    if (cuzk_cs_is_direct(cs)) {
        const cuzk_variable first = cuzk_cs_alloc_bits(cs, values, n);
        for (unsigned i = 0; i < n; i++)
            out[i] = variable_of(first + i, values >> i & 1);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = cuzk_boolean_alloc(cs, values >> i & 1);
}

/* 2a * b = a + b - c over the variables; with the negations taken out in front */
static struct cuzk_boolean xor_variables(struct cuzk_cs *cs, cuzk_variable a, cuzk_variable b, bool value)
{
    const cuzk_variable c = cuzk_cs_alloc_bit(cs, value);

    if (cuzk_cs_constrains(cs)) {
        cuzk_cs_begin(cs);
        cuzk_cs_add(cs, &cs->a, a, cuzk_power_of_two(1));
        add_one(cs, &cs->b, b);
        add_one(cs, &cs->c, a);
        add_one(cs, &cs->c, b);
        subtract_one(cs, &cs->c, c);
        cuzk_cs_enforce(cs, "xor constraint");
    }
    return variable_of(c, value);
}

struct cuzk_boolean cuzk_boolean_xor(struct cuzk_cs *cs, struct cuzk_boolean a, struct cuzk_boolean b)
{
    const bool value = a.value ^ b.value;

    if (a.kind == CUZK_BOOLEAN_CONSTANT)
        return a.value ? cuzk_boolean_not(b) : b;
    if (b.kind == CUZK_BOOLEAN_CONSTANT)
        return b.value ? cuzk_boolean_not(a) : a;
    if (a.kind == b.kind)
        return xor_variables(cs, a.variable, b.variable, value);
    /* the plain one first: not (a xor b) */
    const struct cuzk_boolean plain = a.kind == CUZK_BOOLEAN_IS ? a : b;
    const struct cuzk_boolean negated = a.kind == CUZK_BOOLEAN_IS ? b : a;
    return cuzk_boolean_not(xor_variables(cs, plain.variable, negated.variable, !value));
}

struct cuzk_boolean cuzk_boolean_and(struct cuzk_cs *cs, struct cuzk_boolean a, struct cuzk_boolean b)
{
    const struct cuzk_fr *const one = cuzk_power_of_two(0);
    const bool value = a.value & b.value;

    if (cuzk_boolean_is_constant(a, false) || cuzk_boolean_is_constant(b, false))
        return cuzk_boolean_constant(false);
    if (a.kind == CUZK_BOOLEAN_CONSTANT)
        return b;
    if (b.kind == CUZK_BOOLEAN_CONSTANT)
        return a;
    if (a.kind == CUZK_BOOLEAN_NOT && b.kind == CUZK_BOOLEAN_IS) { /* the plain one first */
        const struct cuzk_boolean t = a;
        a = b;
        b = t;
    }
    const cuzk_variable c = cuzk_cs_alloc_bit(cs, value);
    if (cuzk_cs_constrains(cs)) {
        cuzk_cs_begin(cs);
        cuzk_boolean_add(cs, &cs->a, a, one);
        cuzk_boolean_add(cs, &cs->b, b, one);
        add_one(cs, &cs->c, c);
        cuzk_cs_enforce(cs, a.kind == b.kind ? a.kind == CUZK_BOOLEAN_IS ? "and constraint" : "nor constraint"
                                             : "and not constraint");
    }
    return variable_of(c, value);
}

static bool all_constant(struct cuzk_boolean a, struct cuzk_boolean b, struct cuzk_boolean c)
{
    return a.kind == CUZK_BOOLEAN_CONSTANT && b.kind == CUZK_BOOLEAN_CONSTANT &&
           c.kind == CUZK_BOOLEAN_CONSTANT;
}

struct cuzk_boolean cuzk_boolean_choose(struct cuzk_cs *cs, struct cuzk_boolean a, struct cuzk_boolean b,
                                        struct cuzk_boolean c)
{
    const struct cuzk_fr *const one = cuzk_power_of_two(0);
    const bool value = a.value ? b.value : c.value;

    if (all_constant(a, b, c))
        return cuzk_boolean_constant(value);
    if (cuzk_boolean_is_constant(a, false))
        return c;
    if (cuzk_boolean_is_constant(b, false))
        return cuzk_boolean_and(cs, cuzk_boolean_not(a), c);
    if (cuzk_boolean_is_constant(c, false))
        return cuzk_boolean_and(cs, a, b);
    if (cuzk_boolean_is_constant(c, true)) /* not (a and not b) */
        return cuzk_boolean_not(cuzk_boolean_and(cs, a, cuzk_boolean_not(b)));
    if (cuzk_boolean_is_constant(b, true)) /* not (not a and not c) */
        return cuzk_boolean_not(cuzk_boolean_and(cs, cuzk_boolean_not(a), cuzk_boolean_not(c)));
    const cuzk_variable choice = cuzk_cs_alloc_bit(cs, value);
    if (cuzk_cs_constrains(cs)) { /* (b - c) * a = choice - c */
        cuzk_cs_begin(cs);
        cuzk_boolean_add(cs, &cs->a, b, one);
        cuzk_boolean_add(cs, &cs->a, c, cuzk_power_of_two_negative(0));
        cuzk_boolean_add(cs, &cs->b, a, one);
        cuzk_boolean_add(cs, &cs->c, c, cuzk_power_of_two_negative(0));
        add_one(cs, &cs->c, choice);
        cuzk_cs_enforce(cs, "ch computation");
    }
    return variable_of(choice, value);
}

struct cuzk_boolean cuzk_boolean_majority(struct cuzk_cs *cs, struct cuzk_boolean a, struct cuzk_boolean b,
                                          struct cuzk_boolean c)
{
    const struct cuzk_fr *const minus_one = cuzk_power_of_two_negative(0);
    const bool value = (a.value & b.value) ^ (a.value & c.value) ^ (b.value & c.value);

    if (all_constant(a, b, c))
        return cuzk_boolean_constant(value);
    if (cuzk_boolean_is_constant(a, false))
        return cuzk_boolean_and(cs, b, c);
    if (cuzk_boolean_is_constant(b, false))
        return cuzk_boolean_and(cs, a, c);
    if (cuzk_boolean_is_constant(c, false))
        return cuzk_boolean_and(cs, a, b);
    if (cuzk_boolean_is_constant(c, true)) /* not (not a and not b) */
        return cuzk_boolean_not(cuzk_boolean_and(cs, cuzk_boolean_not(a), cuzk_boolean_not(b)));
    if (cuzk_boolean_is_constant(b, true))
        return cuzk_boolean_not(cuzk_boolean_and(cs, cuzk_boolean_not(a), cuzk_boolean_not(c)));
    if (cuzk_boolean_is_constant(a, true))
        return cuzk_boolean_not(cuzk_boolean_and(cs, cuzk_boolean_not(b), cuzk_boolean_not(c)));
    const cuzk_variable majority = cuzk_cs_alloc_bit(cs, value);
    const struct cuzk_boolean both = cuzk_boolean_and(cs, b, c);
    if (cuzk_cs_constrains(cs)) { /* (2bc - b - c) * a = bc - majority */
        cuzk_cs_begin(cs);
        cuzk_boolean_add(cs, &cs->a, both, cuzk_power_of_two(1));
        cuzk_boolean_add(cs, &cs->a, b, minus_one);
        cuzk_boolean_add(cs, &cs->a, c, minus_one);
        cuzk_boolean_add(cs, &cs->b, a, cuzk_power_of_two(0));
        cuzk_boolean_add(cs, &cs->c, both, cuzk_power_of_two(0));
        subtract_one(cs, &cs->c, majority);
        cuzk_cs_enforce(cs, "maj computation");
    }
    return variable_of(majority, value);
}
