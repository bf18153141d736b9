/* Derived keys that are missing are made in the background, while the parameters as they are serve, and taken
 * up at a quiet moment. One at a time, by a thread that lets all others go first; the memory that it takes is
 * planned beside keys and units, and given back where a key waits for it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/engine_state.h"
#include "srs/cache.h"
#include "srs/derived_key.h"

enum {
    DERIVE_THREADS = 2,
    DERIVE_DEVICE = 0,     /* the first: whichever it is, the file serves all */
    DERIVE_POINT = 160,    /* bytes of the device a point of the domain (srs/derived_job.h) */
    DERIVE_ROW = 200,      /* of the host, a row */
    DERIVE_VARIABLE = 16,  /* the same, a variable */
    DERIVE_SAY_S = 30,     /* between two lines of the log */
    DERIVE_LOOK_MS = 1000, /* whether the moment is quiet */
};

/* ---- what is asked for ---- */

void engine_derive_want(struct cuzk_engine *engine, struct engine_circuit *circuit)
{
    struct engine_circuit **place = &engine->derive_queue;

    if (engine->derive == NULL || circuit->derive_asked || circuit->path_bytes == 0)
        return;
    circuit->derive_asked = true;
    while (*place != NULL)
        place = &(*place)->next_derive;
    circuit->next_derive = NULL;
    *place = circuit;
    pthread_cond_signal(&engine->derive_wake);
}

bool engine_derive_yield(struct cuzk_engine *engine)
{
    engine->derive_yields = engine->derive_runs;
    return engine->derive_runs;
}

void engine_derive_begin(struct cuzk_engine *engine)
{
    pthread_mutex_lock(&engine->keys_lock);
    engine->derive_may = true;
    pthread_cond_signal(&engine->derive_wake);
    pthread_mutex_unlock(&engine->keys_lock);
}

/* ---- one of them ---- */

struct making {
    struct cuzk_engine *engine;
    struct engine_circuit *circuit;
    pthread_mutex_t lock; /* report comes from two threads */
    uint64_t said_ns;
};

static bool is_unwanted(void *context)
{
    struct cuzk_engine *engine = ((struct making *)context)->engine;

    pthread_mutex_lock(&engine->keys_lock);
    const bool unwanted = engine->keys_stopping || engine->derive_yields;

    pthread_mutex_unlock(&engine->keys_lock);
    return unwanted;
}

static void say(void *context, const char *stage, uint64_t done, uint64_t total)
{
    struct making *making = context;
    const uint64_t now = cuzk_clock_ns();

    pthread_mutex_lock(&making->lock);
    const bool due = now - making->said_ns >= DERIVE_SAY_S * UINT64_C(1000000000);

    if (due)
        making->said_ns = now;
    pthread_mutex_unlock(&making->lock);
    if (due)
        cuzk_log_line(making->engine->log, CUZK_LOG_INFO, "derived key of %s: %s, %.0f%%",
                      making->circuit->name, stage, total > 0 ? 100.0 * (double)done / (double)total : 0.0);
}

/* Bytes on the device and on the host; all on the host where the device works there. */
static void plan(const struct cuzk_engine *engine, const struct engine_circuit *circuit, uint64_t *on_device,
                 uint64_t *on_host)
{
    const struct cuzk_cs_counts *total = &circuit->circuit.total;

    *on_device = (uint64_t)circuit->domain * DERIVE_POINT;
    *on_host =
        (uint64_t)circuit->domain * DERIVE_ROW + ((uint64_t)total->inputs + total->aux) * DERIVE_VARIABLE;
    if (!engine->tiers.in_host[DERIVE_DEVICE])
        return;
    *on_host += *on_device;
    *on_device = 0;
}

static bool set_aside(struct cuzk_engine *engine, const struct engine_circuit *circuit)
{
    uint64_t on_device, on_host;

    plan(engine, circuit, &on_device, &on_host);
    pthread_mutex_lock(&engine->keys_lock);
    engine->derive_yields = false;
    engine->derive_runs = cuzk_tiers_reserve(&engine->tiers, DERIVE_DEVICE, on_device, on_host);
    const bool has_room = engine->derive_runs;

    pthread_mutex_unlock(&engine->keys_lock);
    if (!has_room) {
        cuzk_log_line(
            engine->log, CUZK_LOG_WARNING,
            "%s has no derived key, and there is no room to make one beside what is loaded: %.1f GiB "
            "on the device and %.1f GiB on the host",
            circuit->name, (double)on_device / (1 << 30), (double)on_host / (1 << 30));
        return false;
    }
    engine_keys_tell_core(engine, DERIVE_DEVICE);
    engine_keys_await_buffers(engine, DERIVE_DEVICE);
    return true;
}

static void give_back(struct cuzk_engine *engine)
{
    pthread_mutex_lock(&engine->keys_lock);
    cuzk_tiers_unreserve(&engine->tiers, DERIVE_DEVICE);
    engine->derive_runs = engine->derive_yields = false;
    engine_warm_wake(engine);
    pthread_mutex_unlock(&engine->keys_lock);
    engine_keys_tell_core(engine, DERIVE_DEVICE);
    pthread_mutex_lock(&engine->keys_lock);
    pthread_cond_broadcast(&engine->keys_changed);
    pthread_mutex_unlock(&engine->keys_lock);
}

