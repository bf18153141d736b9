#include "server/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/mem.h"
#include "server/http_state.h"
#include "server/metrics.h"
#include "server/page.h"
#include "server/status_json.h"
#include "server/web.h"

enum {
    CONNECTIONS_MOST = 256,
    STREAMS_MOST = 16,
    IDLE_MS = 10000,
    ANSWER_MS = 30000,
    HEARTBEAT_MS = 15000,
    HEADER_BYTES_MOST = 16384, /* of a request, and what an answer is buffered in */
    BACKLOG = 511,
};

static const char json_type[] = "application/json";

/* ---- answers ---- */

enum MHD_Result http_send(struct MHD_Connection *connection, unsigned code, const char *type,
                          struct MHD_Response *response)
{
    static const struct {
        const char *name, *value;
    } headers[] = {
        {"Cache-Control", "no-store"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
         "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Referrer-Policy", "no-referrer"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
    };

    if (response == NULL)
        return MHD_NO;
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++)
        MHD_add_response_header(response, headers[i].name, headers[i].value);
    if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    if (code == MHD_HTTP_SERVICE_UNAVAILABLE)
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, "5");
    if (code == MHD_HTTP_BAD_REQUEST || code == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    const enum MHD_Result result = MHD_queue_response(connection, code, response);

    MHD_destroy_response(response);
    return result;
}

enum MHD_Result http_send_text(struct MHD_Connection *connection, unsigned code, const char *text)
{
    return http_send(
        connection, code, "text/plain; charset=utf-8",
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT));
}

/* Hands a made text over, or says that there was no memory for it. */
static enum MHD_Result send_buffer(struct MHD_Connection *connection, const char *type,
                                   enum cuzk_status status, struct cuzk_buffer *buffer)
{
    if (status != CUZK_OK) {
        cuzk_buffer_clear(buffer);
        return http_send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory\n");
    }
    return http_send(
        connection, MHD_HTTP_OK, type,
        MHD_create_response_from_buffer_with_free_callback(buffer->length, buffer->bytes, cuzk_mem_free));
}

static void source_status(struct cuzk_http_server *server, struct cuzk_engine_status *out)
{
    server->options.source.status(server->options.source.context, out);
}

static enum MHD_Result send_metrics(struct cuzk_http_server *server, struct MHD_Connection *connection)
{
    struct cuzk_buffer buffer = {0};
    struct cuzk_engine_status status;
    struct cuzk_event_totals totals;

    source_status(server, &status);
    cuzk_event_log_totals(server->options.source.events, &totals);
    return send_buffer(connection, CUZK_METRICS_CONTENT_TYPE,
                       cuzk_metrics_write(&status, &totals, cuzk_buffer_sink(&buffer), NULL), &buffer);
}

static enum MHD_Result send_status(struct cuzk_http_server *server, struct MHD_Connection *connection)
{
    struct cuzk_buffer buffer = {0};
    struct cuzk_engine_status status;
    struct cuzk_json_writer json;

    source_status(server, &status);
    cuzk_json_write_init(&json, cuzk_buffer_sink(&buffer), true, NULL);
    cuzk_status_write_json(&status, &json);
    return send_buffer(connection, json_type, cuzk_json_write_finish(&json), &buffer);
}

static enum MHD_Result send_page(struct cuzk_http_server *server, struct MHD_Connection *connection)
{
    struct cuzk_buffer buffer = {0};
    struct cuzk_page_facts *facts;
    enum cuzk_status status = CUZK_NEW(&facts, 1, "page", NULL);

    if (status == CUZK_OK) {
        source_status(server, &facts->status);
        cuzk_event_log_totals(server->options.source.events, &facts->totals);
        facts->now_ns = cuzk_clock_ns();
        cuzk_rates_over(&server->rates, 60, &facts->minute);
        cuzk_rates_over(&server->rates, 600, &facts->ten_minutes);
        facts->recent_count = cuzk_recent_read(&server->recent, false, facts->recent, CUZK_PAGE_JOBS);
        facts->failed_count = cuzk_recent_read(&server->recent, true, facts->failed, CUZK_PAGE_FAILURES);
        status = cuzk_page_write(facts, cuzk_buffer_sink(&buffer), NULL);
    }
    cuzk_mem_free(facts);
    return send_buffer(connection, "text/html; charset=utf-8", status, &buffer);
}

