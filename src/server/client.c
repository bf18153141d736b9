#include "server/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>
#include <grpc/support/log.h>

#include "base/mem.h"
#include "server/address.h"
#include "server/message.h"
#include "server/tls.h"

/* A daemon whose processors all prove greets late: CONNECT_MS is its time for that. One that is not there
 * refuses at once. */
enum { LOOK_MS = 100, CONNECT_MS = 20000, MESSAGE_MOST = 256 << 20 };

struct cuzk_client {
    grpc_channel *channel;
    grpc_completion_queue *events;
    char address[CUZK_LISTENER_TEXT];
};

static void drop_library_line(gpr_log_func_args *args)
{
    (void)args; /* every failure comes back as a status too */
}

static grpc_channel *create_channel(const char *target, grpc_channel_credentials *credentials)
{
    grpc_arg args[] = {
        {.type = GRPC_ARG_INTEGER,
         .key = (char *)(uintptr_t)GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH,
         .value.integer = MESSAGE_MOST},
        {.type = GRPC_ARG_INTEGER,
         .key = (char *)(uintptr_t)GRPC_ARG_MAX_SEND_MESSAGE_LENGTH,
         .value.integer = -1}, /* the daemon judges */
        {.type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)GRPC_ARG_ENABLE_HTTP_PROXY, .value.integer = 0},
        {.type = GRPC_ARG_INTEGER,
         .key = (char *)(uintptr_t)GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS,
         .value.integer = 200},
        {.type = GRPC_ARG_INTEGER,
         .key = (char *)(uintptr_t)GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, /* least time that one attempt has */
         .value.integer = CONNECT_MS},
        {.type = GRPC_ARG_INTEGER,
         .key = (char *)(uintptr_t)GRPC_ARG_MAX_RECONNECT_BACKOFF_MS,
         .value.integer = 2000},
    };
    const grpc_channel_args all = {sizeof args / sizeof args[0], args};

    return grpc_channel_create(target, credentials, &all);
}

enum cuzk_status cuzk_client_open(const char *address, const struct cuzk_tls_files *tls,
                                  struct cuzk_client **out, struct cuzk_error *err)
{
    struct cuzk_client *client = NULL;
    struct cuzk_address parsed;
    grpc_channel_credentials *credentials = NULL;

    *out = NULL;
    CUZK_TRY(cuzk_address_parse("--addr", address, &parsed, err));
    CUZK_TRY(CUZK_NEW(&client, 1, "client", err));
    if (parsed.local)
        snprintf(client->address, sizeof client->address, "unix:%s", parsed.path);
    else
        snprintf(client->address, sizeof client->address, "%s", address);
    gpr_set_log_function(drop_library_line);
    grpc_init();
    const bool secure = tls->certificate != NULL || tls->key != NULL || tls->ca != NULL;
    const enum cuzk_status status = secure ? cuzk_tls_client_credentials(tls, &credentials, err) : CUZK_OK;

    if (status != CUZK_OK) {
        grpc_shutdown();
        cuzk_mem_free(client);
        return status;
    }
    if (!secure)
        credentials = grpc_insecure_credentials_create();
    client->channel = create_channel(client->address, credentials);
    grpc_channel_credentials_release(credentials);
    client->events = grpc_completion_queue_create_for_next(NULL);
    *out = client;
    return CUZK_OK;
}

void cuzk_client_close(struct cuzk_client *client)
{
    if (client == NULL)
        return;
    grpc_channel_destroy(client->channel);
    grpc_completion_queue_shutdown(client->events);
    while (grpc_completion_queue_next(client->events, gpr_inf_future(GPR_CLOCK_REALTIME), NULL).type !=
           GRPC_QUEUE_SHUTDOWN)
        ;
    grpc_completion_queue_destroy(client->events);
    grpc_shutdown_blocking();
    cuzk_mem_free(client);
}

