/*
 * Measures the executor on null devices and prints one JSON object a line:
 *
 *   engine_bench overhead [DIR] | busy | submit [DIR] | flat | queued [DIR]
 *
 * DIR is a state directory; without it nothing is kept. No test: figures depend on the machine.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dirent.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/thread.h"
#include "engine/engine.h"
#include "engine/memory_growth.h"
#include "filecoin/seal_proof.h"

#define MS UINT64_C(1000000)

static void die(const char *what, const struct cuzk_error *err)
{
    fprintf(stderr, "engine_bench: %s: %s\n", what, err->message);
    exit(1);
}

/* ---- an engine and its load ---- */

enum { LAST = 64 };

struct load {
    struct cuzk_engine *engine;
    char last[LAST][CUZK_JOB_ID_TEXT]; /* ids of ended jobs */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    uint64_t submitted, done, collected, failed;
};

static void on_end(void *context, const struct cuzk_job_result *result)
{
    struct load *load = context;

    pthread_mutex_lock(&load->lock);
    memcpy(load->last[load->done % LAST], result->job_id, CUZK_JOB_ID_TEXT);
    load->done++;
    load->failed += result->state != CUZK_JOB_DONE;
    pthread_cond_signal(&load->ended);
    pthread_mutex_unlock(&load->lock);
}

static void open_load(struct load *load, const char *preset, const char *change,
                      const struct cuzk_device_null *behaviour, const uint64_t host_ns[CUZK_STAGES],
                      uint32_t jobs_most, const char *directory)
{
    struct cuzk_engine_options options = {.threads = 2,
                                          .jobs_most = jobs_most,
                                          .failures_most = 2,
                                          .aging_ms = 60000,
                                          .result_keep_ms = 600000,
                                          .state_directory = directory};
    struct cuzk_device *device;
    struct cuzk_error err;

    if (cuzk_knobs_preset(preset, &options.knobs, &err) != CUZK_OK ||
        (change != NULL && cuzk_knobs_set(&options.knobs, change, &err) != CUZK_OK))
        die(preset, &err);
    if (host_ns != NULL)
        memcpy(options.host_stage_ns, host_ns, sizeof options.host_stage_ns);
    if (cuzk_device_null_create(behaviour, 16, &device, &err) != CUZK_OK)
        die("null device", &err);
    options.devices = &device;
    options.device_count = 1;
    memset(load, 0, sizeof *load);
    pthread_mutex_init(&load->lock, NULL);
    pthread_cond_init(&load->ended, NULL);
    if (cuzk_engine_create(&options, &load->engine, &err) != CUZK_OK)
        die("engine", &err);
}

static void close_load(struct load *load)
{
    cuzk_engine_destroy(load->engine);
    pthread_cond_destroy(&load->ended);
    pthread_mutex_destroy(&load->lock);
}

static void submit(struct load *load, unsigned proof, size_t bytes, struct cuzk_submission *out)
{
    static uint8_t content[1024];
    const struct cuzk_request_part part = {content, bytes};
    const uint64_t number = load->submitted++;
    struct cuzk_error err;
    char id[40];

    memcpy(content, &number, sizeof number);
    snprintf(id, sizeof id, "porep-1000-%" PRIu64, number);
    const struct cuzk_request request = {.request_id = id,
                                         .kind = CUZK_PROOF_KIND_POREP,
                                         .sector_size = cuzk_seal_proof_sector_size(proof),
                                         .registered_proof = proof,
                                         .vanilla_proof = {&part, 1, bytes},
                                         .sector_number = number,
                                         .miner_id = 1000};

    if (cuzk_engine_submit(load->engine, &request, out, &err) != CUZK_OK)
        die("submit", &err);
}

