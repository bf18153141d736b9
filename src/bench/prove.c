#include "bench/prove.h"

#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/values.h"
#include "circuit/record.h"
#include "engine/device_need.h"
#include "groth16/params.h"
#include "groth16/prove.h"

enum { STAGES = CUZK_BENCH_PROVE_CASES - 2 };

static const char *const stage_name[STAGES] = {
    "witness",     "upload",      "evaluation",     "quotient",       "sums over h",
    "sums over l", "sums over a", "sums over b_g1", "sums over b_g2", "end and verification"};

struct work {
    struct cuzk_pool *pool;
    struct cuzk_circuit circuit;
    struct cuzk_bench_values *values;
    struct cuzk_witness_layout layout;
    struct cuzk_r1cs *r1cs;
    struct cuzk_params params;
    struct cuzk_derived derived;
    struct cuzk_prover *prover;
    unsigned runs; /* the first is the warm-up */
    uint64_t stage_ns[STAGES][CUZK_BENCH_SAMPLES];
};

static enum cuzk_status run(void *context, struct cuzk_error *err)
{
    struct work *work = context;
    struct cuzk_witness witness;
    struct cuzk_prove_times times;
    uint8_t proof[CUZK_PROOF_BYTES];
    const uint64_t start = cuzk_clock_ns();

    CUZK_TRY(cuzk_witness_create(&work->layout, &witness, err));
    enum cuzk_status status = cuzk_circuit_witness(&work->circuit, cuzk_bench_values_assignment(work->values),
                                                   work->pool, NULL, &witness, err);
    const uint64_t made = cuzk_clock_ns();
    if (status == CUZK_OK)
        status = cuzk_prover_prove(work->prover, &witness, NULL, &times, proof, err);
    cuzk_witness_destroy_by(work->pool, &witness);
    if (status != CUZK_OK || work->runs++ == 0)
        return status;
    const unsigned k = work->runs - 2;
    work->stage_ns[0][k] = made - start;
    work->stage_ns[1][k] = times.backend.upload;
    work->stage_ns[2][k] = times.backend.eval;
    work->stage_ns[3][k] = times.backend.quotient;
    for (int q = 0; q < CUZK_QUERIES; q++)
        work->stage_ns[4 + q][k] = times.backend.msm[q];
    work->stage_ns[4 + CUZK_QUERIES][k] = times.finish;
    return CUZK_OK;
}

/* ---- several in flight ---- */

/* What the threads share: proofs still to begin, and when each ended. */
struct flight {
    struct work *work;
    pthread_mutex_t mutex;
    unsigned left, ended;
    uint64_t end_ns[CUZK_BENCH_SAMPLES + CUZK_BENCH_IN_FLIGHT];
    enum cuzk_status status; /* the first failure */
    struct cuzk_error err;
};

static enum cuzk_status prove_one(const struct work *work, struct cuzk_error *err)
{
    struct cuzk_witness witness;
    uint8_t proof[CUZK_PROOF_BYTES];

    CUZK_TRY(cuzk_witness_create(&work->layout, &witness, err));
    enum cuzk_status status = cuzk_circuit_witness(&work->circuit, cuzk_bench_values_assignment(work->values),
                                                   work->pool, NULL, &witness, err);
    if (status == CUZK_OK)
        status = cuzk_prover_prove(work->prover, &witness, NULL, NULL, proof, err);
    cuzk_witness_destroy_by(work->pool, &witness);
    return status;
}

static void *fly(void *context)
{
    struct flight *flight = context;
    struct cuzk_error err = {0};

    for (;;) {
        pthread_mutex_lock(&flight->mutex);
        const bool more = flight->left > 0 && flight->status == CUZK_OK;
        if (more)
            flight->left--;
        pthread_mutex_unlock(&flight->mutex);
        if (!more)
            return NULL;
        const enum cuzk_status status = prove_one(flight->work, &err);
        pthread_mutex_lock(&flight->mutex);
        flight->end_ns[flight->ended++] = cuzk_clock_ns();
        if (status != CUZK_OK && flight->status == CUZK_OK) {
            flight->status = status;
            flight->err = err;
        }
        pthread_mutex_unlock(&flight->mutex);
    }
}

/* The first in_flight proofs fill the pipe and are not counted. */
static enum cuzk_status measure_flight(struct work *work, unsigned proofs, unsigned in_flight,
                                       struct cuzk_bench_result *out, struct cuzk_error *err)
{
    struct flight flight = {.work = work, .left = proofs + in_flight};
    uint64_t samples[CUZK_BENCH_SAMPLES];
    pthread_t threads[CUZK_BENCH_IN_FLIGHT];
    unsigned started = 0;
    char name[64];

