/*
 * Files: whole ones mapped for reading, and outputs that appear complete or not at all.
 *
 * An output is written under a temporary name in its own directory; commit syncs it and renames it into
 * place. Unless replacing was asked for, an existing file is refused when opening and again when committing.
 * "-" is standard input or output. One object serves one thread at a time, except cuzk_file_out_write_at and
 * reading a map.
 */
#ifndef CUZK_BASE_FILE_H
#define CUZK_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/sink.h"

/* What is read of a pipe or a device where the caller sets no limit: such input has no length to judge by. */
enum { CUZK_FILE_STREAM_BYTES_MOST = 1 << 30 };

struct cuzk_file_map {
    const uint8_t *bytes; /* never NULL once open, even for an empty file */
    uint64_t length;
    bool mapped; /* else a copy in memory (pipes, standard input, empty files) */
    char *path;  /* as given; names the file in errors */
};

/* Maps a file for reading; a pipe or "-" is read into memory, at most `limit` bytes (0: no limit for regular
 * files, CUZK_FILE_STREAM_BYTES_MOST for others). `what` says what was wanted ("C1 output"). The file must
 * not be shortened while it is mapped (but see base/file_guard.h). Errors: NOT_FOUND, INPUT (a directory,
 * longer than limit), IO, MEMORY.
 */
enum cuzk_status cuzk_file_map_open(const char *path, const char *what, uint64_t limit,
                                    struct cuzk_file_map *out, struct cuzk_error *err);

/* Gives up the mapping; a zeroed struct is fine. */
void cuzk_file_map_close(struct cuzk_file_map *map);

/* Bytes [begin, end) will not be read again soon: their pages leave this process. Only whole pages inside the
 * range go. Reading them again is correct, only slower. */
void cuzk_file_map_drop(const struct cuzk_file_map *map, uint64_t begin, uint64_t end);

/* Asks the kernel to read [begin, end) ahead. */
void cuzk_file_map_prefetch(const struct cuzk_file_map *map, uint64_t begin, uint64_t end);

/* Reads [begin, end) into memory and maps it there; false where that failed. */
bool cuzk_file_map_populate(const struct cuzk_file_map *map, uint64_t begin, uint64_t end);

/* Keeps the whole file in memory until it is closed, whatever else wants that; false where the process may
 * not (RLIMIT_MEMLOCK) or there is too little. */
bool cuzk_file_map_pin(const struct cuzk_file_map *map);

struct cuzk_file_out;

/* Opens an output. Errors: EXISTS (the file is there and replace is false), IO, MEMORY. */
enum cuzk_status cuzk_file_out_open(const char *path, bool replace, struct cuzk_file_out **out,
                                    struct cuzk_error *err);

/* Appends n bytes (buffered). Errors: IO. */
enum cuzk_status cuzk_file_out_write(struct cuzk_file_out *out, const void *bytes, size_t n,
                                     struct cuzk_error *err);

/* Writes n bytes at an offset, past buffering; for filling a large file from several threads. Errors: IO,
 * UNSUPPORTED (the output is a pipe). */
enum cuzk_status cuzk_file_out_write_at(struct cuzk_file_out *out, uint64_t offset, const void *bytes,
                                        size_t n, struct cuzk_error *err);

/* A sink that appends to the output; lives as long as it. */
struct cuzk_sink cuzk_file_out_sink(struct cuzk_file_out *out);

/* Takes room for a file of n bytes, so that a full disk shows before hours of work; its length stays what is
 * written. A file system that cannot do so says nothing. Errors: IO (there is too little). */
enum cuzk_status cuzk_file_out_reserve(struct cuzk_file_out *out, uint64_t n, struct cuzk_error *err);

/* A store over cuzk_file_out_write_at and _reserve; lives as long as the output. */
struct cuzk_store cuzk_file_out_store(struct cuzk_file_out *out);

/* Makes the file appear under its name and frees the object, whatever happens: on failure nothing stays
 * behind. Errors: EXISTS, IO. */
enum cuzk_status cuzk_file_out_commit(struct cuzk_file_out *out, struct cuzk_error *err);

/* Removes what was written and frees the object; NULL is fine. */
void cuzk_file_out_abandon(struct cuzk_file_out *out);

/* What became of writing it: commits where `status` is OK, else abandons and returns it. So a writer ends in
 * `return cuzk_file_out_close(write_it(out, err), out, err)`. */
enum cuzk_status cuzk_file_out_close(enum cuzk_status status, struct cuzk_file_out *out,
                                     struct cuzk_error *err);

/* Writes a whole file in one call. */
enum cuzk_status cuzk_file_write(const char *path, bool replace, const void *bytes, size_t n,
                                 struct cuzk_error *err);

/* Makes a directory and the ones above it; one that is there already is fine. Errors: IO. */
enum cuzk_status cuzk_file_make_directory(const char *path, struct cuzk_error *err);

#endif
