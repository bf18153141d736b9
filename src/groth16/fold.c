#include "groth16/fold.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "msm/list_sums.h"
#include "msm/msm.h"

enum {
    PIECE = 1 << 12,      /* columns that a worker sums at once */
    LONG = 1 << 14,       /* terms from which on a column of aux is a multi-scalar multiplication */
    GATHER = 1 << 20,     /* terms of one of these */
    MULTIPLES = 64,       /* multiples of rows that are made affine together */
    ROWS_GRAIN = 1 << 16, /* rows whose terms are sorted by one task */
    ROWS_TURN = 1 << 24,  /* and between two looks at whether to stop */
};

/* A coefficient of the pool as plus or minus a size, and the size as a power of two where it is one. */
struct factor {
    uint64_t size[4];
    int16_t exponent; /* NO_POWER: none */
    bool negative;
};

enum { NO_POWER = -1 };

struct entry {
    uint32_t row, coefficient;
};

/* A term that needs a multiple of its row's point. */
struct multiple {
    uint32_t row, coefficient;
    uint32_t point; /* of the list points, to which it goes */
    int16_t exponent;
};

struct worker {
    struct cuzk_list_sums *sums;
    struct cuzk_list_point *points;
    uint32_t end[PIECE];
    struct multiple *multiples;
    uint8_t *raw; /* multiples as points */
};

struct cuzk_fold {
    const struct cuzk_r1cs *r1cs;
    struct cuzk_pool *pool;
    struct factor *factors;
    /* C by columns: entries [start[i], start[i + 1]) of variable i, inputs first, in any order */
    uint64_t *start;
    struct entry *entries;
    struct worker *workers;
    unsigned worker_count;
};

/* ---- coefficients ---- */

static bool is_greater(const uint64_t a[4], const uint64_t b[4])
{
    for (int k = 3; k > 0; k--)
        if (a[k] != b[k])
            return a[k] > b[k];
    return a[0] > b[0];
}

static int16_t exponent_of(const uint64_t words[4])
{
    int16_t exponent = NO_POWER;

    for (int k = 0; k < 4; k++) {
        if (words[k] == 0)
            continue;
        if (exponent != NO_POWER || (words[k] & (words[k] - 1)) != 0)
            return NO_POWER;
        exponent = (int16_t)(64 * k + __builtin_ctzll(words[k]));
    }
    return exponent;
}

/* Of x and r - x, the power of two, or else the smaller one. */
static void make_factor(const struct cuzk_fr *x, struct factor *out)
{
    struct cuzk_fr minus;
    uint64_t other[4];

    cuzk_fr_neg(x, &minus);
    cuzk_fr_to_words(x, out->size);
    cuzk_fr_to_words(&minus, other);
    out->exponent = exponent_of(out->size);
    const int16_t opposite = exponent_of(other);
    out->negative = out->exponent == NO_POWER && (opposite != NO_POWER || is_greater(out->size, other));
    if (out->negative) {
        out->exponent = opposite;
        for (int k = 0; k < 4; k++)
            out->size[k] = other[k];
    }
}

/* ---- C by columns ---- */

struct walk {
    struct cuzk_fold *fold;
    uint32_t first; /* row that ranges count from */
    bool fill;      /* else entries are counted */
};

static size_t place_of(const struct cuzk_r1cs *r1cs, cuzk_variable variable)
{
    const size_t index = cuzk_variable_index(variable);

    return cuzk_variable_is_aux(variable) ? r1cs->inputs + index : index;
}

/* While counting, start[i + 2] counts variable i; while filling, start[i + 1] is where variable i's next
 * entry goes, so that in the end it is where variable i + 1 begins. */
static void walk_rows(void *context, size_t begin, size_t end, unsigned worker)
{
    const struct walk *walk = context;
    const struct cuzk_fold *fold = walk->fold;
    const struct cuzk_r1cs *r1cs = fold->r1cs;
    const struct cuzk_matrix *c = &r1cs->matrix[CUZK_MATRIX_C];
    struct cuzk_r1cs_place at = cuzk_r1cs_locate(r1cs, walk->first + (uint32_t)begin);

    (void)worker;
    for (size_t row = walk->first + begin; row < walk->first + end; row++, cuzk_r1cs_advance(r1cs, &at)) {
        for (uint32_t k = c->row_start[at.stored]; k < c->row_start[at.stored + 1]; k++) {
            const size_t i = place_of(r1cs, cuzk_r1cs_variable(r1cs, c->variables[k], at.part));
            if (walk->fill)
                fold->entries[__atomic_fetch_add(&fold->start[i + 1], 1, __ATOMIC_RELAXED)] =
                    (struct entry){(uint32_t)row, c->coefficients[k]};
            else
                __atomic_fetch_add(&fold->start[i + 2], 1, __ATOMIC_RELAXED);
        }
    }
}

