#include "server/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/cuda/cuda.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/version.h"
#include "engine/null_spec.h"
#include "server/address.h"
#include "server/config_facts.h"
#include "server/grpc_server.h"
#include "server/http.h"
#include "server/work_queue.h"
#include "srs/cache.h"
#include "srs/derived_key.h"

enum { DEVICE_NAME = 96 };

struct cuzk_daemon {
    struct cuzk_engine *engine;
    struct cuzk_grpc_server *grpc;
    struct cuzk_http_server *http; /* NULL where it is off */
    const struct cuzk_log *log;
    uint64_t started_ns;
    struct cuzk_option_list preload; /* circuits that were named so far; texts in preload_text */
    char preload_text[CUZK_OPTION_LIST_ROOM][CUZK_CIRCUIT_NAME];
    struct cuzk_work_queue *loader; /* of preloads that came with a reload; NULL: none came */
};

/* ---- devices ---- */

struct devices {
    struct cuzk_device *list[CUZK_SCHED_DEVICES_MOST];
    unsigned count;
    bool all_null;
    uint64_t host_stage_ns[CUZK_STAGES]; /* of null devices */
};

static enum cuzk_status open_device(const struct cuzk_config *config, const char *program, const char *name,
                                    struct devices *devices, struct cuzk_error *err)
{
    const struct cuzk_config_values *values = &config->values;
    const unsigned slots = cuzk_knobs_device_slots(&config->knobs);
    const unsigned threads =
        cuzk_knobs_device_threads(&config->knobs, values->threads.set ? (unsigned)values->threads.value : 0);
    const bool apart = strcmp(values->isolation, "process") == 0 ||
                       (strcmp(values->isolation, "auto") == 0 && strncmp(name, "cuda", 4) == 0);
    struct cuzk_device **slot = &devices->list[devices->count];
    struct cuzk_device_null null;

    if (devices->count == CUZK_SCHED_DEVICES_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "engine.devices: more than %d", CUZK_SCHED_DEVICES_MOST);
    if (cuzk_null_spec_is(name)) {
        CUZK_TRY(cuzk_null_spec_parse("engine.devices", name, &null, err));
        memcpy(devices->host_stage_ns, null.stage_ns, sizeof null.stage_ns);
        CUZK_TRY(cuzk_device_null_create(&null, slots, slot, err));
    } else {
        devices->all_null = false;
        if (apart)
            CUZK_TRY(cuzk_device_process_create(program, name, threads, slots, slot, err));
        else
            CUZK_TRY(cuzk_device_local_create(name, threads, slots, slot, err));
    }
    (*slot)->memory_limit = values->vram_limit.value;
    devices->count++;
    return CUZK_OK;
}

/* "auto" is every GPU that is here, else the CPU. */
static enum cuzk_status open_auto(const struct cuzk_config *config, const char *program,
                                  struct devices *devices, struct cuzk_error *err)
{
    char name[DEVICE_NAME];
    int count = 0;

    if (cuzk_cuda_device_count(&count, NULL) != CUZK_OK || count == 0)
        return open_device(config, program, "cpu", devices, err);
    for (int i = 0; i < count && i < CUZK_SCHED_DEVICES_MOST; i++) {
        snprintf(name, sizeof name, "cuda:%d", i);
        CUZK_TRY(open_device(config, program, name, devices, err));
    }
    return CUZK_OK;
}

static enum cuzk_status open_devices(const struct cuzk_config *config, const char *program,
                                     struct devices *devices, struct cuzk_error *err)
{
    const struct cuzk_option_list *names = &config->values.devices;
    enum cuzk_status status = CUZK_OK;

    memset(devices, 0, sizeof *devices);
    devices->all_null = true;
    for (size_t i = 0; i < names->count && status == CUZK_OK; i++)
        status = strcmp(names->items[i], "auto") == 0
                     ? open_auto(config, program, devices, err)
                     : open_device(config, program, names->items[i], devices, err);
    if (status == CUZK_OK && devices->count == 0)
        status = cuzk_error_set(err, CUZK_ARGUMENT, "engine.devices: none given");
    while (status != CUZK_OK && devices->count > 0)
        cuzk_device_destroy(devices->list[--devices->count]);
    return status;
}

/* ---- engine ---- */

/* With what it works: what somebody asks first who reads its log. */
static void say_engine(const struct cuzk_daemon *daemon, const char *params, const char *state)
{
    struct cuzk_engine_status *status;

    if (CUZK_NEW(&status, 1, "status", NULL) != CUZK_OK)
        return;
    cuzk_engine_status(daemon->engine, status);
    for (unsigned i = 0; i < status->devices; i++)
        cuzk_log_line(daemon->log, CUZK_LOG_INFO, "device %u: %s, %s", i, status->device[i].facts.id,
                      status->device[i].facts.name);
    cuzk_log_line(daemon->log, CUZK_LOG_INFO,
                  "%.1f GiB of host memory to plan with, parameters in %s, state in %s",
                  (double)status->host_budget / (1 << 30), params, state);
    cuzk_mem_free(status);
}

