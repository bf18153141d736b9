#include <string.h>

#include "base/file.h"
#include "base/hex.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/synth_options.h"
#include "filecoin/synth.h"

struct synth_options {
    struct cli_common common;
    struct cuzk_option_number threads, sector_size, seed;
    const char *data, *out;
    bool legacy;
};

static enum cuzk_status write_c1(const char *path, const struct cuzk_c1 *c1, struct cuzk_error *err)
{
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_file_out_open(path, true, &out, err));
    const struct cuzk_sink sink = cuzk_file_out_sink(out);
    return cuzk_file_out_close(cuzk_c1_encode(c1, &sink, err), out, err);
}

static enum cuzk_status report(struct cli_session *session, const struct synth_options *given,
                               const struct cuzk_c1 *c1, const uint8_t prover_id[32], struct cuzk_error *err)
{
    char hex[65];
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "out", given->out);
        cuzk_json_write_member_u64(json, "sector_size", c1->sector_size);
        cuzk_json_write_member_u64(json, "partitions", c1->partitions);
        cuzk_json_write_member_hex(json, "comm_d", c1->comm_d, 32);
        cuzk_json_write_member_hex(json, "comm_r", c1->comm_r, 32);
        cuzk_json_write_member_hex(json, "replica_id", c1->replica_id, 32);
        cuzk_json_write_member_hex(json, "prover_id", prover_id, 32);
        return cli_session_answer_end(session, err);
    }
    if (strcmp(given->out, "-") == 0)
        return CUZK_OK;
    cuzk_hex_encode(c1->comm_r, 32, hex);
    cli_session_say(session, "comm_r      %s", hex);
    cuzk_hex_encode(c1->replica_id, 32, hex);
    cli_session_say(session, "replica id  %s", hex);
    cli_session_say(session, "%s", given->out);
    return CUZK_OK;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct synth_options *given = values;
    const struct cuzk_synth_request request = {
        given->sector_size.value, given->seed.value,
        strcmp(given->data, "mix") == 0 ? CUZK_SYNTH_MIX : CUZK_SYNTH_ZERO, given->legacy};
    enum cuzk_status status = CUZK_OK;
    struct cuzk_porep_config config;
    uint8_t prover_id[32];
    struct cuzk_c1 *c1;
    int registered;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_output_check("out", given->out, true, given->common.json, err));
    CUZK_TRY(cuzk_synth_config(&request, &config, &registered, prover_id, err));
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    cuzk_progress_report(&session->progress, "making the sector", 0, 0);
    CUZK_TRY(cuzk_synth_porep(session->pool, &request, NULL, &c1, err));
    CUZK_TRY_OUT(write_c1(given->out, c1, err));
    CUZK_TRY_OUT(report(session, given, c1, prover_id, err));
out:
    cuzk_c1_destroy(c1);
    return status;
}

static const struct cuzk_option options[] = {
    CLI_SYNTH_OPTIONS(struct synth_options),
    {.name = "data",
     .type = CUZK_OPTION_CHOICE,
     .offset = offsetof(struct synth_options, data),
     .placeholder = "KIND",
     .choices = "zero|mix",
     .fallback = "mix",
     .help = "what the sector holds"},
    {.name = "v1",
     .type = CUZK_OPTION_FLAG,
     .offset = offsetof(struct synth_options, legacy),
     .help = "the legacy proof (api 1.0.0)"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct synth_options, out),
     .placeholder = "FILE",
     .required = true,
     .help = "where the C1 output goes; - for standard output"},
    CLI_THREADS_OPTION(struct synth_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_synth_porep = {
    .name = "synth porep",
    .arguments = "",
    .summary = "a consistent C1 output of any size, without sealing",
    .text = "Makes the output of commit phase 1 of a sector that was never sealed: only what proofs look at "
            "exists, and "
            "it is consistent. The result passes the vanilla check and can be proved. For measuring 32 GiB "
            "sectors on "
            "any machine; not for the chain.",
    .example = "cuzk synth porep --sector-size 32GiB --seed 1 --out c1.json",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct synth_options),
    .run = run,
};
