#include "circuit/uint32.h"

void cuzk_uint32_constant(uint32_t value, struct cuzk_uint32 *out)
{
    for (int i = 0; i < 32; i++)
        out->bits[i] = cuzk_boolean_constant(value >> i & 1);
}

uint32_t cuzk_uint32_value(const struct cuzk_uint32 *a)
{
    uint32_t value = 0;

    for (int i = 0; i < 32; i++)
        value |= (uint32_t)a->bits[i].value << i;
    return value;
}

void cuzk_uint32_from_bits_be(const struct cuzk_boolean bits[32], struct cuzk_uint32 *out)
{
    for (int i = 0; i < 32; i++)
        out->bits[i] = bits[31 - i];
}

void cuzk_uint32_to_bits_be(const struct cuzk_uint32 *a, struct cuzk_boolean bits[32])
{
    for (int i = 0; i < 32; i++)
        bits[31 - i] = a->bits[i];
}

void cuzk_uint32_rotr(const struct cuzk_uint32 *a, unsigned by, struct cuzk_uint32 *out)
{
    for (unsigned i = 0; i < 32; i++)
        out->bits[i] = a->bits[(i + by) % 32];
}

void cuzk_uint32_shr(const struct cuzk_uint32 *a, unsigned by, struct cuzk_uint32 *out)
{
    for (unsigned i = 0; i < 32; i++)
        out->bits[i] = i + by < 32 ? a->bits[i + by] : cuzk_boolean_constant(false);
}

void cuzk_uint32_xor(struct cuzk_cs *cs, const struct cuzk_uint32 *a, const struct cuzk_uint32 *b,
                     struct cuzk_uint32 *out)
{
    for (int i = 0; i < 32; i++)
        out->bits[i] = cuzk_boolean_xor(cs, a->bits[i], b->bits[i]);
}

void cuzk_uint32_choose(struct cuzk_cs *cs, const struct cuzk_uint32 *a, const struct cuzk_uint32 *b,
                        const struct cuzk_uint32 *c, struct cuzk_uint32 *out)
{
    for (int i = 0; i < 32; i++)
        out->bits[i] = cuzk_boolean_choose(cs, a->bits[i], b->bits[i], c->bits[i]);
}

void cuzk_uint32_majority(struct cuzk_cs *cs, const struct cuzk_uint32 *a, const struct cuzk_uint32 *b,
                          const struct cuzk_uint32 *c, struct cuzk_uint32 *out)
{
    for (int i = 0; i < 32; i++)
        out->bits[i] = cuzk_boolean_majority(cs, a->bits[i], b->bits[i], c->bits[i]);
}

void cuzk_uint32_add(struct cuzk_multieq *equation, const struct cuzk_uint32 *const *operands, size_t count,
                     struct cuzk_uint32 *out)
{
    struct cuzk_cs *cs = equation->cs;
    const uint64_t greatest = (uint64_t)count * UINT32_MAX;
    const unsigned width = 64 - (unsigned)__builtin_clzll(greatest);
    struct cuzk_uint32 result;
    uint64_t sum = 0;
    bool constant = true;

    for (size_t i = 0; i < count; i++) {
        sum += cuzk_uint32_value(operands[i]);
        for (int bit = 0; bit < 32; bit++)
            constant = constant && operands[i]->bits[bit].kind == CUZK_BOOLEAN_CONSTANT;
    }
    if (constant) {
        cuzk_uint32_constant((uint32_t)sum, out);
        return;
    }
    /* The bits and their booleanity come first: a flush that makes room follows them. */
    cuzk_variable carries[8];
    for (unsigned i = 0; i < width; i++) {
        const struct cuzk_boolean bit = cuzk_boolean_alloc(cs, sum >> i & 1);
        if (i < 32)
            result.bits[i] = bit;
        else
            carries[i - 32] = bit.variable;
    }
    if (cuzk_cs_constrains(cs)) {
        cuzk_multieq_open(equation, width);
        for (size_t i = 0; i < count; i++)
            for (unsigned bit = 0; bit < 32; bit++)
                cuzk_multieq_left(equation, operands[i]->bits[bit], bit);
        for (unsigned i = 0; i < width; i++)
            cuzk_multieq_right(equation, i < 32 ? result.bits[i].variable : carries[i - 32], i);
        cuzk_multieq_close(equation, width);
    }
    *out = result;
}
