#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <grpc/byte_buffer.h>
#include <grpc/slice.h>
#include <grpc/support/alloc.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/tsan.h"
#include "server/message.h"
#include "server/rpc.h"

enum { LARGE_BYTES = 1 << 20, TRIM_BYTES = 16 << 20, TRIM_MS = 2000 };

/* ---- life ---- */

void cuzk_grpc_call_hold(struct cuzk_grpc_call *call)
{
    atomic_fetch_add(&call->references, 1);
}

static void destroy(struct cuzk_grpc_call *call)
{
    struct cuzk_grpc_server *server = call->server;

    cuzk_grpc_call_drop_message(call);
    if (call->drop_state != NULL)
        call->drop_state(call->state);
    for (unsigned i = 0; i < CUZK_RPC_TRAILERS; i++)
        grpc_slice_unref(call->trailer[i].value);
    grpc_metadata_array_destroy(&call->metadata);
    grpc_call_details_destroy(&call->details);
    if (call->call != NULL)
        grpc_call_unref(call->call);
    pthread_mutex_destroy(&call->lock);
    cuzk_mem_free(call);
    pthread_mutex_lock(&server->lock);
    server->live--;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

void cuzk_grpc_call_release(struct cuzk_grpc_call *call)
{
    if (atomic_fetch_sub(&call->references, 1) == 1)
        destroy(call);
}

/* Starts a batch, which holds the call until its end. False: it could not be started, and will not end. The
 * call's lock is held. */
static bool start(struct cuzk_grpc_call *call, enum cuzk_rpc_op which, const grpc_op *ops, size_t count)
{
    cuzk_grpc_call_hold(call);
    CUZK_TSAN_GIVE(&call->tag[which]);
    if (grpc_call_start_batch(call->call, ops, count, &call->tag[which], NULL) == GRPC_CALL_OK)
        return true;
    cuzk_log_line(call->server->log, CUZK_LOG_ERROR, "grpc: an operation of %s was refused",
                  call->method != NULL ? call->method->path : "an unknown method");
    cuzk_grpc_call_release(call);
    return false;
}

/* ---- the client's message ---- */

/* Calls that wait for room are let in, oldest first. */
static void unpark(struct cuzk_grpc_server *server)
{
    for (;;) {
        pthread_mutex_lock(&server->lock);
        struct cuzk_grpc_call *call = server->held < server->options.held_most ? server->parked : NULL;

        if (call != NULL) {
            server->parked = call->next_parked;
            if (server->parked == NULL)
                server->parked_last = &server->parked;
        }
        pthread_mutex_unlock(&server->lock);
        if (call == NULL)
            return;
        cuzk_grpc_call_read(call);
        cuzk_grpc_call_release(call);
    }
}

static void start_trim(struct cuzk_grpc_server *server);

/* Memory of large requests below TRIM_BYTES goes back to the system once none has come for a while: at once
 * would make the next one fetch its pages anew. */
static void trim(struct cuzk_timer *timer)
{
    void *place = (char *)timer - offsetof(struct cuzk_grpc_server, trim_timer);
    struct cuzk_grpc_server *server = place;

    pthread_mutex_lock(&server->lock);
    const bool quiet = cuzk_clock_ns() - server->dropped_ns >= TRIM_MS * CUZK_NS_PER_MS;

    server->trim_set = false;
    if (!quiet)
        start_trim(server);
    pthread_mutex_unlock(&server->lock);
    if (quiet)
        cuzk_mem_trim();
}

/* Under the server's lock. */
static void start_trim(struct cuzk_grpc_server *server)
{
    if (server->trim_set)
        return;
    server->trim_timer.fire = trim;
    server->trim_set = cuzk_timer_start(server->timers, &server->trim_timer, TRIM_MS, NULL) == CUZK_OK;
}

void cuzk_grpc_call_drop_message(struct cuzk_grpc_call *call)
{
    const uint64_t held = call->held;

    if (call->message != NULL)
        grpc_byte_buffer_destroy(call->message);
    call->message = NULL;
    call->held = 0;
    if (held == 0)
        return;
    pthread_mutex_lock(&call->server->lock);
    call->server->held -= held;
    if (held >= LARGE_BYTES) {
        call->server->dropped_ns = cuzk_clock_ns();
        start_trim(call->server);
    }
    pthread_mutex_unlock(&call->server->lock);
    /* before it is answered: the next one's blocks, of other sizes, would fit badly where this one's lay */
    if (held >= TRIM_BYTES)
        cuzk_mem_trim();
    unpark(call->server);
}

enum cuzk_status cuzk_grpc_call_parts(const struct cuzk_grpc_call *call, struct cuzk_request_part **parts,
                                      size_t *count, struct cuzk_error *err)
{
    const grpc_slice_buffer *slices = &call->message->data.raw.slice_buffer;

    *count = slices->count;
    CUZK_TRY(CUZK_NEW(parts, slices->count, "parts of a message", err));
    for (size_t i = 0; i < slices->count; i++)
        (*parts)[i] = (struct cuzk_request_part){GRPC_SLICE_START_PTR(slices->slices[i]),
                                                 GRPC_SLICE_LENGTH(slices->slices[i])};
    return CUZK_OK;
}

enum cuzk_status cuzk_grpc_call_message(const struct cuzk_grpc_call *call,
                                        const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **out,
                                        struct cuzk_error *err)
{
    struct cuzk_request_part *parts;
    struct cuzk_protowire wire;
    size_t count;

    *out = NULL;
    CUZK_TRY(cuzk_grpc_call_parts(call, &parts, &count, err));
    cuzk_protowire_init(&wire, descriptor->short_name, parts, count);
    const enum cuzk_status status = cuzk_message_read(descriptor, &wire, NULL, out, err);

    cuzk_mem_free(parts);
    return status;
}

static void too_slow(struct cuzk_grpc_call *call)
{
    char text[96];

    snprintf(text, sizeof text, "the request did not arrive within %" PRIu64 " ms",
             call->server->options.receive_ms);
    cuzk_grpc_call_fail(call, GRPC_STATUS_DEADLINE_EXCEEDED, 0, text);
    grpc_call_cancel(call->call, NULL); /* what has come of it is given back */
}

void cuzk_grpc_call_read(struct cuzk_grpc_call *call)
{
    const grpc_op op = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->message};

    if (!call->method->stream)
        cuzk_grpc_call_set_timer(call, call->server->options.receive_ms, too_slow);
    pthread_mutex_lock(&call->lock);
    const bool started = start(call, CUZK_RPC_READ, &op, 1);

    pthread_mutex_unlock(&call->lock);
    if (!started)
        cuzk_grpc_call_fail(call, GRPC_STATUS_INTERNAL, 0, "the request could not be read");
}

