#include "circuit/cs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_LAYOUT_WORDS = 1024, ASK_EVERY = 1 << 14 /* constraints: some milliseconds */ };

void cuzk_cs_record(struct cuzk_cs *cs, const struct cuzk_constraint_sink *sink)
{
    memset(cs, 0, sizeof *cs);
    cs->mode = CUZK_CS_RECORD;
    cs->sink = sink;
    cs->keep_layout = true;
    cs->at.inputs = 1;
}

void cuzk_cs_witness(struct cuzk_cs *cs, const struct cuzk_witness *witness, struct cuzk_cs_counts start)
{
    memset(cs, 0, sizeof *cs);
    cs->mode = CUZK_CS_WITNESS;
    cs->at = start;
    cs->first_word = start.bits / 64;
    if (witness) {
        cs->input_values = witness->inputs;
        cs->wide_values = witness->wide;
        cs->bit_words = witness->bits;
        if (start.inputs == 1)
            cuzk_fr_one(&cs->input_values[0]);
    }
}

void cuzk_cs_check(struct cuzk_cs *cs, const struct cuzk_witness_layout *layout,
                   const struct cuzk_witness *witness, const struct cuzk_constraint_sink *sink)
{
    cuzk_cs_record(cs, sink);
    cs->mode = CUZK_CS_CHECK;
    cs->checked = witness;
    cs->checked_layout = layout;
}

void cuzk_cs_fail(struct cuzk_cs *cs, enum cuzk_status status, const char *format, ...)
{
    char text[CUZK_ERROR_TEXT];
    va_list arguments;

    if (cuzk_cs_failed(cs))
        return;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cs->status = cuzk_error_set(&cs->error, status, "%s", text);
}

/* ---- values ---- */

/* The word in work goes out. The first word may hold bits of the writer before, and the last one bits of the
 * writer after: both are joined in. */
static void put_word(struct cuzk_cs *cs, uint32_t word, bool shared)
{
    if (!cs->bit_words)
        return;
    if (shared)
        (void)__atomic_fetch_or(&cs->bit_words[word], cs->pending, __ATOMIC_RELAXED);
    else
        cs->bit_words[word] = cs->pending;
}

static inline void push_bits(struct cuzk_cs *cs, uint64_t values, unsigned n)
{
    const unsigned used = cs->at.bits % 64;
    const uint32_t word = cs->at.bits / 64;

    cs->pending |= values << used;
    if (used + n >= 64) {
        put_word(cs, word, word == cs->first_word);
        cs->pending = used ? values >> (64 - used) : 0;
    }
    cs->at.bits += n;
}

/* ---- layout: grows by doubling ---- */

static enum cuzk_status cover(struct cuzk_cs *cs, size_t aux, struct cuzk_error *err)
{
    size_t words = cs->is_bit_words ? cs->is_bit_words : FIRST_LAYOUT_WORDS;
    uint64_t *larger;

    if (aux <= cs->is_bit_words * 64)
        return CUZK_OK;
    while (words * 64 < aux)
        words *= 2;
    CUZK_TRY(CUZK_NEW(&larger, words, "witness layout", err));
    if (cs->is_bit)
        memcpy(larger, cs->is_bit, cs->is_bit_words * sizeof *larger);
    cuzk_mem_free(cs->is_bit);
    cs->is_bit = larger;
    cs->is_bit_words = words;
    return CUZK_OK;
}

static void mark_bits(struct cuzk_cs *cs, unsigned n)
{
    const size_t end = (size_t)cs->at.aux + n;

    if (end > cs->is_bit_words * 64 && cover(cs, end, &cs->error) != CUZK_OK) {
        cs->status = CUZK_MEMORY;
        cs->keep_layout = false;
        return;
    }
    for (size_t i = cs->at.aux; i < end;) {
        const size_t used = i % 64, take = end - i < 64 - used ? end - i : 64 - used;
        cs->is_bit[i / 64] |= (take == 64 ? ~UINT64_C(0) : (UINT64_C(1) << take) - 1) << used;
        i += take;
    }
}