static enum MHD_Result send_health(struct cuzk_http_server *server, struct MHD_Connection *connection)
{
    (void)server;
    return http_send_text(connection, MHD_HTTP_OK, "ok\n");
}

static enum MHD_Result send_ready(struct cuzk_http_server *server, struct MHD_Connection *connection)
{
    struct cuzk_engine_status status;

    source_status(server, &status);
    if (status.draining)
        return http_send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "draining: no new jobs are taken\n");
    if (!status.ready)
        return http_send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "keys are being loaded\n");
    return http_send_text(connection, MHD_HTTP_OK, "ready\n");
}

/* ---- who may ask ---- */

/* Whether text[0..n) is an IPv4 address, an IPv6 address in brackets, or localhost. */
static bool is_address(const char *text, size_t n)
{
    char host[INET6_ADDRSTRLEN + 2];
    struct in6_addr six;
    struct in_addr four;

    if (n == 0 || n >= sizeof host)
        return false;
    memcpy(host, text, n);
    host[n] = '\0';
    if (host[0] == '[' && host[n - 1] == ']') {
        host[n - 1] = '\0';
        return inet_pton(AF_INET6, host + 1, &six) == 1;
    }
    return strcasecmp(host, "localhost") == 0 || inet_pton(AF_INET, host, &four) == 1;
}

/* "HOST" or "HOST:PORT". A name other than localhost may have been pointed at this machine by anybody. */
static bool host_is_ours(const char *host)
{
    const char *after = host[0] == '[' ? strchr(host, ']') : host;
    const char *colon = after != NULL ? strchr(after, ':') : NULL;
    const size_t n = colon != NULL ? (size_t)(colon - host) : strlen(host);

    if (colon != NULL && (colon[1] == '\0' || strspn(colon + 1, "0123456789") != strlen(colon + 1)))
        return false;
    return is_address(host, n);
}

static bool origin_is_ours(const char *origin, const char *host)
{
    static const char scheme[] = "http://";

    return strncmp(origin, scheme, sizeof scheme - 1) == 0 && host != NULL &&
           strcasecmp(origin + sizeof scheme - 1, host) == 0;
}

/* NULL where the request may be answered. */
static const char *refuse(struct MHD_Connection *connection, unsigned *code)
{
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    const char *origin = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
    const char *length =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);

    *code = MHD_HTTP_BAD_REQUEST;
    if ((length != NULL && strcmp(length, "0") != 0) ||
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL)
        return "a request has no body here\n";
    *code = MHD_HTTP_FORBIDDEN;
    if (host != NULL && !host_is_ours(host))
        return "this daemon answers to its address or to localhost, not to other names\n";
    if (origin != NULL && !origin_is_ours(origin, host))
        return "only pages of this daemon itself may ask\n";
    return NULL;
}

/* ---- routes ---- */

static const struct {
    const char *path;
    enum MHD_Result (*send)(struct cuzk_http_server *server, struct MHD_Connection *connection);
} routes[] = {
    {"/", send_page},
    {"/metrics", send_metrics},
    {"/status", send_status},
    {"/events", http_send_events},
    {"/timeline", http_send_timeline},
    {"/health", send_health},
    {"/ready", send_ready},
};

static struct http_connection *slot_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info != NULL ? info->socket_context : NULL;
}

