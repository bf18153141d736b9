#include "cli/command.h"
#include "cli/post_folder.h"
#include "cli/synth_options.h"
#include "filecoin/post_synth.h"

enum { SECTORS_MOST = 1 << 16 };

struct synth_options {
    struct cli_common common;
    struct cuzk_option_number threads, sector_size, seed, sectors;
    const char *out;
};

static enum cuzk_status make_sector(struct cli_session *session, const struct cuzk_post_config *config,
                                    uint64_t seed, uint64_t place, struct cli_post_folder *folder,
                                    struct cuzk_error *err)
{
    struct cuzk_fr_arena values = {0};
    struct cuzk_post_vanilla vanilla = {0};
    enum cuzk_status status = CUZK_OK;

    CUZK_TRY_OUT(cuzk_progress_check(&session->progress, err));
    CUZK_TRY_OUT(cuzk_post_synth_sector(session->pool, config, seed, place, &values, &vanilla, err));
    CUZK_TRY_OUT(cli_post_folder_add(folder, &vanilla, err));
out:
    cuzk_post_vanilla_destroy(&vanilla);
    cuzk_fr_arena_destroy(&values);
    return status;
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct synth_options *given = values;
    const bool winning = session->command == &cli_synth_winning;
    struct cuzk_post_config config;
    uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES];
    struct cli_post_folder folder;
    enum cuzk_status status = CUZK_OK;

    (void)arguments;
    (void)count;
    CUZK_TRY(cuzk_post_config_make(given->sector_size.value, winning,
                                   winning ? CUZK_API_1_0_0 : CUZK_API_1_2_0, &config, err));
    const uint64_t sectors = winning ? 1 : given->sectors.set ? given->sectors.value : config.shape.sectors;

    CUZK_TRY(cli_session_pool(session, given->threads, err));
    cuzk_post_synth_randomness(given->seed.value, randomness);
    CUZK_TRY(cli_post_folder_open(given->out, &config, randomness, &folder, err));
    for (uint64_t i = 0; i < sectors && status == CUZK_OK; i++) {
        cuzk_progress_report(&session->progress, "making sectors", i, sectors);
        status = make_sector(session, &config, given->seed.value, i, &folder, err);
    }
    CUZK_TRY(cli_post_folder_close(&folder, status, err));
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "out", given->out);
        cuzk_json_write_member_u64(json, "sectors", sectors);
    }
    cli_session_say(session, "%s/post.json", given->out);
    return cli_session_answer_end(session, err);
}

/* The first is WindowPoSt's alone. */
static const struct cuzk_option options[] = {
    {.name = "sectors",
     .type = CUZK_OPTION_NUMBER,
     .offset = offsetof(struct synth_options, sectors),
     .placeholder = "N",
     .min = 1,
     .max = SECTORS_MOST,
     .help = "how many; one full partition where not given"},
    CLI_SYNTH_OPTIONS(struct synth_options),
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct synth_options, out),
     .placeholder = "DIR",
     .required = true,
     .help = "where vanilla-ID.bin and post.json go"},
    CLI_THREADS_OPTION(struct synth_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_synth_winning = {
    .name = "synth winning",
    .arguments = "",
    .summary = "a consistent WinningPoSt input of any size, without sealing",
    .text =
        "Makes the vanilla proof of a sector that was never sealed, and the request that goes with it. For "
        "measuring; not for the chain.",
    .example = "cuzk synth winning --sector-size 32GiB --seed 1 --out post",
    .options = options + 1,
    .option_count = sizeof options / sizeof options[0] - 1,
    .values_size = sizeof(struct synth_options),
    .run = run,
};

const struct cli_command cli_synth_wpost = {
    .name = "synth wpost",
    .arguments = "",
    .summary = "consistent WindowPoSt inputs of any size, without sealing",
    .text =
        "Makes vanilla proofs of sectors that were never sealed, and the request that goes with them. For "
        "measuring; not for the chain.",
    .example = "cuzk synth wpost --sector-size 32GiB --sectors 8 --seed 1 --out post",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct synth_options),
    .run = run,
};
