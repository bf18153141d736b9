#include "cli/post_folder.h"

#include <inttypes.h>
#include <stdio.h>

enum { PATH_ROOM = 4096 };

enum cuzk_status cli_post_folder_open(const char *path, const struct cuzk_post_config *config,
                                      const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES],
                                      struct cli_post_folder *out, struct cuzk_error *err)
{
    char file[PATH_ROOM];

    *out = (struct cli_post_folder){.path = path, .config = config};
    CUZK_TRY(cuzk_file_make_directory(path, err));
    snprintf(file, sizeof file, "%s/post.json", path);
    CUZK_TRY(cuzk_file_out_open(file, true, &out->out, err));
    cuzk_json_write_init(&out->json, cuzk_file_out_sink(out->out), false, &out->error);
    cuzk_json_write_object_begin(&out->json);
    cuzk_json_write_member_u64(&out->json, "sector_size", config->sector_size);
    cuzk_json_write_member_string(&out->json, "api_version", cuzk_api_version_name(config->api_version));
    cuzk_json_write_member_hex(&out->json, "randomness", randomness, CUZK_POST_RANDOMNESS_BYTES);
    cuzk_json_write_key(&out->json, "sectors");
    cuzk_json_write_array_begin(&out->json);
    return CUZK_OK;
}

static enum cuzk_status write_vanilla(const struct cli_post_folder *folder,
                                      const struct cuzk_post_vanilla *vanilla, struct cuzk_error *err)
{
    struct cuzk_file_out *out;
    char file[PATH_ROOM];

    snprintf(file, sizeof file, "%s/vanilla-%" PRIu64 ".bin", folder->path, vanilla->sector_id);
    CUZK_TRY(cuzk_file_out_open(file, true, &out, err));
    return cuzk_file_out_close(
        cuzk_post_vanilla_encode(folder->config, vanilla, cuzk_file_out_sink(out), err), out, err);
}

enum cuzk_status cli_post_folder_add(struct cli_post_folder *folder, const struct cuzk_post_vanilla *vanilla,
                                     struct cuzk_error *err)
{
    uint8_t comm_r[CUZK_FR_BYTES];

    CUZK_TRY(write_vanilla(folder, vanilla, err));
    cuzk_fr_to_bytes(&vanilla->comm_r, comm_r);
    cuzk_json_write_object_begin(&folder->json);
    cuzk_json_write_member_u64(&folder->json, "sector_id", vanilla->sector_id);
    cuzk_json_write_member_hex(&folder->json, "comm_r", comm_r, sizeof comm_r);
    cuzk_json_write_object_end(&folder->json);
    return CUZK_OK;
}

enum cuzk_status cli_post_folder_close(struct cli_post_folder *folder, enum cuzk_status status,
                                       struct cuzk_error *err)
{
    cuzk_json_write_array_end(&folder->json);
    cuzk_json_write_object_end(&folder->json);
    if (status == CUZK_OK) {
        status = cuzk_json_write_finish(&folder->json);
        if (status != CUZK_OK && err != NULL)
            *err = folder->error;
    }
    return cuzk_file_out_close(status, folder->out, err);
}
