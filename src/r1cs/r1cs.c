#include "r1cs/r1cs.h"

#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "r1cs/bitmap.h"

enum { CHECK_GRAIN = 4096 };

static const char *const matrix_name[CUZK_MATRICES] = {"A", "B", "C"};

void cuzk_r1cs_drop_matrix(struct cuzk_r1cs *r1cs, int matrix)
{
    struct cuzk_matrix *m = &r1cs->matrix[matrix];

    cuzk_mem_free(m->row_start);
    cuzk_mem_free(m->variables);
    cuzk_mem_free(m->coefficients);
    *m = (struct cuzk_matrix){0};
}

void cuzk_r1cs_destroy(struct cuzk_r1cs *r1cs)
{
    if (r1cs == NULL)
        return;
    for (int m = 0; m < CUZK_MATRICES; m++)
        cuzk_r1cs_drop_matrix(r1cs, m);
    cuzk_mem_free(r1cs->window.shift);
    cuzk_mem_free(r1cs->pool);
    cuzk_mem_free(r1cs);
}

uint64_t cuzk_r1cs_terms(const struct cuzk_r1cs *r1cs, int matrix)
{
    const uint32_t *row_start = r1cs->matrix[matrix].row_start;
    const uint64_t head = row_start[r1cs->head.constraints], all = row_start[r1cs->stored];

    return head + (all - head) * r1cs->parts;
}

/* ---- copies ---- */

static enum cuzk_status check_window(const struct cuzk_r1cs_window *window,
                                     const struct cuzk_r1cs_extent *head, uint32_t parts,
                                     struct cuzk_error *err)
{
    for (uint32_t p = 0; p < parts; p++)
        if ((uint64_t)window->first + window->count + window->shift[p] > head->aux ||
            (p == 0 && window->shift[p] != 0))
            return cuzk_error_set(err, CUZK_ARGUMENT,
                                  "the window of copy %u, variables %u to %u of the first one %u further on, "
                                  "is not in the head's %u",
                                  p, window->first, window->first + window->count, window->shift[p],
                                  head->aux);
    return CUZK_OK;
}

enum cuzk_status cuzk_r1cs_repeat(struct cuzk_r1cs *r1cs, const struct cuzk_r1cs_extent *head, uint32_t parts,
                                  const struct cuzk_r1cs_window *window, struct cuzk_error *err)
{
    if (r1cs->parts != 0 || parts == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%u copies of a system that has %u already", parts,
                              r1cs->parts);
    if (head->inputs > r1cs->inputs || head->aux > r1cs->aux || head->constraints >= r1cs->constraints)
        return cuzk_error_set(
            err, CUZK_ARGUMENT,
            "a head of %u inputs, %u aux variables, %u constraints in a system of %u, %u, %u", head->inputs,
            head->aux, head->constraints, r1cs->inputs, r1cs->aux, r1cs->constraints);
    const struct cuzk_r1cs_extent part = {r1cs->inputs - head->inputs, r1cs->aux - head->aux,
                                          r1cs->constraints - head->constraints};
    const uint64_t inputs = head->inputs + (uint64_t)parts * part.inputs;
    const uint64_t aux = head->aux + (uint64_t)parts * part.aux;
    const uint64_t constraints = head->constraints + (uint64_t)parts * part.constraints;

    if (inputs >= CUZK_VARIABLE_AUX || aux >= CUZK_VARIABLE_AUX || constraints >= UINT32_MAX)
        return cuzk_error_set(
            err, CUZK_UNSUPPORTED, "%llu inputs, %llu aux variables, %llu constraints: too many",
            (unsigned long long)inputs, (unsigned long long)aux, (unsigned long long)constraints);
    if (window != NULL && window->count > 0) {
        CUZK_TRY(check_window(window, head, parts, err));
        CUZK_TRY(CUZK_NEW(&r1cs->window.shift, parts, "window of the parts", err));
        memcpy(r1cs->window.shift, window->shift, parts * sizeof *window->shift);
        r1cs->window.first = window->first;
        r1cs->window.count = window->count;
    }
    r1cs->head = *head;
    r1cs->part = part;
    r1cs->parts = parts;
    r1cs->inputs = (uint32_t)inputs;
    r1cs->aux = (uint32_t)aux;
    r1cs->constraints = (uint32_t)constraints;
    return CUZK_OK;
}

