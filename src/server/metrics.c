#include "server/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "bench/emit.h"
#include "server/names.h"
#include "server/process.h"

enum { LABEL_ROOM = 600, WORD_ROOM = 64, KIND_FIRST = CUZK_PROOF_KIND_NONE + 1 };

#define NS_PER_S UINT64_C(1000000000)

struct writer {
    struct cuzk_bench_emit out;
    const struct cuzk_engine_status *status;
    const struct cuzk_event_totals *totals;
    struct cuzk_process_usage process;
    const char *name; /* of the family being written */
};

/* ---- samples ---- */

/* A label's value: backslash, quote and newline escaped, cut where longer than the room. */
static const char *escape(const char *text, char *room, size_t size)
{
    size_t used = 0;

    for (; *text != '\0' && used + 3 < size; text++) {
        if (*text == '\\' || *text == '"' || *text == '\n') {
            room[used++] = '\\';
            room[used++] = *text == '\n' ? 'n' : *text;
        } else {
            room[used++] = *text;
        }
    }
    room[used] = '\0';
    return room;
}

static void value_u64(struct writer *w, const char *labels, uint64_t value)
{
    cuzk_bench_emit(&w->out, "%s%s %" PRIu64 "\n", w->name, labels, value);
}

/* Nanoseconds as seconds, exactly. */
static void value_ns(struct writer *w, const char *labels, uint64_t ns)
{
    cuzk_bench_emit(&w->out, "%s%s %" PRIu64 ".%09" PRIu64 "\n", w->name, labels, ns / NS_PER_S,
                    ns % NS_PER_S);
}

static void value_u64_by(struct writer *w, const char *label, const char *of, uint64_t value)
{
    char labels[LABEL_ROOM];

    snprintf(labels, sizeof labels, "{%s=\"%s\"}", label, of);
    value_u64(w, labels, value);
}

/* A histogram's lines. Buckets count what fell between the one before and their own bound. */
static void histogram(struct writer *w, const char *label, const char *of, const uint64_t *buckets,
                      uint64_t count, uint64_t sum_ns)
{
    uint64_t below = 0;

    for (int i = 0; i < CUZK_EVENT_BUCKETS - 1; i++) {
        below += buckets[i];
        cuzk_bench_emit(&w->out, "%s_bucket{%s=\"%s\",le=\"%.10g\"} %" PRIu64 "\n", w->name, label, of,
                        (double)(UINT64_C(1) << i) / 1e3, below);
    }
    cuzk_bench_emit(&w->out, "%s_bucket{%s=\"%s\",le=\"+Inf\"} %" PRIu64 "\n", w->name, label, of, count);
    cuzk_bench_emit(&w->out, "%s_sum{%s=\"%s\"} %" PRIu64 ".%09" PRIu64 "\n", w->name, label, of,
                    sum_ns / NS_PER_S, sum_ns % NS_PER_S);
    cuzk_bench_emit(&w->out, "%s_count{%s=\"%s\"} %" PRIu64 "\n", w->name, label, of, count);
}

/* A name as a label's value: '_' for what separates its words. */
static const char *word(const char *name, char room[WORD_ROOM])
{
    size_t i = 0;

    for (; name[i] != '\0' && i + 1 < WORD_ROOM; i++)
        room[i] = name[i] == ' ' || name[i] == '-' ? '_' : name[i];
    room[i] = '\0';
    return room;
}

static const char *kind_word(int kind, char room[WORD_ROOM])
{
    return word(cuzk_kind_name((enum cuzk_proof_kind)kind), room);
}

/* ---- families: the daemon ---- */

static void build_info(struct writer *w)
{
    char labels[LABEL_ROOM], commit[64];

    snprintf(labels, sizeof labels, "{version=\"%s\",commit=\"%s\"}", cuzk_version(),
             escape(cuzk_commit(), commit, sizeof commit));
    value_u64(w, labels, 1);
}

