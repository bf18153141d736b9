/*
 * Where a daemon listens: addresses as text, and unix sockets that belong to one daemon.
 *
 * "unix:/run/cuzk/cuzk.sock", "unix:name" (relative), "127.0.0.1:9820", "[::1]:9820", "localhost:9820".
 * Without TLS an address off the loopback is refused. A unix socket has a lock file beside it, "PATH.lock",
 * which its daemon holds while it lives; a socket whose lock is free was left behind and is replaced.
 */
#ifndef CUZK_SERVER_LISTENER_H
#define CUZK_SERVER_LISTENER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* PEM files: what this side shows, and whom it believes. All NULL: plaintext. */
struct cuzk_tls_files {
    const char *certificate, *key, *ca;
};

enum { CUZK_LISTENER_TEXT = 160 };

struct cuzk_listener {
    char target[CUZK_LISTENER_TEXT]; /* as libgrpc takes it */
    char path[CUZK_LISTENER_TEXT];   /* of a unix socket; else "" */
    int lock;                        /* its lock file; -1: none */
};

/* Reads an address, and takes the lock of a unix socket. Errors: ARGUMENT (malformed, too long for a socket's
 * name, off the loopback without TLS), EXISTS (another daemon has the socket, or the path is no socket), IO.
 */
enum cuzk_status cuzk_listener_open(const char *address, bool tls, struct cuzk_listener *out,
                                    struct cuzk_error *err);

/* Gives the lock back; what was not opened is fine where lock is -1. */
void cuzk_listener_close(struct cuzk_listener *listener);

#endif
