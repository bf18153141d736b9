#include "bench/load.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/mem.h"
#include "bench/counters.h"
#include "bench/event_parts.h"
#include "bench/machine.h"
#include "bench/percentile.h"
#include "engine/engine.h"
#include "engine/event_timeline.h"
#include "engine/null_spec.h"
#include "filecoin/synth.h"
#include "srs/circuit_id.h"

#define GIB ((double)(UINT64_C(1) << 30))

enum { SEED = 1, RESULT_KEEP_MS = 3600000 /* longer than from a proof to who waits for it */ };

/* ---- the work ---- */

enum cuzk_status cuzk_load_work_make(const char *circuit, bool shape_only, struct cuzk_pool *pool,
                                     struct cuzk_load_work *out, struct cuzk_error *err)
{
    struct cuzk_synth_request request = {.seed = SEED, .data = CUZK_SYNTH_MIX};
    struct cuzk_porep_config config;
    struct cuzk_buffer buffer = {0};
    struct cuzk_circuit_id id;
    uint8_t prover_id[32];
    struct cuzk_c1 *c1;
    int registered;

    memset(out, 0, sizeof *out);
    CUZK_TRY(cuzk_circuit_id_parse(circuit, &id, err));
    if (id.kind != CUZK_CIRCUIT_POREP)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: a load is made of porep circuits", circuit);
    request.sector_size = id.sector_size;
    CUZK_TRY(cuzk_synth_config(&request, &config, &registered, prover_id, err));
    if (registered < 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: no proof of that size is registered", circuit);
    snprintf(out->name, sizeof out->name, "%s", circuit);
    out->sector_size = id.sector_size;
    out->registered_proof = (uint64_t)registered;
    out->partitions = config.partitions;
    if (shape_only)
        return CUZK_OK;
    CUZK_TRY(cuzk_synth_porep(pool, &request, NULL, &c1, err));
    const struct cuzk_sink sink = cuzk_buffer_sink(&buffer);
    const enum cuzk_status status = cuzk_c1_encode(c1, &sink, err);

    cuzk_c1_destroy(c1);
    out->c1 = buffer.bytes;
    out->c1_length = buffer.length;
    return status;
}

void cuzk_load_work_free(struct cuzk_load_work *work)
{
    cuzk_mem_free(work->c1);
    memset(work, 0, sizeof *work);
}

/* ---- one run ---- */

struct proof {
    struct load *load;
    uint64_t submitted_ns, ended_ns;
    char job[CUZK_JOB_ID_TEXT];
};

struct load {
    const struct cuzk_load_options *options;
    struct cuzk_engine *engine;
    struct proof *proofs;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    uint32_t running, ended, failed;
    char error[CUZK_ERROR_TEXT];
    struct cuzk_engine_event *events;
    size_t event_count, event_room;
    bool events_lost;
    struct cuzk_device *devices[CUZK_SCHED_DEVICES_MOST]; /* the engine's */
    unsigned device_count;
    uint64_t device_planned, device_used, looked_ns; /* bytes; used: at most so far */
};

/* The log's lock is held: only a copy. */
static void keep_event(void *context, const struct cuzk_engine_event *event)
{
    struct load *load = context;

    pthread_mutex_lock(&load->lock);
    if (CUZK_GROW(&load->events, load->event_count + 1, load->event_count, &load->event_room, "events",
                  NULL) == CUZK_OK)
        load->events[load->event_count++] = *event;
    else
        load->events_lost = true;
    pthread_mutex_unlock(&load->lock);
}

static void on_end(void *context, const struct cuzk_job_result *result)
{
    struct proof *proof = context;
    struct load *load = proof->load;

    pthread_mutex_lock(&load->lock);
    proof->ended_ns = cuzk_clock_ns();
    if (result->state != CUZK_JOB_DONE) {
        if (load->failed++ == 0)
            snprintf(load->error, sizeof load->error, "%s",
                     result->error != NULL ? result->error : "cancelled");
    }
    load->running--;
    load->ended++;
    pthread_cond_signal(&load->changed);
    pthread_mutex_unlock(&load->lock);
}

static enum cuzk_status submit(struct load *load, uint32_t number, struct cuzk_error *err)
{
    const struct cuzk_load_work *work = load->options->work;
    const struct cuzk_request_part part = {work->c1 != NULL ? work->c1 : (const uint8_t *)work->name,
                                           work->c1 != NULL ? work->c1_length : strlen(work->name)};
    struct proof *proof = &load->proofs[number];
    struct cuzk_submission submission;
    char id[40];
    uint64_t watch;

