/*
 * Template: the table of multiples behind fixed_base.h, and products read from it.
 *
 * Row w * per_window + d - 1 is d * 2^(c w) * base. A window's multiples come by doubling their number: to
 * the k first ones the k-th is added. Products take BATCH scalars at a time and add a row a window to each.
 *
 * Include after batch_affine.h, digits.h and engine.h.
 */
#ifndef CUZK_MSM_MULTIPLES_H
#define CUZK_MSM_MULTIPLES_H

#include "base/mem.h"

enum { MULTIPLES_WINDOWS = 255 / DIGITS_LEAST };

struct multiples {
    unsigned c, windows;
    struct digits_form form;
    size_t per_window;
    struct row *rows;
    bool infinity; /* so is the base, and every product */
};

struct multiples_job {
    const struct multiples *table;
    struct row *rows; /* creation only */
    const uint64_t (*scalars)[4];
    size_t n;
    group_affine *affine;
    uint8_t *raw;
    struct multiples_worker {
        struct batch *batch;
        uint64_t (*biased)[5];
        uint8_t *negated;
    } *workers;
    unsigned threads;
};

static void multiples_free_workers(struct multiples_job *job)
{
    for (unsigned i = 0; job->workers != NULL && i < job->threads; i++) {
        cuzk_mem_free(job->workers[i].batch);
        cuzk_mem_free_wiped(job->workers[i].biased);
        cuzk_mem_free_wiped(job->workers[i].negated);
    }
    cuzk_mem_free(job->workers);
}

static enum cuzk_status multiples_make_workers(struct cuzk_pool *pool, struct multiples_job *job,
                                               struct cuzk_error *err)
{
    job->threads = cuzk_pool_threads(pool);
    CUZK_TRY(CUZK_NEW(&job->workers, job->threads, "fixed-base workers", err));
    for (unsigned i = 0; i < job->threads; i++) {
        CUZK_TRY(CUZK_NEW(&job->workers[i].batch, 1, "fixed-base batch", err));
        CUZK_TRY(CUZK_NEW(&job->workers[i].biased, BATCH, "fixed-base digits", err));
        CUZK_TRY(CUZK_NEW(&job->workers[i].negated, BATCH, "fixed-base digits", err));
    }
    return CUZK_OK;
}

static void fill_window(void *context, size_t window, unsigned worker)
{
    struct multiples_job *job = context;
    struct batch *b = job->workers[worker].batch;
    const size_t n = job->table->per_window;
    struct row *rows = job->rows + window * n;

    for (size_t have = 1; have < n; have *= 2) {
        for (size_t first = 0; first < have; first += BATCH) {
            const size_t count = have - first < BATCH ? have - first : BATCH;
            const size_t nv = (count + LANES - 1) / LANES;
            for (size_t i = 0; i < count; i++)
                batch_set(b, i, true, (uint32_t)(first + i));
            batch_pad(b, count);
            batch_load(b, nv, rows);
            for (size_t i = 0; i < count; i++)
                batch_set(b, i, true, (uint32_t)(have - 1));
            batch_pad(b, count);
            batch_add_rows(b, nv, rows);
            for (size_t v = 0; v < nv; v++) {
                struct row *to[LANES];
                lane_mask mask = 0;
                for (size_t l = 0; l < LANES; l++) {
                    const bool has = v * LANES + l < count;
                    to[l] = &rows[has ? have + first + v * LANES + l : 0];
                    mask |= (lane_mask)(has << l);
                }
                rows_store(&b->x[v], &b->y[v], mask, to);
            }
        }
    }
}

static void multiples_destroy(void *pointer)
{
    struct multiples *table = pointer;

    if (table == NULL)
        return;
    cuzk_mem_free(table->rows);
    cuzk_mem_free(table);
}

