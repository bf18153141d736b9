#include "engine/request_blob.h"

#include <string.h>

#include "base/mem.h"

enum cuzk_status cuzk_request_bytes_join(const struct cuzk_request_blob *blob, struct cuzk_request_bytes *out,
                                         struct cuzk_error *err)
{
    size_t at = 0;

    *out = (struct cuzk_request_bytes){.length = (size_t)blob->length};
    if (blob->count == 1) {
        out->data = blob->parts[0].data;
        return CUZK_OK;
    }
    CUZK_TRY(CUZK_NEW(&out->copy, out->length, "bytes of a request", err));
    out->data = out->copy;
    for (size_t i = 0; i < blob->count; i++) {
        if (blob->parts[i].length > 0)
            memcpy(out->copy + at, blob->parts[i].data, blob->parts[i].length);
        at += blob->parts[i].length;
    }
    return CUZK_OK;
}

void cuzk_request_bytes_release(struct cuzk_request_bytes *bytes)
{
    cuzk_mem_free(bytes->copy);
    *bytes = (struct cuzk_request_bytes){0};
}
