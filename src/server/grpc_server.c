#include "server/grpc_server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <grpc/grpc_security.h>
#include <grpc/support/log.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/tsan.h"
#include "server/accept.h"
#include "server/rpc.h"
#include "server/tls.h"

enum {
    CALLS_ARMED = 64,
    STREAMS_MOST = 16384, /* of one connection: a client may await thousands of jobs */
    KEEPALIVE_MS = 60000,
    KEEPALIVE_TIMEOUT_MS = 20000,
    PING_INTERVAL_MS = 10000, /* clients may ping as often as this */
    HANDSHAKE_MS = 20000,
    METADATA_MOST = 16384,
};

/* ---- the network's threads ---- */

static void *poll_events(void *context)
{
    struct cuzk_grpc_server *server = context;

    cuzk_thread_prefer_soon(false);
    for (;;) {
        const grpc_event event =
            grpc_completion_queue_next(server->events, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);

        if (event.type == GRPC_QUEUE_SHUTDOWN)
            return NULL;
        if (event.type != GRPC_OP_COMPLETE)
            continue;
        const struct cuzk_rpc_tag *tag = event.tag;

        CUZK_TSAN_TAKE(tag);
        if (tag->call != NULL) {
            tag->done(tag->call, event.success != 0);
            continue;
        }
        pthread_mutex_lock(&server->lock);
        server->down = true;
        pthread_cond_broadcast(&server->changed);
        pthread_mutex_unlock(&server->lock);
    }
}

/* ---- what libgrpc has to say ---- */

static const struct cuzk_log *library_log;

static void take_library_line(gpr_log_func_args *args)
{
    cuzk_log_line(library_log, args->severity == GPR_LOG_SEVERITY_ERROR ? CUZK_LOG_WARNING : CUZK_LOG_DEBUG,
                  "libgrpc: %s", args->message);
}

/* ---- addresses ---- */

static grpc_arg number(const char *key, uint64_t value)
{
    return (grpc_arg){.type = GRPC_ARG_INTEGER,
                      .key = (char *)(uintptr_t)key,
                      .value.integer = value > INT32_MAX ? INT32_MAX : (int)value};
}

static void create_server(struct cuzk_grpc_server *server)
{
    const struct cuzk_grpc_options *options = &server->options;

    server->quota = grpc_resource_quota_create("cuzk");
    grpc_resource_quota_resize(server->quota, (size_t)(options->held_most + 2 * options->message_most));
    const grpc_arg_pointer_vtable *quota_table = grpc_resource_quota_arg_vtable();
    grpc_arg args[] = {
        number(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, options->message_most),
        number(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, options->message_most),
        number(GRPC_ARG_MAX_CONCURRENT_STREAMS, STREAMS_MOST),
        number(GRPC_ARG_MAX_METADATA_SIZE, METADATA_MOST),
        number(GRPC_ARG_KEEPALIVE_TIME_MS, KEEPALIVE_MS),
        number(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, KEEPALIVE_TIMEOUT_MS),
        number(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1),
        number(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, PING_INTERVAL_MS),
        number(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, HANDSHAKE_MS),
        number(GRPC_ARG_ALLOW_REUSEPORT, 0),
        /* a packed message of a few bytes may unpack to more than there is memory for */
        number(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE),
        number(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0),
        {.type = GRPC_ARG_POINTER,
         .key = (char *)(uintptr_t)GRPC_ARG_RESOURCE_QUOTA,
         .value.pointer = {server->quota, quota_table}},
    };
    const grpc_channel_args all = {sizeof args / sizeof args[0], args};

    server->server = grpc_server_create(&all, NULL);
    server->events = grpc_completion_queue_create_for_next(NULL);
    grpc_server_register_completion_queue(server->server, server->events, NULL);
}

/* The mode is right from the socket's first moment on, whatever the process' umask is. */
static enum cuzk_status bind_unix(struct cuzk_grpc_server *server, const struct cuzk_listener *listener,
                                  grpc_server_credentials *credentials, struct cuzk_error *err)
{
    const unsigned mode = server->options.socket_mode;
    const mode_t before = umask(~mode & 0777);
    const int port = grpc_server_add_http2_port(server->server, listener->target, credentials);

    umask(before);
    if (port == 0)
        return cuzk_error_set(err, CUZK_IO,
                              "%s: cannot be bound: is its directory there, and may it be written?",
                              listener->path);
    if (chmod(listener->path, mode) != 0)
        return cuzk_error_set(err, CUZK_IO, "%s: setting mode %o: %s", listener->path, mode, strerror(errno));
    return CUZK_OK;
}