static void preset_info(struct writer *w)
{
    char preset[2 * sizeof w->status->preset];

    value_u64_by(w, "preset", escape(w->status->preset, preset, sizeof preset), 1);
}

static void uptime(struct writer *w)
{
    cuzk_bench_emit(&w->out, "%s %" PRIu64 ".%03" PRIu64 "\n", w->name, w->status->uptime_ms / 1000,
                    w->status->uptime_ms % 1000);
}

static void ready(struct writer *w)
{
    value_u64(w, "", w->status->ready);
}

static void draining(struct writer *w)
{
    value_u64(w, "", w->status->draining);
}

/* ---- jobs ---- */

static void jobs(struct writer *w)
{
    static const char *const outcomes[] = {"completed", "failed", "cancelled"};
    const uint64_t *const counts[] = {w->status->completed, w->status->failed, w->status->cancelled};
    char labels[LABEL_ROOM], kind_name[WORD_ROOM];

    for (int kind = KIND_FIRST; kind < CUZK_PROOF_KINDS; kind++)
        for (int k = 0; k < 3; k++) {
            snprintf(labels, sizeof labels, "{kind=\"%s\",outcome=\"%s\"}", kind_word(kind, kind_name),
                     outcomes[k]);
            value_u64(w, labels, counts[k][kind]);
        }
}

static void queue(struct writer *w)
{
    char kind_name[WORD_ROOM];

    for (int kind = KIND_FIRST; kind < CUZK_PROOF_KINDS; kind++)
        value_u64_by(w, "kind", kind_word(kind, kind_name), w->status->queue[kind].pending);
}

static void running(struct writer *w)
{
    char kind_name[WORD_ROOM];

    for (int kind = KIND_FIRST; kind < CUZK_PROOF_KINDS; kind++)
        value_u64_by(w, "kind", kind_word(kind, kind_name), w->status->queue[kind].running);
}

static void priority_queue(struct writer *w)
{
    for (int k = 0; k < CUZK_PRIORITIES; k++)
        value_u64_by(w, "priority", cuzk_priority_name((enum cuzk_priority)k),
                     w->status->priority[k].pending);
}

static void priority_running(struct writer *w)
{
    for (int k = 0; k < CUZK_PRIORITIES; k++)
        value_u64_by(w, "priority", cuzk_priority_name((enum cuzk_priority)k),
                     w->status->priority[k].running);
}

static void rejected(struct writer *w)
{
    value_u64(w, "", w->status->rejected);
}

static void retries(struct writer *w)
{
    value_u64(w, "", w->status->retries);
}

static void partitions(struct writer *w)
{
    value_u64(w, "", w->status->partitions_done);
}

static void job_duration(struct writer *w)
{
    char kind_name[WORD_ROOM];

    for (int kind = KIND_FIRST; kind < CUZK_PROOF_KINDS; kind++)
        histogram(w, "kind", kind_word(kind, kind_name), w->totals->job_bucket[kind],
                  w->totals->job_count[kind], w->totals->job_ns[kind]);
}

static void stage_duration(struct writer *w)
{
    char name[WORD_ROOM];

    for (int stage = 0; stage < CUZK_STAGES; stage++)
        histogram(w, "stage", word(cuzk_sched_stage_name((enum cuzk_sched_stage)stage), name),
                  w->totals->stage_bucket[stage], w->totals->stage_count[stage], w->totals->stage_ns[stage]);
}

static void events(struct writer *w)
{
    char name[WORD_ROOM];

    for (int type = 0; type < CUZK_EVENT_TYPES; type++)
        value_u64_by(w, "event", word(cuzk_event_type_name((enum cuzk_event_type)type), name),
                     w->totals->count[type]);
}

/* ---- devices ---- */

static void device_info(struct writer *w)
{
    char labels[3 * LABEL_ROOM], id[160], backend[64], name[LABEL_ROOM];

    for (unsigned k = 0; k < w->status->devices; k++) {
        const struct cuzk_device_facts *facts = &w->status->device[k].facts;

        snprintf(labels, sizeof labels, "{device=\"%u\",id=\"%s\",backend=\"%s\",name=\"%s\"}", k,
                 escape(facts->id, id, sizeof id), escape(facts->backend, backend, sizeof backend),
                 escape(facts->name, name, sizeof name));
        value_u64(w, labels, 1);
    }
}

