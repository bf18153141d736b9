#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/random.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/piece_files.h"
#include "cli/sector_folder.h"
#include "cli/update_folder.h"
#include "filecoin/oct_tree.h"
#include "filecoin/sector_file.h"
#include "filecoin/update_make.h"

struct vanilla_options {
    struct cli_common common;
    struct cuzk_option_number threads;
    struct cuzk_option_list pieces;
    struct cuzk_option_hex32 seed;
    const char *sector, *out;
};

struct work {
    struct cli_sector_folder sector;
    struct cuzk_file_map replica;
    struct cli_piece_files pieces;
    struct cuzk_piece placed[CUZK_OPTION_LIST_ROOM];
    uint8_t *data; /* padded, sector_size bytes */
    struct cuzk_updated_sector *updated;
};

static enum cuzk_status make_data(struct cli_session *session, const struct vanilla_options *given,
                                  struct work *work, struct cuzk_error *err)
{
    const uint64_t size = work->sector.sector_size;
    uint8_t seed[32];

    if (given->seed.set) {
        memcpy(seed, given->seed.bytes, sizeof seed);
    } else {
        struct cuzk_random random;

        cuzk_random_init_system(&random);
        CUZK_TRY(cuzk_random_bytes(&random, seed, sizeof seed, err));
    }
    CUZK_TRY(cli_piece_files_open(&given->pieces, size, seed, &work->pieces, err));
    CUZK_TRY(CUZK_NEW(&work->data, (size_t)size, "sector data", err));
    return cuzk_sector_data_place(session->pool, size, work->pieces.pieces, work->pieces.count, work->placed,
                                  work->data, err);
}

/* What PoSt and another look need of the sector as it is now. */
static enum cuzk_status write_sector(const struct cuzk_sector_directory *to, const struct work *work,
                                     struct cuzk_error *err)
{
    const struct cuzk_updated_sector *s = work->updated;
    const size_t bytes = (size_t)work->sector.sector_size, nodes = cuzk_oct_tree_nodes(s->shape.tree);
    const struct cuzk_fr aux[2] = {s->comm_c, s->tree_r_new[nodes - 1]};
    struct cuzk_json_writer json;
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_sector_file_bytes(to, "data.bin", s->tree_d, bytes, err));
    CUZK_TRY(cuzk_sector_file_bytes(to, "tree_d.bin", s->tree_d, 2 * bytes - CUZK_FR_BYTES, err));
    CUZK_TRY(cuzk_sector_file_bytes(to, "replica_new.bin", s->replica, bytes, err));
    CUZK_TRY(cuzk_sector_file_elements(to, "tree_r_last.bin", s->tree_r_new, nodes, err));
    CUZK_TRY(cuzk_sector_file_elements(to, "p_aux.bin", aux, 2, err));
    CUZK_TRY(cuzk_sector_file_open(to, "sector.json", &out, err));
    cuzk_json_write_init(&json, cuzk_file_out_sink(out), true, err);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_member_u64(&json, "sector_id", work->sector.sector_id);
    cuzk_json_write_member_u64(&json, "sector_size", work->sector.sector_size);
    cuzk_json_write_object_end(&json);
    return cuzk_file_out_close(cuzk_json_write_finish(&json), out, err);
}

static enum cuzk_status write_all(struct cli_session *session, const struct vanilla_options *given,
                                  const struct work *work, struct cuzk_error *err)
{
    const struct cuzk_sector_directory to = {given->out, false};
    const struct cuzk_updated_sector *s = work->updated;

    CUZK_TRY(cuzk_file_make_directory(given->out, err));
    CUZK_TRY(write_sector(&to, work, err));
    for (unsigned k = 0; k < 1U << s->shape.partition_bits; k++) {
        struct cuzk_update_proof proof;

        CUZK_TRY(cuzk_progress_check(&session->progress, err));
        CUZK_TRY(cuzk_updated_sector_prove(s, k, &proof, err));
        const enum cuzk_status status = cli_update_folder_add(&to, &proof, err);

        cuzk_update_proof_destroy(&proof);
        if (status != CUZK_OK)
            return status;
    }
    return cli_update_folder_finish(&to, &s->shape, &s->commitments, err);
}