/* ---- density ---- */

struct maps {
    uint64_t *inputs, *aux;
};

/* What terms [begin, end) name, as it is stored. */
static void mark(const struct cuzk_matrix *m, uint32_t begin, uint32_t end, const struct maps *maps)
{
    for (uint32_t k = begin; k < end; k++) {
        const uint32_t index = cuzk_variable_index(m->variables[k]);
        uint64_t *map = cuzk_variable_is_aux(m->variables[k]) ? maps->aux : maps->inputs;
        map[index / 64] |= UINT64_C(1) << (index % 64);
    }
}

/* What the first copy names, for every copy. */
static void spread(const struct cuzk_r1cs *r1cs, const struct maps *first, const struct cuzk_density *out)
{
    const struct cuzk_r1cs_extent *head = &r1cs->head, *part = &r1cs->part;
    const uint32_t window = r1cs->window.first, behind = window + r1cs->window.count;

    cuzk_bitmap_join(first->inputs, 0, out->inputs, 0, head->inputs);
    cuzk_bitmap_join(first->aux, 0, out->aux, 0, window);
    cuzk_bitmap_join(first->aux, behind, out->aux, behind, head->aux - behind);
    for (uint32_t p = 0; p < r1cs->parts; p++) {
        if (r1cs->window.count > 0)
            cuzk_bitmap_join(first->aux, window, out->aux, (size_t)window + r1cs->window.shift[p],
                             r1cs->window.count);
        cuzk_bitmap_join(first->inputs, head->inputs, out->inputs, head->inputs + (size_t)p * part->inputs,
                         part->inputs);
        cuzk_bitmap_join(first->aux, head->aux, out->aux, head->aux + (size_t)p * part->aux, part->aux);
    }
}

enum cuzk_status cuzk_r1cs_density(const struct cuzk_r1cs *r1cs, int matrix, struct cuzk_density *out,
                                   struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const struct cuzk_matrix *m = &r1cs->matrix[matrix];
    const size_t input_words = ((size_t)r1cs->inputs + 63) / 64, aux_words = ((size_t)r1cs->aux + 63) / 64;
    struct maps first = {0};

    *out = (struct cuzk_density){0};
    CUZK_TRY_OUT(CUZK_NEW(&out->inputs, input_words, "density of inputs", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->aux, aux_words, "density of aux variables", err));
    mark(m, 0, m->row_start[r1cs->head.constraints], &(const struct maps){out->inputs, out->aux});
    if (r1cs->parts > 0) {
        CUZK_TRY_OUT(CUZK_NEW(&first.inputs, input_words, "density of inputs", err));
        CUZK_TRY_OUT(CUZK_NEW(&first.aux, aux_words, "density of aux variables", err));
        mark(m, m->row_start[r1cs->head.constraints], m->row_start[r1cs->stored], &first);
        spread(r1cs, &first, out);
    }
    for (size_t w = 0; w < input_words; w++)
        out->input_count += (uint32_t)__builtin_popcountll(out->inputs[w]);
    for (size_t w = 0; w < aux_words; w++)
        out->aux_count += (uint32_t)__builtin_popcountll(out->aux[w]);
out:
    cuzk_mem_free(first.inputs);
    cuzk_mem_free(first.aux);
    if (status != CUZK_OK)
        cuzk_density_destroy(out);
    return status;
}

void cuzk_density_destroy(struct cuzk_density *density)
{
    if (density == NULL)
        return;
    cuzk_mem_free(density->inputs);
    cuzk_mem_free(density->aux);
    *density = (struct cuzk_density){0};
}

/* ---- evaluation ---- */

