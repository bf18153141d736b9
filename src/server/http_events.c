/* /events and /timeline: answers that are made as the client takes them, a piece at a time. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/timeline.h"
#include "engine/event_timeline.h"
#include "server/event_json.h"
#include "server/http_state.h"

enum {
    PIECE = 16384,       /* what MHD asks for at once */
    TEXT_ROOM = 1024,    /* of one event */
    LAG_MOST = 4096,     /* events that a stream may be behind; older ones are left out and counted */
    TIMELINE_ROUND = 64, /* events read at once */
    UNREAD_MOST =
        65536 /* bytes that the kernel keeps for a reader; who leaves more unread is given up soon */
};

/* Text with a limit, as a sink. */
struct piece {
    char text[TEXT_ROOM];
    size_t used;
};

static enum cuzk_status piece_write(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct piece *piece = context;

    if (n > sizeof piece->text - piece->used)
        return cuzk_error_set(err, CUZK_MEMORY, "an event is longer than its room");
    memcpy(piece->text + piece->used, bytes, n);
    piece->used += n;
    return CUZK_OK;
}

/* ---- /events ---- */

struct http_stream {
    struct cuzk_http_server *server;
    struct MHD_Connection *connection;
    struct http_stream *next;
    uint64_t after; /* number of the last event sent */
    uint64_t spoke_ns;
    int socket;
    bool greeted, suspended, gone;
};

/* One message; its length, 0 where it does not fit. */
static size_t put_event(const struct http_stream *stream, const struct cuzk_engine_event *event, char *out,
                        size_t room)
{
    struct piece piece = {.used = 0};
    struct cuzk_json_writer json;

    cuzk_json_write_init(&json, (struct cuzk_sink){piece_write, &piece}, false, NULL);
    cuzk_event_write_json(event, stream->server->origin_ns, &json);
    if (cuzk_json_write_finish(&json) != CUZK_OK)
        return 0;
    const int n =
        snprintf(out, room, "id: %" PRIu64 "\ndata: %.*s\n\n", event->number, (int)piece.used, piece.text);

    return n > 0 && (size_t)n < room ? (size_t)n : 0;
}

/* What a reader needs to place events: the server's time, and how many events were left out. */
static size_t put_clock(struct http_stream *stream, uint64_t now, uint64_t missed, char *out, size_t room)
{
    const int n =
        snprintf(out, room, "%sevent: clock\ndata: {\"now_us\":%" PRIu64 ",\"missed\":%" PRIu64 "}\n\n",
                 stream->greeted ? "" : "retry: 2000\n", (now - stream->server->origin_ns) / 1000, missed);

    if (n <= 0 || (size_t)n >= room)
        return 0;
    stream->greeted = true;
    stream->spoke_ns = now;
    return (size_t)n;
}

/* Leaves out what a stream is too far behind for; the number of events left out. */
static uint64_t skip(struct http_stream *stream, uint64_t *newest)
{
    struct cuzk_event_log *log = stream->server->options.source.events;
    struct cuzk_engine_event event;
    uint64_t missed = 0;

    *newest = cuzk_event_log_last(log);
    if (stream->after > *newest)
        stream->after = 0; /* a number of another life of the daemon */
    if (*newest - stream->after > LAG_MOST) {
        missed = *newest - LAG_MOST - stream->after;
        stream->after = *newest - LAG_MOST;
    }
    if (cuzk_event_log_read(log, stream->after, &event, 1) == 1 && event.number > stream->after + 1) {
        missed += event.number - 1 - stream->after;
        stream->after = event.number - 1;
    }
    return missed;
}