static enum cuzk_status start_engine(struct cuzk_daemon *daemon, const struct cuzk_config *config,
                                     const char *program, const struct cuzk_log *log, struct cuzk_error *err)
{
    const struct cuzk_config_values *values = &config->values;
    struct devices devices;
    char state[4096];

    cuzk_config_default_state(state, sizeof state);
    if (values->state_dir != NULL)
        snprintf(state, sizeof state, "%s", values->state_dir);
    const bool fresh = access(state, F_OK) != 0;

    CUZK_TRY(cuzk_file_make_directory(state, err));
    if (fresh) /* everybody's requests lie there */
        (void)chmod(state, S_IRWXU);
    CUZK_TRY(open_devices(config, program, &devices, err));
    struct cuzk_engine_options options = {
        .knobs = config->knobs,
        .devices = devices.list,
        .device_count = devices.count,
        .threads = values->threads.set ? (unsigned)values->threads.value : 0,
        .params_directory = values->params_dir,
        .state_directory = state,
        .host_budget = values->host_mem.value,
        .device_budget = values->vram_limit.value,
        .jobs_most = (uint32_t)values->jobs_most.value,
        .failures_most = (uint32_t)values->failures_most.value,
        .aging_ms = values->aging.value,
        .result_keep_ms = values->result_keep.value,
        .verify = !devices.all_null,
        .preload = values->preload.items,
        .preload_count = values->preload.count,
        .winning_hot = true,
        .derive =
            cuzk_derived_mode_parse(values->derived_key) == CUZK_DERIVED_BUILD ? cuzk_derived_job_run : NULL,
        .log = log,
    };

    memcpy(options.host_stage_ns, devices.host_stage_ns, sizeof options.host_stage_ns);
    if (devices.all_null)
        cuzk_log_line(log, CUZK_LOG_WARNING,
                      "null devices: requests are answered with proofs that prove nothing");
    CUZK_TRY(cuzk_engine_create(&options, &daemon->engine, err));
    say_engine(daemon, values->params_dir, state);
    return CUZK_OK;
}

/* What happened, in the reference's lines. */
static void log_event(void *context, const struct cuzk_engine_event *event)
{
    const struct cuzk_daemon *daemon = context;
    char line[256], job[CUZK_JOB_ID_TEXT];

    if (!cuzk_log_wants(daemon->log, CUZK_LOG_DEBUG))
        return;
    cuzk_engine_event_line(event, daemon->started_ns, line, sizeof line);
    cuzk_job_id_format(event->job, job);
    if (event->job != 0)
        cuzk_log_line(daemon->log, CUZK_LOG_DEBUG, "job %s: %s", job, line);
    else
        cuzk_log_line(daemon->log, CUZK_LOG_DEBUG, "%s", line);
}

/* ---- servers ---- */

static enum cuzk_status start_grpc(struct cuzk_daemon *daemon, const struct cuzk_config *config,
                                   const struct cuzk_log *log, struct cuzk_error *err)
{
    const struct cuzk_config_values *values = &config->values;
    char fallback[256];
    const char *only = fallback;
    struct cuzk_grpc_options options = {
        .addresses = values->grpc.items,
        .address_count = values->grpc.count,
        .socket_mode = values->socket_mode != NULL ? (unsigned)strtoul(values->socket_mode, NULL, 8) : 0,
        .tls = {values->tls_certificate, values->tls_key, values->tls_client_ca},
        .message_most = values->message_most.value,
        .log = log,
    };

    cuzk_config_default_address(fallback, sizeof fallback);
    if (options.address_count == 0) {
        options.addresses = &only;
        options.address_count = 1;
    }
    return cuzk_grpc_server_start(daemon->engine, &options, &daemon->grpc, err);
}

static enum cuzk_status start_http(struct cuzk_daemon *daemon, const struct cuzk_config *config,
                                   const struct cuzk_log *log, struct cuzk_error *err)
{
    struct cuzk_http_options options = {.source = cuzk_http_engine_source(daemon->engine), .log = log};
    struct cuzk_address address;

    if (strcmp(config->values.http, "off") == 0)
        return CUZK_OK;
    CUZK_TRY(cuzk_address_parse("listen.http", config->values.http, &address, err));
    options.host = address.host;
    options.port = address.port;
    return cuzk_http_start(&options, &daemon->http, err);
}

/* ---- reload ---- */

/* Remembers a circuit; false: it was known. */
static bool remember_preload(struct cuzk_daemon *daemon, const char *circuit)
{
    struct cuzk_option_list *known = &daemon->preload;

    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->items[i], circuit) == 0)
            return false;
    if (known->count == CUZK_OPTION_LIST_ROOM)
        return false;
    snprintf(daemon->preload_text[known->count], CUZK_CIRCUIT_NAME, "%s", circuit);
    known->items[known->count] = daemon->preload_text[known->count];
    known->count++;
    return true;
}

struct loading {
    struct cuzk_work work;
    struct cuzk_daemon *daemon;
    const char *circuit;
};

