/* Rows of the journal. The check is made right, so that what is behind it is reached too. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/journal_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read as a job is written as the same bytes. */
static void write_again(const struct cuzk_journal_row *row, const uint8_t *bytes, size_t length)
{
    uint8_t *again;
    size_t again_length;

    if (cuzk_journal_row_encode(&row->job, row->sequence, row->spooled, &again, &again_length, NULL) !=
            CUZK_OK ||
        again_length != length || memcmp(again, bytes, length) != 0)
        abort();
    cuzk_mem_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cuzk_journal_row row;
    struct cuzk_error err;
    uint64_t sequence, id;

    if (cuzk_journal_row_decode(data, size, &row, &err) == CUZK_OK)
        write_again(&row, data, size);
    (void)cuzk_journal_mark_decode(data, size, &sequence, &id, &err);
    if (size < 32)
        return 0;
    uint8_t *const bytes = malloc(size);

    if (bytes == NULL)
        abort();
    memcpy(bytes, data, size);
    cuzk_journal_row_stamp(bytes, size, 7);
    if (cuzk_journal_row_decode(bytes, size, &row, &err) == CUZK_OK)
        write_again(&row, bytes, size);
    (void)cuzk_journal_mark_decode(bytes, size, &sequence, &id, &err);
    free(bytes);
    return 0;
}
