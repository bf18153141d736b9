#include "cli/remote_load.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hex.h"
#include "base/mem.h"
#include "base/random.h"
#include "bench/machine.h"
#include "bench/percentile.h"
#include "engine/engine.h"
#include "server/message.h"

enum { VANILLA_PROOF = 10, RUN_ID_BYTES = 8, BUSY_LEAST_MS = 10 };

struct proof {
    uint64_t begin_ns, accepted_ns, end_ns;
    uint64_t queue_ms, synthesis_ms, device_ms;
};

struct load {
    const struct cli_remote_load *options;
    struct cli_session *session;
    char run_id[2 * RUN_ID_BYTES + 1];
    struct proof *proofs; /* [options->proofs] */
    pthread_mutex_t lock; /* guards what follows */
    uint32_t next, ended, busy;
    enum cuzk_status status; /* of the first that failed */
    struct cuzk_error error;
};

/* ---- one proof ---- */

static bool stopped(struct load *load)
{
    pthread_mutex_lock(&load->lock);
    const bool failed = load->status != CUZK_OK;

    pthread_mutex_unlock(&load->lock);
    return failed || cuzk_progress_check(&load->session->progress, NULL) != CUZK_OK;
}

/* Until it is accepted: a daemon that has too much to do says when to come back. */
static enum cuzk_status submit(struct load *load, struct cuzk_client *client, uint32_t index,
                               char job_id[CUZK_JOB_ID_TEXT], struct cuzk_error *err)
{
    const struct cuzk_load_work *work = load->options->work;
    Cuzk__V1__SubmitProofRequest request = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    uint8_t tag[CUZK_CLIENT_TAG];
    char name[64];
    const struct cuzk_request_part parts[] = {{tag, cuzk_client_tag(VANILLA_PROOF, work->c1_length, tag)},
                                              {work->c1, work->c1_length}};
    const struct cuzk_client_call call = {.method = "SubmitProof",
                                          .small = &request.base,
                                          .parts = parts,
                                          .part_count = 2,
                                          .answer = &cuzk__v1__submit_proof_response__descriptor};
    ProtobufCMessage *answer;
    enum cuzk_status status;
    uint64_t retry_ms;

    snprintf(name, sizeof name, "load-%s-%" PRIu32, load->run_id, index);
    request.request_id = name;
    request.proof_kind = CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT;
    request.sector_size = work->sector_size;
    request.registered_proof = work->registered_proof;
    for (;;) {
        status = cuzk_client_call(client, &call, &answer, &retry_ms, err);
        if (status != CUZK_BUSY || stopped(load))
            break;
        pthread_mutex_lock(&load->lock);
        load->busy++;
        pthread_mutex_unlock(&load->lock);
        cuzk_clock_pause_ms(retry_ms > BUSY_LEAST_MS ? retry_ms : BUSY_LEAST_MS);
    }
    if (status != CUZK_OK)
        return status;
    snprintf(job_id, CUZK_JOB_ID_TEXT, "%s", ((const Cuzk__V1__SubmitProofResponse *)answer)->job_id);
    cuzk_message_free(answer);
    return CUZK_OK;
}

static enum cuzk_status await(struct load *load, struct cuzk_client *client, char *job_id,
                              struct proof *proof, struct cuzk_error *err)
{
    Cuzk__V1__AwaitProofRequest request = CUZK__V1__AWAIT_PROOF_REQUEST__INIT;
    const struct cuzk_client_call call = {.method = "AwaitProof",
                                          .small = &request.base,
                                          .answer = &cuzk__v1__await_proof_response__descriptor,
                                          .progress = &load->session->progress};
    ProtobufCMessage *answer;

    request.job_id = job_id;
    CUZK_TRY(cuzk_client_call(client, &call, &answer, NULL, err));
    const Cuzk__V1__AwaitProofResponse *result = (const Cuzk__V1__AwaitProofResponse *)answer;

    proof->end_ns = cuzk_clock_ns();
    proof->queue_ms = result->queue_wait_ms;
    proof->synthesis_ms = result->synthesis_ms;
    proof->device_ms = result->gpu_compute_ms;
    enum cuzk_status status = cli_remote_judge(result, err);

    if (status == CUZK_INPUT) /* the sector is ours, so it is not the input's fault */
        status = CUZK_DEVICE;
    cuzk_message_free(answer);
    return status;
}

