/* A folder with PoSt inputs: vanilla-ID.bin of each sector, and post.json, the request that goes with them.
 */
#ifndef CUZK_CLI_POST_FOLDER_H
#define CUZK_CLI_POST_FOLDER_H

#include "base/file.h"
#include "base/json_writer.h"
#include "filecoin/post.h"

struct cli_post_folder {
    const char *path;
    const struct cuzk_post_config *config;
    struct cuzk_file_out *out;
    struct cuzk_json_writer json;
    struct cuzk_error error;
};

/* Makes the folder if need be; post.json appears with `close` alone. */
enum cuzk_status cli_post_folder_open(const char *path, const struct cuzk_post_config *config,
                                      const uint8_t randomness[CUZK_POST_RANDOMNESS_BYTES],
                                      struct cli_post_folder *out, struct cuzk_error *err);
enum cuzk_status cli_post_folder_add(struct cli_post_folder *folder, const struct cuzk_post_vanilla *vanilla,
                                     struct cuzk_error *err);

/* status: how adding went; where it failed nothing appears and it is returned. */
enum cuzk_status cli_post_folder_close(struct cli_post_folder *folder, enum cuzk_status status,
                                       struct cuzk_error *err);

#endif