    snprintf(id, sizeof id, "bench-%" PRIu32, number);
    const struct cuzk_request request = {
        .request_id = id,
        .kind = CUZK_PROOF_KIND_POREP,
        .sector_size = work->sector_size,
        .registered_proof = work->registered_proof,
        .vanilla_proof = {&part, 1, part.length},
        .sector_number = number,
    };

    proof->load = load;
    proof->submitted_ns = cuzk_clock_ns();
    pthread_mutex_lock(&load->lock);
    load->running++;
    pthread_mutex_unlock(&load->lock);
    const enum cuzk_status status = cuzk_engine_submit(load->engine, &request, &submission, err);

    if (status != CUZK_OK) {
        pthread_mutex_lock(&load->lock);
        load->running--;
        pthread_mutex_unlock(&load->lock);
        return status;
    }
    memcpy(proof->job, submission.job_id, sizeof proof->job);
    cuzk_engine_watch(load->engine, proof->job, on_end, proof, &watch);
    return CUZK_OK;
}

/* What is in use on each device now, by its driver's word. */
static void look_at_devices(struct load *load)
{
    enum { EVERY_NS = 500000000 };

    if (cuzk_clock_ns() - load->looked_ns < EVERY_NS)
        return;
    load->looked_ns = cuzk_clock_ns();
    for (unsigned i = 0; i < load->device_count; i++) {
        struct cuzk_device *device = load->devices[i];
        struct cuzk_device_facts facts;

        if (device->ops->facts(device, &facts, NULL) != CUZK_OK || facts.memory_free == 0)
            continue;
        const uint64_t used = facts.memory_total - facts.memory_free;

        load->device_used = used > load->device_used ? used : load->device_used;
    }
}

/* Waits until fewer than `most` proofs run. */
static enum cuzk_status wait_below(struct load *load, uint32_t most, struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&load->lock);
    while (load->running >= most && load->failed == 0 && status == CUZK_OK) {
        const uint64_t end = cuzk_clock_ns() + 500000000;
        const struct timespec until = cuzk_clock_timespec(end);

        pthread_cond_clockwait(&load->changed, &load->lock, CLOCK_MONOTONIC, &until);
        pthread_mutex_unlock(&load->lock);
        look_at_devices(load);
        pthread_mutex_lock(&load->lock);
        cuzk_progress_report(load->options->progress, "proofs", load->ended, load->options->proofs);
        status = cuzk_progress_check(load->options->progress, err);
    }
    if (status == CUZK_OK && load->failed > 0)
        status = cuzk_error_set(err, CUZK_DEVICE, "a proof failed: %s", load->error);
    pthread_mutex_unlock(&load->lock);
    return status;
}

static enum cuzk_status submit_all(struct load *load, struct cuzk_error *err)
{
    for (uint32_t i = 0; i < load->options->proofs; i++) {
        CUZK_TRY(wait_below(load, load->options->in_flight, err));
        CUZK_TRY(submit(load, i, err));
    }
    return wait_below(load, 1, err);
}

/* ---- engine ---- */

static bool is_null(const struct cuzk_load_options *options)
{
    return cuzk_null_spec_is(options->devices[0]);
}

static enum cuzk_status open_devices(const struct cuzk_load_options *options,
                                     struct cuzk_engine_options *engine, struct cuzk_error *err)
{
    const unsigned slots = cuzk_knobs_device_slots(&options->knobs);
    const unsigned threads = cuzk_knobs_device_threads(&options->knobs, options->threads);
    struct cuzk_device_null null;

    for (unsigned i = 0; i < options->device_count; i++) {
        const char *const name = options->devices[i];
        struct cuzk_device **const out = &engine->devices[engine->device_count];

        if (cuzk_null_spec_is(name)) {
            if (options->device_count > 1)
                return cuzk_error_set(err, CUZK_ARGUMENT, "load: %s cannot work beside other devices", name);
            CUZK_TRY(cuzk_null_spec_parse("--device", name, &null, err));
            memcpy(engine->host_stage_ns, null.stage_ns, sizeof null.stage_ns);
            CUZK_TRY(cuzk_device_null_create(&null, slots, out, err));
        } else {
            CUZK_TRY(cuzk_device_local_create(name, threads, slots, out, err));
        }
        engine->device_count++;
    }
    return CUZK_OK;
}

/* What a device should hold at most: the key, what its jobs take turns in, and the units that fit its slots.
 */
