/* The JSON reader: skipping a document must end, inside it, whatever the bytes. */
#include <stdint.h>
#include <stdlib.h>

#include "base/json_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_json_document document;
    struct cuzk_error err;

    cuzk_json_read_init(&document, "fuzz", data, size);
    enum cuzk_status status = cuzk_json_read_skip(&document, &err);
    if (status == CUZK_OK)
        status = cuzk_json_read_end(&document, &err);
    if ((status != CUZK_OK && status != CUZK_INPUT) || document.position > size)
        abort();
    return 0;
}
