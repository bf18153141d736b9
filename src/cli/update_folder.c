#include "cli/update_folder.h"

#include <stdio.h>

#include "base/file.h"
#include "base/json_writer.h"
#include "filecoin/seal_proof.h"

enum { PATH_ROOM = 4096 };

static enum cuzk_status finish(enum cuzk_status status, struct cuzk_file_out *out, struct cuzk_error *err)
{
    if (status == CUZK_OK)
        return cuzk_file_out_commit(out, err);
    cuzk_file_out_abandon(out);
    return status;
}

enum cuzk_status cli_update_folder_add(const char *path, const struct cuzk_update_proof *proof,
                                       struct cuzk_error *err)
{
    struct cuzk_file_out *out;
    char file[PATH_ROOM];

    snprintf(file, sizeof file, "%s/partition-%u.bin", path, proof->partition);
    CUZK_TRY(cuzk_file_out_open(file, true, &out, err));
    return finish(cuzk_update_proof_encode(proof, cuzk_file_out_sink(out), err), out, err);
}

static void put_commitment(struct cuzk_json_writer *json, const char *name, const struct cuzk_fr *commitment)
{
    uint8_t bytes[CUZK_FR_BYTES];

    cuzk_fr_to_bytes(commitment, bytes);
    cuzk_json_write_member_hex(json, name, bytes, sizeof bytes);
}

enum cuzk_status cli_update_folder_finish(const char *path, const struct cuzk_update_shape *shape,
                                          const struct cuzk_update_commitments *commitments,
                                          struct cuzk_error *err)
{
    const uint64_t sector_size = (uint64_t)CUZK_FR_BYTES << shape->log2_nodes;
    struct cuzk_json_writer json;
    struct cuzk_file_out *out;
    char file[PATH_ROOM];

    snprintf(file, sizeof file, "%s/update.json", path);
    CUZK_TRY(cuzk_file_out_open(file, true, &out, err));
    cuzk_json_write_init(&json, cuzk_file_out_sink(out), true, err);
    cuzk_json_write_object_begin(&json);
    cuzk_json_write_member_u64(&json, "sector_size", sector_size);
    put_commitment(&json, "comm_r_old", &commitments->comm_r_old);
    put_commitment(&json, "comm_r_new", &commitments->comm_r_new);
    put_commitment(&json, "comm_d_new", &commitments->comm_d_new);
    cuzk_json_write_object_end(&json);
    return finish(cuzk_json_write_finish(&json), out, err);
}
