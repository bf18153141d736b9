#include "bench/witness.h"

#include <string.h>

#include "circuit/circuit.h"
#include "filecoin/c1.h"
#include "filecoin/synth.h"

enum { SEED = 1 };

struct work {
    struct cuzk_pool *pool;
    struct cuzk_circuit circuit;
    struct cuzk_porep_assignment assignment;
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
    return cuzk_circuit_witness(&work->circuit, &work->assignment, work->pool, &work->kept, err);
}

static enum cuzk_status run_fresh(void *context, struct cuzk_error *err)
{
    struct work *work = context;
    struct cuzk_witness witness;

    CUZK_TRY(cuzk_witness_create(&work->layout, &witness, err));
    const enum cuzk_status status =
        cuzk_circuit_witness(&work->circuit, &work->assignment, work->pool, &witness, err);
    cuzk_witness_destroy(&witness);
    return status;
}

enum cuzk_status cuzk_bench_witness(struct cuzk_pool *pool, uint64_t sector_size,
                                    const struct cuzk_progress *progress,
                                    struct cuzk_bench_result results[CUZK_BENCH_WITNESS_CASES],
                                    struct cuzk_error *err)
{
    static const struct {
        const char *name;
        enum cuzk_status (*run)(void *context, struct cuzk_error *err);
    } cases[CUZK_BENCH_WITNESS_CASES] = {
        {"porep partition, fresh memory", run_fresh},
        {"porep partition, memory used before", run_kept},
    };
    const struct cuzk_synth_request request = {
        .sector_size = sector_size, .seed = SEED, .data = CUZK_SYNTH_MIX};
    const struct cuzk_circuit_id id = {CUZK_CIRCUIT_POREP, sector_size};
    struct work work = {.pool = pool};
    struct cuzk_c1 *c1 = NULL;
    enum cuzk_status status;

    CUZK_TRY_OUT(cuzk_synth_porep(pool, &request, NULL, &c1, err));
    cuzk_c1_assignment(c1, 0, &work.assignment);
    CUZK_TRY_OUT(cuzk_circuit_open(&id, &work.circuit, err));
    CUZK_TRY_OUT(cuzk_circuit_layout(&work.circuit, &work.layout, err));
    CUZK_TRY_OUT(cuzk_witness_create(&work.layout, &work.kept, err));
    for (size_t i = 0; i < CUZK_BENCH_WITNESS_CASES; i++) {
        const struct cuzk_bench_case what = {cases[i].name, "variable", work.layout.aux, cases[i].run, &work};
        CUZK_TRY_OUT(cuzk_bench_measure(&what, &cuzk_bench_default, progress, &results[i], err));
    }
out:
    cuzk_witness_destroy(&work.kept);
    cuzk_witness_layout_destroy(&work.layout);
    cuzk_c1_destroy(c1);
    return status;
}
