/* Requests at rest. The digest is made right, so that what is behind it is reached too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/request_form.h"
#include "hash/sha256.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *block(const uint8_t *data, size_t size, size_t room)
{
    uint8_t *bytes;

    if (CUZK_NEW(&bytes, room, "form", NULL) != CUZK_OK)
        abort();
    if (size > 0)
        memcpy(bytes, data, size);
    return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_request_file file;
    struct cuzk_error err;
    uint8_t digest[32] = {0}, again[32];

    if (cuzk_request_form_open("form", block(data, size, size), size, digest, &file, &err) == CUZK_OK)
        abort(); /* no digest of 32 zero bytes is known */
    uint8_t *const bytes = block(data, size, size + 32);

    cuzk_sha256_digest(data, size, digest);
    memcpy(bytes + size, digest, sizeof digest);
    if (cuzk_request_form_open("form", bytes, size + 32, digest, &file, &err) != CUZK_OK)
        return 0;
    /* what is read is what would be written */
    cuzk_request_digest(&file.request, again);
    if (memcmp(again, digest, sizeof digest) != 0 || cuzk_request_form_bytes(&file.request) != size + 32)
        abort();
    cuzk_request_file_close(&file);
    return 0;
}
