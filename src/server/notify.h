/*
 * What the service manager is told: READY once the engine is (after preloads), a STATUS line every few
 * seconds, WATCHDOG only while the engine answers, RELOADING and STOPPING. Without a manager, or in a build
 * without libsystemd, nothing is said. Thread-safe.
 */
#ifndef CUZK_SERVER_NOTIFY_H
#define CUZK_SERVER_NOTIFY_H

#include "base/error.h"
#include "engine/engine.h"

struct cuzk_notify;

/* Starts the thread that asks the engine and tells the manager. engine is borrowed until destroy. */
enum cuzk_status cuzk_notify_create(struct cuzk_engine *engine, struct cuzk_notify **out,
                                    struct cuzk_error *err);

/* Says STOPPING and ends the thread. NULL is fine. */
void cuzk_notify_destroy(struct cuzk_notify *notify);

/* A reload begins, and has ended. */
void cuzk_notify_reloading(void);
void cuzk_notify_reloaded(void);

#endif
