#include "cli/remote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/proof_file.h"
#include "server/config.h"
#include "server/message.h"

enum {
    RECONNECT_MS = 120000,
    RECONNECT_EVERY_MS = 500,
    AWAIT_SLICE_MS = 10000,
    SMALL_TIMEOUT_MS = 60000,
    CANCEL_MS = 10000
};

enum cuzk_status cli_remote_open(const struct cli_remote_options *options, struct cuzk_client **out,
                                 struct cuzk_error *err)
{
    char fallback[256];

    cuzk_config_client_address(fallback, sizeof fallback);
    return cuzk_client_open(options->addr != NULL ? options->addr : fallback, &options->tls, out, err);
}

void cli_remote_hint(struct cli_session *session)
{
    cli_session_hint(session, "is the daemon running? `cuzk serve` starts it, --addr says where it listens");
}

enum cuzk_status cli_remote_ask(struct cli_session *session, struct cuzk_client *client,
                                const struct cuzk_client_call *call, ProtobufCMessage **out,
                                struct cuzk_error *err)
{
    uint64_t retry_ms;
    const enum cuzk_status status = cuzk_client_call(client, call, out, &retry_ms, err);

    session->hint[0] = '\0';
    if (status == CUZK_IO && retry_ms == 0) { /* else it answered: it drains */
        cli_remote_hint(session);
        if (strstr(err->message, "handshake failed") != NULL || strstr(err->message, "Socket closed") != NULL)
            cli_session_hint(session, "a daemon that listens with certificates wants them from its clients: "
                                      "--tls-certificate, --tls-key and --tls-ca");
    }
    return status;
}

enum cuzk_status cli_remote_call(struct cli_session *session, struct cuzk_client *client, const char *method,
                                 const ProtobufCMessage *request, const ProtobufCMessageDescriptor *answer,
                                 ProtobufCMessage **out, struct cuzk_error *err)
{
    const struct cuzk_client_call call = {.method = method,
                                          .small = request,
                                          .answer = answer,
                                          .timeout_ms = SMALL_TIMEOUT_MS,
                                          .progress = &session->progress};

    return cli_remote_ask(session, client, &call, out, err);
}

/* ---- await ---- */

/* One round: at most so long. */
static enum cuzk_status await_once(struct cli_session *session, struct cuzk_client *client,
                                   const char *job_id, uint64_t ms, Cuzk__V1__AwaitProofResponse **out,
                                   struct cuzk_error *err)
{
    Cuzk__V1__AwaitProofRequest request = CUZK__V1__AWAIT_PROOF_REQUEST__INIT;
    ProtobufCMessage *answer;

    request.job_id = (char *)(uintptr_t)job_id;
    request.timeout_ms = ms;
    const struct cuzk_client_call call = {.method = "AwaitProof",
                                          .small = &request.base,
                                          .answer = &cuzk__v1__await_proof_response__descriptor,
                                          .timeout_ms = ms + SMALL_TIMEOUT_MS,
                                          .progress = &session->progress};
    const enum cuzk_status status = cli_remote_ask(session, client, &call, &answer, err);

    *out = (Cuzk__V1__AwaitProofResponse *)answer;
    return status;
}

enum cuzk_status cli_remote_await(struct cli_session *session, struct cuzk_client *client, const char *job_id,
                                  uint64_t timeout_ms, Cuzk__V1__AwaitProofResponse **out,
                                  struct cuzk_error *err)
{
    const uint64_t begin = cuzk_clock_ns();
    uint64_t lost_ns = 0;

