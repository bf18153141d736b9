/* Keys on devices: loaded when a unit needs them, evicted when another key needs their place.
 *
 * The keys of a device leave room for the buffers of the largest unit of any of them (two under a split
 * lock), so that what the core admits fits. A key with references stays. Who waits for room goes before all
 * who come later, or a busy key would starve it. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/engine_state.h"
#include "srs/digest.h"

/* What keys hold changed: the core plans with the rest. */
void engine_keys_tell_core(struct cuzk_engine *engine, unsigned device)
{
    struct cuzk_sched_event on_host = {.kind = CUZK_EVENT_HOST_BASE},
                            on_device = {.kind = CUZK_EVENT_DEVICE_BASE, .base = {.device = device}};

    pthread_mutex_lock(&engine->lock);
    pthread_mutex_lock(&engine->keys_lock);
    on_host.base.bytes = cuzk_tiers_host_bytes(&engine->tiers);
    on_device.base.bytes = cuzk_tiers_device_bytes(&engine->tiers, device);
    engine->keys_yield = cuzk_tiers_coolest(&engine->tiers) != CUZK_TIERS_NONE;
    pthread_mutex_unlock(&engine->keys_lock);
    engine->keys_host = on_host.base.bytes;
    engine->devices[device].keys_bytes = on_device.base.bytes;
    engine_step(engine, on_host, NULL);
    engine_step(engine, on_device, NULL);
    pthread_mutex_unlock(&engine->lock);
}

/* Until the units that have buffers on the device leave what the keys were promised. */
void engine_keys_await_buffers(struct cuzk_engine *engine, unsigned device)
{
    const struct engine_device *place = &engine->devices[device];

    pthread_mutex_lock(&engine->lock);
    engine->room_waiters++;
    while (!engine->closing && place->budget != 0) {
        struct cuzk_sched_stats stats;

        cuzk_sched_stats(engine->sched, &stats);
        if (stats.device_used[device] + place->keys_bytes <= place->budget)
            break;
        pthread_cond_wait(&engine->room_changed, &engine->lock);
    }
    engine->room_waiters--;
    pthread_mutex_unlock(&engine->lock);
}

/* ---- loading and evicting: keys_lock is held, but for the device's work ---- */

/* A key that moved, as an event and, where jobs are kept, as a line: a job that waited for it is explained.
 */
static void note_key(struct cuzk_engine *engine, const struct engine_circuit *circuit, unsigned device,
                     enum cuzk_event_type type, uint64_t begin)
{
    const char *lane = engine->devices[device].lanes[0].name;
    char name[CUZK_CIRCUIT_NAME];

    engine_note(engine, type, NULL, lane, begin);
    if (engine->journal == NULL)
        return;
    cuzk_circuit_id_format(&circuit->id, name);
    cuzk_log_line(engine->log, CUZK_LOG_INFO, "key of %s: %s %s (%llu ms)", name,
                  type == CUZK_EVENT_TYPE_KEY_LOADED ? "loaded on" : "evicted from", lane,
                  (unsigned long long)((cuzk_clock_ns() - begin) / CUZK_NS_PER_MS));
}

static void evict(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device)
{
    struct cuzk_device *held = engine->devices[device].device;
    const uint64_t begin = cuzk_clock_ns();

    cuzk_tiers_begin(&engine->tiers, circuit->index, device); /* nobody takes it now */
    pthread_mutex_unlock(&engine->keys_lock);
    (void)held->ops->unload(held, &circuit->id, NULL); /* a lost device has no keys */
    note_key(engine, circuit, device, CUZK_EVENT_TYPE_KEY_EVICTED, begin);
    pthread_mutex_lock(&engine->keys_lock);
    cuzk_tiers_end(&engine->tiers, circuit->index, device, false);
    engine->tiers.key[circuit->index].place[device].keep = false;
    engine_warm_wake(engine);
    pthread_mutex_unlock(&engine->keys_lock);
    engine_keys_tell_core(engine, device);
    pthread_mutex_lock(&engine->keys_lock);
    pthread_cond_broadcast(&engine->keys_changed);
}

static enum cuzk_status load(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device,
                             struct cuzk_error *err)
{
    struct cuzk_device *held = engine->devices[device].device;
    const uint64_t begin = cuzk_clock_ns();
    const struct cuzk_progress progress = {.cancelled = engine_is_stopping, .context = engine};

    cuzk_tiers_begin(&engine->tiers, circuit->index, device);
    pthread_mutex_unlock(&engine->keys_lock);
    engine_keys_tell_core(engine, device);
    engine_keys_await_buffers(engine, device);
    enum cuzk_status status = CUZK_OK;

