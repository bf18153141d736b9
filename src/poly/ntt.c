#include "poly/ntt.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "poly/ntt_strip.h"

enum {
    MAX_LEVELS = 3,
    SPLIT_LOG = 6, /* smaller transforms are done on the spot, one element after another */
    REORDER_GRAIN = 1 << 14,
};

struct cuzk_ntt {
    unsigned log_n, levels;
    unsigned level_log[MAX_LEVELS]; /* digits of the index, as n = n_0 n_1 n_2; their sum is log_n */
    const struct cuzk_strip_kernel *kernel;
    struct cuzk_fr inverse_n;
    unsigned low_log;
    struct cuzk_fr *low, *high;             /* w^i for i < 2^low_log, and w^(i 2^low_log) */
    unsigned char *twiddles[2][MAX_LEVELS]; /* by direction; levels of one size share a table */
};

static size_t level_size(const struct cuzk_ntt *ntt, unsigned level)
{
    return (size_t)1 << ntt->level_log[level];
}

/* log2 of the elements in one sub-array of a level: the product of the sizes from this level on. */
static unsigned span_log(const struct cuzk_ntt *ntt, unsigned level)
{
    unsigned log = 0;
    for (unsigned l = level; l < ntt->levels; l++)
        log += ntt->level_log[l];
    return log;
}

/* w^e for an exponent below n, or w^-e. */
static void root_power(const struct cuzk_ntt *ntt, enum cuzk_ntt_direction direction, size_t e,
                       struct cuzk_fr *out)
{
    const size_t n = cuzk_ntt_size(ntt);

    if (direction == CUZK_NTT_INVERSE)
        e = (n - e) & (n - 1);
    cuzk_fr_mul(&ntt->low[e & (((size_t)1 << ntt->low_log) - 1)], &ntt->high[e >> ntt->low_log], out);
}

static enum cuzk_status make_powers(struct cuzk_ntt *ntt, struct cuzk_error *err)
{
    struct cuzk_fr step;

    ntt->low_log = ntt->log_n / 2;
    const size_t low = (size_t)1 << ntt->low_log, high = (size_t)1 << (ntt->log_n - ntt->low_log);
    CUZK_TRY(CUZK_NEW(&ntt->low, low, "roots of unity", err));
    CUZK_TRY(CUZK_NEW(&ntt->high, high, "roots of unity", err));
    cuzk_fr_root_of_unity(ntt->log_n, &step);
    cuzk_fr_one(&ntt->low[0]);
    for (size_t i = 1; i < low; i++)
        cuzk_fr_mul(&ntt->low[i - 1], &step, &ntt->low[i]);
    cuzk_fr_mul(&ntt->low[low - 1], &step, &step);
    cuzk_fr_one(&ntt->high[0]);
    for (size_t i = 1; i < high; i++)
        cuzk_fr_mul(&ntt->high[i - 1], &step, &ntt->high[i]);
    return CUZK_OK;
}

static enum cuzk_status make_twiddles(struct cuzk_ntt *ntt, unsigned level, enum cuzk_ntt_direction direction,
                                      struct cuzk_error *err)
{
    const unsigned log = ntt->level_log[level];
    const size_t half = (size_t)1 << (log - 1);
    unsigned char **table = &ntt->twiddles[direction][level];

