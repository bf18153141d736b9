/* `bench load --addr`: so many proofs through a running daemon, so many of them submitted at once. */
#ifndef CUZK_CLI_REMOTE_LOAD_H
#define CUZK_CLI_REMOTE_LOAD_H

#include "bench/load.h"
#include "cli/remote.h"

enum { CLI_REMOTE_IN_FLIGHT_MOST = 1024 };

struct cli_remote_load {
    const struct cli_remote_options *daemon;
    const struct cuzk_load_work *work;
    uint32_t proofs, in_flight; /* at most CLI_REMOTE_IN_FLIGHT_MOST */
};

/* Runs the load and reports. Every metric is what a client sees, or what the daemon said of its jobs; the
 * daemon's own timeline says the rest. Errors: DEVICE (a proof failed: its reason), BUSY (the daemon has too
 * much to do), CANCELLED (Ctrl-C: what was submitted is cancelled there), those of the client. */
enum cuzk_status cli_remote_load(struct cli_session *session, const struct cli_remote_load *load,
                                 struct cuzk_error *err);

#endif
