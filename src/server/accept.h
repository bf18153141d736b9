/*
 * How this process takes connections when descriptors run out.
 *
 * libgrpc gives a listening socket up for ever once accept4 fails in any way but EAGAIN: a daemon whose
 * descriptors were all in use for a moment would never be reached again. So accept4 is ours here, for all
 * libraries of the process too: connections that would take the last descriptors are closed at once, and what
 * a network says of a connection that is gone already is no failure. Linked where cuzk_accept_watch is used.
 */
#ifndef CUZK_SERVER_ACCEPT_H
#define CUZK_SERVER_ACCEPT_H

#include <stdint.h>

#include "base/error.h"
#include "base/log.h"

enum { CUZK_ACCEPT_DESCRIPTORS_LEAST = 128 }; /* that a daemon needs to be able to open */

/* Connections that are refused are said in `log` from now on (NULL: no more); it must outlive all
 * connections. Errors: IO (the process may open fewer than CUZK_ACCEPT_DESCRIPTORS_LEAST). */
enum cuzk_status cuzk_accept_watch(const struct cuzk_log *log, struct cuzk_error *err);

/* Connections refused so far, by this whole process. */
uint64_t cuzk_accept_refused(void);

#endif
