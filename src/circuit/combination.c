#include "circuit/combination.h"

#include <pthread.h>
#include <string.h>

#include "base/mem.h"

static struct cuzk_fr powers[CUZK_FR_BITS], negatives[CUZK_FR_BITS];
static pthread_once_t powers_once = PTHREAD_ONCE_INIT;

static void make_powers(void)
{
    cuzk_fr_one(&powers[0]);
    for (int i = 1; i < CUZK_FR_BITS; i++)
        cuzk_fr_double(&powers[i - 1], &powers[i]);
    for (int i = 0; i < CUZK_FR_BITS; i++)
        cuzk_fr_neg(&powers[i], &negatives[i]);
}

const struct cuzk_fr *cuzk_power_of_two(unsigned exponent)
{
    pthread_once(&powers_once, make_powers);
    return &powers[exponent];
}

const struct cuzk_fr *cuzk_power_of_two_negative(unsigned exponent)
{
    pthread_once(&powers_once, make_powers);
    return &negatives[exponent];
}

static enum cuzk_status reserve(struct cuzk_combination_builder *combination, size_t count,
                                struct cuzk_error *err)
{
    struct cuzk_term *terms;
    size_t capacity = combination->capacity ? combination->capacity : 16;

    if (count <= combination->capacity)
        return CUZK_OK;
    while (capacity < count)
        capacity *= 2;
    CUZK_TRY(CUZK_NEW(&terms, capacity, "linear combination", err));
    if (combination->count)
        memcpy(terms, combination->terms, combination->count * sizeof *terms);
    cuzk_mem_free(combination->terms);
    combination->terms = terms;
    combination->capacity = capacity;
    return CUZK_OK;
}

enum cuzk_status cuzk_combination_add(struct cuzk_combination_builder *combination, cuzk_variable variable,
                                      const struct cuzk_fr *coefficient, struct cuzk_error *err)
{
    size_t at = combination->count;

    if (cuzk_fr_is_zero(coefficient))
        return CUZK_OK;
    if (at == combination->capacity)
        CUZK_TRY(reserve(combination, at + 1, err));
    struct cuzk_term *const terms = combination->terms;
    while (at > 0 && terms[at - 1].variable > variable)
        at--;
    if (at > 0 && terms[at - 1].variable == variable) {
        struct cuzk_term *term = &terms[at - 1];
        cuzk_fr_add(&term->coefficient, coefficient, &term->coefficient);
        if (cuzk_fr_is_zero(&term->coefficient)) {
            memmove(term, term + 1, (combination->count - at) * sizeof *term);
            combination->count--;
        }
        return CUZK_OK;
    }
    if (at < combination->count)
        memmove(&terms[at + 1], &terms[at], (combination->count - at) * sizeof *terms);
    terms[at].variable = variable;
    terms[at].coefficient = *coefficient;
    combination->count++;
    return CUZK_OK;
}

enum cuzk_status cuzk_combination_sum(const struct cuzk_combination_builder *parts,
                                      const struct cuzk_fr *factors, size_t count,
                                      struct cuzk_combination_builder *out, struct cuzk_error *err)
{
    enum { MAX_PARTS = 16 };
    size_t at[MAX_PARTS] = {0}, total = 0;

    if (count > MAX_PARTS)
        return cuzk_error_set(err, CUZK_INTERNAL, "sum of %zu combinations", count);
    for (size_t i = 0; i < count; i++)
        total += parts[i].count;
    out->count = 0;
    CUZK_TRY(reserve(out, total, err));
    for (;;) {
        cuzk_variable lowest = UINT32_MAX;
        bool any = false;
        for (size_t i = 0; i < count; i++)
            if (at[i] < parts[i].count && (!any || parts[i].terms[at[i]].variable < lowest)) {
                lowest = parts[i].terms[at[i]].variable;
                any = true;
            }
        if (!any)
            return CUZK_OK;
        struct cuzk_fr sum, product;
        cuzk_fr_zero(&sum);
        for (size_t i = 0; i < count; i++)
            if (at[i] < parts[i].count && parts[i].terms[at[i]].variable == lowest) {
                cuzk_fr_mul(&parts[i].terms[at[i]].coefficient, &factors[i], &product);
                cuzk_fr_add(&sum, &product, &sum);
                at[i]++;
            }
        if (!cuzk_fr_is_zero(&sum))
            out->terms[out->count++] = (struct cuzk_term){.coefficient = sum, .variable = lowest};
    }
}

void cuzk_combination_free(struct cuzk_combination_builder *combination)
{
    cuzk_mem_free(combination->terms);
    *combination = (struct cuzk_combination_builder){0};
}
