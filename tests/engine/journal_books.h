/* What a test told a journal, and whether the journal tells the same. */
#ifndef CUZK_TESTS_ENGINE_JOURNAL_BOOKS_H
#define CUZK_TESTS_ENGINE_JOURNAL_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/journal.h"

struct books_entry {
    struct cuzk_journal_job job; /* what it points at is owned */
    uint64_t content;            /* seed of its request */
    size_t bytes;                /* of the request's large blob */
};

struct books {
    struct books_entry *entries;
    size_t count, room;
    struct books_entry *past; /* what was told of jobs before: ended and forgotten since */
    size_t past_count, past_room;
    uint64_t last; /* of the last recover */
};

void books_free(struct books *books);
bool books_has(const struct books *books, uint64_t id);

/* Fills empty books from a journal that was just opened. */
void books_recover(struct books *books, struct cuzk_journal *journal);

/* Accepts a job with a request of about so many bytes; id is the seed of its content. */
void books_accept(struct books *books, struct cuzk_journal *journal, uint64_t id, size_t bytes);
void books_accept_content(struct books *books, struct cuzk_journal *journal, uint64_t id, uint64_t content,
                          size_t bytes);
enum cuzk_status books_try_accept(struct books *books, struct cuzk_journal *journal, uint64_t id,
                                  size_t bytes, struct cuzk_error *err);
void books_end(struct books *books, struct cuzk_journal *journal, uint64_t id, enum cuzk_journal_state state);
void books_forget(struct books *books, struct cuzk_journal *journal, uint64_t id);

/* Returns when everything that was handed over before is written. */
void books_settle(struct cuzk_journal *journal);

/* Recovers a journal that was just opened and compares: fails where a job is not what it was told, returns
 * how many are missing. A job that is not in the books counts as wrong. */
size_t books_check(struct books *books, struct cuzk_journal *journal);

/* The same for one that was damaged: a job may be found as it was told at any time. *old receives how many
 * are not as they were told last. */
size_t books_check_damaged(struct books *books, struct cuzk_journal *journal, size_t *old);

/* Opens the request of every accepted job: fails where one is wrong, returns how many cannot be had. */
size_t books_check_requests(struct books *books, struct cuzk_journal *journal);

/* For a process that will be killed: opens the journal, accepts, ends and forgets jobs on four threads, and
 * writes the id of every job that was accepted and will not be forgotten to a pipe. */
_Noreturn void books_write_until_killed(const char *directory, int pipe, uint64_t first);

#endif
