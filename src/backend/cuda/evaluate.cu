#include "backend/cuda/evaluate.h"

#include "r1cs/bitmap.h"

/* Where a value lies: two bits of kind, thirty of index. A lane without a term has NONE. */
enum : uint32_t { BIT = 0, WIDE = 1, INPUT = 2, NONE = 3, KIND_SHIFT = 30, INDEX = (UINT32_C(1) << 30) - 1 };

enum { LANES = 32, SPREAD_ABOVE = 64, BLOCK = 128, NO_ROW = -1 };

/* ---- making slices ---- */

static size_t groups_of(uint32_t terms)
{
    return ((size_t)terms + LANES - 1) / LANES;
}

static uint32_t name_value(const struct cuzk_witness_layout *layout, cuzk_variable variable)
{
    const uint32_t index = cuzk_variable_index(variable);

    if (!cuzk_variable_is_aux(variable))
        return INPUT << KIND_SHIFT | index;
    if (cuzk_witness_is_bit(layout, index))
        return BIT << KIND_SHIFT | cuzk_witness_bit_rank(layout, index);
    return WIDE << KIND_SHIFT | cuzk_witness_wide_rank(layout, index);
}

/* Host copies while a matrix is made. */
struct draft {
    const struct cuzk_matrix *matrix;
    const struct cuzk_witness_layout *layout;
    uint32_t first, count; /* stored rows */
    uint32_t *order;       /* [count] longest first, else ascending */
    uint32_t *start, *rows;
    struct cuda_term *terms;
};

static uint32_t length_of(const struct draft *draft, uint32_t row)
{
    const uint32_t *start = draft->matrix->row_start + draft->first + row;
    return start[1] - start[0];
}

/* Counting sort by length; what has a warp of its own comes first, in any order. */
static uint32_t sort_rows(const struct draft *draft)
{
    uint32_t place[SPREAD_ABOVE + 2] = {0}; /* by SPREAD_ABOVE + 1 - length */
    uint32_t total = 0;

    for (uint32_t k = 0; k < draft->count; k++) {
        const uint32_t n = length_of(draft, k);
        place[n > SPREAD_ABOVE ? 0 : SPREAD_ABOVE + 1 - n]++;
    }
    const uint32_t spread = place[0];
    for (uint32_t *p = place; p < place + SPREAD_ABOVE + 2; p++) {
        const uint32_t n = *p;
        *p = total;
        total += n;
    }
    for (uint32_t k = 0; k < draft->count; k++) {
        const uint32_t n = length_of(draft, k);
        draft->order[place[n > SPREAD_ABOVE ? 0 : SPREAD_ABOVE + 1 - n]++] = k;
    }
    return spread;
}

static void put_terms(const struct draft *draft, uint32_t row, struct cuda_term *to, size_t stride)
{
    const struct cuzk_matrix *m = draft->matrix;
    const uint32_t begin = m->row_start[draft->first + row], n = length_of(draft, row);

    for (uint32_t j = 0; j < n; j++)
        to[j * stride] = {name_value(draft->layout, m->variables[begin + j]), m->coefficients[begin + j]};
}

static void fill_slices(const struct draft *draft, const struct cuda_slices *out)
{
    for (size_t i = 0; i < LANES * out->groups; i++)
        draft->terms[i] = {NONE << KIND_SHIFT, 0};
    for (uint32_t s = 0; s < out->spread; s++) {
        for (int lane = 0; lane < LANES; lane++)
            draft->rows[(size_t)LANES * s + lane] = draft->order[s];
        put_terms(draft, draft->order[s], draft->terms + (size_t)LANES * draft->start[s], 1);
    }
    for (uint32_t s = out->spread; s < out->slices; s++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t k = out->spread + (s - out->spread) * LANES + lane;
            draft->rows[(size_t)LANES * s + lane] = k < draft->count ? draft->order[k] : (uint32_t)NO_ROW;
            if (k < draft->count)
                put_terms(draft, draft->order[k], draft->terms + (size_t)LANES * draft->start[s] + lane,
                          LANES);
        }
}

static size_t start_bytes(const struct cuda_slices *slices)
{
    return ((size_t)slices->slices + 1) * sizeof *slices->start;
}

static size_t rows_bytes(const struct cuda_slices *slices)
{
    return (size_t)slices->slices * LANES * sizeof *slices->rows;
}

