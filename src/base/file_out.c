#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { PATH_BYTES = 4096, BUFFER_BYTES = 256 << 10 };

struct cuzk_file_out {
    int fd;
    bool direct; /* a pipe, a device or standard output: no temporary name, no rename */
    bool close;  /* fd is ours */
    bool replace;
    size_t used;
    char path[PATH_BYTES];
    char temporary[PATH_BYTES];
    uint8_t buffer[BUFFER_BYTES];
};

static enum cuzk_status open_temporary(struct cuzk_file_out *out, struct cuzk_error *err)
{
    static _Atomic unsigned serial;
    const int n =
        snprintf(out->temporary, sizeof out->temporary, "%s.%ld-%u.tmp", out->path, (long)getpid(), serial++);

    if (n < 0 || (size_t)n >= sizeof out->temporary)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: the path is too long", out->path);
    out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (out->fd < 0) {
        out->temporary[0] = '\0';
        return cuzk_error_set(err, CUZK_IO, "%s: cannot be created: %s", out->path, strerror(errno));
    }
    out->close = true;
    return CUZK_OK;
}

static enum cuzk_status open_target(struct cuzk_file_out *out, struct cuzk_error *err)
{
    struct stat facts;

    if (strcmp(out->path, "-") == 0) {
        out->fd = STDOUT_FILENO;
        out->direct = true;
        return CUZK_OK;
    }
    if (stat(out->path, &facts) != 0)
        return open_temporary(out, err);
    if (S_ISDIR(facts.st_mode))
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: is a directory, expected the name of a file",
                              out->path);
    if (S_ISREG(facts.st_mode)) {
        if (!out->replace)
            return cuzk_error_set(err, CUZK_EXISTS, "%s: already exists and is not replaced", out->path);
        return open_temporary(out, err);
    }
    out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
    if (out->fd < 0)
        return cuzk_error_set(err, CUZK_IO, "%s: cannot be opened: %s", out->path, strerror(errno));
    out->direct = true;
    out->close = true;
    return CUZK_OK;
}

enum cuzk_status cuzk_file_out_open(const char *path, bool replace, struct cuzk_file_out **out,
                                    struct cuzk_error *err)
{
    struct cuzk_file_out *file;
    const size_t length = strlen(path);

    *out = NULL;
    if (length == 0 || length >= PATH_BYTES)
        return cuzk_error_set(err, CUZK_ARGUMENT, "output: a path of %zu bytes cannot be used", length);
    CUZK_TRY(CUZK_NEW(&file, 1, "output buffer", err));
    file->fd = -1;
    file->replace = replace;
    memcpy(file->path, path, length + 1);
    const enum cuzk_status status = open_target(file, err);

    if (status != CUZK_OK) {
        cuzk_mem_free(file);
        return status;
    }
    *out = file;
    return CUZK_OK;
}

static enum cuzk_status write_all(struct cuzk_file_out *out, const uint8_t *bytes, size_t n,
                                  struct cuzk_error *err)
{
    while (n > 0) {
        const ssize_t put = write(out->fd, bytes, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cuzk_error_set(err, CUZK_IO, "%s: writing: %s", out->path, strerror(errno));
        bytes += put;
        n -= (size_t)put;
    }
    return CUZK_OK;
}

static enum cuzk_status flush(struct cuzk_file_out *out, struct cuzk_error *err)
{
    const size_t n = out->used;

    out->used = 0;
    return write_all(out, out->buffer, n, err);
}

enum cuzk_status cuzk_file_out_write(struct cuzk_file_out *out, const void *bytes, size_t n,
                                     struct cuzk_error *err)
{
    if (n > sizeof out->buffer - out->used)
        CUZK_TRY(flush(out, err));
    if (n >= sizeof out->buffer)
        return write_all(out, bytes, n, err);
    memcpy(out->buffer + out->used, bytes, n);
    out->used += n;
    return CUZK_OK;
}

enum cuzk_status cuzk_file_out_write_at(struct cuzk_file_out *out, uint64_t offset, const void *bytes,
                                        size_t n, struct cuzk_error *err)
{
    const uint8_t *from = bytes;

    if (out->direct)
        return cuzk_error_set(err, CUZK_UNSUPPORTED, "%s: this output cannot be written out of order",
                              out->path);
    while (n > 0) {
        const ssize_t put = pwrite(out->fd, from, n, (off_t)offset);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cuzk_error_set(err, CUZK_IO, "%s: writing at %" PRIu64 ": %s", out->path, offset,
                                  strerror(errno));
        from += put;
        offset += (uint64_t)put;
        n -= (size_t)put;
    }
    return CUZK_OK;
}

static enum cuzk_status sink_write(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    return cuzk_file_out_write(context, bytes, n, err);
}

struct cuzk_sink cuzk_file_out_sink(struct cuzk_file_out *out)
{
    return (struct cuzk_sink){sink_write, out};
}

enum cuzk_status cuzk_file_out_reserve(struct cuzk_file_out *out, uint64_t n, struct cuzk_error *err)
{
    if (out->direct || n == 0)
        return CUZK_OK;
    if (n <= INT64_MAX && fallocate(out->fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)n) == 0)
        return CUZK_OK;
    if (n <= INT64_MAX && errno != ENOSPC && errno != EDQUOT && errno != EFBIG)
        return CUZK_OK;
    return cuzk_error_set(err, CUZK_IO, "%s: no room for %" PRIu64 " bytes: %s", out->path, n,
                          strerror(n <= INT64_MAX ? errno : EFBIG));
}

