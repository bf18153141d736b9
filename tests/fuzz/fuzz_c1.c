/* C1 outputs: what decodes is written as a text that decodes to the same text again, and can be checked. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "filecoin/c1.h"
#include "filecoin/porep_verify.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct cuzk_buffer write_text(const struct cuzk_c1 *c1)
{
    struct cuzk_buffer text = {0};
    const struct cuzk_sink sink = cuzk_buffer_sink(&text);

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
    struct cuzk_buffer first = write_text(c1);
    if (cuzk_c1_decode(first.bytes, first.length, NULL, &again, NULL) != CUZK_OK)
        abort();
    struct cuzk_buffer second = write_text(again);
    if (first.length != second.length || memcmp(first.bytes, second.bytes, first.length) != 0)
        abort();
    const int known = cuzk_c1_config(c1, &config, NULL) == CUZK_OK;
    const enum cuzk_status status = cuzk_porep_verify_vanilla(NULL, c1, known ? &config : NULL, NULL, NULL);
    if (status != CUZK_OK && status != CUZK_INVALID)
        abort();
    cuzk_buffer_clear(&first);
    cuzk_buffer_clear(&second);
    cuzk_c1_destroy(again);
    cuzk_c1_destroy(c1);
    return 0;
}
