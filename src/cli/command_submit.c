#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/remote.h"
#include "cli/remote_post.h"
#include "cli/remote_prove.h"
#include "engine/engine.h"
#include "server/message.h"

struct submit_options {
    struct cli_common common;
    struct cli_remote_options remote;
    struct cli_job job;
    struct cuzk_option_list in;
    bool wait;
    const char *out;
};

static enum cuzk_status tell(struct cli_session *session, const char *job_id, uint32_t position,
                             struct cuzk_error *err)
{
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "job_id", job_id);
        cuzk_json_write_member_u64(json, "queue_position", position);
        return cli_session_answer_end(session, err);
    }
    cli_session_say(session, "%s", job_id);
    return CUZK_OK;
}

static enum cuzk_status submit(struct cli_session *session, const struct submit_options *given,
                               struct cuzk_client *client, const struct cli_job *job, struct cuzk_error *err)
{
    Cuzk__V1__AwaitProofResponse *result = NULL;
    char job_id[CUZK_JOB_ID_TEXT];
    uint32_t position;

    CUZK_TRY(cli_remote_submit(session, client, job, job_id, sizeof job_id, &position, err));
    if (!given->wait && given->out == NULL)
        return tell(session, job_id, position, err);
    cli_session_note(session, "job %s: accepted, %" PRIu32 " before it", job_id, position);
    CUZK_TRY(cli_remote_await(session, client, job_id, 0, &result, err));
    const enum cuzk_status status = cli_remote_tell(session, result, given->out, err);

    cuzk_message_free(&result->base);
    return status;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct submit_options *given = values;
    enum cuzk_status status;
    struct cuzk_client *client = NULL;
    struct cli_job job = given->job;
    const char **in;

    CUZK_TRY(cli_output_check("out", given->out, true, session->json, err));
    CUZK_TRY(CUZK_NEW(&in, given->in.count + count - 1, "names of files", err));
    for (size_t i = 0; i < given->in.count; i++)
        in[job.in_count++] = given->in.items[i];
    for (size_t i = 1; i < count; i++)
        in[job.in_count++] = arguments[i];
    job.in = in;
    job.kind = arguments[0];
    if (job.request != NULL && job.in_count > 0 &&
        (strcmp(job.kind, "winning") == 0 || strcmp(job.kind, "wpost") == 0)) {
        CUZK_TRY_OUT(cli_remote_prove_check(&job, NULL, err)); /* standard input is read twice */
        CUZK_TRY_OUT(cli_remote_post_check(&job, err));
    }
    CUZK_TRY_OUT(cli_remote_open(&given->remote, &client, err));
    status = submit(session, given, client, &job, err);
out:
    cuzk_client_close(client);
    cuzk_mem_free((void *)in);
    return status;
}

static const struct cuzk_option options[] = {
    CLI_JOB_OPTIONS(struct submit_options, job),
    {.name = "in",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct submit_options, in),
     .placeholder = "FILE",
     .help =
         "winning, wpost, snap: a vanilla proof, one file a sector or partition; further files may follow "
         "as arguments"},
    {.name = "wait",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct submit_options, wait),
     .help = "wait for the proof, as `cuzk await` does"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct submit_options, out),
     .placeholder = "FILE",
     .help = "wait, and write the proof there"},
    CLI_REMOTE_OPTIONS(struct submit_options, remote),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_submit = {
    .name = "submit",
    .arguments = "KIND [FILE...]",
    .summary = "give a job to the daemon",
    .text = "Sends a proof's inputs to the daemon and prints the job's id once it is accepted, which means "
            "durable: it "
            "survives a crash of the daemon. KIND is porep, winning, wpost or snap. With --wait or --out it "
            "waits for "
            "the proof; Ctrl-C then stops the waiting, not the job.",
    .example = "cuzk submit porep --c1 c1.json --miner-id 1000 --sector-number 7\n"
               "cuzk submit wpost --request post.json --out proof.bin --in vanilla-1.bin vanilla-2.bin",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct submit_options),
    .least = 1,
    .most = CLI_POSITIONAL_ROOM,
    .run = run,
};
