/* `cuzk prove KIND` in this process: proves what a command has opened, whatever its kind. */
#ifndef CUZK_CLI_LOCAL_PROVE_H
#define CUZK_CLI_LOCAL_PROVE_H

#include "base/timeline.h"
#include "cli/command.h"
#include "engine/knobs.h"
#include "engine/proof_kind.h"

struct cli_local_proof {
    const char *kind;                                  /* "porep" */
    const char *name;                                  /* what is proved, for errors: a file's name */
    const char *params_dir, *backend, *out, *timeline; /* as the options were given; NULL where not */
    uint64_t vram_limit;                               /* bytes; 0: all there is */
    const char *preset;      /* of a pipeline that proves; NULL: one partition behind the other */
    struct cuzk_knobs knobs; /* the preset's, changed as was asked for */
    uint64_t host_mem;       /* bytes that the pipeline may plan with; 0: what the machine has */
    unsigned threads;        /* 0: all processors */
};

/* Finds the key, proves every partition of `that`, verifies, writes the proofs and reports; spans go to the
 * timeline, which is written where it was asked for. Errors: NOT_FOUND (no parameters), those of backend and
 * prover or of the pipeline (cli/pipeline.h), named by `name`, IO (an output),
 * CANCELLED. */
enum cuzk_status cli_local_prove(struct cli_session *session, const struct cli_local_proof *given,
                                 struct cuzk_case *that, struct cuzk_timeline *timeline,
                                 struct cuzk_error *err);

#endif
