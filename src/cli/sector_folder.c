#include "cli/sector_folder.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json_reader.h"

enum {
    PATH_ROOM = 4096,
    SECTOR_BYTES_MOST = 1 << 30,
    JSON_BYTES_MOST = 1 << 26,
    AUX_BYTES = 2 * CUZK_FR_BYTES,
    HAS_ID = 1,
    HAS_SIZE = 2
};

static enum cuzk_status read_members(struct cuzk_json_document *json, struct cli_sector_folder *out,
                                     struct cuzk_error *err)
{
    unsigned seen = 0;
    bool more;

    CUZK_TRY(cuzk_json_read_object(json, "sector", err));
    for (;;) {
        struct cuzk_json_slice key;

        CUZK_TRY(cuzk_json_read_member(json, &key, &more, err));
        if (!more)
            break;
        if (cuzk_json_slice_is(key, "sector_id")) {
            CUZK_TRY(cuzk_json_read_u64(json, "sector_id", &out->sector_id, err));
            seen |= HAS_ID;
        } else if (cuzk_json_slice_is(key, "sector_size")) {
            CUZK_TRY(cuzk_json_read_u64(json, "sector_size", &out->sector_size, err));
            seen |= HAS_SIZE;
        } else {
            CUZK_TRY(cuzk_json_read_skip(json, err));
        }
    }
    if (seen != (HAS_ID | HAS_SIZE))
        return cuzk_json_read_fail(json, "sector", err, "expected sector_id and sector_size");
    return CUZK_OK;
}

enum cuzk_status cli_sector_folder_read(const char *path, struct cli_sector_folder *out,
                                        struct cuzk_error *err)
{
    struct cuzk_json_document json;
    struct cuzk_file_map map;
    char file[PATH_ROOM];

    *out = (struct cli_sector_folder){.path = path};
    snprintf(file, sizeof file, "%s/sector.json", path);
    CUZK_TRY(cuzk_file_map_open(file, "sector", JSON_BYTES_MOST, &map, err));
    cuzk_json_read_init(&json, file, map.bytes, (size_t)map.length);
    const enum cuzk_status status = read_members(&json, out, err);

    cuzk_file_map_close(&map);
    return status;
}

static enum cuzk_status read_comm_c(const struct cli_sector_folder *sector, struct cuzk_fr *comm_c,
                                    struct cuzk_error *err)
{
    struct cuzk_file_map aux;
    char file[PATH_ROOM];
    bool whole;

    snprintf(file, sizeof file, "%s/p_aux.bin", sector->path);
    CUZK_TRY(cuzk_file_map_open(file, "commitments", AUX_BYTES, &aux, err));
    whole = aux.length == AUX_BYTES && cuzk_fr_from_bytes(aux.bytes, comm_c);
    cuzk_file_map_close(&aux);
    if (!whole)
        return cuzk_error_set(err, CUZK_INPUT, "%s: expected comm_c and comm_r_last", file);
    return CUZK_OK;
}

enum cuzk_status cli_sector_folder_open_replica(const struct cli_sector_folder *sector,
                                                struct cuzk_fr *comm_c, struct cuzk_file_map *replica,
                                                struct cuzk_error *err)
{
    char file[PATH_ROOM];

    CUZK_TRY(read_comm_c(sector, comm_c, err));
    snprintf(file, sizeof file, "%s/replica_new.bin", sector->path);
    enum cuzk_status status = cuzk_file_map_open(file, "replica", SECTOR_BYTES_MOST, replica, err);

    if (status == CUZK_NOT_FOUND) {
        snprintf(file, sizeof file, "%s/sealed.bin", sector->path);
        status = cuzk_file_map_open(file, "replica", SECTOR_BYTES_MOST, replica, err);
    }
    if (status != CUZK_OK)
        return status;
    if (replica->length == sector->sector_size)
        return CUZK_OK;
    status = cuzk_error_set(err, CUZK_INPUT, "%s: expected %" PRIu64 " bytes, found %" PRIu64, file,
                            sector->sector_size, replica->length);
    cuzk_file_map_close(replica);
    return status;
}
