/*
 * Maps of files that are cut short, or cannot be read any more, while they are mapped.
 *
 * Touching a page that is no longer there is SIGBUS, which ends a process. For one that must outlive its
 * files (a daemon, which verifies whatever it made of them) the rest of such a map becomes zeros instead.
 * Whoever does not check what comes of a file's bytes must not use this.
 */
#ifndef CUZK_BASE_FILE_GUARD_H
#define CUZK_BASE_FILE_GUARD_H

#include <stddef.h>
#include <stdint.h>

enum { CUZK_FILE_GUARDED_MOST = 1024 }; /* maps at once; those beyond are not guarded */

/* From now on, for the whole process: takes SIGBUS. Maps that are open already are not guarded. */
void cuzk_file_guard_start(void);

/* How many maps have been cut so far. */
uint64_t cuzk_file_guard_cut(void);

/* For file maps: a range of whole pages that is mapped, or about not to be. */
void cuzk_file_guard_add(const void *begin, size_t length);
void cuzk_file_guard_remove(const void *begin);

#endif
