/* Pages of a journal's database and log in any state: read without a fault. The first byte splits the input
 * into the two files, in units of 1/255. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/journal_pages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool row(void *context, uint64_t id, const uint8_t *bytes, size_t length)
{
    unsigned *const sum = context;

    *sum += (unsigned)id;
    for (size_t i = 0; i < length; i++)
        *sum += bytes[i];
    return *sum % 2 == 0;
}

static void put(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *const file = fopen(path, "wb");

    if (file == NULL || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cuzk_journal_pages *pages;
    char path[64], log[80];
    unsigned sum = 0;

    if (size == 0)
        return 0;
    const size_t split = (size - 1) * data[0] / 255;

    snprintf(path, sizeof path, "/dev/shm/cuzk-fuzz-%ld", (long)getpid());
    snprintf(log, sizeof log, "%s-wal", path);
    put(path, data + 1, split);
    put(log, data + 1 + split, size - 1 - split);
    if (cuzk_journal_pages_open(path, &pages, NULL) == CUZK_OK) {
        (void)cuzk_journal_pages_each(pages, row, &sum, NULL);
        (void)cuzk_journal_pages_each_unreached(pages, row, &sum, NULL);
        cuzk_journal_pages_close(pages);
    }
    unlink(path);
    unlink(log);
    return 0;
}