/* Keeps `in_flight` jobs submitted until `jobs` have ended. */
static void run(struct load *load, unsigned proof, uint64_t jobs, uint64_t in_flight)
{
    const uint64_t target = load->submitted + jobs;

    while (load->collected < target) {
        pthread_mutex_lock(&load->lock);
        while (load->collected == load->done && load->done < target &&
               (load->submitted == target || load->submitted - load->done >= in_flight))
            pthread_cond_wait(&load->ended, &load->lock);
        const bool more = load->submitted < target && load->submitted - load->done < in_flight;
        char ended[LAST][CUZK_JOB_ID_TEXT];
        unsigned count = 0;

        for (; load->collected < load->done && count < LAST; load->collected++, count++)
            memcpy(ended[count], load->last[load->collected % LAST], CUZK_JOB_ID_TEXT);
        pthread_mutex_unlock(&load->lock);
        for (unsigned i = 0; i < count; i++)
            cuzk_engine_collected(load->engine, ended[i]);
        if (more) {
            struct cuzk_submission out;
            uint64_t watch;

            submit(load, proof, 64, &out);
            cuzk_engine_watch(load->engine, out.job_id, on_end, load, &watch);
        }
    }
}

static long rss_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total = 0, resident = 0;

    if (file == NULL || fscanf(file, "%ld %ld", &total, &resident) != 2)
        resident = 0;
    if (file != NULL)
        fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static int open_files(void)
{
    DIR *directory = opendir("/proc/self/fd");
    int count = 0;

    if (directory == NULL)
        return -1;
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

/* ---- measurements ---- */

/* The most that one job of `partitions` partitions at a time, or `in_flight` of them, take in memory beyond
 * what was there before, by partition. Not while times are taken. */
static void measure_growth(struct load *load, unsigned proof, unsigned partitions, uint64_t in_flight,
                           size_t *accounted, size_t *heap)
{
    struct memory_growth growth;

    memory_growth_begin(&growth, load->engine);
    run(load, proof, in_flight, in_flight);
    memory_growth_end(&growth, load->engine, accounted, heap);
    *accounted /= in_flight * partitions;
    *heap /= in_flight * partitions;
}

static void overhead(const char *directory)
{
    enum { JOBS = 400, PARTITIONS = 10, IN_FLIGHT = 4, TEN = 8, ONE = 5 /* registered proofs */ };
    static const char *const presets[] = {"phase-0", "phase-6", "phase-8", "phase-11", "phase-12", "auto"};

    for (size_t i = 0; i < sizeof presets / sizeof presets[0]; i++) {
        const struct cuzk_device_null behaviour = {0};
        size_t alone, alone_heap, loaded, loaded_heap;
        struct load load;

        open_load(&load, presets[i], "batch.wait=0", &behaviour, NULL, 10000, directory);
        load.submitted = load.done = load.collected = i * 10 * JOBS; /* requests of its own */
        run(&load, TEN, 20, IN_FLIGHT);
        measure_growth(&load, ONE, 1, 1, &alone, &alone_heap);
        measure_growth(&load, TEN, PARTITIONS, IN_FLIGHT, &loaded, &loaded_heap);
        const size_t resting = cuzk_mem_in_use();
        const uint64_t begin = cuzk_clock_ns(), cpu = cuzk_clock_cpu_ns();

        run(&load, TEN, JOBS, IN_FLIGHT);
        const double wall_us = (double)(cuzk_clock_ns() - begin) / 1e3 / (JOBS * PARTITIONS);
        const double cpu_us = (double)(cuzk_clock_cpu_ns() - cpu) / 1e3 / (JOBS * PARTITIONS);

        printf("{\"bench\":\"overhead\",\"preset\":\"%s\",\"durable\":%s,\"partitions\":%d,\"wall_us\":%.1f,"
               "\"cpu_us\":%.1f,\"peak_bytes_alone\":%zu,\"peak_heap_bytes_alone\":%zu,"
               "\"peak_bytes_per_partition\":%zu,\"peak_heap_bytes_per_partition\":%zu,"
               "\"kept_bytes_per_partition\":%.0f}\n",
               presets[i], directory != NULL ? "true" : "false", JOBS * PARTITIONS, wall_us, cpu_us, alone,
               alone_heap, loaded, loaded_heap,
               ((double)cuzk_mem_in_use() - (double)resting) / (JOBS * PARTITIONS));
        close_load(&load);
    }
}

struct busy {
    uint64_t first, last, working;
};

static void note_stage(void *context, const struct cuzk_engine_event *event)
{
    struct busy *busy = context;

    if (event->type != CUZK_EVENT_TYPE_STAGE || event->stage < CUZK_STAGE_UPLOAD ||
        event->stage > CUZK_STAGE_MSM)
        return;
    if (busy->first == 0)
        busy->first = event->begin_ns;
    busy->last = event->end_ns;
    busy->working += event->end_ns - event->begin_ns; /* one at a time: they are under the lock */
}

static void busy(void)
{
    static const struct {
        const char *preset, *change;
    } runs[] = {
        {"phase-7", NULL},  {"phase-8", NULL},  {"phase-9", "workers_per_device=1"}, {"phase-9", NULL},
        {"phase-11", NULL}, {"phase-12", NULL}, {"auto", "partition_workers=4"}};
    struct cuzk_device_null behaviour = {0};
    uint64_t host_ns[CUZK_STAGES] = {0};

    behaviour.stage_ns[CUZK_STAGE_SETUP] = 1 * MS;
    behaviour.stage_ns[CUZK_STAGE_UPLOAD] = 4 * MS;
    behaviour.stage_ns[CUZK_STAGE_QUOTIENT] = 8 * MS;
    behaviour.stage_ns[CUZK_STAGE_MSM] = 12 * MS;
    behaviour.stage_ns[CUZK_STAGE_FINISH] = 2 * MS;
    host_ns[CUZK_STAGE_WITNESS] = 15 * MS;
    host_ns[CUZK_STAGE_VERIFY] = 3 * MS;
    host_ns[CUZK_STAGE_RELEASE] = 1 * MS;
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct cuzk_engine_status status;
        struct busy seen = {0};
        struct load load;

        open_load(&load, runs[i].preset, runs[i].change, &behaviour, host_ns, 1000, NULL);
        cuzk_event_log_listen(cuzk_engine_events(load.engine), note_stage, &seen);
        run(&load, 8, 20, 8);
        cuzk_event_log_listen(cuzk_engine_events(load.engine), NULL, NULL);
        cuzk_engine_status(load.engine, &status);
        const double window = (double)(seen.last - seen.first);

        printf("{\"bench\":\"busy\",\"preset\":\"%s\",\"change\":\"%s\",\"held\":%.4f,\"working\":%.4f,"
               "\"kernels_nominal\":%.4f,\"window_s\":%.3f}\n",
               runs[i].preset, runs[i].change != NULL ? runs[i].change : "",
               (double)status.device[0].held_ns / window, (double)seen.working / window,
               (double)status.device[0].busy_ns / window, window / 1e9);
        close_load(&load);
    }
}

