/* What is going on, for whoever asks. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine_state.h"

static void device_status(struct engine_device *device, struct cuzk_engine_device_status *out)
{
    out->facts = device->facts;
    out->lost = device->lost;
    out->restarts = device->restarts;
    if (device->work_job != 0) {
        cuzk_job_id_format(device->work_job, out->job_id);
        out->kind = device->work_kind;
    }
    out->busy_ns = device->busy_ns;
    out->held_ns = device->held_ns;
    out->transfer_ns = device->transfer_ns;
    out->units = device->units;
    out->failures = device->failures;
    if (cuzk_clock_ns() - device->facts_ns > ENGINE_FACTS_MS * CUZK_NS_PER_MS) {
        device->facts_wanted = true; /* for the next who asks */
        pthread_cond_signal(&device->keeper_wake);
    }
}

static void key_status(const struct cuzk_engine *engine, const struct engine_circuit *circuit,
                       struct cuzk_engine_key_status *out)
{
    out->circuit = circuit->id;
    out->tier = cuzk_tiers_of(&engine->tiers, circuit->index);
    out->warm = engine->tiers.key[circuit->index].warm == CUZK_TIERS_THERE;
    out->pinned = out->warm && circuit->warm_pinned;
    out->references = cuzk_tiers_references(&engine->tiers, circuit->index);
    out->bytes = circuit->path_bytes;
    if (out->bytes == 0)
        out->bytes = circuit->need.key_device + circuit->need.key_host;
}

void cuzk_engine_status(struct cuzk_engine *engine, struct cuzk_engine_status *out)
{
    struct cuzk_journal_facts journal = {0};

    memset(out, 0, sizeof *out);
    if (engine->journal != NULL)
        cuzk_journal_facts(engine->journal, &journal);
    out->journal_bytes = journal.journal_bytes;
    out->spool_bytes = journal.spool_bytes;
    out->uptime_ms = (cuzk_clock_ns() - engine->created_ns) / CUZK_NS_PER_MS;
    out->devices = engine->device_count;
    snprintf(out->preset, sizeof out->preset, "%s", engine->preset);

    pthread_mutex_lock(&engine->lock);
    out->ready = engine->ready;
    out->draining = engine->draining;
    for (unsigned d = 0; d < engine->device_count; d++)
        device_status(&engine->devices[d], &out->device[d]);
    pthread_mutex_lock(&engine->keys_lock);
    out->keys = engine->circuit_count < CUZK_ENGINE_KEYS_MOST ? engine->circuit_count : CUZK_ENGINE_KEYS_MOST;
    for (unsigned i = 0; i < out->keys; i++)
        key_status(engine, &engine->circuits[i], &out->key[i]);
    pthread_mutex_unlock(&engine->keys_lock);
    memcpy(out->queue, engine->queue, sizeof out->queue);
    memcpy(out->priority, engine->priority, sizeof out->priority);
    memcpy(out->completed, engine->completed, sizeof out->completed);
    memcpy(out->failed, engine->failed, sizeof out->failed);
    memcpy(out->cancelled, engine->cancelled, sizeof out->cancelled);
    out->rejected = engine->rejected;
    out->retries = engine->retries;
    out->partitions_done = engine->partitions_done;
    cuzk_sched_stats(engine->sched, &out->sched);
    out->host_used = out->sched.host_used + engine->keys_host;
    out->host_budget = engine->host_budget;
    out->host_peak = engine->host_peak > out->host_used ? engine->host_peak : out->host_used;
    pthread_mutex_unlock(&engine->lock);
}

bool cuzk_engine_ready(const struct cuzk_engine *engine)
{
    struct cuzk_engine *that = (struct cuzk_engine *)(uintptr_t)engine;

    pthread_mutex_lock(&that->lock);
    const bool ready = that->ready;

    pthread_mutex_unlock(&that->lock);
    return ready;
}

struct cuzk_event_log *cuzk_engine_events(struct cuzk_engine *engine)
{
    return engine->events;
}
