/* A device in this process: keys and proofs on a backend of backend/choice.h. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "backend/choice.h"
#include "base/mem.h"
#include "base/pool.h"
#include "engine/device.h"
#include "engine/device_local.h"
#include "engine/device_need.h"
#include "engine/resident_key.h"
#include "groth16/proving.h"

struct local_key {
    struct cuzk_resident_key *resident; /* NULL: this place is free */
    unsigned users;                     /* slots */
};

/* How far a unit has come on the device. */
enum reached { NOWHERE, UPLOADED, DIVIDED, SUMMED };

struct local_slot {
    /* under the device's lock */
    bool running;
    struct local_key *key; /* NULL: no unit */
    /* of the thread that runs a stage */
    struct cuzk_proving *proving;
    enum reached reached;
    const struct cuzk_device *device;
    struct cuzk_progress progress;
    atomic_bool abandoned;
};

struct local_device {
    struct cuzk_device base;
    struct cuzk_local_opener opener;
    char choice[128];
    struct cuzk_pool *pool;
    pthread_mutex_t loading; /* one key at a time; before the other */
    pthread_mutex_t lock;
    struct cuzk_backend *backend; /* changes only in restart */
    bool lost;
    struct local_slot *slots;
    struct local_key keys[CUZK_SCHED_CIRCUITS_MOST];
};

static struct local_device *self(struct cuzk_device *device)
{
    return (struct local_device *)device;
}

static enum cuzk_status lost(const struct local_device *device, struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_DEVICE_LOST, "device %s: lost", device->choice);
}

/* ---- facts ---- */

static enum cuzk_status facts(struct cuzk_device *base, struct cuzk_device_facts *out, struct cuzk_error *err)
{
    struct local_device *device = self(base);
    struct cuzk_backend_facts facts;

    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&device->lock);
    if (device->backend == NULL) {
        pthread_mutex_unlock(&device->lock);
        return lost(device, err);
    }
    device->backend->ops->facts(device->backend, &facts);
    snprintf(out->backend, sizeof out->backend, "%s", device->backend->ops->name);
    pthread_mutex_unlock(&device->lock);
    snprintf(out->name, sizeof out->name, "%s", facts.device);
    snprintf(out->id, sizeof out->id, "%s", facts.id);
    out->memory_total = facts.total_bytes;
    out->memory_free = facts.free_bytes;
    out->memory_peak = facts.peak_bytes;
    return CUZK_OK;
}

/* Under the lock. */
static void apply_limit(struct local_device *device)
{
    if (device->backend != NULL)
        device->backend->memory_limit = __atomic_load_n(&device->base.memory_limit, __ATOMIC_RELAXED);
}

static enum cuzk_status need(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                             struct cuzk_device_need *out, struct cuzk_error *err)
{
    struct local_device *device = self(base);

    pthread_mutex_lock(&device->lock);
    apply_limit(device);
    const enum cuzk_status status = device->backend == NULL
                                        ? lost(device, err)
                                        : cuzk_device_need_estimate(device->backend, circuit, out, NULL, err);

    pthread_mutex_unlock(&device->lock);
    return status;
}

/* ---- keys ---- */

/* Under the lock. */
static struct local_key *find_key(struct local_device *device, const struct cuzk_circuit_id *circuit)
{
    for (size_t i = 0; i < CUZK_SCHED_CIRCUITS_MOST; i++) {
        const struct cuzk_resident_key *key = device->keys[i].resident;

        if (key != NULL && cuzk_circuit_id_equal(&key->circuit.id, circuit))
            return &device->keys[i];
    }
    return NULL;
}

static enum cuzk_status store_key(struct local_device *device, struct cuzk_resident_key *resident,
                                  struct cuzk_error *err)
{
    for (size_t i = 0; i < CUZK_SCHED_CIRCUITS_MOST; i++)
        if (device->keys[i].resident == NULL) {
            device->keys[i] = (struct local_key){.resident = resident};
            return CUZK_OK;
        }
    return cuzk_error_set(err, CUZK_MEMORY, "device %s: %d keys at most", device->choice,
                          CUZK_SCHED_CIRCUITS_MOST);
}

static enum cuzk_status load(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                             const char *params_path, const struct cuzk_progress *progress,
                             struct cuzk_error *err)
{
    struct local_device *device = self(base);
    enum cuzk_status status = CUZK_OK;
    struct cuzk_resident_key *resident = NULL;

    pthread_mutex_lock(&device->loading);
    pthread_mutex_lock(&device->lock);
    const bool there = find_key(device, circuit) != NULL;

    apply_limit(device);
    if (device->lost)
        status = lost(device, err);
    pthread_mutex_unlock(&device->lock);
    if (status == CUZK_OK && !there)
        status =
            cuzk_resident_key_open(device->backend, circuit, params_path, progress, NULL, &resident, err);
    pthread_mutex_lock(&device->lock);
    if (status == CUZK_DEVICE_LOST)
        device->lost = true;
    if (status == CUZK_OK && !there && device->lost)
        status = lost(device, err);
    if (status == CUZK_OK && !there)
        status = store_key(device, resident, err);
    pthread_mutex_unlock(&device->lock);
    if (status != CUZK_OK)
        cuzk_resident_key_close(resident);
    pthread_mutex_unlock(&device->loading);
    return status;
}

