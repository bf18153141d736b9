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

/* ---- room ---- */

static bool resident(const struct engine_key *key)
{
    return key->state != ENGINE_KEY_COLD;
}

/* Whether a key finds room on a device beside those that are there. */
static bool has_room(const struct cuzk_engine *engine, const struct engine_circuit *circuit, unsigned device)
{
    const bool split = engine->knobs.value[CUZK_KNOB_DEVICE_LOCK] == CUZK_DEVICE_LOCK_SPLIT;
    const uint64_t budget = engine->devices[device].budget;
    uint64_t keys = circuit->key[device].need.key_device, unit = circuit->key[device].need.unit_device;
    uint64_t host = circuit->key[device].need.key_host,
             partition = circuit->witness_bytes + circuit->need.unit_host;

    for (unsigned i = 0; i < engine->circuit_count; i++) {
        const struct engine_circuit *other = &engine->circuits[i];

        for (unsigned d = 0; d < engine->device_count; d++) {
            if (!resident(&other->key[d]) || (other == circuit && d == device))
                continue;
            host += other->key[d].need.key_host;
            if (other->witness_bytes + other->need.unit_host > partition)
                partition = other->witness_bytes + other->need.unit_host;
            if (d != device)
                continue;
            keys += other->key[d].need.key_device;
            if (other->key[d].need.unit_device > unit)
                unit = other->key[d].need.unit_device;
        }
    }
    return (budget == 0 || keys + (split ? 2 : 1) * unit <= budget) &&
           (engine->host_budget == 0 || host + partition <= engine->host_budget);
}

/* The key that was used least recently and is not in use; NULL: none. Keys of other devices too: they may
 * hold host memory. */
static struct engine_circuit *victim(struct cuzk_engine *engine, unsigned device, unsigned *where)
{
    struct engine_circuit *best = NULL;

    for (unsigned pass = 0; pass < 2 && best == NULL; pass++)
        for (unsigned i = 0; i < engine->circuit_count; i++)
            for (unsigned d = 0; d < engine->device_count; d++) {
                const struct engine_key *key = &engine->circuits[i].key[d];

                if (key->state != ENGINE_KEY_HOT || key->references > 0 || (pass == 0) != (d == device) ||
                    (pass == 1 && key->need.key_host == 0))
                    continue;
                if (best == NULL || key->last_used < best->key[*where].last_used) {
                    best = &engine->circuits[i];
                    *where = d;
                }
            }
    return best;
}

/* What keys hold changed: the core plans with the rest. */
static void tell_core(struct cuzk_engine *engine, unsigned device)
{
    struct cuzk_sched_event on_host = {.kind = CUZK_EVENT_HOST_BASE},
                            on_device = {.kind = CUZK_EVENT_DEVICE_BASE, .base = {.device = device}};

    pthread_mutex_lock(&engine->lock);
    pthread_mutex_lock(&engine->keys_lock);
    for (unsigned i = 0; i < engine->circuit_count; i++)
        for (unsigned d = 0; d < engine->device_count; d++)
            if (resident(&engine->circuits[i].key[d])) {
                on_host.base.bytes += engine->circuits[i].key[d].need.key_host;
                if (d == device)
                    on_device.base.bytes += engine->circuits[i].key[d].need.key_device;
            }
    pthread_mutex_unlock(&engine->keys_lock);
    engine->keys_host = on_host.base.bytes;
    engine->devices[device].keys_bytes = on_device.base.bytes;
    engine_step(engine, on_host, NULL);
    engine_step(engine, on_device, NULL);
    pthread_mutex_unlock(&engine->lock);
}

