#include "cli/command.h"
#include "cli/remote.h"
#include "server/message.h"

struct cancel_options {
    struct cli_common common;
    struct cli_remote_options remote;
};

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct cancel_options *given = values;
    Cuzk__V1__CancelProofRequest request = CUZK__V1__CANCEL_PROOF_REQUEST__INIT;
    struct cuzk_client *client;
    ProtobufCMessage *answer;

    (void)count;
    CUZK_TRY(cli_remote_open(&given->remote, &client, err));
    request.job_id = (char *)(uintptr_t)arguments[0];
    enum cuzk_status status = cli_remote_call(session, client, "CancelProof", &request.base,
                                              &cuzk__v1__cancel_proof_response__descriptor, &answer, err);

    if (status == CUZK_OK) {
        const bool running = ((const Cuzk__V1__CancelProofResponse *)answer)->was_running != 0;
        struct cuzk_json_writer *json = cli_session_answer_begin(session);

        cli_session_say(session, "job %s: %s", arguments[0], running ? "cancelled" : "had ended already");
        if (json != NULL) {
            cuzk_json_write_member_string(json, "job_id", arguments[0]);
            cuzk_json_write_member_bool(json, "was_running", running);
        }
        status = cli_session_answer_end(session, err);
    }
    cuzk_message_free(answer);
    cuzk_client_close(client);
    return status;
}

static const struct cuzk_option options[] = {
    CLI_REMOTE_OPTIONS(struct cancel_options, remote),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_cancel = {
    .name = "cancel",
    .arguments = "JOB",
    .summary = "end a job of the daemon",
    .text = "Ends a job, queued or at work; whoever awaits it is told so.",
    .example = "cuzk cancel 0000000000000001",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct cancel_options),
    .least = 1,
    .most = 1,
    .run = run,
};