static enum cuzk_status plan_device(struct load *load, struct cuzk_error *err)
{
    const struct cuzk_load_work *work = load->options->work;
    struct cuzk_device *device = load->devices[0];
    const uint64_t most = (uint64_t)load->options->in_flight * work->partitions;
    struct cuzk_circuit_id circuit;
    struct cuzk_device_need need;

    CUZK_TRY(cuzk_circuit_id_parse(work->name, &circuit, err));
    CUZK_TRY(device->ops->need(device, &circuit, &need, err));
    load->device_planned =
        need.key_device + need.unit_device * (most < device->slots ? most : (uint64_t)device->slots);
    return CUZK_OK;
}

static enum cuzk_status open_engine(struct load *load, char *device_name, size_t room, struct cuzk_error *err)
{
    const struct cuzk_load_options *options = load->options;
    const char *const preload = options->work->name;
    struct cuzk_device *devices[CUZK_SCHED_DEVICES_MOST] = {NULL};
    struct cuzk_device_facts facts;
    struct cuzk_engine_options engine = {
        .knobs = options->knobs,
        .devices = devices,
        .threads = options->threads,
        .params_directory = options->params_directory,
        .host_budget = options->host_budget,
        .device_budget = options->device_budget,
        .jobs_most = options->proofs,
        .failures_most = 1,
        .result_keep_ms = RESULT_KEEP_MS,
        .verify = !is_null(options),
        .log = options->log,
    };
    const enum cuzk_status status = open_devices(options, &engine, err);
    uint64_t load_ms;
    bool already;

    if (status != CUZK_OK) {
        for (unsigned i = 0; i < engine.device_count; i++)
            cuzk_device_destroy(devices[i]);
        return status;
    }
    if (devices[0] != NULL && devices[0]->ops->facts(devices[0], &facts, err) == CUZK_OK)
        snprintf(device_name, room, "%s", facts.name);
    CUZK_TRY(cuzk_engine_create(&engine, &load->engine, err));
    for (unsigned i = 0; i < engine.device_count; i++)
        load->devices[load->device_count++] = devices[i];
    if (!is_null(options))
        CUZK_TRY(plan_device(load, err));
    if (options->knobs.value[CUZK_KNOB_SRS] == CUZK_SRS_PER_PROOF)
        return CUZK_OK;
    return cuzk_engine_preload(load->engine, preload, &already, &load_ms, err);
}

/* ---- figures ---- */

static void take_latencies(const struct load *load, struct cuzk_load_result *out, uint64_t *begin,
                           uint64_t *end)
{
    uint64_t first = UINT64_MAX;
    const uint32_t n = load->options->proofs;
    double sum = 0, percentiles[CUZK_PERCENTILES];

    *begin = UINT64_MAX;
    *end = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct proof *proof = &load->proofs[i];

        out->latency[i] = (double)(proof->ended_ns - proof->submitted_ns) / 1e9;
        sum += out->latency[i];
        *begin = proof->submitted_ns < *begin ? proof->submitted_ns : *begin;
        *end = proof->ended_ns > *end ? proof->ended_ns : *end;
        first = proof->ended_ns < first ? proof->ended_ns : first;
    }
    cuzk_bench_percentiles(out->latency, n, percentiles);
    out->latency_p50 = percentiles[0];
    out->latency_p90 = percentiles[1];
    out->latency_p99 = percentiles[2];
    out->figures.latency_mean = sum / n;
    out->figures.latency_most = out->latency[n - 1];
    out->figures.steady = n > 1 ? (double)(*end - first) / 1e9 / (n - 1) : 0;
}

static enum cuzk_status keep_timeline(const struct load *load, struct cuzk_load_result *out,
                                      struct cuzk_error *err)
{
    CUZK_TRY(cuzk_timeline_create(&out->timeline, err));
    for (size_t i = 0; i < load->event_count; i++) {
        struct cuzk_timeline_event span;

        cuzk_engine_event_span(&load->events[i], &span);
        cuzk_timeline_add_event(out->timeline, &span);
    }
    return CUZK_OK;
}

/* Whether an event happened on a device's lanes: gpu1, gpu1.0, cpu1, ... */
static bool is_on(const struct cuzk_engine_event *event, unsigned device)
{
    static const char *const backends[] = {"cuda", "cpu"};
    char lane[CUZK_TIMELINE_NAME];
    bool on = false;

    for (size_t i = 0; i < sizeof backends / sizeof backends[0] && !on; i++) {
        const int length = snprintf(lane, sizeof lane, "%s%u", cuzk_device_lane_prefix(backends[i]), device);

        on = strncmp(event->lane, lane, (size_t)length) == 0 &&
             (event->lane[length] == 0 || event->lane[length] == '.');
    }
    return on;
}

