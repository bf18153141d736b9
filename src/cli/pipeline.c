#include "cli/pipeline.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/engine.h"
#include "engine/event_timeline.h"
#include "srs/directory.h"

enum { LOOK_EVERY_MS = 200, FAILURES_MOST = 1 };

/* One job and who waits for it. */
struct run {
    struct cuzk_timeline *timeline;
    const struct cuzk_case *that;
    struct cuzk_partition_times *times;
    uint8_t *proofs;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool ended;
    enum cuzk_job_state state;
    enum cuzk_status failure;
    uint64_t setup_ns;
    char error[CUZK_ENGINE_ERROR_TEXT];
};

const char *cli_pipeline_preset(const struct cli_pipeline_options *given)
{
    if (given->preset == NULL && (given->set.count > 0 || given->host_mem.set))
        return "auto";
    return given->preset;
}

static enum cuzk_proof_kind kind_of(const struct cuzk_circuit_id *circuit)
{
    switch (circuit->kind) {
    case CUZK_CIRCUIT_WINNING:
        return CUZK_PROOF_KIND_WINNING_POST;
    case CUZK_CIRCUIT_WPOST:
        return CUZK_PROOF_KIND_WINDOW_POST;
    case CUZK_CIRCUIT_SNAP:
    case CUZK_CIRCUIT_SNAPP:
        return CUZK_PROOF_KIND_SNAP;
    default:
        return CUZK_PROOF_KIND_POREP;
    }
}

static void on_event(void *context, const struct cuzk_engine_event *event)
{
    const struct run *run = context;
    struct cuzk_timeline_event span;

    cuzk_engine_event_span(event, &span);
    cuzk_timeline_add_event(run->timeline, &span);
}

static void on_end(void *context, const struct cuzk_job_result *result)
{
    struct run *run = context;

    pthread_mutex_lock(&run->lock);
    run->state = result->state;
    run->setup_ns = result->srs_load_ms * CUZK_NS_PER_MS;
    run->failure = result->failure;
    if (result->error != NULL)
        snprintf(run->error, sizeof run->error, "%s", result->error);
    if (result->state == CUZK_JOB_DONE) {
        memcpy(run->proofs, result->proof, result->proof_length);
        memcpy(run->times, result->times, run->that->partitions * sizeof *run->times);
    }
    run->ended = true;
    pthread_cond_signal(&run->changed);
    pthread_mutex_unlock(&run->lock);
}

static void on_drained(void *context)
{
    (void)context;
}

static enum cuzk_status judge(const struct run *run, struct cuzk_error *err)
{
    if (run->state == CUZK_JOB_DONE)
        return CUZK_OK;
    if (run->state == CUZK_JOB_FAILED)
        return cuzk_error_set(err, run->failure != CUZK_OK ? run->failure : CUZK_DEVICE, "%s", run->error);
    return cuzk_error_set(err, CUZK_INTERNAL, "the pipeline lost its job");
}

static enum cuzk_status wait_for_end(struct cli_session *session, struct cuzk_engine *engine, struct run *run,
                                     struct cuzk_error *err)
{
    const unsigned partitions = run->that->partitions;
    enum cuzk_status status = CUZK_OK;
    bool ended = false;

    while (!ended && status == CUZK_OK) {
        struct cuzk_engine_status now;
        const struct timespec until = cuzk_clock_timespec(cuzk_clock_ns() + LOOK_EVERY_MS * CUZK_NS_PER_MS);

        pthread_mutex_lock(&run->lock);
        if (!run->ended)
            pthread_cond_clockwait(&run->changed, &run->lock, CLOCK_MONOTONIC, &until);
        ended = run->ended;
        pthread_mutex_unlock(&run->lock);
        cuzk_engine_status(engine, &now);
        cuzk_progress_report(&session->progress, "partitions", now.partitions_done, partitions);
        status = cuzk_progress_check(&session->progress, err);
    }
    return status != CUZK_OK ? status : judge(run, err);
}

/* The key is loaded beside the first witness, and its circuit's sizes are what the knobs are held against. */
static enum cuzk_status open_engine(const struct cli_session *session, const struct cli_pipeline *pipeline,
                                    const struct cuzk_circuit_id *circuit, struct cuzk_device **device,
                                    struct cuzk_engine **out, struct cuzk_error *err)
{
    char name[CUZK_CIRCUIT_NAME];
    const char *const preload[] = {name};
    const struct cuzk_engine_options options = {
        .knobs = pipeline->knobs,
        .devices = device,
        .device_count = 1,
        .threads = pipeline->threads,
        .params_directory = cuzk_parameter_directory(pipeline->params_dir),
        .host_budget = pipeline->host_budget,
        .device_budget = pipeline->device_budget,
        .jobs_most = 1,
        .failures_most = FAILURES_MOST,
        .verify = true,
        .preload = preload,
        .preload_count = 1,
        .log = &session->log,
    };

    cuzk_circuit_id_format(circuit, name);
    CUZK_TRY(cuzk_device_local_create(pipeline->backend,
                                      cuzk_knobs_device_threads(&pipeline->knobs, pipeline->threads),
                                      cuzk_knobs_device_slots(&pipeline->knobs), device, err));
    (*device)->stop = session->progress.cancelled;
    (*device)->stop_context = session->progress.context;
    return cuzk_engine_create(&options, out, err);
}

enum cuzk_status cli_pipeline_prove(struct cli_session *session, const struct cli_pipeline *pipeline,
                                    struct cuzk_case *that, struct cuzk_timeline *timeline,
                                    struct cuzk_partition_times *times, uint8_t *proofs,
                                    struct cli_pipeline_result *out, struct cuzk_error *err)
{
    struct run run = {.timeline = timeline,
                      .that = that,
                      .times = times,
                      .proofs = proofs,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER};
    struct cuzk_engine *engine = NULL;
    struct cuzk_device *device = NULL;
    struct cuzk_device_facts facts = {0};
    struct cuzk_submission submission;
    enum cuzk_status status;
    uint64_t watch;

    memset(out, 0, sizeof *out);
    CUZK_TRY_OUT(open_engine(session, pipeline, &that->circuit, &device, &engine, err));
    cuzk_event_log_listen(cuzk_engine_events(engine), on_event, &run);
    CUZK_TRY_OUT(cuzk_engine_submit_case(engine, kind_of(&that->circuit), that, &submission, err));
    cuzk_engine_watch(engine, submission.job_id, on_end, &run, &watch);
    cuzk_engine_drain(engine, on_drained, NULL); /* no other comes: a batch need not wait for one */
    CUZK_TRY_OUT(wait_for_end(session, engine, &run, err));
    CUZK_TRY_OUT(device->ops->facts(device, &facts, err));
    memcpy(out->backend, facts.backend, sizeof out->backend);
    memcpy(out->device, facts.name, sizeof out->device);
    out->device_peak = facts.memory_peak;
    out->setup_ns = run.setup_ns;
out:
    cuzk_engine_destroy(engine);
    return status;
}
