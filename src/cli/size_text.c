#include "cli/size_text.h"

#include <inttypes.h>
#include <stdio.h>

const char *cli_size_text(uint64_t bytes, char text[CLI_SIZE_TEXT])
{
    if (bytes >= UINT64_C(1) << 30)
        snprintf(text, CLI_SIZE_TEXT, "%.2f GiB", (double)bytes / (1 << 30));
    else if (bytes >= UINT64_C(1) << 20)
        snprintf(text, CLI_SIZE_TEXT, "%.1f MiB", (double)bytes / (1 << 20));
    else if (bytes >= UINT64_C(1) << 10)
        snprintf(text, CLI_SIZE_TEXT, "%.1f KiB", (double)bytes / (1 << 10));
    else
        snprintf(text, CLI_SIZE_TEXT, "%" PRIu64 " bytes", bytes);
    return text;
}
