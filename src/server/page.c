#include "server/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/markup.h"
#include "base/version.h"
#include "bench/emit.h"
#include "server/names.h"
#include "server/process.h"
#include "server/web.h"

enum { TEXT_ROOM = 1280, BYTES_ROOM = 32, TIME_ROOM = 32, KIND_FIRST = CUZK_PROOF_KIND_NONE + 1 };

#define NS_PER_S 1e9

struct page {
    struct cuzk_bench_emit out;
    const struct cuzk_page_facts *facts;
};

#define PRINT(...) cuzk_bench_emit(&page->out, __VA_ARGS__)

/* ---- pieces ---- */

static const char *bytes(uint64_t n, char room[BYTES_ROOM])
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)n;
    unsigned unit = 0;

    while (value >= 1000 && unit < 4) {
        value /= 1024;
        unit++;
    }
    snprintf(room, BYTES_ROOM, "%.*f %s", unit == 0 || value >= 100 ? 0 : 1, value, units[unit]);
    return room;
}

static const char *duration(double seconds, char room[TIME_ROOM])
{
    if (seconds < 0.001)
        snprintf(room, TIME_ROOM, "%.0f µs", seconds * 1e6);
    else if (seconds < 1)
        snprintf(room, TIME_ROOM, "%.*f ms", seconds < 0.01 ? 2 : seconds < 0.1 ? 1 : 0, seconds * 1e3);
    else if (seconds < 120)
        snprintf(room, TIME_ROOM, "%.*f s", seconds < 10 ? 2 : 1, seconds);
    else if (seconds < 7200)
        snprintf(room, TIME_ROOM, "%.0f min", seconds / 60);
    else if (seconds < 172800)
        snprintf(room, TIME_ROOM, "%.1f h", seconds / 3600);
    else
        snprintf(room, TIME_ROOM, "%.1f days", seconds / 86400);
    return room;
}

