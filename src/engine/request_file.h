/*
 * Requests as files (engine/request_form.h), named by the hex of their digest: what the spool keeps of an
 * accepted job whose request is large. One content is kept once.
 *
 * A file is written under a temporary name, synced, renamed, and the directory synced. Thread-safe.
 */
#ifndef CUZK_ENGINE_REQUEST_FILE_H
#define CUZK_ENGINE_REQUEST_FILE_H

#include "base/error.h"
#include "engine/request.h"
#include "engine/request_form.h"

/* Writes a request into a directory; a file of the same digest that is whole already is kept as it is.
 * The file is durable when this returns; on failure nothing stays behind. Errors: IO (disk full included),
 * MEMORY. */
enum cuzk_status cuzk_request_file_write(const char *directory, const struct cuzk_request *request,
                                         const uint8_t digest[32], struct cuzk_error *err);

/* Maps a file and checks lengths and digest. Errors: NOT_FOUND, INPUT (with field and offset), IO, MEMORY. */
enum cuzk_status cuzk_request_file_open(const char *directory, const uint8_t digest[32],
                                        struct cuzk_request_file *out, struct cuzk_error *err);

/* Removes it; not being there is fine. Whoever has it open keeps it. */
enum cuzk_status cuzk_request_file_remove(const char *directory, const uint8_t digest[32],
                                          struct cuzk_error *err);

#endif