    CUZK_TRY(cuzk_mem_alloc(half, ntt->kernel->twiddle_bytes, "twiddle factors", (void **)table, err));
    for (size_t b = 0; b < half; b++) {
        struct cuzk_fr w;
        root_power(ntt, direction, cuzk_strip_reverse(b, log - 1) << (ntt->log_n - log), &w);
        ntt->kernel->prepare_twiddle(&w, *table + b * ntt->kernel->twiddle_bytes);
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_ntt_create(unsigned log_n, struct cuzk_ntt **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_ntt *ntt;

    *out = NULL;
    if (log_n > CUZK_NTT_MAX_LOG)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "a transform of 2^%u elements; Fr has roots of unity up to 2^%d", log_n,
                              CUZK_NTT_MAX_LOG);
    CUZK_TRY(CUZK_NEW(&ntt, 1, "transform", err));
    ntt->log_n = log_n;
    ntt->kernel = cuzk_strip_kernel_now();
    cuzk_fr_from_u64((uint64_t)1 << log_n, &ntt->inverse_n);
    cuzk_fr_inverse(&ntt->inverse_n, &ntt->inverse_n);
    ntt->levels = log_n < SPLIT_LOG ? 1 : log_n <= 2 * CUZK_STRIP_MAX_LOG ? 2 : 3;
    for (unsigned l = 0, left = log_n; l < ntt->levels; l++) {
        ntt->level_log[l] = (left + ntt->levels - l - 1) / (ntt->levels - l);
        left -= ntt->level_log[l];
    }
    CUZK_TRY_OUT(make_powers(ntt, err));
    for (unsigned l = 0; l < ntt->levels && ntt->levels > 1; l++) {
        for (int direction = CUZK_NTT_FORWARD; direction <= CUZK_NTT_INVERSE; direction++)
            CUZK_TRY_OUT(make_twiddles(ntt, l, (enum cuzk_ntt_direction)direction, err));
    }
    *out = ntt;
    ntt = NULL;
out:
    cuzk_ntt_destroy(ntt);
    return status;
}

void cuzk_ntt_destroy(struct cuzk_ntt *ntt)
{
    if (ntt == NULL)
        return;
    cuzk_mem_free(ntt->low);
    cuzk_mem_free(ntt->high);
    for (int direction = 0; direction < 2; direction++) {
        for (unsigned l = 0; l < MAX_LEVELS; l++)
            cuzk_mem_free(ntt->twiddles[direction][l]);
    }
    cuzk_mem_free(ntt);
}

size_t cuzk_ntt_size(const struct cuzk_ntt *ntt)
{
    return (size_t)1 << ntt->log_n;
}

unsigned cuzk_ntt_log_size(const struct cuzk_ntt *ntt)
{
    return ntt->log_n;
}

const struct cuzk_fr *cuzk_ntt_inverse_size(const struct cuzk_ntt *ntt)
{
    return &ntt->inverse_n;
}

/* ---- order ---- */

size_t cuzk_ntt_position(const struct cuzk_ntt *ntt, size_t k)
{
    size_t position = 0;

    for (unsigned l = 0; l < ntt->levels; l++) {
        position = position << ntt->level_log[l] | (k & (level_size(ntt, l) - 1));
        k >>= ntt->level_log[l];
    }
    return position;
}

/* The index of the first element of a row of the last level: the inverse of cuzk_ntt_position without the
 * last digit, which counts for n / n_last. */
static size_t row_index(const struct cuzk_ntt *ntt, size_t row)
{
    size_t index = 0;
    unsigned log = ntt->log_n - ntt->level_log[ntt->levels - 1];

    for (unsigned l = ntt->levels - 1; l-- > 0;) {
        log -= ntt->level_log[l];
        index |= (row & (level_size(ntt, l) - 1)) << log;
        row >>= ntt->level_log[l];
    }
    return index;
}

struct reorder {
    const struct cuzk_ntt *ntt;
    const struct cuzk_fr *in;
    struct cuzk_fr *out;
};

static void reorder_range(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct reorder *job = context;

    (void)worker;
    for (size_t k = begin; k < end; k++)
        job->out[k] = job->in[cuzk_ntt_position(job->ntt, k)];
}

/* Two levels are a matrix: squares of 8 by 8 elements keep whole cache lines busy on both sides. */
static void reorder_square(void *context, size_t index, unsigned worker)
{
    const struct reorder *job = context;
    const size_t rows = level_size(job->ntt, 0), columns = level_size(job->ntt, 1), first = 8 * index;

    (void)worker;
    for (size_t c = 0; c < columns; c += 8) {
        for (size_t i = c; i < c + 8; i++) {
            for (size_t r = first; r < first + 8; r++)
                job->out[i * rows + r] = job->in[r * columns + i];
        }
    }
}

void cuzk_ntt_reorder(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, const struct cuzk_fr *in,
                      struct cuzk_fr *out)
{
    struct reorder job = {ntt, in, out};

