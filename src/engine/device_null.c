/* The null device: waits where others compute. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/device.h"

enum fate { FATE_GOOD, FATE_FAIL, FATE_LOST, FATE_WRONG };

struct null_slot {
    bool occupied, abandoned, uploaded;
    unsigned running; /* stages: PREPARE and HOST_MSM run beside others */
    struct cuzk_circuit_id circuit;
    uint64_t number; /* of the unit, from 1 */
    enum fate fate;
    enum cuzk_sched_stage at; /* the first stage from here on meets the fate */
};

struct null_key {
    bool loaded;
    struct cuzk_circuit_id circuit;
};

struct null_device {
    struct cuzk_device base;
    struct cuzk_device_null behaviour;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* the device was lost, or a unit abandoned */
    bool lost;
    uint64_t units, used, peak;
    struct null_slot *slots;
    struct null_key keys[CUZK_SCHED_CIRCUITS_MOST];
};

static struct null_device *self(struct cuzk_device *device)
{
    return (struct null_device *)device;
}

/* ---- bookkeeping, under the lock ---- */

static struct null_key *find_key(struct null_device *device, const struct cuzk_circuit_id *circuit)
{
    for (size_t i = 0; i < CUZK_SCHED_CIRCUITS_MOST; i++)
        if (device->keys[i].loaded && cuzk_circuit_id_equal(&device->keys[i].circuit, circuit))
            return &device->keys[i];
    return NULL;
}

static enum cuzk_status take(struct null_device *device, uint64_t bytes, const char *what,
                             struct cuzk_error *err)
{
    if (device->behaviour.memory != 0 && bytes > device->behaviour.memory - device->used)
        return cuzk_error_set(err, CUZK_MEMORY, "null device: %s needs %llu bytes, %llu of %llu are in use",
                              what, (unsigned long long)bytes, (unsigned long long)device->used,
                              (unsigned long long)device->behaviour.memory);
    device->used += bytes;
    if (device->used > device->peak)
        device->peak = device->used;
    return CUZK_OK;
}

static void drop_buffers(struct null_device *device, struct null_slot *slot)
{
    if (slot->uploaded)
        device->used -= device->behaviour.need.unit_device;
    slot->uploaded = false;
}

static void empty(struct null_device *device, struct null_slot *slot)
{
    drop_buffers(device, slot);
    *slot = (struct null_slot){0};
}

/* At once, or when the last stage that runs has ended. */
static void give_up(struct null_device *device, struct null_slot *slot)
{
    if (slot->running == 0) {
        empty(device, slot);
        return;
    }
    slot->abandoned = true;
    pthread_cond_broadcast(&device->changed);
}

static enum cuzk_status lost(struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_DEVICE_LOST, "null device: lost");
}

static void lose(struct null_device *device)
{
    device->lost = true;
    pthread_cond_broadcast(&device->changed);
}

/* Waits for a while, or until the device is lost or *stop is set. */
static void wait_for(struct null_device *device, uint64_t ns, const bool *stop)
{
    const uint64_t end = cuzk_clock_ns() + ns;
    const struct timespec until = cuzk_clock_timespec(end);

    while (!device->lost && (stop == NULL || !*stop) && cuzk_clock_ns() < end)
        if (pthread_cond_timedwait(&device->changed, &device->lock, &until) == ETIMEDOUT)
            break;
}

