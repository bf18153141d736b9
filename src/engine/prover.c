#include "engine/prover.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/resident_key.h"

struct cuzk_circuit_prover {
    struct cuzk_engine_context context;
    struct cuzk_resident_key *key;
};

enum cuzk_status cuzk_circuit_prover_create(const struct cuzk_engine_context *context,
                                            const struct cuzk_circuit_id *id, const char *params_path,
                                            struct cuzk_circuit_prover **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_circuit_prover *prover;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&prover, 1, "prover", err));
    prover->context = *context;
    CUZK_TRY_OUT(cuzk_resident_key_open(context->backend, id, params_path, context->progress,
                                        context->timeline, &prover->key, err));
    *out = prover;
    return CUZK_OK;
out:
    cuzk_circuit_prover_destroy(prover);
    return status;
}

void cuzk_circuit_prover_destroy(struct cuzk_circuit_prover *prover)
{
    if (prover == NULL)
        return;
    cuzk_resident_key_close(prover->key);
    cuzk_mem_free(prover);
}

const struct cuzk_vk *cuzk_circuit_prover_vk(const struct cuzk_circuit_prover *prover)
{
    return &prover->key->params.vk;
}

/* Names the first constraint that the witness breaks, by its path in the circuit. */
static enum cuzk_status explain_unsatisfied(const struct cuzk_circuit_prover *prover,
                                            const struct cuzk_witness *witness, struct cuzk_error *err)
{
    const enum cuzk_status status = cuzk_circuit_check(&prover->key->circuit, &prover->key->layout, witness,
                                                       prover->context.progress, err);

    if (status == CUZK_OK)
        return cuzk_error_set(
            err, CUZK_INPUT,
            "%s: the witness satisfies the circuit, yet its proof does not verify: the parameters are not "
            "those of this circuit, or damaged",
            prover->key->params.name);
    return status;
}

/* The prover's stages as spans, one behind the other: the device does them in this order, and what a
 * partition waits for the device comes behind its upload. Upload and the end have lanes of their own, being
 * beside the device's work on other partitions. */
static void record_stages(struct cuzk_timeline *timeline, const struct cuzk_backend *backend,
                          struct cuzk_partition_times *times, int32_t partition, uint64_t begin)
{
    static const char *const queries[CUZK_QUERIES] = {"msm h", "msm l", "msm a", "msm b1", "msm b2"};
    const struct cuzk_backend_times *const device = &times->prove.backend;

    struct {
        const char *lane, *stage;
        uint64_t ns;
    } stages[5 + CUZK_QUERIES] = {{"upload", "upload", device->upload},
                                  {NULL, NULL, 0},
                                  {backend->ops->name, "eval", device->eval},
                                  {backend->ops->name, "ntt", device->quotient}};
    enum { COUNT = sizeof stages / sizeof stages[0] };
    uint64_t sum = 0;

    for (int q = 0; q < CUZK_QUERIES; q++) {
        stages[4 + q].lane = backend->ops->name;
        stages[4 + q].stage = queries[q];
        stages[4 + q].ns = device->msm[q];
    }
    stages[COUNT - 1].lane = "assembly";
    stages[COUNT - 1].stage = "finish";
    stages[COUNT - 1].ns = times->prove.finish;
    for (size_t i = 0; i < COUNT; i++)
        sum += stages[i].ns;
    times->queue_ns = times->prove.total > sum ? times->prove.total - sum : 0;
    stages[1].ns = times->queue_ns;
    for (size_t i = 0; i < COUNT; i++) {
        if (stages[i].lane != NULL)
            cuzk_timeline_add_span(timeline, stages[i].lane, stages[i].stage, partition, begin,
                                   begin + stages[i].ns);
        begin += stages[i].ns;
    }
}

