/* C1 outputs: what decodes is written as a text that decodes to the same text again, and can be checked. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "filecoin/c1.h"
#include "filecoin/porep_verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
    uint8_t *bytes;
    size_t length, room;
};

static enum cuzk_status keep(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct text *text = context;

    (void)err;
    if (text->length + n > text->room) {
        text->room = 2 * (text->length + n);
        text->bytes = realloc(text->bytes, text->room);
        if (text->bytes == NULL)
            abort();
    }
    memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
    return CUZK_OK;
}

static struct text write_text(const struct cuzk_c1 *c1)
{
    struct text text = {NULL, 0, 0};
    const struct cuzk_sink sink = {keep, &text};

    if (cuzk_c1_encode(c1, &sink, NULL) != CUZK_OK)
        abort();
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_porep_config config;
    struct cuzk_c1 *c1, *again;

    if (cuzk_c1_decode(data, size, NULL, &c1, NULL) != CUZK_OK)
        return 0;
    struct text first = write_text(c1);
    if (cuzk_c1_decode(first.bytes, first.length, NULL, &again, NULL) != CUZK_OK)
        abort();
    struct text second = write_text(again);
    if (first.length != second.length || memcmp(first.bytes, second.bytes, first.length) != 0)
        abort();
    const int known = cuzk_c1_config(c1, &config, NULL) == CUZK_OK;
    const enum cuzk_status status = cuzk_porep_verify_vanilla(NULL, c1, known ? &config : NULL, NULL, NULL);
    if (status != CUZK_OK && status != CUZK_INVALID)
        abort();
    free(first.bytes);
    free(second.bytes);
    cuzk_c1_destroy(again);
    cuzk_c1_destroy(c1);
    return 0;
}