    for (;;) {
        const uint64_t waited = (cuzk_clock_ns() - begin) / CUZK_NS_PER_MS;
        uint64_t slice = AWAIT_SLICE_MS;

        if (timeout_ms > 0 && waited >= timeout_ms)
            return cuzk_error_set(err, CUZK_BUSY, "job %s: not ended after %" PRIu64 " ms; it goes on",
                                  job_id, timeout_ms);
        if (timeout_ms > 0 && timeout_ms - waited < slice)
            slice = timeout_ms - waited;
        const enum cuzk_status status = await_once(session, client, job_id, slice, out, err);

        if (cuzk_progress_check(&session->progress, NULL) != CUZK_OK) {
            cuzk_message_free(*out != NULL ? &(*out)->base : NULL);
            cli_session_hint(session, "`cuzk await %s` waits again, `cuzk cancel %s` ends it", job_id,
                             job_id);
            return cuzk_error_set(err, CUZK_CANCELLED, "job %s: no longer waited for; it goes on", job_id);
        }
        if (status == CUZK_IO) { /* a daemon that restarts still has the job */
            if (lost_ns == 0)
                cli_session_note(session, "the daemon does not answer; trying again");
            lost_ns = lost_ns == 0 ? cuzk_clock_ns() : lost_ns;
            if ((cuzk_clock_ns() - lost_ns) / CUZK_NS_PER_MS >= RECONNECT_MS)
                return status;
            cuzk_clock_pause_ms(RECONNECT_EVERY_MS);
            continue;
        }
        CUZK_TRY(status);
        lost_ns = 0;
        if ((*out)->status != CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT)
            return CUZK_OK;
        cuzk_message_free(&(*out)->base);
        *out = NULL;
        cuzk_progress_report(&session->progress, "waiting for the job", 0, 0);
    }
}

/* ---- cancel ---- */

enum cuzk_status cli_remote_cancel(struct cuzk_client *client, const char *job_id, struct cuzk_error *err)
{
    Cuzk__V1__CancelProofRequest request = CUZK__V1__CANCEL_PROOF_REQUEST__INIT;
    const struct cuzk_client_call call = {.method = "CancelProof",
                                          .small = &request.base,
                                          .answer = &cuzk__v1__cancel_proof_response__descriptor,
                                          .timeout_ms = CANCEL_MS};
    ProtobufCMessage *answer = NULL;

    request.job_id = (char *)(uintptr_t)job_id;
    const enum cuzk_status status = cuzk_client_call(client, &call, &answer, NULL, err);

    cuzk_message_free(answer);
    return status;
}

/* ---- result ---- */

static enum cuzk_status tell_json(struct cli_session *session, const Cuzk__V1__AwaitProofResponse *result,
                                  struct cuzk_error *err)
{
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    cuzk_json_write_member_string(json, "job_id", result->job_id);
    cuzk_json_write_member_string(json, "status", "completed");
    cuzk_json_write_member_u64(json, "queue_wait_ms", result->queue_wait_ms);
    cuzk_json_write_member_u64(json, "srs_load_ms", result->srs_load_ms);
    cuzk_json_write_member_u64(json, "synthesis_ms", result->synthesis_ms);
    cuzk_json_write_member_u64(json, "gpu_compute_ms", result->gpu_compute_ms);
    cuzk_json_write_member_u64(json, "total_ms", result->total_ms);
    cuzk_json_write_member_u64(json, "proof_bytes", result->proof.len);
    cuzk_json_write_member_hex(json, "proof_hex", result->proof.data, result->proof.len);
    return cli_session_answer_end(session, err);
}

enum cuzk_status cli_remote_judge(const Cuzk__V1__AwaitProofResponse *result, struct cuzk_error *err)
{
    if (result->status == CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED)
        return cuzk_error_set(err, CUZK_CANCELLED, "job %s: was cancelled", result->job_id);
    if (result->status != CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED)
        return cuzk_error_set(err, CUZK_INPUT, "job %s: failed: %s", result->job_id, result->error_message);
    return CUZK_OK;
}

enum cuzk_status cli_remote_tell(struct cli_session *session, const Cuzk__V1__AwaitProofResponse *result,
                                 const char *out, struct cuzk_error *err)
{
    CUZK_TRY(cli_remote_judge(result, err));
    if (out != NULL)
        CUZK_TRY(cuzk_file_write(out, true, result->proof.data, result->proof.len, err));
    if (session->json)
        return tell_json(session, result, err);
    if (out == NULL)
        CUZK_TRY(cli_proof_say(session, result->proof.data, result->proof.len, err));
    else if (strcmp(out, "-") != 0)
        cli_session_say(session, "%s", out);
    cli_session_note(session,
                     "job %s: %zu bytes, %" PRIu64 " ms: %" PRIu64 " queued, %" PRIu64 " synthesis, %" PRIu64
                     " device",
                     result->job_id, result->proof.len, result->total_ms, result->queue_wait_ms,
                     result->synthesis_ms, result->gpu_compute_ms);
    return CUZK_OK;
}