static enum cuzk_status unload(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                               struct cuzk_error *err)
{
    struct local_device *device = self(base);
    enum cuzk_status status = CUZK_OK;
    struct cuzk_resident_key *resident = NULL;

    pthread_mutex_lock(&device->loading);
    pthread_mutex_lock(&device->lock);
    struct local_key *key = find_key(device, circuit);

    if (device->lost) {
        status = lost(device, err);
    } else if (key != NULL && key->users != 0) {
        status =
            cuzk_error_set(err, CUZK_BUSY, "device %s: %u units use the key", device->choice, key->users);
    } else if (key != NULL) {
        resident = key->resident;
        key->resident = NULL;
    }
    pthread_mutex_unlock(&device->lock);
    cuzk_resident_key_close(resident);
    pthread_mutex_unlock(&device->loading);
    return status;
}

/* ---- units ---- */

static bool is_abandoned(void *context)
{
    const struct local_slot *slot = context;
    const struct cuzk_device *device = slot->device;

    return atomic_load(&slot->abandoned) || (device->stop != NULL && device->stop(device->stop_context));
}

/* The unit leaves its slot. Nobody runs a stage of it. */
static void leave(struct local_device *device, struct local_slot *slot)
{
    cuzk_proving_destroy(slot->proving);
    slot->proving = NULL;
    slot->reached = NOWHERE;
    pthread_mutex_lock(&device->lock);
    if (slot->key != NULL)
        slot->key->users--;
    slot->key = NULL;
    slot->running = false;
    atomic_store(&slot->abandoned, false);
    pthread_mutex_unlock(&device->lock);
}

/* Finds the key where this is the unit's first stage, and marks the slot. */
static enum cuzk_status enter(struct local_device *device, struct local_slot *slot,
                              const struct cuzk_circuit_id *circuit, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&device->lock);
    if (device->lost) {
        status = lost(device, err);
    } else if (slot->key == NULL) {
        slot->key = find_key(device, circuit);
        if (slot->key == NULL)
            status = cuzk_error_set(err, CUZK_ARGUMENT, "device %s: the key of this unit is not loaded",
                                    device->choice);
        else
            slot->key->users++;
    }
    slot->running = status == CUZK_OK;
    pthread_mutex_unlock(&device->lock);
    return status;
}

/* Does what is missing up to a point: a configuration may leave stages out. */
static enum cuzk_status advance(struct local_slot *slot, const struct cuzk_device_unit *unit,
                                enum reached target, struct cuzk_error *err)
{
    if (slot->proving == NULL)
        CUZK_TRY(cuzk_proving_create(slot->key->resident->prover, &slot->progress, &slot->proving, err));
    while (slot->reached < target) {
        switch (slot->reached) {
        case NOWHERE:
            CUZK_TRY(cuzk_proving_upload(slot->proving, &unit->witness->witness, err));
            break;
        case UPLOADED:
            CUZK_TRY(cuzk_proving_quotient(slot->proving, err));
            break;
        default:
            CUZK_TRY(cuzk_proving_sums(slot->proving, err));
            break;
        }
        slot->reached++;
    }
    return CUZK_OK;
}

static void count_times(const struct local_slot *slot, struct cuzk_device_unit *unit)
{
    const struct cuzk_backend_times *const times = &unit->times;

    cuzk_proving_times(slot->proving, &unit->times);
    unit->transfer_ns = times->upload;
    unit->kernels_ns = times->eval + times->quotient;
    for (int q = 0; q < CUZK_QUERIES; q++)
        unit->kernels_ns += times->msm[q];
}

static enum cuzk_status run_stage(struct local_slot *slot, enum cuzk_sched_stage stage,
                                  struct cuzk_device_unit *unit, struct cuzk_error *err)
{
    if (unit->witness == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "the unit has no witness");
    switch (stage) {
    case CUZK_STAGE_SETUP:
        return advance(slot, unit, NOWHERE, err);
    case CUZK_STAGE_UPLOAD:
        CUZK_TRY(advance(slot, unit, UPLOADED, err));
        break;
    case CUZK_STAGE_QUOTIENT:
        CUZK_TRY(advance(slot, unit, DIVIDED, err));
        break;
    case CUZK_STAGE_MSM:
        CUZK_TRY(advance(slot, unit, SUMMED, err));
        break;
    case CUZK_STAGE_FINISH:
        CUZK_TRY(advance(slot, unit, SUMMED, err));
        CUZK_TRY(cuzk_proving_finish(slot->proving, unit->proof, err));
        break;
    default: /* nothing to do here */
        return CUZK_OK;
    }
    count_times(slot, unit);
    return CUZK_OK;
}

static enum cuzk_status stage(struct cuzk_device *base, unsigned number, enum cuzk_sched_stage which,
                              struct cuzk_device_unit *unit, struct cuzk_error *err)
{
    struct local_device *device = self(base);

