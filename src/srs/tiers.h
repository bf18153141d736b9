/*
 * Which keys are where: hot (on a device, bound), warm (the parameter file in host memory), cold (on disk),
 * under one budget of host memory and one of each device, with reference counts and least-recently-used
 * order. Bookkeeping only: no threads, no files, no clock. Whoever moves the bytes asks for the next step,
 * does it and says how it ended.
 *
 * A device's hot keys leave room for the buffers of the largest unit of any of them (`units` times), and what
 * the host holds for keys leaves room for the largest partition, so that what is planned with the rest fits.
 * A key with references stays.
 *
 * A key that is hot on every device, and will stay so, needs no warm file: whatever is warm is taken from
 * somebody, and tens of gigabytes that nobody reads are a poor use. So a file is warm only where it is likely
 * to be read: its key shares a device with more keys than that has room for, or was asked for by name for a
 * device that works in the host's memory, from the file. Warm files are the first to go where the host is
 * short: their bytes can be read again. One thread at a time.
 */
#ifndef CUZK_SRS_TIERS_H
#define CUZK_SRS_TIERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { CUZK_TIERS_KEYS_MOST = 32, CUZK_TIERS_DEVICES_MOST = 16 };

#define CUZK_TIERS_NONE UINT32_MAX

enum cuzk_key_tier { CUZK_TIER_HOT, CUZK_TIER_WARM, CUZK_TIER_COLD };

enum cuzk_tiers_state {
    CUZK_TIERS_AWAY,
    CUZK_TIERS_MOVING, /* being loaded or given up: counts, and nobody takes it */
    CUZK_TIERS_THERE,
};

/* Bytes that a circuit's key needs on a device. */
struct cuzk_tiers_need {
    uint64_t key_device, key_host, unit_device;
};

struct cuzk_tiers_key {
    uint64_t file_bytes; /* warm */
    uint64_t partition;  /* host bytes of one partition at work */
    enum cuzk_tiers_state warm;
    uint64_t warm_used; /* of `clock` */
    bool named;         /* asked for by name, and not given up since */
    struct cuzk_tiers_place {
        struct cuzk_tiers_need need;
        enum cuzk_tiers_state state;
        bool keep;  /* asked for or used since it was given up on purpose */
        bool asked; /* was hot here, and nobody gave it up by name since: it comes again */
        uint32_t references;
        uint64_t used; /* of `clock` */
    } place[CUZK_TIERS_DEVICES_MOST];
};

struct cuzk_tiers {
    uint32_t devices, keys, units;
    uint64_t host_budget, device_budget[CUZK_TIERS_DEVICES_MOST]; /* bytes; 0: no limit */
    bool in_host[CUZK_TIERS_DEVICES_MOST]; /* works in the host's memory, from the file */
    uint64_t other_host,
        other_device[CUZK_TIERS_DEVICES_MOST]; /* bytes that something else has, for a while */
    uint64_t clock;
    struct cuzk_tiers_key key[CUZK_TIERS_KEYS_MOST];
};

/* What is to be done next for a key. */
enum cuzk_tiers_action {
    CUZK_TIERS_READY, /* it is there */
    CUZK_TIERS_WAIT,  /* until something ends or is released */
    CUZK_TIERS_LOAD,  /* the key itself: begin, then end */
    CUZK_TIERS_EVICT, /* key and device of the step: begin, then end */
    CUZK_TIERS_WARM,  /* the file of the step's key becomes warm: begin_warm, then end_warm */
    CUZK_TIERS_COOL,  /* it goes: the same */
};

struct cuzk_tiers_step {
    enum cuzk_tiers_action action;
    uint32_t key, device;
};

/* Adds a key that is cold; need: one a device. CUZK_TIERS_NONE: no place for another. */
uint32_t cuzk_tiers_add(struct cuzk_tiers *tiers, uint64_t file_bytes, uint64_t partition,
                        const struct cuzk_tiers_need *need);

/* Whether the key could ever be hot on some device, with nothing else there. Errors: MEMORY, with the sum. */
enum cuzk_status cuzk_tiers_fits(const struct cuzk_tiers *tiers, const char *name, uint64_t partition,
                                 const struct cuzk_tiers_need *need, struct cuzk_error *err);

/* The next step towards hot on a device. */
struct cuzk_tiers_step cuzk_tiers_next(const struct cuzk_tiers *tiers, uint32_t key, uint32_t device);
void cuzk_tiers_begin(struct cuzk_tiers *tiers, uint32_t key, uint32_t device);
void cuzk_tiers_end(struct cuzk_tiers *tiers, uint32_t key, uint32_t device, bool there);

/* Whether the key's file is to be warm where the host has room. */
bool cuzk_tiers_wants_warm(const struct cuzk_tiers *tiers, uint32_t key);
/* The next step towards what is warm being what is to be: WARM or COOL; READY: it is, as far as the host has
 * room, none of which is made at the cost of hot keys or partitions. `in_use`: host bytes that partitions
 * hold now. Of two files that do not fit together, the one whose key is not hot on every device. */
struct cuzk_tiers_step cuzk_tiers_next_warm(const struct cuzk_tiers *tiers, uint64_t in_use);
void cuzk_tiers_begin_warm(struct cuzk_tiers *tiers, uint32_t key);
void cuzk_tiers_end_warm(struct cuzk_tiers *tiers, uint32_t key, bool there);
/* The warm file that was used least recently; CUZK_TIERS_NONE: none is warm. */
uint32_t cuzk_tiers_coolest(const struct cuzk_tiers *tiers);

/* A hot key is used, and no longer. */
void cuzk_tiers_acquire(struct cuzk_tiers *tiers, uint32_t key, uint32_t device);
void cuzk_tiers_release(struct cuzk_tiers *tiers, uint32_t key, uint32_t device);
/* A hot key was asked for. */
void cuzk_tiers_touch(struct cuzk_tiers *tiers, uint32_t key, uint32_t device);
/* It was asked for by name; nobody asks for it any more, wherever it is. */
void cuzk_tiers_name(struct cuzk_tiers *tiers, uint32_t key);
void cuzk_tiers_give_up(struct cuzk_tiers *tiers, uint32_t key);

/* The device forgot its keys; those being moved end by themselves. */
void cuzk_tiers_lost(struct cuzk_tiers *tiers, uint32_t device);

/* Sets bytes of a device and of the host aside, beside all that is there and a unit; false: there is no room.
 * To be given back by unreserve. One at a time. */
bool cuzk_tiers_reserve(struct cuzk_tiers *tiers, uint32_t device, uint64_t on_device, uint64_t on_host);
void cuzk_tiers_unreserve(struct cuzk_tiers *tiers, uint32_t device);

/* Bytes held: hot keys' and warm files' on the host; hot keys' on a device; with what is set aside. */
uint64_t cuzk_tiers_host_bytes(const struct cuzk_tiers *tiers);
uint64_t cuzk_tiers_device_bytes(const struct cuzk_tiers *tiers, uint32_t device);

enum cuzk_key_tier cuzk_tiers_of(const struct cuzk_tiers *tiers, uint32_t key);
uint32_t cuzk_tiers_references(const struct cuzk_tiers *tiers, uint32_t key);

#endif
