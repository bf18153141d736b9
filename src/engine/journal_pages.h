/*
 * The rows in the pages of an SQLite database of the journal and of its log, read without SQLite: for what is
 * left of a damaged one. One thread at a time.
 */
#ifndef CUZK_ENGINE_JOURNAL_PAGES_H
#define CUZK_ENGINE_JOURNAL_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct cuzk_journal_pages;

/* Takes a row of id and body; says whether it is whole. */
typedef bool (*cuzk_journal_pages_row)(void *context, uint64_t id, const uint8_t *bytes, size_t length);

/* The database at path and its log; a file that is not there counts as empty. Errors: IO, MEMORY. */
enum cuzk_status cuzk_journal_pages_open(const char *path, struct cuzk_journal_pages **out,
                                         struct cuzk_error *err);
void cuzk_journal_pages_close(struct cuzk_journal_pages *pages);

/* Rows of every page: of its newest image, and where a row of that is not whole of the older ones, down to
 * one that is. A page that cannot be read counts as damaged. */
enum cuzk_status cuzk_journal_pages_each(struct cuzk_journal_pages *pages, cuzk_journal_pages_row row,
                                         void *context, struct cuzk_error *err);

/* Rows of the images in the log that SQLite does not take, because damage ends the log's chain of checksums
 * before the end of a transaction that was whole. What a killed process leaves of an unfinished one is none.
 */
enum cuzk_status cuzk_journal_pages_each_unreached(struct cuzk_journal_pages *pages,
                                                   cuzk_journal_pages_row row, void *context,
                                                   struct cuzk_error *err);

#endif
