/*
 * The daemon: devices, engine and servers as a configuration wants them, put together and taken apart in
 * order.
 */
#ifndef CUZK_SERVER_DAEMON_H
#define CUZK_SERVER_DAEMON_H

#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "engine/engine.h"
#include "server/config.h"

struct cuzk_daemon;

/* Starts everything; it serves when this returns, and is ready once the preloads are done. `program` is
 * executed for devices in processes of their own. config and log must outlive it. Errors: ARGUMENT, EXISTS
 * (another daemon), IO, MEMORY, DEVICE, NOT_FOUND. */
enum cuzk_status cuzk_daemon_start(const struct cuzk_config *config, const char *program,
                                   const struct cuzk_log *log, struct cuzk_daemon **out,
                                   struct cuzk_error *err);

struct cuzk_engine *cuzk_daemon_engine(struct cuzk_daemon *daemon);

/* Where clients reach it: gRPC address i, NULL past the end. */
const char *cuzk_daemon_address(const struct cuzk_daemon *daemon, size_t i);

/* Takes what it can of another configuration: certificates, bounds and times of the engine, circuits to
 * preload that were not named before. Errors: of the certificates; nothing has changed then. */
enum cuzk_status cuzk_daemon_reload(struct cuzk_daemon *daemon, const struct cuzk_config *fresh,
                                    struct cuzk_error *err);

/* No new jobs; health says NOT_SERVING; calls back, from a thread of the engine, when every job has ended. */
void cuzk_daemon_drain(struct cuzk_daemon *daemon, void (*drained)(void *context), void *context);

/* Ends: calls in flight have grace_ms to be answered, jobs stop at the next stage and are taken up by the
 * next daemon. NULL is fine. */
void cuzk_daemon_stop(struct cuzk_daemon *daemon, uint64_t grace_ms);

#endif