void cuzk_r1cs_evaluate_rows(const struct cuzk_r1cs *r1cs, int matrix,
                             const struct cuzk_witness_layout *layout, const struct cuzk_witness *witness,
                             uint32_t begin, uint32_t end, struct cuzk_fr *out)
{
    const struct cuzk_matrix *m = &r1cs->matrix[matrix];
    struct cuzk_r1cs_place at = cuzk_r1cs_locate(r1cs, begin);

    for (uint32_t row = begin; row < end; row++, cuzk_r1cs_advance(r1cs, &at)) {
        struct cuzk_fr sum;
        cuzk_fr_zero(&sum);
        for (uint32_t k = m->row_start[at.stored]; k < m->row_start[at.stored + 1]; k++) {
            const cuzk_variable variable = cuzk_r1cs_variable(r1cs, m->variables[k], at.part);
            const uint32_t index = cuzk_variable_index(variable), coefficient = m->coefficients[k];
            struct cuzk_fr product;
            if (!cuzk_variable_is_aux(variable)) {
                if (index == 0)
                    product = r1cs->pool[coefficient];
                else
                    cuzk_fr_mul(&witness->inputs[index], &r1cs->pool[coefficient], &product);
            } else if (cuzk_witness_is_bit(layout, index)) {
                if (!cuzk_witness_bit(layout, witness, index))
                    continue;
                product = r1cs->pool[coefficient];
            } else {
                const struct cuzk_fr *value = &witness->wide[cuzk_witness_wide_rank(layout, index)];
                if (coefficient == CUZK_COEFFICIENT_MINUS_ONE) {
                    cuzk_fr_sub(&sum, value, &sum);
                    continue;
                }
                if (coefficient == CUZK_COEFFICIENT_ONE)
                    product = *value;
                else
                    cuzk_fr_mul(value, &r1cs->pool[coefficient], &product);
            }
            cuzk_fr_add(&sum, &product, &sum);
        }
        out[row - begin] = sum;
    }
}

enum cuzk_status cuzk_r1cs_match_layout(const struct cuzk_r1cs *r1cs,
                                        const struct cuzk_witness_layout *layout, struct cuzk_error *err)
{
    if (layout->inputs != r1cs->inputs)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "the witness has %u public inputs (with the one), the circuit %u",
                              layout->inputs, r1cs->inputs);
    if (layout->aux != r1cs->aux)
        return cuzk_error_set(err, CUZK_ARGUMENT, "the witness has %u aux variables, the circuit %u",
                              layout->aux, r1cs->aux);
    return CUZK_OK;
}

struct check {
    const struct cuzk_r1cs *r1cs;
    const struct cuzk_witness_layout *layout;
    const struct cuzk_witness *witness;
    atomic_uint_least64_t first; /* lowest constraint seen to fail */
};

static void check_range(void *context, size_t begin, size_t end, unsigned worker)
{
    enum { STEP = 64 };
    struct check *check = context;
    struct cuzk_fr value[CUZK_MATRICES][STEP];

    (void)worker;
    for (size_t row = begin; row < end && row < atomic_load(&check->first); row += STEP) {
        const size_t stop = row + STEP < end ? row + STEP : end;
        for (int m = 0; m < CUZK_MATRICES; m++)
            cuzk_r1cs_evaluate_rows(check->r1cs, m, check->layout, check->witness, (uint32_t)row,
                                    (uint32_t)stop, value[m]);
        for (size_t k = 0; k < stop - row; k++) {
            cuzk_fr_mul(&value[CUZK_MATRIX_A][k], &value[CUZK_MATRIX_B][k], &value[CUZK_MATRIX_A][k]);
            if (cuzk_fr_equal(&value[CUZK_MATRIX_A][k], &value[CUZK_MATRIX_C][k]))
                continue;
            uint_least64_t seen = atomic_load(&check->first);
            while (row + k < seen && !atomic_compare_exchange_weak(&check->first, &seen, row + k))
                ;
            break;
        }
    }
}

enum cuzk_status cuzk_r1cs_check(const struct cuzk_r1cs *r1cs, const struct cuzk_witness_layout *layout,
                                 const struct cuzk_witness *witness, struct cuzk_pool *pool,
                                 struct cuzk_error *err)
{
    struct check check = {r1cs, layout, witness, UINT64_MAX};
    struct cuzk_fr one;

