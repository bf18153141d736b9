#include "cli/update_folder.h"

#include <stdio.h>

enum { NAME_ROOM = 32 };

enum cuzk_status cli_update_folder_add(const struct cuzk_sector_directory *directory,
                                       const struct cuzk_update_proof *proof, struct cuzk_error *err)
{
    struct cuzk_file_out *out;
    char name[NAME_ROOM];

    snprintf(name, sizeof name, "partition-%u.bin", proof->partition);
    CUZK_TRY(cuzk_sector_file_open(directory, name, &out, err));
    return cuzk_file_out_close(cuzk_update_proof_encode(proof, cuzk_file_out_sink(out), err), out, err);
}

static void put_commitment(struct cuzk_json_writer *json, const char *name, const struct cuzk_fr *commitment)
{
    uint8_t bytes[CUZK_FR_BYTES];

    cuzk_fr_to_bytes(commitment, bytes);
    cuzk_json_write_member_hex(json, name, bytes, sizeof bytes);
}

void cli_update_folder_commitments(struct cuzk_json_writer *json,
                                   const struct cuzk_update_commitments *commitments)
{
    put_commitment(json, "comm_r_old", &commitments->comm_r_old);
    put_commitment(json, "comm_r_new", &commitments->comm_r_new);
    put_commitment(json, "comm_d_new", &commitments->comm_d_new);
}

enum cuzk_status cli_update_folder_finish(const struct cuzk_sector_directory *directory,
                                          const struct cuzk_update_shape *shape,
                                          const struct cuzk_update_commitments *commitments,
                                          struct cuzk_error *err)
{
    struct cuzk_json_writer json;
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_sector_file_open(directory, "update.json", &out, err));
    cuzk_json_write_init(&json, cuzk_file_out_sink(out), true, err);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_member_u64(&json, "sector_size", (uint64_t)CUZK_FR_BYTES << shape->log2_nodes);
    cli_update_folder_commitments(&json, commitments);
    cuzk_json_write_object_end(&json);
    return cuzk_file_out_close(cuzk_json_write_finish(&json), out, err);
}
