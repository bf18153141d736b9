#include "srs/tiers.h"

static bool counts(enum cuzk_tiers_state state)
{
    return state != CUZK_TIERS_AWAY;
}

static double gib(uint64_t bytes)
{
    return (double)bytes / (double)(UINT64_C(1) << 30);
}

uint32_t cuzk_tiers_add(struct cuzk_tiers *tiers, uint64_t file_bytes, uint64_t partition,
                        const struct cuzk_tiers_need *need)
{
    if (tiers->keys == CUZK_TIERS_KEYS_MOST)
        return CUZK_TIERS_NONE;
    struct cuzk_tiers_key *key = &tiers->key[tiers->keys];

    *key = (struct cuzk_tiers_key){.file_bytes = file_bytes, .partition = partition};
    for (uint32_t d = 0; d < tiers->devices; d++)
        key->place[d].need = need[d];
    return tiers->keys++;
}

enum cuzk_status cuzk_tiers_fits(const struct cuzk_tiers *tiers, const char *name, uint64_t partition,
                                 const struct cuzk_tiers_need *need, struct cuzk_error *err)
{
    struct cuzk_tiers_need most = {0};
    bool fits = false;

    for (uint32_t d = 0; d < tiers->devices; d++) {
        if (need[d].key_device > most.key_device)
            most.key_device = need[d].key_device;
        if (need[d].key_host > most.key_host)
            most.key_host = need[d].key_host;
        if (need[d].unit_device > most.unit_device)
            most.unit_device = need[d].unit_device;
    }
    const uint64_t host = most.key_host + partition;
    const uint64_t device = most.key_device + tiers->units * most.unit_device;

    if (tiers->host_budget != 0 && host > tiers->host_budget)
        return cuzk_error_set(err, CUZK_MEMORY,
                              "%s: %.3f GiB of key + %.3f GiB for one partition = %.3f GiB of host memory, "
                              "the budget is %.3f GiB",
                              name, gib(most.key_host), gib(partition), gib(host), gib(tiers->host_budget));
    for (uint32_t d = 0; d < tiers->devices; d++)
        fits |= tiers->device_budget[d] == 0 || device <= tiers->device_budget[d];
    if (fits)
        return CUZK_OK;
    return cuzk_error_set(
        err, CUZK_MEMORY,
        "%s: %.3f GiB of key + %u x %.3f GiB for partitions = %.3f GiB of device memory, no "
        "device has them (the first: %.3f GiB)",
        name, gib(most.key_device), (unsigned)tiers->units, gib(most.unit_device), gib(device),
        gib(tiers->device_budget[0]));
}

/* ---- sums ---- */

uint64_t cuzk_tiers_device_bytes(const struct cuzk_tiers *tiers, uint32_t device)
{
    uint64_t bytes = tiers->other_device[device];

    for (uint32_t k = 0; k < tiers->keys; k++)
        if (counts(tiers->key[k].place[device].state))
            bytes += tiers->key[k].place[device].need.key_device;
    return bytes;
}

static uint64_t warm_bytes(const struct cuzk_tiers *tiers)
{
    uint64_t bytes = 0;

    for (uint32_t k = 0; k < tiers->keys; k++)
        if (counts(tiers->key[k].warm))
            bytes += tiers->key[k].file_bytes;
    return bytes;
}

static uint64_t bound_bytes(const struct cuzk_tiers *tiers)
{
    uint64_t bytes = 0;

    for (uint32_t k = 0; k < tiers->keys; k++)
        for (uint32_t d = 0; d < tiers->devices; d++)
            if (counts(tiers->key[k].place[d].state))
                bytes += tiers->key[k].place[d].need.key_host;
    return bytes;
}

uint64_t cuzk_tiers_host_bytes(const struct cuzk_tiers *tiers)
{
    return bound_bytes(tiers) + warm_bytes(tiers) + tiers->other_host;
}

/* The largest partition of the keys that are on any device, and of one more. */
static uint64_t largest_partition(const struct cuzk_tiers *tiers, uint32_t key)
{
    uint64_t most = tiers->key[key].partition;

    for (uint32_t k = 0; k < tiers->keys; k++)
        for (uint32_t d = 0; d < tiers->devices; d++)
            if (counts(tiers->key[k].place[d].state) && tiers->key[k].partition > most)
                most = tiers->key[k].partition;
    return most;
}

