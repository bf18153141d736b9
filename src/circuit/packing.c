#include "circuit/packing.h"

void cuzk_packing_value(const struct cuzk_boolean *bits, size_t n, struct cuzk_fr *out)
{
    uint64_t words[CUZK_FR_LIMBS] = {0};

    for (size_t i = 0; i < n; i++)
        words[i / 64] |= (uint64_t)bits[i].value << i % 64;
    cuzk_fr_from_words(words, out);
}

void cuzk_packing_enforce(struct cuzk_cs *cs, const char *name, const struct cuzk_boolean *bits, size_t n,
                          cuzk_variable packed)
{
    if (!cuzk_cs_constrains(cs))
        return;
    cuzk_cs_begin(cs);
    for (size_t i = 0; i < n; i++)
        cuzk_boolean_add(cs, &cs->a, bits[i], cuzk_power_of_two((unsigned)i));
    cuzk_cs_add(cs, &cs->b, CUZK_VARIABLE_ONE, cuzk_power_of_two(0));
    cuzk_cs_add(cs, &cs->c, packed, cuzk_power_of_two(0));
    cuzk_cs_enforce(cs, name);
}

struct cuzk_num cuzk_packing_to_num(struct cuzk_cs *cs, const struct cuzk_boolean *bits, size_t n)
{
    struct cuzk_fr value;

    if (n > CUZK_PACKING_CAPACITY)
        n = CUZK_PACKING_CAPACITY;
    cuzk_packing_value(bits, n, &value);
    cuzk_cs_enter(cs, "input");
    const struct cuzk_num packed = cuzk_num_alloc(cs, &value);
    cuzk_cs_leave(cs);
    cuzk_packing_enforce(cs, "packing constraint", bits, n, packed.variable);
    return packed;
}

void cuzk_packing_to_inputs(struct cuzk_cs *cs, const char *name, const struct cuzk_boolean *bits, size_t n)
{
    for (size_t i = 0; i < n; i += CUZK_PACKING_CAPACITY) {
        const size_t count = n - i < CUZK_PACKING_CAPACITY ? n - i : CUZK_PACKING_CAPACITY;
        struct cuzk_fr value;
        cuzk_packing_value(bits + i, count, &value);
        cuzk_packing_enforce(cs, name, bits + i, count, cuzk_cs_alloc_input(cs, &value));
    }
}