    CUZK_TRY(cuzk_device_check_stage(base, device->choice, number, which, err));
    struct local_slot *slot = &device->slots[number];

    CUZK_TRY(enter(device, slot, unit->circuit, err));
    enum cuzk_status status = run_stage(slot, which, unit, err);

    pthread_mutex_lock(&device->lock);
    if (status == CUZK_DEVICE_LOST)
        device->lost = true;
    if (status == CUZK_OK && device->lost)
        status = lost(device, err);
    if (status == CUZK_OK && atomic_load(&slot->abandoned))
        status = cuzk_error_set(err, CUZK_CANCELLED, "the unit was given up");
    const bool stays = status == CUZK_OK && which != CUZK_STAGE_FINISH;

    if (stays)
        slot->running = false;
    pthread_mutex_unlock(&device->lock);
    if (!stays)
        leave(device, slot);
    return status;
}

static void abandon(struct cuzk_device *base, unsigned number)
{
    struct local_device *device = self(base);

    if (number >= base->slots)
        return;
    struct local_slot *slot = &device->slots[number];

    pthread_mutex_lock(&device->lock);
    const bool running = slot->running;

    if (running)
        atomic_store(&slot->abandoned, true);
    pthread_mutex_unlock(&device->lock);
    if (!running)
        leave(device, slot);
}

/* ---- life ---- */

static void drop_everything(struct local_device *device)
{
    for (unsigned i = 0; device->slots != NULL && i < device->base.slots; i++)
        leave(device, &device->slots[i]);
    for (size_t i = 0; i < CUZK_SCHED_CIRCUITS_MOST; i++) {
        cuzk_resident_key_close(device->keys[i].resident);
        device->keys[i] = (struct local_key){0};
    }
    pthread_mutex_lock(&device->lock);
    cuzk_backend_destroy(device->backend);
    device->backend = NULL;
    pthread_mutex_unlock(&device->lock);
}

static void destroy(struct cuzk_device *base)
{
    struct local_device *device = self(base);

    drop_everything(device);
    cuzk_pool_destroy(device->pool);
    pthread_mutex_destroy(&device->lock);
    pthread_mutex_destroy(&device->loading);
    cuzk_mem_free(device->slots);
    cuzk_mem_free(device);
}

static enum cuzk_status open_backend(struct local_device *device, struct cuzk_error *err)
{
    struct cuzk_backend *backend;

    CUZK_TRY(device->opener.open(device->opener.context, device->choice, device->pool, &backend, err));
    pthread_mutex_lock(&device->lock);
    device->backend = backend;
    device->lost = false;
    pthread_mutex_unlock(&device->lock);
    return CUZK_OK;
}

static enum cuzk_status restart(struct cuzk_device *base, struct cuzk_error *err)
{
    struct local_device *device = self(base);

    pthread_mutex_lock(&device->loading);
    pthread_mutex_lock(&device->lock);
    device->lost = true;
    pthread_mutex_unlock(&device->lock);
    drop_everything(device);
    const enum cuzk_status status = open_backend(device, err);

    pthread_mutex_unlock(&device->loading);
    return status;
}

static const struct cuzk_device_ops ops = {
    .destroy = destroy,
    .facts = facts,
    .need = need,
    .load = load,
    .unload = unload,
    .stage = stage,
    .abandon = abandon,
    .restart = restart,
};

enum cuzk_status cuzk_device_local_create_with(const struct cuzk_local_opener *opener, const char *choice,
                                               unsigned threads, unsigned slots, struct cuzk_device **out,
                                               struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct local_device *device;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&device, 1, "device", err));
    device->base.ops = &ops;
    device->opener = *opener;
    snprintf(device->choice, sizeof device->choice, "%s", choice != NULL ? choice : "auto");
    pthread_mutex_init(&device->loading, NULL);
    pthread_mutex_init(&device->lock, NULL);
    CUZK_TRY_OUT(CUZK_NEW(&device->slots, slots, "slots of a device", err));
    device->base.slots = slots;
    for (unsigned i = 0; i < slots; i++) {
        device->slots[i].device = &device->base;
        device->slots[i].progress =
            (struct cuzk_progress){.cancelled = is_abandoned, .context = &device->slots[i]};
    }
    if (threads != 1)
        CUZK_TRY_OUT(cuzk_pool_create(threads, &device->pool, err));
    CUZK_TRY_OUT(open_backend(device, err));
    *out = &device->base;
    device = NULL;
out:
    if (device != NULL)
        destroy(&device->base);
    return status;
}

static enum cuzk_status open_choice(void *context, const char *choice, struct cuzk_pool *pool,
                                    struct cuzk_backend **out, struct cuzk_error *err)
{
    (void)context;
    return cuzk_backend_open(choice, pool, out, err);
}

enum cuzk_status cuzk_device_local_create(const char *choice, unsigned threads, unsigned slots,
                                          struct cuzk_device **out, struct cuzk_error *err)
{
    const struct cuzk_local_opener opener = {.open = open_choice};

    return cuzk_device_local_create_with(&opener, choice, threads, slots, out, err);
}