static void load(struct cuzk_work *work)
{
    void *whole = work; /* its first member */
    struct loading *loading = whole;

    cuzk_engine_preload_noted(loading->daemon->engine, loading->circuit);
    cuzk_mem_free(loading);
}

static enum cuzk_status preload_later(struct cuzk_daemon *daemon, const char *circuit, struct cuzk_error *err)
{
    struct loading *loading;

    if (daemon->loader == NULL)
        CUZK_TRY(cuzk_work_queue_create(1, &daemon->loader, err));
    CUZK_TRY(CUZK_NEW(&loading, 1, "preload", err));
    *loading = (struct loading){{.run = load}, daemon, circuit};
    cuzk_work_queue_push(daemon->loader, &loading->work);
    return CUZK_OK;
}

enum cuzk_status cuzk_daemon_reload(struct cuzk_daemon *daemon, const struct cuzk_config *fresh,
                                    struct cuzk_error *err)
{
    const struct cuzk_config_values *values = &fresh->values;
    const struct cuzk_tls_files tls = {values->tls_certificate, values->tls_key, values->tls_client_ca};
    const struct cuzk_engine_tuning tuning = {.jobs_most = (uint32_t)values->jobs_most.value,
                                              .failures_most = (uint32_t)values->failures_most.value,
                                              .aging_ms = values->aging.value,
                                              .result_keep_ms = values->result_keep.value};
    enum cuzk_status status = cuzk_grpc_server_reload_tls(daemon->grpc, &tls, err);

    if (status == CUZK_UNSUPPORTED) {
        cuzk_log_line(daemon->log, CUZK_LOG_WARNING, "reload: %s: it needs a restart", err->message);
        status = CUZK_OK;
    }
    if (status != CUZK_OK)
        return status;
    const uint32_t jobs_most = cuzk_engine_tune(daemon->engine, &tuning);

    if (jobs_most < tuning.jobs_most)
        cuzk_log_line(daemon->log, CUZK_LOG_WARNING,
                      "reload: queue.jobs_most: %u is what there was room made for at the start: more need a "
                      "restart",
                      jobs_most);
    for (size_t i = 0; i < values->preload.count && status == CUZK_OK; i++)
        if (remember_preload(daemon, values->preload.items[i]))
            status = preload_later(daemon, daemon->preload.items[daemon->preload.count - 1], err);
    return status;
}

/* ---- life ---- */

enum cuzk_status cuzk_daemon_start(const struct cuzk_config *config, const char *program,
                                   const struct cuzk_log *log, struct cuzk_daemon **out,
                                   struct cuzk_error *err)
{
    enum cuzk_status status;
    struct cuzk_daemon *daemon = NULL;

    *out = NULL;
    CUZK_TRY_OUT(CUZK_NEW(&daemon, 1, "daemon", err));
    daemon->log = log;
    daemon->started_ns = cuzk_clock_ns();
    cuzk_log_line(log, CUZK_LOG_INFO, "cuzk %s (%s): configuration %s, preset %s", cuzk_version(),
                  cuzk_commit(), config->path != NULL ? config->path : "without a file",
                  config->values.preset);
    for (size_t i = 0; i < config->values.preload.count; i++)
        (void)remember_preload(daemon, config->values.preload.items[i]);
    CUZK_TRY_OUT(cuzk_cache_set(config->values.cache_dir, err)); /* before any thread or child is there */
    CUZK_TRY_OUT(cuzk_derived_mode_set(config->values.derived_key, err));
    CUZK_TRY_OUT(start_engine(daemon, config, program, log, err));
    cuzk_event_log_listen(cuzk_engine_events(daemon->engine), log_event, daemon);
    CUZK_TRY_OUT(start_grpc(daemon, config, log, err));
    CUZK_TRY_OUT(start_http(daemon, config, log, err));
    *out = daemon;
    return CUZK_OK;
out:
    cuzk_daemon_stop(daemon, 0);
    return status;
}

struct cuzk_engine *cuzk_daemon_engine(struct cuzk_daemon *daemon)
{
    return daemon->engine;
}

const char *cuzk_daemon_address(const struct cuzk_daemon *daemon, size_t i)
{
    return cuzk_grpc_server_address(daemon->grpc, i);
}

void cuzk_daemon_drain(struct cuzk_daemon *daemon, void (*drained)(void *context), void *context)
{
    cuzk_grpc_server_set_draining(daemon->grpc);
    cuzk_engine_drain(daemon->engine, drained, context);
}

void cuzk_daemon_stop(struct cuzk_daemon *daemon, uint64_t grace_ms)
{
    if (daemon == NULL)
        return;
    if (daemon->engine != NULL)
        cuzk_engine_end_loads(daemon->engine); /* or calls would be waited for as long as a key takes */
    cuzk_grpc_server_stop(daemon->grpc, grace_ms);
    cuzk_http_stop(daemon->http);
    cuzk_work_queue_destroy(daemon->loader);
    cuzk_engine_destroy(daemon->engine);
    cuzk_mem_free(daemon);
}
