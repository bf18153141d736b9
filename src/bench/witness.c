#include "bench/witness.h"

#include <string.h>

#include "bench/values.h"
#include "circuit/circuit.h"

struct work {
    struct cuzk_pool *pool;
    struct cuzk_circuit circuit;
    struct cuzk_bench_values *values;
    struct cuzk_witness_layout layout;
    struct cuzk_witness kept;
};

static void clear(const struct work *work)
{
    /* Only bits need it: every wide value and input is written. */
    memset(work->kept.bits, 0, ((size_t)work->layout.bits + 63) / 64 * sizeof *work->kept.bits);
}

static enum cuzk_status run_kept(void *context, struct cuzk_error *err)
{
    struct work *work = context;

    clear(work);
    return cuzk_circuit_witness(&work->circuit, cuzk_bench_values_assignment(work->values), work->pool, NULL,
                                &work->kept, err);
}

static enum cuzk_status run_fresh(void *context, struct cuzk_error *err)
{
    struct work *work = context;
    struct cuzk_witness witness;

    CUZK_TRY(cuzk_witness_create(&work->layout, &witness, err));
    const enum cuzk_status status = cuzk_circuit_witness(
        &work->circuit, cuzk_bench_values_assignment(work->values), work->pool, NULL, &witness, err);
    cuzk_witness_destroy(&witness);
    return status;
}

enum cuzk_status cuzk_bench_witness(struct cuzk_pool *pool, const struct cuzk_circuit_id *id,
                                    const struct cuzk_progress *progress,
                                    struct cuzk_bench_result results[CUZK_BENCH_WITNESS_CASES],
                                    struct cuzk_error *err)
{
    static const struct {
        const char *name;
        enum cuzk_status (*run)(void *context, struct cuzk_error *err);
    } cases[CUZK_BENCH_WITNESS_CASES] = {
        {"partition, fresh memory", run_fresh},
        {"partition, memory used before", run_kept},
    };
    struct work work = {.pool = pool};
    enum cuzk_status status;

    CUZK_TRY_OUT(cuzk_circuit_open(id, &work.circuit, err));
    CUZK_TRY_OUT(cuzk_bench_values_create(pool, id, &work.values, err));
    CUZK_TRY_OUT(cuzk_circuit_layout(&work.circuit, &work.layout, err));
    for (size_t i = 0; i < CUZK_BENCH_WITNESS_CASES; i++) {
        const struct cuzk_bench_case what = {cases[i].name, "variable", work.layout.aux, cases[i].run, &work};
        if (cases[i].run == run_kept)
            CUZK_TRY_OUT(cuzk_witness_create(&work.layout, &work.kept, err));
        CUZK_TRY_OUT(cuzk_bench_measure(&what, &cuzk_bench_default, progress, &results[i], err));
    }
out:
    cuzk_witness_destroy(&work.kept);
    cuzk_witness_layout_destroy(&work.layout);
    cuzk_bench_values_destroy(work.values);
    return status;
}
