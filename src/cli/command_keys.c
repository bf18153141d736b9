/* cuzk preload and cuzk evict: what the daemon keeps resident. */
#include <inttypes.h>

#include "cli/command.h"
#include "cli/remote.h"
#include "cli/size_text.h"
#include "server/message.h"

struct keys_options {
    struct cli_common common;
    struct cli_remote_options remote;
};

static enum cuzk_status tell_preload(struct cli_session *session, const char *circuit,
                                     const ProtobufCMessage *answer, struct cuzk_error *err)
{
    const Cuzk__V1__PreloadSrsResponse *response = (const Cuzk__V1__PreloadSrsResponse *)answer;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (response->already_loaded)
        cli_session_say(session, "%s: was hot already (bound on every device)", circuit);
    else
        cli_session_say(session, "%s: hot (bound on every device) after %" PRIu64 " ms", circuit,
                        response->load_time_ms);
    if (json != NULL) {
        cuzk_json_write_member_string(json, "circuit", circuit);
        cuzk_json_write_member_bool(json, "already_loaded", response->already_loaded != 0);
        cuzk_json_write_member_u64(json, "load_time_ms", response->load_time_ms);
    }
    return cli_session_answer_end(session, err);
}

static enum cuzk_status preload(struct cli_session *session, const void *values, const char *const *arguments,
                                size_t count, struct cuzk_error *err)
{
    const struct keys_options *given = values;
    Cuzk__V1__PreloadSrsRequest request = CUZK__V1__PRELOAD_SRS_REQUEST__INIT;
    struct cuzk_client *client;
    ProtobufCMessage *answer;

    (void)count;
    CUZK_TRY(cli_remote_open(&given->remote, &client, err));
    request.circuit_id = (char *)(uintptr_t)arguments[0];
    const struct cuzk_client_call call = {.method = "PreloadSRS", /* a large key takes minutes: no deadline */
                                          .small = &request.base,
                                          .answer = &cuzk__v1__preload_srs_response__descriptor,
                                          .progress = &session->progress};
    enum cuzk_status status = cli_remote_ask(session, client, &call, &answer, err);

    if (status == CUZK_OK)
        status = tell_preload(session, arguments[0], answer, err);
    cuzk_message_free(answer);
    cuzk_client_close(client);
    return status;
}

static enum cuzk_status evict(struct cli_session *session, const void *values, const char *const *arguments,
                              size_t count, struct cuzk_error *err)
{
    const struct keys_options *given = values;
    Cuzk__V1__EvictSrsRequest request = CUZK__V1__EVICT_SRS_REQUEST__INIT;
    struct cuzk_client *client;
    ProtobufCMessage *answer;

    (void)count;
    CUZK_TRY(cli_remote_open(&given->remote, &client, err));
    request.circuit_id = (char *)(uintptr_t)arguments[0];
    enum cuzk_status status = cli_remote_call(session, client, "EvictSRS", &request.base,
                                              &cuzk__v1__evict_srs_response__descriptor, &answer, err);

    if (status == CUZK_OK) {
        const Cuzk__V1__EvictSrsResponse *response = (const Cuzk__V1__EvictSrsResponse *)answer;
        char size[CLI_SIZE_TEXT];
        struct cuzk_json_writer *json = cli_session_answer_begin(session);

        if (response->was_loaded)
            cli_session_say(session, "%s: cold now; %s freed on devices and the host", arguments[0],
                            cli_size_text(response->freed_bytes, size));
        else
            cli_session_say(session, "%s: was cold", arguments[0]);
        if (json != NULL) {
            cuzk_json_write_member_string(json, "circuit", arguments[0]);
            cuzk_json_write_member_bool(json, "was_loaded", response->was_loaded != 0);
            cuzk_json_write_member_u64(json, "freed_bytes", response->freed_bytes);
        }
        status = cli_session_answer_end(session, err);
    }
    cuzk_message_free(answer);
    cuzk_client_close(client);
    return status;
}

static const struct cuzk_option options[] = {
    CLI_REMOTE_OPTIONS(struct keys_options, remote),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_preload = {
    .name = "preload",
    .arguments = "CIRCUIT",
    .summary = "make a circuit's parameters resident in the daemon",
    .text = "Loads a circuit's parameters onto the daemon's devices and says how long it took.",
    .example = "cuzk preload porep-32g",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct keys_options),
    .least = 1,
    .most = 1,
    .run = preload,
};

const struct cli_command cli_evict = {
    .name = "evict",
    .arguments = "CIRCUIT",
    .summary = "give a circuit's parameters in the daemon up",
    .text = "Frees what a circuit's parameters take on the daemon's devices; refused while jobs use them.",
    .example = "cuzk evict porep-32g",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct keys_options),
    .least = 1,
    .most = 1,
    .run = evict,
};
