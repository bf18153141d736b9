#include "base/file.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/synth_options.h"
#include "cli/update_folder.h"
#include "filecoin/update_synth.h"

struct synth_options {
    struct cli_common common;
    struct cuzk_option_number threads, sector_size, seed;
    const char *out;
};

static enum cuzk_status write_partitions(struct cli_session *session, const struct synth_options *given,
                                         const struct cuzk_synth_update *update, unsigned partitions,
                                         struct cuzk_error *err)
{
    const struct cuzk_sector_directory to = {given->out, true};

    CUZK_TRY(cuzk_file_make_directory(given->out, err));
    for (unsigned k = 0; k < partitions; k++) {
        struct cuzk_update_proof proof;

        CUZK_TRY(cuzk_progress_check(&session->progress, err));
        CUZK_TRY(cuzk_synth_update_prove(update, k, &proof, err));
        const enum cuzk_status status = cli_update_folder_add(&to, &proof, err);

        cuzk_update_proof_destroy(&proof);
        if (status != CUZK_OK)
            return status;
    }
    return cli_update_folder_finish(&to, cuzk_synth_update_shape(update),
                                    cuzk_synth_update_commitments(update), err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct synth_options *given = values;
    static const char *const outputs[] = {"partition-0.bin", "update.json"};
    struct cuzk_synth_update *update;

    (void)arguments;
    (void)count;
    CUZK_TRY(
        cli_output_folder_check("out", given->out, outputs, sizeof outputs / sizeof outputs[0], true, err));
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    cuzk_progress_report(&session->progress, "making the update", 0, 0);
    CUZK_TRY(
        cuzk_synth_update_create(session->pool, given->sector_size.value, given->seed.value, &update, err));
    const unsigned partitions = 1U << cuzk_synth_update_shape(update)->partition_bits;
    const enum cuzk_status status = write_partitions(session, given, update, partitions, err);

    cuzk_synth_update_destroy(update);
    if (status != CUZK_OK)
        return status;
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "out", given->out);
        cuzk_json_write_member_u64(json, "partitions", partitions);
    }
    cli_session_say(session, "%s/update.json", given->out);
    return cli_session_answer_end(session, err);
}

static const struct cuzk_option options[] = {
    CLI_SYNTH_OPTIONS(struct synth_options),
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct synth_options, out),
     .placeholder = "DIR",
     .required = true,
     .help = "where partition-K.bin and update.json go"},
    CLI_THREADS_OPTION(struct synth_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_synth_snap = {
    .name = "synth snap",
    .arguments = "",
    .summary = "a consistent update of any size (SnapDeals), without sealing",
    .text =
        "Makes the vanilla proofs of an update of a sector that was never sealed, and the request that goes "
        "with them. For measuring; not for the chain.",
    .example = "cuzk synth snap --sector-size 32GiB --seed 1 --out update",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct synth_options),
    .run = run,
};
