/* A folder with the inputs of an update: partition-K.bin of each partition, and update.json, the request that
 * goes with them. */
#ifndef CUZK_CLI_UPDATE_FOLDER_H
#define CUZK_CLI_UPDATE_FOLDER_H

#include "base/error.h"
#include "filecoin/update_proof.h"

/* The folder must be there. Errors: IO, MEMORY. */
enum cuzk_status cli_update_folder_add(const char *path, const struct cuzk_update_proof *proof,
                                       struct cuzk_error *err);

/* Last: that update.json is there says that the rest is. */
enum cuzk_status cli_update_folder_finish(const char *path, const struct cuzk_update_shape *shape,
                                          const struct cuzk_update_commitments *commitments,
                                          struct cuzk_error *err);

#endif