    CUZK_TRY(cuzk_r1cs_match_layout(r1cs, layout, err));
    cuzk_fr_one(&one);
    if (!cuzk_fr_equal(&witness->inputs[0], &one))
        return cuzk_error_set(err, CUZK_UNSATISFIED, "public input 0 is not the constant one");
    cuzk_pool_range(pool, r1cs->constraints, CHECK_GRAIN, check_range, &check);
    if (check.first != UINT64_MAX)
        return cuzk_error_set(err, CUZK_UNSATISFIED, "constraint %llu of %u does not hold",
                              (unsigned long long)check.first, r1cs->constraints);
    return CUZK_OK;
}

/* ---- building ---- */

/* An array that grows by doubling. */
struct column {
    uint32_t *items;
    size_t count, capacity;
};

struct cuzk_r1cs_builder {
    struct column row_start[CUZK_MATRICES], variables[CUZK_MATRICES], coefficients[CUZK_MATRICES];
    size_t constraints;
    uint32_t inputs, aux; /* one above the highest index seen */
    struct cuzk_fr *pool;
    size_t pool_count, pool_capacity;
    uint32_t *slots; /* open addressing: pool index + 1, 0 is free; 2 * pool_capacity of them */
};

static enum cuzk_status column_reserve(struct column *column, size_t more, struct cuzk_error *err)
{
    return CUZK_GROW(&column->items, column->count + more, column->count, &column->capacity,
                     "constraint matrix", err);
}

/* Gives back what doubling took too much. */
static enum cuzk_status column_trim(struct column *column, struct cuzk_error *err)
{
    uint32_t *exact;

    CUZK_TRY(CUZK_NEW(&exact, column->count, "constraint matrix", err));
    if (column->count > 0)
        memcpy(exact, column->items, column->count * sizeof *exact);
    cuzk_mem_free(column->items);
    column->items = exact;
    column->capacity = column->count;
    return CUZK_OK;
}

static size_t slot_of(const struct cuzk_r1cs_builder *builder, const struct cuzk_fr *value)
{
    const uint64_t mixed = (value->l[0] ^ value->l[1] * UINT64_C(0x9e3779b97f4a7c15) ^ value->l[3]) *
                           UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(mixed >> 20) & (2 * builder->pool_capacity - 1);
}

/* Finds value's slot: it holds the value's index + 1, or 0 where the value is new. */
static uint32_t *find_slot(const struct cuzk_r1cs_builder *builder, const struct cuzk_fr *value)
{
    size_t slot = slot_of(builder, value);

    while (builder->slots[slot] != 0 && !cuzk_fr_equal(&builder->pool[builder->slots[slot] - 1], value))
        slot = (slot + 1) & (2 * builder->pool_capacity - 1);
    return &builder->slots[slot];
}

static enum cuzk_status grow_pool(struct cuzk_r1cs_builder *builder, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const size_t capacity = builder->pool_capacity == 0 ? 256 : builder->pool_capacity * 2;
    struct cuzk_fr *pool = NULL;
    uint32_t *slots = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&pool, capacity, "coefficient pool", err));
    CUZK_TRY_OUT(CUZK_NEW(&slots, 2 * capacity, "coefficient index", err));
    if (builder->pool_count > 0)
        memcpy(pool, builder->pool, builder->pool_count * sizeof *pool);
    cuzk_mem_free(builder->pool);
    cuzk_mem_free(builder->slots);
    builder->pool = pool;
    builder->slots = slots;
    builder->pool_capacity = capacity;
    for (size_t k = 0; k < builder->pool_count; k++)
        *find_slot(builder, &pool[k]) = (uint32_t)k + 1;
    return CUZK_OK;
out:
    cuzk_mem_free(pool);
    cuzk_mem_free(slots);
    return status;
}

static enum cuzk_status intern(struct cuzk_r1cs_builder *builder, const struct cuzk_fr *value, uint32_t *out,
                               struct cuzk_error *err)
{
    if (builder->pool_count == builder->pool_capacity)
        CUZK_TRY(grow_pool(builder, err));
    uint32_t *slot = find_slot(builder, value);

    if (*slot == 0) {
        builder->pool[builder->pool_count++] = *value;
        *slot = (uint32_t)builder->pool_count;
    }
    *out = *slot - 1;
    return CUZK_OK;
}

