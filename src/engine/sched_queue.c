#include <string.h>

#include "engine/sched_state.h"

void level_queue_init(struct level_queue *queue)
{
    for (unsigned p = 0; p < CUZK_PRIORITIES; p++) {
        queue->head[p] = queue->tail[p] = NOWHERE;
        queue->length[p] = 0;
        queue->since[p] = 0;
    }
}

void level_queue_push(struct level_queue *queue, struct link *links, enum cuzk_priority priority,
                      uint32_t item, uint64_t now)
{
    links[item] = (struct link){.previous = queue->tail[priority], .next = NOWHERE};
    if (queue->tail[priority] == NOWHERE) {
        queue->head[priority] = item;
        queue->since[priority] = now;
    } else {
        links[queue->tail[priority]].next = item;
    }
    queue->tail[priority] = item;
    queue->length[priority]++;
}

void level_queue_push_front(struct level_queue *queue, struct link *links, enum cuzk_priority priority,
                            uint32_t item, uint64_t now)
{
    links[item] = (struct link){.previous = NOWHERE, .next = queue->head[priority]};
    if (queue->head[priority] == NOWHERE) {
        queue->tail[priority] = item;
        queue->since[priority] = now;
    } else {
        links[queue->head[priority]].previous = item;
    }
    queue->head[priority] = item;
    queue->length[priority]++;
}

void level_queue_replace(struct level_queue *queue, struct link *links, enum cuzk_priority priority,
                         uint32_t old, uint32_t item)
{
    links[item] = links[old];
    if (links[item].previous == NOWHERE)
        queue->head[priority] = item;
    else
        links[links[item].previous].next = item;
    if (links[item].next == NOWHERE)
        queue->tail[priority] = item;
    else
        links[links[item].next].previous = item;
}

void level_queue_remove(struct level_queue *queue, struct link *links, enum cuzk_priority priority,
                        uint32_t item)
{
    const struct link link = links[item];

    if (link.previous == NOWHERE)
        queue->head[priority] = link.next;
    else
        links[link.previous].next = link.next;
    if (link.next == NOWHERE)
        queue->tail[priority] = link.previous;
    else
        links[link.next].previous = link.previous;
    queue->length[priority]--;
}

bool level_queue_next(const struct level_queue *queue, uint64_t now, uint64_t aging,
                      enum cuzk_priority *priority, unsigned *level)
{
    bool found = false;

    /* from the lowest class up: one that has aged to the level of another goes before it, once */
    for (unsigned p = 0; p < CUZK_PRIORITIES; p++) {
        if (queue->head[p] == NOWHERE)
            continue;
        const uint64_t waited = now > queue->since[p] ? now - queue->since[p] : 0;
        const uint64_t aged = waited / aging;
        const unsigned reached =
            aged >= CUZK_PRIORITY_CRITICAL - p ? CUZK_PRIORITY_CRITICAL : p + (unsigned)aged;

        if (!found || reached > *level) {
            *level = reached;
            *priority = (enum cuzk_priority)p;
            found = true;
        }
    }
    return found;
}

/* ---- open addressing with linear probing; a hole is filled by moving later entries back ---- */

static uint64_t hash_u64(uint64_t value)
{
    value ^= value >> 33;
    value *= UINT64_C(0xff51afd7ed558ccd);
    value ^= value >> 33;
    value *= UINT64_C(0xc4ceb9fe1a85ec53);
    return value ^ value >> 33;
}

static uint64_t hash_of_id(const struct job *job)
{
    return hash_u64(job->given.id);
}

static uint64_t hash_key_bytes(const uint8_t *key)
{
    uint64_t first;

    memcpy(&first, key, sizeof first); /* a digest: any part of it is as good as a hash */
    return hash_u64(first);
}

static uint64_t hash_of_key(const struct job *job)
{
    return hash_key_bytes(job->given.key);
}

uint32_t table_find_id(const struct cuzk_sched *sched, uint64_t id)
{
    const struct table *table = &sched->by_id;

    for (uint64_t i = hash_u64(id);; i++) {
        const uint32_t slot = table->slots[i & table->mask];

        if (slot == NOWHERE || sched->jobs[slot].given.id == id)
            return slot;
    }
}

uint32_t table_find_key(const struct cuzk_sched *sched, const uint8_t *key)
{
    const struct table *table = &sched->by_key;

    for (uint64_t i = hash_key_bytes(key);; i++) {
        const uint32_t slot = table->slots[i & table->mask];

        if (slot == NOWHERE || memcmp(sched->jobs[slot].given.key, key, CUZK_SCHED_KEY_BYTES) == 0)
            return slot;
    }
}

static void table_insert(struct table *table, uint64_t hash, uint32_t slot)
{
    while (table->slots[hash & table->mask] != NOWHERE)
        hash++;
    table->slots[hash & table->mask] = slot;
}

void table_insert_id(struct cuzk_sched *sched, uint32_t slot)
{
    table_insert(&sched->by_id, hash_of_id(&sched->jobs[slot]), slot);
}

void table_insert_key(struct cuzk_sched *sched, uint32_t slot)
{
    table_insert(&sched->by_key, hash_of_key(&sched->jobs[slot]), slot);
}

static void table_remove(struct cuzk_sched *sched, struct table *table,
                         uint64_t (*hash_of)(const struct job *), uint32_t slot)
{
    uint32_t hole = (uint32_t)(hash_of(&sched->jobs[slot]) & table->mask);

    while (table->slots[hole] != slot) {
        if (table->slots[hole] == NOWHERE)
            return; /* not in this table */
        hole = (hole + 1) & table->mask;
    }
    for (uint32_t i = (hole + 1) & table->mask; table->slots[i] != NOWHERE; i = (i + 1) & table->mask) {
        const uint32_t home = (uint32_t)(hash_of(&sched->jobs[table->slots[i]]) & table->mask);

        /* may the entry at i stand in the hole? only if its home is not between them */
        if (((i - home) & table->mask) >= ((i - hole) & table->mask)) {
            table->slots[hole] = table->slots[i];
            hole = i;
        }
    }
    table->slots[hole] = NOWHERE;
}

void table_remove_id(struct cuzk_sched *sched, uint32_t slot)
{
    table_remove(sched, &sched->by_id, hash_of_id, slot);
}

void table_remove_key(struct cuzk_sched *sched, uint32_t slot)
{
    table_remove(sched, &sched->by_key, hash_of_key, slot);
}
