/* Inside of server/http*.c. */
#ifndef CUZK_SERVER_HTTP_STATE_H
#define CUZK_SERVER_HTTP_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include <microhttpd.h>

#include "server/http.h"
#include "server/rates.h"
#include "server/recent.h"

struct http_stream; /* http_events.c */

/* A connection that is open. */
struct http_connection {
    bool used;
    bool answering; /* a whole request has come */
    bool streaming;
    int socket;
    uint64_t since_ns; /* opened, or its last answer ended, or its request came */
};

struct cuzk_http_server {
    struct cuzk_http_options options;
    struct MHD_Daemon *daemon;
    uint16_t port;
    uint64_t origin_ns;
    struct cuzk_recent recent;
    struct cuzk_rates rates;

    pthread_t watcher;
    bool has_watcher;
    atomic_bool stopping;

    pthread_mutex_t lock; /* of all below */
    struct http_connection *connections;
    struct http_stream *streams;
    unsigned stream_count;
};

/* The common headers, then the answer; gives the response up. */
enum MHD_Result http_send(struct MHD_Connection *connection, unsigned code, const char *type,
                          struct MHD_Response *response);

/* A short text of static storage. */
enum MHD_Result http_send_text(struct MHD_Connection *connection, unsigned code, const char *text);

/* /events and /timeline. */
enum MHD_Result http_send_events(struct cuzk_http_server *server, struct MHD_Connection *connection);
enum MHD_Result http_send_timeline(struct cuzk_http_server *server, struct MHD_Connection *connection);

/* New events may be there, or the server stops: streams that wait go on. */
void http_wake_streams(struct cuzk_http_server *server);

/* Follows the events until the server stops. */
void *http_watch(void *server);

#endif
