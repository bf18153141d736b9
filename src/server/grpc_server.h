/*
 * The gRPC face of the engine: cuzk.v1.ProvingEngine (proto/cuzk/v1/proving.proto), grpc.health.v1.Health,
 * and grpc.reflection v1 and v1alpha, on libgrpc's C core.
 *
 * Requests are bounded in number and in bytes: what is beyond waits unread, so that its sender's window
 * fills. Clients that vanish, stay silent or read slowly hold their own call and nothing else. SIGPIPE must
 * be ignored.
 */
#ifndef CUZK_SERVER_GRPC_SERVER_H
#define CUZK_SERVER_GRPC_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "server/listener.h"

struct cuzk_engine;
struct cuzk_grpc_server;

/* Zeros stand for the defaults. */
struct cuzk_grpc_options {
    const char *const *addresses; /* server/listener.h */
    size_t address_count;
    unsigned socket_mode;       /* of unix sockets; 0660 */
    struct cuzk_tls_files tls;  /* all three, or none */
    uint64_t message_most;      /* bytes of one message; 256 MiB */
    uint64_t held_most;         /* bytes of requests received and not yet written down; 1 GiB */
    uint32_t calls_most;        /* in flight; 65536 */
    uint32_t submit_threads;    /* requests written down at once; 16 */
    uint64_t receive_ms;        /* a request must have arrived after this; 5 minutes */
    const struct cuzk_log *log; /* may be NULL */
};

/* Binds every address and serves. The engine must outlive it. Errors: ARGUMENT (an address), EXISTS (another
 * daemon has the socket), IO, MEMORY. */
enum cuzk_status cuzk_grpc_server_start(struct cuzk_engine *engine, const struct cuzk_grpc_options *options,
                                        struct cuzk_grpc_server **out, struct cuzk_error *err);

/* The address that clients use for listener i ("unix:/run/cuzk/cuzk.sock", "127.0.0.1:9820" with the port
 * that was found for port 0); NULL past the end. */
const char *cuzk_grpc_server_address(const struct cuzk_grpc_server *server, size_t i);

/* New connections are greeted with what these files hold. Errors: UNSUPPORTED (TLS cannot be turned on or
 * off), NOT_FOUND, INPUT, MEMORY; nothing has changed then. */
enum cuzk_status cuzk_grpc_server_reload_tls(struct cuzk_grpc_server *server,
                                             const struct cuzk_tls_files *files, struct cuzk_error *err);

/* From now on the health service says NOT_SERVING; calls are answered as before. */
void cuzk_grpc_server_set_draining(struct cuzk_grpc_server *server);

/* Ends: no new calls; those in flight have grace_ms to end, then they are cancelled. NULL is fine. */
void cuzk_grpc_server_stop(struct cuzk_grpc_server *server, uint64_t grace_ms);

#endif
