/* Proves what a command has opened, whatever its kind: finds the key, proves every partition, writes the
 * proofs and says how it went. */
#ifndef CUZK_CLI_PROVE_CASE_H
#define CUZK_CLI_PROVE_CASE_H

#include "base/timeline.h"
#include "cli/command.h"
#include "engine/proof_kind.h"

struct cli_prove_target {
    const char *kind;                                  /* "porep" */
    const char *name;                                  /* what is proved, for errors: a file's name */
    const char *params_dir, *backend, *out, *timeline; /* as the options were given; NULL where not */
};

enum cuzk_status cli_prove_case(struct cli_session *session, const struct cli_prove_target *given,
                                const struct cuzk_case *that, struct cuzk_timeline *timeline,
                                struct cuzk_error *err);

/* The options that all of these commands have; the struct has members params_dir, backend, out, timeline and
 * threads. */
#define CLI_PROVE_OPTIONS(values)                                                                            \
    {.name = "out",                                                                                          \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, out),                                                                        \
     .placeholder = "FILE",                                                                                  \
     .help = "where the proof goes (192 bytes a partition); as hex on standard output where not given"},     \
        CLI_PARAMETERS_OPTION(values, params_dir), CLI_BACKEND_OPTION(values), CLI_THREADS_OPTION(values),   \
        {.name = "timeline",                                                                                 \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, timeline),                                                               \
         .placeholder = "FILE",                                                                              \
         .help = "record what happened when; `cuzk trace` draws it"}

#endif
