/* Not base/file.h's output: pieces go from the network's memory to the file by writev, and writing to the
 * disk begins while the rest is still handed over. */
#include "engine/request_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/mem.h"
#include "hash/sha256.h"

enum {
    DIGEST_BYTES = CUZK_SHA256_BYTES,
    PIECES = 512,      /* of one writev */
    COPIED_MOST = 256, /* smaller pieces are gathered */
    SMALL_BYTES = 32 << 10,
    SYNC_BYTES = 4 << 20, /* the disk is told to begin after so many */
};

struct writer {
    int fd;
    size_t count, small_used, waiting; /* pieces, bytes of `small`, bytes of the pieces */
    uint64_t written, told;            /* bytes given to the kernel, and those whose writing was begun */
    const char *path;
    struct iovec pieces[PIECES];
    uint8_t small[SMALL_BYTES];
};

static enum cuzk_status path_of(const char *directory, const uint8_t digest[DIGEST_BYTES],
                                char path[PATH_MAX], struct cuzk_error *err)
{
    char hex[2 * DIGEST_BYTES + 1];

    cuzk_hex_encode(digest, DIGEST_BYTES, hex);
    const int n = snprintf(path, PATH_MAX, "%s/%s", directory, hex);

    if (n < 0 || n >= PATH_MAX)
        return cuzk_error_set(err, CUZK_ARGUMENT, "%s: the path is too long", directory);
    return CUZK_OK;
}

static enum cuzk_status io_error(const char *path, const char *doing, struct cuzk_error *err)
{
    return cuzk_error_set(err, CUZK_IO, "%s: %s: %s", path, doing, strerror(errno));
}

static enum cuzk_status flush(struct writer *writer, struct cuzk_error *err)
{
    struct iovec *piece = writer->pieces;
    size_t count = writer->count;

    while (count > 0) {
        ssize_t put = writev(writer->fd, piece, (int)count);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return io_error(writer->path, "writing", err);
        writer->written += (uint64_t)put;
        for (; count > 0 && (size_t)put >= piece->iov_len; piece++, count--)
            put -= (ssize_t)piece->iov_len;
        if (count > 0) {
            piece->iov_base = (uint8_t *)piece->iov_base + put;
            piece->iov_len -= (size_t)put;
        }
    }
    writer->count = writer->small_used = writer->waiting = 0;
    if (writer->written - writer->told >= SYNC_BYTES) {
        /* only a hint: fsync judges */
        (void)sync_file_range(writer->fd, (off_t)writer->told, (off_t)(writer->written - writer->told),
                              SYNC_FILE_RANGE_WRITE);
        writer->told = writer->written;
    }
    return CUZK_OK;
}

/* A large piece, cut so that the disk begins early. Pieces are only read. */
static enum cuzk_status put_large(struct writer *writer, const uint8_t *bytes, size_t n,
                                  struct cuzk_error *err)
{
    while (n > 0) {
        const size_t now = n < SYNC_BYTES ? n : SYNC_BYTES;

        if (writer->count == PIECES)
            CUZK_TRY(flush(writer, err));
        writer->pieces[writer->count++] = (struct iovec){(void *)(uintptr_t)bytes, now};
        writer->waiting += now;
        if (writer->waiting >= SYNC_BYTES)
            CUZK_TRY(flush(writer, err));
        bytes += now;
        n -= now;
    }
    return CUZK_OK;
}

static enum cuzk_status put_piece(void *context, const void *bytes, size_t n, struct cuzk_error *err)
{
    struct writer *writer = context;

    if (n > COPIED_MOST)
        return put_large(writer, bytes, n, err);
    if (writer->count == PIECES || n > SMALL_BYTES - writer->small_used)
        CUZK_TRY(flush(writer, err));
    uint8_t *const at = writer->small + writer->small_used;
    struct iovec *const last = writer->count > 0 ? &writer->pieces[writer->count - 1] : NULL;

    memcpy(at, bytes, n); /* the piece may be on the emitter's stack */
    writer->small_used += n;
    writer->waiting += n;
    if (last != NULL && (uint8_t *)last->iov_base + last->iov_len == at)
        last->iov_len += n;
    else
        writer->pieces[writer->count++] = (struct iovec){at, n};
    return CUZK_OK;
}