/* Called under the lock. */
static size_t fill(struct http_stream *stream, char *out, size_t room)
{
    const uint64_t now = cuzk_clock_ns();
    struct cuzk_engine_event event;
    uint64_t newest;
    size_t used = 0;
    const uint64_t missed = skip(stream, &newest);

    if (!stream->greeted || missed > 0 ||
        now - stream->spoke_ns >= stream->server->options.heartbeat_ms * CUZK_NS_PER_MS)
        used = put_clock(stream, now, missed, out, room);
    while (stream->after < newest &&
           cuzk_event_log_read(stream->server->options.source.events, stream->after, &event, 1) == 1) {
        const size_t n = put_event(stream, &event, out + used, room - used);

        if (n == 0 && used > 0)
            break;
        stream->after = event.number;
        used += n;
    }
    if (used > 0)
        stream->spoke_ns = now;
    return used;
}

static ssize_t read_events(void *context, uint64_t position, char *out, size_t room)
{
    struct http_stream *stream = context;
    struct cuzk_http_server *server = stream->server;
    ssize_t result;

    (void)position;
    pthread_mutex_lock(&server->lock);
    if (atomic_load(&server->stopping) || stream->gone) {
        pthread_mutex_unlock(&server->lock);
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    result = (ssize_t)fill(stream, out, room);
    if (result == 0) {
        stream->suspended = true;
        MHD_suspend_connection(stream->connection);
    }
    pthread_mutex_unlock(&server->lock);
    return result;
}

/* A connection that waits is not looked at, so a reader's going would be noticed with the next message only.
 */
static bool reader_is_gone(const struct http_stream *stream)
{
    struct pollfd reader = {.fd = stream->socket, .events = POLLRDHUP};

    return stream->socket >= 0 && poll(&reader, 1, 0) > 0 &&
           (reader.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void http_wake_streams(struct cuzk_http_server *server)
{
    const uint64_t now = cuzk_clock_ns();
    const uint64_t newest = cuzk_event_log_last(server->options.source.events);

    pthread_mutex_lock(&server->lock);
    for (struct http_stream *stream = server->streams; stream != NULL; stream = stream->next)
        if (stream->suspended && ((stream->gone = reader_is_gone(stream)) || stream->after < newest ||
                                  atomic_load(&server->stopping) ||
                                  now - stream->spoke_ns >= server->options.heartbeat_ms * CUZK_NS_PER_MS)) {
            stream->suspended = false;
            MHD_resume_connection(stream->connection);
        }
    pthread_mutex_unlock(&server->lock);
}

static void free_stream(void *context)
{
    struct http_stream *stream = context;

    pthread_mutex_lock(&stream->server->lock);
    for (struct http_stream **at = &stream->server->streams; *at != NULL; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            stream->server->stream_count--;
            break;
        }
    pthread_mutex_unlock(&stream->server->lock);
    cuzk_mem_free(stream);
}

/* Where the client wants to go on; 0 where it does not say. */
static uint64_t resume_point(struct MHD_Connection *connection)
{
    const char *text = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Last-Event-ID");

    if (text == NULL)
        text = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "after");
    return text != NULL && text[0] >= '0' && text[0] <= '9' ? strtoull(text, NULL, 10) : 0;
}

enum MHD_Result http_send_events(struct cuzk_http_server *server, struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    const int unread_most = UNREAD_MOST;
    struct http_stream *stream;
    struct MHD_Response *response;

    if (info != NULL)
        (void)setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &unread_most, sizeof unread_most);
    if (CUZK_NEW(&stream, 1, "stream", NULL) != CUZK_OK)
        return http_send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory\n");
    *stream = (struct http_stream){.server = server,
                                   .connection = connection,
                                   .after = resume_point(connection),
                                   .socket = info != NULL ? info->connect_fd : -1};
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_events, stream, free_stream);
    if (response == NULL) {
        cuzk_mem_free(stream);
        return MHD_NO;
    }
    pthread_mutex_lock(&server->lock);
    const bool room = server->stream_count < server->options.streams_most;

    if (room) {
        stream->next = server->streams;
        server->streams = stream;
        server->stream_count++;
    }
    pthread_mutex_unlock(&server->lock);
    if (!room) {
        MHD_destroy_response(response);
        return http_send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                              "as many event streams as are served at once are open\n");
    }
    return http_send(connection, MHD_HTTP_OK, "text/event-stream", response);
}