static enum cuzk_status bind_tcp(struct cuzk_grpc_server *server, struct cuzk_listener *listener,
                                 grpc_server_credentials *credentials, struct cuzk_error *err)
{
    const int port = grpc_server_add_http2_port(server->server, listener->target, credentials);

    if (port == 0)
        return cuzk_error_set(err, CUZK_IO, "%s: cannot be bound: is the port taken?", listener->target);
    char *colon = strrchr(listener->target, ':');

    snprintf(colon + 1, sizeof listener->target - (size_t)(colon + 1 - listener->target), "%d", port);
    return CUZK_OK;
}

static enum cuzk_status bind_all(struct cuzk_grpc_server *server, const char *const *addresses, size_t count,
                                 struct cuzk_error *err)
{
    enum cuzk_status status;
    const bool tls = server->options.tls.certificate != NULL;
    grpc_server_credentials *plain = grpc_insecure_server_credentials_create(), *secure = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&server->listeners, count, "listeners", err));
    if (tls) {
        CUZK_TRY_OUT(cuzk_tls_source_create(&server->options.tls, &server->tls, err));
        CUZK_TRY_OUT(cuzk_tls_server_credentials(server->tls, &secure, err));
    }
    for (; server->listener_count < count; server->listener_count++) {
        struct cuzk_listener *listener = &server->listeners[server->listener_count];

        CUZK_TRY_OUT(cuzk_listener_open(addresses[server->listener_count], tls, listener, err));
        status = listener->path[0] != '\0' ? bind_unix(server, listener, plain, err)
                                           : bind_tcp(server, listener, tls ? secure : plain, err);
        if (status != CUZK_OK) {
            cuzk_listener_close(listener);
            goto out;
        }
    }
    status = CUZK_OK;
out:
    grpc_server_credentials_release(plain);
    if (secure != NULL)
        grpc_server_credentials_release(secure);
    return status;
}

const char *cuzk_grpc_server_address(const struct cuzk_grpc_server *server, size_t i)
{
    return i < server->listener_count ? server->listeners[i].target : NULL;
}

enum cuzk_status cuzk_grpc_server_reload_tls(struct cuzk_grpc_server *server,
                                             const struct cuzk_tls_files *files, struct cuzk_error *err)
{
    if (server->tls == NULL || files->certificate == NULL)
        return server->tls == NULL && files->certificate == NULL
                   ? CUZK_OK
                   : cuzk_error_set(err, CUZK_UNSUPPORTED, "tls: on or off is decided at the start");
    return cuzk_tls_source_reload(server->tls, files, err);
}

/* ---- life ---- */

static void apply_defaults(struct cuzk_grpc_options *options)
{
    if (options->socket_mode == 0)
        options->socket_mode = 0660;
    if (options->message_most == 0)
        options->message_most = UINT64_C(256) << 20;
    if (options->held_most == 0)
        options->held_most = UINT64_C(1) << 30;
    if (options->calls_most == 0)
        options->calls_most = 65536;
    if (options->submit_threads == 0)
        options->submit_threads = 16;
    if (options->receive_ms == 0)
        options->receive_ms = 300000;
}