static void run_method(struct cuzk_work *work)
{
    struct cuzk_grpc_call *call = cuzk_grpc_call_of(work, offsetof(struct cuzk_grpc_call, run_work));

    call->method->run(call);
    cuzk_grpc_call_release(call);
}

static void on_read(struct cuzk_grpc_call *call, bool ok)
{
    const struct cuzk_rpc_method *method = call->method;

    if (!method->stream)
        (void)cuzk_grpc_call_stop_timer(call);
    if (!ok && call->message != NULL) {
        grpc_byte_buffer_destroy(call->message);
        call->message = NULL;
    }
    if (call->message == NULL && !method->stream) {
        cuzk_grpc_call_fail(call, GRPC_STATUS_INVALID_ARGUMENT, 0, "the call has no message");
        cuzk_grpc_call_release(call);
        return;
    }
    if (call->message != NULL && call->message->data.raw.compression != GRPC_COMPRESS_NONE) {
        cuzk_grpc_call_fail(call, GRPC_STATUS_UNIMPLEMENTED, 0, "compressed messages are not taken");
        cuzk_grpc_call_release(call);
        return;
    }
    if (call->message != NULL && method->large) {
        call->held = grpc_byte_buffer_length(call->message);
        pthread_mutex_lock(&call->server->lock);
        call->server->held += call->held;
        pthread_mutex_unlock(&call->server->lock);
    }
    cuzk_work_queue_push(call->server->queue[method->queue],
                         &call->run_work); /* takes over the batch's hold */
}