    if (engine->verify) /* the bytes are the expected ones; read once, then remembered */
        status = cuzk_parameter_check(circuit->path, &circuit->id, &progress, err);
    if (status == CUZK_OK)
        status = held->ops->load(held, &circuit->id, circuit->path, &progress, err);
    if (status == CUZK_OK)
        note_key(engine, circuit, device, CUZK_EVENT_TYPE_KEY_LOADED, begin);
    pthread_mutex_lock(&engine->keys_lock);
    cuzk_tiers_end(&engine->tiers, circuit->index, device, status == CUZK_OK);
    engine_warm_wake(engine);
    if (status == CUZK_OK)
        engine_derive_want(engine, circuit);
    if (status != CUZK_OK) {
        pthread_mutex_unlock(&engine->keys_lock);
        engine_keys_tell_core(engine, device);
        pthread_mutex_lock(&engine->keys_lock);
    }
    pthread_cond_broadcast(&engine->keys_changed);
    return status;
}

bool engine_is_stopping(void *context)
{
    struct cuzk_engine *engine = context;

    pthread_mutex_lock(&engine->lock);
    const bool closing = engine->closing;

    pthread_mutex_unlock(&engine->lock);
    return closing;
}

/* Makes room and loads, or waits; OK with the key still cold: look again. wait false: BUSY instead. */
static enum cuzk_status make_hot(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device,
                                 bool wait, struct cuzk_error *err)
{
    struct engine_device *place = &engine->devices[device];
    const struct cuzk_tiers_step step = cuzk_tiers_next(&engine->tiers, circuit->index, device);

    if (step.action == CUZK_TIERS_LOAD) {
        if (place->waits_for_room == circuit)
            place->waits_for_room = NULL;
        return load(engine, circuit, device, err);
    }
    if (engine_derive_yield(engine)) { /* rather than another key */
        pthread_cond_wait(&engine->keys_changed, &engine->keys_lock);
        return CUZK_OK;
    }
    if (step.action == CUZK_TIERS_EVICT) {
        evict(engine, &engine->circuits[step.key], step.device);
        return CUZK_OK;
    }
    if (step.action == CUZK_TIERS_COOL) {
        engine_warm_cool(engine, &engine->circuits[step.key]);
        return CUZK_OK;
    }
    if (!wait)
        return cuzk_error_set(err, CUZK_MEMORY, "%s: other keys are in use and leave no room", circuit->name);
    if (place->waits_for_room == NULL)
        place->waits_for_room = circuit;
    pthread_cond_wait(&engine->keys_changed, &engine->keys_lock);
    return CUZK_OK;
}

enum cuzk_status engine_key_acquire(struct cuzk_engine *engine, struct engine_circuit *circuit,
                                    unsigned device, struct cuzk_error *err)
{
    struct engine_device *place = &engine->devices[device];
    const struct cuzk_tiers_place *key = &engine->tiers.key[circuit->index].place[device];
    const unsigned bit = 1U << device;
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&engine->keys_lock);
    for (;;) {
        if (engine->keys_stopping) {
            status = cuzk_error_set(err, CUZK_CANCELLED, "the engine stops");
            break;
        }
        const bool others_first = place->waits_for_room != NULL && place->waits_for_room != circuit;

        const bool suspect = (atomic_load(&circuit->suspect) & bit) != 0;

        if (others_first || key->state == CUZK_TIERS_MOVING || (suspect && key->references > 0)) {
            pthread_cond_wait(&engine->keys_changed, &engine->keys_lock);
        } else if (suspect) { /* its file is opened, and looked at, anew */
            atomic_fetch_and(&circuit->suspect, ~bit);
            if (key->state == CUZK_TIERS_THERE)
                evict(engine, circuit, device);
        } else if (key->state == CUZK_TIERS_THERE) {
            cuzk_tiers_acquire(&engine->tiers, circuit->index, device);
            break;
        } else {
            status = make_hot(engine, circuit, device, true, err);
            if (status != CUZK_OK)
                break;
        }
    }
    if (status != CUZK_OK && place->waits_for_room == circuit) {
        place->waits_for_room = NULL;
        pthread_cond_broadcast(&engine->keys_changed);
    }
    pthread_mutex_unlock(&engine->keys_lock);
    return status;
}

void engine_key_release(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device)
{
    pthread_mutex_lock(&engine->keys_lock);
    cuzk_tiers_release(&engine->tiers, circuit->index, device);
    if (engine->tiers.key[circuit->index].place[device].references == 0)
        pthread_cond_broadcast(&engine->keys_changed);
    pthread_mutex_unlock(&engine->keys_lock);
}

