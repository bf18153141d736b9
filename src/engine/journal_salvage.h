/*
 * Finding the rows of a damaged journal: page by page in the database and its log, without SQLite, since each
 * row carries a checksum. Of a page the newest image counts; where it is damaged its whole rows count, and
 * those of older images of the same page that the log still has. Of several rows of a job the one with the
 * highest sequence wins. A job that had been forgotten may be found again with its older images: it ends by
 * its result or by its missing request.
 */
#ifndef CUZK_ENGINE_JOURNAL_SALVAGE_H
#define CUZK_ENGINE_JOURNAL_SALVAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"

/* Whether the log at PATH-wal has whole rows newer than `sequence` that SQLite does not reach, because a page
 * before them is damaged. Errors: IO, MEMORY. */
enum cuzk_status cuzk_journal_salvage_needed(const char *path, uint64_t sequence, bool *needed,
                                             struct cuzk_error *err);

/* Puts a database with what was found at `path`, and moves the damaged one and its log aside, to
 * PATH.damaged-N. Whoever has it open must close it before. May be killed at any moment: see resume. Errors:
 * IO, MEMORY; the damaged one is then still there. */
enum cuzk_status cuzk_journal_salvage(const char *path, const struct cuzk_log *log, struct cuzk_error *err);

/* Ends a salvage that was killed half-way; nothing to do is fine. Before anything else. Errors: IO. */
enum cuzk_status cuzk_journal_salvage_resume(const char *path, struct cuzk_error *err);

#endif