static size_t varint(uint64_t value, uint8_t *text)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        text[n++] = (uint8_t)(value | 0x80);
    text[n++] = (uint8_t)value;
    return n;
}

size_t cuzk_client_tag(uint32_t field, uint64_t length, uint8_t text[CUZK_CLIENT_TAG])
{
    const size_t n = varint((uint64_t)field << 3 | CUZK_WIRE_BYTES, text);

    return n + varint(length, text + n);
}

/* ---- a call ---- */

struct exchange {
    grpc_call *call;
    grpc_metadata_array first, last;
    grpc_byte_buffer *request, *answer;
    grpc_status_code code;
    grpc_slice details;
};

static enum cuzk_status pack(const struct cuzk_client_call *call, struct exchange *exchange,
                             struct cuzk_error *err)
{
    grpc_slice *slices;
    size_t count = 0;

    CUZK_TRY(CUZK_NEW(&slices, call->part_count + 1, "slices of a request", err));
    slices[count] = grpc_slice_malloc(protobuf_c_message_get_packed_size(call->small));
    protobuf_c_message_pack(call->small, GRPC_SLICE_START_PTR(slices[count]));
    count++;
    for (size_t i = 0; i < call->part_count; i++)
        if (call->parts[i].length > 0)
            slices[count++] = grpc_slice_from_static_buffer(call->parts[i].data, call->parts[i].length);
    exchange->request = grpc_raw_byte_buffer_create(slices, count);
    for (size_t i = 0; i < count; i++)
        grpc_slice_unref(slices[i]);
    cuzk_mem_free(slices);
    return CUZK_OK;
}

static bool start(struct cuzk_client *client, const struct cuzk_client_call *call, struct exchange *exchange)
{
    char path[128];
    grpc_op ops[6] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = exchange->request},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA,
         .data.recv_initial_metadata.recv_initial_metadata = &exchange->first},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &exchange->answer},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {&exchange->last, &exchange->code, &exchange->details, NULL}},
    };
    const gpr_timespec due =
        call->timeout_ms == 0
            ? gpr_inf_future(GPR_CLOCK_MONOTONIC)
            : gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                           gpr_time_from_millis(call->timeout_ms > INT64_MAX / 2 ? INT64_MAX / 2
                                                                                 : (int64_t)call->timeout_ms,
                                                GPR_TIMESPAN));

    snprintf(path, sizeof path, "%s%s", call->method[0] == '/' ? "" : "/cuzk.v1.ProvingEngine/",
             call->method);
    const grpc_slice method = grpc_slice_from_copied_string(path);

    exchange->call = grpc_channel_create_call(client->channel, NULL, GRPC_PROPAGATE_DEFAULTS, client->events,
                                              method, NULL, due, NULL);
    grpc_slice_unref(method);
    return grpc_call_start_batch(exchange->call, ops, 6, exchange, NULL) == GRPC_CALL_OK;
}

/* Until the call is over; cancels it where the caller wants to stop. */
static void wait(struct cuzk_client *client, const struct cuzk_client_call *call,
                 const struct exchange *exchange)
{
    bool cancelled = false;

    for (;;) {
        const gpr_timespec soon =
            gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(LOOK_MS, GPR_TIMESPAN));

        if (grpc_completion_queue_next(client->events, soon, NULL).type == GRPC_OP_COMPLETE)
            return;
        if (!cancelled && cuzk_progress_check(call->progress, NULL) != CUZK_OK) {
            cancelled = true;
            grpc_call_cancel(exchange->call, NULL);
        }
    }
}

static uint64_t retry_after(const grpc_metadata_array *trailer)
{
    for (size_t i = 0; i < trailer->count; i++)
        if (grpc_slice_str_cmp(trailer->metadata[i].key, "grpc-retry-pushback-ms") == 0) {
            char text[24] = "";
            const grpc_slice value = trailer->metadata[i].value;

            if (GRPC_SLICE_LENGTH(value) < sizeof text)
                memcpy(text, GRPC_SLICE_START_PTR(value), GRPC_SLICE_LENGTH(value));
            return strtoull(text, NULL, 10);
        }
    return 0;
}

