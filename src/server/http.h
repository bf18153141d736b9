/*
 * What people and Prometheus see of a running engine, over HTTP/1.1. Nothing can be changed through it and
 * nothing is read from disk.
 *
 *   /          the dashboard; plain numbers without JavaScript
 *   /metrics   Prometheus (server/metrics.h)
 *   /status    JSON (server/status_json.h)
 *   /events    server-sent events: id is the event's number, Last-Event-ID (or ?after=N) resumes
 *   /timeline  the last events as a timeline for `cuzk trace`
 *   /health    200 while the daemon answers
 *   /ready     200 when jobs are taken, else 503
 *
 * Only GET and HEAD, without a body. Requests whose Host is neither an address nor `localhost` are refused,
 * so that no web page can reach it by giving the loopback a name of its own; so are those of another origin.
 * All is served by one thread, which never waits for a client; a second one follows the events.
 */
#ifndef CUZK_SERVER_HTTP_H
#define CUZK_SERVER_HTTP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/engine.h"

/* What is shown. Called from the server's threads, from several at once. */
struct cuzk_http_source {
    void (*status)(void *context, struct cuzk_engine_status *out);
    /* Why a job failed; false where it is not known. */
    bool (*failure)(void *context, uint64_t job, char *text, size_t room);
    struct cuzk_event_log *events;
    void *context;
};

/* Of an engine, which must outlive the server. */
struct cuzk_http_source cuzk_http_engine_source(struct cuzk_engine *engine);

struct cuzk_http_options {
    const char *host; /* "127.0.0.1", "::1" or "localhost" */
    uint16_t port;    /* 0: any that is free */
    struct cuzk_http_source source;
    const struct cuzk_log *log; /* may be NULL */

    /* 0: the default in brackets. */
    unsigned connections_most; /* at once [256]; the oldest idle one goes when they run short */
    unsigned streams_most;     /* of /events at once [16]; 503 beyond */
    unsigned idle_ms;          /* a connection without a whole request ends [10000] */
    unsigned answer_ms;        /* an answer that the client did not take in this time ends, and a stream that
                                  stands still for it [30000] */
    unsigned heartbeat_ms;     /* a comment is sent on quiet streams [15000] */
};

struct cuzk_http_server;

/* Errors: ARGUMENT (host is not of the loopback), IO (the port is taken), MEMORY. */
enum cuzk_status cuzk_http_start(const struct cuzk_http_options *options, struct cuzk_http_server **out,
                                 struct cuzk_error *err);

/* The port it listens on. */
uint16_t cuzk_http_port(const struct cuzk_http_server *server);

/* Ends all connections and threads; NULL is fine. */
void cuzk_http_stop(struct cuzk_http_server *server);

#endif
