/*
 * Standard error as people see it: a progress bar on a terminal, a line every few seconds elsewhere, notes
 * and warnings that do not tear it. Thread-safe.
 */
#ifndef CUZK_CLI_TERMINAL_H
#define CUZK_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"

struct cli_terminal;

enum cuzk_status cli_terminal_open(bool quiet, struct cli_terminal **out, struct cuzk_error *err);
void cli_terminal_close(struct cli_terminal *terminal);

/* Callbacks for struct cuzk_progress and struct cuzk_log; context is the terminal. */
void cli_terminal_progress(void *context, const char *stage, uint64_t done, uint64_t total);
void cli_terminal_log(void *context, enum cuzk_log_level level, const char *message);

/* Takes the bar away before something else is printed; NULL is fine. */
void cli_terminal_clear(struct cli_terminal *terminal);

#endif
