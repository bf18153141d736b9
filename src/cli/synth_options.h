/* Options of the commands that make consistent inputs without sealing. */
#ifndef CUZK_CLI_SYNTH_OPTIONS_H
#define CUZK_CLI_SYNTH_OPTIONS_H

#include "base/option.h"

/* --sector-size and --seed: members `struct cuzk_option_number sector_size, seed` of the command's values */
#define CLI_SYNTH_OPTIONS(values)                                                                            \
    {.name = "sector-size",                                                                                  \
     .type = CUZK_OPTION_SIZE,                                                                               \
     .offset = offsetof(values, sector_size),                                                                \
     .placeholder = "SIZE",                                                                                  \
     .required = true,                                                                                       \
     .help = "2KiB to 64GiB"},                                                                               \
        {.name = "seed",                                                                                     \
         .type = CUZK_OPTION_NUMBER,                                                                         \
         .offset = offsetof(values, seed),                                                                   \
         .placeholder = "N",                                                                                 \
         .required = true,                                                                                   \
         .help = "everything follows from it"}

#endif