static enum cuzk_status prove(struct load *load, struct cuzk_client *client, uint32_t index,
                              struct cuzk_error *err)
{
    struct proof *proof = &load->proofs[index];
    char job_id[CUZK_JOB_ID_TEXT];

    proof->begin_ns = cuzk_clock_ns();
    CUZK_TRY(submit(load, client, index, job_id, err));
    proof->accepted_ns = cuzk_clock_ns();
    const enum cuzk_status status = await(load, client, job_id, proof, err);

    struct cuzk_error error;

    if (status == CUZK_CANCELLED)
        (void)cli_remote_cancel(client, job_id, &error); /* it may have ended meanwhile */
    return status;
}

/* ---- all of them ---- */

static enum cuzk_status work_down(struct load *load, struct cuzk_error *err)
{
    struct cuzk_client *client;
    enum cuzk_status status;

    CUZK_TRY(cli_remote_open(load->options->daemon, &client, err));
    for (;;) {
        status = CUZK_OK;
        pthread_mutex_lock(&load->lock);
        const uint32_t index = load->next < load->options->proofs ? load->next++ : UINT32_MAX;

        pthread_mutex_unlock(&load->lock);
        if (index == UINT32_MAX || stopped(load))
            break;
        status = prove(load, client, index, err);
        if (status != CUZK_OK)
            break;
        pthread_mutex_lock(&load->lock);
        load->ended++;
        cuzk_progress_report(&load->session->progress, "proofs", load->ended, load->options->proofs);
        pthread_mutex_unlock(&load->lock);
    }
    cuzk_client_close(client);
    return status;
}

static void *run_thread(void *context)
{
    struct load *load = context;
    struct cuzk_error error = {0};
    const enum cuzk_status status = work_down(load, &error);

    if (status == CUZK_OK)
        return NULL;
    pthread_mutex_lock(&load->lock);
    if (load->status == CUZK_OK) {
        load->status = status;
        load->error = error;
    }
    pthread_mutex_unlock(&load->lock);
    return NULL;
}

static enum cuzk_status run_all(struct load *load, struct cuzk_error *err)
{
    const uint32_t n =
        load->options->in_flight < load->options->proofs ? load->options->in_flight : load->options->proofs;
    pthread_t *threads;
    uint32_t started = 0;
    int failed = 0;

    CUZK_TRY(CUZK_NEW(&threads, n, "threads", err));
    for (; started < n && failed == 0; started += failed == 0)
        failed = pthread_create(&threads[started], NULL, run_thread, load);
    if (failed != 0) {
        pthread_mutex_lock(&load->lock);
        load->status = cuzk_error_set(&load->error, CUZK_IO, "starting a thread: %s", strerror(failed));
        pthread_mutex_unlock(&load->lock);
    }
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    cuzk_mem_free(threads);
    if (load->status != CUZK_OK) {
        *err = load->error;
        return load->status;
    }
    return cuzk_progress_check(&load->session->progress, err);
}

/* ---- figures ---- */

struct figures {
    double wall, per_proof, steady;
    double submit[CUZK_PERCENTILES], latency[CUZK_PERCENTILES]; /* p50, p90, p99 */
    double queue, synthesis, device;
};

static enum cuzk_status take_figures(const struct load *load, struct figures *out, struct cuzk_error *err)
{
    const uint32_t n = load->options->proofs;
    uint64_t begin = UINT64_MAX, first = UINT64_MAX, end = 0;
    double *values;

    CUZK_TRY(CUZK_NEW(&values, 2 * (size_t)n, "latencies", err));
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < n; i++) {
        const struct proof *proof = &load->proofs[i];

        values[i] = (double)(proof->accepted_ns - proof->begin_ns) / 1e9;
        values[n + i] = (double)(proof->end_ns - proof->begin_ns) / 1e9;
        begin = proof->begin_ns < begin ? proof->begin_ns : begin;
        first = proof->end_ns < first ? proof->end_ns : first;
        end = proof->end_ns > end ? proof->end_ns : end;
        out->queue += (double)proof->queue_ms / 1e3 / n;
        out->synthesis += (double)proof->synthesis_ms / 1e3 / n;
        out->device += (double)proof->device_ms / 1e3 / n;
    }
    cuzk_bench_percentiles(values, n, out->submit);
    cuzk_bench_percentiles(values + n, n, out->latency);
    cuzk_mem_free(values);
    out->wall = (double)(end - begin) / 1e9;
    out->per_proof = out->wall / n;
    out->steady = n > 1 ? (double)(end - first) / 1e9 / (n - 1) : 0;
    return CUZK_OK;
}

