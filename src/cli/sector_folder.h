/* A sector as `cuzk seal` or `cuzk vanilla snap` left it: sector.json, p_aux.bin, and its replica, which is
 * sealed.bin or, of an updated sector, replica_new.bin. */
#ifndef CUZK_CLI_SECTOR_FOLDER_H
#define CUZK_CLI_SECTOR_FOLDER_H

#include "base/file.h"
#include "field/fr.h"

struct cli_sector_folder {
    const char *path;
    uint64_t sector_id, sector_size;
};

/* Reads sector.json. Errors: NOT_FOUND, INPUT, IO. */
enum cuzk_status cli_sector_folder_read(const char *path, struct cli_sector_folder *out,
                                        struct cuzk_error *err);

/* comm_c, and the replica mapped: sector_size bytes. The caller closes it. Errors: NOT_FOUND, INPUT (no such
 * sizes), IO. */
enum cuzk_status cli_sector_folder_open_replica(const struct cli_sector_folder *sector,
                                                struct cuzk_fr *comm_c, struct cuzk_file_map *replica,
                                                struct cuzk_error *err);

#endif
