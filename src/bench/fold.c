#include "bench/fold.h"

#include "base/mem.h"
#include "bench/points.h"
#include "circuit/record.h"
#include "groth16/fold.h"

/* Variables folded at once, as in deriving a key. */
enum { CHUNK = 1 << 20 };

struct work {
    struct cuzk_pool *pool;
    const struct cuzk_progress *progress;
    struct cuzk_r1cs *r1cs;
    struct cuzk_witness_layout layout;
    struct cuzk_fold *fold;
    uint8_t *points; /* one a row; those of l are among them */
    uint8_t *out;
};

static enum cuzk_status sort(void *context, struct cuzk_error *err)
{
    struct work *work = context;

    return cuzk_fold_create(work->r1cs, work->pool, work->progress, &work->fold, err);
}

static enum cuzk_status fold_inputs(void *context, struct cuzk_error *err)
{
    const struct work *work = context;

    for (uint32_t i = 0; i < work->r1cs->inputs; i++)
        CUZK_TRY(cuzk_fold_input(work->fold, work->points, i, work->out, err));
    return CUZK_OK;
}

static enum cuzk_status fold_aux(void *context, struct cuzk_error *err)
{
    const struct work *work = context;
    const uint32_t aux = work->r1cs->aux;

    for (uint32_t first = 0, n; first < aux; first += n) {
        n = aux - first < CHUNK ? aux - first : CHUNK;
        CUZK_TRY(cuzk_progress_check(work->progress, err));
        cuzk_progress_report(work->progress, "folding C", first, aux);
        CUZK_TRY(cuzk_fold_aux(work->fold, work->points, first, n, work->points, work->out, err));
    }
    return CUZK_OK;
}

/* Terms of C under public inputs. */
static uint64_t input_terms(const struct cuzk_r1cs *r1cs)
{
    const struct cuzk_matrix *c = &r1cs->matrix[CUZK_MATRIX_C];
    uint64_t terms = 0;

    for (uint32_t row = 0; row < r1cs->stored; row++) {
        const uint64_t copies = row < r1cs->head.constraints || r1cs->parts == 0 ? 1 : r1cs->parts;
        for (uint32_t k = c->row_start[row]; k < c->row_start[row + 1]; k++)
            terms += cuzk_variable_is_aux(c->variables[k]) ? 0 : copies;
    }
    return terms;
}

static enum cuzk_status measure(struct work *work, struct cuzk_bench_result results[CUZK_BENCH_FOLD_CASES],
                                struct cuzk_error *err)
{
    const struct cuzk_bench_rule once = {.warm_up = 0, .least = 1, .most = 1};
    const struct cuzk_r1cs *r1cs = work->r1cs;
    const struct cuzk_bench_case cases[CUZK_BENCH_FOLD_CASES] = {
        {"C by columns", "term", cuzk_r1cs_terms(r1cs, CUZK_MATRIX_C), sort, work},
        {"columns of inputs", "term", input_terms(r1cs), fold_inputs, work},
        {"columns of aux variables", "variable", r1cs->aux, fold_aux, work}};

    for (int k = 0; k < CUZK_BENCH_FOLD_CASES; k++)
        CUZK_TRY(cuzk_bench_measure(&cases[k], &once, work->progress, &results[k], err));
    return CUZK_OK;
}

enum cuzk_status cuzk_bench_fold(struct cuzk_pool *pool, const struct cuzk_circuit_id *id,
                                 const struct cuzk_progress *progress,
                                 struct cuzk_bench_result results[CUZK_BENCH_FOLD_CASES],
                                 struct cuzk_error *err)
{
    struct work work = {.pool = pool, .progress = progress};
    enum cuzk_status status = CUZK_OK;
    struct cuzk_circuit circuit;

    CUZK_TRY(cuzk_circuit_open(id, &circuit, err));
    CUZK_TRY(cuzk_circuit_record(&circuit, pool, progress, &work.r1cs, &work.layout, err));
    const size_t points = work.r1cs->constraints > CHUNK ? work.r1cs->constraints : CHUNK;
    CUZK_TRY_OUT(CUZK_NEW(&work.points, points * CUZK_G1_RAW_BYTES, "points of rows", err));
    CUZK_TRY_OUT(CUZK_NEW(&work.out, (size_t)CHUNK * CUZK_G1_RAW_BYTES, "sums of columns", err));
    CUZK_TRY_OUT(cuzk_bench_points(pool, points, work.points, err));
    CUZK_TRY_OUT(measure(&work, results, err));
out:
    cuzk_fold_destroy(work.fold);
    cuzk_r1cs_destroy(work.r1cs);
    cuzk_witness_layout_destroy(&work.layout);
    cuzk_mem_free(work.points);
    cuzk_mem_free(work.out);
    return status;
}