static enum cuzk_status status_of(grpc_status_code code)
{
    switch (code) {
    case GRPC_STATUS_OK:
        return CUZK_OK;
    case GRPC_STATUS_INVALID_ARGUMENT:
        return CUZK_INPUT;
    case GRPC_STATUS_NOT_FOUND:
        return CUZK_NOT_FOUND;
    case GRPC_STATUS_RESOURCE_EXHAUSTED:
    case GRPC_STATUS_DEADLINE_EXCEEDED:
        return CUZK_BUSY;
    case GRPC_STATUS_FAILED_PRECONDITION:
    case GRPC_STATUS_UNIMPLEMENTED:
        return CUZK_UNSUPPORTED;
    case GRPC_STATUS_UNAVAILABLE:
        return CUZK_IO;
    case GRPC_STATUS_CANCELLED:
        return CUZK_CANCELLED;
    default:
        return CUZK_INTERNAL;
    }
}

static enum cuzk_status read_answer(const struct cuzk_client *client, const struct cuzk_client_call *call,
                                    const struct exchange *exchange, ProtobufCMessage **out,
                                    struct cuzk_error *err)
{
    if (exchange->code != GRPC_STATUS_OK)
        return cuzk_error_set(err, status_of(exchange->code), "%s: %s: %.*s", client->address, call->method,
                              (int)GRPC_SLICE_LENGTH(exchange->details),
                              (const char *)GRPC_SLICE_START_PTR(exchange->details));
    if (exchange->answer == NULL)
        return cuzk_error_set(err, CUZK_INTERNAL, "%s: %s: no answer came", client->address, call->method);
    grpc_byte_buffer_reader reader;

    if (!grpc_byte_buffer_reader_init(&reader, exchange->answer))
        return cuzk_error_set(err, CUZK_INPUT, "%s: %s: the answer is packed", client->address, call->method);
    const grpc_slice whole = grpc_byte_buffer_reader_readall(&reader);

    *out = cuzk_message_unpack(call->answer, GRPC_SLICE_START_PTR(whole), GRPC_SLICE_LENGTH(whole));
    grpc_slice_unref(whole);
    grpc_byte_buffer_reader_destroy(&reader);
    if (*out == NULL)
        return cuzk_error_set(err, CUZK_INPUT, "%s: %s: the answer is malformed", client->address,
                              call->method);
    return CUZK_OK;
}

enum cuzk_status cuzk_client_call(struct cuzk_client *client, const struct cuzk_client_call *call,
                                  ProtobufCMessage **out, uint64_t *retry_ms, struct cuzk_error *err)
{
    struct exchange exchange = {.code = GRPC_STATUS_UNKNOWN, .details = grpc_empty_slice()};
    enum cuzk_status status;

    *out = NULL;
    if (retry_ms != NULL)
        *retry_ms = 0;
    CUZK_TRY(pack(call, &exchange, err));
    grpc_metadata_array_init(&exchange.first);
    grpc_metadata_array_init(&exchange.last);
    if (start(client, call, &exchange)) {
        wait(client, call, &exchange);
        status = read_answer(client, call, &exchange, out, err);
        if (retry_ms != NULL)
            *retry_ms = retry_after(&exchange.last);
    } else {
        status =
            cuzk_error_set(err, CUZK_INTERNAL, "%s: %s: the call was refused", client->address, call->method);
    }
    grpc_metadata_array_destroy(&exchange.first);
    grpc_metadata_array_destroy(&exchange.last);
    grpc_slice_unref(exchange.details);
    grpc_byte_buffer_destroy(exchange.request);
    if (exchange.answer != NULL)
        grpc_byte_buffer_destroy(exchange.answer);
    grpc_call_unref(exchange.call);
    return status;
}