/* A bar out of 100 with a second, paler part up to `outer`. */
static void bar(struct page *page, double inner, double outer, const char *label)
{
    const double most = outer > inner ? outer : inner;

    PRINT("<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" role=\"img\" "
          "aria-label=\"%s\">"
          "<rect class=\"held\" width=\"%.1f\" height=\"8\"/><rect class=\"%s\" width=\"%.1f\" height=\"8\"/>"
          "</svg>",
          label, most < 100 ? most : 100, inner > 95 && outer < 0 ? "full" : "busy",
          inner < 100 ? inner : 100);
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void figure(struct page *page, const char *value, const char *unit, const char *what,
                   const char *class)
{
    PRINT("<div class=\"figure\"><b class=\"%s\">%s<small>%s%s</small></b><span>%s</span></div>\n", class,
          value, unit[0] != '\0' ? " " : "", unit, what);
}

static void figure_u64(struct page *page, uint64_t value, const char *what, const char *class)
{
    char text[32];

    snprintf(text, sizeof text, "%" PRIu64, value);
    figure(page, text, "", what, class);
}

static uint64_t sum(const uint64_t *values, unsigned count)
{
    uint64_t total = 0;

    for (unsigned i = 0; i < count; i++)
        total += values[i];
    return total;
}

/* ---- places of the page ---- */

static void write_title(struct page *page)
{
    const struct cuzk_engine_status *status = &page->facts->status;
    uint32_t running = 0, pending = 0;

    for (int k = 0; k < CUZK_PRIORITIES; k++) {
        running += status->priority[k].running;
        pending += status->priority[k].pending;
    }
    PRINT("%" PRIu32 " running, %" PRIu32 " waiting", running, pending);
}

static void write_header(struct page *page)
{
    const struct cuzk_engine_status *status = &page->facts->status;
    char preset[TEXT_ROOM], time[TIME_ROOM];

    PRINT("<h1>cuzk</h1><span class=\"pill %s\">%s</span><span class=\"facts\">preset %s, up %s, version "
          "%s</span>",
          status->draining || !status->ready ? "warn" : "good",
          status->draining ? "draining"
          : status->ready  ? "ready"
                           : "loading keys",
          cuzk_markup_escape(status->preset, preset, sizeof preset),
          duration((double)status->uptime_ms / 1e3, time), cuzk_version());
}

/* How often something happens, by the unit that reads best. */
static void rate(struct page *page, uint64_t count, uint64_t over_ns, const char *what)
{
    const double seconds = (double)over_ns / NS_PER_S;
    const double each_second = seconds > 0 ? (double)count / seconds : 0;
    char text[32];

    if (each_second >= 1) {
        snprintf(text, sizeof text, "%.*f", each_second >= 100 ? 0 : 1, each_second);
        figure(page, text, "/s", what, "");
    } else if (each_second * 60 >= 1) {
        snprintf(text, sizeof text, "%.1f", each_second * 60);
        figure(page, text, "/min", what, "");
    } else {
        snprintf(text, sizeof text, "%.1f", each_second * 3600);
        figure(page, text, "/h", what, "");
    }
}

static void write_figures(struct page *page)
{
    const struct cuzk_page_facts *facts = page->facts;
    const struct cuzk_engine_status *status = &facts->status;
    const uint64_t failed = sum(status->failed, CUZK_PROOF_KINDS);
    uint64_t running = 0, pending = 0;
    double busy = 0;
    char text[32];

    for (int k = 0; k < CUZK_PRIORITIES; k++) {
        running += status->priority[k].running;
        pending += status->priority[k].pending;
    }
    rate(page, facts->ten_minutes.completed, facts->ten_minutes.at_ns, "proofs, 10 minutes");
    rate(page, facts->minute.partitions, facts->minute.at_ns, "partitions, 1 minute");
    for (unsigned k = 0; k < status->devices; k++)
        busy += percent((double)facts->minute.busy_ns[k], (double)facts->minute.at_ns * status->devices);
    snprintf(text, sizeof text, "%.0f", busy < 100 ? busy : 100);
    figure(page, text, "%", "kernels running", "");
    figure_u64(page, running, "jobs running", "");
    figure_u64(page, pending, "jobs waiting", "");
    figure_u64(page, sum(status->completed, CUZK_PROOF_KINDS), "proofs in all", "");
    figure_u64(page, failed, "jobs failed", failed > 0 ? "bad" : "");
    figure_u64(page, status->retries, "partitions retried", status->retries > 0 ? "warn" : "");
}

static void write_device(struct page *page, unsigned k)
{
    const struct cuzk_engine_device_status *device = &page->facts->status.device[k];
    const struct cuzk_device_facts *facts = &device->facts;
    const double over = (double)page->facts->minute.at_ns;
    const double busy = percent((double)page->facts->minute.busy_ns[k], over),
                 held = percent((double)page->facts->minute.held_ns[k], over);
    char name[TEXT_ROOM], id[TEXT_ROOM], label[96], used[BYTES_ROOM], total[BYTES_ROOM];

    PRINT("<div class=\"device\"><h3>%s%u: %s</h3><p>%s, ", cuzk_device_lane_prefix(facts->backend), k,
          cuzk_markup_escape(facts->name[0] != '\0' ? facts->name : facts->backend, name, sizeof name),
          cuzk_markup_escape(facts->id, id, sizeof id));
    if (device->lost)
        PRINT("<b class=\"bad\">lost</b>");
    else if (device->job_id[0] != '\0')
        PRINT("at work on %s <code>%s</code>", cuzk_kind_name(device->kind), device->job_id);
    else
        PRINT("idle");
    PRINT("</p>\n");
    snprintf(label, sizeof label, "kernels %.0f%%, lock held %.0f%% of the last minute", busy, held);
    bar(page, busy, held, label);
    PRINT("<div class=\"note\"><span>kernels %.1f%%</span><span>lock held %.1f%%</span></div>\n", busy, held);
    if (facts->memory_total > 0) {
        const uint64_t taken = facts->memory_total - facts->memory_free;

        bytes(taken, used);
        bytes(facts->memory_total, total);
        snprintf(label, sizeof label, "memory: %s of %s", used, total);
        bar(page, percent((double)taken, (double)facts->memory_total), -1, label);
        PRINT("<div class=\"note\"><span>memory %s of %s</span><span>peak %s</span></div>\n", used, total,
              bytes(facts->memory_peak, name));
    }
    PRINT("<div class=\"note\"><span>%" PRIu64 " units</span><span class=\"%s\">%" PRIu64
          " failures</span><span>%" PRIu32 " restarts</span></div></div>\n",
          device->units, device->failures > 0 ? "bad" : "", device->failures, device->restarts);
}

static void write_devices(struct page *page)
{
    for (unsigned k = 0; k < page->facts->status.devices; k++)
        write_device(page, k);
    if (page->facts->status.devices == 0)
        PRINT("<p class=\"none\">No devices.</p>");
}

static void write_queues(struct page *page)
{
    const struct cuzk_engine_status *status = &page->facts->status;

    PRINT("<table><thead><tr><th>Priority<th class=\"n\">Waiting<th class=\"n\">Running</tr></thead><tbody>");
    for (int k = CUZK_PRIORITIES - 1; k >= 0; k--)
        PRINT("<tr><td>%s<td class=\"n\">%" PRIu32 "<td class=\"n\">%" PRIu32 "</tr>",
              cuzk_priority_name((enum cuzk_priority)k), status->priority[k].pending,
              status->priority[k].running);
    PRINT("</tbody></table>\n<table><thead><tr><th>Kind<th class=\"n\">Waiting<th class=\"n\">Running"
          "<th class=\"n\">Done<th class=\"n\">Failed<th class=\"n\">Cancelled</tr></thead><tbody>");
    for (int k = KIND_FIRST; k < CUZK_PROOF_KINDS; k++)
        PRINT("<tr><td>%s<td class=\"n\">%" PRIu32 "<td class=\"n\">%" PRIu32 "<td class=\"n\">%" PRIu64
              "<td class=\"n\">%" PRIu64 "<td class=\"n\">%" PRIu64 "</tr>",
              cuzk_kind_name((enum cuzk_proof_kind)k), status->queue[k].pending, status->queue[k].running,
              status->completed[k], status->failed[k], status->cancelled[k]);
    PRINT("</tbody></table>\n<table><tbody><tr><td>Witness workers busy<td class=\"n\">%" PRIu32
          " of %" PRIu32 "</tr><tr><td>Units in the channel<td class=\"n\">%" PRIu32
          "</tr><tr><td>Requests refused"
          "<td class=\"n\">%" PRIu64 "</tr></tbody></table>",
          status->sched.witness_busy, status->sched.witness_slots, status->sched.channel, status->rejected);
}

static void write_stages(struct page *page)
{
    const struct cuzk_rates_sample *minute = &page->facts->minute;
    const double seconds = (double)minute->at_ns / NS_PER_S;
    uint64_t longest = 0;
    char time[TIME_ROOM];

    for (int k = 0; k < CUZK_STAGES; k++)
        if (minute->stage_ns[k] > longest)
            longest = minute->stage_ns[k];
    PRINT("<table><thead><tr><th>Stage<th class=\"n\">Each second<th class=\"n\">Mean<th>At "
          "once</tr></thead><tbody>");
    for (int k = 0; k < CUZK_STAGES; k++) {
        const double count = (double)minute->stage_count[k];

        if (page->facts->totals.stage_count[k] == 0)
            continue;
        PRINT("<tr><td>%s<td class=\"n\">%.2f<td class=\"n\">%s<td>",
              cuzk_sched_stage_name((enum cuzk_sched_stage)k), seconds > 0 ? count / seconds : 0,
              count > 0 ? duration((double)minute->stage_ns[k] / count / NS_PER_S, time) : "none");
        snprintf(time, sizeof time, "%.2f at once",
                 seconds > 0 ? (double)minute->stage_ns[k] / NS_PER_S / seconds : 0);
        bar(page, percent((double)minute->stage_ns[k], (double)longest), 0, time);
        PRINT("</tr>");
    }
    PRINT("</tbody></table>");
}

static void write_memory(struct page *page)
{
    const struct cuzk_engine_status *status = &page->facts->status;
    struct cuzk_process_usage process;
    char used[BYTES_ROOM], budget[BYTES_ROOM], peak[BYTES_ROOM], label[96], circuit[CUZK_CIRCUIT_NAME];

    cuzk_process_usage(&process);
    bytes(status->host_used, used);
    bytes(status->host_budget, budget);
    snprintf(label, sizeof label, "host memory: %s planned of %s", used, budget);
    bar(page, percent((double)status->host_used, (double)status->host_budget), -1, label);
    PRINT("<div class=\"note\"><span>host: %s planned of %s</span><span>peak %s</span></div>\n", used, budget,
          bytes(status->host_peak, peak));
    PRINT("<div class=\"note\"><span>resident %s</span>", bytes(process.resident, used));
    PRINT("<span>journal %s</span>", bytes(status->journal_bytes, used));
    PRINT("<span>spool %s</span></div>\n", bytes(status->spool_bytes, used));
    if (status->keys == 0) {
        PRINT("<p class=\"none\">No keys are loaded.</p>");
        return;
    }
    PRINT(
        "<table><thead><tr><th>Key<th>Tier<th class=\"n\">Size<th class=\"n\">In use by</tr></thead><tbody>");
    for (unsigned k = 0; k < status->keys; k++) {
        cuzk_circuit_id_format(&status->key[k].circuit, circuit);
        PRINT("<tr><td>%s<td>%s<td class=\"n\">%s<td class=\"n\">%" PRIu32 "</tr>", circuit,
              cuzk_tier_name(status->key[k].tier), bytes(status->key[k].bytes, used),
              status->key[k].references);
    }
    PRINT("</tbody></table>");
}

static const char *state_text(enum cuzk_job_state state)
{
    switch (state) {
    case CUZK_JOB_QUEUED:
        return "waiting";
    case CUZK_JOB_RUNNING:
        return "running";
    case CUZK_JOB_DONE:
        return "done";
    case CUZK_JOB_FAILED:
        return "failed";
    case CUZK_JOB_CANCELLED:
        return "cancelled";
    case CUZK_JOB_UNKNOWN:
        break;
    }
    return "unknown";
}

static const char *state_class(enum cuzk_job_state state)
{
    return state == CUZK_JOB_DONE ? "good" : state == CUZK_JOB_FAILED ? "bad" : "soft";
}

/* From `begin` to `end`, or till now where it has not ended; empty where the begin is not known. */
static const char *between(const struct page *page, uint64_t begin, uint64_t end, char room[TIME_ROOM])
{
    const uint64_t until = end != 0 ? end : page->facts->now_ns;

    room[0] = '\0';
    return begin == 0 || until < begin ? room : duration((double)(until - begin) / NS_PER_S, room);
}

static void write_failures(struct page *page)
{
    const struct cuzk_page_facts *facts = page->facts;
    char id[CUZK_JOB_ID_TEXT], reason[TEXT_ROOM], ago[TIME_ROOM];

    if (facts->failed_count == 0) {
        PRINT("<p class=\"none\">None among the last %d jobs.</p>", (int)CUZK_RECENT_MOST);
        return;
    }
    PRINT("<table><thead><tr><th>Job<th>Ago<th>Reason</tr></thead><tbody>");
    for (size_t i = 0; i < facts->failed_count; i++) {
        const struct cuzk_recent_job *job = &facts->failed[i];

        cuzk_job_id_format(job->job, id);
        PRINT("<tr><td><code>%s</code><td>%s<td class=\"reason\">%s</tr>", id,
              between(page, job->ended_ns, 0, ago),
              job->reason[0] != '\0' ? cuzk_markup_escape(job->reason, reason, sizeof reason)
                                     : "not known any more");
    }
    PRINT("</tbody></table>");
}

static void write_jobs(struct page *page)
{
    const struct cuzk_page_facts *facts = page->facts;
    char id[CUZK_JOB_ID_TEXT], wait[TIME_ROOM], total[TIME_ROOM];

    if (facts->recent_count == 0) {
        PRINT("<p class=\"none\">No jobs yet.</p>");
        return;
    }
    PRINT("<table><thead><tr><th>Job<th>Kind<th>State<th class=\"n\">Partitions<th class=\"n\">Retries"
          "<th class=\"n\">Waited<th class=\"n\">In all</tr></thead><tbody>");
    for (size_t i = 0; i < facts->recent_count; i++) {
        const struct cuzk_recent_job *job = &facts->recent[i];
        const uint64_t started = job->started_ns != 0 ? job->started_ns : job->ended_ns;

        cuzk_job_id_format(job->job, id);
        PRINT("<tr><td><code>%s</code><td>%s<td class=\"%s\">%s<td class=\"n\">%" PRIu32
              "<td class=\"n\">%" PRIu32 "<td class=\"n\">%s<td class=\"n\">%s</tr>",
              id, cuzk_kind_name(job->kind), state_class(job->state), state_text(job->state),
              job->partitions_done, job->retries, between(page, job->accepted_ns, started, wait),
              between(page, job->accepted_ns, job->ended_ns, total));
    }
    PRINT("</tbody></table>");
}

static void write_footer(struct page *page)
{
    PRINT("cuzk %s, commit %s", cuzk_version(), cuzk_commit());
}

static const struct {
    const char *name;
    void (*write)(struct page *page);
} places[] = {
    {"title", write_title},     {"header", write_header}, {"figures", write_figures},
    {"devices", write_devices}, {"queues", write_queues}, {"stages", write_stages},
    {"memory", write_memory},   {"jobs", write_jobs},     {"failures", write_failures},
    {"footer", write_footer},
};

static enum cuzk_status write_place(struct page *page, const char *name, size_t length,
                                    struct cuzk_error *err)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (strlen(places[i].name) == length && memcmp(places[i].name, name, length) == 0) {
            places[i].write(page);
            return page->out.status;
        }
    return cuzk_error_set(err, CUZK_INTERNAL, "page: no place is called %.*s", (int)length, name);
}

enum cuzk_status cuzk_page_write(const struct cuzk_page_facts *facts, struct cuzk_sink sink,
                                 struct cuzk_error *err)
{
    struct page page = {.out = {.sink = sink, .err = err}, .facts = facts};
    const char *at = (const char *)cuzk_web_page.bytes, *end = at + *cuzk_web_page.length;

    while (at < end) {
        const char *open = memmem(at, (size_t)(end - at), "{{", 2);
        const char *close = open != NULL ? memmem(open, (size_t)(end - open), "}}", 2) : NULL;

        if (close == NULL)
            return sink.write(sink.context, at, (size_t)(end - at), err);
        CUZK_TRY(sink.write(sink.context, at, (size_t)(open - at), err));
        CUZK_TRY(write_place(&page, open + 2, (size_t)(close - open - 2), err));
        at = close + 2;
    }
    return CUZK_OK;
}