static int compare(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return (a > b) - (a < b);
}

struct submitter {
    struct load *load;
    unsigned number;
    uint64_t start;
};

enum { SUBMITTERS = 32, SUBMITS = 5000, RATE = 1000 };

static uint64_t latency[SUBMITS];

/* Each sends its share at fixed times, whatever the answers took: latency counts from the time it was due. */
static void *submitter_main(void *argument)
{
    const struct submitter *self = argument;

    cuzk_thread_prefer_soon(false); /* as the daemon's do that take requests */
    for (unsigned i = self->number; i < SUBMITS; i += SUBMITTERS) {
        const uint64_t due = self->start + i * (UINT64_C(1000000000) / RATE);
        const struct timespec until = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
        uint8_t content[1024] = {0};
        const struct cuzk_request_part part = {content, sizeof content};
        struct cuzk_submission out;
        struct cuzk_error err;
        char id[40];

        memcpy(content, &i, sizeof i);
        snprintf(id, sizeof id, "porep-2000-%u", i);
        const struct cuzk_request request = {.request_id = id,
                                             .kind = CUZK_PROOF_KIND_POREP,
                                             .sector_size = cuzk_seal_proof_sector_size(5),
                                             .registered_proof = 5,
                                             .vanilla_proof = {&part, 1, sizeof content}};

        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        if (cuzk_engine_submit(self->load->engine, &request, &out, &err) != CUZK_OK)
            die("submit", &err);
        latency[i] = cuzk_clock_ns() - due;
    }
    return NULL;
}

