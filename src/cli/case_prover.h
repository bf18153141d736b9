/* What every `cuzk prove KIND` does around opening a case: outputs checked first, then whoever proves. */
#ifndef CUZK_CLI_CASE_PROVER_H
#define CUZK_CLI_CASE_PROVER_H

#include "base/option.h"
#include "base/timeline.h"
#include "cli/job.h"
#include "cli/pipeline.h"
#include "cli/session.h"
#include "engine/proof_kind.h"
#ifdef CUZK_HAVE_SERVER
#include "cli/remote.h"
#endif

struct cli_prove_options {
    struct cuzk_option_number threads, vram_limit;
    const char *params_dir, *cache_dir, *out, *timeline, *backend;
    struct cli_pipeline_options pipeline;
#ifdef CUZK_HAVE_SERVER
    bool remote; /* a daemon proves */
    const char *priority;
    struct cli_remote_options daemon;
#endif
};

/* Where a case comes from. */
struct cli_case_source {
    const char *kind; /* "porep" */
    const char *name; /* of the input, for errors */

    /* Decodes and checks it; spans go to the timeline. *out is closed by whoever proves. */
    enum cuzk_status (*open)(struct cli_session *session, const void *given, struct cuzk_timeline *timeline,
                             struct cuzk_case **out, struct cuzk_error *err);
    const void *given;

    const struct cli_job *job; /* what `open` reads, for a daemon; NULL where nothing is proved */
};

/* Checks the options against each other and the outputs before anything is read, opens the case, and has it
 * proved here (cli/local_prove.h) or by a daemon (cli/remote_prove.h). Errors: ARGUMENT, IO, those of
 * `open` and of whoever proves. */
enum cuzk_status cli_case_prove(struct cli_session *session, const struct cli_prove_options *given,
                                const struct cli_case_source *source, struct cuzk_error *err);

#ifdef CUZK_HAVE_SERVER
#define CLI_PROVE_REMOTE_OPTIONS(values, slot)                                                               \
    ,                                                                                                        \
        {.name = "remote",                                                                                   \
         .type = CUZK_OPTION_FLAG,                                                                           \
         .offset = offsetof(values, slot.remote),                                                            \
         .help = "a daemon proves; the proof is verified here. Ctrl-C cancels the job there"},               \
        {.name = "priority",                                                                                 \
         .type = CUZK_OPTION_CHOICE,                                                                         \
         .offset = offsetof(values, slot.priority),                                                          \
         .placeholder = "P",                                                                                 \
         .choices = "low|normal|high|critical",                                                              \
         .help = "--remote: in the daemon's queues; the kind's own where not given"},                        \
        CLI_REMOTE_OPTIONS(values, slot.daemon)
#else
#define CLI_PROVE_REMOTE_OPTIONS(values, slot)
#endif

#define CLI_PROVE_OPTIONS(values, slot)                                                                      \
    {.name = "out",                                                                                          \
     .type = CUZK_OPTION_STRING,                                                                             \
     .offset = offsetof(values, slot.out),                                                                   \
     .placeholder = "FILE",                                                                                  \
     .help = "where the proof goes (192 bytes a partition); as hex on standard output where not given"},     \
        CLI_PARAMETERS_OPTION(values, slot.params_dir), CLI_CACHE_OPTION_AT(values, slot.cache_dir),         \
        CLI_BACKEND_OPTION_AT(values, slot.backend), CLI_PIPELINE_OPTIONS(values, slot.pipeline),            \
        CLI_THREADS_OPTION_AT(values, slot.threads), CLI_VRAM_LIMIT_OPTION_AT(values, slot.vram_limit),      \
        {.name = "timeline",                                                                                 \
         .type = CUZK_OPTION_STRING,                                                                         \
         .offset = offsetof(values, slot.timeline),                                                          \
         .placeholder = "FILE",                                                                              \
         .help = "record what happened when; `cuzk trace` draws it"} CLI_PROVE_REMOTE_OPTIONS(values, slot)

#endif