static size_t terms_bytes(const struct cuda_slices *slices)
{
    return slices->groups * LANES * sizeof *slices->terms;
}

static enum cuzk_status make_slices(struct cuda_backend *backend, const struct cuzk_backend_plan *plan,
                                    int which, uint32_t first, uint32_t count, struct cuda_slices *out,
                                    struct cuzk_error *err)
{
    struct draft draft = {&plan->r1cs->matrix[which], plan->layout, first, count, NULL, NULL, NULL, NULL};
    enum cuzk_status status = CUZK_OK;
    size_t groups = 0;

    if (count == 0)
        return CUZK_OK;
    CUZK_TRY_OUT(CUZK_NEW(&draft.order, count, "order of rows", err));
    out->spread = sort_rows(&draft);
    out->slices = out->spread + (count - out->spread + LANES - 1) / LANES;
    CUZK_TRY_OUT(CUZK_NEW(&draft.start, (size_t)out->slices + 1, "slices of rows", err));
    for (uint32_t s = 0; s < out->slices; s++) {
        const uint32_t k = s < out->spread ? s : out->spread + (s - out->spread) * LANES;
        const uint32_t n = length_of(&draft, draft.order[k]);
        draft.start[s] = (uint32_t)groups;
        groups += s < out->spread ? groups_of(n) : n;
    }
    if (groups > UINT32_MAX) {
        status = cuzk_error_set(err, CUZK_UNSUPPORTED, "a matrix of %zu terms", groups * LANES);
        goto out;
    }
    draft.start[out->slices] = (uint32_t)groups;
    out->groups = groups;
    CUZK_TRY_OUT(CUZK_NEW(&draft.rows, (size_t)out->slices * LANES, "slices of rows", err));
    CUZK_TRY_OUT(CUZK_NEW(&draft.terms, groups * LANES, "terms of a matrix", err));
    fill_slices(&draft, out);
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, draft.start, start_bytes(out), "rows of a matrix",
                                    (void **)&out->start, err));
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, draft.rows, rows_bytes(out), "rows of a matrix",
                                    (void **)&out->rows, err));
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, draft.terms, terms_bytes(out), "rows of a matrix",
                                    (void **)&out->terms, err));
out:
    cuzk_mem_free(draft.order);
    cuzk_mem_free(draft.start);
    cuzk_mem_free(draft.rows);
    cuzk_mem_free(draft.terms);
    return status;
}

enum cuzk_status cuda_matrix_create(struct cuda_backend *backend, const struct cuzk_backend_plan *plan,
                                    int which, struct cuda_matrix *out, struct cuzk_error *err)
{
    const struct cuzk_r1cs *r1cs = plan->r1cs;
    const uint32_t head = r1cs->head.constraints;

    CUZK_TRY(make_slices(backend, plan, which, 0, head, &out->head, err));
    return make_slices(backend, plan, which, head, r1cs->stored - head, &out->part, err);
}

static void drop_slices(struct cuda_backend *backend, struct cuda_slices *slices)
{
    cuda_mem_drop(backend, slices->start, start_bytes(slices));
    cuda_mem_drop(backend, slices->rows, rows_bytes(slices));
    cuda_mem_drop(backend, slices->terms, terms_bytes(slices));
    *slices = {};
}

void cuda_matrix_destroy(struct cuda_backend *backend, struct cuda_matrix *matrix)
{
    drop_slices(backend, &matrix->head);
    drop_slices(backend, &matrix->part);
}

size_t cuda_matrix_bytes(uint64_t rows, uint64_t terms)
{
    /* a row of its own is padded by less than half of it; sorted rows of head and part by their longest */
    const uint64_t padded = terms + terms / 2 + 2 * LANES * (SPREAD_ABOVE + 1);
    const uint64_t slices = rows / LANES + terms / SPREAD_ABOVE + 4;

    return padded * sizeof(struct cuda_term) + slices * (LANES + 1) * sizeof(uint32_t);
}

/* ---- copies ---- */

static enum cuzk_status check_layout(const struct cuzk_backend_plan *plan, struct cuzk_error *err)
{
    const struct cuzk_r1cs *r1cs = plan->r1cs;
    const uint64_t *map = plan->layout->is_bit;
    const struct cuzk_r1cs_window *window = &r1cs->window;

