/* Sizes for people. */
#ifndef CUZK_CLI_SIZE_TEXT_H
#define CUZK_CLI_SIZE_TEXT_H

#include <stdint.h>

enum { CLI_SIZE_TEXT = 24 };

/* "1.04 GiB", "45.1 MiB", "912 bytes": in the unit that leaves a number to read. Returns text. */
const char *cli_size_text(uint64_t bytes, char text[CLI_SIZE_TEXT]);

#endif
