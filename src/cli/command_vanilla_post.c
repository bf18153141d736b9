#include <inttypes.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/post_folder.h"
#include "cli/sector_folder.h"
#include "filecoin/oct_tree.h"

struct vanilla_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    struct cuzk_option_list sectors;
    struct cuzk_option_hex32 randomness;
    const char *api, *out;
};

/* comm_c and the replica tree, computed anew from the replica. */
static enum cuzk_status read_tree(struct cuzk_pool *pool, const struct cli_sector_folder *sector,
                                  struct cuzk_tree_shape shape, struct cuzk_fr *comm_c, struct cuzk_fr **tree,
                                  struct cuzk_error *err)
{
    struct cuzk_file_map replica = {0};
    enum cuzk_status status = CUZK_OK;

    *tree = NULL;
    CUZK_TRY_OUT(cli_sector_folder_open_replica(sector, comm_c, &replica, err));
    CUZK_TRY_OUT(CUZK_NEW(tree, cuzk_oct_tree_nodes(shape), "replica tree", err));
    for (uint64_t i = 0; i < sector->sector_size / CUZK_FR_BYTES; i++)
        if (!cuzk_fr_from_bytes(replica.bytes + i * CUZK_FR_BYTES, &(*tree)[i]))
            CUZK_TRY_OUT(cuzk_error_set(err, CUZK_INPUT, "%s: node %" PRIu64 " is not below the modulus",
                                        replica.path, i));
    cuzk_oct_tree_build(pool, shape, *tree);
out:
    cuzk_file_map_close(&replica);
    return status;
}

static enum cuzk_status make(struct cli_session *session, const struct cuzk_post_config *config,
                             const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES], uint64_t place,
                             const struct cli_sector_folder *sector, struct cli_post_folder *folder,
                             struct cuzk_error *err)
{
    struct cuzk_fr_arena values = {0};
    struct cuzk_post_vanilla vanilla = {0};
    enum cuzk_status status = CUZK_OK;
    struct cuzk_fr comm_c, *tree = NULL;

    CUZK_TRY_OUT(cuzk_progress_check(&session->progress, err));
    CUZK_TRY_OUT(read_tree(session->pool, sector, config->shape.tree, &comm_c, &tree, err));
    CUZK_TRY_OUT(cuzk_post_vanilla_make(config, randomness, place, sector->sector_id, &comm_c, tree, &values,
                                        &vanilla, err));
    CUZK_TRY_OUT(cli_post_folder_add(folder, &vanilla, err));
out:
    cuzk_post_vanilla_destroy(&vanilla);
    cuzk_fr_arena_destroy(&values);
    cuzk_mem_free(tree);
    return status;
}

static int by_id(const void *a, const void *b)
{
    const struct cli_sector_folder *left = a, *right = b;

    return (left->sector_id > right->sector_id) - (left->sector_id < right->sector_id);
}

static enum cuzk_status read_sectors(const struct vanilla_options *given, bool winning,
                                     struct cli_sector_folder sectors[CUZK_OPTION_LIST_ROOM],
                                     struct cuzk_post_config *config, struct cuzk_error *err)
{
    const size_t n = given->sectors.count;
    enum cuzk_api_version api = winning ? CUZK_API_1_0_0 : CUZK_API_1_2_0;

    if (n == 0 || (winning && n != 1))
        return cuzk_error_set(err, CUZK_ARGUMENT, "--sector: expected %s",
                              winning ? "the one sector that was drawn" : "at least one");
    if (given->api != NULL)
        (void)cuzk_api_version_parse(given->api, &api);
    for (size_t i = 0; i < n; i++)
        CUZK_TRY(cli_sector_folder_read(given->sectors.items[i], &sectors[i], err));
    qsort(sectors, n, sizeof *sectors, by_id);
    for (size_t i = 1; i < n; i++) {
        if (sectors[i].sector_size != sectors[0].sector_size)
            return cuzk_error_set(err, CUZK_INPUT, "%s: sector_size: is not that of %s", sectors[i].path,
                                  sectors[0].path);
        if (sectors[i].sector_id == sectors[i - 1].sector_id)
            return cuzk_error_set(err, CUZK_INPUT, "%s: sector_id: %" PRIu64 " is that of %s too",
                                  sectors[i].path, sectors[i].sector_id, sectors[i - 1].path);
    }
    return cuzk_post_config_make(sectors[0].sector_size, winning, api, config, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct vanilla_options *given = values;
    const bool winning = session->command == &cli_vanilla_winning;
    struct cli_sector_folder sectors[CUZK_OPTION_LIST_ROOM];
    uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES];
    struct cuzk_post_config config;
    struct cli_post_folder folder;
    enum cuzk_status status = CUZK_OK;

    (void)arguments;
    (void)count;
    CUZK_TRY(read_sectors(given, winning, sectors, &config, err));
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    cuzk_post_randomness(given->randomness.bytes, randomness);
    CUZK_TRY(cli_post_folder_open(given->out, &config, randomness, &folder, err));
    for (size_t i = 0; i < given->sectors.count && status == CUZK_OK; i++)
        status = make(session, &config, randomness, i, &sectors[i], &folder, err);
    CUZK_TRY(cli_post_folder_close(&folder, status, err));
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "out", given->out);
        cuzk_json_write_member_u64(json, "sectors", given->sectors.count);
    }
    cli_session_say(session, "%s/post.json", given->out);
    return cli_session_answer_end(session, err);
}

static const struct cuzk_option options[] = {
    {.name = "sector",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct vanilla_options, sectors),
     .placeholder = "DIR",
     .help = "a sector as `cuzk seal` left it"},
    {.name = "randomness",
     .type = CUZK_OPTION_HEX32,
     .offset = offsetof(struct vanilla_options, randomness),
     .placeholder = "HEX32",
     .required = true,
     .help = "what the challenges are drawn from; its top two bits do not count"},
    {.name = "api",
     .type = CUZK_OPTION_CHOICE,
     .offset = offsetof(struct vanilla_options, api),
     .placeholder = "V",
     .choices = "1.0.0|1.1.0|1.2.0",
     .help = "the api version; by default 1.0.0 of WinningPoSt, 1.2.0 of WindowPoSt"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct vanilla_options, out),
     .placeholder = "DIR",
     .required = true,
     .help = "where vanilla-ID.bin and post.json go"},
    CLI_THREADS_OPTION(struct vanilla_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_vanilla_winning = {
    .name = "vanilla winning",
    .arguments = "",
    .summary = "a WinningPoSt vanilla proof of a sealed test sector",
    .text = "Opens the challenged leaves of a sector that `cuzk seal` made, and writes the vanilla proof "
            "with the "
            "request that `cuzk prove winning` takes.",
    .example = "cuzk vanilla winning --sector sealed --randomness $(openssl rand -hex 32) --out post",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct vanilla_options),
    .run = run,
};

const struct cli_command cli_vanilla_wpost = {
    .name = "vanilla wpost",
    .arguments = "",
    .summary = "WindowPoSt vanilla proofs of sealed test sectors",
    .text = "Opens the challenged leaves of sectors that `cuzk seal` made, and writes the vanilla proofs "
            "with the "
            "request that `cuzk prove wpost` takes.",
    .example = "cuzk vanilla wpost --sector one --sector two --randomness $(openssl rand -hex 32) --out post",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct vanilla_options),
    .run = run,
};
