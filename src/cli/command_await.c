#include "cli/command.h"
#include "cli/output.h"
#include "cli/remote.h"
#include "server/message.h"

struct await_options {
    struct cli_common common;
    struct cli_remote_options remote;
    struct cuzk_option_number timeout;
    const char *out;
};

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct await_options *given = values;
    Cuzk__V1__AwaitProofResponse *result = NULL;
    struct cuzk_client *client;

    (void)count;
    CUZK_TRY(cli_output_check("out", given->out, true, session->json, err));
    CUZK_TRY(cli_remote_open(&given->remote, &client, err));
    enum cuzk_status status =
        cli_remote_await(session, client, arguments[0], given->timeout.value, &result, err);

    if (status == CUZK_OK) {
        status = cli_remote_tell(session, result, given->out, err);
        cuzk_message_free(&result->base);
    }
    cuzk_client_close(client);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "timeout",
     .type = CUZK_OPTION_DURATION,
     .offset = offsetof(struct await_options, timeout),
     .placeholder = "TIME",
     .help = "how long to wait; the job goes on afterwards; without end where not given, or 0s"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct await_options, out),
     .placeholder = "FILE",
     .help = "where the proof goes; as hex on standard output where not given"},
    CLI_REMOTE_OPTIONS(struct await_options, remote),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_await = {
    .name = "await",
    .arguments = "JOB",
    .summary = "wait for a job of the daemon and fetch its proof",
    .text =
        "Waits until a job has ended, also while the daemon restarts, and gives its proof. Ctrl-C stops the "
        "waiting, not the job. A job that failed is bad input (3), one that was cancelled 4.",
    .example = "cuzk await 0000000000000001 --out proof.bin",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct await_options),
    .least = 1,
    .most = 1,
    .run = run,
};
