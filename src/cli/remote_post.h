/* A PoSt's request against the vanilla proofs sent with it: a daemon is told no sectors but those inside. */
#ifndef CUZK_CLI_REMOTE_POST_H
#define CUZK_CLI_REMOTE_POST_H

#include "base/error.h"
#include "cli/job.h"

/* Whether a winning or wpost job's files are of just the sectors that its request names: of the partition in
 * question where there is one. Looks at each file's head alone. Errors: INPUT (naming the sector, or file and
 * offset), NOT_FOUND, IO, MEMORY. */
enum cuzk_status cli_remote_post_check(const struct cli_job *job, struct cuzk_error *err);

#endif
