/* SubmitProof, AwaitProof, Prove, CancelProof. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cuzk/v1/proving.pb-c.h"
#include "server/message.h"
#include "server/rpc.h"
#include "server/submit_request.h"

enum { RETRY_DRAINING_MS = 5000, RETRY_DISK_MS = 30000, RETRY_LEAST_MS = 1 };

/* ---- submit ---- */

static void refuse_submission(struct cuzk_grpc_call *call, enum cuzk_status status, uint64_t retry_ms,
                              const struct cuzk_error *error)
{
    char text[CUZK_ERROR_TEXT + 64];
    grpc_status_code code = cuzk_rpc_code(status);

    if (status == CUZK_NOT_FOUND) /* of parameters: the daemon must be given them first */
        code = GRPC_STATUS_FAILED_PRECONDITION;
    if (status == CUZK_BUSY && retry_ms == 0)
        retry_ms = RETRY_LEAST_MS;
    if (status == CUZK_CANCELLED)
        retry_ms = RETRY_DRAINING_MS;
    if (status == CUZK_IO)
        retry_ms = RETRY_DISK_MS;
    if (retry_ms > 0)
        snprintf(text, sizeof text, "%s; come back in %" PRIu64 " ms", error->message, retry_ms);
    else
        snprintf(text, sizeof text, "%s", error->message);
    cuzk_grpc_call_fail(call, code, retry_ms, text);
}

/* Gives the request to the engine. On failure the call is finished. */
static bool submit(struct cuzk_grpc_call *call, bool inside_prove, struct cuzk_submission *out)
{
    enum cuzk_status status;
    struct cuzk_error error = {0};
    struct cuzk_submit_request request = {0};
    struct cuzk_request_part *parts = NULL;
    struct cuzk_protowire wire;
    size_t count;

    memset(out, 0, sizeof *out);
    CUZK_TRY_OUT(cuzk_grpc_call_parts(call, &parts, &count, &error));
    cuzk_protowire_init(&wire, inside_prove ? "ProveRequest" : "SubmitProofRequest", parts, count);
    if (inside_prove)
        CUZK_TRY_OUT(cuzk_submit_request_in_prove(&wire, &wire, &error));
    CUZK_TRY_OUT(cuzk_submit_request_read(&wire, &request, &error));
    CUZK_TRY_OUT(cuzk_engine_submit(call->server->engine, &request.request, out, &error));
out:
    cuzk_submit_request_close(&request);
    cuzk_mem_free(parts);
    cuzk_grpc_call_drop_message(call);
    if (status != CUZK_OK)
        refuse_submission(call, status, out->retry_after_ms, &error);
    return status == CUZK_OK;
}

static void run_submit(struct cuzk_grpc_call *call)
{
    Cuzk__V1__SubmitProofResponse answer = CUZK__V1__SUBMIT_PROOF_RESPONSE__INIT;
    struct cuzk_submission submission;

    if (!submit(call, false, &submission))
        return;
    memcpy(call->job, submission.job_id, sizeof call->job);
    answer.job_id = submission.job_id;
    answer.queue_position = submission.position;
    cuzk_grpc_call_answer(call, &answer.base);
}

/* ---- await ---- */

struct awaiting {
    bool inside_prove;
    bool ended; /* the job has: its result is what the answer holds */
    char job_id[CUZK_JOB_ID_TEXT];
    uint64_t watch;
    grpc_byte_buffer *answer;
};

static void drop_awaiting(void *state)
{
    struct awaiting *awaiting = state;

    if (awaiting->answer != NULL)
        grpc_byte_buffer_destroy(awaiting->answer);
    cuzk_mem_free(awaiting);
}

static grpc_byte_buffer *pack_result(const struct awaiting *awaiting, Cuzk__V1__AwaitProofResponse *result)
{
    Cuzk__V1__ProveResponse prove = CUZK__V1__PROVE_RESPONSE__INIT;

    if (!awaiting->inside_prove)
        return cuzk_grpc_pack(&result->base);
    prove.result = result;
    return cuzk_grpc_pack(&prove.base);
}

static void send_result(struct cuzk_work *work)
{
    struct cuzk_grpc_call *call = cuzk_grpc_call_of(work, offsetof(struct cuzk_grpc_call, run_work));
    struct awaiting *awaiting = call->state;
    grpc_byte_buffer *answer = awaiting->answer;

    awaiting->answer = NULL;
    (void)cuzk_grpc_call_stop_timer(call);
    if (answer != NULL)
        cuzk_grpc_call_answer_packed(call, answer);
    else
        cuzk_grpc_call_fail(
            call, GRPC_STATUS_NOT_FOUND, 0,
            "job_id: no such job: never accepted, or its result was collected or has expired");
    cuzk_grpc_call_release(call);
}

