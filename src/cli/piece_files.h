/* What goes into a test sector: the pieces that the user names, or reproducible data that fill it. */
#ifndef CUZK_CLI_PIECE_FILES_H
#define CUZK_CLI_PIECE_FILES_H

#include "base/file.h"
#include "base/option.h"
#include "filecoin/sector_data.h"

/* Zero-initialise; close it also after a failure. */
struct cli_piece_files {
    struct cuzk_piece_data pieces[CUZK_OPTION_LIST_ROOM];
    size_t count;
    struct cuzk_file_map files[CUZK_OPTION_LIST_ROOM];
    uint8_t *random_data;
};

/* seed is used where no piece is named. Errors: NOT_FOUND, INPUT (larger than the sector), IO, MEMORY. */
enum cuzk_status cli_piece_files_open(const struct cuzk_option_list *named, uint64_t sector_size,
                                      const uint8_t seed[32], struct cli_piece_files *out,
                                      struct cuzk_error *err);
void cli_piece_files_close(struct cli_piece_files *files);

#endif