static bool device_has_room(const struct cuzk_tiers *tiers, uint32_t key, uint32_t device)
{
    const struct cuzk_tiers_need *need = &tiers->key[key].place[device].need;
    uint64_t unit = need->unit_device;

    for (uint32_t k = 0; k < tiers->keys; k++) {
        const struct cuzk_tiers_place *place = &tiers->key[k].place[device];

        if (counts(place->state) && place->need.unit_device > unit)
            unit = place->need.unit_device;
    }
    return tiers->device_budget[device] == 0 ||
           cuzk_tiers_device_bytes(tiers, device) + need->key_device + tiers->units * unit <=
               tiers->device_budget[device];
}

/* Whether the host has room for `bytes` more beside `held` and a partition. */
static bool host_has_room(const struct cuzk_tiers *tiers, uint32_t key, uint64_t held, uint64_t bytes)
{
    return tiers->host_budget == 0 || held + bytes + largest_partition(tiers, key) <= tiers->host_budget;
}

/* ---- who goes ---- */

uint32_t cuzk_tiers_coolest(const struct cuzk_tiers *tiers)
{
    uint32_t best = CUZK_TIERS_NONE;

    for (uint32_t k = 0; k < tiers->keys; k++)
        if (tiers->key[k].warm == CUZK_TIERS_THERE &&
            (best == CUZK_TIERS_NONE || tiers->key[k].warm_used < tiers->key[best].warm_used))
            best = k;
    return best;
}

/* The key that was used least recently and is not in use: of this device, else one of another device that
 * holds host memory where that is what is short. */
static bool find_victim(const struct cuzk_tiers *tiers, uint32_t device, bool host_short,
                        struct cuzk_tiers_step *out)
{
    for (unsigned pass = 0; pass < (host_short ? 2 : 1); pass++) {
        uint64_t oldest = UINT64_MAX;

        for (uint32_t k = 0; k < tiers->keys; k++)
            for (uint32_t d = 0; d < tiers->devices; d++) {
                const struct cuzk_tiers_place *place = &tiers->key[k].place[d];

                if (place->state != CUZK_TIERS_THERE || place->references > 0 ||
                    (pass == 0) != (d == device) || (pass == 1 && place->need.key_host == 0) ||
                    place->used >= oldest)
                    continue;
                oldest = place->used;
                *out = (struct cuzk_tiers_step){CUZK_TIERS_EVICT, k, d};
            }
        if (oldest != UINT64_MAX)
            return true;
    }
    return false;
}

/* ---- hot ---- */

struct cuzk_tiers_step cuzk_tiers_next(const struct cuzk_tiers *tiers, uint32_t key, uint32_t device)
{
    const struct cuzk_tiers_place *place = &tiers->key[key].place[device];
    struct cuzk_tiers_step step = {CUZK_TIERS_WAIT, key, device};

    if (place->state != CUZK_TIERS_AWAY) {
        step.action = place->state == CUZK_TIERS_THERE ? CUZK_TIERS_READY : CUZK_TIERS_WAIT;
        return step;
    }
    const bool on_device = device_has_room(tiers, key, device);
    const bool on_host = host_has_room(tiers, key, cuzk_tiers_host_bytes(tiers), place->need.key_host);

    if (on_device && on_host) {
        step.action = CUZK_TIERS_LOAD;
        return step;
    }
    const uint32_t coolest = on_host ? CUZK_TIERS_NONE : cuzk_tiers_coolest(tiers);

    if (coolest != CUZK_TIERS_NONE) {
        step.action = CUZK_TIERS_COOL;
        step.key = coolest;
        return step;
    }
    if (!find_victim(tiers, device, !on_host, &step))
        step.action = CUZK_TIERS_WAIT;
    return step;
}

void cuzk_tiers_begin(struct cuzk_tiers *tiers, uint32_t key, uint32_t device)
{
    tiers->key[key].place[device].state = CUZK_TIERS_MOVING;
}

