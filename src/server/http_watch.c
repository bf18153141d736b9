/* Follows the engine's events: jobs of late, rates, and streams that wait; ends connections that stand still.
 */
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "server/http_state.h"

enum {
    ROUND = 256,    /* events read at once */
    QUIET_MS = 200, /* longest wait: how soon stopping and old connections are noticed */
    GATHER_MS = 40, /* events of this time go out together */
};

static void end_old_connections(struct cuzk_http_server *server, uint64_t now)
{
    pthread_mutex_lock(&server->lock);
    for (unsigned i = 0; i < server->options.connections_most; i++) {
        struct http_connection *slot = &server->connections[i];
        const uint64_t most = slot->answering ? server->options.answer_ms : server->options.idle_ms;

        if (slot->used && !slot->streaming && now - slot->since_ns > most * CUZK_NS_PER_MS &&
            now > slot->since_ns)
            shutdown(slot->socket, SHUT_RDWR);
    }
    pthread_mutex_unlock(&server->lock);
}

static void take_events(struct cuzk_http_server *server, const struct cuzk_engine_event *events, size_t count)
{
    const struct cuzk_http_source *source = &server->options.source;
    char reason[CUZK_RECENT_REASON];

    for (size_t i = 0; i < count; i++) {
        const bool known = events[i].type == CUZK_EVENT_TYPE_FAILED && events[i].job != 0 &&
                           source->failure != NULL &&
                           source->failure(source->context, events[i].job, reason, sizeof reason);

        cuzk_recent_add(&server->recent, &events[i], known ? reason : NULL);
    }
}

static void sample(struct cuzk_http_server *server, uint64_t now)
{
    struct cuzk_engine_status status;
    struct cuzk_event_totals totals;

    if (!cuzk_rates_due(&server->rates, now))
        return;
    server->options.source.status(server->options.source.context, &status);
    cuzk_event_log_totals(server->options.source.events, &totals);
    cuzk_rates_add(&server->rates, now, &status, &totals);
}

void *http_watch(void *context)
{
    struct cuzk_http_server *server = context;
    struct cuzk_engine_event events[ROUND];
    uint64_t seen = 0;

    while (!atomic_load(&server->stopping)) {
        const struct timespec pause = cuzk_clock_timespec(GATHER_MS * CUZK_NS_PER_MS);
        size_t count;

        cuzk_event_log_wait(server->options.source.events, seen, QUIET_MS);
        while ((count = cuzk_event_log_read(server->options.source.events, seen, events, ROUND)) > 0) {
            take_events(server, events, count);
            seen = events[count - 1].number;
        }
        sample(server, cuzk_clock_ns());
        end_old_connections(server, cuzk_clock_ns());
        http_wake_streams(server);
        nanosleep(&pause, NULL);
    }
    return NULL;
}
