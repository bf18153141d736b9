#include "cli/output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum cuzk_status cli_output(const char *path, bool replace,
                            enum cuzk_status (*write)(const void *what, struct cuzk_sink sink,
                                                      struct cuzk_error *err),
                            const void *what, struct cuzk_error *err)
{
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_file_out_open(path, replace, &out, err));
    return cuzk_file_out_close(write(what, cuzk_file_out_sink(out), err), out, err);
}

enum cuzk_status cli_output_check(const char *option, const char *path, bool replace, bool json,
                                  struct cuzk_error *err)
{
    struct cuzk_file_out *out;
    struct stat facts;

    if (path == NULL)
        return CUZK_OK;
    if (strcmp(path, "-") == 0)
        return json ? cuzk_error_set(err, CUZK_ARGUMENT, "--%s -: standard output is taken by --json", option)
                    : CUZK_OK;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
        return CUZK_OK; /* opening and closing a pipe would be seen at its other end */
    const enum cuzk_status status = cuzk_file_out_open(path, replace, &out, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "--%s", option);
    cuzk_file_out_abandon(out);
    return CUZK_OK;
}

static enum cuzk_status check_files(const char *option, const char *path, const char *const *names,
                                    size_t count, bool replace, struct cuzk_error *err)
{
    enum { PATH_ROOM = 4096 };
    char file[PATH_ROOM];

    for (size_t i = 0; i < count; i++) {
        if (snprintf(file, sizeof file, "%s/%s", path, names[i]) >= (int)sizeof file)
            return cuzk_error_set(err, CUZK_ARGUMENT, "--%s: a path of %zu bytes cannot be used", option,
                                  strlen(path));
        CUZK_TRY(cli_output_check(option, file, replace, false, err));
    }
    return CUZK_OK;
}

enum cuzk_status cli_output_folder_check(const char *option, const char *path, const char *const *names,
                                         size_t count, bool replace, struct cuzk_error *err)
{
    struct stat facts;
    const bool there = stat(path, &facts) == 0;
    enum cuzk_status status = cuzk_file_make_directory(path, err);

    if (status != CUZK_OK)
        return cuzk_error_prefix(err, status, "--%s", option);
    status = check_files(option, path, names, count, replace, err);
    if (!there)
        (void)rmdir(path); /* what somebody else put into it meanwhile keeps it */
    return status;
}