void cuzk_tiers_touch(struct cuzk_tiers *tiers, uint32_t key, uint32_t device)
{
    tiers->key[key].place[device].used = tiers->key[key].warm_used = ++tiers->clock;
    tiers->key[key].place[device].keep = tiers->key[key].place[device].asked = true;
}

void cuzk_tiers_name(struct cuzk_tiers *tiers, uint32_t key)
{
    tiers->key[key].named = true;
}

void cuzk_tiers_give_up(struct cuzk_tiers *tiers, uint32_t key)
{
    tiers->key[key].named = false;
    for (uint32_t d = 0; d < tiers->devices; d++)
        tiers->key[key].place[d].keep = tiers->key[key].place[d].asked = false;
}

void cuzk_tiers_end(struct cuzk_tiers *tiers, uint32_t key, uint32_t device, bool there)
{
    tiers->key[key].place[device].state = there ? CUZK_TIERS_THERE : CUZK_TIERS_AWAY;
    if (there)
        cuzk_tiers_touch(tiers, key, device);
}

void cuzk_tiers_acquire(struct cuzk_tiers *tiers, uint32_t key, uint32_t device)
{
    tiers->key[key].place[device].references++;
    cuzk_tiers_touch(tiers, key, device);
}

void cuzk_tiers_release(struct cuzk_tiers *tiers, uint32_t key, uint32_t device)
{
    if (tiers->key[key].place[device].references > 0)
        tiers->key[key].place[device].references--;
}

void cuzk_tiers_lost(struct cuzk_tiers *tiers, uint32_t device)
{
    for (uint32_t k = 0; k < tiers->keys; k++)
        if (tiers->key[k].place[device].state == CUZK_TIERS_THERE)
            tiers->key[k].place[device].state = CUZK_TIERS_AWAY;
}

/* ---- for others ---- */

bool cuzk_tiers_reserve(struct cuzk_tiers *tiers, uint32_t device, uint64_t on_device, uint64_t on_host)
{
    uint64_t unit = 0, partition = 0;

    for (uint32_t k = 0; k < tiers->keys; k++) {
        const struct cuzk_tiers_place *place = &tiers->key[k].place[device];

        if (counts(place->state) && place->need.unit_device > unit)
            unit = place->need.unit_device;
        if (largest_partition(tiers, k) > partition)
            partition = largest_partition(tiers, k);
    }
    if ((tiers->device_budget[device] != 0 &&
         cuzk_tiers_device_bytes(tiers, device) + on_device + tiers->units * unit >
             tiers->device_budget[device]) ||
        (tiers->host_budget != 0 && cuzk_tiers_host_bytes(tiers) + on_host + partition > tiers->host_budget))
        return false;
    tiers->other_device[device] = on_device;
    tiers->other_host = on_host;
    return true;
}

void cuzk_tiers_unreserve(struct cuzk_tiers *tiers, uint32_t device)
{
    tiers->other_device[device] = 0;
    tiers->other_host = 0;
}

/* ---- warm ---- */

static bool claims(const struct cuzk_tiers_place *place)
{
    return place->asked || counts(place->state);
}

/* Whether the keys that are or were on a device are more than it, or the host beside a partition, has room
 * for: one of them will have to go again. */
static bool is_contested(const struct cuzk_tiers *tiers, uint32_t device)
{
    uint64_t keys = 0, unit = 0, host = 0, partition = 0;

    for (uint32_t k = 0; k < tiers->keys; k++)
        for (uint32_t d = 0; d < tiers->devices; d++) {
            const struct cuzk_tiers_place *place = &tiers->key[k].place[d];

            if (!claims(place))
                continue;
            host += place->need.key_host;
            if (tiers->key[k].partition > partition)
                partition = tiers->key[k].partition;
            if (d != device)
                continue;
            keys += place->need.key_device;
            if (place->need.unit_device > unit)
                unit = place->need.unit_device;
        }
    return (tiers->device_budget[device] != 0 && keys + tiers->units * unit > tiers->device_budget[device]) ||
           (tiers->host_budget != 0 && host + partition > tiers->host_budget);
}