/* Busy and held are a device's: with several, the mean of what each alone comes to. */
static enum cuzk_status take_busy_mean(const struct load *load, const struct cuzk_event_parts_load *parts,
                                       unsigned devices, struct cuzk_sim_result *out, struct cuzk_error *err)
{
    struct cuzk_engine_event *own;
    double busy = 0, held = 0;
    enum cuzk_status status = CUZK_OK;

    CUZK_TRY(CUZK_NEW(&own, load->event_count, "events of a device", err));
    for (unsigned device = 0; device < devices; device++) {
        struct cuzk_sim_result one = {0};
        size_t count = 0;

        for (size_t i = 0; i < load->event_count; i++)
            if (is_on(&load->events[i], device))
                own[count++] = load->events[i];
        if (count == 0)
            continue; /* it did nothing */
        CUZK_TRY_OUT(cuzk_event_parts(own, count, parts, &one, err));
        busy += one.device_busy;
        held += one.device_held;
    }
    out->device_busy = busy / devices;
    out->device_held = held / devices;
out:
    cuzk_mem_free(own);
    return status;
}

static enum cuzk_status take_figures(struct load *load, struct cuzk_load_result *out, struct cuzk_error *err)
{
    struct cuzk_event_parts_load parts = {.proofs = load->options->proofs};
    struct cuzk_engine_status status;
    uint64_t transfer_ns = 0;

    cuzk_engine_status(load->engine, &status);
    parts.witness_workers = status.sched.witness_slots;
    parts.device_workers = load->options->knobs.value[CUZK_KNOB_WORKERS_PER_DEVICE] * status.devices;
    take_latencies(load, out, &parts.begin_ns, &parts.end_ns);
    if (load->events_lost)
        return cuzk_error_set(err, CUZK_MEMORY, "no memory to keep all events");
    CUZK_TRY(cuzk_event_parts(load->events, load->event_count, &parts, &out->figures, err));
    if (status.devices > 1)
        CUZK_TRY(take_busy_mean(load, &parts, status.devices, &out->figures, err));
    for (size_t i = 0; i < load->event_count; i++)
        transfer_ns += load->events[i].transfer_ns;
    out->transfer = (double)transfer_ns / 1e9 / (double)out->figures.units;
    out->proofs = load->options->proofs;
    out->failed = load->failed;
    out->planned_peak = (double)status.host_peak / GIB;
    out->resident_peak = (double)cuzk_machine_peak_resident() / GIB;
    out->figures.host_peak = out->resident_peak;
    out->devices = status.devices;
    out->device_planned = (double)load->device_planned / GIB;
    out->device_used = (double)load->device_used / GIB;
    for (unsigned i = 0; i < load->device_count; i++) {
        struct cuzk_device_facts facts;

        CUZK_TRY(load->devices[i]->ops->facts(load->devices[i], &facts, err));
        const double peak = (double)facts.memory_peak / GIB;

        out->figures.device_peak = peak > out->figures.device_peak ? peak : out->figures.device_peak;
    }
    return keep_timeline(load, out, err);
}

static void take_counts(const double before[CUZK_COUNTERS], const double after[CUZK_COUNTERS],
                        struct cuzk_sim_result *out)
{
    enum { LINE_BYTES = 64 };
    double counted[CUZK_COUNTERS];

    for (int c = 0; c < CUZK_COUNTERS; c++)
        counted[c] = after[c] - before[c];
    out->processors = counted[CUZK_COUNTER_WORK] / 1e9 / out->wall;
    out->cache_gb_s = counted[CUZK_COUNTER_CACHE_MISSES] * LINE_BYTES / 1e9 / out->wall;
    if (counted[CUZK_COUNTER_CYCLES] > 0)
        out->ipc = counted[CUZK_COUNTER_INSTRUCTIONS] / counted[CUZK_COUNTER_CYCLES];
    if (counted[CUZK_COUNTER_NODE_READS] > 0)
        out->remote_share = counted[CUZK_COUNTER_NODE_MISSES] / counted[CUZK_COUNTER_NODE_READS];
}

/* The kernel forgets the highest resident memory of this process (proc(5)). */
static void forget_peak(void)
{
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    if (file < 0)
        return;
    if (write(file, "5", 1) != 1) {
        /* then the peak is that of the process so far */
    }
    close(file);
}