static enum cuzk_status start_threads(struct cuzk_grpc_server *server, struct cuzk_error *err)
{
    CUZK_TRY(cuzk_timers_create(&server->timers, err));
    CUZK_TRY(cuzk_work_queue_create(2, &server->queue[CUZK_RPC_QUICK], err));
    CUZK_TRY(cuzk_work_queue_create(server->options.submit_threads, &server->queue[CUZK_RPC_SUBMIT], err));
    CUZK_TRY(cuzk_work_queue_create(1, &server->queue[CUZK_RPC_KEYS], err));
    for (; server->pollers < CUZK_GRPC_POLLERS; server->pollers++) {
        const int failed = pthread_create(&server->poller[server->pollers], NULL, poll_events, server);

        if (failed != 0)
            return cuzk_error_set(err, CUZK_IO, "starting a thread: %s", strerror(failed));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_grpc_server_start(struct cuzk_engine *engine, const struct cuzk_grpc_options *options,
                                        struct cuzk_grpc_server **out, struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_grpc_server *server = NULL;
    pthread_condattr_t clock;

    *out = NULL;
    CUZK_TRY(cuzk_accept_watch(options->log, err));
    CUZK_TRY(CUZK_NEW(&server, 1, "gRPC server", err));
    server->options = *options;
    server->engine = engine;
    server->log = options->log;
    server->parked_last = &server->parked;
    apply_defaults(&server->options);
    pthread_mutex_init(&server->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&server->changed, &clock);
    pthread_condattr_destroy(&clock);
    library_log = options->log;
    gpr_set_log_function(take_library_line);
    grpc_init();
    create_server(server);
    CUZK_TRY_OUT(bind_all(server, options->addresses, options->address_count, err));
    CUZK_TRY_OUT(start_threads(server, err));
    grpc_server_start(server->server);
    server->started = true;
    for (unsigned i = 0; i < CALLS_ARMED; i++)
        CUZK_TRY_OUT(cuzk_grpc_call_arm(server, err));
    *out = server;
    return CUZK_OK;
out:
    cuzk_grpc_server_stop(server, 0);
    return status;
}

void cuzk_grpc_server_set_draining(struct cuzk_grpc_server *server)
{
    atomic_store(&server->draining, true);
}

/* Waits until no call is left, at most so long (0: however long). */
static bool wait_for_calls(struct cuzk_grpc_server *server, uint64_t most_ms)
{
    const uint64_t end = cuzk_clock_ns() + most_ms * CUZK_NS_PER_MS;
    const struct timespec due = cuzk_clock_timespec(end);
    bool done;

    pthread_mutex_lock(&server->lock);
    while (!(done = server->live == 0 && server->down)) {
        if (most_ms == 0)
            pthread_cond_wait(&server->changed, &server->lock);
        else if (pthread_cond_timedwait(&server->changed, &server->lock, &due) == ETIMEDOUT)
            break;
    }
    pthread_mutex_unlock(&server->lock);
    return done;
}

static void shut_down(struct cuzk_grpc_server *server, uint64_t grace_ms)
{
    struct cuzk_rpc_tag down = {NULL, NULL};

    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    pthread_mutex_unlock(&server->lock);
    CUZK_TSAN_GIVE(&down);
    grpc_server_shutdown_and_notify(server->server, server->events, &down);
    if (grace_ms > 0 && wait_for_calls(server, grace_ms))
        return;
    grpc_server_cancel_all_calls(server->server);
    (void)wait_for_calls(server, 0);
}

/* A server that never got so far that its threads ran. What it is bound to already wants to be shut down all
 * the same: libgrpc ends the process where it is not. */
static void shut_down_alone(struct cuzk_grpc_server *server)
{
    struct cuzk_rpc_tag down = {NULL, NULL};
    grpc_event event;

    grpc_server_shutdown_and_notify(server->server, server->events, &down);
    do
        event = grpc_completion_queue_next(server->events, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
    while (event.type != GRPC_OP_COMPLETE || event.tag != &down);
}

void cuzk_grpc_server_stop(struct cuzk_grpc_server *server, uint64_t grace_ms)
{
    if (server == NULL)
        return;
    if (server->pollers > 0)
        shut_down(server, grace_ms);
    else
        shut_down_alone(server);
    for (unsigned i = 0; i < CUZK_RPC_QUEUES; i++)
        cuzk_work_queue_destroy(server->queue[i]);
    cuzk_timers_destroy(server->timers);
    grpc_server_destroy(server->server);
    grpc_completion_queue_shutdown(server->events);
    for (unsigned i = 0; i < server->pollers; i++)
        pthread_join(server->poller[i], NULL);
    if (server->pollers == 0)
        while (grpc_completion_queue_next(server->events, gpr_inf_future(GPR_CLOCK_REALTIME), NULL).type !=
               GRPC_QUEUE_SHUTDOWN)
            ;
    grpc_completion_queue_destroy(server->events);
    grpc_resource_quota_unref(server->quota);
    grpc_shutdown();
    cuzk_tls_source_destroy(server->tls);
    for (size_t i = 0; i < server->listener_count; i++) {
        if (server->listeners[i].path[0] != '\0')
            (void)unlink(server->listeners[i].path);
        cuzk_listener_close(&server->listeners[i]);
    }
    cuzk_mem_free(server->listeners);
    (void)cuzk_accept_watch(NULL, NULL);
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    cuzk_mem_free(server);
}
