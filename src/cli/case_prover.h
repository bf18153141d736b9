/* What every `cuzk prove KIND` does around opening a case: outputs checked first, then cli/prove_case.h. */
#ifndef CUZK_CLI_CASE_PROVER_H
#define CUZK_CLI_CASE_PROVER_H

#include "base/option.h"
#include "base/timeline.h"
#include "cli/session.h"
#include "engine/proof_kind.h"

struct cli_prove_options {
    struct cuzk_option_number threads;
    const char *params_dir, *out, *timeline, *backend;
};

/* Where a case comes from. */
struct cli_case_source {
    const char *kind; /* "porep" */
    const char *name; /* of the input, for errors */

    /* Decodes and checks it; spans go to the timeline. *out is closed by whoever proves. */
    enum cuzk_status (*open)(struct cli_session *session, const void *given, struct cuzk_timeline *timeline,
                             struct cuzk_case **out, struct cuzk_error *err);
    const void *given;
};

enum cuzk_status cli_case_prove(struct cli_session *session, const struct cli_prove_options *given,
                                const struct cli_case_source *source, struct cuzk_error *err);

#define CLI_PROVE_OPTIONS(values, slot)                                                                      \
    {.name = "out",                                                                                          \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot.out),                                                                   \
     .placeholder = "FILE",                                                                                  \
     .help = "where the proof goes (192 bytes a partition); as hex on standard output where not given"},     \
        CLI_PARAMETERS_OPTION(values, slot.params_dir), CLI_BACKEND_OPTION_AT(values, slot.backend),         \
        CLI_THREADS_OPTION_AT(values, slot.threads),                                                         \
        {.name = "timeline",                                                                                 \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.timeline),                                                          \
         .placeholder = "FILE",                                                                              \
         .help = "record what happened when; `cuzk trace` draws it"}

#endif
