/* GetStatus, GetMetrics. */
#include <string.h>

#include "base/buffer.h"
#include "base/mem.h"
#include "cuzk/v1/proving.pb-c.h"
#include "server/message.h"
#include "server/metrics.h"
#include "server/names.h"
#include "server/rpc.h"

enum { QUEUES = CUZK_PROOF_KINDS - 1 }; /* one a kind, NONE left out */

/* The answer and all that it points to. */
struct answer {
    struct cuzk_engine_status status;
    Cuzk__V1__GetStatusResponse response;
    Cuzk__V1__GPUStatus gpu[CUZK_SCHED_DEVICES_MOST], *gpus[CUZK_SCHED_DEVICES_MOST];
    Cuzk__V1__SRSStatus key[CUZK_ENGINE_KEYS_MOST], *keys[CUZK_ENGINE_KEYS_MOST];
    char circuit[CUZK_ENGINE_KEYS_MOST][CUZK_CIRCUIT_NAME];
    Cuzk__V1__QueueStatus queue[QUEUES], *queues[QUEUES];
};

/* Messages are packed at once, so names may stay where they are. */
static char *borrowed(const char *text)
{
    return (char *)(uintptr_t)text;
}

static void fill_gpus(struct answer *answer)
{
    for (unsigned i = 0; i < answer->status.devices; i++) {
        const struct cuzk_engine_device_status *device = &answer->status.device[i];
        Cuzk__V1__GPUStatus *gpu = &answer->gpu[i];

        cuzk__v1__gpustatus__init(gpu);
        gpu->ordinal = i;
        gpu->name = borrowed(device->facts.name);
        gpu->vram_total_bytes = device->facts.memory_total;
        gpu->vram_free_bytes = device->facts.memory_free;
        if (device->job_id[0] != '\0') {
            gpu->current_job_id = borrowed(device->job_id);
            gpu->current_proof_kind = borrowed(cuzk_kind_name(device->kind));
        }
        answer->gpus[i] = gpu;
    }
    answer->response.n_gpus = answer->status.devices;
    answer->response.gpus = answer->gpus;
}

static void fill_keys(struct answer *answer)
{
    static const Cuzk__V1__SRSStatus__Tier tiers[] = {
        [CUZK_TIER_HOT] = CUZK__V1__SRSSTATUS__TIER__HOT,
        [CUZK_TIER_WARM] = CUZK__V1__SRSSTATUS__TIER__WARM,
        [CUZK_TIER_COLD] = CUZK__V1__SRSSTATUS__TIER__COLD,
    };

    for (unsigned i = 0; i < answer->status.keys; i++) {
        const struct cuzk_engine_key_status *from = &answer->status.key[i];
        Cuzk__V1__SRSStatus *key = &answer->key[i];

        cuzk__v1__srsstatus__init(key);
        cuzk_circuit_id_format(&from->circuit, answer->circuit[i]);
        key->circuit_id = answer->circuit[i];
        key->tier = tiers[from->tier];
        key->size_bytes = from->bytes;
        key->ref_count = from->references;
        answer->keys[i] = key;
    }
    answer->response.n_loaded_srs = answer->status.keys;
    answer->response.loaded_srs = answer->keys;
}

static void fill_queues(struct answer *answer)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        const unsigned kind = i + 1;
        Cuzk__V1__QueueStatus *queue = &answer->queue[i];

        cuzk__v1__queue_status__init(queue);
        queue->proof_kind = borrowed(cuzk_kind_name((enum cuzk_proof_kind)kind));
        queue->pending = answer->status.queue[kind].pending;
        queue->in_progress = answer->status.queue[kind].running;
        answer->queues[i] = queue;
        answer->response.total_proofs_completed += answer->status.completed[kind];
        answer->response.total_proofs_failed += answer->status.failed[kind];
    }
    answer->response.n_queues = QUEUES;
    answer->response.queues = answer->queues;
}

static void run_status(struct cuzk_grpc_call *call)
{
    struct answer *answer = NULL;
    struct cuzk_error error = {0};
    const enum cuzk_status status = CUZK_NEW(&answer, 1, "status", &error);

    if (status != CUZK_OK) {
        cuzk_grpc_call_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED, 1000, error.message);
        return;
    }
    cuzk__v1__get_status_response__init(&answer->response);
    cuzk_engine_status(call->server->engine, &answer->status);
    fill_gpus(answer);
    fill_keys(answer);
    fill_queues(answer);
    answer->response.uptime_seconds = answer->status.uptime_ms / 1000;
    answer->response.pinned_memory_bytes = answer->status.host_used;
    answer->response.pinned_memory_limit_bytes = answer->status.host_budget;
    cuzk_grpc_call_answer(call, &answer->response.base);
    cuzk_mem_free(answer);
}

/* ---- metrics ---- */

static enum cuzk_status write_metrics(struct cuzk_engine *engine, struct cuzk_buffer *text,
                                      struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_engine_status *now = NULL;
    struct cuzk_event_totals *totals = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&now, 1, "status", err));
    CUZK_TRY_OUT(CUZK_NEW(&totals, 1, "totals", err));
    cuzk_engine_status(engine, now);
    cuzk_event_log_totals(cuzk_engine_events(engine), totals);
    CUZK_TRY_OUT(cuzk_metrics_write(now, totals, cuzk_buffer_sink(text), err));
out:
    cuzk_mem_free(totals);
    cuzk_mem_free(now);
    return status;
}

static void run_metrics(struct cuzk_grpc_call *call)
{
    Cuzk__V1__GetMetricsResponse answer = CUZK__V1__GET_METRICS_RESPONSE__INIT;
    struct cuzk_error error = {0};
    struct cuzk_buffer text = {0};
    const enum cuzk_status status = write_metrics(call->server->engine, &text, &error);

    if (status == CUZK_OK) {
        answer.prometheus_text = cuzk_buffer_text(&text);
        cuzk_grpc_call_answer(call, &answer.base);
    } else {
        cuzk_grpc_call_fail_status(call, status, &error);
    }
    cuzk_buffer_clear(&text);
}

static const struct cuzk_rpc_method methods[] = {
    {.path = "/cuzk.v1.ProvingEngine/GetStatus", .queue = CUZK_RPC_QUICK, .run = run_status},
    {.path = "/cuzk.v1.ProvingEngine/GetMetrics", .queue = CUZK_RPC_QUICK, .run = run_metrics},
};

const struct cuzk_rpc_group cuzk_rpc_status = {methods, sizeof methods / sizeof methods[0]};
