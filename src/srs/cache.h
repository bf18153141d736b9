/*
 * Where what is derived from a parameter file is kept: its digest, the compact circuit, a derived key.
 *
 * Beside the file, unless that is a production directory, which is not written to (srs/directory.h); then in
 * the user's cache directory ($CACHE_DIRECTORY, $XDG_CACHE_HOME/cuzk, ~/.cache/cuzk) under a name made from
 * the file's path. $CUZK_CACHE_DIR (the option --cache-dir) names another directory for all of it, or says
 * "off": then nothing is read or written. Whatever is kept can be made again, and who reads it holds it
 * against what it was made from. Any number of threads.
 */
#ifndef CUZK_SRS_CACHE_H
#define CUZK_SRS_CACHE_H

#include <stdbool.h>

#include "base/error.h"
#include "srs/directory.h"

#define CUZK_CACHE_VARIABLE "CUZK_CACHE_DIR"
#define CUZK_CACHE_OFF      "off"

/* The place of NAME.suffix for the file NAME.params (".pce"), beside it or in the cache directory, whichever
 * can be used; false: nowhere. Directories of the cache are made; the place itself need not be there. */
bool cuzk_cache_place(const char *params_path, const char *suffix, char place[CUZK_PARAMETER_PATH]);

/* The two places alone: FILE.suffix, false where that is not to be written; and in the cache directory. */
bool cuzk_cache_beside(const char *path, const char *suffix, char place[CUZK_PARAMETER_PATH]);
bool cuzk_cache_user(const char *path, const char *suffix, char place[CUZK_PARAMETER_PATH]);

/* Puts an option's value into force (base/environment.h). */
enum cuzk_status cuzk_cache_set(const char *directory, struct cuzk_error *err);

#endif