static enum cuzk_status walk_all(struct cuzk_fold *fold, bool fill, const struct cuzk_progress *progress,
                                 struct cuzk_error *err)
{
    const uint32_t rows = fold->r1cs->constraints;

    for (uint32_t first = 0, n; first < rows; first += n) {
        struct walk walk = {fold, first, fill};
        n = rows - first < ROWS_TURN ? rows - first : ROWS_TURN;
        CUZK_TRY(cuzk_progress_check(progress, err));
        cuzk_pool_range(fold->pool, n, ROWS_GRAIN, walk_rows, &walk);
    }
    return CUZK_OK;
}

static enum cuzk_status make_columns(struct cuzk_fold *fold, const struct cuzk_progress *progress,
                                     struct cuzk_error *err)
{
    const size_t variables = (size_t)fold->r1cs->inputs + fold->r1cs->aux;

    CUZK_TRY(CUZK_NEW(&fold->start, variables + 2, "columns of C", err));
    CUZK_TRY(walk_all(fold, false, progress, err));
    for (size_t i = 2; i < variables + 2; i++)
        fold->start[i] += fold->start[i - 1];
    CUZK_TRY(CUZK_NEW(&fold->entries, fold->start[variables + 1], "columns of C", err));
    return walk_all(fold, true, progress, err);
}

/* ---- creation ---- */

static bool is_long(const struct cuzk_fold *fold, size_t variable)
{
    return fold->start[variable + 1] - fold->start[variable] >= LONG;
}

/* List points of the largest piece: every aux variable's own, and a term each, or one for a long column.
 * Pieces may begin anywhere; between two multiples of PIECE lies at most all of both. */
static size_t most_points(const struct cuzk_fold *fold)
{
    const size_t inputs = fold->r1cs->inputs, aux = fold->r1cs->aux;
    size_t most = 0, before = 0;

    for (size_t first = 0; first < aux; first += PIECE) {
        const size_t end = aux - first < PIECE ? aux : first + PIECE;
        size_t points = 0;
        for (size_t i = inputs + first; i < inputs + end; i++)
            points += 1 + (is_long(fold, i) ? 1 : (size_t)(fold->start[i + 1] - fold->start[i]));
        if (before + points > most)
            most = before + points;
        before = points;
    }
    return most;
}

static enum cuzk_status make_workers(struct cuzk_fold *fold, struct cuzk_error *err)
{
    const size_t most = most_points(fold);

    fold->worker_count = cuzk_pool_threads(fold->pool);
    CUZK_TRY(CUZK_NEW(&fold->workers, fold->worker_count, "fold of C", err));
    for (unsigned k = 0; k < fold->worker_count; k++) {
        struct worker *worker = &fold->workers[k];
        CUZK_TRY(cuzk_list_sums_create(most, PIECE, &worker->sums, err));
        CUZK_TRY(CUZK_NEW(&worker->points, most, "fold of C", err));
        CUZK_TRY(CUZK_NEW(&worker->multiples, most, "fold of C", err));
        CUZK_TRY(CUZK_NEW(&worker->raw, most * CUZK_G1_RAW_BYTES, "fold of C", err));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_fold_create(const struct cuzk_r1cs *r1cs, struct cuzk_pool *pool,
                                  const struct cuzk_progress *progress, struct cuzk_fold **out,
                                  struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_fold *fold;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&fold, 1, "fold of C", err));
    fold->r1cs = r1cs;
    fold->pool = pool;
    CUZK_TRY_OUT(CUZK_NEW(&fold->factors, r1cs->pool_count, "coefficients", err));
    for (uint32_t k = 0; k < r1cs->pool_count; k++)
        make_factor(&r1cs->pool[k], &fold->factors[k]);
    CUZK_TRY_OUT(make_columns(fold, progress, err));
    CUZK_TRY_OUT(make_workers(fold, err));
    *out = fold;
    fold = NULL;
out:
    cuzk_fold_destroy(fold);
    return status;
}

void cuzk_fold_destroy(struct cuzk_fold *fold)
{
    if (fold == NULL)
        return;
    for (unsigned k = 0; fold->workers != NULL && k < fold->worker_count; k++) {
        cuzk_list_sums_destroy(fold->workers[k].sums);
        cuzk_mem_free(fold->workers[k].points);
        cuzk_mem_free(fold->workers[k].multiples);
        cuzk_mem_free(fold->workers[k].raw);
    }
    cuzk_mem_free(fold->workers);
    cuzk_mem_free(fold->factors);
    cuzk_mem_free(fold->start);
    cuzk_mem_free(fold->entries);
    cuzk_mem_free(fold);
}

