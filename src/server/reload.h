/* SIGHUP: the configuration is read again; what a running daemon can take is taken, the rest is named. */
#ifndef CUZK_SERVER_RELOAD_H
#define CUZK_SERVER_RELOAD_H

#include "server/config.h"
#include "server/daemon.h"
#include "server/log_output.h"

/* path and flags as they were given at the start. `running` is what is in force: it stays the caller's, and
 * stands for what waits for a restart; daemon may be NULL: the log alone changes. Every change is a line of
 * the log: taken, or named as waiting. Errors: of cuzk_config_read, cuzk_config_check and cuzk_daemon_reload;
 * nothing has changed then. */
enum cuzk_status cuzk_reload(const char *path, const struct cuzk_option_given *flags,
                             const struct cuzk_config *running, struct cuzk_daemon *daemon,
                             struct cuzk_log_output *output, struct cuzk_error *err);

#endif