cuzk_variable cuzk_cs_alloc_input(struct cuzk_cs *cs, const struct cuzk_fr *value)
{
    const uint32_t index = cs->at.inputs++;

    if (cs->input_values)
        cs->input_values[index] = *value;
    return cuzk_variable_input(index);
}

cuzk_variable cuzk_cs_alloc(struct cuzk_cs *cs, const struct cuzk_fr *value)
{
    const uint32_t index = cs->at.aux++;

    if (cs->wide_values)
        cs->wide_values[index - cs->at.bits] = *value;
    return cuzk_variable_aux(index);
}

struct cuzk_fr *cuzk_cs_alloc_many(struct cuzk_cs *cs, unsigned n, cuzk_variable *first)
{
    struct cuzk_fr *const values = cs->wide_values ? cs->wide_values + (cs->at.aux - cs->at.bits) : NULL;

    *first = cuzk_variable_aux(cs->at.aux);
    cs->at.aux += n;
    return values;
}

cuzk_variable cuzk_cs_alloc_bits(struct cuzk_cs *cs, uint64_t values, unsigned n)
{
    const uint32_t index = cs->at.aux;

    if (n == 0)
        return cuzk_variable_aux(index);
    if (cs->keep_layout)
        mark_bits(cs, n);
    push_bits(cs, values, n);
    cs->at.aux += n;
    return cuzk_variable_aux(index);
}

cuzk_variable cuzk_cs_alloc_bit(struct cuzk_cs *cs, bool value)
{
    return cuzk_cs_alloc_bits(cs, value, 1);
}

/* ---- constraints ---- */

void cuzk_cs_begin(struct cuzk_cs *cs)
{
    cs->a.count = cs->b.count = cs->c.count = 0;
}

void cuzk_cs_add(struct cuzk_cs *cs, struct cuzk_combination_builder *combination, cuzk_variable variable,
                 const struct cuzk_fr *coefficient)
{
    struct cuzk_error error;

    if (cuzk_combination_add(combination, variable, coefficient, &error) != CUZK_OK)
        cuzk_cs_fail(cs, error.status, "%s", error.message);
}

static void evaluate(const struct cuzk_cs *cs, struct cuzk_combination combination, struct cuzk_fr *out)
{
    struct cuzk_fr value;

    cuzk_fr_zero(out);
    for (size_t i = 0; i < combination.count; i++) {
        cuzk_witness_value(cs->checked_layout, cs->checked, combination.terms[i].variable, &value);
        cuzk_fr_mul(&value, &combination.terms[i].coefficient, &value);
        cuzk_fr_add(out, &value, out);
    }
}

static void check(struct cuzk_cs *cs, const char *name, struct cuzk_combination a, struct cuzk_combination b,
                  struct cuzk_combination c)
{
    char path[CUZK_CS_PATH];
    struct cuzk_fr left, right, product;

    if (cs->at.aux > cs->checked_layout->aux || cs->at.inputs > cs->checked_layout->inputs) {
        cuzk_cs_fail(cs, CUZK_INTERNAL, "the assignment is of another circuit: %u inputs, %u aux variables",
                     cs->checked_layout->inputs, cs->checked_layout->aux);
        return;
    }
    evaluate(cs, a, &left);
    evaluate(cs, b, &right);
    cuzk_fr_mul(&left, &right, &product);
    evaluate(cs, c, &right);
    if (cuzk_fr_equal(&product, &right))
        return;
    cuzk_cs_path_print(cs, path);
    cuzk_cs_fail(cs, CUZK_UNSATISFIED, "constraint %u is not satisfied: %s%s%s", cs->at.constraints, path,
                 *path ? "/" : "", name);
}