    if (proofs > CUZK_BENCH_SAMPLES || in_flight > CUZK_BENCH_IN_FLIGHT)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%u proofs, %u in flight: at most %d and %d", proofs,
                              in_flight, CUZK_BENCH_SAMPLES, CUZK_BENCH_IN_FLIGHT);
    if (pthread_mutex_init(&flight.mutex, NULL) != 0)
        return cuzk_error_set(err, CUZK_MEMORY, "no mutex for proofs in flight");
    while (started < in_flight && pthread_create(&threads[started], NULL, fly, &flight) == 0)
        started++;
    for (unsigned k = 0; k < started; k++)
        pthread_join(threads[k], NULL);
    pthread_mutex_destroy(&flight.mutex);
    if (started < in_flight)
        return cuzk_error_set(err, CUZK_IO, "only %u of %u threads could be started", started, in_flight);
    if (flight.status != CUZK_OK)
        return cuzk_error_set(err, flight.status, "%s", flight.err.message);
    for (unsigned k = 0; k < proofs; k++)
        samples[k] = flight.end_ns[in_flight + k] - flight.end_ns[in_flight + k - 1];
    snprintf(name, sizeof name, "proof to proof, %u in flight", in_flight);
    cuzk_bench_of_samples(name, "proof", 1, samples, proofs, out);
    return CUZK_OK;
}

static enum cuzk_status find_derived(struct work *work, const char *params_path,
                                     const struct cuzk_progress *progress, struct cuzk_error *err)
{
    struct cuzk_error note;
    bool found;

    CUZK_TRY(
        cuzk_derived_find(params_path, work->r1cs, work->pool, progress, &found, &work->derived, &note, err));
    if (!found)
        return cuzk_error_set(err, CUZK_NOT_FOUND, "%s: %s", params_path,
                              note.message[0] != '\0' ? note.message : "no derived key beside it");
    return CUZK_OK;
}

static enum cuzk_status prepare(struct work *work, struct cuzk_backend *backend,
                                const struct cuzk_circuit_id *id, const char *params_path, bool derived,
                                const struct cuzk_progress *progress, struct cuzk_error *err)
{
    const struct cuzk_key_form form = {1, CUZK_H_COSET, NULL, &work->derived};

    CUZK_TRY(cuzk_bench_values_create(work->pool, id, &work->values, err));
    CUZK_TRY(cuzk_circuit_open(id, &work->circuit, err));
    CUZK_TRY(cuzk_circuit_record(&work->circuit, work->pool, progress, &work->r1cs, &work->layout, err));
    CUZK_TRY(cuzk_params_open(params_path, &work->params, err));
    if (derived)
        CUZK_TRY(find_derived(work, params_path, progress, err));
    CUZK_TRY(cuzk_prover_create(backend, work->r1cs, &work->layout, &work->params, derived ? &form : NULL,
                                &work->prover, err));
    cuzk_r1cs_drop_matrix(work->r1cs, CUZK_MATRIX_C);
    return CUZK_OK;
}

/* The key is resident, jobs are done. */
static enum cuzk_status take_memory(const struct cuzk_backend *backend, const struct cuzk_circuit_id *id,
                                    unsigned in_flight, struct cuzk_bench_prove_memory *out,
                                    struct cuzk_error *err)
{
    struct cuzk_backend_facts facts = {0};
    struct cuzk_device_need need;

    CUZK_TRY(cuzk_device_need_estimate(backend, id, &need, NULL, err));
    backend->ops->facts(backend, &facts);
    *out = (struct cuzk_bench_prove_memory){
        .allocated = cuzk_mem_peak(),
        .device_planned = need.key_device + in_flight * need.unit_device,
        .device_peak = facts.peak_bytes,
        .device_used = facts.total_bytes - facts.free_bytes,
    };
    return CUZK_OK;
}

enum cuzk_status cuzk_bench_prove(struct cuzk_pool *pool, struct cuzk_backend *backend,
                                  const struct cuzk_circuit_id *id, const char *params_path, bool derived,
                                  unsigned proofs, unsigned in_flight, const struct cuzk_progress *progress,
                                  struct cuzk_bench_result results[CUZK_BENCH_PROVE_CASES], size_t *count,
                                  struct cuzk_bench_prove_memory *memory, struct cuzk_error *err)
{
    const struct cuzk_bench_rule rule = {.warm_up = 1, .least = proofs, .most = proofs};
    enum cuzk_status status = CUZK_OK;
    struct work *work = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&work, 1, "benchmark", err));
    work->pool = pool;
    CUZK_TRY_OUT(prepare(work, backend, id, params_path, derived, progress, err));
    const struct cuzk_bench_case what = {"witness to proof", "proof", 1, run, work};
    CUZK_TRY_OUT(cuzk_bench_measure(&what, &rule, progress, &results[0], err));
    for (size_t k = 0; k < STAGES; k++)
        cuzk_bench_of_samples(stage_name[k], "proof", 1, work->stage_ns[k], results[0].count,
                              &results[1 + k]);
    *count = 1 + STAGES;
    if (in_flight > 1)
        CUZK_TRY_OUT(measure_flight(work, proofs, in_flight, &results[(*count)++], err));
    CUZK_TRY_OUT(take_memory(backend, id, in_flight, memory, err));
out:
    if (work != NULL) {
        cuzk_prover_destroy(work->prover);
        cuzk_params_close(&work->params);
        cuzk_derived_close(&work->derived);
        cuzk_r1cs_destroy(work->r1cs);
        cuzk_witness_layout_destroy(&work->layout);
        cuzk_bench_values_destroy(work->values);
    }
    cuzk_mem_free(work);
    return status;
}