static enum MHD_Result answer(struct cuzk_http_server *server, struct MHD_Connection *connection,
                              const char *path, const char *method)
{
    unsigned code;
    const char *why = refuse(connection, &code);

    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return http_send_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
    if (why != NULL)
        return http_send_text(connection, code, why);
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++)
        if (strcmp(path, routes[i].path) == 0)
            return routes[i].send(server, connection);
    for (const struct cuzk_web_file *file = cuzk_web_files; file->path != NULL; file++)
        if (strcmp(path, file->path) == 0)
            return http_send(connection, MHD_HTTP_OK, file->type,
                             MHD_create_response_from_buffer(*file->length, (void *)(uintptr_t)file->bytes,
                                                             MHD_RESPMEM_PERSISTENT));
    return http_send_text(connection, MHD_HTTP_NOT_FOUND,
                          "nothing here; try /, /metrics, /status, /events, /timeline, /health, /ready\n");
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **request)
{
    struct cuzk_http_server *server = context;
    struct http_connection *slot = slot_of(connection);

    (void)version, (void)upload, (void)upload_size, (void)request;
    if (slot != NULL) {
        pthread_mutex_lock(&server->lock);
        slot->answering = true;
        slot->since_ns = cuzk_clock_ns();
        slot->streaming = strcmp(path, "/events") == 0;
        pthread_mutex_unlock(&server->lock);
    }
    return answer(server, connection, path, method);
}

static void completed(void *context, struct MHD_Connection *connection, void **request,
                      enum MHD_RequestTerminationCode code)
{
    struct cuzk_http_server *server = context;
    struct http_connection *slot = slot_of(connection);

    (void)request, (void)code;
    if (slot == NULL)
        return;
    pthread_mutex_lock(&server->lock);
    slot->answering = slot->streaming = false;
    slot->since_ns = cuzk_clock_ns();
    pthread_mutex_unlock(&server->lock);
}

/* ---- connections ---- */

/* With three quarters of the places taken, the connection that has waited longest without a request goes. */
static void make_room(struct cuzk_http_server *server)
{
    struct http_connection *oldest = NULL;
    unsigned used = 0;

    for (unsigned i = 0; i < server->options.connections_most; i++) {
        struct http_connection *slot = &server->connections[i];

        used += slot->used;
        if (slot->used && !slot->answering && (oldest == NULL || slot->since_ns < oldest->since_ns))
            oldest = slot;
    }
    if (4 * used >= 3 * server->options.connections_most && oldest != NULL)
        shutdown(oldest->socket, SHUT_RDWR);
}

static void notify(void *context, struct MHD_Connection *connection, void **slot_place,
                   enum MHD_ConnectionNotificationCode code)
{
    struct cuzk_http_server *server = context;

    pthread_mutex_lock(&server->lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

        make_room(server);
        *slot_place = NULL;
        for (unsigned i = 0; i < server->options.connections_most && info != NULL; i++)
            if (!server->connections[i].used) {
                server->connections[i] = (struct http_connection){
                    .used = true, .socket = info->connect_fd, .since_ns = cuzk_clock_ns()};
                *slot_place = &server->connections[i];
                break;
            }
    } else if (*slot_place != NULL) {
        ((struct http_connection *)*slot_place)->used = false;
    }
    pthread_mutex_unlock(&server->lock);
}

/* ---- start and stop ---- */

static enum cuzk_status parse_host(const char *host, uint16_t port, struct sockaddr_storage *out, bool *six,
                                   struct cuzk_error *err)
{
    struct sockaddr_in *four = (struct sockaddr_in *)out;
    struct sockaddr_in6 *sixth = (struct sockaddr_in6 *)out;
    const char *address = strcmp(host, "localhost") == 0 ? "127.0.0.1" : host;

    memset(out, 0, sizeof *out);
    *six = false;
    if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
        if (ntohl(four->sin_addr.s_addr) >> 24 == 127)
            return CUZK_OK;
    } else if (inet_pton(AF_INET6, address, &sixth->sin6_addr) == 1) {
        *six = true;
        sixth->sin6_family = AF_INET6;
        sixth->sin6_port = htons(port);
        if (IN6_IS_ADDR_LOOPBACK(&sixth->sin6_addr))
            return CUZK_OK;
    }
    return cuzk_error_set(err, CUZK_ARGUMENT,
                          "HTTP: %s is no address of the loopback; put a proxy with TLS before it", host);
}

