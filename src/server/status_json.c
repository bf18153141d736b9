#include "server/status_json.h"

#include <inttypes.h>

#include "base/version.h"
#include "server/names.h"

static void write_queue(struct cuzk_json_writer *json, const char *name,
                        const struct cuzk_engine_queue_status *queue)
{
    cuzk_json_write_key(json, name);
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_u64(json, "pending", queue->pending);
    cuzk_json_write_member_u64(json, "running", queue->running);
    cuzk_json_write_object_end(json);
}

static void write_device(struct cuzk_json_writer *json, const struct cuzk_engine_status *status, unsigned k)
{
    const struct cuzk_engine_device_status *device = &status->device[k];
    const bool working = device->job_id[0] != '\0';

    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_u64(json, "device", k);
    cuzk_json_write_member_string(json, "id", device->facts.id);
    cuzk_json_write_member_string(json, "backend", device->facts.backend);
    cuzk_json_write_member_string(json, "name", device->facts.name);
    cuzk_json_write_member_u64(json, "memory_total_bytes", device->facts.memory_total);
    cuzk_json_write_member_u64(json, "memory_free_bytes", device->facts.memory_free);
    cuzk_json_write_member_u64(json, "memory_peak_bytes", device->facts.memory_peak);
    cuzk_json_write_member_u64(json, "memory_planned_bytes", status->sched.device_used[k]);
    cuzk_json_write_key(json, "process");
    if (device->facts.process > 0)
        cuzk_json_write_i64(json, device->facts.process);
    else
        cuzk_json_write_null(json);
    cuzk_json_write_member_bool(json, "lost", device->lost);
    cuzk_json_write_member_u64(json, "restarts", device->restarts);
    cuzk_json_write_member_string(json, "job_id", working ? device->job_id : NULL);
    cuzk_json_write_member_string(json, "kind", working ? cuzk_kind_name(device->kind) : NULL);
    cuzk_json_write_member_u64(json, "busy_ns", device->busy_ns);
    cuzk_json_write_member_u64(json, "held_ns", device->held_ns);
    cuzk_json_write_member_u64(json, "transfer_ns", device->transfer_ns);
    cuzk_json_write_member_u64(json, "units", device->units);
    cuzk_json_write_member_u64(json, "failures", device->failures);
    cuzk_json_write_member_u64(json, "workers_busy", status->sched.device_workers_busy[k]);
    cuzk_json_write_object_end(json);
}

static void write_keys(struct cuzk_json_writer *json, const struct cuzk_engine_status *status)
{
    char circuit[CUZK_CIRCUIT_NAME];

    cuzk_json_write_key(json, "keys");
    cuzk_json_write_array_begin(json);
    for (unsigned k = 0; k < status->keys; k++) {
        cuzk_circuit_id_format(&status->key[k].circuit, circuit);
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "circuit", circuit);
        cuzk_json_write_member_string(json, "tier", cuzk_tier_name(status->key[k].tier));
        cuzk_json_write_member_u64(json, "bytes", status->key[k].bytes);
        cuzk_json_write_member_u64(json, "references", status->key[k].references);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
}

static void write_jobs(struct cuzk_json_writer *json, const struct cuzk_engine_status *status)
{
    cuzk_json_write_key(json, "queues");
    cuzk_json_write_object_begin(json);
    for (int kind = CUZK_PROOF_KIND_NONE + 1; kind < CUZK_PROOF_KINDS; kind++)
        write_queue(json, cuzk_kind_name((enum cuzk_proof_kind)kind), &status->queue[kind]);
    cuzk_json_write_object_end(json);
    cuzk_json_write_key(json, "priorities");
    cuzk_json_write_object_begin(json);
    for (int k = CUZK_PRIORITIES - 1; k >= 0; k--)
        write_queue(json, cuzk_priority_name((enum cuzk_priority)k), &status->priority[k]);
    cuzk_json_write_object_end(json);
    cuzk_json_write_key(json, "jobs");
    cuzk_json_write_object_begin(json);
    for (int kind = CUZK_PROOF_KIND_NONE + 1; kind < CUZK_PROOF_KINDS; kind++) {
        cuzk_json_write_key(json, cuzk_kind_name((enum cuzk_proof_kind)kind));
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_u64(json, "completed", status->completed[kind]);
        cuzk_json_write_member_u64(json, "failed", status->failed[kind]);
        cuzk_json_write_member_u64(json, "cancelled", status->cancelled[kind]);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_object_end(json);
    cuzk_json_write_member_u64(json, "rejected", status->rejected);
    cuzk_json_write_member_u64(json, "retries", status->retries);
    cuzk_json_write_member_u64(json, "partitions_done", status->partitions_done);
}

static void write_sched(struct cuzk_json_writer *json, const struct cuzk_sched_stats *sched)
{
    cuzk_json_write_key(json, "scheduler");
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_u64(json, "jobs", sched->jobs);
    cuzk_json_write_member_u64(json, "alive", sched->alive);
    cuzk_json_write_key(json, "queued");
    cuzk_json_write_object_begin(json);
    for (int k = CUZK_PRIORITIES - 1; k >= 0; k--)
        cuzk_json_write_member_u64(json, cuzk_priority_name((enum cuzk_priority)k), sched->queued[k]);
    cuzk_json_write_object_end(json);
    cuzk_json_write_member_u64(json, "units", sched->units);
    cuzk_json_write_member_u64(json, "witness_busy", sched->witness_busy);
    cuzk_json_write_member_u64(json, "witness_slots", sched->witness_slots);
    cuzk_json_write_member_u64(json, "channel", sched->channel);
    cuzk_json_write_member_u64(json, "blocked", sched->blocked);
    cuzk_json_write_member_u64(json, "releasing", sched->releasing);
    cuzk_json_write_member_u64(json, "host_used_bytes", sched->host_used);
    cuzk_json_write_member_u64(json, "stale", sched->stale);
    cuzk_json_write_object_end(json);
}

void cuzk_status_write_json(const struct cuzk_engine_status *status, struct cuzk_json_writer *json)
{
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_string(json, "version", cuzk_version());
    cuzk_json_write_member_string(json, "commit", cuzk_commit());
    cuzk_json_write_member_u64(json, "uptime_ms", status->uptime_ms);
    cuzk_json_write_member_bool(json, "ready", status->ready);
    cuzk_json_write_member_bool(json, "draining", status->draining);
    cuzk_json_write_member_string(json, "preset", status->preset);
    cuzk_json_write_key(json, "devices");
    cuzk_json_write_array_begin(json);
    for (unsigned k = 0; k < status->devices; k++)
        write_device(json, status, k);
    cuzk_json_write_array_end(json);
    write_keys(json, status);
    write_jobs(json, status);
    cuzk_json_write_key(json, "host_memory");
    cuzk_json_write_object_begin(json);
    cuzk_json_write_member_u64(json, "planned_bytes", status->host_used);
    cuzk_json_write_member_u64(json, "budget_bytes", status->host_budget);
    cuzk_json_write_member_u64(json, "peak_bytes", status->host_peak);
    cuzk_json_write_object_end(json);
    cuzk_json_write_member_u64(json, "journal_bytes", status->journal_bytes);
    cuzk_json_write_member_u64(json, "spool_bytes", status->spool_bytes);
    write_sched(json, &status->sched);
    cuzk_json_write_object_end(json);
}
