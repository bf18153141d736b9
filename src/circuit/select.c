#include "circuit/select.h"

struct cuzk_num cuzk_select_pick(struct cuzk_cs *cs, struct cuzk_boolean condition, const struct cuzk_num *a,
                                 const struct cuzk_num *b)
{
    const struct cuzk_fr *const one = cuzk_power_of_two(0), *const minus_one = cuzk_power_of_two_negative(0);

    cuzk_cs_enter(cs, "pick result");
    const struct cuzk_num result = cuzk_num_alloc(cs, condition.value ? &a->value : &b->value);
    cuzk_cs_leave(cs);
    if (cuzk_cs_constrains(cs)) {
        cuzk_cs_begin(cs);
        cuzk_cs_add(cs, &cs->a, b->variable, one);
        cuzk_cs_add(cs, &cs->a, a->variable, minus_one);
        cuzk_boolean_add(cs, &cs->b, condition, one);
        cuzk_cs_add(cs, &cs->c, b->variable, one);
        cuzk_cs_add(cs, &cs->c, result.variable, minus_one);
        cuzk_cs_enforce(cs, "pick");
    }
    return result;
}

static struct cuzk_num pick(struct cuzk_cs *cs, const char *name, struct cuzk_boolean condition,
                            const struct cuzk_num *a, const struct cuzk_num *b)
{
    cuzk_cs_enter(cs, name);
    const struct cuzk_num result = cuzk_select_pick(cs, condition, a, b);
    cuzk_cs_leave(cs);
    return result;
}

static void insert_2(struct cuzk_cs *cs, const struct cuzk_num *element, const struct cuzk_boolean *bits,
                     const struct cuzk_num *siblings, struct cuzk_num *out)
{
    out[0] = pick(cs, "binary insert 0", bits[0], &siblings[0], element);
    out[1] = pick(cs, "binary insert 1", bits[0], element, &siblings[0]);
}

/* For each place the element that is right if the higher bit is clear or set comes first, by the lower bit.
 */
static void insert_4(struct cuzk_cs *cs, const struct cuzk_num *element, const struct cuzk_boolean *bits,
                     const struct cuzk_num *s, struct cuzk_num *out)
{
    struct cuzk_num t;

    t = pick(cs, "p0_x0", bits[0], &s[0], element);
    out[0] = pick(cs, "p0", bits[1], &s[0], &t);
    t = pick(cs, "p1_x0", bits[0], element, &s[0]);
    out[1] = pick(cs, "p1", bits[1], &s[1], &t);
    t = pick(cs, "p2_x1", bits[0], &s[2], element);
    out[2] = pick(cs, "p2", bits[1], &t, &s[1]);
    t = pick(cs, "p3_x1", bits[0], element, &s[2]);
    out[3] = pick(cs, "p3", bits[1], &t, &s[2]);
}

static void insert_8(struct cuzk_cs *cs, const struct cuzk_num *element, const struct cuzk_boolean *bits,
                     const struct cuzk_num *s, struct cuzk_num *out)
{
    struct cuzk_num t;

    cuzk_cs_enter(cs, "b0 nor b1");
    const struct cuzk_boolean nor =
        cuzk_boolean_and(cs, cuzk_boolean_not(bits[0]), cuzk_boolean_not(bits[1]));
    cuzk_cs_leave(cs);
    cuzk_cs_enter(cs, "b0 and b1");
    const struct cuzk_boolean both = cuzk_boolean_and(cs, bits[0], bits[1]);
    cuzk_cs_leave(cs);

    t = pick(cs, "p0_xx0", nor, element, &s[0]);
    out[0] = pick(cs, "p0", bits[2], &s[0], &t);
    t = pick(cs, "p1_x00", bits[0], element, &s[0]);
    t = pick(cs, "p1_xx0", bits[1], &s[1], &t);
    out[1] = pick(cs, "p1", bits[2], &s[1], &t);
    t = pick(cs, "p2_x10", bits[0], &s[2], element);
    t = pick(cs, "p2_xx0", bits[1], &t, &s[1]);
    out[2] = pick(cs, "p2", bits[2], &s[2], &t);
    t = pick(cs, "p3_xx0", both, element, &s[2]);
    out[3] = pick(cs, "p3", bits[2], &s[3], &t);
    t = pick(cs, "p4_xx1", nor, element, &s[4]);
    out[4] = pick(cs, "p4", bits[2], &t, &s[3]);
    t = pick(cs, "p5_x01", bits[0], element, &s[4]);
    t = pick(cs, "p5_xx1", bits[1], &s[5], &t);
    out[5] = pick(cs, "p5", bits[2], &t, &s[4]);
    t = pick(cs, "p6_x11", bits[0], &s[6], element);
    t = pick(cs, "p6_xx1", bits[1], &t, &s[5]);
    out[6] = pick(cs, "p6", bits[2], &t, &s[5]);
    t = pick(cs, "p7_xx1", both, element, &s[6]);
    out[7] = pick(cs, "p7", bits[2], &t, &s[6]);
}

void cuzk_select_insert(struct cuzk_cs *cs, unsigned arity, const struct cuzk_num *element,
                        const struct cuzk_boolean *bits, const struct cuzk_num *siblings,
                        struct cuzk_num *out)
{
    switch (arity) {
    case 2:
        insert_2(cs, element, bits, siblings, out);
        break;
    case 4:
        insert_4(cs, element, bits, siblings, out);
        break;
    case 8:
        insert_8(cs, element, bits, siblings, out);
        break;
    default:
        cuzk_cs_fail(cs, CUZK_INTERNAL, "insertion among %u elements", arity);
    }
}

struct cuzk_num cuzk_select_element(struct cuzk_cs *cs, struct cuzk_num *elements,
                                    const struct cuzk_boolean *index, unsigned bits)
{
    for (unsigned level = bits; level-- > 0;)
        for (unsigned i = 0; i < 1U << level; i++) {
            if (cuzk_cs_constrains(cs))
                cuzk_cs_enter_name(
                    cs, (struct cuzk_cs_name){.text = "pick #, #", .index = {bits - 1 - level, i}});
            elements[i] = cuzk_select_pick(cs, index[level], &elements[(1U << level) + i], &elements[i]);
            cuzk_cs_leave(cs);
        }
    return elements[0];
}
