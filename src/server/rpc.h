/*
 * One call of the gRPC service, from its arrival to its last byte, and the table of methods that calls are
 * given to.
 *
 * A method is a row in one of the rpc_*.c files: its `run` gets the call with its message on a queue's
 * thread, and sooner or later somebody finishes the call, exactly once. A call is counted by references:
 * `run` has one while it runs; whoever keeps the call longer takes his own.
 */
#ifndef CUZK_SERVER_RPC_H
#define CUZK_SERVER_RPC_H

#include <grpc/grpc.h>
#include <protobuf-c/protobuf-c.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/engine.h"
#include "server/grpc_server.h"
#include "server/timers.h"
#include "server/wire.h"
#include "server/work_queue.h"

struct cuzk_grpc_call;

enum cuzk_rpc_queue {
    CUZK_RPC_QUICK,  /* never waits for a disk or a device */
    CUZK_RPC_SUBMIT, /* waits until something is durable; many at once, so that one sync serves them */
    CUZK_RPC_KEYS,   /* may take minutes; one at a time */
    CUZK_RPC_QUEUES,
};

struct cuzk_rpc_method {
    const char *path; /* "/cuzk.v1.ProvingEngine/SubmitProof" */
    enum cuzk_rpc_queue queue;
    bool large;  /* its messages count against the bytes that may be held at once */
    bool stream; /* `run` is called for every message, and with none when the client has sent its last */

    void (*run)(struct cuzk_grpc_call *call);

    /* Streams: a message was written (or not: the client is gone). On a thread of the network: short work. */
    void (*written)(struct cuzk_grpc_call *call, bool ok);

    /* The call is over: its status was sent, or the client is gone (`gone`; the call must still be finished).
     * On CUZK_RPC_QUICK. May be NULL. */
    void (*closed)(struct cuzk_grpc_call *call, bool gone);
};

struct cuzk_rpc_group {
    const struct cuzk_rpc_method *methods;
    size_t count;
};

/* Each in its own file. */
extern const struct cuzk_rpc_group cuzk_rpc_proof, cuzk_rpc_status, cuzk_rpc_keys, cuzk_rpc_health,
    cuzk_rpc_reflection;

/* NULL where there is no such method. */
const struct cuzk_rpc_method *cuzk_rpc_find(grpc_slice path);

/* ---- the server, as methods see it ---- */

enum { CUZK_GRPC_POLLERS = 2 };

struct cuzk_grpc_server {
    struct cuzk_grpc_options options; /* with defaults in place of zeros; addresses are not to be used */
    struct cuzk_engine *engine;
    const struct cuzk_log *log;

    grpc_server *server;
    grpc_completion_queue *events;
    grpc_resource_quota *quota;
    struct cuzk_tls_source *tls; /* NULL: no TLS */
    pthread_t poller[CUZK_GRPC_POLLERS];
    unsigned pollers;
    struct cuzk_work_queue *queue[CUZK_RPC_QUEUES];
    struct cuzk_timers *timers;
    struct cuzk_listener *listeners;
    size_t listener_count;
    bool started;
    atomic_bool draining;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t live; /* calls, those that wait to arrive included */
    size_t armed;
    bool stopping, down;
    uint64_t held;                /* bytes of requests that the engine has not taken yet */
    struct cuzk_timer trim_timer; /* after a large one, until none has come for a while */
    bool trim_set;
    uint64_t dropped_ns; /* when the last large one was taken */
    struct cuzk_grpc_call *parked, **parked_last;
};

/* ---- a call ---- */

enum cuzk_rpc_op {
    CUZK_RPC_ARRIVE,
    CUZK_RPC_READ,
    CUZK_RPC_CLOSE,
    CUZK_RPC_WRITE,
    CUZK_RPC_FINISH,
    CUZK_RPC_OPS
};

/* The call whose member this is, at that offset. */
static inline struct cuzk_grpc_call *cuzk_grpc_call_of(void *member, size_t offset)
{
    void *call = (char *)member - offset;

    return call;
}

/* What the completion queue gives back. */
struct cuzk_rpc_tag {
    struct cuzk_grpc_call *call; /* NULL: the server is down */
    void (*done)(struct cuzk_grpc_call *call, bool ok);
};

