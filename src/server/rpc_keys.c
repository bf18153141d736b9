/* PreloadSRS, EvictSRS. */
#include "cuzk/v1/proving.pb-c.h"
#include "server/message.h"
#include "server/rpc.h"

static void run_preload(struct cuzk_grpc_call *call)
{
    Cuzk__V1__PreloadSrsResponse answer = CUZK__V1__PRELOAD_SRS_RESPONSE__INIT;
    ProtobufCMessage *message;
    struct cuzk_error error = {0};
    bool already = false;
    uint64_t load_ms = 0;
    enum cuzk_status status =
        cuzk_grpc_call_message(call, &cuzk__v1__preload_srs_request__descriptor, &message, &error);

    if (status == CUZK_OK)
        status = cuzk_engine_preload(call->server->engine,
                                     ((const Cuzk__V1__PreloadSrsRequest *)message)->circuit_id, &already,
                                     &load_ms, &error);
    cuzk_message_free(message);
    if (status != CUZK_OK) {
        cuzk_grpc_call_fail_status(call, status, &error);
        return;
    }
    answer.already_loaded = already;
    answer.load_time_ms = load_ms;
    cuzk_grpc_call_answer(call, &answer.base);
}

static void run_evict(struct cuzk_grpc_call *call)
{
    Cuzk__V1__EvictSrsResponse answer = CUZK__V1__EVICT_SRS_RESPONSE__INIT;
    ProtobufCMessage *message;
    struct cuzk_error error = {0};
    bool was_loaded = false;
    uint64_t freed = 0;
    enum cuzk_status status =
        cuzk_grpc_call_message(call, &cuzk__v1__evict_srs_request__descriptor, &message, &error);

    if (status == CUZK_OK)
        status =
            cuzk_engine_evict(call->server->engine, ((const Cuzk__V1__EvictSrsRequest *)message)->circuit_id,
                              &was_loaded, &freed, &error);
    cuzk_message_free(message);
    if (status == CUZK_BUSY) { /* jobs use it: nothing is exhausted */
        cuzk_grpc_call_fail(call, GRPC_STATUS_FAILED_PRECONDITION, 0, error.message);
        return;
    }
    if (status != CUZK_OK) {
        cuzk_grpc_call_fail_status(call, status, &error);
        return;
    }
    answer.was_loaded = was_loaded;
    answer.freed_bytes = freed;
    cuzk_grpc_call_answer(call, &answer.base);
}

static const struct cuzk_rpc_method methods[] = {
    {.path = "/cuzk.v1.ProvingEngine/PreloadSRS", .queue = CUZK_RPC_KEYS, .run = run_preload},
    {.path = "/cuzk.v1.ProvingEngine/EvictSRS", .queue = CUZK_RPC_KEYS, .run = run_evict},
};

const struct cuzk_rpc_group cuzk_rpc_keys = {methods, sizeof methods / sizeof methods[0]};
