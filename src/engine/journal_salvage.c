#include "engine/journal_salvage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "engine/journal_pages.h"
#include "engine/journal_row.h"
#include "engine/journal_store.h"
#include "hash/sha256.h"

struct salvage {
    struct cuzk_journal_pages *pages;
    struct cuzk_journal_store *target;
    struct cuzk_journal_row *row, *other;
    bool requests; /* second pass: forms of requests, for the jobs that were found */
    uint64_t sequence, mark;
    uint64_t jobs, forms;
    enum cuzk_status status; /* of the target */
    struct cuzk_error *err;
};

static bool fail(struct salvage *salvage, enum cuzk_status status)
{
    salvage->status = status;
    return status == CUZK_OK;
}

/* What the target has of a job so far. */
static bool have(struct salvage *salvage, uint64_t id, struct cuzk_journal_row *row)
{
    const uint8_t *bytes;
    size_t length;

    return fail(salvage, cuzk_journal_store_get(salvage->target, CUZK_JOURNAL_TABLE_JOB, id, &bytes, &length,
                                                salvage->err)) &&
           bytes != NULL && cuzk_journal_row_decode(bytes, length, row, NULL) == CUZK_OK;
}

static void take_job(struct salvage *salvage, const uint8_t *bytes, size_t length)
{
    const uint64_t id = salvage->row->job.id, sequence = salvage->row->sequence;

    if (sequence > salvage->sequence)
        salvage->sequence = sequence;
    if (id > salvage->mark)
        salvage->mark = id;
    if (have(salvage, id, salvage->other) && salvage->other->sequence >= sequence)
        return;
    if (salvage->status == CUZK_OK)
        (void)fail(salvage, cuzk_journal_store_put(salvage->target, CUZK_JOURNAL_TABLE_JOB, id, bytes, length,
                                                   true, salvage->err));
}

static void take_form(struct salvage *salvage, uint64_t id, const uint8_t *bytes, size_t length)
{
    const uint8_t *const digest = bytes + length - CUZK_SHA256_BYTES;

    if (have(salvage, id, salvage->other) && salvage->other->job.state == CUZK_JOURNAL_ACCEPTED &&
        memcmp(salvage->other->job.digest, digest, CUZK_SHA256_BYTES) == 0 &&
        fail(salvage, cuzk_journal_store_put(salvage->target, CUZK_JOURNAL_TABLE_REQUEST, id, bytes, length,
                                             true, salvage->err)))
        salvage->forms++;
}

static bool is_form(const uint8_t *bytes, size_t length)
{
    uint8_t digest[CUZK_SHA256_BYTES];

    if (length <= CUZK_SHA256_BYTES || memcmp(bytes, "cuzkreq1", 8) != 0)
        return false;
    cuzk_sha256_digest(bytes, length - CUZK_SHA256_BYTES, digest);
    return memcmp(digest, bytes + length - CUZK_SHA256_BYTES, sizeof digest) == 0;
}

/* A row of a page. True where it is whole. */
static bool take_row(void *context, uint64_t id, const uint8_t *bytes, size_t length)
{
    struct salvage *const salvage = context;
    uint64_t sequence, mark;

    if (cuzk_journal_row_decode(bytes, length, salvage->row, NULL) == CUZK_OK) {
        if (salvage->row->job.id != id)
            return false;
        if (!salvage->requests && salvage->status == CUZK_OK)
            take_job(salvage, bytes, length);
        return true;
    }
    if (id == 0 && cuzk_journal_mark_decode(bytes, length, &sequence, &mark, NULL) == CUZK_OK) {
        salvage->sequence = sequence > salvage->sequence ? sequence : salvage->sequence;
        salvage->mark = mark > salvage->mark ? mark : salvage->mark;
        return true;
    }
    if (!is_form(bytes, length))
        return false;
    if (salvage->requests && salvage->status == CUZK_OK)
        take_form(salvage, id, bytes, length);
    return true;
}