/* One sample a device, of the member that PICK names. */
#define DEVICE_FAMILY(function, format, expression)                                                          \
    static void function(struct writer *w)                                                                   \
    {                                                                                                        \
        for (unsigned k = 0; k < w->status->devices; k++) {                                                  \
            const struct cuzk_engine_device_status *device = &w->status->device[k];                          \
            char labels[32];                                                                                 \
                                                                                                             \
            (void)device;                                                                                    \
            snprintf(labels, sizeof labels, "{device=\"%u\"}", k);                                           \
            format(w, labels, (expression));                                                                 \
        }                                                                                                    \
    }

DEVICE_FAMILY(device_up, value_u64, !device->lost)
DEVICE_FAMILY(device_restarts, value_u64, device->restarts)
DEVICE_FAMILY(device_busy, value_ns, device->busy_ns)
DEVICE_FAMILY(device_held, value_ns, device->held_ns)
DEVICE_FAMILY(device_transfer, value_ns, device->transfer_ns)
DEVICE_FAMILY(device_units, value_u64, device->units)
DEVICE_FAMILY(device_failures, value_u64, device->failures)
DEVICE_FAMILY(device_workers, value_u64, w->status->sched.device_workers_busy[k])
DEVICE_FAMILY(device_memory, value_u64, device->facts.memory_total)
DEVICE_FAMILY(device_memory_free, value_u64, device->facts.memory_free)
DEVICE_FAMILY(device_memory_peak, value_u64, device->facts.memory_peak)
DEVICE_FAMILY(device_planned, value_u64, w->status->sched.device_used[k])

/* ---- memory, keys, journal ---- */

static void host_planned(struct writer *w)
{
    value_u64(w, "", w->status->host_used);
}

static void host_budget(struct writer *w)
{
    value_u64(w, "", w->status->host_budget);
}

static void host_peak(struct writer *w)
{
    value_u64(w, "", w->status->host_peak);
}

static void key_bytes(struct writer *w)
{
    char labels[LABEL_ROOM], circuit[CUZK_CIRCUIT_NAME];

    for (unsigned k = 0; k < w->status->keys; k++) {
        cuzk_circuit_id_format(&w->status->key[k].circuit, circuit);
        snprintf(labels, sizeof labels, "{circuit=\"%s\",tier=\"%s\"}", circuit,
                 cuzk_tier_name(w->status->key[k].tier));
        value_u64(w, labels, w->status->key[k].bytes);
    }
}

static void key_references(struct writer *w)
{
    char circuit[CUZK_CIRCUIT_NAME];

    for (unsigned k = 0; k < w->status->keys; k++) {
        cuzk_circuit_id_format(&w->status->key[k].circuit, circuit);
        value_u64_by(w, "circuit", circuit, w->status->key[k].references);
    }
}

static void journal_bytes(struct writer *w)
{
    value_u64(w, "", w->status->journal_bytes);
}

static void spool_bytes(struct writer *w)
{
    value_u64(w, "", w->status->spool_bytes);
}

/* ---- the scheduler ---- */

static void witness_busy(struct writer *w)
{
    value_u64(w, "", w->status->sched.witness_busy);
}

static void witness_slots(struct writer *w)
{
    value_u64(w, "", w->status->sched.witness_slots);
}

static void units(struct writer *w)
{
    const struct cuzk_sched_stats *sched = &w->status->sched;

    value_u64(w, "{state=\"alive\"}", sched->units);
    value_u64(w, "{state=\"channel\"}", sched->channel);
    value_u64(w, "{state=\"blocked\"}", sched->blocked);
    value_u64(w, "{state=\"releasing\"}", sched->releasing);
}