static enum cuzk_status append(struct cuzk_r1cs_builder *builder, int m, struct cuzk_combination combination,
                               struct cuzk_error *err)
{
    struct column *variables = &builder->variables[m], *coefficients = &builder->coefficients[m];

    if (combination.count > UINT32_MAX - variables->count)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "matrix %s has 2^32 terms or more", matrix_name[m]);
    CUZK_TRY(column_reserve(variables, combination.count, err));
    CUZK_TRY(column_reserve(coefficients, combination.count, err));
    CUZK_TRY(column_reserve(&builder->row_start[m], 1, err));
    for (size_t k = 0; k < combination.count; k++) {
        const struct cuzk_term *term = &combination.terms[k];
        const uint32_t needed = cuzk_variable_index(term->variable) + 1;
        uint32_t *seen = cuzk_variable_is_aux(term->variable) ? &builder->aux : &builder->inputs;
        if (needed > *seen)
            *seen = needed;
        variables->items[variables->count + k] = term->variable;
        CUZK_TRY(intern(builder, &term->coefficient, &coefficients->items[coefficients->count + k], err));
    }
    variables->count += combination.count;
    coefficients->count += combination.count;
    builder->row_start[m].items[builder->row_start[m].count++] = (uint32_t)variables->count;
    return CUZK_OK;
}

static enum cuzk_status add_constraint(void *context, struct cuzk_combination a, struct cuzk_combination b,
                                       struct cuzk_combination c, struct cuzk_error *err)
{
    struct cuzk_r1cs_builder *builder = context;

    if (builder->constraints >= UINT32_MAX - 1)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "2^32 constraints or more");
    CUZK_TRY(append(builder, CUZK_MATRIX_A, a, err));
    CUZK_TRY(append(builder, CUZK_MATRIX_B, b, err));
    CUZK_TRY(append(builder, CUZK_MATRIX_C, c, err));
    builder->constraints++;
    return CUZK_OK;
}

enum cuzk_status cuzk_r1cs_builder_create(struct cuzk_r1cs_builder **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_fr value;
    uint32_t index;

    CUZK_TRY(CUZK_NEW(out, 1, "constraint system builder", err));
    for (int m = 0; m < CUZK_MATRICES; m++) {
        CUZK_TRY_OUT(column_reserve(&(*out)->row_start[m], 1, err));
        (*out)->row_start[m].count = 1; /* the leading 0 */
    }
    cuzk_fr_one(&value);
    CUZK_TRY_OUT(intern(*out, &value, &index, err));
    cuzk_fr_neg(&value, &value);
    CUZK_TRY_OUT(intern(*out, &value, &index, err));
out:
    if (status != CUZK_OK) {
        cuzk_r1cs_builder_destroy(*out);
        *out = NULL;
    }
    return status;
}

void cuzk_r1cs_builder_destroy(struct cuzk_r1cs_builder *builder)
{
    if (builder == NULL)
        return;
    for (int m = 0; m < CUZK_MATRICES; m++) {
        cuzk_mem_free(builder->row_start[m].items);
        cuzk_mem_free(builder->variables[m].items);
        cuzk_mem_free(builder->coefficients[m].items);
    }
    cuzk_mem_free(builder->pool);
    cuzk_mem_free(builder->slots);
    cuzk_mem_free(builder);
}

struct cuzk_constraint_sink cuzk_r1cs_builder_sink(struct cuzk_r1cs_builder *builder)
{
    return (struct cuzk_constraint_sink){add_constraint, builder};
}

/* Says which constraint names a variable that does not exist. */
static enum cuzk_status report_range(const struct cuzk_r1cs_builder *builder, uint32_t inputs, uint32_t aux,
                                     struct cuzk_error *err)
{
    for (int m = 0; m < CUZK_MATRICES; m++) {
        size_t row = 0;
        for (size_t k = 0; k < builder->variables[m].count; k++) {
            const cuzk_variable variable = builder->variables[m].items[k];
            const uint32_t index = cuzk_variable_index(variable);
            const bool is_aux = cuzk_variable_is_aux(variable);
            while (builder->row_start[m].items[row + 1] <= k)
                row++;
            if (index >= (is_aux ? aux : inputs))
                return cuzk_error_set(err, CUZK_INPUT, "constraint %zu, %s: %s variable %u, but there are %u",
                                      row, matrix_name[m], is_aux ? "aux" : "input", index,
                                      is_aux ? aux : inputs);
        }
    }
    return cuzk_error_set(err, CUZK_INTERNAL, "variable out of range, but none found");
}