static void submit_rate(const char *directory)
{
    struct cuzk_device_null behaviour = {0};
    struct submitter submitters[SUBMITTERS];
    pthread_t threads[SUBMITTERS];
    struct load load;

    behaviour.stage_ns[CUZK_STAGE_MSM] = MS / 10;
    open_load(&load, "auto", NULL, &behaviour, NULL, 100000, directory);
    const uint64_t start = cuzk_clock_ns() + 10 * MS;

    for (unsigned i = 0; i < SUBMITTERS; i++) {
        submitters[i] = (struct submitter){&load, i, start};
        if (pthread_create(&threads[i], NULL, submitter_main, &submitters[i]) != 0)
            exit(1);
    }
    for (unsigned i = 0; i < SUBMITTERS; i++)
        pthread_join(threads[i], NULL);
    const double seconds = (double)(cuzk_clock_ns() - start) / 1e9;

    qsort(latency, SUBMITS, sizeof latency[0], compare);
    printf("{\"bench\":\"submit\",\"durable\":%s,\"rate\":%.0f,\"p50_us\":%.0f,\"p99_us\":%.0f,\"max_us\":%."
           "0f}\n",
           directory != NULL ? "true" : "false", SUBMITS / seconds, (double)latency[SUBMITS / 2] / 1e3,
           (double)latency[SUBMITS * 99 / 100] / 1e3, (double)latency[SUBMITS - 1] / 1e3);
    close_load(&load);
}

static void flat(void)
{
    const struct cuzk_device_null behaviour = {0};
    struct load load;

    open_load(&load, "auto", NULL, &behaviour, NULL, 2000, NULL);
    for (unsigned thousand = 1; thousand <= 10; thousand++) {
        run(&load, 5, 1000, 8);
        printf("{\"bench\":\"flat\",\"jobs\":%" PRIu64 ",\"rss_kib\":%ld,\"allocated\":%zu,\"files\":%d}\n",
               load.done, rss_kib(), cuzk_mem_in_use(), open_files());
    }
    close_load(&load);
}

static void queued(const char *directory)
{
    enum { JOBS = 100000 };
    struct cuzk_device_null behaviour = {0};
    const long before = rss_kib();
    struct load load;

    behaviour.stage_ns[CUZK_STAGE_MSM] = 60000 * MS;
    open_load(&load, "auto", NULL, &behaviour, NULL, JOBS + 10, directory);
    const long idle = rss_kib();

    for (unsigned i = 0; i < JOBS; i++) {
        struct cuzk_submission out;

        submit(&load, 5, 64, &out);
    }
    printf("{\"bench\":\"queued\",\"durable\":%s,\"jobs\":%d,\"mib_all\":%.1f,\"mib_queue\":%.1f}\n",
           directory != NULL ? "true" : "false", JOBS, (double)(rss_kib() - before) / 1024,
           (double)(rss_kib() - idle) / 1024);
    fflush(stdout);
    _exit(0); /* not until the device's minute is over */
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (strcmp(what, "overhead") == 0)
        overhead(argc > 2 ? argv[2] : NULL);
    else if (strcmp(what, "busy") == 0)
        busy();
    else if (strcmp(what, "submit") == 0)
        submit_rate(argc > 2 ? argv[2] : NULL);
    else if (strcmp(what, "flat") == 0)
        flat();
    else if (strcmp(what, "queued") == 0)
        queued(argc > 2 ? argv[2] : NULL);
    else
        fprintf(stderr, "usage: engine_bench overhead [DIR] | busy | submit [DIR] | flat | queued [DIR]\n");
    return what[0] == '\0' ? 2 : 0;
}