static void jobs_known(struct writer *w)
{
    value_u64(w, "{state=\"known\"}", w->status->sched.jobs);
    value_u64(w, "{state=\"alive\"}", w->status->sched.alive);
}

static void stale(struct writer *w)
{
    value_u64(w, "", w->status->sched.stale);
}

/* ---- this process ---- */

static void process_cpu(struct writer *w)
{
    cuzk_bench_emit(&w->out, "%s %.2f\n", w->name, w->process.cpu_seconds);
}

static void process_start(struct writer *w)
{
    cuzk_bench_emit(&w->out, "%s %.2f\n", w->name, w->process.start_seconds);
}

static void process_resident(struct writer *w)
{
    value_u64(w, "", w->process.resident);
}

static void process_virtual(struct writer *w)
{
    value_u64(w, "", w->process.virtual_size);
}

static void process_fds(struct writer *w)
{
    value_u64(w, "", w->process.open_fds);
}

static void process_fds_most(struct writer *w)
{
    value_u64(w, "", w->process.most_fds);
}

static void process_threads(struct writer *w)
{
    value_u64(w, "", w->process.threads);
}

/* ---- the table ---- */

#define COUNTER   "counter"
#define GAUGE     "gauge"
#define HISTOGRAM "histogram"

static const struct {
    struct cuzk_metrics_family family;
    void (*write)(struct writer *w);
} families[] = {
    {{"cuzk_build_info", GAUGE, "version, commit", "Always 1; the build is in the labels"}, build_info},
    {{"cuzk_preset_info", GAUGE, "preset", "Always 1; the preset of the pipeline's knobs is in the label"},
     preset_info},
    {{"cuzk_uptime_seconds", GAUGE, "", "Time since the engine was started"}, uptime},
    {{"cuzk_ready", GAUGE, "", "Whether all preloads are done (0 or 1)"}, ready},
    {{"cuzk_draining", GAUGE, "", "Whether new jobs are refused because the daemon drains (0 or 1)"},
     draining},

    {{"cuzk_jobs_total", COUNTER, "kind, outcome", "Jobs that ended, by outcome"}, jobs},
    {{"cuzk_jobs_pending", GAUGE, "kind", "Jobs that wait for their first partition to start"}, queue},
    {{"cuzk_jobs_running", GAUGE, "kind", "Jobs with a partition that was started"}, running},
    {{"cuzk_priority_jobs_pending", GAUGE, "priority", "The same waiting jobs by priority"}, priority_queue},
    {{"cuzk_priority_jobs_running", GAUGE, "priority", "The same running jobs by priority"},
     priority_running},
    {{"cuzk_requests_rejected_total", COUNTER, "", "Submissions that were refused"}, rejected},
    {{"cuzk_retries_total", COUNTER, "", "Partitions that were sent back to be made again"}, retries},
    {{"cuzk_partitions_total", COUNTER, "", "Partitions proved and verified"}, partitions},
    {{"cuzk_job_duration_seconds", HISTOGRAM, "kind", "Submission to answer of ended jobs"}, job_duration},
    {{"cuzk_stage_duration_seconds", HISTOGRAM, "stage", "Length of the stages of units"}, stage_duration},
    {{"cuzk_events_total", COUNTER, "event", "Events of the engine's log, by type"}, events},

    {{"cuzk_device_info", GAUGE, "device, id, backend, name", "Always 1; what the device is, in the labels"},
     device_info},
    {{"cuzk_device_up", GAUGE, "device", "0 while the device is lost"}, device_up},
    {{"cuzk_device_restarts_total", COUNTER, "device",
      "Times that the device was begun anew after it was lost"},
     device_restarts},
    {{"cuzk_device_busy_seconds_total", COUNTER, "device", "Time with kernels running"}, device_busy},
    {{"cuzk_device_held_seconds_total", COUNTER, "device", "Time with the device's lock held, busy or not"},
     device_held},
    {{"cuzk_device_transfer_seconds_total", COUNTER, "device", "Time copying to and from the device"},
     device_transfer},
    {{"cuzk_device_units_total", COUNTER, "device", "Units that the device finished"}, device_units},
    {{"cuzk_device_failures_total", COUNTER, "device", "Units that ended in an error on the device"},
     device_failures},
    {{"cuzk_device_workers_busy", GAUGE, "device", "Workers of the device with a unit in hand"},
     device_workers},
    {{"cuzk_device_memory_bytes", GAUGE, "device", "Memory of the device; 0 where it works in host memory"},
     device_memory},
    {{"cuzk_device_memory_free_bytes", GAUGE, "device", "Of it, free"}, device_memory_free},
    {{"cuzk_device_memory_peak_bytes", GAUGE, "device", "Of it, most used by this engine"},
     device_memory_peak},
    {{"cuzk_device_memory_planned_bytes", GAUGE, "device", "Of it, reserved by units in flight"},
     device_planned},

    {{"cuzk_host_memory_planned_bytes", GAUGE, "", "Host memory reserved by the engine's plan"},
     host_planned},
    {{"cuzk_host_memory_budget_bytes", GAUGE, "", "Host memory that the engine may plan with"}, host_budget},
    {{"cuzk_host_memory_planned_peak_bytes", GAUGE, "", "Most that was reserved at once"}, host_peak},
    {{"cuzk_key_bytes", GAUGE, "circuit, tier",
      "Size of a circuit's key; hot is on devices, warm in host memory"},
     key_bytes},
    {{"cuzk_key_references", GAUGE, "circuit", "Jobs that use the key"}, key_references},
    {{"cuzk_journal_bytes", GAUGE, "", "Size of the job journal on disk"}, journal_bytes},
    {{"cuzk_spool_bytes", GAUGE, "", "Size of the spooled requests on disk"}, spool_bytes},

    {{"cuzk_witness_workers_busy", GAUGE, "", "Witness workers with a unit in hand"}, witness_busy},
    {{"cuzk_witness_workers", GAUGE, "", "Witness workers that there are"}, witness_slots},
    {{"cuzk_sched_units", GAUGE, "state",
      "Units alive; of them waiting in the channel, held back by a full channel, giving memory back"},
     units},
    {{"cuzk_sched_jobs", GAUGE, "state", "Jobs known to the scheduler, and those of them not ended"},
     jobs_known},
    {{"cuzk_sched_stale_events_total", COUNTER, "", "Reports about units or stages that were not running"},
     stale},

    {{"process_cpu_seconds_total", COUNTER, "", "User and system time of this process"}, process_cpu},
    {{"process_start_time_seconds", GAUGE, "", "When this process was started, in seconds since 1970"},
     process_start},
    {{"process_resident_memory_bytes", GAUGE, "", "Resident memory of this process"}, process_resident},
    {{"process_virtual_memory_bytes", GAUGE, "", "Address space of this process"}, process_virtual},
    {{"process_open_fds", GAUGE, "", "Open file descriptors of this process"}, process_fds},
    {{"process_max_fds", GAUGE, "", "Most descriptors that it may open"}, process_fds_most},
    {{"process_threads", GAUGE, "", "Threads of this process"}, process_threads},
};

enum { FAMILIES = sizeof families / sizeof families[0] };

const struct cuzk_metrics_family *cuzk_metrics_family(size_t index)
{
    return index < FAMILIES ? &families[index].family : NULL;
}

enum cuzk_status cuzk_metrics_write(const struct cuzk_engine_status *status,
                                    const struct cuzk_event_totals *totals, struct cuzk_sink sink,
                                    struct cuzk_error *err)
{
    struct writer w = {.out = {.sink = sink, .err = err}, .status = status, .totals = totals};

    cuzk_process_usage(&w.process);
    for (size_t i = 0; i < FAMILIES; i++) {
        w.name = families[i].family.name;
        cuzk_bench_emit(&w.out, "# HELP %s %s.\n# TYPE %s %s\n", w.name, families[i].family.help, w.name,
                        families[i].family.type);
        families[i].write(&w);
    }
    return w.out.status;
}