/* ---- long columns ---- */

struct gather {
    const struct cuzk_fold *fold;
    const uint8_t *points;
    uint64_t first; /* entry that ranges count from */
    struct cuzk_g1_affine *bases;
    uint64_t (*scalars)[4];
    bool bad; /* a point is none; changed atomically */
};

static void gather_entries(void *context, size_t begin, size_t end, unsigned worker)
{
    struct gather *job = context;

    (void)worker;
    for (size_t k = begin; k < end; k++) {
        const struct entry *entry = &job->fold->entries[job->first + k];
        const struct factor *factor = &job->fold->factors[entry->coefficient];
        struct cuzk_g1_affine *base = &job->bases[k];
        if (cuzk_g1_decode_raw_unchecked(job->points + (size_t)entry->row * CUZK_G1_RAW_BYTES, base, NULL) !=
                CUZK_OK ||
            !cuzk_g1_is_on_curve(base))
            __atomic_store_n(&job->bad, true, __ATOMIC_RELAXED);
        if (factor->negative)
            cuzk_g1_affine_neg(base, base);
        for (int i = 0; i < 4; i++)
            job->scalars[k][i] = factor->size[i];
    }
}

static enum cuzk_status refuse_row(struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_INPUT, "a point of a row is not on the curve or not encoded as one");
}

/* The sum over column i as one multi-scalar multiplication, a stretch at a time. */
static enum cuzk_status sum_long(const struct cuzk_fold *fold, const uint8_t *points, size_t i, uint8_t *out,
                                 struct cuzk_error *err)
{
    const uint64_t begin = fold->start[i], end = fold->start[i + 1];
    const size_t most = end - begin < GATHER ? (size_t)(end - begin) : GATHER;
    struct gather job = {.fold = fold, .points = points, .first = begin};
    struct cuzk_g1_affine affine;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_g1 sum, part;

    cuzk_g1_identity(&sum);
    CUZK_TRY_OUT(CUZK_NEW(&job.bases, most, "points of a column", err));
    CUZK_TRY_OUT(CUZK_NEW(&job.scalars, most, "coefficients of a column", err));
    for (size_t n; job.first < end; job.first += n) {
        n = end - job.first < most ? (size_t)(end - job.first) : most;
        cuzk_pool_range(fold->pool, n, 1 << 8, gather_entries, &job);
        if (job.bad) {
            status = refuse_row(err);
            goto out;
        }
        CUZK_TRY_OUT(cuzk_msm_g1(fold->pool, job.bases, (const uint64_t(*)[4])job.scalars, n, &part, err));
        cuzk_g1_add(&sum, &part, &sum);
    }
    cuzk_g1_to_affine(&sum, &affine);
    cuzk_g1_encode_raw(&affine, out);
out:
    cuzk_mem_free(job.bases);
    cuzk_mem_free(job.scalars);
    return status;
}

enum cuzk_status cuzk_fold_input(const struct cuzk_fold *fold, const uint8_t *points, uint32_t input,
                                 uint8_t out[CUZK_G1_RAW_BYTES], struct cuzk_error *err)
{
    return sum_long(fold, points, input, out, err);
}

/* ---- a piece of columns ---- */

struct pieces {
    const struct cuzk_fold *fold;
    const uint8_t *points, *own;
    uint32_t first, count; /* aux variables */
    uint8_t *out;
    /* the first failure; changed atomically. bad_own: it is an own point */
    enum cuzk_status status;
    bool bad_own;
};

static int by_row_and_exponent(const void *a, const void *b)
{
    const struct multiple *x = a, *y = b;

    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->exponent > y->exponent) - (x->exponent < y->exponent);
}

/* Multiples [0, n) as points; sorted, those of a row come from one run of doublings. */
static enum cuzk_status make_multiples(const struct pieces *job, struct worker *worker, size_t n)
{
    struct cuzk_g1 products[MULTIPLES], base, power;
    struct cuzk_g1_affine affine[MULTIPLES];
    int16_t exponent = 0;