    if (r1cs->inputs > INDEX || plan->layout->bits > INDEX || plan->layout->aux - plan->layout->bits > INDEX)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "more than 2^30 values of a kind");
    for (uint32_t p = 1; p < r1cs->parts; p++)
        if (!cuzk_bitmap_equal(map, r1cs->head.aux, map, r1cs->head.aux + (size_t)p * r1cs->part.aux,
                               r1cs->part.aux))
            return cuzk_error_set(err, CUZK_ARGUMENT,
                                  "copy %u of the circuit's part has other bits than the first", p);
    for (uint32_t p = 0; p < r1cs->parts && window->count > 0; p++)
        for (uint32_t i = 0; i < window->count; i++)
            if (!cuzk_witness_is_bit(plan->layout, window->first + window->shift[p] + i))
                return cuzk_error_set(err, CUZK_UNSUPPORTED, "the window of copy %u is not of bits alone", p);
    return CUZK_OK;
}

static uint32_t bits_before(const struct cuzk_witness_layout *layout, uint32_t aux)
{
    return aux == layout->aux ? layout->bits : cuzk_witness_bit_rank(layout, aux);
}

enum cuzk_status cuda_copies_create(struct cuda_backend *backend, const struct cuzk_backend_plan *plan,
                                    struct cuda_copies *out, struct cuzk_error *err)
{
    const struct cuzk_r1cs *r1cs = plan->r1cs;
    const struct cuzk_witness_layout *layout = plan->layout;
    enum cuzk_status status = CUZK_OK;
    uint32_t *shift = NULL;

    *out = {};
    CUZK_TRY(check_layout(plan, err));
    out->parts = r1cs->parts;
    out->head_rows = r1cs->head.constraints;
    out->part_rows = r1cs->part.constraints;
    if (r1cs->parts == 0)
        return CUZK_OK;
    const uint32_t bits = bits_before(layout, r1cs->head.aux);
    out->head[BIT] = bits;
    out->step[BIT] = bits_before(layout, r1cs->head.aux + r1cs->part.aux) - bits;
    out->head[WIDE] = r1cs->head.aux - bits;
    out->step[WIDE] = r1cs->part.aux - out->step[BIT];
    out->head[INPUT] = r1cs->head.inputs;
    out->step[INPUT] = r1cs->part.inputs;
    if (r1cs->window.count == 0)
        return CUZK_OK;
    out->window = cuzk_witness_bit_rank(layout, r1cs->window.first);
    out->window_count = r1cs->window.count;
    CUZK_TRY_OUT(CUZK_NEW(&shift, r1cs->parts, "window of the parts", err));
    for (uint32_t p = 0; p < r1cs->parts; p++)
        shift[p] = cuzk_witness_bit_rank(layout, r1cs->window.first + r1cs->window.shift[p]) - out->window;
    CUZK_TRY_OUT(cuda_mem_take_copy(backend, shift, r1cs->parts * sizeof *shift, "rows of a matrix",
                                    (void **)&out->shift, err));
out:
    cuzk_mem_free(shift);
    return status;
}

void cuda_copies_destroy(struct cuda_backend *backend, struct cuda_copies *copies)
{
    cuda_mem_drop(backend, copies->shift, copies->parts * sizeof *copies->shift);
    *copies = {};
}

/* ---- evaluation ---- */

/* One term's value under copy `part`, added to the sum. */
static __device__ __forceinline__ void add_term(struct cuda_term term, const struct cuda_values &values,
                                                const struct cuda_copies &copies, uint32_t part,
                                                uint32_t window_shift, struct cuzk_fr *sum)
{
    const uint32_t kind = term.value >> KIND_SHIFT, c = term.coefficient;
    uint32_t i = term.value & INDEX;
    struct cuzk_fr t;

    if (kind == NONE)
        return;
    if (kind == BIT) {
        if (i >= copies.head[BIT])
            i += part * copies.step[BIT];
        else if (i - copies.window < copies.window_count)
            i += window_shift;
        if (!(values.bits[i / 64] >> (i % 64) & 1))
            return;
        if (c == CUZK_COEFFICIENT_ONE)
            cuzk_fr_one(&t);
        else
            t = values.pool[c];
    } else {
        if (i >= (kind == WIDE ? copies.head[WIDE] : copies.head[INPUT]))
            i += part * (kind == WIDE ? copies.step[WIDE] : copies.step[INPUT]);
        t = kind == WIDE ? values.wide[i] : values.inputs[i];
        if (c == CUZK_COEFFICIENT_MINUS_ONE)
            cuzk_fr_neg(&t, &t);
        else if (c != CUZK_COEFFICIENT_ONE)
            cuzk_fr_mul(&t, &values.pool[c], &t);
    }
    cuzk_fr_add(sum, &t, sum);
}

