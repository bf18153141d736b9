/* Folders for tests of what is kept on disk: made under TMPDIR or /tmp, removed with all they hold. */
#ifndef CUZK_TESTS_TEMPORARY_H
#define CUZK_TESTS_TEMPORARY_H

#include <stdbool.h>
#include <stddef.h>

enum { TEMPORARY_BYTES = 256 };

void temporary_make(char path[TEMPORARY_BYTES]);
void temporary_remove(const char *path);

/* Entries of a folder, hidden ones included. */
size_t temporary_count(const char *path);

/* A folder with a file system of its own of so many bytes; false where this user may not mount. */
bool temporary_mount_small(char path[TEMPORARY_BYTES], size_t bytes);
void temporary_make_read_only(const char *path);
void temporary_unmount(const char *path);

/* Copies the files of a folder (not below it) into another. */
void temporary_copy(const char *from, const char *to);

#endif
