#include "engine/journal_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hex.h"
#include "base/mem.h"
#include "engine/request_file.h"

enum { BUCKETS = 1024 };

struct content {
    struct content *next;
    uint8_t digest[32];
    uint32_t jobs;
    uint64_t bytes;
};

struct cuzk_journal_spool {
    const char *directory;
    pthread_mutex_t lock; /* held while a file is removed, so that nobody who comes meanwhile relies on it */
    struct content *buckets[BUCKETS];
    uint64_t bytes;
};

enum cuzk_status cuzk_journal_spool_create(const char *directory, struct cuzk_journal_spool **out,
                                           struct cuzk_error *err)
{
    CUZK_TRY(CUZK_NEW(out, 1, "spool", err));
    (*out)->directory = directory;
    pthread_mutex_init(&(*out)->lock, NULL);
    return CUZK_OK;
}

void cuzk_journal_spool_destroy(struct cuzk_journal_spool *spool)
{
    if (spool == NULL)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct content *content = spool->buckets[i], *next; content != NULL; content = next) {
            next = content->next;
            cuzk_mem_free(content);
        }
    pthread_mutex_destroy(&spool->lock);
    cuzk_mem_free(spool);
}

/* Where a content is linked, or the end of its chain. */
static struct content **find(struct cuzk_journal_spool *spool, const uint8_t digest[32])
{
    struct content **link = &spool->buckets[(digest[0] | (size_t)digest[1] << 8) % BUCKETS];

    while (*link != NULL && memcmp((*link)->digest, digest, 32) != 0)
        link = &(*link)->next;
    return link;
}

/* Bytes of a content's file; 0 where it is not there. */
static uint64_t size_of(const struct cuzk_journal_spool *spool, const uint8_t digest[32])
{
    char hex[65], path[PATH_MAX];
    struct stat facts;

    cuzk_hex_encode(digest, 32, hex);
    snprintf(path, sizeof path, "%s/%s", spool->directory, hex);
    return stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

static enum cuzk_status hold(struct cuzk_journal_spool *spool, const uint8_t digest[32], uint64_t bytes,
                             struct cuzk_error *err)
{
    enum cuzk_status status = CUZK_OK;

    pthread_mutex_lock(&spool->lock);
    struct content **const link = find(spool, digest);

    if (*link == NULL) {
        CUZK_TRY_OUT(CUZK_NEW(link, 1, "spool", err));
        memcpy((*link)->digest, digest, 32);
        (*link)->bytes = bytes;
        spool->bytes += bytes;
    }
    (*link)->jobs++;
out:
    pthread_mutex_unlock(&spool->lock);
    return status;
}

enum cuzk_status cuzk_journal_spool_hold(struct cuzk_journal_spool *spool, const uint8_t digest[32],
                                         struct cuzk_error *err)
{
    return hold(spool, digest, size_of(spool, digest), err);
}

enum cuzk_status cuzk_journal_spool_put(struct cuzk_journal_spool *spool, const struct cuzk_request *request,
                                        const uint8_t digest[32], struct cuzk_error *err)
{
    CUZK_TRY(hold(spool, digest, cuzk_request_form_bytes(request), err));
    const enum cuzk_status status = cuzk_request_file_write(spool->directory, request, digest, err);

    if (status != CUZK_OK)
        cuzk_journal_spool_release(spool, digest, NULL);
    return status;
}

void cuzk_journal_spool_release(struct cuzk_journal_spool *spool, const uint8_t digest[32],
                                const struct cuzk_log *log)
{
    struct cuzk_error error;

    pthread_mutex_lock(&spool->lock);
    struct content **const link = find(spool, digest);
    struct content *const content = *link;

    if (content != NULL && --content->jobs == 0) {
        *link = content->next;
        spool->bytes -= content->bytes;
        cuzk_mem_free(content);
        if (cuzk_request_file_remove(spool->directory, digest, &error) != CUZK_OK)
            cuzk_log_line(log, CUZK_LOG_WARNING, "%s", error.message);
    }
    pthread_mutex_unlock(&spool->lock);
}

/* Whether a name is that of a content that is needed. */
static bool is_needed(struct cuzk_journal_spool *spool, const char *name)
{
    uint8_t digest[32];

    return strlen(name) == 64 && cuzk_hex_decode("name", name, 64, digest, sizeof digest, NULL) == CUZK_OK &&
           *find(spool, digest) != NULL;
}

enum cuzk_status cuzk_journal_spool_drop_orphans(struct cuzk_journal_spool *spool, struct cuzk_error *err)
{
    DIR *const folder = opendir(spool->directory);
    const int place = folder != NULL ? dirfd(folder) : -1;
    enum cuzk_status status = CUZK_OK;

    if (place < 0) {
        status = cuzk_error_set(err, CUZK_IO, "%s: %s", spool->directory, strerror(errno));
        goto out;
    }
    pthread_mutex_lock(&spool->lock);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            is_needed(spool, entry->d_name))
            continue;
        if (unlinkat(place, entry->d_name, 0) != 0 && errno != ENOENT && errno != EISDIR)
            status = cuzk_error_set(err, CUZK_IO, "%s/%s: removing: %s", spool->directory, entry->d_name,
                                    strerror(errno));
    }
    pthread_mutex_unlock(&spool->lock);
out:
    if (folder != NULL)
        closedir(folder);
    return status;
}

uint64_t cuzk_journal_spool_bytes(struct cuzk_journal_spool *spool)
{
    pthread_mutex_lock(&spool->lock);
    const uint64_t bytes = spool->bytes;

    pthread_mutex_unlock(&spool->lock);
    return bytes;
}