/* A warp a slice and copy; the copies of four slices lie in blocks side by side. */
static __global__ void evaluate(struct cuda_slices slices, uint32_t copies_of, uint32_t first_row,
                                struct cuda_copies copies, struct cuda_values values, uint64_t row_step,
                                uint64_t mask, struct cuzk_fr *__restrict__ out)
{
    const uint32_t part = blockIdx.x % copies_of, lane = threadIdx.x % LANES;
    const uint32_t slice = blockIdx.x / copies_of * (BLOCK / LANES) + threadIdx.x / LANES;
    if (slice >= slices.slices)
        return;
    const uint32_t row = slices.rows[(size_t)LANES * slice + lane];
    const uint32_t window_shift = copies.shift == NULL ? 0 : copies.shift[part];
    struct cuzk_fr sum;

    cuzk_fr_zero(&sum);
    for (uint32_t g = slices.start[slice]; g < slices.start[slice + 1]; g++)
        add_term(slices.terms[(size_t)LANES * g + lane], values, copies, part, window_shift, &sum);
    if (slice < slices.spread) {
        for (int step = LANES / 2; step > 0; step /= 2) {
            struct cuzk_fr other;
            for (int l = 0; l < CUZK_FR_LIMBS; l++)
                other.l[l] = __shfl_down_sync(0xffffffffu, sum.l[l], step);
            cuzk_fr_add(&sum, &other, &sum);
        }
        if (lane != 0)
            return;
    }
    if (row != (uint32_t)NO_ROW)
        out[row_step * (first_row + (uint64_t)part * copies.part_rows + row) & mask] = sum;
}

static __global__ void place_inputs(const struct cuzk_fr *__restrict__ inputs, uint32_t n, uint64_t first_row,
                                    uint64_t row_step, uint64_t mask, struct cuzk_fr *__restrict__ out)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[row_step * (first_row + i) & mask] = inputs[i];
}

static enum cuzk_status run_slices(const struct cuda_slices *slices, uint32_t copies_of, uint32_t first_row,
                                   const struct cuda_copies *copies, const struct cuda_values *values,
                                   uint64_t row_step, uint64_t mask, struct cuzk_fr *out, cudaStream_t stream,
                                   struct cuzk_error *err)
{
    const uint64_t blocks = ((uint64_t)slices->slices + BLOCK / LANES - 1) / (BLOCK / LANES) * copies_of;

    if (blocks == 0)
        return CUZK_OK;
    if (blocks > INT32_MAX)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "evaluation in %llu blocks", (unsigned long long)blocks);
    evaluate<<<(unsigned)blocks, BLOCK, 0, stream>>>(*slices, copies_of, first_row, *copies, *values,
                                                     row_step, mask, out);
    return cuzk_cuda_launched("evaluate", stream, err);
}

enum cuzk_status cuda_matrix_evaluate(const struct cuda_matrix *matrix, const struct cuda_copies *copies,
                                      const struct cuda_values *values, uint32_t constraints,
                                      uint32_t input_rows, uint64_t row_step, unsigned log_domain,
                                      struct cuzk_fr *out, cudaStream_t stream, struct cuzk_error *err)
{
    const uint64_t domain = UINT64_C(1) << log_domain, mask = domain - 1;
    const uint64_t zero = row_step == 1 ? constraints : 0; /* every row before it is written */

    CUZK_TRY(cuzk_cuda_check(cudaMemsetAsync(out + zero, 0, (domain - zero) * sizeof *out, stream),
                             "values on the domain", err));
    CUZK_TRY(run_slices(&matrix->head, 1, 0, copies, values, row_step, mask, out, stream, err));
    CUZK_TRY(run_slices(&matrix->part, copies->parts, copies->head_rows, copies, values, row_step, mask, out,
                        stream, err));
    if (input_rows == 0)
        return CUZK_OK;
    place_inputs<<<(input_rows + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(values->inputs, input_rows,
                                                                         constraints, row_step, mask, out);
    return cuzk_cuda_launched("inputs on the domain", stream, err);
}