void engine_key_settle(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device)
{
    if (engine->knobs.value[CUZK_KNOB_SRS] != CUZK_SRS_PER_PROOF)
        return;
    pthread_mutex_lock(&engine->keys_lock);
    const struct cuzk_tiers_place *key = &engine->tiers.key[circuit->index].place[device];

    if (key->state == CUZK_TIERS_THERE && key->references == 0)
        evict(engine, circuit, device);
    pthread_mutex_unlock(&engine->keys_lock);
}

/* ---- lost devices ---- */

void engine_keys_lost(struct cuzk_engine *engine, unsigned device)
{
    pthread_mutex_lock(&engine->keys_lock);
    cuzk_tiers_lost(&engine->tiers, device);
    pthread_cond_broadcast(&engine->keys_changed);
    pthread_mutex_unlock(&engine->keys_lock);
    engine_keys_tell_core(engine, device);
}

void engine_keys_reload(struct cuzk_engine *engine, unsigned device)
{
    unsigned count;

    pthread_mutex_lock(&engine->lock);
    count = engine->circuit_count;
    pthread_mutex_unlock(&engine->lock);
    pthread_mutex_lock(&engine->keys_lock);
    for (unsigned i = 0; i < count; i++) {
        struct engine_circuit *circuit = &engine->circuits[i];
        struct cuzk_error err = {0};

        if (engine->tiers.key[i].place[device].keep &&
            cuzk_tiers_next(&engine->tiers, i, device).action == CUZK_TIERS_LOAD &&
            load(engine, circuit, device, &err) != CUZK_OK)
            cuzk_log_line(engine->log, CUZK_LOG_WARNING, "device %u: %s is not loaded again: %s", device,
                          circuit->name, err.message);
    }
    pthread_mutex_unlock(&engine->keys_lock);
}

/* ---- asked for by name ---- */

/* `circuit` is known: hot on a device, without a reference. */
static enum cuzk_status preload_on(struct cuzk_engine *engine, struct engine_circuit *circuit,
                                   unsigned device, bool *already, struct cuzk_error *err)
{
    const struct cuzk_tiers_place *key = &engine->tiers.key[circuit->index].place[device];
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&engine->keys_lock);
    while (status == CUZK_OK && key->state != CUZK_TIERS_THERE) {
        if (engine->keys_stopping)
            status = cuzk_error_set(err, CUZK_CANCELLED, "the engine stops");
        else if (key->state == CUZK_TIERS_MOVING)
            pthread_cond_wait(&engine->keys_changed, &engine->keys_lock);
        else
            status = make_hot(engine, circuit, device, false, err);
        *already = false;
    }
    if (status == CUZK_OK)
        cuzk_tiers_touch(&engine->tiers, circuit->index, device);
    pthread_mutex_unlock(&engine->keys_lock);
    return status;
}

bool engine_key_renew(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device)
{
    const struct cuzk_tiers_place *key = &engine->tiers.key[circuit->index].place[device];
    struct cuzk_error err = {0};
    bool already;

    pthread_mutex_lock(&engine->keys_lock);
    const bool is_free = key->state == CUZK_TIERS_THERE && key->references == 0;

    if (is_free)
        evict(engine, circuit, device);
    pthread_mutex_unlock(&engine->keys_lock);
    if (is_free && preload_on(engine, circuit, device, &already, &err) != CUZK_OK &&
        !engine_is_stopping(engine))
        cuzk_log_line(engine->log, CUZK_LOG_WARNING, "device %u: %s is not loaded again: %s", device,
                      circuit->name, err.message);
    return is_free;
}

enum cuzk_status cuzk_engine_preload(struct cuzk_engine *engine, const char *name, bool *already,
                                     uint64_t *load_ms, struct cuzk_error *err)
{
    const uint64_t begin = cuzk_clock_ns();
    const struct cuzk_witness_layout *layout;
    struct engine_circuit *circuit;
    struct cuzk_circuit_id id;

    *already = true;
    *load_ms = 0;
    CUZK_TRY(cuzk_circuit_id_parse(name, &id, err));
    CUZK_TRY(engine_circuit_find(engine, &id, &circuit, err));
    if (engine->verify)
        CUZK_TRY(engine_circuit_layout(engine, circuit, &layout, err));
    for (unsigned d = 0; d < engine->device_count; d++)
        CUZK_TRY(preload_on(engine, circuit, d, already, err));
    pthread_mutex_lock(&engine->keys_lock);
    cuzk_tiers_name(&engine->tiers, circuit->index);
    engine_warm_wake(engine);
    pthread_mutex_unlock(&engine->keys_lock);
    *load_ms = *already ? 0 : (cuzk_clock_ns() - begin) / CUZK_NS_PER_MS;
    return CUZK_OK;
}