static void put_defaults(struct cuzk_http_options *options)
{
    unsigned *const values[] = {&options->connections_most, &options->streams_most, &options->idle_ms,
                                &options->answer_ms, &options->heartbeat_ms};
    static const unsigned defaults[] = {CONNECTIONS_MOST, STREAMS_MOST, IDLE_MS, ANSWER_MS, HEARTBEAT_MS};

    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (*values[i] == 0)
            *values[i] = defaults[i];
}

/* Nothing here has a name that needs escapes, and "/status%00x" would be "/status". */
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text)
{
    (void)context, (void)connection;
    return strlen(text);
}

static enum cuzk_status start(struct cuzk_http_server *server, const struct sockaddr_storage *address,
                              bool six, struct cuzk_error *err)
{
    const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
                           (six ? (unsigned)MHD_USE_IPv6 : 0);

    errno = 0;
    server->daemon =
        MHD_start_daemon(flags, server->options.port, NULL, NULL, handle, server, MHD_OPTION_SOCK_ADDR,
                         (const struct sockaddr *)address, MHD_OPTION_NOTIFY_CONNECTION, notify, server,
                         MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_CONNECTION_LIMIT,
                         server->options.connections_most, MHD_OPTION_CONNECTION_TIMEOUT,
                         (server->options.answer_ms + 999) / 1000, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                         (size_t)HEADER_BYTES_MOST, MHD_OPTION_LISTEN_BACKLOG_SIZE, (unsigned)BACKLOG,
                         MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
                         MHD_OPTION_END); /* SO_REUSEADDR: a restart finds its port again */
    if (server->daemon == NULL)
        return cuzk_error_set(err, CUZK_IO, "HTTP: cannot listen on %s port %u: %s", server->options.host,
                              (unsigned)server->options.port, strerror(errno));
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT);

    server->port = info != NULL ? info->port : server->options.port;
    if (pthread_create(&server->watcher, NULL, http_watch, server) != 0)
        return cuzk_error_set(err, CUZK_MEMORY, "HTTP: no thread to follow the events");
    server->has_watcher = true;
    return CUZK_OK;
}

enum cuzk_status cuzk_http_start(const struct cuzk_http_options *options, struct cuzk_http_server **out,
                                 struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct cuzk_http_server *server;
    struct sockaddr_storage address;
    bool six;

    *out = NULL;
    CUZK_TRY(parse_host(options->host, options->port, &address, &six, err));
    CUZK_TRY(CUZK_NEW(&server, 1, "HTTP server", err));
    server->options = *options;
    put_defaults(&server->options);
    server->origin_ns = cuzk_clock_ns();
    pthread_mutex_init(&server->lock, NULL);
    cuzk_recent_init(&server->recent);
    cuzk_rates_init(&server->rates);
    CUZK_TRY_OUT(CUZK_NEW(&server->connections, server->options.connections_most, "connections", err));
    CUZK_TRY_OUT(start(server, &address, six, err));
    cuzk_log_line(options->log, CUZK_LOG_INFO, "HTTP on %s port %u", options->host, (unsigned)server->port);
    *out = server;
out:
    if (status != CUZK_OK)
        cuzk_http_stop(server);
    return status;
}

uint16_t cuzk_http_port(const struct cuzk_http_server *server)
{
    return server->port;
}

void cuzk_http_stop(struct cuzk_http_server *server)
{
    if (server == NULL)
        return;
    atomic_store(&server->stopping, true);
    if (server->has_watcher)
        pthread_join(server->watcher, NULL);
    http_wake_streams(server);
    if (server->daemon != NULL)
        MHD_stop_daemon(server->daemon);
    cuzk_recent_destroy(&server->recent);
    cuzk_rates_destroy(&server->rates);
    pthread_mutex_destroy(&server->lock);
    cuzk_mem_free(server->connections);
    cuzk_mem_free(server);
}