static enum cuzk_status count_row(void *context, uint64_t id, const uint8_t *bytes, size_t length,
                                  struct cuzk_error *err)
{
    (void)bytes;
    (void)length;
    (void)err;
    *(uint64_t *)context += id != 0;
    return CUZK_OK;
}

/* Jobs, the mark, then the requests of accepted ones. */
static enum cuzk_status fill(struct salvage *salvage, struct cuzk_error *err)
{
    uint8_t mark[CUZK_JOURNAL_MARK_BYTES];

    CUZK_TRY(cuzk_journal_store_begin(salvage->target, err));
    CUZK_TRY(cuzk_journal_pages_each(salvage->pages, take_row, salvage, err));
    CUZK_TRY(salvage->status);
    cuzk_journal_mark_encode(salvage->sequence + 1, salvage->mark, mark);
    CUZK_TRY(
        cuzk_journal_store_put(salvage->target, CUZK_JOURNAL_TABLE_JOB, 0, mark, sizeof mark, true, err));
    salvage->requests = true;
    CUZK_TRY(cuzk_journal_pages_each(salvage->pages, take_row, salvage, err));
    CUZK_TRY(salvage->status);
    CUZK_TRY(cuzk_journal_store_commit(salvage->target, err));
    return cuzk_journal_store_each(salvage->target, CUZK_JOURNAL_TABLE_JOB, count_row, &salvage->jobs, err);
}

/* ---- names ---- */

static void name(char out[PATH_MAX], const char *path, const char *ending)
{
    snprintf(out, PATH_MAX, "%.*s%s", PATH_MAX - 64, path, ending);
}

static void remove_all(const char *path)
{
    static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
    char whole[PATH_MAX];

    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        name(whole, path, endings[i]);
        unlink(whole);
    }
}

static enum cuzk_status sync_folder_of(const char *path, struct cuzk_error *err)
{
    char folder[PATH_MAX];

    name(folder, path, "");
    char *const slash = strrchr(folder, '/');

    if (slash != NULL)
        *slash = '\0';
    const int fd = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    enum cuzk_status status = CUZK_OK;

    if (fd < 0 || fsync(fd) != 0)
        status = cuzk_error_set(err, CUZK_IO, "%s: syncing: %s", folder, strerror(errno));
    if (fd >= 0)
        close(fd);
    return status;
}

/* A second name of the damaged files, so that they stay when the first goes. */
static enum cuzk_status keep_damaged(const char *path, char kept[PATH_MAX], struct cuzk_error *err)
{
    char ending[32], log[PATH_MAX], kept_log[PATH_MAX];

    for (unsigned n = 1;; n++) {
        snprintf(ending, sizeof ending, ".damaged-%u", n);
        name(kept, path, ending);
        name(kept_log, kept, "-wal");
        if (access(kept, F_OK) != 0 && access(kept_log, F_OK) != 0)
            break;
    }
    name(log, path, "-wal");
    if ((link(path, kept) != 0 && errno != ENOENT) || (link(log, kept_log) != 0 && errno != ENOENT))
        return cuzk_error_set(err, CUZK_IO, "%s: keeping a copy: %s", kept, strerror(errno));
    return CUZK_OK;
}

/* The log of the damaged database must go before the new one takes its name: SQLite would apply it. */
static enum cuzk_status put_in_place(const char *path, const char *ready, struct cuzk_error *err)
{
    char other[PATH_MAX];

    name(other, path, "-wal");
    unlink(other);
    name(other, path, "-shm");
    unlink(other);
    if (rename(ready, path) != 0)
        return cuzk_error_set(err, CUZK_IO, "%s: putting in place: %s", path, strerror(errno));
    return sync_folder_of(path, err);
}

enum cuzk_status cuzk_journal_salvage_resume(const char *path, struct cuzk_error *err)
{
    char ready[PATH_MAX], fresh[PATH_MAX];

