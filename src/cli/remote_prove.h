/* `cuzk prove KIND --remote`: the daemon proves, and what it answers is verified here before it is written.
 */
#ifndef CUZK_CLI_REMOTE_PROVE_H
#define CUZK_CLI_REMOTE_PROVE_H

#include "cli/job.h"
#include "cli/porep_options.h"
#include "cli/remote.h"
#include "engine/proof_kind.h"

struct cli_remote_proof {
    const struct cli_job *job;
    const struct cuzk_case *that; /* the same, decoded and checked here: whose public inputs count */
    const struct cli_remote_options *daemon;
    const char *params_dir, *out, *priority; /* as the options were given; NULL where not */
};

/* Before anything is read: what only this process could do is refused, and standard input, where it is one of
 * the files, is kept so that it can be read twice. Errors: ARGUMENT, IO. */
enum cuzk_status cli_remote_prove_check(const struct cli_job *job, const char *timeline,
                                        struct cuzk_error *err);

/* Whose sector it is, as a request says it. Errors: ARGUMENT (a request has no place for the option). */
enum cuzk_status cli_remote_porep(const struct cli_porep_options *options, struct cli_job *job,
                                  struct cuzk_error *err);

/* Submits under a request id of its own (a job a partition for a WindowPoSt of several), awaits, verifies
 * with the key in the parameter directory, writes and reports. Ctrl-C and every failure cancel what the
 * daemon still has of it. Errors: INVALID (the proof does not hold: nothing is written), INPUT (the daemon's
 * reason), NOT_FOUND (no key here), what cli_remote_submit and cli_remote_await say. */
enum cuzk_status cli_remote_prove(struct cli_session *session, const struct cli_remote_proof *wanted,
                                  struct cuzk_error *err);

#endif