/* The directory's own entry of a file that was renamed into it. */
static enum cuzk_status sync_directory(const char *directory, struct cuzk_error *err)
{
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum cuzk_status status = CUZK_OK;

    if (fd < 0)
        return io_error(directory, "opening", err);
    if (fsync(fd) != 0)
        status = io_error(directory, "syncing", err);
    close(fd);
    return status;
}

/* Content, digest, sync. */
static enum cuzk_status write_form(struct writer *writer, const struct cuzk_request *request,
                                   const uint8_t digest[DIGEST_BYTES], struct cuzk_error *err)
{
    const uint64_t total = cuzk_request_form_bytes(request);

    /* room for all of it, or none of it is written */
    if (fallocate(writer->fd, 0, 0, (off_t)total) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
        return io_error(writer->path, "making room", err);
    CUZK_TRY(cuzk_request_form_emit(request, (struct cuzk_sink){put_piece, writer}, err));
    CUZK_TRY(put_piece(writer, digest, DIGEST_BYTES, err));
    CUZK_TRY(flush(writer, err));
    if (writer->written != total)
        return cuzk_error_set(err, CUZK_ARGUMENT,
                              "request: lengths of blobs give %" PRIu64 " bytes, their parts %" PRIu64, total,
                              writer->written);
    if (fsync(writer->fd) != 0)
        return io_error(writer->path, "syncing", err);
    return CUZK_OK;
}

/* Whether a whole file of this digest is there. One that is damaged will be replaced. */
static bool is_whole(const char *directory, const uint8_t digest[DIGEST_BYTES])
{
    struct cuzk_request_file file;

    if (cuzk_request_file_open(directory, digest, &file, NULL) != CUZK_OK)
        return false;
    cuzk_request_file_close(&file);
    return true;
}

enum cuzk_status cuzk_request_file_write(const char *directory, const struct cuzk_request *request,
                                         const uint8_t digest[DIGEST_BYTES], struct cuzk_error *err)
{
    static _Atomic unsigned serial;
    enum cuzk_status status = CUZK_OK;
    char path[PATH_MAX], temporary[PATH_MAX] = "";
    struct writer *writer = NULL;

    CUZK_TRY(path_of(directory, digest, path, err));
    if (is_whole(directory, digest))
        return sync_directory(directory, err); /* another writer may not have come so far */
    CUZK_TRY_OUT(CUZK_NEW(&writer, 1, "writer of a request", err));
    writer->path = path;
    const int n =
        snprintf(temporary, sizeof temporary, "%s/.%ld-%u.tmp", directory, (long)getpid(), serial++);

    if (n < 0 || (size_t)n >= sizeof temporary) {
        temporary[0] = '\0';
        status = cuzk_error_set(err, CUZK_ARGUMENT, "%s: the path is too long", directory);
        goto out;
    }
    writer->fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (writer->fd < 0) {
        status = io_error(temporary, "creating", err);
        temporary[0] = '\0';
        goto out;
    }
    status = write_form(writer, request, digest, err);
    close(writer->fd);
    if (status != CUZK_OK)
        goto out;
    if (rename(temporary, path) != 0) {
        status = io_error(path, "putting in place", err);
        goto out;
    }
    temporary[0] = '\0';
    status = sync_directory(directory, err);
out:
    if (temporary[0] != '\0')
        unlink(temporary);
    cuzk_mem_free(writer);
    return status;
}

enum cuzk_status cuzk_request_file_open(const char *directory, const uint8_t digest[DIGEST_BYTES],
                                        struct cuzk_request_file *out, struct cuzk_error *err)
{
    char path[PATH_MAX];

    memset(out, 0, sizeof *out);
    CUZK_TRY(path_of(directory, digest, path, err));
    CUZK_TRY(cuzk_file_map_open(path, "request", 0, &out->map, err));
    return cuzk_request_form_read(path, digest, out, err);
}

enum cuzk_status cuzk_request_file_remove(const char *directory, const uint8_t digest[DIGEST_BYTES],
                                          struct cuzk_error *err)
{
    char path[PATH_MAX];

    CUZK_TRY(path_of(directory, digest, path, err));
    if (unlink(path) != 0 && errno != ENOENT)
        return io_error(path, "removing", err);
    return CUZK_OK;
}