static enum cuzk_status multiples_create(struct cuzk_pool *pool, const void *base, size_t expected,
                                         void **out, struct cuzk_error *err)
{
    struct multiples *table = NULL;
    struct multiples_job job = {0};
    enum cuzk_status status;
    double least = 0;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&table, 1, "fixed-base table", err));
    for (unsigned c = DIGITS_LEAST; c <= DIGITS_MOST; c++) {
        const double cost = digits_windows(c) * ((double)expected + (double)((size_t)1 << (c - 1)));
        if (c == DIGITS_LEAST || cost < least) {
            least = cost;
            table->c = c;
        }
    }
    digits_form_init(&table->form, table->c);
    table->windows = table->form.windows;
    table->per_window = (size_t)1 << (table->c - 1);
    table->infinity = GROUP(affine_is_identity)(base);
    if (!table->infinity) {
        group_point powers[MULTIPLES_WINDOWS];
        group_affine affine[MULTIPLES_WINDOWS];
        GROUP(from_affine)(base, &powers[0]);
        for (unsigned w = 1; w < table->windows; w++) {
            powers[w] = powers[w - 1];
            for (unsigned i = 0; i < table->c; i++)
                GROUP(double)(&powers[w], &powers[w]);
        }
        GROUP(batch_to_affine)(powers, table->windows, affine);
        CUZK_TRY_OUT(CUZK_NEW(&table->rows, table->windows * table->per_window, "fixed-base table", err));
        for (unsigned w = 0; w < table->windows; w++) {
            const group_affine *from[LANES];
            struct row *to[LANES];
            for (int l = 0; l < LANES; l++) {
                from[l] = &affine[w];
                to[l] = &table->rows[w * table->per_window];
            }
            (void)rows_from_affine(from, 0, to);
        }
        job.table = table;
        job.rows = table->rows;
        CUZK_TRY_OUT(multiples_make_workers(pool, &job, err));
        cuzk_pool_run(pool, table->windows, fill_window, &job);
    }
    *out = table;
    table = NULL;
    status = CUZK_OK;
out:
    multiples_free_workers(&job);
    multiples_destroy(table);
    return status;
}

static void multiply_batch(const struct multiples_job *job, size_t first, size_t count,
                           struct multiples_worker *worker)
{
    const struct multiples *t = job->table;
    struct batch *b = worker->batch;
    const size_t nv = (count + LANES - 1) / LANES;
    const int32_t bias = (int32_t)t->per_window;

    for (size_t i = 0; i < count; i++) {
        uint64_t s[4];
        worker->negated[i] = digits_reduce(job->scalars[first + i], s);
        digits_bias(&t->form, s, worker->biased[i]);
        cuzk_mem_wipe(s, sizeof s);
    }
    for (unsigned w = 0; w < t->windows; w++) {
        for (size_t i = 0; i < count; i++) {
            const int32_t digit = (int32_t)digits_get(worker->biased[i], t->c, w) - bias;
            const uint32_t row = (uint32_t)(w * t->per_window) + (uint32_t)(digit < 0 ? -digit : digit) - 1;
            batch_set(b, i, digit != 0, row | (uint32_t)((digit < 0) ^ worker->negated[i]) << 31);
        }
        batch_pad(b, count);
        if (w == 0)
            batch_load(b, nv, t->rows);
        else
            batch_add_rows(b, nv, t->rows);
    }
    for (size_t v = 0; v < nv; v++) {
        const size_t at = first + v * LANES, lanes = count - v * LANES < LANES ? count - v * LANES : LANES;
        if (job->raw != NULL) {
            uint8_t spare[GROUP_RAW_BYTES], *to[LANES];
            for (size_t l = 0; l < LANES; l++)
                to[l] = l < lanes ? job->raw + (at + l) * GROUP_RAW_BYTES : spare;
            rows_to_raw(&b->x[v], &b->y[v], b->infinity[v], to);
            continue;
        }
        group_affine affine[LANES];
        rows_to_affine(&b->x[v], &b->y[v], affine);
        for (size_t l = 0; l < lanes; l++) {
            if (b->infinity[v] >> l & 1)
                memset(&affine[l], 0, sizeof affine[l]);
            job->affine[at + l] = affine[l];
        }
    }
}

static void multiply_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct multiples_job *job = context;

    for (size_t i = begin; i < end; i += BATCH)
        multiply_batch(job, i, end - i < BATCH ? end - i : BATCH, &job->workers[worker]);
}

static enum cuzk_status multiples_mul(struct cuzk_pool *pool, const void *pointer,
                                      const uint64_t (*scalars)[4], size_t n, void *affine, uint8_t *raw,
                                      struct cuzk_error *err)
{
    const struct multiples *table = pointer;
    struct multiples_job job = {.table = table, .scalars = scalars, .n = n, .affine = affine, .raw = raw};
    enum cuzk_status status;

    if (table->infinity) {
        group_affine infinity;
        memset(&infinity, 0, sizeof infinity);
        for (size_t i = 0; i < n; i++) {
            if (raw != NULL)
                GROUP(encode_raw)(&infinity, raw + i * GROUP_RAW_BYTES);
            else
                job.affine[i] = infinity;
        }
        return CUZK_OK;
    }
    CUZK_TRY_OUT(multiples_make_workers(pool, &job, err));
    cuzk_pool_range(pool, n, BATCH, multiply_range, &job);
    status = CUZK_OK;
out:
    multiples_free_workers(&job);
    return status;
}

#endif
