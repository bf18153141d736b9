/* Public input files: the counts that are accepted add up to values that the text has room for. */
#include <stdint.h>
#include <stdlib.h>

#include "engine/public_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cuzk_public_file file;
    size_t total = 0;

    if (cuzk_public_file_decode("fuzz", data, size, &file, NULL) != CUZK_OK)
        return 0;
    for (size_t k = 0; k < file.partitions; k++)
        total += file.counts[k];
    if (file.partitions == 0 || total * 66 > size)
        abort();
    cuzk_public_file_destroy(&file);
    return 0;
}