enum cuzk_status cuzk_circuit_prover_prove(struct cuzk_circuit_prover *prover, const struct cuzk_case *that,
                                           unsigned partition, struct cuzk_partition_times *times,
                                           uint8_t proof[CUZK_PROOF_BYTES], struct cuzk_error *err)
{
    const struct cuzk_circuit_id *own = &prover->key->circuit.id;
    enum cuzk_status status = CUZK_OK;
    struct cuzk_witness witness = {0};

    memset(times, 0, sizeof *times);
    if (that->circuit.kind != own->kind || that->circuit.sector_size != own->sector_size ||
        partition >= that->partitions)
        return cuzk_error_set(err, CUZK_ARGUMENT, "partition %u of this sector is not for this prover",
                              partition);
    cuzk_progress_report(prover->context.progress, "witness", 0, 0);
    uint64_t begin = cuzk_clock_ns();

    CUZK_TRY_OUT(cuzk_witness_create(&prover->key->layout, &witness, err));
    CUZK_TRY_OUT(that->ops->witness(that, partition, &prover->key->circuit, prover->context.pool,
                                    prover->context.progress, &witness, err));
    times->witness_ns = cuzk_clock_ns() - begin;
    cuzk_timeline_add(prover->context.timeline, "host", "witness", (int32_t)partition, begin);
    begin = cuzk_clock_ns();
    status =
        cuzk_prover_prove(prover->key->prover, &witness, prover->context.progress, &times->prove, proof, err);
    if (status == CUZK_UNSATISFIED)
        status = explain_unsatisfied(prover, &witness, err);
    if (status == CUZK_OK)
        record_stages(prover->context.timeline, prover->context.backend, times, (int32_t)partition, begin);
out:
    cuzk_witness_destroy_by(prover->context.pool, &witness);
    return status;
}

/* ---- every partition of a case ---- */

enum { IN_FLIGHT = 2 };

/* What the threads share. */
struct flight {
    struct cuzk_circuit_prover *prover;
    const struct cuzk_case *that;
    void (*done)(void *context, unsigned partition, const struct cuzk_partition_times *times);
    void *context;
    struct cuzk_partition_times *times;
    uint8_t *proofs;
    pthread_mutex_t mutex;
    unsigned next;
    enum cuzk_status status; /* the first failure */
    struct cuzk_error err;
};

static void *fly(void *argument)
{
    struct flight *flight = argument;

    pthread_mutex_lock(&flight->mutex);
    while (flight->status == CUZK_OK && flight->next < flight->that->partitions) {
        const unsigned k = flight->next++;
        struct cuzk_error err = {0};

        pthread_mutex_unlock(&flight->mutex);
        const enum cuzk_status status =
            cuzk_circuit_prover_prove(flight->prover, flight->that, k, &flight->times[k],
                                      flight->proofs + (size_t)k * CUZK_PROOF_BYTES, &err);
        pthread_mutex_lock(&flight->mutex);
        if (status == CUZK_OK && flight->done != NULL)
            flight->done(flight->context, k, &flight->times[k]);
        if (status != CUZK_OK && flight->status == CUZK_OK)
            flight->status = cuzk_error_set(&flight->err, status, "partition %u: %s", k, err.message);
    }
    pthread_mutex_unlock(&flight->mutex);
    return NULL;
}

/* One where the backend works in host memory, whose vectors are each proof's own. */
static unsigned flights(const struct cuzk_circuit_prover *prover, const struct cuzk_case *that)
{
    const struct cuzk_backend *backend = prover->context.backend;
    struct cuzk_backend_facts facts = {0};

    backend->ops->facts(backend, &facts);
    if (facts.total_bytes == 0 || backend->memory_limit != 0)
        return 1;
    return that->partitions < IN_FLIGHT ? that->partitions : IN_FLIGHT;
}

enum cuzk_status cuzk_circuit_prover_prove_all(
    struct cuzk_circuit_prover *prover, const struct cuzk_case *that,
    void (*done)(void *context, unsigned partition, const struct cuzk_partition_times *times), void *context,
    struct cuzk_partition_times *times, uint8_t *proofs, struct cuzk_error *err)
{
    struct flight flight = {
        .prover = prover, .that = that, .done = done, .context = context, .times = times, .proofs = proofs};
    const unsigned wanted = flights(prover, that);
    pthread_t threads[IN_FLIGHT];
    unsigned started = 0;

    if (pthread_mutex_init(&flight.mutex, NULL) != 0)
        return cuzk_error_set(err, CUZK_MEMORY, "no mutex for proofs in flight");
    while (started + 1 < wanted && pthread_create(&threads[started], NULL, fly, &flight) == 0)
        started++;
    (void)fly(&flight);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    pthread_mutex_destroy(&flight.mutex);
    if (flight.status != CUZK_OK && err != NULL)
        *err = flight.err;
    return flight.status;
}
