#include "circuit/multieq.h"

#include <string.h>

void cuzk_multieq_begin(struct cuzk_multieq *equation, struct cuzk_cs *cs)
{
    equation->cs = cs;
    equation->bits_used = 0;
    equation->left_count = 0;
    equation->right = (struct cuzk_combination_builder){0};
}

/* Sorts by variable: least significant digit first, over the range that occurs. */
static void sort(uint64_t *keys, size_t n)
{
    enum { DIGIT = 8, VARIABLE = 16 };
    uint64_t other[CUZK_MULTIEQ_TERMS], lowest = UINT64_MAX, highest = 0;
    uint64_t *from = keys, *to = other;

    for (size_t i = 0; i < n; i++) {
        lowest = keys[i] >> VARIABLE < lowest ? keys[i] >> VARIABLE : lowest;
        highest = keys[i] >> VARIABLE > highest ? keys[i] >> VARIABLE : highest;
    }
    for (unsigned shift = 0; n > 0 && (highest - lowest) >> shift > 0; shift += DIGIT) {
        size_t start[1 << DIGIT] = {0}, total = 0;
        for (size_t i = 0; i < n; i++)
            start[((from[i] >> VARIABLE) - lowest) >> shift & ((1 << DIGIT) - 1)]++;
        for (size_t d = 0; d < 1 << DIGIT; d++) {
            const size_t count = start[d];
            start[d] = total;
            total += count;
        }
        for (size_t i = 0; i < n; i++)
            to[start[((from[i] >> VARIABLE) - lowest) >> shift & ((1 << DIGIT) - 1)]++] = from[i];
        uint64_t *const t = from;
        from = to;
        to = t;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}

static void flush(struct cuzk_multieq *equation)
{
    struct cuzk_cs *cs = equation->cs;

    sort(equation->left, equation->left_count);
    cuzk_cs_begin(cs);
    for (size_t i = 0; i < equation->left_count; i++) {
        const uint64_t key = equation->left[i];
        const unsigned exponent = key >> 1 & 0xff;
        cuzk_cs_add(cs, &cs->a, (cuzk_variable)(key >> 16),
                    key & 1 ? cuzk_power_of_two_negative(exponent) : cuzk_power_of_two(exponent));
    }
    cuzk_cs_add(cs, &cs->b, CUZK_VARIABLE_ONE, cuzk_power_of_two(0));
    cuzk_cs_enforce_combinations(cs, "multieq", cuzk_combination_view(&cs->a), cuzk_combination_view(&cs->b),
                                 cuzk_combination_view(&equation->right));
    equation->left_count = 0;
    equation->right.count = 0;
    equation->bits_used = 0;
}

void cuzk_multieq_open(struct cuzk_multieq *equation, unsigned bits)
{
    if (equation->bits_used + bits >= CUZK_MULTIEQ_BITS)
        flush(equation);
}

static void push(struct cuzk_multieq *equation, cuzk_variable variable, unsigned exponent, bool negative)
{
    if (equation->left_count == CUZK_MULTIEQ_TERMS) {
        cuzk_cs_fail(equation->cs, CUZK_INTERNAL, "running equation of more than %d terms",
                     CUZK_MULTIEQ_TERMS);
        return;
    }
    equation->left[equation->left_count++] =
        (uint64_t)variable << 16 | (equation->bits_used + exponent) << 1 | negative;
}

void cuzk_multieq_left(struct cuzk_multieq *equation, struct cuzk_boolean bit, unsigned exponent)
{
    if (bit.kind == CUZK_BOOLEAN_NOT || (bit.kind == CUZK_BOOLEAN_CONSTANT && bit.value))
        push(equation, CUZK_VARIABLE_ONE, exponent, false);
    if (bit.kind != CUZK_BOOLEAN_CONSTANT)
        push(equation, bit.variable, exponent, bit.kind == CUZK_BOOLEAN_NOT);
}

void cuzk_multieq_right(struct cuzk_multieq *equation, cuzk_variable bit, unsigned exponent)
{
    cuzk_cs_add(equation->cs, &equation->right, bit, cuzk_power_of_two(equation->bits_used + exponent));
}

void cuzk_multieq_close(struct cuzk_multieq *equation, unsigned bits)
{
    equation->bits_used += bits;
}

void cuzk_multieq_finish(struct cuzk_multieq *equation)
{
    if (equation->bits_used > 0)
        flush(equation);
    cuzk_combination_free(&equation->right);
}
