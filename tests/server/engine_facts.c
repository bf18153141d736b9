#include "server/engine_facts.h"

#include <stdio.h>
#include <string.h>

void engine_facts_status(uint64_t n, struct cuzk_engine_status *out)
{
    memset(out, 0, sizeof *out);
    out->uptime_ms = 61500 + n;
    out->ready = true;
    out->devices = 2;
    for (unsigned k = 0; k < out->devices; k++) {
        struct cuzk_engine_device_status *device = &out->device[k];

        snprintf(device->facts.backend, sizeof device->facts.backend, "%s", k == 0 ? "cuda" : "null");
        snprintf(device->facts.name, sizeof device->facts.name, "Card \"%u\" <b>\\", k);
        snprintf(device->facts.id, sizeof device->facts.id, "dev:%u", k);
        device->facts.memory_total = UINT64_C(80) << 30;
        device->facts.memory_free = UINT64_C(50) << 30;
        device->facts.memory_peak = UINT64_C(31) << 30;
        device->facts.process = k == 0 ? 4242 : 0;
        device->lost = k == 1;
        device->restarts = 3 * k;
        if (k == 0) {
            snprintf(device->job_id, sizeof device->job_id, "job-17");
            device->kind = CUZK_PROOF_KIND_POREP;
        }
        device->busy_ns = n * 1500000000;
        device->held_ns = n * 1700000000;
        device->transfer_ns = n * 25000001;
        device->units = 10 * n;
        device->failures = n;
        out->sched.device_used[k] = UINT64_C(12) << 30;
        out->sched.device_workers_busy[k] = 2 - k;
    }
    out->keys = 2;
    out->key[0] = (struct cuzk_engine_key_status){.circuit = {CUZK_CIRCUIT_POREP, UINT64_C(32) << 30},
                                                  .tier = CUZK_TIER_HOT,
                                                  .bytes = UINT64_C(47) << 30,
                                                  .references = 3};
    out->key[1] = (struct cuzk_engine_key_status){
        .circuit = {CUZK_CIRCUIT_POREP, 2048}, .tier = CUZK_TIER_COLD, .bytes = 1 << 20};
    for (int kind = 1; kind < CUZK_PROOF_KINDS; kind++) {
        out->queue[kind] = (struct cuzk_engine_queue_status){(uint32_t)kind * 3, (uint32_t)kind};
        out->completed[kind] = 100 * n + (uint64_t)kind;
        out->failed[kind] = n;
        out->cancelled[kind] = 2 * n;
    }
    for (int k = 0; k < CUZK_PRIORITIES; k++) {
        out->priority[k] = (struct cuzk_engine_queue_status){(uint32_t)k + 4, (uint32_t)k};
        out->sched.queued[k] = (uint32_t)k + 9;
    }
    out->rejected = 7 * n;
    out->retries = 5 * n;
    out->partitions_done = 1000 * n;
    out->host_used = UINT64_C(90) << 30;
    out->host_budget = UINT64_C(256) << 30;
    out->host_peak = UINT64_C(120) << 30;
    out->journal_bytes = 65536;
    out->spool_bytes = 123456789;
    out->sched.jobs = 40;
    out->sched.alive = 30;
    out->sched.units = 12;
    out->sched.witness_busy = 5;
    out->sched.witness_slots = 6;
    out->sched.channel = 2;
    out->sched.blocked = 1;
    out->sched.releasing = 3;
    out->sched.host_used = UINT64_C(43) << 30;
    out->sched.stale = n;
    snprintf(out->preset, sizeof out->preset, "phase-12");
}

void engine_facts_totals(uint64_t n, struct cuzk_event_totals *out)
{
    memset(out, 0, sizeof *out);
    for (int type = 0; type < CUZK_EVENT_TYPES; type++)
        out->count[type] = n * (uint64_t)(type + 1);
    for (int stage = 0; stage < CUZK_STAGES; stage++) {
        out->stage_count[stage] = 3 * n;
        out->stage_ns[stage] = n * 700000007;
        out->stage_bucket[stage][0] = n;
        out->stage_bucket[stage][9] = n;
        out->stage_bucket[stage][CUZK_EVENT_BUCKETS - 1] = n;
    }
    for (int kind = 1; kind < CUZK_PROOF_KINDS; kind++) {
        out->job_count[kind] = 2 * n;
        out->job_ns[kind] = n * 60000000000;
        out->job_bucket[kind][15] = 2 * n;
    }
}