static enum cuzk_status report(struct cli_session *session, const struct vanilla_options *given,
                               const struct cuzk_updated_sector *s, struct cuzk_error *err)
{
    struct cuzk_json_writer *json = cli_session_answer_begin(session);

    if (json != NULL) {
        cuzk_json_write_member_string(json, "out", given->out);
        cuzk_json_write_member_u64(json, "partitions", UINT64_C(1) << s->shape.partition_bits);
        cli_update_folder_commitments(json, &s->commitments);
    }
    cli_session_say(session, "%s/update.json", given->out);
    return cli_session_answer_end(session, err);
}

static enum cuzk_status run_work(struct cli_session *session, const struct vanilla_options *given,
                                 struct work *work, struct cuzk_error *err)
{
    static const char *const outputs[] = {"data.bin",  "tree_d.bin",  "replica_new.bin", "tree_r_last.bin",
                                          "p_aux.bin", "sector.json", "partition-0.bin", "update.json"};
    struct cuzk_update_request request = {0};

    CUZK_TRY(cli_sector_folder_read(given->sector, &work->sector, err));
    CUZK_TRY(
        cli_output_folder_check("out", given->out, outputs, sizeof outputs / sizeof outputs[0], false, err));
    CUZK_TRY(cli_sector_folder_open_replica(&work->sector, &request.comm_c, &work->replica, err));
    CUZK_TRY(make_data(session, given, work, err));
    request.sector_size = work->sector.sector_size;
    request.replica = work->replica.bytes;
    request.data = work->data;
    CUZK_TRY(cuzk_update_make(session->pool, &request, &session->progress, &work->updated, err));
    CUZK_TRY(write_all(session, given, work, err));
    return report(session, given, work->updated, err);
}

static enum cuzk_status run(struct cli_session *session, const void *values, const char *const *arguments,
                            size_t count, struct cuzk_error *err)
{
    const struct vanilla_options *given = values;
    struct work *work;

    (void)arguments;
    (void)count;
    CUZK_TRY(cli_session_pool(session, given->threads, err));
    CUZK_TRY(CUZK_NEW(&work, 1, "update", err));
    const enum cuzk_status status = run_work(session, given, work, err);

    cuzk_updated_sector_destroy(work->updated);
    cli_piece_files_close(&work->pieces);
    cuzk_mem_free(work->data);
    cuzk_file_map_close(&work->replica);
    cuzk_mem_free(work);
    return status;
}

static const struct cuzk_option options[] = {
    {.name = "sector",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct vanilla_options, sector),
     .placeholder = "DIR",
     .required = true,
     .help = "a sector as `cuzk seal` left it"},
    {.name = "piece",
     .type = CUZK_OPTION_LIST,
     .offset = offsetof(struct vanilla_options, pieces),
     .placeholder = "FILE",
     .help = "data to put in, in order; may be given several times; random data where not given"},
    {.name = "seed",
     .type = CUZK_OPTION_HEX32,
     .offset = offsetof(struct vanilla_options, seed),
     .placeholder = "HEX32",
     .help = "random data follow from this: the same update every time"},
    {.name = "out",
     .type = CUZK_OPTION_STRING,
     .offset = offsetof(struct vanilla_options, out),
     .placeholder = "DIR",
     .required = true,
     .help = "where the new replica, its trees, partition-K.bin and update.json go"},
    CLI_THREADS_OPTION(struct vanilla_options),
    CLI_COMMON_OPTIONS,
};

const struct cli_command cli_vanilla_snap = {
    .name = "vanilla snap",
    .arguments = "",
    .summary = "put new data into a sealed test sector, with the vanilla proofs of it (SnapDeals)",
    .text =
        "Encodes data into the replica of a sector that `cuzk seal` made, and writes the new replica, its "
        "trees, the vanilla proof of every partition and the request that `cuzk prove snap` takes. The "
        "directory is a sector too: `cuzk vanilla wpost --sector` takes it.",
    .example = "cuzk seal --sector-size 2KiB --out sealed\n"
               "cuzk vanilla snap --sector sealed --piece movie.car --out updated",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .values_size = sizeof(struct vanilla_options),
    .run = run,
};