enum cuzk_status cuzk_engine_evict(struct cuzk_engine *engine, const char *name, bool *was_loaded,
                                   uint64_t *freed, struct cuzk_error *err)
{
    struct engine_circuit *circuit = NULL;
    struct cuzk_circuit_id id;
    enum cuzk_status status = CUZK_OK;

    *was_loaded = false;
    *freed = 0;
    CUZK_TRY(cuzk_circuit_id_parse(name, &id, err));
    pthread_mutex_lock(&engine->lock);
    for (unsigned i = 0; i < engine->circuit_count; i++)
        if (cuzk_circuit_id_equal(&engine->circuits[i].id, &id))
            circuit = &engine->circuits[i];
    pthread_mutex_unlock(&engine->lock);
    if (circuit == NULL)
        return CUZK_OK;
    struct cuzk_tiers_key *key = &engine->tiers.key[circuit->index];

    pthread_mutex_lock(&engine->keys_lock);
    for (unsigned d = 0; d < engine->device_count; d++)
        if (key->place[d].references > 0 || key->place[d].state == CUZK_TIERS_MOVING)
            status = cuzk_error_set(err, CUZK_BUSY, "%s: jobs use its key on device %u", name, d);
    if (status == CUZK_OK)
        cuzk_tiers_give_up(&engine->tiers, circuit->index);
    /* before the lock is given up: whoever keeps files warm would cool it, and it is freed here */
    if (status == CUZK_OK && key->warm == CUZK_TIERS_THERE) {
        *was_loaded = true;
        *freed += key->file_bytes;
        engine_warm_cool(engine, circuit);
    }
    for (unsigned d = 0; d < engine->device_count && status == CUZK_OK; d++) {
        if (key->place[d].state != CUZK_TIERS_THERE || key->place[d].references > 0)
            continue;
        *was_loaded = true;
        *freed += key->place[d].need.key_device + key->place[d].need.key_host;
        evict(engine, circuit, d);
    }
    pthread_mutex_unlock(&engine->keys_lock);
    return status;
}

void cuzk_engine_preload_noted(struct cuzk_engine *engine, const char *name)
{
    struct cuzk_error err = {0};
    uint64_t ms;
    bool already;

    if (engine_is_stopping(engine))
        return;
    if (cuzk_engine_preload(engine, name, &already, &ms, &err) == CUZK_OK)
        cuzk_log_line(engine->log, CUZK_LOG_INFO, "%s is hot on every device (%llu ms)", name,
                      (unsigned long long)ms);
    else if (!engine_is_stopping(engine))
        cuzk_log_line(engine->log, CUZK_LOG_WARNING, "%s is not hot on every device: %s", name, err.message);
}

/* WinningPoSt has a deadline of seconds: its keys come first, wherever their parameters are there. */
static void preload_critical(struct cuzk_engine *engine)
{
    const char *directory = cuzk_parameter_directory(engine->params_directory);

    for (size_t i = 0; i < cuzk_circuit_id_count(); i++) {
        char path[CUZK_PARAMETER_PATH], name[CUZK_CIRCUIT_NAME];
        struct cuzk_circuit_id id;

        cuzk_circuit_id_at(i, &id);
        if (id.kind != CUZK_CIRCUIT_WINNING ||
            cuzk_parameter_find(directory, &id, ".params", path, NULL) != CUZK_OK)
            continue;
        cuzk_circuit_id_format(&id, name);
        cuzk_engine_preload_noted(engine, name);
    }
}

static void *preloader_main(void *argument)
{
    struct cuzk_engine *engine = argument;

    if (engine->winning_hot && engine->verify && engine->knobs.value[CUZK_KNOB_SRS] != CUZK_SRS_PER_PROOF)
        preload_critical(engine);
    for (size_t i = 0; i < engine->preload_count; i++)
        cuzk_engine_preload_noted(engine, engine->preload[i]);
    engine_warm_settle(engine);
    pthread_mutex_lock(&engine->lock);
    engine->ready = true;
    pthread_mutex_unlock(&engine->lock);
    engine_derive_begin(engine);
    engine_warm_keep(engine);
    return NULL;
}

enum cuzk_status engine_preloader_start(struct cuzk_engine *engine, struct cuzk_error *err)
{
    if (pthread_create(&engine->preloader, NULL, preloader_main, engine) != 0)
        return cuzk_error_set(err, CUZK_IO, "cannot start the engine's preloader");
    engine->preloader_started = true;
    return CUZK_OK;
}