    if (ntt->levels == 2)
        cuzk_pool_run(pool, level_size(ntt, 0) / 8, reorder_square, &job);
    else
        cuzk_pool_range(pool, cuzk_ntt_size(ntt), REORDER_GRAIN, reorder_range, &job);
}

/* ---- one level ---- */

struct pass {
    const struct cuzk_ntt *ntt;
    struct cuzk_fr *data;
    enum cuzk_ntt_direction direction;
    unsigned level;
    bool on_load; /* the factors (between levels, or the twist) apply on loading, not on storing */
    const struct cuzk_ntt_twist *twist;
    struct cuzk_fr row_ratio, step_ratio; /* of the twist: from row to row within a strip, along a row */
    unsigned char *buffers;               /* one for each thread */
    size_t buffer_bytes;
};

static void run_strip(const struct pass *pass, struct cuzk_strip *strip,
                      const struct cuzk_strip_factors *factors, unsigned worker)
{
    strip->log_n = pass->ntt->level_log[pass->level];
    strip->twiddles = pass->ntt->twiddles[pass->direction][pass->level];
    strip->load = pass->on_load ? factors : NULL;
    strip->store = pass->on_load ? NULL : factors;
    pass->ntt->kernel->transform(strip, pass->buffers + worker * pass->buffer_bytes);
}

/* Eight neighbouring columns j of one sub-array; element k of column j meets the factor w^(j k) of its span.
 */
static void column_task(void *context, size_t index, unsigned worker)
{
    const struct pass *pass = context;
    const struct cuzk_ntt *ntt = pass->ntt;
    const unsigned whole_log = span_log(ntt, pass->level), columns_log = span_log(ntt, pass->level + 1);
    const unsigned strips_log = columns_log - CUZK_STRIP_LANES_LOG; /* strips in one sub-array */
    const size_t first = (index & (((size_t)1 << strips_log) - 1)) << CUZK_STRIP_LANES_LOG;
    struct cuzk_strip_factors factors;
    struct cuzk_strip strip = {.data = pass->data + (index >> strips_log << whole_log) + first,
                               .lane_stride = 1,
                               .step_stride = (size_t)1 << columns_log};

    for (size_t lane = 0; lane < CUZK_STRIP_LANES; lane++) {
        cuzk_fr_one(&factors.base[lane]);
        root_power(ntt, pass->direction, (first + lane) << (ntt->log_n - whole_log), &factors.ratio[lane]);
    }
    run_strip(pass, &strip, &factors, worker);
}

/* Eight neighbouring rows of the last level. */
static void row_task(void *context, size_t index, unsigned worker)
{
    const struct pass *pass = context;
    const struct cuzk_ntt *ntt = pass->ntt;
    const size_t n = level_size(ntt, pass->level), first = index * CUZK_STRIP_LANES;
    struct cuzk_strip_factors factors;
    struct cuzk_strip strip = {.data = pass->data + first * n, .lane_stride = n, .step_stride = 1};

    if (pass->twist == NULL) {
        run_strip(pass, &strip, NULL, worker);
        return;
    }
    cuzk_fr_pow_u64(&pass->twist->ratio, row_index(ntt, first), &factors.base[0]);
    cuzk_fr_mul(&factors.base[0], &pass->twist->first, &factors.base[0]);
    factors.ratio[0] = pass->step_ratio;
    for (size_t lane = 1; lane < CUZK_STRIP_LANES; lane++) {
        cuzk_fr_mul(&factors.base[lane - 1], &pass->row_ratio, &factors.base[lane]);
        factors.ratio[lane] = pass->step_ratio;
    }
    run_strip(pass, &strip, &factors, worker);
}

static void run_level(struct pass *pass, struct cuzk_pool *pool)
{
    const struct cuzk_ntt *ntt = pass->ntt;
    const size_t n = cuzk_ntt_size(ntt);

    if (pass->level + 1 < ntt->levels) {
        cuzk_pool_run(pool, n / level_size(ntt, pass->level) / CUZK_STRIP_LANES, column_task, pass);
        return;
    }
    if (pass->twist != NULL) {
        cuzk_fr_pow_u64(&pass->twist->ratio, row_index(ntt, 1), &pass->row_ratio);
        cuzk_fr_pow_u64(&pass->twist->ratio, n / level_size(ntt, pass->level), &pass->step_ratio);
    }
    cuzk_pool_run(pool, n / level_size(ntt, pass->level) / CUZK_STRIP_LANES, row_task, pass);
}

/* ---- small transforms ---- */

static void twist_all(const struct cuzk_ntt_twist *twist, size_t n, struct cuzk_fr *data)
{
    struct cuzk_fr factor;

    if (twist == NULL)
        return;
    factor = twist->first;
    for (size_t k = 0; k < n; k++) {
        cuzk_fr_mul(&data[k], &factor, &data[k]);
        cuzk_fr_mul(&factor, &twist->ratio, &factor);
    }
}

static void transform_small(const struct cuzk_ntt *ntt, enum cuzk_ntt_direction direction,
                            struct cuzk_fr *data)
{
    const size_t n = cuzk_ntt_size(ntt);
    struct cuzk_fr in[1 << (SPLIT_LOG - 1)];

