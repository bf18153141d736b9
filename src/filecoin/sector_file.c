#include "filecoin/sector_file.h"

#include <stdio.h>

enum { PATH = 4096, BATCH = 256 };

enum cuzk_status cuzk_sector_file_open(const struct cuzk_sector_directory *directory, const char *name,
                                       struct cuzk_file_out **out, struct cuzk_error *err)
{
    char path[PATH];

    if (snprintf(path, sizeof path, "%s/%s", directory->path, name) >= PATH)
        return cuzk_error_set(err, CUZK_ARGUMENT, "the directory's name is too long");
    return cuzk_file_out_open(path, directory->replace, out, err);
}

enum cuzk_status cuzk_sector_file_bytes(const struct cuzk_sector_directory *directory, const char *name,
                                        const void *bytes, size_t n, struct cuzk_error *err)
{
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_sector_file_open(directory, name, &out, err));
    return cuzk_file_out_close(cuzk_file_out_write(out, bytes, n, err), out, err);
}

static enum cuzk_status put_elements(struct cuzk_file_out *out, const struct cuzk_fr *elements, size_t n,
                                     struct cuzk_error *err)
{
    uint8_t bytes[BATCH * CUZK_FR_BYTES];

    for (size_t first = 0; first < n; first += BATCH) {
        const size_t count = n - first < BATCH ? n - first : BATCH;
        for (size_t i = 0; i < count; i++)
            cuzk_fr_to_bytes(&elements[first + i], bytes + CUZK_FR_BYTES * i);
        CUZK_TRY(cuzk_file_out_write(out, bytes, CUZK_FR_BYTES * count, err));
    }
    return CUZK_OK;
}

enum cuzk_status cuzk_sector_file_elements(const struct cuzk_sector_directory *directory, const char *name,
                                           const struct cuzk_fr *elements, size_t n, struct cuzk_error *err)
{
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_sector_file_open(directory, name, &out, err));
    return cuzk_file_out_close(put_elements(out, elements, n, err), out, err);
}