/* splitmix64 */
static uint64_t draw(uint64_t seed, uint64_t number)
{
    uint64_t z = seed + number * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool every(uint32_t n, uint64_t number)
{
    return n != 0 && number % n == 0;
}

static void begin_unit(struct null_device *device, struct null_slot *slot,
                       const struct cuzk_circuit_id *circuit)
{
    static const enum cuzk_sched_stage stages[] = {CUZK_STAGE_UPLOAD, CUZK_STAGE_QUOTIENT, CUZK_STAGE_MSM,
                                                   CUZK_STAGE_FINISH};
    const struct cuzk_device_null *how = &device->behaviour;

    slot->occupied = true;
    slot->circuit = *circuit;
    slot->number = ++device->units;
    slot->at = stages[draw(how->seed, slot->number) % 4];
    if (every(how->lost_every, slot->number))
        slot->fate = FATE_LOST;
    else if (every(how->fail_every, slot->number))
        slot->fate = FATE_FAIL;
    else if (every(how->wrong_every, slot->number))
        slot->fate = FATE_WRONG;
}

/* ---- proofs ---- */

/* "cuzk", the unit's number, and whether it is right. The first byte lacks the mark of a compressed point. */
static const uint8_t proof_mark[4] = {'c', 'u', 'z', 'k'};

static void write_proof(const struct null_slot *slot, uint8_t proof[CUZK_PROOF_BYTES])
{
    memset(proof, 0, CUZK_PROOF_BYTES);
    memcpy(proof, proof_mark, sizeof proof_mark);
    for (int i = 0; i < 8; i++)
        proof[4 + i] = (uint8_t)(slot->number >> 8 * i);
    proof[12] = slot->fate == FATE_WRONG;
}

bool cuzk_device_null_proof_right(const uint8_t proof[CUZK_PROOF_BYTES])
{
    return memcmp(proof, proof_mark, sizeof proof_mark) == 0 && proof[12] == 0;
}

/* ---- operations ---- */

static void destroy(struct cuzk_device *base)
{
    struct null_device *device = self(base);

    pthread_cond_destroy(&device->changed);
    pthread_mutex_destroy(&device->lock);
    cuzk_mem_free(device->slots);
    cuzk_mem_free(device);
}

static enum cuzk_status facts(struct cuzk_device *base, struct cuzk_device_facts *out, struct cuzk_error *err)
{
    struct null_device *device = self(base);

    (void)err;
    memset(out, 0, sizeof *out);
    snprintf(out->backend, sizeof out->backend, "null");
    snprintf(out->name, sizeof out->name, "null device");
    snprintf(out->id, sizeof out->id, "null");
    pthread_mutex_lock(&device->lock);
    out->memory_total = device->behaviour.memory;
    out->memory_free = out->memory_total != 0 ? out->memory_total - device->used : 0;
    out->memory_peak = device->peak;
    pthread_mutex_unlock(&device->lock);
    return CUZK_OK;
}

static enum cuzk_status need(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                             struct cuzk_device_need *out, struct cuzk_error *err)
{
    (void)circuit;
    (void)err;
    *out = self(base)->behaviour.need;
    return CUZK_OK;
}

static enum cuzk_status load(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                             const char *params_path, const struct cuzk_progress *progress,
                             struct cuzk_error *err)
{
    enum { STEPS = 16 };
    struct null_device *device = self(base);
    enum cuzk_status status = CUZK_OK;
    struct null_key *key = NULL;

    (void)params_path;
    pthread_mutex_lock(&device->lock);
    for (unsigned step = 0; step < STEPS && status == CUZK_OK && find_key(device, circuit) == NULL; step++) {
        pthread_mutex_unlock(&device->lock);
        cuzk_progress_report(progress, "loading", step, STEPS);
        status = cuzk_progress_check(progress, err);
        pthread_mutex_lock(&device->lock);
        if (status == CUZK_OK && device->behaviour.load_ns != 0)
            wait_for(device, device->behaviour.load_ns / STEPS, NULL);
        if (device->lost)
            status = lost(err);
    }
    if (status == CUZK_OK && device->lost)
        status = lost(err);
    if (status != CUZK_OK || find_key(device, circuit) != NULL)
        goto out;
    for (size_t i = 0; i < CUZK_SCHED_CIRCUITS_MOST && key == NULL; i++)
        if (!device->keys[i].loaded)
            key = &device->keys[i];
    if (key == NULL) {
        status = cuzk_error_set(err, CUZK_MEMORY, "null device: %d keys at most", CUZK_SCHED_CIRCUITS_MOST);
        goto out;
    }
    CUZK_TRY_OUT(take(device, device->behaviour.need.key_device, "a key", err));
    key->loaded = true;
    key->circuit = *circuit;
out:
    pthread_mutex_unlock(&device->lock);
    return status;
}

static enum cuzk_status unload(struct cuzk_device *base, const struct cuzk_circuit_id *circuit,
                               struct cuzk_error *err)
{
    struct null_device *device = self(base);
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&device->lock);
    struct null_key *key = find_key(device, circuit);

    for (unsigned i = 0; i < device->base.slots; i++)
        if (device->slots[i].occupied && cuzk_circuit_id_equal(&device->slots[i].circuit, circuit))
            status = cuzk_error_set(err, CUZK_BUSY, "null device: slot %u uses the key", i);
    if (device->lost)
        status = lost(err);
    if (status == CUZK_OK && key != NULL) {
        device->used -= device->behaviour.need.key_device;
        key->loaded = false;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

static enum cuzk_status meet_fate(struct null_device *device, const struct null_slot *slot,
                                  enum cuzk_sched_stage stage, struct cuzk_error *err)
{
    if (stage < slot->at)
        return CUZK_OK;
    if (slot->fate == FATE_FAIL)
        return cuzk_error_set(err, CUZK_DEVICE, "null device: unit %llu was to fail",
                              (unsigned long long)slot->number);
    if (slot->fate != FATE_LOST)
        return CUZK_OK;
    lose(device);
    return lost(err);
}

static enum cuzk_status run_stage(struct null_device *device, struct null_slot *slot,
                                  enum cuzk_sched_stage stage, struct cuzk_device_unit *unit,
                                  struct cuzk_error *err)
{
    const uint64_t ns = device->behaviour.stage_ns[stage];

    if (device->lost)
        return lost(err);
    if (find_key(device, unit->circuit) == NULL)
        return cuzk_error_set(err, CUZK_ARGUMENT, "null device: the key of this unit is not loaded");
    if (!slot->occupied)
        begin_unit(device, slot, unit->circuit);
    if (stage >= CUZK_STAGE_UPLOAD && stage <= CUZK_STAGE_MSM && !slot->uploaded) {
        CUZK_TRY(take(device, device->behaviour.need.unit_device, "a unit", err));
        slot->uploaded = true;
    }
    if (ns != 0)
        wait_for(device, ns, &slot->abandoned);
    if (device->lost)
        return lost(err);
    if (slot->abandoned)
        return cuzk_error_set(err, CUZK_CANCELLED, "the unit was given up");
    CUZK_TRY(meet_fate(device, slot, stage, err));
    if (stage == CUZK_STAGE_UPLOAD)
        unit->transfer_ns += ns;
    if (stage == CUZK_STAGE_QUOTIENT || stage == CUZK_STAGE_MSM)
        unit->kernels_ns += ns;
    if (stage >= CUZK_STAGE_MSM)
        drop_buffers(device, slot);
    if (stage == CUZK_STAGE_FINISH)
        write_proof(slot, unit->proof);
    return CUZK_OK;
}

static enum cuzk_status stage(struct cuzk_device *base, unsigned slot, enum cuzk_sched_stage which,
                              struct cuzk_device_unit *unit, struct cuzk_error *err)
{
    struct null_device *device = self(base);

    CUZK_TRY(cuzk_device_check_stage(base, "null", slot, which, err));
    pthread_mutex_lock(&device->lock);
    struct null_slot *place = &device->slots[slot];

    place->running++;
    const enum cuzk_status status = run_stage(device, place, which, unit, err);

    place->running--;
    if (status != CUZK_OK || which == CUZK_STAGE_FINISH)
        give_up(device, place);
    pthread_mutex_unlock(&device->lock);
    return status;
}

static void abandon(struct cuzk_device *base, unsigned slot)
{
    struct null_device *device = self(base);

    if (slot >= base->slots)
        return;
    pthread_mutex_lock(&device->lock);
    give_up(device, &device->slots[slot]);
    pthread_mutex_unlock(&device->lock);
}

static enum cuzk_status restart(struct cuzk_device *base, struct cuzk_error *err)
{
    struct null_device *device = self(base);

    (void)err;
    pthread_mutex_lock(&device->lock);
    for (unsigned i = 0; i < base->slots; i++)
        empty(device, &device->slots[i]);
    memset(device->keys, 0, sizeof device->keys);
    device->used = 0;
    device->lost = false;
    pthread_mutex_unlock(&device->lock);
    return CUZK_OK;
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

enum cuzk_status cuzk_device_null_create(const struct cuzk_device_null *behaviour, unsigned slots,
                                         struct cuzk_device **out, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    struct null_device *device;
    pthread_condattr_t attributes;

    *out = NULL;
    CUZK_TRY(CUZK_NEW(&device, 1, "null device", err));
    device->base.ops = &ops;
    device->base.slots = slots;
    for (int i = 0; i < CUZK_STAGES; i++)
        if (behaviour->stage_ns[i] != 0)
            device->base.stages |= CUZK_STAGE_BIT(i);
    device->behaviour = *behaviour;
    pthread_mutex_init(&device->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&device->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    CUZK_TRY_OUT(CUZK_NEW(&device->slots, slots, "slots of a null device", err));
    *out = &device->base;
    device = NULL;
out:
    if (device != NULL)
        destroy(&device->base);
    return status;
}
