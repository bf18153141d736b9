/* The texts of --help, all made from the command table. */
#ifndef CUZK_CLI_HELP_H
#define CUZK_CLI_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* The list of commands whose names begin with `group` ("" for all). */
void cli_help_list(FILE *stream, const char *group);

/* One command: usage, what it does, options, an example. */
void cli_help_command(FILE *stream, const struct cli_command *command);

#endif
