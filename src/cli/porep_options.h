/* The options that say whose sector a C1 output is: shared by prove, verify and inspect. */
#ifndef CUZK_CLI_POREP_OPTIONS_H
#define CUZK_CLI_POREP_OPTIONS_H

#include "base/file.h"
#include "base/option.h"
#include "cli/session.h"
#include "engine/porep_case.h"

struct cli_porep_options {
    struct cuzk_option_number miner_id;
    struct cuzk_option_hex32 prover_id;
    struct cuzk_option_number sector_number;
    struct cuzk_option_hex32 porep_id;
    const char *api;
};

#define CLI_POREP_OPTIONS(values, slot)                                                                      \
    {.name = "miner-id",                                                                                     \
     .type = CUZK_OPTION_NUMBER,                                                                             \
     .offset = offsetof(values, slot.miner_id),                                                              \
     .placeholder = "N",                                                                                     \
     .help =                                                                                                 \
         "the miner's actor number: with the sector number the replica id is recomputed and must match"},    \
        {.name = "prover-id",                                                                                \
         .type = CUZK_OPTION_HEX32,                                                                          \
         .offset = offsetof(values, slot.prover_id),                                                         \
         .placeholder = "HEX32",                                                                             \
         .help = "the prover id itself, in place of --miner-id"},                                            \
        {.name = "sector-number",                                                                            \
         .type = CUZK_OPTION_NUMBER,                                                                         \
         .offset = offsetof(values, slot.sector_number),                                                     \
         .placeholder = "N",                                                                                 \
         .help = "the sector's number; a Curio-wrapped file has it"},                                        \
        {.name = "porep-id",                                                                                 \
         .type = CUZK_OPTION_HEX32,                                                                          \
         .offset = offsetof(values, slot.porep_id),                                                          \
         .placeholder = "HEX32",                                                                             \
         .help = "the porep id; by default that of the registered proof in the file"},                       \
        {.name = "api",                                                                                      \
         .type = CUZK_OPTION_CHOICE,                                                                         \
         .offset = offsetof(values, slot.api),                                                               \
         .placeholder = "V",                                                                                 \
         .choices = "1.0.0|1.1.0|1.2.0",                                                                     \
         .help = "the api version; by default that of the registered proof in the file"}

/* What the options say. Errors: ARGUMENT (miner and prover both given and different). */
enum cuzk_status cli_porep_facts(const struct cli_porep_options *options, struct cuzk_porep_facts *facts,
                                 struct cuzk_error *err);

/* Maps the C1 output of a file and decodes it with what the options say; its vanilla proofs are not checked.
 * *out is closed by cuzk_case_close, *file by cuzk_file_map_close. Errors: NOT_FOUND, IO, those of
 * cli_porep_facts and cuzk_porep_case_open. */
enum cuzk_status cli_porep_open(struct cli_session *session, const struct cli_porep_options *options,
                                const char *c1, struct cuzk_file_map *file, struct cuzk_porep_case **out,
                                struct cuzk_error *err);

#endif
