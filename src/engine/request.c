#include "engine/request.h"

#include <string.h>

#include "engine/request_form.h"
#include "hash/sha256.h"

static enum cuzk_status hash_piece(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    (void)err;
    cuzk_sha256_update(context, bytes, n);
    return CUZK_OK;
}

void cuzk_request_digest(const struct cuzk_request *request, uint8_t digest[32])
{
    struct cuzk_sha256 hash;

    cuzk_sha256_init(&hash);
    (void)cuzk_request_form_emit(request, (struct cuzk_sink){hash_piece, &hash}, NULL); /* never fails */
    cuzk_sha256_final(&hash, digest);
}

void cuzk_request_key(const char *request_id, const uint8_t digest[32], uint8_t key[32])
{
    struct cuzk_sha256 hash;

    cuzk_sha256_init(&hash);
    cuzk_sha256_update(&hash, digest, CUZK_SHA256_BYTES); /* of fixed length, so first */
    cuzk_sha256_update(&hash, request_id, strlen(request_id));
    cuzk_sha256_final(&hash, key);
}
