/* A folder with the inputs of an update: partition-K.bin of each partition, and update.json, the request that
 * goes with them. */
#ifndef CUZK_CLI_UPDATE_FOLDER_H
#define CUZK_CLI_UPDATE_FOLDER_H

#include "base/json_writer.h"
#include "filecoin/sector_file.h"
#include "filecoin/update_proof.h"

/* The directory must be there. Errors: EXISTS, IO, MEMORY. */
enum cuzk_status cli_update_folder_add(const struct cuzk_sector_directory *directory,
                                       const struct cuzk_update_proof *proof, struct cuzk_error *err);

/* Last: that update.json is there says that the rest is. */
enum cuzk_status cli_update_folder_finish(const struct cuzk_sector_directory *directory,
                                          const struct cuzk_update_shape *shape,
                                          const struct cuzk_update_commitments *commitments,
                                          struct cuzk_error *err);

/* The members comm_r_old, comm_r_new and comm_d_new of an object. */
void cli_update_folder_commitments(struct cuzk_json_writer *json,
                                   const struct cuzk_update_commitments *commitments);

#endif
