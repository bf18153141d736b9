#include "journal_books.h"

#include <setjmp.h>
#include <stdarg.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "request_maker.h"

static void *copy_of(const void *bytes, size_t n)
{
    void *const copy = malloc(n + 1);

    assert_non_null(copy);
    if (n > 0)
        memcpy(copy, bytes, n);
    ((char *)copy)[n] = '\0';
    return copy;
}

static void free_entry(struct books_entry *entry)
{
    free((void *)(uintptr_t)entry->job.request_id);
    free((void *)(uintptr_t)entry->job.proof);
    free((void *)(uintptr_t)entry->job.error);
}

void books_free(struct books *books)
{
    for (size_t i = 0; i < books->count; i++)
        free_entry(&books->entries[i]);
    for (size_t i = 0; i < books->past_count; i++)
        free_entry(&books->past[i]);
    free(books->entries);
    free(books->past);
    memset(books, 0, sizeof *books);
}

static struct books_entry *entry_of(const struct books *books, uint64_t id)
{
    for (size_t i = 0; i < books->count; i++)
        if (books->entries[i].job.id == id)
            return &books->entries[i];
    return NULL;
}

bool books_has(const struct books *books, uint64_t id)
{
    return entry_of(books, id) != NULL;
}

static struct books_entry *add_to(struct books_entry **entries, size_t *count, size_t *room,
                                  const struct cuzk_journal_job *job)
{
    if (*count == *room) {
        *room = 2 * *room + 16;
        *entries = realloc(*entries, *room * sizeof **entries);
        assert_non_null(*entries);
    }
    struct books_entry *const entry = &(*entries)[(*count)++];

    *entry = (struct books_entry){.job = *job};
    entry->job.request_id = copy_of(job->request_id, strlen(job->request_id));
    entry->job.proof = job->proof != NULL ? copy_of(job->proof, job->proof_length) : NULL;
    entry->job.error = job->error != NULL ? copy_of(job->error, strlen(job->error)) : NULL;
    return entry;
}

static struct books_entry *add(struct books *books, const struct cuzk_journal_job *job)
{
    return add_to(&books->entries, &books->count, &books->room, job);
}

/* What was told until now is past. */
static void remember(struct books *books, const struct cuzk_journal_job *job)
{
    (void)add_to(&books->past, &books->past_count, &books->past_room, job);
}

static enum cuzk_status add_recovered(void *context, const struct cuzk_journal_job *job,
                                      struct cuzk_error *err)
{
    (void)err;
    add(context, job);
    return CUZK_OK;
}

/* Content and size are said by the request id: "content-bytes". */
static void read_shape(struct books_entry *entry)
{
    assert_int_equal(sscanf(entry->job.request_id, "%" SCNu64 "-%zu", &entry->content, &entry->bytes), 2);
}