    qsort(worker->multiples, n, sizeof *worker->multiples, by_row_and_exponent);
    cuzk_g1_identity(&base);
    cuzk_g1_identity(&power);
    for (size_t first = 0, count; first < n; first += count) {
        count = n - first < MULTIPLES ? n - first : MULTIPLES;
        for (size_t k = 0; k < count; k++) {
            const struct multiple *at = &worker->multiples[first + k];
            if (first + k == 0 || at->row != at[-1].row) {
                const uint8_t *raw = job->points + (size_t)at->row * CUZK_G1_RAW_BYTES;
                struct cuzk_g1_affine point;
                if (cuzk_g1_decode_raw_unchecked(raw, &point, NULL) != CUZK_OK ||
                    !cuzk_g1_is_on_curve(&point))
                    return CUZK_INPUT;
                cuzk_g1_from_affine(&point, &base);
                power = base;
                exponent = 0;
            }
            if (at->exponent == NO_POWER) {
                cuzk_g1_mul(&base, job->fold->factors[at->coefficient].size, &products[k]);
                continue;
            }
            for (; exponent < at->exponent; exponent++)
                cuzk_g1_double(&power, &power);
            products[k] = power;
        }
        cuzk_g1_batch_to_affine(products, count, affine);
        for (size_t k = 0; k < count; k++) {
            uint8_t *raw = worker->raw + (first + k) * CUZK_G1_RAW_BYTES;
            cuzk_g1_encode_raw(&affine[k], raw);
            worker->points[worker->multiples[first + k].point].raw = raw;
        }
    }
    return CUZK_OK;
}

/* The points of column i as list points from `at` on; returns where they end. */
static uint32_t list_column(const struct pieces *job, struct worker *worker, size_t i, uint32_t at,
                            size_t *multiples)
{
    const struct cuzk_fold *fold = job->fold;

    for (uint64_t k = fold->start[i]; k < fold->start[i + 1]; k++, at++) {
        const struct entry *entry = &fold->entries[k];
        const struct factor *factor = &fold->factors[entry->coefficient];
        worker->points[at] =
            (struct cuzk_list_point){job->points + (size_t)entry->row * CUZK_G1_RAW_BYTES, factor->negative};
        if (factor->exponent != 0)
            worker->multiples[(*multiples)++] =
                (struct multiple){entry->row, entry->coefficient, at, factor->exponent};
    }
    return at;
}

static enum cuzk_status make_piece(struct pieces *job, uint32_t first, uint32_t count, struct worker *worker)
{
    const struct cuzk_fold *fold = job->fold;
    size_t multiples = 0;
    uint32_t at = 0;

    for (uint32_t k = 0; k < count; k++) {
        const size_t i = (size_t)fold->r1cs->inputs + job->first + first + k;
        worker->points[at++] =
            (struct cuzk_list_point){job->own + (size_t)(first + k) * CUZK_G1_RAW_BYTES, false};
        if (is_long(fold, i)) { /* waits where the sum with it goes */
            uint8_t *raw = job->out + (size_t)(first + k) * CUZK_G1_RAW_BYTES;
            CUZK_TRY(sum_long(fold, job->points, i, raw, NULL));
            worker->points[at++] = (struct cuzk_list_point){raw, false};
        } else {
            at = list_column(job, worker, i, at, &multiples);
        }
        worker->end[k] = at;
    }
    CUZK_TRY(make_multiples(job, worker, multiples));
    const size_t bad = cuzk_list_sums_run(worker->sums, worker->points, worker->end, count,
                                          job->out + (size_t)first * CUZK_G1_RAW_BYTES);
    if (bad == SIZE_MAX)
        return CUZK_OK;
    for (uint32_t k = 0; k < count; k++)
        if (bad == (k == 0 ? 0 : worker->end[k - 1]))
            __atomic_store_n(&job->bad_own, true, __ATOMIC_RELAXED);
    return CUZK_INPUT;
}

static void run_piece(void *context, size_t index, unsigned worker)
{
    struct pieces *job = context;
    const uint32_t first = (uint32_t)index * PIECE;
    const uint32_t count = job->count - first < PIECE ? job->count - first : PIECE;
    const enum cuzk_status status = make_piece(job, first, count, &job->fold->workers[worker]);

    if (status != CUZK_OK)
        __atomic_store_n(&job->status, status, __ATOMIC_RELAXED);
}

enum cuzk_status cuzk_fold_aux(const struct cuzk_fold *fold, const uint8_t *points, uint32_t first,
                               uint32_t count, const uint8_t *own, uint8_t *out, struct cuzk_error *err)
{
    struct pieces job = {
        .fold = fold, .points = points, .own = own, .first = first, .count = count, .out = out};

    cuzk_pool_run(fold->pool, ((size_t)count + PIECE - 1) / PIECE, run_piece, &job);
    if (job.status == CUZK_OK)
        return CUZK_OK;
    if (job.status != CUZK_INPUT)
        return cuzk_error_set(err, job.status, "columns of C: not enough memory");
    if (!job.bad_own)
        return refuse_row(err);
    return cuzk_error_set(err, CUZK_INPUT, "l: a point is not on the curve or not encoded as one");
}