/* ---- /timeline ---- */

struct tape {
    struct cuzk_event_log *log;
    uint64_t after, last, origin_ns;
    enum { TAPE_HEAD, TAPE_EVENTS, TAPE_TAIL, TAPE_END } at;
    bool any;
};

/* The earliest begin of events (after, last]. */
static uint64_t earliest(struct cuzk_event_log *log, uint64_t after, uint64_t last)
{
    struct cuzk_engine_event events[TIMELINE_ROUND];
    struct cuzk_timeline_event span;
    uint64_t first = UINT64_MAX;
    size_t count;

    while (after < last && (count = cuzk_event_log_read(log, after, events, TIMELINE_ROUND)) > 0) {
        for (size_t i = 0; i < count; i++) {
            cuzk_engine_event_span(&events[i], &span);
            if (span.begin_ns < first)
                first = span.begin_ns;
        }
        after = events[count - 1].number;
    }
    return first == UINT64_MAX ? 0 : first;
}

static size_t put_tape_event(struct tape *tape, const struct cuzk_engine_event *event, char *out, size_t room)
{
    struct piece piece = {.used = 0};
    struct cuzk_timeline_event span;
    struct cuzk_json_writer json;

    cuzk_engine_event_span(event, &span);
    cuzk_json_write_init(&json, (struct cuzk_sink){piece_write, &piece}, false, NULL);
    cuzk_timeline_write_event(&span, tape->origin_ns, &json);
    if (cuzk_json_write_finish(&json) != CUZK_OK || piece.used + 1 > room)
        return 0;
    if (tape->any)
        *out++ = ',';
    memcpy(out, piece.text, piece.used);
    return piece.used + tape->any;
}

static ssize_t read_tape(void *context, uint64_t position, char *out, size_t room)
{
    static const char head[] = "{\"cuzk_timeline\":1,\"title\":\"cuzk engine\",\"events\":[", tail[] = "]}\n";
    struct tape *tape = context;
    struct cuzk_engine_event event;
    size_t used = 0;

    (void)position;
    if (room < TEXT_ROOM)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    if (tape->at == TAPE_HEAD) {
        tape->at = TAPE_EVENTS;
        memcpy(out, head, sizeof head - 1);
        return sizeof head - 1;
    }
    while (tape->at == TAPE_EVENTS) {
        if (tape->after >= tape->last || cuzk_event_log_read(tape->log, tape->after, &event, 1) == 0) {
            tape->at = TAPE_TAIL;
            break;
        }
        const size_t n = put_tape_event(tape, &event, out + used, room - used);

        if (n == 0 && used > 0)
            return (ssize_t)used;
        tape->any = tape->any || n > 0;
        tape->after = event.number;
        used += n;
    }
    if (used > 0)
        return (ssize_t)used;
    if (tape->at == TAPE_END)
        return MHD_CONTENT_READER_END_OF_STREAM;
    tape->at = TAPE_END;
    memcpy(out, tail, sizeof tail - 1);
    return sizeof tail - 1;
}

enum MHD_Result http_send_timeline(struct cuzk_http_server *server, struct MHD_Connection *connection)
{
    struct cuzk_event_log *log = server->options.source.events;
    struct MHD_Response *response;
    struct tape *tape;

    if (CUZK_NEW(&tape, 1, "timeline", NULL) != CUZK_OK)
        return http_send_text(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "out of memory\n");
    tape->log = log;
    tape->last = cuzk_event_log_last(log);
    tape->after = resume_point(connection);
    tape->origin_ns = earliest(log, tape->after, tape->last);
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_tape, tape, cuzk_mem_free);
    if (response == NULL) {
        cuzk_mem_free(tape);
        return MHD_NO;
    }
    return http_send(connection, MHD_HTTP_OK, "application/json", response);
}
