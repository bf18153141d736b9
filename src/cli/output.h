/* Writes a whole output file by a function that takes a sink: complete under its name, or not at all. */
#ifndef CUZK_CLI_OUTPUT_H
#define CUZK_CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/sink.h"

/* Errors: the function's, EXISTS, IO. */
enum cuzk_status cli_output(const char *path, bool replace,
                            enum cuzk_status (*write)(const void *what, struct cuzk_sink sink,
                                                      struct cuzk_error *err),
                            const void *what, struct cuzk_error *err);

/* Before long work: whether an output can be put at path (NULL: none is wanted); leaves nothing behind.
 * `option` names it in errors; json says that standard output is taken. Errors: ARGUMENT, EXISTS, IO. */
enum cuzk_status cli_output_check(const char *option, const char *path, bool replace, bool json,
                                  struct cuzk_error *err);

/* The same for files of a folder, which need not be there; it is not there afterwards either. */
enum cuzk_status cli_output_folder_check(const char *option, const char *path, const char *const *names,
                                         size_t count, bool replace, struct cuzk_error *err);

#endif
