/* What the commands that talk to a daemon have in common: its address, jobs as files describe them, waiting.
 */
#ifndef CUZK_CLI_REMOTE_H
#define CUZK_CLI_REMOTE_H

#include "base/file.h"
#include "base/option.h"
#include "cli/job.h"
#include "cli/session.h"
#include "cuzk/v1/proving.pb-c.h"
#include "server/client.h"

struct cli_remote_options {
    const char *addr;
    struct cuzk_tls_files tls;
};

#define CLI_REMOTE_OPTIONS(values, slot) CLI_REMOTE_OPTIONS_FROM(values, slot, "CUZK_ADDR")
#define CLI_REMOTE_OPTIONS_FROM(values, slot, variable)                                                      \
    {.name = "addr",                                                                                         \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot.addr),                                                                  \
     .placeholder = "ADDRESS",                                                                               \
     .environment = variable,                                                                                \
     .help =                                                                                                 \
         "the daemon: unix:PATH or HOST:PORT; where not given its socket in the runtime directory, or the "  \
         "service's, unix:/run/cuzk/cuzk.sock"},                                                             \
        {.name = "tls-certificate",                                                                          \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.tls.certificate),                                                   \
         .placeholder = "FILE",                                                                              \
         .help = "PEM certificate of this client, for daemons off the machine"},                             \
        {.name = "tls-key",                                                                                  \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.tls.key),                                                           \
         .placeholder = "FILE",                                                                              \
         .help = "PEM key of that certificate"},                                                             \
        {.name = "tls-ca",                                                                                   \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.tls.ca),                                                            \
         .placeholder = "FILE",                                                                              \
         .help = "PEM certificates that the daemon's must be signed by"}

enum cuzk_status cli_remote_open(const struct cli_remote_options *options, struct cuzk_client **out,
                                 struct cuzk_error *err);

/* What to do where no daemon answers. */
void cli_remote_hint(struct cli_session *session);

/* A call; the session's hint says what to do where no daemon answers. */
enum cuzk_status cli_remote_ask(struct cli_session *session, struct cuzk_client *client,
                                const struct cuzk_client_call *call, ProtobufCMessage **out,
                                struct cuzk_error *err);

/* A small call: request in, answer out (cuzk_message_free). */
enum cuzk_status cli_remote_call(struct cli_session *session, struct cuzk_client *client, const char *method,
                                 const ProtobufCMessage *request, const ProtobufCMessageDescriptor *answer,
                                 ProtobufCMessage **out, struct cuzk_error *err);

/* ---- jobs ---- */

/* A job's options as struct cli_job has them, but kind and files. */
#define CLI_JOB_OPTIONS(values, slot)                                                                        \
    {.name = "c1",                                                                                           \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot.c1),                                                                    \
     .placeholder = "FILE",                                                                                  \
     .help = "porep: output of commit phase 1, raw or wrapped as Curio does"},                               \
        {.name = "request",                                                                                  \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.request),                                                           \
         .placeholder = "FILE",                                                                              \
         .help =                                                                                             \
             "winning, wpost, snap: JSON with sector_size, registered_proof, randomness or commitments"},    \
        {.name = "request-id",                                                                               \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.request_id),                                                        \
         .placeholder = "TEXT",                                                                              \
         .help = "your own name for the work: the same name and content are the same job"},                  \
        {.name = "priority",                                                                                 \
         .type = CUZK_OPTION_CHOICE,                                                                         \
         .offset = offsetof(values, slot.priority),                                                          \
         .placeholder = "P",                                                                                 \
         .choices = "low|normal|high|critical",                                                              \
         .help = "the kind's own where not given"},                                                          \
        {.name = "miner-id",                                                                                 \
         .type = CUZK_OPTION_NUMBER,                                                                         \
         .offset = offsetof(values, slot.miner_id),                                                          \
         .placeholder = "N",                                                                                 \
         .help = "the miner's actor number"},                                                                \
        {.name = "sector-number",                                                                            \
         .type = CUZK_OPTION_NUMBER,                                                                         \
         .offset = offsetof(values, slot.sector_number),                                                     \
         .placeholder = "N",                                                                                 \
         .help = "the sector's number; a Curio-wrapped file has it"},                                        \
        {.name = "partition-index",                                                                          \
         .type = CUZK_OPTION_NUMBER,                                                                         \
         .offset = offsetof(values, slot.partition_index),                                                   \
         .placeholder = "N",                                                                                 \
         .max = 1000000,                                                                                     \
         .help = "wpost: which partition the proof is for"}

/* Sends a job. Errors: ARGUMENT, INPUT, what the daemon says. */
enum cuzk_status cli_remote_submit(struct cli_session *session, struct cuzk_client *client,
                                   const struct cli_job *job, char *job_id, size_t room, uint32_t *position,
                                   struct cuzk_error *err);

/* Waits for a job's end, also across a restart of the daemon; timeout_ms 0: however long. Errors: BUSY (the
 * time is over; the job goes on), CANCELLED (Ctrl-C; the job goes on), what the daemon says. *out:
 * cuzk_message_free. */
enum cuzk_status cli_remote_await(struct cli_session *session, struct cuzk_client *client, const char *job_id,
                                  uint64_t timeout_ms, Cuzk__V1__AwaitProofResponse **out,
                                  struct cuzk_error *err);

/* Ends a job that is no longer wanted, also when Ctrl-C was the reason. Errors: what the daemon says. */
enum cuzk_status cli_remote_cancel(struct cuzk_client *client, const char *job_id, struct cuzk_error *err);

/* Whether a job was proved. Errors: INPUT (it failed: the daemon's reason), CANCELLED. */
enum cuzk_status cli_remote_judge(const Cuzk__V1__AwaitProofResponse *result, struct cuzk_error *err);

/* Tells a result: the proof to a file or as hex, and the times. Errors: INVALID_PROOF's kin: a failed job is
 * INPUT, a cancelled one CANCELLED. */
enum cuzk_status cli_remote_tell(struct cli_session *session, const Cuzk__V1__AwaitProofResponse *result,
                                 const char *out, struct cuzk_error *err);

#endif