/* ---- timer ---- */

static void fire(struct cuzk_timer *timer)
{
    struct cuzk_grpc_call *call = cuzk_grpc_call_of(timer, offsetof(struct cuzk_grpc_call, timer));

    call->timed_out(call);
    cuzk_grpc_call_release(call);
}

void cuzk_grpc_call_set_timer(struct cuzk_grpc_call *call, uint64_t after_ms,
                              void (*timed_out)(struct cuzk_grpc_call *call))
{
    struct cuzk_error error;

    call->timed_out = timed_out;
    call->timer.fire = fire;
    cuzk_grpc_call_hold(call);
    if (cuzk_timer_start(call->server->timers, &call->timer, after_ms, &error) != CUZK_OK) {
        cuzk_log_line(call->server->log, CUZK_LOG_WARNING, "grpc: %s: no timer: %s", call->method->path,
                      error.message);
        cuzk_grpc_call_release(call);
        return;
    }
    pthread_mutex_lock(&call->lock);
    const bool over = call->finished;

    pthread_mutex_unlock(&call->lock);
    if (over) /* meanwhile: who finished it came before the timer, which would hold it for nothing */
        (void)cuzk_grpc_call_stop_timer(call);
}

bool cuzk_grpc_call_stop_timer(struct cuzk_grpc_call *call)
{
    const bool stopped = cuzk_timer_stop(call->server->timers, &call->timer);

    if (stopped)
        cuzk_grpc_call_release(call);
    return stopped;
}

/* ---- what is sent ---- */

grpc_byte_buffer *cuzk_grpc_pack(const ProtobufCMessage *message)
{
    grpc_slice slice = grpc_slice_malloc(protobuf_c_message_get_packed_size(message));

    protobuf_c_message_pack(message, GRPC_SLICE_START_PTR(slice));
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);

    grpc_slice_unref(slice);
    return buffer;
}

void cuzk_grpc_call_write(struct cuzk_grpc_call *call, const ProtobufCMessage *message)
{
    grpc_byte_buffer *buffer = cuzk_grpc_pack(message);
    grpc_op ops[2] = {0};
    size_t count = 0;
    bool started = false;

    pthread_mutex_lock(&call->lock);
    if (!call->begun)
        ops[count++].op = GRPC_OP_SEND_INITIAL_METADATA;
    ops[count].op = GRPC_OP_SEND_MESSAGE;
    ops[count++].data.send_message.send_message = buffer;
    if (!call->finished)
        started = start(call, CUZK_RPC_WRITE, ops, count);
    call->begun |= started;
    pthread_mutex_unlock(&call->lock);
    grpc_byte_buffer_destroy(buffer);
    if (!started && call->method->written != NULL)
        call->method->written(call, false);
}

static void on_written(struct cuzk_grpc_call *call, bool ok)
{
    call->method->written(call, ok);
    cuzk_grpc_call_release(call);
}

/* When to come back: for people's proxies in seconds, for gRPC's own retries in milliseconds. */
static size_t make_trailers(struct cuzk_grpc_call *call, uint64_t retry_ms)
{
    char text[CUZK_RPC_TRAILER_ROOM];

    if (retry_ms == 0)
        return 0;
    snprintf(text, sizeof text, "%" PRIu64, (retry_ms + 999) / 1000);
    call->trailer[0].key = grpc_slice_from_static_string("retry-after");
    call->trailer[0].value = grpc_slice_from_copied_string(text);
    snprintf(text, sizeof text, "%" PRIu64, retry_ms);
    call->trailer[1].key = grpc_slice_from_static_string("grpc-retry-pushback-ms");
    call->trailer[1].value = grpc_slice_from_copied_string(text);
    return 2;
}

