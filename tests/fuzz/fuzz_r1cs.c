/* circom's constraint systems: what decodes can be written, and reads back the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "r1cs/circom_r1cs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct buffer {
    uint8_t *bytes;
    size_t length, capacity;
};

static enum cuzk_status append(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct buffer *buffer = context;

    (void)err;
    if (buffer->length + n > buffer->capacity) {
        buffer->capacity = 2 * (buffer->length + n);
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        if (buffer->bytes == NULL)
            abort();
    }
    memcpy(buffer->bytes + buffer->length, bytes, n);
    buffer->length += n;
    return CUZK_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer one = {0}, two = {0};
    struct cuzk_r1cs *r1cs, *again;

    if (cuzk_circom_r1cs_decode("fuzz", data, size, &r1cs, NULL, NULL) != CUZK_OK)
        return 0;
    if (cuzk_circom_r1cs_encode(r1cs, (struct cuzk_sink){append, &one}, NULL) != CUZK_OK ||
        cuzk_circom_r1cs_decode("again", one.bytes, one.length, &again, NULL, NULL) != CUZK_OK ||
        cuzk_circom_r1cs_encode(again, (struct cuzk_sink){append, &two}, NULL) != CUZK_OK)
        abort();
    if (one.length != two.length || memcmp(one.bytes, two.bytes, one.length) != 0)
        abort();
    cuzk_r1cs_destroy(r1cs);
    cuzk_r1cs_destroy(again);
    free(one.bytes);
    free(two.bytes);
    return 0;
}