void books_recover(struct books *books, struct cuzk_journal *journal)
{
    struct cuzk_error err;

    if (cuzk_journal_recover(journal, add_recovered, books, &books->last, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < books->count; i++)
        read_shape(&books->entries[i]);
}

/* The job of a content; request_id is written to text. */
static struct cuzk_journal_job make_job(uint64_t id, uint64_t content, size_t bytes, char text[64],
                                        struct request_maker *maker)
{
    struct cuzk_journal_job job = {.id = id,
                                   .kind = CUZK_PROOF_KIND_POREP,
                                   .priority = (enum cuzk_priority)(id % CUZK_PRIORITIES),
                                   .sector_size = 2048 + id,
                                   .accepted_ms = 1700000000000 + id};

    request_maker_make_sized(maker, content, 3, bytes);
    snprintf(text, 64, "%" PRIu64 "-%zu", content, bytes);
    job.request_id = text;
    cuzk_request_digest(&maker->request, job.digest);
    cuzk_request_key(text, job.digest, job.key);
    return job;
}

static enum cuzk_status try_accept(struct books *books, struct cuzk_journal *journal, uint64_t id,
                                   uint64_t content, size_t bytes, struct cuzk_error *err)
{
    struct request_maker maker;
    char text[64];
    const struct cuzk_journal_job job = make_job(id, content, bytes, text, &maker);
    const enum cuzk_status status = cuzk_journal_accept(journal, &job, &maker.request, err);

    if (status == CUZK_OK) {
        struct books_entry *const entry = add(books, &job);

        entry->content = content;
        entry->bytes = bytes;
    }
    request_maker_free(&maker);
    return status;
}

void books_accept_content(struct books *books, struct cuzk_journal *journal, uint64_t id, uint64_t content,
                          size_t bytes)
{
    struct cuzk_error err;

    if (try_accept(books, journal, id, content, bytes, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

void books_accept(struct books *books, struct cuzk_journal *journal, uint64_t id, size_t bytes)
{
    books_accept_content(books, journal, id, id, bytes);
}

enum cuzk_status books_try_accept(struct books *books, struct cuzk_journal *journal, uint64_t id,
                                  size_t bytes, struct cuzk_error *err)
{
    return try_accept(books, journal, id, id, bytes, err);
}

void books_end(struct books *books, struct cuzk_journal *journal, uint64_t id, enum cuzk_journal_state state)
{
    struct books_entry *const entry = entry_of(books, id);
    struct cuzk_error err;

    assert_non_null(entry);
    struct cuzk_journal_job *const job = &entry->job;

    remember(books, job);
    free((void *)(uintptr_t)job->proof);
    free((void *)(uintptr_t)job->error);
    job->state = state;
    job->ended_ms = job->accepted_ms + 5;
    job->proof = NULL;
    job->proof_length = 0;
    job->error = NULL;
    if (state == CUZK_JOURNAL_DONE) {
        job->proof_length = 192 * (1 + id % 3);
        job->proof = copy_of("", 0);
        job->proof = realloc((void *)(uintptr_t)job->proof, job->proof_length);
        memset((void *)(uintptr_t)job->proof, (int)(id * 37 % 251), job->proof_length);
    } else if (state == CUZK_JOURNAL_FAILED) {
        job->error = copy_of("constraint 7", 12);
    }
    if (cuzk_journal_end(journal, job, &err) != CUZK_OK)
        fail_msg("%s", err.message);
}

void books_forget(struct books *books, struct cuzk_journal *journal, uint64_t id)
{
    struct books_entry *const entry = entry_of(books, id);

    assert_non_null(entry);
    remember(books, &entry->job);
    free_entry(entry);
    *entry = books->entries[--books->count];
    assert_int_equal(cuzk_journal_forget(journal, id, NULL), CUZK_OK);
}

void books_settle(struct cuzk_journal *journal)
{
    const struct cuzk_journal_job job = {
        .id = 1u << 30, .request_id = "1-1", .state = CUZK_JOURNAL_CANCELLED};

    assert_int_equal(cuzk_journal_end(journal, &job, NULL), CUZK_OK);
    assert_int_equal(cuzk_journal_forget(journal, job.id, NULL), CUZK_OK);
    assert_int_equal(cuzk_journal_end(journal, &job, NULL), CUZK_OK);
    assert_int_equal(cuzk_journal_forget(journal, job.id, NULL), CUZK_OK);
}

static bool same_job(const struct cuzk_journal_job *a, const struct cuzk_journal_job *b)
{
    return a->id == b->id && memcmp(a->key, b->key, 32) == 0 && memcmp(a->digest, b->digest, 32) == 0 &&
           strcmp(a->request_id, b->request_id) == 0 && a->kind == b->kind && a->priority == b->priority &&
           a->sector_size == b->sector_size && a->accepted_ms == b->accepted_ms &&
           a->ended_ms == b->ended_ms && a->state == b->state && a->proof_length == b->proof_length &&
           (a->proof_length == 0 || memcmp(a->proof, b->proof, a->proof_length) == 0) &&
           strcmp(a->error != NULL ? a->error : "", b->error != NULL ? b->error : "") == 0;
}

static bool was_told(const struct books *books, const struct cuzk_journal_job *job)
{
    for (size_t i = 0; i < books->past_count; i++)
        if (same_job(job, &books->past[i].job))
            return true;
    return false;
}

size_t books_check_damaged(struct books *books, struct cuzk_journal *journal, size_t *old)
{
    struct books found = {0};
    size_t missing = 0;

    *old = 0;
    books_recover(&found, journal);
    for (size_t i = 0; i < found.count; i++) {
        const struct cuzk_journal_job *const job = &found.entries[i].job;
        const struct books_entry *const told = entry_of(books, job->id);

        if (told != NULL && same_job(job, &told->job))
            continue;
        if (!was_told(books, job))
            fail_msg("job %" PRIu64 " (state %d) is not what was told at any time", job->id, (int)job->state);
        ++*old;
    }
    for (size_t i = 0; i < books->count; i++)
        missing += !books_has(&found, books->entries[i].job.id);
    books->last = found.last;
    books_free(&found);
    return missing;
}

size_t books_check(struct books *books, struct cuzk_journal *journal)
{
    size_t old;
    const size_t missing = books_check_damaged(books, journal, &old);

    if (old > 0)
        fail_msg("%zu jobs are not as they were told last, or were forgotten", old);
    return missing;
}

size_t books_check_requests(struct books *books, struct cuzk_journal *journal)
{
    size_t missing = 0;

    for (size_t i = 0; i < books->count; i++) {
        const struct books_entry *const entry = &books->entries[i];
        struct cuzk_request_file file;
        struct request_maker maker;
        struct cuzk_error err;

        if (entry->job.state != CUZK_JOURNAL_ACCEPTED)
            continue;
        const enum cuzk_status status = cuzk_journal_request(journal, &entry->job, &file, &err);

        if (status != CUZK_OK) {
            if (status != CUZK_INPUT && status != CUZK_NOT_FOUND)
                fail_msg("%s", err.message);
            print_message("job %" PRIu64 ": %s\n", entry->job.id, err.message);
            missing++;
            continue;
        }
        request_maker_make_sized(&maker, entry->content, 1, entry->bytes);
        request_maker_assert_equal(&file.request, &maker.request);
        request_maker_free(&maker);
        cuzk_request_file_close(&file);
    }
    return missing;
}

/* ---- a process that will be killed ---- */

struct worker {
    struct cuzk_journal *journal;
    uint64_t first;
    int pipe;
};

static void *work(void *context)
{
    const struct worker *const that = context;

    for (uint64_t id = that->first;; id++) {
        struct request_maker maker;
        char text[64];
        struct cuzk_journal_job job = make_job(id, id, id % 7 == 0 ? 66000 : 300, text, &maker);
        const enum cuzk_status status = cuzk_journal_accept(that->journal, &job, &maker.request, NULL);

        request_maker_free(&maker);
        if (status != CUZK_OK)
            _exit(1);
        if (id % 3 == 0) {
            (void)cuzk_journal_forget(that->journal, id, NULL);
            continue;
        }
        if (write(that->pipe, &id, sizeof id) != sizeof id)
            _exit(1);
        job.state = CUZK_JOURNAL_CANCELLED;
        if (id % 3 == 1 && cuzk_journal_end(that->journal, &job, NULL) != CUZK_OK)
            _exit(1);
    }
    return NULL;
}

static enum cuzk_status ignore(void *context, const struct cuzk_journal_job *job, struct cuzk_error *err)
{
    (void)context;
    (void)job;
    (void)err;
    return CUZK_OK;
}

_Noreturn void books_write_until_killed(const char *directory, int pipe, uint64_t first)
{
    struct worker workers[4];
    pthread_t threads[4];
    struct cuzk_journal *journal;
    uint64_t last;

    if (cuzk_journal_open(directory, NULL, &journal, NULL) != CUZK_OK ||
        cuzk_journal_recover(journal, ignore, NULL, &last, NULL) != CUZK_OK)
        _exit(1);
    for (int i = 0; i < 4; i++) {
        workers[i] = (struct worker){journal, first + (uint64_t)i * 100000, pipe};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            _exit(1);
    }
    for (;;)
        pause();
}