void cuzk_cs_enforce_combinations(struct cuzk_cs *cs, const char *name, struct cuzk_combination a,
                                  struct cuzk_combination b, struct cuzk_combination c)
{
    if (cuzk_cs_failed(cs))
        return;
    if (cs->at.constraints % ASK_EVERY == 0 && cuzk_cs_stops(cs))
        return;
    if (cs->mode == CUZK_CS_CHECK)
        check(cs, name, a, b, c);
    if (cs->sink && !cuzk_cs_failed(cs))
        cs->status = cs->sink->constraint(cs->sink->context, a, b, c, &cs->error);
    cs->at.constraints++;
}

void cuzk_cs_enforce(struct cuzk_cs *cs, const char *name)
{
    cuzk_cs_enforce_combinations(cs, name, cuzk_combination_view(&cs->a), cuzk_combination_view(&cs->b),
                                 cuzk_combination_view(&cs->c));
}

/* ---- namespaces ---- */

void cuzk_cs_enter_name(struct cuzk_cs *cs, struct cuzk_cs_name name)
{
    if (cs->depth == CUZK_CS_DEPTH) {
        cuzk_cs_fail(cs, CUZK_INTERNAL, "namespaces nested deeper than %d", CUZK_CS_DEPTH);
        return;
    }
    cs->path[cs->depth++] = name;
    if (cs->observer)
        cs->observer->enter(cs->observer->context, &cs->path[cs->depth - 1], &cs->at);
}

void cuzk_cs_leave_name(struct cuzk_cs *cs)
{
    if (cs->depth == 0)
        return;
    cs->depth--;
    if (cs->observer)
        cs->observer->leave(cs->observer->context, &cs->at);
}

size_t cuzk_cs_name_print(const struct cuzk_cs_name *name, char *out, size_t size)
{
    size_t length = 0;
    unsigned next = 0;

    for (const char *p = name->text; *p && length + 1 < size; p++) {
        if (*p != '#' || next == 3) {
            out[length++] = *p;
            continue;
        }
        const int n = snprintf(out + length, size - length, "%u", name->index[next++]);
        length = length + (size_t)n < size ? length + (size_t)n : size - 1;
    }
    if (size)
        out[length] = 0;
    return length;
}

void cuzk_cs_path_print(const struct cuzk_cs *cs, char out[CUZK_CS_PATH])
{
    size_t length = 0;

    out[0] = 0;
    for (unsigned i = 0; i < cs->depth && length + 2 < CUZK_CS_PATH; i++) {
        if (i > 0)
            out[length++] = '/';
        length += cuzk_cs_name_print(&cs->path[i], out + length, CUZK_CS_PATH - length);
    }
}

/* ---- end ---- */

enum cuzk_status cuzk_cs_finish(struct cuzk_cs *cs, struct cuzk_error *err)
{
    if (cs->at.bits % 64)
        put_word(cs, cs->at.bits / 64, true);
    cs->pending = 0;
    if (cs->status == CUZK_OK && cs->mode == CUZK_CS_CHECK &&
        (cs->at.aux != cs->checked_layout->aux || cs->at.inputs != cs->checked_layout->inputs))
        cuzk_cs_fail(cs, CUZK_INTERNAL, "the assignment is of another circuit");
    if (cs->status != CUZK_OK && err)
        *err = cs->error;
    return cs->status;
}

enum cuzk_status cuzk_cs_layout(struct cuzk_cs *cs, struct cuzk_witness_layout *out, struct cuzk_error *err)
{
    memset(out, 0, sizeof *out);
    CUZK_TRY(cover(cs, cs->at.aux, err));
    return cuzk_witness_layout_create(cs->at.inputs, cs->at.aux, cs->is_bit, out, err);
}

void cuzk_cs_destroy(struct cuzk_cs *cs)
{
    cuzk_combination_free(&cs->a);
    cuzk_combination_free(&cs->b);
    cuzk_combination_free(&cs->c);
    cuzk_mem_free(cs->is_bit);
    cs->is_bit = NULL;
    cs->is_bit_words = 0;
}