static enum cuzk_status report_json(const struct load *load, const struct figures *f, struct cuzk_error *err)
{
    const struct cli_remote_load *options = load->options;
    struct cuzk_json_writer *json = cli_session_answer_begin(load->session);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"batch_wall_s", f->wall},          {"batch_wall_per_proof_s", f->per_proof},
        {"steady_per_proof_s", f->steady},  {"submit_p50_s", f->submit[0]},
        {"submit_p90_s", f->submit[1]},     {"submit_p99_s", f->submit[2]},
        {"latency_p50_s", f->latency[0]},   {"latency_p90_s", f->latency[1]},
        {"latency_p99_s", f->latency[2]},   {"queue_wait_mean_s", f->queue},
        {"synthesis_mean_s", f->synthesis}, {"device_mean_s", f->device},
    };

    cuzk_json_write_member_string(json, "bench", "load");
    cuzk_json_write_member_string(json, "circuit", options->work->name);
    cuzk_json_write_member_string(json, "device", "remote");
    cuzk_json_write_member_u64(json, "proofs", options->proofs);
    cuzk_json_write_member_u64(json, "in_flight", options->in_flight);
    cuzk_json_write_member_u64(json, "busy_answers", load->busy);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        cuzk_json_write_member_double(json, numbers[i].name, numbers[i].value, 6);
    cuzk_json_write_key(json, "latency_samples_s");
    cuzk_json_write_array_begin(json);
    for (uint32_t i = 0; i < options->proofs; i++)
        cuzk_json_write_double(json, (double)(load->proofs[i].end_ns - load->proofs[i].begin_ns) / 1e9, 6);
    cuzk_json_write_array_end(json);
    cuzk_machine_write(json);
    return cli_session_answer_end(load->session, err);
}

static enum cuzk_status report(const struct load *load, struct cuzk_error *err)
{
    const struct cli_remote_load *options = load->options;
    struct cli_session *session = load->session;
    struct figures f;

    CUZK_TRY(take_figures(load, &f, err));
    if (session->json)
        return report_json(load, &f, err);
    cli_session_say(session, "%u proofs of %s, %u in flight, by a daemon", options->proofs,
                    options->work->name, options->in_flight);
    cli_session_say(session, "batch wall / proofs    %10.4f s   fill and drain included", f.per_proof);
    cli_session_say(session, "steady                 %10.4f s   between answers", f.steady);
    cli_session_say(session, "latency p50 p90 p99    %10.4f %.4f %.4f s   first byte sent to proof here",
                    f.latency[0], f.latency[1], f.latency[2]);
    cli_session_say(session, "submit p50 p90 p99     %10.4f %.4f %.4f s   until durable", f.submit[0],
                    f.submit[1], f.submit[2]);
    cli_session_say(session, "a job, as it was told  %10.4f s   queued", f.queue);
    cli_session_say(session, "                       %10.4f s   synthesis", f.synthesis);
    cli_session_say(session, "                       %10.4f s   device", f.device);
    if (load->busy > 0)
        cli_session_say(session, "the daemon had too much to do %u times", load->busy);
    return cli_session_answer_end(session, err);
}

enum cuzk_status cli_remote_load(struct cli_session *session, const struct cli_remote_load *options,
                                 struct cuzk_error *err)
{
    struct load load = {.options = options, .session = session, .lock = PTHREAD_MUTEX_INITIALIZER};
    uint8_t random[RUN_ID_BYTES];
    struct cuzk_random source;
    enum cuzk_status status;

    if (options->proofs == 0 || options->in_flight == 0 || options->in_flight > CLI_REMOTE_IN_FLIGHT_MOST)
        return cuzk_error_set(err, CUZK_ARGUMENT, "--in-flight: expected 1 to %d with --addr, found %u",
                              CLI_REMOTE_IN_FLIGHT_MOST, options->in_flight);
    cuzk_random_init_system(&source);
    CUZK_TRY(cuzk_random_bytes(&source, random, sizeof random, err));
    cuzk_hex_encode(random, sizeof random, load.run_id);
    CUZK_TRY(CUZK_NEW(&load.proofs, options->proofs, "proofs", err));
    status = run_all(&load, err);
    if (status == CUZK_IO)
        cli_remote_hint(session);
    if (status == CUZK_OK)
        status = report(&load, err);
    cuzk_mem_free(load.proofs);
    return status;
}