static void fill_times(const struct cuzk_partition_times *from, Cuzk__V1__PartitionTimes *out)
{
    const struct cuzk_backend_times *device = &from->prove.backend;

    cuzk__v1__partition_times__init(out);
    out->witness_us = from->witness_ns / 1000;
    out->queue_us = from->queue_ns / 1000;
    out->upload_us = device->upload / 1000;
    out->eval_us = device->eval / 1000;
    out->ntt_us = device->quotient / 1000;
    out->msm_h_us = device->msm[CUZK_QUERY_H] / 1000;
    out->msm_l_us = device->msm[CUZK_QUERY_L] / 1000;
    out->msm_a_us = device->msm[CUZK_QUERY_A] / 1000;
    out->msm_b1_us = device->msm[CUZK_QUERY_B_G1] / 1000;
    out->msm_b2_us = device->msm[CUZK_QUERY_B_G2] / 1000;
    out->finish_us = from->prove.finish / 1000;
    out->total_us = (from->witness_ns + from->prove.total) / 1000;
}

/* Packs the answer with the times of its partitions; without them where memory is short. */
static grpc_byte_buffer *pack_with_times(const struct awaiting *awaiting,
                                         const struct cuzk_job_result *result,
                                         Cuzk__V1__AwaitProofResponse *answer)
{
    const size_t count = result->times != NULL ? result->proof_length / CUZK_PROOF_BYTES : 0;
    Cuzk__V1__PartitionTimes *times = NULL, **places = NULL;

    if (count > 0 && CUZK_NEW(&times, count, "times of partitions", NULL) == CUZK_OK &&
        CUZK_NEW(&places, count, "times of partitions", NULL) == CUZK_OK) {
        for (size_t i = 0; i < count; i++) {
            fill_times(&result->times[i], &times[i]);
            places[i] = &times[i];
        }
        answer->partitions = places;
        answer->n_partitions = count;
    }
    grpc_byte_buffer *packed = pack_result(awaiting, answer);

    cuzk_mem_free((void *)places);
    cuzk_mem_free(times);
    return packed;
}

/* On the engine's thread: the answer is made here, and sent by another thread. */
static void on_result(void *context, const struct cuzk_job_result *result)
{
    static const Cuzk__V1__AwaitProofResponse__Status names[] = {
        [CUZK_JOB_DONE] = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED,
        [CUZK_JOB_FAILED] = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED,
        [CUZK_JOB_CANCELLED] = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED,
    };
    struct cuzk_grpc_call *call = context;
    struct awaiting *awaiting = call->state;

    if (result->state != CUZK_JOB_UNKNOWN) {
        Cuzk__V1__AwaitProofResponse answer = CUZK__V1__AWAIT_PROOF_RESPONSE__INIT;

        answer.job_id = awaiting->job_id;
        answer.status = names[result->state];
        if (result->state == CUZK_JOB_DONE) {
            answer.proof.data = (uint8_t *)(uintptr_t)result->proof; /* packing only reads */
            answer.proof.len = result->proof_length;
        }
        if (result->error != NULL)
            answer.error_message = (char *)(uintptr_t)result->error;
        answer.queue_wait_ms = result->queue_wait_ms;
        answer.srs_load_ms = result->srs_load_ms;
        answer.synthesis_ms = result->synthesis_ms;
        answer.gpu_compute_ms = result->device_ms;
        answer.total_ms = result->total_ms;
        awaiting->ended = true;
        awaiting->answer = pack_with_times(awaiting, result, &answer);
    }
    call->run_work.run = send_result; /* run_work is free again: the method runs, or has run */
    cuzk_work_queue_push(call->server->queue[CUZK_RPC_QUICK], &call->run_work);
}

/* Stops waiting; the call is then finished by whoever asked. False: the result is there already. */
static bool stop_waiting(struct cuzk_grpc_call *call)
{
    struct awaiting *awaiting = call->state;

    pthread_mutex_lock(&call->lock);
    const uint64_t watch = awaiting->watch;

    awaiting->watch = 0;
    pthread_mutex_unlock(&call->lock);
    return watch != 0 && cuzk_engine_unwatch(call->server->engine, watch);
}

static void on_timeout(struct cuzk_grpc_call *call)
{
    struct awaiting *awaiting = call->state;
    Cuzk__V1__AwaitProofResponse answer = CUZK__V1__AWAIT_PROOF_RESPONSE__INIT;

    if (!stop_waiting(call))
        return;
    answer.job_id = awaiting->job_id;
    answer.status = CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT;
    cuzk_grpc_call_answer_packed(call, pack_result(awaiting, &answer));
    cuzk_grpc_call_release(call);
}

static void give_up(struct cuzk_grpc_call *call)
{
    if (!stop_waiting(call))
        return;
    (void)cuzk_grpc_call_stop_timer(call);
    cuzk_grpc_call_fail(call, GRPC_STATUS_CANCELLED, 0, "the client is gone; the job goes on");
    cuzk_grpc_call_release(call);
}

