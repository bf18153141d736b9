#include "server/notify.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef CUZK_HAVE_SYSTEMD
#include <systemd/sd-daemon.h>
#endif

#include "base/clock.h"
#include "base/mem.h"

enum { STATUS_MS = 5000, UNREADY_MS = 100 };

struct cuzk_notify {
    struct cuzk_engine *engine;
    uint64_t watchdog_ms; /* half of what the manager waits; 0: it does not */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop;
};

static void say(const char *text)
{
#ifdef CUZK_HAVE_SYSTEMD
    (void)sd_notify(0, text);
#else
    (void)text;
#endif
}

static uint64_t watchdog_ms(void)
{
#ifdef CUZK_HAVE_SYSTEMD
    uint64_t microseconds = 0;

    if (sd_watchdog_enabled(0, &microseconds) > 0)
        return microseconds / 2000 > 0 ? microseconds / 2000 : 1;
#endif
    return 0;
}

/* Asking takes the engine's lock: where the engine hangs so does this, and no WATCHDOG comes. */
static void tell_status(struct cuzk_notify *notify, struct cuzk_engine_status *status, bool first)
{
    uint64_t pending = 0, running = 0, done = 0, failed = 0;
    char text[256];

    cuzk_engine_status(notify->engine, status);
    for (unsigned kind = 0; kind < CUZK_PROOF_KINDS; kind++) {
        pending += status->queue[kind].pending;
        running += status->queue[kind].running;
        done += status->completed[kind];
        failed += status->failed[kind];
    }
    snprintf(text, sizeof text,
             "%s%sSTATUS=%s%" PRIu64 " waiting, %" PRIu64 " running, %" PRIu64 " done, %" PRIu64 " failed",
             first ? "READY=1\n" : "", notify->watchdog_ms > 0 ? "WATCHDOG=1\n" : "",
             status->draining                    ? "draining: "
             : cuzk_engine_ready(notify->engine) ? ""
                                                 : "loading keys: ",
             pending, running, done, failed);
    say(text);
}

static void *run(void *context)
{
    struct cuzk_notify *notify = context;
    struct cuzk_engine_status status;
    bool ready = false;

    pthread_mutex_lock(&notify->lock);
    while (!notify->stop) {
        pthread_mutex_unlock(&notify->lock);
        const bool now_ready = cuzk_engine_ready(notify->engine);

        if (ready || now_ready)
            tell_status(notify, &status, !ready);
        ready = ready || now_ready;
        pthread_mutex_lock(&notify->lock);
        const uint64_t pause = !ready ? UNREADY_MS
                               : notify->watchdog_ms > 0 && notify->watchdog_ms < STATUS_MS
                                   ? notify->watchdog_ms
                                   : STATUS_MS;
        const uint64_t end = cuzk_clock_ns() + pause * CUZK_NS_PER_MS;
        const struct timespec until = cuzk_clock_timespec(end);

        while (!notify->stop && cuzk_clock_ns() < end)
            if (pthread_cond_clockwait(&notify->changed, &notify->lock, CLOCK_MONOTONIC, &until) != 0)
                break;
    }
    pthread_mutex_unlock(&notify->lock);
    return NULL;
}

enum cuzk_status cuzk_notify_create(struct cuzk_engine *engine, struct cuzk_notify **out,
                                    struct cuzk_error *err)
{
    struct cuzk_notify *notify;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&notify, 1, "notices", err));
    notify->engine = engine;
    notify->watchdog_ms = watchdog_ms();
    pthread_mutex_init(&notify->lock, NULL);
    pthread_cond_init(&notify->changed, NULL);
    if (pthread_create(&notify->thread, NULL, run, notify) != 0) {
        pthread_cond_destroy(&notify->changed);
        pthread_mutex_destroy(&notify->lock);
        cuzk_mem_free(notify);
        return cuzk_error_set(err, CUZK_MEMORY, "notices: no thread");
    }
    *out = notify;
    return CUZK_OK;
}

void cuzk_notify_destroy(struct cuzk_notify *notify)
{
    if (notify == NULL)
        return;
    say("STOPPING=1");
    pthread_mutex_lock(&notify->lock);
    notify->stop = true;
    pthread_cond_signal(&notify->changed);
    pthread_mutex_unlock(&notify->lock);
    pthread_join(notify->thread, NULL);
    pthread_cond_destroy(&notify->changed);
    pthread_mutex_destroy(&notify->lock);
    cuzk_mem_free(notify);
}

void cuzk_notify_reloading(void)
{
    char text[64];

    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, cuzk_clock_ns() / 1000);
    say(text);
}

void cuzk_notify_reloaded(void)
{
    say("READY=1");
}
