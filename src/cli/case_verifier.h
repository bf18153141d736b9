/* What every `cuzk verify KIND` does: public inputs from a case or from a file, key, proof, answer. */
#ifndef CUZK_CLI_CASE_VERIFIER_H
#define CUZK_CLI_CASE_VERIFIER_H

#include "cli/case_prover.h"

struct cli_verify_options {
    struct cuzk_option_number threads;
    const char *proof, *public_inputs, *vk, *params_dir;
};

/* source: NULL with --public. `option` is what gives it ("--c1"), for the error where both or neither are
 * given. */
enum cuzk_status cli_case_verify(struct cli_session *session, const struct cli_verify_options *given,
                                 const struct cli_case_source *source, const char *option,
                                 struct cuzk_error *err);

#define CLI_VERIFY_OPTIONS(values, slot)                                                                     \
    {.name = "proof",                                                                                        \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot.proof),                                                                 \
     .placeholder = "FILE",                                                                                  \
     .required = true,                                                                                       \
     .help = "the proof: 192 bytes a partition, or the same in hex"},                                        \
        {.name = "public",                                                                                   \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.public_inputs),                                                     \
         .placeholder = "FILE",                                                                              \
         .help =                                                                                             \
             "the public inputs themselves instead: JSON lines {\"inputs\": [hex, ...]}, one a partition"},  \
        {.name = "vk",                                                                                       \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.vk),                                                                \
         .placeholder = "FILE",                                                                              \
         .help = "the verifying key, which --public needs; by default the one in the parameter directory"},  \
        CLI_PARAMETERS_OPTION(values, slot.params_dir), CLI_THREADS_OPTION_AT(values, slot.threads)

#endif