/* For the log: only what is a job's id, whatever the client has sent. */
static void name_job(struct cuzk_grpc_call *call, const char *job_id)
{
    if (cuzk_job_id_parse(job_id) != 0)
        snprintf(call->job, sizeof call->job, "%s", job_id);
}

static void await(struct cuzk_grpc_call *call, const char *job_id, uint64_t timeout_ms, bool inside_prove)
{
    struct cuzk_error error;
    struct awaiting *awaiting;
    uint64_t watch = 0;
    const enum cuzk_status status = CUZK_NEW(&awaiting, 1, "awaiting call", &error);

    if (status != CUZK_OK) {
        cuzk_grpc_call_fail(call, GRPC_STATUS_RESOURCE_EXHAUSTED, 1000, error.message);
        return;
    }
    awaiting->inside_prove = inside_prove;
    snprintf(awaiting->job_id, sizeof awaiting->job_id, "%s", job_id);
    name_job(call, job_id);
    pthread_mutex_lock(&call->lock);
    call->state = awaiting;
    call->drop_state = drop_awaiting;
    pthread_mutex_unlock(&call->lock);
    cuzk_grpc_call_hold(call); /* of the watch */
    cuzk_engine_watch(call->server->engine, job_id, on_result, call, &watch);
    pthread_mutex_lock(&call->lock);
    awaiting->watch = watch;
    const bool gone = call->gone;

    pthread_mutex_unlock(&call->lock);
    if (gone)
        give_up(call);
    else if (watch != 0 && timeout_ms > 0)
        cuzk_grpc_call_set_timer(call, timeout_ms, on_timeout);
}

static void run_await(struct cuzk_grpc_call *call)
{
    ProtobufCMessage *message;
    struct cuzk_error error = {0};
    const enum cuzk_status status =
        cuzk_grpc_call_message(call, &cuzk__v1__await_proof_request__descriptor, &message, &error);

    if (status != CUZK_OK) {
        cuzk_grpc_call_fail_status(call, status, &error);
        return;
    }
    const Cuzk__V1__AwaitProofRequest *request = (const Cuzk__V1__AwaitProofRequest *)message;

    if (request->job_id[0] == '\0')
        cuzk_grpc_call_fail(call, GRPC_STATUS_INVALID_ARGUMENT, 0, "AwaitProofRequest: job_id: not given");
    else
        await(call, request->job_id, request->timeout_ms, false);
    cuzk_message_free(message);
}

static void close_await(struct cuzk_grpc_call *call, bool gone)
{
    pthread_mutex_lock(&call->lock);
    const struct awaiting *awaiting = call->state;

    pthread_mutex_unlock(&call->lock);
    if (awaiting == NULL)
        return; /* refused, or over before it began to wait: await looks */
    if (gone)
        give_up(call);
    else if (awaiting->ended)
        cuzk_engine_collected(call->server->engine, awaiting->job_id);
}

static void run_prove(struct cuzk_grpc_call *call)
{
    struct cuzk_submission submission;

    if (submit(call, true, &submission))
        await(call, submission.job_id, 0, true);
}

/* ---- cancel ---- */

static void run_cancel(struct cuzk_grpc_call *call)
{
    Cuzk__V1__CancelProofResponse answer = CUZK__V1__CANCEL_PROOF_RESPONSE__INIT;
    ProtobufCMessage *message;
    struct cuzk_error error = {0};
    bool was_running = false;
    enum cuzk_status status =
        cuzk_grpc_call_message(call, &cuzk__v1__cancel_proof_request__descriptor, &message, &error);

    if (status == CUZK_OK)
        name_job(call, ((const Cuzk__V1__CancelProofRequest *)message)->job_id);
    if (status == CUZK_OK)
        status =
            cuzk_engine_cancel(call->server->engine, ((const Cuzk__V1__CancelProofRequest *)message)->job_id,
                               &was_running, &error);
    cuzk_message_free(message);
    if (status != CUZK_OK) {
        cuzk_grpc_call_fail_status(call, status, &error);
        return;
    }
    answer.was_running = was_running;
    cuzk_grpc_call_answer(call, &answer.base);
}

#define SERVICE "/cuzk.v1.ProvingEngine/"

static const struct cuzk_rpc_method methods[] = {
    {.path = SERVICE "SubmitProof", .queue = CUZK_RPC_SUBMIT, .large = true, .run = run_submit},
    {.path = SERVICE "AwaitProof", .queue = CUZK_RPC_QUICK, .run = run_await, .closed = close_await},
    {.path = SERVICE "Prove",
     .queue = CUZK_RPC_SUBMIT,
     .large = true,
     .run = run_prove,
     .closed = close_await},
    {.path = SERVICE "CancelProof", .queue = CUZK_RPC_SUBMIT, .run = run_cancel},
};

const struct cuzk_rpc_group cuzk_rpc_proof = {methods, sizeof methods / sizeof methods[0]};