static void finish(struct cuzk_grpc_call *call, grpc_status_code code, uint64_t retry_ms, const char *message,
                   grpc_byte_buffer *buffer)
{
    grpc_slice details = grpc_slice_from_copied_string(message);
    grpc_op ops[3] = {0};
    size_t count = 0;

    pthread_mutex_lock(&call->lock);
    if (!call->finished) {
        call->finished = true;
        call->code = code;
        if (!call->begun)
            ops[count++].op = GRPC_OP_SEND_INITIAL_METADATA;
        call->begun = true;
        if (buffer != NULL) {
            ops[count].op = GRPC_OP_SEND_MESSAGE;
            ops[count++].data.send_message.send_message = buffer;
        }
        ops[count].op = GRPC_OP_SEND_STATUS_FROM_SERVER;
        ops[count].data.send_status_from_server.trailing_metadata_count = make_trailers(call, retry_ms);
        ops[count].data.send_status_from_server.trailing_metadata = call->trailer;
        ops[count].data.send_status_from_server.status = code;
        ops[count++].data.send_status_from_server.status_details = &details;
        (void)start(call, CUZK_RPC_FINISH, ops, count);
        cuzk_log_line(call->server->log, CUZK_LOG_DEBUG, "grpc: %s%s%s%s: code %d after %.1f ms%s%s",
                      call->job[0] != '\0' ? "job " : "", call->job, call->job[0] != '\0' ? ": " : "",
                      call->method != NULL ? call->method->path : "unknown method", (int)code,
                      (double)(cuzk_clock_ns() - call->began_ns) / 1e6, message[0] != '\0' ? ": " : "",
                      message);
    }
    pthread_mutex_unlock(&call->lock);
    (void)cuzk_grpc_call_stop_timer(call); /* a finished call has none */
    grpc_slice_unref(details);
    if (buffer != NULL)
        grpc_byte_buffer_destroy(buffer);
}

void cuzk_grpc_call_answer(struct cuzk_grpc_call *call, const ProtobufCMessage *answer)
{
    finish(call, GRPC_STATUS_OK, 0, "", cuzk_grpc_pack(answer));
}

void cuzk_grpc_call_answer_packed(struct cuzk_grpc_call *call, grpc_byte_buffer *answer)
{
    finish(call, GRPC_STATUS_OK, 0, "", answer);
}

void cuzk_grpc_call_fail(struct cuzk_grpc_call *call, grpc_status_code code, uint64_t retry_ms,
                         const char *message)
{
    finish(call, code, retry_ms, message, NULL);
}

void cuzk_grpc_call_fail_status(struct cuzk_grpc_call *call, enum cuzk_status status,
                                const struct cuzk_error *error)
{
    finish(call, cuzk_rpc_code(status), 0,
           error->message[0] != '\0' ? error->message : cuzk_status_text(status), NULL);
}

static void on_finished(struct cuzk_grpc_call *call, bool ok)
{
    (void)ok; /* on_closed knows better */
    cuzk_grpc_call_release(call);
}

/* ---- the call's end, from the network ---- */

static void run_closed(struct cuzk_work *work)
{
    struct cuzk_grpc_call *call = cuzk_grpc_call_of(work, offsetof(struct cuzk_grpc_call, close_work));

    call->method->closed(call, call->cancelled != 0);
    cuzk_grpc_call_release(call);
}

static void on_closed(struct cuzk_grpc_call *call, bool ok)
{
    pthread_mutex_lock(&call->lock);
    if (!ok)
        call->cancelled = 1;
    call->gone = call->cancelled != 0;
    pthread_mutex_unlock(&call->lock);
    if (call->method == NULL || call->method->closed == NULL) {
        cuzk_grpc_call_release(call);
        return;
    }
    cuzk_work_queue_push(call->server->queue[CUZK_RPC_QUICK], &call->close_work);
}

/* ---- its beginning ---- */

/* What speaks against a call, or NULL. */
static const char *refuse(struct cuzk_grpc_call *call, grpc_status_code *code, uint64_t *retry_ms)
{
    struct cuzk_grpc_server *server = call->server;

    *retry_ms = 0;
    if (call->method == NULL) {
        *code = GRPC_STATUS_UNIMPLEMENTED;
        return "no such method";
    }
    pthread_mutex_lock(&server->lock);
    const bool stopping = server->stopping, full = server->live - server->armed > server->options.calls_most;

    pthread_mutex_unlock(&server->lock);
    if (!stopping && !full)
        return NULL;
    *retry_ms = stopping ? 5000 : 1000;
    *code = stopping ? GRPC_STATUS_UNAVAILABLE : GRPC_STATUS_RESOURCE_EXHAUSTED;
    return stopping ? "the daemon is ending; come back in 5 s" : "too many calls in flight; come back in 1 s";
}