    name(fresh, path, ".new");
    remove_all(fresh);
    name(ready, path, ".ready");
    return access(ready, F_OK) == 0 ? put_in_place(path, ready, err) : CUZK_OK;
}

static enum cuzk_status build(struct salvage *salvage, const char *fresh, struct cuzk_error *err)
{
    enum cuzk_status status;

    remove_all(fresh);
    CUZK_TRY(cuzk_journal_store_make(fresh, err));
    CUZK_TRY(cuzk_journal_store_open(fresh, false, &salvage->target, err));
    status = fill(salvage, err);
    if (status != CUZK_OK)
        cuzk_journal_store_rollback(salvage->target);
    cuzk_journal_store_close(salvage->target, true); /* brings its log in and removes it */
    return status;
}

enum cuzk_status cuzk_journal_salvage(const char *path, const struct cuzk_log *log, struct cuzk_error *err)
{
    char fresh[PATH_MAX], ready[PATH_MAX], kept[PATH_MAX], left[PATH_MAX];
    struct salvage salvage = {.err = err};
    enum cuzk_status status;

    name(fresh, path, ".new");
    name(ready, path, ".ready");
    CUZK_TRY(cuzk_journal_pages_open(path, &salvage.pages, err));
    CUZK_TRY_OUT(CUZK_NEW(&salvage.row, 1, "row of the journal", err));
    CUZK_TRY_OUT(CUZK_NEW(&salvage.other, 1, "row of the journal", err));
    CUZK_TRY_OUT(build(&salvage, fresh, err));
    name(left, fresh, "-wal");
    if (access(left, F_OK) == 0) {
        status = cuzk_error_set(err, CUZK_IO, "%s: its log could not be brought in", fresh);
        goto out;
    }
    CUZK_TRY_OUT(keep_damaged(path, kept, err));
    if (rename(fresh, ready) != 0) {
        status = cuzk_error_set(err, CUZK_IO, "%s: %s", ready, strerror(errno));
        goto out;
    }
    CUZK_TRY_OUT(sync_folder_of(path, err));
    CUZK_TRY_OUT(put_in_place(path, ready, err));
    cuzk_log_line(log, CUZK_LOG_WARNING,
                  "the journal is damaged and was moved to %s; saved: %" PRIu64 " jobs, %" PRIu64
                  " small requests of accepted ones",
                  kept, salvage.jobs, salvage.forms);
out:
    if (status != CUZK_OK)
        remove_all(fresh);
    cuzk_journal_pages_close(salvage.pages);
    cuzk_mem_free(salvage.row);
    cuzk_mem_free(salvage.other);
    return status;
}

/* ---- what SQLite does not reach ---- */

struct newer {
    struct cuzk_journal_row *row;
    uint64_t sequence;
    bool found;
};

static bool look_for_newer(void *context, uint64_t id, const uint8_t *bytes, size_t length)
{
    struct newer *const newer = context;

    if (cuzk_journal_row_decode(bytes, length, newer->row, NULL) != CUZK_OK || newer->row->job.id != id)
        return false;
    newer->found = newer->found || newer->row->sequence > newer->sequence;
    return true;
}

enum cuzk_status cuzk_journal_salvage_needed(const char *path, uint64_t sequence, bool *needed,
                                             struct cuzk_error *err)
{
    struct newer newer = {.sequence = sequence};
    struct cuzk_journal_pages *pages = NULL;
    enum cuzk_status status;

    *needed = false;
    CUZK_TRY_OUT(cuzk_journal_pages_open(path, &pages, err));
    CUZK_TRY_OUT(CUZK_NEW(&newer.row, 1, "row of the journal", err));
    CUZK_TRY_OUT(cuzk_journal_pages_each_unreached(pages, look_for_newer, &newer, err));
    *needed = newer.found;
out:
    cuzk_journal_pages_close(pages);
    cuzk_mem_free(newer.row);
    return status;
}
