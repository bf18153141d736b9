/* grpc.health.v1.Health: SERVING once the engine has its preloads, NOT_SERVING before and while draining. */
#include <string.h>

#include "base/mem.h"
#include "grpc/health/v1/health.pb-c.h"
#include "server/message.h"
#include "server/rpc.h"

typedef Grpc__Health__V1__HealthCheckResponse__ServingStatus serving_status;

#define STATUS(name) GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__##name

enum { WATCH_MS = 250 }; /* a watcher hears of a change this late at most */

/* "" is the daemon as a whole. */
static bool is_service(const char *name)
{
    static const char *const known[] = {"", "cuzk.v1.ProvingEngine", "grpc.health.v1.Health"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i]) == 0)
            return true;
    return false;
}

static serving_status now(struct cuzk_grpc_server *server)
{
    return cuzk_engine_ready(server->engine) && !atomic_load(&server->draining) ? STATUS(SERVING)
                                                                                : STATUS(NOT_SERVING);
}

/* The service that a request names; on failure the call is finished. */
static bool read_service(struct cuzk_grpc_call *call, bool *known)
{
    ProtobufCMessage *message;
    struct cuzk_error error = {0};
    const enum cuzk_status status =
        cuzk_grpc_call_message(call, &grpc__health__v1__health_check_request__descriptor, &message, &error);

    if (status != CUZK_OK) {
        cuzk_grpc_call_fail_status(call, status, &error);
        return false;
    }
    *known = is_service(((const Grpc__Health__V1__HealthCheckRequest *)message)->service);
    cuzk_message_free(message);
    return true;
}

static void run_check(struct cuzk_grpc_call *call)
{
    Grpc__Health__V1__HealthCheckResponse answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;
    bool known;

    if (!read_service(call, &known))
        return;
    answer.status = now(call->server);
    if (known)
        cuzk_grpc_call_answer(call, &answer.base);
    else
        cuzk_grpc_call_fail(call, GRPC_STATUS_NOT_FOUND, 0, "service: no such service");
}

/* ---- watch ---- */

struct watching {
    bool known, writing;
    serving_status told;
};

static void tell(struct cuzk_grpc_call *call, serving_status status)
{
    Grpc__Health__V1__HealthCheckResponse answer = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;

    answer.status = status;
    cuzk_grpc_call_write(call, &answer.base);
}

static void look(struct cuzk_grpc_call *call)
{
    struct watching *watching = call->state;
    const serving_status status = watching->known ? now(call->server) : STATUS(SERVICE_UNKNOWN);

    pthread_mutex_lock(&call->lock);
    const bool over = call->gone || call->finished;
    const bool write = !over && !watching->writing && status != watching->told;

    if (write) {
        watching->writing = true;
        watching->told = status;
    }
    pthread_mutex_unlock(&call->lock);
    if (write)
        tell(call, status);
    if (!over)
        cuzk_grpc_call_set_timer(call, WATCH_MS, look);
}

static void written(struct cuzk_grpc_call *call, bool ok)
{
    struct watching *watching = call->state;

    (void)ok; /* closed comes too */
    pthread_mutex_lock(&call->lock);
    watching->writing = false;
    pthread_mutex_unlock(&call->lock);
}

static void run_watch(struct cuzk_grpc_call *call)
{
    struct watching *watching;
    struct cuzk_error error;
    bool known;

    if (call->state != NULL) /* the client has no more to say */
        return;
    if (call->message == NULL) {
        cuzk_grpc_call_fail(call, GRPC_STATUS_INVALID_ARGUMENT, 0, "the call has no message");
        return;
    }
    if (!read_service(call, &known))
        return;
    if (CUZK_NEW(&watching, 1, "health watch", &error) != CUZK_OK) {
        cuzk_grpc_call_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED, 1000, error.message);
        return;
    }
    watching->known = known;
    watching->told = STATUS(UNKNOWN);
    pthread_mutex_lock(&call->lock);
    call->state = watching;
    call->drop_state = cuzk_mem_free;
    pthread_mutex_unlock(&call->lock);
    look(call);
}

static void closed(struct cuzk_grpc_call *call, bool gone)
{
    (void)cuzk_grpc_call_stop_timer(call);
    if (gone)
        cuzk_grpc_call_fail(call, GRPC_STATUS_CANCELLED, 0, "the client is gone");
}

static const struct cuzk_rpc_method methods[] = {
    {.path = "/grpc.health.v1.Health/Check", .queue = CUZK_RPC_QUICK, .run = run_check},
    {.path = "/grpc.health.v1.Health/Watch",
     .queue = CUZK_RPC_QUICK,
     .stream = true,
     .run = run_watch,
     .written = written,
     .closed = closed},
};

const struct cuzk_rpc_group cuzk_rpc_health = {methods, sizeof methods / sizeof methods[0]};