/* Whether a call has to wait until there is room for its request; it is then remembered. */
static bool park(struct cuzk_grpc_call *call)
{
    struct cuzk_grpc_server *server = call->server;

    if (!call->method->large)
        return false;
    pthread_mutex_lock(&server->lock);
    const bool wait = server->held >= server->options.held_most;

    if (wait) {
        cuzk_grpc_call_hold(call);
        *server->parked_last = call;
        server->parked_last = &call->next_parked;
    }
    pthread_mutex_unlock(&server->lock);
    return wait;
}

static void on_arrived(struct cuzk_grpc_call *call, bool ok)
{
    struct cuzk_grpc_server *server = call->server;
    const grpc_op close = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER,
                           .data.recv_close_on_server.cancelled = &call->cancelled};
    grpc_status_code code;
    uint64_t retry_ms;
    struct cuzk_error error;

    pthread_mutex_lock(&server->lock);
    server->armed--;
    const bool stopping = server->stopping;

    pthread_mutex_unlock(&server->lock);
    if (!ok) { /* the server is shut down */
        cuzk_grpc_call_release(call);
        return;
    }
    if (!stopping && cuzk_grpc_call_arm(server, &error) != CUZK_OK)
        cuzk_log_line(server->log, CUZK_LOG_ERROR, "grpc: one call less at a time: %s", error.message);
    call->began_ns = cuzk_clock_ns();
    call->method = cuzk_rpc_find(call->details.method);
    pthread_mutex_lock(&call->lock);
    (void)start(call, CUZK_RPC_CLOSE, &close, 1);
    pthread_mutex_unlock(&call->lock);
    const char *reason = refuse(call, &code, &retry_ms);

    if (reason != NULL)
        cuzk_grpc_call_fail(call, code, retry_ms, reason);
    else if (!park(call))
        cuzk_grpc_call_read(call);
    cuzk_grpc_call_release(call);
}

enum cuzk_status cuzk_grpc_call_arm(struct cuzk_grpc_server *server, struct cuzk_error *err)
{
    static void (*const done[CUZK_RPC_OPS])(struct cuzk_grpc_call *, bool) = {
        [CUZK_RPC_ARRIVE] = on_arrived, [CUZK_RPC_READ] = on_read,       [CUZK_RPC_CLOSE] = on_closed,
        [CUZK_RPC_WRITE] = on_written,  [CUZK_RPC_FINISH] = on_finished,
    };
    struct cuzk_grpc_call *call;

    CUZK_TRY(CUZK_NEW(&call, 1, "call", err));
    call->server = server;
    call->references = 1;
    pthread_mutex_init(&call->lock, NULL);
    grpc_metadata_array_init(&call->metadata);
    grpc_call_details_init(&call->details);
    for (unsigned i = 0; i < CUZK_RPC_TRAILERS; i++)
        call->trailer[i].value = grpc_empty_slice();
    for (unsigned i = 0; i < CUZK_RPC_OPS; i++)
        call->tag[i] = (struct cuzk_rpc_tag){call, done[i]};
    call->run_work.run = run_method;
    call->close_work.run = run_closed;
    pthread_mutex_lock(&server->lock);
    server->live++;
    server->armed++;
    pthread_mutex_unlock(&server->lock);
    CUZK_TSAN_GIVE(&call->tag[CUZK_RPC_ARRIVE]);
    if (grpc_server_request_call(server->server, &call->call, &call->details, &call->metadata, server->events,
                                 server->events, &call->tag[CUZK_RPC_ARRIVE]) == GRPC_CALL_OK)
        return CUZK_OK;
    pthread_mutex_lock(&server->lock);
    server->armed--;
    pthread_mutex_unlock(&server->lock);
    cuzk_grpc_call_release(call);
    return cuzk_error_set(err, CUZK_INTERNAL, "grpc: calls cannot be asked for");
}