/* As cuzk_backend_open has it: "cpu", "cuda:UUID". */
static void name_device(struct cuzk_engine *engine, char *name, size_t room)
{
    const struct cuzk_device_facts *facts = &engine->devices[DERIVE_DEVICE].facts;

    pthread_mutex_lock(&engine->lock); /* the keeper asks for them again */
    if (strcmp(facts->backend, facts->id) == 0)
        snprintf(name, room, "%s", facts->id);
    else
        snprintf(name, room, "%s:%s", facts->backend, facts->id);
    pthread_mutex_unlock(&engine->lock);
}

static bool make(struct cuzk_engine *engine, struct engine_circuit *circuit)
{
    char device[sizeof engine->devices[0].facts.backend + sizeof engine->devices[0].facts.id];
    struct making making = {engine, circuit, PTHREAD_MUTEX_INITIALIZER, cuzk_clock_ns()};
    const struct cuzk_progress progress = {say, is_unwanted, &making};
    const struct cuzk_derived_job job = {.id = &circuit->id,
                                         .params_path = circuit->path,
                                         .device = device,
                                         .threads = DERIVE_THREADS,
                                         .background = true,
                                         .progress = &progress};
    const uint64_t begin = cuzk_clock_ns();
    struct cuzk_error note = {0}, err = {0};
    bool made = false;

    name_device(engine, device, sizeof device);
    cuzk_log_line(engine->log, CUZK_LOG_INFO, "%s has no derived key: one is made in the background",
                  circuit->name);
    const enum cuzk_status status = engine->derive(&job, &made, &note, &err);

    pthread_mutex_destroy(&making.lock);
    if (status == CUZK_OK && made)
        cuzk_log_line(engine->log, CUZK_LOG_INFO, "derived key of %s: made in %.0f s", circuit->name,
                      (double)(cuzk_clock_ns() - begin) / 1e9);
    else if (status == CUZK_CANCELLED && !engine_is_stopping(engine))
        cuzk_log_line(engine->log, CUZK_LOG_INFO, "derived key of %s: given up, a key needs the room",
                      circuit->name);
    else if (status != CUZK_OK && status != CUZK_CANCELLED)
        cuzk_log_line(engine->log, CUZK_LOG_WARNING, "derived key of %s: %s", circuit->name, err.message);
    return status == CUZK_OK && made;
}

/* ---- taking it up ---- */

static bool is_quiet(struct cuzk_engine *engine)
{
    struct cuzk_sched_stats stats;

    pthread_mutex_lock(&engine->lock);
    cuzk_sched_stats(engine->sched, &stats);
    pthread_mutex_unlock(&engine->lock);
    return stats.alive == 0;
}

/* Binds the key anew wherever it is, when nothing is to be proved. A key that went meanwhile comes with the
 * derived one by itself. */
static void take_up(struct cuzk_engine *engine, struct engine_circuit *circuit)
{
    for (unsigned d = 0; d < engine->device_count; d++)
        for (bool waits = true; waits;) {
            if (is_quiet(engine) && engine_key_renew(engine, circuit, d)) {
                cuzk_log_line(engine->log, CUZK_LOG_INFO,
                              "device %u: %s was loaded again for its derived key", d, circuit->name);
                break;
            }
            pthread_mutex_lock(&engine->keys_lock);
            waits =
                !engine->keys_stopping && engine->tiers.key[circuit->index].place[d].state != CUZK_TIERS_AWAY;
            if (waits)
                engine_cond_wait(&engine->derive_wake, &engine->keys_lock,
                                 cuzk_clock_ns() + DERIVE_LOOK_MS * UINT64_C(1000000));
            pthread_mutex_unlock(&engine->keys_lock);
        }
}

/* ---- the thread ---- */

static void derive(struct cuzk_engine *engine, struct engine_circuit *circuit)
{
    char place[CUZK_PARAMETER_PATH];

    if (!cuzk_cache_place(circuit->path, CUZK_DERIVED_SUFFIX, place) || access(place, F_OK) == 0 ||
        !set_aside(engine, circuit))
        return;
    const bool made = make(engine, circuit);

    give_back(engine);
    if (made)
        take_up(engine, circuit);
}

static void *deriver_main(void *argument)
{
    struct cuzk_engine *engine = argument;

    pthread_mutex_lock(&engine->keys_lock);
    while (!engine->keys_stopping) {
        struct engine_circuit *circuit = engine->derive_queue;

        if (circuit == NULL || !engine->derive_may) {
            pthread_cond_wait(&engine->derive_wake, &engine->keys_lock);
            continue;
        }
        engine->derive_queue = circuit->next_derive;
        pthread_mutex_unlock(&engine->keys_lock);
        derive(engine, circuit);
        pthread_mutex_lock(&engine->keys_lock);
    }
    pthread_mutex_unlock(&engine->keys_lock);
    return NULL;
}

enum cuzk_status engine_deriver_start(struct cuzk_engine *engine, struct cuzk_error *err)
{
    if (engine->derive == NULL)
        return CUZK_OK;
    if (pthread_create(&engine->deriver, NULL, deriver_main, engine) != 0)
        return cuzk_error_set(err, CUZK_IO, "cannot start the engine's deriver");
    engine->deriver_started = true;
    return CUZK_OK;
}
