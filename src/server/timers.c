#include "server/timers.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

struct cuzk_timers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool running, ending;
    struct cuzk_timer **heap; /* from 1 */
    size_t count, room;
};

static void put(struct cuzk_timers *timers, size_t place, struct cuzk_timer *timer)
{
    timers->heap[place] = timer;
    timer->place = place;
}

static void rise(struct cuzk_timers *timers, size_t place, struct cuzk_timer *timer)
{
    while (place > 1 && timers->heap[place / 2]->due_ns > timer->due_ns) {
        put(timers, place, timers->heap[place / 2]);
        place /= 2;
    }
    put(timers, place, timer);
}

static void sink(struct cuzk_timers *timers, size_t place, struct cuzk_timer *timer)
{
    for (size_t child; (child = 2 * place) <= timers->count; place = child) {
        if (child < timers->count && timers->heap[child + 1]->due_ns < timers->heap[child]->due_ns)
            child++;
        if (timers->heap[child]->due_ns >= timer->due_ns)
            break;
        put(timers, place, timers->heap[child]);
    }
    put(timers, place, timer);
}

static void take_out(struct cuzk_timers *timers, struct cuzk_timer *timer)
{
    const size_t place = timer->place;
    struct cuzk_timer *last = timers->heap[timers->count--];

    timer->place = 0;
    if (last == timer)
        return;
    if (place > 1 && timers->heap[place / 2]->due_ns > last->due_ns)
        rise(timers, place, last);
    else
        sink(timers, place, last);
}

static void *serve(void *context)
{
    struct cuzk_timers *timers = context;

    pthread_mutex_lock(&timers->lock);
    while (!timers->ending) {
        if (timers->count == 0) {
            pthread_cond_wait(&timers->changed, &timers->lock);
            continue;
        }
        struct cuzk_timer *timer = timers->heap[1];

        if (timer->due_ns > cuzk_clock_ns()) {
            const struct timespec due = cuzk_clock_timespec(timer->due_ns);

            pthread_cond_timedwait(&timers->changed, &timers->lock, &due);
            continue;
        }
        take_out(timers, timer);
        pthread_mutex_unlock(&timers->lock);
        timer->fire(timer);
        pthread_mutex_lock(&timers->lock);
    }
    pthread_mutex_unlock(&timers->lock);
    return NULL;
}

enum cuzk_status cuzk_timers_create(struct cuzk_timers **out, struct cuzk_error *err)
{
    struct cuzk_timers *timers = NULL;
    pthread_condattr_t clock;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&timers, 1, "timers", err));
    pthread_mutex_init(&timers->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&timers->changed, &clock);
    pthread_condattr_destroy(&clock);
    const int failed = pthread_create(&timers->thread, NULL, serve, timers);

    timers->running = failed == 0;
    if (!timers->running) {
        cuzk_timers_destroy(timers);
        return cuzk_error_set(err, CUZK_IO, "starting a thread: %s", strerror(failed));
    }
    *out = timers;
    return CUZK_OK;
}

void cuzk_timers_destroy(struct cuzk_timers *timers)
{
    if (timers == NULL)
        return;
    if (timers->running) {
        pthread_mutex_lock(&timers->lock);
        timers->ending = true;
        pthread_cond_signal(&timers->changed);
        pthread_mutex_unlock(&timers->lock);
        pthread_join(timers->thread, NULL);
    }
    pthread_cond_destroy(&timers->changed);
    pthread_mutex_destroy(&timers->lock);
    cuzk_mem_free((void *)timers->heap);
    cuzk_mem_free(timers);
}

static enum cuzk_status make_room(struct cuzk_timers *timers, struct cuzk_error *err)
{
    /* place 0 is not used */
    return CUZK_GROW(&timers->heap, timers->count + 2, timers->room > 0 ? timers->count + 1 : 0,
                     &timers->room, "timers", err);
}

enum cuzk_status cuzk_timer_start(struct cuzk_timers *timers, struct cuzk_timer *timer, uint64_t after_ms,
                                  struct cuzk_error *err)
{
    const uint64_t now = cuzk_clock_ns();

    pthread_mutex_lock(&timers->lock);
    const enum cuzk_status status = make_room(timers, err);

    if (status == CUZK_OK) {
        timer->due_ns =
            after_ms > (UINT64_MAX - now) / CUZK_NS_PER_MS ? UINT64_MAX : now + after_ms * CUZK_NS_PER_MS;
        timers->count++;
        rise(timers, timers->count, timer);
        if (timer->place == 1)
            pthread_cond_signal(&timers->changed);
    }
    pthread_mutex_unlock(&timers->lock);
    return status;
}

bool cuzk_timer_stop(struct cuzk_timers *timers, struct cuzk_timer *timer)
{
    pthread_mutex_lock(&timers->lock);
    const bool set = timer->place != 0;

    if (set)
        take_out(timers, timer);
    pthread_mutex_unlock(&timers->lock);
    return set;
}
