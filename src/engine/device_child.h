/*
 * The child's side of a device in a process of its own: serves a device over the sockets that the parent
 * gives it (engine/device_wire.h), one thread a socket, until the parent is gone. It needs no signal for
 * that: the end of the control socket comes also when the parent was killed.
 */
#ifndef CUZK_ENGINE_DEVICE_CHILD_H
#define CUZK_ENGINE_DEVICE_CHILD_H

#include "engine/device.h"

enum { CUZK_DEVICE_CHILD_SOCKET = 3 };

/* Makes the device that a child serves. */
typedef enum cuzk_status (*cuzk_device_maker)(const char *choice, unsigned threads, unsigned slots,
                                              struct cuzk_device **out, struct cuzk_error *err);

/* A null device where the choice names one (engine/null_spec.h), else one of cuzk_device_local_create. */
enum cuzk_status cuzk_device_make(const char *choice, unsigned threads, unsigned slots,
                                  struct cuzk_device **out, struct cuzk_error *err);

/* Serves until the parent's end is closed, then ends the process, whatever runs. Returns only where it could
 * not begin: OK where the parent was told why. Errors: INPUT (no such parent on the socket), MEMORY, IO. */
enum cuzk_status cuzk_device_child_run(int control, cuzk_device_maker maker, struct cuzk_error *err);

#endif
