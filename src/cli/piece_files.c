#include "cli/piece_files.h"

#include "base/mem.h"

/* Smallest piece size, 127 * 2^k bytes, that holds n. */
static uint64_t piece_size(uint64_t n)
{
    uint64_t size = 127;

    while (size < n)
        size *= 2;
    return size;
}

enum cuzk_status cli_piece_files_open(const struct cuzk_option_list *named, uint64_t sector_size,
                                      const uint8_t seed[32], struct cli_piece_files *out,
                                      struct cuzk_error *err)
{
    for (size_t i = 0; i < named->count; i++) {
        struct cuzk_file_map *file = &out->files[i];

        CUZK_TRY(cuzk_file_map_open(named->items[i], "piece", sector_size, file, err));
        out->pieces[i] =
            (struct cuzk_piece_data){file->bytes, (size_t)file->length, piece_size(file->length)};
        out->count++;
    }
    if (named->count > 0)
        return CUZK_OK;
    const uint64_t room = cuzk_sector_data_room(sector_size);

    CUZK_TRY(CUZK_NEW(&out->random_data, (size_t)room, "sector data", err));
    cuzk_sector_data_random(seed, out->random_data, (size_t)room);
    out->pieces[0] = (struct cuzk_piece_data){out->random_data, (size_t)room, room};
    out->count = 1;
    return CUZK_OK;
}

void cli_piece_files_close(struct cli_piece_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        cuzk_file_map_close(&files->files[i]);
    cuzk_mem_free(files->random_data);
    *files = (struct cli_piece_files){.count = 0};
}