bool cuzk_tiers_wants_warm(const struct cuzk_tiers *tiers, uint32_t key)
{
    for (uint32_t d = 0; d < tiers->devices; d++)
        if (claims(&tiers->key[key].place[d]) &&
            ((tiers->in_host[d] && tiers->key[key].named) || is_contested(tiers, d)))
            return true;
    return false;
}

static bool is_hot_everywhere(const struct cuzk_tiers *tiers, uint32_t key)
{
    for (uint32_t d = 0; d < tiers->devices; d++)
        if (tiers->key[key].place[d].state != CUZK_TIERS_THERE)
            return false;
    return true;
}

/* Whether a file fits; partitions hold one of their largest at least, or that is kept free for them. */
static bool file_fits(const struct cuzk_tiers *tiers, uint32_t key, uint64_t in_use, uint64_t without)
{
    const uint64_t partition = largest_partition(tiers, key);
    const uint64_t units = in_use > partition ? in_use - partition : 0;

    return host_has_room(tiers, key, cuzk_tiers_host_bytes(tiers) - without + units,
                         tiers->key[key].file_bytes);
}

/* The warm file that makes room for the one of a key that is not hot everywhere. */
static uint32_t find_makes_room(const struct cuzk_tiers *tiers, uint32_t key, uint64_t in_use)
{
    for (uint32_t k = 0; k < tiers->keys; k++)
        if (tiers->key[k].warm == CUZK_TIERS_THERE && is_hot_everywhere(tiers, k) &&
            file_fits(tiers, key, in_use, tiers->key[k].file_bytes))
            return k;
    return CUZK_TIERS_NONE;
}

struct cuzk_tiers_step cuzk_tiers_next_warm(const struct cuzk_tiers *tiers, uint64_t in_use)
{
    struct cuzk_tiers_step step = {CUZK_TIERS_READY, CUZK_TIERS_NONE, CUZK_TIERS_NONE};

    for (uint32_t k = 0; k < tiers->keys; k++)
        if (tiers->key[k].warm == CUZK_TIERS_THERE && !cuzk_tiers_wants_warm(tiers, k))
            return (struct cuzk_tiers_step){CUZK_TIERS_COOL, k, CUZK_TIERS_NONE};
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < tiers->keys; k++) {
            if (tiers->key[k].warm != CUZK_TIERS_AWAY || is_hot_everywhere(tiers, k) != (pass == 1) ||
                tiers->key[k].file_bytes == 0 || !cuzk_tiers_wants_warm(tiers, k))
                continue;
            if (file_fits(tiers, k, in_use, 0))
                return (struct cuzk_tiers_step){CUZK_TIERS_WARM, k, CUZK_TIERS_NONE};
            if (pass == 0 && step.key == CUZK_TIERS_NONE)
                step.key = find_makes_room(tiers, k, in_use);
        }
    if (step.key != CUZK_TIERS_NONE)
        step.action = CUZK_TIERS_COOL;
    return step;
}

void cuzk_tiers_begin_warm(struct cuzk_tiers *tiers, uint32_t key)
{
    tiers->key[key].warm = CUZK_TIERS_MOVING;
}

void cuzk_tiers_end_warm(struct cuzk_tiers *tiers, uint32_t key, bool there)
{
    tiers->key[key].warm = there ? CUZK_TIERS_THERE : CUZK_TIERS_AWAY;
    if (there)
        tiers->key[key].warm_used = ++tiers->clock;
}

/* ---- what is shown ---- */

enum cuzk_key_tier cuzk_tiers_of(const struct cuzk_tiers *tiers, uint32_t key)
{
    for (uint32_t d = 0; d < tiers->devices; d++)
        if (tiers->key[key].place[d].state == CUZK_TIERS_THERE)
            return CUZK_TIER_HOT;
    return tiers->key[key].warm == CUZK_TIERS_THERE ? CUZK_TIER_WARM : CUZK_TIER_COLD;
}

uint32_t cuzk_tiers_references(const struct cuzk_tiers *tiers, uint32_t key)
{
    uint32_t references = 0;

    for (uint32_t d = 0; d < tiers->devices; d++)
        references += tiers->key[key].place[d].references;
    return references;
}
