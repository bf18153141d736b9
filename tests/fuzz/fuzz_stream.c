/* Canonical R1CS streams: decoding counts what it read and stays inside. */
#include <stdint.h>
#include <stdlib.h>

#include "r1cs/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_stream_counts counts;

    if (cuzk_stream_decode(data, size, NULL, &counts, NULL) == CUZK_OK &&
        counts.constraints * 3 * CUZK_STREAM_COUNT_BYTES > size)
        abort();
    return 0;
}