enum { CUZK_RPC_TRAILERS = 2, CUZK_RPC_TRAILER_ROOM = 24 };

struct cuzk_grpc_call {
    char job[CUZK_JOB_ID_TEXT]; /* that it is about, for the log; empty: none is known */
    struct cuzk_grpc_server *server;
    const struct cuzk_rpc_method *method;
    void *state; /* the method's own */
    void (*drop_state)(void *state);
    atomic_uint references;
    uint64_t began_ns;

    grpc_call *call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    struct cuzk_rpc_tag tag[CUZK_RPC_OPS];
    grpc_byte_buffer *message; /* of the client; NULL: none */
    uint64_t held;             /* bytes of it that count */

    pthread_mutex_t lock; /* of what follows, and of starting batches */
    bool begun, finished; /* initial metadata sent; status sent */
    bool gone;            /* the client cancelled, or its deadline has passed */
    int cancelled;
    grpc_status_code code;
    grpc_metadata trailer[CUZK_RPC_TRAILERS];

    struct cuzk_work run_work, close_work;
    struct cuzk_timer timer;
    void (*timed_out)(struct cuzk_grpc_call *call);
    struct cuzk_grpc_call *next_parked;
};

void cuzk_grpc_call_hold(struct cuzk_grpc_call *call);
void cuzk_grpc_call_release(struct cuzk_grpc_call *call);

/* Asks for a new call. Errors: MEMORY. */
enum cuzk_status cuzk_grpc_call_arm(struct cuzk_grpc_server *server, struct cuzk_error *err);

/* The client's message as parts: *parts is to be freed with cuzk_mem_free, and points into the message.
 * Errors: MEMORY. */
enum cuzk_status cuzk_grpc_call_parts(const struct cuzk_grpc_call *call, struct cuzk_request_part **parts,
                                      size_t *count, struct cuzk_error *err);

/* Reads the client's message. Errors: INPUT, MEMORY. */
enum cuzk_status cuzk_grpc_call_message(const struct cuzk_grpc_call *call,
                                        const ProtobufCMessageDescriptor *descriptor, ProtobufCMessage **out,
                                        struct cuzk_error *err);

/* Gives the message's memory back before the call ends. */
void cuzk_grpc_call_drop_message(struct cuzk_grpc_call *call);

/* After so many milliseconds calls back, on the timers' thread; once, and not after stop_timer returned true.
 * A call that is finished has no timer: none is left behind, whoever comes first. */
void cuzk_grpc_call_set_timer(struct cuzk_grpc_call *call, uint64_t after_ms,
                              void (*timed_out)(struct cuzk_grpc_call *call));
bool cuzk_grpc_call_stop_timer(struct cuzk_grpc_call *call);

/* Streams: asks for the client's next message; sends one, of which `written` tells (one at a time). */
void cuzk_grpc_call_read(struct cuzk_grpc_call *call);
void cuzk_grpc_call_write(struct cuzk_grpc_call *call, const ProtobufCMessage *message);

/* The end: with an answer, or an error. retry_ms (0: none) says when to come back. The first end counts. */
void cuzk_grpc_call_answer(struct cuzk_grpc_call *call, const ProtobufCMessage *answer);
void cuzk_grpc_call_fail(struct cuzk_grpc_call *call, grpc_status_code code, uint64_t retry_ms,
                         const char *message);

/* An answer made now and sent later, by another thread; sending takes it over. */
grpc_byte_buffer *cuzk_grpc_pack(const ProtobufCMessage *message);
void cuzk_grpc_call_answer_packed(struct cuzk_grpc_call *call, grpc_byte_buffer *answer);

/* The same with what a function of ours says; its code by cuzk_rpc_code. */
void cuzk_grpc_call_fail_status(struct cuzk_grpc_call *call, enum cuzk_status status,
                                const struct cuzk_error *error);

/* INPUT is INVALID_ARGUMENT, BUSY is RESOURCE_EXHAUSTED, ... (docs/serve.md) */
grpc_status_code cuzk_rpc_code(enum cuzk_status status);

#endif
