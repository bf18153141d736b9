#include "cli/output.h"

#include "base/file.h"

enum cuzk_status cli_output(const char *path, bool replace,
                            enum cuzk_status (*write)(const void *what, struct cuzk_sink sink,
                                                      struct cuzk_error *err),
                            const void *what, struct cuzk_error *err)
{
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_file_out_open(path, replace, &out, err));
    const enum cuzk_status status = write(what, cuzk_file_out_sink(out), err);

    if (status != CUZK_OK) {
        cuzk_file_out_abandon(out);
        return status;
    }
    return cuzk_file_out_commit(out, err);
}
