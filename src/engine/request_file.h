/*
 * A request as a file: what the spool keeps of an accepted job.
 *
 * "cuzkreq1", then the scalar fields and the blobs with their lengths, little-endian, then SHA-256 of all
 * before. Written once under a temporary name, synced, renamed to NAME = hex of the content digest, the
 * directory synced. Reading maps the file and checks lengths and digest first.
 */
#ifndef CUZK_ENGINE_REQUEST_FILE_H
#define CUZK_ENGINE_REQUEST_FILE_H

#include "base/error.h"
#include "base/file.h"
#include "engine/request.h"

struct cuzk_request_file {
    struct cuzk_file_map map;
    struct cuzk_request request; /* each blob is one part, inside the map */
    void *owned;                 /* parts and text that the request points at */
};

/* Writes a request into a directory; a file of the same digest that is whole already is kept as it is.
 * The file is durable when this returns. Errors: IO (disk full included), MEMORY. */
enum cuzk_status cuzk_request_file_write(const char *directory, const struct cuzk_request *request,
                                         const uint8_t digest[32], struct cuzk_error *err);

/* Errors: NOT_FOUND, INPUT (with field and offset), IO, MEMORY. */
enum cuzk_status cuzk_request_file_open(const char *directory, const uint8_t digest[32],
                                        struct cuzk_request_file *out, struct cuzk_error *err);
void cuzk_request_file_close(struct cuzk_request_file *file);

/* Removes it; not being there is fine. */
enum cuzk_status cuzk_request_file_remove(const char *directory, const uint8_t digest[32],
                                          struct cuzk_error *err);

#endif