    for (size_t k = 0; k < n; k++)
        in[k] = data[cuzk_strip_reverse(k, ntt->log_n)];
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t j = 0; j < half; j++) {
            struct cuzk_fr w, t;
            root_power(ntt, direction, j * (n / 2 / half), &w);
            for (size_t k = j; k < n; k += 2 * half) {
                cuzk_fr_mul(&in[k + half], &w, &t);
                cuzk_fr_sub(&in[k], &t, &in[k + half]);
                cuzk_fr_add(&in[k], &t, &in[k]);
            }
        }
    }
    memcpy(data, in, n * sizeof *data);
}

/* ---- whole transforms ---- */

static enum cuzk_status make_buffers(const struct cuzk_ntt *ntt, struct cuzk_pool *pool, struct pass *pass,
                                     struct cuzk_error *err)
{
    pass->buffer_bytes =
        ntt->kernel->element_bytes * level_size(ntt, 0); /* no level is larger than the first */
    return cuzk_mem_alloc(cuzk_pool_threads(pool), pass->buffer_bytes, "transform buffers",
                          (void **)&pass->buffers, err);
}

enum cuzk_status cuzk_ntt_scramble(const struct cuzk_ntt *ntt, struct cuzk_pool *pool,
                                   enum cuzk_ntt_direction direction, const struct cuzk_ntt_twist *twist,
                                   struct cuzk_fr *data, struct cuzk_error *err)
{
    struct pass pass = {.ntt = ntt, .data = data, .direction = direction, .twist = twist, .on_load = false};

    if (ntt->levels == 1) {
        transform_small(ntt, direction, data);
        twist_all(twist, cuzk_ntt_size(ntt), data);
        return CUZK_OK;
    }
    CUZK_TRY(make_buffers(ntt, pool, &pass, err));
    for (pass.level = 0; pass.level < ntt->levels; pass.level++)
        run_level(&pass, pool);
    cuzk_mem_free(pass.buffers);
    return CUZK_OK;
}

enum cuzk_status cuzk_ntt_unscramble(const struct cuzk_ntt *ntt, struct cuzk_pool *pool,
                                     enum cuzk_ntt_direction direction, const struct cuzk_ntt_twist *twist,
                                     struct cuzk_fr *data, struct cuzk_error *err)
{
    struct pass pass = {.ntt = ntt, .data = data, .direction = direction, .twist = twist, .on_load = true};

    if (ntt->levels == 1) {
        twist_all(twist, cuzk_ntt_size(ntt), data);
        transform_small(ntt, direction, data);
        return CUZK_OK;
    }
    CUZK_TRY(make_buffers(ntt, pool, &pass, err));
    for (pass.level = ntt->levels; pass.level-- > 0;)
        run_level(&pass, pool);
    cuzk_mem_free(pass.buffers);
    return CUZK_OK;
}

enum cuzk_status cuzk_ntt_transform(const struct cuzk_ntt *ntt, struct cuzk_pool *pool,
                                    enum cuzk_ntt_direction direction, int coset, struct cuzk_fr *data,
                                    struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    const size_t n = cuzk_ntt_size(ntt);
    struct cuzk_fr *copy = NULL;
    struct cuzk_ntt_twist twist;

    cuzk_fr_one(&twist.first);
    cuzk_fr_one(&twist.ratio);
    if (coset)
        twist.ratio = cuzk_fr_generator;
    CUZK_TRY_OUT(CUZK_NEW(&copy, n, "transform", err));
    if (direction == CUZK_NTT_FORWARD) {
        for (size_t k = 0; k < n; k++)
            copy[cuzk_ntt_position(ntt, k)] = data[k];
        CUZK_TRY_OUT(cuzk_ntt_unscramble(ntt, pool, direction, coset ? &twist : NULL, copy, err));
        memcpy(data, copy, n * sizeof *data);
    } else {
        twist.first = ntt->inverse_n;
        cuzk_fr_inverse(&twist.ratio, &twist.ratio);
        memcpy(copy, data, n * sizeof *data);
        CUZK_TRY_OUT(cuzk_ntt_scramble(ntt, pool, direction, &twist, copy, err));
        cuzk_ntt_reorder(ntt, pool, copy, data);
    }
out:
    cuzk_mem_free(copy);
    return status;
}