enum cuzk_status cuzk_r1cs_builder_finish(struct cuzk_r1cs_builder *builder, uint32_t inputs, uint32_t aux,
                                          struct cuzk_r1cs **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_r1cs *r1cs = NULL;

    *out = NULL;
    if (inputs == 0)
        return cuzk_error_set(err, CUZK_INPUT,
                              "a constraint system without public input 0, the constant one");
    if (builder->inputs > inputs || builder->aux > aux)
        return report_range(builder, inputs, aux, err);
    CUZK_TRY_OUT(CUZK_NEW(&r1cs, 1, "constraint system", err));
    *r1cs = (struct cuzk_r1cs){.inputs = inputs, .aux = aux, .constraints = (uint32_t)builder->constraints};
    r1cs->stored = r1cs->constraints;
    r1cs->head = (struct cuzk_r1cs_extent){inputs, aux, r1cs->constraints};
    for (int m = 0; m < CUZK_MATRICES; m++) {
        CUZK_TRY_OUT(column_trim(&builder->row_start[m], err));
        CUZK_TRY_OUT(column_trim(&builder->variables[m], err));
        CUZK_TRY_OUT(column_trim(&builder->coefficients[m], err));
        r1cs->matrix[m] = (struct cuzk_matrix){builder->row_start[m].items, builder->variables[m].items,
                                               builder->coefficients[m].items};
        builder->row_start[m] = builder->variables[m] = builder->coefficients[m] = (struct column){0};
    }
    r1cs->pool = builder->pool;
    r1cs->pool_count = (uint32_t)builder->pool_count;
    builder->pool = NULL;
    *out = r1cs;
    r1cs = NULL;
out:
    cuzk_r1cs_destroy(r1cs);
    return status;
}

/* ---- replay ---- */

static enum cuzk_status load_row(const struct cuzk_r1cs *r1cs, int matrix, struct cuzk_r1cs_place at,
                                 struct cuzk_term **terms, size_t *capacity, struct cuzk_combination *out,
                                 struct cuzk_error *err)
{
    const struct cuzk_matrix *m = &r1cs->matrix[matrix];
    const uint32_t begin = m->row_start[at.stored], count = m->row_start[at.stored + 1] - begin;

    CUZK_TRY(CUZK_GROW(terms, count, 0, capacity, "constraint terms", err));
    for (uint32_t k = 0; k < count; k++)
        (*terms)[k] = (struct cuzk_term){r1cs->pool[m->coefficients[begin + k]],
                                         cuzk_r1cs_variable(r1cs, m->variables[begin + k], at.part)};
    *out = (struct cuzk_combination){*terms, count};
    return CUZK_OK;
}

enum cuzk_status cuzk_r1cs_replay(const struct cuzk_r1cs *r1cs, const struct cuzk_constraint_sink *sink,
                                  struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_term *terms[CUZK_MATRICES] = {0};
    size_t capacity[CUZK_MATRICES] = {0};
    struct cuzk_r1cs_place at = {0};

    for (uint32_t row = 0; row < r1cs->constraints; row++, cuzk_r1cs_advance(r1cs, &at)) {
        struct cuzk_combination part[CUZK_MATRICES];
        for (int m = 0; m < CUZK_MATRICES; m++)
            CUZK_TRY_OUT(load_row(r1cs, m, at, &terms[m], &capacity[m], &part[m], err));
        CUZK_TRY_OUT(sink->constraint(sink->context, part[CUZK_MATRIX_A], part[CUZK_MATRIX_B],
                                      part[CUZK_MATRIX_C], err));
    }
out:
    for (int m = 0; m < CUZK_MATRICES; m++)
        cuzk_mem_free(terms[m]);
    return status;
}
