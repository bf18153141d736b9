#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/file_guard.h"
#include "base/mem.h"

/* Reads a stream of unknown length into memory; never more than limit and a byte. */
static enum cuzk_status read_stream(int fd, const char *path, uint64_t limit, struct cuzk_file_map *out,
                                    struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;
    size_t room = (size_t)1 << 20, used = 0;
    uint8_t *bytes = NULL, *larger = NULL;

    CUZK_TRY_OUT(CUZK_NEW(&bytes, room, path, err));
    for (;;) {
        if (used == room) {
            const size_t wanted = room < limit / 2 ? 2 * room : (size_t)limit + 1;

            CUZK_TRY_OUT(CUZK_NEW(&larger, wanted, path, err));
            memcpy(larger, bytes, used);
            cuzk_mem_free(bytes);
            bytes = larger;
            larger = NULL;
            room = wanted;
        }
        const ssize_t got = read(fd, bytes + used, room - used);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = cuzk_error_set(err, CUZK_IO, "%s: reading: %s", path, strerror(errno));
            goto out;
        }
        if (got == 0)
            break;
        used += (size_t)got;
        if (used > limit) {
            status = cuzk_error_set(err, CUZK_INPUT, "%s: expected at most %" PRIu64 " bytes, found more",
                                    path, limit);
            goto out;
        }
    }
    out->bytes = bytes;
    out->length = used;
    bytes = NULL;
out:
    cuzk_mem_free(bytes);
    return status;
}

static enum cuzk_status map_regular(int fd, const char *path, uint64_t length, struct cuzk_file_map *out,
                                    struct cuzk_error *err)
{
    if (length > SIZE_MAX)
        return cuzk_error_set(err, CUZK_INPUT, "%s: %" PRIu64 " bytes do not fit the address space", path,
                              length);
    void *bytes = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, fd, 0);

    if (bytes == MAP_FAILED)
        return cuzk_error_set(err, errno == ENOMEM ? CUZK_MEMORY : CUZK_IO,
                              "%s: mapping %" PRIu64 " bytes: %s", path, length, strerror(errno));
    cuzk_file_guard_add(bytes, (size_t)length);
    out->bytes = bytes;
    out->length = length;
    out->mapped = true;
    return CUZK_OK;
}

enum cuzk_status cuzk_file_map_open(const char *path, const char *what, uint64_t limit,
                                    struct cuzk_file_map *out, struct cuzk_error *err)
{
    const bool standard = strcmp(path, "-") == 0;
    enum cuzk_status status = CUZK_OK;
    struct stat facts;
    int fd;

    memset(out, 0, sizeof *out);
    fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cuzk_error_set(err, errno == ENOENT || errno == ENOTDIR ? CUZK_NOT_FOUND : CUZK_IO,
                              "%s: %s cannot be opened: %s", path, what, strerror(errno));
    if (fstat(fd, &facts) != 0) {
        status = cuzk_error_set(err, CUZK_IO, "%s: %s", path, strerror(errno));
        goto out;
    }
    if (S_ISDIR(facts.st_mode)) {
        status = cuzk_error_set(err, CUZK_INPUT, "%s: expected a file (%s), found a directory", path, what);
        goto out;
    }
    if (S_ISREG(facts.st_mode) && limit != 0 && (uint64_t)facts.st_size > limit) {
        status = cuzk_error_set(err, CUZK_INPUT, "%s: %s: expected at most %" PRIu64 " bytes, found %" PRIu64,
                                path, what, limit, (uint64_t)facts.st_size);
        goto out;
    }
    const char *const name = standard ? "standard input" : path;
    const size_t name_bytes = strlen(name) + 1;
    CUZK_TRY_OUT(CUZK_NEW(&out->path, name_bytes, "path of a file", err));
    memcpy(out->path, name, name_bytes);
    if (S_ISREG(facts.st_mode) && facts.st_size > 0 && !standard)
        CUZK_TRY_OUT(map_regular(fd, path, (uint64_t)facts.st_size, out, err));
    else
        CUZK_TRY_OUT(read_stream(fd, out->path, limit != 0 ? limit : CUZK_FILE_STREAM_BYTES_MOST, out, err));
out:
    if (!standard)
        close(fd);
    if (status != CUZK_OK)
        cuzk_file_map_close(out);
    return status;
}

void cuzk_file_map_close(struct cuzk_file_map *map)
{
    if (map->mapped) {
        cuzk_file_guard_remove(map->bytes);
        munmap((void *)map->bytes, (size_t)map->length);
    } else {
        cuzk_mem_free((void *)map->bytes);
    }
    cuzk_mem_free(map->path);
    memset(map, 0, sizeof *map);
}

/* The whole pages inside [begin, end) (inward) or around it; false where there are none. */
static bool page_range(const struct cuzk_file_map *map, uint64_t begin, uint64_t end, bool inward,
                       uint8_t **start, size_t *length)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    if (!map->mapped || begin >= end || begin >= map->length)
        return false;
    if (end >= map->length)
        end = (map->length + page - 1) / page * page; /* the last page holds nothing else */
    else if (inward)
        end = end / page * page;
    begin = inward ? (begin + page - 1) / page * page : begin / page * page;
    if (begin >= end)
        return false;
    *start = (uint8_t *)(uintptr_t)map->bytes + begin;
    *length = (size_t)(end - begin);
    return true;
}

void cuzk_file_map_drop(const struct cuzk_file_map *map, uint64_t begin, uint64_t end)
{
    uint8_t *start;
    size_t length;

    if (page_range(map, begin, end, true, &start, &length))
        (void)madvise(start, length, MADV_DONTNEED);
}

bool cuzk_file_map_populate(const struct cuzk_file_map *map, uint64_t begin, uint64_t end)
{
    uint8_t *start;
    size_t length;

    if (!page_range(map, begin, end, false, &start, &length))
        return true;
    if (madvise(start, length, MADV_POPULATE_READ) == 0)
        return true;
    if (errno != EINVAL) /* the kernel knows it: a read failed, or there is no memory */
        return false;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    for (size_t at = 0; at < length; at += page)
        (void)*(const volatile uint8_t *)(start + at);
    return true;
}

bool cuzk_file_map_pin(const struct cuzk_file_map *map)
{
    return map->mapped && mlock(map->bytes, (size_t)map->length) == 0;
}

void cuzk_file_map_prefetch(const struct cuzk_file_map *map, uint64_t begin, uint64_t end)
{
    uint8_t *start;
    size_t length;

    if (page_range(map, begin, end, false, &start, &length))
        (void)madvise(start, length, MADV_WILLNEED);
}
