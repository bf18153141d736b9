/* Proves what a command has opened, whatever its kind: finds the key, proves every partition, writes the
 * proofs and says how it went. */
#ifndef CUZK_CLI_PROVE_CASE_H
#define CUZK_CLI_PROVE_CASE_H

#include "base/timeline.h"
#include "cli/command.h"
#include "engine/knobs.h"
#include "engine/proof_kind.h"

struct cli_prove_target {
    const char *kind;                                  /* "porep" */
    const char *name;                                  /* what is proved, for errors: a file's name */
    const char *params_dir, *backend, *out, *timeline; /* as the options were given; NULL where not */
    uint64_t vram_limit;                               /* bytes; 0: all there is */
    const char *preset;      /* of a pipeline that proves; NULL: one partition behind the other */
    struct cuzk_knobs knobs; /* the preset's, changed as was asked for */
    uint64_t host_mem;       /* bytes that the pipeline may plan with; 0: what the machine has */
    unsigned threads;        /* 0: all processors */
};

enum cuzk_status cli_prove_case(struct cli_session *session, const struct cli_prove_target *given,
                                struct cuzk_case *that, struct cuzk_timeline *timeline,
                                struct cuzk_error *err);

#endif