enum cuzk_status cuzk_load_run(const struct cuzk_load_options *options, struct cuzk_load_result *out,
                               struct cuzk_error *err)
{
    struct load load = {
        .options = options, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    double before[CUZK_COUNTERS], after[CUZK_COUNTERS];
    struct cuzk_counters counters;
    enum cuzk_status status;

    memset(out, 0, sizeof *out);
    if (options->proofs == 0 || options->in_flight == 0)
        return cuzk_error_set(err, CUZK_ARGUMENT, "load: at least one proof, one of them in flight");
    if (options->device_count == 0 || options->device_count > CUZK_SCHED_DEVICES_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "load: %u devices, 1 to %d can be used",
                              options->device_count, CUZK_SCHED_DEVICES_MOST);
    cuzk_counters_begin(&counters); /* before there are threads */
    CUZK_TRY_OUT(CUZK_NEW(&load.proofs, options->proofs, "proofs", err));
    CUZK_TRY_OUT(CUZK_NEW(&out->latency, options->proofs, "latencies", err));
    forget_peak();
    CUZK_TRY_OUT(open_engine(&load, out->device, sizeof out->device, err));
    cuzk_event_log_listen(cuzk_engine_events(load.engine), keep_event, &load);
    cuzk_counters_read(&counters, before);
    CUZK_TRY_OUT(submit_all(&load, err));
    cuzk_counters_read(&counters, after);
    CUZK_TRY_OUT(take_figures(&load, out, err));
    take_counts(before, after, &out->figures);
    memcpy(out->uncounted, counters.why, sizeof out->uncounted);
out:
    cuzk_counters_end(&counters);
    cuzk_engine_destroy(load.engine);
    cuzk_mem_free(load.events);
    cuzk_mem_free(load.proofs);
    if (status != CUZK_OK)
        cuzk_load_result_free(out);
    return status;
}

void cuzk_load_result_free(struct cuzk_load_result *result)
{
    cuzk_mem_free(result->latency);
    cuzk_timeline_destroy(result->timeline);
    result->latency = NULL;
    result->timeline = NULL;
}

void cuzk_load_write(const struct cuzk_load_result *result, struct cuzk_json_writer *json)
{
    const struct cuzk_sim_result *figures = &result->figures;
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"batch_wall_s", figures->wall},
        {"batch_wall_per_proof_s", figures->per_proof},
        {"steady_per_proof_s", figures->steady},
        {"latency_mean_s", figures->latency_mean},
        {"latency_p50_s", result->latency_p50},
        {"latency_p90_s", result->latency_p90},
        {"latency_p99_s", result->latency_p99},
        {"latency_most_s", figures->latency_most},
        {"device_calls_per_proof_s", figures->calls_per_proof},
        {"call_s", figures->call},
        {"lock_held_s", figures->section},
        {"kernels_s", figures->kernels},
        {"transfers_s", result->transfer},
        {"synthesis_s", figures->synthesis},
        {"device_busy", figures->device_busy},
        {"device_held", figures->device_held},
        {"calls_utilisation", figures->calls_utilisation},
        {"resident_peak_gib", result->resident_peak},
        {"planned_peak_gib", result->planned_peak},
        {"device_planned_gib", result->device_planned},
        {"device_peak_gib", figures->device_peak},
        {"device_used_gib", result->device_used},
        {"processors_at_work", figures->processors},
        {"instructions_a_cycle", figures->ipc},
        {"cache_lines_gb_s", figures->cache_gb_s},
        {"remote_lines_share", figures->remote_share},
    };

    cuzk_json_write_member_string(json, "device", result->device);
    cuzk_json_write_member_u64(json, "devices", result->devices);
    cuzk_json_write_member_u64(json, "proofs", result->proofs);
    cuzk_json_write_member_u64(json, "partitions", figures->units);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cuzk_json_write_member_double(json, numbers[i].name, numbers[i].value, 6);
    cuzk_json_write_key(json, "parts_s_per_proof");
    cuzk_json_write_object_begin(json);
    for (unsigned part = 0; part < CUZK_PARTS; part++)
        cuzk_json_write_member_double(json, cuzk_sim_part_name((enum cuzk_sim_part)part), figures->part[part],
                                      6);
    cuzk_json_write_object_end(json);
    cuzk_json_write_key(json, "latency_samples_s");
    cuzk_json_write_array_begin(json);
    for (uint32_t i = 0; i < result->proofs; i++)
        cuzk_json_write_double(json, result->latency[i], 6);
    cuzk_json_write_array_end(json);
}
