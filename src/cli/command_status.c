/* cuzk status and cuzk metrics: what the daemon is doing. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/remote.h"
#include "cli/size_text.h"
#include "server/message.h"

struct status_options {
    struct cli_common common;
    struct cli_remote_options remote;
};

static const char *const tiers[] = {"hot", "warm", "cold"};

static void write_json(struct cuzk_json_writer *json, const Cuzk__V1__GetStatusResponse *status)
{
    cuzk_json_write_key(json, "gpus");
    cuzk_json_write_array_begin(json);
    for (size_t i = 0; i < status->n_gpus; i++) {
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_u64(json, "ordinal", status->gpus[i]->ordinal);
        cuzk_json_write_member_string(json, "name", status->gpus[i]->name);
        cuzk_json_write_member_u64(json, "vram_total_bytes", status->gpus[i]->vram_total_bytes);
        cuzk_json_write_member_u64(json, "vram_free_bytes", status->gpus[i]->vram_free_bytes);
        cuzk_json_write_member_string(json, "current_job_id", status->gpus[i]->current_job_id);
        cuzk_json_write_member_string(json, "current_proof_kind", status->gpus[i]->current_proof_kind);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
    cuzk_json_write_key(json, "loaded_srs");
    cuzk_json_write_array_begin(json);
    for (size_t i = 0; i < status->n_loaded_srs; i++) {
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "circuit_id", status->loaded_srs[i]->circuit_id);
        cuzk_json_write_member_string(json, "tier", tiers[(unsigned)status->loaded_srs[i]->tier % 3]);
        cuzk_json_write_member_u64(json, "size_bytes", status->loaded_srs[i]->size_bytes);
        cuzk_json_write_member_u64(json, "ref_count", status->loaded_srs[i]->ref_count);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
    cuzk_json_write_key(json, "queues");
    cuzk_json_write_array_begin(json);
    for (size_t i = 0; i < status->n_queues; i++) {
        cuzk_json_write_object_begin(json);
        cuzk_json_write_member_string(json, "proof_kind", status->queues[i]->proof_kind);
        cuzk_json_write_member_u64(json, "pending", status->queues[i]->pending);
        cuzk_json_write_member_u64(json, "in_progress", status->queues[i]->in_progress);
        cuzk_json_write_object_end(json);
    }
    cuzk_json_write_array_end(json);
    cuzk_json_write_member_u64(json, "total_proofs_completed", status->total_proofs_completed);
    cuzk_json_write_member_u64(json, "total_proofs_failed", status->total_proofs_failed);
    cuzk_json_write_member_u64(json, "uptime_seconds", status->uptime_seconds);
    cuzk_json_write_member_u64(json, "pinned_memory_bytes", status->pinned_memory_bytes);
    cuzk_json_write_member_u64(json, "pinned_memory_limit_bytes", status->pinned_memory_limit_bytes);
}

static void say(struct cli_session *session, const Cuzk__V1__GetStatusResponse *status)
{
    char size[2][CLI_SIZE_TEXT];

    cli_session_say(session, "up %" PRIu64 " s; proofs completed: %" PRIu64 ", failed: %" PRIu64,
                    status->uptime_seconds, status->total_proofs_completed, status->total_proofs_failed);
    cli_session_say(session, "host memory: %s of %s planned",
                    cli_size_text(status->pinned_memory_bytes, size[0]),
                    cli_size_text(status->pinned_memory_limit_bytes, size[1]));
    cli_session_say(session, "%-14s %8s %8s", "queue", "pending", "running");
    for (size_t i = 0; i < status->n_queues; i++)
        cli_session_say(session, "%-14s %8" PRIu32 " %8" PRIu32, status->queues[i]->proof_kind,
                        status->queues[i]->pending, status->queues[i]->in_progress);
    for (size_t i = 0; i < status->n_gpus; i++)
        cli_session_say(session, "device %" PRIu32 ": %s, %s%s", status->gpus[i]->ordinal,
                        status->gpus[i]->name,
                        status->gpus[i]->current_job_id[0] != '\0' ? "at work on job " : "idle",
                        status->gpus[i]->current_job_id);
    for (size_t i = 0; i < status->n_loaded_srs; i++)
        cli_session_say(session, "parameters %s: %s, %s", status->loaded_srs[i]->circuit_id,
                        tiers[(unsigned)status->loaded_srs[i]->tier % 3],
                        cli_size_text(status->loaded_srs[i]->size_bytes, size[0]));
}

static enum cuzk_status run_status(struct cli_session *session, const void *values,
                                   const char *const *arguments, size_t count, struct cuzk_error *err)
{
    const struct status_options *given = values;
    Cuzk__V1__GetStatusRequest request = CUZK__V1__GET_STATUS_REQUEST__INIT;
    struct cuzk_client *client;
    ProtobufCMessage *answer;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_remote_open(&given->remote, &client, err));
    enum cuzk_status status = cli_remote_call(session, client, "GetStatus", &request.base,
                                              &cuzk__v1__get_status_response__descriptor, &answer, err);

    if (status == CUZK_OK) {
        struct cuzk_json_writer *json = cli_session_answer_begin(session);

        if (json != NULL)
            write_json(json, (const Cuzk__V1__GetStatusResponse *)answer);
        else
            say(session, (const Cuzk__V1__GetStatusResponse *)answer);
        status = cli_session_answer_end(session, err);
    }
    cuzk_message_free(answer);
    cuzk_client_close(client);
    return status;
}

static enum cuzk_status run_metrics(struct cli_session *session, const void *values,
                                    const char *const *arguments, size_t count, struct cuzk_error *err)
{
    const struct status_options *given = values;
    Cuzk__V1__GetMetricsRequest request = CUZK__V1__GET_METRICS_REQUEST__INIT;
    struct cuzk_client *client;
    ProtobufCMessage *answer;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_remote_open(&given->remote, &client, err));
    enum cuzk_status status = cli_remote_call(session, client, "GetMetrics", &request.base,
                                              &cuzk__v1__get_metrics_response__descriptor, &answer, err);

    if (status == CUZK_OK) {
        const char *text = ((const Cuzk__V1__GetMetricsResponse *)answer)->prometheus_text;
        struct cuzk_json_writer *json = cli_session_answer_begin(session);

        cli_session_say(session, "%s", text);
        if (json != NULL)
            cuzk_json_write_member_string(json, "prometheus_text", text);
        status = cli_session_answer_end(session, err);
    }
    cuzk_message_free(answer);
    cuzk_client_close(client);
    return status;
}

static const struct cuzk_option options[] = {
    CLI_REMOTE_OPTIONS(struct status_options, remote),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_status = {
    .name = "status",
    .arguments = "",
    .summary = "what the daemon is doing",
    .text = "Queues, devices, resident parameters, memory and totals of a running daemon.",
    .example = "cuzk status\ncuzk status --addr unix:/run/cuzk/cuzk.sock --json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct status_options),
    .run = run_status,
};

const struct cli_command cli_metrics = {
    .name = "metrics",
    .arguments = "",
    .summary = "the daemon's figures in Prometheus' text format",
    .text = "Prints what the daemon serves as /metrics, over its gRPC address.",
    .example = "cuzk metrics",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct status_options),
    .run = run_metrics,
};