/* Until the units that have buffers on the device leave what the keys were promised. */
static void wait_for_buffers(struct cuzk_engine *engine, unsigned device)
{
    const struct engine_device *place = &engine->devices[device];

    pthread_mutex_lock(&engine->lock);
    engine->room_waiters++;
    while (!engine->stopping && place->budget != 0) {
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

static void evict(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device)
{
    struct cuzk_device *held = engine->devices[device].device;
    struct engine_key *key = &circuit->key[device];
    const uint64_t begin = cuzk_clock_ns();

    key->state = ENGINE_KEY_LOADING; /* nobody takes it now */
    pthread_mutex_unlock(&engine->keys_lock);
    (void)held->ops->unload(held, &circuit->id, NULL); /* a lost device has no keys */
    engine_note(engine, CUZK_EVENT_TYPE_KEY_EVICTED, NULL, engine->devices[device].lanes[0].name, begin);
    pthread_mutex_lock(&engine->keys_lock);
    key->state = ENGINE_KEY_COLD;
    key->keep = false;
    pthread_mutex_unlock(&engine->keys_lock);
    tell_core(engine, device);
    pthread_mutex_lock(&engine->keys_lock);
    pthread_cond_broadcast(&engine->keys_changed);
}

static enum cuzk_status load(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device,
                             struct cuzk_error *err)
{
    struct cuzk_device *held = engine->devices[device].device;
    struct engine_key *key = &circuit->key[device];
    const uint64_t begin = cuzk_clock_ns();
    const struct cuzk_progress progress = {.cancelled = engine_is_stopping, .context = engine};

    key->state = ENGINE_KEY_LOADING;
    pthread_mutex_unlock(&engine->keys_lock);
    tell_core(engine, device);
    wait_for_buffers(engine, device);
    enum cuzk_status status = CUZK_OK;

    if (engine->verify) /* the bytes are the expected ones; read once, then remembered */
        status = cuzk_parameter_check(circuit->path, &circuit->id, &progress, err);
    if (status == CUZK_OK)
        status = held->ops->load(held, &circuit->id, circuit->path, &progress, err);
    if (status == CUZK_OK)
        engine_note(engine, CUZK_EVENT_TYPE_KEY_LOADED, NULL, engine->devices[device].lanes[0].name, begin);
    pthread_mutex_lock(&engine->keys_lock);
    key->state = status == CUZK_OK ? ENGINE_KEY_HOT : ENGINE_KEY_COLD;
    key->keep |= status == CUZK_OK;
    if (status != CUZK_OK) {
        pthread_mutex_unlock(&engine->keys_lock);
        tell_core(engine, device);
        pthread_mutex_lock(&engine->keys_lock);
    }
    pthread_cond_broadcast(&engine->keys_changed);
    return status;
}

bool engine_is_stopping(void *context)
{
    struct cuzk_engine *engine = context;

    pthread_mutex_lock(&engine->lock);
    const bool stopping = engine->stopping;

    pthread_mutex_unlock(&engine->lock);
    return stopping;
}

/* Makes room and loads, or waits; OK with the key still cold: look again. wait false: BUSY instead. */
static enum cuzk_status make_hot(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device,
                                 bool wait, struct cuzk_error *err)
{
    struct engine_device *place = &engine->devices[device];
    struct engine_circuit *other;
    unsigned where = 0;

    if (has_room(engine, circuit, device)) {
        if (place->waits_for_room == circuit)
            place->waits_for_room = NULL;
        return load(engine, circuit, device, err);
    }
    other = victim(engine, device, &where);
    if (other != NULL) {
        evict(engine, other, where);
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
    struct engine_key *key = &circuit->key[device];
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&engine->keys_lock);
    for (;;) {
        if (engine->keys_stopping) {
            status = cuzk_error_set(err, CUZK_CANCELLED, "the engine stops");
            break;
        }
        const bool others_first = place->waits_for_room != NULL && place->waits_for_room != circuit;

        if (others_first || key->state == ENGINE_KEY_LOADING) {
            pthread_cond_wait(&engine->keys_changed, &engine->keys_lock);
        } else if (key->state == ENGINE_KEY_HOT) {
            key->references++;
            key->last_used = ++engine->keys_clock;
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
    struct engine_key *key = &circuit->key[device];

    pthread_mutex_lock(&engine->keys_lock);
    if (key->references > 0)
        key->references--;
    if (key->references == 0)
        pthread_cond_broadcast(&engine->keys_changed);
    pthread_mutex_unlock(&engine->keys_lock);
}

void engine_key_settle(struct cuzk_engine *engine, struct engine_circuit *circuit, unsigned device)
{
    if (engine->knobs.value[CUZK_KNOB_SRS] != CUZK_SRS_PER_PROOF)
        return;
    pthread_mutex_lock(&engine->keys_lock);
    if (circuit->key[device].state == ENGINE_KEY_HOT && circuit->key[device].references == 0)
        evict(engine, circuit, device);
    pthread_mutex_unlock(&engine->keys_lock);
}

/* ---- lost devices ---- */

void engine_keys_lost(struct cuzk_engine *engine, unsigned device)
{
    pthread_mutex_lock(&engine->keys_lock);
    for (unsigned i = 0; i < engine->circuit_count; i++) {
        struct engine_key *key = &engine->circuits[i].key[device];

        if (key->state == ENGINE_KEY_HOT)
            key->state = ENGINE_KEY_COLD;
    }
    pthread_cond_broadcast(&engine->keys_changed);
    pthread_mutex_unlock(&engine->keys_lock);
    tell_core(engine, device);
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
        struct engine_key *key = &circuit->key[device];
        struct cuzk_error err = {0};

        if (key->keep && key->state == ENGINE_KEY_COLD && has_room(engine, circuit, device) &&
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
    struct engine_key *key = &circuit->key[device];
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&engine->keys_lock);
    while (status == CUZK_OK && key->state != ENGINE_KEY_HOT) {
        if (engine->keys_stopping)
            status = cuzk_error_set(err, CUZK_CANCELLED, "the engine stops");
        else if (key->state == ENGINE_KEY_LOADING)
            pthread_cond_wait(&engine->keys_changed, &engine->keys_lock);
        else
            status = make_hot(engine, circuit, device, false, err);
        *already = false;
    }
    if (status == CUZK_OK) {
        key->keep = true;
        key->last_used = ++engine->keys_clock;
    }
    pthread_mutex_unlock(&engine->keys_lock);
    return status;
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
    *load_ms = *already ? 0 : (cuzk_clock_ns() - begin) / 1000000;
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
        if (engine->circuits[i].id.kind == id.kind && engine->circuits[i].id.sector_size == id.sector_size)
            circuit = &engine->circuits[i];
    pthread_mutex_unlock(&engine->lock);
    if (circuit == NULL)
        return CUZK_OK;
    pthread_mutex_lock(&engine->keys_lock);
    for (unsigned d = 0; d < engine->device_count; d++)
        if (circuit->key[d].references > 0 || circuit->key[d].state == ENGINE_KEY_LOADING)
            status = cuzk_error_set(err, CUZK_BUSY, "%s: jobs use its key on device %u", name, d);
    for (unsigned d = 0; d < engine->device_count && status == CUZK_OK; d++) {
        circuit->key[d].keep = false;
        if (circuit->key[d].state != ENGINE_KEY_HOT || circuit->key[d].references > 0)
            continue;
        *was_loaded = true;
        *freed += circuit->key[d].need.key_device + circuit->key[d].need.key_host;
        evict(engine, circuit, d);
    }
    pthread_mutex_unlock(&engine->keys_lock);
    return status;
}

static void *preloader_main(void *argument)
{
    struct cuzk_engine *engine = argument;

    for (size_t i = 0; i < engine->preload_count && !engine_is_stopping(engine); i++) {
        struct cuzk_error err = {0};
        uint64_t ms;
        bool already;

        if (cuzk_engine_preload(engine, engine->preload[i], &already, &ms, &err) == CUZK_OK)
            cuzk_log_line(engine->log, CUZK_LOG_INFO, "%s is loaded (%llu ms)", engine->preload[i],
                          (unsigned long long)ms);
        else
            cuzk_log_line(engine->log, CUZK_LOG_WARNING, "%s is not loaded: %s", engine->preload[i],
                          err.message);
    }
    pthread_mutex_lock(&engine->lock);
    engine->ready = true;
    pthread_mutex_unlock(&engine->lock);
    return NULL;
}

enum cuzk_status engine_preloader_start(struct cuzk_engine *engine, struct cuzk_error *err)
{
    if (pthread_create(&engine->preloader, NULL, preloader_main, engine) != 0)
        return cuzk_error_set(err, CUZK_IO, "cannot start the engine's preloader");
    engine->preloader_started = true;
    return CUZK_OK;
}
