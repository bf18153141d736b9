/* The byte strings of a request in one piece, for decoders. */
#ifndef CUZK_ENGINE_REQUEST_BLOB_H
#define CUZK_ENGINE_REQUEST_BLOB_H

#include "base/error.h"
#include "engine/request.h"

struct cuzk_request_bytes {
    const uint8_t *data;
    size_t length;
    uint8_t *copy; /* owned; NULL where the blob was in one piece already */
};

/* Borrows where the blob is one part, else copies. Errors: MEMORY. */
enum cuzk_status cuzk_request_bytes_join(const struct cuzk_request_blob *blob, struct cuzk_request_bytes *out,
                                         struct cuzk_error *err);

/* Fine on a zeroed one. */
void cuzk_request_bytes_release(struct cuzk_request_bytes *bytes);

#endif