static enum cuzk_status store_write_at(void *context, uint64_t offset, const void *bytes, size_t n,
                                       struct cuzk_error *err)
{
    return cuzk_file_out_write_at(context, offset, bytes, n, err);
}

static enum cuzk_status store_reserve(void *context, uint64_t bytes, struct cuzk_error *err)
{
    return cuzk_file_out_reserve(context, bytes, err);
}

struct cuzk_store cuzk_file_out_store(struct cuzk_file_out *out)
{
    return (struct cuzk_store){store_write_at, store_reserve, out};
}

/* Puts the temporary file under its final name. */
static enum cuzk_status publish(struct cuzk_file_out *out, struct cuzk_error *err)
{
    int failed;

    if (fsync(out->fd) != 0)
        return cuzk_error_set(err, CUZK_IO, "%s: syncing: %s", out->path, strerror(errno));
    if (out->replace) {
        failed = rename(out->temporary, out->path);
    } else {
        failed = renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, RENAME_NOREPLACE);
        if (failed != 0 && (errno == EINVAL || errno == ENOSYS)) { /* the file system lacks the flag */
            failed = link(out->temporary, out->path);
            if (failed == 0)
                failed = unlink(out->temporary);
        }
    }
    if (failed != 0)
        return cuzk_error_set(err, errno == EEXIST ? CUZK_EXISTS : CUZK_IO, "%s: putting in place: %s",
                              out->path, strerror(errno));
    out->temporary[0] = '\0';
    return CUZK_OK;
}

enum cuzk_status cuzk_file_out_commit(struct cuzk_file_out *out, struct cuzk_error *err)
{
    enum cuzk_status status;

    CUZK_TRY_OUT(flush(out, err));
    if (!out->direct)
        CUZK_TRY_OUT(publish(out, err));
    if (out->close) {
        out->close = false;
        if (close(out->fd) != 0)
            status = cuzk_error_set(err, CUZK_IO, "%s: closing: %s", out->path, strerror(errno));
    }
out:
    cuzk_file_out_abandon(out);
    return status;
}

void cuzk_file_out_abandon(struct cuzk_file_out *out)
{
    if (out == NULL)
        return;
    if (out->close)
        close(out->fd);
    if (out->temporary[0] != '\0')
        unlink(out->temporary);
    cuzk_mem_free(out);
}

enum cuzk_status cuzk_file_out_close(enum cuzk_status status, struct cuzk_file_out *out,
                                     struct cuzk_error *err)
{
    if (status == CUZK_OK)
        return cuzk_file_out_commit(out, err);
    cuzk_file_out_abandon(out);
    return status;
}

enum cuzk_status cuzk_file_write(const char *path, bool replace, const void *bytes, size_t n,
                                 struct cuzk_error *err)
{
    struct cuzk_file_out *out;

    CUZK_TRY(cuzk_file_out_open(path, replace, &out, err));
    return cuzk_file_out_close(cuzk_file_out_write(out, bytes, n, err), out, err);
}

enum cuzk_status cuzk_file_make_directory(const char *path, struct cuzk_error *err)
{
    char part[PATH_BYTES];
    const size_t length = strlen(path);

    if (length == 0 || length >= sizeof part)
        return cuzk_error_set(err, CUZK_ARGUMENT, "directory: a path of %zu bytes cannot be used", length);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return cuzk_error_set(err, CUZK_IO, "%s: cannot be made: %s", part, strerror(errno));
    }
    struct stat facts;

    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        return cuzk_error_set(err, CUZK_IO, "%s: is not a directory", path);
    return CUZK_OK;
}
